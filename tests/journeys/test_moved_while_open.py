"""A grove that is renamed, moved, deleted or replaced under an idle window: nothing saved is lost.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from loomapp.core.errors import GroveError
from loomapp.store.backups.backup import backups_of
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.opening.look import look
from loomapp.ui.commands.save.leave import ElsewhereQuestion
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.another import another_program
from tests.journeys.test_locks_kept import answer, looks, program, texts, without_looks, write
from tests.kit.desktop import Desktop, Pointer
from tests.kit.families import each_once, one_in
from tests.kit.find import find
from tests.kit.processes import warm
from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere open files cannot be moved or traced"
)

SAVED = {"First.", "Second."}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "groves"
    folder.mkdir()
    path = folder / "g.loom"
    create_grove(path).close()
    new_tree(path)
    return path


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


def begin(window: warm.Started) -> None:
    for words in sorted(SAVED):
        assert answer(window, f"write {words}") == "saved"


def stop(window: warm.Started, how: str) -> None:
    """End it by kill -9, or as a person does, and wait until it is gone."""
    if how == "kill":
        window.kill()
    else:
        assert answer(window, "quit") == "closed"
    window.wait()


def status(window: MainWindow) -> str:
    return find(window, QLabel, "statusSaved").text().partition(" ")[0]


@pytest.mark.parametrize(("how", "folder"), each_once(["kill", "quit"], ["groves", "elsewhere"]))
def test_a_grove_that_is_renamed_or_moved_is_whole_there_and_under_its_old_name(
    path: Path, elsewhere: Path, desktop: Desktop, folder: str, how: str
) -> None:
    moved = path.parent.with_name(folder) / "moved.loom"
    with program(path, desktop) as window:
        begin(window)
        path.rename(moved)
        said = answer(window, "told")
        stop(window, how)

    assert said.startswith("Saved")
    assert f"g.loom was moved to {moved}" in said
    assert texts(moved) == SAVED
    assert texts(path) == SAVED


@pytest.mark.parametrize("how", one_in(2, ["quit", "kill"]))
def test_a_grove_that_is_deleted_is_there_again(path: Path, desktop: Desktop, how: str) -> None:
    with program(path, desktop) as window:
        begin(window)
        path.unlink()
        assert "g.loom was moved or deleted" in answer(window, "told")
        assert answer(window, "write Third.").startswith("saved")
        stop(window, how)

    assert texts(path) == {*SAVED, "Third."}


@pytest.mark.slow
@pytest.mark.parametrize("how", one_in(2, ["kill", "quit"]))
def test_a_grove_whose_folder_is_moved_is_whole_there_and_in_its_old_place(
    path: Path, tmp_path: Path, desktop: Desktop, how: str
) -> None:
    with program(path, desktop) as window:
        begin(window)
        path.parent.rename(tmp_path / "moved")
        answer(window, "told")
        stop(window, how)

    assert texts(tmp_path / "moved" / "g.loom") == SAVED
    assert texts(path) == SAVED


@pytest.mark.slow
@pytest.mark.parametrize("how", one_in(2, ["quit", "kill"]))
def test_a_grove_that_is_put_in_its_place_is_not_written_and_what_was_saved_is_kept(
    path: Path, elsewhere: Path, desktop: Desktop, how: str
) -> None:
    create_grove(elsewhere / "other.loom").close()
    other = (elsewhere / "other.loom").read_bytes()
    with program(path, desktop) as window:
        begin(window)
        (elsewhere / "other.loom").replace(path)
        said = answer(window, "told")
        stop(window, how)

    [kept] = [backup for backup in backups_of(path) if backup.reason == "taken-away"]
    assert said.startswith("Not saved")
    assert str(kept.path) in said
    assert path.read_bytes() == other
    assert not path.with_name("g.loom-wal").exists()
    assert texts(kept.path) == SAVED
    assert texts(path) == set()


@pytest.mark.slow
@pytest.mark.parametrize("how", one_in(2, ["kill", "quit"]))
def test_a_grove_that_is_copied_over_the_open_one_is_not_written_and_its_words_are_shown_still(
    path: Path, elsewhere: Path, desktop: Desktop, how: str
) -> None:
    create_grove(elsewhere / "other.loom").close()
    other = (elsewhere / "other.loom").read_bytes()
    with program(path, desktop) as window:
        begin(window)
        subprocess.run(["cp", elsewhere / "other.loom", path], check=True)
        said = answer(window, "told")
        stop(window, how)

    assert said.startswith("Not saved")
    assert "wrote another file over g.loom" in said
    assert "g.loom-wal-kept" in said
    assert path.read_bytes() == other
    assert not path.with_name("g.loom-wal").exists()
    assert texts(path) == set()


@pytest.mark.slow
def test_the_status_bar_says_saved_again_once_the_grove_is_back_in_its_place(
    path: Path, elsewhere: Path, qtbot: QtBot
) -> None:
    create_grove(elsewhere / "other.loom").close()
    with open_window(path, qtbot) as window:
        write(window, "First.")
        path.rename(elsewhere / "g.loom")
        (elsewhere / "other.loom").rename(path)
        qtbot.waitUntil(lambda: status(window) == "Not")
        assert "Another file was put in the place of g.loom" in window.banner.unsaved.text

        (elsewhere / "g.loom").replace(path)

        qtbot.waitUntil(lambda: status(window) == "Saved")
        assert window.banner.unsaved.isHidden()
        write(window, "Second.")

    assert texts(path) == SAVED


@pytest.mark.slow
def test_once_another_file_is_in_its_place_nothing_says_any_more_that_the_grove_goes_on_there(
    path: Path, elsewhere: Path, qtbot: QtBot
) -> None:
    create_grove(elsewhere / "other.loom").close()
    with open_window(path, qtbot) as window:
        without_looks(window)
        write(window, "First.")
        path.rename(elsewhere / "g.loom")
        looks(window)
        assert "was moved to" in window.banner.notice.text

        (elsewhere / "other.loom").replace(path)
        looks(window)

        assert "Another file was put in the place of g.loom" in window.banner.unsaved.text
        assert window.banner.notice.isHidden()
        window.leaving.is_unasked = True


def test_closing_a_window_whose_grove_was_replaced_asks_and_names_where_what_was_saved_is(
    path: Path, elsewhere: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    create_grove(elsewhere / "other.loom").close()
    with open_window(path, qtbot) as window:
        write(window, "First.")
        (elsewhere / "other.loom").replace(path)
        qtbot.waitUntil(lambda: status(window) == "Not")
        asked: list[str] = []

        def answer_with(key: str, *, closes: bool) -> None:
            def look() -> None:
                question = QApplication.activeModalWidget()
                if isinstance(question, ElsewhereQuestion) and question.isActiveWindow():
                    looking.stop()
                    asked.append(question.informativeText())
                    pointer.key(*key.split())

            looking = QTimer()
            looking.timeout.connect(look)
            looking.start(10)
            pointer.key("ctrl+q")
            qtbot.waitUntil(lambda: not looking.isActive() and window.isVisible() is not closes)

        answer_with("Escape", closes=False)
        answer_with("Return", closes=False)
        answer_with("Tab Return", closes=True)

    [kept] = [backup for backup in backups_of(path) if backup.reason == "taken-away"]
    assert [str(kept.path) in words for words in asked] == [True, True, True]
    assert texts(kept.path) == {"First."}


@pytest.mark.slow
@pytest.mark.parametrize("what", one_in(3, ["rename", "delete", "replace"]))
def test_what_was_saved_outlives_a_window_that_is_closed_before_it_looks(
    path: Path, elsewhere: Path, qtbot: QtBot, what: str
) -> None:
    moved = elsewhere / "g.loom"
    create_grove(elsewhere / "other.loom").close()
    other = (elsewhere / "other.loom").read_bytes()
    with open_window(path, qtbot) as window:
        without_looks(window)
        write(window, "First.")
        write(window, "Second.")
        if what == "delete":
            path.unlink()
        else:
            path.rename(moved)
        if what == "replace":
            (elsewhere / "other.loom").rename(path)

    if what == "replace":
        assert path.read_bytes() == other
    assert texts(path if what == "delete" else moved) == SAVED
    assert [file.name for file in path.parent.glob("*-wal")] == []


@pytest.mark.slow
def test_a_moved_grove_that_somebody_else_goes_on_with_is_left_to_them(
    path: Path, elsewhere: Path, qtbot: QtBot
) -> None:
    moved, (tree_id, root) = elsewhere / "moved.loom", new_tree(path)
    with open_window(path, qtbot) as window:
        without_looks(window)
        write(window, "First.")
        path.rename(moved)
        with another_program(moved) as other:
            other.do("write", tree_id, root, "Theirs.")
            looks(window)
            assert "moved or deleted" in window.banner.notice.text
            other.do("write", tree_id, root, "Theirs too.")

    assert texts(moved) == {"Theirs.", "Theirs too."}
    assert texts(path) == {"First."}


@pytest.mark.slow
@pytest.mark.parametrize("what", one_in(2, ["open", "create"], first=1))
def test_after_a_kill_that_left_a_wal_alone_no_new_grove_takes_its_place(
    path: Path, elsewhere: Path, desktop: Desktop, what: str
) -> None:
    with program(path, desktop) as window:
        begin(window)
        os.kill(window.pid, signal.SIGSTOP)  # it does not look any more
        path.rename(elsewhere / "g.loom")
        window.kill()
        window.wait()

    with pytest.raises(GroveError) as told:
        (open_grove if what == "open" else create_grove)(path)

    assert told.value.code == "walAlone"
    assert "Put g.loom back" in told.value.message
    (elsewhere / "g.loom").rename(path)
    assert texts(path) == SAVED


@pytest.mark.slow
def test_a_grove_that_was_renamed_before_a_kill_says_where_its_last_words_are(
    path: Path, desktop: Desktop
) -> None:
    with program(path, desktop) as window:
        begin(window)
        os.kill(window.pid, signal.SIGSTOP)
        path.rename(path.with_name("renamed.loom"))
        window.kill()
        window.wait()

    with open_grove(path.with_name("renamed.loom")) as grove:
        assert "g.loom-wal lies beside renamed.loom" in grove.notice
    with pytest.raises(GroveError):
        look(path)
    path.with_name("renamed.loom").rename(path)
    assert texts(path) == SAVED
