"""Row of one head of a chain: its title and tokens, its summary in one line or the field for it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.form import SummaryField
from loomapp.ui.widgets.labels import ElidedLabel, IconLabel, label
from loomapp.ui.widgets.layouts import fill, horizontal, vertical
from loomapp.ui.widgets.spoken import speak_as

BAR_PX = 3
MOST_CHARACTERS = 400  # of a summary in one line


@dataclass(frozen=True, slots=True)
class HeadFacts:
    """All that a row shows. `said` is what is known of its summary: tokens, updates."""

    node_id: str
    title: str
    said: str
    text: str
    is_active: bool = False

    @property
    def is_missing(self) -> bool:
        return not self.text.strip()


class HeadRow(QWidget):
    """Row of a head; a click, Enter or Space opens its summary."""

    opened = Signal(str)  # node id
    summarise_asked = Signal(str)  # node id

    def __init__(self, facts: HeadFacts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.facts = facts
        self.setObjectName("branchHead")
        speak_as(self, QAccessible.Role.ListItem)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        column = vertical(self, (12 + BAR_PX + 4, 4, 12, 4), spacing=0)
        top = horizontal(spacing=8)
        self._title = ElidedLabel(self)
        self._title.setFont(theme.font("ui_strong"))
        self._said = label("", "caption", "muted")
        top.addWidget(self._title, 1)
        top.addWidget(self._said)
        self._line = ElidedLabel(self)
        self._line.setFont(theme.font("small"))
        theme.set_look(self._line, tone="secondary")
        self._missing = QWidget(self)
        missing = horizontal(self._missing, spacing=8)
        self.write_button = push_button("writeSummaryButton", tr("Write"), self._missing, kind="link")
        self.write_button.setFont(theme.font("small"))
        self.write_button.clicked.connect(lambda: self.opened.emit(self.facts.node_id))
        self.summarise_button = push_button(
            "summariseBranchButton", tr("Summarise"), self._missing, kind="link"
        )
        self.summarise_button.setFont(theme.font("small"))
        self.summarise_button.clicked.connect(lambda: self.summarise_asked.emit(self.facts.node_id))
        icon = IconLabel("triangle-alert", "state.warning", 14)
        missing_words = label(tr("No branch summary yet"), "small", "warning")
        fill(missing, icon, missing_words, self.write_button, self.summarise_button)
        missing.addStretch(1)
        self._place: QHBoxLayout = horizontal()
        fill(column, top, self._line, self._missing, self._place)
        self.field: SummaryField | None = None
        self.show_facts(facts)

    def show_facts(self, facts: HeadFacts) -> None:
        self.facts = facts
        self._title.show_words("{0}", unsteered(facts.title))
        self._said.setText(facts.said)
        line = unsteered(" ".join(facts.text[:MOST_CHARACTERS].split()))
        self._line.show_words("{0}", line)
        about = line or tr("No branch summary yet")
        self.setAccessibleName(" · ".join(filter(None, (facts.title, facts.said, about))))
        self._show_parts()
        self.update()

    def take(self, field: SummaryField) -> None:
        self.field = field
        self._place.addWidget(field)
        field.setAccessibleName(tr("Summary of {title}").format(title=self.facts.title))
        self._show_parts()
        field.show()

    def give_back(self) -> None:
        """Take the field away again."""
        if self.field is not None:
            field, self.field = self.field, None
            field.hide()
            self._place.removeWidget(field)
            field.setParent(None)
            field.deleteLater()
            self._show_parts()

    def _show_parts(self) -> None:
        self._line.setVisible(self.field is None and not self.facts.is_missing)
        self._missing.setVisible(self.field is None and self.facts.is_missing)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.opened.emit(self.facts.node_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and not event.modifiers():
            self.opened.emit(self.facts.node_id)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground of the active head, or of the one under the pointer, and the ring."""
        painter = theme.smooth_painter(self)
        ground = QRectF(self.rect()).adjusted(8, 0, -4, 0)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.facts.is_active or self.underMouse():
            role = "surface.selected" if self.facts.is_active else "surface.hover"
            painter.setBrush(theme.colour(role))
            painter.drawRoundedRect(ground, 6, 6)
        if self.facts.is_active:
            painter.setBrush(theme.colour("accent.base"))
            painter.drawRoundedRect(QRectF(8, 0, BAR_PX, self.height()), 1.5, 1.5)
        if self.hasFocus():
            theme.draw_in(painter, "accent.focus", width=theme.metric("control.focus_width"))
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), 6, 6)
        painter.end()
