"""Events of a run, told as they happen, proposals that wait for a person, and what the run came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.generation.provider import TextDelta, Usage
from loomapp.core.json_values import Json
from loomapp.core.loom_commands.results import AskModel, Edited, Outcome
from loomapp.core.model.entities import Edge, Link, Node
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.text.command_lines import ARROW
from loomapp.formats.run_drafts import evidence_from_json, evidence_to_json
from loomapp.providers.run.run import Retrying

if TYPE_CHECKING:
    from loomapp.core.loom_commands.registry import Needed

SAID_BY_LINE = frozenset(
    {"continue", "link", "bookmark", "read doc", "write doc"}
)  # what they do stands there


@dataclass(frozen=True, slots=True)
class Proposal:
    """A command that waits. `at` is where its agent stood, `start` the node that its answer continues, `name`
    which command it is, `about` the node at which it stands, `text` the words that it would write, or what it
    may come to.
    """

    id: str
    tree_id: str
    agent_id: str
    action_id: str
    line: str
    name: str
    at: str
    start: str
    about: str
    text: str = ""
    response: Evidence | None = field(default=None, compare=False)

    @property
    def words(self) -> str:
        """The words that it would write; where they do not say what it does, the command line, and of models
        that are asked also what that may come to.
        """
        line = self.line.removeprefix(ARROW)
        if self.name == "continue" and self.text:
            return f"{line} · {self.text}"
        return line if self.name in SAID_BY_LINE else self.text

    def to_json(self) -> Json:
        """Write it down, with the response that it rests on."""
        return {
            "agent": self.agent_id,
            "action": self.action_id,
            "line": self.line,
            "name": self.name,
            "at": self.at,
            "start": self.start,
            "about": self.about,
            "text": self.text,
            "response": None if self.response is None else evidence_to_json(self.response),
        }


def proposal_from_json(tree_id: str, key: str, body: Mapping[str, object]) -> Proposal | None:
    """A proposal as it was kept; None if it makes no sense."""
    match body:
        case {
            "agent": str(agent_id),
            "action": str(action_id),
            "line": str(line),
            "name": str(name),
            "at": str(at),
            "start": str(start),
            "about": str(about),
            "text": str(text),
        }:
            response = evidence_from_json(body.get("response"))
            return Proposal(key, tree_id, agent_id, action_id, line, name, at, start, about, text, response)
        case _:
            return None


def subject_of(tree: Tree, outcome: Outcome, at: str) -> tuple[str, str]:
    """The node at which a command's outcome would stand, and the words that it would write."""
    match outcome:
        case AskModel(asked):
            return asked, ""
        case Edited(change) if change is not None:
            added, rows = change.added_nodes(), [row.row for row in change.rows]
            text = next((node.text for node in added), "")
            edited = (node.edited_from for node in added if node.edited_from is not None)
            sources = (one.node_id for row in rows if isinstance(row, Edge) for one in row.sources)
            changed = (row.id for row in rows if isinstance(row, Node))
            linked = (row.from_node_id for row in rows if isinstance(row, Link))
            about = next((one for one in (*edited, *sources, *changed, *linked) if one in tree.nodes), at)
            return about, text
        case _:
            return at, ""


Reason: TypeAlias = Literal["answered", "steps", "tokens", "seconds", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class StepBegan:
    """The agent is asked, from 1."""

    step: int


@dataclass(frozen=True, slots=True)
class CommandBegan:
    """A command line is carried out."""

    step: int
    line: str


@dataclass(frozen=True, slots=True)
class CommandEnded:
    """A command line came to something; `code` is that of its error."""

    step: int
    line: str
    code: str | None
    text: str
    node_ids: tuple[str, ...] = ()
    permission: Needed | None = None  # that it took; None where the line was not understood


RunEvent: TypeAlias = StepBegan | CommandBegan | CommandEnded | TextDelta | Retrying


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The end of a run: the node of its answer, if there is one, why it ended, and all that it wrote. `error`
    is why it failed.
    """

    node_id: str | None
    reason: Reason
    steps: int
    usage: Usage
    error: LoomError | None = None


def added_up(one: Usage, other: Usage | None) -> Usage:
    """The usage of two calls together, as far as they were counted."""
    if other is None:
        return one
    return Usage(
        _sum(one.input_tokens, other.input_tokens),
        _sum(one.output_tokens, other.output_tokens),
        _sum(one.cached_tokens, other.cached_tokens),
        _sum(one.cache_written_tokens, other.cache_written_tokens),
        _sum(one.reasoning_tokens, other.reasoning_tokens),
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other + (one or 0)
