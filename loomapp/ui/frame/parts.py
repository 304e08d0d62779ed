"""Parts of a window that are made when they are first wanted: pages, and those who fill them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject

Part = TypeVar("Part", bound=QObject)


class PartsOnDemand:
    """Parts made on demand: one of each class, and of each name where there are several."""

    def __init__(self) -> None:
        self._made: dict[tuple[type[QObject], str], QObject] = {}

    def made(self, kind: type[Part], name: str = "") -> Part | None:
        """Return the part of a class, if it was wanted yet."""
        part = self._made.get((kind, name))
        return part if isinstance(part, kind) else None

    def forget(self, kind: type[QObject], name: str = "") -> None:
        """Let the next one be made anew."""
        self._made.pop((kind, name), None)

    def one(self, kind: type[Part], make: Callable[[], Part], name: str = "") -> Part:
        """Return the part of a class; `make` makes it when it is wanted first."""
        part = self.made(kind, name)
        if part is None:
            part = self._made[kind, name] = make()
        return part
