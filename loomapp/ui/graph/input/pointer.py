"""The hand: what is under the pointer, and what a press on it turns out to be."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtWidgets import QWidget

from loomapp.ui.graph.input import gestures
from loomapp.ui.graph.input.gestures import CardPreview
from loomapp.ui.graph.motion.camera import CARD_ZOOM, Camera
from loomapp.ui.graph.motion.card_moves import Drift, painted_rect, row_at
from loomapp.ui.graph.painting import edges, overlay
from loomapp.ui.graph.painting.card_signs import EDGE_CHIP_HEIGHT_PX
from loomapp.ui.graph.scene.cards import is_whole
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.spatial_index import ReferenceLine
from loomapp.ui.look import theme

HOVER_MS = 300
PLUS_SEEN_S = 0.25  # for which a + was in sight before a press beside its card is meant for it


class Target(NamedTuple):
    """Target under the pointer: a card's row and its part, `card`, `plus`, `fold`, `unfold`, `shortened`, an
    act or a tool; the `bracket` of a summary; or the `edge` into a card, which is a `line` if it is no
    continuation.
    """

    row: int | None = None
    part: str = ""
    line: ReferenceLine | None = None


DESK = Target()


class Leash(NamedTuple):
    """A node that is being carried, where the pointer is, and the node it would be hung under, or nothing."""

    node_id: str
    point: QPointF
    target_id: str


class Hand(QObject):
    """Follows the pointer over a viewport. `look` gives the camera of the moment, positions up to date, and
    `drift` how far cards are painted from these.
    """

    hover_changed = Signal(object, object)  # Target before, Target now
    pressed = Signal(object, bool)  # Target that was clicked, whether Shift was down
    activated = Signal(object)  # Target that was double-clicked
    panned = Signal(QPointF)  # px
    toggled = Signal(object)  # Target that was clicked with Ctrl or Shift
    lassoed = Signal(QRectF)  # what was drawn a rectangle around
    carried = Signal(str, str)  # node id that was dropped with Ctrl, node id that it was dropped on
    put_down = Signal(str, str, QPointF)  # node id that was dropped, node id that it was dropped on, where
    drawing_changed = Signal()  # of a lasso or of a card that is carried
    read = Signal(str)  # node id whose whole text is shown

    def __init__(
        self, viewport: QWidget, scene: Scene, look: Callable[[], Camera], drift: Callable[[], Drift]
    ) -> None:
        super().__init__(viewport)
        self.hover = DESK
        self._viewport = viewport
        self._scene = scene
        self._look, self._drift = look, drift
        self.lasso = QRectF()
        self.leash: Leash | None = None
        self.pinned = False
        self._gesture: gestures.Gesture | None = None
        self._pressed_on = ("", "")  # what the last press was on, by name
        self._space_held = False
        self._space_used = False
        self.bracket: Callable[[], QRectF] = QRectF  # the pill over the cards that a summary stands for
        self._came_at = 0.0  # when the pointer came to the card that it is on; monotonic
        self._still = False  # whether the keyboard or the picture moved since, and the pointer did not
        self._preview = CardPreview(viewport)
        self._timer = QTimer(self, singleShot=True, interval=HOVER_MS)
        self._timer.timeout.connect(self.on_rested)

    def controls(self, row: int) -> overlay.Controls:
        """Return the controls that a card offers when the pointer is on it."""
        camera = self._look()
        places = self._scene.places
        folded = places.folded.get(self._scene.card(row)) or (0 if places.can_fold(row) else None)
        rect, face = self._painted(row), self._scene.face(row)
        return overlay.controls(rect, face, camera.zoom, folded=folded, down=self._scene.is_down)

    def target_at(self, point: QPointF) -> Target:
        camera = self._look()
        if self.bracket().contains(point):
            return Target(part="bracket")
        if self.hover.row is not None:  # its + and tools stand out over the neighbours
            part = self.controls(self.hover.row).part_at(point)
            if part:
                return Target(self.hover.row, part)
        row = self._row_at(point)
        if row is not None:
            return Target(row, self.controls(row).part_at(point) or "card")
        size = theme.metric("card.plus_size")  # of what stands out over the far edge
        row = self._row_at(point - (QPointF(0, size) if self._scene.is_down else QPointF(size, 0)))
        parts = {"unfold"} if self._scene.is_down else {"plus", "fold", "unfold"}  # levels may be near below
        if row is not None and (part := self.controls(row).part_at(point)) in parts:
            return Target(row, part)
        beyond = EDGE_CHIP_HEIGHT_PX * camera.zoom * (-1 if self._scene.is_down else 1)
        row = self._row_at(point + QPointF(0, beyond))
        if row is not None and self.controls(row).part_at(point) == "shortened":
            return Target(row, "shortened")
        edge = edges.edge_at(self._scene, camera, point, self._drift())
        if edge is not None:
            return Target(edge, "edge")
        line = edges.reference_at(self._scene, camera, point)
        return DESK if line is None else Target(line.target, "edge", line)

    def _meant_at(self, point: QPointF) -> Target:
        """Return the target of a press. The half of a + that lies beside its card is one only once it was
        seen: who clicks on the bare canvas there sends nothing.
        """
        target = self.target_at(point)
        is_new = target.row != self.hover.row or time.monotonic() - self._came_at < PLUS_SEEN_S
        row = target.row
        if row is None or target.part != "plus" or not is_new or self._painted(row).contains(point):
            return target
        beneath = self._row_at(point)
        return DESK if beneath is None else Target(beneath, "card")

    def press(self, event: QMouseEvent) -> None:
        self.hush()
        point = event.position()
        target = self._meant_at(point)
        self._hover_over(target)
        left = event.button() == Qt.MouseButton.LeftButton
        middle = event.button() == Qt.MouseButton.MiddleButton
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        name = self._pressed_on = self._name(target)
        self._space_used = self._space_held
        if left and shift and not self._space_held and target.part in {"", "card", "edge"}:
            toggle = partial(self._toggle, name)
            self._gesture = gestures.Lasso(point, self._draw_lasso, self._close_lasso, toggle)
        elif left and control and not self._space_held and target.part == "card":
            toggle = partial(self._toggle, name)
            carry = partial(self._carry, name)
            self._gesture = gestures.Carry(point, carry, partial(self._drop, name), toggle)
        elif middle or (left and (self._space_held or target == DESK)):
            self._gesture = gestures.Pan(point, QCursor(Qt.CursorShape.ClosedHandCursor), self.panned.emit)
        elif left and target.part == "card" and not self._scene.is_draft(target.row or 0):
            carry, click = partial(self._carry, name), partial(self._click, name, shift)
            self._gesture = gestures.Carry(point, carry, partial(self._put_down, name), click)
        elif left:
            self._gesture = gestures.Press(partial(self._click, name, shift))
        self.show_cursor()

    def double_press(self, event: QMouseEvent) -> None:
        """The second press of a double click: it activates a card; elsewhere it is a press like any. On what
        the first one brought under the pointer it means nothing.
        """
        target = self.target_at(event.position())
        if self._name(target) != self._pressed_on:
            self.hush()
        elif event.button() == Qt.MouseButton.LeftButton and target.part == "card":
            self.hush()
            self.activated.emit(target)
        else:
            self.press(event)

    def move(self, point: QPointF) -> None:
        if self._gesture is not None:
            self._gesture.move(point)
        else:
            self._hover_over(self.target_at(point))
            if self._still and self.hover.part == "card":
                self._timer.start()
            self._still = False

    def meet(self, point: QPointF) -> None:
        """The picture moved under the pointer: nothing opens over it, for nobody pointed there."""
        if self._gesture is not None:
            self.move(point)
        elif (target := self.target_at(point)) != self.hover:
            self._hover_over(target)
            self._timer.stop()
            self._still = True

    def release(self, point: QPointF) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.release(point)
        self._hover_over(self.target_at(point))
        self.show_cursor()

    def hold_space(self, held: bool) -> bool:
        """Let dragging pan wherever it begins, while Space is held. True if it was let go unused: a tap."""
        tapped = self._space_held and not held and not self._space_used
        if held and not self._space_held:
            self._space_used = False
        self._space_held = held
        self.show_cursor()
        return tapped

    def _draw_lasso(self, area: QRectF) -> None:
        self.lasso = area
        self.drawing_changed.emit()

    def _close_lasso(self, area: QRectF) -> None:
        self.lasso = QRectF()
        self.lassoed.emit(area)
        self.drawing_changed.emit()

    def _toggle(self, name: tuple[str, str], point: QPointF) -> None:
        target = self.target_at(point)
        if name[1] == "card" and self._name(target) == name:
            self.toggled.emit(target)

    def _carry(self, name: tuple[str, str], point: QPointF) -> None:
        self.leash = Leash(name[0], point, self._drop_place(name, point))
        self.drawing_changed.emit()

    def _drop(self, name: tuple[str, str], _point: QPointF) -> None:
        place = self._let_go_of()
        if place:
            self.carried.emit(name[0], place)

    def _put_down(self, name: tuple[str, str], point: QPointF) -> None:
        place = self._let_go_of()
        if place:
            self.put_down.emit(name[0], place, point)

    def _let_go_of(self) -> str:
        """The node that was ringed, whatever came under the pointer since; nothing if it is gone."""
        leash, self.leash = self.leash, None
        self._look()  # and with it up-to-date rows
        self.drawing_changed.emit()
        if leash is None or self._scene.row_of(leash.target_id) is None:
            return ""
        return leash.target_id

    def _drop_place(self, name: tuple[str, str], point: QPointF) -> str:
        """Return the node under which a card would be hung if it were let go here, or empty."""
        place = self.node_at(point)
        return "" if place == name[0] else place

    def node_at(self, point: QPointF) -> str:
        """Return the node whose card is there, or empty."""
        row = self._row_at(point)
        if row is None or self._scene.is_draft(row):
            return ""
        return self._scene.key(row)

    @property
    def is_drawing(self) -> bool:
        """True while a card is carried or a lasso drawn."""
        return self.leash is not None or not self.lasso.isNull()

    def give_up(self) -> bool:
        """Break off a drawing or drag; False if there is none."""
        busy = self.is_drawing
        if busy:
            self._gesture, self.leash, self.lasso = None, None, QRectF()
            self.show_cursor()
            self.drawing_changed.emit()
        return busy

    def peek(self, row: int | None) -> None:
        """Show the whole text of a card, or no more if it is shown."""
        if self._preview.isVisible():
            self.unpin()
        elif row is not None:
            self._show_preview(row)

    def toggle_pin(self, row: int | None) -> None:
        """Keep the whole text of a card in sight, or let it go."""
        if self.pinned:
            self.unpin()
        elif self._preview.isVisible() or row is not None:
            if not self._preview.isVisible() and row is not None:
                self._show_preview(row)
            self.pinned = self._preview.isVisible()
            self._preview.set_pinned(self.pinned)

    def unpin(self) -> bool:
        """Close the preview, pinned or not; False if there was none."""
        shown = self._preview.isVisible()
        self.pinned = False
        self._preview.set_pinned(False)
        self.hush()
        return shown

    def hush(self) -> None:
        """Show no preview until the pointer rests again."""
        self._timer.stop()
        if not self.pinned:
            self._preview.hide()

    def give_way(self) -> None:
        """The keyboard goes elsewhere: no preview covers its card, until the pointer itself moves."""
        self.hush()
        self._still = True

    def let_go(self) -> None:
        """Forget the pointer's place: it left, or the picture moved under it."""
        self.hush()
        self._hover_over(DESK)

    def on_rested(self) -> None:
        """The pointer has been on a card for a while: show what the card has no room for."""
        camera = self._look()  # and with it up-to-date rows
        row = self.hover.row
        if row is None or self._gesture is not None or self.pinned or self.hover.part != "card":
            return
        text, face = self._scene.full_text(row).strip(), self._scene.face(row)
        seen_whole = camera.zoom > CARD_ZOOM and is_whole(face, text, self._scene.index.width)
        if seen_whole:
            self.read.emit(self._scene.key(row))
        elif face.kind != "start":
            self._show_preview(row)

    def _show_preview(self, row: int) -> None:
        text = self._scene.full_text(row).strip()
        if text:
            self._preview.show_text(text, self._look().rect(self._scene.box(row)).toRect())
            self.read.emit(self._scene.key(row))

    def reach(self, row: int) -> QRectF:
        """Return the part of the viewport that a card and its controls may paint on."""
        return self._painted(row).united(self.controls(row).reach)

    def _painted(self, row: int) -> QRectF:
        return painted_rect(self._scene, self._look(), self._drift(), row)

    def _row_at(self, point: QPointF) -> int | None:
        return row_at(self._scene, self._look(), self._drift(), point)

    def show_cursor(self) -> None:
        if self._gesture is not None and self._gesture.cursor is not None:
            self._viewport.setCursor(self._gesture.cursor)
        elif self._space_held:
            self._viewport.setCursor(Qt.CursorShape.OpenHandCursor)
        elif self.hover.part not in {"", "card"}:
            self._viewport.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self._viewport.setCursor(Qt.CursorShape.ArrowCursor)

    def _name(self, target: Target) -> tuple[str, str]:
        """Return a name of a target that stays when cards come and go."""
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
        if target.row != before.row:
            self._came_at = time.monotonic()
        self.hush()
        if target.part == "card" and self._gesture is None:
            self._timer.start()
        self.show_cursor()
        self.hover_changed.emit(before, target)
