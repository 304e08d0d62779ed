"""The head of the text: what is read, and buttons for what is done with the whole of it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from loomapp.core.model.entities import Mode
from loomapp.ui.keys.actions import Actions
from loomapp.ui.keys.button import ICON_PX, action_button, show_keys
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import label

HEIGHT_PX = 36
ROOMY_PX = 520
ICONS = (("findInPath", "search"), ("exportTree", "download"), ("focusMode", "maximize"))


class TextHead(QWidget):
    """Row above the dialogue or the buffer. Its buttons are actions."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("textHead")
        self.setFixedHeight(HEIGHT_PX)
        self._title = label("", "ui_strong")
        self._title.setObjectName("textTitle")
        self._title.setFixedHeight(HEIGHT_PX - 1)
        theme.set_look(self._title, tab=True)
        self._compare = action_button(actions, "compare", tr("Compare"), self)
        self._compare.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._icons: list[tuple[QToolButton, str]] = [
            (action_button(actions, name, "", self), icon) for name, icon in ICONS
        ]
        self._row = QHBoxLayout()
        self._row.setContentsMargins(16, 0, 12, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self._title)
        self._row.addWidget(self._compare)
        self._row.addStretch(1)
        for button, _ in self._icons:
            self._row.addWidget(button)
        line = QFrame(self)
        theme.set_look(line, line=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._row, 1)
        column.addWidget(line)
        self.show_mode("dialogue")
        self._paint_icons()

    def show_mode(self, mode: Mode) -> None:
        self._title.setText(tr("Buffer") if mode == "buffer" else tr("Dialogue"))

    def add_part(self, part: QWidget) -> None:
        """Add a part that says more of the text, before the buttons at the right."""
        self._row.insertWidget(self._row.count() - len(self._icons), part)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the compare button when the head is narrow: the action has other ways in."""
        super().resizeEvent(event)
        self._compare.setVisible(event.size().width() >= ROOMY_PX)

    def show_keys(self) -> None:
        show_keys(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_icons"):
            self._paint_icons()

    def _paint_icons(self) -> None:
        for button, icon in self._icons:
            button.setIcon(theme.icon(icon, role="text.secondary", size=ICON_PX))
