"""What was found of a tree last, from which the next is found: nothing here decides, it only saves time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loomapp.core.context.columns import Columns
    from loomapp.core.paths.resolve import Spine
    from loomapp.core.prose.authorship import Spans

MOST_KEPT = 2  # there and back again is what one does
MOST_TOUCHED = 20_000  # nodes; after more of them it is as fast to look at everything again


class Touches:
    """The nodes that came, went, were replaced or hang elsewhere, in order, each as often as it happened."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._first = 0  # how many came before the first that is still known

    @property
    def mark(self) -> int:
        """Now; to ask later what came `since`."""
        return self._first + len(self._ids)

    def note(self, node_id: str) -> None:
        """A node is touched."""
        if len(self._ids) >= MOST_TOUCHED:  # the newest stay: who asked a moment ago is still answered
            older = len(self._ids) - MOST_TOUCHED // 2
            del self._ids[:older]
            self._first += older
        self._ids.append(node_id)

    def copy(self) -> Touches:
        """The same, which from now on goes its own way: marks of before mean the same to it."""
        same = Touches()
        same._ids, same._first = self._ids.copy(), self._first
        return same

    def since(self, mark: int) -> Sequence[str] | None:
        """The nodes touched since a mark; None if they were too many to know."""
        return self._ids[mark - self._first :] if mark >= self._first else None


@dataclass(slots=True)
class Memo:
    """The last paths, the newest first, the columns of what the nodes of some say, who wrote what, and where
    the first words of many siblings are from.

    A tree and its sketches have their columns in common: those hold wherever the nodes are the same ones.
    """

    spines: tuple[Spine, ...] = ()
    columns: list[Columns] = field(default_factory=list)
    spans: dict[str, Spans] = field(default_factory=dict)  # by node: what its text says never changes
    stems: tuple[int, Sequence[str], list[str]] | None = None  # at which mark, of which nodes

    def keep_spine(self, spine: Spine, others: tuple[Spine, ...]) -> None:
        """A path that was found, before `others` that are still known."""
        self.spines = (spine, *others)[:MOST_KEPT]

    def keep_columns(self, columns: Columns, instead: Columns | None = None) -> None:
        """Columns that were read, in the place of some that they go on from. Of the others the longest stay:
        of those the most would have to be read again.
        """
        others = [one for one in self.columns if one is not instead]
        others.sort(key=lambda one: -len(one.nodes))
        self.columns[:] = [columns, *others][:MOST_KEPT]
