"""Several answers: one run where the model writes them itself, else a run for each, told as one."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import field, replace

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.generation.provider import (
    ChoiceFailed,
    Finished,
    Provider,
    ProviderError,
    ReasoningDelta,
    Request,
    RequestSent,
    TextDelta,
    UsageReported,
    Withdrawn,
)
from loomapp.core.model.raw_response import Evidence
from loomapp.providers.protocols.learned import ONE_AT_A_TIME
from loomapp.providers.run.run import Ended, RequestRun, Retrying, RunEvent, Watchdog

PAUSE_S = 1.0  # before the first retry
HEED_S = 0.1  # a signal that comes just as a wait begins does not end it, and is heard when it is over
UNREAD_S = 2.0  # how long what has come may take to be read, before it counts as silence


@dataclass(frozen=True, slots=True)
class Room:
    """The number of answers that a model writes in one request, and whether their common part is cached.

    Where it is, the first request is alone until it is being answered: the others then find the cache full.
    """

    choices: int
    caches: bool = False


@dataclass(slots=True)
class _Part:
    """A run and the numbers of the drafts that its choices are."""

    run: RequestRun
    first: int
    count: int
    ended: Ended | None = None


@dataclass(slots=True)
class _State:
    parts: list[_Part] = field(default_factory=list)
    waiting: list[_Part] = field(default_factory=list)
    over: bool = False
    halted: bool = False


class FanOut:
    """A request for many answers on its way; to whoever asked it is one run."""

    def __init__(
        self,
        request: Request,
        provider: Provider,
        room: Room,
        *,
        new_id: Callable[[], str],
        pause_s: float = PAUSE_S,
    ) -> None:
        self.request = request
        self.id = new_id()
        self._provider = provider
        self._room = room
        self._new_id = new_id
        self._pause_s = pause_s
        self._events: queue.SimpleQueue[RunEvent] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._state = _State()

    def begin(self) -> None:
        """Starts the workers: all of them, or the first of them."""
        parts = self._planned(range(self.request.n), max(1, min(self._room.choices, self.request.n)))
        with self._lock:
            self._state.parts += parts
            self._state.waiting = parts[1:] if self._room.caches else []
        for part in parts[:1] if self._room.caches else parts:
            part.run.begin()

    @property
    def ended(self) -> bool:
        """True once `Ended` is in the queue, drained or not."""
        return self._state.over

    def drain(self) -> list[RunEvent]:
        """Return what came since the last time, without waiting; after `Ended` nothing more."""
        events: list[RunEvent] = []
        with contextlib.suppress(queue.Empty):
            while True:
                events.append(self._events.get_nowait())
        return events

    def follow(self, watchdog: Watchdog | None = None) -> Iterator[RunEvent]:
        """Yield every event as it comes, waiting in between; the last is `Ended`. A watchdog ends silence."""
        while True:
            left_s = None if watchdog is None else watchdog.left_s()
            event: RunEvent | None = None
            with contextlib.suppress(queue.Empty):
                event = self._events.get(timeout=HEED_S if left_s is None else min(HEED_S, left_s))
            if event is not None:
                if watchdog is not None:
                    watchdog.note(event)
                yield event
                if isinstance(event, Ended):
                    return
            # Also after an event: a server may send what are no words for ever.
            if watchdog is not None and watchdog.left_s() == 0 and self._may_be_stopped(watchdog):
                self.stop(watchdog.error)
                watchdog = None

    def _may_be_stopped(self, watchdog: Watchdog) -> bool:
        """Tell whether nothing is left of what has come: a busy computer may be late in reading it."""
        with self._lock:
            runs = [part.run for part in self._state.parts]
        if self._events.empty() and all(run.is_drained for run in runs):
            return True
        return not watchdog.linger(UNREAD_S)

    def halt(self, why: ProviderError | None = None) -> None:
        """Let nothing more of it be sent; see `RequestRun.halt`."""
        with self._lock:
            self._state.halted = True
            parts, self._state.waiting = list(self._state.parts), []
        for part in parts:
            part.run.halt(why)

    def stop(self, why: ProviderError | None = None) -> None:
        """Ends all of it for the user now."""
        self.halt(why)
        with self._lock:
            parts = list(self._state.parts)
        for part in parts:
            part.run.stop(why)

    def stop_choice(self, index: int) -> None:
        """End the call of one choice, unless it writes others too: nobody would read what it costs."""
        with self._lock:
            alone = [p.run for p in self._state.parts if p.first == index and p.count == 1]
        for run in alone:
            run.stop()

    def hurry(self, index: int) -> None:
        """Begin the next attempt of a choice now, if it pauses before one."""
        with self._lock:
            runs = [p.run for p in self._state.parts if p.first <= index < p.first + p.count]
        for run in runs:
            run.hurry()

    def evidence(self) -> tuple[Evidence, ...]:
        """The exchanges as far as they went; any thread may ask."""
        with self._lock:
            parts = list(self._state.parts)
        return tuple(_shifted(one, part) for part in parts for one in part.run.evidence())

    def join(self, timeout_s: float | None = None) -> bool:
        """Waits for the workers to be gone; True if they are."""
        with self._lock:
            runs = [part.run for part in self._state.parts]
        return all(run.join(timeout_s) for run in runs)

    def _planned(self, numbers: range, at_once: int) -> list[_Part]:
        return [
            self._part(first, min(at_once, numbers.stop - first))
            for first in range(numbers.start, numbers.stop, at_once)
        ]

    def _part(self, first: int, count: int) -> _Part:
        # the part knows its run and the run tells the part: the list closes the circle
        known: list[_Part] = []
        run = RequestRun(
            replace(self.request, n=count),
            self._provider,
            new_id=self._new_id,
            pause_s=self._pause_s,
            post=lambda event: self._on_event(known[0], event),
        )
        known.append(_Part(run, first, count))
        return known[0]

    def _on_event(self, part: _Part, event: RunEvent) -> None:
        """Called on the workers' threads, and on that of whoever stops it."""
        if isinstance(event, Ended):
            self._on_ended(part, event)
            return
        if not isinstance(event, RequestSent):
            self._release()
        match event:
            case (
                TextDelta(index=index)
                | ReasoningDelta(index=index)
                | ChoiceFailed(index=index)
                | Finished(index=index)
                | Withdrawn(index=index)
            ):
                event = replace(event, index=part.first + index)
            case Retrying():
                event = replace(event, first=part.first, count=part.count)
            case UsageReported() if len(self._state.parts) > 1 and part.run.request.n == 1:
                event = replace(event, index=part.first)
        self._events.put(event)

    def _on_ended(self, part: _Part, ended: Ended) -> None:
        if self._is_to_be_split(part, ended.error):
            ended = self._split(part, ended)
            if part.count == 0:
                return
        self._release()
        with self._lock:
            part.ended = ended
            if ended.error is not None and len(self._state.parts) > 1:
                for index in range(part.first, part.first + part.count):
                    self._events.put(ChoiceFailed(index, ended.error))
            ends = [p.ended for p in self._state.parts if p.ended is not None]
            if len(ends) < len(self._state.parts) or self._state.over:
                return
            self._state.over = True
            errors = [end.error for end in ends if end.error is not None]
            failed = (error for error in errors if error.code != "cancelled")
            error = next(failed, errors[0] if errors else None)
            silent_calls = sum(end.silent_calls for end in ends)
            self._events.put(Ended(self.evidence(), error, silent_calls))

    def _is_to_be_split(self, part: _Part, error: LoomError | None) -> bool:
        """The model was found to write one answer at a time."""
        is_learned = error is not None and error.details.get("learned") == ONE_AT_A_TIME
        return part.count > 1 and is_learned and not self._state.halted

    def _split(self, part: _Part, ended: Ended) -> Ended:
        """The answers that are missing are asked for one by one; what the part has come to is its end."""
        finished = ended.error is not None and ended.error.details.get("finished") == [0]
        parts = self._planned(range(part.first + finished, part.first + part.count), 1)
        with self._lock:
            part.count = int(finished)
            others = [p for p in self._state.parts if p.count > 0]
            self._state.parts = others + parts
            is_halted = self._state.halted
        for new in parts:
            if is_halted:
                new.run.halt()
            new.run.begin()
        return replace(ended, error=None) if finished else ended

    def _release(self) -> None:
        """The first is being answered, or has failed: the others go."""
        with self._lock:
            waiting, self._state.waiting = self._state.waiting, []
        for part in waiting:
            part.run.begin()


def _shifted(evidence: Evidence, part: _Part) -> Evidence:
    own = {str(index): str(part.first + index) for index in range(part.count)}
    choices = {own[number]: choice for number, choice in evidence.choices.items() if number in own}
    return replace(evidence, choices=choices)


def start(
    request: Request,
    provider: Provider,
    *,
    new_id: Callable[[], str],
    room: Room | None = None,
    pause_s: float = PAUSE_S,
) -> FanOut:
    """Begins to answer `request` on threads of its own; without `room` the model writes all by itself."""
    fan_out = FanOut(request, provider, room or Room(request.n), new_id=new_id, pause_s=pause_s)
    fan_out.begin()
    return fan_out
