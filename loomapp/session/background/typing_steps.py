"""Steps of typing: which strokes are one step of undo, in every field alike."""

from __future__ import annotations

PAUSE_S = 1.0
WORD_AFTER = 20  # characters; from here on the next word boundary ends a step


class TypingSteps:
    """A step ends with a pause, at a word boundary once it is long, or by `end_step`."""

    def __init__(self) -> None:
        self._is_open = False
        self._last_s = 0.0
        self._typed = 0

    def begins(self, at_s: float, characters: int, *, starts_word: bool) -> bool:
        """Note a stroke at a time in seconds that changes so many characters. True if a new step begins with
        it; `starts_word` if it puts the first character of a word behind white space.
        """
        begins = (
            not self._is_open or at_s - self._last_s >= PAUSE_S or (self._typed >= WORD_AFTER and starts_word)
        )
        self._typed = characters if begins else self._typed + characters
        self._last_s, self._is_open = at_s, True
        return begins

    def end_step(self) -> None:
        """End the step: what is typed next is a step of its own."""
        self._is_open = False
