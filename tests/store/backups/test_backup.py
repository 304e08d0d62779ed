"""Backups: whole or not there, numbered, proved, and restored only to new files."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits
from loomapp.core.errors import GroveError
from loomapp.core.model.agent import Agent
from loomapp.store import identity
from loomapp.store.backups import backup as backups
from loomapp.store.backups.backup import back_up, backups_folder, backups_of, restore
from loomapp.store.files.media import add_media, media_folder, read_media
from loomapp.store.grove.due_backup import EVERY_MS, back_up_grove, is_due
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.opening import file_names
from tests.kit.damage import state
from tests.kit.groves import agree, planted
from tests.kit.locks import wait_little
from tests.kit.trees import Hand
from tests.store.grove.test_open import another_program_writing, read_only


def test_a_backup_of_an_open_grove_holds_what_is_in_it_and_is_one_file(grove: Grove, path: Path) -> None:
    tree, _ = planted(grove, Hand())

    made = back_up(path)

    assert made.path.parent == backups_folder(path) == path.parent / "grove.loom.backups"
    assert [file.name for file in made.path.parent.iterdir()] == [made.path.name]
    assert backups_of(path) == [made]
    assert (made.number, made.damaged, made.size) == (1, 0, made.path.stat().st_size)
    with read_grove(made.path) as copy:
        assert agree(copy, tree)


def test_its_name_says_when_and_why_and_its_number_rises_though_the_clock_goes_back(
    grove: Grove, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0]
    monkeypatch.setattr(backups, "now", lambda: clock[0])

    for clock[0], reason in (
        (1_790_000_000_123, "closing"),
        (1_780_000_000_000, ""),
        (1_795_000_000_000, "before-version-2"),
    ):
        back_up(path, reason=reason)

    assert [(b.number, b.made_at, b.reason) for b in backups_of(path)] == [
        (3, 1_795_000_000_000, "before-version-2"),
        (2, 1_780_000_000_000, ""),
        (1, 1_790_000_000_123, "closing"),
    ]
    assert [b.path.name for b in backups_of(path)][1:] == [
        "00002-20260528T202640000Z.loom",
        "00001-20260921T141320123Z-closing.loom",
    ]


def test_old_backups_go_and_other_files_stay(
    grove: Grove, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backups_folder(path).mkdir()
    (backups_folder(path) / "notes.txt").write_text("mine")
    clock = [1_790_000_000_000]
    monkeypatch.setattr(backups, "now", lambda: clock[0])

    for _ in range(30):
        clock[0] += EVERY_MS
        back_up(path)

    numbers = [b.number for b in backups_of(path)]
    assert numbers[:12] == list(range(30, 18, -1))
    assert len(numbers) <= 13
    assert (backups_folder(path) / "notes.txt").read_text() == "mine"


def test_what_a_crash_left_is_taken_away_by_the_next_backup(grove: Grove, path: Path) -> None:
    folder = backups_folder(path)
    folder.mkdir()
    for name in (".00001-20260921T141320123Z.loom.part", ".00001-20260921T141320123Z.loom.part-journal"):
        (folder / name).write_bytes(b"half")

    made = back_up(path)

    assert [file.name for file in folder.iterdir()] == [made.path.name]


def test_a_node_that_is_not_as_its_hash_says_is_counted_and_kept(path: Path) -> None:
    with create_grove(path) as grove:
        planted(grove, Hand())
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE nodes SET text = 'nessage 1' WHERE text = 'message 1'")

    made = back_up(path)

    assert made.damaged == 1
    assert made.path.name.endswith("-1-damaged.loom")
    assert backups_of(path) == [made]


def test_what_sqlite_finds_damaged_is_not_backed_up(path: Path) -> None:
    with create_grove(path) as grove:
        planted(grove, Hand())
    with closing(sqlite3.connect(path)) as database, database:
        [(page,)] = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'ix_nodes_tree'")
    data = bytearray(path.read_bytes())
    data[page * 4096 - 8 : page * 4096] = b"\xa5" * 8
    path.write_bytes(data)

    with pytest.raises(GroveError) as error:
        back_up(path)

    assert error.value.code == "damaged"
    assert (
        error.value.message == f"{path} is damaged and cannot be backed up; let `loomapp check` look at it."
    )
    assert list(backups_folder(path).iterdir()) == []


def test_a_copy_elsewhere_takes_the_media_along(grove: Grove, path: Path, tmp_path: Path) -> None:
    add_media(path, [b"a picture"])
    [name] = (file.name for file in media_folder(path).iterdir())

    back_up(path, tmp_path / "stick" / "copy.loom")

    assert read_media(tmp_path / "stick" / "copy.loom", [name]) == {name: b"a picture"}


def test_a_backup_is_restored_to_a_new_file_with_the_media_of_its_grove(path: Path, tmp_path: Path) -> None:
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand())
        add_media(path, [b"a picture"])
        made = back_up(path)
    before = state(path.parent)
    to = tmp_path / "restored" / "again.loom"

    restore(made.path, to)

    assert {name: state(path.parent)[name] for name in before} == before
    assert [file.read_bytes() for file in media_folder(to).iterdir()] == [b"a picture"]
    with open_grove(to) as restored:
        assert agree(restored, tree)


@pytest.mark.parametrize("kind", ["a file", "a folder", "a link that leads nowhere"])
def test_nothing_is_ever_restored_over_what_is_there(
    grove: Grove, path: Path, tmp_path: Path, kind: str
) -> None:
    made = back_up(path)
    to = tmp_path / "precious"
    if kind == "a file":
        to.write_text("precious")
    elif kind == "a folder":
        to.mkdir()
    else:
        to.symlink_to(tmp_path / "nowhere")
    before = state(tmp_path)

    with pytest.raises(GroveError) as error:
        restore(made.path, to)

    assert error.value.code == "exists"
    assert state(tmp_path) == before


def refused(*_: object) -> None:
    """What a file system without hard links says."""
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_that_appears_while_the_copy_is_made_stays(
    grove: Grove, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    if not has_links:
        monkeypatch.setattr(os, "link", refused)
    to = tmp_path / "copy.loom"
    proved = backups._proved

    def meanwhile(of: Path, part: Path, between: Callable[[], None]) -> int:
        to.write_text("faster")
        return proved(of, part, between)

    monkeypatch.setattr(backups, "_proved", meanwhile)

    with pytest.raises(GroveError) as error:
        back_up(path, to)

    assert error.value.code == "exists"
    assert to.read_text() == "faster"
    assert list(tmp_path.glob(".*")) == []


def test_where_there_are_no_hard_links_a_copy_gets_its_name_too(
    grove: Grove, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", refused)
    to = tmp_path / "copy.loom"

    back_up(path, to)

    with read_grove(to) as copy:
        assert copy.owner == grove.owner
    with pytest.raises(GroveError, match="exists"):
        back_up(path, to)


def test_a_read_only_grove_in_a_read_only_folder_is_backed_up_elsewhere(path: Path, tmp_path: Path) -> None:
    house = tmp_path / "house" / path.name
    house.parent.mkdir()
    with create_grove(house) as grove:
        tree, _ = planted(grove, Hand())
    with read_only(house), read_only(house.parent):
        before = state(house.parent)

        back_up(house, tmp_path / "copy.loom")

        assert state(house.parent) == before
    with open_grove(tmp_path / "copy.loom") as copy:
        assert agree(copy, tree)


def test_in_a_read_only_folder_there_is_no_backup_beside_the_grove(path: Path) -> None:
    create_grove(path).close()
    before = state(path.parent)
    with read_only(path.parent), pytest.raises(GroveError, match="choose another place") as error:
        back_up(path)

    assert error.value.code == "readOnly"
    assert state(path.parent) == before
    assert not backups_folder(path).exists()


def test_a_grove_that_another_program_is_writing_is_backed_up_without_what_is_not_committed(
    grove: Grove, path: Path
) -> None:
    tree, _ = planted(grove, Hand())
    with another_program_writing(path):
        made = back_up(path)

    with read_grove(made.path) as copy:
        assert agree(copy, tree)


def test_what_nobody_else_may_open_is_said_to_be_in_use(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wait_little(monkeypatch)
    create_grove(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=DELETE")
        other.execute("BEGIN EXCLUSIVE")

        with pytest.raises(GroveError, match="being written by another program") as error:
            back_up(path)

    assert error.value.code == "locked"


def test_a_restored_grove_keeps_a_write_ahead_log_as_a_new_one_does(
    grove: Grove, path: Path, tmp_path: Path
) -> None:
    restore(back_up(path).path, tmp_path / "again.loom")

    with closing(sqlite3.connect(tmp_path / "again.loom")) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_backup_is_due_when_something_changed_and_ten_minutes_are_over(grove: Grove, path: Path) -> None:
    hand = Hand()
    assert not is_due(grove, identity.now())
    tree, ids = planted(grove, hand)
    assert is_due(grove, identity.now())
    made = back_up_grove(grove)
    later = made.made_at + EVERY_MS
    assert not is_due(grove, later)

    grove.commit(tree, node_edits.add_node(tree, ids[-1], "more", hand.pen()))

    assert not is_due(grove, later - 1)
    assert is_due(grove, later)
    assert is_due(grove, made.made_at, every_ms=0)
    assert is_due(grove, made.made_at - 1), "a clock set back puts nothing off"


def test_a_new_agent_or_setting_makes_a_backup_due_too(grove: Grove, path: Path) -> None:
    planted(grove, Hand())
    changes: tuple[Callable[[], None], ...] = (
        lambda: grove.put_agent(Agent("another", "Another", "model")),
        lambda: grove.put_setting("name", "value"),
    )
    for change in changes:
        made = back_up_grove(grove)
        assert not is_due(grove, made.made_at, every_ms=0)
        change()
        assert is_due(grove, made.made_at, every_ms=0)


def test_a_newest_backup_that_is_none_any_more_makes_one_due(grove: Grove, path: Path) -> None:
    planted(grove, Hand())
    made = back_up_grove(grove)
    made.path.write_bytes(b"")

    assert is_due(grove, made.made_at, every_ms=0)


def test_in_a_network_folder_an_open_grove_is_backed_up_by_its_own_connection(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"23 22 0:2 / {tmp_path} rw - nfs server:/x rw\n")
    monkeypatch.setattr(file_names, "MOUNTS", mounts)
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand())

        made = back_up_grove(grove)

        assert agree(grove, tree)
    with read_grove(made.path) as copy:
        assert agree(copy, tree)


def test_a_grove_is_let_go_of_once_it_is_copied(path: Path, tmp_path: Path) -> None:
    with create_grove(path):
        pass
    grove, beside_while_proved = open_grove(path), list[str]()
    planted(grove, Hand())

    def close_while_it_is_proved(_done: int, of: int) -> None:
        if not of and not beside_while_proved:
            grove.close()
            beside_while_proved.extend(file.name for file in path.parent.glob(f"{path.name}*"))

    made = back_up(path, tmp_path / "elsewhere" / "copy.loom", progress=close_while_it_is_proved)

    assert beside_while_proved == [path.name]
    assert made.path.exists()
