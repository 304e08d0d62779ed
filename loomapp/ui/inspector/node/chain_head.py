"""The head of the grove's chain: shown, and copied for whoever keeps it elsewhere."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from loomapp.store.rows.chain import Head
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.widgets.labels import IconLabel, label
from loomapp.ui.widgets.tips import plain_tip
from loomapp.ui.widgets.words.facts import exact_field


class ChainHead(QWidget):
    """Head of the chain in one line: the newest link and how many there are; where nothing is sealed yet,
    that.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chainHead")
        self._head: Head | None = None
        self._words = label("", "small", "muted")
        self._words.setObjectName("chainHeadWords")
        self._field: QLineEdit = exact_field("", tr("Head of the chain"))
        self._field.setObjectName("chainHeadField")
        self._copy = QPushButton(theme.icon("copy"), "", self)
        self._copy.setObjectName("copyHeadButton")
        self._copy.setAccessibleName(tr("Copy the head of the chain"))
        self._copy.setToolTip(
            tr("Copy the head. Kept elsewhere, it shows later that nothing before it was rewritten.")
        )
        theme.set_look(self._copy, kind="quiet")
        self._copy.clicked.connect(self.on_copy_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(IconLabel("shield-check", "text.muted"))
        row.addWidget(self._words)
        row.addWidget(self._field, 1)
        row.addWidget(self._copy)
        self.show_head(None)

    def show_head(self, head: Head | None) -> None:
        """Show a head; None: the grove has no chain yet."""
        self._head = head
        self._field.setVisible(head is not None)
        self._copy.setVisible(head is not None)
        if head is None:
            self._words.setText(tr("This grove is not sealed yet."))
            return
        many = tr("Head of {n} changes").format(n=figures.number(head.links))
        self._words.setText(tr("Head of 1 change") if head.links == 1 else many)
        if head.link != self._field.text():
            self._field.setText(head.link)
            self._field.setCursorPosition(0)
            self._field.setToolTip(plain_tip(head.link))

    def on_copy_clicked(self) -> None:
        if self._head is not None:
            copy_words(self._head.link)
