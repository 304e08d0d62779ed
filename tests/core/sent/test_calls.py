"""Calls as a file tells them: what a record by hand says was carried on is carried on, too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loomapp.core.economy.calls import cut_answers
from loomapp.core.economy.compression import CarriedOn
from loomapp.core.model.entities import Interrupted
from loomapp.core.model.raw_response import RECORD, Evidence
from loomapp.core.sent.calls import calls_of
from loomapp.core.sent.economy import from_json as economy_from_json
from tests.kit.written_trees import chain, node

LISTED = {"economy": {"utilization": 0.8, "carried": [["n1", 0, "budget"], ["n1", 1, "clear"]]}}
REPORTED = {
    **LISTED,
    "report": {"compressed": [{"nodeId": "n1", "part": 0, "row": "snip", "beforeChars": 9, "afterChars": 1}]},
}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (LISTED, (CarriedOn("n1", 0, "budget", 15_000), CarriedOn("n1", 1, "clear"))),
        (
            {"economy": {**LISTED["economy"], "utilization": 0.7}},
            (CarriedOn("n1", 0, "budget", 30_000), CarriedOn("n1", 1, "clear")),
        ),
        (REPORTED, (CarriedOn("n1", 0, "snip"),)),
        ({**LISTED, "report": {"compressed": []}}, ()),
        ({**LISTED, "report": {}}, (CarriedOn("n1", 0, "budget", 15_000), CarriedOn("n1", 1, "clear"))),
        ({"economy": {"carried": [["n1", "0", "budget"], "n1", None]}}, ()),
    ],
)
def test_a_call_carries_on_what_its_report_says_or_without_one_its_list(
    record: dict[str, object], expected: tuple[CarriedOn, ...]
) -> None:
    tree = chain(node("n1", "Q"), node("n2", "A", author="model"))
    one = Evidence("r1", "fake", "", b"", choices={"n2": 0})

    found = calls_of(tree, [replace(one, extra={RECORD: record})])

    assert found["n2"].carried == expected


@pytest.mark.parametrize(("load", "budget"), [(0.8, 15_000), (0.7, 30_000), (None, 30_000)])
def test_what_a_call_carried_on_is_as_long_for_a_replay_as_for_the_next_call(
    load: float | None, budget: int
) -> None:
    said: dict[str, object] = {"utilization": load, "carried": [["n1", 0, "budget"], ["n1", 1, "clear"]]}
    tree = chain(node("n1", "Q"), node("n2", "A", author="model"))
    one = Evidence("r1", "fake", "", b"", choices={"n2": 0}, extra={RECORD: {"economy": said}})

    replayed = economy_from_json(said, {}, "economy")

    assert replayed.carried == calls_of(tree, [one])["n2"].carried
    assert replayed.carried == (CarriedOn("n1", 0, "budget", budget), CarriedOn("n1", 1, "clear"))


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"finish_reason": "length", "usage": {"outputTokens": 97}}, {"n2": 97}),
        ({"finish_reason": "max_tokens", "extra": {RECORD: {"maxTokens": 160}}}, {"n2": 160}),
        ({"finish_reason": "max_output_tokens"}, {"n2": 0}),
        ({"finish_reason": "stop", "usage": {"outputTokens": 97}}, {}),
        (
            {
                "finish_reason": "length, stop",
                "choices": {"n2": 0, "n3": 1},
                "usage": {"outputTokens": 230},
                "extra": {RECORD: {"maxTokens": 160}, "finishReasons": {"0": "stop", "1": "length"}},
            },
            {"n3": 160},
        ),
        ({"finish_reason": "length", "choices": {"n4": 0}}, {}),
        ({"finish_reason": "length", "extra": {"finishReasons": {"0": ["length"]}}}, {}),
    ],
    ids=["counted", "as allowed", "not known", "whole", "one of two", "broken off", "no word"],
)
def test_an_answer_that_its_limit_cut_is_told_with_its_tokens(
    told: dict[str, Any], expected: dict[str, int]
) -> None:
    broken = replace(node("n4", "A thi", author="model"), interrupted=Interrupted("network"))
    tree = chain(node("n1", "Q"), node("n2", "A", author="model"), node("n3", "B", author="model"), broken)
    one = replace(Evidence("r1", "fake", "", b"", choices={"n2": 0}), **told)

    assert cut_answers(calls_of(tree, [one])) == expected
