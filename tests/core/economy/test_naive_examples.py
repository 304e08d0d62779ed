"""The examples that came with the economy's rules, worked by the naive implementation."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.core.context.naive_loom import Json, NaiveError
from tests.core.economy.economy_trees import economy_case
from tests.core.economy.naive_branches import (
    footer,
    naive_context,
    naive_stats,
    naive_stats_text,
    slug,
    tokens,
)
from tests.core.economy.naive_compression import budgeted, stored, truncated
from tests.core.economy.naive_economy import Economy, naive_economy
from tests.core.economy.naive_pieces import EconomyLoom
from tests.core.economy.naive_thresholds import covered_hash, new_anchor, transcript

ASKED: Json = {"window": 128_000, "now": 1_790_000_000.0}


def line(*contents: Any, **tree: Any) -> Json:
    """A tree of one path, alternating human and model, `n1` first; a content is a text or blocks."""
    nodes = [
        {
            "id": f"n{number}",
            "localId": f"LOC00{number}",
            "content": {"type": "text", "text": content}
            if isinstance(content, str)
            else {"type": "mixed", "blocks": content},
            "authorType": "human" if number % 2 else "model",
        }
        for number, content in enumerate(contents, start=1)
    ]
    edges = [
        {"sources": [before["id"]], "targetNodeId": node["id"]} for before, node in itertools.pairwise(nodes)
    ]
    return {
        "format": "loom-json",
        "version": 1,
        "tree": {"title": "My App", "mode": "dialogue", "rootNodeId": "n1", **tree},
        "nodes": nodes,
        "edges": edges,
        "activePath": {"leafNodeId": nodes[-1]["id"], "selections": []},
    }


def result(number: int, tool: str = "read_file", size: int = 100, path: str = "x") -> list[Json]:
    """A call and its result in one node."""
    call_id = f"u{number}"
    return [
        {"type": "tool_use", "id": call_id, "name": tool, "input": {"path": path}},
        {"type": "tool_result", "toolUseId": call_id, "name": tool, "text": "y" * size},
    ]


def report(file: Json, **options: Any) -> Json:
    leaf = file["activePath"]["leafNodeId"]
    found: Json = naive_economy(file, {**ASKED, "at": leaf, **options})["report"]
    return found


def test_the_hash_of_a_covered_path_is_the_worked_one() -> None:
    nodes = [{"id": name, "metadata": {"excluded": name == "a"}, "content": "x"} for name in ("r", "a", "b")]
    loom = EconomyLoom({"tree": {"mode": "dialogue"}, "nodes": nodes, "edges": []})

    made = covered_hash(loom, ["r", "a", "b"])

    assert made == "3570af1ee2ad9def67437fd38da3876ca19761b8eb5e7764d8bf1d0eb014fe6f"


def test_a_part_of_30_500_characters_is_budgeted_to_29_963() -> None:
    text = budgeted("x" * 30_500, 30_000)

    assert "\n\n[... budgeted: 580 chars truncated ...]\n\n" in text
    assert len(text) == 29_963
    file = line(result(1, size=30_500), "a", "b")
    assert report(file, compression="on", utilization=0.5)["compressed"] == [
        {
            "nodeId": "n1",
            "part": 1,
            "row": "budget",
            "beforeChars": 30_500,
            "afterChars": 29_963,
            "why": "load",
        }
    ]


def test_a_text_beyond_30_kib_is_stored_with_its_first_200_lines() -> None:
    assert stored("x" * 30_720, "ABC234") == "x" * 30_720

    text = stored("é" * 100 + "\n" + "\n".join(["x" * 200] * 300), "ABC234")

    head = "[Result too large (59.1 KB, 301 lines). Full output saved to node ABC234. "
    assert text.startswith(f"{head}Only its beginning is shown.]\n\nPreview (first 200 lines):\né")
    assert text.count("\n") == 2 + 200


def test_a_text_beyond_50_000_characters_keeps_both_ends() -> None:
    text = truncated("x" * 60_000)

    assert text.startswith("x" * 24_970 + "\n\n[... truncated 10060 chars ...]\n\nx")
    assert truncated("x" * 50_000) == "x" * 50_000


def test_results_but_the_newest_three_are_snipped_and_say_whether_they_come_again() -> None:
    file = line(*(result(n, path="x" if n in (1, 6) else str(n)) for n in range(1, 7)), "done")

    compressed = report(file, compression="on", utilization=0.6)["compressed"]

    told = [(one["nodeId"], one["part"], one["row"], one["why"]) for one in compressed]
    assert told == [("n1", 1, "snip", "again"), ("n2", 1, "snip", "older"), ("n3", 1, "snip", "older")]
    assert report(file, compression="on", utilization=0.6, idle=299)["compressed"] == []
    assert report(file, compression="on", utilization=0.59, idle=299)["compressed"] == []


def test_old_results_of_any_tool_are_cleared_after_five_minutes() -> None:
    file = line(*(result(n, tool="web") for n in range(1, 6)), "done")

    assert report(file, compression="on", utilization=0.9)["compressed"] == []
    cleared = report(file, compression="on", utilization=0, idle=300)["compressed"]
    assert [(one["nodeId"], one["row"], one["afterChars"]) for one in cleared] == [
        ("n1", "clear", 20),
        ("n2", "clear", 20),
    ]


def test_a_summary_stands_for_what_it_covers() -> None:
    file = line(*(f"text {number}" for number in range(1, 8)), systemContext="T")
    file["contextSummaries"] = [
        {"anchorNodeId": "n3", "text": "S"},
        {"anchorNodeId": "n4", "text": "too deep"},
    ]

    printed = naive_economy(file, {**ASKED, "at": "n7", "summaries": "on"})

    assert printed["system"] == (
        "T\n\n[Previous conversation summary]\nThe following is a summary of the conversation history that "
        "has been compacted to save context space:\n\nS"
    )
    assert printed["report"]["kept"] == ["n4", "n5", "n6", "n7"]
    assert [one["reason"] for one in printed["report"]["dropped"]] == ["summarised"] * 3
    assert printed["report"]["summaryUsed"]["messagesSummarized"] == 3


def test_a_flag_under_the_anchor_makes_a_summary_stale() -> None:
    file = line(*(f"text {number}" for number in range(1, 8)))
    loom = EconomyLoom(file)
    row = {"anchorNodeId": "n3", "text": "S", "coveredHash": covered_hash(loom, ["n1", "n2", "n3"])}
    file["contextSummaries"] = [row]
    assert report(file, summaries="on")["summaryUsed"] is not None

    file["nodes"][1]["metadata"] = {"excluded": True}

    assert report(file, summaries="on")["summaryUsed"] is None


def test_the_text_of_threads_is_that_of_the_chain() -> None:
    file = line("r", "a", "b", systemContext=" Building. ")
    file["branchSummaries"] = [
        {"nodeId": "n3", "title": "Auth UI", "text": "Login form."},
        {"nodeId": "n2", "title": "Auth", "text": "  "},
        {"nodeId": "n1", "title": "not this", "text": "Overview.\n"},
    ]

    text = naive_context(file, None)

    assert text == (
        "## System Context\n\nBuilding.\n\n---\n\n## Thread: My App\n\nOverview.\n\n---\n\n"
        "## Thread: Auth UI (active)\n\nLogin form.\n\n---\n_ThreadMind context: ~32 tokens | depth: 3 "
        "threads_\n_Estimated raw history: ~7 tokens (~0% reduction from 3 summary updates)_"
    )


def test_the_footer_is_the_worked_one() -> None:
    rows = [{"nodeId": "n", "updateCount": 8, "cumulativeInputLength": 42_000}]

    said = footer({"branchSummaries": rows}, "x" * 1575, 4)

    assert said == (
        "\n\n---\n_ThreadMind context: ~450 tokens | depth: 4 threads_\n"
        "_Estimated raw history: ~12,000 tokens (~96% reduction from 8 summary updates)_"
    )


def test_the_statistics_are_laid_out_as_in_the_example() -> None:
    file = line("r", "a", "b")
    file["branchSummaries"] = [
        {"nodeId": "n2", "title": "A", "text": "x", "updateCount": 7, "currentContentLength": 1,
         "cumulativeInputLength": 21_058},
        {"nodeId": "n1", "text": "y" * 55},
    ]  # fmt: skip

    text = naive_stats_text(file)

    assert text == (
        'ThreadMind Stats: "My App"\n'
        "\n"
        "Overview:\n"
        "  Threads: 2 (2 with tracked updates)\n"
        "  Summary updates: 8\n"
        "  Current context: ~30 tokens (depth: 2)\n"
        "\n"
        "Token Savings (estimated):\n"
        "  Estimated raw history: ~6,033 tokens\n"
        "  ThreadMind context:    ~30 tokens\n"
        "  Reduction:             ~100%\n"
        "\n"
        "Per-Thread Breakdown:\n"
        "  Thread               Updates   Current    Cumulative     Ratio\n"
        "  main                 1         ~16        ~16            0%\n"
        "  a                    7         ~1         ~6017          100%\n"
        "\n"
        "Method: Cumulative summary input vs current context size.\n"
        "Token estimates use ~3.5 chars/token approximation."
    )


def test_statistics_without_updates_have_no_table() -> None:
    text = naive_stats_text(line("r"))

    assert (
        "\nToken Savings:\n  No summary updates tracked yet. Use summary_update to start tracking.\n\nM"
        in text
    )
    assert naive_stats(line("r"))["reduction"] is None


@pytest.mark.parametrize(
    ("title", "name"), [("Auth UI!", "auth-ui"), ("日本", "thread"), ("  a--B ", "a-b"), ("É", "thread")]
)
def test_a_thread_is_named_by_its_title(title: str, name: str) -> None:
    assert slug(title) == name


def test_a_summary_leaves_out_what_the_last_heads_nodes_do_not_follow() -> None:
    file = line("r", "a", "b", "c")
    file["branchSummaries"] = [{"nodeId": "n2", "title": "A", "text": None}]

    told = report(file, assembler="summaries")

    assert told["kept"] == ["n2", "n3", "n4"]
    assert [(one["nodeId"], one["reason"]) for one in told["dropped"]] == [("n1", "branch_summarised")]
    assert told["warnings"] == ["branch_without_summary"]  # of the root
    assert told["threads"] == {"heads": ["n1", "n2"], "depth": 2, "depthCapped": False}


def test_no_more_than_fifty_heads_are_in_the_chain() -> None:
    file = line(*(f"t{number}" for number in range(60)))
    file["branchSummaries"] = [{"nodeId": node["id"], "title": "H", "text": "S"} for node in file["nodes"]]

    stats = naive_stats(file)

    assert (stats["depth"], stats["depthCapped"], stats["threads"]) == (50, True, 60)


def test_a_cycle_names_the_thread_that_is_met_twice() -> None:
    file = line("r", "a", "b")
    file["edges"].append({"sources": ["n2"], "targetNodeId": "n1"})

    with pytest.raises(NaiveError) as caught:
        naive_context(file, "n3")

    assert caught.value.code == "CYCLE"
    assert caught.value.details["message"] == 'Circular reference detected at thread "n2"'


def test_a_measured_size_is_what_was_counted_and_all_since() -> None:
    file = line("a" * 40, "b" * 40, "c" * 40)
    usage = {"inputTokens": 1000, "outputTokens": 30, "reasoningTokens": 10, "cachedTokens": 900}
    ended = "2026-09-21T14:13:10.000Z"
    file["responses"] = [{"nodeId": "n2", "model": "m", "endedAt": ended, "usage": usage}]

    load = report(file, compression="on")["load"]

    assert (load["used"], load["measured"]) == (1000 + 20 + 10, True)
    assert load["idle"] == 10
    file["responses"].append({**file["responses"][0], "nodeId": "n3", "choiceIndex": 1})
    assert report(file, compression="on")["load"]["used"] == 1000 + 10  # of several choices the text of this


def test_without_a_counted_call_the_size_is_an_estimate() -> None:
    file = line("a" * 40, "b" * 41, systemContext="T" * 8)

    load = report(file, compression="on", window=100_000)["load"]

    assert load == {"used": 2 + 10 + 11, "measured": False, "utilization": 23 / 80_000, "idle": None}


def test_the_state_has_nine_values() -> None:
    file = line("a" * 40, "b" * 41, systemContext="T" * 8)

    state = naive_economy(file, {**ASKED, "at": "n2", "window": 8000, "state": True})["state"]

    size = (3 * 16 + 40 + 41 + 8 + 3) // 4 + 3
    assert state == {
        "totalInputTokens": 0,
        "totalOutputTokens": 0,
        "estimatedContextSize": size,
        "maxTokens": 8000,
        "usageRatio": size / 6000,
        "softThresholdExceeded": False,
        "hardThresholdExceeded": False,
        "summaryCount": 0,
        "measured": False,
    }


def test_what_an_earlier_call_had_shortened_stays_so() -> None:
    file = line(result(1, size=20_000), "b", "c")
    compressed = {"nodeId": "n1", "part": 1, "row": "budget", "beforeChars": 20_000, "afterChars": 14_964}
    file["responses"] = [
        {
            "nodeId": "n2",
            "model": "m",
            "endedAt": "2026-09-21T14:13:10.000Z",
            "context": {"report": {"compressed": [compressed]}, "economy": {"utilization": 0.8}},
        }
    ]

    told = report(file, compression="on")["compressed"]

    assert told == [{**compressed, "why": "carried"}]
    assert report(file, compression="on", utilization=0)["compressed"] == []
    file["nodes"][0]["metadata"] = {"full": True}
    assert report(file, compression="on")["compressed"] == []


def test_a_new_summary_leaves_the_least_number_of_units_and_no_call_without_its_result() -> None:
    use, answer = result(1)
    file = line("a", "b", [use], [answer], "e", "f")
    loom_units = Economy(file, {**ASKED, "at": "n6"})
    path, units = loom_units.path.nodes, loom_units.numbered_units()

    assert new_anchor(path, units, [], 4) == "n2"
    assert new_anchor(path, units, [], 3) == "n2"  # not n3, whose result would remain
    assert new_anchor(path, units, [], 2) == "n4"
    assert new_anchor(path, units, [], 6) is None
    assert transcript(units[:4]) == f"USER: a\n\nASSISTANT: b\n\nUSER: [Tool: read_file → {'y' * 100}]"


def test_tokens_of_threads_are_counted_by_three_and_a_half() -> None:
    assert [tokens(length) for length in (0, 1, 3, 4, 7, 8)] == [0, 1, 1, 2, 2, 3]


def test_random_cases_have_an_answer() -> None:
    for seed in range(40):
        file, options = economy_case(seed)
        try:
            printed = naive_economy(file, options)
        except NaiveError:
            continue
        told = printed["report"]
        assert told["afterTokens"] <= told["available"] or told["overLimit"]
        assert not {one["nodeId"] for one in told["dropped"]} & set(told["kept"])
