"""One chunk of an answer in each protocol: its text, whether it comes from an SDK or is parsed JSON.

Providers read what streams by these functions, and verification reads what was kept by the same ones: the two
can't come apart. Fields are not checked by anybody before, so each may be missing or of any type.
"""

from __future__ import annotations

from typing import NamedTuple

REASONING_KINDS = frozenset({"response.reasoning_text.delta", "response.reasoning_summary_text.delta"})
TEXT_KINDS = frozenset({"response.output_text.delta", "response.refusal.delta"})
REFUSAL_KIND = "response.refusal.delta"
RESPONSE_ENDS = frozenset({"response.completed", "response.incomplete"})


class ChunkWords(NamedTuple):
    """Words of one choice in one chunk; `reason` is the provider's word for its end, None before that."""

    text: str = ""
    reasoning: str = ""
    is_refusal: bool = False
    reason: object = None


def field_of(value: object, name: str) -> object:
    """A field of an object of an SDK, or of parsed JSON; None if it has none."""
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def text_of(value: object) -> str:
    """A text; some servers send it as a list of parts. Raises: TypeError for what is none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} in place of a text")
    parts = (part if isinstance(part, str) else field_of(part, "text") for part in value)
    return "".join(part for part in parts if isinstance(part, str))


def openai_choice(choice: object) -> ChunkWords:
    """Words of a choice in OpenAI's older dialect: a chat's carries a delta, a completion's its text.

    Raises: TypeError for a text that is none.
    """
    delta = field_of(choice, "delta")
    return _openai_said(choice if delta is None else delta, field_of(choice, "finish_reason"))


def openai_message(choice: object) -> ChunkWords:
    """Words of a choice of an answer that was not streamed. Raises: TypeError for a text that is none."""
    message = field_of(choice, "message")
    return _openai_said(choice if message is None else message, field_of(choice, "finish_reason"))


def _openai_said(words: object, reason: object) -> ChunkWords:
    refusal = field_of(words, "refusal")
    text = field_of(words, "content") or field_of(words, "text") or refusal
    reasoning = field_of(words, "reasoning_content") or field_of(words, "reasoning")
    return ChunkWords(
        text_of(text) if text else "", text_of(reasoning) if reasoning else "", bool(refusal), reason or None
    )


def anthropic_block(block: object) -> ChunkWords:
    """Words of a content block or of a delta of it; a block's beginning is mostly empty.

    Raises: TypeError for a text that is none.
    """
    text, thought = field_of(block, "text"), field_of(block, "thinking")
    return ChunkWords(text_of(text) if text else "", text_of(thought) if thought else "")


def responses_event(event: object) -> ChunkWords:
    """Words of an event of OpenAI's Responses. Raises: TypeError for a text that is none."""
    kind = field_of(event, "type")
    if kind in TEXT_KINDS:
        return ChunkWords(text_of(field_of(event, "delta")), is_refusal=kind == REFUSAL_KIND)
    if kind in REASONING_KINDS:
        return ChunkWords(reasoning=text_of(field_of(event, "delta")))
    return ChunkWords()
