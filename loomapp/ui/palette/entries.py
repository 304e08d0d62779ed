"""Entries of the palette: one shape, whatever they lead to, and the best of them for a query."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from loomapp.core.text.query import MatchQuality, marks, match, terms

Kind: TypeAlias = Literal["action", "tree", "bookmark", "tag", "node"]

COMMAND_SIGN = ">"
MOST_ENTRIES = 60
AT_ONCE_PLACE, BOOKMARK_PLACE, TEXT_PLACE = 0, 1, 2  # texts by how they stand, each time those elsewhere last
LOOSE_PLACE = TEXT_PLACE + 2 * len(MatchQuality)  # a bookmark elsewhere that has the typed letters somewhere


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One thing to go to or do. `key` is the name of an action or tag, or the id of a tree or node.

    `where` says what it is (its menu, "Tree", an author), `keys` what to press instead, `why_not` why it
    cannot be done now. `places` are the letters of the title that were typed. `tree` is the id of the tree
    that a bookmark or node is in, if that is not the open one. `place` orders what is found later.
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
    wanted = [e for e in entries if e.kind == "action"] if is_for_commands(query) else list(entries)
    if not words:
        return wanted
    found = []
    for place, entry in enumerate(wanted):
        hit = match(words, entry.title)
        if hit is not None:
            found.append(((_rank(entry, words), -hit.score, place), replace(entry, places=hit.places)))
    found.sort(key=lambda pair: pair[0])
    return [entry for _, entry in found[:MOST_ENTRIES]]


def _rank(entry: PaletteEntry, words: str) -> int:
    """Rank what can be done first. But whoever types the name of a command that cannot be done now is told
    why, before Enter does another one that only has these letters somewhere.
    """
    title, typed = entry.title.casefold(), words.casefold()
    if entry.why_not:
        return 1 if title.startswith(typed) else 3
    return 0 if typed in title else 2
