"""Text beside an answer that is being written: before it, behind it, or waiting for it out of sight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import node_edits
from loomapp.core.errors import LoomError
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from loomapp.core.prose.buffer_text import BufferText, PendingText, fresh
from loomapp.core.prose.fill_in import AnswerAnchor, versions_since
from loomapp.session.document import Document
from loomapp.session.recovery import BegunText, BehindText
from loomapp.session.requests.generator import Generator
from loomapp.session.requests.running_request import RunningRequest
from loomapp.session.writing.buffer_commit import BufferCommit
from loomapp.session.writing.open_buffer import JournalledText, OpenBuffer
from loomapp.session.writing.typing_undo import put_in_leaf
from loomapp.store.identity import now


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


class TextBesideAnswer(QObject):
    """Keeps the words at the end of an open buffer where they belong while an answer is written there, and
    once it has ended. Words behind an answer that is not shown wait in `WaitingTexts`.
    """

    failed = Signal(object)  # LoomError: words that waited could not be committed, and wait still
    stranded = Signal(object)  # BegunText: the node that words were to continue is gone

    def __init__(self, buffer: OpenBuffer, commits: BufferCommit, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._buffer, self._commits, self._document = buffer, commits, buffer.document
        self._waiting = WaitingTexts(buffer.document, buffer.journalled)

    def hear(self, generator: Generator) -> None:
        """Know of the answers that are being written."""
        self._waiting.is_coming = generator.answers.is_coming
        generator.answers.ending.connect(self.on_ending)
        generator.answers.landed.connect(self.on_landed)

    # Facts

    @property
    def has_words_out_of_sight(self) -> bool:
        """True if something is written that waits behind an answer which is not shown, and is no node yet."""
        return self._document.has_tree and self._waiting.any_waits(self._document.tree.loom.id)

    def has_words_behind(self, answer_id: str) -> bool:
        """True if words wait behind an answer that is not shown: what is written behind another one of the
        same request goes on there.
        """
        return self._waiting.waits(answer_id)

    # What is shown

    def set_followed(self, answer_id: str | None) -> None:
        """Set the answer that is shown while it is written after the path's end, by the node that it will be:
        "" if others are and none is shown, None if nothing is.

        What is written at that end then belongs to the last node, so that it stands before the answer, there
        and once the answer is a node; words that stood there before go into it too. What is written behind
        the answer waits for it, and is there whenever that answer is shown.
        """
        text = self._buffer.current
        if text is None:
            return
        was_followed, text.is_followed = text.is_followed, answer_id is not None
        if text.awaited != (answer_id or ""):
            self._leave_answer()
        if text.working.text and text.is_followed and not text.awaited and not self._commits.is_under_way:
            if was_followed or not self._takes_words_before:
                self._commits.settle()  # they follow the passage, and no answer follows them
                return
            self._put_in_leaf()
        if answer_id and not text.awaited:
            text.awaited = answer_id
            found = self._waiting.take(answer_id)
            if found is not None:
                self._show(found)

    def stand_behind(self, is_behind: bool) -> None:
        """Set whether the writer at the end of the path stands behind the answer there, not before it."""
        if self._buffer.current is not None:
            self._buffer.current.is_behind = is_behind or not self._takes_words_before

    def leave_tree(self) -> None:
        """Let words behind an answer wait for it: another tree is about to be opened."""
        text = self._buffer.current
        if text is not None and text.awaited and text.working.text:
            self._put_by(text)

    def part_from_answer(self) -> bool:
        """Take note that another path is read: it goes on with the answer, and what was written behind that
        goes along; or it ends where it ended; or the answer and what is behind it are not read any more.
        True if words were put out of sight by that.
        """
        text, ids = self._text, self._document.path_ids
        if not text.awaited or is_end(self._document.tree, text.node_ids[-1], ids[-1]):
            return False
        if text.awaited == ids[-1]:
            text.awaited = ""
            self._buffer.steps.go_along(ids[-1])
        elif text.working.text:
            self._put_out_of_sight()
            return True
        else:
            text.awaited = ""
        return False

    # Ends of answers

    def on_ending(self, request: RunningRequest) -> None:
        """Let words follow the passage, before others of a request that ends do, if the answer that they wait
        for has no text.
        """
        awaited = "" if self._buffer.current is None else self._buffer.current.awaited
        texts = {node_id: request.drafts[index].text for index, node_id in request.ids.items()}
        if texts.get(awaited) == "":
            self._leave_answer()
            if not request.is_empty:
                self._commits.settle()

    def on_landed(self, request: RunningRequest) -> None:
        """Let words behind an answer that has ended continue it; or, without text, what that was to continue.
        What is not read becomes a node there. The rest is read on.
        """
        text = self._buffer.current
        awaited = "" if text is None else text.awaited
        if awaited in request.ids.values() and not self._waiting.is_coming(awaited):
            self._leave_answer()
        self.settle_waiting(request.tree)

    def settle_waiting(self, tree: Tree) -> None:
        """Show words that wait no longer if their place is the end of the text, else make a node of them."""
        for waiting in self._waiting.due_in(tree):
            above_id, text = self._waiting.node_before(tree, waiting), self._buffer.current
            if above_id is None:
                self._waiting.take(waiting.answer_id)
                words = BegunText("edit", waiting.tree_id, waiting.answer_id, waiting.typed.text, now())
                self.stranded.emit(words)
                continue
            is_free = tree is self._document.tree and text is not None and not text.awaited
            if is_free and not self._buffer.working_text and self._is_end(tree, above_id):
                self._waiting.take(waiting.answer_id)
                self._show(waiting)
                continue
            try:
                if tree is self._document.tree:
                    self._waiting.commit(tree, waiting)
                else:
                    self._waiting.commit_read(tree, waiting)
            except LoomError as error:
                self.failed.emit(error)
                return
            self._buffer.written.emit()  # it waited still when the file told that it was saved

    # Recovery

    def take_up(self, left: BehindText) -> list[BegunText]:
        """Take up words behind an answer of the last session: after the text if it ends there, else as a
        node. Gives them back if nothing is there that they could continue.
        """
        tree = self._document.tree
        typed = fresh(left.text, self._buffer.author)
        waiting = WaitingText(left.tree_id, left.answer_id, left.above_id, typed)
        above_id = self._waiting.node_before(tree, waiting)
        if above_id is None:
            return [BegunText("edit", left.tree_id, left.answer_id, left.text, left.at)]
        if not self._buffer.working_text and self._is_end(tree, above_id):
            self._buffer.journalled.took_behind(left.answer_id)
            self._text.write(len(self._text) - 1, waiting.typed)
            return []
        try:
            self._waiting.commit(tree, waiting, left.becomes)
        except LoomError as error:
            self._waiting.put(waiting)
            self.failed.emit(error)
        return []

    # Behind it

    @property
    def _text(self) -> BufferText:
        return self._buffer.text

    @property
    def _takes_words_before(self) -> bool:
        return isinstance(self._document.path.nodes[-1].content, Text)

    def _is_end(self, tree: Tree, node_id: str) -> bool:
        return is_end(tree, node_id, self._document.path_ids[-1])

    def _put_in_leaf(self) -> None:
        """Put words after the last node into it."""
        text, leaf_id = self._text, self._document.path_ids[-1]
        in_leaf = partial(put_in_leaf, self._document.tree, leaf_id, self._buffer.author)
        self._buffer.steps.put(in_leaf)
        state = in_leaf(self._buffer.uncommitted)
        text.write(len(text) - 2, state.penned[leaf_id])
        text.write(len(text) - 1, state.working)
        self._buffer.tell()

    def _leave_answer(self) -> None:
        """Show the awaited answer after the end no more. What was written behind it is put out of sight if it
        is coming; else it is what is written after the end.
        """
        text, document = self._text, self._document
        answer_id, end_id = text.awaited, text.node_ids[-1]
        if not answer_id:
            return
        is_here = answer_id not in document.tree.nodes and not self._waiting.is_coming(answer_id)
        if is_here or not text.working.text:
            text.awaited = ""
            self._buffer.steps.go_along(end_id)
            if text.working.text:
                self._buffer.tell()
            return
        self._put_out_of_sight()

    def _put_out_of_sight(self) -> None:
        text, shown = self._text, self._text.text
        self._put_by(text)
        self._buffer.journalled.put_behind()
        text.write(len(text) - 1, PendingText())
        text.awaited, text.pen_at = "", None
        self._buffer.tell_splice(shown)

    def _put_by(self, text: BufferText) -> None:
        words = self._buffer.uncommitted
        steps = self._buffer.steps.part(words)
        self._waiting.put(WaitingText(text.tree_id, text.awaited, text.node_ids[-1], words.working, steps))

    def _show(self, waiting: WaitingText) -> None:
        """Put words that waited into the working buffer again."""
        text, shown = self._text, self._text.text
        self._buffer.journalled.took_behind(waiting.answer_id)
        text.write(len(text) - 1, waiting.typed)
        self._buffer.steps.join(waiting.steps, self._buffer.uncommitted)
        self._buffer.tell_splice(shown)
