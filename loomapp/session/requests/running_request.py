"""One request under way: where its answers will hang, and what they hold so far."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from loomapp.core.generation.answers import Sources
from loomapp.core.generation.crashed_run import CrashedRun
from loomapp.core.generation.drafts import Draft, LiveDraft, grow
from loomapp.core.generation.events import StreamEvent, joined
from loomapp.core.generation.request import Request
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.prose.answer_anchor import AnswerAnchor, anchor_at, versions_since
from loomapp.core.sent.trial import Trial
from loomapp.core.times import Milliseconds
from loomapp.providers.run.fan_out import FanOut
from loomapp.session.recovery import run_row
from loomapp.session.requests.stall_notice import Patience
from loomapp.store.files.draft_writer import Make
from loomapp.store.files.drafts import DraftRow
from loomapp.store.identity import now


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
        return not any(draft.text for draft in self.drafts.values())

    def take_in(self, events: Iterable[StreamEvent]) -> list[int]:
        """Grow its drafts by what came, or say for how long nothing has; gives those that are others now."""
        before = dict(self.drafts)
        for event in joined(events):
            self.drafts = {index: grow(draft, event) for index, draft in self.drafts.items()}
        for index, draft in self.drafts.items():
            waits = None if draft.ended else self.patience.wait(index)
            if waits != draft.waits:
                self.drafts[index] = replace(draft, waits=waits)
        return [index for index, draft in self.drafts.items() if draft is not before[index]]

    def live(self, path: Container[str]) -> tuple[LiveDraft, ...]:
        """Return its drafts, where they hang for who reads this path."""
        return tuple(self.live_draft(index, path) for index in self.drafts)

    def live_draft(self, index: int, path: Container[str]) -> LiveDraft:
        """Return one of its drafts, where it hangs for who reads this path."""
        key, above = f"{self.key}:{index}", self.stands_at(path)
        draft, node_id = self.drafts[index], self.ids.get(index, "")
        return LiveDraft(key, above, self.agent.id, draft, self.sources.gap_id, node_id)


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
    )
    return partial(_run_row, flight.run, run, now())


def _run_row(live: FanOut, run: CrashedRun, at: Milliseconds) -> DraftRow:
    return run_row(replace(run, evidence=run.evidence or live.evidence()), at)
