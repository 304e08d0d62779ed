"""Cuts of a path: the marks between messages where the sent part begins and ends for want of room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loomapp.core.context.outcomes import ByName, ShownFates, by_name, is_merged
from loomapp.ui.dialogue.script.entries import Cut

SENT = "sent"
NO_ROOM = "truncated"


class Cuts:
    """The fates of a path's messages, and the marks above some of them; runs are counted when one is asked
    for, and only once."""

    def __init__(self, keys: Sequence[str], fates: Mapping[str, str], strategy: str = "") -> None:
        self.fates = fates
        self._keys = keys
        self._strategy = strategy
        self._runs: dict[int, tuple[int, int, int]] = {}  # by both ends: first, end, how many have no room

    def fate(self, key: str) -> str:
        """Return the fate of a node; one that no report names is sent."""
        return self.fates.get(key, SENT)

    def by_name(self, key: str) -> ByName | None:
        """Return the part of a node that goes only by its name."""
        return by_name(self.fates, key)

    def is_merged(self, key: str) -> bool:
        """Tell whether a node is sent as one message with one before it."""
        return is_merged(self.fates, key)

    def above(self, index: int) -> Cut | None:
        """Return the mark above a message, if there is one."""
        sent = self._is_sent(index)
        if index == 0 or sent == self._is_sent(index - 1):
            return None
        first, end, count = self._run(index - 1 if sent else index)
        if not count:
            return None
        if sent:
            return Cut("again" if first else "start", count, self._strategy)
        return Cut("gap" if end < len(self._keys) else "end", count, self._strategy)

    def _is_sent(self, index: int) -> bool:
        return self.fate(self._keys[index]) == SENT

    def _run(self, index: int) -> tuple[int, int, int]:
        """Return the unsent neighbours around one of their ends."""
        found = self._runs.get(index)
        if found is None and isinstance(self.fates, ShownFates):
            found = self.fates.run(self._keys, index)
            if found is not None:
                self._runs[index] = found
        if found is None:
            first, end = index, index + 1
            while first > 0 and not self._is_sent(first - 1):
                first -= 1
            while end < len(self._keys) and not self._is_sent(end):
                end += 1
            count = sum(self.fate(key) == NO_ROOM for key in self._keys[first:end])
            found = self._runs[first] = self._runs[end - 1] = (first, end, count)
        return found
