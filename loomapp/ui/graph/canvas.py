"""The canvas: a scene seen through a camera; panning, zooming, fitting, and what floats in the corners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QNativeGestureEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from loomapp.core.layout.incremental import Growth
from loomapp.ui.graph.crumbs import ZoomBar
from loomapp.ui.graph.input import gestures
from loomapp.ui.graph.minimap import EDGE_PX, Corner, Minimap
from loomapp.ui.graph.motion import card_moves
from loomapp.ui.graph.motion.camera import CARD_ZOOM, Camera, CameraFlight, Glide, detail
from loomapp.ui.graph.motion.card_moves import (
    STILL,
    Anchor,
    Drift,
    GraphLook,
    anchors,
    held,
    home,
    look_at,
    looking,
    painted_rect,
    together,
)
from loomapp.ui.graph.painting.far_view import FrameCounts
from loomapp.ui.graph.painting.painter import ScenePainter
from loomapp.ui.graph.scene.background_layout import Tidier
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.spatial_index import Box

MAP_MS = 40  # the overview follows that much later
REST_MS = 120  # after the last turn of the wheel, cards are drawn crisp again


class Canvas(QAbstractScrollArea):
    """Canvas for any number of cards. Positions are made when they are first asked for."""

    look_changed = Signal()  # the camera or the positions moved
    rows_moved = Signal()  # cards came, went or have other places
    looked_around = Signal()  # the user moved the camera

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._scene = Scene()
        self._painter = ScenePainter()
        self._camera = Camera()
        self._drift = STILL
        self._glide = Glide(self)
        self._glide.moved.connect(self.on_glided)
        self._tidier = Tidier(self._scene.places, self)
        self._tidier.tidied.connect(self.on_tidied)
        self._owed_timer = QTimer(self, singleShot=True, interval=0)
        self._owed_timer.timeout.connect(self._refresh)
        self._map_timer = QTimer(self, singleShot=True, interval=MAP_MS)
        self._map_timer.timeout.connect(self._show_minimap)
        self._minimap_due = False  # whether it shows other cards or another path than it should
        self._placed = False  # whether the first look at this tree was chosen
        self._moved = False  # whether it is no longer that
        self._kept: GraphLook | None = None  # the first look, if the tree was looked at before
        self._handled = ""  # the card whose branch the pointer folds or opens, until all is laid out
        self._flight = CameraFlight(self)
        self._flight.moved.connect(self._look)
        self._flight.landed.connect(self.on_camera_rested)
        self._rest_timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest_timer.timeout.connect(self.on_camera_rested)
        self._minimap = Minimap(self._scene, self.viewport())
        self._minimap.place_chosen.connect(self.on_place_chosen)
        self._zoom_bar = ZoomBar(self.viewport())
        self._zoom_bar.zoom_in_asked.connect(self.zoom_in)
        self._zoom_bar.zoom_out_asked.connect(self.zoom_out)
        self._zoom_bar.full_size_asked.connect(self.zoom_to_full_size)
        self._zoom_bar.fit_asked.connect(self.fit_all)

    def set_reduced_motion(self, still: bool) -> None:
        """Show only the end of camera movements."""
        self._flight.still = still
        self._glide.still = still

    @property
    def camera(self) -> Camera:
        """Camera: the place that is looked at, and how large; positions are up to date."""
        self._settle()
        return self._camera

    @property
    def settled_scene(self) -> Scene:
        """The scene, its positions up to date: for pictures of all of it."""
        self._settle()
        return self._scene

    @property
    def painted(self) -> FrameCounts:
        return self._painter.painted

    def paint_over(self, painter: QPainter) -> None:
        """Paint over the cards; nothing in a plain canvas."""

    def pointer_came(self, point: QPointF) -> None: ...

    def look_state(self) -> GraphLook | None:
        """Return the place that is looked at and the zoom, to be kept by the caller; None: as a tree is shown
        at first.
        """
        if not self._placed or not (self._moved or self._kept):
            return self._kept
        self._settle()
        return look_at(self._scene, self._aim)

    def set_look_state(self, look: GraphLook | None) -> None:
        """Begin with a look that was kept for this tree; right after `show_tree`."""
        self._kept = look
        self._placed = False
        self._refresh()

    def _first_look(self) -> Camera:
        kept = None if self._kept is None else looking(self._scene, self._camera, self._kept)
        if kept is not None:
            return kept
        look, row = home(self._scene, self._camera), self._current_row()
        return look if row is None else self._uncovered(look, self._scene.box(row))

    def fit_all(self) -> None:
        self._settle()
        self.looked_around.emit()
        self._fly(self._camera.fitted(self._scene.index.bounds))

    def fit_cards(self, keys: Iterable[str]) -> None:
        self._settle()
        boxes = [self._scene.box(row) for key in keys if (row := self._scene.row_of(key)) is not None]
        if boxes:
            self.looked_around.emit()
            self._fly(self._camera.fitted(reduce(Box.united, boxes)))

    def fit_current(self) -> None:
        """Show the current node and what follows it directly, at reading size if that fits."""
        self._settle()
        self.looked_around.emit()
        row = self._current_row()
        if row is None:
            self.fit_all()
            return
        box = self._scene.box(row)
        for child in self._scene.index.bounding_children(row):
            box = box.united(self._scene.box(child))
        self._fly(self._camera.fitted(box))

    def ensure_visible(self, key: str) -> None:
        """Move no further than needed for a node's or draft's card to be in view."""
        self._settle()
        row = self._scene.row_of(key)
        if row is not None:
            box = self._scene.box(row)
            self._fly(self._uncovered(self._aim.showing(box), box))

    def ensure_all_visible(self, keys: Iterable[str]) -> None:
        """Show several cards, as many as have room from the first one on, moving no further than needed."""
        self._settle()
        rows = [row for key in keys if (row := self._scene.row_of(key)) is not None]
        if rows:
            there = self._aim.showing(together(self._scene, self._aim, rows))
            self._fly(self._uncovered(there, reduce(Box.united, map(self._scene.box, rows))))

    @property
    def overview_corner(self) -> Corner:
        """Return the corner in which the overview rests, or that it is hidden."""
        return self._minimap.corner

    def set_overview_corner(self, corner: Corner) -> None:
        self._minimap.corner = corner
        self._minimap.rest_in_corner()
        self._minimap.show_if_useful(self._camera.seen)

    def _uncovered(self, there: Camera, box: Box) -> Camera:
        """Return a camera moved so that the minimap covers nothing of a box, if there is room beside it."""
        away = self._minimap.covers(there.rect(box))
        return there.moved(away.x(), away.y())

    def zoom_in(self) -> None:
        self._zoom_by(gestures.ZOOM_PER_NOTCH, QPointF(self.viewport().rect().center()))

    def zoom_out(self) -> None:
        self._zoom_by(1 / gestures.ZOOM_PER_NOTCH, QPointF(self.viewport().rect().center()))

    def zoom_to_full_size(self) -> None:
        """Zoom to 100 %, the current card staying in view."""
        self._settle()
        self.looked_around.emit()
        row = self._current_row()
        target = self._camera.zoomed(1.0, QPointF(self.viewport().rect().center()))
        self._fly(target if row is None else target.showing(self._scene.box(row)))

    @property
    def _aim(self) -> Camera:
        """Return the camera's goal, or the camera where it stands still."""
        return self._flight.end or self._camera

    def _zoom_by(self, factor: float, at: QPointF) -> None:
        self._settle()
        self._flight.stop()
        self.looked_around.emit()
        zoom = self._camera.zoom * factor
        for stop in (1.0, CARD_ZOOM):  # sizes to come to rest at, for crisp type
            if (self._camera.zoom - stop) * (zoom - stop) < 0:
                zoom = stop
        self._look(self._camera.zoomed(zoom, at))
        self._rest_timer.start()

    def _fly(self, there: Camera) -> None:
        if self.isVisible():
            self._flight.go(self._camera, there)
        else:
            self._look(there)
            self.on_camera_rested()

    def on_camera_rested(self) -> None:
        """Draw crisp at the zoom that was reached."""
        if self.viewport().underMouse():
            self.pointer_came(QPointF(self.viewport().mapFromGlobal(QCursor.pos())))
        self.viewport().update()

    def on_place_chosen(self, point: QPointF) -> None:
        self._flight.stop()
        self.looked_around.emit()
        middle = QPointF(self._camera.width / 2, self._camera.height / 2)
        self._look(self._camera.with_point(point, middle))

    def _look(self, camera: Camera) -> None:
        if camera != self._camera:
            self._moved = True
            self._camera = camera
            self.look_changed.emit()
        self._zoom_bar.show_zoom(camera.zoom)
        self._minimap.show_seen(camera.seen)
        self._minimap.show_if_useful(camera.seen)
        self.viewport().update()

    # Positions.

    def _refresh(self) -> None:
        self.viewport().update()

    def _settle(self) -> None:
        """Bring positions up to date; the card that is looked at keeps its place on the screen."""
        area = self.viewport().rect()
        if self._scene.stale:
            self._reposition(self._scene.settle)
            if self._scene.places.relaid:
                self._tidier.hurry()
            elif self._scene.places.untidy:
                self._tidier.wake()
        if self._minimap_due:
            self._minimap_due = False
            self._map_timer.start()
        if not self._placed and self._scene.tree is not None and area.width() > 1:
            self._placed = True
            self._look(self._first_look())
            self._moved = False
        if self._scene.places.untidy and not self._tidier.is_busy:
            self._tidier.wake()

    def _with_current(self, before: Camera, camera: Camera) -> Camera:
        """A camera moved no further than needed to show the current card, if that was in view before."""
        row = None if self._scene.stale or not self._placed else self._current_row()
        box = None if row is None else self._scene.box(row)
        if box is None or not before.seen.holds(box):
            return camera
        return self._uncovered(camera if camera.seen.holds(box) else camera.showing(box), box)

    def _reposition(self, act: Callable[[], None]) -> None:
        """Let positions change; the card that is looked at keeps its place on the screen, others glide. A
        flight goes on from there, to where it would have shown the card that is looked at then.
        """
        scene, handled, aim = self._scene, self._handled, self._flight.end
        held_by = anchors(scene, self._camera, self._seen_drift, handled=handled) if self._placed else []
        aimed_by = [] if aim is None else anchors(scene, aim)
        glides = self._placed and not self._glide.still and self.isVisible()
        before = card_moves.corners(self._scene, self._camera, self._drift) if glides else {}
        act()
        self._camera = self._held(self._camera, held_by)
        if aim is not None:
            self._flight.bend(self._camera, self._held(aim, aimed_by))
        self._moved = self._placed
        if not (self._scene.stale or self._scene.places.untidy):
            self._handled = ""
        self._minimap_due = True
        self.rows_moved.emit()
        self._drift = card_moves.drift_from(before, self._scene, self._camera)
        self._glide.go() if self._drift else self._glide.stop()
        self.look_changed.emit()
        self._refresh()

    def _held(self, camera: Camera, held_by: Sequence[Anchor]) -> Camera:
        area = self.viewport().rect()
        sized = camera.sized(area.width(), area.height(), self._scene.index.bounds)
        return held(self._scene, sized, held_by)

    @property
    def _seen_drift(self) -> Drift:
        """Return the drift as far as it is painted: blocks stand in their places."""
        return STILL if detail(self._camera.zoom) == "blocks" else self._drift

    def on_glided(self, left: float) -> None:
        self._drift.left = left
        if left <= 0:
            self._drift = STILL
        self._refresh()

    def on_tidied(self, growth: Growth) -> None:
        self._reposition(partial(self._scene.take, growth))
        self._settle()

    def tidy_up(self) -> None:
        self._settle()
        if self._scene.places.untidy:
            self._tidier.rest()
            self.on_tidied(self._scene.places.laid_out())

    def _show_minimap(self) -> None:
        self._minimap.show_if_useful(self._camera.seen)
        self._minimap.show_cards()
        self._minimap.show_seen(self._camera.seen)

    def _card_rect(self, row: int) -> QRectF:
        return self._camera.rect(self._scene.box(row))

    def _painted_rect(self, row: int) -> QRectF:
        """Return the rectangle of a card now, on its way to its place."""
        return painted_rect(self._scene, self._camera, self._seen_drift, row)

    def _current_row(self) -> int | None:
        return None if self._scene.current is None else self._scene.row_of(self._scene.current)

    def pan(self, by: QPointF) -> None:
        self._settle()
        self._flight.stop()
        self.looked_around.emit()
        self._look(self._camera.moved(by.x(), by.y()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; two fingers on a touchpad pan, with Ctrl they zoom."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if gestures.is_touchpad(event) and not control:
            self.pan(gestures.pan_distance(event))
        else:
            self._zoom_by(gestures.zoom_factor(event), event.position())
        event.accept()

    def nativeGestureEvent(self, event: QNativeGestureEvent) -> None:
        if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self._zoom_by(1 + event.value(), event.position())

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the part that is exposed, and no more."""
        self._settle()
        painter = QPainter(self.viewport())
        moving = self._rest_timer.isActive() or self._flight.end is not None
        self._painter.paint(painter, self._scene, self._camera, event.rect(), self._drift, moving=moving)
        if self._painter.painted.owed or (self._painter.is_behind and not moving):
            self._owed_timer.start()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_over(painter)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.FontChange}:
            self._painter.forget()
            self._scene.restyle()
            self._refresh()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the upper left corner or the first look, see `card_moves.resized`; so the current card."""
        area = self.viewport().rect()
        self._minimap.rest_in_corner()
        self._placed = self._placed and self._moved
        aim = self._aim
        self._flight.stop()  # it would end in a view of the size before
        camera = card_moves.resized(self._scene, aim, area.width(), area.height())
        self._camera = self._with_current(aim, camera)
        if self._zoom_bar.parentWidget() is self.viewport():  # else it stands in a row above
            bar = self._zoom_bar.sizeHint()
            self._zoom_bar.setGeometry(
                EDGE_PX, area.height() - bar.height() - EDGE_PX, bar.width(), bar.height()
            )
        self._minimap.show_if_useful(self._camera.seen)
        self.look_changed.emit()
        super().resizeEvent(event)
