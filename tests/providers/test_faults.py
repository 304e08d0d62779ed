"""Faults in all four protocols: the promised code, the text kept, as many attempts as promised, bounded."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from loomapp.core.generation import ProviderError
from tests.dialects import DIALECTS
from tests.fake_server import FakeServer
from tests.faults import BROKEN, LARGE, ODD, TRUNCATED, Fault
from tests.providers.outcome import Outcome, outcome_of
from tests.providers.test_protocols import asking, model_at

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


@pytest.mark.parametrize("api", DIALECTS)
@pytest.mark.parametrize("name", SMALL)
def test_every_fault_ends_as_promised(name: str, api: str, tmp_path: Path) -> None:
    fault = SMALL[name]

    outcome, attempts = meets(fault, api, tmp_path)

    code = outcome.error.code if outcome.error else ""
    assert (code, outcome.texts.get(0, ""), attempts) == (fault.code, fault.text, fault.attempts)
    if outcome.error is not None:
        assert isinstance(outcome.error, ProviderError)
        assert "Fake" in outcome.error.message
        assert any(word in outcome.error.message for word in ("etry", "heck", "hoose"))


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
