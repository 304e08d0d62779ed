"""Trees that come into the grove: as new ones, as a copy, or what is new of one that is here already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from graphlib import TopologicalSorter
from itertools import chain
from types import MappingProxyType
from typing import Literal

from sqlalchemy import Connection

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.newer_export import NewerExport, version_ids, with_same_root, with_versions
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import (
    BranchSummary,
    ContextSummary,
    IncludedAnnotations,
    LoomTree,
    Node,
    Row,
    Tag,
)
from loomapp.core.model.hashes import content_hash, digest_of_words
from loomapp.core.model.new_tree import FirstRows, origin_of, with_title
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import with_rules
from loomapp.core.times import Milliseconds
from loomapp.store.identity import now
from loomapp.store.rows import change_log, change_rows, first_rows, grove_rows, responses, tree_rows
from loomapp.store.rows.grove_rows import AGENT, FILE
from loomapp.store.rows.log_rows import LoggedRow
from loomapp.store.rows.mark_rows import write_mark


@dataclass(frozen=True, slots=True)
class NewTree:
    """A tree that is to come in, with the agents it lists and the responses its nodes rest on."""

    rows: FirstRows
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
    connection: Connection,
    rows: FirstRows,
    evidence: Sequence[Evidence],
    *,
    is_of_other_program: bool = False,
) -> Added:
    """Write a tree down: as a new one, by what it has more than the one of its id, or as a copy.

    Of another program's, a node that has other content here comes as a version, and there is no copy for it.
    """
    tree_id, title = rows.head.loom.id, rows.head.loom.title
    if evidence:  # its texts are looked for in the nodes, which may be made but once
        rows = FirstRows.of(rows.whole())
    evidence = [with_rules(rows.head, item) for item in evidence]
    if not tree_rows.has_tree(connection, tree_id):
        _insert(connection, rows, evidence)
        written = rows.node_count - rows.begins_empty  # as the list of trees counts them
        where = _archived(rows.head.loom)
        return Added(tree_id, "new", rows.node_count, f"“{title}” was added with {_nodes(written)}.{where}")
    tree = rows.whole()
    ours = tree_rows.read_tree(connection, tree_id)
    number = tree_rows.tree_number(connection, tree_id)
    if is_of_other_program:
        tree = with_same_root(ours, tree)
    missing = [node_id for node_id in tree.nodes if node_id not in ours.nodes]
    undone = tree_rows.read_nodes(connection, number, missing)
    newer = NewerExport(tree)
    if is_of_other_program:
        undone |= tree_rows.read_nodes(connection, number, version_ids(ours, tree, undone))
        newer = with_versions(ours, tree, undone)
    change = merge(ours, newer.tree, evidence, undone=undone, at=now(), hashes=newer.hashes)
    if isinstance(change, Contradiction):
        copy = copied(tree, f"copy-{digest_of_words(tree_id, tree.nodes.values(), tree.edges.values())}")
        if tree_rows.has_tree(connection, copy.loom.id):
            return add(connection, FirstRows.of(copy), evidence)  # of the same file, that came in before
        _insert(connection, FirstRows.of(copy), evidence)
        text = f"“{title}” came in as a copy, because {change.reason}."
        return Added(copy.loom.id, "copied", len(copy.nodes), text)
    theirs = tree.loom.system_context
    is_other = is_of_other_program and theirs and theirs != ours.loom.system_context
    other = " Its system context is another one there, and stays here as it is." if is_other else ""
    other += _archived(ours.loom)
    if not change.rows:
        return Added(tree_id, "unchanged", 0, f"“{title}” is here already; it holds nothing new.{other}")
    _write(connection, number, ours, change)
    change_rows.touch(connection, number, ours, change)
    count = len(change.added_nodes())
    if not count:
        return Added(
            tree_id, "merged", 0, f"“{title}” was here already; nothing but its title is new.{other}"
        )
    return Added(tree_id, "merged", count, f"“{title}” was here already; {_nodes(count)} came new.{other}")


@contextmanager
def listing_agents(connection: Connection) -> Iterator[Callable[[Added, Tree, Sequence[Agent]], None]]:
    """Notes the agents that trees list, in the block; at its end one entry of the log says what is new."""
    known = grove_rows.agent_states(connection)
    there = set(known)
    rows: list[LoggedRow] = []

    def list_agents(added: Added, tree: Tree, listed: Sequence[Agent]) -> None:
        number = tree_rows.tree_number(connection, added.tree_id)
        if added.is_new:
            grove_rows.add_first_agents(connection, number, listed, there)
            state = grove_rows.file_state(added.tree_id, [agent.id for agent in listed], tree.extra)
            rows.extend(grove_rows.changed(FILE, {}, state))
            return
        before = grove_rows.file_states(connection, number)
        grove_rows.add_agents(connection, number, listed)
        there.update(agent.id for agent in listed)
        rows.extend(grove_rows.changed(FILE, before, grove_rows.file_states(connection, number)))

    yield list_agents
    rows[:0] = grove_rows.changed(AGENT, known, grove_rows.agent_states(connection))
    grove_rows.log(connection, "Import", rows)


def _archived(loom: LoomTree) -> str:
    return "" if loom.archived_at is None else " It is in the archive."


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count:,} nodes"


def _insert(connection: Connection, rows: FirstRows, evidence: Sequence[Evidence]) -> None:
    """Write a tree that is new; of a large one no list of all rows is made."""
    label = "New tree" if rows.node_count <= 1 else "Import"
    head, marks = rows.head, list(_marks_of(rows.head))
    change = Change(head.loom.id, label, now(), (), undoable=False, evidence=tuple(evidence))
    with change_rows.broken_text_named(label, (head.loom, head.path, *marks)):
        number = change_rows.insert_tree(connection, head)
        nodes_then_edges = first_rows.write_first_rows(connection, number, rows, label)
        before, after = [first_rows.written(head.loom)], map(first_rows.written, (head.path, *marks))
        change_log.append(connection, number, change, chain(before, nodes_then_edges, after))
        changes = [RowChange(None, mark) for mark in marks]
        for mark in changes:
            write_mark(connection, number, head, mark)
        responses.write_evidence(connection, number, change.evidence)
        responses.check_claims(connection, number, changes)


def rows_of(tree: Tree) -> Iterator[Row]:
    """Yield every row of a tree, in the order in which they can be written."""
    yield tree.loom
    yield from tree.nodes.values()
    yield from tree.edges.values()
    yield tree.path
    yield from _marks_of(tree)


def _marks_of(tree: Tree) -> Iterator[Row]:
    if tree.included_annotations != IncludedAnnotations():
        yield tree.included_annotations
    yield from tree.tags.values()
    yield from tree.links.values()
    yield from tree.branch_summaries.values()
    yield from tree.context_summaries.values()
    yield from tree.agent_memory.values()


def _write(connection: Connection, number: int, tree: Tree, change: Change) -> None:
    """Write a change and log it."""
    change_rows.check_ends(tree, change)
    with change_rows.broken_text_named(change.label, (row.after for row in change.rows)):
        change_rows.write_change(connection, number, tree, change)
        responses.write_evidence(connection, number, change.evidence)
        responses.check_claims(connection, number, change.rows)
        change_log.append(connection, number, change)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Why two trees of one id are not one tree; ends a sentence that begins with "because"."""

    reason: str


def merge(
    ours: Tree,
    theirs: Tree,
    evidence: Sequence[Evidence] = (),
    *,
    undone: Mapping[str, Node],
    at: Milliseconds,
    hashes: Mapping[str, str] = MappingProxyType({}),
) -> Change | Contradiction:
    """One Change that adds to our tree the nodes that theirs has more, with their edges and marks.

    `undone` are the nodes of ours whose creation was undone. What both have stays as it is here: settings,
    path, flags; but a title that nobody changed here follows the one it has where it was imported from.
    `hashes` are theirs, with those that the same nodes have here. A Change without rows says that nothing is
    new.
    """
    if (reason := _contradiction(ours, theirs, undone)) is not None:
        return Contradiction(reason)
    known = {**undone, **ours.nodes}
    new = {node.id: node for node in theirs.nodes.values() if node.id not in ours.nodes}
    marks = tuple(_marks(ours, theirs, new))
    of_summaries = responses.claimed(marks)
    kept = tuple(
        _of(item, new)
        for item in evidence
        if item.id in of_summaries or not item.choices.keys().isdisjoint(new)
    )
    nodes = _distinct_local_ids(ours, _rehashed(theirs, known, new, kept, hashes))
    loom = with_title(ours.loom, theirs.loom)
    rows = [RowChange(ours.loom, loom)] if loom != ours.loom else []
    rows += [RowChange(None, node) for node in nodes]
    rows += _edges(ours, theirs, new)
    rows += marks
    label = {0: "Import", 1: "Import 1 node"}.get(len(new), f"Import {len(new)} nodes")
    return Change(ours.loom.id, label, at, tuple(rows), evidence=kept)


def _of(evidence: Evidence, new: Mapping[str, Node]) -> Evidence:
    """A response for the new nodes alone: what is here keeps what it rests on, if that is nothing too."""
    choices = {node_id: index for node_id, index in evidence.choices.items() if node_id in new}
    return replace(evidence, choices=choices).with_texts(evidence.texts)


def _contradiction(ours: Tree, theirs: Tree, undone: Mapping[str, Node]) -> str | None:
    origin, other_origin = origin_of(ours.loom), origin_of(theirs.loom)
    if origin is not None and other_origin is not None and origin.format != other_origin.format:
        return "the one that is here came from another program"
    if ours.loom.mode != theirs.loom.mode:
        return f"the one that is here is in {ours.loom.mode} mode"
    if ours.root_id != theirs.root_id:
        return "the one that is here has another root"
    for node in theirs.nodes.values():
        here = ours.nodes.get(node.id) or undone.get(node.id)
        if here is not None and (here.content, here.author_type) != (node.content, node.author_type):
            return f"node {node.local_id} has other content here"
    for edge in theirs.edges.values():
        other = ours.edges.get(edge.id)
        if other is not None and (other.target_id, other.type) != (edge.target_id, edge.type):
            return f"edge {edge.id} leads elsewhere here"
    return None


def _rehashed(
    theirs: Tree,
    known: Mapping[str, Node],
    new: Mapping[str, Node],
    evidence: Sequence[Evidence],
    hashes: Mapping[str, str],
) -> Iterator[Node]:
    """The new nodes in the order of their file, standing on the hashes that their parents have here.

    A file written by hand has no times, so each reading gives its nodes other hashes.
    """
    ours_by_theirs = {
        node.content_hash: known[node.id].content_hash
        for node in theirs.nodes.values()
        if node.id in known and node.content_hash != known[node.id].content_hash
    } | {theirs: ours for theirs, ours in hashes.items() if theirs != ours}
    if not ours_by_theirs:
        yield from (_as_undone(node, known) for node in new.values())
        return
    digests = {node_id: item.digest(node_id) for item in evidence for node_id in item.choices}
    nodes: dict[str, Node] = {}
    for node_id in _parents_first(theirs, new):
        node = _as_undone(new[node_id], known)
        parents = tuple(ours_by_theirs.get(parent, parent) for parent in node.parent_hashes)
        if node_id not in known and parents != node.parent_hashes:
            moved = replace(node, parent_hashes=parents)
            moved = replace(moved, content_hash=content_hash(moved, digests.get(node_id)))
            ours_by_theirs[node.content_hash] = moved.content_hash
            node = moved
        nodes[node_id] = node
    yield from (nodes[node_id] for node_id in new)


def _as_undone(node: Node, known: Mapping[str, Node]) -> Node:
    """A node as it was here before its creation was undone, with the flags it comes with."""
    here = known.get(node.id)
    return node if here is None else replace(here, metadata=node.metadata, summary=node.summary)


def _parents_first(tree: Tree, new: Mapping[str, Node]) -> Iterator[str]:
    order: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(new, ()))
    for edge in tree.edges.values():
        if edge.target_id in new:
            order.add(edge.target_id, *(s.node_id for s in edge.sources if s.node_id in new))
    return iter(tuple(order.static_order()))


def _distinct_local_ids(ours: Tree, nodes: Iterable[Node]) -> Iterator[Node]:
    taken: set[str] = set()
    for node in nodes:
        local_id = node.local_id.upper()
        if local_id in taken or ours.find(local_id) is not None:
            local_id = ours.new_local_id(node.id, taken)
        taken.add(local_id)
        yield node if local_id == node.local_id.upper() else replace(node, local_id=local_id)


def _edges(ours: Tree, theirs: Tree, new: Mapping[str, Node]) -> Iterator[RowChange]:
    """Edges to new nodes; and new versions as further sources of edges that are here."""
    for edge in theirs.edges.values():
        if edge.target_id in new:
            yield RowChange(None, edge)
            continue
        same_type = (*ours.incoming(edge.target_id), *ours.annotation_edges_into(edge.target_id))
        here = ours.edges.get(edge.id) or next((e for e in same_type if e.type == edge.type), None)
        versions = tuple(s for s in edge.sources if s.node_id in new and s.role == "primary")
        if here is not None and versions:
            yield RowChange(here, replace(here, sources=here.sources + versions))


def _marks(ours: Tree, theirs: Tree, new: Mapping[str, Node]) -> Iterator[RowChange]:
    """Links, summaries, memories and tags that are not here; the new nodes of tags that are."""
    for theirs_rows, ours_rows in (
        (theirs.links, ours.links),
        (theirs.branch_summaries, ours.branch_summaries),
        (theirs.context_summaries, ours.context_summaries),
        (theirs.agent_memory, ours.agent_memory),
        (theirs.tags, ours.tags),
    ):
        for key, row in theirs_rows.items():
            here = ours_rows.get(key)
            if here is None:
                if not (isinstance(row, BranchSummary | ContextSummary) and theirs.sleeps(row)):
                    yield RowChange(None, row)
            elif isinstance(row, Tag) and isinstance(here, Tag):
                more = tuple(node_id for node_id in row.node_ids if node_id in new)
                if more:
                    yield RowChange(here, replace(here, node_ids=here.node_ids + more))


def copied(tree: Tree, tree_id: str) -> Tree:
    """Copy a tree under another id; its links to itself follow."""
    copy = Tree(replace(tree.loom, id=tree_id), nodes=tree.nodes.values(), edges=tree.edges.values())
    copy.path, copy.included_annotations, copy.extra = tree.path, tree.included_annotations, tree.extra
    copy.tags, copy.branch_summaries = dict(tree.tags), dict(tree.branch_summaries)
    copy.context_summaries, copy.agent_memory = dict(tree.context_summaries), dict(tree.agent_memory)
    for link in tree.links.values():
        own = replace(link, to_tree_id=tree_id) if link.to_tree_id == tree.loom.id else link
        copy.links[own.key] = own
    return copy
