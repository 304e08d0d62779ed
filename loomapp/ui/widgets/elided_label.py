"""A label of one line that shortens what it quotes to fit, and the words around it only after that."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from loomapp.ui.widgets.tips import plain_tip

LEAST_EMS = 4  # of the quotation: where there is less room, the end of the sentence goes before it does


class ElidedLabel(QLabel):
    """Shows a sentence with a quotation in it; all of the quotation is the tool tip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._sentence = "{0}"
        self._quoted = ""

    def show_words(self, sentence: str, quoted: str) -> None:
        """Show a sentence with `{0}` where the quotation goes."""
        self._sentence, self._quoted = sentence, quoted
        self.setAccessibleName(sentence.format(quoted))
        self.setToolTip(plain_tip(quoted))
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics = QFontMetrics(self.font())
        around = metrics.horizontalAdvance(self._sentence.format(""))
        room = max(LEAST_EMS * metrics.height(), self.width() - around - 4)
        short = metrics.elidedText(self._quoted, Qt.TextElideMode.ElideRight, room)
        words = self._sentence.format(short)
        self.setText(metrics.elidedText(words, Qt.TextElideMode.ElideRight, self.width()))
