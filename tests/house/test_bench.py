"""The bench still runs and its floors are right: one quick row, no number asserted."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import groves
from tests.bench.floors import buchheim, overlaps
from tests.bench.table import Goal, Place, Row, as_lines, as_markdown, batches, failed, outcome, plan
from tests.bench.text_rows import assembling
from tests.kit.desktop import Desktop

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("backup", ["backup"]),
        pytest.param(
            "G7", ["G7", "G7 store", "G7 screen"], marks=pytest.mark.slow
        ),  # two of them open windows
    ],
)
def test_rows_are_measured_and_written_down(
    tmp_path: Path, desktop: Desktop, asked: str, names: list[str]
) -> None:
    file = tmp_path / "table.json"
    written = tmp_path / "table.md"
    command = [sys.executable, "-m", "tests.bench", asked, "--nodes", "100", "--shapes", "bushy"]
    command += ["--json", str(file), "--markdown", str(written)]

    done = subprocess.run(command, cwd=ROOT, env=desktop.environment(), capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    rows = json.loads(file.read_text())["rows"]
    assert [(row["name"], row["problem"]) for row in rows] == [(name, "") for name in names]
    assert all(row["ours"] > 0 and row["floor"] > 0 for row in rows)
    assert written.read_text().count(f"| {asked}") == len(names)


def test_rows_of_one_tree_are_measured_together_and_small_trees_first() -> None:
    one, other = (
        Row(name, "something", "a floor", assembling, nodes=(20, 10), together="graph") for name in "ab"
    )

    found = batches([one, other, ROW], [])

    assert [(nodes, [row.name for row in rows]) for (_, nodes, _), rows in found.items()] == [
        (10, ["a", "b"]),
        (20, ["a", "b"]),
        (100_000, ["G0"]),
    ]


def test_what_has_no_rival_at_a_size_has_no_verdict_there(tmp_path: Path) -> None:
    row = Row("G0", "something", "a floor", assembling, Goal(3, at_most=False), rival_up_to=10)

    one = outcome(row, Place("deep", 11, groves.Groves(tmp_path)), 2.0, math.nan)

    assert (one.met, one.verdict) == (None, "—")
    assert "—" in as_lines([one])[-1]


def test_the_table_to_be_read_names_what_was_missed() -> None:
    told = as_markdown([failed(ROW, "deep", 10, "not done in 9 s")])

    assert told.endswith("- NOT MET: G0, 10 deep: not done in 9 s\n")


ROW = Row("G0", "something", "a floor", assembling, Goal(3, nodes=1_000))


@pytest.mark.parametrize(
    ("goal", "ours", "verdict"),
    [
        (Goal(3), 3.0, "met"),
        (Goal(3), 3.1, "NOT MET"),
        (Goal(3, nodes=1_000), 3.1, "—"),
        (Goal(10, at_most=False), 0.1, "met"),
        (Goal(10, at_most=False), 0.2, "NOT MET"),
        (None, 9.0, "—"),
    ],
)
def test_a_verdict_follows_from_the_ratio(
    tmp_path: Path, goal: Goal | None, ours: float, verdict: str
) -> None:
    row = Row("G0", "something", "a floor", assembling, goal)

    one = outcome(row, Place("deep", 10, groves.Groves(tmp_path)), ours, 1.0)

    assert one.verdict == verdict


def test_a_row_that_could_not_be_measured_stays_in_the_table() -> None:
    lines = as_lines([failed(ROW, "deep", 10, "not done in 9 s")])

    assert lines[-1].endswith("NOT MET: not done in 9 s")


def test_a_row_is_measured_at_the_sizes_asked_for_unless_it_has_its_own() -> None:
    own = Row("G0", "something", "a floor", assembling, shapes=("deep", "wide"), nodes=(7,), sized=False)

    assert list(plan(ROW, [10, 20])) == [("bushy", 10), ("bushy", 20)]
    assert list(plan(own, [10, 20])) == [("deep", 7), ("wide", 7)]


@pytest.mark.parametrize("shape", groves.SHAPES)
def test_trees_have_the_size_and_shape_asked_for(shape: groves.Shape) -> None:
    above = groves.parents(shape, 500)
    tree = groves.grown(shape, 500)

    assert len(above) == len(tree.nodes) == 500
    assert all(tree.plain_parents[f"node{n:07d}"] == f"node{above[n]:07d}" for n in range(1, 500))


@pytest.mark.parametrize("seed", range(5))
def test_the_rival_of_the_layout_lays_out_soundly(seed: int) -> None:
    chance = random.Random(seed)
    above = [-1] + [chance.randrange(max(0, node - 9), node) for node in range(1, 400)]
    heights = [chance.choice((46.0, 62.0, 78.0)) for _ in above]

    middles = buchheim(above, heights, 14.0)

    assert overlaps(above, middles, heights, 14.0) == 0
    first = {above[node]: node for node in reversed(range(1, 400))}
    last = {above[node]: node for node in range(1, 400)}
    assert all(
        abs(middles[node] - (middles[first[node]] + middles[last[node]]) / 2) < 1e-6
        for node in first
        if node >= 0
    )
