"""Undo and redo over the change log: which step is next, what it abandons and how that comes back."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.agent_memory import with_recent_of_today
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_edits import told_as, with_one_liner_of_today
from loomapp.core.errors import AssemblyError
from loomapp.core.model.change import Change, RowChange, current, label_of_action
from loomapp.core.model.entities import ActivePath, AgentMemory, Edge, EdgeSource, LoomTree, Node, Row
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.resolve import resolve
from loomapp.core.times import Milliseconds

# Abandoned steps were undone when something else was done: undo and redo do not reach them any more.
StepState: TypeAlias = Literal["done", "undone", "abandoned"]

BEGINNING = 0  # the point before the first step
NOTHING_WENT: Mapping[str, Node] = {}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the change log. `name` is what the point right after it was called, `about` how the text of
    the first node that it touched begins, "" where there is none; `action` that of its Change.
    """

    sequence: int
    label: str
    by: str
    at: Milliseconds
    state: StepState
    name: str | None = None
    about: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True)
class StepPage:
    """Some steps, newest first. `present` is the newest step that holds, else BEGINNING."""

    steps: tuple[Step, ...]
    has_older: bool
    present: int
    beginning_name: str | None = None


@dataclass(frozen=True, slots=True)
class UndoEntry:
    """A row of the change log as far as undo asks.

    A step is an entry that is undoable. `done` is False while it is undone; `abandoned` is True for good once
    a new step was made while it was undone. Entries that undo or redo name the step they moved.
    """

    sequence: int
    label: str
    by: str
    undoable: bool
    done: bool = True
    abandoned: bool = False
    undoes: int | None = None
    redoes: int | None = None


def undo_order(newest_first: Iterable[UndoEntry]) -> Iterator[UndoEntry]:
    """The steps that are done, in the order in which undo takes them. Reads no further than it is asked."""
    return (entry for entry in newest_first if entry.undoable and entry.done and not entry.abandoned)


def redo_order(newest_first: Iterable[UndoEntry]) -> Iterator[UndoEntry]:
    """The steps that are undone, in the order in which redo brings them back: they are the newest of all."""
    steps = (entry for entry in newest_first if entry.undoable and not entry.abandoned)
    return reversed(list(takewhile(lambda entry: not entry.done, steps)))


def next_undo(newest_first: Iterable[UndoEntry]) -> UndoEntry | None:
    """The newest step that is done, or None."""
    return next(undo_order(newest_first), None)


def next_redo(newest_first: Iterable[UndoEntry]) -> UndoEntry | None:
    """The step that was undone last, or None."""
    return next(redo_order(newest_first), None)


def step_name(step: UndoEntry | Change) -> str:
    """A step as a menu names it: its label, and who made it if that was not you."""
    return step.label if step.by == "you" else f"{step.label} ({step.by})"


def undoing(tree: Tree, steps: Sequence[Change], *, at: Milliseconds, by: str) -> Change:
    """The change that takes the steps of one action back from a tree, the newest first.

    The path goes back to what was read before them, but choosing a path is no step: what was chosen since
    stays. So of its end and each of its choices only what is as the steps left it, or goes with them, is put
    back.
    """
    moved = joined(fitted(tree, [step.inverse(at) for step in steps]), backwards=True)
    row = next((row for row in moved.rows if isinstance(row.row, ActivePath)), None)
    going = {node.id for node in moved.removed_nodes()}
    path = tree.path if row is None else _put_back(tree.path, row, going)
    return _moved(tree, moved, path, f"Undo {label_of_action(steps, newest=steps[0])}", by)


def redoing(
    tree: Tree,
    steps: Sequence[Change],
    *,
    at: Milliseconds,
    by: str,
    read: ActivePath | None = None,
    gone: Mapping[str, Node] = NOTHING_WENT,
) -> Change:
    """The change that brings the undone steps of one action back, the oldest first. `read` is the path that
    was read when they were undone, if that changed it: it is read again. Else the path stays. `gone` are
    nodes that went with them and were no more as the steps had made them.
    """
    again = fitted(tree, [replace(step, at=at, evidence=()) for step in steps], gone)
    moved = joined(again, backwards=False)
    return _moved(tree, moved, read or tree.path, f"Redo {label_of_action(steps, newest=steps[-1])}", by)


def fitted(tree: Tree, moves: Iterable[Change], gone: Mapping[str, Node] = NOTHING_WENT) -> list[Change]:
    """Undos or redos of steps, one after the other, that fit a tree in which one-liners were made and actions
    noted since: no steps, so they stay, and come back with the nodes that are `gone`. Rows that fit as they
    are stay the very same.
    """
    now: dict[tuple[type, str], Row | None] = {}
    return [replace(move, rows=tuple(_fitted(tree, row, now, gone) for row in move.rows)) for move in moves]


def own_rows(
    tree: Tree, moves: Sequence[Change], gone: Mapping[str, Node] = NOTHING_WENT
) -> list[tuple[RowChange, ...]]:
    """The rows of each of these undos or redos that are not what its step says: only so do they fit."""
    return [
        tuple(fit for fit, row in zip(one.rows, move.rows, strict=True) if fit is not row)
        for one, move in zip(fitted(tree, moves, gone), moves, strict=True)
    ]


def _fitted(
    tree: Tree, row: RowChange, now: dict[tuple[type, str], Row | None], gone: Mapping[str, Node]
) -> RowChange:
    about = row.row
    if not isinstance(about, Node | LoomTree | AgentMemory):
        return row
    key = type(about), about.key
    today = now[key] if key in now else current(tree, about)
    if isinstance(about, Node):
        fit = row if today is row.before else with_one_liner_of_today(today, row)
        if row.before is None and about.id in gone and (again := told_as(gone[about.id], about)) != about:
            fit = RowChange(None, again)
    else:
        fit = with_one_liner_of_today(today, with_recent_of_today(today, row))
    now[key] = fit.after
    return fit


def _put_back(here: ActivePath, moved: RowChange, going: Container[str]) -> ActivePath:
    """A path, what a step had moved of it put back as `moved` says, where nothing else was chosen since."""
    left, wanted = moved.before, moved.after
    if not isinstance(left, ActivePath) or not isinstance(wanted, ActivePath):
        return here
    leaf_id = wanted.leaf_id if here.leaf_id == left.leaf_id or here.leaf_id in going else here.leaf_id
    selections = dict(here.selections)
    for target in {**left.selections, **wanted.selections}:
        was, then, now = (path.selections.get(target) for path in (wanted, left, here))
        if was != then and (now == then or now in going):
            selections.pop(target, None)
            if was is not None:
                selections[target] = was
    return replace(here, leaf_id=leaf_id, selections=selections)


def joined(changes: Sequence[Change], *, backwards: bool) -> Change:
    """One change that moves a tree as all of them after each other; the path ends where the last puts it.

    A row that several of them move, as the edge after a gap that answers of several models fill, is moved
    once: where what it lets go is still there if it goes `backwards`, else where what it gains is there.
    """
    if len(changes) == 1:
        return changes[0]
    rows = [row for change in changes for row in change.rows]
    ends: dict[tuple[type, str], list[int]] = {}
    for place, row in enumerate(rows):
        ends.setdefault((type(row.row), row.row.key), []).append(place)
    moved = {}
    for (kind, _), places in ends.items():
        at = places[0] if backwards and kind is not ActivePath else places[-1]
        before, after = rows[places[0]].before, rows[places[-1]].after
        if before is not None or after is not None:
            moved[at] = RowChange(before, after)
    return replace(changes[0], rows=tuple(moved[place] for place in sorted(moved)))


def as_one(changes: Sequence[Change], *, backwards: bool) -> Change:
    """Return what undos or redos that were made after each other moved together, for those who are told of it
    once: each row as it was before the first and is after the last, under the name of the last.
    """
    last = changes[-1]
    return replace(joined(changes, backwards=backwards), label=last.label, kind=last.kind, at=last.at)


def _moved(tree: Tree, change: Change, wanted: ActivePath, label: str, by: str) -> Change:
    """The change as one that is no step itself, its path row replaced by one that fits what is left."""
    path = surviving_path(tree, change, wanted)
    rows = tuple(row for row in change.rows if not isinstance(row.row, ActivePath))
    if path != tree.path:
        rows = (*rows, RowChange(tree.path, path))
    return replace(change, rows=rows, label=label, by=by, undoable=False)


def surviving(tree: Tree, change: Change) -> Change:
    """A change that was made of a tree as it was before, its path row as far as it is there in this one."""
    rows = tuple(
        RowChange(row.before, surviving_path(tree, change, row.after))
        if isinstance(row.after, ActivePath)
        else row
        for row in change.rows
    )
    return replace(change, rows=rows)


def standing_path(tree: Tree, path: ActivePath) -> ActivePath:
    """A path as far as it is there, without choices that lead nowhere."""
    return surviving_path(tree, Change(tree.loom.id, "", tree.loom.updated_at, ()), path)


def surviving_path(tree: Tree, change: Change, wanted: ActivePath) -> ActivePath:
    """The wanted path as far as it is there after a change that was not applied yet; by present choices else.

    Where its leaf is gone, the nearest node above it that stays; else above the present leaf; else the root.
    """
    nodes = {n.id: True for n in change.added_nodes()} | {n.id: False for n in change.removed_nodes()}
    edges = {r.row.key: r.after for r in change.changed(Edge)}
    leaf = _nearest(tree, nodes, wanted.leaf_id) or _nearest(tree, nodes, tree.path.leaf_id) or tree.root_id
    selections = {
        target: source
        for path in (tree.path, wanted)
        for target, source in path.selections.items()
        if target in wanted.selections and nodes.get(target, target in tree.nodes)
        if _is_offered(tree, edges, target, source)
    }
    return replace(wanted, leaf_id=leaf, selections=selections)


def _nearest(tree: Tree, nodes: Mapping[str, bool], node_id: str) -> str | None:
    """The node, or the first above it, that is there once `nodes` came or went; None if none is."""
    seen: set[str] = set()
    while not nodes.get(node_id, node_id in tree.nodes):
        seen.add(node_id)
        edges = (*tree.incoming(node_id), *tree.annotation_edges_into(node_id))
        above = [source for edge in edges for source in edge.with_role("primary") if source not in seen]
        if not above:
            return None
        chosen = tree.path.selections.get(node_id)
        node_id = chosen if chosen in above else above[0]
    return node_id


def _is_offered(tree: Tree, edges: Mapping[str, Row | None], target: str, source: str) -> bool:
    """True if the edge into a target still has the source as a primary one, once `edges` are as given.

    An edge that is not in the tree yet comes with its own choices, so those are believed.
    """
    incoming = [edges.get(edge.id, edge) for edge in tree.incoming(target)]
    return not incoming or any(isinstance(e, Edge) and source in e.with_role("primary") for e in incoming)


LABEL = "Bring back what was undone"
TEXTS = ("title", "description", "system_context")  # of a tree, that a step may write


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """A step of the log, whether it holds or not.

    `above` are nodes that its own hang on and that are undone too, the nearest first; `edges` lead to all of
    these.
    """

    change: Change
    above: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def texts(self) -> tuple[str, ...]:
        """Return what it wrote, a text for each node or setting, in order; () if it wrote none."""
        change = self.change
        made = [node.text for node in change.added_nodes()]
        names = TEXTS if len(change.rows) == 1 else TEXTS[1:]  # which then follows first words
        for row in change.changed(LoomTree):
            made += _changed_texts(row, names)
        return tuple(text for text in made if text)

    def is_in(self, tree: Tree) -> bool:
        """Return True if every node that it made is in the tree, so that nothing is to be brought back."""
        return all(node.id in tree.nodes for node in self.change.added_nodes())


def bring_back(tree: Tree, step: LoggedStep, pen: EditContext) -> Change | None:
    """Return the change that adds a step's nodes again, as they were, beside all that came meanwhile.

    They hang where they hung; where that is pruned or gone, on the nearest living node above. What they
    answer comes along if it was undone too. None if all are in the tree.
    """
    nodes = [node for node in (*step.above, *step.change.added_nodes()) if node.id not in tree.nodes]
    if not nodes:
        return None
    coming = {node.id for node in nodes}
    rows = [RowChange(None, _unpruned(node)) for node in nodes]
    arriving = [edge for edge in step.edges if edge.target_id in coming and edge.id not in tree.edges]
    edges = {e.target_id if e.type == "continuation" else e.id: e for e in arriving}.values()
    rows += [RowChange(None, _hung(tree, edge, coming)) for edge in edges]
    gained = list(_gained(tree, step.change, coming))
    change = Change(tree.loom.id, LABEL, pen.now, (*rows, *gained), by=pen.by)
    path = _path_through(tree, change, step.change, gained)
    return change if path is None else replace(change, rows=(*change.rows, RowChange(tree.path, path)))


def _changed_texts(row: RowChange, names: Iterable[str]) -> Iterator[str]:
    assert isinstance(row.after, LoomTree), "a tree always has its one loom"
    for name in names:
        text = getattr(row.after, name)
        if text and text != getattr(row.before, name, None):
            yield text


def _unpruned(node: Node) -> Node:
    return node.with_metadata(replace(node.metadata, pruned=False)) if node.metadata.pruned else node


def _hung(tree: Tree, edge: Edge, coming: Collection[str]) -> Edge:
    """The edge with those of its sources that are there; what it continues is a living node."""
    there = [source for source in edge.sources if source.node_id in coming or source.node_id in tree.nodes]
    primaries = [source.node_id for source in edge.sources if source.role == "primary"]
    if any(i in coming or navigation.lives(tree, i) for i in primaries):
        return replace(edge, sources=tuple(there))
    others = (source for source in there if source.role != "primary")
    above = _living_above(tree, primaries)
    return replace(edge, sources=(EdgeSource(above), *(other for other in others if other.node_id != above)))


def _living_above(tree: Tree, node_ids: Collection[str]) -> str:
    """The nearest living node above the first of some that is in the tree; the root if none is."""
    node_id, seen = next((i for i in node_ids if i in tree.nodes), None), set[str]()
    while node_id is not None and node_id not in seen and not navigation.lives(tree, node_id):
        seen.add(node_id)
        node_id = navigation.parent(tree, node_id)
    return tree.root_id if node_id is None or node_id in seen else node_id


def _gained(tree: Tree, change: Change, coming: Collection[str]) -> Iterator[RowChange]:
    """Yield rows that let what followed a version be read after it again, as far as it is in the tree."""
    for row in change.changed(Edge):
        now = tree.edges.get(row.row.key)
        if now is None or not isinstance(row.after, Edge):
            continue
        known = {source.node_id for source in now.sources}
        new = [s for s in row.after.sources if s.node_id in coming and s.node_id not in known]
        if new:
            yield RowChange(now, replace(now, sources=(*now.sources, *new)))


def _path_through(
    tree: Tree, change: Change, old: Change, gained: Collection[RowChange]
) -> ActivePath | None:
    """The path that shows what came back, as much as possible as it is read now; None if it is on no path."""
    read = _way_read(tree)
    chosen = {row.row.target_id: _newest_source(row) for row in gained if isinstance(row.row, Edge)}
    if not read.isdisjoint(chosen):
        return replace(tree.path, selections={**tree.path.selections, **chosen})
    made = {node.id for node in old.added_nodes()}
    wanted = [row.after for row in old.changed(ActivePath) if isinstance(row.after, ActivePath)]
    if wanted and wanted[-1].leaf_id in made:
        return surviving_path(tree, change, wanted[-1])
    edges = (row.row for row in change.changed(Edge))
    ends = (e.target_id for e in edges if isinstance(e, Edge) and e.type == "continuation")
    end = next((node_id for node_id in ends if node_id in made), None)
    return None if end is None else replace(tree.path, leaf_id=end)


def _newest_source(row: RowChange) -> str:
    assert isinstance(row.after, Edge), "an edge gained a source"
    return row.after.sources[-1].node_id


def _way_read(tree: Tree) -> frozenset[str]:
    with suppress(AssemblyError):
        return frozenset(resolve(tree, tree.path.leaf_id).node_ids)
    return frozenset()
