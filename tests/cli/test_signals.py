"""Signals while commands run: they end as with Ctrl+C, and nothing is half done."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
from pathlib import Path

import pytest

from loomapp.store.checks.check import check
from loomapp.store.grove.open import open_grove
from tests.kit.chance import seed
from tests.kit.damage import leaves_of, wreck
from tests.kit.loom_files import chain
from tests.kit.processes import warm
from tests.kit.processes.command import loomapp, new_tree

TIMES = [3, pytest.param(60, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])]
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
LONGEST_S = 0.6  # each of these commands is at it about so long


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


def ended(number: int, after_s: float, *arguments: str | Path) -> int:
    """The status of a command that gets a signal after a while."""
    with warm.program("command", *map(str, arguments)) as process:
        threading.Event().wait(after_s)
        os.kill(process.pid, number)
        status = process.wait()
    return 130 if status == -number else status  # it came before the command had begun


def large_file(folder: Path) -> Path:
    file = folder / "large.loom.json"
    value = chain(*(f"Message {number}, with a few more words." for number in range(3000)))
    value["tree"]["id"] = "large"
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


@pytest.mark.parametrize("times", TIMES)
def test_an_import_comes_in_whole_or_not_at_all(grove: Path, tmp_path: Path, times: int) -> None:
    chance, file = random.Random(seed(4)), large_file(tmp_path)
    tree_id, _ = new_tree(grove)

    for number in (SIGNALS * times)[:times]:
        status = ended(number, chance.uniform(0, LONGEST_S), "import", file, "--grove", grove)

        assert status in (0, 130)
        with open_grove(grove) as opened:
            nodes = {row.id: row.node_count for row in opened.trees()}
        assert nodes in ({tree_id: 1}, {tree_id: 1, "large": 3000})
        assert "large" in nodes or status == 130

    assert check(grove).problems == ()


@pytest.mark.parametrize("times", TIMES)
def test_a_backup_is_whole_or_not_there(grove: Path, tmp_path: Path, times: int) -> None:
    chance = random.Random(seed(5))
    assert loomapp("import", large_file(tmp_path), "--grove", grove).status == 0
    folder = tmp_path / "copies"
    folder.mkdir()

    for number in (SIGNALS * times)[:times]:
        status = ended(number, chance.uniform(0, LONGEST_S), "backup", "--grove", grove, folder)

        made = sorted(folder.iterdir())
        assert status in (0, 130)
        assert [file for file in made if file.name.startswith(".") or not file.name.endswith(".loom")] == []
        for file in made:
            assert (check(file).nodes, check(file).problems) == (3000, ())
            file.unlink()


@pytest.mark.parametrize("times", TIMES)
def test_a_repair_leaves_a_whole_grove_or_none(grove: Path, tmp_path: Path, times: int) -> None:
    chance = random.Random(seed(6))
    assert loomapp("import", large_file(tmp_path), "--grove", grove).status == 0
    wreck(grove, leaves_of(grove, "nodes")[1:3])
    before = grove.read_bytes()
    assert loomapp("check", "--repair", "--grove", grove).status == 1
    [whole] = tmp_path.glob("*-recovered.loom")
    expected = check(whole)
    assert expected.nodes > 2900
    whole.unlink()

    for number in (SIGNALS * times)[:times]:
        there = set(tmp_path.iterdir())
        status = ended(number, chance.uniform(0, 2 * LONGEST_S), "check", "--repair", "--grove", grove)

        made = set(tmp_path.iterdir()) - there
        assert status in (0, 1, 130)
        assert grove.read_bytes() == before
        assert [file for file in made if file.name.startswith(".")] == []
        for file in made:
            if file.suffix == ".loom":
                found = check(file)
                assert (found.nodes, found.problems) == (expected.nodes, expected.problems)
