"""Comparison of marks, agents, summaries and the order of rows with the last word of the change log."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias, TypeVar, cast

from sqlalchemy import Connection

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.model.change import RowChange
from loomapp.core.model.entities import (
    ActivePath,
    BranchSummary,
    ContextSummary,
    IncludedAnnotations,
    Mark,
    Node,
    Row,
    Summary,
)
from loomapp.core.model.hashes import is_same_json
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import asking_agent
from loomapp.core.response_text.summaries import LOST_RESPONSE, contradictions, name_of, resting
from loomapp.core.sentences import worded
from loomapp.core.times import Milliseconds
from loomapp.store.rows import change_log, log_rows, responses, tree_rows
from loomapp.store.rows.chain import ChainReplay
from loomapp.store.rows.log_rows import EDGE, NODE, SUMMARIES, TREE, LoggedRow, response_of

_Key = tuple[str, str]
Marks: TypeAlias = dict[_Key, object]  # the state that the log said last of each mark, None if it went
_NAMES = {
    "path": "the place where it was read last",
    "included": "the notes that are included",
    "tag": "the tag {0}",
    "link": "a link to {2}",
    "branchSummary": "the summary of the branch at {0}",
    "contextSummary": "the summary at {0}",
    "agentMemory": "the memory of the agent {0}",
}
_KINDS = {
    "path": "places read last",
    "included": "included notes",
    "tag": "the tags",
    "link": "the links",
    "branchSummary": "the summaries of branches",
    "contextSummary": "the summaries",
    "agentMemory": "the memories of agents",
}


def strange_marks(connection: Connection, number: int, tree: Tree) -> Iterator[str]:
    """Yield a line for each mark that is not what the log says. Of nodes and edges `verify_tree` tells."""
    marks: Marks = {}
    for logged in change_log.read_each(connection, number):
        for row in logged.rows:
            take_row(marks, row)
    return mark_faults(kept_marks(connection, number, tree), marks)


def take_row(marks: Marks, row: LoggedRow) -> None:
    """Take in one more row of the log; the marks keep the order in which they came."""
    if row[0] in (NODE, EDGE, TREE):
        return
    key = _key(log_rows.decode(row, _no_node).row)
    if row[1] is None or row[2] is None:
        marks.pop(key, None)
    marks[key] = row[2]


def mark_faults(rows: Iterable[Row], marks: Marks) -> Iterator[str]:
    """Yield a line for each mark that is not what was heard, or stands elsewhere among its kind."""
    said = {key: state for key, state in marks.items() if state not in (None, [])}  # []: no note included
    here = {_key(row): log_rows.encode(RowChange(None, row))[2] for row in rows}
    for key in dict.fromkeys((*here, *said)):
        if not is_same_json(here.get(key), said.get(key)):
            kind, name = key
            yield f"{_NAMES[kind].format(*name.split(chr(0)))} is not what the change log says"
    if here.keys() == said.keys():
        for kind in _NAMES:
            if [key for key in here if key[0] == kind] != [key for key in said if key[0] == kind]:
                yield f"the order of {_KINDS[kind]} is not what the change log says"


def _no_node(node_id: str) -> Node:
    raise GroveError(
        "damaged",
        worded("The change log says something else of node {node_id}; open a backup.", node_id=node_id),
    )


def kept_marks(connection: Connection, number: int, tree: Tree) -> Iterator[Row]:
    return marks_of(tree, tree_rows.kept_path(connection, number, tree))


def marks_of(tree: Tree, path: ActivePath) -> Iterator[Row]:
    yield path
    if tree.included_annotations != IncludedAnnotations():
        yield tree.included_annotations
    for rows in _mark_tables(tree):
        yield from rows.values()


def _mark_tables(tree: Tree) -> Iterable[Mapping[str, Mark]]:
    summaries = tree.branch_summaries, tree.context_summaries
    return (tree.tags, tree.links, *summaries, tree.agent_memory)


def _key(row: Row) -> _Key:
    return log_rows.kind_of(row), row.key


OTHER_AGENT = "it is said to be of an agent that never asked the model its response came from"


class AgentName(NamedTuple):
    """The model of an agent, and what the agent was called, at one time."""

    model_ref: str
    name: str


@dataclass(frozen=True, slots=True)
class KnownAgents:
    """Every model and name that each agent of a grove ever had, by its id, and from which entry of the change
    log on that is proved.
    """

    names: Mapping[str, AbstractSet[AgentName]]
    sealed_from: int


def known_agents(following: ChainReplay) -> KnownAgents:
    """The agents that a chain told of, once it is read to its end."""
    names = {agent_id: {AgentName(*one) for one in ever} for agent_id, ever in following.agents.items()}
    return KnownAgents(names, following.sealed_from)


class Arrival(NamedTuple):
    """The entry of the change log that a response came with."""

    sequence: int
    at: Milliseconds
    is_import: bool  # by its label, or because its tree came with it


def exchanged_agents(
    tree: Tree, item: Evidence, arrival: Arrival | None, known: KnownAgents
) -> Iterator[tuple[str, str]]:
    """Yield each node of a response that is said to be of another agent than asked for it, and the reason.

    What came from elsewhere names agents as they were called there, and entries before the seal prove
    nothing: of those nothing is said.
    """
    asked = asking_agent(item)
    if asked is None or arrival is None or arrival.sequence < known.sealed_from:
        return
    nodes = [tree.nodes[node_id] for node_id in item.choices if node_id in tree.nodes]
    if arrival.is_import and all(node.created_at != arrival.at for node in nodes):
        return
    model_ref, name = asked
    for node in nodes:
        ever = known.names.get(node.author_agent_id or "", frozenset())
        if not any(one.model_ref == model_ref and name in (None, one.name) for one in ever):
            yield node.id, OTHER_AGENT


LoggedSummaries: TypeAlias = dict[str, LoggedRow]  # the last row that told of each response of a summary


def summaries_in(rows: Iterable[LoggedRow]) -> LoggedSummaries:
    """The responses that rows of the log say summaries rest on, each with a row that says no more than so."""
    found: LoggedSummaries = {}
    for row in rows:
        if row[0] in SUMMARIES:
            for state in row[1:3]:
                name = response_of(state) if isinstance(state, dict) else None
                if name is not None:
                    found[name] = [row[0], None, state]
    return found


@dataclass(frozen=True, slots=True)
class SaidOfResponses:
    """The word of the change log on the responses of a tree."""

    seals: Mapping[str, str]
    of_summaries: LoggedSummaries
    is_own: Callable[[str], bool]

    def faults(self, summary: Summary, item: Evidence | None) -> Iterator[str]:
        """Yield a line for whatever of a summary is not as its response, or that not as it was received."""
        if item is None:
            yield f"{name_of(summary)}: {LOST_RESPONSE}"
            return
        if change_log.seal(item) != self.seals.get(item.id):
            yield f"{name_of(summary)}: {responses.why_not_as_received(item)}"
        for reason in contradictions(summary, item, is_own=self.is_own(item.id)):
            yield f"{name_of(summary)}: {reason}"


def summary_faults(connection: Connection, number: int, tree: Tree, said: SaidOfResponses) -> Iterator[str]:
    """Yield a line for each summary that is not what its response says, and for each response of one that is
    lost or changed, also where the summary is undone, edited or replaced by now.
    """
    rows = {row.key: row for row in resting(tree)}
    names = {*said.of_summaries, *(row.response_id or "" for row in rows.values())}
    kept = {item.id: item for item in responses.read_named_evidence(connection, number, names)}
    for row in rows.values():
        yield from said.faults(row, kept.get(row.response_id or ""))
    claimed = {row.response_id for row in rows.values()}
    for name, logged in said.of_summaries.items():
        if name not in claimed:
            yield from said.faults(summary_of(logged), kept.get(name))


def summary_of(logged: LoggedRow) -> Summary:
    row = log_rows.decode(logged, lambda _: NotImplemented).after
    return cast(Summary, row)


@dataclass(frozen=True, slots=True)
class HeldSummaries:
    """The marks of a file under the names that its responses have in the grove it came from."""

    rows: list[Row]
    faults: list[str]


def held_summaries(
    rows: Iterable[Row],
    evidence: Iterable[Evidence],
    marks: Mapping[tuple[str, str], object],
    said: SaidOfResponses,
) -> HeldSummaries:
    """Compare the responses of a file's summaries with the log, which knows them by other names; a summary
    that has a response of which the log says nothing keeps the name it has.
    """
    kept = {item.id: item for item in evidence}
    found = HeldSummaries([], [])
    for row in rows:
        if not isinstance(row, BranchSummary | ContextSummary) or row.response_id is None:
            found.rows.append(row)
            continue
        state = marks.get((log_rows.kind_of(row), row.key))
        name = response_of(state) if isinstance(state, dict) else None
        item = kept.get(row.response_id)
        if item is not None and name is not None:
            item = replace(item, id=name)
        found.rows.append(replace(row, response_id=name or row.response_id))
        found.faults.extend(said.faults(row, item))
    return found


def without_sleeping(tree: Tree, marks: Mapping[tuple[str, str], object]) -> dict[tuple[str, str], object]:
    """The marks that the log told of, without the summaries whose nodes are undone: no file holds those."""
    return {
        (kind, key): state
        for (kind, key), state in marks.items()
        if kind not in SUMMARIES or key.partition("\0")[0] in tree.nodes
    }


H = TypeVar("H")
S = TypeVar("S")
_NOTHING = None, None


def in_step(here: Mapping[str, H], said: Mapping[str, S]) -> Iterator[tuple[str, H, S | None]]:
    """Each of these rows with what was said of it, None if nothing was. Both nearly always come in the same
    order: what is next is looked at, and hardly anything looked up.
    """
    coming = iter(said.items())
    name, word = next(coming, _NOTHING)
    for key, row in here.items():
        while name != key and name is not None and name not in here:
            name, word = next(coming, _NOTHING)
        if name == key:
            yield key, row, word
            name, word = next(coming, _NOTHING)
        else:
            yield key, row, said.get(key)


def is_as_said(here: Iterable[str], said: Mapping[str, object]) -> bool:
    """Tell whether the rows here are those that were said to be there, in that order."""
    return list(here) == [key for key, state in said.items() if state is not None]


def out_of_place(here: Sequence[str], said: Iterable[str]) -> list[str]:
    """The fewest ids that must have moved if `here` is to come in the order of `said`."""
    place = {name: i for i, name in enumerate(said)}
    known = [name for name in here if name in place]
    if all(place[a] < place[b] for a, b in pairwise(known)):
        return []
    kept = _longest_rise([place[name] for name in known])
    return [name for name in known if place[name] not in kept]


def _longest_rise(numbers: Sequence[int]) -> set[int]:
    """The numbers of a longest rising row within a row of different numbers."""
    lowest_end: list[int] = []  # the lowest number that ends a rising row of each length
    before: dict[int, int | None] = {}
    for number in numbers:
        length = bisect_left(lowest_end, number)
        before[number] = lowest_end[length - 1] if length else None
        lowest_end[length : length + 1] = [number]
    rise: set[int] = set()
    number_or_none: int | None = lowest_end[-1] if lowest_end else None
    while number_or_none is not None:
        rise.add(number_or_none)
        number_or_none = before[number_or_none]
    return rise
