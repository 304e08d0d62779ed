"""The canvas with branches that fold, one that stands alone, and a direction to grow in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from PySide6.QtCore import Signal

from loomapp.core.layout.incremental import Growth
from loomapp.ui.graph.canvas import Canvas
from loomapp.ui.graph.scene.spatial_index import Direction


class FoldingCanvas(Canvas):
    """Canvas whose branches can be folded: a way to look at a tree, not a change of it."""

    put_away = Signal(str)  # node id: what is below it is folded, and the current node with that

    _wanted = ""  # the card to bring into view once it is laid out

    def show_hidden(self, node_id: str) -> None:
        """Open what hides a node: at once, or in a large tree as soon as it is laid out."""
        self._settle()
        if self._scene.row_of(node_id) is None:
            self._scene.places.unfold_to(node_id)
            self._settle()

    def ensure_visible(self, key: str) -> None:
        """Bring a node's or draft's card into view, and open what hides it."""
        self.show_hidden(key)
        self._wanted = key if self._scene.row_of(key) is None else ""
        super().ensure_visible(key)

    def on_tidied(self, growth: Growth) -> None:
        """Bring the card that was waited for into view, if it has its place now."""
        super().on_tidied(growth)
        wanted, self._wanted = self._wanted, ""
        if wanted:
            super().ensure_visible(wanted)

    def fold(self, node_id: str) -> None:
        self._settle()
        self._scene.fold(node_id)
        self._refresh()
        if self._scene.places.is_below(self._scene.current or "", node_id):
            self.put_away.emit(node_id)

    def unfold(self, node_id: str) -> None:
        self._scene.unfold([node_id])
        self._refresh()

    def toggle_fold(self, node_id: str) -> None:
        self.unfold(node_id) if self.is_folded(node_id) else self.fold(node_id)

    def turn_fold(self, node_id: str) -> None:
        """Fold or open by the pointer: the card under it stays where it is."""
        self._settle()
        self._handled = self._scene.card_of(node_id) or ""
        self.toggle_fold(node_id)

    def unfold_all(self) -> None:
        self._settle()
        self._scene.unfold(list(self._scene.places.folded))
        self._refresh()

    def is_folded(self, node_id: str) -> bool:
        """True if what is below a node is put away."""
        self._settle()
        return self._scene.places.is_folded(self._scene.card_of(node_id) or "")

    def open_of(self, node_ids: Iterable[str]) -> Iterator[str]:
        self._settle()
        places, card_of = self._scene.places, self._scene.card_of
        return (node_id for node_id in node_ids if not places.is_folded(card_of(node_id) or ""))

    def hoist(self, node_id: str) -> None:
        """Show nothing but a node and what is below it; empty for the whole tree again."""
        self._settle()
        self._scene.places.hoist(node_id)
        self._refresh()

    @property
    def hoisted(self) -> str:
        """Return the node that stands alone with what is below it, or empty."""
        return self._scene.places.hoisted

    def fold_state(self) -> dict[str, list[str]]:
        """Return the cards that are folded, hoisted and unread, to be kept by the caller; see
        `set_fold_state`.
        """
        self._settle()
        return self._scene.fold_state()

    def set_fold_state(self, state: Mapping[str, Iterable[str]]) -> None:
        """Fold as `fold_state` told of this tree; right after `show_tree`. Cards that are not there any more
        are passed over, and the way to the active path is open.
        """
        self._scene.set_fold_state(state)
        self._refresh()

    def set_direction(self, direction: Direction) -> None:
        self._settle()
        self._scene.places.set_direction(direction)
        self._settle()

    @property
    def direction(self) -> Direction:
        return self._scene.places.direction
