"""Known fates: those shown last on cards and messages, so that a key in the composer paints none anew."""

from __future__ import annotations

from dataclasses import dataclass

from loomapp.core.context.outcomes import Fates
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path


@dataclass(frozen=True, slots=True)
class KnownFates:
    """All that the fates on the screen rest on.

    `mark` counts what happened to the tree; `rests_on` is the strategy, what the provider's rules changed,
    whether something is written that the last message may be sent together with, which images go only by
    their names, and what would have been beside the path where nothing can be sent.
    """

    assembled: Fates | None
    tree: Tree
    path: Path
    mark: int
    rests_on: tuple[object, ...]

    def say_the_same(self, other: KnownFates | None) -> bool:
        """Tell whether no card and no message would look different."""
        if other is None or (self.mark, self.rests_on) != (other.mark, other.rests_on):
            return False
        if self.tree is not other.tree or self.path is not other.path:
            return False
        mine, theirs = self.assembled, other.assembled
        return mine is theirs or (mine is not None and theirs is not None and mine.says_the_same(theirs))
