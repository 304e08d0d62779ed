"""Caches kept with a tree, the nodes touched since they were filled, and letting go of them in slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

MOST_TOUCHED = 20_000  # nodes; after more of them it is as fast to look at everything again


class Touches:
    """The nodes that came, went, were replaced or hang elsewhere, in order, each as often as it happened."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._first = 0  # how many came before the first that is still known

    @property
    def mark(self) -> int:
        """The moment now, to ask later what came `since`."""
        return self._first + len(self._ids)

    def note(self, node_id: str) -> None:
        if len(self._ids) >= MOST_TOUCHED:  # the newest stay: who asked a moment ago is still answered
            older = len(self._ids) - MOST_TOUCHED // 2
            del self._ids[:older]
            self._first += older
        self._ids.append(node_id)

    def forget(self) -> None:
        """Know none of those touched until now: whoever asks what came since looks at everything."""
        self._first += len(self._ids) + 1
        self._ids.clear()

    def copy(self) -> Touches:
        """Return a copy that goes its own way from now on: marks of before mean the same to it."""
        same = Touches()
        same._ids, same._first = self._ids.copy(), self._first
        return same

    def since(self, mark: int) -> Sequence[str] | None:
        """Return the nodes touched since a mark; None if they were too many to know."""
        return self._ids[mark - self._first :] if mark >= self._first else None


class Cache(Protocol):
    """Something found of a tree that is found again sooner with it. It is made empty, without arguments."""

    def for_sketch(self) -> Cache:
        """Return the cache for a sketch of the tree: this one if it holds there, a copy, or an empty one."""


C = TypeVar("C", bound=Cache)


class Caches:
    """The caches of one tree, one of each class that was asked for."""

    def __init__(self) -> None:
        self._by_class: dict[type[Cache], Cache] = {}
        self._drawn: Caches | None = None  # those of the tree that this one's tree is a sketch of

    def of(self, kind: type[C]) -> C:
        """Return the cache of a class, an empty one if none was asked for before."""
        found = self._by_class.get(kind)
        if not isinstance(found, kind):
            # Begun in the tree itself, so that it has from its first sketch what they have in common.
            made = kind() if self._drawn is None else self._drawn.of(kind).for_sketch()
            found = self._by_class[kind] = made if isinstance(made, kind) else kind()
        return found

    def for_sketch(self) -> Caches:
        sketched = Caches()
        sketched._by_class = {kind: cache.for_sketch() for kind, cache in self._by_class.items()}
        sketched._drawn = self
        return sketched


SLICE = 500  # values at once: less than a millisecond

Emptiable: TypeAlias = dict[Any, Any] | set[Any] | list[Any]


def empty(parts: Sequence[Emptiable]) -> None:
    """Take everything out of what nobody else has any more."""
    for part in parts:
        if isinstance(part, list):
            while part:
                del part[-SLICE:]
            continue
        take = part.popitem if isinstance(part, dict) else part.pop
        while part:
            take()
