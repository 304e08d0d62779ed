"""Walking by keys: through a column of messages by line or page, or from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from loomapp.ui.dialogue.column import STEP_PX
from loomapp.ui.dialogue.message import head
from loomapp.ui.dialogue.message.message import BELOW_PX, MessageView

if TYPE_CHECKING:
    from loomapp.ui.dialogue.reader import ReaderColumn
    from loomapp.ui.dialogue.script.script import Script


class Walking:
    """Keyboard in a column. Where a message has it, it goes along; elsewhere the column only scrolls."""

    def __init__(self, column: ReaderColumn) -> None:
        self._column = column

    def take(self, event: QKeyEvent) -> bool:
        """Go where a key leads; False if it leads nowhere."""
        match event.key():
            case Qt.Key.Key_Up:
                self._step(-1)
            case Qt.Key.Key_Down:
                self._step(1)
            case Qt.Key.Key_PageUp:
                self._turn(-1)
            case Qt.Key.Key_PageDown:
                self._turn(1)
            case Qt.Key.Key_Home:
                self._leap(0)
            case Qt.Key.Key_End:
                self._leap(-1)
            case _:
                return False
        return True

    def _step(self, by: int) -> None:
        """Scroll a little, or move the keyboard from message to message; through a long one line by line."""
        focus, script = QApplication.focusWidget(), self._column.script
        bar, height = self._column.verticalScrollBar(), self._column.viewport().height()
        if script is None or not isinstance(focus, MessageView):
            bar.setValue(bar.value() + by * STEP_PX)
            return
        unread = focus.y() if by < 0 else height - (focus.y() + focus.height() - BELOW_PX)
        if unread < 0 and focus.height() > height // 2:
            bar.setValue(bar.value() + by * min(STEP_PX, -unread))
            return
        row = (script.row_of(focus.key) or 0) + by
        if 0 <= row < len(script):
            self._focus_row(script, row)

    def _turn(self, by: int) -> None:
        """A page up or down; the keyboard goes to the first message there if a message had it."""
        had = isinstance(QApplication.focusWidget(), MessageView)
        bar = self._column.verticalScrollBar()
        bar.setValue(bar.value() + by * (bar.pageStep() - STEP_PX))
        shown = self._column.shown_messages()
        if had and shown:
            place = next((m for m in shown if m.y() >= 0), shown[0]) if by > 0 else shown[0]
            place.setFocus(Qt.FocusReason.TabFocusReason)

    def _leap(self, row: int) -> None:
        """Go to the first row, or the last for -1."""
        had, script = isinstance(QApplication.focusWidget(), MessageView), self._column.script
        bar = self._column.verticalScrollBar()
        bar.setValue(bar.maximum() if row else 0)
        if had and script is not None and len(script):
            self._focus_row(script, len(script) - 1 if row else 0)

    def _focus_row(self, script: Script, row: int) -> None:
        """Bring a message into view and give it the keyboard."""
        key = script.row_key(row)
        message = self._column.message(key)
        if message is None or not 0 <= message.y() < self._column.viewport().height() - head.HEIGHT_PX:
            self._column.reveal(key)
            message = self._column.message(key)
        assert message is not None, "what is revealed is shown"
        message.setFocus(Qt.FocusReason.TabFocusReason)
