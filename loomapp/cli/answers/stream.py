"""One request from its first event to its nodes, with Ctrl+C as Stop: what is there by then is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from loomapp.cli.answers.journal import AnswerJournal
from loomapp.cli.failures import LibraryMissing
from loomapp.cli.output import BY, OutputFailed, tell
from loomapp.cli.signals import Ending
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.cost import silent_calls, wordless_calls
from loomapp.core.generation.crashed_run import CrashedRun, place_of
from loomapp.core.generation.drafts import Draft, fail, grow
from loomapp.core.generation.events import (
    Finished,
    Provider,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
    joined,
)
from loomapp.core.generation.request import Request
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import node_not_found
from loomapp.core.prose.answer_anchor import AnswerAnchor, anchor_at
from loomapp.preflight import apt_get, missing_engine_libraries
from loomapp.providers.engine.engine import Engine
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.registry import loads_model
from loomapp.providers.run.fan_out import FanOut, Room, start
from loomapp.providers.run.run import Ended, Retrying, Watchdog
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.steps import changes_naming
from loomapp.store.queries.usage import keep_spent

MOST_TOGETHER = 4096  # pieces of text before drafts grow by them
NO_ROOM = {  # by the code of an error
    "full": "could not be saved: the disk is full",
    "ioError": "could not be written: the disk reports a fault or is full",
}
Show: TypeAlias = Callable[[TextDelta | Finished], None]


@dataclass(frozen=True, slots=True)
class AnswerTarget:
    """The place where answers go: the node that they continue, and what stood there when they were
    asked for.
    """

    grove: Grove
    tree: Tree
    agent: Agent  # the grove gets it with the first that it writes
    at: str
    standing: AnswerAnchor
    follows: bool = True  # the path goes on with the first of them


@contextmanager
def journal_of(target: AnswerTarget | None, request: Request) -> Iterator[AnswerJournal | None]:
    """The journal of a request's answers; None where they are only printed."""
    if target is None:
        yield None
        return
    about = CrashedRun(
        run_id="",  # the run gives it
        tree_id=target.tree.loom.id,
        sources=Sources(target.at),
        agent_id=target.agent.id,
        drafts=tuple(Draft(index) for index in range(request.n)),
        standing=target.standing,
        follows=target.follows,
        agent=target.agent,
    )
    with AnswerJournal(target.grove.path, about, request.record) as journal:
        yield journal


@dataclass(frozen=True, slots=True)
class StreamedAnswers:
    """The outcome of a request: its drafts, all ended, and what they rest on."""

    drafts: tuple[Draft, ...]
    evidence: tuple[Evidence, ...]
    error: LoomError | None
    unheard: OutputFailed | None = None  # why the text could not be printed to its end
    record: Mapping[str, object] | None = None  # of the request
    silent_calls: int = 0  # that nobody answered


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
) -> StreamedAnswers:
    """Streams a request to its end; `show` is called with each piece of text and each end.

    It stops when `ending` is asked, when the reader of stdout goes away or its disk is full, and by a
    watchdog that has heard nothing for long.
    """
    run = start(request, provider, room=Room(rules.max_choices, rules.caches), new_id=new_id)
    ending.watch(run)
    if journal is not None:
        journal.begin(run)
    ended = Ended(())
    growth, screen = _Growth(request.n), _Screen(show, ending, run)
    for event in run.follow(watchdog):
        if isinstance(event, Ended):
            ended = event
        elif isinstance(event, Retrying):
            if on_retry is not None:
                on_retry(event)
        else:
            if journal is not None:
                journal.note(event)
            growth.note(event)
            screen.show(event)
    drafts = growth.drafts()
    if ended.error is not None:
        drafts = [fail(draft, ended.error) for draft in drafts]
    return StreamedAnswers(
        tuple(drafts), ended.evidence, ended.error, screen.unheard, request.record, ended.silent_calls
    )


class _Growth:
    """The drafts of a request as its events come."""

    def __init__(self, count: int) -> None:
        self._drafts = [Draft(index) for index in range(count)]
        self._came: list[StreamEvent] = []
        self._counted = _Counted()

    def note(self, event: StreamEvent) -> None:
        """Take in an event; text waits for more of it, as a draft is copied as often as it grows."""
        self._came.append(event)
        if not isinstance(event, TextDelta) or len(self._came) >= MOST_TOGETHER:
            self._counted.note(event, self.drafts())

    def drafts(self) -> list[Draft]:
        for event in joined(self._came):
            self._drafts[:] = [grow(draft, event) for draft in self._drafts]
        self._came.clear()
        return self._drafts


class _Screen:
    """Shows text until nobody reads it any more; that ends the run."""

    def __init__(self, show: Show, ending: Ending, run: FanOut) -> None:
        self.unheard: OutputFailed | None = None
        self._show = show
        self._ending = ending
        self._run = run

    def show(self, event: StreamEvent) -> None:
        """Print what there is to print of an event."""
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


class _Counted:
    """Gives each choice its own tokens where the provider counts them as they end, one after the other."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._output_tokens = 0

    def note(self, event: StreamEvent, drafts: list[Draft]) -> None:
        """The count that follows a choice's end is of that choice."""
        if isinstance(event, Finished):
            self._last = event.index
        elif isinstance(event, UsageReported) and event.index is None and self._last is not None:
            total = event.usage.output_tokens
            if total is None:
                return
            usage = Usage(event.usage.input_tokens, total - self._output_tokens)
            if drafts[self._last].usage is None:
                drafts[self._last] = replace(drafts[self._last], usage=usage)
            self._output_tokens = total


def commit(
    target: AnswerTarget, outcome: StreamedAnswers, journal: AnswerJournal | None = None
) -> dict[int, str]:
    """Saves the drafts with text as nodes, in one Change; their ids by choice index. They hang on what others
    made of the continued node meanwhile, too. What cannot be saved stays in the journal.

    Raises: GroveError; on a full disk one that promises no second try, for the answer does not come again.
    """
    if journal is not None:
        journal.settle(outcome.drafts, outcome.evidence)
    grove, tree = target.grove, target.tree
    node_ids: dict[int, str] = {}
    if any(draft.text for draft in outcome.drafts):
        if grove.agent(target.agent.id) is None:
            grove.put_agent(target.agent)
        grove.catch_up(tree)
        target = _in_the_tree(target)
        change = _change(target, outcome)
        try:
            grove.commit(tree, change)
        except GroveError as error:
            raise _for_good(grove, error) from error
        written = [draft.index for draft in outcome.drafts if draft.text]
        node_ids = dict(zip(written, (node.id for node in change.added_nodes()), strict=True))
    _keep_spent(target, outcome)
    if journal is not None:
        journal.forget()
    return node_ids


def _for_good(grove: Grove, error: GroveError) -> GroveError:
    """Return the error of an answer that the disk did not take: it does not come again."""
    if error.code not in NO_ROOM:
        return error
    sentence = f"{grove.path} {NO_ROOM[error.code]}. The answer is not in it; all of it was printed."
    return GroveError(error.code, sentence, **error.details)


def _keep_spent(target: AnswerTarget, outcome: StreamedAnswers) -> None:
    """Keep what calls took that ended before their first word; whether they are kept fails no command."""
    tree_id, model_ref = target.tree.loom.id, target.agent.model_ref or ""
    spent = (
        *wordless_calls(tree_id, model_ref, outcome.drafts, outcome.evidence),
        *silent_calls(tree_id, model_ref, now(), outcome.silent_calls),
    )
    with suppress(GroveError):
        keep_spent(target.grove, spent)


def _in_the_tree(target: AnswerTarget) -> AnswerTarget:
    """Return where answers go if another program took the continued node back, or made it anew, meanwhile.

    Raises: AssemblyError if nothing is known of it.
    """
    grove, tree = target.grove, target.tree
    if target.at in tree.nodes:
        return target
    at = place_of(tree, target.at, partial(changes_naming, grove, tree.loom.id))
    if at is None:
        raise node_not_found(target.at)
    tell(
        "the node that was continued was changed or taken back meanwhile by another program; "
        f"what came hangs on {tree.nodes[at].local_id} {at}"
    )
    return replace(target, at=at, standing=anchor_at(tree, at), follows=False)


def _change(target: AnswerTarget, outcome: StreamedAnswers) -> Change:
    change = nodes_from_drafts(
        target.tree,
        outcome.drafts,
        sources=Sources(target.at),
        agent_id=target.agent.id,
        evidence=outcome.evidence,
        now=now(),
        new_id=new_id,
        follow=target.follows,
        by=BY,
        record=outcome.record,
        standing=target.standing,
    )
    assert change is not None, "one of them has text"
    return change
