"""Facts of a response beside its words: its id, its model, why each choice ended, tokens it counted."""

from __future__ import annotations

from dataclasses import dataclass, field

from loomapp.core.response_text import chunks
from loomapp.core.response_text.chunks import ChunkWords
from loomapp.core.response_text.tokens import Tokens, anthropic_tokens, openai_tokens, responses_tokens


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
        self.request_id, self.model = chunks.field(response, "id"), chunks.field(response, "model")

    def hear_openai(self, event: object) -> None:
        """Hear an event, or a whole answer, in OpenAI's older dialect, but for its choices."""
        if not self.has_begun:
            self.begin(event)
        usage = chunks.field(event, "usage")
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
        elif kind == "response.created" or kind in chunks.RESPONSE_ENDS:
            self._hear_response(kind, chunks.field(event, "response"))

    def hear_answer(self, answer: object) -> None:
        """Hear an answer that was not streamed, but for its choices."""
        self.begin(answer)
        usage = chunks.field(answer, "usage")
        if chunks.field(answer, "choices") is not None:
            self.hear_openai(answer)
        elif chunks.field(answer, "output") is not None:
            _add(self.tokens, responses_tokens(usage))
            self.ends.append((0, responses_reason(answer, is_refused=False)))
        else:
            _add(self.tokens, anthropic_tokens(usage, Tokens()))
            self.ends += [(0, str(reason)) for reason in [chunks.field(answer, "stop_reason")] if reason]

    def _hear_message(self, kind: str, event: object) -> None:
        if kind == "message_start":
            message = chunks.field(event, "message")
            self.begin(message)
            _add(self.tokens, anthropic_tokens(chunks.field(message, "usage"), self._known))
        elif kind == "message_delta":
            reason = chunks.field(chunks.field(event, "delta"), "stop_reason")
            self._reason = str(reason or self._reason)
            if (usage := chunks.field(event, "usage")) is not None:
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
        if (usage := chunks.field(response, "usage")) is not None:
            _add(self.tokens, responses_tokens(usage))
        self.ends.append((0, responses_reason(response, is_refused=0 in self._refused)))

    @property
    def _known(self) -> Tokens:
        return self.tokens[-1] if self.tokens else Tokens()


def responses_reason(response: object, *, is_refused: bool) -> str:
    """Return why a response of OpenAI's Responses ended, in the provider's word."""
    if is_refused:
        return "refusal"
    reason = chunks.field(chunks.field(response, "incomplete_details"), "reason")
    return str(reason or chunks.field(response, "status") or "stop")


def _add(counts: list[Tokens], count: Tokens) -> None:
    if not counts or counts[-1] != count:
        counts.append(count)
