"""The canvas with a keyboard: keys walk from card to card and act on them; letters are keys or words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QWidget

from loomapp.ui.graph.input import key_walk
from loomapp.ui.graph.input.key_walk import DraftStop, no_key
from loomapp.ui.graph.painting import overlay
from loomapp.ui.graph.selectable_canvas import SelectingCanvas
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import is_letter
from loomapp.ui.widgets.spoken import DrawnPart, tell_current

TAKEN_AWAY = (
    Qt.FocusReason.MouseFocusReason,
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
)


class Letters:
    """Every key is the graph's while it was entered by the keyboard. After a click, and wherever the keyboard
    came to it unasked, a few are, see `keeps`, and all others are words; after what takes the clicked card
    away every letter is.
    """

    def __init__(self) -> None:
        self.keeps: Callable[[QKeySequence], bool] = no_key  # whether a key acts after a click, too
        self._is_entered = False
        self._has_card = True

    def come(self, reason: Qt.FocusReason) -> None:
        """The keyboard came to the graph; back from a menu, a list or another window all is as it was."""
        if reason in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.enter()

    def go(self, reason: Qt.FocusReason) -> None:
        """The keyboard is taken elsewhere by a click or by Tab; a menu, a field or another window gives it
        back.
        """
        if reason in TAKEN_AWAY:
            self._is_entered = False

    def enter(self) -> None:
        self._is_entered = self._has_card = True

    def click(self) -> None:
        self._is_entered, self._has_card = False, True

    def walk(self) -> None:
        self._has_card = True

    def lose_card(self) -> None:
        """Note that the current card is gone: who types next writes."""
        self._has_card = False

    def are_words(self, event: QEvent) -> bool:
        """Return True if a key is meant for where one writes."""
        if self._is_entered or not isinstance(event, QKeyEvent) or not is_letter(event):
            return False
        may_act = self._has_card or not event.text().isalpha()
        return not (may_act and self.keeps(QKeySequence(event.keyCombination())))


KEYBOARD_REASONS = {
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
    Qt.FocusReason.OtherFocusReason,
}
MOST_SPOKEN = 100  # cards in view that readers are told of
RING_INSET_PX = 5  # of the ring around the whole, while no card is current


class WalkingCanvas(SelectingCanvas):
    """Canvas on which one card is current; keys go from it to others and act on it."""

    node_clicked = Signal(str)  # node id: selected, by pointer or by walking
    node_activated = Signal(str)  # node id: double-clicked, or Enter
    draft_asked = Signal(str, str)  # a draft's key, retry | stop | key | dismiss
    draft_chosen = Signal(str)  # a draft's key: it is to be read
    draft_refused = Signal()  # a key was pressed that does something to a node, where a draft was chosen
    space_tapped = Signal()  # pressed and let go, and nothing was dragged meanwhile
    words_typed = Signal(object)  # QKeyEvent that is meant for where one writes

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ring = False  # whether the keyboard's place is shown
        self.letters = Letters()
        self._is_new = True  # no card of the tree was the current one yet
        asked, chosen, refused = self.draft_asked, self.draft_chosen, self.draft_refused
        self._stop = DraftStop(self, self._scene, asked.emit, chosen.emit, refused.emit)

    def set_current(self, node_id: str | None) -> None:
        """Select the node that would be continued."""
        if node_id == self._scene.current:
            return
        self._stop.stand_on("")
        if self._placed:
            self._settle()  # what moved before this moved around the card that was looked at then
        self._handled = ""
        self._scene.set_current(node_id)
        if node_id is not None:
            if self._placed and not self._is_new:  # what hides the first one was folded when it was left
                self.show_hidden(node_id)
            self._is_new = False
        self._describe_current()
        tell_current(self)
        self._refresh()

    @property
    def is_placed(self) -> bool:
        """True once the tree is looked at."""
        return self._placed

    @property
    def current_node_id(self) -> str | None:
        return self._scene.current

    def _choose(self, node_id: str) -> None:
        self.choose([])
        self._stop.stand_on("")
        self.set_current(node_id)
        self.node_clicked.emit(node_id)

    def paint_ring(self, painter: QPainter) -> None:
        if not (self._ring and self.hasFocus()):
            return
        row, inset = self._keyboard_row(), RING_INSET_PX
        whole = QRectF(self.viewport().rect()).adjusted(inset, inset, -inset, -inset)
        card = whole if row is None else self._painted_rect(row)
        overlay.paint_ring(painter, card, self._camera.zoom)
        self.paint_fold_again(painter, row)

    # What readers hear of the cards

    def drawn_keys(self) -> list[str]:
        """Return the nodes and drafts whose cards are in view, and the one that the keyboard is at."""
        self._settle()
        rows = self._scene.index.rows_in(self._camera.seen)[:MOST_SPOKEN].tolist()
        here = self._keyboard_row()
        return [self._scene.key(row) for row in (rows if here in rows or here is None else [*rows, here])]

    def drawn_part(self, key: str) -> DrawnPart | None:
        """Return what there is to say of a card, and where it is on the screen."""
        self._settle()
        row = self._scene.row_of(key)
        if row is None:
            return None
        face = self._scene.face(row) if self._scene.is_draft(row) else None
        words = self._scene.spoken(key) if face is None else f"{face.name}: {face.text}"
        if face is None and self.is_folded(key):
            words = f"{words}\n{tr('Folded')}"
        place = self._card_rect(row).toRect()
        place.moveTopLeft(self.viewport().mapToGlobal(place.topLeft()))
        return DrawnPart(words, place, key == self.current_key() or key in self._scene.chosen)

    def current_key(self) -> str:
        """Return the key of the card that the keyboard is at; empty if there is none."""
        row = self._keyboard_row()
        return "" if row is None else self._scene.key(row)

    def hide_ring(self) -> None:
        """Show no ring until the keyboard is used again."""
        self._ring = False

    def event(self, event: QEvent) -> bool:
        """Space is held here before it is the key of anything: what it is the key of follows on a tap. A
        click that what lies over the cards has not taken is one all the same.
        """
        if event.type() == QEvent.Type.MouseButtonPress:
            self.letters.click()
            self.hide_ring()
        is_override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_override and (
            _is_bare_space(event) or self.letters.are_words(event) or self._stop.holds(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let a held Space turn dragging into panning; Escape leaves what is under way."""
        if self.letters.are_words(event):
            self.words_typed.emit(event)
        elif self._stop.press(event, self._keyboard_place()):
            self._stand_on_draft(self._stop.key)
            event.accept()
        elif _is_bare_space(event):
            self._hand.hold_space(True)
        elif event.key() == Qt.Key.Key_Escape and self.escape():
            event.accept()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat() and self._hand.hold_space(False):
            self.space_tapped.emit()
        super().keyReleaseEvent(event)

    def escape(self) -> bool:
        """Leave what is under way: a drawing, a preview, a selection; False if there is none of them."""
        if self._stop.key:
            self._stand_on_draft("")
            return True
        if self.close_preview():
            return True
        if self._scene.chosen:
            self.choose([])
            return True
        return False

    def close_preview(self) -> bool:
        """Leave a drawing or a pinned preview; False if there is none."""
        return self._hand.give_up() or self._hand.unpin()

    def go(self, direction: key_walk.Direction) -> None:
        row = self._step(direction, self._keyboard_row(), drafts=True)
        if row is None:
            return
        key = self._scene.key(row)
        if self._scene.is_draft(row):
            self._stand_on_draft(key)
        else:
            self._choose(key)
        self.ensure_visible(key)

    def know_node_keys(self, acts_on_node: Callable[[QKeySequence], bool]) -> None:
        """Set the function that tells whether a key does something to a node."""
        self._stop.acts_on_node = acts_on_node

    def _stand_on_draft(self, key: str) -> None:
        self._stop.stand_on(key)
        self.setAccessibleDescription(self._stop.words())
        tell_current(self)
        self.viewport().update()

    def _keyboard_row(self) -> int | None:
        """The card that the keyboard is at: a draft that was walked to, else that of the current node."""
        row = self._stop.row
        return self._current_row() if row is None else row

    def show_keyboard_place(self) -> None:
        """Move no further than needed for the card that the keyboard is at to be in view, uncovered."""
        self._settle()
        self._hand.give_way()
        row = self._keyboard_row()
        if row is not None and not self._aim.seen.holds(self._scene.box(row)):
            self.ensure_visible(self._scene.key(row))

    def holds(self, node_id: str) -> bool:
        """Return True if all of a card is in view, or will be when the camera comes to rest."""
        self._settle()
        row = self._scene.row_of(node_id)
        return row is not None and self._aim.seen.holds(self._scene.box(row))

    def _keyboard_place(self) -> QPoint:
        """Return the middle of the keyboard's card, on the screen."""
        row = self._keyboard_row()
        rect = QRectF(self.viewport().rect()) if row is None else self._card_rect(row)
        return self.viewport().mapToGlobal(rect.center().toPoint())

    def extend(self, direction: key_walk.Direction) -> None:
        """Take the next message in a direction into the selection, past notes; the way back leaves it out
        again.
        """
        here, row = self._scene.current, self._step(direction, self._current_row(), drafts=False)
        while row is not None and self._is_note(row):
            row = key_walk.step(self._scene, row, direction)
        node_id = "" if row is None else self._scene.key(row)
        if here and node_id:
            self._stop.stand_on("")
            self.extend_to(here, node_id)
            self.set_current(node_id)
            self.node_clicked.emit(node_id)
            self.ensure_visible(node_id)

    def _is_note(self, row: int) -> bool:
        tree = self._scene.tree
        return tree is not None and bool(tree.annotation_edges_into(self._scene.key(row)))

    def read_current(self) -> None:
        if self._scene.current:
            self.node_activated.emit(self._scene.current)

    def peek(self) -> None:
        """Show the whole text of the current card, or no more if it is shown."""
        self._settle()
        self._hand.peek(self._current_row())

    def _step(self, direction: key_walk.Direction, row: int | None, *, drafts: bool) -> int | None:
        self._settle()
        self._hand.give_way()
        self.letters.walk()
        self._ring = True
        self.viewport().update()
        return key_walk.step(self._scene, row, direction, drafts=drafts)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is, if the keyboard or a command brought it."""
        self.letters.come(event.reason())
        if event.reason() in KEYBOARD_REASONS:
            self._ring = True
        self.viewport().update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._hand.hold_space(False)
        self.letters.go(event.reason())
        self.viewport().update()
        super().focusOutEvent(event)

    def _describe_current(self) -> None:
        self.setAccessibleDescription(self._scene.spoken(self._scene.current or ""))


def _is_bare_space(event: QEvent) -> bool:
    return (
        isinstance(event, QKeyEvent)
        and event.key() == Qt.Key.Key_Space
        and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    )
