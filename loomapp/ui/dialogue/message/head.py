"""The head of a message: mark, name, what is special about it, and when; and the tools that come on hover."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QToolButton, QWidget

from loomapp.core.generation.drafts import written_tokens
from loomapp.ui import figures
from loomapp.ui.dialogue.script.entries import Entry
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import icon_button
from loomapp.ui.widgets.chip import SIZE_PX as MARK_PX
from loomapp.ui.widgets.chip import paint_mark
from loomapp.ui.widgets.labels import set_tip
from loomapp.ui.widgets.layouts import horizontal

HEIGHT_PX = 24
MARK_GAP_PX = 8
NAME_LEFT_PX = MARK_PX + MARK_GAP_PX
THREAD_PX = 2
TOOLS_PX = 4 * HEIGHT_PX


def name_of(entry: Entry) -> str:
    if entry.agent is not None:
        return entry.agent.name
    return tr("You") if entry.is_human else tr("Model")


def name_width(entry: Entry, width: int, pager_px: int) -> int:
    """Return the room that the name takes in a head, in px; at the right end the tools must fit in."""
    words = QFontMetricsF(theme.font("ui_strong")).horizontalAdvance(name_of(entry)) + 1
    return round(min(words, max(40.0, width - NAME_LEFT_PX - pager_px - TOOLS_PX)))


def meta_of(entry: Entry) -> str:
    """Return the few words about an entry that stand after its name."""
    if entry.run is not None:
        step = tr("Step {0} of {1}").format(entry.run.step, entry.run.most_steps)
        tokens = entry.run.tokens + (entry.tokens if entry.text else 0)
        return f"{step} · {tr('{0} tokens').format(figures.number(tokens))}" if tokens else step
    if entry.draft is not None:
        count = tr("{0} tokens").format(figures.number(written_tokens(entry.draft)))
        return count if entry.text else tr("waiting") if entry.grows else ""
    if entry.node is not None and entry.node.edited_from:
        return tr("edited")
    return ""


def time_of(entry: Entry) -> str:
    """Return when it was written; empty for a draft."""
    return figures.moment(entry.node.created_at) if entry.node is not None and entry.node.created_at else ""


def paint_head(painter: QPainter, entry: Entry, width: int, *, pager_px: int, tools_shown: bool) -> None:
    """Draw a head across the top of a message, `width` px wide; `pager_px` stay free after the name."""
    paint_mark(painter, QRectF(0, (HEIGHT_PX - MARK_PX) / 2, MARK_PX, MARK_PX), entry.agent)
    name_px = name_width(entry, width, pager_px)
    _paint_name(painter, entry, name_px)
    left = _paint_marks(painter, entry, NAME_LEFT_PX + name_px + pager_px + 8)
    right = float(width - TOOLS_PX) if tools_shown else _paint_time(painter, entry, left, width)
    painter.setFont(theme.numbers("caption"))
    painter.setPen(theme.colour("text.muted"))
    room = QRectF(left, 0, right - left - 8, HEIGHT_PX)
    words = QFontMetricsF(painter.font()).elidedText(
        meta_of(entry), Qt.TextElideMode.ElideRight, room.width()
    )
    if room.width() > 32:
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)


def paint_thread(painter: QPainter, bottom_px: int) -> None:
    """Draw the accent under the mark of the message that Generate continues, beside its words."""
    left, top = MARK_PX / 2 - THREAD_PX / 2, HEIGHT_PX + 2
    painter.fillRect(QRectF(left, top, THREAD_PX, bottom_px - top), theme.colour("accent.base"))


def paint_struck_line(painter: QPainter, text: str, width: int, line_px: int) -> None:
    """Draw the beginning of words that are left out, in one line under the name."""
    font = theme.font("dialogue")
    font.setStrikeOut(True)
    painter.setFont(font)
    painter.setPen(theme.colour("text.muted"))
    rect = QRectF(NAME_LEFT_PX, HEIGHT_PX, width - NAME_LEFT_PX, line_px)
    line = " ".join(text[:400].split())
    words = QFontMetricsF(font).elidedText(line, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, words)


def _paint_time(painter: QPainter, entry: Entry, left: float, width: int) -> float:
    """Draw the time at the right end if it fits after `left`; return where it begins."""
    time, font = time_of(entry), theme.numbers("small")
    begin = width - QFontMetricsF(font).horizontalAdvance(time) - 1
    if begin < left:
        return float(width)
    painter.setFont(font)
    painter.setPen(theme.colour("text.muted"))
    painter.drawText(QRectF(begin, 0, width - begin, HEIGHT_PX), Qt.AlignmentFlag.AlignVCenter, time)
    return begin


def _paint_name(painter: QPainter, entry: Entry, name_px: int) -> None:
    painter.setFont(theme.font("ui_strong"))
    faded = entry.fate not in ("sent", "annotation")
    painter.setPen(theme.colour("text.muted" if faded else theme.agent_role(entry.agent)))
    words = QFontMetricsF(painter.font()).elidedText(name_of(entry), Qt.TextElideMode.ElideRight, name_px)
    painter.drawText(QRectF(NAME_LEFT_PX, 0, name_px + 2, HEIGHT_PX), Qt.AlignmentFlag.AlignVCenter, words)


def _paint_marks(painter: QPainter, entry: Entry, left: float) -> float:
    """Draw the signs after the name; return where the next thing may begin."""
    node = entry.node
    if node is not None and node.metadata.bookmarked:
        theme.paint(painter, "bookmark", "accent.base", QRectF(left, 5, 14, 14), filled=True)
        left += 20
    if node is not None and node.interrupted is not None:
        theme.paint(painter, "circle-pause", "state.interrupted", QRectF(left, 5, 14, 14))
        left += 20
    return left + 4


class MessageTools(QWidget):
    """Buttons of a message: retry, edit, bookmark and more."""

    retry_clicked = Signal()
    edit_clicked = Signal()
    bookmark_clicked = Signal()
    more_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageTools")
        row = horizontal(self, spacing=0)
        # Made in the order in which they stand: so Tab goes through them.
        self._retry = self._button("retryButton", "refresh-cw", self.tr("Retry"))
        edit = self._button("editButton", "pencil", self.tr("Edit: a new message beside this one"))
        self._bookmark = self._button("bookmarkButton", "bookmark", self.tr("Bookmark"))
        buttons = (
            (self._retry, self.retry_clicked),
            (edit, self.edit_clicked),
            (self._bookmark, self.bookmark_clicked),
            (self._button("moreButton", "ellipsis", self.tr("More")), self.more_clicked),
        )
        for button, signal in buttons:
            row.addWidget(button)
            button.clicked.connect(signal)
        self.resize(self.sizeHint())

    def show_entry(self, entry: Entry) -> None:
        marked = entry.node is not None and entry.node.metadata.bookmarked
        role = "accent.base" if marked else "text.secondary"
        self._bookmark.setIcon(theme.icon("bookmark", role, filled=marked))
        title = self.tr("Remove bookmark") if marked else self.tr("Bookmark")
        self._bookmark.setToolTip(title)
        self._bookmark.setAccessibleName(title)
        self._retry.setEnabled(not entry.no_retry)
        again = self.tr("Retry: ask again, for as many answers as Generate asks for")
        set_tip(self._retry, entry.no_retry or again)

    def _button(self, name: str, icon: str, title: str) -> QToolButton:
        button = icon_button(name, theme.icon(icon), title, self)
        button.setIconSize(QSize(16, 16))
        button.setFixedSize(HEIGHT_PX, HEIGHT_PX)
        return button
