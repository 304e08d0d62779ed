"""Tapestry Loom: `.tapestry` files of version 0, archives of rkyv, read without trusting a pointer.

Source: the struct definitions of tapestry-weave 0 and universal-weave (dependent). All numbers are
little-endian. A relative pointer is added to the address of the pointer itself.
"""

from __future__ import annotations

import base64
import codecs
import struct
from collections.abc import Iterator, Mapping
from dataclasses import field

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Text
from loomapp.core.model.local_ids import ulid
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.files import MOST_TREE_BYTES
from loomapp.formats.conversation import (
    Author,
    Conversation,
    Message,
    model_author,
    parents_first,
    sound_parents,
)
from loomapp.formats.foreign_files import NO_MESSAGES, finding_of, findings_of, members_with
from loomapp.formats.foreign_values import LAST_MOMENT_MS, kept, title_of
from loomapp.formats.importer import Finding, Reading
from loomapp.formats.links import linked
from loomapp.formats.sources import Source

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
        told = "it is a Tapestry Loom file of version {version}; only version 0 is read, as 0.13 saves it"
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


FORMAT = "tapestry"
YOU = Author(None, "You", "human")
WHY = "it begins with “VersionedTapestryWeave”"
_TIME_BITS = 80  # of a ULID, below its time


def recognises(source: Source) -> Sentence | None:
    return sentence(WHY) if _members(source) else None


def _members(source: Source) -> list[str]:
    return members_with(source, lambda one, name: one.head(name).text.startswith(MAGIC))


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The weave of each file. Raises: InvalidInput."""
    names = _members(source) or list(source.names[:1])
    yield from findings_of(
        source, names, lambda name: finding_of(_conversation(_weave(source, name)), reading), progress
    )


def _weave(source: Source, name: str) -> Weave:
    if source.member_size(name) > MOST_TREE_BYTES:
        raise InvalidInput(
            worded("“{name}” is larger than {most} MiB", name=name, most=MOST_TREE_BYTES >> 20)
        )
    with source.open(name) as file:
        return read_weave(file.read(MOST_TREE_BYTES))


def _conversation(weave: Weave) -> Conversation:
    if not weave.nodes:
        raise InvalidInput(NO_MESSAGES)
    order = _order(weave)
    above = {ulid(key): ulid(p) if (p := weave.nodes[key].parent) is not None else None for key in order}
    listed = {ulid(key): list(map(ulid, weave.nodes[key].children)) for key in order}
    texts = _texts(weave)
    bookmarks = frozenset(weave.bookmarks)
    messages: dict[str, Message | None] = {
        ulid(key): _message(weave.nodes[key], texts[key], is_bookmarked=key in bookmarks) for key in order
    }
    links = linked(messages, above, listed=listed)
    first = weave.roots[0] if weave.roots else order[0]
    active = ulid(weave.active) if weave.active is not None else None
    one = links.conversation(FORMAT, f"{FORMAT}-{ulid(first)}", title_of(weave.about.get("title")), active)
    one.mode = "buffer"
    one.extra = kept(weave.about, ("title",))
    return one


def _order(weave: Weave) -> list[int]:
    """The nodes, each after its parent, roots and children in the order of the archive."""
    named = [key for key in weave.roots if key in weave.nodes]
    keys = dict.fromkeys([*named, *sorted(weave.nodes)])
    sound = _sound(weave, keys)
    return [
        int(key)
        for key in parents_first(sound, {str(k): list(map(str, n.children)) for k, n in weave.nodes.items()})
    ]


def _sound(weave: Weave, keys: Mapping[int, None]) -> dict[str, str | None]:
    parents = {key: weave.nodes[key].parent for key in keys}
    return sound_parents({str(key): None if p is None else str(p) for key, p in parents.items()})


def _texts(weave: Weave) -> dict[int, str]:
    """The texts by node. A character that breaks off stands where its last byte does."""
    sound = _sound(weave, dict.fromkeys(weave.nodes))
    continued = {parent for parent in sound.values() if parent is not None}
    left: dict[str, bytes] = {}
    found: dict[int, str] = {}
    for key in parents_first(sound):
        above = sound[key]
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        before = left.get(above, b"") if above is not None else b""
        is_last = key not in continued
        found[int(key)] = decoder.decode(before + weave.nodes[int(key)].text, final=is_last)
        if not is_last and (rest := decoder.getstate()[0]):
            left[key] = rest
    return found


def _message(node: WovenNode, text: str, *, is_bookmarked: bool) -> Message:
    extra: Json = kept(node.about)
    if node.tokens is not None:
        extra["tokens"] = list(map(_token, node.tokens))
    if more := kept(node.about_model):
        extra["model"] = more
    label = title_of(node.model)
    at = node.id >> _TIME_BITS
    return Message(
        model_author(f"{FORMAT}:{label}", label or "Model") if node.model is not None else YOU,
        Text(text),
        at if 0 < at <= LAST_MOMENT_MS else None,
        keys=extra,
        is_bookmarked=is_bookmarked or node.is_bookmarked,
    )


def _token(token: Token) -> Json:
    """A token with what is known of it: its text, or where it is no whole text its bytes."""
    try:
        said: Json = {"text": token.text.decode()}
    except UnicodeDecodeError:
        said = {"base64": base64.b64encode(token.text).decode()}
    return {**said, **kept(token.about)}
