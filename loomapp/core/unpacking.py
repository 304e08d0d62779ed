"""Unpacking of gzip with a limit: what is kept packed may come from anywhere, and grow a thousandfold."""

from __future__ import annotations

import gzip
import zlib

MOST_BYTES = 64 << 20  # as much as providers record of one answer, whatever it packs to
WITH_GZIP_HEADER = 31

UNREADABLE = (OSError, EOFError, zlib.error)
"""Errors of `unpacked`; `TooLarge` is one of them."""


class TooLarge(gzip.BadGzipFile):
    """What is packed is more than is unpacked for anybody."""


def unpacked(packed: bytes, most: int = MOST_BYTES) -> bytes:
    """Return what was packed by gzip. No more than `most` bytes and one are ever in memory.

    Raises: TooLarge; others of UNREADABLE for what is no whole gzip stream.
    """
    found: list[bytes] = []
    size = 0
    while packed or not found:
        member = zlib.decompressobj(WITH_GZIP_HEADER)
        found.append(member.decompress(packed, most - size + 1))
        size += len(found[-1])
        if size > most:
            raise TooLarge(f"it unpacks to more than {most >> 20} MiB")
        if not member.eof:
            raise EOFError("it ends before its end is marked")
        packed = member.unused_data.lstrip(b"\0")  # gzip allows padding
    return found[0] if len(found) == 1 else b"".join(found)
