"""Rows around the body of a message: cut marks, reasoning, pictures; notes, an error, other ways under it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.model.content import Image
from loomapp.ui import figures
from loomapp.ui.dialogue.message.foot_rows import NOTE_PX, OPTION_PX, FateRow, NoteRow, OptionRow
from loomapp.ui.dialogue.script.entries import Cut, Entry, NoteLine, Option, fates_of, halt_of
from loomapp.ui.look import theme
from loomapp.ui.media.pictures import Picture, Thumbnails
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.labels import label

if TYPE_CHECKING:
    from loomapp.ui.dialogue.message.run_trace import RunTrace

GAP_PX = 4
STRIP_PX = 36
MORE_PX = 22

Part = TypeVar("Part", bound=QWidget)


class Foot(QWidget):
    """Parts below a message that most do not have; each is made when it is first needed."""

    include_clicked = Signal()
    expand_clicked = Signal()
    shortened_clicked = Signal()
    # Of a draft: retry | stop | key | dismiss | dismiss_all; of a trace: allow; of an answer that was cut or
    # broke off: continue.
    act_asked = Signal(str)
    way_chosen = Signal(str)  # a sibling's node id or a draft's key
    note_toggled = Signal(str)  # a note's node id: to be sent with its message, or no longer
    trace_toggled = Signal()
    node_clicked = Signal(str)  # of a line of a trace
    hovered = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._fates: FateRow | None = None
        self._strip: ErrorStrip | None = None
        self._trace: RunTrace | None = None
        self._notes: list[NoteRow] = []
        self._options: list[OptionRow] = []
        self._more: QLabel | None = None

    def show_entry(
        self, entry: Entry, width_px: int, *, expanded: bool, editing: bool, traced: bool = False
    ) -> int:
        """Show what belongs under this entry, at a width; the height it takes, nothing for most."""
        y = self._show_fates(entry, width_px, expanded=expanded, editing=editing)
        y += self._show_trace(entry, width_px, y, is_open=traced)
        y = self._show_notes(entry.notes, width_px, y)
        y = self._show_halt(entry, width_px, y)
        y = self._show_options(entry.options, width_px, y)
        y = self._show_more(entry.more_options, width_px, y)
        self.setVisible(y > 0)
        return y

    @property
    def words(self) -> tuple[str, ...]:
        return self._fates.words if self._fates is not None and not self._fates.isHidden() else ()

    @property
    def shortened_chip(self) -> QWidget | None:
        """The chip of what is shortened, while it is shown."""
        return None if self._fates is None or self._fates.isHidden() else self._fates.shortened

    def tab_stops(self) -> list[QWidget]:
        """Return the widgets in it at which the keyboard stops, in order."""
        links = self._fates.links if self._fates is not None and not self._fates.isHidden() else ()
        strip = self._strip.findChildren(QWidget) if self._strip is not None else []
        notes = [row.button for row in self._notes if not row.isHidden()]
        trace = [] if self._trace is None or self._trace.isHidden() else self._trace.tab_stops()
        stops: list[QWidget] = [*links, *trace, *notes, *strip, *self._options]
        return [w for w in stops if w.focusPolicy() & Qt.FocusPolicy.TabFocus and not w.isHidden()]

    def _show_fates(self, entry: Entry, width_px: int, *, expanded: bool, editing: bool) -> int:
        chips = fates_of(entry)
        if not chips and entry.shortened is None:
            if self._fates is not None:
                self._fates.hide()
            return 0
        if self._fates is None:
            self._fates = FateRow(self)
            self._fates.include_clicked.connect(self.include_clicked)
            self._fates.expand_clicked.connect(self.expand_clicked)
            self._fates.retry_clicked.connect(partial(self.act_asked.emit, "again"))
            self._fates.shortened_clicked.connect(self.shortened_clicked)
            self._fates.continue_clicked.connect(partial(self.act_asked.emit, "continue"))
        excluded = entry.fate == "excluded" and not editing
        height = self._fates.show_fates(
            chips,
            width_px,
            excluded=excluded,
            expanded=expanded,
            shortened=entry.shortened,
            can_continue=entry.can_continue and not editing,
            can_retry=entry.is_interrupted and not (entry.no_retry or editing),
        )
        self._fates.setGeometry(0, 2, width_px, height)
        self._fates.show()
        return height + 2

    def _show_trace(self, entry: Entry, width_px: int, y: int, *, is_open: bool) -> int:
        """Show what an agent did before its answer, or does; the height it takes, nothing for most."""
        if not entry.trace and entry.run is None:
            if self._trace is not None:
                self._trace.hide()
            return 0
        if self._trace is None:
            from loomapp.ui.dialogue.message.run_trace import RunTrace  # late: few agents see the tree

            self._trace = RunTrace(self)
            self._trace.toggled.connect(self.trace_toggled)
            self._trace.node_clicked.connect(self.node_clicked)
            self._trace.hovered.connect(self.hovered)
            self._trace.allow_asked.connect(partial(self.act_asked.emit, "allow"))
        height = self._trace.show_entry(entry, width_px, is_open=is_open)
        self._trace.setGeometry(0, y, width_px, height)
        self._trace.show()
        return height

    def _show_notes(self, notes: Sequence[NoteLine], width_px: int, y: int) -> int:
        for row, note in zip(fit(self._notes, len(notes), self._new_note), notes, strict=True):
            row.show_note(note)
            row.setGeometry(0, y + GAP_PX, width_px, NOTE_PX)
            y += NOTE_PX + GAP_PX
        return y

    def _show_halt(self, entry: Entry, width_px: int, y: int) -> int:
        """Show why nothing comes, and what can be done about it."""
        halt = halt_of(entry.draft, entry.failed)
        if halt is None:
            if self._strip is not None:
                self._strip.clear()
            return y
        if self._strip is None:
            self._strip = ErrorStrip(self)
            self._strip.setObjectName("messageError")
            self._strip.act_clicked.connect(self.act_asked)
            self._strip.closed.connect(self.on_strip_closed)
        if (self._strip.text, self._strip.acts) != (halt.sentence, halt.acts) or self._strip.isHidden():
            self._strip.offer(halt.sentence, halt.acts, tone=halt.tone, closable=halt.closable)
        height = max(STRIP_PX, self._strip.heightForWidth(width_px))
        self._strip.setGeometry(0, y + GAP_PX, width_px, height)
        return y + GAP_PX + height

    def on_strip_closed(self) -> None:
        self.act_asked.emit("dismiss")

    def _show_options(self, options: Sequence[Option], width_px: int, y: int) -> int:
        if options:
            y += GAP_PX
        for row, option in zip(fit(self._options, len(options), self._new_option), options, strict=True):
            row.show_option(option)
            row.setGeometry(0, y + GAP_PX, width_px, OPTION_PX)
            y += OPTION_PX + GAP_PX
        return y

    def _show_more(self, count: int, width_px: int, y: int) -> int:
        """Show how many other ways on have no row."""
        if not count:
            if self._more is not None:
                self._more.hide()
            return y
        if self._more is None:
            self._more = label("", "small", "muted", name="moreSiblings")
            self._more.setParent(self)
        said = tr("{count} more: use the arrows at the top of this message")
        self._more.setText(said.format(count=figures.number(count)))
        self._more.setGeometry(0, y, width_px, MORE_PX)
        self._more.show()
        return y + MORE_PX

    def _new_note(self) -> NoteRow:
        row = NoteRow(self)
        row.toggle_clicked.connect(self.note_toggled)
        return row

    def _new_option(self) -> OptionRow:
        row = OptionRow(self)
        row.clicked.connect(self.on_option_clicked)
        return row

    def on_option_clicked(self) -> None:
        row = self.sender()
        if isinstance(row, OptionRow):
            self.way_chosen.emit(row.key)


def fit(rows: list[Part], count: int, make: Callable[[], Part]) -> list[Part]:
    """The first `count` of some rows, shown; more are made if there are too few, the others hidden."""
    while len(rows) < count:
        rows.append(make())
    for place, row in enumerate(rows):
        row.setVisible(place < count)
    return rows[:count]


MARK_PX = 32
ICON_PX = 14
MARK_GAP_PX = 8


def words_of(cut: Cut) -> str:
    if cut.place == "again":
        return tr("Sent again from here")
    if cut.count == 1:
        count = tr("no room for 1 message")
    else:
        count = tr("no room for {0} messages").format(figures.number(cut.count))
    sentence = {
        "start": tr("Not sent above this line: {0}"),
        "gap": tr("Not sent from here: {0}"),
        "end": tr("Not sent below this line: {0}"),
    }[cut.place]
    return sentence.format(count)


def reason_of(cut: Cut) -> str:
    """Return why the context is cut there: what the strategy of the tree does."""
    strategy = STRATEGIES.get(cut.strategy)
    return "" if strategy is None else f"“{tr(strategy.title)}” {tr(strategy.reason)}"


def paint_cut(painter: QPainter, cut: Cut, width: int) -> None:
    font = theme.font("caption")
    painter.setFont(font)
    room = width - 2 * MARK_GAP_PX - ICON_PX
    words = QFontMetricsF(font).elidedText(words_of(cut), Qt.TextElideMode.ElideRight, room)
    wide = QFontMetricsF(font).horizontalAdvance(words) + ICON_PX + 6
    left, middle = (width - wide) / 2, MARK_PX / 2 - 4
    pen = QPen(theme.colour("border.strong"), 1, Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.drawLine(0, round(middle), round(left - MARK_GAP_PX), round(middle))
    painter.drawLine(round(left + wide + MARK_GAP_PX), round(middle), width, round(middle))
    icon = "corner-down-right" if cut.place == "again" else "scissors"
    theme.paint(painter, icon, "text.muted", QRectF(left, middle - ICON_PX / 2, ICON_PX, ICON_PX))
    painter.setPen(theme.colour("text.muted"))
    rect = QRectF(left + ICON_PX + 6, middle - 8, wide, 16)
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, words)


LINK_PX = 5  # what a link keeps free around its words
INSET_PX = 12
LONGEST = 20_000  # characters shown; more would hold the window up


class ReasoningRow(QWidget):
    """Link, and below it, once it was pressed, the reasoning in quiet words."""

    toggled = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("reasoningRow")
        self._link = push_button("reasoningLink", parent=self, kind="link")
        self._link.clicked.connect(self.toggled)
        self._words = QLabel(self)
        self._words.setObjectName("reasoningText")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self._words.setFont(theme.font("small"))
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.set_look(self._words, tone="secondary")

    @property
    def link(self) -> QPushButton:
        return self._link

    def show_reasoning(self, text: str, width_px: int, *, is_open: bool, grows: bool) -> int:
        """Show a reasoning at a width, or only how long it is; return the height it takes."""
        count = figures.number(len(text.split()))
        words = self.tr("Reasoning… {0} words") if grows else self.tr("Reasoning, {0} words")
        self._link.setText(words.format(count))
        self._link.setIcon(theme.icon("chevron-down" if is_open else "chevron-right", "text.link", 14))
        self._link.setAccessibleName(words.format(count))
        self._link.setToolTip(self.tr("What the model thought before it answered. It is never sent again."))
        height = theme.px("control.hit")
        self._link.setGeometry(-LINK_PX, 0, self._link.sizeHint().width(), height)
        self._words.setVisible(is_open)
        if is_open:
            shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
            if self._words.text() != shown:
                self._words.setText(shown)
            needed = self._words.heightForWidth(width_px - INSET_PX)
            self._words.setGeometry(INSET_PX, height, width_px - INSET_PX, needed)
            height += needed + 8
        return height


ROW_GAP_PX = 8
BELOW_PX = 8


class PictureRow(QWidget):
    """Images of a message, in lines that wrap where the width ends."""

    chosen = Signal(object)  # Image: it is to be shown large

    def __init__(self, thumbnails: Thumbnails, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pictureRow")
        self._thumbnails = thumbnails
        self._pictures: list[Picture] = []

    @property
    def pictures(self) -> list[QWidget]:
        return list(self._pictures)

    def show_images(self, images: tuple[Image, ...], width_px: int) -> int:
        """Show images at a width; return the height they take."""
        if tuple(picture.image for picture in self._pictures) != images:
            for picture in self._pictures:
                picture.hide()
                picture.deleteLater()
            self._pictures = [Picture(image, self._thumbnails, self) for image in images]
            for picture in self._pictures:
                picture.clicked.connect(self.on_clicked)
                picture.show()
        return self._lay_out(width_px)

    def on_clicked(self) -> None:
        picture = self.sender()
        if isinstance(picture, Picture):
            self.chosen.emit(picture.image)

    def _lay_out(self, width_px: int) -> int:
        x = y = high = 0
        for picture in self._pictures:
            if x and x + picture.width() > width_px:
                x, y, high = 0, y + high + ROW_GAP_PX, 0
            picture.move(x, y)
            x += picture.width() + ROW_GAP_PX
            high = max(high, picture.height())
        return y + high + BELOW_PX if self._pictures else 0
