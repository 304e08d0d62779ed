"""The registry of formats: one entry a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from loomapp.core.times import Milliseconds
from loomapp.formats import loom_json, path_text
from loomapp.formats.imported import Imported


class Read(Protocol):
    """Reads a file whole; see `loom_json.read`."""

    def __call__(
        self,
        source: bytes | Path,
        /,
        *,
        now: Milliseconds = 0,
        tree_id: str = "",
        untitled: str = "",
    ) -> Imported:
        """Read what the file holds. Raises: InvalidInput."""


class Importer(NamedTuple):
    """One format that is read."""

    title: str
    read: Read


class Exporter(NamedTuple):
    """One format that is written; `write` takes tree, agents, evidence or None, media or None."""

    title: str
    write: Callable[..., str]


class PathExporter(NamedTuple):
    """One format of a single path; `write` takes tree, agents and the nodes of the path in order."""

    title: str
    write: Callable[..., str]


IMPORTERS: Mapping[str, Importer] = {
    "loom-json": Importer("Loom JSON", loom_json.read),
}
EXPORTERS: Mapping[str, Exporter] = {
    "loom-json": Exporter("Loom JSON", loom_json.write),
}
PATH_EXPORTERS: Mapping[str, PathExporter] = {
    "text": PathExporter("Plain text", path_text.as_text),
    "markdown": PathExporter("Markdown", path_text.as_markdown),
}
