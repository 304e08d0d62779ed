"""The chain as an evidence file carries it: all that the log says of the tree, the digests of all else.

With it the head can be recomputed from the file alone, and the tree be compared with what the log says:
whoever changes the tree, the log in the file and every sum in it arrives at another head than was kept.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, field, replace
from types import SimpleNamespace
from typing import Any, cast

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.model import log_chain
from loomapp.core.model.agent import Agent, agent_to_json
from loomapp.core.model.hashes import Finding, ResponseDigest, is_same_json
from loomapp.core.model.log_chain import LogFacts
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import compared, unexplained
from loomapp.store.checks.log_comparison import (
    exchanged_agents,
    held_summaries,
    known_agents,
    mark_faults,
    marks_of,
    without_sleeping,
)
from loomapp.store.checks.tree_verification import BROKEN_LOG, LoggedState, NodeFault, findings_of
from loomapp.store.grove.grove import Grove
from loomapp.store.rows import change_log, tree_rows
from loomapp.store.rows.chain import ChainHead, ChainLink, ChainReplay, names_about, read_head, read_links
from loomapp.store.rows.grove_rows import AGENT, FILE, GONE, SEALED, TOUCHED, agent_of
from loomapp.store.rows.log_rows import EDGE, NODE, TREE, LoggedRow

# Written with the file


def handed_on(
    grove: Grove, part: Tree, agents: Iterable[Agent], evidence: Iterable[Evidence], of: str | None
) -> Json | None:
    """The chain of a grove for a file of one of its trees, or of the part of it above a node; None if it has
    none yet.
    """
    if not grove.is_sealed:
        return None
    with grove.snapshot() as connection:
        number = tree_rows.tree_number(connection, part.loom.id)
        named = {*(agent.id for agent in agents), *_authors(part)}
        kept = _Kept(part, number, named, is_whole=of is None)
        entries = [kept.entry(link) for link in read_links(connection)]
        head = read_head(connection)
    assert head is not None, "a sealed grove has a first entry"
    told: Json = {"head": head.link, "links": head.links, "sealedFrom": head.sealed_from, "tree": number}
    names = {node_id: one.id for one in evidence for node_id in one.choices if node_id in part.nodes}
    return {**told, "of": of, "responses": names, "entries": entries}


@dataclass(frozen=True, slots=True)
class _Kept:
    """The part of the log that goes into a file: all that is about what the file holds."""

    part: Tree
    number: int
    agents: Collection[str]
    is_whole: bool

    def entry(self, link: ChainLink) -> list[object]:
        """An entry in full, its rows as far as they are about the file; of another tree only its digest."""
        facts, body = link.facts, link.body
        if not self.is_about(facts.tree):
            return [facts.tree, log_chain.facts_digest(facts, body)]
        rows = [row if self.holds(facts.tree, row) else log_chain.emptied(row) for row in body.rows]
        return [*facts, log_chain.with_rows(body, rows)]

    def is_about(self, tree: int | None) -> bool:
        return tree is None or tree == self.number

    def holds(self, tree: int | None, row: object) -> bool:
        kind, *names = cast("list[str]", json.loads(log_chain.key_of(row)))
        if tree is None:
            return self._holds_of_grove(kind, names)
        if self.is_whole or kind == TREE:
            return True
        return kind in (NODE, EDGE) and any(name in self.part.nodes for name in names)

    def _holds_of_grove(self, kind: str, names: Sequence[str]) -> bool:
        if kind == AGENT:
            return any(name in self.agents for name in names)
        if kind in (FILE, TOUCHED, GONE):
            return self.part.loom.id in names and (self.is_whole or kind == TOUCHED)
        return kind == SEALED


def _authors(part: Tree) -> dict[str, None]:
    """The agents that nodes are of, in the order in which they first wrote."""
    return dict.fromkeys(node.author_agent_id for node in part.nodes.values() if node.author_agent_id)


# Read with the file


@dataclass(frozen=True, slots=True)
class HandedOn:
    """A file's tree against the chain in it: a finding for each node, what else is not as the chain says, the
    head that the entries lead to, every link before it since the chain was begun, and by which of them each
    node was made.
    """

    findings: tuple[Finding, ...]
    faults: tuple[str, ...]
    head: ChainHead | None
    links: tuple[str, ...] = ()
    made: Mapping[str, int] = field(default_factory=dict)

    def nodes_since(self, head: str) -> frozenset[str]:
        """Return the nodes that were made after the link that is a head."""
        at = self.links.index(head) if head in self.links else len(self.links)
        return frozenset(node_id for node_id, place in self.made.items() if place > at)

    def changes_since(self, head: str) -> int | None:
        """Return how many entries came after the one whose link this is; None if there is none such."""
        return len(self.links) - 1 - self.links.index(head) if head in self.links else None


@dataclass(frozen=True, slots=True)
class Held:
    """The contents of a file; of a part of a tree `above` are the nodes at and above the one that it
    ends at.
    """

    tree: Tree
    agents: Sequence[Agent]
    evidence: Sequence[Evidence]
    above: Collection[str] = ()


def verify_handed_on(held: Held, told: object) -> HandedOn:
    """Verify what a file holds against the chain that it carries."""
    try:
        return _Reader(held.tree, cast(Json, told)).read(held)
    except BROKEN_LOG as error:
        return HandedOn((), (f"the chain in the file cannot be read: {error}",), None)


@dataclass(slots=True)
class _Reader:
    tree: Tree
    told: Json
    following: ChainReplay = field(default_factory=ChainReplay)
    said: LoggedState = field(default_factory=LoggedState)
    links: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    rows: dict[int, list[LoggedRow]] = field(default_factory=dict)
    left_out: list[tuple[str, frozenset[str]]] = field(default_factory=list)  # rows that are about the file
    emptied_agents: set[str] = field(default_factory=set)  # of whom the file says less than the chain
    last: int = 0  # the number of the last entry that is told in full
    sealed_at: int = 0  # how many links came before the chain was begun anew
    made: dict[str, int] = field(default_factory=dict)  # node -> how many links came before it

    def read(self, held: Held) -> HandedOn:
        of = cast("str | None", self.told["of"])
        names = {*(agent.id for agent in held.agents), *_authors(held.tree)}
        kept = _Kept(self.tree, cast(int, self.told["tree"]), names, is_whole=of is None)
        self.faults += self.strange_parts(held)
        for entry in cast("list[list[Any]]", self.told["entries"]):
            self.take(entry, kept)
        gone = self.following.gone.get(self.tree.loom.id, set())
        for name, about in self.left_out:
            if not about & gone:
                self.faults.append(f"{name}: a row that is about the file is left out")
        head = ChainHead(self.following.link, len(self.links), self.following.sealed_from)
        if not is_same_json([*astuple(head)], [self.told[name] for name in ("head", "links", "sealedFrom")]):
            self.faults.append("the entries of its change log do not lead to the head it names")
        digests: dict[str, ResponseDigest] = {}
        told = list(self.response_faults(held, digests))
        findings = findings_of(self.tree, self.said, digests, told)
        more = self.whole_faults(held.agents, held.evidence) if of is None else self.part_faults(held, of)
        faults = dict.fromkeys((*self.faults, *self.following.faults, *more, *self.agent_faults(held.agents)))
        made = {i: at - self.sealed_at for i, at in self.made.items() if i in self.tree.nodes}
        return HandedOn(tuple(findings), tuple(faults), head, tuple(self.links[self.sealed_at :]), made)

    def strange_parts(self, held: Held) -> Iterator[str]:
        """Find what no chain holds: nothing reads it, so no digest would tell."""
        if self.told.keys() != _PARTS or not _is_number(self.told["tree"]):
            yield "the chain in the file holds what no chain does"
        names = self.told["responses"]
        if not isinstance(names, dict) or names.keys() != {i for one in held.evidence for i in one.choices}:
            yield "the responses that the chain in the file names are not those of its nodes"

    def take(self, entry: list[Any], kept: _Kept) -> None:
        """Take in the next entry, of which the digest is all there is if it is of another tree."""
        if not _is_entry(entry):
            self.faults.append("the chain in the file holds an entry that is none")
        if len(entry) == 2:
            if kept.is_about(entry[0]):
                self.faults.append("an entry of the change log that is about the file is left out")
            self.following.skip(log_chain.entry_digest(*entry))
        else:
            link = ChainLink.of(self.following.link, LogFacts(*entry[:8]), log_chain.read_body(entry[8]))
            if link.facts.sequence <= self.last:
                self.faults.append(f"{link.name} has no higher number than one before it")
            self.last = link.facts.sequence
            before = self.following.sealed_from
            self.following.take(link)
            if before and before != self.following.sealed_from:
                self.sealed_at = len(self.links)
            self.take_entry(link, kept)
        self.links.append(self.following.link)

    def take_entry(self, link: ChainLink, kept: _Kept) -> None:
        for row in link.body.rows:
            if isinstance(row, dict) and kept.holds(link.facts.tree, row):
                self.left_out.append((link.name, names_about(row)))
            if isinstance(row, dict) and link.facts.tree is None:
                kind, *names = json.loads(log_chain.key_of(row))
                self.emptied_agents.update(names if kind == AGENT else ())
        if link.facts.tree == kept.number:
            logged = link.logged(lambda step: self.rows[step])
            self.rows[link.facts.sequence] = logged.rows
            self.said.take(logged)
            for row in logged.rows:
                if row[0] == NODE:
                    self.made.setdefault(cast(str, row[3]), len(self.links))
        for row in link.body.rows if link.facts.tree is None else ():
            if isinstance(row, list) and row[0] == TOUCHED and row[2]["tree"] == self.tree.loom.id:
                self.said.updated_at = row[2]["at"]

    def response_faults(self, held: Held, digests: dict[str, ResponseDigest]) -> Iterator[NodeFault]:
        """Yield faults of responses; note what the hash of each node takes from its response."""
        names, said = cast("Mapping[str, str]", self.told["responses"]), self.said
        agents = known_agents(self.following)
        for one in held.evidence:
            if not one.choices:
                continue  # of a summary: see `held_summaries`
            for node_id in one.choices:
                name = names.get(node_id, "")
                if change_log.seal(replace(one, id=name)) != said.responses.get(name):
                    yield NodeFault(node_id, "the response kept for it is not as it was received")
                if one.texts.get(node_id) != said.texts.get(node_id):
                    yield NodeFault(node_id, "the rule of its text is not what the change log says")
            arrival = next((said.arrivals.get(names[i]) for i in one.choices if i in names), None)
            exchanged = exchanged_agents(self.tree, one, arrival, agents)
            yield from (NodeFault(*fault) for fault in exchanged)
            for node_id in one.choices:
                yield from said.exchanged(names.get(node_id, ""), (node_id,))
            is_own = any(said.is_own(names[i]) for i in one.choices if i in names)
            found = compared(self.tree, one, said.texts, is_own=is_own)
            digests |= found.digests
            yield from (NodeFault(*fault) for fault in found.faults)
        resting = {node_id for one in held.evidence for node_id in one.choices}
        for node_id, reason in unexplained(self.tree, resting, said.texts):
            yield NodeFault(node_id, reason)

    def agent_faults(self, agents: Iterable[Agent]) -> Iterator[str]:
        said, held = self.following.states[AGENT], {agent.id for agent in agents}
        for name in dict.fromkeys((*sorted(_authors(self.tree)), *self.listed())):
            if (name in said and name not in held) or name in self.emptied_agents:
                yield f"the agent {name}, who is named in the file, is left out of it"
        for agent in agents:
            state = said.get(agent.id)
            if state is None or not is_same_json(agent_to_json(_agent(state)), agent_to_json(agent)):
                yield f"the agent {agent.id} is not what the change log says"

    def listed(self) -> list[str]:
        """The agents that the file of the tree listed as it came into the grove."""
        listed = self.following.states[FILE].get(self.tree.loom.id, {"agents": []})
        return cast("list[str]", listed["agents"])

    def whole_faults(self, agents: Sequence[Agent], evidence: Sequence[Evidence]) -> Iterator[str]:
        """Find the faults that only a file of a whole tree can show."""
        marks = without_sleeping(self.tree, self.said.marks)
        held = held_summaries(marks_of(self.tree, self.tree.path), evidence, marks, self.said.of_responses)
        yield from mark_faults(held.rows, marks)
        yield from held.faults
        listed = self.following.states[FILE].get(self.tree.loom.id, {"agents": [], "extra": {}})
        authors = (node.author_agent_id or "" for node in self.tree.nodes.values())
        known = self.following.states[AGENT]
        named = (*cast("list[str]", listed["agents"]), *authors, *self.tree.agent_memory)
        wanted = [agent_id for agent_id in dict.fromkeys(named) if agent_id in known]
        if [agent.id for agent in agents] != wanted:
            yield "the agents of its tree are not those that the change log says"
        if not is_same_json(dict(self.tree.extra), listed["extra"]):
            yield "the foreign keys at its top are not what the change log says"

    def part_faults(self, held: Held, of: str) -> Iterator[str]:
        """Find the faults that only a file of the nodes above one can show."""
        known = self.following.states[AGENT]
        if [agent.id for agent in held.agents] != [name for name in _authors(self.tree) if name in known]:
            yield "its agents are not the authors of its nodes"
        if self.tree.nodes.keys() != set(held.above):
            yield f"it holds other nodes than those above {of}"
        marks = [*marks_of(self.tree, self.tree.path)]
        if len(marks) > 1 or self.tree.path.leaf_id != of or self.tree.path.selections or self.tree.extra:
            yield "it says more than a file of a part of a tree can prove"


_PARTS = {"head", "links", "sealedFrom", "tree", "of", "responses", "entries"}


def _is_entry(entry: Sequence[object]) -> bool:
    """True if it has the parts of an entry and no other: the digest of a number is that of its digits."""
    if len(entry) == 2:
        return entry[0] is None or _is_number(entry[0])
    sequence, tree, *_ = entry
    return len(entry) == 9 and _is_number(sequence) and (tree is None or _is_number(tree))


def _is_number(value: object) -> bool:
    return type(value) is int


def _agent(state: Json) -> Agent:
    """An agent of its state in the log, see `grove_rows`."""
    names = {
        "agent_id": "id",
        "model_ref": "modelRef",
        "loom_aware": "loomAware",
        "archived_at": "archivedAt",
    }
    cells = {
        "run_limits": state.get("runLimits"),
        **state,
        **{column: state[name] for column, name in names.items()},
    }
    return agent_of(SimpleNamespace(**cells))
