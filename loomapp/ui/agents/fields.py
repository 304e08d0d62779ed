"""Fields of the agents page: text with an undo of its own, numbers that may be left to the model, colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.fields import Line, keeps_key
from loomapp.ui.widgets.labels import label, plain_tip
from loomapp.ui.widgets.spoken import announce

LINE_PX, NUMBER_PX = 300, 128
SWATCH_PX = 24


class Words(QPlainTextEdit):
    """Text field of several lines with an undo of its own: an agent is no part of a tree's history. Tab goes
    on.
    """

    def __init__(self, name: str, title: str, *, lines: int, mono: bool = False) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setTabChangesFocus(True)
        kind = "mono" if mono else "dialogue"
        self.setFont(theme.font(kind))
        line_px = theme.line_height("small" if mono else kind)
        self.setFixedHeight(lines * line_px + 20)

    def event(self, event: QEvent) -> bool:
        """Keep an input method's keys from the window's actions."""
        return keeps_key(self, event) or super().event(event)

    @property
    def text(self) -> str:
        """Text as it is written; `toPlainText` would turn no-break spaces into spaces."""
        return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")

    def show_text(self, text: str) -> None:
        """Show a text; one that stands there already keeps its caret and its history."""
        if text != self.text:
            self.setPlainText(text)


class OptionalNumber(QWidget):
    """A number, or nothing: then the model's own counts. What is no such number is said and not handed on."""

    changed = Signal()

    def __init__(self, name: str, title: str, parse: Callable[[str], float | int], fault: str) -> None:
        """`parse` raises ValueError for what cannot be; `fault` says what can."""
        super().__init__()
        self._parse, self._fault_words = parse, fault
        self.line = Line(self)
        self.line.setObjectName(name)
        self.line.setAccessibleName(title)
        self.line.setFont(theme.numbers("ui"))
        self.line.setFixedWidth(NUMBER_PX)
        self.line.setPlaceholderText(tr("the model's own"))
        self.hint = label("", "small", "muted", wrap=True)
        self.line.textChanged.connect(self.on_text_changed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self.line)
        row.addWidget(self.hint, 1)

    @property
    def is_sound(self) -> bool:
        return self.fault == ""

    @property
    def fault(self) -> str:
        """Return what is wrong with the number; empty if nothing is."""
        try:
            self.value()
        except ValueError:
            return self._fault_words
        return ""

    def value(self) -> float | int | None:
        """Return the number; None if it is left to the model. Raises: ValueError."""
        text = self.line.text().strip().replace(",", ".")
        return self._parse(text) if text else None

    def show_value(self, value: float | None) -> None:
        """Show a number; the same one written in another way stays as it is written."""
        if not self.is_sound or self.value() != value:
            self.line.setText(
                "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
            )

    def on_text_changed(self) -> None:
        """Show what is wrong, or hand the number on."""
        fault = self.fault
        if fault != self.line.accessibleDescription():  # said once, not with each key
            announce(self.line, fault)
        self.line.setAccessibleDescription(fault)
        self.hint.setText(fault)
        theme.set_look(self.hint, tone="error" if fault else "muted")
        self.changed.emit()


class Colours(QWidget):
    """Tints that an agent can have."""

    chosen = Signal(str)  # `a1` … `a8`

    def __init__(self) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self._swatches = [_Swatch(f"a{number}") for number in range(1, theme.TINTS + 1)]
        for swatch in self._swatches:
            self._group.addButton(swatch)
            row.addWidget(swatch)
        row.addStretch(1)
        self._group.buttonClicked.connect(lambda swatch: self.chosen.emit(swatch.tint))

    def show_colour(self, tint: str | None) -> None:
        self._group.setExclusive(False)
        for swatch in self._swatches:
            swatch.setChecked(swatch.tint == tint)
        self._group.setExclusive(True)


COLOURS: Mapping[str, str] = {
    "a1": "Coral",
    "a2": "Sky",
    "a3": "Lime",
    "a4": "Orchid",
    "a5": "Teal",
    "a6": "Amber",
    "a7": "Rose",
    "a8": "Stone",
}
"""Tints of agents by the names that the themes give them."""


class _Swatch(QAbstractButton):
    def __init__(self, tint: str) -> None:
        super().__init__()
        self.tint = tint
        self.setObjectName(f"agentColour_{tint}")
        self.setCheckable(True)
        self.setFixedSize(QSize(SWATCH_PX, SWATCH_PX))
        self.setAccessibleName(tr(COLOURS[tint]))
        self.setToolTip(plain_tip(self.accessibleName()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tint; the chosen one has a tick, so that colour is not the only sign."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(3, 3, -3, -3)
        painter.setBrush(theme.translucent(f"agent.{self.tint}", 0.26))
        painter.setPen(QPen(theme.colour(f"agent.{self.tint}"), 1.25))
        painter.drawRoundedRect(rect, 5, 5)
        if self.isChecked():
            theme.paint(painter, "check", "text.primary", rect.adjusted(2, 2, -2, -2))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent.focus"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 7, 7)
        painter.end()


def field(title: str, control: QWidget, hint: str = "") -> QWidget:
    """Return a field with a title, its control below, and a quiet hint."""
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(4)
    words = label(title)
    words.setBuddy(control)
    column.addWidget(words)
    if hint:
        column.addWidget(label(hint, "small", "muted", wrap=True))
    column.addWidget(control)
    return box


def temperature(text: str) -> float:
    """Parse a temperature. Raises: ValueError."""
    return _within(float(text), 0.0, 2.0)


def share(text: str) -> float:
    """Parse a number from 0 to 1. Raises: ValueError."""
    return _within(float(text), 0.0, 1.0)


def whole(text: str) -> int:
    """Parse a whole number above 0. Raises: ValueError."""
    return int(_within(int(text.replace(".", "")), 1, 100_000_000))


def _within(number: float, lowest: float, highest: float) -> float:
    if not lowest <= number <= highest:
        raise ValueError(number)
    return number
