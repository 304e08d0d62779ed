"""The order of creation of a tree's nodes, or of its edges, and lists of keys that are sorted by it."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import TypeVar

from loomapp.core.model.overlay import overlay_of

V = TypeVar("V")


class CreationOrder:
    """The place of each row, of those that left too: 0, 1, 2, … A row that comes back has its place again."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self.places = {key: place for place, key in enumerate(keys)}
        self.is_restored = True  # False while rows that came back stand behind younger ones

    def over(self) -> CreationOrder:
        """Return an order that is as this one, and into which rows may come without moving this one."""
        found = CreationOrder()
        found.places, found.is_restored = overlay_of(self.places), self.is_restored
        return found

    def admit(self, key: str, rows: dict[str, V]) -> None:
        """Give a place to a row that is about to come: behind all others, or the one it had."""
        if key not in self.places:
            self.places[key] = len(self.places)
            return
        place, last = self.places[key], next(reversed(rows.keys()), None)
        if last is not None and self.places[last] > place:
            self.is_restored = False

    def restored(self, rows: dict[str, V]) -> dict[str, V]:
        """Return the rows in order of creation: the same ones, unless some came back among others."""
        if self.is_restored:
            return rows
        self.is_restored = True
        return {key: rows[key] for key in sorted(rows, key=self.places.__getitem__)}

    def insert(self, keys: list[str], key: str) -> None:
        """Put a key into a list that is sorted by place: what is new nearly always comes last."""
        places = self.places
        if not keys or places[keys[-1]] < places[key]:
            keys.append(key)
        else:
            insort(keys, key, key=places.__getitem__)

    def remove(self, keys: list[str], key: str) -> None:
        """Take a key out of a list that is sorted by place, without looking at all of it."""
        del keys[bisect_left(keys, self.places[key], key=self.places.__getitem__)]

    def drop(self, lists: dict[str, list[str]], name: str, key: str) -> None:
        """Take a key out of the sorted list of that name, and the list with its last key."""
        self.remove(lists[name], key)
        if not lists[name]:
            del lists[name]
