"""Word documents (.docx): a buffer by headings; read part by part, without anything from outside."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from loomapp.core.errors import InvalidInput
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence
from loomapp.formats.documents.passages import book, chapters, dialogue, heading_turns, speaker_turns
from loomapp.formats.foreign_files import finding_of
from loomapp.formats.foreign_values import counted, told
from loomapp.formats.importer import Finding, Reading
from loomapp.formats.sources import Source, Stream

if TYPE_CHECKING:
    from lxml.etree import _Element

FORMAT = "docx"
DOCUMENT, STYLES, PROPERTIES = "word/document.xml", "word/styles.xml", "docProps/core.xml"
MOST_PART_BYTES = 1 << 28
MOST_LEVEL = 6
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = (  # what a strict document has in the place of the usual names
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", _W[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/drawingml/main", b"http://schemas.openxmlformats.org/drawingml/2006/main"),
)
_BESIDE = (
    ("word/footnotes.xml", f"{_W}footnote", "1 footnote is left out", "{count} footnotes are left out"),
    ("word/endnotes.xml", f"{_W}endnote", "1 endnote is left out", "{count} endnotes are left out"),
    ("word/comments.xml", f"{_W}comment", "1 comment is left out", "{count} comments are left out"),
)
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_STYLED = frozenset({f"{_W}b", f"{_W}i", f"{_W}u", f"{_W}strike"})
_HEADING_NAME = re.compile(r"heading\s*([1-9])", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}[ \t]+\S[^\n]*$", re.MULTILINE)


def recognises(source: Source) -> Sentence | None:
    """See `Importer`."""
    return sentence("a Word document (“word/document.xml”)") if DOCUMENT in source.names else None


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The one tree of the document. Raises: InvalidInput."""
    if DOCUMENT not in source.names:
        raise InvalidInput("it is no Word document (.docx)")
    document = _Document(_heading_levels(source))
    for element in _elements(source, DOCUMENT, f"{_W}p", _FALLBACK, _BLIP):
        document.take(element)
    text = "\n\n".join(document.paragraphs)
    if not text.strip():
        raise InvalidInput("it is a document without text")
    title = _title(source) or PurePosixPath(source.path.name).stem
    turns = heading_turns(text) or speaker_turns(text)
    one = dialogue(FORMAT, title, turns) if turns else book(FORMAT, title, chapters(text, _HEADING))
    one.losses = told(
        counted(document.images, "1 picture is left out", "{count} pictures are left out"),
        *(counted(_said_in(source, name, tag), *words) for name, tag, *words in _BESIDE),
        sentence("bold, italic and other looks are left out") if document.is_styled else None,
    )
    yield finding_of(one, reading)
    progress(source.size, source.size)


def _said_in(source: Source, name: str, tag: str) -> int:
    """Count the parts beside the text that say something; lines that part notes from it say nothing."""
    if name not in source.names:
        return 0
    return sum(1 for one in _elements(source, name, tag) if any(t.text for t in one.iter(f"{_W}t")))


class _Document:
    """Paragraphs as they come: headings as those of Markdown."""

    def __init__(self, levels: Mapping[str, int]) -> None:
        self._levels = levels
        self.paragraphs: list[str] = []
        self.images = 0
        self.is_styled = False

    def take(self, element: _Element) -> None:
        """Take a paragraph, or count what is none."""
        if element.tag == _BLIP:
            self.images += 1
            return
        if element.tag == f"{_W}p" and next(element.iterancestors(_FALLBACK), None) is None:
            words = "".join(self._words(element))
            level = self._level(element)
            is_heading = level and words.strip() and "\n" not in words.strip()
            self.paragraphs.append(f"{'#' * level} {words.strip()}" if is_heading else words)
        for child in list(element):
            element.remove(child)

    def _words(self, paragraph: _Element) -> Iterator[str]:
        for element in paragraph.iter():
            tag = element.tag
            if tag == f"{_W}t":
                yield element.text or ""
            elif tag == f"{_W}tab" and _is_in_run(element):
                yield "\t"
            elif tag in (f"{_W}br", f"{_W}cr"):
                yield "\n" if element.get(f"{_W}type") in (None, "textWrapping") else ""
            elif tag == f"{_W}noBreakHyphen":
                yield "\u2011"
            elif tag in _STYLED and _is_in_run(element):
                self.is_styled = True

    def _level(self, paragraph: _Element) -> int:
        """The level of a heading; 0 for what is none."""
        properties = paragraph.find(f"{_W}pPr")
        if properties is None:
            return 0
        outline, style = properties.find(f"{_W}outlineLvl"), properties.find(f"{_W}pStyle")
        level = outline.get(f"{_W}val") if outline is not None else None
        if level is not None and level.isdecimal() and int(level) < MOST_LEVEL:
            return int(level) + 1
        return self._levels.get(style.get(f"{_W}val") or "", 0) if style is not None else 0


def _is_in_run(element: _Element) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag in (f"{_W}r", f"{_W}rPr")


def _heading_levels(source: Source) -> dict[str, int]:
    """The levels of headings by the id of their style, which programs call as they like."""
    found: dict[str, int] = {f"Heading{level}": level for level in range(1, MOST_LEVEL + 1)}
    found["Title"] = 1
    if STYLES not in source.names:
        return found
    for style in _elements(source, STYLES, f"{_W}style"):
        name = style.find(f"{_W}name")
        said = name.get(f"{_W}val") if name is not None else None
        named = _HEADING_NAME.fullmatch(said or "")
        style_id = style.get(f"{_W}styleId")
        if style_id and (named or (said or "").lower() == "title"):
            found[style_id] = min(int(named[1]), MOST_LEVEL) if named else 1
    return found


def _title(source: Source) -> str:
    if PROPERTIES not in source.names:
        return ""
    return next(((one.text or "").strip() for one in _elements(source, PROPERTIES, _TITLE)), "")


def _elements(source: Source, name: str, *tags: str) -> Iterator[_Element]:
    """The elements of a part, each when it ends. Raises: InvalidInput, one line."""
    from lxml import etree

    if source.member_size(name) > MOST_PART_BYTES:
        raise InvalidInput("it is too large a document")
    try:
        with source.open(name) as file:
            for _, element in etree.iterparse(
                _usual(file, source.head(name).text),
                events=("end",),
                tag=tags,
                resolve_entities=False,
                no_network=True,
                load_dtd=False,
            ):
                yield element
    except (etree.LxmlError, zlib.error, ValueError) as error:
        raise InvalidInput("it is a damaged Word document") from error


def _usual(file: Stream, head: bytes) -> Stream | BytesIO:
    """A part of a document with the usual names of its parts, also of one that was saved as strict."""
    if not any(strict in head for strict, _ in _STRICT):
        return file
    data = file.read(MOST_PART_BYTES)
    for strict, usual in _STRICT:
        data = data.replace(strict, usual)
    return BytesIO(data)
