"""kill -9 in the middle of writing: what was said to be saved is there, and nothing is half there."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.store.backups.backup import back_up, backups_folder, backups_of
from loomapp.store.checks.check import check
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.files.media import add_media, media_folder
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.migrations import bring_up_to_date
from loomapp.store.salvage.salvage import repair
from loomapp.store.schema import VERSION
from tests.kit.chance import seed
from tests.kit.damage import leaves_of, state, wreck
from tests.kit.groves import planted
from tests.kit.processes.warm import Started
from tests.kit.trees import Hand
from tests.store import old_groves
from tests.store.programs import program

KILLS = [2, pytest.param(100, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])]
LONGEST_S = 0.15  # how long a program may go on after what it said, before it is killed


@pytest.fixture
def chance() -> random.Random:
    """Random numbers from a seed that a failing test shows."""
    return random.Random(seed(1))


def kill_at_some_time(process: Started, lines: int, chance: random.Random) -> list[str]:
    """Every whole line the program said until it was killed, some time after it had said so many."""
    said = [process.stdout.readline() for _ in range(lines)]
    process.kill_after(chance.uniform(0, LONGEST_S))
    said += process.stdout.readlines()
    process.wait()
    return [line.removesuffix("\n") for line in said if line.endswith("\n")]


def assert_sound(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("kills", KILLS)
def test_what_was_said_to_be_saved_survives_kills_while_committing(
    path: Path, chance: random.Random, kills: int
) -> None:
    with create_grove(path) as grove:
        tree_id = planted(grove, Hand())[0].loom.id
    saved: list[str] = []

    for _ in range(kills):
        with program("write_forever", str(path), tree_id) as writer:
            saved += kill_at_some_time(writer, chance.randrange(1, 20), chance)

        with open_grove(path) as grove:
            tree = grove.load_tree(tree_id)
            assert set(saved) <= set(tree.nodes)
            assert tree.path.leaf_id == next(reversed(tree.nodes))
            assert {finding.verdict for finding in verify_tree(grove, tree_id)} == {"ok"}

    assert_sound(path)
    assert check(path).problems == ()


@pytest.mark.parametrize("kills", KILLS)
def test_backups_are_whole_or_not_there_after_kills_while_backing_up(
    path: Path, chance: random.Random, kills: int
) -> None:
    with create_grove(path) as grove:
        planted(grove, Hand(), length=200)

    before = path.read_bytes()

    for _ in range(kills):
        with program("back_up_forever", str(path)) as saver:
            said = kill_at_some_time(saver, chance.randrange(1, 4), chance)

        assert path.read_bytes() == before
        assert backups_of(path)[0].number >= int(Path(said[-1]).name.split("-")[0])
        assert Path(said[-1]).exists()
        for backup in backups_of(path)[:2]:
            assert check(backup.path).problems == ()
            assert check(backup.path).nodes == 201

    back_up(path)
    names = {file.name for file in backups_folder(path).iterdir()}
    assert names == {backup.path.name for backup in backups_of(path)}
    assert check(path).problems == ()


@pytest.mark.parametrize("kills", KILLS)
def test_what_stands_there_is_whole_after_kills_while_restoring(
    path: Path, tmp_path: Path, chance: random.Random, kills: int
) -> None:
    with create_grove(path) as grove:
        planted(grove, Hand(), length=200)
    add_media(path, [b"a picture"])
    backup = back_up(path).path
    before, folder = state(path.parent), tmp_path / "restored"
    folder.mkdir()

    for _ in range(kills):
        with program("restore_forever", str(backup), str(folder)) as restorer:
            said = kill_at_some_time(restorer, chance.randrange(1, 4), chance)

        made = {line for line in said if line != "begun"}
        standing = [file for file in folder.iterdir() if file.suffix == ".loom" and file.name[0] != "."]
        assert made <= {str(file) for file in standing}
        for file in standing:
            assert (check(file).nodes, check(file).problems) == (201, ())
            assert [kept.read_bytes() for kept in media_folder(file).iterdir()] == [b"a picture"]
        assert {name: now for name, now in state(path.parent).items() if name in before} == before
        shutil.rmtree(folder)
        folder.mkdir()


@pytest.mark.parametrize("kills", KILLS)
def test_a_damaged_grove_is_untouched_and_what_is_salvaged_whole_after_kills_while_repairing(
    path: Path, tmp_path: Path, chance: random.Random, kills: int
) -> None:
    folder = path.parent / "house"
    folder.mkdir()
    with create_grove(folder / path.name) as grove:
        planted(grove, Hand(), length=200)
    damaged = folder / path.name
    wreck(damaged, leaves_of(damaged, "nodes")[1:2])
    before = state(folder)
    whole = repair(damaged)
    nodes = check(whole.path).nodes
    whole.path.unlink()

    for _ in range(kills):
        with program("repair_forever", str(damaged)) as repairer:
            said = kill_at_some_time(repairer, chance.randrange(1, 4), chance)

        made = {line for line in said if line != "begun"}
        standing = [file for file in folder.iterdir() if file != damaged and file.name[0] != "."]
        assert made <= {str(file) for file in standing}
        for file in standing:
            assert check(file).nodes == nodes
            assert {problem.kind for problem in check(file).problems} <= {"node"}
            file.unlink()
        for file in folder.glob(".*"):  # an unfinished copy, which looks like one
            assert ".part" in file.name
            file.unlink()
        assert state(folder) == before


@pytest.mark.parametrize("kills", KILLS)
def test_a_grove_is_of_one_version_or_another_after_kills_while_migrating(
    path: Path, tmp_path: Path, chance: random.Random, kills: int
) -> None:
    with create_grove(path) as grove:
        planted(grove, Hand(), length=200)
    before = rows(old_groves.unsealed(path))

    for number in range(kills):
        old = tmp_path / f"{number}" / path.name
        old.parent.mkdir()
        shutil.copy(path, old)
        with program("bring_up_to_date", str(old)) as migrating:
            kill_at_some_time(migrating, 1, chance)

        version = ask(old, "PRAGMA user_version")
        assert version > 1 or old.read_bytes() == path.read_bytes()
        assert rows(old) == before
        for backup in backups_of(old):
            assert (ask(backup.path, "PRAGMA user_version"), rows(backup.path)) == (1, before)
        assert version == 1 or backups_of(old)
        bring_up_to_date(old, version)
        assert ask(old, "PRAGMA user_version") == VERSION
        assert rows(old) == before
        assert_sound(old)


def rows(path: Path) -> list[tuple[int, str]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT id, text FROM nodes ORDER BY id").fetchall()


def ask(path: Path, sql: str) -> int:
    with closing(sqlite3.connect(path)) as database:
        found: int = database.execute(sql).fetchone()[0]
        return found
