"""Chunks of an answer in each protocol, their words, and facts of a response beside them: model, end, tokens.

Providers read what streams by these functions, and verification reads what was kept by the same ones: the two
can't come apart. Fields are not checked by anybody before, so each may be missing or of any type.

Fields are not checked by anybody before, so each may be missing or of any type.
"""

from __future__ import annotations

from dataclasses import field
from typing import NamedTuple

from loomapp.core.dataclass import dataclass

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
    value = field_of(values, name)
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
        cached=counted(field_of(usage, "prompt_tokens_details"), "cached_tokens"),
        reasoning=counted(field_of(usage, "completion_tokens_details"), "reasoning_tokens"),
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
        cached=counted(field_of(usage, "input_tokens_details"), "cached_tokens"),
        reasoning=counted(field_of(usage, "output_tokens_details"), "reasoning_tokens"),
    )


def _greatest(*numbers: int | None) -> int | None:
    return max((number for number in numbers if number is not None), default=None)


def _summed(*numbers: int | None) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


@dataclass(slots=True)
class Told:
    """All that was told, in the order in which it came: whoever stopped it had heard a beginning of that.

    `is_stream`: it came in events. `is_whole`: its last word came. `ends` are of choices by their index.
    `tokens` is what had been counted after each count; `sums` likewise where outputs are added up.
    """

    is_stream: bool = False
    is_whole: bool = False
    has_begun: bool = False
    request_id: object = None
    model: object = None
    ends: list[tuple[int, str]] = field(default_factory=list)
    tokens: list[Tokens] = field(default_factory=list)
    sums: list[Tokens] = field(default_factory=list)
    _refused: set[int] = field(default_factory=set)
    _reason: str = ""

    def begin(self, response: object) -> None:
        """Hear who answers, from the first that comes."""
        self.has_begun = True
        self.request_id, self.model = field_of(response, "id"), field_of(response, "model")

    def hear_openai(self, event: object) -> None:
        """Hear an event, or a whole answer, in OpenAI's older dialect, but for its choices."""
        if not self.has_begun:
            self.begin(event)
        usage = field_of(event, "usage")
        if usage is not None:
            known = self._known
            _add(self.tokens, openai_tokens(usage, known._replace(output=None)))
            _add(self.sums, openai_tokens(usage, self.sums[-1] if self.sums else Tokens()))

    def hear_choice(self, index: int, said: ChunkWords) -> None:
        """Hear whether words of a choice refuse, and whether they end it."""
        if said.is_refusal:
            self._refused.add(index)
        if said.reason is not None:
            self.ends.append((index, "refusal" if index in self._refused else str(said.reason)))

    def hear_event(self, kind: str, event: object) -> None:
        """Hear an event of Anthropic Messages or of OpenAI's Responses that holds no words."""
        if kind.startswith("message_"):
            self._hear_message(kind, event)
        elif kind == "response.created" or kind in RESPONSE_ENDS:
            self._hear_response(kind, field_of(event, "response"))

    def hear_answer(self, answer: object) -> None:
        """Hear an answer that was not streamed, but for its choices."""
        self.begin(answer)
        usage = field_of(answer, "usage")
        if field_of(answer, "choices") is not None:
            self.hear_openai(answer)
        elif field_of(answer, "output") is not None:
            _add(self.tokens, responses_tokens(usage))
            self.ends.append((0, responses_reason(answer, is_refused=False)))
        else:
            _add(self.tokens, anthropic_tokens(usage, Tokens()))
            self.ends += [(0, str(reason)) for reason in [field_of(answer, "stop_reason")] if reason]

    def _hear_message(self, kind: str, event: object) -> None:
        if kind == "message_start":
            message = field_of(event, "message")
            self.begin(message)
            _add(self.tokens, anthropic_tokens(field_of(message, "usage"), self._known))
        elif kind == "message_delta":
            reason = field_of(field_of(event, "delta"), "stop_reason")
            self._reason = str(reason or self._reason)
            if (usage := field_of(event, "usage")) is not None:
                _add(self.tokens, anthropic_tokens(usage, self._known))
        elif kind == "message_stop":
            self.is_whole = True
            if self._reason:
                self.ends.append((0, self._reason))

    def _hear_response(self, kind: str, response: object) -> None:
        if kind == "response.created":
            self.begin(response)
            return
        self.is_whole = True
        if (usage := field_of(response, "usage")) is not None:
            _add(self.tokens, responses_tokens(usage))
        self.ends.append((0, responses_reason(response, is_refused=0 in self._refused)))

    @property
    def _known(self) -> Tokens:
        return self.tokens[-1] if self.tokens else Tokens()


def responses_reason(response: object, *, is_refused: bool) -> str:
    """Return why a response of OpenAI's Responses ended, in the provider's word."""
    if is_refused:
        return "refusal"
    reason = field_of(field_of(response, "incomplete_details"), "reason")
    return str(reason or field_of(response, "status") or "stop")


def _add(counts: list[Tokens], count: Tokens) -> None:
    if not counts or counts[-1] != count:
        counts.append(count)
