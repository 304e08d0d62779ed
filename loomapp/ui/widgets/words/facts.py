"""Facts as a list of names and values, and the verdict of verification in words and with an icon."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from loomapp.core.model.hashes import Finding
from loomapp.ui.look import theme
from loomapp.ui.widgets.labels import IconLabel, label, set_tip
from loomapp.ui.widgets.layouts import horizontal
from loomapp.ui.widgets.words.context_words import verdict_look, verdict_words

NAME_PX = 104
LINE_EDIT_INSET_PX = 2  # Qt's own, left and right of the words; labels have none


class FactList(QWidget):
    """Rows of name and value; rows without a value are left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnMinimumWidth(0, NAME_PX)
        self._grid.setColumnStretch(1, 1)

    def show_facts(self, facts: list[tuple[str, str | QWidget]]) -> None:
        self._clear()
        told = [(name, value) for name, value in facts if value]
        for row, (name, value) in enumerate(told):  # a grid never has fewer rows again: begin at the top
            title = label(name, "small", "muted")
            across = Qt.AlignmentFlag.AlignTop if isinstance(value, str) else Qt.AlignmentFlag.AlignVCenter
            self._grid.addWidget(title, row, 0, across)
            widget = value if isinstance(value, QWidget) else value_label(value, name)
            self._grid.addWidget(widget, row, 1)

    def _clear(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()


def value_label(value: str, name: str) -> QLabel:
    """Return a label for a value that wraps and can be selected by mouse and keyboard."""
    words = label(value, "small", "primary", wrap=True)
    words.setAccessibleName(f"{name}: {value}")
    words.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return words


class ExactField(QLineEdit):
    """A line for reading; where it is too long it ends in …, until the keyboard is in it: it scrolls."""

    def paintEvent(self, event: QPaintEvent) -> None:
        metrics = self.fontMetrics()
        fits = metrics.horizontalAdvance(self.text()) <= self.width()
        if fits or self.hasFocus() or self.hasSelectedText():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setPen(self.palette().text().color())
        words = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        painter.end()


def exact_field(value: str, name: str) -> QLineEdit:
    """A hash or an id in one line that scrolls: what is copied is exactly the value."""
    field = ExactField(value)
    field.setReadOnly(True)
    field.setFont(theme.font("mono"))
    field.setAccessibleName(name)
    set_tip(field, value)
    field.setCursorPosition(0)
    field.setFixedHeight(theme.line_height("small"))
    field.setTextMargins(-LINE_EDIT_INSET_PX, 0, 0, 0)
    theme.set_look(field, bare=True)
    return field


class VerdictRow(QWidget):
    """Row with a verdict, hidden while nothing was looked at."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._icon = IconLabel("info", "text.muted")
        self._words: QLabel = label("", "ui", wrap=True, name=f"{name}Words")
        row = horizontal(self, spacing=8)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)

    def show_finding(self, finding: Finding | None, *, is_model: bool) -> None:
        self.setVisible(finding is not None)
        if finding is None:
            return
        self._words.setText(verdict_words(finding, is_model=is_model))
        self._icon.show_icon(*verdict_look(finding.verdict))
