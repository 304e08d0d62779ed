"""A Change: every touched row before and after, and its label. It moves the tree, is saved and undone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal, TypeAlias, TypeVar

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import StaleChange
from loomapp.core.model.entities import (
    ActivePath,
    AgentMemory,
    BranchSummary,
    ContextSummary,
    Edge,
    IncludedAnnotations,
    Link,
    LoomTree,
    Node,
    Row,
    Tag,
)
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import Sentence, worded
from loomapp.core.times import Milliseconds

# The change log holds the words filled in, in English; whoever shows them takes them apart again.
LABELS: tuple[str, ...] = (
    "Archive",
    "Attach",
    "Attach {count} files",
    "Beginning",
    "Bookmark",
    "Bookmark {count} messages",
    "Branch summary",
    "Bring back",
    "Bring back what was undone",
    "Change memory",
    "Choose path",
    "Choose version",
    "Delete document",
    "Delete summary",
    "Drop",
    "Edit",
    "Edit summary",
    "Edit {count} passages",
    "Exclude",
    "Exclude {count} messages",
    "Exclude {count} nodes",
    "Fill in",
    "Fill in {count} versions",
    "Generate",
    "Generate {count} continuations",
    "Import",
    "Import 1 node",
    "Import {count} nodes",
    "Include",
    "Include note in context",
    "Include notes in context",
    "Include {count} messages",
    "Include {count} nodes",
    "Keep this path",
    "Leave out spaces",
    "Merge",
    "Mode",
    "Move branch",
    "Move {count} branches",
    "Name branch",
    "New document",
    "New tree",
    "Note",
    "One-liner",
    "Pin",
    "Prune",
    "Prune {count} messages",
    "Prune {count} nodes",
    "Put away",
    "Recall",
    "Recent actions",
    "Recover",
    "Recover an answer",
    "Redo {step}",
    "Remove bookmark",
    "Remove tag",
    "Rename",
    "Rename document",
    "Rename tag",
    "Restore",
    "Restore {count} nodes",
    "Send in full",
    "Send it this way",
    "Shorten when full",
    "Split",
    "Stash",
    "Summarise",
    "Tag",
    "Take note out of context",
    "Take notes out of context",
    "Tree settings",
    "Undo {count} of {total} steps",
    "Undo {step}",
    "Unmark {count} messages",
    "Unpin",
    "Use summary as it is",
    "Write",
    "Write document",
)


def is_known(label: str) -> bool:
    """True for what the program calls a step; False for words of another one."""
    return _taken_apart(label) is not None


def sentence_of(label: str) -> str:
    """A label of a change as a sentence that can be translated; words of another program stay as they are."""
    found = _taken_apart(label)
    if found is None:
        return label
    template, words = found
    values: dict[str, object] = {"step": sentence_of(words["step"])} if "step" in words else {}
    values |= {name: int(words[name]) for name in ("count", "total") if name in words}
    return Sentence(template, values)


def _taken_apart(label: str) -> tuple[str, Mapping[str, str]] | None:
    """The template of a label, and what stands in its places."""
    for template, pattern in _patterns():
        found = pattern.fullmatch(label)
        if found is not None and ("step" not in found.groupdict() or is_known(found["step"])):
            return template, found.groupdict()
    return None


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    places = {"{count}": r"(?P<count>\d+)", "{total}": r"(?P<total>\d+)", "{step}": r"(?P<step>.+)"}
    return tuple(
        (template, re.compile("".join(places.get(part, re.escape(part)) for part in _parts(template))))
        for template in LABELS
    )


def _parts(template: str) -> list[str]:
    return re.split(r"(\{\w+\})", template)


def generate_label(count: int) -> str:
    """Return the label of the step that adds so many answers."""
    return "Generate" if count == 1 else f"Generate {count} continuations"


BY_USER = "you"  # the name for what a person did in the window, or imported

# "write" is a new passage or message; "split" parts a text that reads as before; "" is every other change.
ChangeKind: TypeAlias = Literal["", "write", "split"]
Keyed = TypeVar("Keyed", Tag, Link, BranchSummary, ContextSummary, AgentMemory)


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row before and after, of one type and key; None means it was not, or no longer is, there."""

    before: Row | None
    after: Row | None

    @property
    def row(self) -> Row:
        row = self.after if self.after is not None else self.before
        assert row is not None, "a row change needs a before or an after"
        return row


@dataclass(frozen=True, slots=True)
class Change:
    """One user action on one tree.

    `undoable` is False for choosing a path, which is saved but is no step of undo. `by` says who made it:
    `you`, `command line`, a model's name. `evidence` are the responses that new model nodes and summaries
    rest on; they are saved with the change and are no part of the tree. `action` names what a person did once
    and what came of it in several changes: the answers of several models to one Generate. "" for all others.
    `label` is for people only; what the program decides by is `kind`, that of the step in an undo or redo.
    """

    tree_id: str
    label: str
    at: Milliseconds
    rows: tuple[RowChange, ...]
    by: str = BY_USER
    undoable: bool = True
    evidence: tuple[Evidence, ...] = ()
    action: str = ""
    kind: ChangeKind = ""

    def inverse(self, at: Milliseconds | None = None) -> Change:
        """The change that takes this one back, rows in reverse order; `at` is when, its own time if None."""
        rows = tuple(RowChange(row.after, row.before) for row in reversed(self.rows))
        return replace(self, rows=rows, at=self.at if at is None else at, evidence=())

    def changed(self, kind: type[Row]) -> Iterable[RowChange]:
        return (r for r in self.rows if isinstance(r.before if r.after is None else r.after, kind))

    def touches_path(self) -> bool:
        return any(isinstance(r.after, ActivePath) for r in self.rows)  # a tree always has one

    def added_nodes(self) -> tuple[Node, ...]:
        return tuple(r.after for r in self.rows if r.before is None and isinstance(r.after, Node))

    def removed_nodes(self) -> tuple[Node, ...]:
        return tuple(r.before for r in self.rows if r.after is None and isinstance(r.before, Node))


def label_of_action(steps: Sequence[Change], *, newest: Change) -> str:
    """Return the label of an action: that of its newest step; answers of several models are counted
    together.
    """
    counts = [len(step.added_nodes()) for step in steps]
    if all(step.label == generate_label(count) for step, count in zip(steps, counts, strict=True)):
        return generate_label(sum(counts))
    return newest.label


def check(tree: Tree, change: Change) -> None:
    """Raises: StaleChange if a row of the tree is not what the change expects. The active path may differ."""
    if change.tree_id != tree.loom.id:
        raise StaleChange(worded("“{label}” belongs to another tree.", label=sentence_of(change.label)))
    nodes = tree.nodes
    for row_change in change.rows:
        row = row_change.row
        now = nodes.get(row.id) if isinstance(row, Node) else current(tree, row)  # of a branch there are many
        if now is not row_change.before and now != row_change.before and not isinstance(row, ActivePath):
            raise StaleChange(
                worded(
                    "“{label}” no longer fits: the tree was changed in the meantime. Nothing was changed.",
                    label=sentence_of(change.label),
                )
            )


def apply(tree: Tree, change: Change) -> None:
    """Move the tree by a change, all of it or nothing. Touches only the rows that change.

    Raises: StaleChange, see `check`.
    """
    check(tree, change)
    for row_change in change.rows:
        _put(tree, row_change)
    tree.restore_order()
    tree.loom = replace(tree.loom, updated_at=max(change.at, tree.loom.updated_at))


def current(tree: Tree, row: Row) -> Row | None:
    """The tree's present row of the same kind and key, or None."""
    match row:
        case Node():
            return tree.nodes.get(row.key)
        case Edge():
            return tree.edges.get(row.key)
        case LoomTree():
            return tree.loom
        case ActivePath():
            return tree.path
        case IncludedAnnotations():
            return tree.included_annotations
        case Tag():
            return tree.tags.get(row.key)
        case Link():
            return tree.links.get(row.key)
        case BranchSummary():
            return tree.branch_summaries.get(row.key)
        case ContextSummary():
            return tree.context_summaries.get(row.key)
        case AgentMemory():
            return tree.agent_memory.get(row.key)


def _put(tree: Tree, change: RowChange) -> None:
    match change.row:
        case Node(id=key):
            tree.put_node(change.after) if isinstance(change.after, Node) else tree.drop_node(key)
        case Edge(id=key):
            tree.put_edge(change.after) if isinstance(change.after, Edge) else tree.drop_edge(key)
        case LoomTree() | ActivePath() | IncludedAnnotations():
            _put_single(tree, change.after)
        case Tag() as row:
            _put_keyed(tree.tags, row, keep=change.after is not None)
        case Link() as row:
            _put_keyed(tree.links, row, keep=change.after is not None)
        case BranchSummary() as row:
            _put_keyed(tree.branch_summaries, row, keep=change.after is not None)
        case ContextSummary() as row:
            _put_keyed(tree.context_summaries, row, keep=change.after is not None)
        case AgentMemory() as row:
            _put_keyed(tree.agent_memory, row, keep=change.after is not None)


def _put_single(tree: Tree, row: Row | None) -> None:
    match row:
        case LoomTree():
            tree.loom = row
        case ActivePath():
            tree.path = row
        case IncludedAnnotations():
            tree.included_annotations = row
        case _:
            raise AssertionError("a tree always has its one loom, path and inclusions row")


def _put_keyed(table: dict[str, Keyed], row: Keyed, *, keep: bool) -> None:
    if keep:
        table[row.key] = row
    else:
        del table[row.key]
