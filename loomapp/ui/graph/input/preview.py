"""The preview: the whole text of a hovered card, as plain text beside it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from loomapp.ui.look import theme
from loomapp.ui.widgets.layouts import vertical

WIDTH = 360
PADDING = 12
MOST_CHARACTERS = 2_400
DISTANCE = 10  # px from the card, clear of its tools and its +


class CardPreview(QWidget):
    """A quiet panel over the canvas. Text from others stays text: nothing in it is interpreted."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("graphPreview")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        column = vertical(self, (PADDING, PADDING - 2, PADDING, PADDING - 2))
        column.addWidget(self._label)
        self._pinned = False
        self.hide()

    def set_pinned(self, pinned: bool) -> None:
        """Keep the preview when the pointer goes, or let it go too."""
        self._pinned = pinned
        self.update()

    @property
    def text(self) -> str:
        return self._label.text()

    def show_text(self, text: str, card: QRect) -> None:
        """Show a text below or above a card, inside the parent; what does not fit ends in …"""
        parent = self.parentWidget()
        assert parent is not None
        room = parent.size() - QSize(16, 16)
        font = theme.font("ui")
        self._label.setFont(font)
        width = min(WIDTH, room.width())
        below, above = room.height() - card.bottom() - 30, card.top() - DISTANCE
        most = max(below, above, 60)
        shown, height = _fitting(text, QFontMetrics(font), width - 2 * PADDING, most - 2 * PADDING)
        self._label.setText(shown)
        height += 2 * PADDING
        top = card.bottom() + 30 if height <= below or below >= above else card.top() - DISTANCE - height
        left = min(max(8, card.left()), max(8, parent.width() - width - 8))
        self.setGeometry(left, max(8, top), width, height)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, "accent.base" if self._pinned else "border.strong", "surface.overlay")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)


def _fitting(text: str, metrics: QFontMetrics, width: int, most: int) -> tuple[str, int]:
    """Return as much of a text as fits into a height, and the height it takes."""
    shown = text[:MOST_CHARACTERS]
    while True:
        cut = len(shown) < len(text)
        tried = f"{shown.rstrip()}…" if cut else shown
        needed = metrics.boundingRect(
            QRect(0, 0, width, 100_000), int(Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextExpandTabs), tried
        ).height()
        if needed <= most or len(shown) < 40:
            return tried, min(needed, max(most, 20))
        shown = shown[: min(len(shown) - 1, int(len(shown) * max(0.5, most / needed)) + 8)]
