"""A read-only text of any size: shown as plain text up to a limit, with a note where it goes on."""

from __future__ import annotations

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, utf16_length
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import vertical

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
