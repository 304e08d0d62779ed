"""A card that was chosen stays the one that keys act on while words of the text become a node.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.session.lifetime.backups import Backups
from loomapp.ui.graph.input.pointer import Target
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.ui.buffer.test_beside_a_stream import seen
from tests.ui.buffer.test_words_behind_an_answer import (
    BEGINNING,
    Choir,
    asked,
    choir,
    go_behind,
    texts,
    wait_for_end,
    whole,
)

__all__ = ["choir"]

WORDS = " Words of mine."


def click(window: MainWindow, node_id: str) -> None:
    """Click a card: the keyboard is the graph's then."""
    graph = window.graph
    graph.setFocus(Qt.FocusReason.MouseFocusReason)
    graph.letters.click()
    graph.on_pressed(Target(graph._scene.row_of(node_id), "card"), shift=False)


def press(window: MainWindow, name: str) -> None:
    window.actions_set.by_name[name].trigger()


def written_behind_an_answer(window: MainWindow, qtbot: QtBot, choir: Choir) -> str:
    """The answer, which has landed; the words behind it are in no node, and become none by themselves."""
    [backups] = [keeper for keeper in window.keepers if isinstance(keeper, Backups)]
    backups.blockSignals(True)  # before a backup all is saved
    window.writing.autosave.may_save = lambda: False
    go_behind(window)
    QTest.keyClicks(window.buffer.view.editor, WORDS)
    choir.end(0)
    wait_for_end(window, qtbot)
    assert window.writing.working_text == WORDS
    return window.document.path_ids[-1]


@pytest.mark.parametrize("is_saved_before", one_in(2, [True, False]))
def test_delete_hits_the_answer_that_was_clicked_not_the_words_behind_it(
    tmp_path: Path, qtbot: QtBot, choir: Choir, is_saved_before: bool
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        document, graph = window.document, window.graph
        answer_id = written_behind_an_answer(window, qtbot, choir)
        click(window, answer_id)
        assert (document.current_id, graph.current_node_id) == (answer_id, answer_id)
        qtbot.waitUntil(lambda: graph._flight.end is None and not graph._glide.under_way)
        place = graph.node_rect(answer_id)

        if is_saved_before:
            assert window.writing.save()
            assert texts(window)[-2:] == [whole(0), WORDS]
            assert (document.current_id, graph.current_node_id) == (answer_id, answer_id)
            assert (graph.hasFocus(), graph._flight.end, graph.node_rect(answer_id)) == (True, None, place)
        press(window, "prune")

        tree = document.tree
        pruned = [node.text for node in tree.nodes.values() if node.metadata.pruned]
        assert tree.nodes[answer_id].metadata.pruned
        assert seen(window) == BEGINNING
        assert pruned == [whole(0)] or set(pruned) == {whole(0), WORDS}
        press(window, "undo")
        assert seen(window) == BEGINNING + whole(0) + WORDS


@pytest.mark.slow
def test_f2_on_the_answer_that_was_clicked_goes_into_it(tmp_path: Path, qtbot: QtBot, choir: Choir) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        answer_id = written_behind_an_answer(window, qtbot, choir)
        click(window, answer_id)

        press(window, "edit")

        editor = window.buffer.view.editor
        assert (editor.hasFocus(), editor.caret) == (True, len(BEGINNING + whole(0)))


@pytest.mark.slow
def test_who_went_to_the_graph_by_its_key_keeps_the_card_he_saw_there(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        answer_id = written_behind_an_answer(window, qtbot, choir)
        press(window, "focusGraph")

        assert window.writing.save()

        assert window.document.current_id == answer_id
        press(window, "focusText")
        QTest.keyClicks(window.buffer.view.editor, " More.")
        assert seen(window) == BEGINNING + whole(0) + WORDS + " More."
        assert window.document.current_id == window.document.path_ids[-1] != answer_id


@pytest.mark.slow
def test_who_writes_on_goes_along_with_his_words(tmp_path: Path, qtbot: QtBot, choir: Choir) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        answer_id = written_behind_an_answer(window, qtbot, choir)

        assert window.writing.save()

        assert window.document.current_id == window.document.path_ids[-1] != answer_id
