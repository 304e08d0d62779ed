"""The canvas with a hand: branches that fold, several cards selected, the unread, what the text points at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from loomapp.core.layout.incremental import Growth
from loomapp.ui.graph.canvas import Canvas
from loomapp.ui.graph.input.pointer import Hand, Target
from loomapp.ui.graph.motion.camera import Camera, detail
from loomapp.ui.graph.painting import overlay
from loomapp.ui.graph.painting.card_signs import FoundWords
from loomapp.ui.graph.painting.overlay import ONE_BY_ONE, ChosenMarks
from loomapp.ui.graph.scene.scene_state import Chosen
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


class SelectingCanvas(FoldingCanvas):
    """Canvas on which cards are selected and marked."""

    chosen_changed = Signal()  # another selection of several, or none any more; see `chosen`

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chosen = Chosen()
        self._chosen_marks = ChosenMarks()
        self._found = FoundWords()
        self._linked = ""  # what the pointer is over in the text
        self._drop_id = ""  # what something dragged from elsewhere would fall on
        self._trail: list[str] = []  # the nodes that were selected by walking, in that order
        self._hand = Hand(self.viewport(), self._scene, lambda: self.camera, lambda: self._seen_drift)
        self._hand.toggled.connect(self.on_toggled)
        self._hand.lassoed.connect(self.on_lassoed)
        self._hand.drawing_changed.connect(self.on_drawing_changed)
        self._hand.read.connect(self.on_read)

    def on_drawing_changed(self) -> None:
        """Paint it; a flight ends where it is, for the card that is meant must not slip away."""
        if self._hand.is_drawing:
            self._flight.stop()
        self.viewport().update()

    def _fly(self, there: Camera) -> None:
        """Nowhere while something is drawn by hand: its ends are places on the screen."""
        if not self._hand.is_drawing:
            super()._fly(there)

    def node_at(self, target: Target) -> str:
        if target.row is None or self._scene.is_draft(target.row):
            return ""
        return self._scene.key(target.row)

    def choose(self, node_ids: Iterable[str]) -> None:
        chosen = frozenset(node_ids)
        if chosen != self._scene.chosen:
            self._scene.choose(chosen)
            self.chosen_changed.emit()
            self._refresh()

    def extend_to(self, from_id: str, node_id: str) -> None:
        """Select a node beside the one before; if the last step came from there, take that step back."""
        if self._trail[-1:] != [from_id] or not self._scene.chosen.issuperset(self._trail):
            self._trail = [from_id]
        if self._trail[-2:-1] == [node_id]:
            self._trail.pop()
            left = self._scene.chosen - {from_id}
            self.choose(left if len(left) > 1 else [])
        else:
            self._trail.append(node_id)
            self.choose(self._scene.chosen | {from_id, node_id})

    @property
    def chosen_ids(self) -> list[str]:
        return sorted(self._scene.chosen)

    @property
    def chosen(self) -> Chosen:
        """Return the selection of several, and what is known of it."""
        if self._chosen.node_ids is not self._scene.chosen:
            self._chosen = Chosen(self._scene.chosen)
        return self._chosen

    def on_toggled(self, target: Target) -> None:
        """Add a card to the selection, or remove it. The current one is its first."""
        node_id = self.node_at(target)
        if node_id:
            first = {self._scene.current} if self._scene.current else set()
            self.choose((self._scene.chosen or frozenset(first)) ^ {node_id})

    def on_lassoed(self, area: QRectF) -> None:
        tree = self._scene.tree
        if tree is not None:
            found = self._scene.nodes_on(self._scene.index.rows_in(self.camera.box(area)))
            says_nothing = {tree.root_id} if tree.is_empty_root(tree.root_id) else set()
            self.choose(self._scene.chosen.union(found) - (says_nothing - self._scene.chosen))

    def set_hovered(self, node_id: str) -> None:
        """Highlight the card of a node whose words the pointer is over elsewhere."""
        if node_id != self._linked:
            self._linked = node_id
            self.viewport().update()

    def on_read(self, node_id: str) -> None:
        if self._scene.mark_read(node_id):
            self._refresh()

    def mark_unread(self, node_ids: Iterable[str]) -> None:
        """Put the dot of what nobody looked at on nodes that somebody else wrote."""
        self._scene.mark_unread(node_ids)
        self._refresh()

    @property
    def has_unread(self) -> bool:
        return bool(self._scene.unread)

    def next_unread(self) -> str:
        """The next node nobody has looked at, level by level from the current one; empty if there is none.
        What hides it is opened."""
        self._settle()
        if not self._scene.unread:
            return ""
        order = [node_id for node_id in self._scene.node_ids() if node_id in self._scene.unread]
        here = self._current_row()
        after = [n for n in order if here is not None and (self._scene.row_of(n) or 0) > here]
        node_id = next(iter(after or order), "") or min(self._scene.unread)
        self.show_hidden(node_id)
        return node_id

    def toggle_pin(self) -> bool:
        """Keep the whole text of the hovered or current card in sight, or let it go; return True if kept."""
        self._settle()
        self._hand.toggle_pin(self._current_row())
        return self._hand.pinned

    def show_drop(self, at: QPointF | None) -> str:
        """Ring the card that something dragged from elsewhere would fall on; its node, or nothing."""
        self._settle()
        self._drop_id = "" if at is None else self._hand.node_at(at)
        self.viewport().update()
        return self._drop_id

    def mark_words(self, *words: str, match_case: bool = False) -> None:
        """Mark words that are looked for on every card that has all of them; without words, none."""
        self._found.seek(*words, match_case=match_case)
        self.viewport().update()

    def paint_marks(self, painter: QPainter) -> None:
        """Paint what is found, selections, the card that is hovered in the text, and what is being drawn."""
        if self._found.paint(painter, self._scene, self._camera, self._painted_rect):
            self.viewport().update()  # more of it with the next frame
        marked = self._chosen_marks.rows(self._scene, self._camera)
        if len(marked) > ONE_BY_ONE and detail(self._camera.zoom) == "blocks":
            self._chosen_marks.paint(painter, self._scene, self._camera)
            marked = marked[:0]
        for row in marked.tolist():
            overlay.paint_chosen(painter, self._painted_rect(row), self._camera.zoom)
            self.paint_fold_again(painter, row)
        linked = self._scene.row_of(self._linked) if self._linked else None
        if linked is not None:
            overlay.paint_hover(painter, self._painted_rect(linked), self._camera.zoom, accent=True)
            self.paint_fold_again(painter, linked)
        if not self._hand.lasso.isNull():
            overlay.paint_lasso(painter, self._hand.lasso)
        ringed = self._scene.row_of(self._drop_id) if self._drop_id else None
        if ringed is not None:
            overlay.paint_target(painter, self._painted_rect(ringed), self._camera.zoom)
        leash = self._hand.leash
        carried = self._scene.row_of(leash.node_id) if leash is not None else None
        if leash is not None and carried is not None:
            target = self._scene.row_of(leash.target_id) if leash.target_id else None
            place = None if target is None else self._painted_rect(target)
            overlay.paint_leash(painter, self._painted_rect(carried), leash.point, place, self._camera.zoom)

    def paint_fold_again(self, painter: QPainter, row: int | None) -> None:
        """The badge of a folded branch once more, above what was drawn around its card."""
        count = 0 if row is None else self._scene.places.folded.get(self._scene.card(row), 0)
        if row is not None and count and detail(self._camera.zoom) != "blocks":
            card, zoom = self._painted_rect(row), self._camera.zoom
            overlay.paint_fold(painter, card, count, zoom, down=self._scene.is_down)
