"""What is saved stays saved, whatever the window looks at and whatever other programs do to the file.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.model.change import Change
from loomapp.session.lifetime.backups import Backups
from loomapp.session.lifetime.foreign_writes import Watch
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Desktop
from tests.kit.locks import drop_locks, lasting_locks
from tests.kit.processes import warm
from tests.kit.processes.outside import loomapp, new_tree
from tests.kit.windows import open_window

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system lists no locks")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    create_grove(path).close()
    return path


@contextmanager
def program(path: Path, desktop: Desktop) -> Iterator[warm.Started]:
    """The program in a process of its own; it ends by kill -9."""
    with warm.program("window", "browsing", str(path)) as window:
        assert answer(window) == "ready"
        yield window


def answer(window: warm.Started, asked: str = "") -> str:
    if asked:
        window.say(asked)
    return window.stdout.readline().strip()


def write_outside(path: Path, tree_id: str, root: str, words: str) -> None:
    loomapp("node", "add", "--grove", path, "--tree", tree_id, "--parent", root, "--text", words)


def texts(path: Path) -> set[str]:
    with open_grove(path) as grove:
        return {n.text for row in grove.trees() for n in grove.load_tree(row.id).nodes.values() if n.text}


def test_what_is_saved_after_a_look_for_files_outlives_a_kill(path: Path, desktop: Desktop) -> None:
    tree_id, root = new_tree(path)
    with program(path, desktop) as window:
        assert answer(window, "write Before.") == "saved"
        assert lasting_locks(path, window.pid) == 2
        assert answer(window, "look") == "left"
        assert lasting_locks(path, window.pid) == 2
        write_outside(path, tree_id, root, "From outside.")
        assert answer(window, "write After.") == "saved"

    assert texts(path) == {"Before.", "From outside.", "After."}


def test_a_window_that_lost_its_locks_has_them_again_within_a_look(
    path: Path, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    with open_window(path, qtbot):
        drop_locks(path)
        assert lasting_locks(path) == 0

        qtbot.waitUntil(lambda: lasting_locks(path) == 2)
    caplog.clear()


@pytest.mark.slow
def test_a_wal_that_is_deleted_is_said_in_a_banner_and_costs_nothing(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        write(window, "Before.")
        path.with_name("g.loom-wal").unlink()

        qtbot.waitUntil(lambda: "g.loom-wal" in window.banner.notice.text)

        write(window, "After.")
        assert "There is nothing to do" in window.banner.notice.text
        assert window.banner.isVisible()

    assert texts(path) == {"Before.", "After."}


@pytest.mark.slow
def test_a_tree_that_another_program_wrote_to_meanwhile_is_read_again(path: Path, qtbot: QtBot) -> None:
    tree_id, root = new_tree(path)
    with open_window(path, qtbot) as window:
        without_looks(window)
        write(window, "From here.")
        for ending in ("-wal", "-shm"):
            path.with_name(f"g.loom{ending}").unlink()
        write_outside(path, tree_id, root, "From outside.")
        tree = window.document.tree

        looks(window)

        qtbot.waitUntil(lambda: window.document.tree is not tree)
        assert {node.text for node in window.document.tree.nodes.values()} >= {"From here.", "From outside."}
        assert "Your messages were added" in window.banner.notice.text
        write(window, "After.")

    assert texts(path) == {"From here.", "From outside.", "After."}


@pytest.mark.slow
def test_words_are_kept_in_the_window_while_another_file_has_the_groves_name(
    path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with open_window(path, qtbot) as window:
        without_looks(window)
        write(window, "Before.")
        aside = tmp_path / "aside"
        aside.mkdir()
        path.rename(aside / "g.loom")
        create_grove(tmp_path / "other.loom").close()
        (tmp_path / "other.loom").rename(path)

        window.run_command(lambda it: it.work.document.commit(message(window, "After.")))

        assert "Another file was put in the place of g.loom" in window.banner.unsaved.text
        path.unlink()
        (aside / "g.loom").rename(path)
        window.banner.retry_clicked.emit()
        qtbot.waitUntil(lambda: not list(window.unsaved))

    assert "After." in texts(path)


def message(window: MainWindow, words: str) -> Change:
    document = window.document
    return node_edits.add_node(document.tree, document.current_id, words, document.pen())


def write(window: MainWindow, words: str) -> None:
    window.document.commit(message(window, words))


def without_looks(window: MainWindow) -> None:
    """The window is not asked to look after its file until `looks`; nor does a backup read it."""
    for keeper in window.keepers:
        if isinstance(keeper, Watch | Backups):
            keeper._timer.stop()
            if isinstance(keeper, Backups):
                keeper._first.stop()


def looks(window: MainWindow) -> None:
    [watch] = [keeper for keeper in window.keepers if isinstance(keeper, Watch)]
    watch.look()
