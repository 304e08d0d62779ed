"""Entries of the palette: one shape, whatever they lead to, the best for a query, and how they are drawn."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from loomapp.core.dataclass import dataclass
from loomapp.core.text.query import MatchQuality, marks, match, terms
from loomapp.ui.look import theme
from loomapp.ui.strings import tr

Kind: TypeAlias = Literal["action", "setting", "told", "tree", "bookmark", "tag", "document", "agent", "node"]

COMMAND_SIGN = ">"
MOST_ENTRIES = 60
LEAST_INSIDE = 3  # letters, from which on they are looked for at the words inside of other words for an entry
AT_ONCE_PLACE, BOOKMARK_PLACE, TEXT_PLACE = 0, 1, 2  # texts by how they stand, each time those elsewhere last
LOOSE_PLACE = TEXT_PLACE + 2 * len(MatchQuality)  # a bookmark elsewhere that has the typed letters somewhere


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One thing to go to, to do, or to be told: then the title says all. `key` is the name of an action, tag
    or field of the settings, or the id of a tree, agent or node.

    `where` says what it is (its menu, "Tree", an author), `keys` what to press instead, `why_not` why it
    cannot be done now. `places` are the letters of the title that were typed. `tree` is the id of the tree
    that a bookmark or node is in, if that is not the open one. `place` orders what is found later.
    `synonyms` are other words that find it, in lower case.
    """

    kind: Kind
    key: str
    title: str
    where: str = ""
    icon: str = ""
    keys: str = ""
    why_not: str = ""
    places: tuple[int, ...] = ()
    tree: str = ""
    place: int = AT_ONCE_PLACE
    synonyms: tuple[str, ...] = ()


def place_of_text(standing: MatchQuality, *, is_elsewhere: bool = False) -> int:
    """Return the rank of a text among later finds: matches as typed first, then the open tree's first."""
    return TEXT_PLACE + 2 * standing + is_elsewhere


def marked(entry: PaletteEntry, query: str) -> PaletteEntry:
    found = marks(entry.title, terms(query))
    return replace(entry, places=tuple(at for begin, end in found for at in range(begin, end)))


def is_for_commands(query: str) -> bool:
    return query.lstrip().startswith(COMMAND_SIGN)


def words_of(query: str) -> str:
    return query.lstrip().removeprefix(COMMAND_SIGN).strip()


def best(entries: Iterable[PaletteEntry], query: str) -> list[PaletteEntry]:
    """Return the entries that match, best first; without a query all in their order."""
    words = words_of(query)
    commands = ("action", "setting", "told")
    wanted = [e for e in entries if e.kind in commands] if is_for_commands(query) else list(entries)
    if not words:
        return [entry for entry in wanted if entry.kind not in ("setting", "told")]
    found = []
    for place, entry in enumerate(wanted):
        hit, synonym = match(words, entry.title), _synonym(entry, words)
        if synonym:
            named = replace(entry, where=" · ".join(filter(None, (entry.where, synonym))))
            typed = words.casefold()
            loose = 0 if typed == synonym else 1
            inside = int(not synonym.startswith(typed))
            found.append(((3 if entry.why_not else loose, bool(loose), inside, place), named))
        elif hit is not None and entry.kind != "told":
            later = not entry.title.casefold().startswith(words.casefold())
            rank = (_rank(entry, words), later, -hit.score, place)
            found.append((rank, replace(entry, places=hit.places)))
    found.sort(key=lambda pair: pair[0])
    return [entry for _, entry in found[:MOST_ENTRIES]]


def _synonym(entry: PaletteEntry, words: str) -> str:
    """Return the other word for an entry that begins as what is typed, else one with a word inside that does;
    none where its title has that.
    """
    typed = words.casefold()
    if typed in entry.title.casefold() and entry.kind != "told":
        return ""
    begins = next((word for word in entry.synonyms if word.startswith(typed)), "")
    if begins or len(typed) < LEAST_INSIDE:
        return begins
    return next((word for word in entry.synonyms if f" {typed}" in word), "")


def _rank(entry: PaletteEntry, words: str) -> int:
    """Rank what can be done first. But whoever types the name of a command that cannot be done now is told
    why, before Enter does another one that only has these letters somewhere.
    """
    title, typed = entry.title.casefold(), words.casefold()
    if entry.why_not:
        return 1 if title.startswith(typed) else 3
    return 0 if typed in title else 2


Index = QModelIndex | QPersistentModelIndex
ENTRY_ROLE = Qt.ItemDataRole.UserRole
ROW_PX = 32
PADDING_PX = 12
TITLE_X = 36


class PaletteRows(QAbstractListModel):
    """Entries; those found later stand behind those found at once, but before what cannot be done now."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._entries: list[PaletteEntry] = []

    def show(self, entries: Sequence[PaletteEntry]) -> None:
        self.beginResetModel()
        self._entries = list(entries)
        self.endResetModel()

    def add(self, entries: Sequence[PaletteEntry], firm: int = 0) -> None:
        """More of them, in the order of their places, each behind those of its place that stood here; the
        first rows stay where they are, as many as are `firm`.
        """
        for place, group in itertools.groupby(entries, key=lambda entry: entry.place):
            more = list(group)
            free = itertools.takewhile(lambda known: not known.why_not, self._entries[firm:])
            at = firm + sum(known.place <= place for known in free)
            self.beginInsertRows(QModelIndex(), at, at + len(more) - 1)
            self._entries[at:at] = more
            self.endInsertRows()

    def entry(self, index: Index) -> PaletteEntry:
        return self._entries[index.row()]

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the title to see, the whole entry to hear."""
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return sentence(entry)
        return entry if role == ENTRY_ROLE else None


def sentence(entry: PaletteEntry) -> str:
    cannot = tr("not now: {why}").format(why=entry.why_not) if entry.why_not else ""
    return ", ".join(filter(None, (entry.title, entry.where, entry.keys, cannot)))


class PaletteRowPainter(QStyledItemDelegate):
    """Icon, title with the typed letters standing out, and at the right what it is and its keys."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry = index.data(ENTRY_ROLE)
        assert isinstance(entry, PaletteEntry), "the rows of a palette are entries"
        row = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, row, option.state)
        role = "text.muted" if entry.why_not else "text.secondary"
        icon = QRectF(row.left() + PADDING_PX, row.center().y() - 7, 16, 16)
        theme.paint(painter, entry.icon or "corner-down-right", role, icon)
        right = self._paint_end(painter, row.adjusted(0, 0, -PADDING_PX, 0), entry)
        self._paint_title(
            painter, QRect(row.left() + TITLE_X, row.top(), right - row.left() - TITLE_X, row.height()), entry
        )
        painter.restore()

    def _paint_ground(self, painter: QPainter, row: QRect, state: QStyle.StateFlag) -> None:
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        if not chosen and not state & QStyle.StateFlag.State_MouseOver:
            return
        radius = theme.metric("radius.control")
        theme.draw_in(painter, fill="surface.selected" if chosen else "surface.hover")
        painter.drawRoundedRect(QRectF(row), radius, radius)
        if chosen:
            painter.setBrush(theme.colour("accent.base"))
            painter.drawRoundedRect(QRectF(row.left(), row.center().y() - 7, 3, 16), 1.5, 1.5)

    def _paint_end(self, painter: QPainter, row: QRect, entry: PaletteEntry) -> int:
        """Paint keys, or why not, and the kind; return where the title must end."""
        right = row.right()
        if entry.keys and not entry.why_not:
            right = self._paint_key(painter, row, entry.keys) - 10
        words = entry.why_not or entry.where
        theme.write_in(painter, "small", "text.muted")
        most = (row.width() - TITLE_X) * 6 // 10 if entry.why_not else (row.width() - TITLE_X) // 3
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, most)
        width = painter.fontMetrics().horizontalAdvance(shown)
        box = QRect(right - width, row.top(), width, row.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)
        return box.left() - 12

    def _paint_key(self, painter: QPainter, row: QRect, keys: str) -> int:
        font = theme.font("caption")
        width = QFontMetrics(font).horizontalAdvance(keys) + 12
        box = QRectF(row.right() - width + 0.5, row.center().y() - 8.5, width, 18)
        theme.draw_in(painter, "border.normal", "surface.raised")
        painter.drawRoundedRect(box, 4, 4)
        painter.setFont(font)
        painter.setPen(theme.colour("text.secondary"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, keys)
        return int(box.left())

    def _paint_title(self, painter: QPainter, box: QRect, entry: PaletteEntry) -> None:
        plain, strong = theme.font("ui"), theme.font("ui_strong")
        shown = QFontMetrics(strong).elidedText(entry.title, Qt.TextElideMode.ElideRight, box.width())
        x = box.left()
        for text, typed in _runs(shown, frozenset(entry.places)):
            font: QFont = strong if typed else plain
            role = "text.muted" if entry.why_not else "accent.base" if typed else "text.primary"
            painter.setFont(font)
            painter.setPen(theme.colour(role))
            width = QFontMetrics(font).horizontalAdvance(text)
            painter.drawText(
                QRect(x, box.top(), width + 2, box.height()), Qt.AlignmentFlag.AlignVCenter, text
            )
            x += width


def _runs(title: str, places: frozenset[int]) -> list[tuple[str, bool]]:
    """Cut the title where typed and other letters meet."""
    runs: list[tuple[str, bool]] = []
    for at, letter in enumerate(title):
        typed = at in places
        if runs and runs[-1][1] == typed:
            runs[-1] = (runs[-1][0] + letter, typed)
        else:
            runs.append((letter, typed))
    return runs
