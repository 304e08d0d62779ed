"""Drafts: choices of a model's answer while they stream, how they grow, and how far an agent's run is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.generation.provider import (
    ChoiceFailed,
    Finished,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
    Withdrawn,
)
from loomapp.core.loom_commands.trace import TraceEntry
from loomapp.core.sentences import worded

CHARACTERS_PER_TOKEN = 4
Act: TypeAlias = Literal["reads", "writes", "asks"]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Progress of a run: its step, from 1, of how many at most, its command lines so far (one that is being
    carried out last, as `now`), the tokens that its model wrote in the steps before, and the node at which it
    acted last.
    """

    step: int
    most_steps: int
    lines: tuple[TraceEntry, ...] = ()
    now: str = ""
    tokens: int = 0
    at: str = ""
    act: Act = "reads"


@dataclass(frozen=True, slots=True)
class Wait:
    """Why nothing comes right now, for people: it is asked again by itself in `again_in_s`, or, where that is
    None, it has said nothing for `silent_s`. `said` is what its server said of that.
    """

    why: str
    again_in_s: int | None = None
    silent_s: int = 0
    said: str = ""

    @property
    def sentence(self) -> str:
        if self.again_in_s is None:
            return self.why
        return worded("Loomapp retries in {seconds}\u00a0s: {why}", seconds=self.again_in_s, why=self.why)


@dataclass(frozen=True, slots=True)
class Awaited:
    """Seconds since a first word was asked for, and how much of the prompt is read, if that is told."""

    seconds: int
    read_tokens: int = 0
    total_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """One choice while it streams. Not a node: nothing of it is in the tree until its request ends."""

    index: int
    text: str = ""
    reasoning: str = ""
    reason: str | None = None  # the provider's finish reason
    usage: Usage | None = None
    interrupted: str | None = None  # timeout, network, provider error, cancelled, crash
    error: LoomError | None = None
    waits: Wait | None = None  # while nothing comes
    awaited: Awaited | None = None  # while the first word is on its way

    @property
    def ended(self) -> bool:
        return self.reason is not None or self.interrupted is not None or self.error is not None


@dataclass(frozen=True, slots=True)
class LiveDraft:
    """A draft and where it hangs in the tree while it streams. `key` is unique among live drafts."""

    key: str
    parent_id: str
    agent_id: str
    draft: Draft
    gap_id: str | None = None  # that it fills
    node_id: str = ""  # the node that it becomes, if it gets any text
    run: RunProgress | None = None  # that it ends, of a loom-aware agent
    later: tuple[str, ...] = ()  # the nodes of what was asked for after it, together with it
    proposal: str = ""  # the command that it stands for, if it is none but waits for a person


def in_order(ways: Iterable[str], coming: Mapping[str, Collection[str]]) -> list[str]:
    """Return ways on, and those that stream: each before the first of the nodes that it names, else last."""
    found = [*ways]
    for key, later in coming.items():
        found.insert(next((place for place, way in enumerate(found) if way in later), len(found)), key)
    return found


def written_tokens(draft: Draft) -> int:
    """Return how many tokens a draft has: as its server told, until then by its length, which is known at
    once however long it is.
    """
    told = draft.usage.output_tokens if draft.usage is not None else None
    return -(-len(draft.text) // CHARACTERS_PER_TOKEN) if told is None else told


def failed_count(drafts: Iterable[LiveDraft]) -> int:
    """Return how many of some drafts failed without a word."""
    return sum(live.draft.error is not None and not live.draft.text for live in drafts)


def grow(draft: Draft, event: StreamEvent) -> Draft:
    """The draft after an event; events of other choices leave it as it is."""
    match event:
        case TextDelta(index=draft.index, text=text) if not draft.ended:
            return replace(draft, text=draft.text + text)
        case ReasoningDelta(index=draft.index, text=text) if not draft.ended:
            return replace(draft, reasoning=draft.reasoning + text)
        case Finished(index=draft.index, reason=reason, usage=usage) if not draft.ended:
            return replace(draft, reason=reason, usage=usage)
        case Withdrawn(index=draft.index) if draft.error is None and draft.interrupted is None:
            return replace(draft, reason=None)
        case UsageReported(index=draft.index, usage=usage):
            return replace(draft, usage=usage)
        case ChoiceFailed(index=draft.index, error=error):
            return fail(draft, error)
        case _:
            return draft


INTERRUPTION_BY_CODE: Mapping[str, str] = {
    "timeout": "timeout",
    "networkError": "network",
    "cancelled": "cancelled",
}


def fail(draft: Draft, error: LoomError) -> Draft:
    """The draft as an error leaves it: its text stays, flagged with why it ends here."""
    if draft.ended:
        return draft
    return replace(draft, interrupted=INTERRUPTION_BY_CODE.get(error.code, "provider error"), error=error)
