"""The reasoning before an answer: one line that says how much, and all of it on demand. Never sent again."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from loomapp.ui import figures
from loomapp.ui.look import theme

LINK_PX = 5  # what a link keeps free around its words
INSET_PX = 12
LONGEST = 20_000  # characters shown; more would hold the window up


class ReasoningRow(QWidget):
    """Link, and below it, once it was pressed, the reasoning in quiet words."""

    toggled = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("reasoningRow")
        self._link = QPushButton(self)
        self._link.setObjectName("reasoningLink")
        theme.set_look(self._link, kind="link")
        self._link.clicked.connect(self.toggled)
        self._words = QLabel(self)
        self._words.setObjectName("reasoningText")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self._words.setFont(theme.font("small"))
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.set_look(self._words, tone="secondary")

    @property
    def link(self) -> QPushButton:
        return self._link

    def show_reasoning(self, text: str, width_px: int, *, is_open: bool, grows: bool) -> int:
        """Show a reasoning at a width, or only how long it is; return the height it takes."""
        count = figures.number(len(text.split()))
        words = self.tr("Reasoning… {0} words") if grows else self.tr("Reasoning, {0} words")
        self._link.setText(words.format(count))
        self._link.setIcon(theme.icon("chevron-down" if is_open else "chevron-right", "text.link", 14))
        self._link.setAccessibleName(words.format(count))
        self._link.setToolTip(self.tr("What the model thought before it answered. It is never sent again."))
        height = theme.px("control.hit")
        self._link.setGeometry(-LINK_PX, 0, self._link.sizeHint().width(), height)
        self._words.setVisible(is_open)
        if is_open:
            shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
            if self._words.text() != shown:
                self._words.setText(shown)
            needed = self._words.heightForWidth(width_px - INSET_PX)
            self._words.setGeometry(INSET_PX, height, width_px - INSET_PX, needed)
            height += needed + 8
        return height
