"""Find and replace over the path: words, how many there are, and what a replacement would make of each."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from loomapp.ui.look import theme
from loomapp.ui.widgets.find_bar import FindingBar
from loomapp.ui.widgets.labels import ElidedLabel


class ReplaceBar(FindingBar):
    """Find and replace in two rows above the text. It reports what is typed; it neither looks nor
    replaces.
    """

    sought = Signal()  # the words, or how they are to be looked for
    replace_asked = Signal()  # the match that is looked at
    replace_all_asked = Signal()
    height_changed = Signal(int)  # px that it takes from the text; 0 while it is put away

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "replace", self.tr("Find in this text"))
        self.words = self.field
        self.by = self.new_field("replaceBy", self.tr("Replace by"))
        self._case = QCheckBox(self.tr("Match case"), self)
        self._case.setObjectName("replaceCase")
        self._preview = ElidedLabel(self)
        self._preview.setObjectName("replacePreview")
        self._preview.setFont(theme.font("small"))
        theme.set_look(self._preview, tone="muted")
        self._one = QPushButton(self.tr("Replace"), self)
        self._one.setObjectName("replaceOne")
        self._all = QPushButton(self.tr("Replace all"), self)
        self._all.setObjectName("replaceAll")
        self._lay_out()
        for field in (self.words, self.by):
            field.textChanged.connect(self.sought)
        self._case.toggled.connect(self.sought)
        self._one.clicked.connect(self.replace_asked)
        self._all.clicked.connect(self.replace_all_asked)

    @property
    def matches_case(self) -> bool:
        return self._case.isChecked()

    @property
    def preview(self) -> str:
        """Return the shown preview of what a replacement would make of the current match."""
        return self._preview.text()

    def enter(self) -> None:
        """Show it, ready to type."""
        super().enter()
        self.sought.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.height_changed.emit(self.sizeHint().height())

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.height_changed.emit(0)

    def begin_with(self, words: str) -> None:
        """Show it, looking for some words already."""
        self.show()
        if words:
            self.words.setText(words)
        self.enter()

    def show_found(self, number: int | None, total: int, preview: str, *, can_write: bool) -> None:
        """Show the number of the current match, the total, and the preview of a replacement."""
        self.show_count(number, total)
        self._preview.show_words("{0}", preview)
        if total == 0 and (self._one.hasFocus() or self._all.hasFocus()):
            self.words.setFocus()  # else Qt gives it to a button that nobody meant
        self._one.setEnabled(can_write and number is not None)
        self._all.setEnabled(can_write and total > 0)

    def _lay_out(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.words, 1)
        first.addWidget(self._count)
        first.addWidget(self._case)
        self.add_buttons(first)
        second.addWidget(self.by, 1)
        second.addWidget(self._one)
        second.addWidget(self._all)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 8, 8)
        column.setSpacing(6)
        for row in (first, second):
            row.setSpacing(8)
            column.addLayout(row)
        column.addWidget(self._preview)
