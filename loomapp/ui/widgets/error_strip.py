"""A strip above the thing it is about: an icon, one sentence, and the one next step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.layouts import Flow

Tone: TypeAlias = Literal["error", "warning", "success", "progress"]
ICONS: dict[Tone, str] = {
    "error": "circle-alert",
    "warning": "triangle-alert",
    "success": "check",
    "progress": "pencil",
}
GROUNDS: dict[Tone, str] = {"progress": "surface.selected"}  # the others have one of their own
ICON_ROLES: dict[Tone, str] = {"progress": "state.streaming"}
ICON_PX = 16
LEFT_PX = 12
HIT_PX = 24
STEPS_GAP_PX = 4
LINK_PX = 5  # what a link keeps free around its words
LEAST_WORDS_PX = 120  # for the sentence beside its next step; in a narrower strip that stands below it
LONG_WORD = re.compile(r"\S{32}")  # an address may break after so many characters, or it widens the window


class ErrorStrip(QWidget):
    """Hidden until there is something to say: its parts are made then, for most strips never say anything.
    The sentence can be selected and wraps, nothing is cut off.

    One that is `closable` can be put away unread; it then takes no next step. Where there are several steps,
    they stand in a row below the sentence, a single one beside it where there is room.
    """

    _is_built = False

    action_clicked = Signal()
    act_clicked = Signal(str)  # which of several
    closed = Signal()  # it was put away unread

    def __init__(self, parent: QWidget | None = None, *, closable: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("errorStrip")
        self._tone: Tone = "error"
        self._said = ""
        self._closable = closable
        self._acts: list[QPushButton] = []
        self._offered: tuple[tuple[str, str], ...] = ()
        self.setMinimumHeight(36)
        self.hide()

    def _build(self) -> None:
        self._sentence = QLabel(self)
        self._sentence.setObjectName("errorText")
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        self._sentence.setWordWrap(True)
        self._sentence.setContentsMargins(LINK_PX, 0, 0, 0)  # where the words of the links below begin
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._action = push_button("errorAction", parent=self, kind="link")
        self._action.clicked.connect(self.action_clicked)
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(LEFT_PX + ICON_PX + 8 - LINK_PX, 6, 8, 6)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self._sentence, 0, 0)
        self._sentence.show()  # at once, also in a strip that is seen already
        grid.addWidget(self._action, 0, 1, Qt.AlignmentFlag.AlignTop)
        self._close = self._close_button()
        self._close.setVisible(self._closable)
        grid.addWidget(self._close, 0, 3, Qt.AlignmentFlag.AlignTop)
        self._steps = Flow(gap_px=STEPS_GAP_PX)
        grid.addLayout(self._steps, 1, 0, 1, 4)
        self._is_built = True

    def say(self, sentence: str, action: str = "", *, tone: Tone = "error") -> None:
        """Show a sentence and, if there is one, its next step as a button."""
        if not self._is_built:
            self._build()
        self._tone = tone
        self._said = sentence
        self._offered = ()
        for button in self._acts:
            button.hide()
        self._sentence.setText(LONG_WORD.sub("\\g<0>\u200b", sentence))
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._place_steps(self.width())
        self._action.setAccessibleName(f"{action}: {sentence}")
        self.setAccessibleName(sentence)
        self.show()
        self.update()

    def offer(
        self, sentence: str, acts: Sequence[tuple[str, str]], *, tone: Tone = "error", closable: bool = False
    ) -> None:
        """Show a sentence and next steps by name and words, the likeliest first."""
        self.say(sentence, tone=tone)
        self._offer(sentence, acts)
        self._close.setVisible(closable)

    def _offer(self, sentence: str, acts: Sequence[tuple[str, str]]) -> None:
        self._offered = tuple(acts)
        while len(self._acts) < len(acts):
            self._acts.append(self._act_button(len(self._acts)))
        for place, button in enumerate(self._acts):
            button.setVisible(place < len(acts))
            if place < len(acts):
                name, words = acts[place]
                button.setObjectName(f"errorAct_{name}")
                button.setText(words)
                button.setAccessibleName(f"{words}: {sentence}")
        self._place_steps(self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the step below the sentence where the strip is narrow."""
        super().resizeEvent(event)
        if self._is_built:
            self._place_steps(self.width())
            self._grid.activate()

    def heightForWidth(self, width: int) -> int:
        if self._is_built:
            self._place_steps(width)
        return super().heightForWidth(width)

    def minimumSizeHint(self) -> QSize:
        """Return the least width, with the step below the sentence."""
        if not self._is_built:
            return super().minimumSizeHint()
        shown = [step for step in (self._action, *self._acts) if not step.isHidden()]
        steps = max((step.minimumSizeHint().width() for step in shown), default=0)
        words = self._sentence.minimumSizeHint().width() + self._beside_px
        margins = self._grid.contentsMargins()
        width = max(words, steps) + margins.left() + margins.right()
        return QSize(width, super().minimumSizeHint().height())

    @property
    def _beside_px(self) -> int:
        """Return the width that the cross takes beside the sentence."""
        return 0 if self._close.isHidden() else HIT_PX + self._grid.horizontalSpacing()

    def _place_steps(self, width_px: int) -> None:
        """A step that is the only one stands beside the sentence and takes no line of its own, if it can."""
        margins, gap = self._grid.contentsMargins(), self._grid.horizontalSpacing()
        room = width_px - margins.left() - margins.right() - self._beside_px - gap - LEAST_WORDS_PX
        for step in (self._action, *self._acts[:1]):
            is_single = step is self._action or len(self._offered) == 1
            beside = is_single and step.sizeHint().width() <= room
            if beside != (self._steps.indexOf(step) < 0):
                if beside:
                    self._grid.addWidget(step, 0, 1, Qt.AlignmentFlag.AlignTop)
                else:
                    self._steps.insertWidget(0, step)

    @property
    def acts(self) -> tuple[tuple[str, str], ...]:
        return self._offered

    def _act_button(self, place: int) -> QPushButton:
        button = QPushButton(self)
        theme.set_look(button, kind="link")
        button.clicked.connect(self.on_act_clicked)
        self._steps.insertWidget(place, button)
        return button

    def on_act_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton) and button in self._acts:
            self.act_clicked.emit(self._offered[self._acts.index(button)][0])

    def clear(self) -> None:
        self._said = ""
        if self._is_built:
            self._sentence.clear()
        self.hide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._is_built:
            self._close.setIcon(theme.icon("x", role="text.secondary", size=ICON_PX))

    def _close_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("errorClose")
        button.setAccessibleName(self.tr("Close"))
        button.setToolTip(self.tr("Close"))
        button.setIcon(theme.icon("x", role="text.secondary", size=ICON_PX))
        button.setIconSize(QSize(ICON_PX, ICON_PX))
        button.setFixedSize(HIT_PX, HIT_PX)  # larger, as Qt would have it, makes one strip higher than others
        button.clicked.connect(self.on_close_clicked)
        return button

    def on_close_clicked(self) -> None:
        self.clear()
        self.closed.emit()

    @property
    def text(self) -> str:
        return self._said

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, fill=GROUNDS.get(self._tone, f"state.{self._tone}_soft"))
        radius = theme.metric("radius.control")
        painter.drawRoundedRect(QRectF(self.rect()), radius, radius)
        top = min((self.height() - ICON_PX) / 2, 10)
        role = ICON_ROLES.get(self._tone, f"state.{self._tone}")
        theme.paint(painter, ICONS[self._tone], role, QRectF(LEFT_PX, top, ICON_PX, ICON_PX))
        painter.end()


class _Said(NamedTuple):
    """Sentence of a strip, with all that stood beside it."""

    sentence: str
    action: str
    acts: tuple[tuple[str, str], ...]
    tone: Tone
    closable: bool


class StripPile(ErrorStrip):
    """Strip on which several things are said: the newest is shown, *2 more* leads to those below it."""

    _more: QPushButton | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, closable=True)
        self._top: _Said | None = None
        self._below: list[_Said] = []  # the newest last

    @property
    def sentences(self) -> tuple[str, ...]:
        """All that is said and was not put away, the shown one first."""
        return tuple(said.sentence for said in (self._top, *reversed(self._below)) if said is not None)

    def say(self, sentence: str, action: str = "", *, tone: Tone = "error") -> None:
        """Say something on top of what is said already; what is said again comes to the top."""
        self._put(_Said(sentence, action, (), tone, True))

    def offer(
        self, sentence: str, acts: Sequence[tuple[str, str]], *, tone: Tone = "error", closable: bool = False
    ) -> None:
        """Say something with several next steps on top of what is said already."""
        self._put(_Said(sentence, "", tuple(acts), tone, closable))

    def clear(self) -> None:
        """Take away what is shown; the next below it comes to the top."""
        self._top = None
        if self._below:
            self._show(self._below.pop())
        else:
            super().clear()

    @property
    def _beside_px(self) -> int:
        more = self._more
        if more is None or more.isHidden():
            return super()._beside_px
        return super()._beside_px + more.sizeHint().width() + self._grid.horizontalSpacing()

    def clear_all(self) -> None:
        """Take everything away but what is under way: only its end takes that back, and its Stop."""
        said = [*self._below, *([] if self._top is None else [self._top])]
        self._below = [one for one in said if one.tone == "progress"]
        self.clear()

    def drop_good_news(self) -> None:
        """Take away what went well, wherever it stands."""
        for said in (*self._below, self._top):
            if said is not None and said.tone == "success":
                self.drop(said.sentence)

    def drop(self, sentence: str) -> None:
        """Take something away that is said, wherever it stands."""
        self._below = [said for said in self._below if said.sentence != sentence]
        if self._top is not None and self._top.sentence == sentence:
            self.clear()
        elif self._top is not None:
            self._count()

    def _put(self, said: _Said) -> None:
        before, self._top = self._top, None
        self._below = [one for one in self._below if one.sentence != said.sentence]
        if before is not None and before.sentence != said.sentence:
            asks = said.tone == "error" or said.action or said.acts
            if before.tone == "progress" and not asks:  # its Stop stays in reach
                before, said = said, before
            self._below.append(before)
        self._show(said)

    def _show(self, said: _Said) -> None:
        self._top = said
        if said.acts:
            super().say(said.sentence, tone=said.tone)
            self._offer(said.sentence, said.acts)
        else:
            super().say(said.sentence, said.action, tone=said.tone)
        self._close.setVisible(said.closable)
        self._count()

    def _count(self) -> None:
        """Show how many are below the one that is shown."""
        count = len(self._below)
        if self._more is None and count:
            self._more = push_button("errorMore", parent=self, kind="link")
            self._more.clicked.connect(self.on_more_clicked)
            self._grid.addWidget(self._more, 0, 2, Qt.AlignmentFlag.AlignTop)
        if self._more is not None:
            words = self.tr("{0} more").format(figures.number(count))
            self._more.setText(words)
            self._more.setToolTip(self.tr("Show the next of what is said here"))
            self._more.setAccessibleName(self.tr("{0} of these messages").format(words))
            self._more.setVisible(count > 0)
        self._place_steps(self.width())

    def on_more_clicked(self) -> None:
        """Show the next below; the one that was shown goes to the end."""
        top, following = self._top, self._below.pop()
        if top is not None:
            self._below.insert(0, top)
        self._show(following)
