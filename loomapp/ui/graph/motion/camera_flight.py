"""A flight: the camera's way from one look to another."""

from __future__ import annotations

from PySide6.QtCore import QObject, QVariantAnimation, Signal

from loomapp.ui.graph.motion.camera import Camera
from loomapp.ui.look import theme


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
