"""Typing into the passages of a buffer's text, and a sitting, in which all of it is one version of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import node_edits, undo
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import StaleChange
from loomapp.core.model.change import Change, ChangeKind, RowChange, apply, check
from loomapp.core.model.entities import ActivePath, Edge
from loomapp.core.model.tree import Tree
from loomapp.core.paths.piece_table import PIECES
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import BufferText, Passage, PendingText, begun
from loomapp.core.prose.passage_change import plain_text_of
from loomapp.core.prose.passage_edits import revise

NEW = ""  # in the place of the node that a version was made of, where there was none


@dataclass(frozen=True, slots=True)
class EditSession:
    """Passages as far as they are committed.

    `change` makes it of the tree as it was before, however often it was committed since; `origins` are the
    nodes that its nodes are versions of, NEW for one that continues the path; `typed` is what was written in
    each.
    """

    change: Change
    origins: Mapping[str, str]
    typed: Mapping[str, PendingText]


@dataclass(frozen=True, slots=True)
class Commit:
    """Change to commit now, None where nothing is other, and the sitting after it.

    `became` are the nodes that stand for others in the text: of a passage that was written at the path's end
    NEW stands for what it is while it is no node.
    """

    change: Change | None
    sitting: EditSession | None
    became: Mapping[str, str]


def versions(
    tree: Tree,
    way: Sequence[str],
    penned: Mapping[str, PendingText],
    pen: EditContext,
    ids: Mapping[str, str],
    sittings: Sequence[EditSession] = (),
    action: str = "",
) -> Commit:
    """Make versions of what stands under the pen, instead of those that these sittings made of the same
    passages: nothing hangs on those (see `may_be_amended`). Raises: InvalidInput as `revise`.
    """
    before = {now: origin for sitting in sittings for now, origin in sitting.origins.items()}
    typed: dict[str, PendingText] = {}
    for sitting in sittings:
        typed |= {sitting.origins[now]: one for now, one in sitting.typed.items()}
    typed |= {before.get(node_id, node_id): one for node_id, one in penned.items()}
    coming = {before.get(node_id, node_id): coming_id for node_id, coming_id in ids.items()}
    seen, back = _before(tree, sittings)
    old_way = [before.get(node_id, node_id) for node_id in way]
    change = revise(seen, old_way, typed, pen, coming)
    made = {} if change is None else {n.edited_from or "": n.id for n in change.added_nodes()}
    became = {node_id: made.get(origin, origin) for node_id, origin in before.items()}
    became |= {node_id: made.get(node_id, node_id) for node_id in penned if node_id not in before}
    whole = _whole(tree, seen, back, change, "Edit", pen)
    if change is None or whole is None:
        return Commit(whole and replace(whole, action=action), None, became)
    origins = {version_id: origin for origin, version_id in made.items()}
    kept = {version_id: typed[origin] for version_id, origin in origins.items()}
    return Commit(replace(whole, action=action), EditSession(change, origins, kept), became)


def added(
    tree: Tree,
    leaf_id: str,
    typed: PendingText,
    pen: EditContext,
    sitting: EditSession | None = None,
    action: str = "",
) -> Commit:
    """Make a node of what was written at the path's end, instead of the one that this sitting made of it."""
    seen, back = _before(tree, () if sitting is None else (sitting,))
    before_id = NEW if sitting is None else next(iter(sitting.origins))
    sources = None
    if sitting is not None:
        [edge] = [
            row.before for row in back if isinstance(row.before, Edge) and row.before.target_id == before_id
        ]
        sources = edge.sources
        leaf_id = tree.path.selections.get(before_id, sources[-1].node_id)
    change = node_edits.add_node(seen, leaf_id, typed.text, pen, sources=sources) if typed.text else None
    if change is not None and sources is not None:
        change = _through(seen, change, leaf_id)
    whole = _whole(tree, seen, back, change, "Write", pen, "write")
    if change is None or whole is None:
        return Commit(whole and replace(whole, action=action), None, {before_id: NEW})
    [node] = change.added_nodes()
    made = EditSession(change, {node.id: NEW}, {node.id: typed})
    return Commit(replace(whole, action=action), made, {before_id: node.id})


def _through(tree: Tree, change: Change, leaf_id: str) -> Change:
    """A new node's change, its path through one of the versions that it hangs on."""
    [node] = change.added_nodes()
    path = ActivePath(node.id, {**tree.path.selections, node.id: leaf_id}, tree.path.extra)
    rows = tuple(row for row in change.rows if not isinstance(row.row, ActivePath))
    return replace(change, rows=(*rows, RowChange(tree.path, path)))


def may_be_amended(tree: Tree, sitting: EditSession) -> bool:
    """True if nothing hangs on what a sitting made: no child, note, answer, version, tag, link or summary,
    whoever made it; and nothing of it was changed.
    """
    made = {node.id for node in sitting.change.added_nodes()}
    rows = {row.row.key for row in sitting.change.rows if isinstance(row.row, Edge)}
    try:
        check(tree, Change(tree.loom.id, "", 0, tuple(_back(tree, sitting))))
    except StaleChange:
        return False
    edges = [edge for node_id in made for edge in tree.edges_out(node_id)]
    is_marked = any(True for node_id in _named(tree) if node_id in made)
    return (
        all(edge.id in rows for edge in edges)
        and not any(tree.edits_of(node_id) for node_id in made)
        and not is_marked
    )


def names(change: Change, node_ids: Collection[str]) -> bool:
    """True if a change adds nodes that are made of pieces of some others."""
    made_of = (str(node.extra.get(PIECES, "")) for node in change.added_nodes())
    return any(node_id in pieces for pieces in made_of for node_id in node_ids)


def _named(tree: Tree) -> Iterator[str]:
    """The nodes that have tags, links, summaries or a place among the notes that are sent."""
    for tag in tree.tags.values():
        yield from tag.node_ids
    for link in tree.links.values():
        yield link.from_node_id
        if link.to_tree_id == tree.loom.id:
            yield link.to_node_id
    yield from (summary.node_id for summary in tree.branch_summaries.values())
    yield from (summary.anchor_node_id for summary in tree.context_summaries.values())
    yield from tree.included_annotations.node_ids


def _back(tree: Tree, sitting: EditSession) -> list[RowChange]:
    """The rows that take a sitting back, but for the path. What its nodes hang on may have got versions."""
    made = {node.id for node in sitting.change.added_nodes()}
    rows = [row for row in sitting.change.inverse().rows if not isinstance(row.row, ActivePath)]
    return [
        RowChange(tree.edges.get(row.row.key, row.before), None)
        if isinstance(row.before, Edge) and row.after is None and row.before.target_id in made
        else row
        for row in rows
    ]


def _before(tree: Tree, sittings: Sequence[EditSession]) -> tuple[Tree, list[RowChange]]:
    """The tree as it would be without some sittings, and the rows that make it so."""
    back = [row for sitting in reversed(sittings) for row in _back(tree, sitting)]
    if not back:
        return tree, back
    seen = tree.sketch()
    apply(seen, Change(tree.loom.id, "", tree.loom.updated_at, tuple(back)))
    origins = {now: origin for sitting in sittings for now, origin in sitting.origins.items()}
    seen.path = _path_before(tree, sittings, origins)
    return seen, back


def _path_before(tree: Tree, sittings: Sequence[EditSession], origins: Mapping[str, str]) -> ActivePath:
    """The path that is read, through what these sittings began with."""
    path, chosen = tree.path, dict(tree.path.selections)
    for target, source in path.selections.items():
        if target in origins or source in origins:
            del chosen[target]
    for sitting in sittings:
        first = next((r.before for r in sitting.change.rows if isinstance(r.before, ActivePath)), None)
        for target, source in () if first is None else first.selections.items():
            if path.selections.get(target) in origins:
                chosen |= {target: source}
    for now, origin in origins.items():
        if origin and path.selections.get(now):
            chosen.setdefault(origin, path.selections[now])
    leaf = path.leaf_id
    if leaf in origins:
        leaf = origins[leaf] or path.selections.get(leaf) or tree.incoming(leaf)[0].with_role("primary")[-1]
    return replace(path, leaf_id=leaf, selections=_that_are(tree, chosen, origins))


def _that_are(tree: Tree, chosen: Mapping[str, str], gone: Mapping[str, str]) -> Mapping[str, str]:
    """The choices between several sources, as a tree stores them."""
    return {
        target: source
        for target, source in chosen.items()
        if target not in gone
        and source not in gone
        and any(source in edge.with_role("primary") for edge in tree.incoming(target))
    }


def _whole(
    tree: Tree,
    seen: Tree,
    back: Sequence[RowChange],
    change: Change | None,
    label: str,
    pen: EditContext,
    kind: ChangeKind = "",
) -> Change | None:
    """Return one change that takes back what was, and makes what is; None if both are the same."""
    if not back:
        return change
    taken = Change(tree.loom.id, label, pen.now, tuple(back), by=pen.by, kind=kind)
    both = taken if change is None else undo.joined((taken, change), backwards=False)
    path = seen.path
    rows = []
    for row in both.rows:
        if isinstance(row.after, ActivePath):
            path = row.after
        elif row.before is not None or row.after is not None:
            rows.append(row)
    rows.append(RowChange(tree.path, path))
    named = taken if change is None else change
    return replace(both, label=named.label, kind=named.kind, rows=tuple(rows))


class Typist:
    """Writes in one buffer text, in one author's name. Places are code points of the text, stretches go from
    a place to before another.
    """

    def __init__(self, tree: Tree, buffer_text: BufferText, author: Author) -> None:
        self._tree, self._buffer_text, self._author = tree, buffer_text, author

    # Looking where it would write

    def targets(self, start: int, end: int) -> list[Passage]:
        """The passages that a stroke changes, the one that takes the new text first."""
        if start == end:
            return [self._buffer_text.passage_at(start)]
        return [p for p in self._buffer_text.passages(start, end) if p.start < end and p.end > start]

    def check(self, start: int, end: int) -> None:
        """Raises: InvalidInput if one of them is not plain text."""
        for passage in self.targets(start, end):
            if passage.node_id is not None:
                plain_text_of(self._tree.nodes[passage.node_id])

    def goes_on(self, start: int, end: int) -> bool:
        """True if a stroke goes on with what is under the pen or was saved last, and with nothing else. What
        waits for an answer is under it until that is there, whatever is written meanwhile.
        """
        penned = self._buffer_text.penned
        targets = self.targets(start, end)
        if self._buffer_text.awaited:
            return not penned or all(p.node_id is None or p.node_id in penned for p in targets)
        if not penned and not self._buffer_text.working.text:
            saved = self._buffer_text.saved
            return not saved or all(passage.node_id in saved for passage in targets)
        if all(passage.node_id is None for passage in targets):
            return not penned
        return all(passage.node_id in penned for passage in targets)

    def is_one_kind(self, start: int, end: int, place: int) -> bool:
        """True if a stretch and a place are in nodes alone, or in the working buffer alone."""
        targets = (*self.targets(start, end), *self.targets(place, place))
        return len({passage.node_id is None for passage in targets}) == 1

    def is_space_before(self, place: int) -> bool:
        """True if a space stands before a place, or a line ends there."""
        if not place:
            return False
        passage = self._buffer_text.passage_from(place - 1)
        return self._buffer_text.text_of(passage.place)[place - 1 - passage.start].isspace()

    # Writing

    def put(self, start: int, end: int, text: str) -> None:
        """Put a text over a stretch. What goes, goes from each passage; what comes is the first's."""
        first, *others = self.targets(start, end)
        for passage in reversed(others):
            self._put_in(passage, 0, min(end, passage.end) - passage.start, "")
        self._put_in(first, start - first.start, min(end, first.end) - first.start, text)

    def put_over(self, start: int, stretches: Sequence[tuple[int, int]], text: str) -> int:
        """Put a text at a place and take stretches away, in order, none of them before it; where what was
        taken away at the place itself ended.
        """
        goes = [stretch for stretch in stretches if stretch[0] < stretch[1]]
        here = goes.pop(0)[1] if goes and goes[0][0] == start else start
        for begin, end in reversed(goes):
            self.put(begin, end, "")
        self.put(start, here, text)
        return here

    def move(self, start: int, end: int, place: int) -> str:
        """Move a stretch to a place outside it; gives its text. Raises: InvalidInput, and nothing is moved,
        if what takes it is not plain text.
        """
        buffer_text = self._buffer_text
        text = buffer_text.text[start:end]
        to, shift = buffer_text.passage_at(place), len(text) if place <= start else 0
        if to.node_id is None and any(p.node_id is not None for p in self.targets(start, end)):
            self.check(place - 1, place)  # at the end: in the last node, for one more is a Change more
            to = buffer_text.passage_at(place - 1)
        self._put_in(to, place - to.start, place - to.start, text)
        self.put(start + shift, end + shift, "")
        return text

    def _put_in(self, passage: Passage, start: int, end: int, text: str) -> None:
        buffer_text = self._buffer_text
        if passage.node_id is None:
            typed = buffer_text.working
        else:
            known = buffer_text.penned.get(passage.node_id) or buffer_text.committed.get(passage.node_id)
            typed = begun(self._tree, passage.node_id) if known is None else known
        buffer_text.write(passage.place, typed.replaced(start, end, text, self._author))
