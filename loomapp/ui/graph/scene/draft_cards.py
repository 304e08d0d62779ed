"""Cards of drafts: those that are no nodes yet, each under the node that it continues, after its siblings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from loomapp.core.layout.card_table import CardTable


class DraftCards:
    """Drafts that have cards, by key. Each call is given the table of all cards as it is now."""

    def __init__(self) -> None:
        self._parents: Mapping[str, str] = {}  # key -> the node it hangs under

    def __contains__(self, card: str) -> bool:
        return card in self._parents

    def __iter__(self) -> Iterator[str]:
        """Yield their keys, the oldest first."""
        return iter(self._parents)

    def replace(self, parents: Mapping[str, str]) -> Mapping[str, str]:
        """Take the drafts that there are now, by the node each hangs under; return those before."""
        before, self._parents = self._parents, parents
        return before

    def join(self, roster: CardTable, keys: Iterable[str]) -> tuple[int, ...]:
        """Give numbers to some of them, those whose parent has a card; return the numbers."""
        joined = []
        for key in keys:
            parent = roster.number_of(self._parents[key])
            if parent is not None:
                joined.append(roster.join(key, parent))
        self.put_last(roster)
        return tuple(joined)

    def put_last(self, roster: CardTable) -> None:
        """Put drafts after their siblings, as they stand when the tree is opened again."""
        families: dict[int, list[int]] = {}
        for number in self.numbers(roster):
            families.setdefault(int(roster.parents[number]), []).append(number)
        for family in families.values():
            roster.put_last(family)

    def numbers(self, roster: CardTable) -> list[int]:
        return [roster.numbers[key] for key in self._parents if key in roster.numbers]
