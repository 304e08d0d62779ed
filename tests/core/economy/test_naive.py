"""Two context economies that share no code agree on thousands of random trees, asked on the command line."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from loomapp.cli import entry
from tests.core.context.naive_loom import Json
from tests.core.economy.economy_trees import economy_case
from tests.core.economy.naive_branches import naive_context, naive_stats, naive_stats_text
from tests.core.economy.test_economy_trees import DETAILS, theirs
from tests.kit import chance

FIRST_SEED = chance.seed(1)
TELLING = ("SYSTEM_TOO_LARGE", "CONTEXT_TOO_LONG")  # the numbers of others are not laid down
SLOW = [range(first, first + 250) for first in range(0, 3000, 250)]

OPTIONS = {
    "window": "--window",
    "strategy": "--strategy",
    "minimum_recent": "--minimum-recent",
    "token_buffer": "--token-buffer",
    "instruction_scope": "--instruction-scope",
    "agent": "--agent",
    "system_prompt": "--system-prompt",
    "working_buffer": "--working-buffer",
    "provider_rules": "--provider-rules",
    "assembler": "--assembler",
    "summaries": "--summaries",
    "compression": "--compression",
    "compress_text": "--compress-text",
    "utilization": "--utilization",
    "idle": "--idle",
}


def arguments(asked: Json) -> list[str]:
    """The options of a case as they are written on a command line."""
    words = ["--at", asked["at"]]
    for name, option in OPTIONS.items():
        if asked.get(name) is not None:
            words += [f"{option}={asked[name]}"]
    for name in ("context", "instruction", "include_annotation"):
        for node_id in asked[name]:
            words += [f"--{name.replace('_', '-')}", node_id]
    return [*words, *(["--state"] if asked["state"] else [])]


def ours(path: Path, asked: Json, capsys: pytest.CaptureFixture[str]) -> Json:
    """What `loomapp assemble` prints, errors too; what has no order that is laid down, in one."""
    entry.run(["assemble", str(path), *arguments(asked)])
    printed, told = capsys.readouterr()
    if not printed:
        error = json.loads(told.splitlines()[-1])["error"]
        numbers = [name for name in DETAILS if name in error] if error["code"] in TELLING else []
        return {"error": {name: error[name] for name in ("code", *numbers)}}
    found: Json = json.loads(printed)
    found["report"]["dropped"].sort(key=lambda dropped: dropped["nodeId"])
    found["report"]["warnings"].sort()
    return found


def rounded(printed: Json) -> Json:
    """The same with the numbers that hang on the clock, or on how a fraction is written, as near values."""
    load, state = printed.get("report", {}).get("load"), printed.get("state")
    if load is not None:
        load["utilization"] = pytest.approx(load["utilization"], abs=0.001)
        load["idle"] = None if load["idle"] is None else pytest.approx(load["idle"], abs=120)
    if state is not None:
        state["usageRatio"] = pytest.approx(state["usageRatio"], abs=0.001)
    return printed


@pytest.mark.parametrize("trees", [range(60), *(pytest.param(s, marks=pytest.mark.slow) for s in SLOW)])
def test_both_economies_assemble_the_same(
    trees: range, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tree.loom.json"
    for seed in trees:
        file, asked = economy_case(FIRST_SEED + seed, time.time())
        path.write_text(json.dumps(file), encoding="utf-8")

        assert ours(path, asked, capsys) == rounded(theirs(file, asked)), f"economy_case({FIRST_SEED + seed})"


@pytest.mark.parametrize("trees", [range(6), *(pytest.param(s, marks=pytest.mark.slow) for s in SLOW)])
def test_both_economies_tell_the_same_of_branches(
    trees: range, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tree.loom.json"
    for seed in trees:
        file, asked = economy_case(FIRST_SEED + seed, time.time())
        path.write_text(json.dumps(file), encoding="utf-8")
        name, at = str(path), ["--at", asked["at"]]

        entry.run(["context", name, *at, "--assembler", "summaries"])
        context = capsys.readouterr().out
        entry.run(["stats", name])
        text = capsys.readouterr().out
        entry.run(["stats", name, "--json"])
        stats = json.loads(capsys.readouterr().out)

        assert context.removesuffix("\n") == naive_context(file, asked["at"]), (
            f"economy_case({FIRST_SEED + seed})"
        )
        assert text.removesuffix("\n") == naive_stats_text(file), f"economy_case({FIRST_SEED + seed})"
        assert stats == naive_stats(file), f"economy_case({FIRST_SEED + seed})"
