"""The pill over the end of the dialogue: there is new text below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from loomapp.ui import theme

ABOVE_PX = 12


class NewTextPill(QPushButton):
    """Shown while text grows below what is read; a click goes there."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("newTextPill")
        self.setText(self.tr("New text"))
        self.setAccessibleName(self.tr("Go to the new text below"))
        self.setIcon(theme.icon("chevron-down"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def place(self, room_width: int, room_height: int) -> None:
        """Stand in the middle of the lower edge of a room."""
        self.adjustSize()
        self.move((room_width - self.width()) // 2, room_height - self.height() - ABOVE_PX)
        self.raise_()
