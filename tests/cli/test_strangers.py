"""A grove with a foreign trigger: it is read with a warning, not written, and can be copied clean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit.foreign_tables import STRANGERS, let_in
from tests.kit.processes.command import loomapp, new_tree, sha256

NAME = "the trigger “t” on “nodes” AFTER INSERT"
TOLD = "It holds what Loomapp did not make: the trigger “t” on “nodes”."


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove of one tree, whose trigger overwrites every text at the next node."""
    grove = tmp_path / "g.loom"
    new_tree(grove)
    let_in(grove, STRANGERS[NAME])
    return grove


def only_tree(grove: Path | str) -> tuple[str, str]:
    [row] = loomapp("trees", "--grove", grove, "--json").json["trees"]
    return row["id"], loomapp("export", "--tree", row["id"], "--grove", grove).out


def test_writing_commands_refuse_in_one_line_that_names_the_remedy(grove: Path, tmp_path: Path) -> None:
    tree_id, exported = only_tree(grove)
    file = tmp_path / "t.loom.json"
    file.write_text(exported, encoding="utf-8")
    before = sha256(grove)

    for command in (
        ["node", "add", "--tree", tree_id, "--parent", "0", "--text", "x"],
        ["tree", "new", "--mode", "dialogue", "--title", "x"],
        ["import", str(file)],
    ):
        ran = loomapp(*command, "--grove", grove)
        assert (ran.status, ran.out) == (2, "")
        assert "the trigger “t” on “nodes”" in ran.complaint
        assert "`loomapp check --repair`" in ran.complaint
    assert sha256(grove) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.loom", "t.loom.json"]


def test_reading_commands_work_and_warn(grove: Path) -> None:
    tree_id, _ = only_tree(grove)
    before = sha256(grove)

    for command in (["trees"], ["export", "--tree", tree_id], ["context", "--tree", tree_id], ["verify"]):
        ran = loomapp(*command, "--grove", grove)
        assert ran.status == 0, ran.err
        assert TOLD in ran.complaint
        assert ran.out
    assert sha256(grove) == before


def test_check_names_it_and_repair_makes_a_copy_that_takes_a_node(grove: Path) -> None:
    tree_id, exported = only_tree(grove)
    before = sha256(grove)

    checked = loomapp("check", "--grove", grove)
    repaired = loomapp("check", "--repair", "--grove", grove, "--json")

    assert checked.status == 1
    assert "foreign: it holds the trigger “t” on “nodes”, which Loomapp did not make" in checked.out
    assert repaired.status == 0
    copy = repaired.json["repaired"]["path"]
    assert only_tree(copy) == (tree_id, exported)
    root_id = json.loads(exported)["tree"]["rootNodeId"]
    added = loomapp("node", "add", "--tree", tree_id, "--parent", root_id, "--text", "x", "--grove", copy)
    assert added.status == 0, added.err
    assert "Hello" in loomapp("export", "--tree", tree_id, "--grove", copy).out
    assert sha256(grove) == before
