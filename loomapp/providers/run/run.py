"""A run: one request, answered on a worker thread, retried after faults that pass, watched for silence."""

from __future__ import annotations

import contextlib
import itertools
import logging
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.generation.provider import (
    Finished,
    PromptRead,
    Provider,
    ProviderError,
    ReasoningDelta,
    Request,
    RequestSent,
    Started,
    StreamEvent,
    TextDelta,
    UsageReported,
    Withdrawn,
)
from loomapp.core.model.raw_response import Evidence
from loomapp.core.response_text.comparison import with_last_count
from loomapp.core.sentences import worded
from loomapp.providers.protocols.exchange import Answer, Call, evidence_of

_log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
LONGEST_WAIT_MS = 120_000
RETRIED = frozenset({"rateLimited", "serverError", "networkError", "timeout"})
WAITED_FOR = frozenset({"cancelled", "timeout"})
"""Codes of errors that end a call which the server may be working on; a lost line says nothing of that."""

FINISHED_ALL_THE_SAME = frozenset({"cancelled", "contentFiltered"})
"""Codes of errors that say nothing against the choices which had finished before."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """An attempt failed before any text came; the next begins in `delay_ms`."""

    attempt: int  # the one that begins, from 2
    delay_ms: int
    error: ProviderError
    first: int = 0  # the number of the first choice that is asked for again
    count: int | None = None  # None: all of them

    def choices(self, of: int) -> range:
        """The numbers of the choices that are asked for again."""
        return range(self.first, of if self.count is None else min(of, self.first + self.count))


@dataclass(frozen=True, slots=True)
class Ended:
    """The last event of every run. No error: every choice finished and the response is whole."""

    evidence: tuple[Evidence, ...]  # one for each exchange that was answered
    error: LoomError | None = None
    silent_calls: int = 0  # that went out, were waited for, and were answered by nobody


RunEvent = StreamEvent | Retrying | Ended


class RequestRun:
    """A request on its way. `drain`, `follow` and `stop` belong to the thread that started it.

    `post` takes the events in place of the run's own queue; it is called on any thread.
    """

    def __init__(
        self,
        request: Request,
        provider: Provider,
        *,
        new_id: Callable[[], str],
        pause_s: float,
        post: Callable[[RunEvent], None] | None = None,
    ) -> None:
        self.request = request
        self.id = new_id()
        self._provider = provider
        self._pause_s = pause_s
        self._call = Call()
        self._answer = Answer()
        self._text_came = False
        self._over = False
        self._halted_by: ProviderError | None = None
        self._hurry = threading.Event()  # ends a pause between two attempts
        self._lock = threading.RLock()  # a signal handler may stop what is just being stopped
        self._events: queue.SimpleQueue[RunEvent] = queue.SimpleQueue()
        self._post = post or self._events.put
        self._thread = threading.Thread(target=self._work, name=f"run {self.id}", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    @property
    def ended(self) -> bool:
        """True once `Ended` is in the queue, drained or not."""
        return self._over

    def drain(self) -> list[RunEvent]:
        """Return what came since the last time, without waiting; after `Ended` nothing more."""
        events: list[RunEvent] = []
        with contextlib.suppress(queue.Empty):
            while True:
                events.append(self._events.get_nowait())
        return events

    def follow(self) -> Iterator[RunEvent]:
        """Yield every event as it comes, waiting in between; the last is `Ended`."""
        while True:
            event = self._events.get()
            yield event
            if isinstance(event, Ended):
                return

    @property
    def is_drained(self) -> bool:
        """True while the worker waits for a server that has sent nothing it has not told already."""
        return self._call.is_waiting or not self._thread.is_alive()

    def hurry(self) -> None:
        """The next attempt begins now, if the run pauses before one."""
        self._hurry.set()

    def halt(self, why: ProviderError | None = None) -> None:
        """Let nothing more be sent. Whoever stops several runs halts them all first: the end of one takes
        time, and makes room for the next at the endpoint.
        """
        self._halted_by = self._halted_by or why or stopped()
        self._call.stop()
        self._hurry.set()

    def stop(self, why: ProviderError | None = None) -> None:
        """Ends the run for the user now; the worker ends by itself a little later and says no more."""
        self.halt(why)
        self._end(self._halted_by)

    def evidence(self) -> tuple[Evidence, ...]:
        """The exchange as far as it went, under the run's own id; () if nobody answered.

        Any thread may ask.
        """
        answer = self._answer  # before the bytes: what was heard is in them then
        found = evidence_of(
            self._call.recordings(),
            answer,
            evidence_id=self.id,
            provider=self.request.model_ref.partition(":")[0],
        )
        if found is None:
            return ()
        if len(answer.finish_reasons) >= self.request.n and not answer.is_heard:
            found = with_last_count(found, self.request.n)
        return (replace(found, choices={str(index): index for index in range(self.request.n)}),)

    def join(self, timeout_s: float | None = None) -> bool:
        """Waits for the worker to be gone, if it ever began; True if it is."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self._end(self._attempts())
        except Exception:
            _log.exception("A provider failed in a way it does not know")
            self._end(
                ProviderError("unknown", "Something went wrong inside Loomapp; its log says more. Retry.")
            )

    def _attempts(self) -> LoomError | None:
        for attempt in itertools.count(1):
            error = self._attempt()
            if not isinstance(error, ProviderError) or not self._is_worth_retrying(error, attempt):
                return error
            with self._lock:
                if not self._over:
                    self._withdraw(error)
                self._answer = Answer()
            delay_s = self._delay_s(error, attempt)
            self._hurry.clear()
            self._offer(Retrying(attempt + 1, round(delay_s * 1000), error))
            if not self._call.requested:
                self._hurry.wait(delay_s)
            if self._call.requested:
                return error
        raise AssertionError

    def _attempt(self) -> LoomError | None:
        if self._call.requested:
            return self._halted_by
        stream = self._provider.stream(self.request, self._call)
        try:
            for event in stream:
                self._note(event)
                self._offer(event)
            self._answer = replace(self._answer, is_heard=True)
        except LoomError as error:
            return error
        finally:
            close = getattr(stream, "close", None)
            if close is not None:
                close()
        return None

    def _is_worth_retrying(self, error: ProviderError, attempt: int) -> bool:
        retry_after_ms = error.details.get("retryAfterMs")
        return (
            error.code in RETRIED
            and not self._text_came
            and not self._may_be_writing(error)
            and attempt < MAX_ATTEMPTS
            and not self._call.requested
            and not error.details.get("billing")
            and not (isinstance(retry_after_ms, int) and retry_after_ms > LONGEST_WAIT_MS)
        )

    def _may_be_writing(self, error: ProviderError) -> bool:
        """True if a server took the request and then fell silent: it may still be writing what is paid for,
        so that only a person asks again.
        """
        recordings = self._call.recordings()
        status = recordings[-1].status if recordings else None
        is_told = "said" in error.details
        return error.code == "timeout" and not is_told and status is not None and 200 <= status < 300

    def _delay_s(self, error: ProviderError, attempt: int) -> float:
        """Longer each time and never quite the same, so that many clients don't return together."""
        retry_after_ms = error.details.get("retryAfterMs")
        asked_s = retry_after_ms / 1000 if isinstance(retry_after_ms, int) else 0.0
        jitter = 1 + random.random() / 4  # noqa: S311 - spreads clients in time, keeps no secret
        return max(asked_s, self._pause_s * (1 << (attempt - 1))) * jitter

    def _note(self, event: StreamEvent) -> None:
        answer = self._answer
        match event:
            case Started():
                self._answer = replace(answer, request_id=event.request_id, model=event.model)
            case TextDelta() | ReasoningDelta():
                self._text_came = True
            case UsageReported(usage=usage):
                self._answer = replace(answer, usage=usage.to_json())
            case Finished(index=index, reason=reason):
                self._answer = replace(answer, finish_reasons={**answer.finish_reasons, index: reason})

    def _offer(self, event: RunEvent) -> None:
        with self._lock:
            if not self._over:
                self._post(event)

    def _end(self, error: LoomError | None) -> None:
        with self._lock:
            if self._over:
                return
            self._over = True
            if error is not None:
                error = self._halted_by or error
                self._withdraw(error)
            silent = isinstance(error, ProviderError) and error.code in WAITED_FOR and self._is_unanswered()
            self._post(Ended(self.evidence(), error, int(silent)))
            self._post = _unheard  # who heard it may be known by nobody else

    def _is_unanswered(self) -> bool:
        """True if the last request went out and no server has said anything to it."""
        recordings = self._call.recordings()
        return bool(recordings) and recordings[-1].status is None

    def _withdraw(self, error: LoomError) -> None:
        """Takes back that choices had finished, if their response never came to its terminator."""
        if error.code in FINISHED_ALL_THE_SAME:
            return
        kept = error.details.get("finished")
        whole = set(kept) if isinstance(kept, list) else set()
        for index in sorted(self._answer.finish_reasons.keys() - whole):
            self._post(Withdrawn(index))


def stopped() -> ProviderError:
    """The end of what a person stopped."""
    return ProviderError("cancelled", "Stopped. What was written so far is kept.")


def _unheard(_event: RunEvent) -> None:
    """Tell nothing, for what has ended."""


REMOTE_S = 90.0
LINGER_S = 0.1
LOCAL_S = 300.0  # a computer of one's own may read a long prompt for minutes


class Watchdog:
    """Counts from the last word, or from when the request went out: what this computer needs to get ready
    is nobody's silence, nor is what it reads of a long prompt. Pings, counts and ends told again are no
    words; a promised pause is no silence."""

    def __init__(self, limit_s: float, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit_s = limit_s
        self._name = name
        self._clock = clock
        self._begins: type[RequestSent | Started] = RequestSent
        self._until: float | None = None
        self._lingers_until: float | None = None
        self._finished: set[int] = set()

    @classmethod
    def from_start(cls, limit_s: float, name: str) -> Watchdog:
        """Return one that sleeps until the model begins to answer: it may have to be fetched first."""
        watchdog = cls(limit_s, name)
        watchdog._begins = Started
        return watchdog

    def note(self, event: RunEvent) -> None:
        match event:
            case TextDelta() | ReasoningDelta() | PromptRead():
                self._begin_anew()
            case Finished(index=index) if index not in self._finished:
                self._finished.add(index)
                self._begin_anew()
            case RequestSent() | Started() if self._until is None and isinstance(event, self._begins):
                self._begin_anew()
            case Retrying(delay_ms=delay_ms) if self._until is not None:
                self._until += delay_ms / 1000
                self._lingers_until = None
                self._finished.clear()

    def _begin_anew(self) -> None:
        self._until = self._clock() + self._limit_s
        self._lingers_until = None

    def linger(self, seconds: float) -> bool:
        """Waits a little after the end for what is on its way; False once it has, for this long in all."""
        now = self._clock()
        if self._lingers_until is None:
            self._lingers_until = now + seconds
        if now >= self._lingers_until:
            return False
        self._until = now + min(LINGER_S, seconds)
        return True

    def left_s(self) -> float | None:
        """Return how much longer it may be silent; 0 when it has been for too long, None while
        nobody counts.
        """
        return None if self._until is None else max(0.0, self._until - self._clock())

    @property
    def error(self) -> ProviderError:
        return ProviderError(
            "timeout",
            worded(
                "{name} wrote nothing for {limit_s:g} s. What came is kept; retry, or choose another model.",
                name=self._name,
                limit_s=self._limit_s,
            ),
            provider=self._name,
        )
