"""Mappings over others, caches kept with a tree, and memory that is let go of in slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, cast

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
        """Note that a node is touched."""
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
        """Return the caches for a sketch of the tree."""
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


V = TypeVar("V")


class Overlay(MutableMapping[str, V]):
    """Mapping of its own changes over another mapping. It costs the same however large that is, which must
    not move while this is read.
    """

    def __init__(self, below: Mapping[str, V], own: Mapping[str, V] | None = None) -> None:
        self._below = below
        self._own: dict[str, V] = dict(own or {})
        self._gone: set[str] = set()

    def with_more(self, more: Mapping[str, V]) -> Overlay[V]:
        """Return a copy of this overlay with `more` added; the base is shared."""
        found = Overlay(self._below, {**self._own, **more})
        found._gone = self._gone - more.keys()
        return found

    def __getitem__(self, key: str) -> V:
        """Return the value here, else the one below. Raises: KeyError."""
        if key in self._own:
            return self._own[key]
        if key in self._gone:
            raise KeyError(key)
        return self._below[key]

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value here, else the one below, else the default."""
        if key in self._own:
            return self._own[key]
        return default if key in self._gone else self._below.get(key, default)

    def __contains__(self, key: object) -> bool:
        return key in self._own or (key not in self._gone and key in self._below)

    def __setitem__(self, key: str, value: V) -> None:
        """Put something; below nothing changes."""
        self._own[key] = value
        self._gone.discard(key)

    def __delitem__(self, key: str) -> None:
        """Drop something; below nothing changes. Raises: KeyError."""
        if key not in self:
            raise KeyError(key)
        self._own.pop(key, None)
        if key in self._below:
            self._gone.add(key)

    def __iter__(self) -> Iterator[str]:
        """Give the keys from below in their order, then those that came here."""
        gone, below = self._gone, self._below
        yield from (key for key in below if key not in gone) if gone else below
        yield from (key for key in self._own if key not in below)

    def __len__(self) -> int:
        return len(self._below) - len(self._gone) + sum(key not in self._below for key in self._own)


class ListOverlay(Overlay[list[str]]):
    """A layer of lists that are written in place: who asks for one by `[]` or `setdefault` gets its own."""

    def __getitem__(self, key: str) -> list[str]:
        """A list of its own. Raises: KeyError."""
        if key not in self._own:
            self._own[key] = list(super().__getitem__(key))
        return self._own[key]


def overlay_of(below: dict[str, V]) -> dict[str, V]:
    """Return an overlay over a dictionary of a tree; it does all that a tree does with one."""
    return cast("dict[str, V]", Overlay(below))


def list_overlay_of(below: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return an overlay over a dictionary of lists, which are copied before they are moved."""
    return cast("dict[str, list[str]]", ListOverlay(below))
