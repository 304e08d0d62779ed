"""Spelling in the window: wavy lines in buffer and composer, and a suggestion that is typed for one.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QTextCharFormat
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window

WAVE = QTextCharFormat.UnderlineStyle.WaveUnderline
TEXT = "The lihgt 🌊 was `prinft` and wrnog."


def waves(window: MainWindow) -> list[str]:
    """The words of the buffer with a wavy line, as the editor asks for them."""
    editor = window.buffer.view.editor
    looks = editor.formats_of(0, len(editor.text))
    return [editor.text[a:b] for a, b, look in looks if look.underlineStyle() == WAVE]


def test_a_wrong_word_in_a_buffer_is_marked_and_put_right_as_typing(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "g.loom"
    new_tree(path, mode="buffer")
    with open_window(path, qtbot) as window:
        editor = window.buffer.view.editor
        editor.setFocus()
        editor.put(TEXT)
        assert waves(window) == []  # it is off until it is wanted

        window.preferences.put("spelling", "en_US")
        qtbot.waitUntil(lambda: waves(window) == ["lihgt", "wrnog"])
        qtbot.waitUntil(lambda: window.spelling.spelling.suggestions("wrnog") is not None)
        editor.set_caret(TEXT.index("wrnog") + 2)
        at = editor.cursorRect().center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, editor.mapToGlobal(at))
        QApplication.sendEvent(editor, event)
        menu = find(editor, QMenu, "spellingMenu")
        [right] = [action for action in menu.actions() if action.text() == "wrong"]
        rows = ["—" if action.isSeparator() else action.text() for action in menu.actions()]
        own = rows.index("Add to my words")
        assert (rows[own - 1], rows[own + 2]) == ("—", "—")  # neither a suggestion nor the editor's
        right.trigger()
        qtbot.waitUntil(lambda: waves(window) != ["lihgt", "wrnog"])

        assert editor.text == TEXT.replace("wrnog", "wrong")
        assert window.writing.undo.undo_typing()
        assert editor.text == TEXT
        QTest.keyClicks(editor, " wrng")
        qtbot.waitUntil(lambda: window.spelling.spelling.suggestions("wrng") is not None)
        assert "wrng" not in waves(window)  # it may become a word still
        QTest.keyClicks(editor, " ")
        assert "wrng" in waves(window)
        assert window.writing.undo.undo_typing()
        [add] = [action for action in menu.actions() if action.text() == "Add to my words"]
        add.trigger()
        assert waves(window) == ["lihgt"]
        menu.close()
        window.preferences.put("spelling", "off")
        assert waves(window) == []


@pytest.mark.slow
def test_the_composer_is_marked_and_its_text_is_left_alone(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "g.loom"
    new_tree(path)
    with open_window(path, qtbot) as window:
        window.preferences.put("spelling", "en_US")
        field = window.composer.field
        field.setPlainText(TEXT)
        qtbot.waitUntil(lambda: len(field.extraSelections()) == 2)

        cursors = [selection.cursor.selectedText() for selection in field.extraSelections()]
        assert cursors == ["lihgt", "wrnog"]
        assert window.composer.text == TEXT


@pytest.mark.slow
def test_a_suggestion_goes_where_its_word_stands_by_now_or_nowhere(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.loom"
    new_tree(path, mode="buffer")
    with open_window(path, qtbot) as window:
        said: list[str] = []
        monkeypatch.setattr(window, "note", said.append)
        window.preferences.put("spelling", "en_US")
        editor = window.buffer.view.editor
        text = "The cat sat. The dog wrnog home."
        editor.put(text)
        qtbot.waitUntil(lambda: waves(window) == ["wrnog"])
        qtbot.waitUntil(lambda: window.spelling.spelling.suggestions("wrnog") is not None)

        def chosen(change: Callable[[], object]) -> str:
            """What the text is if the word is corrected by a menu that was open during a change."""
            editor.select(0, len(editor.text))
            editor.put(text)
            menu = window.spelling.menu_at(editor, text.index("wrnog") + 2, editor.text)
            assert menu is not None
            [right] = [action for action in menu.actions() if action.text() == "wrong"]
            change()
            right.trigger()
            return editor.text

        def put(begin: int, end: int, words: str) -> None:
            editor.select(begin, end)
            editor.put(words)

        right = text.replace("wrnog", "wrong")
        at = text.index("wrnog")
        assert chosen(lambda: put(7, 7, " in the 🌊")) == right.replace("cat", "cat in the 🌊")
        once = Qt.ConnectionType.SingleShotConnection  # as what is offered is settled
        assert chosen(lambda: editor.about_to_write.connect(lambda: editor.set_caret(0), once)) == right
        assert said == []
        assert chosen(lambda: put(at + 5, at + 5, "s")) == text.replace("wrnog", "wrnogs")
        assert chosen(lambda: put(at, at + 5, "ran")) == text.replace("wrnog", "ran")
        assert len(said) == 2

        field = window.composer.field
        field.setPlainText("A 🌊 wrnog b")
        menu = window.spelling.menu_at(field, 5, field.toPlainText())
        assert menu is not None
        [action] = [action for action in menu.actions() if action.text() == "wrong"]
        field.textCursor().insertText("Oh! ")
        action.trigger()
        assert field.toPlainText() == "Oh! A 🌊 wrong b"
        field.setPlainText("wrnog and other words")
        action.trigger()
        assert field.toPlainText() == "wrnog and other words"


def test_what_is_missing_is_said(tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g.loom"
    new_tree(path)
    with open_window(path, qtbot) as window:
        said: list[str] = []
        monkeypatch.setattr(window, "note", said.append)
        window.preferences.put("spelling", "pl_PL")

        assert not window.spelling.spelling.is_on
        assert "pl_PL" in said[0]
