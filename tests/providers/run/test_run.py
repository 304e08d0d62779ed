"""Runs: attempts, evidence, and nothing after the end.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import _thread
import dataclasses
import gc
import gzip
import json
import signal
import threading
import weakref
import zlib
from typing import Any

import pytest

from loomapp.cli.arguments import ended_in_order
from loomapp.core.generation.provider import Finished, ProviderError, Request, Stop, StreamEvent
from loomapp.core.response_text.body import choices_in
from loomapp.core.response_text.chunks import Told
from loomapp.core.response_text.comparison import misnoted
from loomapp.providers.protocols import exchange as exchanges
from loomapp.providers.protocols.exchange import Exchange
from loomapp.providers.run.run import RequestRun, Retrying, RunEvent
from tests.kit.servers import fake_server
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk
from tests.providers.outcome import Outcome, begin, chat, outcome_of, says, until_text


def test_what_fails_before_any_text_is_tried_three_times() -> None:
    with FakeServer(fake_server.fails(500), fake_server.fails(529), fake_server.answers("At last")) as server:
        outcome = outcome_of(says("Hello"), chat(server.url))

    assert outcome.texts == {0: "At last"}
    assert outcome.error is None
    assert [retry.attempt for retry in outcome.retries] == [2, 3]
    assert outcome.evidence is not None
    assert [a["status"] for a in outcome.evidence.extra["attempts"]] == [500, 529]  # type: ignore[attr-defined]


def test_after_three_attempts_the_error_stands() -> None:
    with FakeServer(fake_server.fails(500)) as server:
        outcome = outcome_of(says("Hello"), chat(server.url))

    assert len(server.received) == 3
    assert outcome.error is not None


QUOTA = fake_server.fails(429, {"error": {"code": "insufficient_quota"}})
MUCH_LATER = fake_server.fails(429, retry_after="3600")


@pytest.mark.parametrize(
    "script", [*(fake_server.fails(status) for status in (400, 401, 402, 404, 413)), QUOTA, MUCH_LATER]
)
def test_what_cannot_get_better_soon_is_asked_once(script: fake_server.Script) -> None:
    with FakeServer(script) as server:
        outcome = outcome_of(says("Hello"), chat(server.url))

    assert len(server.received) == 1
    assert outcome.error is not None


def test_a_server_that_took_the_request_and_fell_silent_is_asked_again_by_a_person_only() -> None:
    def only_head(conversation: Conversation) -> None:
        conversation.head()
        conversation.wait_until_left()

    with FakeServer(only_head) as server:
        outcome = outcome_of(says("Hello"), chat(server.url, read_timeout_s=0.2))
        waited = len(server.received)
    with FakeServer(lambda one: one.wait_until_left(), fake_server.answers("Now")) as server:
        before_head = outcome_of(says("Hello"), chat(server.url, read_timeout_s=0.2))

    assert outcome.error is not None
    assert (waited, outcome.error.code, outcome.retries) == (1, "timeout", [])
    assert before_head.texts == {0: "Now"}


def test_once_text_came_nothing_is_asked_again() -> None:
    with FakeServer(fake_server.says(chunk("Once"))) as server:
        outcome_of(says("Hello"), chat(server.url))

    assert len(server.received) == 1


def test_a_short_retry_after_is_obeyed_and_told() -> None:
    with FakeServer(fake_server.fails(429, retry_after="0.2"), fake_server.answers("Now")) as server:
        outcome = outcome_of(says("Hello"), chat(server.url))

    [retry] = outcome.retries
    assert retry.delay_ms >= 200
    assert outcome.texts == {0: "Now"}


def test_a_run_can_be_stopped_while_it_waits_to_try_again() -> None:
    with FakeServer(fake_server.fails(429, retry_after="100")) as server:
        running = begin(says("Hello"), chat(server.url))
        next(event for event in running.follow() if isinstance(event, Retrying))
        running.stop()

        assert running.join(60)
        assert len(server.received) == 1


def test_a_signal_that_comes_just_as_a_wait_begins_stops_the_run() -> None:
    """Such a one is noted and interrupts nothing, like one that Python itself makes."""
    asked, over = threading.Event(), threading.Event()

    def script(conversation: Conversation) -> None:
        asked.set()
        over.wait(10)
        fake_server.answers("Nobody stopped it.")(conversation)

    def interrupt() -> None:
        asked.wait(60)
        _thread.interrupt_main(signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    with FakeServer(script) as server, ended_in_order() as ending:
        running = begin(says("Hello"), chat(server.url))
        ending.watch(running)
        interrupter.start()
        outcome = Outcome().take(running.follow())
        over.set()
        interrupter.join()
        assert running.join(60)

    assert outcome.texts == {}
    assert isinstance(outcome.error, ProviderError)
    assert outcome.error.code == "cancelled"


@pytest.mark.parametrize("n", [1, 2])
def test_a_run_that_is_over_is_let_go_without_a_look_for_garbage(n: int) -> None:
    with FakeServer(fake_server.answers("Once"), fake_server.answers("Once")) as server:
        running = begin(dataclasses.replace(says("Hello"), n=n), chat(server.url))
        list(running.follow())
        assert running.join(60)
    gone = weakref.ref(running)
    was_on = gc.isenabled()
    gc.disable()

    del running

    assert gone() is None
    if was_on:
        gc.enable()


def test_the_evidence_is_the_exchange_as_it_was() -> None:
    with FakeServer(fake_server.answers("Once upon")) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url))

    evidence = outcome.evidence
    assert evidence is not None
    assert evidence.body == chunk("Once upon") + chunk(reason="stop") + fake_server.usage(7, 3) + DONE
    assert evidence.request_body.encode() == server.received[0].body
    assert (evidence.provider, evidence.model, evidence.request_id) == ("local", "fake-1", "answer-1")
    assert evidence.usage == {"inputTokens": 7, "outputTokens": 3}
    assert evidence.finish_reason == "stop"
    assert evidence.headers["content-type"] == "text/event-stream"
    assert evidence.started_at <= evidence.ended_at
    assert evidence.extra["status"] == 200
    times = json.loads(json.dumps(evidence.extra["chunkTimes"]))
    assert times[-1][1] == len(evidence.body)


def test_each_choice_keeps_its_own_end_and_costs_add_up_where_they_are_told_one_by_one() -> None:
    stream = [
        chunk("A", index=1),
        chunk("B", index=0),
        chunk(index=1, reason="length"),
        fake_server.usage(7, 1),
        chunk("C", index=0),
        chunk(index=0, reason="stop"),
        fake_server.usage(7, 2),
        DONE,
    ]

    with FakeServer(fake_server.says(*stream)) as server:
        outcome = outcome_of(says("Hi", n=2), chat(server.url, counts_each_choice=True))

    assert outcome.texts == {1: "A", 0: "BC"}
    assert outcome.reasons == {1: "length", 0: "stop"}
    assert outcome.evidence is not None
    assert outcome.evidence.usage == {"inputTokens": 7, "outputTokens": 3}
    assert outcome.evidence.extra["finishReasons"] == {"0": "stop", "1": "length"}


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_compressed_answer_is_read_and_kept_as_it_came(encoding: str) -> None:
    plain = chunk("Once", reason="stop") + DONE
    body = gzip.compress(plain) if encoding == "gzip" else zlib.compress(plain)

    def compressed(conversation: Conversation) -> None:
        conversation.head(content_encoding=encoding)
        conversation.send(body)

    with FakeServer(compressed) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url))

    assert outcome.texts == {0: "Once"}
    assert outcome.evidence is not None
    assert outcome.evidence.body == body


@pytest.mark.slow
def test_a_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(chunk("Once") + (b":" + b" " * (1 << 20) + b"\n") * 100)

    def send_bomb(conversation: Conversation) -> None:
        conversation.head(content_encoding="gzip")
        conversation.send(bomb)

    with FakeServer(send_bomb) as server:
        outcome = outcome_of(says("Tell me"), chat(server.url))

    assert outcome.error is not None
    assert outcome.error.code == "serverError"
    assert "more than any model writes" in outcome.error.message


def test_a_bug_in_a_provider_ends_the_run_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def stream(self, request: Request, stop: Stop) -> list[StreamEvent]:
            raise RuntimeError("a bug")

    outcome = outcome_of(says("Hello"), Broken())  # type: ignore[arg-type]

    assert outcome.error is not None
    assert outcome.error.code == "unknown"
    assert "a bug" in caplog.text
    caplog.clear()


ENDED = chunk("Once", reason="stop")
ENDED_BOTH = chunk("Once", index=0, reason="stop") + chunk("Twice", index=1, reason="stop")
COUNTED_BOTH = ENDED + fake_server.usage(7, 3) + chunk("Twice", index=1, reason="stop")
COUNTED_SO_FAR = fake_server.usage(7, 1) + COUNTED_BOTH


@pytest.mark.parametrize(
    ("body", "n", "counts_each_choice", "output"),
    [
        (ENDED + fake_server.usage(7, 3), 1, False, 3),
        (ENDED_BOTH + fake_server.usage(7, 5), 2, False, 5),
        (COUNTED_BOTH + fake_server.usage(7, 4), 2, True, 7),
        (COUNTED_SO_FAR + fake_server.usage(7, 8), 2, False, 8),
    ],
)
def test_who_stops_between_the_last_end_and_its_count_keeps_the_count_that_came(
    body: bytes, n: int, counts_each_choice: bool, output: int
) -> None:
    """All of the body has come by then, in one piece; the stop is heard before what it tells last."""
    running: list[RequestRun] = []
    outcome = Outcome()

    def stop_at_the_end(event: RunEvent) -> None:
        outcome.take([event])
        if isinstance(event, Finished) and len(outcome.reasons) == n:
            running[0].stop()

    with FakeServer(fake_server.says(body + DONE)) as server:
        provider = chat(server.url, counts_each_choice=counts_each_choice)
        request = dataclasses.replace(says("Hello"), n=n)
        running.append(RequestRun(request, provider, new_id=lambda: "id", pause_s=0, post=stop_at_the_end))
        running[0].begin()
        assert running[0].join(60)

    assert len(outcome.reasons) == n
    assert outcome.evidence is not None
    assert outcome.evidence.usage == {"inputTokens": 7, "outputTokens": output}
    told = Told()
    choices_in([outcome.evidence.body], {}, told)
    assert list(misnoted(outcome.evidence, told, must_say=True)) == []


def test_stopping_twice_or_after_the_end_says_nothing_more() -> None:
    with FakeServer(fake_server.answers("Once")) as server:
        running = begin(says("Tell me"), chat(server.url))
        until_text(running)
        list(running.follow())
        running.stop()
        running.stop()
        running.join()

    assert running.drain() == []


class Lost:
    """A stream that nobody closed: Python does, whenever it collects it."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.itself = self

    def __del__(self) -> None:
        self.exchange.ended()


def test_a_stream_that_is_collected_while_its_exchange_is_looked_at_holds_nothing_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exchange = Exchange("http://127.0.0.1/", b"{}", ("sk-planted-key",))

    def collecting(*values: Any, **changes: Any) -> Any:
        gc.collect()
        return dataclasses.replace(*values, **changes)

    monkeypatch.setattr(exchanges, "replace", collecting)
    Lost(exchange)

    looking = threading.Thread(target=exchange.terminated, daemon=True)  # it replaces under the lock
    looking.start()
    looking.join(60)

    assert not looking.is_alive()
    assert exchange.recording().terminated


def begins(conversation: Conversation) -> None:
    """Begin an answer, and leave it at that until the other side leaves."""
    conversation.head()
    conversation.send(chunk("Once"))
    conversation.wait_until_left()


def test_a_choice_that_is_stopped_ends_its_own_call_and_the_other_goes_on() -> None:
    has_left, go_on = threading.Event(), threading.Event()

    def first(conversation: Conversation) -> None:
        begins(conversation)
        has_left.set()

    def second(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Twice"))
        go_on.wait(60)
        conversation.send(chunk(reason="stop") + DONE)

    with FakeServer(first, second) as server:
        running = begin(says("Hello", n=2), chat(server.url), choices=1, caches=True)
        outcome = until_text(running, choices=2)
        running.stop_choice(0)
        assert has_left.wait(60)
        go_on.set()
        outcome.take(running.follow())
        assert running.join(60)

    assert outcome.texts == {0: "Once", 1: "Twice"}
    assert outcome.reasons == {1: "stop"}
    assert set(outcome.failures) == {0}


def test_a_call_that_failed_is_told_though_the_one_before_it_was_stopped() -> None:
    with FakeServer(begins, fake_server.fails(400)) as server:
        running = begin(says("Hello", n=2), chat(server.url), choices=1, caches=True)
        outcome = until_text(running)
        running.stop_choice(0)
        outcome.take(running.follow())
        assert running.join(60)

    assert isinstance(outcome.error, ProviderError)
    assert outcome.error.code == "invalidRequest"
