"""The camera: which part of the canvas the viewport shows, how large, and its flight to another look."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from PySide6.QtCore import QObject, QPointF, QRectF, QVariantAnimation, Signal

from loomapp.core.dataclass import dataclass
from loomapp.ui.graph.scene.spatial_index import Box
from loomapp.ui.look import theme

Detail: TypeAlias = Literal["cards", "lines", "blocks"]

CARD_ZOOM = 0.6  # above it whole cards, from here on down one line each
BLOCK_ZOOM = 0.3  # below: blocks without words
LARGEST = 2.5
SMALLEST = 1e-5
FURTHEST = 0.25  # small trees may be looked at from here, larger ones from where they fit
MARGIN = 32  # px of the viewport kept free around what is fitted
LEAST_MARGIN = 8  # the same where else not all of it would have room


def detail(zoom: float) -> Detail:
    return "cards" if zoom > CARD_ZOOM else "lines" if zoom >= BLOCK_ZOOM else "blocks"


@dataclass(frozen=True, slots=True)
class Camera:
    """`left` and `top` are the canvas point in the viewport's corner; sizes are logical px of the viewport.

    `fit_x` and `fit_y` are the scales at which the whole canvas fits. Below the zoom of blocks, where no
    word is read, neither direction is shrunk further than that: a tree 40 times as high as wide still
    fills the view instead of becoming a hair.
    """

    left: float = 0.0
    top: float = 0.0
    zoom: float = 1.0
    width: float = 0.0
    height: float = 0.0
    fit_x: float = BLOCK_ZOOM
    fit_y: float = BLOCK_ZOOM

    @property
    def scale_x(self) -> float:
        """Viewport px for one canvas px, across."""
        return max(self.zoom, min(BLOCK_ZOOM, self.fit_x))

    @property
    def scale_y(self) -> float:
        """Viewport px for one canvas px, down."""
        return max(self.zoom, min(BLOCK_ZOOM, self.fit_y))

    @property
    def smallest(self) -> float:
        """Zoom at which everything is in view, and no use in going further."""
        return max(SMALLEST, min(self.fit_x, self.fit_y, FURTHEST))

    @property
    def seen(self) -> Box:
        right = self.left + self.width / self.scale_x
        return Box(self.left, self.top, right, self.top + self.height / self.scale_y)

    def to_view(self, x: float, y: float) -> QPointF:
        return QPointF((x - self.left) * self.scale_x, (y - self.top) * self.scale_y)

    def to_canvas(self, point: QPointF) -> QPointF:
        return QPointF(self.left + point.x() / self.scale_x, self.top + point.y() / self.scale_y)

    def rect(self, box: Box) -> QRectF:
        return QRectF(self.to_view(box.left, box.top), self.to_view(box.right, box.bottom))

    def box(self, rect: QRectF) -> Box:
        a, b = self.to_canvas(rect.topLeft()), self.to_canvas(rect.bottomRight())
        return Box(a.x(), a.y(), b.x(), b.y())

    def sized(self, width: float, height: float, bounds: Box) -> Camera:
        """Return the camera for a viewport of another size, or a canvas of other bounds; its corner stays."""
        fit_x = max(1.0, width - 2 * MARGIN) / max(1.0, bounds.right - bounds.left)
        fit_y = max(1.0, height - 2 * MARGIN) / max(1.0, bounds.bottom - bounds.top)
        return replace(self, width=width, height=height, fit_x=fit_x, fit_y=fit_y)

    def moved(self, dx: float, dy: float) -> Camera:
        """Return the camera with the picture moved by viewport px."""
        return replace(self, left=self.left - dx / self.scale_x, top=self.top - dy / self.scale_y)

    def zoomed(self, zoom: float, at: QPointF) -> Camera:
        """Return the camera at another zoom, the canvas point under `at` staying there."""
        fixed = self.to_canvas(at)
        result = replace(self, zoom=min(LARGEST, max(self.smallest, zoom)))
        return result.with_point(fixed, at)

    def with_point(self, canvas: QPointF, view: QPointF) -> Camera:
        """Return the camera moved so that a canvas point is seen at a viewport point."""
        left = canvas.x() - view.x() / self.scale_x
        return replace(self, left=left, top=canvas.y() - view.y() / self.scale_y)

    def centred_on(self, box: Box) -> Camera:
        middle = QPointF((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        return self.with_point(middle, QPointF(self.width / 2, self.height / 2))

    def fitted(self, box: Box) -> Camera:
        """Return the camera that shows all of a box, at full size at most."""
        wide = max(1.0, self.width - 2 * MARGIN) / max(1.0, box.right - box.left)
        high = max(1.0, self.height - 2 * MARGIN) / max(1.0, box.bottom - box.top)
        zoom = max(SMALLEST, min(wide, high, 1.0))
        return replace(self, zoom=zoom).centred_on(box)

    def showing(self, box: Box, margin: float = MARGIN) -> Camera:
        """Moved no further than needed for a box to be in view; its upper left corner if it is too large."""
        rect = self.rect(box)
        x, y = (
            margin if room < LEAST_MARGIN else min(margin, room)
            for room in ((self.width - rect.width()) / 2, (self.height - rect.height()) / 2)
        )
        rect.adjust(-x, -y, x, y)
        dx = -min(0.0, rect.left()) or min(0.0, max(self.width - rect.right(), -rect.left()))
        dy = -min(0.0, rect.top()) or min(0.0, max(self.height - rect.bottom(), -rect.top()))
        return self.moved(dx, dy)

    def has_room_for(self, box: Box) -> bool:
        """Tell whether a box fits into the viewport as it is zoomed."""
        rect = self.rect(box)
        width, height = self.width - 2 * LEAST_MARGIN, self.height - 2 * LEAST_MARGIN
        return rect.width() <= width and rect.height() <= height

    def between(self, other: Camera, share: float) -> Camera:
        """Return the camera on the way to another at 0…1; zoom grows evenly to the eye."""
        if share >= 1:
            return other
        zoom = self.zoom * (other.zoom / self.zoom) ** share
        here, there = self.seen, other.seen
        step = replace(other, zoom=zoom)
        middle = QPointF(
            ((here.left + here.right) * (1 - share) + (there.left + there.right) * share) / 2,
            ((here.top + here.bottom) * (1 - share) + (there.top + there.bottom) * share) / 2,
        )
        return step.with_point(middle, QPointF(step.width / 2, step.height / 2))


class CameraFlight(QObject):
    """Animated camera movement, or a jump when motion is to be reduced."""

    moved = Signal(object)  # Camera: where it is now
    landed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.still = False
        self._ends = (Camera(), Camera())
        self._share = self._bent_at = 0.0  # of the way, now and when it was bent
        self._clock = QVariantAnimation(self)
        self._clock.setStartValue(0.0)
        self._clock.setEndValue(1.0)
        self._clock.setDuration(theme.px("motion.normal_ms"))
        self._clock.valueChanged.connect(self.on_clock_ticked)
        self._clock.finished.connect(self.landed)

    def go(self, start: Camera, end: Camera) -> None:
        """Fly from one camera to another; a flight under way ends where it is."""
        self.stop()
        if self.still or start == end:
            self.moved.emit(end)
            self.landed.emit()
            return
        self._ends, self._share, self._bent_at = (start, end), 0.0, 0.0
        self._clock.start()

    def bend(self, here: Camera, end: Camera) -> None:
        """Fly on from here to another end, in the time that is left; without a flight under way nothing."""
        self._ends, self._bent_at = (here, end), self._share

    def stop(self) -> None:
        self._clock.stop()

    @property
    def end(self) -> Camera | None:
        return self._ends[1] if self._clock.state() == QVariantAnimation.State.Running else None

    def on_clock_ticked(self, share: float) -> None:
        """Take the next step; quick at first, gentle at the end."""
        start, end = self._ends
        self._share = 1 - (1 - share) ** 3
        done = 1.0 if self._share >= 1 else (self._share - self._bent_at) / (1 - self._bent_at)
        self.moved.emit(start.between(end, done))


class Glide(QObject):
    """The moment in which cards glide to other places; none when motion is to be reduced."""

    moved = Signal(float)  # how much of the way is left, 1…0

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.still = False
        self._clock = QVariantAnimation(self)
        self._clock.setStartValue(1.0)
        self._clock.setEndValue(0.0)
        self._clock.setDuration(theme.px("motion.normal_ms"))
        self._clock.valueChanged.connect(self.on_clock_ticked)

    def go(self) -> None:
        self.stop()
        if self.still:
            self.moved.emit(0.0)
        else:
            self._clock.start()

    def stop(self) -> None:
        self._clock.stop()

    @property
    def under_way(self) -> bool:
        return self._clock.state() == QVariantAnimation.State.Running

    def on_clock_ticked(self, left: float) -> None:
        """Take the next step; quick at first, gentle at the end."""
        self.moved.emit(left**3)
