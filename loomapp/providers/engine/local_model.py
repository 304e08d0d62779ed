"""The local model: the embedded engine as a provider, for conversations and for documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from loomapp.core.context.messages import Message, MessageRole, TextPart
from loomapp.core.generation.events import StreamEvent
from loomapp.core.generation.request import ProviderError, Request, Stop
from loomapp.core.sentences import worded
from loomapp.core.text.token_counts import Tokenized
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.literal_prompt import count_of, literal_prompt, tokens_of
from loomapp.providers.engine.process import NAME
from loomapp.providers.protocols.bodies import SHORTEST_ANSWER_TOKENS, answer_tokens, messages, prompt
from loomapp.providers.protocols.model_rules import seeded_rules

SMALL = "x"


class LocalModel:
    """A provider for `local:<name of a model file>`."""

    def __init__(self, engine: Engine, model_ref: str) -> None:
        self._engine = engine
        self._model_name = model_ref.partition(":")[2]
        self._rules = seeded_rules(model_ref)

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        """One attempt; see `core.generation.Provider`. Waits while the engine's memory is full.

        Without max_tokens an answer may have 1,024 tokens; with many choices each gets its share of the room.
        """
        if not 1 <= request.n <= self._rules.max_choices:
            raise ProviderError(
                "invalidRequest",
                worded(
                    "{name} writes 1 to {max_choices} continuations at once, not {n}.",
                    name=NAME,
                    max_choices=self._rules.max_choices,
                    n=request.n,
                ),
                provider=NAME,
            )
        self._engine.ready(self._model_name, stop)
        request, tokens = self._fitted(request)
        with (
            self._engine.admission.admitted(tokens=tokens, choices=request.n, stop=stop),
            self._engine.streaming(self._model_name, request.n, stop) as endpoint,
        ):
            # imported here: it takes most of a second, and only those who generate should pay for it
            from loomapp.providers.protocols.openai_completions import OpenAIChat, OpenAICompletions

            if (parts := literal_prompt(request, self._engine.ask)) is not None:
                yield from OpenAICompletions(endpoint, self._rules, parts).stream(request, stop)
                return
            protocol = OpenAIChat if request.document is None else OpenAICompletions
            yield from protocol(endpoint, self._rules).stream(request, stop)

    def count_tokens(self, request: Request) -> int:
        """Return how many tokens the request is for this model, exactly; the engine must be running."""
        if (parts := literal_prompt(request, self._engine.ask)) is not None:
            return count_of(parts, self._engine.ask)
        if request.document is None:
            text = self._engine.ask("/apply-template", {"messages": messages(request)})["prompt"]
        else:
            text = prompt(request)
        return len(tokens_of(self._engine.ask, text, with_marks=True, begins=True))

    def count_text(self, text: str) -> int:
        """Return how many tokens a text is for this model; the engine must be running."""
        return len(tokens_of(self._engine.ask, text, with_marks=False))

    def tokenized(self) -> Tokenized:
        """Return what this model's requests cost beside their texts, found by asking about small ones; the
        engine must be running.
        """
        text = self.count_text(SMALL)
        one, two = (self.count_tokens(self._small(count)) for count in (1, 3))
        message = (two - one) // 2 - text
        with_system = self.count_tokens(replace(self._small(1), system=SMALL))
        return Tokenized({}, with_system - 2 * (message + text), message, one - message - text)

    def _small(self, count: int) -> Request:
        """A request of so many short messages, the person's first."""
        roles: tuple[MessageRole, MessageRole] = ("user", "assistant")
        said = tuple(Message(roles[number % 2], (TextPart(SMALL),)) for number in range(count))
        return Request(f"local:{self._model_name}", messages=said)

    def _fitted(self, request: Request) -> tuple[Request, int]:
        """The request with answers that fit, and the tokens it needs in all.

        A wish for room is a limit, not a promise: with many choices each gets its share of what there is,
        rather than none of them anything. A share too short for a sentence is refused.
        """
        context = self.count_tokens(request)
        window = self._rules.context_window
        wished = answer_tokens(request, self._rules)
        share = (window - context) // request.n
        if share < min(wished, SHORTEST_ANSWER_TOKENS):
            needed = context + request.n * min(wished, SHORTEST_ANSWER_TOKENS)
            raise ProviderError(
                "contextTooLong",
                _too_long(context, request.n, window),
                provider=NAME,
                needed=needed,
                limit=window,
            )
        answer = min(wished, share)
        return replace(request, max_tokens=answer), context + answer * request.n


def _too_long(context: int, choices: int, window: int) -> str:
    answers = worded("an answer") if choices == 1 else worded("{count} answers", count=choices)
    return worded(
        "The context is {context} tokens; with {answers} that is too much for the local model's {window}. "
        "Exclude something, or ask for fewer continuations.",
        context=context,
        answers=answers,
        window=window,
    )
