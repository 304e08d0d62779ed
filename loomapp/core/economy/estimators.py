"""Estimators: tokens of a text, or of messages, without a tokenizer. Each has a name that is told with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from loomapp.core.text.token_estimates import estimate

Estimator: TypeAlias = Callable[[str], int]
CHARS_4, CHARS_35, CHAT_4 = "chars/4", "chars/3.5", "chat-4"
MESSAGE_OVERHEAD = 16  # characters that a message costs beside its own
CHAT_OVERHEAD = 3  # tokens of a whole conversation


def tokens_of_chars(characters: int) -> int:
    """Tokens of so many code points at 3.5 each, rounded up: the estimator of branch summaries."""
    return -(-2 * characters // 7)


def by_chars_35(text: str) -> int:
    """Tokens of a text at 3.5 code points each, rounded up."""
    return tokens_of_chars(len(text))


def chat_tokens(lengths: Sequence[int]) -> int:
    """Tokens of messages of these lengths in code points: each costs 16 characters more, all together 3
    tokens.
    """
    characters = sum(lengths) + MESSAGE_OVERHEAD * len(lengths)
    return -(-characters // 4) + CHAT_OVERHEAD


def as_one_message(text: str) -> int:
    """Tokens of a text as the only message of a conversation."""
    return chat_tokens((len(text),))


ESTIMATORS: Mapping[str, Estimator] = {
    CHARS_4: estimate,
    CHARS_35: by_chars_35,
    CHAT_4: as_one_message,
}
