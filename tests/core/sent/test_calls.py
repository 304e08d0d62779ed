"""Calls as a file tells them: what a record by hand says was carried on is carried on, too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.economy.compression import CarriedOn
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
