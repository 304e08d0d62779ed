"""Margins beside the text: bars of its authors, pagers of siblings, chips of versions, marks of cuts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from PySide6.QtCore import QEvent, QLineF, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from loomapp.ui.buffer.margin.marks import FAR_PX, CutLine, MarginMarks, VersionChip, bar_heights
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.buffer.text.prose_layout import Lines
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import SiblingPager
from loomapp.ui.widgets.labels import plain_tip

BAR_PX = 3
BAR_GAP_PX = 18  # from a bar's left edge to the text
PAGER_GAP_PX = 6
CHIP_GAP_PX = 14
CHIP_BETWEEN_PX = 3
RIGHT_GAP_PX = 2
ICON_PX = 14
SIGN_GAP_PX = 2
CUT_LOOK = "arrow-right-to-line", "state.warning"

Sign: TypeAlias = tuple[int, int, int]  # between two passages: x, and from which y to which


class Margin(QWidget):
    """Left or right margin; the wheel scrolls the text beside it."""

    def __init__(self, editor: BufferEditor, margins: Margins, name: str) -> None:
        super().__init__(editor)
        self.setObjectName(name)
        self._editor, self._margins = editor, margins
        self.is_left = name == "bufferMargin"

    def wheelEvent(self, event: QWheelEvent) -> None:
        QApplication.sendEvent(self._editor.viewport(), event)

    def event(self, event: QEvent) -> bool:
        """Say what the sign under the pointer means."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            words = self._margins.words_at(event.pos()) if self.is_left else ""
            if words:
                QToolTip.showText(event.globalPos(), plain_tip(words), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.is_left:
            painter = QPainter(self)
            try:
                self._margins.paint_left(painter)
            finally:
                painter.end()


class Margins(QObject):
    """Both margins, kept where the text is."""

    sibling_turned = Signal(str, int)  # a passage's key, -1 or 1
    versions_asked = Signal(str)  # a passage's key: its chip was pressed
    version_turned = Signal(str, int)
    moved = Signal()  # everything stands where it is to be

    def __init__(self, editor: BufferEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self.left = Margin(editor, self, "bufferMargin")
        self.right = Margin(editor, self, "bufferChips")
        self._beside: tuple[MarginMarks, ...] = ()
        self._cuts: tuple[CutLine, ...] = ()
        self._pagers: dict[str, SiblingPager] = {}
        self._chips: dict[str, VersionChip] = {}
        self._version_keys = ("", "")
        self._places: dict[str, tuple[QRect, QRect]] = {}  # first and last line, in the viewport
        self.look: Callable[[], Iterable[MarginMarks]] = _nothing
        self._painted: set[Sign] = set()  # between passages, wherever they may stand in the view
        self._hovered = ""
        self.sign_words: list[tuple[QRectF, str]] = []  # of those of them that have a tip
        self.signs: list[QRectF] = []  # where bookmarks and pauses were painted last, in the left margin
        self.shows_bars = True
        self.shows_boundaries = True
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.place)
        editor.laid_out.connect(self.place_soon)
        editor.decorate = self.paint_over

    def set_cuts(self, cuts: Sequence[CutLine]) -> None:
        """Mark the places where the text that is sent begins and ends."""
        if tuple(cuts) != self._cuts:
            self._cuts = tuple(cuts)
            self.place_soon()
            self._editor.viewport().update()

    @property
    def cuts(self) -> tuple[CutLine, ...]:
        return self._cuts

    def place_soon(self) -> None:
        self._soon.start()

    def chip_rect(self, key: str) -> QRect:
        """Return the rectangle of a passage's chip in the editor; empty if there is none."""
        chip = self._chips.get(key)
        return QRect() if chip is None else QRect(chip.mapTo(self._editor, QPoint(0, 0)), chip.size())

    def passage_rect(self, key: str) -> QRect:
        """Return a passage from its first line to its last, in the viewport; empty if it is not in view."""
        first, last = self._places.get(key, (QRect(), QRect()))
        return first.united(last)

    def set_hovered(self, key: str) -> None:
        """Highlight a passage whose card is under the pointer."""
        if key != self._hovered:
            self._hovered = key
            self.left.update()
            self._editor.viewport().update()

    def set_open_chip(self, key: str) -> None:
        """Mark the passage whose list of versions is shown; an empty key if none is."""
        for name, chip in self._chips.items():
            chip.set_open(name == key)

    # Placing.

    def place(self) -> None:
        self._soon.stop()
        editor, view = self._editor, self._editor.viewport().geometry()
        bar = editor.verticalScrollBar()
        right = editor.width() - (bar.width() if bar.isVisible() else 0)
        self.left.setGeometry(0, view.top(), view.left(), view.height())
        self.right.setGeometry(view.right() + 1, view.top(), max(0, right - view.right() - 1), view.height())
        self._beside = tuple(self.look())
        lines, text = editor.lines(), editor.text
        self._places = {b.key: self._lines_of(b, lines, text) for b in self._beside}
        self._place_pagers()
        self._place_chips()
        self._paint_moved_boundaries()
        self.left.update()
        self.moved.emit()

    def _lines_of(self, beside: MarginMarks, lines: Lines, text: str) -> tuple[QRect, QRect]:
        if beside.is_tail:
            return self._editor.tail_rects()
        begin, end = min(beside.begin, len(text)), min(beside.end, len(text))
        while begin < end - 1 and text[begin] in "\r\n\u2029":
            begin += 1
        while end > begin + 1 and text[end - 1] in "\r\n\u2029":
            end -= 1
        if self._editor.tail_text and begin == self._editor.tail_at:
            begin += 1  # behind what is only shown; the place itself is before it
        first = lines.rect(begin)
        return first, first if end <= begin + 1 else lines.rect(end - 1)

    def _place_pagers(self) -> None:
        wanted = {b.key: b for b in self._beside if b.count > 1 or (b.count == 1 and b.number == 0)}
        for key in [k for k in self._pagers if k not in wanted]:
            _put_away(self._pagers.pop(key))
        lowest = -FAR_PX
        for key, beside in wanted.items():
            pager = self._pagers.get(key) or self._new_pager(key)
            pager.show_place(beside.number, beside.count)
            line = self._places[key][0]
            top = max(line.top() + (line.height() - pager.height()) // 2, lowest)
            lowest = top + pager.height()
            pager.move(max(0, self._bar_left - PAGER_GAP_PX - pager.width()), top)
            pager.show()

    def _place_chips(self) -> None:
        wanted = {b.key: b for b in self._beside if b.versions > 1}
        for key in [k for k in self._chips if k not in wanted]:
            _put_away(self._chips.pop(key))
        lines: dict[int, list[VersionChip]] = {}
        for key, beside in wanted.items():
            chip = self._chips.get(key) or self._new_chip(key)
            chip.show_versions(key, beside.version, beside.versions)
            lines.setdefault(self._places[key][1].top(), []).append(chip)
        lowest = -FAR_PX
        for line_top, chips in sorted(lines.items()):
            lowest = self._place_line_of_chips(chips, line_top, lowest)

    def _place_line_of_chips(self, chips: Sequence[VersionChip], line_top: int, lowest: int) -> int:
        """The chips of passages that end in one line, side by side: as whole as there is room for, and only
        where even their numbers have none on lines of their own below. Gives where the next may begin.
        """
        room = self.right.width() - RIGHT_GAP_PX
        between = CHIP_BETWEEN_PX * (len(chips) - 1)
        for tightness in range(3 if len(chips) > 1 else 1):
            for chip in chips:
                chip.set_tight(tightness)
            width = sum(chip.width() for chip in chips) + between
            if width <= room:
                break
        left = first = min(CHIP_GAP_PX, max(0, room - width))
        top = max(line_top + (round(self._editor.prose.line_px) - chips[0].height()) // 2, lowest)
        for chip in chips:
            if left > first and left + chip.width() > room:
                left, top = first, top + chip.height() + CHIP_BETWEEN_PX
            chip.move(left, top)
            chip.show()
            left += chip.width() + CHIP_BETWEEN_PX
        return top + chips[0].height() + CHIP_BETWEEN_PX

    def show_version_keys(self, before: str, after: str) -> None:
        """Show on the chips the keys that go to the version before and to the next."""
        self._version_keys = before, after
        for chip in self._chips.values():
            chip.show_keys(before, after)

    def _new_pager(self, key: str) -> SiblingPager:
        pager = self._pagers[key] = SiblingPager(self.left)
        pager.setProperty("entryKey", key)
        pager.turned.connect(self.on_turned)
        return pager

    def _new_chip(self, key: str) -> VersionChip:
        chip = self._chips[key] = VersionChip(self.right)
        chip.show_keys(*self._version_keys)
        chip.pressed.connect(self.on_chip_pressed)  # as a pager acts: the text may move meanwhile
        chip.stepped.connect(self.on_chip_stepped)
        return chip

    def on_turned(self, step: int) -> None:
        pager = self.sender()
        if pager is not None:
            self.sibling_turned.emit(str(pager.property("entryKey")), step)

    def on_chip_pressed(self) -> None:
        chip = self.sender()
        if isinstance(chip, VersionChip):
            self.versions_asked.emit(chip.node_id)

    def on_chip_stepped(self, step: int) -> None:
        chip = self.sender()
        if isinstance(chip, VersionChip):
            self.version_turned.emit(chip.node_id, step)

    # Painting.

    @property
    def _bar_left(self) -> int:
        return self.left.width() - BAR_GAP_PX

    def paint_left(self, painter: QPainter) -> None:
        """Paint the bars, what is special about a passage, and what the cut lines mean."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.signs.clear()
        self.sign_words.clear()
        bars = bar_heights(self._beside, self._places) if self.shows_bars else ()
        for beside, top, bottom in bars:
            bar = QRectF(self._bar_left, top, BAR_PX, bottom - top)
            if beside.key and beside.key == self._hovered:
                painter.fillRect(bar.adjusted(-3, -2, 3, 2), theme.colour("accent.soft"))
            self._paint_bar(painter, beside, bar)
        for beside in self._beside:
            self._paint_signs(painter, beside, *self._places[beside.key])
        for cut in self._cuts:
            self._paint_words(painter, cut)

    def _paint_bar(self, painter: QPainter, beside: MarginMarks, bar: QRectF) -> None:
        """Paint the bar of a passage; of one that is sent in part, what is above the line is not sent."""
        begin = self._cuts[-1].position if self._cuts else 0
        if not beside.begin < begin < beside.end or beside.dashed:
            _paint_bar(painter, beside, bar)
            return
        line = min(max(bar.top(), float(self._editor.line_rect(begin).top())), bar.bottom())
        above, below = QRectF(bar), QRectF(bar)
        above.setBottom(line)
        below.setTop(line)
        _paint_bar(painter, replace(beside, dashed=True), above)
        _paint_bar(painter, beside, below)

    def _paint_signs(self, painter: QPainter, beside: MarginMarks, first: QRect, last: QRect) -> None:
        x = self._bar_left - PAGER_GAP_PX - ICON_PX - 2
        if beside.bookmarked:
            rect = self._free(QRectF(x, first.top() + 9, ICON_PX, ICON_PX), first.height())
            theme.paint(painter, "bookmark", "accent.base", rect, filled=True)
        if beside.interrupted or beside.ended:
            rect = self._free(QRectF(x, last.bottom() - last.height() + 10, ICON_PX, ICON_PX), last.height())
            look = ("circle-pause", "state.interrupted") if beside.interrupted else CUT_LOOK
            theme.paint(painter, *look, rect)
            self.sign_words.append((rect, beside.ended))

    def words_at(self, place: QPoint) -> str:
        """Return what a sign in the left margin says; empty where there is none that says more."""
        return next((words for rect, words in self.sign_words if rect.contains(place)), "")

    def _free(self, rect: QRectF, line_px: int) -> QRectF:
        """A sign's place where no pager and no other sign stands: beside them, or a line further down."""
        pagers = [QRectF(pager.geometry()) for pager in self._pagers.values()]
        while met := next((other for other in (*pagers, *self.signs) if other.intersects(rect)), None):
            beside = QRectF(rect)
            beside.moveRight(met.left() - SIGN_GAP_PX)
            rect = beside if beside.left() >= 0 else rect.translated(0, line_px)
        self.signs.append(rect)
        return rect

    def _paint_words(self, painter: QPainter, cut: CutLine) -> None:
        rect = self._editor.line_rect(cut.position)
        font = theme.font("caption")
        painter.setFont(font)
        painter.setPen(theme.colour("text.secondary"))
        room = self._bar_left - 8
        words = cut.words if QFontMetricsF(font).horizontalAdvance(cut.words) <= room else cut.short
        top = rect.top() - 9
        painter.drawText(
            QRectF(0, top, room, 16), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words
        )

    def paint_over(self, painter: QPainter, seen: QRect) -> None:
        """Paint over a part of the text: thin signs between passages, and the lines where what is sent is
        cut.
        """
        if self.shows_boundaries and self.shows_bars:
            painter.setPen(QPen(theme.colour("border.normal"), 1))
            signs = list(self._boundaries(seen))
            painter.drawLines(signs)
            self._painted.update(map(_sign, signs))
        pen = QPen(theme.colour("border.strong"), 1, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        height = self._editor.viewport().height()
        for cut in self._cuts:
            line = self._editor.line_rect(cut.position)
            if line.bottom() < 0 or line.top() > height:
                continue
            x = self._editor.x_of(cut.position)
            if x > 0:
                painter.drawLine(QLineF(0, line.bottom() + 0.5, x, line.bottom() + 0.5))
                painter.drawLine(QLineF(x, line.top(), x, line.bottom()))
            painter.drawLine(QLineF(x, line.top() + 0.5, line.width(), line.top() + 0.5))

    def _paint_moved_boundaries(self) -> None:
        """The text is painted as soon as it is another: the signs in it as the passages stood before."""
        viewport = self._editor.viewport()
        has_signs = self.shows_boundaries and self.shows_bars
        signs = {_sign(line) for line in self._boundaries(viewport.rect())} if has_signs else set()
        for x, top, bottom in signs ^ self._painted:
            viewport.update(QRect(x - 2, top - 2, 5, bottom - top + 4))
        self._painted = signs

    def _boundaries(self, seen: QRect) -> Iterator[QLineF]:
        lines, top, bottom = self._editor.lines(), seen.top(), seen.bottom()
        for beside in self._beside:
            if beside.begin <= 0 or beside.is_tail or beside.end <= beside.begin:
                continue
            line = lines.rect(beside.begin)
            if line.bottom() >= top and line.top() <= bottom and (x := lines.x_of(beside.begin)) > 0:
                yield QLineF(x - 0.5, line.top() + 8, x - 0.5, line.bottom() - 7)


def _paint_bar(painter: QPainter, beside: MarginMarks, bar: QRectF) -> None:
    """Whole for what is sent, dashed for what is not, hollow for what is only offered."""
    if beside.hollow:
        painter.setPen(QPen(beside.tint, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(bar.adjusted(0, 0, 0, 0))
        return
    pen = QPen(theme.colour("border.strong") if beside.dashed else beside.tint, BAR_PX)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if beside.dashed:
        pen.setDashPattern([2, 1.5])
    painter.setPen(pen)
    painter.drawLine(QLineF(bar.center().x(), bar.top(), bar.center().x(), bar.bottom()))


def _sign(line: QLineF) -> Sign:
    return round(line.x1()), round(line.y1()), round(line.y2())


def _put_away(widget: QWidget) -> None:
    widget.hide()
    widget.deleteLater()


def _nothing() -> Sequence[MarginMarks]:
    return ()
