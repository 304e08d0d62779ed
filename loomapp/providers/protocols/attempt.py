"""One attempt in any protocol: the SDK's call, read to its proper end, every failure mapped."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import httpx2

from loomapp.core.generation.provider import (
    ChoiceFailed,
    Finished,
    ProviderError,
    ReasoningDelta,
    Request,
    RequestSent,
    Started,
    Stop,
    StreamEvent,
    TextDelta,
)
from loomapp.core.model.content import well_formed
from loomapp.core.sentences import worded
from loomapp.providers.protocols import wire
from loomapp.providers.protocols.bodies import images_of
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.errors import broken_off, failure, provider_error, stopped, unfinished
from loomapp.providers.protocols.events import Censor
from loomapp.providers.protocols.exchange import Call, Recording, call_of
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.protocols.redaction import redact

LONGEST_NAME = 200
FILTERED = frozenset({"content_filter", "refusal"})


class AnswerReader(Protocol):
    """An answer while it is read. `reasons`: choice -> the provider's word for why it ended.

    `ended`: the last word has been said, and nothing after it is to be read. `sample`: an answer as bytes, to
    rehearse with.
    """

    sample: bytes

    reasons: dict[int, str]
    ended: bool

    def events(self, chunk: Any) -> Iterator[StreamEvent]: ...

    def is_whole(self, recording: Recording, /) -> bool:
        """Tell whether the protocol's terminator has come: SDKs raise nothing for an answer that was
        cut off.
        """


def attempt(
    endpoint: Endpoint,
    request: Request,
    stop: Stop,
    ask: Callable[[httpx2.Client], Chunks],
    reading: AnswerReader,
    rules: ModelRules,
) -> Iterator[StreamEvent]:
    """`ask` makes the SDK's call with a recording client, `reading` understands what comes.

    Raises: ProviderError, also when the answer ends without its terminator or with a choice that never
    finished, and when it does not end at all.
    """
    length = Length(request, rules, endpoint)
    call = call_of(stop)
    call.images = images_of(request)
    censor = Censor(endpoint.secrets)
    with ExitStack() as closing:
        try:
            rehearse(ask, reading.sample)
            yield RequestSent()
            http_client = closing.enter_context(wire.client(endpoint, call))
            chunks = ask(http_client)
            closing.callback(_close, chunks)
            for chunk in chunks:
                for event in reading.events(chunk):
                    yield from _clean(event, censor, endpoint, request.n)
                    length.count(event)
                    if call.requested:
                        raise stopped(endpoint)
                if reading.ended:
                    break  # what a server says after its last word is not part of the answer
        except Exception as error:
            yield from _left_over(censor)
            if call.requested:
                raise stopped(endpoint) from error
            if not _is_whole(reading, request, call):
                raise length.of_rest(provider_error(error, endpoint)) from error
        yield from _left_over(censor)
        try:
            _check_whole(endpoint, request, reading, _last(call))
        except ProviderError as error:
            raise length.of_rest(error) from error.__cause__


def _close(chunks: Chunks) -> None:
    """Ends the answer now, on this thread, rather than whenever Python collects it, on any."""
    close = getattr(chunks, "close", None)
    if close is not None:
        with suppress(httpx2.HTTPError):
            close()


def _clean(event: StreamEvent, censor: Censor, endpoint: Endpoint, choices: int) -> Iterator[StreamEvent]:
    """The event without secrets; nothing of choices that nobody asked for. One that was filtered failed."""
    match event:
        case TextDelta(index, text) | ReasoningDelta(index, text):
            shown = censor.shown((index, type(event).__name__), text)
            if shown and index in range(choices):
                yield replace(event, text=shown)
        case Finished(index=index, reason=reason):
            if index in range(choices):
                yield from _left_over(censor, index)
                if reason in FILTERED:
                    yield ChoiceFailed(index, failure("contentFiltered", endpoint))
                yield replace(event, reason=redact(well_formed(reason), endpoint.secrets)[:LONGEST_NAME])
        case Started(request_id, model):
            yield Started(_name(request_id, endpoint), _name(model, endpoint))
        case _:
            yield event


def _left_over(censor: Censor, of: int | None = None) -> Iterator[StreamEvent]:
    for (index, kind), text in censor.rests(of):
        yield TextDelta(index, text) if kind == TextDelta.__name__ else ReasoningDelta(index, text)


def _name(value: object, endpoint: Endpoint) -> str | None:
    """A name that a server gave, as it can be saved."""
    return None if value is None else redact(well_formed(str(value)), endpoint.secrets)[:LONGEST_NAME]


def _last(call: Call) -> Recording | None:
    recordings = call.recordings()
    return recordings[-1] if recordings else None


def _is_whole(reading: AnswerReader, request: Request, call: Call) -> bool:
    """Tell whether all was said before the connection broke."""
    recording = _last(call)
    finished = reading.reasons.keys() >= set(range(request.n))
    return recording is not None and finished and reading.is_whole(recording)


def _check_whole(
    endpoint: Endpoint, request: Request, reading: AnswerReader, recording: Recording | None
) -> None:
    if recording is None or not reading.is_whole(recording):
        raise unfinished(endpoint, recording)
    finished = sorted(reading.reasons.keys() & set(range(request.n)))
    if len(finished) < request.n:
        what = worded(
            "{name} ended its answer without finishing it. What came is kept; retry.", name=endpoint.name
        )
        raise failure("serverError", endpoint, what, finished=finished or None)
    if FILTERED.intersection(reading.reasons.values()):
        raise failure("contentFiltered", endpoint)


CHARACTERS_A_TOKEN = 8  # prose has four; a text of long words and white space hardly has more than this
BY_FAR = 4  # times as much: what a model may write by chance is never cut, what has no end is soon
LEAST_CHARACTERS = 16_384  # servers that pass over a small limit write a page or two, which is an answer
LIMIT_NAMES = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict", "n_predict")


_KEPT = (
    "{name} went on and on: {characters:,} characters, where {tokens:,} tokens were the most. It was "
    "stopped, what came is kept. Retry, or choose another model."
)
_NOTHING_KEPT = (
    "{name} went on and on thinking: {characters:,} characters, where {tokens:,} tokens were the most. It "
    "was stopped before it wrote an answer, so nothing was added. Retry, or choose another model."
)


class Length:
    """Counts what each choice says, its text and its reasoning apart, for one attempt."""

    def __init__(self, request: Request, rules: ModelRules, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.tokens = longest_answer(request, rules)
        self.most_characters = max(LEAST_CHARACTERS, self.tokens * CHARACTERS_A_TOKEN * BY_FAR)
        self._counted: Counter[tuple[int, type]] = Counter()

    def count(self, event: StreamEvent) -> None:
        """Take in what came. Raises: ProviderError if that is more than any answer of this length has."""
        if not isinstance(event, TextDelta | ReasoningDelta):
            return
        key = event.index, type(event)
        self._counted[key] += len(event.text)
        if self._counted[key] > self.most_characters:
            has_text = any(kind is TextDelta for _, kind in self._counted)
            raise self._endless(self._counted[key], _KEPT if has_text else _NOTHING_KEPT)

    def of_rest(self, error: ProviderError) -> ProviderError:
        """Return an error in words that heed what came before it."""
        has_text = any(kind is TextDelta for _, kind in self._counted)
        return broken_off(error, self._endpoint) if has_text else error

    def _endless(self, characters: int, words: str) -> ProviderError:
        what = worded(
            words,
            name=self._endpoint.name,
            characters=characters,
            tokens=self.tokens,
        )
        return failure("serverError", self._endpoint, what)


def longest_answer(request: Request, rules: ModelRules) -> int:
    """The most tokens of one answer: as asked for, else what the model can write, or takes in all."""
    asked = [request.max_tokens, *(request.custom_parameters.get(name) for name in LIMIT_NAMES)]
    known = [number for number in asked if isinstance(number, int) and number > 0]
    return max(known, default=rules.max_output or rules.context_window)


Chunks: TypeAlias = Iterable[Any]  # an SDK's own types; what is in their fields is not checked

_lock = threading.Lock()  # those who come meanwhile would only do the same work beside it
_done: set[bytes] = set()


def rehearse(ask: Callable[[httpx2.Client], Chunks], sample: bytes) -> None:
    """Makes the SDK's call once in this process with `sample` as its answer; nothing is sent anywhere.

    What goes wrong goes wrong again in earnest, and is told then.
    """
    with _lock:
        if sample in _done:
            return
        _done.add(sample)
        answer = httpx2.MockTransport(
            lambda _request: httpx2.Response(
                200, headers={"content-type": "text/event-stream"}, content=sample
            )
        )
        with suppress(Exception), httpx2.Client(transport=answer, trust_env=False) as client:
            for _ in ask(client):
                pass
