"""`loomapp backup`: a copy that opens, where it was asked for, and nothing written over."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.store.backups.backup import backups_folder, backups_of
from tests.kit.loom_files import chain, everything
from tests.kit.processes.command import loomapp, new_tree, sha256


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    new_tree(tmp_path / "g.loom")
    return tmp_path / "g.loom"


def trees_of(path: str | Path) -> object:
    return loomapp("trees", "--grove", path, "--json").json


def test_a_backup_lies_beside_the_grove_and_opens(grove: Path) -> None:
    as_json, text = loomapp("backup", "--grove", grove, "--json"), loomapp("backup", "--grove", grove)

    assert (as_json.status, text.status, as_json.err, text.err) == (0, 0, "", "")
    newest, first = backups_of(grove)
    assert text.out == f"{newest.path}\n"
    size, made_at = first.size, as_json.json["madeAt"]
    assert as_json.json == {"backup": str(first.path), "madeAt": made_at, "size": size, "damagedNodes": 0}
    assert trees_of(newest.path) == trees_of(first.path) == trees_of(grove)


@pytest.mark.parametrize("named", ["copy.loom", "new/folder/copy.loom", "."])
def test_a_copy_goes_where_it_is_asked_for(grove: Path, tmp_path: Path, named: str) -> None:
    ran = loomapp(
        "backup", tmp_path / "stick" / named if named != "." else tmp_path, "--grove", grove, "--json"
    )

    made = Path(ran.json["backup"])
    assert ran.status == 0
    assert made == tmp_path / "stick" / named or (named == "." and made.parent == tmp_path)
    assert trees_of(made) == trees_of(grove)
    assert not backups_folder(grove).exists()


@pytest.mark.parametrize("ending", ["-wal", "-journal", "-SHM"])
def test_a_name_of_a_file_beside_a_grove_is_refused(grove: Path, ending: str) -> None:
    taken = grove.with_name(f"{grove.name}{ending}")

    copied = loomapp("backup", taken, "--grove", grove)
    made = loomapp("tree", "new", "--grove", taken, "--mode", "buffer", "--title", "t")

    assert (copied.status, made.status) == (2, 2)
    assert "belongs to another grove; choose another name" in copied.complaint
    assert "belongs to another grove; choose another name" in made.complaint
    assert not taken.exists()


def test_a_file_that_is_there_is_not_written_over(grove: Path, tmp_path: Path) -> None:
    (tmp_path / "copy.loom").write_text("precious")

    ran = loomapp("backup", tmp_path / "copy.loom", "--grove", grove)

    assert ran.status == 2
    assert "exists already" in ran.complaint
    assert (tmp_path / "copy.loom").read_text() == "precious"


def test_no_grove_is_bad_input_and_no_room_a_failure(grove: Path, tmp_path: Path) -> None:
    backups_folder(grove).write_text("a file where the folder would be")

    missing = loomapp("backup", "--grove", tmp_path / "none.loom", "--json")
    refused = loomapp("backup", "--grove", grove, "--json")

    assert (missing.status, json.loads(missing.complaint)["error"]["code"]) == (2, "missing")
    assert (refused.status, json.loads(refused.complaint)["error"]["code"]) == (1, "noBackup")


def test_damaged_nodes_are_told(grove: Path) -> None:
    with closing(sqlite3.connect(grove)) as database, database:
        database.execute("UPDATE nodes SET text = text || '!'")

    ran = loomapp("backup", "--grove", grove, "--json")

    assert (ran.status, ran.json["damagedNodes"]) == (0, 1)
    assert "1 node is not as its hash says" in ran.complaint


def test_an_import_into_a_grove_with_something_in_it_backs_it_up_first(grove: Path, tmp_path: Path) -> None:
    file, before = tmp_path / "t.loom.json", trees_of(grove)
    file.write_text(json.dumps(everything()), encoding="utf-8")

    first = loomapp("import", file, "--grove", grove)
    again = loomapp("import", file, "--grove", grove)
    unchanged = loomapp("import", file, "--grove", grove)
    fresh = loomapp("import", file, "--grove", tmp_path / "fresh.loom")

    assert [ran.status for ran in (first, again, unchanged, fresh)] == [0, 0, 0, 0]
    assert [backup.reason for backup in backups_of(grove)] == ["before-import", "before-import"]
    assert trees_of(backups_of(grove)[-1].path) == before
    assert backups_of(tmp_path / "fresh.loom") == []


def test_an_import_that_cannot_be_backed_up_first_is_not_begun(grove: Path, tmp_path: Path) -> None:
    file = tmp_path / "t.loom.json"
    file.write_text(json.dumps(chain("a", "b")), encoding="utf-8")
    backups_folder(grove).write_text("a file where the folder would be")
    before = sha256(grove)

    ran = loomapp("import", file, "--grove", grove)

    assert ran.status == 1
    assert sha256(grove) == before


@pytest.mark.parametrize("after", ["nan", "-1", "inf"])
def test_a_mirror_that_is_to_wait_for_no_time_is_refused(after: str, tmp_path: Path) -> None:
    ran = loomapp("mirror", tmp_path / "mirror", "--after", after, "--grove", tmp_path / "a.loom")

    assert ran.status == 2
    assert "seconds from 0" in ran.complaint
