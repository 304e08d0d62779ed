"""The card of a context summary: what it covers and saves, its text as a field, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QPushButton,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from loomapp.core.dataclass import dataclass
from loomapp.core.summarisers.changes import Omission
from loomapp.ui.dialogue.summary.between import BetweenCard
from loomapp.ui.dialogue.summary.candidate_box import CandidateBox, ShownCandidates
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import icon_button, push_button
from loomapp.ui.widgets.form import SummaryField
from loomapp.ui.widgets.labels import label, set_tip
from loomapp.ui.widgets.layouts import Flow, fill, vertical

Act: TypeAlias = Literal["again", "candidates", "use", "changed", "covered", "delete"]
State: TypeAlias = Literal["used", "waits", "unused", "stale"]
HEAD_PX = 44
BAR_PX = 3
SIDE_PX = 12
TEXT_PX = 32  # where the words begin, right of the icon
MOST_OMISSIONS, MOST_IN_TIP = 3, 30
ACTS = ("covered", "again", "candidates", "use", "changed")  # as they stand from left to right


@dataclass(frozen=True, slots=True)
class ShownSummary:
    """Contents of a card: the key of its row, its title and facts, who wrote it, and its text. `tint` is the
    colour role of that agent; `has_covered` if the messages it covers can be shown and are put away else.
    """

    key: str
    title: str
    facts: str
    text: str
    by: str = ""
    state: State = "used"
    tint: str = "border.strong"
    has_covered: bool = False
    is_covered_shown: bool = False
    can_edit: bool = True


class CardHead(QAbstractButton):
    """The head of a card, which opens and shuts it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("summaryHead")
        self.setCheckable(True)
        self.setFixedHeight(HEAD_PX)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.facts = ""
        self.is_stale = self.waits = False

    def show_words(self, title: str, facts: str, *, is_stale: bool, waits: bool) -> None:
        self.setText(title)
        self.facts, self.is_stale, self.waits = facts, is_stale, waits
        self.setAccessibleName(title)
        self.setAccessibleDescription(facts)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, HEAD_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        icon, role = ("triangle-alert", "state.warning") if self.is_stale else ("file-text", "text.secondary")
        theme.paint(painter, icon, role, QRectF(8, 6, 16, 16))
        chevron = "chevron-down" if self.isChecked() else "chevron-right"
        theme.paint(painter, chevron, "text.secondary", QRectF(self.width() - 24, 6, 16, 16))
        right = self.width() - 30.0
        theme.write_in(painter, "small", "text.secondary")
        if self.waits:
            words = tr("waits")
            width = painter.fontMetrics().horizontalAdvance(words)
            painter.drawText(QRectF(right - width, 4, width, 20), Qt.AlignmentFlag.AlignVCenter, words)
            right -= width + 8
        facts = QRectF(TEXT_PX, 24, self.width() - TEXT_PX - 8, 18)
        _write_elided(painter, facts, self.facts)
        theme.write_in(painter, "ui_strong", "text.primary")
        _write_elided(painter, QRectF(TEXT_PX, 4, right - TEXT_PX, 20), self.text())
        if self.hasFocus():
            theme.draw_in(painter, "accent.focus", width=theme.metric("control.focus_width"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 1, -2, -1), 6, 6)
        painter.end()


def _write_elided(painter: QPainter, room: QRectF, words: str) -> None:
    cut = QFontMetricsF(painter.font()).elidedText(words, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, cut)


class AddButton(QPushButton):
    """A name that a summary lacks, and Add beside it."""

    def __init__(self, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("addOmission")
        self.setFont(theme.font("caption"))
        self._words, self._add = words, tr("Add")
        self.setText(f"{words}  {self._add}".replace("&", "&&"))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what a click does in the colour of links."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.setFont(self.font())
        gap = painter.fontMetrics().horizontalAdvance(f"{self._words}  ")
        whole = gap + painter.fontMetrics().horizontalAdvance(self._add)
        left = (self.width() - whole) / 2
        painter.setPen(theme.colour("text.primary"))
        room = QRectF(left, 0, self.width() - left, self.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._words)
        painter.setPen(theme.colour("text.link"))
        painter.drawText(room.adjusted(gap, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._add)
        painter.end()


class OmissionRow(QWidget):
    """Names, numbers and phrases that a summary lacks, each with Add."""

    add_asked = Signal(str)  # the sentence that tells of it

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("omissions")
        self._flow = Flow(self, gap_px=6)
        self._parts: list[QWidget] = []
        self.shown: Sequence[Omission] = ()
        self.hide()

    def show_omissions(self, omissions: Sequence[Omission]) -> None:
        """Show at most three, and how many there are else."""
        for part in self._parts:
            part.hide()
            part.deleteLater()
        self._parts, self.shown = [], omissions
        self.setVisible(bool(omissions))
        if not omissions:
            return
        self._take(label(tr("Not named here:"), "small", "secondary"))
        for omission in omissions[:MOST_OMISSIONS]:
            button = AddButton(f"“{omission.words}”" if omission.is_quoted else omission.words, self)
            button.setAccessibleName(tr("Add: {sentence}").format(sentence=omission.sentence))
            set_tip(button, omission.sentence)
            button.setProperty("sentence", omission.sentence)
            button.clicked.connect(self.on_add)
            self._take(button)
        if more := [omission.words for omission in omissions[MOST_OMISSIONS:]]:
            others = label(f"+{len(more)}", "small", "muted", name="moreOmissions")
            set_tip(others, ", ".join(more[:MOST_IN_TIP]))
            self._take(others)

    def _take(self, part: QWidget) -> None:
        self._parts.append(part)
        self._flow.addWidget(part)
        part.show()

    def on_add(self) -> None:
        self.add_asked.emit(str(self.sender().property("sentence")))


class SummaryCard(BetweenCard):
    """Collapsed it is its head; open, the text is a field at once, and leaving it is one change."""

    text_left = Signal(str, str)  # the key of the row, and the text
    typed = Signal(str, object)  # the key, and the text that is being written; None: it is as saved
    act_asked = Signal(str, str)  # the key, and an Act
    opened = Signal(str)  # the key: what it lacks is to be looked for

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("summaryCard")
        self._shown: ShownSummary | None = None
        self._arranged: tuple[int, ...] = ()
        self.has_candidates = False
        self._field_px = 0
        self._is_begun = False
        self.head = CardHead(self)
        self._by = label("", "small", "secondary", wrap=True, name="summaryAuthor")
        self._by.setContentsMargins(TEXT_PX - SIDE_PX, 3, 0, 0)  # below the title, clear of its focus
        self.field = SummaryField("summaryText", self)
        self.field.setAccessibleName(tr("Text of the summary"))
        self.field.typing_ended.connect(self.save)
        self.field.textChanged.connect(self.on_text_changed)
        for left in (self.field.save_pressed, self.field.close_pressed):
            left.connect(self.on_left)
        self.omissions = OmissionRow(self)
        self.omissions.add_asked.connect(self.on_add)
        self.candidates = CandidateBox(self)
        self.candidates.height_changed.connect(self._arrange)
        self.buttons = {act: self._button(act) for act in ACTS}
        delete = icon_button("summary_delete", theme.icon("trash-2"), tr("Delete the summary"), self)
        delete.setProperty("act", "delete")
        delete.clicked.connect(self.on_act)
        self.delete_button = delete
        flow = Flow(gap_px=12)
        for act in ACTS:
            flow.addWidget(self.buttons[act])
        said = QHBoxLayout()  # beside the links the icon would leave no room for three in a line
        said.setSpacing(8)
        said.addWidget(self._by, 1)
        said.addWidget(delete, 0, Qt.AlignmentFlag.AlignTop)
        self._column = vertical(self, (BAR_PX, 4, 0, 4), spacing=0)
        self._column.addWidget(self.head)
        inside = vertical(margins=(SIDE_PX, 0, SIDE_PX, 4), spacing=6)
        fill(inside, said, self.field, self.omissions, self.candidates, flow)
        self._column.addLayout(inside)
        self.head.toggled.connect(self.on_toggled)
        self.hide()

    def _button(self, act: str) -> QAbstractButton:
        words = {
            "again": tr("Make again"),
            "candidates": tr("Three candidates"),
            "use": tr("Use as it is"),
            "changed": tr("Show what changed"),
            "covered": tr("Show covered messages"),
        }[act]
        button = push_button(f"summary_{act}", words, self, kind="link")
        theme.set_look(button, flush=True)
        button.setFont(theme.font("small"))
        button.setProperty("act", act)
        button.clicked.connect(self.on_act)
        return button

    @property
    def key(self) -> str:
        return "" if self._shown is None else self._shown.key

    @property
    def text(self) -> str:
        return "" if self._shown is None else self._shown.text

    def show_summary(self, shown: ShownSummary) -> None:
        """Show a summary. Words that are being written stay."""
        before = self._shown
        is_typed = before is not None and before.key == shown.key and self.has_typed
        self._shown = shown
        self.head.show_words(
            shown.title, shown.facts, is_stale=shown.state == "stale", waits=shown.state == "waits"
        )
        self._by.setText(shown.by)
        self.buttons["covered"].setText(
            tr("Hide covered messages") if shown.is_covered_shown else tr("Show covered messages")
        )
        self.field.setReadOnly(not shown.can_edit)
        if before is None or before.key != shown.key or before.text != shown.text:
            if not is_typed:
                self.field.show_text(shown.text)
            self.omissions.show_omissions(())
            if self.is_open:
                self.opened.emit(shown.key)
        self._arrange()

    def set_open(self, is_open: bool) -> None:
        """Show the text and what can be done, or the head alone."""
        self.head.setChecked(is_open)

    def on_toggled(self, is_open: bool) -> None:
        self._arrange()
        if is_open and self._shown is not None:
            self.opened.emit(self._shown.key)

    @property
    def is_open(self) -> bool:
        return self.head.isChecked()

    @property
    def has_typed(self) -> bool:
        """True while the field says something else than what is saved."""
        return self._shown is not None and self.field.text().strip() != self._shown.text

    def save(self) -> None:
        """Tell the text, if another one is written."""
        shown = self._shown
        if shown is not None and self.has_typed and self.field.text().strip():
            self.text_left.emit(shown.key, self.field.text())

    def go_on(self, text: str) -> None:
        """Open the card, and go on in its field with words that were begun."""
        self.set_open(True)
        self.field.show_text(text)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_omissions(self, omissions: Sequence[Omission]) -> None:
        self.omissions.show_omissions(omissions)
        self._arrange()

    def show_candidates(self, shown: ShownCandidates | None) -> None:
        """Show candidates to be chosen from; None: there are none."""
        self.has_candidates = shown is not None
        self.candidates.show_candidates(shown)
        self._arrange()

    def on_text_changed(self) -> None:
        """Tell what is written, and if the field grew or shrank with it."""
        if self.is_open and self.has_typed and self.field.text().strip():
            self._is_begun = True
            self.typed.emit(self.key, self.field.text())
        elif self._is_begun:  # words that wait since the last session are not forgotten for it
            self._is_begun = False
            self.typed.emit(self.key, None)
        if self.field.height() != self._field_px:
            self._field_px = self.field.height()
            self.height_changed.emit()

    def on_left(self) -> None:
        self.head.setFocus(Qt.FocusReason.OtherFocusReason)

    def on_add(self, sentence: str) -> None:
        """Put a sentence at the end of the field, unsaved, and offer no more what it names."""
        text = self.field.text().rstrip()
        self.field.show_text(f"{text} {sentence}" if text else sentence)
        self.show_omissions([one for one in self.omissions.shown if one.words not in sentence])
        self.field.moveCursor(self.field.textCursor().MoveOperation.End)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def on_act(self) -> None:
        act = str(self.sender().property("act"))
        if self._shown is not None:
            self.act_asked.emit(self._shown.key, act)

    def needed_px(self, width: int) -> int:
        self._column.activate()
        return max(self._column.totalHeightForWidth(width), self._column.totalMinimumSize().height())

    def _arrange(self) -> None:
        shown = self._shown
        if shown is None:
            return
        is_stale, is_open = shown.state == "stale", self.is_open
        had_keyboard = next((button for button in self.buttons.values() if button.hasFocus()), None)
        for part in (self.field, self._by):
            part.setVisible(is_open)
        if not is_open:
            self.omissions.hide()
        self._by.setVisible(is_open and bool(shown.by))
        self.buttons["covered"].setVisible(is_open and shown.has_covered)
        self.buttons["again"].setVisible((is_open or is_stale) and shown.can_edit)
        self.candidates.setVisible(is_open and self.has_candidates)
        can_ask = is_open and not is_stale and shown.can_edit and not self.has_candidates
        self.buttons["candidates"].setVisible(can_ask)
        self.buttons["use"].setVisible(is_stale and shown.can_edit)
        self.buttons["changed"].setVisible(is_stale)
        self.delete_button.setVisible(is_open and shown.can_edit)
        if had_keyboard is not None and had_keyboard.isHidden():  # else Delete, which stands next, has it
            self.head.setFocus(Qt.FocusReason.OtherFocusReason)
        self._column.invalidate()
        self.update()
        parts = (self._by, self.field, self.omissions, self.candidates, *self.buttons.values())
        box_px = self.candidates.sizeHint().height() if self.has_candidates else 0
        arranged = (*(part.isHidden() for part in parts), len(self.omissions.children()), box_px)
        if arranged != self._arranged:
            self._arranged = arranged
            self.height_changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        state = "used" if self._shown is None else self._shown.state
        tint = "border.strong" if self._shown is None or state != "used" else self._shown.tint
        paint_card(self, tint, is_stale=state == "stale")


def paint_card(widget: QWidget, tint: str, *, is_stale: bool = False) -> None:
    """Paint the ground of a card among the messages, and the bar at its left."""
    painter = theme.smooth_painter(widget)
    card = QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setPen(QPen(theme.colour("state.warning" if is_stale else "border.normal"), 1))
    painter.setBrush(theme.colour("state.warning_soft" if is_stale else "surface.raised"))
    painter.drawRoundedRect(card, 8, 8)
    painter.setClipRect(QRectF(0, 0, BAR_PX, widget.height()))
    theme.draw_in(painter, fill="state.warning" if is_stale else tint)
    painter.drawRoundedRect(card, 8, 8)
    painter.end()
