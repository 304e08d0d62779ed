"""The graph view: one canvas of cards on which a tree is panned, zoomed, walked and acted on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from loomapp.core.change import Change
from loomapp.core.generation import LiveDraft
from loomapp.core.tree import Agent, Tree
from loomapp.ui import theme
from loomapp.ui.graph import gestures, overlay, walk
from loomapp.ui.graph.camera import CARD_ZOOM, Camera
from loomapp.ui.graph.cards import squeezed, text_width, wrapped
from loomapp.ui.graph.faces import author_name
from loomapp.ui.graph.minimap import Minimap
from loomapp.ui.graph.painter import PAD, Painted, ScenePainter
from loomapp.ui.graph.preview import Preview
from loomapp.ui.graph.scene import Scene
from loomapp.ui.graph.zoom_bar import ZoomBar

HOVER_MS = 300
REST_MS = 120  # after the last turn of the wheel, cards are drawn crisp again
EDGE = 16  # px between the viewport's edge and what floats in its corners
ROOM_FOR_MINIMAP = 420

ARROWS: Mapping[int, walk.Direction] = {
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
}


class Target(NamedTuple):
    """What is under the pointer: a card's row and its part, `card`, `plus`, `retry` or a tool."""

    row: int | None = None
    part: str = ""


DESK = Target()


class GraphView(QAbstractScrollArea):
    """Shows the values it is given and says what the user did. It knows no document and changes no tree."""

    node_clicked = Signal(str)  # node id: selected, by pointer or by walking
    node_activated = Signal(str)  # node id: double-clicked, or Enter
    plus_clicked = Signal(str, bool)  # node id, whether to follow (Shift)
    menu_asked = Signal(str, QPoint)  # node id, or empty for the desk; global position
    tool_clicked = Signal(str, str)  # node id, edit | bookmark | exclude | note | more
    draft_retry_clicked = Signal(str)  # key of the failed draft
    hovered = Signal(str)  # node id, or empty

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graphView")
        self.setAccessibleName(self.tr("Graph of the tree"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._scene = Scene()
        self._painter = ScenePainter()
        self._camera = Camera()
        self._crisp_zoom = 1.0
        self._at_home = False  # False until the first look at this tree was chosen
        self._hover = DESK
        self._gesture: gestures.Gesture | None = None
        self._space_held = False
        self._ring = False
        self._still = False
        self._flight = QVariantAnimation(self)
        self._flight.setStartValue(0.0)
        self._flight.setEndValue(1.0)
        self._flight.setDuration(theme.px("motion.normal_ms"))
        self._flight.valueChanged.connect(self.on_flight_moved)
        self._flight_ends = (self._camera, self._camera)
        self._hover_timer = QTimer(self, singleShot=True, interval=HOVER_MS)
        self._hover_timer.timeout.connect(self.on_hover_rested)
        self._rest_timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest_timer.timeout.connect(self.on_camera_rested)
        self._preview = Preview(self.viewport())
        self._minimap = Minimap(self.viewport())
        self._minimap.place_chosen.connect(self.on_place_chosen)
        self._zoom_bar = ZoomBar(self.viewport())
        self._zoom_bar.zoom_in_asked.connect(self.zoom_in)
        self._zoom_bar.zoom_out_asked.connect(self.zoom_out)
        self._zoom_bar.full_size_asked.connect(self.zoom_to_full_size)
        self._zoom_bar.fit_asked.connect(self.fit_all)

    # Values to show.

    def show_tree(self, tree: Tree, agents: Mapping[str, Agent] | Iterable[Agent]) -> None:
        """Another tree, which stays the caller's; what is chosen in it is told next."""
        self._forget_pointer()
        self._flight.stop()
        self._scene.show(tree, agents.values() if isinstance(agents, Mapping) else agents)
        self._at_home = False
        self._refresh()

    def patch(self, change: Change) -> None:
        """The tree has just been moved by a change. What the user looks at stays where it is."""
        self._scene.patch(change)
        self._refresh()

    def set_agents(self, agents: Mapping[str, Agent] | Iterable[Agent]) -> None:
        """Other names or tints."""
        chosen = agents.values() if isinstance(agents, Mapping) else agents
        self._scene.agents = {agent.id: agent for agent in chosen}
        self._scene.unsettle()
        self._refresh()

    def set_path(self, node_ids: Iterable[str]) -> None:
        """The active path, root first."""
        self._scene.set_path(node_ids)
        self._refresh()

    def set_current(self, node_id: str | None) -> None:
        """The node that is selected and would be continued."""
        if node_id == self._scene.current:
            return
        self._scene.set_current(node_id)
        self._describe_current()
        self._refresh()

    def set_fates(self, fates: Mapping[str, str]) -> None:
        """What becomes of each node in the coming context: sent, excluded, pruned, truncated, …"""
        self._scene.set_fates(fates)
        self._refresh()

    def set_drafts(self, drafts: Iterable[LiveDraft]) -> None:
        """All drafts that live now; each has a card under the node it continues."""
        self._scene.set_drafts(drafts)
        self._refresh()

    def draft_grew(self, draft: LiveDraft) -> None:
        """More text of a draft: its card alone is painted again."""
        row = self._scene.draft_grew(draft)
        if row is not None and not self._scene.stale:
            self.viewport().update(self._card_rect(row).toAlignedRect().adjusted(-PAD, -PAD, PAD, PAD))

    def set_show_pruned(self, show: bool) -> None:
        """Whether pruned nodes have cards."""
        self._scene.show_pruned = show
        self._scene.unsettle()
        self._refresh()

    def set_reduced_motion(self, still: bool) -> None:
        """No movement of the camera, only its end."""
        self._still = still

    # What can be asked.

    def node_ids(self) -> list[str]:
        """The nodes that have a card of their own, column by column."""
        self._settle()
        return self._scene.node_ids()

    def node_rect(self, node_id: str) -> QRect:
        """A card's place in the viewport, in logical px; empty if it is not drawn. Draft keys work too."""
        self._settle()
        row = self._scene.row_of(node_id)
        if row is None:
            return QRect()
        rect = self._card_rect(row)
        return rect.toRect() if rect.intersects(QRectF(self.viewport().rect())) else QRect()

    def plus_rect(self, node_id: str) -> QRect:
        """Where a card's + is once the pointer is there; empty if it has none or is not drawn."""
        self._settle()
        row = self._scene.row_of(node_id)
        if row is None or self.node_rect(node_id).isEmpty():
            return QRect()
        return self._controls(row).plus.toRect()

    def tool_rect(self, node_id: str, tool: str) -> QRect:
        """Where a tool of a card is once the pointer is there: edit, bookmark, exclude, note, more, retry."""
        self._settle()
        row = self._scene.row_of(node_id)
        if row is None:
            return QRect()
        shown = self._controls(row)
        return shown.retry.toRect() if tool == "retry" else shown.tools.get(tool, QRectF()).toRect()

    @property
    def current_node_id(self) -> str | None:
        """The current node."""
        return self._scene.current

    @property
    def hovered_node_id(self) -> str:
        """The node under the pointer, or empty."""
        return self._node_at(self._hover)

    @property
    def camera(self) -> Camera:
        """What is looked at, and how large."""
        self._settle()
        return self._camera

    @property
    def painted(self) -> Painted:
        """What the last frame drew."""
        return self._painter.painted

    # The camera.

    def fit_all(self) -> None:
        """Show the whole tree."""
        self._settle()
        self._fly(self._camera.fitted(self._scene.index.bounds))

    def fit_current(self) -> None:
        """Show the current node and what follows it directly, at reading size if that fits."""
        self._settle()
        row = self._current_row()
        if row is None:
            self.fit_all()
            return
        box = self._scene.box(row)
        for child in self._scene.index.children(row):
            box = box.united(self._scene.box(child))
        self._fly(self._camera.fitted(box))

    def ensure_visible(self, key: str) -> None:
        """Move no further than needed for a node's or draft's card to be in view."""
        self._settle()
        row = self._scene.row_of(key)
        if row is not None:
            self._fly(self._camera.showing(self._scene.box(row)))

    def zoom_in(self) -> None:
        """A step nearer, at the middle."""
        self._zoom_by(gestures.ZOOM_PER_NOTCH, QPointF(self.viewport().rect().center()))

    def zoom_out(self) -> None:
        """A step further away, at the middle."""
        self._zoom_by(1 / gestures.ZOOM_PER_NOTCH, QPointF(self.viewport().rect().center()))

    def zoom_to_full_size(self) -> None:
        """100 %, the current card staying in view."""
        self._settle()
        row = self._current_row()
        target = self._camera.zoomed(1.0, QPointF(self.viewport().rect().center()))
        self._fly(target if row is None else target.showing(self._scene.box(row)))

    def _zoom_by(self, factor: float, at: QPointF) -> None:
        self._settle()
        self._flight.stop()
        zoom = self._camera.zoom * factor
        for stop in (1.0, CARD_ZOOM):  # sizes to come to rest at, for crisp type
            if (self._camera.zoom - stop) * (zoom - stop) < 0:
                zoom = stop
        self._look(self._camera.zoomed(zoom, at))
        self._rest_timer.start()

    def _fly(self, there: Camera) -> None:
        self._flight.stop()
        if self._still or not self.isVisible() or there == self._camera:
            self._look(there)
            self.on_camera_rested()
            return
        self._flight_ends = (self._camera, there)
        self._flight.start()

    def on_flight_moved(self, share: float) -> None:
        """The next step of a camera movement."""
        start, end = self._flight_ends
        eased = 1 - (1 - share) ** 3
        self._look(start.between(end, eased) if share < 1 else end)
        if share >= 1:
            self.on_camera_rested()

    def on_camera_rested(self) -> None:
        """Draw crisp at the zoom that was reached."""
        self._crisp_zoom = self._camera.zoom
        self.viewport().update()

    def on_place_chosen(self, point: QPointF) -> None:
        """The minimap wants another place."""
        self._flight.stop()
        middle = QPointF(self._camera.width / 2, self._camera.height / 2)
        self._look(self._camera.with_point(point, middle))

    def _look(self, camera: Camera) -> None:
        if camera != self._camera:
            self._forget_pointer()
        self._camera = camera
        self._zoom_bar.show_zoom(camera.zoom)
        self._minimap.show_seen(camera.seen)
        self.viewport().update()

    # Positions.

    def _refresh(self) -> None:
        self._preview.hide()
        self.viewport().update()

    def _settle(self) -> None:
        """Bring positions up to date; the card that is looked at keeps its place on the screen."""
        if self._scene.stale:
            self._hover = DESK
            fixed = self._fixed_points()
            self._scene.settle()
            camera = self._camera.sized(
                self.viewport().width(), self.viewport().height(), self._scene.index.bounds
            )
            row_of_card = self._scene.row_of_card
            found = next(((row, p) for key, p in fixed if (row := row_of_card(key)) is not None), None)
            if found is not None and self._at_home:
                row, point = found
                box = self._scene.index.box(row)
                camera = camera.with_point(QPointF(box.left, box.top), point)
            self._camera = camera
        if not self._at_home and self._scene.tree is not None and self.viewport().width() > 1:
            self._at_home = True
            self._go_home()
        self._show_minimap()

    def _fixed_points(self) -> list[tuple[str, QPointF]]:
        """Cards in view and where they are: the current one first, then from the middle outwards."""
        scene, camera = self._scene, self._camera
        rows = scene.index.rows_in(camera.seen).tolist()
        middle = camera.to_canvas(QPointF(camera.width / 2, camera.height / 2))
        cards = scene.index.layout.keys
        current = scene.card_of(scene.current)

        def far(row: int) -> float:
            if cards[row] == current:
                return -1.0
            box = scene.index.box(row)
            return abs(box.left - middle.x()) + abs((box.top + box.bottom) / 2 - middle.y())

        boxes = ((cards[row], scene.index.box(row)) for row in sorted(rows, key=far))
        return [(key, camera.to_view(box.left, box.top)) for key, box in boxes]

    def _go_home(self) -> None:
        """The first look: the whole tree if it can be read whole, else the current node at 100 %."""
        camera = self._camera
        whole = camera.fitted(self._scene.index.bounds)
        row = self._current_row()
        if whole.zoom < CARD_ZOOM and len(self._scene.index):
            path = self._scene.path_rows()
            row = row if row is not None else (path[-1] if path else 0)
            whole = replace(camera, zoom=1.0).centred_on(self._scene.box(row))
        self._look(whole)
        self._crisp_zoom = whole.zoom

    def _show_minimap(self) -> None:
        self._minimap.show_cards(
            self._scene.index, self._scene.tints, self._scene.tint_of_row, self._scene.path_rows()
        )
        self._minimap.show_seen(self._camera.seen)

    def _card_rect(self, row: int) -> QRectF:
        return self._camera.rect(self._scene.box(row))

    def _controls(self, row: int) -> overlay.Controls:
        return overlay.controls(self._card_rect(row), self._scene.face(row).kind, self._camera.zoom)

    def _current_row(self) -> int | None:
        return None if self._scene.current is None else self._scene.row_of(self._scene.current)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        """What is exposed, and no more."""
        self._settle()
        painter = QPainter(self.viewport())
        self._painter.paint(painter, self._scene, self._camera, event.rect(), self._crisp_zoom)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = self._current_row()
        if self._ring and self.hasFocus():
            ring = (
                self._card_rect(row)
                if row is not None
                else QRectF(self.viewport().rect()).adjusted(5, 5, -5, -5)
            )
            overlay.paint_ring(painter, ring, self._camera.zoom)
        if self._hover.row is not None:
            self._paint_hover(painter, self._hover.row)
        painter.end()

    def _paint_hover(self, painter: QPainter, row: int) -> None:
        face = self._scene.face(row)
        if face.kind not in {"failed", "start"} and face.outline != "current":
            overlay.paint_hover(
                painter, self._card_rect(row), self._camera.zoom, accent=face.outline == "path"
            )
        excluded, bookmarked = self._marks(row)
        overlay.paint_controls(
            painter, self._controls(row), self._hover.part, excluded=excluded, bookmarked=bookmarked
        )

    def _marks(self, row: int) -> tuple[bool, bool]:
        tree = self._scene.tree
        node = tree.nodes.get(self._scene.key(row)) if tree is not None else None
        return (node.metadata.excluded, node.metadata.bookmarked) if node is not None else (False, False)

    def changeEvent(self, event: QEvent) -> None:
        """Another theme or font: draw everything anew."""
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.FontChange}:
            self._painter.forget()
            self._scene.restyle()
            self._refresh()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the upper left corner; move what floats in the corners."""
        area = self.viewport().rect()
        self._camera = self._camera.sized(area.width(), area.height(), self._scene.index.bounds)
        bar = self._zoom_bar.sizeHint()
        self._zoom_bar.setGeometry(EDGE, area.height() - bar.height() - EDGE, bar.width(), bar.height())
        self._minimap.move(
            area.width() - self._minimap.width() - EDGE, area.height() - self._minimap.height() - EDGE
        )
        self._minimap.setVisible(area.width() >= ROOM_FOR_MINIMAP)
        self._preview.hide()
        super().resizeEvent(event)

    # The pointer.

    def _target_at(self, point: QPointF) -> Target:
        """What a press at a point of the viewport would mean."""
        self._settle()
        if self._hover.row is not None:  # its + and tools stand out over the neighbours
            part = self._controls(self._hover.row).part_at(point)
            if part:
                return Target(self._hover.row, part)
        on_canvas = self._camera.to_canvas(point)
        row = self._scene.row_at(on_canvas.x(), on_canvas.y())
        if row is not None:
            return Target(row, self._controls(row).part_at(point) or "card")
        beside = self._camera.to_canvas(point - QPointF(theme.metric("card.plus_size"), 0))
        row = self._scene.row_at(beside.x(), beside.y())
        if row is not None and self._controls(row).plus.contains(point):
            return Target(row, "plus")
        return DESK

    def _node_at(self, target: Target) -> str:
        if target.row is None or self._scene.is_draft(target.row):
            return ""
        return self._scene.key(target.row)

    def _hover_over(self, target: Target) -> None:
        if target == self._hover:
            return
        before, self._hover = self._hover, target
        if before.row != target.row:
            self._preview.hide()
            self.hovered.emit(self._node_at(target))
        if target.part == "card" and self._gesture is None:
            self._hover_timer.start()
        else:
            self._hover_timer.stop()
            self._preview.hide()
        self._show_cursor()
        for row in {before.row, target.row} - {None}:
            self._update_around(row)

    def _update_around(self, row: int | None) -> None:
        if row is not None and row < len(self._scene.index):
            rect = self._card_rect(row).united(self._controls(row).reach)
            self.viewport().update(rect.toAlignedRect().adjusted(-PAD, -PAD, PAD, PAD))

    def _forget_pointer(self) -> None:
        self._hover_timer.stop()
        self._preview.hide()
        if self._hover != DESK:
            self._hover = DESK
            self.hovered.emit("")
            self.viewport().update()

    def on_hover_rested(self) -> None:
        """The pointer has been on a card for a while: show what the card has no room for."""
        row = self._hover.row
        if row is None or self._gesture is not None:
            return
        text = self._scene.full_text(row).strip()
        face = self._scene.face(row)
        if face.kind == "start" or (self._camera.zoom >= CARD_ZOOM and not self._is_cut(row, text)):
            return
        self._preview.show_text(text, self._card_rect(row).toRect())

    def _is_cut(self, row: int, text: str) -> bool:
        face = self._scene.face(row)
        if face.kind == "failed":
            return True
        if "\n" in text or len(squeezed(text)) < len(text):
            return True
        lines = wrapped(squeezed(text), text_width(self._scene.index.width), face.lines + 1, "small")
        return len(lines) > face.lines

    def _show_cursor(self) -> None:
        shape = Qt.CursorShape.ArrowCursor
        if self._gesture is not None and self._gesture.cursor is not None:
            self.viewport().setCursor(self._gesture.cursor)
            return
        if self._space_held:
            shape = Qt.CursorShape.OpenHandCursor
        elif self._hover.part not in {"", "card"}:
            shape = Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin what the button means here."""
        self._preview.hide()
        self._hover_timer.stop()
        self._ring = False
        point = event.position()
        target = self._target_at(point)
        self._hover_over(target)
        left = event.button() == Qt.MouseButton.LeftButton
        if event.button() == Qt.MouseButton.MiddleButton or (left and (self._space_held or target == DESK)):
            hand = QCursor(Qt.CursorShape.ClosedHandCursor)
            self._gesture = gestures.Pan(point, hand, self.pan, self.viewport().update)
        elif left:
            follow = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._gesture = gestures.Press(
                lambda end: self._target_at(end) == target, partial(self._press, target, follow)
            )
        self._show_cursor()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with it, or see what is there."""
        if self._gesture is not None:
            self._gesture.move(event.position())
            return
        self._hover_over(self._target_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End it."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.release(event.position())
        self._hover_over(self._target_at(event.position()))
        self._show_cursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The second press of a double click on a card activates it; elsewhere it is a press like any."""
        target = self._target_at(event.position())
        node_id = self._node_at(target)
        if event.button() == Qt.MouseButton.LeftButton and target.part == "card" and node_id:
            self.node_activated.emit(node_id)
            return
        self.mousePressEvent(event)

    def pan(self, by: QPointF) -> None:
        """Move the picture by px of the viewport."""
        self._flight.stop()
        self._look(self._camera.moved(by.x(), by.y()))

    def _press(self, target: Target, follow: bool) -> None:
        if target.row is None:
            return
        key = self._scene.key(target.row)
        if target.part == "retry":
            self.draft_retry_clicked.emit(key)
        elif self._scene.is_draft(target.row):
            return
        elif target.part == "plus":
            self.plus_clicked.emit(key, follow)
        elif target.part == "card":
            self._choose(key)
        else:
            self.tool_clicked.emit(key, target.part)

    def _choose(self, node_id: str) -> None:
        self.set_current(node_id)
        self.node_clicked.emit(node_id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu of the card under the pointer, or with the key that of the current one."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self._current_row()
            centre = (
                self._card_rect(row).center().toPoint()
                if row is not None
                else self.viewport().rect().center()
            )
            self.menu_asked.emit(self._scene.current or "", self.viewport().mapToGlobal(centre))
            return
        self.menu_asked.emit(self._node_at(self._target_at(QPointF(event.pos()))), event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; two fingers on a touchpad pan, with Ctrl they zoom."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if gestures.is_touchpad(event) and not control:
            self.pan(gestures.pan_distance(event))
        else:
            self._zoom_by(gestures.zoom_factor(event), event.position())
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        """Pinching, leaving, and tooltips of the tools; the rest as ever."""
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self._zoom_by(1 + event.value(), event.position())
            return True
        if event.type() == QEvent.Type.Leave:
            self._forget_pointer()
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tip(event)
            return True
        return super().viewportEvent(event)

    def _show_tip(self, event: QHelpEvent) -> None:
        target = self._target_at(QPointF(event.pos()))
        if target.row is None or target.part == "card":
            QToolTip.hideText()
            return
        excluded, bookmarked = self._marks(target.row)
        text = overlay.tip(target.part, excluded=excluded, bookmarked=bookmarked)
        QToolTip.showText(event.globalPos(), text, self.viewport())

    # The keyboard.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Bare arrows walk, Enter reads, a held Space turns dragging into panning."""
        bare = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        direction = ARROWS.get(event.key())
        if bare and direction is not None:
            self._walk(direction)
        elif bare and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self._scene.current:
            self.node_activated.emit(self._scene.current)
        elif bare and event.key() == Qt.Key.Key_Space:
            self._space_held = True
            self._show_cursor()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Space let go: the pointer is a pointer again."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space_held = False
            self._show_cursor()
        super().keyReleaseEvent(event)

    def _walk(self, direction: walk.Direction) -> None:
        self._settle()
        self._ring = True
        row = walk.step(self._scene, self._current_row(), direction)
        if row is not None:
            self._choose(self._scene.key(row))
            self.ensure_visible(self._scene.key(row))
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is, unless the mouse brought it."""
        self._ring = event.reason() != Qt.FocusReason.MouseFocusReason
        self.viewport().update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The ring goes, and so does a held Space."""
        self._space_held = False
        self._show_cursor()
        self.viewport().update()
        super().focusOutEvent(event)

    def _describe_current(self) -> None:
        """Say the current card in words, for those who do not see it."""
        tree, node_id = self._scene.tree, self._scene.current
        node = tree.nodes.get(node_id or "") if tree is not None else None
        if node is None:
            self.setAccessibleDescription("")
            return
        self.setAccessibleDescription(f"{author_name(node, self._scene.agents)}: {node.text[:240]}")
