"""One request from its first event to its nodes, with Ctrl+C as Stop: what is there by then is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from loomapp.cli.failures import LibraryMissing
from loomapp.core.errors import LoomError
from loomapp.core.evidence import Evidence
from loomapp.core.generation import (
    Draft,
    Finished,
    Provider,
    Request,
    Sources,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
    fail,
    grow,
    joined,
    nodes_from_drafts,
)
from loomapp.core.paths import node_not_found
from loomapp.core.standing import Standing
from loomapp.core.tree import Tree
from loomapp.preflight import apt_get, missing_engine_libraries
from loomapp.providers.engine import Engine
from loomapp.providers.fan_out import FanOut, Room, start
from loomapp.providers.model_rules import ModelRules
from loomapp.providers.run import Ended, Retrying
from loomapp.providers.silence import Watchdog
from loomapp.store.grove import Grove
from loomapp.store.identity import new_id, now

BY = "command line"
MOST_TOGETHER = 4096  # pieces of text before drafts grow by them
Show: TypeAlias = Callable[[TextDelta | Finished], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a request: its drafts, all ended, and what they rest on."""

    drafts: tuple[Draft, ...]
    evidence: tuple[Evidence, ...]
    error: LoomError | None
    interrupted: bool
    record: Mapping[str, object] | None = None  # of the request


@contextmanager
def engine_for(model_ref: str) -> Iterator[Engine]:
    """The engine behind local models, not started yet; it ends with the block. Raises: LibraryMissing."""
    if model_ref.startswith("local:") and (missing := missing_engine_libraries()):
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
    watchdog: Watchdog | None = None,
    on_retry: Callable[[Retrying], None] | None = None,
) -> Outcome:
    """Streams a request to its end; `show` is called with each piece of text and each end. Ctrl+C stops it.

    A reader of stdout who goes away stops it as well, and so does a watchdog that has heard nothing for long.
    """
    drafts = [Draft(index) for index in range(request.n)]
    run = start(request, provider, room=Room(rules.max_choices, rules.caches), new_id=new_id)
    ended = Ended(())
    counted = _Counted()
    came: list[StreamEvent] = []
    with _stopped_by_interrupt(run) as interrupts:
        for event in run.follow(watchdog):
            if isinstance(event, Ended):
                ended = event
            elif isinstance(event, Retrying):
                if on_retry is not None:
                    on_retry(event)
            else:
                came.append(event)
                if not isinstance(event, TextDelta) or len(came) >= MOST_TOGETHER:
                    drafts = _grown(drafts, came)
                    counted.note(event, drafts)
            if isinstance(event, TextDelta | Finished) and not interrupts and not _shown(event, show):
                interrupts.append(0)
                run.stop()
    drafts = _grown(drafts, came)
    if ended.error is not None:
        drafts = [fail(draft, ended.error) for draft in drafts]
    return Outcome(tuple(drafts), ended.evidence, ended.error, bool(interrupts), request.record)


def _grown(drafts: list[Draft], came: list[StreamEvent]) -> list[Draft]:
    """The drafts after what came, which is then forgotten."""
    for event in joined(came):
        drafts = [grow(draft, event) for draft in drafts]
    came.clear()
    return drafts


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


def _shown(event: TextDelta | Finished, show: Show) -> bool:
    """False if nobody reads stdout any more."""
    try:
        show(event)
    except BrokenPipeError:
        return False
    return True


@contextmanager
def _stopped_by_interrupt(run: FanOut) -> Iterator[list[int]]:
    """Ctrl+C stops the run; a second one leaves at once. Gives the list of what interrupted."""
    interrupts: list[int] = []

    def on_interrupt(number: int, _frame: object) -> None:
        interrupts.append(number)
        if len(interrupts) > 1:
            raise KeyboardInterrupt
        run.stop()

    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


def commit(
    grove: Grove, tree: Tree, outcome: Outcome, agent_id: str, at: str, *, standing: Standing, follow: bool
) -> dict[int, str]:
    """Saves the drafts with text as nodes, in one Change; their ids by choice index. They hang on what others
    made of `at` meanwhile, too: `standing` is what stood there when it was asked.
    """
    grove.catch_up(tree)
    if at not in tree.nodes:
        raise node_not_found(at)
    change = nodes_from_drafts(
        tree,
        outcome.drafts,
        sources=Sources(at),
        agent_id=agent_id,
        evidence=outcome.evidence,
        now=now(),
        new_id=new_id,
        follow=follow,
        by=BY,
        record=outcome.record,
        standing=standing,
    )
    if change is None:
        return {}
    grove.commit(tree, change)
    written = [draft.index for draft in outcome.drafts if draft.text]
    return dict(zip(written, (node.id for node in change.added_nodes()), strict=True))
