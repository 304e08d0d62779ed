"""Words, rules and icons on a page, labels of one line, tool tips, and read-only texts of any size."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QSizePolicy, QStyleOption, QWidget

from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, utf16_length
from loomapp.ui.widgets.layouts import vertical

SIGNS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})  # what HTML reads else
ONE_LINE = 72  # characters of a tip that needs no wrapping


def plain_tip(text: str) -> str:
    """Words for a tool tip, wrapped. Qt reads a tip that looks like HTML as HTML, and fetches its images; so
    every tip that is not ours alone goes through here. One of a line that cannot look so stays as it is: a
    screen reader says a tip as it stands, with its tags.
    """
    if len(text) <= ONE_LINE and not {"<", "\n"} & set(text):
        return text
    return f"<p style='white-space: pre-wrap'>{text.translate(SIGNS)}</p>" if text else ""


def set_tip(part: QWidget, words: str) -> None:
    """Give a part a tip that is heard as words: a screen reader would say one of several lines with its tags.
    Not for a part that has a description of its own.
    """
    part.setToolTip(plain_tip(words))
    part.setAccessibleDescription("" if part.toolTip() == words else words)


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
        set_tip(self, quoted)
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


SHOWN_CHARACTERS = 200_000
LOWEST_PX = 44  # two lines: a low dock does not grow for it
LONG_WORD = 2_000  # characters; Qt looks for word ends in longer ones for seconds


class PlainView(QWidget):
    """Text that can be read, selected and copied, and nothing else: no markup, no links, no loading."""

    def __init__(
        self, name: str, parent: QWidget | None = None, *, type_name: str = "mono", more: str = ""
    ) -> None:
        """`more` says where all of a text is found that is too long to be shown."""
        super().__init__(parent)
        self._more = more or tr("An export holds all of it.")
        self._field = QPlainTextEdit(self)
        self._field.setReadOnly(True)
        self._field.setAccessibleName(name)
        self._field.setFont(theme.font(type_name))
        self._field.setTabChangesFocus(True)
        self._field.setMinimumHeight(LOWEST_PX)
        self._note = label("", "caption", "muted", wrap=True)
        column = vertical(self, spacing=4)
        column.addWidget(self._field, 1)
        column.addWidget(self._note)
        self.setFocusProxy(self._field)
        self.show_text("")

    def set_bare(self) -> None:
        """Leave the frame to what it stands in."""
        theme.set_look(self._field, bare=True)

    def name_field(self, name: str) -> None:
        self._field.setObjectName(name)

    def show_text(self, text: str, *, goes_on: bool = False, as_table: bool = False) -> None:
        """Show a text; `goes_on` if it is only the beginning of something that was not read to its end.

        The lines of a table stay whole.
        """
        shown = text[:SHOWN_CHARACTERS]
        if shown != self._field.toPlainText():
            at = self._field.verticalScrollBar().value()
            self._field.clear()  # or the old text would be laid out once more in the new mode
            self._field.setWordWrapMode(QTextOption.WrapMode.NoWrap if as_table else _wrapping(shown))
            self._field.setPlainText(shown)
            self._field.verticalScrollBar().setValue(at)
        self._note.setVisible(goes_on or len(text) > len(shown))
        count = tr("the first {count} characters").format(count=figures.number(len(shown)))
        self._note.setText(tr("Shown are {what}. {more}").format(what=count, more=self._more))

    def select(self, begin: int, length: int) -> None:
        """Select a stretch of what is shown, in characters, and bring it into view."""
        text = self._field.toPlainText()
        cursor = self._field.textCursor()
        cursor.setPosition(utf16_length(text[:begin]))
        cursor.setPosition(utf16_length(text[: begin + length]), cursor.MoveMode.KeepAnchor)
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()

    def text(self) -> str:
        return self._field.toPlainText()


def _wrapping(text: str) -> QTextOption.WrapMode:
    if max(map(len, text.split()), default=0) > LONG_WORD:
        return QTextOption.WrapMode.WrapAnywhere
    return QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
