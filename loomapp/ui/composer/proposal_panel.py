"""Proposals of agents above the composer: a row each, accepted or refused one by one or all at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.chip import AgentMark
from loomapp.ui.widgets.labels import IconLabel, ShortLabel, label, set_tip
from loomapp.ui.widgets.layouts import fill, horizontal, vertical
from loomapp.ui.widgets.words.outcome_words import proposal_words

ROW_PX, WORDS_PX = 28, 18  # of a row, and of the line of its own that its words have in a narrow panel
ROOMY_PX = 460  # of a panel in which they stand beside the rest
MOST_ROWS, MOST_HIGH_ROWS = 4, 3  # at once; more are scrolled to
LONGEST = 300  # characters of a line; more never fit


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """A proposal as a row: its id, who made it, what it is, the name of its node, and the words."""

    id: str
    agent: Agent | None
    command: str
    about: str  # local id
    about_id: str
    text: str
    line: str


class ProposalPanel(QWidget):
    """The proposals of the tree that is read; nothing while there are none."""

    accept_asked = Signal(str)  # proposal id
    refuse_asked = Signal(str)
    accept_all_asked = Signal()
    refuse_all_asked = Signal()
    node_clicked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("proposalPanel")
        self.setAccessibleName(tr("Proposals"))
        self._rows: tuple[ProposalRow, ...] = ()
        self._is_narrow = False
        self._buttons: list[tuple[QPushButton, QPushButton]] = []  # of each row: accept, refuse
        self._said = label("", "ui_strong", name="proposalCount")
        self._accept = push_button("proposalAcceptAll", tr("Accept all"), self, kind="link")
        self._accept.clicked.connect(self.accept_all_asked)
        self._refuse = push_button("proposalRefuseAll", tr("Refuse all"), self, kind="link")
        self._refuse.clicked.connect(self.refuse_all_asked)
        head = horizontal(spacing=8)
        fill(head, IconLabel("hand", "state.warning"), self._said)
        head.addStretch(1)
        fill(head, self._accept, self._refuse)
        self._list = QWidget()
        self._lines = QVBoxLayout(self._list)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(2)
        self._lines.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._area = QScrollArea(self)
        self._area.setObjectName("proposalArea")
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self._list)
        theme.set_look(self._list, surface="panel")
        column = vertical(self, (16, 6, 16, 2), spacing=4)
        column.addLayout(head)
        column.addWidget(self._area)
        self.hide()

    def show_proposals(self, rows: Sequence[ProposalRow]) -> None:
        rows = tuple(rows)
        if rows == self._rows:
            return
        self._rows = rows
        count = len(rows)
        words = tr("1 proposal waits") if count == 1 else tr("{0} proposals wait")
        self._said.setText(words.format(figures.number(count)))
        for button in (self._accept, self._refuse):
            button.setVisible(count > 1)
        places = ((row, at) for row, pair in enumerate(self._buttons) for at in (0, 1) if pair[at].hasFocus())
        held = next(places, None)
        self._buttons = []
        while (item := self._lines.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for row in rows:
            self._lines.addWidget(self._card(row))
        self._hold(held)
        # Under the pointer it does not shrink: "Refuse all" would come to where a row was just refused.
        least = self._area.height() if count and self.isVisible() and self.underMouse() else 0
        self._area.setFixedHeight(max(least, self._rows_px))
        self.setVisible(count > 0)

    @property
    def _row_px(self) -> int:
        return ROW_PX + (WORDS_PX if self._is_narrow else 0)

    @property
    def _rows_px(self) -> int:
        most = MOST_HIGH_ROWS if self._is_narrow else MOST_ROWS
        return min(len(self._rows), most) * (self._row_px + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the words of the rows a line of their own in a narrow panel."""
        super().resizeEvent(event)
        is_narrow = self.width() < ROOMY_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            rows, self._rows = self._rows, ()
            self.show_proposals(rows)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._area.setFixedHeight(self._rows_px)

    def _hold(self, held: tuple[int, int] | None) -> None:
        """Put the keyboard on the same button of the row that came into the place of one."""
        if held is not None and self._buttons:
            row, button = held
            self._buttons[min(row, len(self._buttons) - 1)][button].setFocus(Qt.FocusReason.OtherFocusReason)

    def _card(self, row: ProposalRow) -> QWidget:
        card = QWidget(self._list)
        card.setObjectName("proposalCard")
        card.setFixedHeight(self._row_px)
        set_tip(card, row.line)
        name = row.agent.name if row.agent is not None else tr("Model")
        asked = f"{name}: {proposal_words(row.command)}"
        mark = AgentMark()
        mark.show_agent(row.agent)
        asks = proposal_words(row.command)
        title = ShortLabel(card)
        title.setObjectName("proposalTitle")
        title.setFont(theme.font("small"))
        title.setText(asks[:1].upper() + asks[1:])  # the mark says who
        theme.set_look(title, tone="secondary")
        link = push_button("proposalNode", row.about, card, kind="link")
        link.clicked.connect(partial(self.node_clicked.emit, row.about_id))
        words = ShortLabel(card)
        words.setObjectName("proposalText")
        words.setText(" ".join(row.text[:LONGEST].split()))
        accept = _Decision("proposalAccept", tr("Accept"), card)
        refuse = _Decision("proposalRefuse", tr("Refuse"), card)
        self._buttons.append((accept, refuse))
        for button, signal in ((accept, self.accept_asked), (refuse, self.refuse_asked)):
            button.setAccessibleName(f"{button.text()}: {asked} {row.about} {words.text()}")
            button.clicked.connect(partial(signal.emit, row.id))
        card.setAccessibleName(f"{asked} {row.about} {words.text()}")
        line = horizontal(spacing=6)
        fill(line, mark, title, link, accept, refuse)
        column = vertical(card, spacing=0)
        column.addLayout(line)
        if self._is_narrow:
            line.setStretch(1, 1)
            words.setContentsMargins(mark.maximumWidth() + line.spacing(), 0, 0, 0)
            column.addWidget(words)
        else:
            line.insertWidget(3, words, 1)
        return card


class _Decision(QPushButton):
    """A button in a row that goes once it is pressed: the second press of a double click would decide about
    the row that comes into its place, so it does nothing.
    """

    def __init__(self, name: str, words: str, parent: QWidget) -> None:
        super().__init__(words, parent)
        self.setObjectName(name)
        theme.set_look(self, kind="link")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()
