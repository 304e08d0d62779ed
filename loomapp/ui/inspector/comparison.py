"""Comparison of messages side by side, in columns with the words in which they differ; Esc closes it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QScrollArea, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.core.text.diff import MOST_WORDS, Compared
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.chip import SIZE_PX, paint_mark
from loomapp.ui.widgets.labels import ElidedLabel, label
from loomapp.ui.widgets.layouts import horizontal, vertical
from loomapp.ui.widgets.page import Page
from loomapp.ui.widgets.spoken import speak_as

LEAST_PX = 180  # two stand side by side in the page of a window that is 1,024 px wide
LINES_BEFORE = 3  # lines that are shown above the first difference


@dataclass(frozen=True, slots=True)
class Side:
    """A message that is compared: its node, short id and text, who wrote it, and when in words."""

    node_id: str
    local_id: str
    agent: Agent | None
    name: str
    when: str
    text: str


class Column(QWidget):
    """Shows a side. Differing words have another ground and a line below: colour is not the only sign."""

    go_asked = Signal(str)  # node id

    def __init__(self, side: Side, parent: QWidget) -> None:
        super().__init__(parent)
        self.side = side
        self.setObjectName("compareColumn")
        self.setMinimumWidth(LEAST_PX)
        self._compared: Compared | None = None
        self.field = QPlainTextEdit(self)
        self.field.setObjectName("compareText")
        self.field.setAccessibleName(tr("{name}, {id}").format(name=side.name, id=side.local_id))
        self.field.setReadOnly(True)
        self.field.setTabChangesFocus(True)
        self.fit_text()
        self.field.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._note = label("", "caption", "muted", wrap=True)
        self._note.hide()
        go = push_button("compareGo", tr("Go to it"), self, kind="link")
        go.setAccessibleName(tr("Go to {name}, {id}").format(name=side.name, id=side.local_id))
        go.clicked.connect(lambda: self.go_asked.emit(side.node_id))
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(_Mark(side.agent, self))
        head.addWidget(_words(side.name, "ui_strong", self), 1)
        head.addWidget(label(side.when, "caption", "muted"))
        head.addWidget(go)
        self._foot = label("", "caption", "muted")
        column = vertical(self, spacing=6)
        column.addLayout(head)
        column.addWidget(self.field, 1)
        column.addWidget(self._note)
        column.addWidget(self._foot)

    def fit_text(self) -> None:
        """Show the text in the size that the theme has for messages now."""
        self.field.setFont(theme.font("dialogue"))

    def show_compared(self, compared: Compared) -> None:
        self._compared = compared
        self._fill()
        self._go_to_first()
        count = sum(len(run.text.split()) for run in compared.runs if run.differs)
        said = tr("{id} · 1 word differs") if count == 1 else tr("{id} · {count} words differ")
        self._foot.setText(said.format(id=self.side.local_id, count=figures.number(count)))
        self._note.setVisible(not compared.is_whole)
        said = tr("Only its first {count} words are compared.")
        self._note.setText(said.format(count=figures.number(MOST_WORDS)))

    def _go_to_first(self) -> None:
        """Scroll to the first difference, for texts that are long and begin alike."""
        runs = self._compared.runs if self._compared is not None else ()
        first = next((i for i, run in enumerate(runs) if run.differs), 0)
        before = "".join(run.text for run in runs[:first])
        cursor = self.field.textCursor()
        cursor.setPosition(len(before.encode("utf-16-le", "surrogatepass")) // 2)
        self.field.setTextCursor(cursor)
        line = self.field.cursorRect().top() // max(1, self.field.cursorRect().height())
        bar = self.field.verticalScrollBar()
        bar.setValue(max(0, bar.value() + line - LINES_BEFORE) if first else 0)

    def marked(self) -> list[str]:
        return [run.text for run in self._compared.runs if run.differs] if self._compared else []

    def _fill(self) -> None:
        if self._compared is None:
            return
        plain, differing = QTextCharFormat(), QTextCharFormat()
        plain.setForeground(theme.colour("text.primary"))
        differing.setForeground(theme.colour("text.primary"))
        differing.setBackground(theme.colour("accent.soft"))
        differing.setFontUnderline(True)
        differing.setUnderlineColor(theme.colour("accent.base"))
        at = self.field.verticalScrollBar().value()
        self.field.clear()
        cursor = QTextCursor(self.field.document())
        cursor.beginEditBlock()
        for run in self._compared.runs:
            cursor.insertText(run.text, differing if run.differs else plain)
        cursor.endEditBlock()
        self.field.verticalScrollBar().setValue(at)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "field"):
            self._fill()


class _Mark(QWidget):
    def __init__(self, agent: Agent | None, parent: QWidget) -> None:
        super().__init__(parent)
        self._agent = agent
        self.setFixedSize(QSize(SIZE_PX, SIZE_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_mark(painter, QRectF(self.rect()), self._agent)
        painter.end()


def _words(text: str, type_name: str, parent: QWidget) -> QLabel:
    shown = ElidedLabel(parent)
    shown.setFont(theme.font(type_name))
    shown.show_words("{0}", text)
    return shown


GAP_PX = 16


class ComparePage(Page):
    """Columns that others fill: first the texts, then, when it is known, in what they differ."""

    node_asked = Signal(str)  # node id: go there
    other_asked = Signal()  # what the messages were sent in place of what they say, or back

    def __init__(self, parent: QWidget) -> None:
        super().__init__("comparePage", tr("Compare"), parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        speak_as(self, QAccessible.Role.Pane)
        self.columns: list[Column] = []
        self._ancestor_id, self._left_out = "", 0
        self._said: QLabel = label("", "ui", "secondary", wrap=True, name="compareSaid")
        self._ancestor = ElidedLabel(self)
        self._ancestor.setObjectName("compareAncestor")
        theme.set_look(self._ancestor, tone="secondary")
        self._go = push_button("compareAncestorGo", tr("Go to it"), self, kind="link")
        self._go.setAccessibleName(tr("Go to what they have in common"))
        self._go.clicked.connect(lambda: self.node_asked.emit(self._ancestor_id))
        self._other = push_button("compareOther", parent=self, kind="link")
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
        said = tr("Comparing…")
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
        row = horizontal(inside, (0, 0, 0, 8), spacing=GAP_PX)
        self.columns = [Column(side, inside) for side in sides]
        for column in self.columns:
            column.field.setPlainText(column.side.text[:200_000])
            column.go_asked.connect(self.node_asked)
            row.addWidget(column, 1)
        before = self._area.takeWidget()
        self._area.setWidget(inside)
        if before is not None:
            before.deleteLater()

    def fit_text(self) -> None:
        for column in self.columns:
            column.fit_text()

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
            said = tr(
                "Highlighted: words that the first does not have; in the first, words that no other has."
            )
        else:
            said = tr("Highlighted: words that only one of them has.")
        if self._left_out:
            said += " " + tr("{count} more are selected.").format(count=figures.number(self._left_out))
        self._said.setText(said)

    @property
    def said(self) -> str:
        return self._said.text()

    def show_fault(self, words: str) -> None:
        self._said.setText(words)

    def _lay_out(self) -> None:
        head = self.head(label(tr("Compare"), "title"), "compareClose")
        head.insertWidget(1, self._other)
        head.insertSpacing(2, GAP_PX)
        common = QHBoxLayout()
        common.setSpacing(8)
        common.addWidget(self._ancestor, 1)
        common.addWidget(self._go)
        column = vertical(self, spacing=8)
        self.frame(column, below_px=8)
        column.addLayout(head)
        column.addWidget(self._said)
        column.addLayout(common)
        column.addWidget(self._area, 1)
