"""Opening what is no grove, too new, damaged, read-only or in use: one clear line, and not a byte changed."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Barrier

import pytest

from loomapp.core.edits import node_edits
from loomapp.core.errors import GroveError
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove import grove as groves
from loomapp.store.grove.open import create_grove, open_grove, open_or_create, read_grove
from loomapp.store.schema import VERSION
from tests.kit.groves import agree, planted
from tests.kit.locks import wait_little
from tests.kit.trees import Hand

Spoil = Callable[[Path], object]


def run(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(sql)


def halve(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def wreck_pages(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)


def make_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


SPOILED: dict[str, tuple[Spoil, str, str]] = {
    "a folder": (make_a_folder, "notAGrove", "is not a file"),
    "no file": (lambda path: path.unlink(), "missing", "does not exist"),
    "an empty file": (lambda path: path.write_bytes(b""), "empty", "is empty"),
    "a text": (lambda path: path.write_text("Dear diary, " * 200), "notAGrove", "is not a grove"),
    "a start of a header": (lambda path: path.write_bytes(b"SQLite format 3\0"), "notAGrove", "not a grove"),
    "another database": (
        lambda path: run(path, "PRAGMA application_id=7"),
        "notAGrove",
        "of another program",
    ),
    "a newer grove": (lambda path: run(path, f"PRAGMA user_version={VERSION + 1}"), "newerSchema", "update"),
    "half a grove": (halve, "damaged", "its end is missing"),
    "a grove without its tables": (
        lambda path: run(path, "ALTER TABLE nodes RENAME TO leaves"),
        "damaged",
        "tables or columns are missing",
    ),
    "a grove without a column": (
        lambda path: run(path, "ALTER TABLE nodes RENAME COLUMN text TO words"),
        "damaged",
        "tables or columns are missing",
    ),
    "a grove of no version": (lambda path: run(path, "PRAGMA user_version=0"), "damaged", "its format is 0"),
    "a grove with wrecked pages": (wreck_pages, "damaged", "is damaged"),
}


@pytest.mark.parametrize("name", SPOILED)
@pytest.mark.parametrize("opened", [open_grove, read_grove], ids=["to write", "to read"])
def test_what_cannot_be_opened_is_said_in_one_line_and_stays_as_it_is(
    path: Path, name: str, opened: Callable[[Path], groves.Grove]
) -> None:
    spoil, code, words = SPOILED[name]
    create_grove(path).close()
    spoil(path)
    before = state(path.parent)

    with pytest.raises(GroveError) as error:
        opened(path)

    assert error.value.code == code
    assert words in error.value.message
    assert str(path) in error.value.message
    assert "\n" not in error.value.message
    assert state(path.parent) == before


def test_a_grove_is_not_made_over_a_file_that_is_there(path: Path) -> None:
    path.write_text("precious")

    with pytest.raises(GroveError) as error:
        create_grove(path)

    assert error.value.code == "exists"
    assert path.read_text() == "precious"


def test_of_two_that_make_the_same_grove_at_once_one_is_told_that_it_exists(path: Path) -> None:
    both = Barrier(2)

    def make() -> str:
        both.wait()
        try:
            with create_grove(path) as grove:
                return grove.owner.id
        except GroveError as error:
            return error.code

    with ThreadPoolExecutor(2) as threads:
        made = sorted(threads.map(lambda _: make(), range(2)))

    with open_grove(path) as grove:
        assert made == [grove.owner.id, "exists"]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_open_or_create_makes_the_folders_too(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "grove.loom"

    with open_or_create(path) as made:
        owner = made.owner

    with open_or_create(path) as opened:
        assert opened.owner == owner


def test_a_read_only_grove_can_be_read_and_verified_but_not_written(path: Path) -> None:
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand())
    with read_only(path):
        before = state(path.parent)

        with pytest.raises(GroveError) as refused:
            open_grove(path)
        with read_grove(path) as grove:
            assert grove.read_only
            assert agree(grove, tree)
            assert {f.verdict for f in verify_tree(grove, tree.loom.id)} == {"ok"}
            loaded = grove.load_tree(tree.loom.id)
            with pytest.raises(GroveError) as unwritable:
                grove.commit(loaded, node_edits.annotate(loaded, loaded.root_id, "a note", Hand().pen()))

        assert refused.value.code == unwritable.value.code == "readOnly"
        assert state(path.parent) == before


def test_a_reader_sees_what_is_written_while_it_reads_and_leaves_nothing_behind(path: Path) -> None:
    create_grove(path).close()
    with read_grove(path) as reader:
        with open_grove(path) as writer:
            tree, _ = planted(writer, Hand())
        assert agree(reader, tree)

    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_grove_is_found_through_a_link_with_its_journal(path: Path) -> None:
    link = path.parent / "links" / "link.loom"
    link.parent.mkdir()
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand())
        link.symlink_to(path)
        with read_grove(link) as reader:
            assert agree(reader, tree)


def test_in_a_read_only_folder_a_grove_is_read_but_neither_opened_for_writing_nor_made(path: Path) -> None:
    create_grove(path).close()
    with read_only(path.parent):
        with pytest.raises(GroveError) as refused:
            open_grove(path)
        with pytest.raises(GroveError) as unmade:
            create_grove(path.with_name("other.loom"))
        with read_grove(path) as grove:
            trees = grove.trees()

    assert (refused.value.code, unmade.value.code, trees) == ("readOnly", "readOnly", [])
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_grove_that_a_crash_left_with_its_journal_is_read_with_what_is_in_it(path: Path) -> None:
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand())
        copy = path.parent / "copy" / path.name
        copy.parent.mkdir()
        for ending in ("", "-wal"):
            source = path.with_name(path.name + ending)
            subprocess.run(["cp", source, copy.parent], check=True)  # not here: that loses locks

    with read_grove(copy) as reader:
        assert agree(reader, tree)
    with open_grove(copy) as writer:
        assert agree(writer, tree)


def test_a_grove_being_written_by_another_program_says_so_and_nothing_is_lost(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_little(monkeypatch)
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand())
        note = node_edits.annotate(tree, tree.root_id, "a note", Hand().pen())
        with another_program_writing(path):
            with pytest.raises(GroveError, match="being written by another program") as error:
                grove.commit(tree, note)
            assert agree(grove, tree)

        grove.commit(tree, note)

        assert error.value.code == "locked"
        assert agree(grove, tree)


HOLD = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_program_writing(path: Path) -> Iterator[None]:
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        yield
        program.communicate()


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Also for the administrator, whom permissions do not bind elsewhere."""
    mode = path.stat().st_mode
    path.chmod(mode & 0o555)
    try:
        yield
    finally:
        path.chmod(mode)


def state(folder: Path) -> dict[str, str]:
    """Every file below a folder with the digest of its bytes."""
    files = (Path(where) / name for where, _, names in os.walk(folder) for name in names)
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_a_link_that_leads_nowhere_says_so(tmp_path: Path) -> None:
    link = tmp_path / "g.loom"
    link.symlink_to(tmp_path / "gone" / "g.loom")

    with pytest.raises(GroveError, match="a link to a place where nothing is") as error:
        create_grove(link)

    assert error.value.code == "exists"
    assert link.is_symlink()
