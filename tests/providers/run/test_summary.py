"""Runs that ask for a summary: portions one after the other, retries, silence, and Stop."""

from __future__ import annotations

import json
import threading
from itertools import count

from loomapp.core.generation.provider import ProviderError
from loomapp.core.model.agent import Agent
from loomapp.core.summarisers.prompts import SummaryTask
from loomapp.providers.protocols.protocols import PROTOCOLS
from loomapp.providers.run.run import Retrying, Watchdog
from loomapp.providers.run.summary import PortionBegun, Progress, SummaryAnswer, SummaryRun
from tests.kit.servers.fake_server import Conversation, FakeServer, answers, fails
from tests.providers.outcome import chat

numbers = count(1)


def run_of(
    server: FakeServer, *portions: str, limit_s: float = 60, told: list[Progress] | None = None
) -> SummaryRun:
    known = PROTOCOLS["chat"].usual
    task = SummaryTask(Agent("m", "M", "model", "fake:m"), known, "Summarise.", portions, 99, "Before.")
    return SummaryRun(
        task,
        chat(server.url),
        new_id=lambda: f"answer {next(numbers)}",
        watchdog=lambda: Watchdog(limit_s, "fake"),
        tell=None if told is None else told.append,
        pause_s=0.01,
    )


def asked(server: FakeServer) -> list[str]:
    return [json.loads(one.body)["messages"][-1]["content"] for one in server.received]


def result_of(run: SummaryRun) -> SummaryAnswer:
    try:
        return run.result()
    finally:
        assert run.join(60)


def test_each_portion_takes_the_summary_of_those_before() -> None:
    told: list[Progress] = []
    with FakeServer(answers("One."), answers("<analysis>a</analysis> Two.")) as server:
        answer = result_of(run_of(server, "USER: a", "USER: b", told=told))

    assert (answer.text, answer.error) == ("Two.", None)
    previous = "[Previous conversation summary]\n"
    assert asked(server) == [f"{previous}Before.\n\nUSER: a", f"{previous}One.\n\nUSER: b"]
    assert told == [PortionBegun(1, 2), PortionBegun(2, 2)]
    assert [dict(one.choices) for one in answer.evidence] == [{}, {}]
    assert (answer.response, answer.others) == (answer.evidence[-1], answer.evidence[:-1])


def test_a_fault_before_any_text_is_tried_again() -> None:
    told: list[Progress] = []
    with FakeServer(fails(503), answers("One.")) as server:
        answer = result_of(run_of(server, "USER: a", told=told))

    assert (answer.text, len(server.received)) == ("One.", 2)
    assert any(isinstance(one, Retrying) for one in told)


def test_a_fault_in_a_later_portion_is_a_failure_of_all_and_its_calls_are_known() -> None:
    with FakeServer(answers("One."), answers(" ")) as server:
        answer = result_of(run_of(server, "USER: a", "USER: b"))

    assert (answer.text, answer.response, answer.others) == ("", None, answer.evidence)
    assert answer.error is not None
    assert answer.error.code == "blankSummary"
    assert len(answer.evidence) == 2


def silent(conversation: Conversation) -> None:
    conversation.wait_until_left()


def test_a_silent_server_is_a_timeout_and_its_call_is_counted() -> None:
    with FakeServer(silent) as server:
        answer = result_of(run_of(server, "USER: a", limit_s=0.2))

    assert isinstance(answer.error, ProviderError)
    assert (answer.error.code, answer.silent_calls) == ("timeout", 1)


def test_stop_ends_it_from_another_thread_and_asks_nothing_more() -> None:
    arrived = threading.Event()

    def waits(conversation: Conversation) -> None:
        arrived.set()
        conversation.wait_until_left()

    with FakeServer(waits) as server:
        run = run_of(server, "USER: a", "USER: b")

        def stop() -> None:
            arrived.wait(60)
            run.stop()

        stopping = threading.Thread(target=stop)
        stopping.start()
        answer = result_of(run)
        stopping.join()

    assert isinstance(answer.error, ProviderError)
    assert (answer.error.code, answer.text, len(server.received)) == ("cancelled", "", 1)


def test_what_was_stopped_before_it_began_asks_nobody() -> None:
    with FakeServer(answers("One.")) as server:
        run = run_of(server, "USER: a")
        run.stop()
        answer = result_of(run)

    assert answer.error is not None
    assert (answer.error.code, server.received) == ("cancelled", [])
