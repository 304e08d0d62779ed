"""Faults in all four protocols: the promised code, the text kept, as many attempts as promised, bounded."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest

from loomapp.core.generation.drafts import Draft, fail, grow
from loomapp.core.generation.provider import ProviderError
from loomapp.core.response_text.body import MOST_EVENTS
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.errors import reported
from loomapp.providers.protocols.events import Events, LimitExceeded
from loomapp.providers.protocols.redaction import Listener
from loomapp.providers.run.run import Ended, Retrying
from tests.kit.families import each_once
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer, says
from tests.kit.servers.faults import (
    BROKEN,
    HEAD,
    LARGE,
    ODD,
    TRUNCATED,
    Fault,
    body,
    once,
    raw,
    the_end,
    upon,
)
from tests.providers.outcome import Outcome, begin, outcome_of
from tests.providers.protocols.test_protocols import asking, model_at

SEEN_ALWAYS = {
    ("a bomb in one line", "chat"),
    ("a line of 64 MiB", "messages"),
    ("a bomb of lines", "messages"),
}
SMALL = {**ODD, **TRUNCATED, **BROKEN}


def meets(fault: Fault, api: str, folder: Path) -> tuple[Outcome, int]:
    """What a fault comes to, and how often the server was asked."""
    with FakeServer(fault.make(DIALECTS[api])) as server:
        outcome = outcome_of(asking(api), model_at(server.url, api, folder))
    return outcome, len(server.received)


@pytest.mark.parametrize(("name", "api"), each_once(SMALL, DIALECTS))
def test_every_fault_ends_as_promised(name: str, api: str, tmp_path: Path) -> None:
    fault = SMALL[name]

    outcome, attempts = meets(fault, api, tmp_path)

    code = outcome.error.code if outcome.error else ""
    assert (code, outcome.texts.get(0, ""), attempts) == (fault.code, fault.text, fault.attempts)
    assert (0 in outcome.reasons) == (not fault.code)
    if outcome.error is not None:
        assert isinstance(outcome.error, ProviderError)
        assert "Fake" in outcome.error.message
        assert any(word in outcome.error.message for word in ("etry", "heck", "hoose"))


@pytest.mark.parametrize(
    ("cut", "api"),
    each_once(["at the terminator", "in the second choice", "before any text"], ["chat", "completions"]),
)
def test_choices_that_had_finished_are_not_complete_without_the_terminator(
    cut: str, api: str, tmp_path: Path
) -> None:
    dialect = DIALECTS[api]
    first = once(dialect) + the_end(dialect).removesuffix(dialect.terminator)
    if cut == "before any text":
        first = the_end(dialect).removesuffix(dialect.terminator)
    second = first.replace(b'"index": 0', b'"index": 1')
    if cut == "in the second choice":
        second = once(dialect).replace(b'"index": 0', b'"index": 1')
    well = once(dialect) + once(dialect).replace(b'"index": 0', b'"index": 1')
    ends = the_end(dialect)
    well += ends.removesuffix(dialect.terminator).replace(b'"index": 0', b'"index": 1') + ends
    scripts = [says(first, second), says(well)]

    with FakeServer(*scripts) as server:
        running = begin(asking(api, n=2), model_at(server.url, api, tmp_path))
        drafts = [Draft(0), Draft(1)]
        for event in running.follow():
            if isinstance(event, Ended):
                drafts = [fail(draft, event.error) if event.error else draft for draft in drafts]
            elif not isinstance(event, Retrying):
                drafts = [grow(draft, event) for draft in drafts]
        assert running.join(60)

    assert [draft.text for draft in drafts] == ["Once", "Once"]
    if cut == "before any text":  # it is asked again, and what had finished then goes on
        assert [(draft.reason, draft.error) for draft in drafts] == [(dialect.stopped, None)] * 2
    else:
        assert [(draft.reason, draft.interrupted) for draft in drafts] == [(None, "network")] * 2


def test_no_more_events_are_taken_than_are_read_back_out_of_a_response() -> None:
    events = Events((), lambda: None, Listener(()))

    events.feed(b"data: {}\n\n" * MOST_EVENTS)

    with pytest.raises(LimitExceeded, match="events"):
        events.feed(b"data: {}\n\n")


@pytest.mark.parametrize(
    "told",
    [b'{"a":,}', b"[" * 200_000, b'{"error":"plain words"}', b'{"type":"error","error":null}', b"rain"],
    ids=["bad", "deep", "error", "type", "words"],
)
def test_a_broken_event_without_a_name_is_no_success(told: bytes, tmp_path: Path) -> None:
    fault = Fault(raw(HEAD + b"\r\n", once, b"data: " + told + b"\n\n", upon, the_end))

    outcome, _ = meets(fault, "messages", tmp_path)

    assert outcome.error is not None
    assert (outcome.error.code, outcome.texts) == ("serverError", {0: "Once"})


def test_events_without_names_are_known_by_their_types(tmp_path: Path) -> None:
    fault = Fault(body(lambda data: re.sub(rb"event: \w+\n", b"", data)))

    outcome, _ = meets(fault, "messages", tmp_path)

    assert (outcome.error, outcome.texts) == (None, {0: "Once upon"})


def test_a_long_message_is_cut_behind_the_key_that_is_hidden_in_it() -> None:
    key = "sk-proj-" + "A1b2" * 23

    error = reported({"error": {"message": "no" + key * 40}}, Endpoint("Fake", "http://x/v1", key))

    assert key[:20] not in str(error.details)


ALL_LARGE = [
    pytest.param(name, api, marks=[] if (name, api) in SEEN_ALWAYS else pytest.mark.slow)
    for name in LARGE
    for api in DIALECTS
]


@pytest.mark.parametrize(("name", "api"), ALL_LARGE)
def test_whatever_a_server_sends_memory_is_bounded(name: str, api: str, tmp_path: Path) -> None:
    fault = LARGE[name]
    tracemalloc.start()
    try:
        outcome, attempts = meets(fault, api, tmp_path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    code = outcome.error.code if outcome.error else ""
    assert (code, outcome.texts.get(0, ""), attempts) == (fault.code, fault.text, fault.attempts)
    assert most < 192 << 20


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("Output blocked by content filtering policy", "contentFiltered"),
        ("max_tokens: must be at most 64000", "invalidRequest"),
    ],
)
def test_a_filtered_answer_is_told_apart_from_a_wrong_request(said: str, code: str) -> None:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": said}}

    assert reported(body, Endpoint("A", "https://a.example/v1", "")).code == code
