"""Ids of their own for what shares one in a file of another program: nothing is lost for its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def with_own_ids(items: Iterable[tuple[str, Item]]) -> tuple[dict[str, Item], int]:
    """Items by their ids. One that has the id of another gets one of its own, and is counted; the same item
    once more is passed over.
    """
    found: dict[str, Item] = {}
    several: dict[str, _Several] = {}
    renamed = 0
    for key, item in items:
        if key not in found:
            found[key] = item
            continue
        others = several.get(key)
        if others is None:
            others = several[key] = _Several(found[key])
        if not others.has(item):
            found[others.name(key, found)] = item
            renamed += 1
    return found, renamed


class _Several:
    """Items of one id. They are known again by how they print: to compare each with each takes too long."""

    def __init__(self, first: object) -> None:
        self._prints: set[int] = set()
        self._number = 1
        self.has(first)

    def has(self, item: object) -> bool:
        """Tell whether such an item was here before; from now on it was."""
        try:
            printed = hash(repr(item))
        except RecursionError:  # too deep to be compared: kept, rather than lost
            return False
        is_here = printed in self._prints
        self._prints.add(printed)
        return is_here

    def name(self, key: str, taken: dict[str, Item]) -> str:
        """The next id that no item has."""
        while (own := f"{key}-{self._number + 1}") in taken:
            self._number += 1
        return own
