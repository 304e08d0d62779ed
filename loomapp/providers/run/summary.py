"""A summary on its way: its portions asked for one after the other, each with the summary of those before."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import BlankSummary, LoomError
from loomapp.core.generation.provider import Provider, ProviderError, TextDelta
from loomapp.core.model.raw_response import Evidence
from loomapp.core.response_text.rules import summary_text
from loomapp.core.sent.calls import AT_LIMIT
from loomapp.core.sentences import worded
from loomapp.core.summarisers.prompts import SummaryTask
from loomapp.providers.run.fan_out import PAUSE_S, FanOut, start
from loomapp.providers.run.run import Ended, Retrying, Watchdog


@dataclass(frozen=True, slots=True)
class PortionBegun:
    """A portion is asked for: its number, from 1, of how many."""

    number: int
    count: int


Progress: TypeAlias = PortionBegun | Retrying


@dataclass(frozen=True, slots=True)
class SummaryAnswer:
    """The end of a run: the text, or the error for which there is none. `evidence` are the answered calls, in
    order; the text was taken from the last. They name no nodes.

    `response` alone is saved with the summary: nothing rests on the others, which are only counted.
    """

    text: str = ""
    evidence: tuple[Evidence, ...] = ()
    error: LoomError | None = None
    silent_calls: int = 0  # that nobody answered

    @property
    def response(self) -> Evidence | None:
        """The call that the text was taken from."""
        return self.evidence[-1] if self.evidence and self.error is None else None

    @property
    def is_cut(self) -> bool:
        """Return True if its model's limit cut the text, so that its end is missing."""
        return self.response is not None and str(self.response.finish_reason) in AT_LIMIT

    @property
    def others(self) -> tuple[Evidence, ...]:
        """The calls of which nothing is left but what they cost."""
        return self.evidence if self.response is None else self.evidence[:-1]


class SummaryRun:
    """A run that asks a model for a summary. `result` blocks its thread; any other may stop it."""

    def __init__(
        self,
        task: SummaryTask,
        provider: Provider,
        *,
        new_id: Callable[[], str],
        watchdog: Callable[[], Watchdog],
        tell: Callable[[Progress], None] | None = None,
        pause_s: float = PAUSE_S,
    ) -> None:
        """`watchdog` makes one for each portion; `tell` hears of the progress, on the thread of `result`."""
        self._task, self._provider = task, provider
        self._new_id, self._watchdog, self._pause_s = new_id, watchdog, pause_s
        self._tell = tell
        self._lock = threading.RLock()  # a signal handler may stop what is just being begun
        self._run: FanOut | None = None
        self._is_stopped = False

    def stop(self) -> None:
        """End the run for the person now; nothing of it is kept."""
        with self._lock:
            self._is_stopped = True
            run = self._run
        if run is not None:
            run.stop(_stopped())

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the workers of the last request to be gone; True if they are."""
        with self._lock:
            run = self._run
        return run is None or run.join(timeout_s)

    def result(self) -> SummaryAnswer:
        """Ask for all portions, and return the summary of the last."""
        before, count = self._task.before, len(self._task.portions)
        answer = SummaryAnswer(error=BlankSummary(_blank(self._task)))
        evidence: tuple[Evidence, ...] = ()
        silent_calls = 0
        for number in range(count):
            self._note(PortionBegun(number + 1, count))
            answer = self._portion(number, before)
            evidence += answer.evidence
            silent_calls += answer.silent_calls
            if answer.error is not None:
                break
            before = answer.text
        return replace(answer, evidence=evidence, silent_calls=silent_calls)

    def _portion(self, number: int, before: str) -> SummaryAnswer:
        with self._lock:
            if self._is_stopped:
                return SummaryAnswer(error=_stopped())
            request = self._task.request(number, before)
            self._run = run = start(request, self._provider, new_id=self._new_id, pause_s=self._pause_s)
        pieces: list[str] = []
        for event in run.follow(self._watchdog()):
            match event:
                case TextDelta(index=0, text=text):
                    pieces.append(text)
                case Retrying():
                    self._note(event)
                case Ended():
                    return self._answered("".join(pieces), event)
                case _:
                    pass
        raise AssertionError("the last event of a run is its end")

    def _answered(self, said: str, ended: Ended) -> SummaryAnswer:
        evidence = tuple(replace(one, choices={}) for one in ended.evidence)
        error, text = ended.error, summary_text(said)
        if error is None and not text:
            error = BlankSummary(_blank(self._task))
        return SummaryAnswer("" if error else text, evidence, error, ended.silent_calls)

    def _note(self, progress: Progress) -> None:
        if self._tell is not None:
            self._tell(progress)


def _stopped() -> ProviderError:
    return ProviderError("cancelled", "Stopped. No summary was saved.")


def _blank(task: SummaryTask) -> str:
    return worded(
        "{name} answered without a summary, so nothing was saved. Try again, or choose another model.",
        name=task.agent.name,
    )
