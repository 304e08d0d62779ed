"""Raw responses in the inspector: read at once or on a thread of their own, and played again in time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from loomapp.core.model.raw_response import Evidence
from loomapp.core.progress import Progress
from loomapp.core.response_text.body import ReadResponse, read_response
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.form import SlideField
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import horizontal

SHORT_BYTES = 48 << 10  # packed: some three thousand tokens, which are read in fifteen milliseconds


class ResponseReader(QObject):
    """The response that was read last; every node that rests on it is compared with that."""

    has_read = Signal()  # a long one, which was asked for

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._of: Evidence | None = None
        self._read: ReadResponse | None = None
        self._task: BackgroundTask | None = None

    def reads(self, evidence: Evidence) -> bool:
        """Read a response; False if it takes longer, and `has_read` is told then."""
        if self._of is None or self._of.body_gzip != evidence.body_gzip:
            self._leave()
            self._of, self._read = evidence, None
            if len(evidence.body_gzip) > SHORT_BYTES:
                self._task = BackgroundTask(partial(_work, evidence), self)
                self._task.done.connect(self.on_done)
                self._task.start()
            else:
                self._read = read_response(evidence)
        return self._task is None

    @property
    def read(self) -> ReadResponse | None:
        """Response that was read last; None if it cannot be unpacked any more."""
        return self._read

    def on_done(self, read: ReadResponse | None) -> None:
        self._leave()
        self._read = read
        self.has_read.emit()

    def _leave(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task.deleteLater()
            self._task = None


def _work(evidence: Evidence, _progress: Progress) -> ReadResponse | None:
    return read_response(evidence)


TICK_MS = 40


class ReplayPanel(QWidget):
    """Knows when which part of a body had come, and tells when another moment is to be shown."""

    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("replay")
        self._chunks: tuple[tuple[int, int], ...] = ()
        self._play = push_button("replayPlay", tr("Play"), self)
        self._play.setCheckable(True)
        self._play.toggled.connect(self.on_play_toggled)
        self._slider = SlideField()
        self._slider.setObjectName("replaySlider")
        self._slider.setAccessibleName(tr("Moment of the exchange"))
        self._slider.valueChanged.connect(self.on_value_changed)
        self._time = label("", "caption", "muted")
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.on_tick)
        row = horizontal(self, spacing=8)
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
