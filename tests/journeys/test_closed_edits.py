"""An edit or a note that is left with Esc keeps its words, says so, and opens again with them.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.store.files import drafts
from loomapp.ui.widgets.labels import ElidedLabel
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import open_window, preview

Begin = Callable[[MainWindow, QtBot, Pointer], QPlainTextEdit]


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A question and its answer, which is read."""
    return written(tmp_path / "g.loom", ("Name a bird.", ""), ("Wren.", "Name a bird."))


def begin_edit(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> QPlainTextEdit:
    window.text_pane.focus_text()
    pointer.key("F2")
    qtbot.waitUntil(lambda: window.dialogue.is_editing)
    message = window.dialogue.message(window.document.current_id)
    assert message is not None
    assert message.editor is not None
    return message.editor.field


def begin_note(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> QPlainTextEdit:
    window.actions_set.by_name["annotate"].trigger()
    qtbot.waitUntil(window.text_pane.note_box.editor.field.hasFocus)
    return window.text_pane.note_box.editor.field


def is_open(window: MainWindow) -> bool:
    return window.dialogue.is_editing or window.text_pane.note_box.isVisible()


def discard(field: QPlainTextEdit) -> None:
    editor = field.parentWidget()
    assert editor is not None
    find(editor, QPushButton, "discardEditButton").click()


BEGIN = {"edit": begin_edit, "note": begin_note}
WORDS = {"edit": "Wren. Or a lark", "note": " Or a lark"}


@pytest.mark.parametrize("kind", one_in(2, BEGIN))
def test_what_is_left_with_esc_is_told_of_and_opens_again_with_its_words(
    kind: str, grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        BEGIN[kind](window, qtbot, pointer)
        pointer.type_ascii(" Or a lark")
        pointer.key("Escape")
        qtbot.waitUntil(lambda: not is_open(window))
        assert window.text_pane.closed_texts.text.endswith("Or a lark”")
        assert "lark" not in str(preview(window))

        field = BEGIN[kind](window, qtbot, pointer)

        assert field.toPlainText() == WORDS[kind]
        assert window.text_pane.closed_texts.isHidden()
        field.insertPlainText(" or a wren" * 8)
        pointer.key("Escape")
        qtbot.waitUntil(lambda: not is_open(window))
        assert window.text_pane.closed_texts.text.endswith("…”")

        discard(BEGIN[kind](window, qtbot, pointer))


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_in(2, BEGIN, first=1))
def test_what_was_left_with_esc_is_gone_on_with_or_discarded_above_the_composer(
    kind: str, grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        strip = window.text_pane.closed_texts
        BEGIN[kind](window, qtbot, pointer)
        pointer.type_ascii(" Or a lark")
        pointer.key("Escape")
        qtbot.waitUntil(strip.isVisible)

        pointer.click(find(strip, QPushButton, "errorAct_goOn"))
        qtbot.waitUntil(lambda: is_open(window))
        assert strip.isHidden()
        pointer.key("Escape")
        qtbot.waitUntil(strip.isVisible)
        pointer.click(find(strip, QPushButton, "errorAct_discard"))

        qtbot.waitUntil(strip.isHidden)
        field = BEGIN[kind](window, qtbot, pointer)
        assert field.toPlainText() == ("Wren." if kind == "edit" else "")
        pointer.key("Escape")
        qtbot.waitUntil(lambda: not is_open(window))
        assert strip.isHidden()
    assert not drafts.read(drafts.drafts_folder(grove))


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_in(2, BEGIN))
def test_what_was_left_with_esc_stays_closed_after_a_restart_and_in_another_tree(
    kind: str, grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        BEGIN[kind](window, qtbot, pointer)
        pointer.type_ascii(" Or a lark")
        pointer.key("Escape")
        qtbot.waitUntil(lambda: not is_open(window))
        tree_id = window.document.tree.loom.id
        window.document.new_tree("dialogue")
        window.document.open_tree(tree_id)
        assert not is_open(window)

    with open_window(grove, qtbot) as window:
        strip = window.text_pane.closed_texts
        qtbot.waitUntil(strip.isVisible)
        assert not is_open(window)
        pointer.type_ascii("A word")
        qtbot.waitUntil(lambda: window.composer.text == "A word")
        assert "Or a lark" in strip.text

        field = BEGIN[kind](window, qtbot, pointer)
        assert field.toPlainText() == WORDS[kind]
        discard(field)


@pytest.mark.slow
def test_an_edit_that_was_left_waits_while_another_message_is_sent(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        begin_edit(window, qtbot, pointer)
        pointer.type_ascii(" Or a lark")
        pointer.key("Escape")
        qtbot.waitUntil(lambda: not is_open(window))
        before = window.document.path_ids

        assert window.writings.edited() is None
        window.document.open_tree(window.document.tree.loom.id)

        assert window.document.path_ids == before
        assert not is_open(window)
        assert "Or a lark" in window.text_pane.closed_texts.text
        window.text_pane.closed_texts.act_clicked.emit("discard")


@pytest.mark.slow
def test_with_an_edit_open_above_the_end_the_composer_names_the_edit(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        said = find(window.composer, ElidedLabel, "continuingLabel")
        question = window.document.path_ids[1]
        assert said.isHidden()
        window.dialogue.open_editor(question)
        pointer.type_ascii(" Or a fish.")

        qtbot.waitUntil(said.isVisible)
        assert "Name a bird. Or a fish." in said.accessibleName() + said.text() + said.toolTip()
        pointer.key("Escape")

        qtbot.waitUntil(said.isHidden)
        window.text_pane.closed_texts.act_clicked.emit("discard")


def test_a_note_that_is_still_open_leaves_the_keyboard_in_the_text_after_a_restart(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["annotate"].trigger()
        window.text_pane.note_box.editor.field.insertPlainText("Or a lark")

    with open_window(grove, qtbot) as window:
        assert window.text_pane.note_box.isVisible()
        qtbot.waitUntil(window.composer.field.hasFocus)
