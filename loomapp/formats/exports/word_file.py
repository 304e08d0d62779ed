"""Word documents (.docx) of a path: headings, paragraphs, and the names of who speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

from loomapp.formats.exports.export import Export
from loomapp.formats.exports.opml import sound

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S[^\n]*)")
PARAGRAPH = "\n\n"


class Paragraph(NamedTuple):
    """A paragraph of the document; `level` is that of a heading, 0 for words."""

    level: int
    text: str


def as_docx(export: Export) -> bytes:
    """The path as a document. In a buffer blank lines part paragraphs, and headings of Markdown are such."""
    import docx

    document = docx.Document()
    document.core_properties.title = sound(export.tree.loom.title)[:255]
    document.core_properties.author = ""
    for level, text in paragraphs(export):
        if level:
            document.add_heading(text, level=level)
        else:
            document.add_paragraph(text)
    data = BytesIO()
    document.save(data)
    return data.getvalue()


def paragraphs(export: Export) -> Iterator[Paragraph]:
    """The paragraphs of the document, in order."""
    if export.is_buffer and not (export.wanted.annotations or export.wanted.metadata):
        yield from _parted("".join(map(export.text, export.path())))
        return
    for node in export.path():
        if export.wanted.speakers and not export.is_buffer:
            yield Paragraph(2, sound(export.name(node)))
        yield from _parted(export.text(node))
        for remark in export.remarks(node):
            yield Paragraph(0, sound(f"[{remark}]" if export.is_buffer else remark))


def _parted(text: str) -> Iterator[Paragraph]:
    for paragraph in text.replace("\r\n", "\n").split(PARAGRAPH):
        heading = _HEADING.fullmatch(paragraph)
        level, words = (0, paragraph) if heading is None else (len(heading[1]), heading[2])
        yield Paragraph(level, sound(words))
