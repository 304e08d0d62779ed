"""The bar under a ghost: its four keys, which are also buttons."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QWidget

from loomapp.ui.look import theme

HEIGHT_PX = 24
PAD_PX = 6
GAP_PX = 6


class GhostKey(QAbstractButton):
    """A key in a cap, and what it does. It takes no keyboard: that stays in the text."""

    def __init__(self, words: str, key: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._words, self._key = words, key
        self.setAccessibleDescription(key)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_words(words)

    def show_words(self, words: str) -> None:
        """Say what the key does."""
        self._words = words
        self.setAccessibleName(words)
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(self._cap_px() + GAP_PX + _width(self._words, "small")) + PAD_PX, HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cap = QRectF(0.5, 3.5, self._cap_px() - 1, HEIGHT_PX - 7)
        painter.setPen(QPen(theme.colour("border.normal"), 1))
        painter.setBrush(theme.colour("surface.raised"))
        painter.drawRoundedRect(cap, 4, 4)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text.secondary"))
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self._key)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("text.primary" if self.underMouse() else "text.muted"))
        words = QRectF(self._cap_px() + GAP_PX, 0, self.width(), HEIGHT_PX)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self._words)
        painter.end()

    def _cap_px(self) -> float:
        return _width(self._key, "caption") + 2 * PAD_PX


class GhostBar(QWidget):
    """Stands below what is only offered."""

    asked = Signal(str)  # accept | word | next | previous | dismiss

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("ghostBar")
        self.setAccessibleName(self.tr("Ghost preview"))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 0, 2)
        row.setSpacing(theme.px("space.s"))
        acts = (
            ("accept", self.tr("take all"), self.tr("Tab")),
            ("word", self.tr("a word"), self.tr("Ctrl+→")),
            ("next", self.tr("next"), self.tr("Alt+.")),
            ("dismiss", self.tr("dismiss"), self.tr("Esc")),
        )
        self._keys: dict[str, GhostKey] = {}
        for act, words, key in acts:
            button = self._keys[act] = GhostKey(words, key, self)
            button.setObjectName(f"ghost{act.capitalize()}")
            button.clicked.connect(lambda _=False, a=act: self.asked.emit(a))
            row.addWidget(button)
        row.addStretch(1)

    def show_offers(self, count: int, *, grows: bool) -> None:
        """Show the key for the next one if there are several, and what Esc does while one still `grows`."""
        self._keys["next"].setVisible(count > 1)
        self._keys["dismiss"].show_words(self.tr("hide, then stop") if grows else self.tr("dismiss"))


def _width(words: str, type_name: str) -> float:
    return QFontMetricsF(theme.font(type_name)).horizontalAdvance(words)
