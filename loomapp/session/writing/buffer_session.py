"""A session of writing in the open buffer: what is typed until it is committed as versions and a new node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import InvalidInput, LoomError, StaleChange
from loomapp.core.model.change import Change
from loomapp.core.model.entities import LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.paths.version_groups import place_of_version
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import BufferText, PendingText, fresh, taken_up
from loomapp.core.prose.passage_change import place_after, splices_to
from loomapp.core.prose.passage_edits import revise
from loomapp.core.sentences import worded
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.open_tree import OTHER_PROGRAM, TYPING, Initiator
from loomapp.session.recovery import BegunText, Recovered
from loomapp.session.writing.buffer_commit import BufferCommit
from loomapp.session.writing.buffer_input import MOVED_MEANWHILE, BufferInput, BufferUndo
from loomapp.session.writing.open_buffer import Autosave, OpenBuffer
from loomapp.session.writing.text_beside_answer import TextBesideAnswer
from loomapp.session.writing.typing_undo import UncommittedText
from loomapp.store.identity import now

WAITING = (
    "These words follow an answer that is still being written. Stop it, or continue them once it has ended."
)


class BufferSession(QObject):
    """The text of the open tree, if that is a buffer, and the pen over it. Belongs to the GUI thread.

    A stroke within a node puts the node under the pen; it becomes a version, and the working buffer a node,
    when the writer pauses, or goes on elsewhere: types in another passage, chooses another path or version,
    generates, undoes what came before, opens another tree, or leaves. Committing never changes a character of
    the text. What one sitting commits of a passage is one version, while nothing hangs on it.

    What the file does not take stays under the pen, and nothing keeps the writer from going on.
    """

    shown = Signal()  # another text: read `buffer_text` anew
    spliced = Signal(object, object)  # TextChange, Initiator: the text changed by other means than typing
    rebased = Signal(object, object)  # TextChange, its splices by words: another program changed the text
    passages_changed = Signal()  # where passages begin, their versions, ways on or authors
    written = Signal()  # what is not committed is another: it would be sent, and is kept safe
    failed = Signal(object)  # LoomError: it could not be committed, and is under the pen still
    displaced = Signal(str)  # what was written after the path's end, where there is no buffer any more
    stranded = Signal(object)  # BegunText: a node under the pen is gone; the words are for copying
    set_aside = Signal(str)  # node id: what was written in a passage that left the text became this version

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.autosave = Autosave(self.save, self)
        self._buffer = OpenBuffer(document, self.autosave, self)
        self._commits = BufferCommit(self._buffer, self.failed.emit)
        self.beside = TextBesideAnswer(self._buffer, self._commits, self)
        self.undo = BufferUndo(self._buffer, self._commits)
        self.input = BufferInput(self._buffer, self._commits, self.undo)
        self._buffer.spliced.connect(self.spliced)
        self._buffer.passages_changed.connect(self.passages_changed)
        self._buffer.written.connect(self.written)
        self.beside.failed.connect(self.failed)
        self.beside.stranded.connect(self.stranded)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.on_lost)
        document.settle_typing = self.all_settled
        document.moving.connect(self.on_moving)
        document.tree_opened.connect(self.on_tree_opened)
        document.tree_changed.connect(self.on_tree_changed)
        self._open()

    # Facts

    @property
    def is_open(self) -> bool:
        return self._buffer.current is not None

    @property
    def buffer_text(self) -> BufferText:
        return self._buffer.text

    @property
    def working_text(self) -> str:
        return self._buffer.working_text

    @property
    def uncommitted(self) -> UncommittedText:
        return self._buffer.uncommitted

    @property
    def has_words(self) -> bool:
        return self._buffer.has_words

    @property
    def author(self) -> Author:
        return self._buffer.author

    def know_writer(self, writer_at: Callable[[], int | None]) -> None:
        """Set the function that gives the place of the writer in the text, None while he is elsewhere in the
        window: the node that he chose there stays current then. Without one he is at the end.
        """
        self._commits.nodes.writer_at = writer_at

    def set_free(self, is_free: Callable[[str], bool]) -> None:
        """Set the function that is False for nodes on which something hangs that is in no tree yet."""
        self._commits.nodes.is_free = is_free

    def waits_at(self, offset: int) -> bool:
        """True behind words that wait for an answer: nothing can be continued there before that has ended."""
        text = self._buffer.current
        return text is not None and bool(text.awaited) and offset > text.end

    # Committing

    def commit(self) -> None:
        """Make nodes of all that is written; the sitting is over by that. Raises: LoomError, and what was
        not saved stays as it is.
        """
        self._commits.commit()

    def save(self) -> bool:
        """Make nodes of all that is written, and go on with it; see `BufferCommit.save`. Tells of a failure;
        True if nothing is left that is no node.
        """
        return self._commits.save()

    def settle(self) -> bool:
        """Commit, and tell of a failure; True if nothing is left that is no node."""
        return self._commits.settle()

    def commit_at(self, offset: int) -> int:
        """Commit, and give where a place of the text is then, if others changed the text meanwhile.

        Raises: LoomError; also InvalidInput behind an answer that is being written.
        """
        if self.waits_at(offset):
            raise InvalidInput(worded(WAITING))
        with self._commits.hearing() as heard:
            self.commit()
        return place_after(offset, heard)

    def commit_in(self, place: int) -> int:
        """Commit, and give where the node at a place of the path, or its version, stands then. Raises:
        LoomError; also StaleChange if others took it from the path meanwhile.
        """
        ids = self._document.path_ids
        self.commit()
        if not 0 <= place < len(ids):
            return place
        document = self._document
        found = place_of_version(document.tree, document.path, ids[place], place)
        if found is None:
            raise StaleChange(worded(MOVED_MEANWHILE))
        return found

    def go_to(self, position: int) -> None:
        """Take note that the caret stands somewhere: what is written is saved if that is another passage."""
        text = self._buffer.current
        if text is None or not self.has_words or not self.autosave.may_save():
            return
        node_id = text.passage_at(position).node_id
        if node_id not in text.penned and (node_id is not None or not self.working_text):
            self.save()

    def settled(self, node_id: str) -> str:
        """Commit, and give the node that stands in the place of one then: its version, or itself; for the
        current one, what is current then. Raises: LoomError, as `commit`.
        """
        return self.all_settled([node_id])[0]

    def all_settled(self, node_ids: Sequence[str]) -> list[str]:
        """Commit, and give the nodes that stand in the places of several then; see `settled`."""
        document = self._document
        if not self.has_words:
            return list(node_ids)
        places, current = [document.path.place_of(node_id) for node_id in node_ids], document.current_id
        self.commit()
        found = [
            None if place is None else place_of_version(document.tree, document.path, node_id, place)
            for node_id, place in zip(node_ids, places, strict=True)
        ]
        stands = [
            node_id if place is None else document.path_ids[place]
            for node_id, place in zip(node_ids, found, strict=True)
        ]
        return [
            document.current_id if node_id == current else stand
            for node_id, stand in zip(node_ids, stands, strict=True)
        ]

    # Kept safe

    def keep_in(self, journal: Journal) -> None:
        """Keep what is written in a journal, as it is written."""
        self._buffer.journalled.use(journal)
        self._buffer.keep()

    def keep_beside(self, keep: Callable[[], None]) -> None:
        """Let words beside the text be kept; those of an open buffer are kept by `keep_in`."""
        if not self.is_open:
            keep()

    def take_message(self, words: str, change: Change) -> bool:
        """Begin the text with the words of a message, if a change made the dialogue a buffer; True then."""
        before = [row.before.mode for row in change.changed(LoomTree) if isinstance(row.before, LoomTree)]
        if not words or not self.is_open or "dialogue" not in before:
            return False
        self.input.replace(0, 0, words)
        return True

    def take_up(self, left: Recovered) -> Recovered:
        """Go on with what the last session left in the open tree, its edits and its working buffer; one step
        of undo takes it away again. Gives what does not stand in the text: edits whose nodes are not on the
        path that is read, files; where no buffer is open all of it.
        """
        if not self.is_open:
            return left
        text, before, away = self.buffer_text, self.uncommitted, list[BegunText]()
        for one in left.begun:
            place = text.place_of(one.node_id) if one.kind == "edit" else None
            if place is None:
                away.append(one)
            elif one.text != text.text_of(place):
                tree = self._document.tree
                text.write(place, taken_up(tree, one.node_id, one.text, one.made_of, self.author))
        if left.composer is not None and left.composer.text:
            text.write(len(text) - 1, fresh(left.composer.text, self.author))
        for behind in left.behind:
            away += self.beside.take_up(behind)
        if self.has_words:
            self._buffer.steps.start_over(before=before)
            self._buffer.tell()
            self.shown.emit()
        here = self._document.current_id
        composer = left.composer and replace(left.composer, text="", base_id=here)
        return replace(left, begun=tuple(away), composer=composer)

    # What happens

    def on_moving(self) -> None:
        """Save before another path, tree or state of the tree is read, or a step is made."""
        if not self._commits.is_under_way and self._commits.save_untold():
            self._commits.end_steps()
            self._buffer.tell()

    def on_tree_opened(self, _tree: Tree) -> None:
        """Open another tree's text. What could not be committed of the one before is in the journal."""
        self._open()
        self.beside.settle_waiting(self._document.tree)
        self.shown.emit()

    def on_tree_changed(self, change: Change, initiator: Initiator) -> None:
        """Take the path as it is now that the tree moved."""
        if self.is_open != (self._document.tree.loom.mode == "buffer"):
            words = self.working_text
            self._open()  # the mode of an empty tree was chosen
            self.shown.emit()
            if words:
                self.displaced.emit(words)
        text = self._buffer.current
        if text is not None:
            self._follow(text, change, initiator)

    def _follow(self, text: BufferText, change: Change, initiator: Initiator) -> None:
        awaited = text.awaited
        if self.beside.part_from_answer():
            self._soon.start()
        has_answer = bool(awaited) and not text.awaited and bool(text.working.text)
        before, path = dict(text.penned), self._document.path
        is_own = initiator is TYPING
        if not is_own:
            self._commits.hear(path)
        splices = splices_to(text, path) if initiator is OTHER_PROGRAM else ()
        splice = text.follow(path, self._commits.nodes.becoming if is_own else None)
        self._buffer.move_places(splices)
        if not is_own:
            self._take_in(text, change, before)
        if has_answer:
            self._buffer.keep()  # what is behind it is written after a node now
            self.autosave.start_soon()
        if splice is not None and splices:
            self.rebased.emit(splice, splices)
        elif splice is not None:
            self.spliced.emit(splice, initiator)
        self.passages_changed.emit()

    def _take_in(self, text: BufferText, change: Change, before: Mapping[str, PendingText]) -> None:
        """Take in a Change that is not this session's own; `before` was under the pen then."""
        lost = {node_id: typed for node_id, typed in before.items() if node_id not in text.penned}
        if lost:
            self._buffer.lost.update(lost)
            self._commits.end_steps()
            self._soon.start()
        elif change.undoable:
            self._buffer.steps.forget_undone()
            self.undo.forget()
            if not self.has_words:
                self._commits.end_steps()  # what was done last is undone first
        self._commits.nodes.look_at(change)
        self._commits.know_sitting()
        if text.working.text:
            self._buffer.steps.go_along(text.awaited or self._document.path_ids[-1])

    def on_lost(self) -> None:
        """Make versions of what was written in nodes that another hand took from the path, where they are."""
        self.settle()
        lost, self._buffer.lost = self._buffer.lost, {}
        document = self._document
        self.beside.settle_waiting(document.tree)
        for node_id, typed in lost.items():
            if node_id in document.tree.nodes:
                try:
                    ids = self._buffer.journalled.coming_ids(document.tree.loom.id, [node_id])
                    pen = document.pen()
                    change = revise(document.tree, document.path_ids, {node_id: typed}, pen, ids)
                    document.commit(change)
                    self._buffer.keep()
                    if change is not None:
                        self.set_aside.emit(change.added_nodes()[0].id)
                    continue
                except LoomError as error:
                    self.failed.emit(error)
            self.stranded.emit(BegunText("edit", document.tree.loom.id, node_id, typed.text, now()))

    def _open(self) -> None:
        self.beside.leave_tree()
        self._buffer.reopen()
        self.undo.forget()
        self._commits.start_over()
