"""Branch summaries: the chain of heads, its text and footer, guards, counters."""

from __future__ import annotations

import pytest

from loomapp.core.economy.branch_summaries import (
    Branch,
    Savings,
    chain_of,
    circular,
    context_text,
    footer,
    percent_less,
    read_branch,
    savings_of,
    with_title,
    with_update,
)
from loomapp.core.errors import AssemblyError
from loomapp.core.model.entities import BranchSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from tests.core.economy.trees import talk, with_heads
from tests.kit.written_trees import chain, edge, node, tree


def text_at(subject: Tree, at: str) -> str:
    return chain_of(subject, resolve(subject, at)).text


def test_the_text_is_the_system_context_and_each_summary_the_last_one_active() -> None:
    subject = with_heads(talk(5, system=" Be brief.\n"), n1="  All. ", n3="Some.\n")

    assert text_at(subject, "n5") == (
        "## System Context\n\nBe brief.\n\n---\n\n## Thread: T\n\nAll.\n\n---\n\n"
        "## Thread: N3 (active)\n\nSome."
    )


def test_blank_texts_are_skipped_and_a_blank_head_leaves_no_mark() -> None:
    subject = with_heads(talk(5, system=" "), n1="All.", n2=" \n", n4=None)

    assert text_at(subject, "n5") == "## Thread: T\n\nAll."
    assert chain_of(subject, resolve(subject, "n5")).depth == 3


def test_the_root_is_always_a_head_and_titled_as_the_tree() -> None:
    chained = chain_of(talk(2), resolve(talk(2), "n2"))

    assert [(head.node_id, head.title) for head in chained.heads] == [("n1", "T")]
    assert chained.text == ""


def test_a_branch_without_a_title_has_the_first_words_of_its_node() -> None:
    subject = chain(node("a", "A"), node("b", "one two three four five six seven"))
    subject.branch_summaries["b"] = BranchSummary("b", {"text": "S", "title": " "})

    assert text_at(subject, "b") == "## Thread: one two three four five six… (active)\n\nS"


def test_flags_of_a_head_do_not_matter_and_siblings_are_never_in_it() -> None:
    rows = [node("r", "R"), node("a", "A", pruned=True), node("b", "B"), node("c", "C")]
    subject = with_heads(tree(rows, [edge("a", "r"), edge("b", "r"), edge("c", "a")]), a="SA", b="SB")

    assert text_at(subject, "c") == "## Thread: A (active)\n\nSA"


def test_in_a_buffer_a_head_stands_for_all_versions_of_its_node() -> None:
    rows = [node("r", "R"), node("a", "A"), node("a2", "A2", edited_from="a", at=5), node("c", "C")]
    edges = [edge("a", "r"), edge("a2", "r"), edge("c", "a", "a2")]
    subject = with_heads(tree(rows, edges, mode="buffer"), a="S")

    heads = chain_of(subject, resolve(subject, "c")).heads

    assert [(head.node_id, head.title) for head in heads] == [("r", "T"), ("a2", "A")]


def test_of_a_deep_chain_the_fifty_heads_nearest_to_the_active_one_stay() -> None:
    names = [f"n{i:02}" for i in range(52)]
    subject = chain(*(node(name, name) for name in names))
    for name in names[1:50]:
        with_heads(subject, **{name: name})

    exact = chain_of(subject, resolve(subject, "n51"))
    with_heads(subject, n50="last")
    capped = chain_of(subject, resolve(subject, "n51"))

    assert (exact.depth, exact.is_capped, exact.heads[0].node_id) == (50, False, "n00")
    assert (capped.depth, capped.is_capped, capped.heads[0].node_id) == (50, True, "n01")
    assert capped.heads[-1].node_id == "n50"


@pytest.mark.parametrize(("heads", "hinted"), [(5, False), (6, True)])
def test_a_chain_of_more_than_five_gets_a_hint(heads: int, hinted: bool) -> None:
    subject = with_heads(talk(8), **{f"n{i}": "S" for i in range(2, heads + 1)})

    assert (chain_of(subject, resolve(subject, "n8")).depth_hint is not None) is hinted


def test_a_circle_is_told_by_the_node_that_is_met_twice() -> None:
    error = AssemblyError("CYCLE", "…", nodeId="b")

    assert circular(error).message == 'Circular reference detected at thread "b"'
    assert circular(AssemblyError("NODE_NOT_FOUND", "gone")).message == "gone"


# The footer


@pytest.mark.parametrize(("length", "tokens"), [(0, 0), (1, 1), (3, 1), (4, 2), (7, 2), (8, 3)])
def test_tokens_are_a_character_for_three_and_a_half_rounded_up(length: int, tokens: int) -> None:
    subject = chain(node("a", "A"), system=None)
    subject.branch_summaries["a"] = BranchSummary("a", {"text": "x" * length})
    title = len("## Thread: T (active)\n\n")
    expected = -(-(length + title) * 2 // 7) if length else 0

    assert chain_of(subject, resolve(subject, "a")).tokens == expected
    assert savings_of([Branch("a", cumulative_length=length)]).raw_tokens == tokens


def test_the_footer_tells_depth_and_tokens_and_once_something_was_updated_the_saving() -> None:
    subject = with_heads(talk(5), n3=None)
    before = context_text(subject, resolve(subject, "n5"))
    subject.branch_summaries["n3"] = BranchSummary(
        "n3", {"title": "Auth", "text": "x" * 40, "updateCount": 3, "cumulativeInputLength": 21_115}
    )

    after = context_text(subject, resolve(subject, "n5"))

    assert before == "\n\n---\n_ThreadMind context: ~0 tokens | depth: 2 threads_"
    assert after == (
        f"## Thread: Auth (active)\n\n{'x' * 40}\n\n"
        "---\n_ThreadMind context: ~19 tokens | depth: 2 threads_\n"
        "_Estimated raw history: ~6,033 tokens (~100% reduction from 3 summary updates)_"
    )


def test_thousands_are_separated_in_the_raw_history_only() -> None:
    subject = with_heads(talk(2), n1="x" * 7_000)

    said = footer(chain_of(subject, resolve(subject, "n2")), Savings(1, 10_000))

    assert "~2007 tokens" in said
    assert "~10,000 tokens (~80% reduction from 1 summary updates)" in said


@pytest.mark.parametrize(
    ("part", "whole", "percent"),
    [(0, 0, 0), (0, 7, 100), (7, 7, 0), (425, 1000, 58), (426, 1000, 57), (9, 2, -350), (2, 1, -100)],
)
def test_percent_is_rounded_halves_up_and_may_be_below_zero(part: int, whole: int, percent: int) -> None:
    assert percent_less(part, whole) == percent


def test_a_reduction_is_printed_as_at_least_nothing() -> None:
    subject = with_heads(talk(2), n1="x")

    assert "(~0% reduction from 1 summary updates)" in context_text(subject, resolve(subject, "n2"))


def test_pruned_heads_count_in_updates_and_raw_history_and_rows_of_nodes_that_are_gone_do_not() -> None:
    rows = [node("r", "R"), node("p", "P", pruned=True)]
    subject = with_heads(tree(rows, [edge("p", "r")]), r="x" * 35, p="x" * 35, gone="x" * 35)

    said = context_text(subject, resolve(subject, "r"))

    assert "~20 tokens (~15% reduction from 2 summary updates)" in said


# Counters


def test_an_update_counts_code_points_as_submitted() -> None:
    row = with_update(BranchSummary("a", {"title": "A", "k": 1}), " ä😀 ", "2026-01-01T00:00:00.000Z")
    again = with_update(row, "x", "2026-01-02T00:00:00.000Z", origin="generated", model="m:1")

    assert read_branch(row) == Branch(
        "a", "A", " ä😀 ", "manual", None, 1, 4, 4, 4, "2026-01-01T00:00:00.000Z"
    )
    assert read_branch(again) == Branch(
        "a", "A", "x", "generated", "m:1", 2, 4, 1, 5, "2026-01-02T00:00:00.000Z"
    )
    assert again.body["k"] == 1


def test_a_row_without_counters_counts_a_text_as_one_update_of_its_length() -> None:
    told = read_branch(BranchSummary("a", {"text": "abc"}))

    assert (told.update_count, told.first_length, told.current_length, told.cumulative_length) == (1, 3, 3, 3)
    assert read_branch(BranchSummary("a", {"text": None})).update_count == 0
    assert read_branch(BranchSummary("a", {"text": "abc", "updateCount": 0})).update_count == 0
    later = with_update(BranchSummary("a", {"text": "abc"}), "wxyz", "…")
    assert read_branch(later).cumulative_length == 7
    assert read_branch(later).first_length == 3


def test_another_title_is_no_update_and_touches_nothing_else() -> None:
    row = BranchSummary("a", {"text": "abc"})

    assert with_title(row, "New").body == {"text": "abc", "title": "New"}
