"""The registry of formats: one entry a format; what is read is recognised by its content.

The contract of each is tested with an example of its own, in EXAMPLES of `tests/formats/test_registry.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from loomapp.formats import loom_json, loom_json_importer, path_text
from loomapp.formats.chatgpt import export as chatgpt
from loomapp.formats.importer import Detected, Importer
from loomapp.formats.sources import Source


class Exporter(NamedTuple):
    """One format that is written; `write` takes tree, agents, evidence or None, media or None."""

    title: str
    write: Callable[..., str]


class PathExporter(NamedTuple):
    """One format of a single path; `write` takes tree, agents and the nodes of the path in order."""

    title: str
    write: Callable[..., str]


def detect(source: Source) -> Detected | None:
    """The first format that recognises the content of a source. Raises: OSError, InvalidInput."""
    for importer in IMPORTERS.values():
        why = importer.recognises(source)
        if why is not None:
            return Detected(importer, why)
    return None


def suffixes() -> tuple[str, ...]:
    """The endings of files that hold trees, for a file dialog; what is in them decides."""
    every = (suffix for importer in IMPORTERS.values() for suffix in importer.suffixes)
    return tuple(dict.fromkeys(every))


_IMPORTERS = (
    Importer(
        "loom-json",
        "Loom JSON",
        (".loom.json", ".json"),
        loom_json_importer.recognises,
        loom_json_importer.read,
    ),
    Importer("chatgpt", "ChatGPT export", (".zip", ".json"), chatgpt.recognises, chatgpt.read),
)
IMPORTERS: Mapping[str, Importer] = {importer.name: importer for importer in _IMPORTERS}
EXPORTERS: Mapping[str, Exporter] = {
    "loom-json": Exporter("Loom JSON", loom_json.write),
}
PATH_EXPORTERS: Mapping[str, PathExporter] = {
    "text": PathExporter("Plain text", path_text.as_text),
    "markdown": PathExporter("Markdown", path_text.as_markdown),
}
