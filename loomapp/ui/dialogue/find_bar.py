"""The bar for finding words in the path: a field, how many there are, next and previous."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from loomapp.ui.look import theme
from loomapp.ui.widgets.finding_bar import FindingBar

MARGIN_PX = 8


class FindBar(FindingBar):
    """Stands above the messages, over their upper edge."""

    words_changed = Signal(str)

    def __init__(self, parent: QWidget, *, name: str = "find", title: str = "") -> None:
        """`name` is what the names of its parts begin with."""
        super().__init__(parent, name, title)
        if not title:
            self.field.setAccessibleName(self.tr("Find in path"))
            self.field.setPlaceholderText(self.tr("Find in path"))
        self.field.textChanged.connect(self.words_changed)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN_PX, 6, MARGIN_PX, 7)
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addWidget(self._count)
        self.add_buttons(row)

    def enter(self) -> None:
        """Show it, ready to type; what was looked for before can be taken again."""
        super().enter()
        self.raise_()
        self.words_changed.emit(self.field.text())

    def place(self, room_width: int) -> None:
        """Stand along the upper edge."""
        self.setGeometry(0, 0, room_width, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """What is below it shows not through."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("surface.panel"))
        painter.end()
        super().paintEvent(event)
