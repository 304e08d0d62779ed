"""Silence and turns: pings are no text, and a queue is fair and can be left at once."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from loomapp.core.generation.provider import RequestSent, TextDelta
from loomapp.providers.protocols.endpoint import Admission, Endpoint
from loomapp.providers.protocols.learned import Learned
from loomapp.providers.protocols.protocols import PROTOCOLS, base_of
from loomapp.providers.registry import RemoteModel
from loomapp.providers.run.run import Retrying, Watchdog
from tests.kit.families import each_once, one_in
from tests.kit.servers import fake_server
from tests.kit.servers.dialects import DIALECTS, Dialect
from tests.kit.servers.fake_server import Conversation, FakeServer, Script
from tests.kit.servers.faults import once, silent
from tests.providers.outcome import Outcome, begin, until_text
from tests.providers.protocols.test_protocols import asking, model_at


def pings(dialect: Dialect) -> Script:
    pause = threading.Event()

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(once(dialect))
        while True:
            conversation.send(b": ping\n\nevent: ping\ndata: {}\n\n")
            pause.wait(0.02)

    return script


SILENCES = {"pings": (pings, "Once"), "mid": (silent(once), "Once"), "before": (silent(), "")}


@pytest.mark.parametrize(("silence", "api"), each_once(SILENCES, DIALECTS))
def test_a_server_that_says_nothing_more_is_a_timeout(silence: str, api: str, tmp_path: Path) -> None:
    make, text = SILENCES[silence]
    with FakeServer(make(DIALECTS[api])) as server:
        running = begin(asking(api), model_at(server.url, api, tmp_path))
        watchdog = (Watchdog.from_start if text else Watchdog)(1.0, "Fake")
        outcome = Outcome().take(running.follow(watchdog))
        assert running.join(60)

    assert outcome.error is not None
    assert (outcome.error.code, outcome.texts.get(0, "")) == ("timeout", text)
    assert "retry" in outcome.error.message


FLOODS = {
    "counts": (fake_server.chunk("Once"), fake_server.usage(4, 1)),
    "counts before any word": (b"", fake_server.usage(4, 1)),
    "its end": (fake_server.chunk("Once"), fake_server.chunk(reason="stop")),
}


@pytest.mark.parametrize("name", one_in(3, FLOODS))
def test_a_server_that_repeats_what_is_no_word_for_ever_is_a_timeout(name: str, tmp_path: Path) -> None:
    begins, repeated = FLOODS[name]

    def floods(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(begins)
        while True:
            conversation.send(repeated)
            time.sleep(0.01)  # as long as it takes a server that never ends

    with FakeServer(floods) as server:
        running = begin(asking("chat"), model_at(server.url, "chat", tmp_path))
        outcome = Outcome().take(running.follow(Watchdog(1.0, "Fake")))
        assert running.join(60)

    assert outcome.error is not None
    assert outcome.error.code == "timeout"


def test_a_promised_pause_and_a_model_that_is_fetched_are_no_silence() -> None:
    now = [0.0]
    watchdog = Watchdog(90, "Fake", clock=lambda: now[0])

    assert watchdog.left_s() is None  # nobody has been asked yet
    watchdog.note(RequestSent())
    now[0] = 60
    watchdog.note(Retrying(2, 100_000, watchdog.error))
    assert watchdog.left_s() == 130
    watchdog.note(TextDelta(0, "Once"))
    assert watchdog.left_s() == 90
    assert Watchdog.from_start(90, "Fake").left_s() is None


def sharing(url: str, folder: Path, turns: Admission) -> RemoteModel:
    protocol = PROTOCOLS["chat"]
    endpoint = Endpoint("Fake", base_of(url, protocol), "", read_timeout_s=20)
    return RemoteModel(endpoint, protocol, "m", protocol.usual, Learned(folder / "m.json"), None, turns)


def test_no_more_are_asked_at_once_than_an_endpoint_takes_and_the_first_come_first(tmp_path: Path) -> None:
    go_on = threading.Event()

    def waits(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(fake_server.chunk("Once"))
        go_on.wait(60)
        conversation.send(fake_server.chunk(reason="stop") + fake_server.DONE)

    with FakeServer(waits) as server:
        model = sharing(server.url, tmp_path, Admission(tokens=0, choices=2))
        runs = [begin(asking("chat"), model) for _ in range(2)]
        for run in runs:
            until_text(run)
        queued, left = begin(asking("chat"), model), begin(asking("chat"), model)
        left.stop()
        assert left.join(60)
        assert len(server.received) == 2

        go_on.set()
        ended = [Outcome().take(run.follow()) for run in (*runs, queued)]
        assert all(run.join(60) for run in (*runs, queued))

    assert [outcome.error for outcome in ended] == [None] * 3
    assert len(server.received) == 3


def test_eight_streams_at_once_are_told_apart(tmp_path: Path) -> None:
    with FakeServer(DIALECTS["messages"].answer("Once upon a time")) as server:
        model = model_at(server.url, "messages", tmp_path)
        running = begin(asking("messages", n=8), model, choices=1)
        outcome = Outcome().take(running.follow())
        assert running.join(60)

    assert outcome.texts == dict.fromkeys(range(8), "Once upon a time")
