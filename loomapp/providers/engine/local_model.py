"""The local model: the embedded engine as a provider, for conversations and for documents; its tokenizer.

Words that a model would read as its own marks are sent as the letters they are: a message that holds
`<|im_end|>` could end itself and speak as somebody else. The engine reads marks wherever
they stand in a text; what it is given as numbers of tokens it takes as they are. A document has no roles: it
goes as it stands, and whoever writes marks into it means them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from loomapp.core.context.messages import Message, MessageRole, TextPart
from loomapp.core.generation.provider import ProviderError, Request, Stop, StreamEvent
from loomapp.core.sentences import worded
from loomapp.core.text.token_counts import Tokenized
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.model_files import local_rules
from loomapp.providers.engine.state import NAME
from loomapp.providers.protocols.bodies import SHORTEST_ANSWER_TOKENS, answer_tokens, messages, prompt
from loomapp.providers.protocols.model_rules import LOCAL_CONTEXT_WINDOW

Ask: TypeAlias = Callable[[str, object], Any]  # a small JSON question to the engine
Parts: TypeAlias = tuple[str | int, ...]  # texts as they stand, in which marks count, and tokens

MAY_MARK = re.compile(r"[<\[]")  # every mark of the known families begins with one of these
STAND_INS = "\ue000", "\ue001"  # around a number: private letters, which no template and no mark has


def literal_prompt(request: Request, ask: Ask) -> Parts | None:
    """Return the prompt of a conversation with every mark in a text as plain tokens; None where no text has
    any, as is usual, and for a document.

    Raises: ProviderError where the engine does not answer.
    """
    texts = [] if request.document is not None else _texts(request)
    marks = _marks([text for text in texts if MAY_MARK.search(text)], ask)
    if not marks:
        return None
    stood_in = replace(
        request,
        system=None if request.system is None else _stood_in(request.system, marks),
        messages=tuple(_message(message, marks) for message in request.messages),
    )
    whole = ask("/apply-template", {"messages": messages(stood_in)})["prompt"]
    return _filled(whole, marks, ask)


def tokens_of(ask: Ask, text: str, *, with_marks: bool, begins: bool = False) -> list[int]:
    """Return the tokens of a text; `begins` adds what the model wants before all else."""
    question = {"content": text, "add_special": begins, "parse_special": with_marks}
    tokens: list[int] = ask("/tokenize", question)["tokens"]
    return tokens


def count_of(parts: Parts, ask: Ask) -> int:
    """Return how many tokens a prompt in parts is."""
    numbers = sum(isinstance(part, int) for part in parts)
    texts = [(place, part) for place, part in enumerate(parts) if isinstance(part, str)]
    return numbers + sum(
        len(tokens_of(ask, text, with_marks=True, begins=place == 0)) for place, text in texts
    )


def _texts(request: Request) -> list[str]:
    return [request.system or "", *(message.text for message in request.messages)]


def _marks(texts: Sequence[str], ask: Ask) -> tuple[str, ...]:
    """Return the words in some texts that the model would read as marks, the longest first."""
    whole = "\n".join(texts)
    if not whole:
        return ()
    question = {"content": whole, "add_special": False, "parse_special": True, "with_pieces": True}
    read = {one["piece"]: one["id"] for one in ask("/tokenize", question)["tokens"] if _is_word(one["piece"])}
    plain = set(tokens_of(ask, whole, with_marks=False))
    suspects = [word for word, number in read.items() if number not in plain and word in whole]
    marks = [word for word in suspects if tokens_of(ask, word, with_marks=False) != [read[word]]]
    signs = [sign for sign in STAND_INS if marks and sign in whole]  # of a text itself: they stand for none
    return tuple(sorted((*marks, *signs), key=len, reverse=True))


def _is_word(piece: object) -> bool:
    return isinstance(piece, str) and bool(piece.strip())


def _message(message: Message, marks: Sequence[str]) -> Message:
    parts = (
        replace(part, text=_stood_in(part.text, marks)) if isinstance(part, TextPart) else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


def _stood_in(text: str, marks: Sequence[str]) -> str:
    """Put a stand-in in the place of each mark."""
    found = re.compile("|".join(map(re.escape, marks)))
    return found.sub(lambda match: f"{STAND_INS[0]}{marks.index(match[0])}{STAND_INS[1]}", text)


def _filled(text: str, marks: Sequence[str], ask: Ask) -> Parts:
    """Return a text whose stand-ins are the plain tokens of their marks."""
    plain = [tokens_of(ask, mark, with_marks=False) for mark in marks]
    parts: list[str | int] = []
    for place, piece in enumerate(re.split(f"{STAND_INS[0]}([0-9]+){STAND_INS[1]}", text)):
        if place % 2:
            parts += plain[int(piece)]
        elif piece:
            parts.append(piece)
    return tuple(parts)


SMALL = "x"


class LocalModel:
    """A provider for `local:<name of a model file>`."""

    def __init__(self, engine: Engine, model_ref: str) -> None:
        self._engine = engine
        self._model_name = model_ref.partition(":")[2]
        self._rules = local_rules(model_ref)

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        """One attempt; see `core.generation.provider.Provider`. Waits while the engine's memory is full.

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
        # The engine's memory is shared out in parts, as many as the usual window has tokens.
        tokens = -(-tokens * LOCAL_CONTEXT_WINDOW // self._rules.context_window)
        with (
            self._engine.admission.admitted(tokens=tokens, choices=request.n, stop=stop),
            self._engine.streaming(self._model_name, request.n, stop) as endpoint,
        ):
            # imported here: it takes most of a second, and only those who generate should pay for it
            from loomapp.providers.protocols.openai_protocols import OpenAIChat, OpenAICompletions

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
