"""Painter of the rows of a context preview: author bar, name, chip, text, reason and tokens in columns."""

from __future__ import annotations

import re
from dataclasses import astuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from loomapp.core.dataclass import dataclass
from loomapp.ui import figures
from loomapp.ui.inspector.context.rows import ContextRow
from loomapp.ui.inspector.context.table import (
    LINE_PX,
    ROW_ROLE,
    Index,
    around,
    bold,
    count_lines,
    draw_chip,
    draw_line,
    draw_matches,
    elided_lines,
    width_of,
)
from loomapp.ui.look import theme
from loomapp.ui.widgets.chip import HEIGHT_PX as CHIP_PX
from loomapp.ui.widgets.chip import chip_width, paint_chip
from loomapp.ui.widgets.words.context_words import REASON_ICONS, reason_words, remedy_words, said_remedy_words

WIDE_PX = 600  # from here on one line a row, with the reason beside the text
LOW_WIDE_PX = 480  # the same where height is scarcer than width
CHIPS_PX = 400  # below this there is no room for chips
ROW_PX = 30
EDGE_PX = 12
NAME_PX = 96  # in a list without chips: a name, or the kind of a system part
TOKENS_PX = 60
MOST_LINES = 2
GAP_PX = 16  # between words, reason and remedy
SWITCH_PX = 20
OFF = ("pruned", "excluded", "annotation", "instruction_without_system")  # reasons of what is switched off
NOTED = ("sent", "unsent")  # kinds whose note stands below the text in a narrow list
MOST_SYSTEM_LINES = 4


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of a row, each by its begin or end, in px of the view."""

    bar: float
    name: float
    chip: float
    text: float
    right: float  # end of the text column; tokens stand beyond
    edge: float  # right end of the tokens


def columns(width: int, row: ContextRow, *, wide: bool, lead_px: int = 0) -> Columns:
    """The columns for a width. In a narrow list system parts stand on a card, their kind for a name; all
    words begin in one line. `lead_px` is kept free at the left, for switches.
    """
    found = _columns(width - lead_px, row, wide=wide)
    return Columns(*(edge + lead_px for edge in astuple(found))) if lead_px else found


def _columns(width: int, row: ContextRow, *, wide: bool) -> Columns:
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
        self._port = view.viewport()  # each row is asked about its width several times
        self.uniform = False
        self.ring = False  # the cursor is a ring, only for who works with keys
        self.wide_from = WIDE_PX
        self.system_count = 0
        self.has_remedies = True
        self.has_switches = False  # something is tried: each node can be switched off and on
        self.sought: re.Pattern[str] | None = None  # what is looked for

    # Sizes

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return one line in a wide list, more in a narrow one."""
        if self.uniform:
            return QSize(0, ROW_PX if self._is_wide else 2 * LINE_PX + 14)
        row: ContextRow = index.data(ROW_ROLE)
        return QSize(0, self._height(row, index.row()))

    @property
    def width(self) -> int:
        return self._port.width()

    @property
    def _is_wide(self) -> bool:
        return self.width >= self.wide_from

    def _place(self, row: ContextRow) -> Columns:
        lead_px = SWITCH_PX if self.has_switches else 0
        return columns(self.width, row, wide=self._is_wide, lead_px=lead_px)

    def can_switch(self, row: ContextRow) -> bool:
        return self.has_switches and row.kind != "info" and row.node_id is not None and row.reason != "empty"

    def remedy_of(self, row: ContextRow) -> str:
        """Return the remedy that one click applies to a row; nothing where there is none, or a switch does
        it.
        """
        if not self.has_remedies or row.node_id is None:
            return ""
        if row.kind == "info":
            return said_remedy_words(row.remedy)
        if self.has_switches and row.reason != "truncated":
            return ""
        return remedy_words(row.reason)

    def _height(self, row: ContextRow, number: int) -> int:
        if row.kind == "info":
            remedy = self.remedy_of(row)
            room = self.width - 2 * EDGE_PX - 48 - (width_of(remedy, bold("small")) + GAP_PX if remedy else 0)
            lines = count_lines(row.shown, room, 3)
            return lines * LINE_PX + 22
        if self._is_wide or row.kind == "marker":
            return ROW_PX
        below = self._is_last_system(number) * 8
        return self._lines(row) * LINE_PX + 14 + below

    def _lines(self, row: ContextRow) -> int:
        if self._is_wide:
            return 1
        if row.reason is not None:
            return 2
        place = self._place(row)
        most = MOST_SYSTEM_LINES if row.kind == "system" and not self.uniform else MOST_LINES
        used = count_lines(row.shown, place.right - place.text, most)
        return min(most, used + bool(row.note and row.kind in NOTED))

    def _is_last_system(self, number: int) -> bool:
        return number == self.system_count - 1 and not self._is_wide

    # Drawing

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: ContextRow = index.data(ROW_ROLE)
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(rect)
        if row.kind == "info":
            self._paint_info(painter, row, QRectF(rect))
        else:
            self._paint_ground(painter, row, QRectF(rect), option.state, index.row())
            at = option.state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_HasFocus)
            self._paint_row(painter, row, QRectF(rect), is_meant=bool(at))
        if self.ring and option.state & QStyle.StateFlag.State_HasFocus:
            theme.draw_in(painter, "accent.focus", width=theme.metric("control.focus_width"))
            painter.drawRoundedRect(QRectF(rect).adjusted(3, 1, -3, -1), 6, 6)
        painter.restore()

    def _paint_ground(
        self, painter: QPainter, row: ContextRow, rect: QRectF, state: QStyle.StateFlag, number: int
    ) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if row.kind == "system" and not self._is_wide:
            self._paint_card(painter, rect, number)
        elif row.kind == "marker":
            painter.setBrush(theme.colour("surface.selected"))
            painter.drawRoundedRect(rect.adjusted(4, 1, -4, -1), 6, 6)
        if state & QStyle.StateFlag.State_MouseOver and row.node_id:
            theme.draw_in(painter, fill="surface.hover")
            inset = EDGE_PX + 2 if row.kind == "system" and not self._is_wide else 4
            painter.drawRoundedRect(rect.adjusted(inset, 1, -inset, -1), 6, 6)

    def _paint_card(self, painter: QPainter, rect: QRectF, number: int) -> None:
        """Paint the piece of the system card behind this row."""
        above = 0.5 if number == 0 else -20
        below = -8.5 if self._is_last_system(number) else 20
        theme.draw_in(painter, "border.normal", "surface.raised")
        radius = theme.metric("radius.card")
        painter.drawRoundedRect(rect.adjusted(EDGE_PX + 0.5, above, -EDGE_PX - 0.5, below), radius, radius)

    def _paint_row(self, painter: QPainter, row: ContextRow, rect: QRectF, *, is_meant: bool) -> None:
        place = self._place(row)
        top = rect.top() + 7
        right = place.right
        if self.can_switch(row):
            self._paint_switch(painter, self.switch_rect(row, rect.toRect()), is_on=row.reason not in OFF)
        if row.kind == "marker":
            theme.paint(painter, "scissors", "accent.base", QRectF(place.bar, top, 14, 14))
        elif row.kind != "system":
            self._paint_bar(painter, row, place, rect)
        if row.kind != "system" or self._is_wide:
            words = "" if row.kind == "marker" else row.name
            draw_line(
                painter, words, bold("small"), "text.secondary", place.name, top, place.chip - 8 - place.name
            )
        chip = row.name_of_node if self._is_wide else row.chip
        if place.text > place.chip and chip:
            draw_chip(painter, chip, place.chip, top, dashed=row.reason is not None)
        if row.tokens is not None:
            role = "accent.base" if row.kind == "marker" else "text.muted"
            font = theme.numbers("small")
            count = figures.number(row.tokens)
            count = f"~{count}" if row.is_estimate else count
            width = QFontMetricsF(font).horizontalAdvance(count)
            draw_line(painter, count, font, role, place.edge - width, top, width + 1)
        remedy = self.remedy_of(row)
        if row.reason is None and not is_meant:
            remedy = ""  # it would be in the way of the words of every row
        if self._is_wide or (remedy and row.reason is None):
            right -= self._paint_remedy(painter, remedy, right, top)
        if self._is_wide:
            right -= self._paint_reason(painter, row, right, top)
        self._paint_text(painter, row, place, right, top)

    def _paint_bar(self, painter: QPainter, row: ContextRow, place: Columns, rect: QRectF) -> None:
        """Paint the author's bar; it has no gap above where a message goes on."""
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

    def _paint_text(
        self, painter: QPainter, row: ContextRow, place: Columns, right: float, top: float
    ) -> None:
        font = QFont(theme.font("mono" if row.kind == "marker" else "small"))
        font.setStrikeOut(row.reason == "excluded")
        is_faint = row.reason is not None or row.text.isspace()
        role = "accent.base" if row.kind == "marker" else "text.muted" if is_faint else "text.primary"
        has_line_below = not self._is_wide and (
            row.reason is not None or bool(row.note and row.kind in NOTED)
        )
        most = 1 if self._is_wide else max(1, self._lines(row) - has_line_below)
        words = f"{row.lead} {row.shown}" if row.lead and self._is_wide else row.shown
        lines = elided_lines(around(words, self.sought), font, right - place.text, most)
        for number, line in enumerate(lines):
            if self.sought is not None:
                draw_matches(painter, line, font, self.sought, place.text, top + number * LINE_PX)
            draw_line(painter, line, font, role, place.text, top + number * LINE_PX, right - place.text)
        if has_line_below:
            self._paint_reason_below(painter, row, place, top + len(lines) * LINE_PX)

    def _paint_remedy(self, painter: QPainter, words: str, right: float, top: float) -> float:
        """Paint the remedy at the end of the line; return the width it takes."""
        if not words:
            return 0.0
        width = width_of(words, bold("small"))
        draw_line(painter, words, bold("small"), "text.link", right - width, top, width + 1)
        return width + GAP_PX

    def _paint_reason(self, painter: QPainter, row: ContextRow, right: float, top: float) -> float:
        """Paint the reason at the end of the line; return the width it takes."""
        start = right
        chip = self._chip_in_line(row, right, top)
        if not chip.isEmpty():
            paint_chip(painter, chip, "scissors", row.note)
            return chip.width() + GAP_PX
        words = row.note if row.reason is None else reason_words(row.reason)
        if words and row.kind != "system":
            width = width_of(words, theme.font("small"))
            right -= width
            draw_line(painter, words, theme.font("small"), "text.muted", right, top, width + 1)
            if row.reason is not None:
                right -= 20
                theme.paint(painter, REASON_ICONS[row.reason], "text.muted", QRectF(right, top + 1, 14, 14))
            right -= GAP_PX
        return start - right

    def _paint_reason_below(self, painter: QPainter, row: ContextRow, place: Columns, top: float) -> None:
        left = place.text
        words = row.note
        if row.shortened is not None:
            paint_chip(painter, self._chip_below(row, place, top), "scissors", row.note)
            return
        if row.reason is not None:
            theme.paint(painter, REASON_ICONS[row.reason], "text.muted", QRectF(left, top + 1, 14, 14))
            left, words = left + 20, reason_words(row.reason)
        draw_line(painter, words, theme.font("small"), "text.muted", left, top, place.right - left)
        remedy = self.remedy_of(row)
        if row.reason is not None and remedy:
            left += width_of(words, theme.font("small")) + GAP_PX
            draw_line(painter, remedy, bold("small"), "text.link", left, top, place.edge - left)

    def _chip_in_line(self, row: ContextRow, right: float, top: float) -> QRectF:
        """Return the place of the chip of what is shortened, at the end of a line; empty if there is none."""
        if row.shortened is None:
            return QRectF()
        width = chip_width(row.note)
        return QRectF(right - width, top - 2, width, CHIP_PX)

    def _chip_below(self, row: ContextRow, place: Columns, top: float) -> QRectF:
        width = min(float(chip_width(row.note)), place.right - place.text)
        return QRectF(place.text, top, width, CHIP_PX)

    def chip_rect(self, row: ContextRow, rect: QRect) -> QRect:
        """Return the chip of what is shortened in a row; empty if it has none. In a wide list it gives way to
        the remedy under the pointer, so that a little more counts there.
        """
        if row.shortened is None:
            return QRect()
        place, top = self._place(row), rect.top() + 7.0
        if not self._is_wide:
            lines = max(1, self._lines(row) - 1)
            return self._chip_below(row, place, top + lines * LINE_PX).toAlignedRect()
        remedy = self.remedy_of(row)
        right = place.right - (width_of(remedy, bold("small")) + GAP_PX if remedy else 0.0)
        return self._chip_in_line(row, right, top).toAlignedRect()

    def remedy_rect(self, row: ContextRow, rect: QRect) -> QRect:
        """Return the rectangle in which the remedy of a row can be clicked; empty if it has none."""
        remedy = self.remedy_of(row)
        if not remedy:
            return QRect()
        place = self._place(row)
        width = round(width_of(remedy, bold("small"))) + 8
        if row.kind == "info":
            return QRect(rect.right() - EDGE_PX - 10 - width, rect.top(), width + 4, rect.height())
        if self._is_wide:
            return QRect(round(place.right) - width + 4, rect.top(), width, rect.height())
        if row.reason is None:
            return QRect(round(place.right) - width + 4, rect.top(), width, LINE_PX + 14)
        left = place.text + 20 + GAP_PX + width_of(reason_words(row.reason), theme.font("small"))
        return QRect(round(left) - 4, rect.top() + 7 + LINE_PX - 4, width, LINE_PX + 8)

    def switch_rect(self, row: ContextRow, rect: QRect) -> QRect:
        """Return the rectangle in which a row can be switched; empty if it cannot."""
        if not self.can_switch(row):
            return QRect()
        return QRect(rect.left() + 4, rect.top(), SWITCH_PX + 4, rect.height())

    def _paint_switch(self, painter: QPainter, room: QRect, *, is_on: bool) -> None:
        box = QRectF(room.left() + 6.5, room.top() + 7.5, 15, 15)
        painter.setPen(QPen(theme.colour("accent.base" if is_on else "border.strong"), 1))
        painter.setBrush(theme.colour("accent.base") if is_on else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 4, 4)
        if is_on:
            theme.paint(painter, "check", "surface.panel", box.adjusted(2, 2, -2, -2))

    def _paint_info(self, painter: QPainter, row: ContextRow, rect: QRectF) -> None:
        warns = row.note == "warning"
        theme.draw_in(painter, fill="state.warning_soft" if warns else "surface.hover")
        box = rect.adjusted(EDGE_PX, 3, -EDGE_PX, -3)
        painter.drawRoundedRect(box, 6, 6)
        icon, role = ("triangle-alert", "state.warning") if warns else ("info", "text.muted")
        theme.paint(painter, icon, role, QRectF(box.left() + 12, box.top() + 8, 16, 16))
        left = box.left() + 38
        font = theme.font("small")
        words = f"{row.lead} {row.text}" if row.lead and self._is_wide else row.text
        remedy = self.remedy_of(row)
        right = box.right() - 10
        right -= self._paint_remedy(painter, remedy, right, box.top() + 8)
        lines = elided_lines(words, font, right - left, 1 if self.uniform else 3)
        for number, line in enumerate(lines):
            top = box.top() + 8 + number * LINE_PX
            draw_line(
                painter, line, font, "text.primary" if warns else "text.secondary", left, top, box.width()
            )
