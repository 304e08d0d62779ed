"""`assemble`, `context` and `stats` with summaries and compression, for files and for trees of a grove."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loomapp.__main__ import main
from tests.kit.families import one_in
from tests.kit.loom_files import chain
from tests.kit.processes.command import loomapp
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer

HEADER = (
    "[Previous conversation summary]\nThe following is a summary of the conversation history that has been "
    "compacted to save context space:\n\n"
)
END = "2026-01-01T00:00:00.000Z"


def talk() -> dict[str, Any]:
    """Seven messages, with a head and a summary whose hash is left out."""
    file = chain("one", "two", "three", "four", "five", "six", "seven")
    file["tree"]["systemContext"] = "Tree."
    file["branchSummaries"] = [{"nodeId": "n2", "title": "Two", "text": "Some."}]
    file["contextSummaries"] = [{"anchorNodeId": "n3", "text": "They talked."}]
    return file


def in_file(folder: Path, value: object) -> str:
    path = folder / "tree.loom.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


def assembled(capfd: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status = main(["assemble", *arguments])
    out, err = capfd.readouterr()
    assert status == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_file_starts_with_everything_off_whatever_its_settings_say(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = talk()
    file["tree"]["contextSettings"] = {"assembler": "summaries", "useSummaries": True, "compression": True}

    found = assembled(capfd, in_file(tmp_path, file), "--at", "n7")

    assert found["system"] == "Tree."
    assert len(found["messages"]) == 7
    assert found["report"].keys().isdisjoint(("threads", "stages", "load"))
    assert "state" not in found


def test_a_summary_without_a_hash_is_used_from_a_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found = assembled(capfd, in_file(tmp_path, talk()), "--at", "n7", "--summaries", "on", "--state")

    assert found["system"] == f"Tree.\n\n{HEADER}They talked."
    assert found["report"]["summaryUsed"]["anchorNodeId"] == "n3"
    assert [one["reason"] for one in found["report"]["dropped"]] == ["summarised"] * 3
    assert found["report"]["stages"] == [{"stage": "summaries", "tokens": found["report"]["afterTokens"]}]
    assert list(found["state"]) == [
        "totalInputTokens", "totalOutputTokens", "estimatedContextSize", "maxTokens", "usageRatio",
        "softThresholdExceeded", "hardThresholdExceeded", "summaryCount", "measured",
    ]  # fmt: skip
    assert (found["state"]["summaryCount"], found["state"]["maxTokens"]) == (1, 128_000)


def test_the_numbers_of_a_file_count(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = talk()
    file["tree"]["contextSettings"] = {"minRecentMessages": 5, "softThreshold": 0, "hardThreshold": 0.5}

    found = assembled(capfd, in_file(tmp_path, file), "--at", "n7", "--summaries", "on", "--state")

    assert found["report"]["summaryUsed"] is None
    assert (found["state"]["softThresholdExceeded"], found["state"]["hardThresholdExceeded"]) == (True, False)


def test_the_summaries_assembler_is_asked_for_by_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = in_file(tmp_path, talk())

    found = assembled(capfd, file, "--at", "n7", "--assembler", "summaries", "--summaries", "on")

    assert found["system"] == "## System Context\n\nTree.\n\n---\n\n## Thread: Two (active)\n\nSome."
    assert found["report"]["threads"] == {"heads": ["n1", "n2"], "depth": 2, "depthCapped": False}
    assert found["report"]["summaryUsed"] is None
    assert found["report"]["warnings"] == ["branch_without_summary"]


def with_responses(**usage: int) -> dict[str, Any]:
    file = talk()
    file["agents"] = [{"id": "a", "name": "A", "type": "model", "modelRef": "anthropic:claude"}]
    file["nodes"][1]["content"] = {
        "type": "mixed",
        "blocks": [{"type": "document", "name": "d", "text": "x" * 20_000}],
    }
    other = {"inputTokens": 5, "outputTokens": 1}
    file["responses"] = [
        {"nodeId": name, "provider": "p", "model": model, "startedAt": END, "endedAt": END, "usage": counted}
        for name, model, counted in (("n4", "claude", usage), ("n6", "gpt", other))
    ]
    return file


def test_used_and_idle_come_from_the_responses_of_the_model(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = in_file(tmp_path, with_responses(inputTokens=80_000, outputTokens=100, reasoningTokens=40))

    named = assembled(capfd, file, "--at", "n7", "--agent", "a", "--compression", "on", "--state")
    anybody = assembled(capfd, file, "--at", "n7", "--compression", "on")

    load = named["report"]["load"]
    assert (load["used"], load["measured"], load["utilization"]) == (80_064, True, 0.741)
    assert load["idle"] > 1_000
    assert [(one["nodeId"], one["row"], one["why"]) for one in named["report"]["compressed"]] == [
        ("n2", "budget", "load")
    ]
    assert (named["state"]["totalInputTokens"], named["state"]["totalOutputTokens"]) == (80_005, 101)
    assert (named["state"]["estimatedContextSize"], named["state"]["measured"]) == (80_064, True)
    assert anybody["report"]["load"]["used"] == 8


@pytest.mark.parametrize(("idle", "told"), [("never", None), ("299", 299), ("0.5", 0.5)])
def test_a_load_can_be_given(
    idle: str, told: float | None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = in_file(tmp_path, with_responses(inputTokens=80_000, outputTokens=100))

    found = assembled(
        capfd, file, "--at", "n7", "--compression", "on", "--utilization", "0.61", "--idle", idle
    )

    assert (found["report"]["load"]["utilization"], found["report"]["load"]["idle"]) == (0.61, told)


def test_plain_text_is_shortened_where_it_is_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = in_file(tmp_path, chain("x" * 31_000, "two"))
    load = ("--compression", "on", "--utilization", "0.5", "--idle", "0")

    off = assembled(capfd, file, "--at", "n2", *load)
    on = assembled(capfd, file, "--at", "n2", *load, "--compress-text", "on")

    assert off["report"]["compressed"] == []
    assert [(one["nodeId"], one["part"], one["row"]) for one in on["report"]["compressed"]] == [
        ("n1", 0, "budget")
    ]


@pytest.mark.parametrize(
    "options",
    one_in(
        3,
        map(
            pytest.param,
            [
                ("--assembler", "other"),
                ("--summaries", "yes"),
                ("--compression", "1"),
                ("--utilization", "-0.1"),
                ("--utilization", "nan"),
                ("--idle", "soon"),
                ("--idle", "-1"),
            ],
        ),
    ),
)
def test_an_option_that_makes_no_sense_is_refused(
    options: tuple[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["assemble", in_file(tmp_path, talk()), "--at", "n7", *options]) == 2
    out, err = capfd.readouterr()
    assert (out, "error" in json.loads(err.splitlines()[-1])) == ("", True)


def test_a_reserve_that_leaves_nothing_is_an_error_of_the_state_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = talk()
    file["tree"]["contextSettings"] = {"responseReserve": 2_000}
    path = in_file(tmp_path, file)

    assembled(capfd, path, "--at", "n7", "--window", "2000")
    status = main(["assemble", path, "--at", "n7", "--window", "2000", "--state"])

    assert status == 1
    assert json.loads(capfd.readouterr().err.splitlines()[-1])["error"]["code"] == "INVALID_BUDGET"


# context and stats

CONTEXT = """## System Context

Tree.

---

## Thread: Two (active)

Some.

---
_ThreadMind context: ~18 tokens | depth: 2 threads_
_Estimated raw history: ~2 tokens (~0% reduction from 1 summary updates)_
"""


def test_context_prints_the_text_of_the_branch_summaries(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status = main(["context", in_file(tmp_path, talk()), "--assembler", "summaries"])

    assert (status, capfd.readouterr().out) == (0, CONTEXT)


def test_context_reads_a_file_as_it_is_assembled(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status = main(["context", in_file(tmp_path, talk()), "--at", "n2"])
    out, _ = capfd.readouterr()

    assert status == 0
    assert out.startswith("System:\nTree.\n\nUser:\none\n\nAssistant:\ntwo\n---\n")
    assert "2 kept, 0 left out" in out


def test_stats_prints_text_or_json(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = in_file(tmp_path, talk())

    assert main(["stats", file]) == 0
    text = capfd.readouterr().out
    assert main(["stats", file, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)

    assert text.startswith('ThreadMind Stats: "t"\n\nOverview:\n  Threads: 2 (1 with tracked updates)\n')
    assert found["rows"] == [
        {"nodeId": "n2", "name": "two", "updates": 1, "currentTokens": 2, "cumulativeTokens": 2, "ratio": 0}
    ]
    assert (found["depth"], found["reduction"], found["pathTokens"]) == (2, -800, 8)


@pytest.mark.parametrize("command", [("context", "--assembler", "summaries"), ("stats",)])
def test_a_circle_is_told_by_the_thread_that_is_met_twice(
    command: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = chain("one", "two")
    file["edges"].append({"sources": ["n2"], "targetNodeId": "n1"})
    file["activePath"] = {"leafNodeId": "n2"}

    status = main([command[0], in_file(tmp_path, file), *command[1:]])

    assert status == 1
    assert 'Circular reference detected at thread "n2"' in capfd.readouterr().err


@pytest.mark.parametrize("command", ["context", "stats"])
def test_one_tree_must_be_named(command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([command]) == 2
    assert main([command, in_file(tmp_path, talk()), "--tree", "x"]) == 2
    assert "one of the two" in capfd.readouterr().err


def test_a_tree_of_a_grove_starts_from_its_own_settings(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = with_responses(inputTokens=80_000, outputTokens=100)
    file["tree"]["id"] = "tree-1"
    file["tree"]["contextSettings"] = {"compression": True}
    grove = str(tmp_path / "grove.loom")
    assert main(["import", in_file(tmp_path, file), "--grove", grove]) == 0
    capfd.readouterr()
    named = ("--tree", "tree-1", "--grove", grove)

    found = assembled(capfd, *named, "--at", "n7")
    off = assembled(capfd, *named, "--at", "n7", "--compression", "off", "--summaries", "off")

    assert found["report"]["summaryUsed"]["anchorNodeId"] == "n3"
    assert [one["stage"] for one in found["report"]["stages"]] == ["summaries", "compression"]
    assert len(off["messages"]) == 7
    assert main(["stats", *named]) == 0
    assert "Summary updates: 1" in capfd.readouterr().out
    assert main(["context", *named, "--assembler", "summaries"]) == 0
    assert capfd.readouterr().out == CONTEXT


# generate


@pytest.mark.parametrize(("making", "told"), [("thresholds", True), ("compact", False), ("off", False)])
def test_generate_says_that_the_context_is_past_hard_and_sends_it(
    making: str, told: bool, tmp_path: Path
) -> None:
    file = talk()
    file["tree"]["contextSettings"] = {"makeSummaries": making, "softThreshold": 0, "hardThreshold": 0}

    with FakeServer(DIALECTS["chat"].answer("Waves.")) as server:
        ran = loomapp(
            *("generate", in_file(tmp_path, file), "--at", "n7", "--model", "fake:fake-1"),
            *("--endpoint", server.url, "--api", "chat"),
        )

    assert ran.status == 0, ran.err
    assert ("% of its budget. No summary is made here" in ran.err) is told
    assert "They talked." in json.loads(server.received[0].body)["messages"][0]["content"]
