"""Undo in a buffer: steps of typing first, then Changes, in the order in which they were done."""

from __future__ import annotations

from collections.abc import Callable

from loomapp.core.model.change import Change
from loomapp.core.prose.buffer_text import difference
from loomapp.session.initiator import TYPING_UNDONE
from loomapp.session.writing.buffer_commit import BufferCommit
from loomapp.session.writing.open_buffer import OpenBuffer
from loomapp.session.writing.typing_undo import UncommittedText
from loomapp.session.writing.undone_changes import UndoneChanges, is_parted_in_vain


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
        """Forget undone changes: something was written, or another text is read."""
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
