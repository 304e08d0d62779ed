"""Overlay: a mapping of its own changes over another one, of which a sketch of a tree is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeVar, cast

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
