"""The archive in a `.tapestry` file of Tapestry Loom, version 0: rkyv, read without trusting a pointer.

Source: the struct definitions of tapestry-weave 0 and universal-weave (dependent). All numbers are
little-endian. A relative pointer is added to the address of the pointer itself.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import worded

MAGIC = b"VersionedTapestryWeave__"
HEADER_BYTES = 32
ROOT_BYTES = 112
ENTRY_BYTES = 144  # of the map of nodes: key and node
TOKEN_BYTES = 24
PAIR_BYTES = 16  # two strings of a map
ID_BYTES = 16
MOST_TIMES = 16  # how much is read of an archive, in its own size: pointers may overlap
_INT, _UINT = struct.Struct("<i"), struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a model's text, with what is known of it."""

    text: bytes
    about: dict[str, str]


@dataclass(slots=True)
class WovenNode:
    """A node as the archive holds it. `tokens` is None for a text that came as one piece."""

    id: int
    parent: int | None
    children: list[int]
    is_bookmarked: bool
    text: bytes
    tokens: list[Token] | None
    about: dict[str, str]
    model: str | None
    about_model: dict[str, str]


@dataclass(slots=True)
class Weave:
    """A whole archive."""

    nodes: dict[int, WovenNode]
    roots: list[int]
    active: int | None
    bookmarks: list[int]
    about: dict[str, str] = field(default_factory=dict)


def version_of(data: bytes) -> int | None:
    """The version that the first bytes name; None if it is no such file."""
    if not data.startswith(MAGIC) or len(data) < HEADER_BYTES:
        return None
    return int.from_bytes(data[24:HEADER_BYTES], "little")


def read_weave(data: bytes) -> Weave:
    """Read a whole file. Raises: InvalidInput, one line."""
    version = version_of(data)
    if version is None:
        raise InvalidInput("it is no file of Tapestry Loom")
    if version != 0:
        told = "it is a Tapestry Loom file of version {version}; only version 0 is read"
        raise InvalidInput(worded(told, version=version))
    try:
        return _Archive(data[HEADER_BYTES:]).weave()
    except (struct.error, IndexError, _Broken) as error:
        raise InvalidInput("it is a damaged Tapestry Loom file") from error


class _Broken(Exception):
    """Fault of an archive: something lies outside it."""


class _Archive:
    """The bytes of an archive, read by address."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = MOST_TIMES * len(data)

    def weave(self) -> Weave:
        root = len(self._data) - ROOT_BYTES
        if root < 0:
            raise _Broken
        return Weave(
            self._nodes(root),
            self._ids(root + 12),
            self._optional_id(root + 32),
            self._ids(root + 64),
            self._strings(root + 88),
        )

    def _nodes(self, at: int) -> dict[int, WovenNode]:
        controls, count, capacity = self._pointer(at), self._uint(at + 4), self._uint(at + 8)
        self._check(controls, capacity)
        nodes: dict[int, WovenNode] = {}
        for number in range(capacity):
            if self._data[controls + number] & 0x80:
                continue
            entry = controls - (number + 1) * ENTRY_BYTES
            self._check(entry, ENTRY_BYTES)
            node = self._node(entry + ID_BYTES)
            nodes[node.id] = node
        if len(nodes) != count:
            raise _Broken
        return nodes

    def _node(self, at: int) -> WovenNode:
        content = at + 68
        tokens = self._tokens(content + 4) if self._data[content] else None
        text = self._bytes(content + 4) if tokens is None else b"".join(token.text for token in tokens)
        model = at + 96
        has_model = bool(self._data[model])
        return WovenNode(
            self._id(at),
            self._optional_id(at + 16),
            self._ids(at + 48),
            bool(self._data[at + 65]),
            text,
            tokens,
            self._strings(at + 80),
            self._string(model + 4) if has_model else None,
            self._strings(model + 12) if has_model else {},
        )

    def _tokens(self, at: int) -> list[Token]:
        first, count = self._pointer(at), self._uint(at + 4)
        self._check(first, count * TOKEN_BYTES)
        places = range(first, first + count * TOKEN_BYTES, TOKEN_BYTES)
        return [Token(self._bytes(place), self._strings(place + 8)) for place in places]

    def _strings(self, at: int) -> dict[str, str]:
        """A map of texts, in the order in which they were put there."""
        count = self._uint(at + 4)
        if not count:
            return {}
        first = self._pointer(at + 12)
        self._check(first, count * PAIR_BYTES)
        places = range(first, first + count * PAIR_BYTES, PAIR_BYTES)
        return {self._string(place): self._string(place + 8) for place in places}

    def _ids(self, at: int) -> list[int]:
        """A set of ids, in the order in which they were put there."""
        count = self._uint(at + 4)
        if not count:
            return []
        first = self._pointer(at + 12)
        self._check(first, count * ID_BYTES)
        return [self._id(first + ID_BYTES * number) for number in range(count)]

    def _optional_id(self, at: int) -> int | None:
        return self._id(at + 16) if self._data[at] else None

    def _id(self, at: int) -> int:
        return int.from_bytes(self._slice(at, ID_BYTES), "little")

    def _string(self, at: int) -> str:
        """A text: in place, filled up with 0xFF, or elsewhere by length and pointer."""
        if self._slice(at, 8)[0] & 0xC0 == 0x80:
            raw = self._uint(at)
            length = (raw & 0x3F) | ((raw & ~0xFF) >> 2)
            return self._slice(at + self._int(at + 4), length).decode("utf-8", "replace")
        return self._slice(at, 8).partition(b"\xff")[0].decode("utf-8", "replace")

    def _bytes(self, at: int) -> bytes:
        return self._slice(self._pointer(at), self._uint(at + 4))

    def _slice(self, at: int, length: int) -> bytes:
        self._check(at, length)
        return self._data[at : at + length]

    def _pointer(self, at: int) -> int:
        return at + self._int(at)

    def _int(self, at: int) -> int:
        if at < 0:
            raise _Broken
        return int(_INT.unpack_from(self._data, at)[0])

    def _uint(self, at: int) -> int:
        if at < 0:
            raise _Broken
        return int(_UINT.unpack_from(self._data, at)[0])

    def _check(self, at: int, length: int) -> None:
        """Raises: _Broken if that lies outside, or more is read by now than an archive can hold."""
        if at < 0 or length < 0 or at + length > len(self._data):
            raise _Broken
        self._left -= length
        if self._left < 0:
            raise _Broken
