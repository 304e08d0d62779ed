"""Writer of `.tapestry` files for tests: the archive of version 0, laid out as the reader expects it."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

MAGIC = b"VersionedTapestryWeave__"
NODE_BYTES, ROOT_BYTES = 128, 112


class Archive:
    """Bytes that grow; what is pointed at is written before what points."""

    def __init__(self) -> None:
        self.data = bytearray()

    def put(self, data: bytes) -> int:
        """Append; return the address."""
        while len(self.data) % 16:
            self.data.append(0)
        at = len(self.data)
        self.data += data
        return at

    def string(self, text: str) -> tuple[bytes, int | None]:
        """A text of eight bytes, or its length and the address of its bytes."""
        data = text.encode()
        if len(data) <= 8 and b"\xff" not in data and not (data and data[0] & 0xC0 == 0x80):
            return data.ljust(8, b"\xff"), None
        length = len(data)
        raw = (length & 0x3F) | 0x80 | ((length & ~0x3F) << 2)
        return struct.pack("<I", raw), self.put(data)

    def put_strings(self, pairs: Mapping[str, str]) -> int:
        """The entries of a map of texts; return their address."""
        made = [self.string(text) for pair in pairs.items() for text in pair]
        at = self.put(bytes(8 * len(made)))
        for number, (data, target) in enumerate(made):
            place = at + 8 * number
            self.data[place : place + len(data)] = data
            if target is not None:
                struct.pack_into("<i", self.data, place + 4, target - place)
        return at

    def write_string(self, place: int, made: tuple[bytes, int | None]) -> None:
        """Put a text where there is room for it."""
        data, target = made
        self.data[place : place + len(data)] = data
        if target is not None:
            struct.pack_into("<i", self.data, place + 4, target - place)

    def write_index(self, place: int, count: int, entries: int) -> None:
        """Put a map or set that holds so many entries at that address."""
        struct.pack_into("<iIIi", self.data, place, 0, count, count, entries - (place + 12) if count else 0)

    def write_vector(self, place: int, count: int, target: int) -> None:
        """Put a list."""
        struct.pack_into("<iI", self.data, place, target - place, count)


def weave_file(
    nodes: Sequence[Mapping[str, Any]],
    *,
    active: int | None = None,
    bookmarks: Sequence[int] = (),
    about: Mapping[str, str] | None = None,
    version: int = 0,
) -> bytes:
    """A file of nodes: `id`, `parent`, `text` or `tokens` (bytes and what is known), `model`, `about`."""
    archive = Archive()
    children = {n["id"]: [m["id"] for m in nodes if m.get("parent") == n["id"]] for n in nodes}
    prepared = [_prepared(archive, node, children[node["id"]]) for node in nodes]
    roots = [node["id"] for node in nodes if node.get("parent") is None]
    root_ids, marked = archive.put(_ids(roots)), archive.put(_ids(bookmarks))
    strings = archive.put_strings(about or {})
    table = archive.put(bytes(144 * len(nodes)))
    controls = len(archive.data)
    archive.data += bytes(len(nodes)) + b"\xff"
    for number, (node, made) in enumerate(zip(nodes, prepared, strict=True)):
        entry = controls - (number + 1) * 144
        assert entry >= table
        archive.data[entry : entry + 16] = node["id"].to_bytes(16, "little")
        _write_node(archive, entry + 16, node, made, is_active=node["id"] == active)
    root = archive.put(bytes(ROOT_BYTES))
    struct.pack_into("<iII", archive.data, root, controls - root, len(nodes), len(nodes) + 1)
    archive.write_index(root + 12, len(roots), root_ids)
    if active is not None:
        archive.data[root + 32] = 1
        archive.data[root + 48 : root + 64] = active.to_bytes(16, "little")
    archive.write_index(root + 64, len(bookmarks), marked)
    archive.write_index(root + 88, len(about or {}), strings)
    return MAGIC + version.to_bytes(8, "little") + bytes(archive.data)


def _ids(ids: Sequence[int]) -> bytes:
    return b"".join(one.to_bytes(16, "little") for one in ids)


def _prepared(archive: Archive, node: Mapping[str, Any], children: Sequence[int]) -> dict[str, Any]:
    made: dict[str, Any] = {"children": (len(children), archive.put(_ids(children)))}
    made["about"] = archive.put_strings(node.get("about", {}))
    if "tokens" in node:
        parts = [
            (archive.put(text), len(text), archive.put_strings(about), len(about))
            for text, about in node["tokens"]
        ]
        at = archive.put(bytes(24 * len(parts)))
        for number, (text, length, strings, count) in enumerate(parts):
            place = at + 24 * number
            archive.write_vector(place, length, text)
            archive.write_index(place + 8, count, strings)
        made["content"] = (1, len(parts), at)
    else:
        data = node["text"]
        made["content"] = (0, len(data), archive.put(data))
    if node.get("model") is not None:
        made["model"] = archive.string(node["model"])
        made["about_model"] = archive.put_strings({"color": "#ff0000ff"})
    return made


def _write_node(
    archive: Archive, at: int, node: Mapping[str, Any], made: Mapping[str, Any], *, is_active: bool
) -> None:
    archive.data[at : at + 16] = node["id"].to_bytes(16, "little")
    if node.get("parent") is not None:
        archive.data[at + 16] = 1
        archive.data[at + 32 : at + 48] = node["parent"].to_bytes(16, "little")
    archive.write_index(at + 48, *made["children"])
    archive.data[at + 64] = is_active
    archive.data[at + 65] = bool(node.get("bookmarked"))
    tag, count, target = made["content"]
    archive.data[at + 68] = tag
    archive.write_vector(at + 72, count, target)
    archive.write_index(at + 80, len(node.get("about", {})), made["about"])
    if "model" in made:
        archive.data[at + 96] = 1
        archive.write_string(at + 100, made["model"])
        archive.write_index(at + 108, 1, made["about_model"])


SMILE = "🙂".encode()
TIME = 1_700_000_000_000
ROOT, ONE, TWO, DEEP = ((TIME + n << 80) | n for n in (1, 2, 3, 4))


def example() -> bytes:
    """A root with two ways on; a character begins in one node and ends in the next."""
    tokens = [
        (b" a", {"probability": "0.5", "counterfactual": "[]"}),
        (b" time, " + SMILE[:2], {"token_id": "7"}),
    ]
    nodes = [
        {"id": ROOT, "text": "Once upon, naïve".encode(), "about": {"temperature": "0.7"}},
        {"id": ONE, "parent": ROOT, "tokens": tokens, "model": "a model of a long name", "bookmarked": True},
        {"id": TWO, "parent": ROOT, "text": b" midnight", "model": "short"},
        {"id": DEEP, "parent": ONE, "text": SMILE[2:] + b" end"},
    ]
    return weave_file(
        nodes, active=DEEP, bookmarks=[ONE], about={"title": "A weave", "notes": "some longer notes"}
    )
