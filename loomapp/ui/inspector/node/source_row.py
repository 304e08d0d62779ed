"""A source as a row: the part it plays, its node and words, what becomes of it, and what can be done."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import ElidedLabel, IconLabel, label
from loomapp.ui.widgets.spoken import speak_as
from loomapp.ui.widgets.tips import plain_tip
from loomapp.ui.widgets.words.outcome_words import FateWords

ROW_PX, PART_PX, ID_PX, BAR_PX = 32, 92, 72, 3


@dataclass(frozen=True, slots=True)
class SourceAct:
    """Act that a source offers."""

    name: str
    words: str
    tip: str


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """All that a row shows. `tint` is the author's colour role; `node_id` is empty for what is not there."""

    node_id: str
    icon: str
    part: str
    author: str
    tint: str
    local_id: str
    text: str
    fate: FateWords
    acts: tuple[SourceAct, ...] = ()
    is_struck: bool = False

    @property
    def build(self) -> tuple[object, ...]:
        """Facts of which a row is made once; all else can be shown anew in the same row."""
        return self.node_id, self.part, self.icon, self.local_id, self.acts


class SourceRow(QWidget):
    """Row of one source; a click or Enter goes to the node."""

    clicked = Signal(str)  # node id
    act_asked = Signal(str, str)  # node id, name of the act

    def __init__(self, facts: SourceFacts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.facts = facts
        self.setObjectName("sourceRow")
        self.setFixedHeight(ROW_PX)
        speak_as(self, QAccessible.Role.ListItem)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        row = QHBoxLayout(self)
        row.setContentsMargins(12 + BAR_PX + 8, 0, 12, 0)
        row.setSpacing(8)
        part = label(facts.part, "small", "secondary")
        part.setFixedWidth(PART_PX)
        name = label(facts.local_id, "mono", "muted")
        name.setFixedWidth(ID_PX)
        self._words = ElidedLabel(self)
        self._fate_icon = IconLabel("minus", "text.muted", 14)
        self._fate = label("", "small")
        row.addWidget(IconLabel(facts.icon, "text.secondary", 14))
        row.addWidget(part)
        row.addWidget(name)
        row.addWidget(self._words, 1)
        row.addWidget(self._fate_icon)
        row.addWidget(self._fate)
        self.buttons = [self._button(act) for act in facts.acts]
        for button in self.buttons:
            row.addWidget(button)
        self.show_facts(facts)

    def show_facts(self, facts: SourceFacts) -> None:
        self.facts = facts
        fate = facts.fate
        said = (facts.part, facts.author, facts.local_id, fate.words, facts.text)
        self.setAccessibleName(" · ".join(filter(None, said)))
        font = theme.font("small")
        font.setStrikeOut(facts.is_struck)
        self._words.setFont(font)
        self._words.show_words("{0}", facts.text)
        theme.set_look(self._words, tone="muted" if fate.is_out else "primary")
        self._fate_icon.show_icon(fate.icon, "text.muted" if fate.is_out else "accent.base")
        self._fate.setText(fate.words)
        theme.set_look(self._fate, tone="muted" if fate.is_out else "secondary")
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go to the node on a click on anything but a button."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit(self.facts.node_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.clicked.emit(self.facts.node_id)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the author's bar, the ground under the pointer, the ring of the keyboard."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRectF(self.rect()).adjusted(4, 1, -4, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.underMouse():
            painter.setBrush(theme.colour("surface.hover"))
            painter.drawRoundedRect(ground, 6, 6)
        if self.facts.tint:
            painter.setBrush(theme.colour(self.facts.tint))
            painter.drawRoundedRect(QRectF(12, 6, BAR_PX, self.height() - 12), 1.5, 1.5)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent.focus"), theme.metric("control.focus_width")))
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), 6, 6)
        painter.end()

    def _button(self, act: SourceAct) -> QPushButton:
        button = QPushButton(act.words, self)
        button.setObjectName(f"source_{act.name}")
        button.setFont(theme.font("small"))
        button.setToolTip(plain_tip(act.tip))
        button.setAccessibleName(
            tr("{act}: {node}").format(act=act.words, node=self.facts.local_id or self.facts.part)
        )
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.set_look(button, kind="link")
        button.clicked.connect(lambda: self.act_asked.emit(self.facts.node_id, act.name))
        return button
