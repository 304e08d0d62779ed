"""Continuations after the end of the text: answers that stream, and ghosts, which are only offered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtGui import QTextCharFormat

from loomapp.core.dataclass import dataclass
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.entities import verbatim
from loomapp.core.model.tree import Tree
from loomapp.ui.buffer.margin.marks import AuthorshipColours
from loomapp.ui.buffer.text.shown_tail import TailRun
from loomapp.ui.look import theme

GROWING = "▍"
PAINTED_PERCENT = 50  # of the width of the sign


@dataclass(frozen=True, slots=True)
class GhostOffer:
    """Offered continuation: a draft by its key, or a node by its id once it is one."""

    key: str
    text: str
    agent_id: str | None
    live: LiveDraft | None = None

    @property
    def grows(self) -> bool:
        return self.live is not None and not self.live.draft.ended and self.live.draft.waits is None

    @property
    def stands(self) -> bool:
        return bool(self.text) or (self.live is not None and not self.live.draft.ended)


class Tail:
    """Continuations of the path's end: all offers, the one shown, and how much of it was taken.

    `is_ghost`: they are offered and nothing more. `taken` counts characters of a ghost that were accepted.
    """

    def __init__(self) -> None:
        self.offers: tuple[GhostOffer, ...] = ()
        self.is_ghost = False
        self.taken = 0
        self._chosen = ""
        self._taken_of: dict[str, int] = {}  # of those that were looked at before

    @property
    def index(self) -> int:
        """Return the number of the offer that is shown, from 0."""
        return next((i for i, offer in enumerate(self.offers) if offer.key == self._chosen), 0)

    @property
    def shown(self) -> GhostOffer | None:
        return self.offers[self.index] if self.offers else None

    @property
    def awaited_id(self) -> str | None:
        """The node that the shown answer will be, if the path goes on with one: "" if the shown one will be
        none, and None if no path does.
        """
        offer = self.shown
        if not self.follows or offer is None:
            return None
        return offer.live.node_id if offer.live is not None and offer.stands else ""

    @property
    def follows(self) -> bool:
        """True while the path goes on with one of them once it is a node: it is more than offered."""
        return not self.is_ghost and any(offer.stands for offer in self.offers)

    def choose(self, key: str) -> None:
        if key != self._chosen:
            self._taken_of[self._chosen] = self.taken
            self._chosen, self.taken = key, self._taken_of.get(key, 0)

    def set_offers(self, offers: Iterable[GhostOffer], *, is_ghost: bool) -> None:
        place = self.index
        self.offers, self.is_ghost = tuple(offers), is_ghost
        if self._chosen not in {offer.key for offer in self.offers}:
            # A draft that became a node stands where it stood.
            self._chosen = self.offers[min(place, len(self.offers) - 1)].key if self.offers else ""
        if not self.offers or not is_ghost:
            self.taken = 0

    def grew(self, grown: Mapping[str, LiveDraft]) -> None:
        self.offers = tuple(
            GhostOffer(offer.key, grown[offer.key].draft.text, offer.agent_id, grown[offer.key])
            if offer.key in grown
            else offer
            for offer in self.offers
        )

    def clear(self) -> None:
        self.offers, self.is_ghost, self.taken, self._chosen = (), False, 0, ""
        self._taken_of.clear()

    def take_word(self) -> int:
        """Take the next word of a ghost with the white space before it; how much is taken by now."""
        offer = self.shown
        if offer is not None:
            text, at = offer.text, self.taken
            while at < len(text) and text[at].isspace():
                at += 1
            while at < len(text) and not text[at].isspace():
                at += 1
            self.taken = at
        return self.taken

    def runs(self, colouring: AuthorshipColours) -> Sequence[TailRun]:
        """Return the runs of the tail as it stands in the editor."""
        offer = self.shown
        if offer is None:
            return ()
        own = QTextCharFormat()
        own.setForeground(colouring.colour_of(offer.agent_id, "model"))
        runs = []
        if not self.is_ghost:
            runs.append(TailRun(offer.text, own))
        else:
            offered = QTextCharFormat()
            offered.setForeground(theme.colour("text.muted"))
            offered.setFontItalic(True)
            runs += [TailRun(offer.text[: self.taken], own), TailRun(offer.text[self.taken :], offered)]
        if offer.grows or (offer.stands and not offer.text):
            caret = QTextCharFormat()
            caret.setForeground(theme.colour("state.streaming"))
            caret.setFontLetterSpacing(PAINTED_PERCENT)  # the rest would look like a space behind it
            runs.append(TailRun(GROWING, caret))
        return [run for run in runs if run.text]


def offers_of_drafts(drafts: Iterable[LiveDraft], leaf_id: str) -> tuple[GhostOffer, ...]:
    """Return offers of the drafts that stream or failed at the end of the path."""
    return tuple(
        GhostOffer(live.key, live.draft.text, live.agent_id, live)
        for live in drafts
        if live.parent_id == leaf_id and live.gap_id is None
    )


def offers_of_nodes(tree: Tree, node_ids: Iterable[str], leaf_id: str) -> tuple[GhostOffer, ...]:
    """Return offers of the nodes that continue the path's end and are not pruned."""
    living = tree.living_children(leaf_id)
    nodes = [tree.nodes[node_id] for node_id in node_ids if node_id in living]
    return tuple(GhostOffer(node.id, verbatim(node), node.author_agent_id) for node in nodes)
