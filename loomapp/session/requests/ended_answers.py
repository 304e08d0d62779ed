"""Answers that have ended: all of a request become nodes in one Change, or cards say why nothing came."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Container, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.node_edits import choose_path
from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import nodes_from_drafts
from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath
from loomapp.core.prose.path_choice import choices_reading, way_back
from loomapp.core.sentences import Sentence, worded
from loomapp.core.text.command_lines import first_batch
from loomapp.runs.events import RunOutcome
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator
from loomapp.session.requests.running_request import RunningRequest
from loomapp.store.identity import new_id, now

_log = logging.getLogger(__name__)


def land(
    document: Document, flight: RunningRequest, *, follows: bool, mates: Sequence[RunningRequest] = ()
) -> Change | None:
    """Commit the answers of a flight, all in one Change; None if it has none. If it `follows`, the path goes
    on with the one that is read, or without one with what came of another; that is told to its mates.

    Raises: LoomError, and nothing is committed, while what it continues is not there; GroveError if the file
    does not take it.
    """
    if flight.is_adrift and not flight.is_empty:
        raise adrift()
    change = nodes_from_drafts(
        flight.tree,
        list(flight.drafts.values()),
        sources=flight.sources,
        agent_id=flight.agent.id,
        evidence=flight.evidence,
        read_index=flight.read_index,
        now=now(),
        new_id=new_id,
        follow=follows,
        record=flight.request.record,
        standing=flight.standing,
        back=_way_back(flight),
        ids=flight.ids,
        trace=flight.trace,
        later=flight.place.later,
    )
    if change is None:
        if follows and flight.place.is_read:
            _read_beside(document, flight)
        return None
    change = replace(change, action=flight.place.group)
    # Who chose another node meanwhile keeps it.
    is_elsewhere = flight.keeps_current or document.current_id != flight.asked_at
    fills = flight.sources.gap_id is not None  # then the path ends where it did
    initiator = Initiator("answer", flight.key)
    document.commit_to(flight.tree, change, initiator, keeps_current=is_elsewhere or fills)
    read = next((n.id for n in change.added_nodes() if n.id in document.path), None)
    if fills and not is_elsewhere and flight.tree is document.tree and read is not None:
        document.place.set_current(read, initiator)
    for mate in mates if not (follows or fills) else ():
        mate.place = replace(mate.place, beside=mate.place.beside or change.added_nodes()[0].id)
    return change


def _read_beside(document: Document, flight: RunningRequest) -> None:
    """The answer that was read brought no word: read on in one that came beside it, unless one has gone
    elsewhere.
    """
    tree, beside = flight.tree, flight.place.beside
    is_there = tree is document.tree and document.current_id == flight.asked_at == tree.path.leaf_id
    if not is_there or beside not in tree.living_children(flight.asked_at):
        return
    choices = choices_reading(tree, document.path, (beside,))
    change = choose_path(tree, beside, document.pen(), choices)
    if change is not None:
        document.commit_to(tree, change, Initiator("answer", flight.key), keeps_current=flight.keeps_current)


def stand_as_asked(flights: Sequence[RunningRequest]) -> None:
    """Have the answers of requests that were made together stand in this order, whichever ends first."""
    later: tuple[str, ...] = ()
    for flight in reversed(flights):
        flight.place = replace(flight.place, later=later)
        later = (*flight.ids.values(), *later)


def adrift() -> LoomError:
    """Return the error for an answer that cannot land: what it continues is gone."""
    return LoomError(
        "What this answer continues was taken back by another program. Redo brings it back; "
        "then press Retry to save the answer. It is kept until then."
    )


def is_landed(document: Document, flight: RunningRequest) -> bool:
    """True if the file has the answers, whatever failed after it took them. Raises: GroveError."""
    return any(document.grove.has_response(flight.tree.loom.id, one.id) for one in flight.evidence)


def fault() -> LoomError:
    """Return the error for an answer that did not land by a mistake of ours."""
    return LoomError(
        "This answer could not be saved, because of a fault in Loomapp itself; the log has it. "
        "The text is kept here: press Retry to save it."
    )


def _way_back(flight: RunningRequest) -> ActivePath | None:
    back = flight.place.back
    return None if back is None else way_back(flight.tree, back, flight.ends)


MOST_CALLS = 200  # that are remembered, of this session


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that brought no whole answer. `key` is that of its request, with which those of its drafts
    begin; `at` in milliseconds.
    """

    key: str
    at: int
    agent_name: str
    model_ref: str
    error: LoomError


class FailedAnswers:
    """Of flights that have ended: drafts that failed, until they are asked for again or dismissed, by the
    draft's key; and answers that could not be saved, until they are.
    """

    def __init__(self) -> None:
        self._failures: dict[str, tuple[RunningRequest, LiveDraft]] = {}
        self._unsaved: dict[str, RunningRequest] = {}
        self.calls: deque[FailedCall] = deque(maxlen=MOST_CALLS)  # the oldest first, put away or not

    @property
    def unsaved(self) -> tuple[RunningRequest, ...]:
        """Requests that ended and that the file did not take."""
        return tuple(self._unsaved.values())

    @property
    def unsaved_text(self) -> str:
        """Return the words of the answers that the file did not take."""
        drafts = (draft for flight in self._unsaved.values() for draft in flight.drafts.values())
        return "\n\n".join(draft.text for draft in drafts if draft.text)

    def failed_flight(self, key: str) -> RunningRequest | None:
        card = self._failures.get(key)
        return None if card is None else card[0]

    def unsaved_flight(self, key: str) -> RunningRequest | None:
        """Return the request of a draft that was not saved; None if the key is of no such draft."""
        return self._unsaved.get(key.rpartition(":")[0])

    def cards(self, tree_id: str, path: Container[str], *, committing: str = "") -> tuple[LiveDraft, ...]:
        """Return the drafts of a tree that failed, then those not saved, but for the request whose answers
        are becoming nodes just now; each at its place for who reads this path. While what one continued is
        taken back it is not among them.
        """
        failed = [
            replace(live, parent_id=flight.stands_at(path))
            for flight, live in self._failures.values()
            if flight.tree.loom.id == tree_id and not flight.is_adrift
        ]
        unsaved = [
            live
            for flight in self._unsaved.values()
            if flight.tree.loom.id == tree_id and flight.key != committing
            for live in flight.live(path)
            if live.draft.text
        ]
        return (*failed, *unsaved)

    def keep_failed(self, flight: RunningRequest, path: Container[str]) -> None:
        """A request failed: a card for each draft without text. One that has some becomes a node, which says
        that it broke off.
        """
        failed = [live for live in flight.live(path) if live.draft.error is not None]
        for error in dict.fromkeys(live.draft.error for live in failed):
            if error is not None:
                self._note(flight, error)
        for live in failed:
            if not live.draft.text:
                self._failures[live.key] = (flight, live)

    def keep_wordless(self, flight: RunningRequest, path: Container[str]) -> LoomError | None:
        """Keep a card for each answer that ended well without a word; gives what they say. Of a request that
        was stopped nothing is told.
        """
        is_stopped = any(draft.interrupted == "cancelled" for draft in flight.drafts.values())
        why = None if is_stopped else wordless_answers(flight)
        if why is not None:
            for draft in _wordless(flight):
                flight.drafts[draft.index] = replace(draft, error=why)
            said = [live for live in flight.live(path) if live.draft.error is why]
            self._failures.update((live.key, (flight, live)) for live in said)
        return why

    def _note(self, flight: RunningRequest, error: LoomError) -> None:
        """Remember a call; what its server said is in memory only, for it may hold words of a text."""
        ref = flight.request.model_ref
        self.calls.append(FailedCall(flight.key, now(), flight.agent.name, ref, error))
        status, request_id = (error.details.get(name) for name in ("status", "requestId"))
        _log.info("A call of %s failed: %s, status %s, request id %s", ref, error.code, status, request_id)

    def keep_unsaved(self, flight: RunningRequest, error: LoomError) -> None:
        """Text that the file did not take stays on its cards, which say why, until it does."""
        flight.drafts = {index: replace(draft, error=error) for index, draft in flight.drafts.items()}
        self._failures = {key: card for key, card in self._failures.items() if card[0] is not flight}
        self._unsaved[flight.key] = flight

    def saved(self, flight: RunningRequest) -> None:
        del self._unsaved[flight.key]

    def dismiss(self, key: str) -> bool:
        """Take the card of a failed draft away; False if there is none."""
        return self._failures.pop(key, None) is not None

    def dismiss_all(self, tree_id: str) -> None:
        """Take the cards of all failed drafts of a tree away."""
        cards = self._failures.items()
        self._failures = {key: card for key, card in cards if card[0].tree.loom.id != tree_id}

    def taken_back(self, action: str) -> bool:
        """Drop the drafts that failed in an action whose answers are taken back; False if it has none."""
        gone = [key for key, (flight, _) in self._failures.items() if flight.place.group == action]
        for key in gone:
            del self._failures[key]
        return bool(gone)

    def asked_again(
        self, node_id: str, asked: AbstractSet[tuple[str, str | None]], path: Container[str]
    ) -> None:
        """Drop the drafts that failed at a node: these are asked there again, each an agent for the context
        of the tree, or for a variant by its name.
        """
        gone = [
            key
            for key, (flight, live) in self._failures.items()
            if node_id in (live.parent_id, flight.above(path), flight.sources.primary_id)
            and (live.agent_id, None if flight.trial is None else flight.trial.name) in asked
        ]
        for key in gone:
            del self._failures[key]


def told_end(flight: RunningRequest, outcome: RunOutcome) -> Sentence | None:
    """Return what to say of a run that ended before its agent was done; None where that is told already."""
    name = flight.agent.name
    match outcome.reason:
        case "steps":
            return worded("{name} took all {steps} steps of its run.", name=name, steps=outcome.steps)
        case "tokens":
            return worded("{name} wrote as many tokens as a run of it may have.", name=name)
        case "seconds":
            return worded("The run of {name} took all of its time.", name=name)
        case _:
            return None


def commands_of_trial(flight: RunningRequest) -> Sentence | None:
    """Return what to say where an agent that sees the tree wrote commands in a trial; None if it did not."""
    texts = [draft.text for draft in flight.drafts.values()]
    if flight.trial is None or flight.trace is None or not any(map(first_batch, texts)):
        return None
    if flight.is_empty:
        sentence = "{name} wrote only commands, which a trial does not carry out: nothing was added."
        return worded(sentence, name=flight.agent.name)
    return worded("{name} wrote commands too, which a trial does not carry out.", name=flight.agent.name)


def wordless_answers(flight: RunningRequest) -> LoomError | None:
    """Return what to say of the answers of an ended flight that have no text; None if all have some."""
    empty = _wordless(flight)
    return LoomError(_wordless_words(flight, empty)) if empty else None


def _wordless(flight: RunningRequest) -> list[Draft]:
    empty = [draft for draft in flight.drafts.values() if not draft.text and draft.error is None]
    return [draft for draft in empty if draft.interrupted is None]


def _wordless_words(flight: RunningRequest, empty: Sequence[Draft]) -> Sentence:
    name, total = flight.agent.name, len(flight.drafts)
    if any(draft.reason == "length" for draft in empty):
        return worded(
            "{name} used all of its tokens without a word of an answer: nothing was added. Give its longest "
            "answer more tokens on the Agents page, then retry.",
            name=name,
        )
    if flight.trace:
        return worded("{name} ended its run without a word for you; what it did stays.", name=name)
    if total == 1:
        return worded(
            "{name} ended its answer without a word: nothing was added. Retry, or change the text before it.",
            name=name,
        )
    return worded(
        "{name} left {count} of {total} answers without a word: nothing was added for them. Retry if you "
        "want them.",
        name=name,
        count=len(empty),
        total=total,
    )
