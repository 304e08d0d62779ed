"""Formats of the export panel: names, purposes, what each can hold and what of it can be chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import worded
from loomapp.formats.registry import EXPORTERS, READABLE_EXPORTERS

Scope: TypeAlias = Literal["path", "tree", "chosen"]
Option: TypeAlias = Literal["speakers", "excluded", "annotations", "metadata", "system", "media", "responses"]

SCOPES: tuple[tuple[Scope, str], ...] = (
    ("path", "This path"),
    ("tree", "Whole tree"),
    ("chosen", "Chosen nodes"),
)
OPTIONS: tuple[tuple[Option, str, str], ...] = (
    ("speakers", "Speakers", "Who wrote each message"),
    ("excluded", "Excluded", "What is left out of the context, too"),
    ("annotations", "Notes", "The notes on each node, after it"),
    ("metadata", "Time and model", "Local id, time, author, model and marks of each node, after it"),
    ("system", "System context", "What a model is told before the conversation"),
    ("media", "Images", "The bytes of images; without them they go by their names"),
    ("responses", "Raw responses", "What models answered, byte for byte, with the records of what was asked"),
)
USUAL: frozenset[Option] = frozenset({"speakers", "excluded", "system", "media", "responses"})
READ: frozenset[Option] = frozenset({"speakers", "excluded", "annotations", "metadata"})
NO_TEXT = {".docx", ".png"}
PICTURES = {"png": ".png", "svg": ".svg"}


class ExportFormat(NamedTuple):
    """One format as the panel offers it."""

    name: str
    title: str
    purpose: str

    @property
    def suffix(self) -> str:
        if self.name in PICTURES:
            return PICTURES[self.name]
        found = EXPORTERS.get(self.name) or READABLE_EXPORTERS[self.name]
        return found.suffix

    @property
    def is_picture(self) -> bool:
        return self.name in PICTURES

    @property
    def can_be_copied(self) -> bool:
        """True for texts, and for a picture that other programs paste."""
        return self.name != "docx"

    @property
    def scopes(self) -> tuple[Scope, ...]:
        if self.is_picture or self.name in EXPORTERS:
            return ("tree",)
        exporter = READABLE_EXPORTERS[self.name]
        whole: tuple[Scope, ...] = ("tree",) if exporter.of_tree else ()
        return ("path", *whole) if exporter.is_sent else ("path", *whole, "chosen")

    def fitting(self, path: Path) -> Path:
        """Return the path of a file to be written. Raises: InvalidInput if its ending belongs to another
        format, and one of the two is no text: no program would open the file.
        """
        other = next((one for one in FORMATS if one.suffix == path.suffix.lower()), self)
        if other.suffix != self.suffix and {self.suffix, other.suffix} & NO_TEXT:
            words = "{name} would not open: its ending is that of {other}, and {format} is chosen."
            raise InvalidInput(worded(words, name=path.name, other=other.title, format=self.title))
        return path

    def options(self, *, is_buffer: bool) -> frozenset[Option]:
        """Return what of it can be chosen. A buffer has no speakers but in an outline."""
        if self.is_picture:
            return frozenset()
        if self.name in EXPORTERS:
            return frozenset({"media", "responses"})
        exporter = READABLE_EXPORTERS[self.name]
        images: frozenset[Option] = frozenset({"media"}) if exporter.has_images else frozenset()
        read = frozenset() if exporter.is_sent else READ
        nobody = is_buffer and self.name not in ("opml", "markdown")
        system: frozenset[Option] = frozenset({"system"}) if self.name == "html" else frozenset()
        return (read - {"speakers"} if nobody else read) | images | system


FORMATS: tuple[ExportFormat, ...] = (
    ExportFormat("html", "Web page", "one file"),
    ExportFormat("docx", "Word", "to write on"),
    ExportFormat("markdown", "Markdown", "with headings"),
    ExportFormat("text", "Plain text", "words alone"),
    ExportFormat("loom-json", "Loom JSON", "to bring back"),
    ExportFormat("jsonl", "JSON Lines", "a node a line"),
    ExportFormat("openai", "Chat JSON", "for OpenAI"),
    ExportFormat("anthropic", "Chat JSON", "for Anthropic"),
    ExportFormat("opml", "OPML", "outline"),
    ExportFormat("png", "PNG", "the graph"),
    ExportFormat("svg", "SVG", "the graph, in lines"),
)
BY_NAME = {one.name: one for one in FORMATS}


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """Choice made on the panel. `scope` and `options` are those that the format can use."""

    format: ExportFormat
    scope: Scope
    options: frozenset[Option]

    def arguments(self, leaf_id: str) -> tuple[str, ...]:
        """The options of `loomapp export` for it; the ids of chosen nodes go in by standard input."""
        can = self.format.options(is_buffer=False)
        words = [f"--no-{name}" for name in sorted((can & USUAL) - self.options)]
        words += [f"--{name}" for name in sorted((can & self.options) - USUAL)]
        if self.scope == "chosen":
            words += ["--only", "-"]
        elif self.scope == "path":
            words += ["--path", leaf_id]
        elif self.format.name == "markdown":
            words.append("--branches")
        return ("--format", self.format.name, *words)
