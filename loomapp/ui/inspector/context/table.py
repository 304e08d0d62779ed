"""Rows of a context as an item model, shown anew without losing the place, and the text of each."""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QStringListModel, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QTextLayout, QTextOption

from loomapp.ui.inspector.context.rows import SHOWN_CHARACTERS, ContextRow, ContextRows
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.words import amounts
from loomapp.ui.widgets.words.context_words import reason_words

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole
TIP_CHARACTERS = 1000
FEW = 500  # rows that come or go one by one; a view takes seconds for many, and no time for all anew


class ContextTable(QStringListModel):
    """One row of the context a line.

    Qt's own list of strings, all of them empty, stands for their number: a view asks for it with every row
    that it lays out, and asked in Python that would take seconds for a long path.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: ContextRows | None = None

    def show(self, rows: ContextRows | None) -> bool:
        """Show these rows; True if they are as many as before, then the view has only to draw them anew."""
        before, now = len(self), 0 if rows is None else len(rows)
        if rows is None or abs(now - before) > FEW:
            self.rows = None
            self.setStringList([""] * now)
        elif now < before:
            self.removeRows(now, before - now)
        self.rows = rows
        if len(self) < now:
            self.insertRows(before, now - before)
        return now == before and rows is not None

    def __len__(self) -> int:
        return self.rowCount()

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let rows be chosen, not edited or dragged."""
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren

    def row(self, index: Index) -> ContextRow:
        assert self.rows is not None, "an index belongs to rows"
        return self.rows[index.row()]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or self.rows is None:
            return None
        if role == ROW_ROLE:
            return self.row(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return spoken(self.row(index))
        if role == Qt.ItemDataRole.ToolTipRole:
            row = self.row(index)
            words = f"{spoken(row, with_text=False)}\n\n{row.text[:TIP_CHARACTERS]}" if row.name else row.text
            return plain_tip(words)
        return None


def spoken(row: ContextRow, *, with_text: bool = True) -> str:
    """A row as a sentence: who, which node, what becomes of it, what it costs, and its words."""
    said = [row.name, row.chip]
    if row.reason is not None:
        said.append(tr("left out: {reason}").format(reason=reason_words(row.reason)))
    elif row.kind != "info":
        said.append(row.note)
    if row.joined:
        said.append(tr("same message as above"))
    if row.tokens is not None:
        count = amounts.tokens(row.tokens)
        said.append(tr("about {count}").format(count=count) if row.is_estimate else count)
    if with_text:
        said.append(row.shown[:TIP_CHARACTERS])
    return " · ".join(filter(None, said))


LINE_PX = 16
MOST_COUNTED = 1_000  # texts; of a longer context rows are all of one height
BEFORE_MATCH = 24  # characters that are shown before what was found


def elided_lines(text: str, font: QFont, width: float, most: int) -> list[str]:
    """Return a text in at most so many lines, the last one ending in … if there is more."""
    return list(_elided(" ".join(text[:SHOWN_CHARACTERS].split()), _KnownFont(font), width, most))


class _KnownFont:
    """A font to remember something by: equal where all that tells fonts apart is."""

    def __init__(self, font: QFont) -> None:
        self.font, self._key = font, font.key()

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KnownFont) and self._key == other._key


@lru_cache(maxsize=MOST_COUNTED)
def _elided(text: str, known: _KnownFont, width: float, most: int) -> list[str]:
    """Remembered: every row in view is painted with every assembly."""
    font = known.font
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


def count_lines(text: str, width: float, most: int) -> int:
    """Return the number of lines that a text takes in the small type, up to a number; an estimate by its
    width.
    """
    return _counted(text[:SHOWN_CHARACTERS], width, most)


@lru_cache(maxsize=MOST_COUNTED)
def _counted(text: str, width: float, most: int) -> int:
    """Remembered: all rows of a context are asked with every assembly, and nearly all say what they said."""
    font = theme.font("small")
    metrics = QFontMetricsF(font)
    if len(text) * metrics.averageCharWidth() < 0.5 * width:
        return 1
    text = " ".join(text.split())
    if metrics.horizontalAdvance(text) <= width:
        return 1
    return max(1, len(_lines_of(text, font, width, most)))


def around(text: str, sought: re.Pattern[str] | None) -> str:
    """The text from shortly before what is sought on, if that would else be out of sight."""
    found = None if sought is None else sought.search(text)
    if found is None or found.end() <= 2 * BEFORE_MATCH:
        return text
    return "…" + text[max(0, found.start() - BEFORE_MATCH) :]


def draw_matches(
    painter: QPainter, line: str, font: QFont, sought: re.Pattern[str], left: float, top: float
) -> None:
    """A ground behind what is sought in a line, and a line below it: colour is not the only sign."""
    metrics = QFontMetricsF(font)
    for found in sought.finditer(line):
        begin = left + metrics.horizontalAdvance(line[: found.start()])
        width = metrics.horizontalAdvance(found.group())
        painter.fillRect(QRectF(begin - 1, top, width + 2, LINE_PX), theme.colour("state.warning_soft"))
        painter.fillRect(QRectF(begin - 1, top + LINE_PX - 1, width + 2, 1), theme.colour("state.warning"))


def bold(type_name: str) -> QFont:
    font = QFont(theme.font(type_name))
    font.setWeight(QFont.Weight.DemiBold)
    return font


def width_of(words: str, font: QFont) -> float:
    return QFontMetricsF(font).horizontalAdvance(words)


def draw_line(
    painter: QPainter, words: str, font: QFont, role: str, left: float, top: float, width: float
) -> None:
    """Draw one line of text at a place, cut off with … at a width."""
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    painter.setPen(theme.colour(role))
    baseline = top + (LINE_PX + metrics.ascent() - metrics.descent()) / 2
    if metrics.horizontalAdvance(words) > width + 1:
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, width)
    painter.drawText(QPointF(left, baseline), words)


def draw_chip(painter: QPainter, words: str, left: float, top: float, *, dashed: bool) -> None:
    """Draw a node's short id in a small frame; dashed where the node is left out."""
    font = theme.font("mono")
    font.setPixelSize(11)
    width = width_of(words, font) + 12
    pen = QPen(theme.colour("border.strong" if dashed else "border.normal"), 1)
    if dashed:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush if dashed else theme.colour("surface.hover"))
    painter.drawRoundedRect(QRectF(left + 0.5, top - 1.5, width, 19), 4, 4)
    draw_line(painter, words, font, "text.muted" if dashed else "text.secondary", left + 6.5, top, width)
