"""Suffix: the text after the place where an answer is to stand, and how much of it goes along."""

from __future__ import annotations

from dataclasses import dataclass

from loomapp.core.text.token_estimates import estimate

LEAST_SHARE = 4  # a quarter of the room is the suffix's, if what comes before leaves it no more


@dataclass(frozen=True, slots=True)
class Suffix:
    """The characters that are sent, from the first on, and how many after them are not."""

    text: str
    dropped_chars: int = 0

    @property
    def tokens(self) -> int:
        """The estimate of what is sent."""
        return estimate(self.text)

    @property
    def all_tokens(self) -> int:
        """The estimate of all of it."""
        return (len(self.text) + self.dropped_chars + 3) // 4

    @property
    def is_cut(self) -> bool:
        """True if there was no room for all of it."""
        return self.dropped_chars > 0

    def to_json(self) -> dict[str, object]:
        """The suffix as `loomapp assemble` prints it."""
        return {"text": self.text, "tokens": self.tokens, "droppedChars": self.dropped_chars}


def whole(text: str) -> Suffix:
    return Suffix(text)


def cut_to_fit(text: str, room: int, before: int) -> Suffix:
    """The beginning of a text, where it and what comes before it, which is `before` tokens, may have `room`
    tokens together: what that leaves, and a quarter of the room at least.

    What is nearest to the caret says the most of what may stand there, so the end is cut off.
    """
    tokens = min(estimate(text), max(room // LEAST_SHARE, room - before))
    return Suffix(text[: 4 * tokens], max(0, len(text) - 4 * tokens))
