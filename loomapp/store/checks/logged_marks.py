"""Marks and agents of a tree against the change log: its last word on each, and the agent that asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from sqlalchemy import Connection

from loomapp.core.errors import GroveError
from loomapp.core.model.change import RowChange
from loomapp.core.model.entities import ActivePath, IncludedAnnotations, Mark, Node, Row
from loomapp.core.model.hashes import is_same_json
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import asking_agent
from loomapp.core.sentences import worded
from loomapp.core.times import Milliseconds
from loomapp.store.rows import change_log, log_rows, tree_rows
from loomapp.store.rows.chain import ChainReplay
from loomapp.store.rows.log_rows import EDGE, NODE, TREE, LoggedRow

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
    """The marks of a tree with a path of its own."""
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
