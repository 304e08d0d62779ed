"""Answers to one request, from its first event to its nodes: journalled meanwhile, kept when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import CrashedRun, Sources, nodes_from_drafts, place_of
from loomapp.core.generation.cost import silent_calls, wordless_calls
from loomapp.core.generation.drafts import Draft, fail, grow
from loomapp.core.generation.provider import (
    Finished,
    Request,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
    joined,
)
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import node_not_found
from loomapp.core.prose.fill_in import AnswerAnchor, anchor_at
from loomapp.providers.run.fan_out import FanOut
from loomapp.providers.run.run import Ended, Retrying, Watchdog
from loomapp.runs.answer_journal import AnswerJournal
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.steps import changes_naming
from loomapp.store.queries.usage import keep_spent

MOST_TOGETHER = 4096  # pieces of text before drafts grow by them


@dataclass(frozen=True, slots=True)
class AnswerTarget:
    """The place where answers go: the node that they continue, and what stood there when they were
    asked for. `save` commits a Change to the tree; `by` names in the history who asked.
    """

    grove: Grove
    tree: Tree
    agent: Agent  # the grove gets it with the first that it writes
    at: str
    standing: AnswerAnchor
    by: str
    save: Callable[[Tree, Change], object]
    follows: bool = True  # the path goes on with the first of them


@contextmanager
def journal_of(
    target: AnswerTarget | None, request: Request, tell: Callable[[str], None]
) -> Iterator[AnswerJournal | None]:
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
    with AnswerJournal(target.grove.path, about, request.record, tell) as journal:
        yield journal


@dataclass(frozen=True, slots=True)
class StreamedAnswers:
    """The outcome of a request: its drafts, all ended, and what they rest on."""

    drafts: tuple[Draft, ...]
    evidence: tuple[Evidence, ...]
    error: LoomError | None
    record: Mapping[str, object] | None = None  # of the request
    silent_calls: int = 0  # that nobody answered


def followed(
    run: FanOut,
    show: Callable[[StreamEvent | Retrying], None],
    journal: AnswerJournal | None = None,
    watchdog: Watchdog | None = None,
) -> StreamedAnswers:
    """Follow a run to its end, whoever stops it; `show` is called with each event on this thread."""
    if journal is not None:
        journal.begin(run)
    ended = Ended(())
    growth = _Growth(run.request.n)
    for event in run.follow(watchdog):
        if isinstance(event, Ended):
            ended = event
            continue
        if not isinstance(event, Retrying):
            if journal is not None:
                journal.note(event)
            growth.note(event)
        show(event)
    drafts = growth.drafts()
    if ended.error is not None:
        drafts = [fail(draft, ended.error) for draft in drafts]
    return StreamedAnswers(tuple(drafts), ended.evidence, ended.error, run.request.record, ended.silent_calls)


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


def commit_answers(
    target: AnswerTarget,
    outcome: StreamedAnswers,
    tell: Callable[[str], None],
    journal: AnswerJournal | None = None,
) -> dict[int, str]:
    """Save the drafts with text as nodes, in one Change; their ids by choice index. They hang on what others
    made of the continued node meanwhile, too. What cannot be saved stays in the journal.

    Raises: GroveError; AssemblyError if nothing is known of the continued node.
    """
    if journal is not None:
        journal.settle(outcome.drafts, outcome.evidence)
    grove, tree = target.grove, target.tree
    node_ids: dict[int, str] = {}
    if any(draft.text for draft in outcome.drafts):
        if grove.agent(target.agent.id) is None:
            grove.put_agent(target.agent, by=target.by)
        grove.catch_up(tree)
        change = _change(_in_the_tree(target, tell), outcome)
        target.save(tree, change)
        written = [draft.index for draft in outcome.drafts if draft.text]
        node_ids = dict(zip(written, (node.id for node in change.added_nodes()), strict=True))
    _keep_spent(target, outcome)
    if journal is not None:
        journal.forget()
    return node_ids


def _keep_spent(target: AnswerTarget, outcome: StreamedAnswers) -> None:
    """Keep what calls took that ended before their first word; whether they are kept fails no request."""
    tree_id, model_ref = target.tree.loom.id, target.agent.model_ref or ""
    spent = (
        *wordless_calls(tree_id, model_ref, outcome.drafts, outcome.evidence),
        *silent_calls(tree_id, model_ref, now(), outcome.silent_calls),
    )
    with suppress(GroveError):
        keep_spent(target.grove, spent)


def _in_the_tree(target: AnswerTarget, tell: Callable[[str], None]) -> AnswerTarget:
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
        by=target.by,
        record=outcome.record,
        standing=target.standing,
    )
    assert change is not None, "one of them has text"
    return change
