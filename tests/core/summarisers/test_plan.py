"""Plans of summaries: their anchors and transcripts beside those of a second implementation, and refusals."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from loomapp.core.economy.coverage import covered_hash, valid_on
from loomapp.core.errors import AssemblyError
from loomapp.core.model.entities import ContextSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.summarisers.plan import (
    new_anchor,
    newly_covered,
    placed,
    plan_at,
    plan_for,
    said_parts,
    stretch_of,
)
from loomapp.core.summarisers.prompts import BETWEEN, transcript
from loomapp.formats import loom_json
from tests.core.context.naive_loom import Json, NaiveError
from tests.core.economy import naive_thresholds
from tests.core.economy.economy_trees import economy_case
from tests.core.economy.naive_economy import Economy
from tests.core.economy.trees import document, mixed, result, talk, use, with_summary, words
from tests.kit.written_trees import chain, node


def ours(file: Json) -> Tree:
    return loom_json.read(json.dumps(file).encode("utf-8", "surrogatepass"), lenient=True).tree


def test_anchors_and_transcripts_of_random_trees_are_those_of_the_naive_economy() -> None:
    met: Counter[str] = Counter()
    for seed in range(120):
        file, asked = economy_case(seed)
        asked = {**asked, "working_buffer": "", "select": [], "include_annotation": [], "context": []}
        try:
            naive = Economy(file, asked)
            units = naive.numbered_units()
        except NaiveError:
            continue
        tree = ours(file)
        path = resolve(tree, asked["at"])
        placing = placed(tree, path)

        for least in (1, 2, 4):
            place = new_anchor(placing, least)
            theirs = naive_thresholds.new_anchor(path_ids := list(path.node_ids), units, [], least)
            assert (None if place is None else path_ids[place]) == theirs, seed
            met["anchored" if theirs else "too few"] += 1
            if place is not None:  # only nodes that were placed by themselves are looked at for flags
                assert stretch_of(placing, place, 0, 1).hash == covered_hash(path, place), seed
        said = transcript(said_parts(placing, 0, len(placing.passages)).messages())
        assert BETWEEN.join(said) == naive_thresholds.transcript(units), seed
        met["tools"] += any("[Tool: " in text for text in said)
        met["cut"] += any("... (truncated)" in text for text in said)
    assert min(met[name] for name in ("anchored", "too few", "tools", "cut")) > 3


def test_a_new_summary_leaves_just_the_newest_messages_and_covers_all_before() -> None:
    tree = talk(9)

    plan = plan_for(tree, resolve(tree, "n9"), 4)

    assert (plan.anchor_node_id, plan.covered_ids) == ("n5", ("n1", "n2", "n3", "n4", "n5"))
    assert plan.covered_hash == covered_hash(resolve(tree, "n9"), 4)
    assert (plan.covered_messages, plan.original_tokens) == (5, 25)  # ceil(5 * 17 / 4) + 3
    assert transcript(plan.said.messages()) == [
        "USER: a",
        "ASSISTANT: b",
        "USER: c",
        "ASSISTANT: d",
        "USER: e",
    ]


def test_it_goes_on_from_the_last_valid_summary() -> None:
    tree = talk(9)
    row = with_summary(tree, "n3", "Before.")

    plan = plan_for(tree, resolve(tree, "n9"), 4)

    assert plan.based_on == row
    assert (plan.covered_ids, plan.covered_messages) == (("n4", "n5"), 5)
    assert transcript(plan.said.messages()) == ["ASSISTANT: d", "USER: e"]
    assert newly_covered(tree, resolve(tree, "n9"), 4) == 2


def test_a_stale_summary_is_not_gone_on_from() -> None:
    tree = talk(9)
    row = ContextSummary("n3", "0" * 64, {"text": "Old."})
    tree.context_summaries[row.key] = row

    plan = plan_for(tree, resolve(tree, "n9"), 4)

    assert valid_on(tree, resolve(tree, "n9")) == []
    assert (plan.based_on, len(plan.said.messages())) == (None, 5)


@pytest.mark.parametrize(("count", "summary"), [(4, None), (3, None), (8, "n4"), (8, "n6")])
def test_too_few_messages_or_none_that_are_new_are_refused(count: int, summary: str | None) -> None:
    tree = talk(count)
    if summary is not None:
        with_summary(tree, summary)

    with pytest.raises(AssemblyError, match="Not enough messages to compact") as refused:
        plan_for(tree, resolve(tree, f"n{count}"), 4)

    assert refused.value.message == "Not enough messages to compact"
    assert refused.value.code == "NOT_ENOUGH_MESSAGES"
    assert newly_covered(tree, resolve(tree, f"n{count}"), 4) == 0


def test_a_person_may_pick_any_node_of_a_path_that_is_long_enough() -> None:
    tree = talk(6)
    tree.path = tree.path.__class__("n6")

    assert plan_at(tree, "n1", 4).covered_ids == ("n1",)
    assert plan_at(tree, "n6", 4).covered_messages == 6
    with pytest.raises(AssemblyError, match="Not enough messages"):
        plan_at(tree, "n6", 6)


def test_what_is_valid_at_a_node_is_made_again_only_if_that_is_asked() -> None:
    tree = talk(8)
    tree.path = tree.path.__class__("n8")
    with_summary(tree, "n2", "Two.")
    with_summary(tree, "n4", "Four.")

    with pytest.raises(AssemblyError, match="Not enough messages"):
        plan_at(tree, "n4", 4)
    plan = plan_at(tree, "n4", 4, again=True)

    assert plan.based_on is not None
    assert plan.based_on.anchor_node_id == "n2"
    assert plan.covered_ids == ("n3", "n4")


def test_a_node_that_is_not_on_the_active_path_is_summarised_on_its_own() -> None:
    tree = talk(6)
    tree.path = tree.path.__class__("n5")

    assert plan_at(tree, "n6", 4).covered_messages == 6


def test_a_tool_is_told_with_its_result_where_it_was_called() -> None:
    tree = chain(
        mixed("n1", use("1"), author="model"),
        mixed("n2", result("1", "yes" * 1000), document("d" * 2001)),
        mixed("n3", use("2", "list_files"), author="model"),
        node("n4", "thanks"),
        node("n5", "done"),
    )
    placing = placed(tree, resolve(tree, "n5"))

    said = transcript(said_parts(placing, 0, placing.part_at(4)).messages())

    assert said == [
        f"ASSISTANT: [Tool: read_file → {('yes' * 1000)[:2000]}... (truncated)]",
        f"USER: {'d' * 2000}... (truncated)",
        "ASSISTANT: [Tool: list_files → (pending)]",
        "USER: thanks",
    ]
    assert new_anchor(placing, 4) is None  # n1 without n2 would lose its result
    assert new_anchor(placing, 3) == 1


def test_a_result_that_says_nothing_is_a_result_and_not_awaited() -> None:
    tree = chain(
        mixed("n1", use("1", "make_folder"), use("2", "list_files"), author="model"),
        mixed("n2", result("1", " ")),
        mixed("n3", result("3", ""), words("go on")),
        node("n4", "done", "model"),
    )
    said = said_parts(placed(tree, resolve(tree, "n4")), 0, 4)

    assert transcript(said.messages(), said.blank_results)[0] == (
        "ASSISTANT: [Tool: make_folder → ]\n\n[Tool: list_files → (pending)]"
    )
