"""Loom JSON: settings of economy, summaries, and rows whose nodes are gone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.core.model.economy_settings import TABLE, Economy, EconomySettings, in_force
from loomapp.formats import loom_json
from tests.kit.loom_files import chain


def with_settings(**settings: object) -> dict[str, Any]:
    file = chain("one", "two")
    file["tree"]["contextSettings"] = settings
    return file


def written(file: dict[str, Any]) -> dict[str, Any]:
    imported = loom_json.read(json.dumps(file))
    found: dict[str, Any] = json.loads(loom_json.write(imported.tree, imported.agents))
    return found


def test_settings_come_back_as_they_were_and_only_where_they_are_set() -> None:
    ours = {
        "assembler": "auto", "useSummaries": True, "makeSummaries": "off", "compression": False,
        "compressText": False, "softThreshold": 1, "minRecentMessages": 4, "mine": 3,
    }  # fmt: skip

    found = written(with_settings(**ours))["tree"]["contextSettings"]

    assert {name: found[name] for name in ours} == ours
    assert isinstance(found["softThreshold"], int)
    assert set(written(with_settings())["tree"]["contextSettings"]) == {
        "truncationStrategy", "minimumRecentNodes", "tokenBuffer", "instructionScope",
    }  # fmt: skip


def test_the_defaults_are_those_of_the_rules() -> None:
    assert {row.key: row.default for row in TABLE} == {
        "assembler": "auto", "useSummaries": True, "makeSummaries": "off", "compression": False,
        "compressText": False, "softThreshold": 0.75, "hardThreshold": 0.9, "responseReserve": None,
        "minRecentMessages": 4, "summaryModel": None, "summaryPrompt": None,
        "summaryKind": "conversation", "summaryPrompts": None, "summaryKeep": None, "storeBytes": 30_720,
        "previewLines": 200, "truncateChars": 50_000, "budgetUtilization": 0.5, "budgetChars": 30_000,
        "tightUtilization": 0.7, "tightChars": 15_000, "snipUtilization": 0.6, "snipIdleSeconds": 300,
        "snipAlwaysUtilization": 0.75, "keepResults": 3, "clearIdleSeconds": 300,
        "clearDocumentsUtilization": 0.5, "compactUtilization": 0.85, "windowReserve": 20_000,
        "mostFailures": 3,
    }  # fmt: skip


def test_each_setting_counts_from_the_nearest_place_that_sets_it() -> None:
    tree, request = EconomySettings(compression=True, keep_results=0), EconomySettings(compression=False)

    found = in_force(Economy(soft_threshold=0.5), tree, request)

    assert (found.soft_threshold, found.compression, found.keep_results) == (0.5, False, 0)
    assert in_force(Economy(), EconomySettings(min_recent_messages=0), request).min_recent_messages == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("assembler", "threads"), ("useSummaries", "on"), ("makeSummaries", "always"),
        ("softThreshold", -0.1), ("minRecentMessages", 0), ("minRecentMessages", 1.5),
        ("responseReserve", -1), ("compression", 1),
        ("tightChars", 79), ("summaryModel", 3),
    ],
)  # fmt: skip
def test_a_setting_of_another_kind_is_refused_by_its_place(name: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=rf"^tree\.contextSettings\.{name}: "):
        loom_json.read(json.dumps(with_settings(**{name: value})))


def test_a_prompt_that_is_no_text_is_refused_by_its_place() -> None:
    with pytest.raises(InvalidInput, match=r"^tree\.contextSettings\.summaryPrompts\.story: 3 is not a text"):
        loom_json.read(json.dumps(with_settings(summaryPrompts={"story": 3})))


def test_a_null_is_as_good_as_nothing() -> None:
    assert (
        "assembler" not in written(with_settings(assembler=None, compression=None))["tree"]["contextSettings"]
    )


def test_rows_come_back_in_their_order_with_unknown_keys_and_nothing_made_up() -> None:
    file = chain("one", "two", "three")
    file["branchSummaries"] = [{"nodeId": "n3", "title": "C", "k": 1}, {"nodeId": "n1", "text": "x"}]
    file["contextSummaries"] = [
        {"anchorNodeId": "n2", "coveredHash": "", "text": "S", "k": {"l": [1]}},
        {"anchorNodeId": "n1", "text": "T"},
    ]

    found = written(file)

    assert found["branchSummaries"] == file["branchSummaries"]
    assert found["contextSummaries"][0] == file["contextSummaries"][0]
    assert found["contextSummaries"][1]["text"] == "T"
    assert len(found["contextSummaries"][1]["coveredHash"]) == 64
    assert written(found) == found


def test_a_row_whose_node_is_gone_sleeps_and_is_not_written() -> None:
    file = chain("one", "two")
    file["branchSummaries"] = [{"nodeId": "n2", "title": "B"}]
    file["contextSummaries"] = [{"anchorNodeId": "n2", "coveredHash": "h", "text": "S"}]
    imported = loom_json.read(json.dumps(file))
    imported.tree.drop_edge(next(iter(imported.tree.edges)))
    imported.tree.drop_node("n2")

    found = json.loads(loom_json.write(imported.tree, imported.agents))

    assert (found["branchSummaries"], found["contextSummaries"]) == ([], [])
