"""Verification of a whole grove in one pass over its log: the chain, every tree, what is undone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import is_searched_by
from loomapp.core.model.entities import Node
from loomapp.core.model.hashes import Finding, ResponseDigest, is_as_hashed, is_same_json
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import compared
from loomapp.store.checks.log_comparison import (
    KnownAgents,
    kept_marks,
    known_agents,
    mark_faults,
    summary_faults,
)
from loomapp.store.checks.plain_trees import plain_findings
from loomapp.store.checks.tree_verification import (
    BROKEN_LOG,
    LoggedState,
    NodeFault,
    tree_faults,
    verify_said,
    with_faults,
)
from loomapp.store.grove.grove import Grove
from loomapp.store.rows import change_log, responses, tree_rows
from loomapp.store.rows.chain import (
    ChainHead,
    ChainLink,
    ChainReplay,
    changes_since,
    read_links,
    state_faults,
)
from loomapp.store.rows.grove_rows import TOUCHED
from loomapp.store.rows.log_rows import edge_in_short, node_state, seal, target_of
from loomapp.store.rows.mark_rows import order_faults
from loomapp.store.rows.tree_rows import undone_edges, undone_nodes
from loomapp.store.schema import NEVER_WRITTEN, nodes, trees
from loomapp.store.schema import agents as agents_table
from loomapp.store.schema_versions import tables_in
from loomapp.store.soundness import kind_faults, structure_faults, value_faults
from loomapp.store.statements import driver

Look: TypeAlias = Callable[[Tree], None]  # what else somebody looks at in each tree


@dataclass(frozen=True, slots=True)
class VerifiedTree:
    """A tree of a grove: a finding for each node, and what else of it is not as the change log says."""

    tree_id: str
    title: str
    findings: tuple[Finding, ...]
    faults: tuple[str, ...]

    @property
    def failed(self) -> bool:
        return bool(self.faults) or any(finding.verdict == "failed" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Verified:
    """A whole grove: `faults` are of what belongs to no tree. `head` is None where the log is no chain yet;
    `since` is how many entries came after the head that was asked for, None if the chain does not hold it,
    and `nodes_since` the nodes that are there now and were made by those.
    """

    trees: tuple[VerifiedTree, ...]
    faults: tuple[str, ...]
    head: ChainHead | None
    since: int | None = None
    nodes_since: frozenset[str] = frozenset()

    @property
    def failed(self) -> bool:
        return bool(self.faults) or any(tree.failed for tree in self.trees)

    @property
    def trees_since(self) -> tuple[VerifiedTree, ...]:
        """The trees of which nothing was there at the head that was asked for."""
        made = self.nodes_since
        return tuple(t for t in self.trees if made and made.issuperset(one.node_id for one in t.findings))


def verify_grove(
    grove: Grove,
    tree_ids: Iterable[str] | None = None,
    *,
    witness: str = "",
    look: Look | None = None,
) -> Verified:
    """All that can be proved of a grove, and of its trees or of those that are named.

    `witness` is a head that somebody kept; `look` is called with each tree. Without it, plain ones are
    verified row by row.
    """
    with grove.snapshot() as connection, tree_rows.no_collections():
        return verify_as_seen(connection, grove.is_sealed, tree_ids, witness, look)


def verify_as_seen(
    connection: Connection,
    is_sealed: bool,
    tree_ids: Iterable[str] | None = None,
    witness: str = "",
    look: Look | None = None,
) -> Verified:
    """Verify a grove as a transaction sees it; see `verify_grove`."""
    kinds: tuple[str, ...] = ()
    try:
        kinds = tuple(kind_faults(driver(connection)))
        verified = _verify(connection, is_sealed, tree_ids, witness, look)
    except _UNREADABLE as error:
        if getattr(getattr(error, "orig", error), "sqlite_errorname", ""):
            raise  # of the file or the disk, not of a cell
        cells = kinds or tuple(value_faults(driver(connection)))
        return Verified((), cells or (f"the grove cannot be read: {error}",), None)
    return replace(verified, faults=tuple(dict.fromkeys((*verified.faults, *kinds))))


# What is raised by a cell in which another hand left what nobody can read.
_UNREADABLE = (*BROKEN_LOG, ArithmeticError, sqlite3.Error, SQLAlchemyError)


def _verify(
    connection: Connection,
    is_sealed: bool,
    tree_ids: Iterable[str] | None,
    witness: str,
    look: Look | None,
) -> Verified:
    query = select(trees.c.tree_id, trees.c.title, trees.c.id).order_by(trees.c.id)
    rows = [_Row(str(tree_id), str(title), number) for tree_id, title, number in connection.execute(query)]
    named = {row.tree_id for row in rows} if tree_ids is None else set(tree_ids)
    saids = {row.tree_id: LoggedState() for row in rows if row.tree_id in named}
    following = ChainReplay()
    numbered = {row.number: saids[row.tree_id] for row in rows if row.tree_id in named}
    before: dict[str, Collection[str]] = {}
    lost: dict[int, str] = {}
    faults: list[str] = []
    numbers = {row.number for row in rows}
    for link in read_links(connection, is_sealed=is_sealed):
        following.take(link)
        if link.facts.tree is not None and link.facts.tree not in numbers:
            lost.setdefault(link.facts.tree, f"the tree is gone that {link.name} is of")
        try:
            _hear(connection, link, numbered, saids)
        except BROKEN_LOG:
            faults.append(f"{link.name} cannot be read")
        if link.link == witness:
            before = {tree_id: frozenset(said.nodes) for tree_id, said in saids.items()}
    numbered.clear()
    agents = known_agents(following) if is_sealed else None
    found = tuple(
        _verified(connection, row, saids.pop(row.tree_id), look, agents)
        for row in rows
        if row.tree_id in named
    )
    head = since = None
    made: frozenset[str] = frozenset()
    if is_sealed:
        faults += [*following.faults, *following.step_faults(), *state_faults(connection, following)]
        faults += following.emptied_faults({row.number: row.tree_id for row in rows})
        head = ChainHead(following.link, following.links, following.sealed_from)
        since = changes_since(connection, witness, head.sealed_from) if witness else None
        if since is not None:
            made = frozenset(
                one.node_id
                for tree in found
                for one in tree.findings
                if one.node_id not in before.get(tree.tree_id, ())
            )
    faults += [*lost.values(), *structure_faults(driver(connection)), *order_faults(connection)]
    faults += [*responses.stray_faults(connection), *_lost_authors(connection, following)]
    return Verified(found, (*faults, *_never_written(connection)), head, since, made)


class _Row(NamedTuple):
    tree_id: str
    title: str
    number: int


def _hear(
    connection: Connection,
    link: ChainLink,
    numbered: Mapping[int, LoggedState],
    named: Mapping[str, LoggedState],
) -> None:
    said = numbered.get(link.facts.tree or 0)
    if said is not None:
        said.take(link.logged(lambda step: change_log.read(connection, step).rows))
    elif link.facts.tree is None:
        _touch(named, link.body.rows)


def _touch(saids: Mapping[str, LoggedState], rows: Iterable[Any]) -> None:
    """Take over when trees had been changed last as older entries were sealed."""
    for row in rows:
        if row[0] == TOUCHED and row[2]["tree"] in saids:
            saids[row[2]["tree"]].updated_at = row[2]["at"]


def _verified(
    connection: Connection,
    row: _Row,
    said: LoggedState,
    look: Look | None,
    agents: KnownAgents | None,
) -> VerifiedTree:
    try:
        findings = None if look is not None else plain_findings(connection, row.number, said)
        if findings is not None:
            tree = tree_rows.read_marks(connection, row.tree_id)
            findings = with_faults(findings, tree_faults(tree, said))
        else:
            tree = tree_rows.read_tree(connection, row.tree_id)
            undone = undone_faults(connection, row.number, tree, said)
            findings = with_faults(verify_said(connection, tree, said, agents), undone)
        faults = (
            *mark_faults(kept_marks(connection, row.number, tree), said.marks),
            *summary_faults(connection, row.number, tree, said.of_responses),
        )
        if look is not None:
            look(tree)
    except BROKEN_LOG as error:
        return VerifiedTree(row.tree_id, row.title, (), (f"the tree cannot be read: {error}",))
    return VerifiedTree(row.tree_id, row.title, tuple(findings), faults)


def _never_written(connection: Connection) -> Iterator[str]:
    """Rows in tables that no Loomapp writes: documents are nodes, drafts lie beside the grove."""
    for table in tables_in(driver(connection)):
        if table.name not in NEVER_WRITTEN:
            continue
        count = connection.execute(select(func.count()).select_from(table)).scalar_one()
        if count:
            yield f"the table {table.name} holds {count} that the change log does not know"


def undone_faults(connection: Connection, number: int, tree: Tree, said: LoggedState) -> Iterator[NodeFault]:
    """Find what of a tree is undone and not what the change log says."""
    yield from _node_faults(connection, number, tree, said)
    yield from _edge_faults(connection, number, tree, said)


def _node_faults(connection: Connection, number: int, tree: Tree, said: LoggedState) -> Iterator[NodeFault]:
    undone = undone_nodes(connection, number)
    if undone:  # else the tree is all there is
        tree = Tree(tree.loom, nodes=(*tree.nodes.values(), *undone.values()))
    digests: dict[str, ResponseDigest] = {}
    for item in responses.read_undone_evidence(connection, number):
        if change_log.seal(item) != said.responses.get(item.id):
            yield from (
                NodeFault(i, "it is undone, and its response is not as it was received") for i in item.choices
            )
        found = compared(tree, item, said.texts, is_own=said.is_own(item.id))
        digests |= found.digests
        exchanged = [(one.node_id, one.reason) for one in said.exchanged(item.id, item.choices)]
        for node_id, reason in (*exchanged, *found.faults):
            yield NodeFault(node_id, f"it is undone, and {reason}")
    for node in undone.values():
        if not is_as_hashed(node, digests.get(node.id)):
            yield NodeFault(node.id, "it is undone, and not what was hashed")
        if said.nodes.get(node.id, node) is not None or seal(node) != said.seals.of.get(node.id):
            yield NodeFault(node.id, "it is undone, and not what the change log says")
        elif not is_same_json(node_state(node), said.undone.get(node.id)):
            yield NodeFault(
                node.id, "it is undone, and its flags or summary are not what the change log says"
            )
    if undone:
        yield from _unsearched_faults(connection, number, undone)
    for node_id, state in said.nodes.items():
        if state is None and node_id not in undone:
            yield NodeFault(node_id, "it is undone, and the file no longer holds it")


def _unsearched_faults(
    connection: Connection, number: int, undone: Mapping[str, Node]
) -> Iterator[NodeFault]:
    """A content that is more than plain text has its words in a column of their own, also while undone."""
    query = select(nodes.c.node_id, nodes.c.text).where(
        nodes.c.tree == number, ~nodes.c.present, nodes.c.content.is_not(None)
    )
    for node_id, text in connection.execute(query):
        if node_id in undone and not is_searched_by(text, undone[node_id].content):
            yield NodeFault(
                node_id, "it is undone, and the text that a search finds is not that of its content"
            )


def _lost_authors(connection: Connection, following: ChainReplay) -> Iterator[str]:
    """Agents that nodes are of, that the chain told of and that are gone: none is ever taken away."""
    author = nodes.c.author_agent_id
    query = select(author).where(author != "", author.not_in(select(agents_table.c.agent_id))).distinct()
    for name in sorted(following.agents.keys() & set(connection.execute(query).scalars())):
        yield f"the agent {name}, of whom nodes are said to be, is not there"


def _edge_faults(connection: Connection, number: int, tree: Tree, said: LoggedState) -> Iterator[NodeFault]:
    here = {edge.id: edge for edge in undone_edges(connection, number)}
    for edge in here.values():
        is_as_said = is_same_json(edge_in_short(edge), said.undone_edges.get(edge.id))
        if not is_as_said or said.edges.get(edge.id) is not None:
            yield NodeFault(edge.target_id, "the edge to it is undone, and not what the change log says")
    for edge_id, state in said.edges.items():
        if state is None and edge_id not in here and edge_id not in tree.edges:
            target = target_of(said.undone_edges[edge_id])
            yield NodeFault(target, "the edge to it is undone, and the file no longer holds it")
