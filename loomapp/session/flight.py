"""A flight: one request under way, where its answers will hang, and what they hold so far."""

from __future__ import annotations

from dataclasses import dataclass

from loomapp.core.evidence import Evidence
from loomapp.core.generation import Draft, LiveDraft, Request, Sources
from loomapp.core.sent.trial import Trial
from loomapp.core.tree import Agent, Tree
from loomapp.providers.fan_out import FanOut
from loomapp.session.patience import Patience


@dataclass(frozen=True, slots=True)
class Place:
    """Which of those that were asked together; the path goes on with the one that is read.

    Each becomes nodes as soon as it ends: who reads the first is not to wait for the slowest before going on
    from it. They are one step of undo all the same, as long as nothing else was done between their ends.
    """

    group: str
    is_read: bool
    follows: bool = True  # False: it is only offered, the path stays where it is


@dataclass(slots=True)
class Flight:
    """One request under way, and what its choices hold so far."""

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

    def live(self) -> tuple[LiveDraft, ...]:
        """Its drafts, where they hang."""
        return tuple(self.live_draft(index) for index in self.drafts)

    def live_draft(self, index: int) -> LiveDraft:
        """One of its drafts, where it hangs."""
        key = f"{self.key}:{index}"
        return LiveDraft(key, self.sources.primary_id, self.agent.id, self.drafts[index])
