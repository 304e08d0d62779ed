"""The start after a grove was moved or replaced under an open window: its words are told of and come back.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.store.backups.backup import back_up, backups_of
from loomapp.store.files import draft_folders, drafts
from loomapp.store.grove.open import create_grove
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.test_locks_kept import answer, looks, program, texts, without_looks, write
from tests.journeys.test_moved_while_open import SAVED, begin, stop
from tests.kit.desktop import Desktop, Pointer
from tests.kit.families import each_once, one_in
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window, wait_for_backup

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere open files cannot be moved or traced"
)

WORDS = "Not sent yet"
WAIT_MS = 20_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return grove_in(tmp_path / "groves", "dialogue")


@pytest.fixture
def buffer(tmp_path: Path) -> Path:
    return grove_in(tmp_path / "groves", "buffer")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    create_grove(folder / "other.loom").close()
    return folder / "other.loom"


def grove_in(folder: Path, mode: str) -> Path:
    folder.mkdir()
    path = folder / "g.loom"
    create_grove(path).close()
    new_tree(path, mode=mode)
    return path


def replace_under_a_window(path: Path, other: Path, desktop: Desktop, how: str) -> None:
    with program(path, desktop) as window:
        begin(window)
        other.replace(path)
        assert answer(window, "told").startswith("Not saved")
        stop(window, how)


def offered(window: MainWindow) -> str:
    strip = window.banner.offered
    return strip.text if strip.isVisible() else ""


def kept_backup(path: Path) -> Path:
    [kept] = [backup for backup in backups_of(path) if backup.reason == "taken-away"]
    return kept.path


@contextmanager
def opened_from(first: MainWindow, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window that was opened from one."""
    found: list[MainWindow] = []

    def has_come() -> bool:
        found[:] = [it for it in main_windows() if it is not first and it.isVisible()]
        return bool(found)

    try:
        qtbot.waitUntil(has_come, timeout=WAIT_MS)
        yield found[0]
    finally:
        for it in found:
            it.close()


def main_windows() -> list[MainWindow]:
    return [it for it in QApplication.topLevelWidgets() if isinstance(it, MainWindow)]


# Another file in the grove's place


@pytest.mark.parametrize("how", one_in(2, ["kill", "quit"]))
def test_the_next_start_says_which_backup_holds_a_grove_that_was_replaced_until_that_is_put_away(
    path: Path, other: Path, desktop: Desktop, qtbot: QtBot, pointer: Pointer, how: str
) -> None:
    replace_under_a_window(path, other, desktop, how)

    with open_window(path, qtbot) as window:
        said = offered(window)
        assert f"Another file was put in the place of {path}" in said
        assert str(kept_backup(path)) in said
    with open_window(path, qtbot) as window:
        assert offered(window) == said
        pointer.click(find(window.banner.offered, QToolButton, "errorClose"))
        qtbot.waitUntil(lambda: not offered(window))
    with open_window(path, qtbot) as window:
        assert offered(window) == ""

    assert texts(kept_backup(path)) == SAVED


@pytest.mark.slow
def test_what_was_kept_of_a_replaced_grove_is_opened_by_one_click_with_its_draft(
    path: Path, other: Path, desktop: Desktop, qtbot: QtBot, pointer: Pointer
) -> None:
    with program(path, desktop) as window:
        begin(window)
        assert answer(window, f"type {WORDS}") == "typed"
        other.replace(path)
        assert answer(window, "told").startswith("Not saved")
        stop(window, "kill")

    with open_window(path, qtbot) as first:
        pointer.click(find(first.banner.offered, QPushButton, "errorAction"))
        with opened_from(first, qtbot) as second:
            saved = {node.text for node in second.document.tree.nodes.values()}
            assert saved >= SAVED
            assert second.composer.text == WORDS
            assert second.document.grove.path.parent == path.parent
        assert offered(first) == ""
        wait_for_backup(qtbot)
    with open_window(path, qtbot) as window:
        assert offered(window) == ""


@pytest.mark.slow
def test_the_program_tells_of_a_replaced_grove_whichever_one_it_opens(
    path: Path, other: Path, tmp_path: Path, desktop: Desktop
) -> None:
    replace_under_a_window(path, other, desktop, "kill")
    create_grove(tmp_path / "third.loom").close()

    with program(tmp_path / "third.loom", desktop) as window:
        said = answer(window, "offered")

    assert str(kept_backup(path)) in said


@pytest.mark.slow
def test_nothing_is_told_of_a_grove_that_is_in_its_place_again(path: Path, other: Path, qtbot: QtBot) -> None:
    aside = other.with_name("aside.loom")
    with open_window(path, qtbot) as window:
        without_looks(window)
        write(window, "First.")
        path.rename(aside)
        other.rename(path)
        looks(window)
        assert [one.grove for one in draft_folders.displaced_groves()] == [path]
        aside.replace(path)
        looks(window)

    assert draft_folders.displaced_groves() == []


@pytest.mark.slow
def test_nothing_is_told_of_a_grove_that_was_put_back_after_the_window_was_gone(
    path: Path, other: Path, desktop: Desktop, qtbot: QtBot
) -> None:
    aside = other.with_name("aside.loom")
    with program(path, desktop) as window:
        begin(window)
        path.rename(aside)
        other.rename(path)
        assert "Not saved" in answer(window, "told")
        stop(window, "quit")
    aside.replace(path)

    with open_window(path, qtbot) as window:
        assert offered(window) == ""
    assert texts(path) == SAVED


@pytest.mark.slow
@pytest.mark.parametrize(("how", "what"), each_once(["kill", "quit"], ["another grove", "an older state"]))
def test_the_next_start_says_that_a_grove_was_written_over_and_what_there_is_of_it_until_that_is_put_away(
    path: Path, other: Path, desktop: Desktop, qtbot: QtBot, pointer: Pointer, how: str, what: str
) -> None:
    last = back_up(path).path
    source = other if what == "another grove" else last
    with program(path, desktop) as window:
        begin(window)
        subprocess.run(["cp", source, path], check=True)
        assert answer(window, "told").startswith("Not saved")
        stop(window, how)

    with open_window(path, qtbot) as window:
        said = offered(window)
        assert f"Another program wrote another file over {path}" in said
        assert f"The last backup from before is {last}." in said
        assert str(path.with_name("g.loom-wal-kept")) in said
        wait_for_backup(qtbot)
    with open_window(path, qtbot) as window:
        assert offered(window) == said
        pointer.click(find(window.banner.offered, QToolButton, "errorClose"))
        qtbot.waitUntil(lambda: not offered(window))
    with open_window(path, qtbot) as window:
        assert offered(window) == ""


# Another name


TRIED = {("kill", "old", "groves"), ("kill", "new", "elsewhere"), ("quit", "new", "groves")}  # in every run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "opened", "folder"),
    one_in(
        3,
        [
            pytest.param(
                how, opened, folder, marks=() if (how, opened, folder) in TRIED else pytest.mark.slow
            )
            for how, opened, folder in product(["kill", "quit"], ["old", "new"], ["groves", "elsewhere"])
        ],
    ),
)
def test_words_typed_before_and_after_a_rename_come_back_under_either_name(
    path: Path, other: Path, desktop: Desktop, qtbot: QtBot, how: str, opened: str, folder: str
) -> None:
    moved = path.parent.with_name(folder) / "moved.loom"
    with program(path, desktop) as window:
        begin(window)
        assert answer(window, "type Typed before") == "typed"
        path.rename(moved)
        assert "come along if you open the moved file" in answer(window, "told")
        assert answer(window, "type  and after") == "typed"
        stop(window, how)

    with open_window(path if opened == "old" else moved, qtbot) as again:
        assert again.composer.text == "Typed before and after"


@pytest.mark.slow
@pytest.mark.parametrize("opened", one_in(2, ["old", "new"], first=1))
def test_what_is_written_in_a_buffer_after_a_rename_is_under_both_names_once_the_window_is_closed(
    buffer: Path, desktop: Desktop, qtbot: QtBot, opened: str
) -> None:
    moved = buffer.with_name("moved.loom")
    with program(buffer, desktop) as window:
        assert answer(window, "type Once upon") == "typed"
        buffer.rename(moved)
        answer(window, "told")
        assert answer(window, "type  a time") == "typed"
        stop(window, "quit")

    with open_window(buffer if opened == "old" else moved, qtbot) as again:
        assert "Once upon a time" in again.buffer.view.editor.text
        assert offered(again) == ""


@pytest.mark.slow
def test_after_a_kill_the_new_name_says_that_what_was_written_since_is_under_the_old_one(
    path: Path, desktop: Desktop, qtbot: QtBot, pointer: Pointer
) -> None:
    moved = path.with_name("moved.loom")
    with program(path, desktop) as window:
        begin(window)
        path.rename(moved)
        answer(window, "told")
        assert answer(window, "write Third.").startswith("saved")
        stop(window, "kill")

    with open_window(moved, qtbot) as first:
        assert f"What was written after that is only in {path}" in offered(first)
        pointer.click(find(first.banner.offered, QPushButton, "errorAction"))
        with opened_from(first, qtbot) as second:
            assert {node.text for node in second.document.tree.nodes.values()} >= {*SAVED, "Third."}
        wait_for_backup(qtbot)
    with open_window(moved, qtbot) as window:
        assert offered(window) == ""


@pytest.mark.slow
@pytest.mark.parametrize("folder", one_in(2, ["groves", "elsewhere"]))
def test_a_draft_that_was_left_comes_back_after_the_closed_grove_was_renamed_or_moved(
    path: Path, other: Path, desktop: Desktop, qtbot: QtBot, folder: str
) -> None:
    moved = path.parent.with_name(folder) / "moved.loom"
    with program(path, desktop) as window:
        assert answer(window, f"type {WORDS}") == "typed"
        stop(window, "quit")
    path.rename(moved)

    with open_window(moved, qtbot) as again:
        assert again.composer.text == WORDS
    assert not drafts.drafts_folder(path).exists()
    moved.rename(path)
    with open_window(path, qtbot) as again:
        assert again.composer.text == WORDS


@pytest.mark.slow
def test_a_draft_stays_with_its_grove_when_a_copy_of_that_is_opened(
    path: Path, desktop: Desktop, qtbot: QtBot
) -> None:
    copy = path.with_name("copy.loom")
    with program(path, desktop) as window:
        assert answer(window, f"type {WORDS}") == "typed"
        stop(window, "quit")
    copy.write_bytes(path.read_bytes())

    with open_window(copy, qtbot) as beside:
        assert beside.composer.text == ""
    with open_window(path, qtbot) as again:
        assert again.composer.text == WORDS
