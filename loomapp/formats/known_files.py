"""Files that are known and not read: what each is, so that a person need not guess."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from loomapp.core.json_values import Json
from loomapp.core.sentences import Sentence, worded
from loomapp.formats.foreign_json import samples
from loomapp.formats.foreign_values import object_of
from loomapp.formats.sources import Source


class KnownFile(NamedTuple):
    """One kind of file by its first bytes, or by one of its first JSON objects."""

    title: str
    begins: re.Pattern[bytes] | None = None
    is_one: Callable[[Json], bool] | None = None


def known_kind(source: Source) -> Sentence | None:
    """The line that says what a file is which is known and not read; None for an unknown one."""
    if source.is_folder:
        return None
    if not source.is_single:
        title = next((title for name, title in _IN_ZIPS if name in source.names), None)
        return None if title is None else _said(title)
    data = source.head(source.names[0]).text
    begun = next((kind for kind in KNOWN if kind.begins is not None and kind.begins.match(data)), None)
    return known_tree(source) if begun is None else _said(begun.title)


def known_tree(source: Source) -> Sentence | None:
    """The line that says which other program's tree or chat a file is; None for what is none."""
    if not source.is_single:
        return None
    first = next((item for item in samples(source, source.names[0]) if isinstance(item, dict)), None)
    if first is None:
        return None
    kinds = (kind for kind in KNOWN if kind.is_one is not None and kind.is_one(first))
    return next((_said(kind.title) for kind in kinds), None)


def _said(title: str) -> Sentence:
    return worded("it is {title}, which Loomapp knows and does not read", title=title)


def _is_bonsai(item: Json) -> bool:
    return isinstance(item.get("nodes"), list) and "edges" in item and "pathNodes" in item


def _is_textile(item: Json) -> bool:
    return "schemaVersion" in item and "continuations" in object_of(item.get("tree"))


def _is_wool(item: Json) -> bool:
    return isinstance(item.get("nodes"), dict) and "focused_node_id" in item


def _is_llama_app(item: Json) -> bool:
    return item.get("type") == "session" and item.get("harness") == "llama.app"


def _is_room(item: Json) -> bool:
    return "character_names" in item and "chat_metadata" not in item


_IN_ZIPS = (("META-INF/container.xml", "an EPUB book"), ("content.xml", "an OpenDocument file"))
KNOWN = (
    KnownFile("a tree of Bonsai", is_one=_is_bonsai),
    KnownFile("a tree of Textile", is_one=_is_textile),
    KnownFile("a tree of wool", is_one=_is_wool),
    KnownFile("a session of the llama.cpp web interface", is_one=_is_llama_app),
    KnownFile("a room of TavernAI", is_one=_is_room),
    KnownFile(
        "a note with a weave of the Tapestry Loom plugin",
        re.compile(rb"---\s.{0,4000}TapestryLoomWeave", re.DOTALL),
    ),
    KnownFile("a PDF document", re.compile(rb"%PDF-")),
    KnownFile("an RTF document", re.compile(rb"\{\\rtf")),
    KnownFile("a web page", re.compile(rb"\s*<(?:!doctype html|html)", re.IGNORECASE)),
    KnownFile("an image without a character card", re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8")),
    KnownFile("a database (a grove is opened, not imported)", re.compile(rb"SQLite format 3\0")),
    KnownFile("an old Word document (.doc)", re.compile(rb"\xd0\xcf\x11\xe0")),
)
