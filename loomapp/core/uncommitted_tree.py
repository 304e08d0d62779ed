"""Uncommitted tree: the tree as it will be once what is written is committed and parted at the caret."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import count
from typing import TypeAlias

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.renamed_nodes import named
from loomapp.core.dataclass import dataclass
from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import AssemblyError, InvalidInput, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ActivePath, LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose import fill_in, passage_edits, path_choice
from loomapp.core.prose.buffer_text import PendingText
from loomapp.core.prose.fill_in import Gap
from loomapp.core.prose.passage_change import plain_text_of
from loomapp.core.sent.inputs import Inputs


@dataclass(frozen=True, slots=True)
class Point:
    """A point at which a text is parted: a place on its path, and the code point within it. If it `is_end`, a
    version that ends there is made; else two parts.
    """

    place: int
    at: int
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class UncommittedTree:
    """A tree that changes were applied to which nobody has committed, and the node that is continued in it.

    So the assembler is asked of it as it is asked when all of it is committed. `names` has each of its new
    nodes, and the node of the tree on the screen in whose place it stands; None for new words at the end.
    """

    tree: Tree
    at: str
    names: Mapping[str, str | None] = field(default_factory=dict)
    shown: Path | None = None  # on the screen
    gap_id: str | None = None  # that is to be filled after `at`
    revised: Revised | None = None

    @property
    def suffix(self) -> str:
        """The text that follows the gap; "" without one."""
        return "" if self.gap_id is None else fill_in.suffix_of(self.tree, self.gap_id)

    @property
    def is_written(self) -> bool:
        """True if words are continued that are no node yet."""
        return self.names.get(self.at, self.at) is None

    @property
    def added(self) -> tuple[Node, ...]:
        return tuple(self.tree.nodes[node_id] for node_id in self.names)

    def standing_for(self, node_id: str) -> tuple[str, ...]:
        """Return the nodes that stand in the place of a node of the screen: a version and its parts, or the
        node itself.
        """
        return tuple(new for new, name in self.names.items() if name == node_id) or (node_id,)

    def named(self, assembled: Assembled) -> Assembled:
        """Return an assembled context with its nodes named as those on the screen."""
        return named(assembled, self.names, self.shown) if self.names else assembled

    def named_error(self, error: LoomError) -> LoomError:
        """Return the error with its nodes named as those on the screen."""
        largest = error.details.get("largest")
        if not self.names or not isinstance(error, AssemblyError) or not isinstance(largest, list):
            return error
        told = [{**one, "nodeId": self.names.get(one["nodeId"], one["nodeId"])} for one in largest]
        details = {**error.details, "largest": [one for one in told if one["nodeId"] is not None]}
        return AssemblyError(error.code, error.message, **details)

    def named_ids(self, node_ids: frozenset[str]) -> frozenset[str]:
        """Nodes of it as those on the screen."""
        told = (self.names.get(node_id, node_id) for node_id in node_ids)
        return frozenset(node_id for node_id in told if node_id is not None)

    def named_inputs(self, inputs: Inputs) -> Inputs:
        """The flags that are asked for, of the nodes on the screen; the path stays as it will be."""
        if not self.names:
            return inputs
        excluded, pruned = self.named_ids(inputs.excluded), self.named_ids(inputs.pruned)
        return replace(inputs, excluded=excluded, pruned=pruned)


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Step in which nothing is taken of an offered answer: a path is read as it was before."""

    path: ActivePath


@dataclass(frozen=True, slots=True)
class TakenUpTo:
    """Step in which so many characters of an answer beside the text are taken: it is parted there."""

    node_id: str
    until: int


@dataclass(frozen=True, slots=True)
class TakenSoFar:
    """Words are taken of an answer that is no node yet, but will be one that hangs on sources."""

    words: str
    sources: Sources


Offered: TypeAlias = ReadAgain | TakenUpTo | TakenSoFar


def settled(tree: Tree, path: Path, offered: Offered, pen: EditContext) -> Revised:
    """Return the tree and the path that is read once an offered answer is settled; no other uncommitted words
    are in it.
    """
    steps = _Steps(tree, pen, {})
    match offered:
        case ReadAgain(read):
            steps.take(lambda seen, hand: node_edits.choose_path(seen, read.leaf_id, hand, read.selections))
        case TakenUpTo(node_id, until):
            steps.read(path, node_id)
            way = resolve(steps.tree, node_id).node_ids
            steps.read(path, steps.part(list(way), Point(len(way) - 1, until)))
        case TakenSoFar(words, sources):
            hung = replace(sources, primary_id=path.node_ids[-1]).as_edge_sources()
            steps.take(
                lambda seen, hand: node_edits.add_node(seen, path.node_ids[-1], words, hand, sources=hung)
            )
    way = resolve(steps.tree, steps.tree.path.leaf_id).node_ids
    return Revised((tree, tree.loom, path), steps.tree, steps.names, way, {})


def build_uncommitted_tree(
    tree: Tree,
    path: Path,
    penned: Mapping[str, PendingText],
    working: str,
    pen: EditContext,
    *,
    point: Point | None = None,
    at: str | None = None,
    fills: bool = False,
    before: UncommittedTree | None = None,
    after: Revised | None = None,
) -> UncommittedTree:
    """Sketch the tree as it will be: passages under the pen as versions, the new words at the end as a node,
    and the text parted at a point, up to which it is continued; else it is continued at its end, or at the
    node `at` beside the path. If it `fills`, a gap is opened at the point.

    Nodes beside the path are seen as they are once they are read. `after` is what was settled first.

    The tree is not touched. Of the sketch `before` as much is kept as is still right: of a long text a key
    costs little. Raises: InvalidInput for content that is not plain text.
    """
    revised = after or _revised(tree, path, penned, pen, None if before is None else before.revised)
    way = list(path.node_ids if revised is None else revised.way)
    if not working and point is None:
        if revised is None:
            return UncommittedTree(_reading(tree, way, at, pen), at or way[-1])
        seen = _reading(revised.tree, way, at, pen)
        return UncommittedTree(seen, at or way[-1], revised.names, path, revised=revised)
    if revised is not None:
        resolve(revised.tree, way[-1])  # what comes after it is found from there
    steps = _Steps(tree if revised is None else revised.tree, pen, {} if revised is None else revised.names)
    if working:
        [new] = steps.take(lambda seen, hand: node_edits.add_node(seen, way[-1], working, hand))
        way.append(new.id)
    if fills and point is not None:
        gap = steps.open_gap(way, point)
        return UncommittedTree(steps.tree, gap.above_id, steps.names, path, gap.gap_id, revised)
    end = way[-1] if point is None else steps.part(way, point)
    seen = _reading(steps.tree if steps.names else tree, way, at, pen)
    return (
        UncommittedTree(seen, at or end, steps.names, path, revised=revised)
        if steps.names
        else UncommittedTree(seen, at or end)
    )


def _reading(tree: Tree, way: Sequence[str], at: str | None, pen: EditContext) -> Tree:
    """The tree as it is once a node beside a way is read; itself if its choices lead there as they are."""
    if at is None:
        return tree
    selections = path_choice.choices_reading(tree, resolve(tree, way[-1]), [at])
    change = node_edits.choose_path(tree, at, pen, selections)
    if change is None or selections == tree.path.selections:
        return tree
    seen = tree.sketch()
    apply(seen, change)
    return seen


@dataclass(frozen=True, slots=True)
class Revised:
    """A tree in which the passages under the pen are versions, and what it was made from. While only their
    words are others it is kept, with all that is known of its paths.
    """

    of: tuple[Tree, LoomTree, Path]  # every change of a tree leaves another LoomTree
    tree: Tree
    names: Mapping[str, str | None]
    way: tuple[str, ...]
    versions: Mapping[str, str]  # by what they were edited from


def _revised(
    tree: Tree, path: Path, penned: Mapping[str, PendingText], pen: EditContext, before: Revised | None
) -> Revised | None:
    changed = {i: typed for i, typed in penned.items() if typed.text != plain_text_of(tree.nodes[i])}
    if not changed:
        return None
    of = tree, tree.loom, path
    is_same = before is not None and all(map(operator.is_, before.of, of))
    if before is not None and is_same and before.versions.keys() == changed.keys():
        for node_id, typed in changed.items():
            version = before.tree.nodes[before.versions[node_id]]
            if version.content != Text(typed.text):
                before.tree.put_node(replace(version, content=Text(typed.text)))
        return before
    steps, way = _Steps(tree, pen, {}), list(path.node_ids)
    added = steps.take(lambda seen, hand: passage_edits.revise(seen, path.node_ids, changed, hand))
    versions = {node.edited_from: node.id for node in added if node.edited_from is not None}
    for node_id, version_id in versions.items():
        place = path.place_of(node_id)
        if place is not None:
            way[place] = version_id
    return Revised(of, steps.tree, steps.names, tuple(way), versions)


class _Steps:
    """Changes of a sketch of a tree, one after the other; its new nodes are called by numbers."""

    def __init__(self, tree: Tree, pen: EditContext, names: Mapping[str, str | None]) -> None:
        numbers = count(len(names) * 2 + 1)  # each of those took an edge's, too
        self.tree = tree.sketch()
        self.names: dict[str, str | None] = dict(names)
        self._pen = replace(pen, is_sketch=True, new_id=lambda: f"\0{next(numbers)}")  # in no file

    def take(self, make: Callable[[Tree, EditContext], Change | None]) -> tuple[Node, ...]:
        """Apply a change, if there is one; its new nodes."""
        change = make(self.tree, self._pen)
        if change is None:
            return ()
        change = replace(change, rows=tuple(map(self._called_alike, change.rows)))
        apply(self.tree, change)
        for node in change.added_nodes():
            original = node.edited_from
            self.names[node.id] = None if original is None else self.names.get(original, original)
        return change.added_nodes()

    def read(self, read: Path, node_id: str) -> None:
        """Read up to a node, after a path was read."""
        choices = path_choice.choices_reading(self.tree, read, [node_id])
        self.take(lambda seen, hand: node_edits.choose_path(seen, node_id, hand, choices))

    def part(self, way: list[str], point: Point) -> str:
        """Part a node on a way; what is then before the point."""
        node_id = way[point.place]
        before = way[point.place - 1]
        if point.at == 0:
            return before
        if point.is_end:
            head = way[: point.place + 1]
            [version] = self.take(lambda seen, hand: passage_edits.leave_out_end(seen, head, point.at, hand))
            return version.id
        parts = self.take(lambda seen, hand: passage_edits.split(seen, way, node_id, point.at, hand))
        if parts:
            return parts[0].id
        return node_id if point.at >= len(self.tree.nodes[node_id].text) else before

    def open_gap(self, way: list[str], point: Point) -> Gap:
        """A gap at a point, and the node before it. Raises: InvalidInput where nothing is before it."""
        found: list[Gap] = []

        def make(seen: Tree, hand: EditContext) -> Change | None:
            gap = fill_in.open_gap(seen, way, point.place, point.at, hand)
            if gap is None:
                raise InvalidInput("Put the caret into the text: what is missing there is filled in.")
            found.append(gap)
            return gap.change

        self.take(make)
        return found[0]

    def _called_alike(self, row: RowChange) -> RowChange:
        """A person knows a version by the name of what it was edited from."""
        node = row.after
        original = self.tree.nodes.get(node.edited_from or "") if isinstance(node, Node) else None
        if not isinstance(node, Node) or original is None:
            return row
        return RowChange(row.before, replace(node, local_id=original.local_id))


def once_saved(tree: Tree, read: Path, node_id: str, text: str, pen: EditContext) -> UncommittedTree | None:
    """Return the tree once the edit of a message of a dialogue is saved, which is continued then; the edit of
    a first message starts a tree of its own. None if the text is the same.
    """
    sketch = replace(pen, is_sketch=True, new_id=_ids_in_no_file().__next__)
    if not tree.incoming(node_id) and not tree.annotation_edges_into(node_id):
        fresh = tree_edits.tree_from_edited_root(tree, text, sketch)
        return UncommittedTree(fresh, fresh.root_id, {fresh.root_id: node_id}, read)
    change = node_edits.edit_as_sibling(tree, node_id, text, sketch)
    if change is None:
        return None
    seen = tree.sketch()
    apply(seen, change)
    [node] = change.added_nodes()
    return UncommittedTree(seen, node.id, {node.id: node_id}, read)


def _ids_in_no_file() -> Iterator[str]:
    return (f"\0edit {number}" for number in count(1))
