"""Progress of a loom-aware agent's run, as people see it while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.loom_commands.trace import TraceEntry

Act: TypeAlias = Literal["reads", "writes", "asks"]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Progress of a run: its step, from 1, of how many at most, its command lines so far (one that is being
    carried out last, as `now`), the tokens that its model wrote in the steps before, and the node at which it
    acted last.
    """

    step: int
    most_steps: int
    lines: tuple[TraceEntry, ...] = ()
    now: str = ""
    tokens: int = 0
    at: str = ""
    act: Act = "reads"
