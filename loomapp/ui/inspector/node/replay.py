"""The replay of an exchange: play, pause, and a slider over the time its chunks took to come."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSlider, QWidget

from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import label

TICK_MS = 40


class ReplayPanel(QWidget):
    """Knows when which part of a body had come, and tells when another moment is to be shown."""

    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("replay")
        self._chunks: tuple[tuple[int, int], ...] = ()
        self._play = QPushButton(tr("Play"), self)
        self._play.setObjectName("replayPlay")
        self._play.setCheckable(True)
        self._play.toggled.connect(self.on_play_toggled)
        self._slider = QSlider(Qt.Orientation.Horizontal, self)
        self._slider.setObjectName("replaySlider")
        self._slider.setAccessibleName(tr("Moment of the exchange"))
        self._slider.valueChanged.connect(self.on_value_changed)
        self._time = label("", "caption", "muted")
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.on_tick)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._play)
        row.addWidget(self._slider, 1)
        row.addWidget(self._time)

    @property
    def has_chunks(self) -> bool:
        return len(self._chunks) > 1

    @property
    def offset(self) -> int | None:
        """Offset in the body up to which it had come at the moment shown; None at the end."""
        if not self._chunks or self._slider.value() >= self._slider.maximum():
            return None
        return max((end for at, end in self._chunks if at <= self._slider.value()), default=0)

    def show_chunks(self, chunks: Sequence[tuple[int, int]]) -> None:
        """Show another exchange, at its end."""
        self._play.setChecked(False)
        self._chunks = tuple(chunks)
        last = self._chunks[-1][0] if self._chunks else 0
        self._slider.setRange(0, last)
        self._slider.setValue(last)
        self._show_time()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the replay that nobody sees."""
        self._play.setChecked(False)
        super().hideEvent(event)

    def on_play_toggled(self, playing: bool) -> None:
        """Play on, from the beginning if it stands at the end; or pause."""
        self._play.setText(tr("Pause") if playing else tr("Play"))
        if not playing:
            self._timer.stop()
            return
        if self._slider.value() >= self._slider.maximum():
            self._slider.setValue(0)
        self._timer.start()

    def on_tick(self) -> None:
        self._slider.setValue(self._slider.value() + TICK_MS)
        if self._slider.value() >= self._slider.maximum():
            self._play.setChecked(False)

    def on_value_changed(self) -> None:
        self._show_time()
        self.moved.emit()

    def _show_time(self) -> None:
        now, last = self._slider.value() / 1000, self._slider.maximum() / 1000
        self._time.setText(tr("{now} of {last} s").format(now=f"{now:.1f}", last=f"{last:.1f}"))
