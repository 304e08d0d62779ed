"""Word documents (.docx): a buffer by headings; read part by part, without anything from outside."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from loomapp.core.errors import InvalidInput
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence
from loomapp.formats.documents.passages import CHAPTER, book, chapters, dialogue, heading_turns, speaker_turns
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
_MOVED_AWAY = f"{_W}moveFrom"  # the words stand where they were moved to, too
_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_READING = f"{_W}rt"  # how a word is said, above it
_TABLE, _EMBEDDED = f"{_W}tbl", f"{_W}altChunk"
_LEFT_OUT = {
    _TABLE: ("1 table comes cell by cell", "{count} tables come cell by cell"),
    _EMBEDDED: ("1 embedded document is left out", "{count} embedded documents are left out"),
    f"{_W}numPr": ("the mark of 1 list item is left out", "the marks of {count} list items are left out"),
    f"{_W}sym": ("1 symbol of a special font is left out", "{count} symbols of special fonts are left out"),
    f"{_W}del": ("1 tracked deletion is left out", "{count} tracked deletions are left out"),
    _READING: ("1 reading above a word is left out", "{count} readings above words are left out"),
}
_STYLED = frozenset({f"{_W}b", f"{_W}i", f"{_W}u", f"{_W}strike"})
_HEADING_NAME = re.compile(r"heading\s*([1-9])", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}[ \t]+\S[^\n]*$", re.MULTILINE)


def recognises(source: Source) -> Sentence | None:
    return sentence("a Word document (“word/document.xml”)") if DOCUMENT in source.names else None


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The one tree of the document. Raises: InvalidInput."""
    if DOCUMENT not in source.names:
        raise InvalidInput("it is no Word document (.docx)")
    document = _Document(_heading_levels(source))
    for element in _elements(source, DOCUMENT, f"{_W}p", _FALLBACK, _BLIP, _TABLE, _EMBEDDED):
        document.take(element)
    text = "\n\n".join(document.paragraphs)
    if not text.strip():
        raise InvalidInput("it is a document without text")
    title = _title(source) or PurePosixPath(source.path.name).stem
    turns = heading_turns(text) or speaker_turns(text)
    begin = _HEADING if _HEADING.search(text) else CHAPTER
    one = dialogue(FORMAT, title, turns) if turns else book(FORMAT, title, chapters(text, begin))
    one.losses = told(
        counted(document.images, "1 picture is left out", "{count} pictures are left out"),
        *(counted(document.left_out[tag], *words) for tag, words in _LEFT_OUT.items()),
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
        self.left_out: Counter[str] = Counter()
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
        elif element.tag in _LEFT_OUT:
            self.left_out[str(element.tag)] += 1
        for child in list(element):
            element.remove(child)

    def _words(self, paragraph: _Element) -> Iterator[str]:
        for element in paragraph.iter():
            tag = element.tag
            if tag in (f"{_W}t", _MATHS):
                if next(element.iterancestors(_MOVED_AWAY, _READING), None) is None:
                    yield element.text or ""
            elif tag in _LEFT_OUT and (len(element) or not tag.endswith("}del")):
                self.left_out[tag] += 1  # what is said to be deleted and is empty is the end of a paragraph
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
    based: dict[str, str] = {}
    for style in _elements(source, STYLES, f"{_W}style"):
        said, style_id = _value(style, "name") or "", style.get(f"{_W}styleId")
        if not style_id:
            continue
        named = _HEADING_NAME.fullmatch(said)
        outline = _value(style, f"pPr/{_W}outlineLvl")
        if named or said.lower() == "title":
            found[style_id] = min(int(named[1]), MOST_LEVEL) if named else 1
        elif outline is not None and outline.isdecimal():
            found[style_id] = int(outline) + 1 if int(outline) < MOST_LEVEL else 0
        elif above := _value(style, "basedOn"):
            based[style_id] = above
    for style_id in based:
        above, passed = based[style_id], {style_id}
        while above in based and above not in passed:
            passed.add(above)
            above = based[above]
        found.setdefault(style_id, found.get(above, 0))
    return found


def _value(element: _Element, path: str) -> str | None:
    """The value of what stands in an element at this place."""
    inner = element.find(f"{_W}{path}")
    return None if inner is None else inner.get(f"{_W}val")


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
