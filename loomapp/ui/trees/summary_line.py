"""Line below the title of a tree's settings: the tree in two sentences, and the button that has them made."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import label, plain_tip


class SummaryLine(QWidget):
    """The summary of a tree, and the button that asks a model for one."""

    asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said = label("", "ui", "secondary", wrap=True)
        self._said.setObjectName("treeSummary")
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._ask = push_button("sumUpTree", tr("Sum up"), self, kind="link")
        self._ask.setToolTip(plain_tip(tr("Asks the model that summarises for two sentences: one call")))
        self._is_asked = False
        self._ask.clicked.connect(self.on_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 0)
        row.addWidget(self._said, 1)
        row.addWidget(self._ask, 0, Qt.AlignmentFlag.AlignTop)

    def on_clicked(self) -> None:
        """Ask once, till something came of it. A button that is switched off would lose the keyboard."""
        if not self._is_asked:
            self._is_asked = True
            self._ask.setText(tr("Summing up…"))
            self.asked.emit()

    def show_summary(self, summary: str | None) -> None:
        self._said.setText(summary or tr("In two sentences: not summed up yet."))

    def set_can_ask(self, can_ask: bool) -> None:
        """Let it be asked for where something can be written."""
        self._ask.setEnabled(can_ask)

    def take_up(self) -> None:
        """Let it be asked for again."""
        self._is_asked = False
        self._ask.setText(tr("Sum up"))
