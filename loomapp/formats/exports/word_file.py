"""Word documents (.docx) of a path: headings, paragraphs, and the names of who speaks."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING

from loomapp.formats.exports.export import Export
from loomapp.formats.exports.opml import sound

if TYPE_CHECKING:
    from docx.document import Document

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S[^\n]*)")
PARAGRAPH = "\n\n"


def as_docx(export: Export) -> bytes:
    """The path as a document. In a buffer blank lines part paragraphs, and headings of Markdown are such."""
    import docx

    document = docx.Document()
    document.core_properties.title = sound(export.tree.loom.title)[:255]
    document.core_properties.author = ""
    if export.is_buffer:
        _add_text(document, "".join(map(export.text, export.path())))
    else:
        for node in export.path():
            if export.wanted.speakers:
                document.add_heading(sound(export.name(node)), level=2)
            _add_text(document, export.text(node))
            for remark in export.remarks(node):
                document.add_paragraph(sound(remark))
    data = BytesIO()
    document.save(data)
    return data.getvalue()


def _add_text(document: Document, text: str) -> None:
    for paragraph in text.replace("\r\n", "\n").split(PARAGRAPH):
        heading = _HEADING.fullmatch(paragraph)
        if heading is not None:
            document.add_heading(sound(heading[2]), level=len(heading[1]))
        else:
            document.add_paragraph(sound(paragraph))
