"""Typing as a few undoable steps: what was written together is taken back together."""

from __future__ import annotations

from dataclasses import dataclass

from loomapp.session.background.typing_steps import TypingSteps


@dataclass(frozen=True, slots=True)
class Writing:
    """A text and where the cursor stands in it, in UTF-16 units as Qt counts them."""

    text: str = ""
    cursor: int = 0


class TypingHistory:
    """Steps of one field. A step ends with a pause, at a word boundary once it is long, or by `end_step`."""

    def __init__(self, start: Writing | None = None) -> None:
        self._done: list[Writing] = []
        self._undone: list[Writing] = []
        self._now = start or Writing()
        self._pace = TypingSteps()

    @property
    def now(self) -> Writing:
        return self._now

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def typed(self, writing: Writing, at_s: float) -> bool:
        """The field was changed by its user at a time in seconds. True if this began a new step."""
        if writing.text == self._now.text:
            self._now = writing
            return False
        characters = max(1, abs(len(writing.text) - len(self._now.text)))
        begins = self._pace.begins(at_s, characters, starts_word=_starts_word(writing))
        if begins:
            self._done.append(self._now)
        self._now = writing
        self._undone.clear()
        return begins

    def end_step(self) -> None:
        self._pace.end_step()

    def undo(self) -> Writing | None:
        """Take the last step back: what the field is to hold, or None if there is nothing to take back."""
        if not self._done:
            return None
        self._undone.append(self._now)
        self._now = self._done.pop()
        self.end_step()
        return self._now

    def redo(self) -> Writing | None:
        """Bring a step back: what the field is to hold, or None."""
        if not self._undone:
            return None
        self._done.append(self._now)
        self._now = self._undone.pop()
        self.end_step()
        return self._now

    def start_over(self, writing: Writing | None = None) -> None:
        """Forget all steps and begin with a text."""
        self._done.clear()
        self._undone.clear()
        self._now = writing or Writing()
        self.end_step()


def _starts_word(writing: Writing) -> bool:
    """Return True when the cursor has come to the beginning of a word."""
    units = writing.text.encode("utf-16-le", "surrogatepass")[: 2 * writing.cursor]
    written = units.decode("utf-16-le", "replace")
    return len(written) > 1 and written[-2].isspace() and not written[-1].isspace()
