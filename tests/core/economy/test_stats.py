"""`stats`: the text to the letter, the JSON, and the names of threads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.economy.stats import Thread, slug, statistics_of, threads_of, to_json, to_text
from loomapp.core.model.entities import BranchSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from tests.core.economy.trees import talk, with_heads
from tests.kit.written_trees import edge, node, tree

NOTHING = """ThreadMind Stats: "T"

Overview:
  Threads: 2 (0 with tracked updates)
  Summary updates: 0
  Current context: ~0 tokens (depth: 2)

Token Savings:
  No summary updates tracked yet. Use summary_update to start tracking.

Method: Cumulative summary input vs current context size.
Token estimates use ~3.5 chars/token approximation."""


def at_end(subject: Tree) -> str:
    return to_text(statistics_of(subject, resolve(subject, list(subject.nodes)[-1])))


def threads_at(subject: Tree, node_id: str) -> list[Thread]:
    return list(threads_of(subject, resolve(subject, node_id)))


def grown() -> Tree:
    subject = talk(5)
    subject.loom = replace(subject.loom, title="My App")
    subject.branch_summaries["n3"] = BranchSummary(
        "n3",
        {
            "title": "A very long title of a Branch",
            "text": "x" * 6,
            "updateCount": 3,
            "currentContentLength": 6,
            "cumulativeInputLength": 20_960,
        },
    )
    subject.branch_summaries["n1"] = BranchSummary("n1", {"text": "x" * 53})
    subject.branch_summaries["n4"] = BranchSummary("n4", {"title": "No updates"})
    pruned = node("p", "P", pruned=True)
    subject.put_node(pruned)
    subject.put_edge(edge("p", "n1"))
    subject.branch_summaries["p"] = BranchSummary("p", {"text": "x" * 102})
    return subject


def test_without_updates_it_says_how_to_begin() -> None:
    assert at_end(with_heads(talk(3), n2=None)) == NOTHING


def test_the_text_is_padded_as_it_is_shown() -> None:
    subject = grown()
    del subject.nodes["p"]

    found = to_text(statistics_of(subject, resolve(subject, "n5")))

    assert found.splitlines()[12] == "Per-Thread Breakdown:"
    assert found.splitlines()[13] == "  Thread               Updates   Current    Cumulative     Ratio"
    assert found.splitlines()[14] == "  main                 1         ~16        ~16            0%"


def test_pruned_heads_are_no_threads_and_no_rows_but_count_in_updates_and_raw_history() -> None:
    subject = grown()

    found = to_text(statistics_of(subject, resolve(subject, "n5")))

    assert found.splitlines()[3:6] == [
        "  Threads: 3 (2 with tracked updates)",
        "  Summary updates: 5",
        "  Current context: ~37 tokens (depth: 3)",
    ]
    assert found.splitlines()[8] == "  Estimated raw history: ~6,033 tokens"
    assert "a-very-long-title-of-a-branch 3         ~2         ~5989          100%" in found


def test_the_json_has_the_same_numbers_and_the_path_itself() -> None:
    subject = grown()

    assert to_json(statistics_of(subject, resolve(subject, "n5"))) == {
        "title": "My App",
        "threads": 3,
        "tracked": 2,
        "updates": 5,
        "contextTokens": 37,
        "depth": 3,
        "depthCapped": False,
        "rawTokens": 6_033,
        "reduction": 99,
        "rows": [
            {
                "nodeId": "n1",
                "name": "main",
                "updates": 1,
                "currentTokens": 16,
                "cumulativeTokens": 16,
                "ratio": 0,
            },
            {
                "nodeId": "n3",
                "name": "a-very-long-title-of-a-branch",
                "updates": 3,
                "currentTokens": 2,
                "cumulativeTokens": 5_989,
                "ratio": 100,
            },
        ],
        "pathTokens": 2,
    }


def test_reduction_is_signed_in_json_and_null_without_updates() -> None:
    subject = with_heads(talk(2), n1="x")

    assert to_json(statistics_of(subject, resolve(subject, "n2")))["reduction"] == -600
    assert to_json(statistics_of(talk(2), resolve(talk(2), "n2")))["reduction"] is None


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Auth UI", "auth-ui"),
        ("  C++ & Rust! ", "c-rust"),
        ("日本", "thread"),
        ("", "thread"),
        ("É2", "2"),
        ("a_b", "a-b"),
    ],
)
def test_a_title_becomes_a_name(title: str, name: str) -> None:
    assert slug(title) == name


def test_names_are_told_apart_by_numbers_and_the_root_is_main() -> None:
    rows = [node("r", "Main"), *(node(name, "Auth") for name in "abcd"), node("m", "Main")]
    subject = tree(rows, [edge(name, "r") for name in "abcdm"])
    for name in ("b", "a", "d", "m"):
        subject.branch_summaries[name] = BranchSummary(name, {"title": "Auth" if name != "m" else "Main"})
    subject.branch_summaries["c"] = BranchSummary("c", {"title": "auth 2"})

    threads = threads_at(subject, "r")
    names = {thread.node_id: thread.name for thread in threads}

    assert names == {"r": "main", "b": "auth", "a": "auth-2", "d": "auth-3", "m": "main-2", "c": "auth-2-2"}
    assert threads[0].node_id == "r"


def test_versions_of_a_passage_are_one_thread_in_a_buffer() -> None:
    rows = [node("r", "R"), node("a", "A"), node("a2", "A2", edited_from="a", at=5)]
    subject = tree(rows, [edge("a", "r"), edge("a2", "r")], mode="buffer")
    with_heads(subject, a="S", a2="S2")

    assert [thread.node_id for thread in threads_at(subject, "r")] == ["r", "a"]


def test_of_two_rows_for_one_passage_of_a_buffer_the_row_of_the_version_on_the_path_is_the_thread() -> None:
    rows = [node("r", "R"), node("a", "A"), node("a2", "A2", edited_from="a", at=5), node("b", "B")]
    subject = tree(rows, [edge("a", "r"), edge("a2", "r"), edge("b", "r")], mode="buffer")
    with_heads(subject, a2="S2", b="S", a="S")
    subject.branch_summaries["b"] = BranchSummary("b", {"title": "A", "text": "S"})

    assert [(one.node_id, one.name) for one in threads_at(subject, "a2")] == [
        ("r", "main"),
        ("a2", "a2"),
        ("b", "a"),
    ]
    assert [(one.node_id, one.name) for one in threads_at(subject, "a")] == [
        ("r", "main"),
        ("a", "a"),  # the passage became a head before b did
        ("b", "a-2"),
    ]


def test_a_head_of_several_versions_is_pruned_where_the_row_that_counts_is() -> None:
    rows = [node("r", "R"), node("a", "A", pruned=True), node("a2", "A2", edited_from="a", at=5)]
    subject = tree(rows, [edge("a", "r"), edge("a2", "r")], mode="buffer")
    with_heads(subject, a="S", a2="S2")

    assert [one.node_id for one in threads_at(subject, "a2")] == ["r", "a2"]


def test_a_pruned_root_keeps_its_name_for_itself() -> None:
    subject = tree([node("r", "R", pruned=True), node("a", "A")], [edge("a", "r")])
    subject.branch_summaries["a"] = BranchSummary("a", {"title": "Main", "text": "S"})

    assert [one.name for one in threads_at(subject, "a")] == ["main-2"]


def test_the_root_has_its_own_row_before_that_of_a_version() -> None:
    rows = [node("r", "R"), node("r2", "R2", edited_from="r", at=5)]
    subject = with_heads(tree(rows, mode="buffer"), r2="S2", r="S")

    assert [thread.branch.text for thread in threads_at(subject, "r")] == ["S"]
    del subject.branch_summaries["r"]
    assert [thread.branch.text for thread in threads_at(subject, "r")] == ["S2"]
