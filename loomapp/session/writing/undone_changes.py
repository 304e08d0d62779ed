"""Undone Changes of a text, done again in the order and place in which they were taken back."""

from __future__ import annotations

from collections.abc import Callable

from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath
from loomapp.session.document import Document
from loomapp.session.restored_path import read_way_again


class UndoneChanges:
    """Of the text that is open, until something else is written. A passage that was parted for an answer that
    never came goes and comes with the Change beside it: nothing would be seen of it alone.
    """

    def __init__(self, document: Document, told: Callable[[], None]) -> None:
        """`told` is called after each: what can be done again is another now."""
        self._document, self._told = document, told
        self._ways: list[ActivePath] = []  # what was read before each

    def __len__(self) -> int:
        return len(self._ways)

    def forget(self) -> None:
        """Forget all: something was written, or another text is read."""
        self._ways.clear()

    def undo(self, guard: Callable[[Change], None]) -> Change | None:
        """Undo the newest Change; None if there is none."""
        way = self._document.tree.path
        change = self._document.history.undo(guard)
        if change is not None:
            self._ways.append(way)
            self._told()  # not while the change was told
        return change

    def redo(self) -> Change | None:
        """Redo the one that was undone last; None if there is none."""
        parted = self._redo_parted()
        change = self._redo()
        if change is not None:
            self._redo_parted()
        return change or parted

    def _redo_parted(self) -> Change | None:
        document, change = self._document, None
        # Also after a restart: the file knows it.
        while document.history.redo_label and document.grove.redoes_split_in_vain(document.tree):
            change = self._redo()
            if change is None:
                break
        return change

    def _redo(self) -> Change | None:
        change = self._document.history.redo()
        way = self._ways.pop() if self._ways else None
        if change is None:
            self._ways.clear()
        elif way is not None:
            read_way_again(self._document, way)
        self._told()
        return change


def is_parted_in_vain(change: Change) -> bool:
    """True if what was undone had been parted alone, for an answer: none came of it."""
    return bool(change.action) and change.kind == "split"
