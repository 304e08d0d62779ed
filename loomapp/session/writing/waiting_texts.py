"""Texts that wait behind an answer until it is a node, or has ended without text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from loomapp.core.edits import node_edits
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from loomapp.core.prose.answer_anchor import AnswerAnchor, versions_since
from loomapp.core.prose.pending_text import PendingText
from loomapp.session.document import Document
from loomapp.session.writing.journalled_text import JournalledText


@dataclass(frozen=True, slots=True)
class WaitingText:
    """Words written behind one answer, which continues a node; `steps` are the states before each step of
    undo.
    """

    tree_id: str
    answer_id: str
    above_id: str
    typed: PendingText
    steps: tuple[PendingText, ...] = ()


def nothing_comes(_answer_id: str) -> bool:
    """Return False: nobody answers."""
    return False


class WaitingTexts:
    """Words behind answers that are not shown: another answer is, or another text. They are in the journal.

    Once the answer is a node they continue it; if it ended without text, what that was to continue. They
    follow the one of several answers that was shown when the first of them was typed: whoever looks at
    another one meanwhile sees that alone, and is back at theirs as soon as he writes on behind it.
    """

    def __init__(self, document: Document, kept: JournalledText) -> None:
        self._document, self._kept = document, kept
        self._put_by: dict[str, WaitingText] = {}
        self.is_coming: Callable[[str], bool] = nothing_comes  # whether an answer may get text still

    def put(self, behind: WaitingText) -> None:
        """Keep words until their answer is shown again or is there."""
        self._put_by[behind.answer_id] = behind

    def take(self, answer_id: str) -> WaitingText | None:
        """The words behind an answer that is shown now; None if there are none."""
        return self._put_by.pop(answer_id, None)

    def waits(self, answer_id: str) -> bool:
        return answer_id in self._put_by

    def any_waits(self, tree_id: str) -> bool:
        """True if words of a tree wait behind an answer that is not shown."""
        return any(behind.tree_id == tree_id for behind in self._put_by.values())

    def due_in(self, tree: Tree) -> list[WaitingText]:
        """Return the texts in a tree whose answer is there, or does not come."""
        here = [behind for behind in self._put_by.values() if behind.tree_id == tree.loom.id]
        return [one for one in here if one.answer_id in tree.nodes or not self.is_coming(one.answer_id)]

    def node_before(self, tree: Tree, behind: WaitingText) -> str | None:
        """The node that words continue: the answer, or what that was to continue; None if both are gone."""
        ids = (behind.answer_id, behind.above_id)
        return next((node_id for node_id in ids if node_id in tree.nodes), None)

    def commit(self, tree: Tree, behind: WaitingText, becomes: str = "") -> None:
        """Make a node of words that are not read: the path stays as it is. Raises: LoomError, and they wait
        still.
        """
        self._commit(tree, behind, becomes, goes_on=False)

    def commit_read(self, tree: Tree, behind: WaitingText) -> None:
        """Make a node of words in a text that was left: it goes on with them if it ends where they begin."""
        above_id = self.node_before(tree, behind)
        goes_on = above_id is not None and is_end(tree, above_id, tree.path.leaf_id)
        self._commit(tree, behind, "", goes_on=goes_on)

    def _commit(self, tree: Tree, behind: WaitingText, becomes: str, *, goes_on: bool) -> None:
        above_id = self.node_before(tree, behind)
        assert above_id is not None, "it is asked for before"
        coming_id = becomes or self._kept.coming_id_behind(behind.tree_id, behind.answer_id)
        pen = self._document.pen().naming(coming_id) if coming_id else self._document.pen()
        change = node_edits.add_node(tree, above_id, behind.typed.text, pen)
        rows = tuple(row for row in change.rows if goes_on or not isinstance(row.row, ActivePath))
        self._document.commit_to(tree, replace(change, rows=rows), keeps_current=True)
        self._put_by.pop(behind.answer_id, None)
        self._kept.behind_ended(behind.tree_id, behind.answer_id)


def is_end(tree: Tree, node_id: str, end_id: str) -> bool:
    """True if a node, or a version of it that is followed as it is, stands at the end of what is read."""
    return node_id == end_id or end_id in versions_since(tree, node_id, AnswerAnchor())
