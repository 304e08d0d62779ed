"""Visits: where the reader has been, to go back and forward through it like through pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

MOST = 500


@dataclass(frozen=True, slots=True)
class Visit:
    """Place that was visited: a node of a tree."""

    tree_id: str
    node_id: str


class VisitHistory:
    """The places in the order in which they were visited. Going somewhere new forgets what lay ahead."""

    def __init__(self) -> None:
        self._places: list[Visit] = []
        self._at = -1
        self._is_going = False

    def came_to(self, tree_id: str, node_id: str) -> None:
        """Note the place at which the reader is now."""
        place = Visit(tree_id, node_id)
        if self._is_going or (self._at >= 0 and self._places[self._at] == place):
            return
        self._places[self._at + 1 :] = [place]
        del self._places[:-MOST]
        self._at = len(self._places) - 1

    @contextmanager
    def going(self) -> Iterator[None]:
        """Treat arrivals in the block as part of going back or forward, not as visits of their own."""
        self._is_going = True
        try:
            yield
        finally:
            self._is_going = False

    def back(self, exists: Callable[[Visit], bool]) -> Visit | None:
        """Step to the nearest earlier place that still exists; None if there is none."""
        return self._step(range(self._at - 1, -1, -1), exists)

    def forward(self, exists: Callable[[Visit], bool]) -> Visit | None:
        """Step to the nearest later place that still exists; None if there is none."""
        return self._step(range(self._at + 1, len(self._places)), exists)

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at < len(self._places) - 1

    def _step(self, way: range, exists: Callable[[Visit], bool]) -> Visit | None:
        for at in way:
            if exists(self._places[at]):
                self._at = at
                return self._places[at]
        return None
