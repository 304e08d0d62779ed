"""Sentences of the status bar: a grove that is open already, an undo, answers that came back.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from loomapp.core.generation.answers import CrashedRun, Sources
from loomapp.core.generation.drafts import Draft
from loomapp.session.recovery import run_row
from loomapp.store.files import drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.identity import now
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.refused_groves import sample, windows_of
from tests.kit.windows import open_window, unseen_window
from tests.session.programs import SCRIPTED


def said(window: MainWindow) -> str:
    return find(window.status, QLabel, "statusNote").text()


def test_a_grove_that_is_open_already_is_said_to_be(tmp_path: Path, qtbot: QtBot) -> None:
    path = sample(tmp_path / "g.loom")
    with windows_of(qtbot) as windows:
        windows.open(path)
        qtbot.waitUntil(lambda: len(windows.windows) == 1)
        [window] = windows.windows

        windows.open(path)

        assert said(window) == "This grove is open already."
        assert windows.windows == (window,)


@pytest.mark.slow
def test_an_undo_that_empties_the_text_does_not_say_that_it_stood_beside(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    path = written(tmp_path / "g.loom", ("Name a bird.", ""))
    with open_window(path, qtbot) as window:
        window.document.new_tree("buffer")
        qtbot.waitUntil(window.text_pane.buffer.isVisible)
        window.text_pane.focus_text()
        pointer.type_ascii("Few words")
        window.writing.save()

        while window.buffer.text:
            window.actions_set.by_name["undo"].trigger()
        assert "beside" not in said(window)


@pytest.mark.slow
def test_answers_that_came_back_are_counted(tmp_path: Path, qtbot: QtBot) -> None:
    path = written(tmp_path / "g.loom", ("Name a bird.", ""))
    with open_window(path, qtbot) as window:
        tree = window.document.tree
        tree_id, node_id = tree.loom.id, tree.path.leaf_id
    answers = (Draft(0, "Wren."), Draft(1, "Lark."))
    run = CrashedRun("run", tree_id, Sources(node_id), SCRIPTED.id, answers, agent=SCRIPTED)
    drafts.keep(drafts_folder(path), run_row(run, now()))

    with unseen_window(path) as window:  # no event is handled before: the sentence goes after a few seconds
        assert said(window) == "2 answers that broke off with the last session were saved."
