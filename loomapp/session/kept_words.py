"""Kept words: what is under the pen of a writing desk, in the journal as it is written."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from loomapp.session.journal import Journal
from loomapp.session.recovery import BegunText
from loomapp.session.strokes import Uncommitted
from loomapp.store.drafts import Slot
from loomapp.store.identity import now


class KeptWords:
    """Of one tree at a time. Without a journal nothing is kept, and no id is known beforehand."""

    def __init__(self) -> None:
        self._journal: Journal | None = None
        self._kept: frozenset[str] = frozenset()  # nodes whose edits are in the journal

    def use(self, journal: Journal) -> None:
        """Keep them in a journal from now on."""
        self._journal = journal

    def start_over(self) -> None:
        """Another tree: what was kept of the one before stays in the journal."""
        self._kept = frozenset()

    def keep(self, tree_id: str, leaf_id: str, words: Uncommitted, lost: AbstractSet[str]) -> None:
        """Keep what is written now; the words in nodes that are `lost` stay as they were kept last."""
        if self._journal is None:
            return
        at = now()
        for node_id, typed in words.penned.items():
            self._journal.keep_begun(BegunText("edit", tree_id, node_id, typed.text, at, typed.pieces))
        for node_id in self._kept - words.penned.keys() - lost:
            self._journal.begun_ended(BegunText("edit", tree_id, node_id, "", at))
        self._kept = frozenset(words.penned.keys() | lost)
        self._journal.keep_composer(tree_id, words.working.text, leaf_id)

    def coming_ids(self, tree_id: str, node_ids: Iterable[str]) -> dict[str, str]:
        """The ids that versions of nodes under the pen are to have, by the nodes; see `Journal.coming_id`."""
        journal = self._journal
        if journal is None:
            return {}
        return {node_id: journal.coming_id(Slot(tree_id, "edit", node_id)) for node_id in node_ids}

    def coming_id(self, tree_id: str) -> str | None:
        """The id that the node of the working buffer is to have; None if any will do."""
        return None if self._journal is None else self._journal.coming_id(Slot(tree_id, "composer"))
