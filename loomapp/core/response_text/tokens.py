"""Tokens that a response says it counted, in each protocol: shared by providers and by verification.

Fields are not checked by anybody before, so each may be missing or of any type.
"""

from __future__ import annotations

from typing import NamedTuple

from loomapp.core.response_text.chunks import field

MOST_TOKENS = 1 << 40  # more were never counted


class Tokens(NamedTuple):
    """Tokens as a provider counted them; None where it did not say.

    The input is all of it, whether read from a cache or not; the output includes reasoning.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cache_written: int | None = None
    reasoning: int | None = None


TOKEN_NAMES = ("inputTokens", "outputTokens", "cachedTokens", "cacheWrittenTokens", "reasoningTokens")
"""Under which they are saved and printed, in the order of `Tokens`."""


def counted(values: object, name: str) -> int | None:
    """A number of tokens, or None for what is none."""
    value = field(values, name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:
        return None
    return int(value)


def openai_tokens(usage: object, before: Tokens) -> Tokens:
    """Tokens of a usage in OpenAI's older dialect, after those that were known: the input is shared by all
    choices, and outputs add up where `before` has one.
    """
    return Tokens(
        input=_greatest(before.input, counted(usage, "prompt_tokens")),
        output=_summed(before.output, counted(usage, "completion_tokens")),
        cached=counted(field(usage, "prompt_tokens_details"), "cached_tokens"),
        reasoning=counted(field(usage, "completion_tokens_details"), "reasoning_tokens"),
    )


def anthropic_tokens(usage: object, before: Tokens) -> Tokens:
    """Tokens of a usage of Anthropic Messages, after those that were known: true input is what was read
    anew, written to the cache and read from it.
    """
    written = counted(usage, "cache_creation_input_tokens")
    read = counted(usage, "cache_read_input_tokens")
    fresh = counted(usage, "input_tokens")
    output = counted(usage, "output_tokens")
    if fresh is not None:
        before = Tokens(fresh + (written or 0) + (read or 0), before.output, read, written)
    return before if output is None else before._replace(output=output)


def responses_tokens(usage: object) -> Tokens:
    return Tokens(
        input=counted(usage, "input_tokens"),
        output=counted(usage, "output_tokens"),
        cached=counted(field(usage, "input_tokens_details"), "cached_tokens"),
        reasoning=counted(field(usage, "output_tokens_details"), "reasoning_tokens"),
    )


def _greatest(*numbers: int | None) -> int | None:
    return max((number for number in numbers if number is not None), default=None)


def _summed(*numbers: int | None) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
