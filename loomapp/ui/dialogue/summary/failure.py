"""The card in the place of summaries that failed several times in a row: why, and Try again."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from loomapp.ui.dialogue.summary.between import BetweenCard
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import IconLabel, label
from loomapp.ui.widgets.layouts import horizontal


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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, "state.error", "state.error_soft")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.end()
