"""Words, rules and icons on a page, labels of one line that shorten what they show, and tool tips."""

from __future__ import annotations

import html

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QStyleOption, QWidget

from loomapp.ui.look import theme


def plain_tip(text: str) -> str:
    """Words for a tool tip, wrapped. Qt reads a tip that looks like HTML as HTML, and fetches its images; so
    every tip that is not ours alone goes through here.
    """
    return f"<p style='white-space: pre-wrap'>{html.escape(text)}</p>" if text else ""


def label(
    text: str, type_name: str = "ui", tone: str = "primary", *, wrap: bool = False, name: str = ""
) -> QLabel:
    """Return words for a page, by an object name; never read as markup."""
    result = QLabel(text)
    result.setObjectName(name)
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setFont(theme.font(type_name))
    result.setWordWrap(wrap)
    theme.set_look(result, tone=tone)
    return result


def rule() -> QFrame:
    """Return a line between two sections."""
    line = QFrame()
    theme.set_look(line, line=True)
    return line


LEAST_PX = 24


class ShortLabel(QLabel):
    """Label that is painted cut off; its text stays whole for whoever asks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def minimumSizeHint(self) -> QSize:
        whole = super().minimumSizeHint()
        return QSize(min(LEAST_PX, whole.width()), whole.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        room = self.contentsRect()
        cut = QFontMetrics(self.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        if cut == self.text():
            super().paintEvent(event)
            return
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        self.style().drawItemText(
            painter, room, self.alignment(), option.palette, self.isEnabled(), cut, self.foregroundRole()
        )
        painter.end()


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


class IconLabel(QWidget):
    """Icon that says nothing to a screen reader: the words beside it do."""

    def __init__(self, name: str, role: str, size: int = 16) -> None:
        super().__init__()
        self._name, self._role = name, role
        self.setFixedSize(size, size)

    def show_icon(self, name: str, role: str) -> None:
        self._name, self._role = name, role
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme.paint(painter, self._name, self._role, QRectF(self.rect()))
        painter.end()
