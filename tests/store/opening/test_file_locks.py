"""An open grove keeps its locks and its files, whatever is done to them: what was saved is there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.errors import GroveError, InvalidInput
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import Sentence
from loomapp.files import is_open_here, read_regular, refuse_open_here
from loomapp.formats import loom_json
from loomapp.store.backups.backup import back_up, backups_of
from loomapp.store.connections import connect
from loomapp.store.files.media import media_folder, read_media
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.identity import new_id, now
from loomapp.store.opening import file_locks
from tests.kit.locks import drop_locks, lasting_locks
from tests.kit.processes.outside import loomapp

GONE = "were gone and are taken again"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


@pytest.fixture
def grove(path: Path) -> Iterator[Grove]:
    with create_grove(path) as grove:
        yield grove


def begun(grove: Grove) -> Tree:
    tree = tree_edits.new_tree("dialogue", "t", pen(grove))
    grove.add_tree(tree, [grove.owner])
    return grove.load_tree(tree.loom.id)


def pen(grove: Grove) -> edit_context.EditContext:
    return edit_context.EditContext(grove.owner.id, now(), new_id)


def write(grove: Grove, tree: Tree, text: str) -> None:
    grove.commit(tree, node_edits.add_node(tree, tree.root_id, text, pen(grove)))


def write_outside(path: Path, tree: Tree, text: str) -> None:
    """Another process writes, and closes the grove as if it were the last."""
    where: list[str | Path] = ["--grove", path, "--tree", tree.loom.id, "--parent", tree.root_id]
    loomapp("node", "add", *where, "--text", text)


def copied(path: Path, to: Path) -> Path:
    """What a kill -9 now would leave, by a process of its own: it loses nobody's locks."""
    to.mkdir()
    for ending in ("", "-wal"):
        file = path.with_name(path.name + ending)
        if file.exists():
            subprocess.run(["cp", file, to / file.name], check=True)
    return to / path.name


def texts(path: Path) -> set[str]:
    with open_grove(path) as grove:
        return {n.text for row in grove.trees() for n in grove.load_tree(row.id).nodes.values() if n.text}


def heard(grove: Grove) -> list[Sentence]:
    said: list[Sentence] = []
    grove.mended = said.append
    return said


linux = pytest.mark.skipif(sys.platform != "linux", reason="the system lists no locks")


@linux
def test_locks_that_were_lost_are_taken_again(
    grove: Grove, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert lasting_locks(path) == 2
    drop_locks(path)
    assert lasting_locks(path) == 0

    grove.hold()

    assert lasting_locks(path) == 2
    assert GONE in caplog.text
    caplog.clear()


@linux
def test_locks_that_were_lost_are_taken_again_by_the_next_commit(
    grove: Grove, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tree = begun(grove)
    drop_locks(path)

    write(grove, tree, "Here.")

    assert lasting_locks(path) == 2
    assert GONE in caplog.text
    caplog.clear()


@linux
def test_nobody_takes_the_wal_away_while_sqlites_locks_are_lost(
    grove: Grove, path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tree = begun(grove)
    wal = path.with_name("g.loom-wal")
    before = wal.stat().st_ino
    drop_locks(path)

    write_outside(path, tree, "From outside.")

    assert wal.stat().st_ino == before
    write(grove, tree, "From here.")
    assert texts(copied(path, tmp_path / "copy")) == {"From outside.", "From here."}
    caplog.clear()


def test_a_grove_that_is_closed_is_one_file_again_and_held_by_nobody(grove: Grove, path: Path) -> None:
    tree = begun(grove)
    write(grove, tree, "Here.")

    grove.close()

    assert [file.name for file in path.parent.iterdir()] == ["g.loom"]
    assert not is_open_here(path)
    if sys.platform == "linux":
        inode = f":{path.stat().st_ino} "
        assert not [line for line in Path("/proc/locks").read_text().splitlines() if inode in line]


def test_what_is_saved_after_the_wal_was_deleted_is_in_the_file(
    grove: Grove, path: Path, tmp_path: Path
) -> None:
    tree, said = begun(grove), heard(grove)
    write(grove, tree, "Before.")
    path.with_name("g.loom-wal").unlink()

    write(grove, tree, "After.")

    assert texts(copied(path, tmp_path / "copy")) == {"Before.", "After."}
    assert ["g.loom-wal" in words and "There is nothing to do" in words for words in said] == [True]
    grove.close()
    assert texts(path) == {"Before.", "After."}


def test_undo_goes_on_where_it_was_after_the_wal_was_deleted(grove: Grove, path: Path) -> None:
    tree = begun(grove)
    write(grove, tree, "Before.")
    path.with_name("g.loom-wal").unlink()

    grove.undo(tree)

    grove.close()
    assert texts(path) == set()


def test_settings_that_were_saved_outlive_the_deletion_of_the_wal(grove: Grove, path: Path) -> None:
    grove.put_setting("a", {"is": 1})
    path.with_name("g.loom-wal").unlink()

    grove.put_setting("b", {"is": 2})

    grove.close()
    with open_grove(path) as again:
        assert (again.setting("a"), again.setting("b")) == ({"is": 1}, {"is": 2})


def test_what_another_program_wrote_after_it_took_the_wal_away_stays(path: Path) -> None:
    with create_grove(path) as grove:
        tree = begun(grove)
    with open_grove(path) as grove:
        tree, said = grove.load_tree(tree.loom.id), heard(grove)
        write(grove, tree, "From here.")
        for ending in ("-wal", "-shm"):  # a program that sees no locks takes them away
            path.with_name(path.name + ending).unlink()
        write_outside(path, tree, "From outside.")

        with pytest.raises(GroveError) as told:
            write(grove, tree, "Too late.")

        assert told.value.code == "parted"
        assert not grove.knows(tree)
        tree = grove.load_tree(tree.loom.id)
        write(grove, tree, "From here, again.")
        assert [str(backups_of(path)[0].path) in words for words in said] == [True]

    assert texts(path) == {"From here.", "From outside.", "From here, again."}


def test_what_another_program_wrote_is_joined_at_the_closing_too(path: Path) -> None:
    with create_grove(path) as grove:
        tree = begun(grove)
    with open_grove(path) as grove:
        tree = grove.load_tree(tree.loom.id)
        write(grove, tree, "From here.")
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink()
        write_outside(path, tree, "From outside.")

    assert texts(path) == {"From here.", "From outside."}
    with pytest.raises(GroveError) as told:
        grove.trees()
    assert told.value.code == "closed"


def test_a_grove_that_was_deleted_is_written_whole_again(grove: Grove, path: Path) -> None:
    tree, said = begun(grove), heard(grove)
    write(grove, tree, "Before.")
    for file in path.parent.glob("g.loom*"):
        file.unlink()

    write(grove, tree, "After.")

    assert "moved or deleted" in said[0]
    grove.close()
    assert texts(path) == {"Before.", "After."}


def test_a_grove_that_was_moved_while_open_takes_all_along_when_it_is_closed(path: Path) -> None:
    with create_grove(path) as grove:
        write(grove, begun(grove), "Before.")
        path.rename(path.with_name("moved.loom"))

    assert not path.exists()
    assert texts(path.with_name("moved.loom")) == {"Before."}


def test_nothing_is_written_over_a_file_that_took_the_groves_place(
    grove: Grove, path: Path, tmp_path: Path
) -> None:
    tree = begun(grove)
    write(grove, tree, "Before.")
    create_grove(tmp_path / "other.loom").close()
    (tmp_path / "other.loom").rename(path)
    other = path.read_bytes()

    for _ in range(2):
        with pytest.raises(GroveError) as told:
            write(grove, tree, "After.")

    assert told.value.code == "replaced"
    [kept] = backups_of(path)
    assert str(kept.path) in told.value.message
    grove.close()
    assert path.read_bytes() == other
    assert texts(kept.path) == {"Before."}


def overwritten(path: Path, other: Path) -> bytes:
    """Write another file over one in its place, as `cp` does: it keeps its name and its inode."""
    inode = path.stat().st_ino
    subprocess.run(["cp", other, path], check=True)
    assert path.stat().st_ino == inode
    return other.read_bytes()


@pytest.fixture(params=["another grove", "a backup of it"])
def other(request: pytest.FixtureRequest, grove: Grove, path: Path, tmp_path: Path) -> Path:
    """A grove file of the same age and size, with as many trees, to be written over the one that is open."""
    begun(grove)
    if request.param == "a backup of it":
        return back_up(path).path
    with create_grove(tmp_path / "other.loom") as another:
        begun(another)
    return tmp_path / "other.loom"


def test_nothing_is_written_into_a_file_that_was_copied_over_the_open_grove(
    grove: Grove, path: Path, other: Path
) -> None:
    tree = grove.load_tree(grove.trees()[0].id)
    write(grove, tree, "Before.")
    there = overwritten(path, other)

    for _ in range(2):
        with pytest.raises(GroveError) as told:
            write(grove, tree, "After.")
        with pytest.raises(GroveError):
            grove.hold()
        with pytest.raises(GroveError):
            grove.load_tree(tree.loom.id)

    assert told.value.code == "replaced"
    assert "g.loom-wal-kept" in told.value.message
    assert not grove.is_in_place()
    grove.close()
    assert path.read_bytes() == there
    assert path.with_name("g.loom-wal-kept").stat().st_size > 0
    assert not path.with_name("g.loom-wal").exists()
    with open_grove(path) as again:
        assert again.trees()
    assert texts(path) == set()


def test_a_file_that_was_copied_over_the_open_grove_is_as_it_came_after_the_closing_too(
    grove: Grove, path: Path, other: Path
) -> None:
    write(grove, grove.load_tree(grove.trees()[0].id), "Before.")
    there = overwritten(path, other)

    grove.close()

    assert path.read_bytes() == there
    assert texts(path) == set()


def test_a_grove_that_was_only_touched_or_brought_home_by_another_program_is_still_the_same(
    grove: Grove, path: Path
) -> None:
    tree = begun(grove)
    for number in range(40):
        write(grove, tree, f"{number} {'word ' * 2000}")
        if number % 10 == 0:
            os.utime(path)
        elif number % 10 == 5:
            outside(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        elif number % 10 == 7:
            outside(path, "PRAGMA wal_checkpoint(PASSIVE)")
        grove.hold()
        assert grove.is_in_place()

    grove.close()
    assert len(texts(path)) == 40


def outside(path: Path, statement: str) -> None:
    """Another process says something to the database."""
    words = f"import sqlite3; sqlite3.connect({str(path)!r}).execute({statement!r}).fetchall()"
    subprocess.run([sys.executable, "-c", words], check=True)


def test_reading_goes_on_without_a_word_where_the_wal_is_not_needed(grove: Grove, path: Path) -> None:
    begun(grove)
    with read_grove(path) as reader:
        assert reader.trees()
        reader.hold()
        assert reader.trees()
    assert grove.trees()


def test_what_belongs_to_an_open_grove_is_not_read_for_another_use(grove: Grove, path: Path) -> None:
    (path.parent / "link").symlink_to(path)
    (path.parent / "second").hardlink_to(path)
    (path.parent / "memory").symlink_to(path.with_name("g.loom-shm"))
    (path.parent / "letter").write_text("Dear Marie")

    for name in ("g.loom", "link", "second", "memory", "g.loom-wal", "g.loom-shm"):
        with pytest.raises(InvalidInput, match="Choose another file"):
            refuse_open_here(path.with_name(name))
    refuse_open_here(path.with_name("letter"))
    refuse_open_here(path.with_name("nothing"))


@linux
def test_an_image_that_is_a_link_to_the_grove_is_not_read(grove: Grove, path: Path) -> None:
    media_folder(path).mkdir()
    (media_folder(path) / "image").symlink_to(path)

    assert read_media(path, ["image"]) == {}

    assert lasting_locks(path) == 2


def test_connections_that_read_aside_are_counted_until_they_are_closed(path: Path) -> None:
    create_grove(path).close()
    connection = connect(path)
    assert is_open_here(path)
    connection.close()
    assert not is_open_here(path)


@linux
def test_no_reader_of_regular_files_opens_what_sqlite_holds(grove: Grove, path: Path) -> None:
    for name in ("g.loom", "g.loom-shm"):
        with pytest.raises(OSError, match="choose another file"):
            read_regular(path.with_name(name), 1 << 20)
        with pytest.raises(OSError, match="choose another file"):
            loom_json.read(path.with_name(name))

    assert lasting_locks(path) == 2


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_where_locks_of_a_descriptor_are_unknown_the_files_are_compared_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(file_locks, "sys", SimpleNamespace(platform=platform))
    with create_grove(path) as grove:
        tree, said = begun(grove), heard(grove)
        write(grove, tree, "Before.")
        path.with_name("g.loom-wal").unlink()

        write(grove, tree, "After.")
        grove.hold()

        assert len(said) == 1
    assert texts(path) == {"Before.", "After."}
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == ["g.loom"]
