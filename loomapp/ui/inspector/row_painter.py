"""How a row of the context preview is drawn: author bar, name, chip, text, reason and tokens in columns."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import QAbstractScrollArea, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from loomapp.ui.inspector.context_rows import SHOWN_CHARACTERS, Row
from loomapp.ui.inspector.context_table import ROW_ROLE, Index
from loomapp.ui.inspector.words import REASON_ICONS, include_words, reason_words
from loomapp.ui.look import theme

WIDE_PX = 600  # from here on one line a row, with the reason beside the text
LOW_WIDE_PX = 480  # the same where height is scarcer than width
CHIPS_PX = 400  # below this there is no room for chips
ROW_PX = 30
LINE_PX = 16
EDGE_PX = 12
NAME_PX = 96  # in a list without chips: a name, or the kind of a system part
TOKENS_PX = 52
MOST_LINES = 2
NOTED = ("sent", "unsent")  # kinds whose note stands below the text in a narrow list
MOST_SYSTEM_LINES = 4


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the columns of a row begin and end, in px of the view."""

    bar: float
    name: float
    chip: float
    text: float
    right: float  # end of the text column; tokens stand beyond
    edge: float  # right end of the tokens


def columns(width: int, row: Row, *, wide: bool) -> Columns:
    """The columns for a width. In a narrow list system parts stand on a card, their kind for a name; all
    words begin in one line.
    """
    name = EDGE_PX + 12.0
    edge = float(width - EDGE_PX)
    has_chips = width >= CHIPS_PX
    chip = name + (104 if width >= 700 else 96 if width >= 540 else 72 if width >= 480 else 60)
    text = chip + (74 if wide else 66) if has_chips else name + NAME_PX
    if row.kind == "system" and not wide:
        return Columns(EDGE_PX, name, name, text, edge - TOKENS_PX - 8, edge - 8)
    chip = chip if has_chips else text
    return Columns(EDGE_PX, name, chip, text, edge - TOKENS_PX, edge)


class RowPainter(QStyledItemDelegate):
    """Draws rows of the context. `uniform` makes them all one height, for long contexts."""

    def __init__(self, view: QAbstractScrollArea) -> None:
        super().__init__(view)
        self._view = view
        self.uniform = False
        self.ring = False  # the cursor is a ring, only for who works with keys
        self.wide_from = WIDE_PX
        self.system_count = 0

    # Sizes

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """One line in a wide list, more in a narrow one."""
        if self.uniform:
            return QSize(0, ROW_PX if self._is_wide else 2 * LINE_PX + 14)
        row: Row = index.data(ROW_ROLE)
        return QSize(0, self._height(row, index.row()))

    @property
    def width(self) -> int:
        """What there is to draw on, in px."""
        return self._view.viewport().width()

    @property
    def _is_wide(self) -> bool:
        return self.width >= self.wide_from

    def _height(self, row: Row, number: int) -> int:
        if row.kind == "info":
            lines = _count_lines(row.text, theme.font("small"), self.width - 2 * EDGE_PX - 48, 3)
            return lines * LINE_PX + 22
        if self._is_wide or row.kind == "marker":
            return ROW_PX
        below = self._is_last_system(number) * 8
        return self._lines(row) * LINE_PX + 14 + below

    def _lines(self, row: Row) -> int:
        """How many lines the text and its reason take."""
        if self._is_wide:
            return 1
        if row.reason is not None:
            return 2
        place = columns(self.width, row, wide=self._is_wide)
        most = MOST_SYSTEM_LINES if row.kind == "system" and not self.uniform else MOST_LINES
        used = _count_lines(row.text, theme.font("small"), place.right - place.text, most)
        return min(most, used + bool(row.note and row.kind in NOTED))

    def _is_last_system(self, number: int) -> bool:
        return number == self.system_count - 1 and not self._is_wide

    # Drawing

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row."""
        row: Row = index.data(ROW_ROLE)
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(rect)
        if row.kind == "info":
            self._paint_info(painter, row, QRectF(rect))
        else:
            self._paint_ground(painter, row, QRectF(rect), option.state, index.row())
            self._paint_row(painter, row, QRectF(rect), index.row())
        if self.ring and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent.focus"), theme.metric("control.focus_width")))
            painter.drawRoundedRect(QRectF(rect).adjusted(3, 1, -3, -1), 6, 6)
        painter.restore()

    def _paint_ground(
        self, painter: QPainter, row: Row, rect: QRectF, state: QStyle.StateFlag, number: int
    ) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if row.kind == "system" and not self._is_wide:
            self._paint_card(painter, rect, number)
        elif row.kind == "marker":
            painter.setBrush(theme.colour("surface.selected"))
            painter.drawRoundedRect(rect.adjusted(4, 1, -4, -1), 6, 6)
        if state & QStyle.StateFlag.State_MouseOver and row.node_id:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("surface.hover"))
            inset = EDGE_PX + 2 if row.kind == "system" and not self._is_wide else 4
            painter.drawRoundedRect(rect.adjusted(inset, 1, -inset, -1), 6, 6)

    def _paint_card(self, painter: QPainter, rect: QRectF, number: int) -> None:
        """The piece of the system card behind this row."""
        above = 0.5 if number == 0 else -20
        below = -8.5 if self._is_last_system(number) else 20
        painter.setBrush(theme.colour("surface.raised"))
        painter.setPen(QPen(theme.colour("border.normal"), 1))
        radius = theme.metric("radius.card")
        painter.drawRoundedRect(rect.adjusted(EDGE_PX + 0.5, above, -EDGE_PX - 0.5, below), radius, radius)

    def _paint_row(self, painter: QPainter, row: Row, rect: QRectF, number: int) -> None:
        place = columns(self.width, row, wide=self._is_wide)
        top = rect.top() + 7
        right = place.right
        if row.kind == "marker":
            theme.paint(painter, "scissors", "accent.base", QRectF(place.bar, top, 14, 14))
        elif row.kind != "system":
            self._paint_bar(painter, row, place, rect)
        if row.kind != "system" or self._is_wide:
            words = "" if row.kind == "marker" else row.name
            _text(
                painter, words, _bold("small"), "text.secondary", place.name, top, place.chip - 8 - place.name
            )
        chip = row.name_of_node if self._is_wide else row.chip
        if place.text > place.chip and chip:
            _chip(painter, chip, place.chip, top, dashed=row.reason is not None)
        if row.tokens is not None:
            role = "accent.base" if row.kind == "marker" else "text.muted"
            font = theme.numbers("small")
            width = QFontMetricsF(font).horizontalAdvance(f"{row.tokens:,}")
            _text(painter, f"{row.tokens:,}", font, role, place.edge - width, top, width + 1)
        if self._is_wide:
            right -= self._paint_reason(painter, row, right, top)
        self._paint_text(painter, row, place, right, top)

    def _paint_bar(self, painter: QPainter, row: Row, place: Columns, rect: QRectF) -> None:
        """The author's bar; it has no gap above where a message goes on."""
        tint = QColor(theme.agent_colour(row.agent))
        if row.reason is not None:
            tint.setAlphaF(theme.metric("card.opacity_excluded"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        top = rect.top() if row.joined else rect.top() + 6
        if row.kind == "unsent":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(tint, 1))
        painter.drawRoundedRect(QRectF(place.bar, top, 3, rect.bottom() - 6 - top), 1.5, 1.5)

    def _paint_text(self, painter: QPainter, row: Row, place: Columns, right: float, top: float) -> None:
        font = QFont(theme.font("mono" if row.kind == "marker" else "small"))
        font.setStrikeOut(row.reason == "excluded")
        role = "accent.base" if row.kind == "marker" else "text.muted" if row.reason else "text.primary"
        has_line_below = not self._is_wide and (
            row.reason is not None or bool(row.note and row.kind in NOTED)
        )
        most = 1 if self._is_wide else max(1, self._lines(row) - has_line_below)
        words = f"{row.lead} {row.text}" if row.lead and self._is_wide else row.text
        lines = elided_lines(words, font, right - place.text, most)
        for number, line in enumerate(lines):
            _text(painter, line, font, role, place.text, top + number * LINE_PX, right - place.text)
        if has_line_below:
            self._paint_reason_below(painter, row, place, top + len(lines) * LINE_PX)

    def _paint_reason(self, painter: QPainter, row: Row, right: float, top: float) -> float:
        """Reason and remedy at the end of the line; gives the width they take."""
        start = right
        if row.reason == "excluded":
            width = _width(include_words(), _bold("small"))
            right -= width
            _text(painter, include_words(), _bold("small"), "text.link", right, top, width + 1)
            right -= 16
        words = row.note if row.reason is None else reason_words(row.reason)
        if words and row.kind != "system":
            width = _width(words, theme.font("small"))
            right -= width
            _text(painter, words, theme.font("small"), "text.muted", right, top, width + 1)
            if row.reason is not None:
                right -= 20
                theme.paint(painter, REASON_ICONS[row.reason], "text.muted", QRectF(right, top + 1, 14, 14))
            right -= 16
        return start - right

    def _paint_reason_below(self, painter: QPainter, row: Row, place: Columns, top: float) -> None:
        left = place.text
        words = row.note
        if row.reason is not None:
            theme.paint(painter, REASON_ICONS[row.reason], "text.muted", QRectF(left, top + 1, 14, 14))
            left, words = left + 20, reason_words(row.reason)
        _text(painter, words, theme.font("small"), "text.muted", left, top, place.right - left)
        if row.reason == "excluded":
            left += _width(words, theme.font("small")) + 16
            _text(painter, include_words(), _bold("small"), "text.link", left, top, place.edge - left)

    def remedy_rect(self, row: Row, rect: QRect) -> QRect:
        """Where the remedy of a row can be clicked; empty if it has none."""
        if row.reason != "excluded":
            return QRect()
        place = columns(self.width, row, wide=self._is_wide)
        width = round(_width(include_words(), _bold("small"))) + 8
        if self._is_wide:
            return QRect(round(place.right) - width + 4, rect.top(), width, rect.height())
        left = place.text + 36 + _width(reason_words(row.reason), theme.font("small"))
        return QRect(round(left) - 4, rect.top() + 7 + LINE_PX - 4, width, LINE_PX + 8)

    def _paint_info(self, painter: QPainter, row: Row, rect: QRectF) -> None:
        warns = row.note == "warning"
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("state.warning_soft" if warns else "surface.hover"))
        box = rect.adjusted(EDGE_PX, 3, -EDGE_PX, -3)
        painter.drawRoundedRect(box, 6, 6)
        icon, role = ("triangle-alert", "state.warning") if warns else ("info", "text.muted")
        theme.paint(painter, icon, role, QRectF(box.left() + 12, box.top() + 8, 16, 16))
        left = box.left() + 38
        font = theme.font("small")
        words = f"{row.lead} {row.text}" if row.lead and self._is_wide else row.text
        lines = elided_lines(words, font, box.right() - 10 - left, 1 if self.uniform else 3)
        for number, line in enumerate(lines):
            top = box.top() + 8 + number * LINE_PX
            _text(painter, line, font, "text.primary" if warns else "text.secondary", left, top, box.width())


def elided_lines(text: str, font: QFont, width: float, most: int) -> list[str]:
    """A text in at most so many lines, the last one ending in … if there is more."""
    text = " ".join(text[:SHOWN_CHARACTERS].split())
    metrics = QFontMetricsF(font)
    if most <= 1 or width <= 0:
        return [metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, width))]
    lines: list[str] = []
    rest = 0
    for start, length in _lines_of(text, font, width, most):
        if len(lines) == most - 1:
            lines.append(metrics.elidedText(text[start:], Qt.TextElideMode.ElideRight, width))
            return lines
        lines.append(text[start : start + length].rstrip())
        rest = start + length
    return lines or [text[rest:]]


def _lines_of(text: str, font: QFont, width: float, most: int) -> list[tuple[int, int]]:
    """Start and length of the first lines of a wrapped text, in characters of a text without surrogates."""
    layout = QTextLayout(_without_surrogates(text), font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    found: list[tuple[int, int]] = []
    layout.beginLayout()
    while len(found) < most:
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        found.append((line.textStart(), line.textLength()))
    layout.endLayout()
    return found


def _without_surrogates(text: str) -> str:
    """The text with one unit for each character, so that Qt's positions are Python's; as wide as an em."""
    return text if text.isascii() else "".join(c if ord(c) < 0x10000 else "\u2014" for c in text)


def _count_lines(text: str, font: QFont, width: float, most: int) -> int:
    """How many lines a text takes, up to a number; an estimate by its width."""
    text = text[:SHOWN_CHARACTERS]
    metrics = QFontMetricsF(font)
    if len(text) * metrics.averageCharWidth() < 0.5 * width:
        return 1
    text = " ".join(text.split())
    if metrics.horizontalAdvance(text) <= width:
        return 1
    return max(1, len(_lines_of(text, font, width, most)))


def _bold(type_name: str) -> QFont:
    font = QFont(theme.font(type_name))
    font.setWeight(QFont.Weight.DemiBold)
    return font


def _width(words: str, font: QFont) -> float:
    return QFontMetricsF(font).horizontalAdvance(words)


def _text(
    painter: QPainter, words: str, font: QFont, role: str, left: float, top: float, width: float
) -> None:
    """One line of text at a place, cut off with … at a width."""
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    painter.setPen(theme.colour(role))
    baseline = top + (LINE_PX + metrics.ascent() - metrics.descent()) / 2
    if metrics.horizontalAdvance(words) > width + 1:
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, width)
    painter.drawText(QPointF(left, baseline), words)


def _chip(painter: QPainter, words: str, left: float, top: float, *, dashed: bool) -> None:
    """A node's short id in a small frame; dashed where the node is left out."""
    font = theme.font("mono")
    font.setPixelSize(11)
    width = _width(words, font) + 12
    pen = QPen(theme.colour("border.strong" if dashed else "border.normal"), 1)
    if dashed:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush if dashed else theme.colour("surface.hover"))
    painter.drawRoundedRect(QRectF(left + 0.5, top - 1.5, width, 19), 4, 4)
    _text(painter, words, font, "text.muted" if dashed else "text.secondary", left + 6.5, top, width)
