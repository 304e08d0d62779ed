"""A disk that takes no more: nothing is lost or half saved, and trying again works."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits
from loomapp.core.errors import GroveError
from loomapp.store.backups.backup import back_up, backups_folder
from loomapp.store.checks.check import check
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.migrations import bring_up_to_date
from loomapp.store.salvage.salvage import repair
from loomapp.store.statements import driver
from tests.kit.damage import leaves_of, state, wreck
from tests.kit.families import one_in
from tests.kit.groves import agree, everything, planted
from tests.kit.trees import Hand
from tests.store import old_groves

BIG = "x" * 1_000_000


@contextmanager
def no_file_may_grow_beyond(size: int) -> Iterator[None]:
    """As the kernel enforces it; Python ignores the signal, so writes fail."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of five megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only the administrator can mount a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Take all the room there is; the file that has it."""
    file = folder / "filling"
    with file.open("wb", buffering=0) as filling:
        try:
            while True:
                filling.write(b"x" * 4096)
        except OSError:
            return file


def test_a_commit_that_finds_no_room_changes_nothing_and_can_be_tried_again(grove: Grove, path: Path) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    before = everything(tree)
    change = node_edits.add_node(tree, ids[-1], BIG, hand.pen())
    size = max(file.stat().st_size for file in path.parent.iterdir())

    with no_file_may_grow_beyond(size + 50_000), pytest.raises(GroveError, match="disk") as error:
        grove.commit(tree, change)

    assert error.value.code in {"full", "ioError"}
    assert everything(tree) == before
    assert agree(grove, tree)
    grove.commit(tree, change)
    assert agree(grove, tree)


def test_on_a_full_disk_a_commit_changes_nothing_and_can_be_tried_again(small_disk: Path) -> None:
    path, hand = small_disk / "grove.loom", Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        before = everything(tree)
        change = node_edits.add_node(tree, ids[-1], BIG, hand.pen())
        filling = fill(small_disk)

        with pytest.raises(GroveError, match="disk is full") as error:
            grove.commit(tree, change)

        assert error.value.code == "full"
        assert everything(tree) == before
        assert agree(grove, tree)
        filling.unlink()
        grove.commit(tree, change)
        assert agree(grove, tree)
    with open_grove(path) as grove:
        assert agree(grove, tree)


def test_on_a_full_disk_a_grove_is_closed_and_nothing_is_lost(small_disk: Path) -> None:
    path, hand = small_disk / "grove.loom", Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        grove.commit(tree, node_edits.add_node(tree, ids[-1], BIG, hand.pen()))
        filling = fill(small_disk)

    with read_grove(path) as grove:
        assert agree(grove, tree)
    filling.unlink()
    with open_grove(path) as grove:
        assert agree(grove, tree)
    assert [file.name for file in small_disk.iterdir()] == [path.name]


def test_a_file_that_may_have_no_more_pages_is_full_and_a_commit_can_be_tried_again(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    before = everything(tree)
    change = node_edits.add_node(tree, ids[-1], BIG, hand.pen())
    limit_pages(grove, 1)

    with pytest.raises(GroveError, match="disk is full") as error:
        grove.commit(tree, change)

    assert error.value.code == "full"
    assert everything(tree) == before
    assert agree(grove, tree)
    limit_pages(grove, 1_000_000)
    grove.commit(tree, change)
    assert agree(grove, tree)


def limit_pages(grove: Grove, count: int) -> None:
    """No more than so many, or as many as there are now."""
    with grove.snapshot() as connection:
        driver(connection).execute(f"PRAGMA max_page_count={count}")


def test_a_grove_that_finds_no_room_is_not_made(path: Path) -> None:
    with no_file_may_grow_beyond(20_000), pytest.raises(GroveError, match="disk"):
        create_grove(path)

    assert list(path.parent.iterdir()) == []


def test_a_backup_that_finds_no_room_is_not_there_and_can_be_tried_again(grove: Grove, path: Path) -> None:
    tree, _ = planted(grove, Hand(), length=200)
    kept = back_up(path)

    with no_file_may_grow_beyond(kept.size // 2), pytest.raises(GroveError, match="disk") as error:
        back_up(path)

    assert error.value.code in {"full", "ioError"}
    assert [file.name for file in backups_folder(path).iterdir()] == [kept.path.name]
    assert agree(grove, tree)
    with read_grove(back_up(path).path) as copy:
        assert agree(copy, tree)


def test_on_a_full_disk_a_backup_is_not_there_and_can_be_tried_again(small_disk: Path, grove: Grove) -> None:
    tree, _ = planted(grove, Hand(), length=200)
    filling = fill(small_disk)

    with pytest.raises(GroveError, match="disk is full") as error:
        back_up(grove.path, small_disk / "copy.loom")

    assert error.value.code == "full"
    assert [file.name for file in small_disk.iterdir()] == ["filling"]
    filling.unlink()
    back_up(grove.path, small_disk / "copy.loom")
    with read_grove(small_disk / "copy.loom") as copy:
        assert agree(copy, tree)


def test_no_step_of_a_migration_is_taken_without_room_for_the_backup(path: Path) -> None:
    with create_grove(path) as grove:
        planted(grove, Hand(), length=200)
    before = old_groves.unsealed(path).read_bytes()

    with no_file_may_grow_beyond(len(before) // 2), pytest.raises(GroveError, match="disk"):
        bring_up_to_date(path, 1, old_groves.MIGRATIONS)

    assert path.read_bytes() == before
    assert list(backups_folder(path).iterdir()) == []


def test_a_repair_that_finds_no_room_leaves_no_file(path: Path) -> None:
    with create_grove(path) as grove:
        planted(grove, Hand(), length=200)
    wreck(path, leaves_of(path, "nodes")[1:2])
    before = state(path.parent)

    with no_file_may_grow_beyond(100_000), pytest.raises(GroveError):
        repair(path)

    assert state(path.parent) == before


@pytest.mark.parametrize("left", one_in(3, ["nothing", "-wal", "-wal, -shm"], first=1))
def test_a_grove_on_a_full_disk_can_be_read_checked_and_backed_up_elsewhere(
    small_disk: Path, tmp_path: Path, left: str
) -> None:
    closed = tmp_path / "closed" / "g.loom"
    with create_grove(closed) as grove:
        tree, _ = planted(grove, Hand())
        if left != "nothing":  # as after a crash
            for file in (closed, *closed.parent.glob("g.loom-wal")):
                subprocess.run(["cp", file, small_disk], check=True)  # not here: that loses locks
            if "-shm" in left:
                subprocess.run(["cp", f"{closed}-shm", small_disk], check=True)
    if left == "nothing":
        shutil.copy(closed, small_disk)
    path = small_disk / "g.loom"
    fill(small_disk)

    with read_grove(path) as grove:
        read = grove.load_tree(tree.loom.id)
    checked = check(path)
    made = back_up(path, to=tmp_path / "copy.loom")

    assert everything(read) == everything(tree)
    assert (checked.problems, checked.nodes) == ((), len(tree.nodes))
    with open_grove(made.path) as copy:
        assert everything(copy.load_tree(tree.loom.id)) == everything(tree)
    assert list(Path(tempfile.gettempdir()).glob("loomapp-*/g.loom")) == []
