"""Input of a writer into the open buffer: text typed, replaced or moved, each a step of undo."""

from __future__ import annotations

import time

from loomapp.core.errors import StaleChange
from loomapp.core.model.content import well_formed
from loomapp.core.prose.buffer_text import TextChange
from loomapp.core.prose.rebase import place_after, stretches_after
from loomapp.core.prose.typist import Typist
from loomapp.core.prose.word_space import WORD_SPACE, begins_word
from loomapp.core.sentences import worded
from loomapp.session.initiator import USER
from loomapp.session.writing.buffer_commit import BufferCommit
from loomapp.session.writing.buffer_undo import BufferUndo
from loomapp.session.writing.open_buffer import OpenBuffer
from loomapp.session.writing.text_beside_answer import TextBesideAnswer

MOVED_MEANWHILE = "Another program changed the text meanwhile: nothing was moved."


class BufferInput:
    """Writes in the open buffer for its writer. What is under the pen elsewhere is saved first."""

    def __init__(
        self, buffer: OpenBuffer, commits: BufferCommit, beside: TextBesideAnswer, undo: BufferUndo
    ) -> None:
        self._buffer, self._commits, self._beside, self._undo = buffer, commits, beside, undo

    def typed(self, start: int, end: int, text: str, at_s: float | None = None) -> int:
        """Take in that the writer replaced the characters from `start` to before `end`, in code points of the
        text, by others; the view shows that already. What was deleted of several passages goes from each,
        what was typed or pasted to the first. A word right behind an answer that is not done gets a space
        before it. Gives the place behind it: another one than the view knows then, and if what was written
        before is committed first, and others have changed the text meanwhile.

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
        is_parted = begins_word(clean) and self._beside.is_right_behind(start)
        clean = WORD_SPACE + clean if is_parted else clean
        before = buffer.uncommitted
        starts_word = bool(clean) and not clean[:1].isspace() and self._typist.is_space_before(start)
        end = self._typist.put_over(start, stretches, clean)
        place = start + len(clean) - self._beside.keep_word_space(is_new=is_parted)
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
