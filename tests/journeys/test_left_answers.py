"""An answer that a command line could not add, while the window is open: it is added there, or stays.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.generation.answers import CrashedRun, Sources
from loomapp.core.generation.drafts import Draft
from loomapp.session.recovery import run_row
from loomapp.store.files import drafts
from loomapp.store.files.draft_claims import claim
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.open import create_grove
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.groves import MODEL
from tests.kit.windows import open_window


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    create_grove(tmp_path / "g.loom").close()
    with open_window(tmp_path / "g.loom", qtbot) as window:
        yield window


def leave(window: MainWindow, node_id: str, *texts: str) -> None:
    """What a command line leaves that breaks off while it streams these answers."""
    document = window.document
    folder = drafts_folder(document.grove.path)
    streamed = tuple(Draft(index, text) for index, text in enumerate(texts))
    run = CrashedRun("run", document.tree.loom.id, Sources(node_id), MODEL.id, streamed, agent=MODEL)
    held = claim(folder, run_row(run, 1).slot)
    assert held is not None
    drafts.keep(folder, run_row(run, 1))
    held.release()


def test_answers_that_a_command_left_are_added_in_the_open_window_which_says_so(
    window: MainWindow, qtbot: QtBot
) -> None:
    root_id = window.document.tree.root_id
    leave(window, root_id, "Because.", "Who knows.")

    qtbot.waitUntil(lambda: len(window.document.tree.children(root_id)) == 2)

    assert (
        "2 answers of a command that broke off were added" in find(window.status, QLabel, "statusNote").text()
    )
    qtbot.waitUntil(lambda: drafts.read(drafts_folder(window.document.grove.path)) == [])


@pytest.mark.slow
def test_a_copied_answer_to_a_node_that_is_gone_is_kept_until_it_is_thrown_away(
    window: MainWindow, qtbot: QtBot
) -> None:
    folder = drafts_folder(window.document.grove.path)
    leave(window, "gone", "Because.", "Who knows.")
    qtbot.waitUntil(window.banner.offered.isVisible)
    assert "2 answers were being written to a message that is gone" in window.banner.offered.text

    find(window.banner.offered, QPushButton, "errorAction").click()

    assert QGuiApplication.clipboard().text() == "Because.\n\nWho knows."
    assert "is kept" in window.banner.offered.text
    assert len(drafts.read(folder)) == 1
    find(window.banner.offered, QPushButton, "errorAction").click()
    qtbot.waitUntil(lambda: drafts.read(folder) == [])
