"""Short ids of nodes, for people: the end of a ULID, else of the base32 of a hash."""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from collections.abc import Iterator

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LOCAL_ID_LENGTH = 6
_IN_CROCKFORD = re.compile(f"[{CROCKFORD}]*").fullmatch
_TO_CROCKFORD = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", CROCKFORD.encode())  # of RFC 4648


def local_ids_for(node_id: str) -> Iterator[str]:
    """The short ids that a node may have, the shortest first; see `Tree.new_local_id`."""
    name = node_id.upper()
    if len(name) == 26 and _IN_CROCKFORD(name):
        yield from (name[-n:] for n in range(LOCAL_ID_LENGTH, 27))
        return
    digest = hashlib.sha256(node_id.encode("utf-8", "surrogatepass")).digest()
    for part in (digest[:5], digest):  # eight digits nearly always are enough
        digits = base32(part)
        yield from (digits[:n] for n in range(LOCAL_ID_LENGTH, len(digits) + 1))


def base32(data: bytes) -> str:
    """Crockford base32 of bytes, most significant bits first, the tail padded with zero bits."""
    return b32encode(data).rstrip(b"=").translate(_TO_CROCKFORD).decode()
