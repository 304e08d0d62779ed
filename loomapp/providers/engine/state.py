"""The states of the embedded engine, each with what to tell the user and what to do about it."""

from __future__ import annotations

from typing import ClassVar

from loomapp.core.dataclass import dataclass

NAME = "The local model"


@dataclass(frozen=True, slots=True)
class EngineState:
    """`message` says what is, `remedy` what the user can do (empty: nothing to do). `progress` is 0 to 1."""

    name: ClassVar[str]
    message: str
    remedy: str = ""
    progress: float | None = None


@dataclass(frozen=True, slots=True)
class Absent(EngineState):
    """State without an engine, because nobody needed one yet or because something is missing."""

    name: ClassVar[str] = "absent"
    message: str = "local model not started"
    remedy: str = "It starts with the first Generate."


@dataclass(frozen=True, slots=True)
class Fetching(EngineState):
    """The model file is on its way."""

    name: ClassVar[str] = "fetching"
    message: str = "fetching the model"
    remedy: str = "Stop cancels it."
    progress: float | None = 0.0
    received_bytes: int = 0
    total_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Starting(EngineState):
    """The child process loads the model."""

    name: ClassVar[str] = "starting"
    message: str = "model starting"


@dataclass(frozen=True, slots=True)
class Ready(EngineState):
    """State of an engine that waits for work."""

    name: ClassVar[str] = "ready"
    message: str = "model ready"


@dataclass(frozen=True, slots=True)
class Busy(EngineState):
    """State of an engine that writes `streams` continuations."""

    name: ClassVar[str] = "busy"
    message: str = "model busy"
    remedy: str = "Stop ends it."
    streams: int = 0


@dataclass(frozen=True, slots=True)
class Died(EngineState):
    """The child process ended although nobody asked it to. `status`: its exit status, or minus a signal."""

    name: ClassVar[str] = "died"
    message: str = "the model's engine ended unexpectedly"
    remedy: str = "The next Generate starts it again; what was written is kept."
    status: int | None = None
