"""Commands that look: a node with its header, what is connected with it, the tree, and moving about in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from loomapp.core.context.awareness import author_name, first_line, marks_of, size_of
from loomapp.core.context.messages import render
from loomapp.core.dataclass import dataclass
from loomapp.core.loom_commands.results import Outcome, Switched, Viewed, shortened_list, shortened_text
from loomapp.core.loom_commands.words import Standpoint, WordReader
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree

Listed: TypeAlias = Literal["continuations", "annotations", "links"]
LISTED: dict[str, Listed] = {
    "continuations": "continuations",
    "continuation": "continuations",
    "children": "continuations",
    "annotations": "annotations",
    "annotation": "annotations",
    "notes": "annotations",
    "links": "links",
    "link": "links",
}
EXCERPT = 60  # characters of a node in a list


@dataclass(frozen=True, slots=True)
class View:
    """Look at a node."""

    node_id: str
    is_full: bool
    with_notes: bool


def read_view(words: WordReader) -> View:
    words.rest = words.rest.lstrip(": ")
    words.skip("the")
    full = words.skip("full", "whole")
    node_id = words.node()
    notes = False
    while words.rest:
        words.skip("in", "with")
        words.skip("all")
        words.skip("its", "the")
        if words.word("full", "whole", "--full"):
            full = True
        elif words.word("with-annotations", "annotations", "notes", "with-notes"):
            notes = True
        else:
            words.end()
    return View(node_id, full, notes)


def view(place: Standpoint, wanted: View) -> Outcome:
    node = place.tree.nodes[wanted.node_id]
    text = words_of(node)
    if not wanted.is_full:
        text = shortened_text(text, f"→ view {node.local_id} full")
    lines = [first_line(node, place.authors), *_marks(place.tree, node), "---", text]
    notes = [place.tree.nodes[i] for i in place.tree.notes(node.id) if i in place.tree.nodes]
    shown = [note for note in notes if wanted.with_notes and not note.metadata.pruned]
    items = [f"note {first_line(note, place.authors)}: {words_of(note)}" for note in shown]
    if items:
        lines += ["", *items]
    told = "\n".join(lines)
    if not wanted.is_full and items:  # the node alone is short by now
        told = shortened_text(told, f"→ view {node.local_id} full with-annotations")
    return Viewed(told, (node.id, *(note.id for note in shown)))


def _marks(tree: Tree, node: Node) -> list[str]:
    marks = [marks_of(tree, node), "excluded" if node.metadata.excluded else ""]
    marks.append("pruned" if node.metadata.pruned else "")
    line = " · ".join(filter(None, marks))
    return [line] if line else []


def words_of(node: Node) -> str:
    """All that a node says, as in a message."""
    return "\n\n".join(part.text for part in render(node, "dialogue"))


@dataclass(frozen=True, slots=True)
class ConnectionList:
    """List what is connected with a node; None: with the one the agent stands at."""

    kind: Listed
    node_id: str | None
    is_full: bool = False


def read_list(words: WordReader) -> ConnectionList:
    words.rest = words.rest.lstrip(": ")
    words.skip("all")
    kind = words.word(*LISTED)
    if kind is None:
        raise words.ask("list what: continuations, annotations or links?")
    is_full = bool(words.word("full"))
    words.rest = words.rest.lstrip(": ")
    node_id = words.optional_node("of", "on", "for", "from", "under", "below") if words.rest else None
    is_full = bool(words.word("full")) or is_full
    words.end()
    return ConnectionList(LISTED[kind], node_id, is_full)


def list_connected(place: Standpoint, wanted: ConnectionList) -> Outcome:
    tree, node_id = place.tree, wanted.node_id or place.at
    node = tree.nodes[node_id]
    found: tuple[str, ...]
    if wanted.kind == "links":
        links = [link for link in tree.links.values() if node_id in (link.from_node_id, link.to_node_id)]
        items = [_link_line(place, link.from_node_id, link.to_node_id, link.label) for link in links]
        found = ()
    else:
        ids = tree.children(node_id) if wanted.kind == "continuations" else tree.notes(node_id)
        nodes = [tree.nodes[i] for i in ids if i in tree.nodes and not tree.nodes[i].metadata.pruned]
        items, found = [_line(place, one) for one in nodes], tuple(one.id for one in nodes)
    if not items:
        return Viewed(f"{place.local(node_id)} has no {wanted.kind}", (node_id,))
    hint = f"→ list {wanted.kind} of {node.local_id} full"
    return Viewed("\n".join(items) if wanted.is_full else shortened_list(items, hint), found)


def _line(place: Standpoint, node: Node) -> str:
    more = marks_of(place.tree, node)
    return f"{first_line(node, place.authors)}{f' · {more}' if more else ''}: {excerpt(node)}"


def _link_line(place: Standpoint, source: str, target: str, label: str | None) -> str:
    names = (place.local(i) if i in place.tree.nodes else f"[{i}] (another tree)" for i in (source, target))
    return " → ".join(names) + (f": {label}" if label else "")


def excerpt(node: Node) -> str:
    """The beginning of what a node says, on one line."""
    text = " ".join(words_of(node)[: 4 * EXCERPT].split())
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"


@dataclass(frozen=True, slots=True)
class TreeView:
    """Show the tree, from a node down, so many levels of it; or its size alone."""

    node_id: str | None = None
    depth: int | None = None
    is_summary: bool = False
    is_full: bool = False


def read_tree(words: WordReader) -> TreeView:
    node_id, depth, summary, full = None, None, False, False
    words.rest = words.rest.lstrip(": ")
    while words.rest:
        if depth is None and (found := words.number("depth")) is not None:
            depth = found
        elif words.word("summary"):
            summary = True
        elif words.word("full", "whole", "entire"):
            full = True
            words.word("tree")
        elif node_id is None:
            node_id = words.optional_node("from", "of", "below", "under")
            if node_id is None:
                words.end()
        else:
            words.end()
    if summary and depth is not None:
        raise words.ask("a summary, or how deep?")
    return TreeView(node_id, depth, summary, full)


def show_tree(place: Standpoint, wanted: TreeView) -> Outcome:
    tree = place.tree
    if wanted.is_summary and wanted.node_id is not None and wanted.node_id != tree.root_id:
        return _part_in_short(place, wanted.node_id)
    if wanted.is_summary:
        size = size_of(tree)
        title = " ".join(tree.loom.title.split())
        lines = [f'"{title}" · {size.nodes} nodes · {size.branches} branches', tree.loom.summary or ""]
        return Viewed("\n".join(filter(None, lines)))
    rows = list(_rows(place, wanted.node_id or tree.root_id, wanted.depth))
    items = [text for _, text in rows]
    text = "\n".join(items) if wanted.is_full else shortened_list(items, "→ tree full")
    return Viewed(text, tuple(node_id for node_id, _ in rows))


def _part_in_short(place: Standpoint, top: str) -> Outcome:
    """Count the living nodes of a branch, and the branches within it, in words."""
    tree = place.tree
    nodes = [node_id for node_id, _ in _rows(place, top, None)]
    ends = sum(not tree.living_children(node_id) for node_id in nodes)
    lines = [f"from {place.local(top)}: {len(nodes)} nodes · {ends} branches", tree.nodes[top].summary or ""]
    return Viewed("\n".join(filter(None, lines)), (top,))


def _rows(place: Standpoint, top: str, depth: int | None) -> Iterator[tuple[str, str]]:
    """The living nodes from one down, parents first, indented by their level."""
    waiting, met = [(top, 0)], set[str]()
    while waiting:
        node_id, level = waiting.pop()
        if node_id in met:
            continue
        met.add(node_id)
        node = place.tree.nodes[node_id]
        here = " (you are here)" if node_id == place.at else ""
        author = author_name(node, place.authors)
        yield node_id, f"{'  ' * level}[{node.local_id}] {author}: {excerpt(node)}{here}"
        if depth is None or level < depth:
            waiting += [(child, level + 1) for child in reversed(place.tree.living_children(node_id))]


def read_switch(words: WordReader) -> str:
    words.rest = words.rest.lstrip(": ")
    node_id = words.node("to")
    words.end()
    return node_id


def switch(place: Standpoint, node_id: str) -> Outcome:
    node = place.tree.nodes[node_id]
    return Switched(node_id, f"You are at {first_line(node, place.authors)}: {excerpt(node)}")
