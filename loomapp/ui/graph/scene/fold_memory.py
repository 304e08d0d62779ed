"""Folds as the owner of a scene keeps them: told when a tree is left, and applied when it is shown again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress
from operator import attrgetter
from typing import TypeAlias

import numpy as np

from loomapp.core.layout.card_table_build import nodes_of
from loomapp.core.layout.folds import SMALL_TREE
from loomapp.ui.graph.scene.card_places import Places
from loomapp.ui.graph.scene.scene_state import SceneState

FoldState: TypeAlias = Mapping[str, Iterable[str]]  # what is folded, hoisted, unread, and the path's end
_BOOKMARKED, _CREATED_AT = attrgetter("metadata.bookmarked"), attrgetter("created_at")


class FoldMemory:
    """Folds of one scene's tree. Until its owner says what was folded, old branches are."""

    def __init__(self, state: SceneState, places: Places) -> None:
        self._state = state
        self._places = places
        self._folds: list[str] | None = None  # what the owner remembers as folded, until it is applied
        self._folds_end = ""  # where the path ended then
        self._taken_over: FoldState | None = None  # what it was when the tree was taken over

    def forget(self) -> None:
        """Know nothing of another tree's folds."""
        self._folds = self._taken_over = None

    def was_taken_over(self, folds: FoldState | None) -> None:
        """Note that the places which were taken over are folded so already."""
        self._taken_over = folds

    def told(self) -> dict[str, list[str]]:
        """Return the cards that are folded, hoisted, unread, and the end of the path that this is for."""
        hoisted = [self._places.hoisted] if self._places.hoisted else []
        end = [self._state.leaf] if self._state.leaf else []
        folded, unread = list(self._places.folded), sorted(self._state.unread)
        return {"folded": folded, "hoisted": hoisted, "unread": unread, "end": end}

    def apply(self, folds: FoldState) -> None:
        """Fold as `told` said, in place of folding the old branches."""
        if folds == self._taken_over:
            return
        state, places = self._state, self._places
        nodes = state.tree.nodes if state.tree is not None else {}
        self._folds = list(folds.get("folded", ()))
        self._folds_end = next(iter(folds.get("end", ())), "")
        state.unread = {node_id for node_id in folds.get("unread", ()) if node_id in nodes}
        places.hoisted = next((n for n in folds.get("hoisted", ()) if n in nodes), "")
        places.at_first = self.fold_at_first
        places.arrange_anew()

    def fold_at_first(self) -> None:
        """Decide what is folded before a tree gets its first layout."""
        state, places = self._state, self._places
        tree, roster = state.tree, places.roster
        assert tree is not None
        if self._folds is not None:
            cards = (roster.card_of(card) for card in self._folds)
            places.folded = {card: 0 for card in cards if card in roster.numbers}
            if self._folds_end != state.leaf:  # where the path is another one it is open
                places.unfold_to(state.leaf or tree.root_id)
            return
        if len(roster) <= SMALL_TREE:
            return
        known = [node for node in nodes_of(tree, roster.keys) if node is not None]
        kept = {node.id for node in compress(known, map(_BOOKMARKED, known))}
        kept |= state.unread | set(state.drafts) | ({state.current} if state.current else set())
        moments = np.zeros(len(roster), np.int64)  # drafts have none, and come after all nodes
        moments[: len(known)] = np.fromiter(map(_CREATED_AT, known), np.int64, len(known))
        places.fold_old(state.path.node_ids, kept, moments)
