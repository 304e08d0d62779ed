"""The minimap: the whole tree small, and the part in view as a frame that can be dragged."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from loomapp.core.layout.cards import Floats, Ints
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.graph.painting.far_view import density, draw_rects
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.spatial_index import Box
from loomapp.ui.look import theme
from loomapp.ui.widgets.spoken import speak_as

Corner: TypeAlias = Literal["lower right", "upper right", "upper left", "hidden"]

SIZE = QSize(148, 84)
EDGE_PX = 16  # between the viewport's edge and what floats in its corners
LEAST_VIEWPORT = QSize(520, 320)  # in a smaller one it would leave no room for cards
TOP_PX = 48  # of the upper corners: below the row of where one is
CORNERS: tuple[Corner, ...] = ("lower right", "upper right", "upper left", "hidden")
PADDING = 8
LEAST = 8.0  # px of the frame, however small the part in view
MANY = 4_000  # cards, from which on they are dots of an image
LARGEST_SCALE = 0.055  # a card is then 9 px wide


class Minimap(QWidget):
    """Shows a scene's cards and the box in view. Across and down have scales of their own."""

    place_chosen = Signal(QPointF)  # the canvas point to look at

    def __init__(self, scene: Scene, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("graphMinimap")
        self.setAccessibleName(self.tr("Overview of the tree"))
        speak_as(self, QAccessible.Role.Graphic)
        self.setFixedSize(SIZE)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.corner: Corner = "lower right"
        self._scene = scene
        self._viewport = parent
        self._seen = Box(0, 0, 0, 0)
        self._picture: QPixmap | None = None
        self._anew = IdleTimer(self, is_heavy=self._is_dots)
        self._anew.timeout.connect(self.on_turn)

    def show_cards(self) -> None:
        """Show other cards, other places, or others on the path; many are drawn in a turn of their own."""
        if self._is_dots() and self._picture is not None:
            self._anew.start()
        else:
            self._forget()

    def on_turn(self) -> None:
        self._picture = self._render() if self.isVisible() else None
        self.update()

    def _forget(self) -> None:
        self._picture = None
        self.update()

    def _is_dots(self) -> bool:
        return len(self._scene.index) > MANY

    def show_seen(self, seen: Box) -> None:
        if seen != self._seen:
            self._seen = seen
            self.update()

    def show_if_useful(self, seen: Box) -> None:
        """Show the map where something is out of view and it leaves room for cards."""
        whole = self._scene.tree is None or seen.holds(self._scene.index.bounds)
        self.setVisible(self._has_room and not whole and self.corner != "hidden")

    @property
    def _has_room(self) -> bool:
        area, least = self._viewport.size(), LEAST_VIEWPORT
        return area.width() >= least.width() and area.height() >= least.height()

    def rest_in_corner(self) -> None:
        """Move to its corner of the viewport."""
        area = self._viewport.rect()
        left = EDGE_PX if self.corner == "upper left" else area.width() - self.width() - EDGE_PX
        top = area.height() - self.height() - EDGE_PX if self.corner == "lower right" else TOP_PX
        self.move(left, top)

    def covers(self, rect: QRectF) -> QPointF:
        """Return by how many px the picture is to move for a rectangle of the viewport, as far as it is in
        view, to be seen beside the map; 0, 0 where there is no room.
        """
        over, area = QRectF(self.geometry()), QRectF(self._viewport.rect())
        seen = rect.intersected(area)
        if not self._has_room or self.corner == "hidden" or not seen.intersects(over):
            return QPointF()
        up = seen.bottom() + EDGE_PX - over.top()
        down = over.bottom() + EDGE_PX - seen.top()
        if self.corner == "lower right" and seen.top() >= up:
            return QPointF(0, -up)
        if self.corner != "lower right" and seen.bottom() + down <= area.height():
            return QPointF(0, down)
        left = seen.right() + EDGE_PX - over.left()
        right = over.right() + EDGE_PX - seen.left()
        if self.corner != "upper left" and seen.left() >= left:
            return QPointF(-left, 0)
        if self.corner == "upper left" and seen.right() + right <= area.width():
            return QPointF(right, 0)
        return QPointF()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.StyleChange}:
            self._forget()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cards from a kept picture, the frame fresh."""
        if self._picture is None or self._picture.devicePixelRatio() != self.devicePixelRatioF():
            self._picture = self._render()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        inside = QRectF(self.rect()).adjusted(4, 4, -4, -4)
        frame = self._to_map(self._seen)
        wider, higher = max(0.0, LEAST - frame.width()) / 2, max(0.0, LEAST - frame.height()) / 2
        frame = frame.adjusted(-wider, -higher, wider, higher).intersected(inside)
        if frame.isEmpty():
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("accent.base"), 1))
        painter.setBrush(theme.translucent("accent.base", 0.14))
        painter.drawRoundedRect(frame, 2, 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._choose(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._choose(event)

    def _choose(self, event: QMouseEvent) -> None:
        left, top, scale_x, scale_y = self._placement()
        point = event.position()
        self.place_chosen.emit(QPointF((point.x() - left) / scale_x, (point.y() - top) / scale_y))

    def _placement(self) -> tuple[float, float, float, float]:
        """Return the point of the canvas' 0, 0 and the two scales; the whole tree fits, in the middle."""
        bounds = self._scene.index.bounds
        room_x, room_y = self.width() - 2 * PADDING, self.height() - 2 * PADDING
        wide, high = max(1.0, bounds.right - bounds.left), max(1.0, bounds.bottom - bounds.top)
        scale_x, scale_y = min(LARGEST_SCALE, room_x / wide), min(LARGEST_SCALE, room_y / high)
        left = PADDING + (room_x - wide * scale_x) / 2 - bounds.left * scale_x
        return left, PADDING + (room_y - high * scale_y) / 2 - bounds.top * scale_y, scale_x, scale_y

    def _to_map(self, box: Box) -> QRectF:
        left, top, scale_x, scale_y = self._placement()
        return QRectF(
            QPointF(left + box.left * scale_x, top + box.top * scale_y),
            QPointF(left + box.right * scale_x, top + box.bottom * scale_y),
        )

    def _render(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme.draw_in(painter, "border.normal", "surface.panel")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(Qt.PenStyle.NoPen)
        rows = self._scene.rows()
        if len(rows) > MANY:
            left, top, scale_x, scale_y = self._placement()
            origin, scales = QPointF(left, top) * ratio, (scale_x * ratio, scale_y * ratio)
            image = density(self._scene, rows, self.size() * ratio, origin, scales, 0.45)
            image.setDevicePixelRatio(ratio)
            painter.drawImage(0, 0, image)
        else:
            self._draw(painter, rows, 0.45)
        self._draw(painter, self._scene.path_rows(), 0.0)
        painter.end()
        return picture

    def _draw(self, painter: QPainter, rows: Ints, quieted: float) -> None:
        if not len(rows):
            return
        index, tints = self._scene.index, self._scene.tints_of(rows)
        left, top, scale_x, scale_y = self._placement()
        lefts, tops = index.corners(rows)
        heights = index.heights(rows)
        x: Floats = left + lefts * scale_x
        middle: Floats = top + (tops + heights / 2) * scale_y
        if len(rows) > MANY:  # of a long path only what can be told apart
            apart = np.diff(np.floor(x) + 1e6 * np.floor(middle), prepend=np.inf) != 0
            x, middle, heights, tints = x[apart], middle[apart], heights[apart], tints[apart]
        high = np.clip(heights * scale_y, 1.0, 4.0)
        for number, tint in enumerate(self._scene.tinting.roles):
            chosen = tints == number
            painter.setBrush(theme.mixed(tint, "surface.panel", quieted) if quieted else theme.colour(tint))
            wide = max(2.0, index.width * scale_x)
            draw_rects(painter, x[chosen], (middle - high / 2)[chosen], wide, high[chosen])
