"""Trees that come into the grove: as new ones, into one that is here already, or as a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import Connection

from loomapp.core.edits.newer_export import NewerExport, version_ids, with_versions
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ActivePath, IncludedAnnotations, LoomTree, Row
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import with_rules
from loomapp.store.identity import new_id, now
from loomapp.store.rows import agents, change_log, change_rows, grove_rows, responses, tree_rows
from loomapp.store.rows.grove_rows import AGENT, FILE
from loomapp.store.rows.log_rows import LoggedRow
from loomapp.store.rows.merge import Contradiction, copied, merge


@dataclass(frozen=True, slots=True)
class NewTree:
    """A tree that is to come in, with the agents it lists and the responses its nodes rest on."""

    tree: Tree
    agents: tuple[Agent, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    is_of_other_program: bool = False


@dataclass(frozen=True, slots=True)
class Added:
    """The outcome of adding a tree; `message` says it to a person."""

    tree_id: str
    outcome: Literal["new", "merged", "unchanged", "copied"]
    node_count: int
    message: str

    @property
    def is_new(self) -> bool:
        return self.outcome in ("new", "copied")


def add(
    connection: Connection, tree: Tree, evidence: Sequence[Evidence], *, is_of_other_program: bool = False
) -> Added:
    """Write a tree down: as a new one, by what it has more than the one of its id, or as a copy.

    Of another program's, a node that has other content here comes as a version, and there is no copy for it.
    """
    tree_id, title = tree.loom.id, tree.loom.title
    evidence = [with_rules(tree, item) for item in evidence]
    if not tree_rows.has_tree(connection, tree_id):
        _insert(connection, tree, evidence)
        count = len(tree.nodes)
        return Added(tree_id, "new", count, f"“{title}” was added with {_nodes(count)}.")
    ours = tree_rows.read_tree(connection, tree_id)
    number = tree_rows.tree_number(connection, tree_id)
    missing = [node_id for node_id in tree.nodes if node_id not in ours.nodes]
    undone = tree_rows.read_nodes(connection, number, missing)
    newer = NewerExport(tree)
    if is_of_other_program:
        undone |= tree_rows.read_nodes(connection, number, version_ids(ours, tree, undone))
        newer = with_versions(ours, tree, undone)
    change = merge(ours, newer.tree, evidence, undone=undone, at=now(), hashes=newer.hashes)
    if isinstance(change, Contradiction):
        copy = copied(tree, new_id())
        _insert(connection, copy, evidence)
        text = f"“{title}” came in as a copy, because {change.reason}."
        return Added(copy.loom.id, "copied", len(copy.nodes), text)
    if not change.rows:
        return Added(tree_id, "unchanged", 0, f"“{title}” is here already; it holds nothing new.")
    _write(connection, number, ours, change)
    change_rows.touch(connection, number, ours, change)
    count = len(change.added_nodes())
    if not count:
        return Added(tree_id, "merged", 0, f"“{title}” was here already; nothing but its title is new.")
    return Added(tree_id, "merged", count, f"“{title}” was here already; {_nodes(count)} came new.")


@contextmanager
def listing_agents(connection: Connection) -> Iterator[Callable[[Added, Tree, Sequence[Agent]], None]]:
    """Notes the agents that trees list, in the block; at its end one entry of the log says what is new."""
    known = grove_rows.agent_states(connection)
    there = set(known)
    rows: list[LoggedRow] = []

    def list_agents(added: Added, tree: Tree, listed: Sequence[Agent]) -> None:
        number = tree_rows.tree_number(connection, added.tree_id)
        if added.is_new:
            agents.add_first_agents(connection, number, listed, there)
            state = grove_rows.file_state(added.tree_id, [agent.id for agent in listed], tree.extra)
            rows.extend(grove_rows.changed(FILE, {}, state))
            return
        before = grove_rows.file_states(connection, number)
        agents.add_agents(connection, number, listed)
        there.update(agent.id for agent in listed)
        rows.extend(grove_rows.changed(FILE, before, grove_rows.file_states(connection, number)))

    yield list_agents
    rows[:0] = grove_rows.changed(AGENT, known, grove_rows.agent_states(connection))
    grove_rows.log(connection, "Import", rows)


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count:,} nodes"


def _insert(connection: Connection, tree: Tree, evidence: Sequence[Evidence]) -> None:
    label = "New tree" if len(tree.nodes) <= 1 else "Import"
    rows = tuple(RowChange(None, row) for row in rows_of(tree))
    change = Change(tree.loom.id, label, now(), rows, undoable=False, evidence=tuple(evidence))
    with change_rows.broken_text_named(change):
        number = change_rows.insert_tree(connection, tree)
    # The tree's own row and its path are there by now.
    rows = tuple(row for row in rows if not isinstance(row.row, LoomTree | ActivePath))
    _write(connection, number, tree, change, replace(change, rows=rows))


def rows_of(tree: Tree) -> Iterator[Row]:
    """Yield every row of a tree, in the order in which they can be written."""
    yield tree.loom
    yield from tree.nodes.values()
    yield from tree.edges.values()
    yield tree.path
    if tree.included_annotations != IncludedAnnotations():
        yield tree.included_annotations
    yield from tree.tags.values()
    yield from tree.links.values()
    yield from tree.branch_summaries.values()
    yield from tree.context_summaries.values()


def _write(
    connection: Connection, number: int, tree: Tree, change: Change, unwritten: Change | None = None
) -> None:
    """Write a change and log it; `unwritten` is as much of it as is not in the file yet."""
    change_rows.check_ends(tree, change)
    with change_rows.broken_text_named(change):
        change_rows.write_change(connection, number, tree, unwritten or change)
        responses.write_evidence(connection, number, change.evidence)
        change_log.append(connection, number, change)
