"""Typing as a few undoable steps: what was written together is taken back together."""

from __future__ import annotations

from dataclasses import dataclass

from loomapp.session.writing.typing_undo import UndoSteps


@dataclass(frozen=True, slots=True)
class Writing:
    """A text and where the cursor stands in it, in UTF-16 units as Qt counts them."""

    text: str = ""
    cursor: int = 0


class TypingHistory:
    """Steps of one field, and what it holds now."""

    def __init__(self) -> None:
        self._steps: UndoSteps[Writing] = UndoSteps()
        self._now = Writing()

    @property
    def now(self) -> Writing:
        return self._now

    @property
    def can_undo(self) -> bool:
        return self._steps.can_undo

    @property
    def can_redo(self) -> bool:
        return self._steps.can_redo

    def typed(self, writing: Writing, at_s: float) -> bool:
        """The field was changed by its user at a time in seconds. True if this began a new step."""
        before, self._now = self._now, writing
        if writing.text == before.text:
            return False
        characters = max(1, abs(len(writing.text) - len(before.text)))
        return self._steps.stroke(before, at_s, characters, starts_word=_starts_word(writing))

    def end_step(self) -> None:
        self._steps.end_step()

    def undo(self) -> Writing | None:
        """Take the last step back: what the field is to hold, or None if there is nothing to take back."""
        return self._put(self._steps.undo(self._now))

    def redo(self) -> Writing | None:
        """Bring a step back: what the field is to hold, or None."""
        return self._put(self._steps.redo(self._now))

    def start_over(self, writing: Writing | None = None) -> None:
        """Forget all steps and begin with a text."""
        self._steps.start_over()
        self._now = writing or Writing()

    def _put(self, writing: Writing | None) -> Writing | None:
        if writing is not None:
            self._now = writing
        return writing


def _starts_word(writing: Writing) -> bool:
    """Return True when the cursor has come to the beginning of a word."""
    units = writing.text.encode("utf-16-le", "surrogatepass")[: 2 * writing.cursor]
    written = units.decode("utf-16-le", "replace")
    return len(written) > 1 and written[-2].isspace() and not written[-1].isspace()
