"""Requests under way: where their answers will hang, what they hold so far, how long they are silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from math import ceil
from typing import Protocol

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput, LoomError, server_words
from loomapp.core.generation.answers import CrashedRun, Sources, spoken_text
from loomapp.core.generation.drafts import Awaited, Draft, LiveDraft, RunProgress, Wait, grow
from loomapp.core.generation.provider import (
    Adjusted,
    PromptRead,
    ReasoningDelta,
    Request,
    Started,
    StreamEvent,
    TextDelta,
    joined,
)
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath, Node
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.prose.fill_in import AnswerAnchor, anchor_at, versions_since
from loomapp.core.sent.trial import Trial
from loomapp.core.sentences import first_sentence
from loomapp.core.times import Milliseconds
from loomapp.providers.run.fan_out import FanOut
from loomapp.providers.run.run import Ended, Retrying, RunEvent
from loomapp.runs.events import RunOutcome
from loomapp.session.recovery import run_row
from loomapp.store.files.drafts import DraftRow, Make
from loomapp.store.identity import now

TOLD_FROM_S = 2  # what is there sooner needs no words
FIRST_WORD_S = 30  # for it, unless a server may be silent for minutes: then it is told that nothing comes
LONG_SILENCE_S = 120

BEING_WRITTEN = "An answer to this is being written. Stop it first, then undo."


@dataclass(slots=True)
class _Heard:
    heard_at: float
    again_at: float | None = None
    why: str = ""
    said: str = ""
    is_heard: bool = False


class Patience:
    """Stall notice of one request, on the GUI thread. Pings never get this far: only words count."""

    def __init__(self, choices: int, silence_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._silence_s = silence_s
        self._first_word_s = min(silence_s, FIRST_WORD_S) if silence_s <= LONG_SILENCE_S else silence_s
        self._clock = clock
        self._began_at = clock()
        self._read: PromptRead | None = None
        self._waits = {index: _Heard(clock()) for index in range(choices)}

    def note(self, event: RunEvent) -> None:
        now = self._clock()
        match event:
            case Retrying(delay_ms=delay_ms, error=error):
                for index in event.choices(len(self._waits)):
                    again_at = now + delay_ms / 1000
                    why = first_sentence(error.message)  # the next step is not the reader's
                    self._waits[index] = _Heard(again_at, again_at, why, server_words(error))
            case TextDelta(index=index) | ReasoningDelta(index=index) if index in self._waits:
                self._waits[index] = _Heard(now, is_heard=True)
            case PromptRead():
                self._read = event
                for wait in self._waits.values():
                    wait.heard_at, wait.is_heard = now, True
            case Started() | Adjusted():
                for wait in self._waits.values():
                    wait.again_at = None

    def wait(self, index: int) -> Wait | None:
        """Return the wait that the draft shows; None while all is well."""
        heard, now = self._waits[index], self._clock()
        if heard.again_at is not None and heard.again_at > now:
            return Wait(heard.why, ceil(heard.again_at - now), said=heard.said)
        silent_s = int(now - heard.heard_at)
        if silent_s < (self._silence_s if heard.is_heard else self._first_word_s):
            return None
        return Wait(f"Nothing came for {silent_s}\u00a0s.", silent_s=silent_s)

    def awaited(self) -> Awaited | None:
        """Return what a draft without a word shows meanwhile; None at the beginning."""
        seconds = int(self._clock() - self._began_at)
        if seconds < TOLD_FROM_S:
            return None
        read = self._read or PromptRead(0, 0)
        return Awaited(seconds, read.read_tokens, read.total_tokens)


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a request among those asked together; the path goes on with the one that is read.

    Each becomes nodes as soon as it ends: who reads the first is not to wait for the slowest before going on
    from it. They are one step of undo all the same, as long as nothing else was done between their ends.
    """

    group: str
    is_read: bool
    follows: bool = True  # False: it is only offered, the path stays where it is
    back: ActivePath | None = None  # what was read before the text was cut for it, if it was
    later: tuple[str, ...] = ()  # the nodes of those asked for after it: its own stand before them
    beside: str = ""  # the first answer that came of another one meanwhile: read if this brings none


class Loop(Protocol):
    """The run of a loom-aware agent to which a request belongs. `own` is the request whose card stands for
    it; while a model that it asks writes, that is `asked`.
    """

    own: RunningRequest | None
    asked: RunningRequest | None
    progress: RunProgress
    steps_done: int  # of which at least a command was carried out
    outcome: RunOutcome | None  # once it has ended
    unsaved: tuple[RunningRequest, LoomError] | None

    def go_on(self, flight: RunningRequest, ended: Ended) -> Ended | None:
        """Carry out what an answer says, and ask again: None then, else the end of the whole run."""

    @property
    def is_carrying_out(self) -> bool:
        """True while commands of an answer are to be carried out: see `carry_on`."""

    def carry_on(self, *, most_s: float = ...) -> Ended | None:
        """Carry out more of the commands for so many seconds of the thread's own time; comes to the same."""

    def stopped(self, flight: RunningRequest) -> RunningRequest:
        """End the run if its own request is to be stopped; gives the request that writes just now."""

    def has_proposed(self, proposal_id: str) -> bool:
        """True of a proposal that was made in this run."""

    def hear(self, line: str, said: str, code: str | None) -> None:
        """Have the agent hear of a decision about a command with its next results."""

    def follow(self, tree: Tree) -> None:
        """Follow the tree, which was read anew."""


@dataclass(slots=True)
class RunningRequest:
    """Request under way, and what its choices hold so far."""

    key: str
    tree: Tree
    sources: Sources
    agent: Agent
    request: Request
    run: FanOut
    drafts: dict[int, Draft]
    place: Place
    patience: Patience
    asked_at: str  # the node that was current then
    trial: Trial | None = None  # what was tried instead of what the tree says
    read_index: int = 0  # the choice that is read: the path goes on there
    evidence: tuple[Evidence, ...] = ()  # once it has ended
    ids: Mapping[int, str] = field(default_factory=dict)  # of the nodes that its drafts become
    loop: Loop | None = None  # the run that it is a step of
    trace: Sequence[Json] | None = None  # of the run that its answer ends, or would
    deadline: float | None = None  # in seconds of the monotonic clock
    ended: Ended | None = None  # its last word, while it waits for answers that were asked for before it
    ended_at: float = 0.0  # in seconds of the monotonic clock
    times_chosen: int = 0  # how often a node had been selected then
    keeps_current: bool = False  # it was stopped by who had selected a node meanwhile, and acts on that
    standing: AnswerAnchor = field(init=False)

    def __post_init__(self) -> None:
        self.standing = anchor_at(self.tree, self.sources.primary_id, self.sources.gap_id)

    @property
    def versions(self) -> tuple[str, ...]:
        """Versions that the continued node got since: the answers will follow them too."""
        return versions_since(self.tree, self.sources.primary_id, self.standing)

    def above(self, path: Container[str]) -> str:
        """Return the node that is continued where one reads: one of its versions, if that is on the path
        instead.
        """
        original = self.sources.primary_id
        if original in path:
            return original
        return next((node_id for node_id in self.versions if node_id in path), original)

    def stands_at(self, path: Container[str]) -> str:
        """Return the node at which its card stands for who reads this path: the one it continues, or the end
        that the text had before it was cut for it, if another version is read again.
        """
        above, back = self.above(path), self.place.back
        if above not in self.tree.nodes:
            return self.tree.path.leaf_id  # another program took it back: where nobody overlooks the answer
        if above in path or back is None or back.leaf_id not in path or above not in self.tree.nodes:
            return above
        original = self.tree.nodes[above].edited_from
        return back.leaf_id if original is not None and original in path else above

    @property
    def ends(self) -> tuple[str, ...]:
        """Nodes at which the text ends while it is cut for this."""
        return (self.sources.primary_id, *self.versions)

    @property
    def is_adrift(self) -> bool:
        """True while something that it hangs on is not there: another program took it back meanwhile."""
        ids = {source.node_id for source in self.sources.as_edge_sources()}
        return not self.tree.nodes.keys() >= ids

    @property
    def is_empty(self) -> bool:
        """Return True while nothing came of it."""
        texts = (draft.text for draft in self.drafts.values())
        return not any(texts if self.trace is None else map(spoken_text, texts))

    @property
    def is_paused(self) -> bool:
        """True while it waits for another model that its run asks."""
        return self.loop is not None and self.loop.own is self and self.loop.asked is not None

    @property
    def is_late(self) -> bool:
        """True once the time of its run is over."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    @property
    def has_words(self) -> bool:
        """True once any word of it came, for people or not."""
        return any(draft.text for draft in self.drafts.values())

    def take_over(self, following: RunningRequest) -> None:
        """Go on as another request: that of the next step, or the same once more."""
        self.request, self.run, self.patience = following.request, following.run, following.patience
        self.drafts = dict(following.drafts)

    def take_in(self, events: Iterable[StreamEvent]) -> list[int]:
        """Grow its drafts by what came, or say for how long nothing has; gives those that are others now."""
        before = dict(self.drafts)
        for event in joined(events):
            self.drafts = {index: grow(draft, event) for index, draft in self.drafts.items()}
        for index, draft in self.drafts.items():
            waits = None if draft.ended else self.patience.wait(index)
            has_words = draft.ended or draft.text or draft.reasoning
            awaited = None if has_words or waits is not None else self.patience.awaited()
            if (waits, awaited) != (draft.waits, draft.awaited):
                self.drafts[index] = replace(draft, waits=waits, awaited=awaited)
        return [index for index, draft in self.drafts.items() if draft is not before[index]]

    def live(self, path: Container[str]) -> tuple[LiveDraft, ...]:
        """Return its drafts, where they hang for who reads this path."""
        return tuple(self.live_draft(index, path) for index in self.drafts)

    def live_draft(self, index: int, path: Container[str]) -> LiveDraft:
        """Return one of its drafts, where it hangs for who reads this path."""
        key, above = f"{self.key}:{index}", self.stands_at(path)
        draft, node_id = self.drafts[index], self.ids.get(index, "")
        progress = self.loop.progress if self.loop is not None and self.loop.own is self else None
        if self.trace is not None:
            draft = replace(draft, text=spoken_text(draft.text))
        if progress is not None and self.loop is not None and self.loop.outcome is None:
            draft = replace(draft, reason=None)  # the end of a step is not that of the run
        gap_id, later = self.sources.gap_id, self.place.later
        return LiveDraft(key, above, self.agent.id, draft, gap_id, node_id, progress, later)


def maker_of(flight: RunningRequest) -> Make:
    """Return the maker of an answer's node as the answer is now; the exchange is looked at when it writes."""
    run = CrashedRun(
        flight.run.id,
        flight.tree.loom.id,
        flight.sources,
        flight.agent.id,
        tuple(flight.drafts.values()),
        flight.evidence,
        flight.read_index,
        flight.standing,
        flight.place.back,
        flight.place.follows,
        dict(flight.ids),
        trace=flight.trace,
        later=flight.place.later,
    )
    return partial(_run_row, flight.run, run, now())


def _run_row(live: FanOut, run: CrashedRun, at: Milliseconds) -> DraftRow:
    evidence = [one.with_record(live.request.record) for one in run.evidence or live.evidence()]
    return run_row(replace(run, evidence=tuple(evidence)), at)


class Fleet:
    """Requests under way, in the order in which they were asked. Who iterates may remove some meanwhile."""

    def __init__(self) -> None:
        self._flights: dict[str, RunningRequest] = {}

    def __len__(self) -> int:
        return len(self._flights)

    def __contains__(self, flight: RunningRequest) -> bool:
        return flight.key in self._flights

    def __iter__(self) -> Iterator[RunningRequest]:
        return iter(list(self._flights.values()))

    def add(self, flight: RunningRequest) -> None:
        self._flights[flight.key] = flight

    def remove(self, flight: RunningRequest) -> None:
        del self._flights[flight.key]

    def of_draft(self, key: str) -> RunningRequest | None:
        """Return the request whose draft has this key; None if it is under way no longer."""
        return self._flights.get(key.rpartition(":")[0])

    def in_tree(self, tree_id: str) -> list[RunningRequest]:
        return [flight for flight in self if flight.tree.loom.id == tree_id]

    def mates(self, flight: RunningRequest) -> list[RunningRequest]:
        return [f for f in self if f.place.group == flight.place.group and f is not flight]

    def ahead(self, flight: RunningRequest) -> list[RunningRequest]:
        """Return those under way that were asked for before it, together with it."""
        place = asked_place(f"{flight.key}:0")
        return [mate for mate in self.mates(flight) if asked_place(f"{mate.key}:0") < place]

    def is_another_read(self, flight: RunningRequest) -> bool:
        """Return True if, of those asked together, another that still streams is read: the path goes on
        there.
        """
        return not flight.place.is_read and any(mate.place.is_read for mate in self.mates(flight))

    def read(self, key: str, *, follows: bool | None = None) -> None:
        """A draft is read, of those that were asked together; see `Generator.read_draft`."""
        flight = self.of_draft(key)
        if flight is None:
            return
        for one in (flight, *self.mates(flight)):
            wanted = one.place.follows if follows is None else follows
            one.place = replace(one.place, is_read=one is flight, follows=wanted)
        flight.read_index = int(key.rpartition(":")[2])

    def guard_undo(self, change: Change) -> None:
        """Raises: LoomError if an undo would take away a node that one of them hangs on."""
        going = {node.id for node in change.removed_nodes()}
        for flight in self:
            sources = flight.sources
            if going & {sources.gap_id, *(source.node_id for source in sources.as_edge_sources())}:
                raise LoomError(BEING_WRITTEN)

    def guard_prune(self, change: Change) -> None:
        """Raises: InvalidInput if a change deletes a node under which one of them is being written: its
        answer would come where nobody looks.
        """
        rows = ((row.before, row.after) for row in change.changed(Node))
        going = {
            after.id
            for before, after in rows
            if isinstance(after, Node) and after.metadata.pruned
            and isinstance(before, Node) and not before.metadata.pruned
        }  # fmt: skip
        if going and any(flight.sources.primary_id in going for flight in self.in_tree(change.tree_id)):
            raise InvalidInput("an answer is being written under it")

    @property
    def choices_being_written(self) -> int:
        return sum(not draft.ended for flight in self for draft in flight.drafts.values())

    @property
    def choices_waiting(self) -> int:
        """Number of choices for which nothing has come yet."""
        drafts = (draft for flight in self for draft in flight.drafts.values())
        return sum(not (draft.ended or draft.text or draft.reasoning) for draft in drafts)


RUN = "run"


def asked_place(key: str) -> tuple[int, int]:
    """Return the place of a draft among all that were asked for, by its key: the request's number, and its
    own there.
    """
    run, _, index = key.rpartition(":")
    return int(run.removeprefix(RUN)), int(index)
