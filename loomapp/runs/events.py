"""Events of a run, told as they happen, and what it came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.generation.events import TextDelta, Usage
from loomapp.providers.run.run import Retrying

if TYPE_CHECKING:
    from loomapp.core.loom_commands.registry import Needed

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
