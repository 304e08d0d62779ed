"""The uncommitted text of the open buffer, kept in the journal as it is written."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from loomapp.session.journal.journal import Journal
from loomapp.session.recovery import BegunText, BehindText, behind_slot
from loomapp.session.writing.typing_undo import UncommittedText
from loomapp.store.files.drafts import Slot
from loomapp.store.identity import now


class JournalledText:
    """Text kept in the journal, of one tree at a time. Without a journal nothing is kept, and no id is known
    beforehand.
    """

    def __init__(self) -> None:
        self._journal: Journal | None = None
        self._kept: frozenset[str] = frozenset()  # nodes whose edits are in the journal
        self._awaited = ""  # the answer behind which the working buffer is in the journal; "" for none
        self._ended: list[tuple[str, str]] = []  # behind answers, before there was a journal

    def use(self, journal: Journal) -> None:
        """Keep them in a journal from now on."""
        self._journal = journal
        for tree_id, answer_id in self._ended:
            journal.behind_ended(tree_id, answer_id)
        self._ended.clear()

    def start_over(self) -> None:
        """Begin with another tree: what was kept of the one before stays in the journal."""
        self._kept, self._awaited = frozenset(), ""

    def took_behind(self, answer_id: str) -> None:
        """Take note that the words in the journal behind an answer stand in the working buffer now."""
        self._awaited = answer_id

    def put_behind(self) -> None:
        """Take note that words behind an answer have left the working buffer; the journal keeps them."""
        self._awaited = ""

    def behind_ended(self, tree_id: str, answer_id: str) -> None:
        """Forget words behind an answer: they are a node."""
        if self._journal is None:
            self._ended.append((tree_id, answer_id))
        else:
            self._journal.behind_ended(tree_id, answer_id)

    def keep(
        self,
        tree_id: str,
        leaf_id: str,
        words: UncommittedText,
        lost: AbstractSet[str],
        awaited: str = "",
    ) -> None:
        """Keep what is written now; the words in nodes that are `lost` stay as they were kept last. The path
        ends at a leaf; the working buffer waits for an answer to it, if one is `awaited`.
        """
        if self._journal is None:
            return
        at = now()
        for node_id, typed in words.penned.items():
            self._journal.keep_begun(BegunText("edit", tree_id, node_id, typed.text, at, typed.pieces))
        for node_id in self._kept - words.penned.keys() - lost:
            self._journal.begun_ended(BegunText("edit", tree_id, node_id, "", at))
        self._kept = frozenset(words.penned.keys() | lost)
        text = words.working.text
        if self._awaited and self._awaited != awaited:
            self._journal.behind_goes_on(tree_id, self._awaited, "" if awaited else text, leaf_id)
        if awaited and text:
            self._journal.keep_behind(BehindText(tree_id, awaited, leaf_id, text, at))
        elif awaited and self._awaited == awaited:
            self._journal.behind_ended(tree_id, awaited)
        self._awaited = awaited if text else ""
        self._journal.keep_composer(tree_id, "" if awaited else text, leaf_id)

    def coming_id_behind(self, tree_id: str, answer_id: str) -> str | None:
        """The id that the node of words behind an answer is to have; None if any will do."""
        return None if self._journal is None else self._journal.coming_id(behind_slot(tree_id, answer_id))

    def coming_ids(self, tree_id: str, node_ids: Iterable[str]) -> dict[str, str]:
        """The ids that versions of nodes under the pen are to have, by the nodes; see `Journal.coming_id`."""
        journal = self._journal
        if journal is None:
            return {}
        return {node_id: journal.coming_id(Slot(tree_id, "edit", node_id)) for node_id in node_ids}

    def coming_id(self, tree_id: str) -> str | None:
        """The id that the node of the working buffer is to have; None if any will do."""
        return None if self._journal is None else self._journal.coming_id(Slot(tree_id, "composer"))
