"""The writing desk: what is typed into a buffer's text, until it is committed as versions and a new node."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import InvalidInput, LoomError, StaleChange
from loomapp.core.model.change import Change
from loomapp.core.model.content import Text, well_formed
from loomapp.core.model.node_text import verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.paths.version_groups import place_of_version
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import BufferText, TextChange, difference
from loomapp.core.prose.passage_edits import revise
from loomapp.core.prose.pending_text import PendingText, begun, fresh, taken_up
from loomapp.core.prose.rebase import place_after, splices_to, stretches_after
from loomapp.core.prose.typist import Typist
from loomapp.core.prose.word_space import WORD_SPACE, begins_word, joined, parts_words, with_word_space
from loomapp.core.sentences import worded
from loomapp.session.document import Document
from loomapp.session.initiator import TYPING, TYPING_UNDONE, USER, Initiator
from loomapp.session.journal.journal import Journal
from loomapp.session.recovery import BegunText, BehindText, Recovered
from loomapp.session.requests.generator import Generator
from loomapp.session.requests.running_request import RunningRequest
from loomapp.session.writing.journalled_text import JournalledText
from loomapp.session.writing.text_behind_answer import TextBehindAnswer, TextsBehindAnswers, is_end
from loomapp.session.writing.text_commit import TextCommit
from loomapp.session.writing.typing_undo import TypingUndo, UncommittedText, put_in_leaf, renamed
from loomapp.session.writing.undone_changes import UndoneChanges, is_parted_in_vain
from loomapp.store.identity import now

WAITING = (
    "These words follow an answer that is still being written. Stop it, or continue them once it has ended."
)
SAVE_AFTER_MS = 5_000  # without a key; 0 for never
MOVED_MEANWHILE = "Another program changed the text meanwhile: nothing was moved."


def anyone_may() -> bool:
    """Where nothing is composed."""
    return True


class BufferSession(QObject):
    """The text of the open tree, if that is a buffer, and the pen over it. Belongs to the GUI thread.

    A stroke within a node puts the node under the pen; it becomes a version, and the working buffer a node,
    when the writer pauses, or goes on elsewhere: types in another passage, chooses another path or version,
    generates, undoes what came before, opens another tree, or leaves. Committing never changes a character of
    the text. What one sitting commits of a passage is one version, while nothing hangs on it.

    What the file does not take stays under the pen, and nothing keeps the writer from going on.
    """

    shown = Signal()  # another text: read `manuscript` anew
    spliced = Signal(object, object)  # Splice, Initiator: the text changed by other means than `typed`
    passages_changed = Signal()  # where passages begin, their versions, ways on or authors
    written = Signal()  # what is not committed is another: it would be sent, and is kept safe
    failed = Signal(object)  # LoomError: it could not be committed, and is under the pen still
    displaced = Signal(str)  # what was written after the path's end, where there is no buffer any more
    stranded = Signal(object)  # BegunText: a node under the pen is gone; the words are for copying

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._manuscript: BufferText | None = None
        self._scribe: Typist | None = None  # of the manuscript
        self._strokes, self._kept = TypingUndo(), JournalledText()
        self._copy = TextCommit(document, self._kept)
        self._behind = TextsBehindAnswers(document, self._kept)
        self._undone = UndoneChanges(document, self.written.emit)
        self._lost: dict[str, PendingText] = {}
        self._heard: list[TextChange] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.on_lost)
        self.may_save: Callable[[], bool] = anyone_may
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self.on_pause)
        document.moving.connect(self.on_moving)
        document.tree_opened.connect(self.on_tree_opened)
        document.tree_changed.connect(self.on_tree_changed)
        self._open()

    # Facts

    @property
    def is_open(self) -> bool:
        """True while the open tree is a buffer."""
        return self._manuscript is not None

    @property
    def manuscript(self) -> BufferText:
        """The text. Only while the desk is open."""
        assert self._manuscript is not None, "the open tree is no buffer"
        return self._manuscript

    @property
    def working_text(self) -> str:
        """The working buffer; "" where there is none."""
        return "" if self._manuscript is None else self._manuscript.working.text

    @property
    def uncommitted(self) -> UncommittedText:
        """What is written and no node yet."""
        if self._manuscript is None:
            return UncommittedText()
        manuscript = self._manuscript
        after, is_other = manuscript.awaited or manuscript.node_ids[-1], self._is_other
        penned = {node_id: typed for node_id, typed in manuscript.penned.items() if is_other(node_id)}
        return UncommittedText(penned, manuscript.working, after)

    @property
    def has_words(self) -> bool:
        """True if something is written that is no node yet."""
        return self._manuscript is not None and not self.uncommitted.is_nothing

    @property
    def has_words_out_of_sight(self) -> bool:
        """True if something is written that waits behind an answer which is not shown, and is no node yet."""
        return self._document.has_tree and self._behind.any_waits(self._document.tree.loom.id)

    @property
    def is_turning(self) -> bool:
        """True while what is written becomes nodes, and those current: the writer goes nowhere by that."""
        return self._copy.is_under_way

    @property
    def can_undo_typing(self) -> bool:
        """True if a step of typing can be taken back."""
        return self._is_here(self._strokes.next_undo)

    @property
    def can_redo_typing(self) -> bool:
        """True if a step of typing can be brought back, before any change."""
        return not self._undone and self._is_here(self._strokes.next_redo)

    @property
    def is_over_undone(self) -> bool:
        """True while words that were written since stand in the place of what was undone."""
        return self.has_words and not self._undone

    @property
    def author(self) -> Author:
        """Who writes here."""
        return Author("human", self._document.grove.owner.id)

    def know_caret(self, caret_at: Callable[[], int]) -> None:
        """Where the view's caret stands; without one it is at the end."""
        self._copy.caret_at = caret_at

    def set_free(self, is_free: Callable[[str], bool]) -> None:
        """Who knows of nodes that something hangs on which is in no tree yet: False for those."""
        self._copy.is_free = is_free

    # Writing

    def typed(self, start: int, end: int, text: str, at_s: float | None = None) -> int:
        """The writer has replaced the characters from `start` to before `end`, in code points of the text, by
        others; the view shows that already. What was deleted of several passages goes from each, what was
        typed or pasted to the first. A word right behind an answer that is not done gets a space before it.
        Gives the place behind it: another one than the view knows then, and if what was written before is
        committed first, and others have changed the text meanwhile.

        Raises: InvalidInput, and nothing is changed, for what is not plain text: the view shows it again.
        """
        self._pen.check(start, end)
        clean = well_formed(text)
        stretches = [(start, end)]
        if not self._pen.goes_on(start, end):
            with self._hearing() as heard:
                self._save_untold()  # it is told with what is typed: once is enough for one key
                self._end_strokes()
            stretches = stretches_after(start, end, heard)
            start = place_after(start, heard)
        is_parted = begins_word(clean) and self._is_right_behind_answer(start)
        clean = WORD_SPACE + clean if is_parted else clean
        before = self.uncommitted
        starts_word = bool(clean) and not clean[:1].isspace() and self._pen.is_space_before(start)
        end = self._pen.put_over(start, stretches, clean)
        place = start + len(clean) - self._keep_word_space(is_new=is_parted)
        at_s = time.monotonic() if at_s is None else at_s
        self._strokes.struck(before, at_s, start, end, clean, starts_word=starts_word)
        self.manuscript.pen_at = self._strokes.next_at
        self._undone.forget()
        self._tell()
        if clean != text:  # half a surrogate pair, which no file can hold
            self.spliced.emit(TextChange(start, start + len(text), clean), USER)
        return place

    def moved(self, start: int, end: int, place: int) -> None:
        """The writer has moved the characters from `start` to before `end` to another place. It is one
        step of undo and one Change, also between passages; the view shows it already.

        Raises: InvalidInput, and nothing is changed, for what is not plain text; StaleChange if others have
        changed the text meanwhile.
        """
        self._pen.check(start, end)
        self._pen.check(place, place)
        goes_on = self._pen.goes_on(start, end) and self._pen.goes_on(place, place)
        if not goes_on or not self._pen.is_one_kind(start, end, place):
            with self._hearing() as heard:
                self.settle()
            if heard:
                raise StaleChange(worded(MOVED_MEANWHILE))
        before = self.uncommitted
        text = self._pen.move(start, end, place)
        self._strokes.end_step()
        self._strokes.struck(before, time.monotonic(), place, place, text, starts_word=False)
        self._strokes.end_step()
        self._strokes.next_at = self.manuscript.pen_at = place + (len(text) if place <= start else 0)
        self._undone.forget()
        self._tell()

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a stretch for the writer, as a step of its own; the view is told. Raises: InvalidInput."""
        self._strokes.end_step()
        self.typed(start, end, well_formed(text))
        self._strokes.end_step()
        self.spliced.emit(TextChange(start, end, well_formed(text)), USER)

    def end_step(self) -> None:
        """What is typed next is a step of undo of its own."""
        self._strokes.end_step()

    # Beside an answer

    def hear(self, generator: Generator) -> None:
        """Know of the answers that are being written."""
        self._behind.is_coming = generator.is_coming
        generator.ending.connect(self.on_ending)
        generator.landed.connect(self.on_landed)

    def set_followed(self, answer_id: str | None) -> None:
        """Which answer is shown that is being written after the path's end, by the node that it will be: ""
        if others are and none is shown, None if nothing is.

        What is written at that end then belongs to the last node, so that it stands before the answer, there
        and once the answer is a node; words that stood there before go into it too. What is written behind
        the answer waits for it, and is there whenever that answer is shown.
        """
        manuscript = self._manuscript
        if manuscript is None:
            return
        was_followed, manuscript.is_followed = manuscript.is_followed, answer_id is not None
        if manuscript.awaited != (answer_id or ""):
            self._leave_answer()
        if self.working_text and manuscript.is_followed and not manuscript.awaited and not self.is_turning:
            if was_followed or not self._takes_words_before:
                self.settle()  # they follow the passage, and no answer follows them
                return
            self._put_in_leaf()
        if answer_id and not manuscript.awaited:
            manuscript.awaited = answer_id
            found = self._behind.take(answer_id)
            if found is not None:
                self._show_behind(found)

    def stand_behind(self, is_behind: bool) -> None:
        """Whether who writes at the end of the path stands behind the answer there, not before it."""
        if self._manuscript is not None:
            self._manuscript.is_behind = is_behind or not self._takes_words_before

    def has_words_behind(self, answer_id: str) -> bool:
        """True if words wait behind an answer that is not shown: what is written behind another one of the
        same request goes on there.
        """
        return self._behind.waits(answer_id)

    def _is_right_behind_answer(self, place: int) -> bool:
        manuscript = self.manuscript
        return bool(manuscript.awaited) and manuscript.is_behind and place == manuscript.end

    @property
    def _takes_words_before(self) -> bool:
        return isinstance(self._document.path.nodes[-1].content, Text)

    def on_ending(self, flight: RunningRequest) -> None:
        """An answer ends: what words behind it follow is known. If the one that they wait for has no text,
        they follow the passage before others of the same request do.
        """
        awaited = "" if self._manuscript is None else self._manuscript.awaited
        texts = {node_id: flight.drafts[index].text for index, node_id in flight.ids.items()}
        self._behind.joined_to(texts, flight.tree)
        if awaited in texts:
            self._join_to(texts[awaited] or self.manuscript.text[: self.manuscript.end])
        if texts.get(awaited) == "":
            self._leave_answer()
            if not flight.is_empty:
                self.settle()

    def _keep_word_space(self, *, is_new: bool) -> int:
        """Know of the space that was put before a word behind an answer, as long as one is there; how many
        characters less there are without.
        """
        manuscript, place = self.manuscript, len(self.manuscript) - 1
        working = manuscript.working
        if is_new:
            manuscript.write(place, with_word_space(working))
        elif working.has_word_space and not parts_words(working):
            manuscript.write(place, joined("", working))
            return len(WORD_SPACE)
        return 0

    def _join_to(self, before: str) -> None:
        """What stands before the working buffer is there for good."""
        manuscript, text = self.manuscript, self.manuscript.text
        if not manuscript.working.has_word_space:
            return
        self._strokes.put(lambda state: replace(state, working=joined(before, state.working)))
        manuscript.write(len(manuscript) - 1, joined(before, manuscript.working))
        self._announce()  # nobody pressed a key: the pause is what it was
        self._tell_view(text)

    def on_landed(self, flight: RunningRequest) -> None:
        """An answer has ended: what was written behind it continues it; or, without text, what that was to.

        What is not read becomes a node there. The rest is read on.
        """
        manuscript = self._manuscript
        awaited = "" if manuscript is None else manuscript.awaited
        if awaited in flight.ids.values() and not self._behind.is_coming(awaited):
            self._leave_answer()
        self._settle_behind(flight.tree)

    def _put_in_leaf(self) -> None:
        """Have words after the last node in it."""
        manuscript, leaf_id = self.manuscript, self._document.path_ids[-1]
        in_leaf = partial(put_in_leaf, self._document.tree, leaf_id, self.author)
        self._strokes.put(in_leaf)
        now = in_leaf(self.uncommitted)
        manuscript.write(len(manuscript) - 2, now.penned[leaf_id])
        manuscript.write(len(manuscript) - 1, now.working)
        self._tell()

    def _leave_answer(self) -> None:
        """The answer that is awaited is not shown after the end any more. What was written behind it is put
        by, if it is coming; else it is what is written after the end.
        """
        manuscript, document = self.manuscript, self._document
        answer_id, end_id = manuscript.awaited, manuscript.node_ids[-1]
        if not answer_id:
            return
        is_here = answer_id not in document.tree.nodes and not self._behind.is_coming(answer_id)
        if is_here or not self.working_text:
            manuscript.awaited = ""
            self._strokes.go_along(end_id)
            if self.working_text:
                self._tell()
            return
        self._put_by()

    def _put_by(self) -> None:
        """What is written behind an answer waits for it out of sight."""
        manuscript, before, words = self.manuscript, self.manuscript.text, self.uncommitted
        steps, end_id = self._strokes.part(words), manuscript.node_ids[-1]
        self._behind.put(
            TextBehindAnswer(manuscript.tree_id, manuscript.awaited, end_id, words.working, steps)
        )
        self._kept.put_behind()
        manuscript.write(len(manuscript) - 1, PendingText())
        manuscript.awaited, manuscript.pen_at = "", None
        self._tell_splice(before)

    def _show_behind(self, behind: TextBehindAnswer) -> None:
        """Words that were put by stand in the working buffer again."""
        manuscript = self.manuscript
        before = manuscript.text
        self._kept.took_behind(behind.answer_id)
        manuscript.write(len(manuscript) - 1, behind.typed)
        self._strokes.join(behind.steps, self.uncommitted)
        self._tell_splice(before)

    def _tell_splice(self, before: str) -> None:
        self._tell()
        self._tell_view(before)

    def _tell_view(self, before: str) -> None:
        splice = difference(before, self.manuscript.text)
        if splice is not None:
            self.spliced.emit(splice, USER)

    def _settle_behind(self, tree: Tree) -> None:
        """What was put by and waits no longer is read on where its place is the end of the text, else it
        becomes a node there.
        """
        for behind in self._behind.due_in(tree):
            above_id, manuscript = self._behind.node_before(tree, behind), self._manuscript
            if above_id is None:
                self._behind.take(behind.answer_id)
                words = BegunText("edit", behind.tree_id, behind.answer_id, behind.typed.text, now())
                self.stranded.emit(words)
                continue
            is_free = tree is self._document.tree and manuscript is not None and not manuscript.awaited
            if is_free and not self.working_text and is_end(tree, above_id, self._document.path_ids[-1]):
                self._behind.take(behind.answer_id)
                self._show_behind(behind)
                continue
            try:
                if tree is self._document.tree:
                    self._behind.commit(tree, behind)
                else:
                    self._behind.commit_read(tree, behind)
            except LoomError as error:
                self.failed.emit(error)
                return
            self.written.emit()  # it waited still when the file told that it was saved

    # Committing

    def commit(self) -> None:
        """Make nodes of all that is written: versions of what is under the pen, in one Change, and then a
        node of the working buffer. The sitting is over by that. Raises: LoomError, and what was not saved
        stays as it is.
        """
        is_other = self._commit_untold()
        self._rise()
        if is_other:
            self._tell()

    def save(self) -> bool:
        """Make nodes of all that is written, and go on with it: what is written in the same passages next
        takes their place, and undo goes on by words. Tells of a failure; True if nothing is left that is no
        node.
        """
        if self._save_untold():
            self._tell()
        return not self.has_words

    def commit_at(self, offset: int) -> int:
        """The same; where a place of the text is then, if others changed the text meanwhile.

        Raises: also InvalidInput behind an answer that is being written.
        """
        if self.manuscript.awaited and offset > self.manuscript.end:
            raise InvalidInput(worded(WAITING))
        with self._hearing() as heard:
            self.commit()
        return place_after(offset, heard)

    def commit_in(self, place: int) -> int:
        """The same; where what stands at a place of the path stands then. Raises: also StaleChange if others
        took it from the path meanwhile.
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
        """The caret stands somewhere: what is written is saved once that is another passage."""
        manuscript = self._manuscript
        if manuscript is None or not self.has_words or not self.may_save():
            return
        node_id = manuscript.passage_at(position).node_id
        if node_id not in manuscript.penned and (node_id is not None or not self.working_text):
            self.save()

    def settle(self) -> bool:
        """Commit, and tell of a failure; True if nothing is left that is no node."""
        try:
            self.commit()
        except LoomError as error:
            self.failed.emit(error)
        return not self.has_words

    def settled(self, node_id: str) -> str:
        """What stands in the place of a node once what is written is committed: its version, or itself; of
        the current one, what is current then. Raises: as `commit`.
        """
        return self.all_settled([node_id])[0]

    def all_settled(self, node_ids: Sequence[str]) -> list[str]:
        """The same of several."""
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

    # Undo

    def undo_typing(self) -> bool:
        """Take the last step of typing back. False if there is none, or none of this path: then undo is the
        tree's.
        """
        return self._is_here(self._strokes.next_undo) and self._restore(self._strokes.undo(self.uncommitted))

    def redo_typing(self) -> bool:
        """Bring a step of typing back. False if there is none, or if changes were undone after it, which come
        first. A step in a passage that is not on the path, or at another end, waits until it is again.
        """
        if self._undone or not self._is_here(self._strokes.next_redo):
            return False
        return self._restore(self._strokes.redo(self.uncommitted))

    def undo(self, guard: Callable[[Change], None]) -> Change | None:
        """Take back what was done last: a step of typing (None then), else the newest Change. A passage that
        was parted for an answer that never came goes with the Change before it: nothing would be seen to go.
        """
        if self.undo_typing():
            return None
        self._take_back_whole()
        change = self._undone.undo(guard)
        if change is not None and is_parted_in_vain(change) and self._document.history.undo_label is not None:
            return self.undo(guard)
        return change

    def redo(self) -> Change | None:
        """Do again what was taken back last, in the order in which it was done. What was written since stands
        in the place of what was undone before it: nothing is done again then. A passage that was parted for
        an answer that never came comes again with the Change beside it: nothing would be seen to come.
        """
        if self.redo_typing() or self.is_over_undone:
            return None
        return self._undone.redo()

    # Kept safe

    def keep_in(self, journal: Journal) -> None:
        """Keep what is written in a journal, as it is written."""
        self._kept.use(journal)
        self._keep()

    def take_up(self, left: Recovered) -> tuple[BegunText, ...]:
        """Go on with what the last session left in the open tree, its edits and its working buffer; one step
        of undo takes it away again. Gives the edits whose nodes are not on the path that is read.
        """
        if self._manuscript is None:
            return left.begun
        before, away = self.uncommitted, []
        for one in left.begun:
            place = self.manuscript.place_of(one.node_id) if one.kind == "edit" else None
            if place is None:
                away.append(one)
            else:
                self._take_up_edit(place, one)
        if left.composer is not None and left.composer.text:
            self.manuscript.write(len(self.manuscript) - 1, fresh(left.composer.text, self.author))
        for behind in left.behind:
            away += self._take_up_behind(behind)
        if self.has_words:
            self._strokes.start_over(before=before)
            self._tell()
            self.shown.emit()
        return tuple(away)

    # What happens

    def on_moving(self) -> None:
        """Another path, tree or state of the tree is about to be read, or a step is made."""
        if not self.is_turning and self._save_untold():
            self._end_strokes()
            self._tell()

    def on_tree_opened(self, _tree: Tree) -> None:
        """Another tree. What could not be committed of the one before is in the journal."""
        self._open()
        self._settle_behind(self._document.tree)
        self.shown.emit()

    def on_tree_changed(self, change: Change, initiator: Initiator) -> None:
        """The tree moved: take the path as it is now."""
        if self.is_open != (self._document.tree.loom.mode == "buffer"):
            words = self.working_text
            self._open()  # the mode of an empty tree was chosen
            self.shown.emit()
            if words:
                self.displaced.emit(words)
        if self._manuscript is None:
            return
        awaited = self._manuscript.awaited
        self._part_from_answer()
        has_answer = bool(awaited) and not self._manuscript.awaited and bool(self.working_text)
        before, path = dict(self._manuscript.penned), self._document.path
        is_own = initiator is TYPING
        if self._heard is not None and not is_own:
            self._heard += splices_to(self._manuscript, path)
        splice = self._manuscript.follow(path, self._copy.becoming if is_own else None)
        if not is_own:
            lost = {node_id: typed for node_id, typed in before.items() if not self._is_penned(node_id)}
            if lost:
                self._lost.update(lost)
                self._end_strokes()
                self._soon.start()
            elif change.undoable:
                self._strokes.forget_undone()
                self._undone.forget()
                if not self.has_words:
                    self._end_strokes()  # what was done last is undone first
            self._copy.look_at(change)
            self._know_sitting()
            if self.working_text:
                self._strokes.go_along(self._manuscript.awaited or self._document.path_ids[-1])
        if has_answer:
            self._keep()  # what is behind it is written after a node now
            self._save_soon()
        if splice is not None:
            self.spliced.emit(splice, initiator)
        self.passages_changed.emit()

    def on_lost(self) -> None:
        """Nodes under the pen left the path by another hand: what was written in them becomes versions where
        they are now.
        """
        self.settle()
        lost, self._lost = self._lost, {}
        document = self._document
        self._settle_behind(document.tree)
        for node_id, typed in lost.items():
            if node_id in document.tree.nodes:
                try:
                    ids = self._kept.coming_ids(document.tree.loom.id, [node_id])
                    document.commit(
                        revise(document.tree, document.path_ids, {node_id: typed}, document.pen(), ids)
                    )
                    self._keep()
                    continue
                except LoomError as error:
                    self.failed.emit(error)
            self.stranded.emit(BegunText("edit", document.tree.loom.id, node_id, typed.text, now()))

    # Behind it

    def _open(self) -> None:
        if self._manuscript is not None and self._manuscript.awaited and self.working_text:
            words, end_id = self.uncommitted, self._manuscript.node_ids[-1]
            steps, tree_id = self._strokes.part(words), self._manuscript.tree_id
            self._behind.put(
                TextBehindAnswer(tree_id, self._manuscript.awaited, end_id, words.working, steps)
            )
        tree, path = self._document.tree, self._document.path
        self._manuscript = self._scribe = None
        if tree.loom.mode == "buffer":
            self._manuscript = BufferText(tree, path)
            self._scribe = Typist(tree, self._manuscript, self.author)
        self._strokes.start_over()
        self._undone.forget()
        self._lost.clear()
        self._kept.start_over()
        self._copy.rise()
        self._copy.begin_run()
        self._pause.stop()

    @property
    def _pen(self) -> Typist:
        """The pen over the manuscript. Only while the desk is open."""
        assert self._scribe is not None, "the open tree is no buffer"
        return self._scribe

    @contextmanager
    def _hearing(self) -> Iterator[list[TextChange]]:
        """What others change of the text, while what is written is committed."""
        before, heard = self._heard, list[TextChange]()
        self._heard = heard
        try:
            yield heard
        finally:
            self._heard = before

    def _is_here(self, state: UncommittedText | None) -> bool:
        manuscript = self._manuscript
        if state is None or manuscript is None:
            return False
        return state.is_on(self._document.path, manuscript.awaited)

    def _is_penned(self, node_id: str) -> bool:
        return node_id in self.manuscript.penned

    def _save_untold(self) -> bool:
        try:
            return self._commit_untold()
        except LoomError as error:
            self.failed.emit(error)
            return False

    def _commit_untold(self) -> bool:
        """False if there was nothing to commit. What waits for an answer is committed once that is a node."""
        manuscript = self._manuscript
        if manuscript is None:
            return False
        self._take_back_whole()
        manuscript.let_go([node_id for node_id in manuscript.penned if not self._is_other(node_id)])
        if not manuscript.penned and (manuscript.awaited or not self.working_text):
            return False
        with self._copy.under_way():
            if manuscript.penned:
                written = {*manuscript.penned, *manuscript.committed}
                usual = {node_id: self._as_committed(node_id) for node_id in written}
                self._take_over(self._copy.commit_versions(manuscript), usual)
                splice = manuscript.put_down()  # what says what it said
                if splice is not None:
                    self.spliced.emit(splice, TYPING)
            if manuscript.working.text and not manuscript.awaited:
                self._take_over(self._copy.commit_working(manuscript), {})
        return True

    def _is_other(self, node_id: str) -> bool:
        """True if what is under the pen of a node is other than what that says."""
        node = self._document.tree.nodes.get(node_id)
        return node is None or verbatim(node) != self.manuscript.penned[node_id].text

    def _as_committed(self, node_id: str) -> PendingText:
        """A passage as its node says it, made of what this sitting began with."""
        known = self.manuscript.committed.get(node_id)
        return begun(self._document.tree, node_id) if known is None else known

    def _take_over(self, became: Mapping[str, str], usual: Mapping[str, PendingText]) -> None:
        """Passages stand under other nodes now, also in what was and will be again."""
        for before, node_id in became.items():
            if before != node_id:
                leaf_id = self._document.path_ids[-1]
                self._strokes.put(
                    partial(renamed, before, node_id, usual.get(before, PendingText()), leaf_id)
                )
        self._know_sitting()

    def _know_sitting(self) -> None:
        if self._manuscript is not None:
            self._manuscript.committed, self._manuscript.begun = self._copy.committed, self._copy.begun
            self._manuscript.saved = self._copy.saved

    def _rise(self) -> None:
        """The sitting is over. Where nothing was committed in it, what was taken back can be done again."""
        if self._manuscript is not None:
            is_step = bool(self._copy.saved)
            self._copy.rise()
            self._know_sitting()
            if is_step:
                self._end_strokes()
                self._manuscript.pen_at = None

    def _take_back_whole(self) -> None:
        """Where all words were taken back one by one that were committed since they were begun, the commits
        are taken back too, as undo does: they can be done again.
        """
        manuscript = self._manuscript
        if manuscript is None:
            return
        usual = {node_id: self._as_committed(node_id) for node_id in manuscript.penned}
        became = self._copy.taken_back(manuscript)
        self._take_over(became, usual)
        if became:
            self._keep()  # what was kept of these passages is of nodes that are gone

    def _end_strokes(self) -> None:
        """What is in nodes is taken back with them from now on; words that wait for an answer as before."""
        steps = self._strokes.part(self.uncommitted) if self.manuscript.awaited else ()
        self._strokes.start_over()
        self._strokes.join(steps, self.uncommitted)
        self._copy.begin_run()
        self._know_sitting()

    def _restore(self, state: UncommittedText | None) -> bool:
        if state is None or self._manuscript is None:
            return False
        manuscript, before = self._manuscript, self._manuscript.text
        manuscript.is_behind = manuscript.is_followed and manuscript.working != state.working
        manuscript.put_down()
        manuscript.pen_at = None
        for node_id, typed in state.penned.items():
            place = manuscript.place_of(node_id)
            if place is not None:
                manuscript.write(place, typed)
        manuscript.write(len(manuscript) - 1, state.working)
        splice = difference(before, manuscript.text)
        self._tell()
        if splice is not None:
            self.spliced.emit(splice, TYPING_UNDONE)
        return True

    def _take_up_edit(self, place: int, one: BegunText) -> None:
        if one.text != self.manuscript.text_of(place):
            tree = self._document.tree
            self.manuscript.write(place, taken_up(tree, one.node_id, one.text, one.made_of, self.author))

    def _take_up_behind(self, left: BehindText) -> list[BegunText]:
        """Words behind an answer of the last session: after the text if it ends there, else a node. Gives
        them back if nothing is there that they could continue.
        """
        tree, path = self._document.tree, self._document.path
        typed = replace(fresh(left.text, self.author), has_word_space=left.has_word_space)
        behind = TextBehindAnswer(left.tree_id, left.answer_id, left.above_id, typed)
        above_id = self._behind.node_before(tree, behind)
        if above_id is None:
            return [BegunText("edit", left.tree_id, left.answer_id, left.text, left.at)]
        behind = replace(behind, typed=joined(verbatim(tree.nodes[above_id]), typed))
        if not self.working_text and is_end(tree, above_id, path.node_ids[-1]):
            self._kept.took_behind(left.answer_id)
            self.manuscript.write(len(self.manuscript) - 1, behind.typed)
            return []
        try:
            self._behind.commit(tree, behind, left.becomes)
        except LoomError as error:
            self._behind.put(behind)
            self.failed.emit(error)
        return []

    def _part_from_answer(self) -> None:
        """The path is another: it goes on with the answer, and then what was written behind that goes along;
        or it ends where it ended; or the answer and what is behind it are not read any more.
        """
        manuscript, ids = self.manuscript, self._document.path_ids
        if not manuscript.awaited or is_end(self._document.tree, manuscript.node_ids[-1], ids[-1]):
            return
        if manuscript.awaited == ids[-1]:
            manuscript.awaited = ""
            self._strokes.go_along(ids[-1])
        elif self.working_text:
            self._put_by()
            self._soon.start()
        else:
            manuscript.awaited = ""

    def on_pause(self) -> None:
        """Nothing was written for a while."""
        if self.may_save():
            self.save()
        else:
            self._pause.start(SAVE_AFTER_MS)

    def _save_soon(self) -> None:
        """What waited for an answer can be saved now; it is with the pause that is under way, or at once if
        that is over.
        """
        if SAVE_AFTER_MS and not self._pause.isActive():
            self._pause.start(0)

    def _tell(self) -> None:
        if self.has_words and SAVE_AFTER_MS:
            self._pause.start(SAVE_AFTER_MS)
        else:
            self._pause.stop()
        self._announce()

    def _announce(self) -> None:
        self._keep()
        self.written.emit()
        self.passages_changed.emit()

    def _keep(self) -> None:
        if self._manuscript is not None:
            document, lost = self._document, self._lost.keys()
            awaited, words = self._manuscript.awaited, self.uncommitted
            self._kept.keep(document.tree.loom.id, document.path_ids[-1], words, lost, awaited)
