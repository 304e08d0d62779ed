"""One request on the command line, from its first event to its nodes, with Ctrl+C as Stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from loomapp.cli.failures import LibraryMissing
from loomapp.cli.output import OutputFailed, tell
from loomapp.cli.signals import Ending
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.generation.events import Finished, Provider, StreamEvent, TextDelta
from loomapp.core.generation.request import Request
from loomapp.preflight import apt_get, missing_engine_libraries
from loomapp.providers.engine.engine import Engine
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.registry import loads_model
from loomapp.providers.run.fan_out import FanOut, Room, start
from loomapp.providers.run.run import Retrying, Watchdog
from loomapp.runs.answer_journal import AnswerJournal
from loomapp.runs.streamed_answers import AnswerTarget, StreamedAnswers, commit_answers, followed
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id

NO_ROOM = {  # by the code of an error
    "full": "could not be saved: the disk is full",
    "ioError": "could not be written: the disk reports a fault or is full",
}
Show: TypeAlias = Callable[[TextDelta | Finished], None]


@dataclass(frozen=True, slots=True)
class PrintedAnswers:
    """The outcome of a request that was printed as it came, and why it could not be to its end."""

    streamed: StreamedAnswers
    unheard: OutputFailed | None = None


@contextmanager
def engine_for(model_ref: str) -> Iterator[Engine]:
    """The engine behind local models, not started yet; it ends with the block. Raises: LibraryMissing."""
    if loads_model(model_ref) and (missing := missing_engine_libraries()):
        raise LibraryMissing(f"the embedded engine needs system libraries; install them: {apt_get(missing)}")
    engine = Engine()
    try:
        yield engine
    finally:
        engine.close()


def stream(
    request: Request,
    provider: Provider,
    rules: ModelRules,
    show: Show,
    *,
    ending: Ending,
    journal: AnswerJournal | None = None,
    watchdog: Watchdog | None = None,
    on_retry: Callable[[Retrying], None] | None = None,
) -> PrintedAnswers:
    """Streams a request to its end; `show` is called with each piece of text and each end.

    It stops when `ending` is asked, when the reader of stdout goes away or its disk is full, and by a
    watchdog that has heard nothing for long.
    """
    run = start(request, provider, room=Room(rules.max_choices, rules.caches), new_id=new_id)
    ending.watch(run)
    screen = _Screen(show, ending, run, on_retry)
    streamed = followed(run, screen.show, journal, watchdog)
    return PrintedAnswers(streamed, screen.unheard)


class _Screen:
    """Shows text until nobody reads it any more; that ends the run."""

    def __init__(
        self, show: Show, ending: Ending, run: FanOut, on_retry: Callable[[Retrying], None] | None
    ) -> None:
        self.unheard: OutputFailed | None = None
        self._show, self._on_retry = show, on_retry
        self._ending = ending
        self._run = run

    def show(self, event: StreamEvent | Retrying) -> None:
        """Print what there is to print of an event."""
        if isinstance(event, Retrying):
            if self._on_retry is not None:
                self._on_retry(event)
            return
        if self._ending.is_asked or self.unheard is not None:
            return
        if not isinstance(event, TextDelta | Finished):
            return
        try:
            self._show(event)
        except BrokenPipeError:
            self._ending.ask()
        except OutputFailed as error:
            self.unheard = error
            self._run.stop()


def commit(
    target: AnswerTarget, outcome: StreamedAnswers, journal: AnswerJournal | None = None
) -> dict[int, str]:
    """Save the drafts with text as nodes; their ids by choice index.

    Raises: GroveError; on a full disk one that promises no second try, for the answer does not come again.
    """
    try:
        return commit_answers(target, outcome, tell, journal)
    except GroveError as error:
        raise _for_good(target.grove, error) from error


def _for_good(grove: Grove, error: GroveError) -> GroveError:
    """Return the error of an answer that the disk did not take: it does not come again."""
    if error.code not in NO_ROOM:
        return error
    sentence = f"{grove.path} {NO_ROOM[error.code]}. The answer is not in it; all of it was printed."
    return GroveError(error.code, sentence, **error.details)
