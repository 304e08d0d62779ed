"""Both SDKs against the real engine in all four protocols: streaming, usage, stop, a wrong key, too long."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.generation import Request
from loomapp.providers.endpoint import Endpoint
from loomapp.providers.engine import Engine
from loomapp.providers.exchange import Call
from loomapp.providers.known_models import SMOLLM2
from loomapp.providers.learned import Learned
from loomapp.providers.protocols import PROTOCOLS
from loomapp.providers.remote import RemoteModel
from tests.providers.outcome import Outcome, begin, outcome_of, says, until_text

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
        whole = outcome_of(question(api, STORY), model)
        running = begin(question(api, STORY, max_tokens=400), model)
        until_text(running)
        running.stop()
        stopped = Outcome().take(running.drain())
        gone = running.join(10)
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
