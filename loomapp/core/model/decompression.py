"""Unpacking of gzip with a limit: what is kept packed may come from anywhere, and grow a thousandfold."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator

MOST_BYTES = 64 << 20  # as much as providers record of one answer, whatever it packs to
PIECE_BYTES = 256 << 10
FED_BYTES = 16 << 10  # at once: what follows the end of a member is copied for each
WITH_GZIP_HEADER = 31

UNREADABLE = (OSError, EOFError, zlib.error)
"""Errors of unpacking; `TooLarge` is one of them."""


class TooLarge(gzip.BadGzipFile):
    """Packed data of a greater size than is unpacked for anybody."""


def unpacked(packed: bytes, most: int = MOST_BYTES) -> bytes:
    """Return what was packed by gzip. No more than `most` bytes and a piece are ever in memory.

    Raises: TooLarge; others of UNREADABLE for what is no whole gzip stream.
    """
    return b"".join(pieces_of(packed, most))


def pieces_of(packed: bytes, most: int = MOST_BYTES) -> Iterator[bytes]:
    """Give the same in pieces: what is done with each decides how much is ever in memory.

    Raises: as `unpacked`, once the fault is reached.
    """
    unpacker = Unpacker(WITH_GZIP_HEADER, most)
    yield from unpacker.feed(packed)
    if not unpacker.is_whole:
        raise EOFError("it ends before its end is marked")


class Unpacker:
    """Unpacks what comes bit by bit, members of gzip one after the other."""

    def __init__(self, window_bits: int, most: int = MOST_BYTES) -> None:
        """`window_bits` say which kinds of packing are known, as for zlib."""
        self._window_bits, self._most = window_bits, most
        self._member = zlib.decompressobj(window_bits)
        self.size = 0  # of all that was unpacked

    @property
    def is_whole(self) -> bool:
        """True if the end was marked, and nothing has begun after it."""
        return self._member.eof

    def feed(self, packed: bytes) -> Iterator[bytes]:
        """Give pieces of at most PIECE_BYTES, none of them empty. Raises: TooLarge; zlib.error."""
        for start in range(0, len(packed), FED_BYTES):
            rest, piece = packed[start : start + FED_BYTES], b""
            while rest or len(piece) == PIECE_BYTES:
                if self._member.eof:
                    rest = rest.lstrip(b"\0")  # gzip allows padding
                    if not rest:
                        break
                    self._member = zlib.decompressobj(self._window_bits)
                piece = self._member.decompress(rest, PIECE_BYTES)
                rest = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
                self.size += len(piece)
                if self.size > self._most:
                    raise TooLarge(f"it unpacks to more than {self._most >> 20} MiB")
                if piece:
                    yield piece
