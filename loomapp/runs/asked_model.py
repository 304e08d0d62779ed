"""A model that a run asks: one request from its start to its end, stopped, watched, and kept in a journal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import field, replace
from typing import Protocol, TypeAlias, TypeVar

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.drafts import Draft, fail, grow
from loomapp.core.generation.provider import (
    Provider,
    ProviderError,
    Request,
    StreamEvent,
    TextDelta,
    UsageReported,
    joined,
)
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.model.raw_response import Evidence
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.run.fan_out import FanOut, Room, start
from loomapp.providers.run.run import Ended, Retrying, Watchdog


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model as it is asked: its provider, what is known of it, and a watchdog made for each request."""

    provider: Provider
    rules: ModelRules
    watchdog: Callable[[], Watchdog | None]


class Keeper(Protocol):
    """Keeper of an answer while it streams, against a crash."""

    def begin(self, live: FanOut) -> None: ...

    def note(self, event: StreamEvent) -> None: ...

    def settle(self, drafts: Sequence[Draft], evidence: Sequence[Evidence]) -> None: ...

    def forget(self) -> None: ...


JournalOf: TypeAlias = Callable[
    [Agent, str, Request, Sequence[Json] | None], AbstractContextManager[Keeper | None]
]
"""The journal for an agent's answers below a node; the JSON are the trace of its run until then, None where
it is asked by another one.
"""


@dataclass(frozen=True, slots=True)
class Answers:
    """The drafts that came of a request, all ended, and what they rest on."""

    drafts: tuple[Draft, ...]
    evidence: tuple[Evidence, ...]
    error: LoomError | None
    silent_calls: int = 0
    ids: Mapping[int, str] = field(default_factory=dict)  # of the nodes that they become, where known

    def response(self, record: Mapping[str, object] | None) -> Evidence | None:
        """The response that holds the first draft, with the record of its request."""
        found = next((one for one in self.evidence if "0" in one.choices), None)
        return None if found is None else found.with_record(record)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request that a run wants answered: who is asked, what the answers continue, and until when, in
    seconds of the monotonic clock. `is_own` if the agent of the run answers it, not one that it asks; `trace`
    is that of the run that the answer belongs to, None where it belongs to none.
    """

    request: Request
    model: AskedModel
    agent: Agent
    sources: Sources
    deadline: float
    trace: tuple[Json, ...] | None = None
    journal: Keeper | None = None
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """A place between two commands: whoever follows the run may do something else before it goes on."""


T = TypeVar("T")
Steps: TypeAlias = Generator[RunRequest | Pause, Answers, T]
"""A part of a run: it wants requests answered one after the other, and comes to something. It is sent
NO_ANSWERS after a pause.
"""
NO_ANSWERS = Answers((), (), None)


class Asking:
    """The end of a run: Stop, and a deadline in seconds of the monotonic clock; those of the run above it
    count too. It also asks models one after the other on the thread that calls it; any other may stop it.
    """

    def __init__(
        self,
        tell: Callable[[TextDelta | Retrying], None],
        new_id: Callable[[], str],
        deadline: float,
        above: Asking | None = None,
    ) -> None:
        self._tell, self._new_id, self._deadline, self._above = tell, new_id, deadline, above
        self._lock = threading.RLock()  # a signal handler may stop what is just being begun
        self._live: FanOut | None = None
        self._is_stopped = False

    @property
    def deadline(self) -> float:
        """The moment at which it ends, in seconds of the monotonic clock."""
        return self._deadline

    @property
    def is_late(self) -> bool:
        """True once its time is over."""
        return time.monotonic() >= self._deadline

    @property
    def is_stopped(self) -> bool:
        """True once it, or the run above it, was stopped."""
        return self._is_stopped or (self._above is not None and self._above.is_stopped)

    def stop(self) -> None:
        """End what is asked now, and ask nothing more."""
        with self._lock:
            self._is_stopped = True
            live = self._live
        if live is not None:
            live.stop()

    def result(self, steps: Steps[T]) -> T:
        """Ask all that steps want, on this thread, and return what they come to."""
        with closing(steps):
            try:
                wanted = next(steps)
                while True:
                    wanted = steps.send(NO_ANSWERS if isinstance(wanted, Pause) else self._answers(wanted))
            except StopIteration as end:
                outcome: T = end.value
                return outcome

    def _answers(self, wanted: RunRequest) -> Answers:
        """Ask for all choices of a request. What came before a fault, Stop or the deadline is kept."""
        request, model, journal = wanted.request, wanted.model, wanted.journal
        with self._lock:
            if self.is_stopped:
                error = ProviderError("cancelled", "Stopped.")
                return Answers(tuple(fail(Draft(i), error) for i in range(request.n)), (), error)
            room = Room(model.rules.max_choices, model.rules.caches)
            self._live = live = start(request, model.provider, room=room, new_id=self._new_id)
        if journal is not None:
            journal.begin(live)
        left_s = max(0.0, wanted.deadline - time.monotonic())
        timer = threading.Timer(left_s, live.stop, (too_late(),))
        timer.daemon = True
        timer.start()
        try:
            return self._followed(live, model.watchdog(), journal, is_shown=wanted.is_own)
        finally:
            timer.cancel()
            timer.join()

    def _followed(
        self, live: FanOut, watchdog: Watchdog | None, journal: Keeper | None, *, is_shown: bool
    ) -> Answers:
        came: list[StreamEvent] = []
        ended = Ended(())
        for event in live.follow(watchdog):
            if isinstance(event, Ended):
                ended = event
            elif isinstance(event, Retrying):
                self._tell(event)
            else:
                came.append(event)
                if journal is not None:
                    journal.note(event)
                if is_shown and isinstance(event, TextDelta):
                    self._tell(event)
        drafts = [Draft(index) for index in range(live.request.n)]
        for one in joined(came):
            drafts = [grow(draft, one) for draft in drafts]
        if live.request.n == 1 and drafts[0].usage is None:
            counts = [one.usage for one in came if isinstance(one, UsageReported)]
            drafts = [replace(drafts[0], usage=counts[-1])] if counts else drafts
        return ended_answers(drafts, ended)


def ended_answers(drafts: Iterable[Draft], ended: Ended) -> Answers:
    """The answers that drafts are once their request has ended."""
    if ended.error is not None:
        drafts = [fail(draft, ended.error) for draft in drafts]
    return Answers(tuple(drafts), ended.evidence, ended.error, ended.silent_calls)


def too_late() -> ProviderError:
    """The error of a request that took the last seconds of its run."""
    return ProviderError("timeout", "The run took all of its seconds. What was written so far is kept.")
