"""Input of a writer into the open buffer: typed, replaced, moved, taken back and done again."""

from __future__ import annotations

import time
from collections.abc import Callable

from loomapp.core.errors import StaleChange
from loomapp.core.model.change import Change
from loomapp.core.model.content import well_formed
from loomapp.core.prose.buffer_text import TextChange, difference
from loomapp.core.prose.edit_session import Typist
from loomapp.core.prose.passage_change import place_after, stretches_after
from loomapp.core.sentences import worded
from loomapp.session.document import Document
from loomapp.session.open_tree import TYPING_UNDONE, USER
from loomapp.session.writing.buffer_commit import BufferCommit
from loomapp.session.writing.open_buffer import OpenBuffer
from loomapp.session.writing.typing_undo import UncommittedText

MOVED_MEANWHILE = "Another program changed the text meanwhile: nothing was moved."


class BufferInput:
    """Writes in the open buffer for its writer. What is under the pen elsewhere is saved first."""

    def __init__(self, buffer: OpenBuffer, commits: BufferCommit, undo: BufferUndo) -> None:
        self._buffer, self._commits, self._undo = buffer, commits, undo

    def typed(self, start: int, end: int, text: str, at_s: float | None = None) -> int:
        """Take in that the writer replaced the characters from `start` to before `end`, in code points of the
        text, by others; the view shows that already. What was deleted of several passages goes from each,
        what was typed or pasted to the first. Gives the place behind it: another one than the view knows if
        what was written before is committed first, and others have changed the text meanwhile.

        Raises: InvalidInput, and nothing is changed, for what is not plain text: the view shows it again.
        """
        buffer = self._buffer
        self._typist.check(start, end)
        clean = well_formed(text)
        stretches = [(start, end)]
        if not self._typist.goes_on(start, end):
            with self._commits.hearing() as heard:
                self._commits.save_untold()  # it is told with what is typed: once is enough for one key
                self._commits.end_steps()
            stretches = stretches_after(start, end, heard)
            start = place_after(start, heard)
        before = buffer.uncommitted
        starts_word = bool(clean) and not clean[:1].isspace() and self._typist.is_space_before(start)
        end = self._typist.put_over(start, stretches, clean)
        place = start + len(clean)
        at_s = time.monotonic() if at_s is None else at_s
        buffer.steps.struck(before, at_s, start, end, clean, starts_word=starts_word)
        buffer.text.pen_at = buffer.steps.next_at
        self._undo.forget()
        buffer.tell()
        if clean != text:  # half a surrogate pair, which no file can hold
            buffer.spliced.emit(TextChange(start, start + len(text), clean), USER)
        return place

    def moved(self, start: int, end: int, place: int) -> None:
        """Take in that the writer moved the characters from `start` to before `end` to another place. It is
        one step of undo and one Change, also between passages; the view shows it already.

        Raises: InvalidInput, and nothing is changed, for what is not plain text; StaleChange if others have
        changed the text meanwhile.
        """
        buffer = self._buffer
        self._typist.check(start, end)
        self._typist.check(place, place)
        goes_on = self._typist.goes_on(start, end) and self._typist.goes_on(place, place)
        if not goes_on or not self._typist.is_one_kind(start, end, place):
            with self._commits.hearing() as heard:
                self._commits.settle()
            if heard:
                raise StaleChange(worded(MOVED_MEANWHILE))
        before = buffer.uncommitted
        text = self._typist.move(start, end, place)
        buffer.steps.end_step()
        buffer.steps.struck(before, time.monotonic(), place, place, text, starts_word=False)
        buffer.steps.end_step()
        buffer.steps.next_at = buffer.text.pen_at = place + (len(text) if place <= start else 0)
        self._undo.forget()
        buffer.tell()

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a stretch for the writer, as a step of its own; the view is told. Raises: InvalidInput."""
        self._buffer.steps.end_step()
        self.typed(start, end, well_formed(text))
        self._buffer.steps.end_step()
        self._buffer.spliced.emit(TextChange(start, end, well_formed(text)), USER)

    def end_step(self) -> None:
        """End the step of undo: what is typed next is a step of its own."""
        self._buffer.steps.end_step()

    @property
    def _typist(self) -> Typist:
        return self._buffer.typist


class BufferUndo:
    """Undo and redo in the open buffer."""

    def __init__(self, buffer: OpenBuffer, commits: BufferCommit) -> None:
        self._buffer, self._commits, self._document = buffer, commits, buffer.document
        self._undone = UndoneChanges(buffer.document, buffer.written.emit)

    @property
    def can_undo_typing(self) -> bool:
        return self._buffer.is_here(self._buffer.steps.next_undo)

    @property
    def can_redo_typing(self) -> bool:
        """True if a step of typing can be brought back, before any change."""
        return not self._undone and self._buffer.is_here(self._buffer.steps.next_redo)

    @property
    def is_over_undone(self) -> bool:
        """True while words that were written since stand in the place of what was undone."""
        return self._buffer.has_words and not self._undone

    def forget(self) -> None:
        self._undone.forget()

    def undo_typing(self) -> bool:
        """Take the last step of typing back. False if there is none, or none of this path: then undo is the
        tree's.
        """
        return self.can_undo_typing and self._restore(self._buffer.steps.undo(self._buffer.uncommitted))

    def redo_typing(self) -> bool:
        """Bring a step of typing back. False if there is none, or if changes were undone after it, which come
        first. A step in a passage that is not on the path, or at another end, waits until it is again.
        """
        return self.can_redo_typing and self._restore(self._buffer.steps.redo(self._buffer.uncommitted))

    def undo(self, guard: Callable[[Change], None]) -> Change | None:
        """Take back what was done last: a step of typing (None then), else the newest Change. A passage that
        was parted for an answer that never came goes with the Change before it: nothing would be seen to go.
        """
        if self.undo_typing():
            return None
        self._commits.take_back_whole()
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

    def _restore(self, state: UncommittedText | None) -> bool:
        if state is None:
            return False
        text, before = self._buffer.text, self._buffer.text.text
        text.is_behind = text.is_followed and text.working != state.working
        text.put_down()
        text.pen_at = None
        for node_id, typed in state.penned.items():
            place = text.place_of(node_id)
            if place is not None:
                text.write(place, typed)
        text.write(len(text) - 1, state.working)
        splice = difference(before, text.text)
        self._buffer.tell()
        if splice is not None:
            self._buffer.spliced.emit(splice, TYPING_UNDONE)
        return True


class UndoneChanges:
    """Of the text that is open, until something else is written. A passage that was parted for an answer that
    never came goes and comes with the Change beside it: nothing would be seen of it alone.
    """

    def __init__(self, document: Document, told: Callable[[], None]) -> None:
        """`told` is called after each: what can be done again is another now."""
        self._document, self._told = document, told
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def forget(self) -> None:
        """Forget all: something was written, or another text is read."""
        self._count = 0

    def undo(self, guard: Callable[[Change], None]) -> Change | None:
        """Undo the newest Change; None if there is none."""
        change = self._document.history.undo(guard)
        if change is not None:
            self._count += 1
            self._told()  # not while the change was told
        return change

    def redo(self) -> Change | None:
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
        self._count = 0 if change is None else max(0, self._count - 1)
        self._told()
        return change


def is_parted_in_vain(change: Change) -> bool:
    """True if what was undone had been parted alone, for an answer: none came of it."""
    return bool(change.action) and change.kind == "split"
