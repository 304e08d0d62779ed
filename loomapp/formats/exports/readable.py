"""Plain text and Markdown: a path, or the whole tree with a heading for each branch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from io import BytesIO
from typing import NamedTuple

from loomapp.core.model.entities import Node
from loomapp.core.times import EPOCH, Milliseconds
from loomapp.formats.exports.export import Begin, Export, Later, SaidNode
from loomapp.formats.exports.opml import sound

MOST_LEVEL = 6  # of a heading


def as_text(export: Export) -> str:
    """The path as plain text. Of a buffer every character as it was written, and none beside."""
    return _path(export, lambda name: f"{name}:\n")


def as_markdown(export: Export) -> str:
    """The path as Markdown, a heading for each message; or all branches, each under a heading. A buffer is
    what its writer made it.
    """
    if export.wanted.branches:
        return _whole(export)
    return _path(export, lambda name: f"## {name}\n\n")


def _path(export: Export, heading: Callable[[str], str]) -> str:
    if export.is_buffer:
        return "".join(_passage(export, node) for node in export.path())
    said = "".join(_message(export, node, heading) for node in export.path())
    return said.rstrip("\n") + "\n"


def _passage(export: Export, node: Node) -> str:
    return export.text(node) + "".join(f"\n[{remark}]\n" for remark in export.remarks(node))


def _message(export: Export, node: Node, heading: Callable[[str], str]) -> str:
    named = heading(export.heading(node)) if export.wanted.speakers else ""
    remarks = "".join(f"[{remark}]\n\n" for remark in export.remarks(node))
    return f"{named}{export.text(node)}\n\n{remarks}"


def _whole(export: Export) -> str:
    return f"# {' '.join(export.tree.loom.title.split())}\n\n" + "".join(_parts(export)).rstrip("\n") + "\n"


def _parts(export: Export) -> Iterator[str]:
    """A heading for each branch, then what is said in it."""
    numbers: list[str] = []
    nodes = export.tree.nodes
    level = "##"
    for step in export.steps():
        match step:
            case Begin():
                numbers.append(str(step.number))
                level = "#" * min(len(numbers) + 1, MOST_LEVEL)
                after = f", after {nodes[step.above].local_id}" if step.above is not None else ""
                read = " (the path that is read)" if step.is_active else ""
                yield f"{level} Branch {'.'.join(numbers)}{after}{read}\n\n"
            case SaidNode():
                node = nodes[step.node_id]
                named = f"**{export.heading(node)}** · {node.local_id}\n\n" if export.wanted.speakers else ""
                remarks = "".join(f"[{remark}]\n\n" for remark in export.remarks(node))
                yield f"{named}{export.text(node)}\n\n{remarks}"
            case Later():
                yield f"(goes on below: the branch after {nodes[step.node_id].local_id})\n\n"
            case _:
                numbers.pop()


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
    about, loom = document.core_properties, export.tree.loom
    about.title, about.author, about.comments = sound(loom.title)[:255], "", ""
    about.created, about.modified = (_moment(at) for at in (loom.created_at, loom.updated_at))
    for level, text in paragraphs(export):
        if level:
            document.add_heading(text, level=level)
        else:
            document.add_paragraph(text)
    data = BytesIO()
    document.save(data)
    return data.getvalue()


def _moment(at: Milliseconds) -> datetime:
    return (EPOCH + timedelta(milliseconds=at)).replace(tzinfo=None)


def paragraphs(export: Export) -> Iterator[Paragraph]:
    """The paragraphs of the document, in order."""
    if export.is_buffer and not (export.wanted.annotations or export.wanted.metadata):
        yield from _parted("".join(map(export.text, export.path())))
        return
    for node in export.path():
        if export.wanted.speakers and not export.is_buffer:
            yield Paragraph(2, sound(export.heading(node)))
        yield from _parted(export.text(node))
        for remark in export.remarks(node):
            yield Paragraph(0, sound(f"[{remark}]" if export.is_buffer else remark))


def _parted(text: str) -> Iterator[Paragraph]:
    for paragraph in text.replace("\r\n", "\n").split(PARAGRAPH):
        heading = _HEADING.fullmatch(paragraph)
        level, words = (0, paragraph) if heading is None else (len(heading[1]), heading[2])
        yield Paragraph(level, sound(words))
