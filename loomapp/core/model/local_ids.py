"""Short ids of nodes, for people: the end of a ULID, else of the base32 of a hash."""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from collections.abc import Container, Iterable, Iterator, Mapping

from loomapp.core.model.caches import Emptiable
from loomapp.core.model.entities import Node
from loomapp.core.model.overlay import overlay_of

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LOCAL_ID_LENGTH = 6
_PAIRS = tuple(first + second for first in CROCKFORD for second in CROCKFORD)
_IN_CROCKFORD = re.compile(f"[{CROCKFORD}]*").fullmatch
_TO_CROCKFORD = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", CROCKFORD.encode())  # of RFC 4648


class LocalIds:
    """The short ids of a tree's nodes, in any case; the node that had one first keeps it.

    Those of nodes that came in together are told at the first question: a reader asks for few or none.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}  # node ids by local ids in upper case
        self._untold: Mapping[str, Node] = {}  # nodes that came in together and since, all still there

    @property
    def names(self) -> dict[str, str]:
        """The node of each short id. Nobody takes a node away before this was asked for."""
        if self._untold:
            nodes, self._untold = self._untold, {}
            for node in nodes.values():
                self._names.setdefault(node.local_id.upper(), node.id)
        return self._names

    @property
    def memory(self) -> Emptiable:
        """Its memory, to be let go of in slices."""
        return self._names

    def over(self) -> LocalIds:
        """Return short ids that are as these, and that move without moving these."""
        found = LocalIds()
        found._names = overlay_of(self.names)
        return found

    def add(self, local_id: str, node_id: str) -> None:
        if self._untold:
            return  # it will be told with those that came before
        self.names.setdefault(local_id.upper(), node_id)

    def take(self, nodes: Iterable[Node], here: Mapping[str, Node]) -> None:
        if not self._names:
            self._untold = here
            return
        for node in nodes:
            self.add(node.local_id, node.id)

    def drop(self, local_id: str, node_id: str) -> None:
        """Forget the short id of a node, unless it is another node's."""
        if self.names.get(local_id.upper()) == node_id:
            del self.names[local_id.upper()]

    def find(self, local_id: str) -> str | None:
        return self.names.get(local_id.upper())

    def new_for(self, node_id: str, taken: Container[str] = ()) -> str:
        """Return a short id for a new node: the last 6 characters of a ULID, more on a collision; likewise of
        those that are `taken`. Ids that are no ULIDs get the first characters of the Crockford base32 of
        their SHA-256.
        """
        return next(name for name in local_ids_for(node_id) if name not in self.names and name not in taken)


def local_ids_for(node_id: str) -> Iterator[str]:
    """The short ids that a node may have, the shortest first; see `LocalIds.new_for`."""
    name = node_id.upper()
    if len(name) == 26 and _IN_CROCKFORD(name):
        yield from (name[-n:] for n in range(LOCAL_ID_LENGTH, 27))  # all taken where ids differ in case alone
    digest = hashlib.sha256(node_id.encode("utf-8", "surrogatepass")).digest()
    yield _first_digits(digest)  # enough nearly always
    digits = base32(digest)
    yield from (digits[:n] for n in range(LOCAL_ID_LENGTH + 1, len(digits) + 1))


def ulid(number: int) -> str:
    return "".join(CROCKFORD[(number >> (5 * place)) & 31] for place in range(25, -1, -1))


def _first_digits(digest: bytes) -> str:
    """The first six digits, at a quarter of the cost of all."""
    bits = int.from_bytes(digest[:4], "big") >> 2
    return _PAIRS[bits >> 20] + _PAIRS[bits >> 10 & 1023] + _PAIRS[bits & 1023]


def base32(data: bytes) -> str:
    """Crockford base32 of bytes, most significant bits first, the tail padded with zero bits."""
    return b32encode(data).rstrip(b"=").translate(_TO_CROCKFORD).decode()
