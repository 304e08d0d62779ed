"""Rows under a message: a note on it, another way to go on, and why it is not sent or was cut short."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget

from loomapp.core.context.outcomes import ShortenedNode
from loomapp.ui import figures
from loomapp.ui.dialogue.script.entries import FateChip, NoteLine, Option
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.chip import HEIGHT_PX as CHIP_PX
from loomapp.ui.widgets.chip import ChipButton, chip_width, paint_chip
from loomapp.ui.widgets.labels import set_tip
from loomapp.ui.widgets.words.amounts import shortened_words

NOTE_PX = 32
NEW_PX = 7  # the dot of what another program wrote
LONGEST_NOTE = 400  # characters; more never fit a line


class NoteRow(QWidget):
    """Note, and a link that says and changes whether it is sent with its message."""

    toggle_clicked = Signal(str)  # node id

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("noteRow")
        self._line, self._node_id, self._is_sent, self._is_new = "", "", False, False
        self.button = push_button("includeNoteButton", parent=self, kind="link")
        self.button.setFont(theme.font("small"))
        self.button.clicked.connect(lambda: self.toggle_clicked.emit(self._node_id))

    def show_note(self, note: NoteLine) -> None:
        self._line, self._node_id = " ".join(note.text[:LONGEST_NOTE].split()), note.node_id
        self._is_sent, self._is_new = note.fate == "sent", note.is_new
        self.button.setText(self.tr("Leave out") if self._is_sent else self.tr("Include in context"))
        self.button.setVisible(note.fate in ("sent", "annotation"))
        self.button.setAccessibleName(f"{self.button.text()}: {self._line}")
        words = self.tr("Note, sent: {0}") if self._is_sent else self.tr("Note: {0}")
        self.setAccessibleName(words.format(self._line) + (self.tr(", new") if self._is_new else ""))
        set_tip(self, note.text[: 3 * LONGEST_NOTE])
        self._place()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def _place(self) -> None:
        size = self.button.sizeHint()
        height = theme.px("control.hit")
        self.button.setGeometry(
            self.width() - size.width() - 6, (NOTE_PX - height) // 2, size.width(), height
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        rect = QRectF(self.rect())
        theme.draw_in(painter, fill="state.warning_soft")
        painter.drawRoundedRect(rect, 6, 6)
        theme.paint(painter, "sticky-note", "state.warning", QRectF(10, 9, 14, 14))
        font = theme.font("small")
        painter.setFont(font)
        painter.setPen(theme.colour("text.secondary"))
        right = 10.0 if self.button.isHidden() else self.button.width() + 14.0
        if self._is_sent:
            right += 20
            theme.paint(painter, "check", "accent.base", QRectF(rect.right() - right + 2, 9, 14, 14))
        if self._is_new:
            right += NEW_PX + 6
            theme.draw_in(painter, fill="accent.base")
            painter.drawEllipse(QRectF(rect.right() - right + 6, (NOTE_PX - NEW_PX) / 2, NEW_PX, NEW_PX))
            painter.setPen(theme.colour("text.secondary"))
        room = rect.adjusted(34, 0, -right, 0)
        words = QFontMetricsF(font).elidedText(self._line, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


OPTION_PX = 32
PADDING_PX = 12
LONGEST_OPTION = 300  # characters; more never fit a line


class OptionRow(QAbstractButton):
    """Line for another sibling: its number and the beginning of its text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("siblingRow")
        self._option: Option | None = None
        self.setFixedHeight(OPTION_PX)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard with the view, which stays
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_option(self, option: Option) -> None:
        if option == self._option:
            return
        self._option = option
        sentence = tr("Show {0} of {1}: {2}")
        failed = tr("Show what failed: {0}")
        told = sentence.format(*self._place(), self._line()) if option.number else failed.format(self._line())
        self.setAccessibleName(f"{told} ({tr('broke off')})" if option.broke_off else told)
        set_tip(self, option.text[: 3 * LONGEST_OPTION])
        self.update()

    @property
    def key(self) -> str:
        return self._option.key if self._option else ""

    def sizeHint(self) -> QSize:
        return QSize(200, OPTION_PX)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._option is None:
            return
        painter = theme.smooth_painter(self)
        self._paint_frame(painter)
        numbers = theme.numbers("small")
        numbers.setWeight(numbers.Weight.DemiBold)
        painter.setFont(numbers)
        painter.setPen(theme.colour("accent.base"))
        place = "/".join(self._place()) if self._option.number else ""
        rect = QRectF(self.rect()).adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, place)
        left = QFontMetricsF(numbers).horizontalAdvance(place) + 10 if place else 0.0
        if self._option.failed:
            theme.paint(painter, "circle-alert", "state.error", QRectF(rect.left() + left, 9, 14, 14))
            left += 20
        elif self._option.waits or self._option.broke_off:
            role = "state.warning" if self._option.waits else "state.interrupted"
            theme.paint(painter, "circle-pause", role, QRectF(rect.left() + left, 9, 14, 14))
            left += 20
        self._paint_words(painter, rect.adjusted(left, 0, 0, 0))
        painter.end()

    def _paint_frame(self, painter: QPainter) -> None:
        over = self.underMouse()
        edge = "accent.focus" if self.hasFocus() else "border.strong" if over else "border.normal"
        width = theme.metric("control.focus_width") if self.hasFocus() else 1.0
        painter.setPen(QPen(theme.colour(edge), width))
        painter.setBrush(theme.colour("surface.hover") if over else Qt.BrushStyle.NoBrush)
        inset = width / 2
        radius = theme.metric("radius.control")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), radius, radius)

    def _paint_words(self, painter: QPainter, rect: QRectF) -> None:
        assert self._option is not None
        font = theme.font("ui")
        painter.setFont(font)
        painter.setPen(theme.colour("state.error" if self._option.failed else "text.secondary"))
        metrics = QFontMetricsF(font)
        line = metrics.elidedText(self._line(), Qt.TextElideMode.ElideRight, rect.width() - 4)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, line)
        if self._option.grows:
            x = rect.left() + metrics.horizontalAdvance(line) + 2
            painter.fillRect(QRectF(x, rect.center().y() - 7, 2, 14), theme.colour("state.streaming"))

    def _place(self) -> tuple[str, str]:
        assert self._option is not None
        return figures.number(self._option.number), figures.number(self._option.count)

    def _line(self) -> str:
        assert self._option is not None
        text = " ".join(self._option.text[:LONGEST_OPTION].split())
        line = f"{unsteered(self._option.name)} · {text}" if self._option.name else text
        return line if self._option.alike == 1 else f"{figures.number(self._option.alike)} × {line}"


GAP_PX = 4
BETWEEN_PX = 8


class FateRow(QWidget):
    """Chips, one of them to be opened if long parts are shortened; links to continue an answer that was cut
    or broke off, or to ask again; and two for what is excluded: Include, and Read or Fold.
    """

    include_clicked = Signal()
    expand_clicked = Signal()
    continue_clicked = Signal()
    retry_clicked = Signal()
    shortened_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._chips: list[tuple[QRect, FateChip]] = []
        self._shortened: ChipButton | None = None
        self._continue = self._link("continueCutButton", self.tr("Continue"))
        self._continue.clicked.connect(self.continue_clicked)
        self._retry = self._link("retryCutButton", self.tr("Retry"))
        self._retry.clicked.connect(self.retry_clicked)
        set_tip(self._continue, self.tr("Ask its model to go on from here, once"))
        set_tip(self._retry, self.tr("Ask its model again, once"))
        self._include = self._link("includeButton", self.tr("Include"))
        self._include.clicked.connect(self.include_clicked)
        self._expand = self._link("expandButton", "")
        self._expand.clicked.connect(self.expand_clicked)

    def show_fates(
        self,
        chips: Sequence[FateChip],
        width_px: int,
        *,
        excluded: bool,
        expanded: bool,
        shortened: ShortenedNode | None = None,
        can_continue: bool = False,
        can_retry: bool = False,
    ) -> int:
        """Show chips at a width, with the links that there is something for; the height it takes."""
        self._expand.setText(self.tr("Fold") if expanded else self.tr("Read"))
        self._expand.setAccessibleName(self._expand.text())
        self._continue.setVisible(can_continue)
        self._retry.setVisible(can_retry)
        self._include.setVisible(excluded)
        self._expand.setVisible(excluded)
        self._chips = []
        x, top = self._show_shortened(shortened, width_px), 0
        for chip in chips:
            wide = min(width_px, chip_width(chip.text))
            x, top = self._next_place(x, top, wide, width_px)
            self._chips.append((QRect(x, top + 2, wide, CHIP_PX), chip))
            x += wide + BETWEEN_PX
        for link in self._links:
            if not link.isHidden():
                wide = link.sizeHint().width()
                x, top = self._next_place(x, top, wide, width_px)
                link.setGeometry(x, top, wide, theme.px("control.hit"))
                x += wide + GAP_PX
        self.update()
        return top + theme.px("control.hit")

    def _show_shortened(self, shortened: ShortenedNode | None, width_px: int) -> int:
        """Show the chip of what is shortened first; return where the next one may begin."""
        if shortened is None:
            if self._shortened is not None:
                self._shortened.hide()
            return 0
        if self._shortened is None:
            self._shortened = ChipButton("scissors", self)
            self._shortened.setObjectName("shortenedChip")
            self._shortened.clicked.connect(self.shortened_clicked)
        self._shortened.show_words(shortened_words(shortened))
        wide = min(width_px, self._shortened.sizeHint().width())
        self._shortened.setGeometry(0, 0, wide, theme.px("control.hit"))
        self._shortened.show()
        return wide + BETWEEN_PX

    @property
    def words(self) -> tuple[str, ...]:
        said = tuple(chip.text for _, chip in self._chips)
        return said if self.shortened is None else (self.shortened.text(), *said)

    @property
    def shortened(self) -> ChipButton | None:
        """The chip of what is shortened, while it is shown."""
        return None if self._shortened is None or self._shortened.isHidden() else self._shortened

    @property
    def links(self) -> tuple[QAbstractButton, ...]:
        return self._links if self.shortened is None else (self.shortened, *self._links)

    @property
    def _links(self) -> tuple[QPushButton, ...]:
        return self._continue, self._retry, self._include, self._expand

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for rect, chip in self._chips:
            edge = "border.normal" if chip.ground == "surface.raised" else chip.ground
            paint_chip(
                painter,
                QRectF(rect),
                chip.icon,
                chip.text,
                chip.role,
                edge=edge,
                ground=chip.ground,
                ink=chip.ink,
            )
        painter.end()

    @staticmethod
    def _next_place(x: int, top: int, wide: int, width_px: int) -> tuple[int, int]:
        """Return the place of the next chip: on the same line if there is room, else at the beginning of the
        next one.
        """
        return (0, top + theme.px("control.hit")) if x and x + wide > width_px else (x, top)

    def _link(self, name: str, words: str) -> QPushButton:
        button = push_button(name, words, self)
        button.setAccessibleName(words)
        font = theme.font("small")
        font.setWeight(QFont.Weight.Medium)
        button.setFont(font)
        theme.set_look(button, kind="link")
        return button
