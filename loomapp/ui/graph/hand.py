"""The hand: what is under the pointer, and what a press on it turns out to be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtWidgets import QWidget

from loomapp.ui import theme
from loomapp.ui.graph import gestures, overlay
from loomapp.ui.graph.camera import CARD_ZOOM, Camera
from loomapp.ui.graph.cards import is_whole
from loomapp.ui.graph.preview import Preview
from loomapp.ui.graph.scene import Scene

HOVER_MS = 300


class Target(NamedTuple):
    """What is under the pointer: a card's row and its part, `card`, `plus`, `retry` or a tool."""

    row: int | None = None
    part: str = ""


DESK = Target()


class Hand(QObject):
    """Follows the pointer over a viewport. `look` gives the camera of the moment, positions up to date."""

    hover_changed = Signal(object, object)  # Target before, Target now
    pressed = Signal(object, bool)  # Target that was clicked, whether Shift was down
    activated = Signal(object)  # Target that was double-clicked
    panned = Signal(QPointF)  # px

    def __init__(self, viewport: QWidget, scene: Scene, look: Callable[[], Camera]) -> None:
        super().__init__(viewport)
        self.hover = DESK
        self._viewport = viewport
        self._scene = scene
        self._look = look
        self._gesture: gestures.Gesture | None = None
        self._space_held = False
        self._preview = Preview(viewport)
        self._timer = QTimer(self, singleShot=True, interval=HOVER_MS)
        self._timer.timeout.connect(self.on_rested)

    def controls(self, row: int) -> overlay.Controls:
        """What a card offers when the pointer is on it."""
        camera = self._look()
        folded = self._scene.places.folded.get(self._scene.card(row), 0)
        rect, kind = camera.rect(self._scene.box(row)), self._scene.face(row).kind
        return overlay.controls(rect, kind, camera.zoom, folded=folded, down=self._scene.is_down)

    def target_at(self, point: QPointF) -> Target:
        """What a press at a point of the viewport would mean."""
        camera = self._look()
        if self.hover.row is not None:  # its + and tools stand out over the neighbours
            part = self.controls(self.hover.row).part_at(point)
            if part:
                return Target(self.hover.row, part)
        on_canvas = camera.to_canvas(point)
        row = self._scene.row_at(on_canvas.x(), on_canvas.y())
        if row is not None:
            return Target(row, self.controls(row).part_at(point) or "card")
        beside = camera.to_canvas(point - QPointF(theme.metric("card.plus_size"), 0))
        row = self._scene.row_at(beside.x(), beside.y())
        if row is not None and self.controls(row).plus.contains(point):
            return Target(row, "plus")
        return DESK

    def press(self, event: QMouseEvent) -> None:
        """A button went down: begin what it means here."""
        self.hush()
        point = event.position()
        target = self.target_at(point)
        self._hover_over(target)
        left = event.button() == Qt.MouseButton.LeftButton
        middle = event.button() == Qt.MouseButton.MiddleButton
        if middle or (left and (self._space_held or target == DESK)):
            self._gesture = gestures.Pan(point, QCursor(Qt.CursorShape.ClosedHandCursor), self.panned.emit)
        elif left:
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._gesture = gestures.Press(partial(self._click, self._name(target), shift))
        self.show_cursor()

    def double_press(self, event: QMouseEvent) -> None:
        """The second press of a double click: it activates a card; elsewhere it is a press like any."""
        target = self.target_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and target.part == "card":
            self.hush()
            self.activated.emit(target)
        else:
            self.press(event)

    def move(self, point: QPointF) -> None:
        """The pointer moved."""
        if self._gesture is not None:
            self._gesture.move(point)
        else:
            self._hover_over(self.target_at(point))

    def release(self, point: QPointF) -> None:
        """The button was let go."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.release(point)
        self._hover_over(self.target_at(point))
        self.show_cursor()

    def hold_space(self, held: bool) -> None:
        """While Space is held, dragging pans wherever it begins."""
        self._space_held = held
        self.show_cursor()

    def hush(self) -> None:
        """No preview, until the pointer rests again."""
        self._timer.stop()
        self._preview.hide()

    def let_go(self) -> None:
        """The pointer is nowhere: it left, or the picture moved under it."""
        self.hush()
        self._hover_over(DESK)

    def on_rested(self) -> None:
        """The pointer has been on a card for a while: show what the card has no room for."""
        camera = self._look()  # and with it up-to-date rows
        row = self.hover.row
        if row is None or self._gesture is not None:
            return
        text, face = self._scene.full_text(row).strip(), self._scene.face(row)
        seen_whole = camera.zoom > CARD_ZOOM and is_whole(face, text, self._scene.index.width)
        if text and face.kind != "start" and not seen_whole:
            self._preview.show_text(text, camera.rect(self._scene.box(row)).toRect())

    def reach(self, row: int) -> QRectF:
        """The part of the viewport that a card and its controls may paint on."""
        card = self._look().rect(self._scene.box(row))
        return card.united(self.controls(row).reach)

    def show_cursor(self) -> None:
        """The pointer's shape says what a press would do."""
        if self._gesture is not None and self._gesture.cursor is not None:
            self._viewport.setCursor(self._gesture.cursor)
        elif self._space_held:
            self._viewport.setCursor(Qt.CursorShape.OpenHandCursor)
        elif self.hover.part not in {"", "card"}:
            self._viewport.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self._viewport.setCursor(Qt.CursorShape.ArrowCursor)

    def _name(self, target: Target) -> tuple[str, str]:
        """A target by what does not change when cards come and go."""
        return ("" if target.row is None else self._scene.key(target.row), target.part)

    def _click(self, name: tuple[str, str], shift: bool, end: QPointF) -> None:
        """A press came to its end: it counts if the pointer is still on the same thing."""
        target = self.target_at(end)
        if self._name(target) == name:
            self.pressed.emit(target, shift)

    def _hover_over(self, target: Target) -> None:
        if target == self.hover:
            return
        before, self.hover = self.hover, target
        self.hush()
        if target.part == "card" and self._gesture is None:
            self._timer.start()
        self.show_cursor()
        self.hover_changed.emit(before, target)
