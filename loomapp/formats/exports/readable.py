"""Plain text and Markdown: a path, or the whole tree with a heading for each branch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from loomapp.core.model.entities import Node
from loomapp.formats.exports.export import Begin, Export, Later, SaidNode

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
    named = heading(export.name(node)) if export.wanted.speakers else ""
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
                named = f"**{export.name(node)}** · {node.local_id}\n\n" if export.wanted.speakers else ""
                remarks = "".join(f"[{remark}]\n\n" for remark in export.remarks(node))
                yield f"{named}{export.text(node)}\n\n{remarks}"
            case Later():
                yield f"(goes on below: the branch after {nodes[step.node_id].local_id})\n\n"
            case _:
                numbers.pop()
