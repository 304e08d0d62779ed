"""The card of a context summary: what it covers and saves, its text as a field, and what can be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.fields import keeps_key
from loomapp.ui.widgets.labels import label

Act: TypeAlias = Literal["again", "use", "delete"]
FIELD_PX = 120
MARGIN_PX = 16
BAR_PX = 3


@dataclass(frozen=True, slots=True)
class ShownSummary:
    """Contents of a card: the key of its row, its title, its line of facts, and its text."""

    key: str
    title: str
    facts: str
    text: str
    is_stale: bool = False


class SummaryField(QPlainTextEdit):
    """The text of a summary."""

    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Keep an input method's keys from the window's actions."""
        return keeps_key(self, event) or super().event(event)

    @property
    def text(self) -> str:
        """Text as it is written; `toPlainText` would turn no-break spaces into spaces."""
        return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that it was left, but for a menu of its own."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()


class SummaryCard(QWidget):
    """Collapsed it is its head; open, the text is a field at once, and leaving it is one change."""

    text_left = Signal(str, str)  # the key of the row, and the text
    act_asked = Signal(str, str)  # the key, and an Act

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("summaryCard")
        self._shown: ShownSummary | None = None
        self._is_open = False
        self.head = push_button("summaryHead", parent=self, kind="link")
        self.head.setCheckable(True)
        self._facts = label("", "caption", "muted", wrap=True, name="summaryFacts")
        self.field = SummaryField(self)
        self.field.setObjectName("summaryText")
        self.field.setAccessibleName(self.tr("Text of the summary"))
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(FIELD_PX)
        self.field.left.connect(self.save)
        acts = QHBoxLayout()
        acts.setSpacing(16)
        words: tuple[tuple[Act, str], ...] = (
            ("again", self.tr("Make again")),
            ("use", self.tr("Use as it is")),
            ("delete", self.tr("Delete")),
        )
        self.buttons = {act: push_button(f"summary_{act}", said, self, kind="link") for act, said in words}
        for act, button in self.buttons.items():
            button.setProperty("act", act)
            button.clicked.connect(self.on_act)
            acts.addWidget(button)
        acts.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX + BAR_PX + 9, 8, MARGIN_PX + 9, 8)
        column.setSpacing(4)
        column.addWidget(self.head, 0, Qt.AlignmentFlag.AlignLeft)
        for part in (self._facts, self.field):
            column.addWidget(part)
        column.addLayout(acts)
        self.head.toggled.connect(self.set_open)
        self.hide()

    def show_summary(self, shown: ShownSummary | None) -> None:
        """Show a summary; None: there is none on the path. Words that are being written stay."""
        before, self._shown = self._shown, shown
        self.setVisible(shown is not None)
        if shown is None:
            return
        self.head.setText(shown.title)
        self._facts.setText(shown.facts)
        theme.set_look(self._facts, tone="warning" if shown.is_stale else "muted")
        if before is None or before.key != shown.key or before.text != shown.text:
            self.field.setPlainText(shown.text)
        self._arrange()

    def set_open(self, is_open: bool) -> None:
        """Show the text and what can be done, or the head alone."""
        self._is_open = is_open
        self._arrange()

    @property
    def is_open(self) -> bool:
        return self._is_open

    def save(self) -> None:
        """Tell the text, if another one is written."""
        shown, text = self._shown, self.field.text
        if shown is not None and text.strip() != shown.text:
            self.text_left.emit(shown.key, text)

    def on_act(self) -> None:
        act = self.sender().property("act")
        if self._shown is not None:
            self.act_asked.emit(self._shown.key, act)

    def _arrange(self) -> None:
        is_stale = self._shown is not None and self._shown.is_stale
        self.field.setVisible(self._is_open)
        self.buttons["again"].setVisible(self._is_open or is_stale)
        self.buttons["use"].setVisible(is_stale)
        self.buttons["delete"].setVisible(self._is_open)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card and the bar at its left."""
        is_stale = self._shown is not None and self._shown.is_stale
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = self.rect().toRectF().adjusted(MARGIN_PX, 4, -MARGIN_PX, -4)
        painter.setPen(QPen(theme.colour("state.warning" if is_stale else "border.normal"), 1))
        painter.setBrush(theme.colour("state.warning_soft" if is_stale else "surface.raised"))
        painter.drawRoundedRect(card, 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("state.warning" if is_stale else "border.strong"))
        painter.drawRoundedRect(card.adjusted(0, 0, BAR_PX - card.width(), 0), 1, 1)
        painter.end()
