"""A line for a text that is sent as it stands: line breaks are written \\n, and what is wrong is said."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.form import label
from loomapp.ui.widgets.line import Line

WRITTEN = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
READ = {written: character for character, written in WRITTEN.items()}


def as_line(text: str) -> str:
    """A text in one line: breaks and tabs as a backslash and a letter, a backslash doubled."""
    return re.sub(r"[\\\n\t\r]", lambda found: WRITTEN[found[0]], text)


def from_line(line: str) -> str:
    """The text that a line stands for; a backslash before anything else is itself."""
    return re.sub(r"\\[\\ntr]", lambda found: READ[found[0]], line)


class ExactLine(Line):
    """Says only texts with which nothing is wrong; of others it says why, in `complaint`, to be placed beside
    the line. What is typed stays until it is left as it should be, or `show_text` is told to insist.
    """

    typed = Signal(str)  # the text, after every key
    given = Signal(str)  # the text, when the line is left
    typing_ended = Signal()

    def __init__(self, fault: Callable[[str], str | None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fault = fault
        self.complaint = label("", "small", "error", wrap=True)
        self.complaint.hide()
        self.setFont(theme.font("mono"))
        self.textEdited.connect(self.on_edited)
        self.editingFinished.connect(self.on_finished)

    def show_text(self, text: str, *, insist: bool = False) -> None:
        """Show a text; what is being typed stays, unless one insists."""
        if (self.isModified() and not insist) or (from_line(self.text()) == text and not self.isModified()):
            return
        self.setText(as_line(text))
        self.setModified(False)
        self._complain("")

    def on_edited(self, line: str) -> None:
        """Tell the typed text, or what is wrong with it."""
        text = from_line(line)
        wrong = self._fault(text)
        self._complain(told(wrong) if wrong else "")
        if wrong is None:
            self.typed.emit(text)

    def on_finished(self) -> None:
        """Tell the typed text, once."""
        text = from_line(self.text())
        if self.isModified() and self._fault(text) is None:
            self.setModified(False)
            self.given.emit(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.typing_ended.emit()

    def _complain(self, words: str) -> None:
        self.complaint.setText(tr("Not saved: it {fault}.").format(fault=words) if words else "")
        self.complaint.setVisible(bool(words))
        theme.set_look(self, wrong=bool(words))
        self.setAccessibleDescription(self.complaint.text())
