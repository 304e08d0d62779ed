"""Bars for finding words: a field, how many there are, the next and the one before, and their keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import icon_button
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.layouts import horizontal

ICON_PX, BUTTON_PX = 16, 24
MARGIN_PX = 8


class FindingBar(QFrame):
    """The parts and keys that every bar for finding has: the words looked for, and steps from match to match.

    `name` begins the names of its parts.
    """

    step_asked = Signal(int)  # 1 for the next match, -1 for the one before
    closed = Signal()

    def __init__(self, parent: QWidget, name: str, title: str) -> None:
        super().__init__(parent)
        self._name = name
        self.setObjectName(f"{name}Bar")
        self.field = self.new_field(f"{name}Field", title)
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setObjectName(f"{name}Count")
        self._count.setFont(theme.numbers("small"))
        theme.set_look(self._count, tone="muted")
        self.hide()

    def new_field(self, name: str, title: str) -> QLineEdit:
        field = Line(self)
        field.setObjectName(name)
        field.setAccessibleName(title)
        field.setPlaceholderText(title)
        return field

    def add_buttons(self, row: QHBoxLayout) -> None:
        """Add buttons for the match before, the next one, and close."""
        before = self._add(row, "PreviousButton", "chevron-up", self.tr("Previous match"))
        before.clicked.connect(lambda: self.step_asked.emit(-1))
        after = self._add(row, "NextButton", "chevron-down", self.tr("Next match"))
        after.clicked.connect(lambda: self.step_asked.emit(1))
        self._add(row, "CloseButton", "x", self.tr("Close")).clicked.connect(self.leave)

    def enter(self) -> None:
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def leave(self) -> None:
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def show_count(self, number: int | None, total: int, *, done: bool = True) -> None:
        """Say which of how many is looked at; `number` counts from 0. More may come unless it is `done`."""
        if not self.field.text():
            words = ""
        elif not total:
            words = self.tr("No matches") if done else "…"
        elif number is None:
            words = figures.number(total)
        else:
            words = self.tr("{0} of {1}").format(figures.number(number + 1), figures.number(total))
        self._count.setText(words + ("" if done or not total else " …"))

    def event(self, event: QEvent) -> bool:
        """Keep the window's actions from taking its keys."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_own(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go on with Enter, back with Shift; close with Esc."""
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.leave()
        elif _is_own(event):
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.step_asked.emit(-1 if shifted else 1)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.colour("border.subtle"))
        painter.end()

    def _add(self, row: QHBoxLayout, name: str, icon: str, title: str) -> QToolButton:
        button = icon_button(self._name + name, theme.icon(icon), title, self)
        button.setIconSize(QSize(ICON_PX, ICON_PX))
        button.setFixedSize(BUTTON_PX, BUTTON_PX)
        row.addWidget(button)
        return button


class FindBar(FindingBar):
    """Bar that finds only: it stands above a text, over its upper edge."""

    words_changed = Signal(str)

    def __init__(self, parent: QWidget, *, name: str = "find", title: str = "") -> None:
        """`name` is what the names of its parts begin with."""
        super().__init__(parent, name, title)
        if not title:
            self.field.setAccessibleName(self.tr("Find in path"))
            self.field.setPlaceholderText(self.tr("Find in path"))
        self.field.textChanged.connect(self.words_changed)
        row = horizontal(self, (MARGIN_PX, 6, MARGIN_PX, 7), spacing=4)
        row.addWidget(self.field, 1)
        row.addWidget(self._count)
        self.add_buttons(row)

    def enter(self) -> None:
        """Show it, ready to type; what was looked for before can be taken again."""
        super().enter()
        self.raise_()
        self.words_changed.emit(self.field.text())

    def place(self, room_width: int) -> None:
        self.setGeometry(0, 0, room_width, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint an opaque ground: what is below it does not show through."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("surface.panel"))
        painter.end()
        super().paintEvent(event)


def _is_own(event: QKeyEvent) -> bool:
    """Return True for the keys of the bar: Esc, F3, Enter, the last two also with Shift."""
    held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
    steps = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3)
    return event.matches(QKeySequence.StandardKey.Cancel) or (
        event.key() in steps and held == Qt.KeyboardModifier.NoModifier
    )
