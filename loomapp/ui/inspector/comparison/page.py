"""The page that compares messages side by side; Esc closes it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QToolButton, QVBoxLayout, QWidget

from loomapp.core.text.diff import Compared
from loomapp.ui import figures
from loomapp.ui.inspector.comparison.column import Column, Side
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import ElidedLabel, label
from loomapp.ui.widgets.spoken import speak_as

MARGIN_PX = 24
GAP_PX = 16


class ComparePage(QWidget):
    """Columns that others fill: first the texts, then, when it is known, in what they differ."""

    close_asked = Signal()
    node_asked = Signal(str)  # node id: go there
    other_asked = Signal()  # what the messages were sent in place of what they say, or back

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("comparePage")
        self.setAccessibleName(tr("Compare"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        speak_as(self, QAccessible.Role.Pane)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(self, surface="panel")
        self.columns: list[Column] = []
        self._ancestor_id, self._left_out = "", 0
        self._said: QLabel = label("", "ui", "secondary", wrap=True)
        self._said.setObjectName("compareSaid")
        self._ancestor = ElidedLabel(self)
        self._ancestor.setObjectName("compareAncestor")
        theme.set_look(self._ancestor, tone="secondary")
        self._go = QPushButton(tr("Go to it"), self)
        self._go.setObjectName("compareAncestorGo")
        theme.set_look(self._go, kind="link")
        self._go.clicked.connect(lambda: self.node_asked.emit(self._ancestor_id))
        self._other = QPushButton(self)
        self._other.setObjectName("compareOther")
        theme.set_look(self._other, kind="link")
        self._other.clicked.connect(self.other_asked)
        self._area = QScrollArea(self)
        self._area.setObjectName("compareColumns")
        self._area.setFocusPolicy(
            Qt.FocusPolicy.NoFocus
        )  # each column has the keyboard, and comes into sight
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lay_out()

    def show_sides(self, sides: Sequence[Side], left_out: int = 0) -> None:
        """Show other messages; what differs is told later. `left_out` more were selected than can
        be shown.
        """
        said = tr("Looking for what differs…")
        if left_out:
            said = (
                tr("The first {count} of {all} selected messages. ").format(
                    count=figures.number(len(sides)), all=figures.number(len(sides) + left_out)
                )
                + said
            )
        self._left_out = left_out
        self._said.setText(said)
        inside = QWidget(self._area)
        inside.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(inside, surface="panel")
        row = QHBoxLayout(inside)
        row.setContentsMargins(0, 0, 0, 8)
        row.setSpacing(GAP_PX)
        self.columns = [Column(side, inside) for side in sides]
        for column in self.columns:
            column.field.setPlainText(column.side.text[:200_000])
            column.go_asked.connect(self.node_asked)
            row.addWidget(column, 1)
        before = self._area.takeWidget()
        self._area.setWidget(inside)
        if before is not None:
            before.deleteLater()

    def show_ancestor(self, node_id: str, words: str) -> None:
        self._ancestor_id = node_id
        self._go.setVisible(bool(node_id))
        self._ancestor.show()
        sentence = tr("In common: {0}") if node_id else tr("They have nothing in common above them.{0}")
        self._ancestor.show_words(sentence, words)

    def hide_ancestor(self) -> None:
        """Hide the common ancestor: what is compared are no messages of a tree."""
        self._ancestor.hide()
        self._go.hide()

    def offer_other(self, words: str) -> None:
        """Offer another comparison of the same messages; empty words hide it."""
        self._other.setText(words)
        self._other.setVisible(bool(words))

    def show_compared(self, compared: Sequence[Compared]) -> None:
        for column, told in zip(self.columns, compared, strict=True):
            column.show_compared(told)
        differ = any(run.differs for told in compared for run in told.runs)
        if not differ:
            said = tr("They say the same, word for word.")
        elif len(compared) > 2:
            said = tr("Marked is what the first message does not say, and in the first what no other says.")
        else:
            said = tr("Marked is what only one of them says.")
        if self._left_out:
            said += " " + tr("{count} more are selected.").format(count=figures.number(self._left_out))
        self._said.setText(said)

    @property
    def said(self) -> str:
        return self._said.text()

    def show_fault(self, words: str) -> None:
        self._said.setText(words)

    def event(self, event: QEvent) -> bool:
        """Esc closes the page before it means anything else."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.close_asked.emit()
                return True
        return super().event(event)

    def _lay_out(self) -> None:
        close = QToolButton(self)
        close.setObjectName("compareClose")
        close.setIcon(theme.icon("x"))
        close.setAccessibleName(tr("Close"))
        close.setToolTip(tr("Close (Esc)"))
        close.clicked.connect(self.close_asked)
        head = QHBoxLayout()
        head.addWidget(label(tr("Compare"), "title"), 1)
        head.addWidget(self._other)
        head.addSpacing(GAP_PX)
        head.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        common = QHBoxLayout()
        common.setSpacing(8)
        common.addWidget(self._ancestor, 1)
        common.addWidget(self._go)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, 20, MARGIN_PX, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._said)
        column.addLayout(common)
        column.addWidget(self._area, 1)
