"""Both SDKs against the real engine in all four protocols: streaming, usage, stop, refusals, n, prefill."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.generation.provider import Request, UsageReported
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.model_fetch import SMOLLM2
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.protocols.learned import Learned
from loomapp.providers.protocols.protocols import PROTOCOLS
from loomapp.providers.registry import RemoteModel
from loomapp.providers.run.run import Ended
from tests.kit.families import one_in
from tests.providers.outcome import Outcome, begin, outcome_of, says, until_text

COUNTING = ("Count from one to ten in words.", "One, two, three, four,")
STORY = "Once upon a time there was"  # a text that is whole may be continued by nothing at all


def question(api: str, text: str, **fields: object) -> Request:
    request = says(text, max_tokens=12)
    if api == "completions":
        request = replace(request, messages=(), document=text)
    return replace(request, **fields)  # type: ignore[arg-type]


def at(endpoint: Endpoint, api: str, folder: Path) -> RemoteModel:
    protocol = PROTOCOLS[api]
    return RemoteModel(endpoint, protocol, SMOLLM2.name, protocol.usual, Learned(folder / "m.json"))


@pytest.mark.parametrize("api", PROTOCOLS)
def test_the_engine_answers_stops_and_refuses_in_every_protocol(
    api: str, engine: Engine, tmp_path: Path
) -> None:
    with engine.streaming(SMOLLM2.name, 1, Call()) as endpoint:
        model = at(endpoint, api, tmp_path)
        # the likeliest words: before half a character, the engine forgets how long a message's input was
        whole = outcome_of(question(api, STORY, temperature=0.0), model)
        running = begin(question(api, STORY, max_tokens=400), model)
        until_text(running)
        running.stop()
        stopped = Outcome().take(running.drain())
        gone = running.join(60)
        locked = outcome_of(
            question(api, "Hello"), at(replace(endpoint, api_key="sk-wrong-key"), api, tmp_path)
        )
        too_long = outcome_of(question(api, "word " * 20_000), model)

    assert whole.error is None
    assert whole.texts[0].strip()
    assert whole.usage is not None
    assert 0 < (whole.usage.output_tokens or 0) <= 12
    assert (whole.usage.input_tokens or 0) > 0
    assert stopped.error is not None
    assert (stopped.error.code, gone) == ("cancelled", True)
    assert locked.error is not None
    assert locked.error.code == "authenticationFailed"
    assert too_long.error is not None
    assert too_long.error.code == "contextTooLong"


@pytest.mark.parametrize("api", PROTOCOLS)
def test_three_answers_at_once_are_three_in_every_protocol(api: str, engine: Engine, tmp_path: Path) -> None:
    most = PROTOCOLS[api].usual.max_choices
    with engine.streaming(SMOLLM2.name, 3, Call()) as endpoint:
        running = begin(question(api, STORY, n=3), at(endpoint, api, tmp_path), choices=most)
        events = list(running.follow())
        assert running.join(60)

    outcome = Outcome().take(events)
    assert outcome.error is None
    assert len(set(outcome.texts.values())) == 3
    assert outcome.reasons.keys() == {0, 1, 2}
    assert any(isinstance(event, UsageReported) and event.usage.output_tokens for event in events)
    ended = events[-1]
    assert isinstance(ended, Ended)
    assert len(ended.evidence) == (1 if most > 1 else 3)
    assert {name for one in ended.evidence for name in one.choices} == {"0", "1", "2"}


@pytest.mark.parametrize("api", one_in(2, PROTOCOLS))
def test_an_unfinished_turn_of_the_model_is_gone_on_with_in_every_protocol(
    api: str, engine: Engine, tmp_path: Path
) -> None:
    request = says(*COUNTING, max_tokens=12)
    if api == "completions":
        request = replace(request, messages=(), document="\n\n".join(COUNTING))

    with engine.streaming(SMOLLM2.name, 1, Call()) as endpoint:
        outcome = outcome_of(replace(request, temperature=0.0), at(endpoint, api, tmp_path))

    assert outcome.error is None
    assert outcome.texts[0].lower().split()[0].strip(",") == "five"
    assert outcome.evidence is not None
    sent = json.loads(outcome.evidence.request_body)
    last = sent["prompt"] if api == "completions" else sent["input" if api == "responses" else "messages"][-1]
    assert COUNTING[1] in json.dumps(last)
    assert api == "completions" or last["role"] == "assistant"
