"""Mapping between an exact text and the editor's document: nothing is ever read back changed."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import well_formed
from loomapp.core.text.graphemes import is_inside
from loomapp.ui.strings import utf16_length

LONGEST_BLOCK = 4_000  # characters; a longer paragraph is several blocks in the view, and only there
WIDE_COST = 8  # a character beyond U+FFFF, mostly a picture, takes so much longer to lay out than a letter
NEAR = 64  # characters looked back over for a place between two
FAR = 400  # characters looked at for one that has a direction
MOST_SPACES = 100  # looked at for one behind which a block may begin
VIRAMA = 9  # the class of signs that join two consonants in the scripts of India
BREAKS = re.compile("[\n\u2029]")
SEAM = "\u2029"

# What a QTextDocument takes for something else, each by one character of the same length. The last two are
# signs of an encoding where a text that Qt is handed begins with one: it is dropped, and one swaps all bytes.
STAND_INS = str.maketrans(
    {
        "\r": "\u200b",
        "\0": "\u2400",
        "\ufdd0": "\ufffd",
        "\ufdd1": "\ufffd",
        "\ufffc": "\ufffd",
        "\ufeff": "\u200b",
        "\ufffe": "\ufffd",
    }
)
STOOD_FOR = re.compile("[" + "".join(map(chr, STAND_INS)) + "]")
# What cannot be read back from one: it has another character in its place, or a break of lines.
READ_AS_OTHERS = frozenset(chr(code) for code in STAND_INS) | {"\u2028", "\u2029"}


@dataclass(frozen=True, slots=True)
class Splice:
    """The characters from `begin` to `end` of an exact text are replaced by `text`."""

    begin: int
    end: int
    text: str

    def applied(self, text: str) -> str:
        return "".join((text[: self.begin], self.text, text[self.end :]))  # a megabyte is copied only twice


@dataclass(frozen=True, slots=True)
class DocumentSplice:
    """Change that was made to a document: a splice of its text, and the units that it removed."""

    splice: Splice
    first: int
    last: int
    harms_tail: bool  # what is only shown is another too
    is_behind: bool = False  # it was done behind what is only shown


def stood_in(text: str) -> str:
    """A text as a document can have it; looking first costs a long one a tenth of replacing."""
    return text.translate(STAND_INS) if STOOD_FOR.search(text) else text


class ViewText:
    """An exact text in code points, and its places in a document in UTF-16 units.

    Three things move the places: a character beyond U+FFFF takes two units; a seam, which splits a long
    paragraph in the view, takes one that is no character of the text; and a tail, which is only shown, stands
    at one position of it, nearly always its end. That position is before the tail and behind it.
    `own` units are those of the text alone, without the tail.
    """

    def __init__(self) -> None:
        self.text = ""
        self.tail_at = 0  # position
        self.tail_units = 0
        self.writes_behind = (
            False  # what is written in the tail or behind it stands behind it, else before it
        )
        self._odd: NDArray[np.int64] = np.zeros(0, np.int64)  # in units, ascending
        self._seam: NDArray[np.bool_] = np.zeros(0, np.bool_)  # which of them are seams

    def start_over(self, text: str) -> str:
        """Hold another text; return what the document is to be filled with."""
        self.text = ""
        self._odd, self._seam = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        self.tail_at = self.tail_units = 0
        return self.splice(Splice(0, 0, text), 0, 0, seams=True)

    @property
    def length(self) -> int:
        """Return the number of units that the text takes in the document, without the tail."""
        return self.own_unit(len(self.text))

    @property
    def tail_begin(self) -> int:
        return self.own_unit(self.tail_at)

    @property
    def tail_end(self) -> int:
        return self.tail_begin + self.tail_units

    def unit(self, position: int) -> int:
        """Return the unit of the document for a position of the text: after a seam, before the tail.
        Positions beyond the end of the text are in the tail there.
        """
        is_behind = self.tail_at < position and self.tail_at < len(self.text)
        return self.own_unit(position) + (self.tail_units if is_behind else 0)

    def position(self, unit: int) -> int:
        """The position of the text at a place in the document; in the tail, where that stands."""
        return self.own_position(self.own(unit))

    def own(self, unit: int) -> int:
        """Return a place in the document without the tail; in the tail, where that stands."""
        if not self.tail_units or unit <= (begin := self.tail_begin):
            return unit
        return max(begin, unit - self.tail_units)

    def own_unit(self, position: int) -> int:
        """Return the unit that a position would have without the tail."""
        odd = self._odd
        if not len(odd):
            return position
        found = bisect_left(range(len(odd)), 2 * position + 1, key=self._key)
        return position + found

    def own_position(self, unit: int) -> int:
        if not len(self._odd):
            return min(unit, len(self.text))
        before = int(np.searchsorted(self._odd, unit))
        return min(unit - before, len(self.text))

    @property
    def has_seams(self) -> bool:
        return len(self._seam) > 0 and bool(self._seam.any())

    def is_seam(self, unit: int) -> bool:
        """Return True if a unit of the document stands for no character."""
        if not len(self._odd) or (self.tail_units and self.tail_begin <= unit < self.tail_end):
            return False
        unit = self.own(unit)
        place = int(np.searchsorted(self._odd, unit))
        return place < len(self._odd) and self._odd[place] == unit and bool(self._seam[place])

    def shown(self, begin: int, end: int) -> str:
        """Return the document's text between two own units, line breaks as U+2029."""
        text = stood_in(self.text[self.own_position(begin) : self.own_position(end)]).replace("\n", SEAM)
        if not len(self._odd):
            return text
        first, last = np.searchsorted(self._odd, (begin, end))
        seams = self._odd[first:last][self._seam[first:last]]
        if not len(seams):
            return text
        pieces, at = [], self.own_position(begin)
        offset = at
        for unit in seams:
            place = self.own_position(int(unit))
            pieces += [text[at - offset : place - offset], SEAM]
            at = place
        return "".join((*pieces, text[at - offset :]))

    def splice(self, splice: Splice, begin: int, end: int, *, seams: bool = False) -> str:
        """Take a splice in, whose removed characters are the own units from `begin` to `end`; what is to
        stand there instead. Long lines in it are split if `seams`. The tail stays where it is; who puts
        something before it moves `tail_at` by that.
        """
        shown = stood_in(splice.text)
        cuts = _cuts(shown) if seams and len(shown) * WIDE_COST > LONGEST_BLOCK else []
        self.text = splice.applied(self.text)
        if not cuts and not len(self._odd) and shown.isascii():
            return shown
        odd, seam = _oddities(shown, cuts)
        if cuts:
            shown = SEAM.join(shown[a:b] for a, b in zip([0, *cuts], [*cuts, len(shown)], strict=True))
        first, last = np.searchsorted(self._odd, (begin, end))
        if len(self._odd) or len(odd):
            moved = self._odd[last:] + (utf16_length(shown) - (end - begin))
            self._odd = np.concatenate((self._odd[:first], odd + begin, moved))
            self._seam = np.concatenate((self._seam[:first], seam, self._seam[last:]))
        return shown

    def add_seam(self, unit: int) -> None:
        """Note that the document was split at a unit."""
        unit = self.own(unit)
        place = int(np.searchsorted(self._odd, unit))
        self._odd = np.concatenate((self._odd[:place], np.array([unit]), self._odd[place:] + 1))
        self._seam = np.insert(self._seam, place, True)

    def drop_seam(self, unit: int) -> None:
        unit = self.own(unit)
        place = int(np.searchsorted(self._odd, unit))
        self._odd = np.concatenate((self._odd[:place], self._odd[place + 1 :] - 1))
        self._seam = np.delete(self._seam, place)

    def read(
        self, begin: int, removed: int, added: str, *, tail: str = "", behind: str | None = None
    ) -> DocumentSplice | None:
        """Return the change that was made to the document: units removed at `begin`, and `added` put there.

        `tail` is what is only shown, breaks of lines as U+2029. `behind` is the end of `added` after the
        caret: if a person wrote at the caret it was there before. None if nothing is another. Qt may name
        more than what changed: what is the same at both ends is no part of it.
        """
        old = self._shown_with(tail, begin, begin + removed) if removed else ""
        is_sure = behind is not None and old.endswith(behind)
        rest = sure = len(behind) if is_sure and behind else 0
        most = min(len(old), len(added)) - rest
        head = 0
        while head < most and old[head] == added[head]:
            head += 1
        while rest < min(len(old), len(added)) - head and old[-1 - rest] == added[-1 - rest]:
            rest += 1
        if is_sure and tail and begin + utf16_length(old[: len(old) - rest]) > self.tail_begin:
            rest = sure  # it was written over the tail: what looks like the end of that is not
        until = len(old) - rest
        written = added[head : len(added) - rest].replace(SEAM, "\n").replace("\u2028", "\n")
        if head == until and not written:
            return None
        first = begin + utf16_length(old[:head])
        return self._found(first, first + utf16_length(old[head:until]), well_formed(written))

    def _found(self, first: int, last: int, written: str) -> DocumentSplice:
        """Return the text's part of a change that replaced units of the document."""
        at, end = self.tail_begin, self.tail_end
        is_behind = self.writes_behind and at < end and first > at
        harms = first < end if is_behind else at < end and max(first, last) > at
        first, last = self.own(first), self.own(last)
        splice = Splice(self.own_position(first), self.own_position(last), written)
        return DocumentSplice(splice, first, last, harms, is_behind)

    def _shown_with(self, tail: str, begin: int, end: int) -> str:
        """Return the document's text between two units, the tail included."""
        at, size, length = self.tail_begin, utf16_length(tail), self.length
        before = self.shown(min(begin, at), min(end, at)) if begin < at else ""
        there = _units_of(tail, begin - at, end - at)
        first, last = max(at, begin - size), min(length, end - size)
        return before + there + (self.shown(first, last) if first < last else "")

    def _key(self, index: int) -> int:
        """Return the sort key of an odd unit: its place in the text doubled, plus 1 if it is no seam."""
        return 2 * (int(self._odd[index]) - index) + (0 if self._seam[index] else 1)


def _units_of(text: str, begin: int, end: int) -> str:
    """Return the characters of a text from one unit to another."""
    begin, end = max(0, begin), max(0, end)
    if text.isascii():
        return text[begin:end]
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * begin : 2 * end].decode("utf-16-le", "surrogatepass")


def change_between(before: str, after: str) -> Splice:
    """The one splice that makes a text another; what both begin and end with stays."""
    head = _same(before, after)
    most = min(len(before), len(after)) - head
    tail = _same_end(before, after, most)
    return Splice(head, len(before) - tail, after[head : len(after) - tail])


def _same(a: str, b: str) -> int:
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _same_end(a: str, b: str, most: int) -> int:
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle
    return low


def _cuts(shown: str) -> list[int]:
    """Return the places to split long lines: after a space if there is one not far before, never inside a
    character of several units; and so that the rest is read in its paragraph's direction.
    """
    wide = _wide_in(shown)
    if not len(wide) and len(shown) <= LONGEST_BLOCK:
        return []
    found: list[int] = []
    begin = 0
    for end in (*(found.start() for found in BREAKS.finditer(shown)), len(shown)):
        at = begin
        while (until := _reach(wide, at, end)) < end:
            at = _place_to_cut(shown, begin, (at + until) // 2, until)
            found.append(at)
        begin = end + 1
    return found


def _place_to_cut(shown: str, begin: int, least: int, most: int) -> int:
    """The last good place to split the paragraph that begins somewhere, between two others."""
    space = most
    wanted = None if shown.isascii() else direction(shown, begin)
    for _ in range(MOST_SPACES):
        space = shown.rfind(" ", least, space)
        if space < 0:
            break
        leads = None if wanted is None else direction(shown, space + 1)
        if not is_inside(shown, space + 1) and leads in (wanted, None):
            return space + 1
    return _between_characters(shown, most)


def direction(text: str, begin: int) -> str | None:
    """`R` or `L` by the first letter that has a direction from a place on; None if none near has."""
    for character in text[begin : begin + FAR]:
        kind = unicodedata.bidirectional(character)
        if kind in ("L", "R", "AL"):
            return kind[-1] if kind == "L" else "R"
    return None


def _reach(wide: NDArray[np.int64], at: int, end: int) -> int:
    """Return how far a block that begins at `at` may reach in a line that ends at `end`."""
    most = min(end, at + LONGEST_BLOCK)
    if not len(wide) or (most - at) * WIDE_COST <= LONGEST_BLOCK:
        return most
    first, last = np.searchsorted(wide, (at, most))
    # Up to each of them.
    costs = wide[first:last] - at + WIDE_COST + np.arange(last - first) * (WIDE_COST - 1)
    fit = int(np.searchsorted(costs, LONGEST_BLOCK, "right"))
    next_wide = int(wide[first + fit]) if fit < len(costs) else most
    return min(next_wide, at + LONGEST_BLOCK - fit * (WIDE_COST - 1))


def _between_characters(shown: str, at: int) -> int:
    """The nearest place before where nothing is torn that is one character to a reader, nor two consonants
    that one sign joins.
    """
    place = at
    while place > at - NEAR and (is_inside(shown, place) or _joins(shown[place - 1], shown[place])):
        place -= 1
    return place if place > at - NEAR else at


def _joins(before: str, after: str) -> bool:
    return unicodedata.category(after) == "Cf" or unicodedata.combining(before) == VIRAMA


def _oddities(shown: str, cuts: list[int]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the odd units of a text that is split at some places, and which are seams."""
    wide = _wide_in(shown)
    places = np.concatenate((np.array(cuts, np.int64), wide))
    seams = np.concatenate((np.ones(len(cuts), np.bool_), np.zeros(len(wide), np.bool_)))
    order = np.lexsort((~seams, places))
    return places[order] + np.arange(len(places)), seams[order]


def _wide_in(shown: str) -> NDArray[np.int64]:
    """Return the indices of characters beyond U+FFFF."""
    if shown.isascii() or utf16_length(shown) == len(shown):
        return np.zeros(0, np.int64)
    points = np.frombuffer(shown.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.nonzero(points > 0xFFFF)[0].astype(np.int64)
