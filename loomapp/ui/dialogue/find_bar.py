"""The bar for finding words in the path: a field, how many there are, next and previous."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from loomapp.ui import figures
from loomapp.ui.look import theme

MARGIN_PX = 8


class FindBar(QFrame):
    """Stands above the messages; says what is looked for and where to go."""

    words_changed = Signal(str)
    step_asked = Signal(int)  # 1 for the next match, -1 for the one before
    closed = Signal()

    def __init__(self, parent: QWidget, *, name: str = "find", title: str = "") -> None:
        """`name` is what the names of its parts begin with."""
        super().__init__(parent)
        title = title or self.tr("Find in path")
        self.setObjectName(f"{name}Bar")
        self.field = QLineEdit(self)
        self.field.setObjectName(f"{name}Field")
        self.field.setAccessibleName(title)
        self.field.setPlaceholderText(title)
        self.field.textChanged.connect(self.words_changed)
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setObjectName(f"{name}Count")
        self._count.setFont(theme.numbers("small"))
        theme.set_look(self._count, tone="muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN_PX, 6, MARGIN_PX, 7)
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addWidget(self._count)
        self._add(row, f"{name}PreviousButton", "chevron-up", self.tr("Previous match")).clicked.connect(
            self.on_previous
        )
        self._add(row, f"{name}NextButton", "chevron-down", self.tr("Next match")).clicked.connect(
            self.on_next
        )
        self._add(row, f"{name}CloseButton", "x", self.tr("Close")).clicked.connect(self.leave)
        self.hide()

    def _add(self, row: QHBoxLayout, name: str, icon: str, title: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        button.setIcon(theme.icon(icon))
        button.setIconSize(QSize(16, 16))
        button.setFixedSize(24, 24)
        button.setToolTip(title)
        button.setAccessibleName(title)
        row.addWidget(button)
        return button

    def enter(self) -> None:
        """Show it, ready to type; what was looked for before can be taken again."""
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.words_changed.emit(self.field.text())

    def leave(self) -> None:
        """Put it away."""
        self.hide()
        self.closed.emit()

    def show_count(self, number: int | None, total: int, *, done: bool) -> None:
        """Say which of how many is looked at; `number` counts from 0."""
        if not self.field.text():
            words = ""
        elif not total:
            words = self.tr("No matches") if done else "…"
        elif number is None:
            words = figures.number(total)
        else:
            words = self.tr("{0} of {1}").format(figures.number(number + 1), figures.number(total))
        self._count.setText(words + ("" if done or not total else " …"))

    def place(self, room_width: int) -> None:
        """Stand along the upper edge."""
        self.setGeometry(0, 0, room_width, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """A line below it."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("surface.panel"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.colour("border.subtle"))
        painter.end()

    def on_next(self) -> None:
        """Go down."""
        self.step_asked.emit(1)

    def on_previous(self) -> None:
        """Go up."""
        self.step_asked.emit(-1)

    def event(self, event: QEvent) -> bool:
        """Keep the window's actions from taking its keys."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and is_own(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on, with Shift back; Esc closes."""
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.leave()
        elif is_own(event):
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.step_asked.emit(-1 if shifted else 1)
        else:
            super().keyPressEvent(event)


def is_own(event: QKeyEvent) -> bool:
    """True for the keys of the bar: Esc, F3, Enter, the last two also with Shift."""
    held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
    steps = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3)
    return event.matches(QKeySequence.StandardKey.Cancel) or (
        event.key() in steps and held == Qt.KeyboardModifier.NoModifier
    )
