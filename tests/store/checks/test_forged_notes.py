"""What was noted with a response is what the response says, whatever was recomputed to hide another note."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.entities import REASONING
from loomapp.core.model.raw_response import RECORD, Evidence, compress
from loomapp.formats import evidence_file
from loomapp.formats.evidence_file import Contents
from loomapp.store.checks.check import check
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.open import create_grove, read_grove
from tests.kit.families import each_once, one_in
from tests.kit.groves import MODEL, planted
from tests.kit.servers.fake_server import DONE, event
from tests.kit.trees import Hand, counted_id
from tests.store.checks.forging import Forger, forger

USAGE = {"inputTokens": 7, "outputTokens": 3}
CHAT = (
    event({"id": "c1", "model": "a-model-2026", "choices": [{"index": 0, "delta": {"content": "Rain."}}]})
    + event({"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    + event({"id": "c1", "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
    + DONE
)
MESSAGES = (
    event(
        {
            "type": "message_start",
            "message": {"id": "c1", "model": "a-model-2026", "usage": {"input_tokens": 7}},
        }
    )
    + event({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Rain."}})
    + event({"type": "message_delta", "delta": {"stop_reason": "stop"}, "usage": {"output_tokens": 3}})
    + event({"type": "message_stop"})
)
RESPONSES = (
    event({"type": "response.created", "response": {"id": "c1", "model": "a-model-2026"}})
    + event({"type": "response.output_text.delta", "delta": "Rain."})
    + event(
        {
            "type": "response.completed",
            "response": {"status": "stop", "usage": {"input_tokens": 7, "output_tokens": 3}},
        }
    )
)
WHOLE = json.dumps(
    {
        "id": "c1",
        "model": "a-model-2026",
        "choices": [{"index": 0, "message": {"content": "Rain."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
).encode()
BODIES = {"chat": CHAT, "messages": MESSAGES, "responses": RESPONSES, "in one piece": WHOLE}


def evidence(body: bytes, **fields: Any) -> Evidence:
    """A response as Loomapp records it."""
    recorded = Evidence(
        id="response 1",
        provider="local",
        request_body='{"model":"a-model","messages":[]}',
        body_gzip=compress(body),
        request_id="c1",
        model="a-model-2026",
        usage=USAGE,
        finish_reason="stop",
        choices={"0": 0},
        extra={"status": 200, RECORD: {"modelRef": "local:a-model"}},
    )
    return replace(recorded, **fields)


def grown(path: Path, item: Evidence, *, interrupted: str | None = None, reasoning: str = "") -> Path:
    """A grove with one answer, which rests on this response."""
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=1)
        pen = hand.pen(MODEL.id)
        change = nodes_from_drafts(
            tree,
            [Draft(0, text="Rain.", reasoning=reasoning, interrupted=interrupted)],
            sources=Sources(ids[-1]),
            agent_id=MODEL.id,
            evidence=[item],
            now=pen.now,
            new_id=counted_id,
        )
        assert change is not None
        grove.commit(tree, change)
    return path


def reasons(path: Path) -> list[str]:
    """Why nodes failed."""
    with read_grove(path) as grove:
        [tree] = verify_grove(grove).trees
    return [finding.reason for finding in tree.findings if finding.verdict == "failed"]


def reasons_by_file(by: Forger) -> list[str]:
    """Likewise in an evidence file of what the forger says."""
    contents = Contents(by.tree, (MODEL,), tuple(by.evidence.values()))
    findings = evidence_file.check(evidence_file.write(contents).encode()).findings
    return [finding.reason for finding in findings if finding.verdict == "failed"]


OTHERS: dict[str, tuple[dict[str, Any], str]] = {
    "the model": ({"model": "gpt-9"}, "model"),
    "the model, a word shorter": ({"model": "a-model"}, "model"),
    "more tokens": ({"usage": {**USAGE, "inputTokens": 999_999}}, "usage"),
    "tokens of a kind that was not counted": ({"usage": {**USAGE, "cachedTokens": 5}}, "usage"),
    "the finish reason": ({"finish_reason": "length"}, "finish reason"),
    "the finish reason of the choice": ({"extra": {"finishReasons": {"0": "length"}}}, "finish reason"),
    "the id": ({"request_id": "forged"}, "id"),
}
LEFT_OUT: dict[str, tuple[dict[str, Any], str]] = {
    "no model": ({"model": None}, "model"),
    "no tokens": ({"usage": {}}, "usage"),
    "fewer tokens": ({"usage": {"inputTokens": 7}}, "usage"),
    "no finish reason": ({"finish_reason": None}, "finish reason"),
}
ASKED: dict[str, dict[str, Any]] = {
    "the provider": {"provider": "anthropic"},
    "the model that the request names": {"request_body": '{"model":"gpt-9","messages":[]}'},
    "the model that the record names": {"extra": {"status": 200, RECORD: {"modelRef": "local:gpt-9"}}},
}


def forged(path: Path, fields: dict[str, Any]) -> Forger:
    """The response with other notes, and every sum over it made to fit."""
    by = forger(path)
    [key] = by.evidence
    by.evidence[key] = replace(by.evidence[key], **{"zipped_request": None, **fields})
    by.rehash()
    by.write(log=True)
    return by


@pytest.mark.parametrize(("protocol", "name"), each_once(BODIES, OTHERS))
def test_a_note_that_is_not_what_the_response_says_is_named(path: Path, name: str, protocol: str) -> None:
    fields, what = OTHERS[name]
    grown(path, evidence(BODIES[protocol]))
    assert reasons(path) == []

    by = forged(path, fields)

    told = f"the {what} noted with its response is not what the response says"
    assert reasons(path) == [told]
    assert reasons_by_file(by) == [told]
    assert any(told in str(problem) for problem in check(path).problems)


@pytest.mark.parametrize(
    ("protocol", "name"), each_once([name for name in BODIES if name != "in one piece"], LEFT_OUT)
)
def test_a_note_that_is_left_out_of_a_whole_response_is_named(path: Path, name: str, protocol: str) -> None:
    fields, what = LEFT_OUT[name]
    grown(path, evidence(BODIES[protocol]))

    forged(path, fields)

    assert reasons(path) == [f"the {what} noted with its response is not what the response says"]


ALL_NOTES: dict[str, Any] = {"model": None, "request_id": None, "usage": {}, "finish_reason": None}


@pytest.mark.parametrize("protocol", one_in(3, [name for name in BODIES if name != "in one piece"]))
def test_all_notes_are_missed_though_the_status_goes_with_them(path: Path, protocol: str) -> None:
    grown(path, evidence(BODIES[protocol]))

    forged(path, {**ALL_NOTES, "extra": {}})

    [reason] = reasons(path)
    for what in ("model", "id", "usage", "finish reason"):
        assert f"the {what} noted with its response is not what the response says" in reason


THOUGHTS = (
    event({"id": "c1", "choices": [{"index": 0, "delta": {"reasoning_content": "It is wet. So it rained."}}]})
    + CHAT
)


@pytest.mark.parametrize("kept", [None, "", "It is wet.", "It is dry. So it did not."])
@pytest.mark.parametrize(
    "extra", one_in(2, [{"status": 200}, {}], first=1), ids=["its status kept", "its status gone"]
)
def test_thoughts_are_missed(path: Path, kept: str | None, extra: dict[str, Any]) -> None:
    thoughts = "It is wet. So it rained."
    grown(path, evidence(THOUGHTS, model=None), reasoning=thoughts)
    assert reasons(path) == []
    by = forger(path)
    [node_id] = [node.id for node in by.tree.nodes.values() if node.author_type == "model"]
    [key] = by.evidence

    by.rewrite(node_id, extra={} if kept is None else {REASONING: kept})
    by.evidence[key] = replace(by.evidence[key], zipped_request=None, extra=extra)
    by.rehash()
    by.write(log=True)

    assert reasons(path) == ["its reasoning is not that of its response"]


@pytest.mark.parametrize("name", one_in(2, ASKED))
def test_a_request_that_asked_another_model_than_its_record_says_is_named(path: Path, name: str) -> None:
    grown(path, evidence(CHAT))
    assert reasons(path) == []

    forged(path, ASKED[name])

    [reason] = reasons(path)
    assert "the request kept for it asked another model than its record says" in reason.split("; ")


@pytest.mark.parametrize("protocol", ["chat", "messages", "responses"])
@pytest.mark.parametrize(
    "noted",
    [
        {"usage": {}, "finish_reason": None, "model": None, "request_id": None},
        {"usage": {}, "finish_reason": None},
        {"usage": {}},
        {"finish_reason": None},
    ],
)
def test_whoever_stopped_an_answer_noted_no_more_than_was_heard(
    path: Path, protocol: str, noted: dict[str, Any]
) -> None:
    """The bytes that are kept may be ahead of what was heard."""
    grown(path, evidence(BODIES[protocol], **noted), interrupted="cancelled")

    assert reasons(path) == []


def test_tokens_of_several_choices_may_be_added_up(path: Path) -> None:
    counts = [
        event({"id": "c1", "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": tokens}})
        for tokens in (1, 2)
    ]
    body = CHAT.removesuffix(DONE).rpartition(b"data: ")[0] + b"".join(counts) + DONE
    grown(path, evidence(body))
    assert reasons(path) == []

    forged(path, {"usage": {"inputTokens": 7, "outputTokens": 4}})

    assert reasons(path) != []


def test_an_earlier_version_noted_input_and_output_alone(path: Path) -> None:
    counted = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}
    count = event({"id": "c1", "choices": [], "usage": counted})
    grown(path, evidence(CHAT.removesuffix(DONE).rpartition(b"data: ")[0] + count + DONE))

    assert reasons(path) == []


def test_what_no_response_says_may_be_noted_by_other_programs(path: Path) -> None:
    item = evidence(b"Rain.", usage={"input": 3}, extra={})

    assert reasons(grown(path, item)) == []


@pytest.mark.parametrize("noted", ["stop-**********", "stop-[hidden]"])
def test_a_finish_reason_with_a_key_in_it_is_what_the_response_says(path: Path, noted: str) -> None:
    body = CHAT.replace(b'"stop"', b'"stop-**********"')
    grown(path, evidence(body, finish_reason=noted))

    assert reasons(path) == []
