"""The line that is written in stays on the screen, whatever comes and goes around the text.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.servers.fake_server import FakeServer, answers
from tests.kit.windows import open_window
from tests.ui.buffer.test_view import CONTROL, ask, server, writing

__all__ = ["server"]

LONG = "\n".join(f"Line {number} of many, which is not long." for number in range(80))
PARAGRAPH = "A paragraph that goes on and on. " * 120
SENTENCE = "This may be too much for the model, and it takes a line or two to say so. " * 3


def is_caret_in_view(window: MainWindow) -> bool:
    editor = window.buffer.view.editor
    return editor.viewport().rect().contains(editor.cursorRect())


def room(window: MainWindow) -> int:
    return window.buffer.view.editor.viewport().height()


@pytest.mark.parametrize("text", one_in(2, [LONG, PARAGRAPH]))
def test_a_strip_that_comes_below_the_text_hides_no_line_that_is_written_in(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, text: str
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, text) as window:
        editor, before = window.buffer.view.editor, room(window)
        editor.set_caret(len(text))
        assert is_caret_in_view(window)

        for _ in range(2):
            window.text_pane.errors.say(SENTENCE)
            qtbot.waitUntil(lambda: room(window) < before)
            assert is_caret_in_view(window)
            window.text_pane.errors.clear()
            qtbot.waitUntil(lambda: room(window) == before)
            assert is_caret_in_view(window)


def test_a_strip_that_comes_below_an_offer_hides_nothing_of_it(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    server.scripts = [answers("\nOne more.\nAnd one.\nAnd the last.")]
    with writing(tmp_path / "g.loom", qtbot, server, LONG) as window:
        editor = window.buffer.view.editor
        window.preferences.put("ghost_preview", True)
        editor.set_caret(len(LONG))
        ask(window, qtbot)
        before = room(window)
        assert editor.tail_text
        assert editor.is_end_in_view

        window.text_pane.errors.say(SENTENCE)
        qtbot.waitUntil(lambda: room(window) < before)

        assert editor.end_rect().center().y() < room(window)
        assert is_caret_in_view(window)


def test_a_caret_before_the_first_word_warns_of_nothing(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, "Who keeps the light?") as window:
        generate = find(window, QPushButton, "generateButton")
        window.buffer.view.editor.set_caret(0)
        window.preview.refresh_now()

        assert not generate.isEnabled()
        assert "Put the caret behind the words" in generate.toolTip()
        assert find(window, ErrorStrip, "contextError").isHidden()
        assert "refused" not in {window.display.forecast.fates.get(i) for i in window.document.tree.nodes}


@pytest.mark.slow
def test_a_strip_takes_nobody_from_where_he_reads(tmp_path: Path, qtbot: QtBot, server: FakeServer) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, LONG) as window:
        editor, before = window.buffer.view.editor, room(window)
        editor.set_caret(len(LONG))
        editor.verticalScrollBar().setValue(10)

        window.text_pane.errors.say(SENTENCE)
        qtbot.waitUntil(lambda: room(window) < before)

        assert editor.verticalScrollBar().value() == 10


@pytest.mark.slow
@pytest.mark.desktop
@pytest.mark.parametrize("text", one_in(2, [LONG, PARAGRAPH], first=1))
def test_after_a_restart_the_line_of_the_caret_is_seen_though_a_strip_came(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, text: str
) -> None:
    path = tmp_path / "g.loom"
    with writing(path, qtbot, server, text) as window:
        window.buffer.view.editor.set_caret(len(text))
        window.writing.settle()

    with open_window(path, qtbot) as window:
        assert window.buffer.view.editor.is_at_end
        assert is_caret_in_view(window)
        before = room(window)
        window.text_pane.errors.say(SENTENCE)
        qtbot.waitUntil(lambda: room(window) < before)
        assert is_caret_in_view(window)


def test_a_pager_at_the_top_of_a_long_text_is_in_view_still_once_it_turned(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, LONG) as window:
        editor, document = window.buffer.view.editor, window.document
        editor.set_caret(len("Line 0 of many"))
        said: list[str] = []
        window.announcer.said.connect(said.append)
        window.actions_set.by_name["generate"].trigger()
        assert said[-1:] == ["The text that followed is kept: ‹ beside the text leads back to it."]
        qtbot.waitUntil(lambda: document.tree.nodes[document.path_ids[-1]].author_type == "model")

        window.buffer.turning.turn_sibling(document.path_ids[-1], -1)

        assert editor.text == LONG
        window.buffer.turning.turn_sibling(document.path_ids[-1], 1)
        window.actions_set.by_name["generateSiblings"].trigger()
        qtbot.waitUntil(lambda: not window.generator.is_streaming())
        kept = "The text that followed is kept, as number 2 of ‹ › beside the text."
        assert kept in said
        assert editor.verticalScrollBar().value() == 0
        assert editor.line_rect(0).top() >= 0


def test_a_match_out_of_view_is_shown_before_it_is_replaced(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, LONG) as window:
        editor, bar, search = window.buffer.view.editor, window.buffer.view.find_bar, window.buffer.search
        editor.set_caret(len(LONG))
        search.begin()
        bar.words.setText("Line 3 of")
        bar.by.setText("Row 3 of")
        search.seek()
        editor.verticalScrollBar().setValue(editor.verticalScrollBar().maximum())

        find(bar, QPushButton, "replaceOne").click()
        assert editor.text == LONG
        assert editor.line_rect(LONG.index("Line 3 of")).top() >= 0

        find(bar, QPushButton, "replaceOne").setFocus()
        find(bar, QPushButton, "replaceOne").click()
        assert editor.text == LONG.replace("Line 3 of", "Row 3 of")
        assert bar.words.hasFocus()

        QTest.keyClick(bar.words, Qt.Key.Key_Z, CONTROL)  # of the replacement, not of what is looked for
        assert (editor.text, bar.words.text()) == (LONG, "Line 3 of")
        QTest.keyClick(bar.words, Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        assert editor.text == LONG.replace("Line 3 of", "Row 3 of")
        first, second, *_ = editor.createStandardContextMenu().actions()
        by_name = window.actions_set.by_name
        assert (first, second) == (by_name["undo"], by_name["redo"])
        QTest.keyClicks(bar.words, "x")
        QTest.keyClick(bar.words, Qt.Key.Key_Z, CONTROL)
        assert (editor.text.count("Row 3 of"), bar.words.text()) == (1, "Line 3 of")

        bar.leave()
        for name in ("undo", "redo"):  # what they change is seen, wherever one reads
            editor.set_caret(len(editor.text))
            window.actions_set.by_name[name].trigger()
            assert 0 <= editor.line_rect(LONG.index("Line 3 of")).top() < editor.viewport().height()
