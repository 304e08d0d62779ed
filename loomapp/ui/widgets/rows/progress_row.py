"""A row for work that takes a while: what is done, how far it is, and a button that ends it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.form import label


class ProgressRow(QWidget):
    """Progress of a task, hidden until one is under way."""

    cancel_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("progressRow")
        self._words = label("", "ui", "secondary", wrap=True)
        self._words.setObjectName("progressWords")
        self._bar = QProgressBar(self)
        self._bar.setObjectName("progressBar")
        self._bar.setTextVisible(False)
        self._cancel = QPushButton(tr("Cancel"), self)
        self._cancel.setObjectName("progressCancel")
        self._cancel.clicked.connect(self.cancel_clicked)
        theme.set_look(self._cancel, kind="plain")
        left = QVBoxLayout()
        left.setSpacing(6)
        left.addWidget(self._words)
        left.addWidget(self._bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addLayout(left, 1)
        row.addWidget(self._cancel)
        self.hide()

    def begin(self, words: str) -> None:
        """Show that a task is under way; nobody knows yet how long it takes."""
        self._bar.setRange(0, 0)
        self.say(words)
        self.show()

    def say(self, words: str) -> None:
        """Say in words what is done at present."""
        self._words.setText(words)
        self._bar.setAccessibleName(words)
        self._cancel.setAccessibleName(f"{tr('Cancel')}: {words}")

    def show_progress(self, done: int, of: int) -> None:
        """Show the part that is done, of the whole; 0 for the whole: nobody knows."""
        self._bar.setRange(0, of)
        self._bar.setValue(done if of else 0)

    def end(self) -> None:
        """Hide the progress: the task is over, one way or the other."""
        self._bar.setRange(0, 1)  # or it goes on moving, unseen
        self.hide()
