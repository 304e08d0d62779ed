"""Cards in the place of a summary: one that is being made, with Stop, or that failed, with Try again."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from loomapp.ui.dialogue.summary.between import BetweenCard
from loomapp.ui.dialogue.summary.card import BAR_PX, paint_card
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import IconLabel, ShortLabel, label, set_tip
from loomapp.ui.widgets.layouts import fill, horizontal, vertical


class SummaryFailureCard(BetweenCard):
    """Says that no summary is made of this path any more by itself, until somebody tries again."""

    retry_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("summaryFailure")
        self._words = label("", "small", "primary", wrap=True, name="summaryFailureWords")
        self.retry_button = push_button("retrySummaryButton", tr("Try again"), self, kind="link")
        self.retry_button.clicked.connect(self.retry_asked)
        row = horizontal(self, (12, 8, 12, 8), spacing=10)
        row.addWidget(IconLabel("circle-alert", "state.error"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)
        row.addWidget(self.retry_button)

    def show_words(self, words: str) -> None:
        if words != self._words.text():
            self._words.setText(words)
            self.setAccessibleName(words)
            self.height_changed.emit()

    def needed_px(self, width: int) -> int:
        layout = self.layout()
        assert layout is not None, "it has one"
        layout.activate()
        return max(layout.totalHeightForWidth(width), layout.totalMinimumSize().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, "state.error", "state.error_soft")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.end()


HEIGHT_PX = 64
LEAST_BAR_PX = 40


class SummaryProgress(BetweenCard):
    """Stands where the summary will; its height stays till that lands."""

    stop_asked = Signal()
    send_asked = Signal()  # an answer that waits for it is wanted without

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("summaryProgress")
        self._title = ShortLabel(self)
        self._title.setFont(theme.font("ui_strong"))
        self._title.setObjectName("summaryProgressTitle")
        self._seconds = label("", "small", "secondary", name="summarySeconds")
        self._bar = QProgressBar(self)
        self._bar.setObjectName("summaryProgressBar")
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._bar.setMinimumWidth(LEAST_BAR_PX)
        self._part = ShortLabel(self)  # in a narrow column it is cut off sooner than a button
        self._part.setObjectName("summaryPart")
        self._part.setFont(theme.font("small"))
        theme.set_look(self._part, tone="secondary")
        self._stop = push_button("stopSummaryButton", tr("Stop"), self, kind="plain")
        self._stop.clicked.connect(self.stop_asked)
        self._send = push_button("sendAnywayButton", tr("Send anyway"), self, kind="link")
        self._send.clicked.connect(self.send_asked)
        for button in (self._stop, self._send):
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        top, below = horizontal(spacing=8), horizontal(spacing=10)
        fill(top, IconLabel("file-text", "text.secondary"), self._title, self._seconds)
        top.setStretch(1, 1)
        below.addSpacing(24)
        fill(below, self._bar, self._part, self._send, self._stop)
        below.setStretch(1, 1)
        column = vertical(self, (BAR_PX + 8, 6, 10, 6), spacing=2)
        fill(column, top, below)
        self.setFixedHeight(HEIGHT_PX)

    def show_progress(self, title: str, part: str, done: int, of: int, *, waits_for: bool) -> None:
        """Show which part is being made, of how many; `waits_for` if an answer waits for it."""
        self._title.setText(title)
        self.setAccessibleName(title)
        self._part.setText(part)
        set_tip(self._part, part)
        self._bar.setRange(0, of if of > 1 else 0)
        self._bar.setValue(done)
        self._bar.setAccessibleName(part)
        self._send.setVisible(waits_for)

    def show_seconds(self, seconds: int) -> None:
        self._seconds.setText(tr("{count} s").format(count=seconds) if seconds else "")

    def needed_px(self, _width: int) -> int:
        return HEIGHT_PX

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_card(self, "border.strong")
