"""A column of the comparison: who wrote a message, and its text with the words in which it differs."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from loomapp.core.model.agent import Agent
from loomapp.core.text.diff import MOST_WORDS, Compared
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.agent_mark import SIZE_PX, paint_mark
from loomapp.ui.widgets.labels import ElidedLabel, label

LEAST_PX = 220
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
        self.field.setFont(theme.font("dialogue"))
        self.field.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._note = label("", "caption", "muted", wrap=True)
        self._note.hide()
        go = QPushButton(tr("Go to it"), self)
        go.setObjectName("compareGo")
        theme.set_look(go, kind="link")
        go.clicked.connect(lambda: self.go_asked.emit(side.node_id))
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(_Mark(side.agent, self))
        head.addWidget(_words(side.name, "ui_strong", self), 1)
        head.addWidget(label(side.when, "caption", "muted"))
        head.addWidget(go)
        self._foot = label("", "caption", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.field, 1)
        column.addWidget(self._note)
        column.addWidget(self._foot)

    def show_compared(self, compared: Compared) -> None:
        """Show a text with its marks."""
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
