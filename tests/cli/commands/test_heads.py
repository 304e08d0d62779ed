"""The head of a grove's chain: printed, kept, and asked for later.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.data.golden.make_grove import golden
from tests.kit.damage import state
from tests.kit.families import one_in
from tests.kit.processes.command import loomapp, new_tree


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    new_tree(path)
    return path


def head_of(grove: Path) -> str:
    ran = loomapp("verify", "--grove", grove, "--json")
    assert ran.status == 0, ran.out
    head: str = ran.json["head"]
    assert f"head {head}\n" in loomapp("verify", "--grove", grove).out
    return head


def test_the_head_says_how_many_links_there_are_and_from_where_they_were_sealed(grove: Path) -> None:
    ran = loomapp("verify", "--grove", grove, "--json")

    assert len(ran.json["head"]) == 64
    assert ran.json["links"] >= 2
    assert ran.json["sealedFrom"] == 1


def test_a_head_that_was_kept_holds_and_says_what_came_since(grove: Path) -> None:
    kept = head_of(grove)
    tree_id = loomapp("trees", "--grove", grove, "--json").json["trees"][0]["id"]

    now = loomapp("verify", "--grove", grove, "--head", kept)
    root = loomapp("export", "--grove", grove, "--tree", tree_id).json["tree"]["rootNodeId"]
    loomapp("node", "add", "--grove", grove, "--tree", tree_id, "--parent", root, "--text", "more")
    later = loomapp("verify", "--grove", grove, "--head", kept.upper())

    assert (now.status, later.status) == (0, 0)
    assert "The head that was kept is the head." in now.out
    assert "The head that was kept holds: 1 change since." in later.out
    as_json = loomapp("verify", "--grove", grove, "--head", kept, "--json").json
    assert "1 node was made since." in later.out
    assert as_json["witness"] == {
        "head": kept, "holds": True, "changesSince": 1, "nodesSince": 1, "treesSince": [],
    }  # fmt: skip


def test_a_tree_that_came_after_the_head_is_named_in_the_grove_and_in_its_evidence(
    grove: Path, tmp_path: Path
) -> None:
    kept = head_of(grove)
    loomapp("tree", "new", "--grove", grove, "--mode", "dialogue", "--title", "Later", "--text", "x")
    tree_id = loomapp("trees", "--grove", grove, "--json").json["trees"][-1]["id"]
    told = loomapp("export", "--grove", grove, "--tree", tree_id, "--evidence").out
    (tmp_path / "later.loom.json").write_text(told, encoding="utf-8")

    in_grove = loomapp("verify", "--grove", grove, "--head", kept)
    in_file = loomapp("verify", tmp_path / "later.loom.json", "--head", kept)

    for ran in (in_grove, in_file):
        assert ran.status == 0, ran.out
        assert f"All of Later ({tree_id}) came after it." in ran.out


def test_a_head_of_another_grove_does_not_hold(grove: Path, tmp_path: Path) -> None:
    new_tree(tmp_path / "other.loom")

    ran = loomapp("verify", "--grove", grove, "--head", head_of(tmp_path / "other.loom"))

    assert ran.status == 1
    assert "the chain does not hold" in ran.out


def test_what_is_no_head_is_bad_input(grove: Path) -> None:
    ran = loomapp("verify", "--grove", grove, "--head", "abc")

    assert ran.status == 2
    assert "64 hexadecimal digits" in ran.complaint


def test_a_restored_backup_holds_the_heads_before_it_and_none_after(grove: Path, tmp_path: Path) -> None:
    before = head_of(grove)
    loomapp("backup", tmp_path / "copy.loom", "--grove", grove)
    loomapp("tree", "new", "--grove", grove, "--mode", "dialogue", "--title", "Later", "--text", "x")
    after = head_of(grove)

    assert loomapp("verify", "--grove", tmp_path / "copy.loom", "--head", before).status == 0
    assert loomapp("verify", "--grove", tmp_path / "copy.loom", "--head", after).status == 1


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A grove of version 1."""
    path = tmp_path / "old" / "old.loom"
    path.parent.mkdir()
    shutil.copy(golden(1), path)
    return path


LOOKS = (
    ("verify",),
    ("check",),
    ("trees",),
    ("context", "--tree", "everything"),
    ("export", "--tree", "everything"),
    ("export", "--tree", "everything", "--evidence"),
)


@pytest.mark.parametrize("arguments", one_in(3, map(pytest.param, LOOKS)), ids=" ".join)
def test_what_only_looks_at_a_grove_of_version_1_leaves_every_byte_and_says_that_it_is_not_sealed(
    old: Path, arguments: tuple[str, ...]
) -> None:
    before = state(old.parent)

    ran = loomapp(*arguments, "--grove", old)

    assert state(old.parent) == before
    assert "not sealed yet" in ran.err + ran.out
    assert "fault in Loomapp" not in ran.err


@pytest.mark.slow
def test_a_grove_of_version_1_has_no_head(old: Path) -> None:
    ran = loomapp("verify", "--grove", old, "--json")

    assert (ran.json["head"], ran.json["links"], ran.json["sealedFrom"]) == (None, 0, None)
    assert loomapp("verify", "--grove", old, "--head", "0" * 64).status == 1


def test_the_first_command_that_writes_seals_it_after_a_backup(old: Path) -> None:
    new_tree(old)

    [backup] = (old.parent / "old.loom.backups").iterdir()
    with closing(sqlite3.connect(backup)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (1,)
    told = loomapp("verify", "--grove", old, "--json").json
    assert told["links"] >= told["sealedFrom"] > 1
    assert "sealed from entry" in loomapp("verify", "--grove", old).out


@pytest.mark.slow
def test_a_grove_that_is_said_to_be_older_than_it_is_is_not_taken_for_one(grove: Path) -> None:
    with closing(sqlite3.connect(grove)) as database:
        database.execute("PRAGMA user_version=1")

    assert loomapp("verify", "--grove", grove).status == 2
    assert loomapp("tree", "new", "--grove", grove, "--mode", "buffer", "--title", "x").status == 2


@pytest.mark.slow
def test_a_repaired_grove_begins_its_chain_anew_where_it_was_broken(grove: Path) -> None:
    kept = head_of(grove)
    with closing(sqlite3.connect(grove)) as database:
        database.execute("UPDATE change_log SET label = 'x' WHERE sequence = 1")
        database.commit()
    assert loomapp("verify", "--grove", grove).status == 1

    loomapp("check", "--repair", "--grove", grove)

    repaired = grove.with_name("g-recovered.loom")
    ran = loomapp("verify", "--grove", repaired, "--json")
    assert (ran.status, ran.json["faults"]) == (0, [])
    assert ran.json["sealedFrom"] > 1
    assert loomapp("verify", "--grove", repaired, "--head", kept).status == 1
