"""Commands that only look, over a grove whose last program was killed: not a byte of what it left changes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from loomapp.core.errors import GroveError
from loomapp.store.backups.backup import back_up
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.families import one_in
from tests.kit.groves import write
from tests.kit.processes.command import Ran, loomapp
from tests.store.programs import program

SAVED_LAST = "what was saved last"
LOOKING = ("verify", "check", "trees", "context", "export", "backup")


@pytest.fixture
def grove(tmp_path: Path) -> tuple[Path, str]:
    """A grove with one tree of one message, in a folder of its own."""
    path = tmp_path / "alone" / "g.loom"
    path.parent.mkdir()
    with create_grove(path) as made:
        tree = write(made, ("a beginning", ""))
    return path, tree.loom.id


def killed(task: str, *arguments: str | Path) -> None:
    with program(task, *map(str, arguments)) as started:
        assert started.wait() == 0


def bytes_beside(path: Path) -> dict[str, bytes]:
    """Every file of the folder but the memory that SQLite reads a -wal by."""
    files = (file for file in path.parent.iterdir() if file.is_file() and not file.name.endswith("-shm"))
    return {file.name: file.read_bytes() for file in files}


def look(command: str, path: Path, tree_id: str, elsewhere: Path) -> Ran:
    """What a command says; of a backup, what is in it."""
    if command == "backup":
        copy = elsewhere / "copy.loom"
        assert loomapp(command, "--grove", path, copy).status == 0
        return loomapp("export", "--grove", copy, "--tree", tree_id)
    named = ["--tree", tree_id] if command in {"context", "export"} else []
    return loomapp(command, "--grove", path, *named)


@pytest.mark.parametrize("command", one_in(3, LOOKING))
def test_a_left_wal_is_read_and_keeps_every_byte(
    command: str, grove: tuple[Path, str], tmp_path: Path
) -> None:
    path, tree_id = grove
    killed("leave_wal", path, tree_id, SAVED_LAST)
    before = bytes_beside(path)
    assert before["g.loom-wal"]

    done = look(command, path, tree_id, tmp_path)

    assert done.status == 0, done.err
    assert bytes_beside(path) == before
    assert bytes_beside(path).keys() == {"g.loom", "g.loom-wal"}
    told = {"verify": "3 ok", "check": "3 nodes", "trees": "3 nodes"}
    assert told.get(command, SAVED_LAST) in done.out


@pytest.mark.parametrize("command", one_in(3, LOOKING))
def test_a_journal_of_a_change_that_was_not_ended_stays_and_what_was_before_it_is_read(
    command: str, grove: tuple[Path, str], tmp_path: Path
) -> None:
    path, tree_id = grove
    killed("leave_journal", path)
    before = bytes_beside(path)
    assert before["g.loom-journal"]

    done = look(command, path, tree_id, tmp_path)

    assert done.status == 0, done.err
    assert bytes_beside(path) == before
    assert "0000000" not in done.out


@pytest.mark.parametrize("command", one_in(3, ["trees", "verify", "backup"]))
def test_a_left_wal_is_not_applied_to_another_file_that_was_copied_to_the_groves_name(
    grove: tuple[Path, str], tmp_path: Path, command: str
) -> None:
    path, tree_id = grove
    killed("leave_wal", path, tree_id, SAVED_LAST)
    with create_grove(tmp_path / "other.loom") as other:
        write(other, ("another beginning", ""))
    subprocess.run(["cp", tmp_path / "other.loom", path], check=True)
    before = bytes_beside(path)

    ran = loomapp(command, "--grove", path)
    with pytest.raises(GroveError, match="belongs to another file"):
        open_grove(path)

    assert ran.status != 0
    assert f"{path.name}-wal lies beside" in ran.complaint
    assert bytes_beside(path) == before
    path.with_name(f"{path.name}-wal").unlink()
    assert "another beginning" in loomapp("search", "another", "--grove", path).out


@pytest.mark.parametrize("how", ["backup", "copy"])
def test_a_left_wal_is_not_applied_to_an_older_state_of_its_own_grove(
    grove: tuple[Path, str], tmp_path: Path, how: str
) -> None:
    path, tree_id = grove
    older = tmp_path / "older.loom"
    if how == "backup":
        back_up(path, older)
    else:
        shutil.copy(path, older)
    with open_grove(path) as opened:
        write(opened, *((f"step {number}", "") for number in range(40)))
    killed("leave_wal", path, tree_id, SAVED_LAST)
    assert SAVED_LAST in loomapp("search", "saved", "--grove", path).out
    subprocess.run(["cp", older, path], check=True)
    before = bytes_beside(path)

    with pytest.raises(GroveError, match="belongs to another file"):
        open_grove(path)

    assert bytes_beside(path) == before
    path.with_name(f"{path.name}-wal").unlink()
    assert "a beginning" in loomapp("search", "beginning", "--grove", path).out
