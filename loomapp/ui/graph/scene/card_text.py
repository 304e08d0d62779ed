"""Words on cards: the types they are set in, their lines, and how many there are."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QTextLayout, QTextOption

from loomapp.ui.look import theme

MOST_LINES = 3
LONG_TEXT = 160  # characters that never fit on three lines
SURE_LENGTH = 90  # most texts of so many characters do not fit on two
OVERHANG = 12  # px, a letter: what a line may take beyond the advance of its text, at most 6 as measured
CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), "�")
OPTION = QTextOption()
OPTION.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)


def squeezed(text: str, length: int = LONG_TEXT) -> str:
    """The beginning of a text in one run: white space is no shape on a card. What has no shape becomes �."""
    words = " ".join(text[: length * 2].split())[: length + 1]
    if words.isprintable():
        return words
    return _from_units(_units(words.translate(CONTROLS)))


def line_count(text: str, width: float) -> int:
    """Return the number of lines a squeezed text takes on a card: 1 to 3."""
    beginning = text if len(text) <= SURE_LENGTH else text[:SURE_LENGTH]
    advance = metrics("small").horizontalAdvance(beginning)
    if advance > (MOST_LINES - 1) * width + OVERHANG:  # spaces may hang over the end of each line
        return MOST_LINES
    if advance <= width - OVERHANG and beginning is text:  # so may the last letter, or a hyphen that shows
        return 1
    return max(1, min(MOST_LINES, len(wrapped(text, width, MOST_LINES, "small"))))


@lru_cache(maxsize=4096)
def wrapped(text: str, width: float, most: int, type_name: str) -> tuple[str, ...]:
    """A text in lines of a type no wider than `width`, at most so many, the last one ending in … if cut."""
    layout = QTextLayout(text, font(type_name))
    layout.setTextOption(OPTION)
    units = _units(text)
    lines: list[str] = []
    layout.beginLayout()
    while len(lines) < most:
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        start, end = 2 * line.textStart(), 2 * (line.textStart() + line.textLength())
        if len(lines) == most - 1 and end < len(units):
            rest = _from_units(units[start:])
            lines.append(metrics(type_name).elidedText(rest, Qt.TextElideMode.ElideRight, width))
            break
        lines.append(_from_units(units[start:end]).rstrip())
    layout.endLayout()
    return tuple(lines)


def _units(text: str) -> bytes:
    """Return a text in Qt's units: two bytes each, an emoji takes two or more."""
    return text.encode("utf-16-le", "surrogatepass")


def _from_units(units: bytes) -> str:
    return units.decode("utf-16-le", "replace")


@lru_cache(maxsize=4096)
def reads_leftwards(text: str) -> bool:
    """True for a text whose first letter belongs to a script that is written from right to left."""
    if text.isascii():
        return False
    kinds = (unicodedata.bidirectional(letter) for letter in text)
    return next((kind != "L" for kind in kinds if kind in {"L", "R", "AL"}), False)


def tail(text: str, width: float, most: int = MOST_LINES) -> tuple[str, ...]:
    """The last lines of a text that grows, starting with … when there is more before them."""
    recent = squeezed(text[-2 * LONG_TEXT :], 2 * LONG_TEXT)
    lines = wrapped(recent, width, 24, "small")
    if len(lines) <= most and len(text) <= 2 * LONG_TEXT:
        return lines
    first, *others = lines[-most:]
    return (f"… {first}" if len(first) < 20 else f"…{first[2:]}", *others)


@lru_cache
def font(type_name: str) -> QFont:
    """A type of the theme, or one of the cards' own: name, count, small_strong, struck."""
    match type_name:
        case "name":
            result = theme.font("caption")
            result.setWeight(QFont.Weight.DemiBold)
        case "count":
            result = theme.numbers("caption")
        case "small_strong":
            result = theme.font("small")
            result.setWeight(QFont.Weight.DemiBold)
        case "struck":
            result = theme.font("small")
            result.setStrikeOut(True)
        case _:
            result = theme.font(type_name)
    return result


@lru_cache
def metrics(type_name: str) -> QFontMetricsF:
    return QFontMetricsF(font(type_name))


def forget_fonts() -> None:
    for kept in (font, metrics, wrapped):
        kept.cache_clear()
