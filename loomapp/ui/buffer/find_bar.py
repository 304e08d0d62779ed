"""Find and replace over the path: words, how many there are, and what a replacement would make of each."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.widgets.elided_label import ElidedLabel


class ReplaceBar(QWidget):
    """Two rows above the text. It reports what is typed; it neither looks nor replaces."""

    sought = Signal()  # the words, or how they are to be looked for
    step_asked = Signal(int)
    replace_asked = Signal()  # the match that is looked at
    replace_all_asked = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("replaceBar")
        self.words = self._field("replaceFind", self.tr("Find in this text"))
        self.by = self._field("replaceBy", self.tr("Replace by"))
        self._case = QCheckBox(self.tr("Match case"), self)
        self._case.setObjectName("replaceCase")
        self._count = QLabel(self)
        self._count.setObjectName("replaceCount")
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setFont(theme.numbers("small"))
        theme.set_look(self._count, tone="muted")
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
        self.hide()

    @property
    def matches_case(self) -> bool:
        """True if capitals count."""
        return self._case.isChecked()

    @property
    def replaces(self) -> bool:
        """True if something is to stand in the place of what is found."""
        return bool(self.by.text())

    @property
    def preview(self) -> str:
        """What a replacement would make of the match that is looked at."""
        return self._preview.text()

    def enter(self, words: str = "") -> None:
        """Show it, ready to type."""
        self.show()
        if words:
            self.words.setText(words)
        self.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words.selectAll()
        self.sought.emit()

    def leave(self) -> None:
        """Put it away."""
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def show_found(self, number: int | None, total: int, preview: str, *, can_write: bool) -> None:
        """Which of how many is looked at, and what would stand there."""
        if not self.words.text():
            said = ""
        elif not total:
            said = self.tr("No matches")
        elif number is None:
            said = figures.number(total)
        else:
            said = self.tr("{0} of {1}").format(figures.number(number + 1), figures.number(total))
        self._count.setText(said)
        self._preview.show_words("{0}", preview)
        self._one.setEnabled(can_write and number is not None)
        self._all.setEnabled(can_write and total > 0)

    def event(self, event: QEvent) -> bool:
        """Keep the window's actions from taking its keys."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_own(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on, with Shift back; Esc closes."""
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.leave()
        elif _is_own(event):
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.step_asked.emit(-1 if shifted else 1)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A line below it."""
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.colour("border.subtle"))
        painter.end()

    def _field(self, name: str, words: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setObjectName(name)
        field.setAccessibleName(words)
        field.setPlaceholderText(words)
        return field

    def _lay_out(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.words, 1)
        first.addWidget(self._count)
        first.addWidget(self._case)
        for name, icon, title, step in (
            ("replacePrevious", "chevron-up", self.tr("Previous match"), -1),
            ("replaceNext", "chevron-down", self.tr("Next match"), 1),
        ):
            self._tool(first, name, icon, title).clicked.connect(
                lambda _=False, by=step: self.step_asked.emit(by)
            )
        self._tool(first, "replaceClose", "x", self.tr("Close")).clicked.connect(self.leave)
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

    def _tool(self, row: QHBoxLayout, name: str, icon: str, title: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        button.setIcon(theme.icon(icon))
        button.setIconSize(QSize(16, 16))
        button.setFixedSize(24, 24)
        button.setToolTip(title)
        button.setAccessibleName(title)
        row.addWidget(button)
        return button


def _is_own(event: QKeyEvent) -> bool:
    held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
    steps = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3)
    return event.matches(QKeySequence.StandardKey.Cancel) or (
        event.key() in steps and held == Qt.KeyboardModifier.NoModifier
    )
