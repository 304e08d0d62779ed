"""Filling in over the wire: what the SDK sends, and what is learned of a server that refuses it."""

from __future__ import annotations

import json
from pathlib import Path

from loomapp.core.generation.provider import Request
from loomapp.providers.protocols.model_rules import ModelRules
from tests.kit.servers import fake_server
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.providers.outcome import outcome_of
from tests.providers.protocols.test_protocols import model_at

FILLS = ModelRules(continues_documents=True, takes_messages=False, fills_in=True)
ASKED = Request("there:fake-1", document="Once ", suffix=" a time.", max_tokens=8)


def test_the_text_after_the_caret_goes_as_the_suffix(tmp_path: Path) -> None:
    with FakeServer(DIALECTS["completions"].answer("upon")) as server:
        outcome = outcome_of(ASKED, model_at(server.url, "completions", tmp_path, FILLS))

    body = json.loads(server.received[0].body)
    assert (body["prompt"], body["suffix"]) == ("Once ", " a time.")
    assert outcome.texts == {0: "upon"}


def test_a_model_that_refuses_it_is_remembered_and_nothing_else_is_sent_instead(tmp_path: Path) -> None:
    said = {"error": {"message": "suffix is not currently supported", "type": "invalid_request_error"}}
    with FakeServer(fake_server.fails(400, said)) as server:
        outcome = outcome_of(ASKED, model_at(server.url, "completions", tmp_path, FILLS))
        learned = model_at(server.url, "completions", tmp_path, FILLS)._rules

    assert len(server.received) == 1
    assert outcome.error is not None
    assert "cannot fill in" in outcome.error.message
    assert not learned.fills_in


def test_what_its_user_says_of_filling_in_counts_until_a_refusal(tmp_path: Path) -> None:
    from loomapp.providers.protocols.learned import Learned

    known, usual = Learned(tmp_path / "models.json"), ModelRules(continues_documents=True)
    known.tell_fill_in("http://there/v1", "base", True)
    told = known.applied("http://there/v1", "base", usual)

    assert told.fills_in
    assert known.fill_in_told("http://there/v1", "base") is True
    known.note("http://there/v1", "base", told, usual)
    assert not known.applied("http://there/v1", "base", usual).fills_in
    assert known.fill_in_told("http://there/v1", "base") is None
