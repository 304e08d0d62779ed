"""The past of a tree as a person reads it: its steps, whether they hold, and the names of points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.times import Milliseconds

# Abandoned steps were undone when something else was done: undo and redo do not reach them any more.
StepState: TypeAlias = Literal["done", "undone", "abandoned"]

BEGINNING = 0  # the point before the first step


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the change log. `name` is what the point right after it was called, `about` how the text of
    the first node that it touched begins, "" where there is none.
    """

    sequence: int
    label: str
    by: str
    at: Milliseconds
    state: StepState
    name: str | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class StepPage:
    """Some steps, newest first. `present` is the newest step that holds, else BEGINNING."""

    steps: tuple[Step, ...]
    has_older: bool
    present: int
    beginning_name: str | None = None
