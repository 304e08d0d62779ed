"""Rows of a page: words beside something to do, names with values, verdicts, work that takes a while."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.model.hashes import Finding
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.fields import ExactLine
from loomapp.ui.widgets.labels import IconLabel, label, plain_tip, set_tip
from loomapp.ui.widgets.layouts import Flow, fill, horizontal, vertical
from loomapp.ui.widgets.words.context_words import verdict_look, verdict_words

ROOMY_PX = 640  # of a page; from here on words have their full measure
STACKED_PX = 480  # of a page; below, nothing has room beside the words
LABELS_PX, NARROW_LABELS_PX = 256, 148
BESIDE_PX = 280  # for what stands beside words, with margins
FIELDS_PX = 420  # where the widest field has room too; what is more goes to the words
WIDEST_PX = 16_777_215  # Qt's own


class Row(QWidget):
    """Row with words at the left, and something to do with at the right."""

    def __init__(self, title: str, hint: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = QWidget(self)
        self.words_px = LABELS_PX  # the full measure
        self.title = label(title, wrap=True)
        column = vertical(self._words, (0, 0, 16, 0), spacing=0)
        column.addWidget(self.title)
        if hint:
            column.addWidget(label(hint, "small", "muted", wrap=True))
        column.addStretch(1)
        self.flow = Flow(gap_px=12)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._words)
        row.addLayout(self.flow, 1)

    @property
    def stops(self) -> list[QWidget]:
        """Return where the keyboard stops, as it is read."""
        parts = (self.flow.itemAt(place) for place in range(self.flow.count()))
        widgets = [part.widget() for part in parts if part is not None]
        return [it for it in widgets if it is not None and it.focusPolicy() & Qt.FocusPolicy.TabFocus]

    def fit(self, page_px: int) -> None:
        """Let the words give way to the fields in a narrow page; in a very narrow one they stand
        above them.
        """
        stacked = page_px < STACKED_PX
        directions = QHBoxLayout.Direction
        self._row.setDirection(directions.TopToBottom if stacked else directions.LeftToRight)
        self._row.setSpacing(4 if stacked else 0)
        least_px = self.words_px * NARROW_LABELS_PX // LABELS_PX
        narrow_px = min(max(least_px, min(self.words_px, page_px - FIELDS_PX)), page_px - BESIDE_PX)
        wide_px = min(self.words_px, page_px - BESIDE_PX)
        width_px = wide_px if page_px >= ROOMY_PX else max(NARROW_LABELS_PX, narrow_px)
        self._words.setMinimumWidth(0 if stacked else width_px)
        self._words.setMaximumWidth(WIDEST_PX if stacked else width_px)


class InheritableRow(Row):
    """Row of words and a control whose value is inherited or this tree's own."""

    back_asked = Signal()  # the inherited value is wanted again

    def __init__(self, words: str, hint: str, control: QWidget, parent: QWidget) -> None:
        super().__init__(words, hint, parent)
        self._control, self._hint = control, hint
        self._words_said = words
        self.title.setBuddy(control)
        control.setAccessibleName(words)
        control.setAccessibleDescription(hint)
        theme.set_look(control, inherited=True)  # as most are: another look costs more once it is shown
        self._inherited = _inherited_sign()
        self._agents: QLabel | None = None  # made with the first words it shows, as most rows show none
        self._own: tuple[QLabel, QPushButton] | None = None  # likewise
        self._complaint = control.complaint if isinstance(control, ExactLine) else None
        for widget in (control, self._inherited, self._complaint):
            if widget is not None:
                self.flow.addWidget(widget)
        control.ensurePolished()  # or those of a page are all at once, when it is shown

    def rename(self, words: str) -> None:
        """Let the row go by other words."""
        self._words_said = words
        self.title.setText(words)
        self._control.setAccessibleName(words)

    def show_agent(self, words: str, why: str) -> None:
        """Show that an agent's own value counts instead, and why; empty words if it does not."""
        if self._agents is None and words:
            self._agents = label("", "caption", "secondary", name="agentValueChip")
            self._agents.setFixedHeight(20)
            theme.set_look(self._agents, chip="soft")
            self._append(self._agents)
        if self._agents is not None:
            self._agents.setText(words)
            self._agents.setToolTip(plain_tip(why))
            self._agents.setVisible(bool(words))

    def show_origin(self, *, own: bool, inherited_words: str) -> None:
        """Say whether the value shown is this tree's own, and what it would be without."""
        if own and self._own is None:
            self._own = self._own_parts()
        has_focus = False
        if self._own is not None:
            _chip, back = self._own
            has_focus = back.hasFocus()
            words = tr("Back to inherited: {value}").format(value=inherited_words)
            back.setText(words)
            back.setAccessibleName(f"{self._words_said}: {words}")
            for part in self._own:
                part.setVisible(own)
        self._inherited.setVisible(not own)
        origin = tr("this tree’s own") if own else tr("inherited from the settings of all trees")
        self._control.setAccessibleDescription(". ".join(filter(None, (self._hint, origin))))
        theme.set_look(self._control, inherited=not own)  # an inherited value is the quieter one
        if has_focus and not own:
            self._control.setFocus(Qt.FocusReason.OtherFocusReason)

    def _own_parts(self) -> tuple[QLabel, QPushButton]:
        """Make the chip that says whose value it is, and the button back to the inherited one."""
        chip = label(tr("this tree"), "caption", "accent", name="ownValueChip")
        chip.setFixedHeight(20)
        theme.set_look(chip, chip="soft")
        back = push_button(f"{self._control.objectName()}Back")
        theme.put_beside_words(back, "rotate-ccw", "text.link", 14)
        back.setFont(theme.font("small"))
        back.clicked.connect(self.back_asked)
        theme.set_look(back, kind="link", flush=True)
        self._append(chip, back)
        self.setTabOrder(self._control, back)
        return chip, back

    def _append(self, *parts: QWidget) -> None:
        """Add parts behind the control, before what it complains of."""
        if self._complaint is not None:
            self.flow.removeWidget(self._complaint)
        for part in parts:
            self.flow.addWidget(part)
        if self._complaint is not None:
            self.flow.addWidget(self._complaint)


def _inherited_sign() -> QWidget:
    sign = QWidget()
    row = horizontal(sign, spacing=6)
    row.addWidget(IconLabel("corner-down-right", "text.muted", 14))
    row.addWidget(label(tr("inherited"), "small", "muted"))
    sign.setToolTip(
        plain_tip(tr("As the settings have it for all trees. What you change here is this tree’s own."))
    )
    return sign


class ProgressRow(QWidget):
    """Progress of a task, hidden until one is under way; its parts are made then."""

    cancel_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("progressRow")
        self._is_built = False
        self.hide()

    def _build(self) -> None:
        self._is_built = True
        self._words = label("", "ui", "secondary", wrap=True, name="progressWords")
        self._bar = QProgressBar(self)
        self._bar.setObjectName("progressBar")
        self._bar.setTextVisible(False)
        self._cancel = push_button("progressCancel", tr("Cancel"), self, kind="plain")
        self._cancel.clicked.connect(self.cancel_clicked)
        left = QVBoxLayout()
        left.setSpacing(6)
        fill(left, self._words, self._bar)
        row = horizontal(self, spacing=16)
        row.addLayout(left, 1)
        row.addWidget(self._cancel)

    def begin(self, words: str) -> None:
        """Show that a task is under way; nobody knows yet how long it takes."""
        if not self._is_built:
            self._build()
        self._bar.setRange(0, 0)
        self.say(words)
        self.show()

    def say(self, words: str) -> None:
        """Say in words what is done at present."""
        self._words.setText(words)
        self._bar.setAccessibleName(words)
        self._cancel.setAccessibleName(f"{tr('Cancel')}: {words}")

    def show_progress(self, done: int, of: int) -> None:
        """Show the part that is done, of the whole; 0 for the whole: nobody knows."""
        if not self._is_built:
            return  # it was told before it began, or after it ended
        self._bar.setRange(0, of)
        self._bar.setValue(done if of else 0)

    def end(self) -> None:
        """Hide the progress: the task is over, one way or the other."""
        if self._is_built:
            self._bar.setRange(0, 1)  # or it goes on moving, unseen
        self.hide()


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
