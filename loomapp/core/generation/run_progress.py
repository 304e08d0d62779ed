"""Progress of a loom-aware agent's run, as people see it while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Act: TypeAlias = Literal["reads", "writes", "asks"]


@dataclass(frozen=True, slots=True)
class RunLine:
    """A command line of a run; `code` is that of its error, `text` what it came to, None while it is carried
    out.
    """

    line: str
    text: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is: its step, from 1, of how many at most, its command lines so far, the tokens that its
    model wrote in the steps before, and the node at which it acted last.
    """

    step: int
    most_steps: int
    lines: tuple[RunLine, ...] = ()
    tokens: int = 0
    at: str = ""
    act: Act = "reads"
