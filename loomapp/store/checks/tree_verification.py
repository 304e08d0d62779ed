"""Verification of a tree in the file: every hash, every response, and all that the change log knows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from itertools import islice
from typing import cast

from sqlalchemy import Connection, select
from sqlalchemy.exc import NoResultFound

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.json_values import Json
from loomapp.core.model.content import is_searched_by
from loomapp.core.model.entities import Node
from loomapp.core.model.hashes import Finding, ResponseDigest, is_same_json, verify_each, with_reasons
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import circle_in
from loomapp.core.response_text.body import read_response
from loomapp.core.response_text.comparison import LOST_AUTHOR, compared, unexplained
from loomapp.core.times import Milliseconds, parse_time
from loomapp.core.tree_json import loom_to_json
from loomapp.store.checks.first_sources import (
    FirstEdges,
    Sources,
    changed_sources,
    moved,
    role_faults,
    sources_in,
)
from loomapp.store.checks.log_comparison import (
    Arrival,
    KnownAgents,
    LoggedSummaries,
    Marks,
    SaidOfResponses,
    exchanged_agents,
    in_step,
    is_as_said,
    out_of_place,
    summaries_in,
    take_row,
)
from loomapp.store.grove.grove import Grove
from loomapp.store.migrations import FirstSeals
from loomapp.store.rows import change_log, responses, tree_rows
from loomapp.store.rows.change_log import Logged
from loomapp.store.rows.log_rows import (
    EDGE,
    NODE,
    TREE,
    LoggedRow,
    edge_in_short,
    in_short,
    is_usual,
    node_state,
    seal,
    target_of,
)
from loomapp.store.schema import nodes


def verify_tree(grove: Grove, tree_id: str) -> list[Finding]:
    """One finding for each node, in the tree's order, then for those that the file lost.

    Besides its hash, a node fails if its flags, its place, the edge into it or its response are not what the
    change log says, which happens when the file is edited by other means than Loomapp; and a model's node if
    its text does not follow from its response by the rule that was recorded, or, in older files, by any.
    Raises: GroveError unknownTree, damaged.
    """
    with grove.snapshot() as connection:
        tree = tree_rows.read_tree(connection, tree_id)
        said = _read_log(connection, tree_rows.tree_number(connection, tree_id))
        return verify_said(connection, tree, said)


def verify_said(
    connection: Connection, tree: Tree, said: LoggedState, agents: KnownAgents | None = None
) -> list[Finding]:
    """The findings of a tree against what the change log was heard to say of it, and of the agents."""
    number = tree_rows.tree_number(connection, tree.loom.id)
    rests = _check_responses(connection, number, tree, said, agents)
    faults = [*rests.faults, *_check_unrested(connection, number, tree, said, rests.node_ids)]
    faults += _check_searched(connection, number, tree)
    return findings_of(tree, said, rests.digests, faults)


def findings_of(
    tree: Tree, said: LoggedState, digests: Mapping[str, ResponseDigest], faults: Iterable[NodeFault]
) -> list[Finding]:
    """The findings of a tree against the log and the digests of its responses, with faults found already."""
    changed = tuple(changed_sources(tree, said.first_sources))
    hashed = verify_each(tree, digests, frozenset(moved(changed)), said.answered)
    states, seals = in_step(tree.nodes, said.nodes), in_step(tree.nodes, said.seals.of)
    found: list[Finding] = []
    unlike: list[NodeFault] = []
    for (_, node, state), (_, _, sealed), finding in zip(states, seals, hashed, strict=True):
        # One after the other: what is written down of a node for its hash is taken for its seal, too.
        found.append(finding)
        is_as_said = state is AS_USUAL and is_usual(node) and sealed == seal(node)  # as of nearly all
        reason = None if is_as_said else node_reason(node, said)
        if reason is not None:
            unlike.append(NodeFault(node.id, reason))
    resealed = (NodeFault(*one) for one in (*said.seals.faults, *said.first_edges.faults))
    more = (*faults, *resealed, *unlike, *_check_places(tree, said), *_check_edges(tree, said))
    return with_faults(
        found, (*more, *(NodeFault(*one) for one in role_faults(changed)), *tree_faults(tree, said))
    )


# What an entry of the log raises that another hand has changed.
BROKEN_LOG = (ValueError, TypeError, LookupError, AttributeError, RecursionError, NoResultFound, LoomError)


@dataclass(frozen=True, slots=True)
class NodeFault:
    """Something that is not as the change log says, and the node it is told of."""

    node_id: str
    reason: str


@dataclass(slots=True)
class LoggedState:
    """The last word of the change log on each row; ids in the order in which they were first named."""

    nodes: dict[str, object] = field(default_factory=dict)  # state, or None when it is taken back
    seals: FirstSeals = field(default_factory=FirstSeals)
    edges: dict[str, object] = field(default_factory=dict)  # in short, or None
    first_sources: dict[str, Sources] = field(default_factory=dict)  # by target
    first_edges: FirstEdges = field(default_factory=FirstEdges)
    first_tree: Json | None = None
    tree: object = None
    responses: dict[str, str] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)  # nodes that came in a change with responses
    arrivals: dict[str, Arrival] = field(default_factory=dict)  # by response
    came_with: dict[str, tuple[str, ...]] = field(default_factory=dict)  # these nodes, by response
    came_from: dict[str, Collection[str]] = field(default_factory=dict)  # one of these responses, by node
    of_summaries: LoggedSummaries = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)  # the rule by which a node took its text
    undone: dict[str, object] = field(default_factory=dict)  # state of each node as it was taken back
    undone_edges: dict[str, object] = field(default_factory=dict)  # likewise, in short
    marks: Marks = field(default_factory=dict)
    updated_at: Milliseconds | None = None  # None until the log says what the tree is like

    def take(self, logged: Logged) -> None:
        for left in logged.emptied:
            self.seals.take_emptied(left)
        for row in logged.rows:
            self.take_row(row)
        of_summaries = summaries_in(logged.rows)
        self.of_summaries |= of_summaries
        if logged.responses:
            came = tuple(cast(str, row[3]) for row in logged.rows if row[0] == NODE)
            arrival = self._arrival(logged)
            names = frozenset(logged.responses)
            if not names <= of_summaries.keys():  # else no node took anything from them
                self.answered.update(came)
                for row in logged.rows:
                    if row[0] == NODE and row[1] is None:  # a node is made once
                        self.came_from.setdefault(row[3], names)
            for response_id, sealed in logged.responses.items():  # a response is written once
                self.responses.setdefault(response_id, sealed)
                self.came_with.setdefault(response_id, came)
                self.arrivals.setdefault(response_id, arrival)
            for node_id, rule in logged.texts.items():  # a node takes its text once
                self.texts.setdefault(node_id, rule)
        self._touch(logged)

    @property
    def _is_begun(self) -> bool:
        """Tell whether the tree has more than its root by now: its mode is fixed from then on."""
        living = (1 for state in self.nodes.values() if state is not None)
        return sum(islice(living, 2)) > 1

    @property
    def of_responses(self) -> SaidOfResponses:
        return SaidOfResponses(self.responses, self.of_summaries, self.is_own)

    def is_own(self, response_id: str) -> bool:
        """Tell whether Loomapp itself asked for a response, by the entry that it came with."""
        arrival = self.arrivals.get(response_id)
        return arrival is not None and not arrival.is_import

    def exchanged(self, response_id: str, node_ids: Iterable[str]) -> Iterator[NodeFault]:
        """Yield each node that rests on a response and came with others."""
        for node_id in node_ids:
            if response_id not in self.came_from.get(node_id, (response_id,)):
                yield NodeFault(node_id, OTHER_RESPONSE)

    def _arrival(self, logged: Logged) -> Arrival:
        makes_tree = self.updated_at is None
        is_import = makes_tree or logged.entry.label.startswith(IMPORT)
        return Arrival(logged.entry.sequence, logged.at, is_import)

    def _touch(self, logged: Logged) -> None:
        """Follow when the tree was changed last, see `writing.touch`; its first entry only makes it."""
        is_first = self.updated_at is None
        for row in logged.rows:
            if row[0] == TREE and row[2] is not None:
                self.updated_at = parse_time(str(cast(Json, row[2])["updatedAt"]))
        if not is_first and self.updated_at is not None:
            self.updated_at = max(self.updated_at, logged.at)

    def take_row(self, row: LoggedRow) -> None:
        kind, before, after = row[0], row[1], row[2]
        if kind == NODE:
            node_id = row[3]
            self.seals.take_row(row, is_there=self.nodes.get(node_id) is not None)
            self.nodes[node_id] = AS_USUAL if after == AS_USUAL else after
            if after is None:
                self.undone[node_id] = before
        elif kind == EDGE:
            state = before if after is None else after
            edge_id, short = state["id"], in_short(state)
            self.first_edges.take(edge_id, short, self.edges.get(edge_id) or self.undone_edges.get(edge_id))
            self.edges[edge_id] = None if after is None else short
            if after is None:
                self.undone_edges[edge_id] = short
            if isinstance(short, tuple):
                self.first_sources.setdefault(short[1], short[0])
            elif "type" not in state:
                self.first_sources.setdefault(state["to"], sources_in(state))
        elif kind == TREE:
            self.tree = after
            if self.first_tree is None or not self._is_begun:
                self.first_tree = after
        else:
            take_row(self.marks, row)


OTHER_TREE = "its tree is said to have been made otherwise than it was: another root, time or mode"
OTHER_RESPONSE = "it rests on another response than it came with"
IMPORT = "Import"  # how the label of an entry begins that takes over nodes of another grove
FIXED = ("id", "rootNodeId", "createdAt", "mode")  # of a tree
AS_USUAL: Json = {}  # the state of nearly all nodes


def _read_log(connection: Connection, number: int) -> LoggedState:
    said = LoggedState()
    try:
        for logged in change_log.read_each(connection, number):
            said.take(logged)
    except BROKEN_LOG as error:
        raise GroveError("damaged", "The change log of the grove is damaged; open a backup.") from error
    return said


@dataclass(slots=True)
class _Rests:
    """Responses as the file holds them: what rests on them, what hashes take from them, and what is wrong."""

    digests: dict[str, ResponseDigest] = field(default_factory=dict)
    node_ids: set[str] = field(default_factory=set)
    faults: list[NodeFault] = field(default_factory=list)


def _check_responses(
    connection: Connection, number: int, tree: Tree, said: LoggedState, agents: KnownAgents | None
) -> _Rests:
    """Check each response, unpacked and read once, for all nodes that rest on it."""
    rests = _Rests()
    for item in responses.read_all_evidence(connection, number):
        if not item.choices:
            continue  # of a summary: see `summary_faults`
        rests.node_ids.update(item.choices)
        if change_log.seal(item) != said.responses.get(item.id):
            text = responses.why_not_as_received(item)
            rests.faults += [NodeFault(node_id, text) for node_id in item.choices]
        rests.faults += said.exchanged(item.id, item.choices)
        found = compared(tree, item, said.texts, is_own=said.is_own(item.id))
        rests.digests.update(found.digests)
        rests.faults += [NodeFault(*one) for one in found.faults]
        if agents is not None:
            exchanged = exchanged_agents(tree, item, said.arrivals.get(item.id), agents)
            rests.faults += [NodeFault(*one) for one in exchanged]
    return rests


def _check_unrested(
    connection: Connection, number: int, tree: Tree, said: LoggedState, resting: AbstractSet[str]
) -> Iterator[NodeFault]:
    """Nodes that lost their response, and responses that lost their nodes. Where the log does not say which
    took their text from one, models' nodes that came with it are named, and whoever says the same; else the
    root is.
    """
    for node_id, reason in unexplained(tree, resting, said.texts):
        yield NodeFault(node_id, reason)
    kept = responses.ids_in_file(connection, number)
    for response_id in {**said.responses, **kept}:
        if kept.get(response_id) or response_id in said.of_summaries:
            continue
        came = [i for i in said.came_with.get(response_id, ()) if i in tree.nodes and i not in resting]
        if any(node_id in said.texts for node_id in came):
            continue  # it is named already
        named = [NodeFault(i, "the response it came with is gone") for i in came if _is_by_model(tree, i)]
        if response_id in kept:
            said_there = responses.read_unrested_evidence(connection, number, response_id)
            named += _taken_from(tree, said_there)
        what = "is kept that no node rests on" if response_id in kept else "that was logged is kept no more"
        yield from named or [NodeFault(tree.root_id, f"a response {what}")]


def _is_by_model(tree: Tree, node_id: str) -> bool:
    return tree.nodes[node_id].author_type == "model"


def _taken_from(tree: Tree, item: Evidence) -> Iterator[NodeFault]:
    """Find the nodes that say the very same as a response on which no node rests."""
    read = read_response(item)
    said = {choice.text for choice in read.choices.values()} - {""} if read is not None else set()
    for node in tree.nodes.values():
        if node.author_type != "model" and node.text in said:
            yield NodeFault(node.id, LOST_AUTHOR)


def _check_searched(connection: Connection, number: int, tree: Tree) -> Iterator[NodeFault]:
    """A content that is more than plain text has its words in a column of their own, for searching."""
    columns = nodes.c
    query = select(columns.node_id, columns.text).where(
        columns.tree == number, columns.present, columns.content.is_not(None)
    )
    for node_id, text in connection.execute(query):
        if not is_searched_by(text, tree.nodes[node_id].content):
            yield NodeFault(node_id, "the text that a search finds is not that of its content")


def _check_places(tree: Tree, said: LoggedState) -> Iterator[NodeFault]:
    if is_as_said(tree.nodes, said.nodes):
        return
    for node_id, state in said.nodes.items():
        if state is not None and node_id not in tree.nodes:
            yield NodeFault(node_id, "the file no longer holds it")
    for node_id in out_of_place(list(tree.nodes), said.nodes):
        yield NodeFault(node_id, "its place in the order of creation was changed")


def node_reason(node: Node, said: LoggedState) -> str | None:
    if node.id not in said.nodes:
        return "the change log does not know it"
    state, here = said.nodes[node.id], node_state(node)
    if state is None:
        return "the change log says that it was taken back"
    if (here or state is not AS_USUAL) and not is_same_json(state, here):
        return "its flags or its summary are not what the change log says"
    if said.seals.of[node.id] != seal(node):
        return "its author, time, hash or names are not what the change log says"
    return None


def _check_edges(tree: Tree, said: LoggedState) -> Iterator[NodeFault]:
    continues = set[str]()
    for _, edge, state in in_step(tree.edges, said.edges):
        target, here = edge.target_id, edge_in_short(edge)
        if edge.type == "continuation":
            if target in continues:
                yield NodeFault(target, "another edge leads to it beside the one that it came with")
            continues.add(target)
        if (state != here) if type(state) is tuple else not is_same_json(state, here):
            target = target if state is None else target_of(state)
            yield NodeFault(target, "the edge that leads to it is not what the change log says")
        if state is not None and target not in tree.nodes:
            yield NodeFault(target, "it was taken back, and the edge that leads to it was not")
    if is_as_said(tree.edges, said.edges):
        return
    for edge_id, state in said.edges.items():
        if state is not None and edge_id not in tree.edges:
            yield NodeFault(target_of(state), "the file no longer holds the edge that leads to it")
    for edge_id in out_of_place(list(tree.edges), said.edges):
        yield NodeFault(tree.edges[edge_id].target_id, "its place among its siblings was changed")


def tree_faults(tree: Tree, said: LoggedState) -> Iterator[NodeFault]:
    if circle := circle_in(tree):
        yield NodeFault(circle[0], "it comes before itself: the way up from it leads in a circle")
    here = {**loom_to_json(tree.loom), "updatedAt": None}
    if said.tree is None or not is_same_json({**cast(Json, said.tree), "updatedAt": None}, here):
        yield NodeFault(tree.root_id, "the title or settings of its tree are not what the change log says")
    if any((said.first_tree or here)[name] != here[name] for name in FIXED):
        yield NodeFault(tree.root_id, OTHER_TREE)
    if said.nodes.get(tree.path.leaf_id) is None:
        yield NodeFault(tree.root_id, "the place where it was read last is a node that is not there")
    if said.updated_at is not None and said.updated_at != tree.loom.updated_at:
        yield NodeFault(tree.root_id, "when its tree was changed last is not what the change log says")


def with_faults(findings: Iterable[Finding], faults: Iterable[NodeFault]) -> list[Finding]:
    """Findings with what else is wrong with their nodes."""
    return with_reasons(findings, ((fault.node_id, fault.reason) for fault in faults))
