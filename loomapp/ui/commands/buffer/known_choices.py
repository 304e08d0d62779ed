"""Known choices of a buffer: how many alternatives stand in the place of each passage, and which is read."""

from __future__ import annotations

from typing import NamedTuple

from loomapp.core.model.tree import Tree
from loomapp.core.prose.buffer_text import BufferText


class Choices(NamedTuple):
    """Alternatives in the place of a passage and which of them is read, as numbers from 1."""

    way: int
    ways: int
    version: int
    versions: int


class KnownChoices:
    """Cache of the alternatives of each passage, made anew when the tree or the path changes: not with every
    key, for there may be a thousand passages in view.
    """

    def __init__(self) -> None:
        self._tree: Tree | None = None
        self._mark = -1
        self._way: tuple[str, ...] = ()
        self._known: dict[int, Choices] = {}

    def follow(self, tree: Tree, buffer_text: BufferText) -> None:
        """Follow this path from now on."""
        mark, way = tree.touches.mark, buffer_text.node_ids
        if tree is not self._tree or mark != self._mark or way is not self._way:
            self._tree, self._mark, self._way = tree, mark, way
            self._known.clear()

    def at(self, buffer_text: BufferText, place: int) -> Choices:
        found = self._known.get(place)
        if found is None:
            turn, versions = buffer_text.siblings(place), buffer_text.versions(place)
            shown = buffer_text.node_ids[place]
            version = versions.index(shown) + 1 if shown in versions else 1
            found = self._known[place] = Choices(turn.index + 1, turn.count, version, len(versions))
        return found
