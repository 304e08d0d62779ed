"""Edits and notes being written: the newest words win, outlive a kill, and open again where they belong.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QTextEdit
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.entities import Node
from loomapp.session.recovery import BegunKind, BegunText, begun_row
from loomapp.store.files import drafts
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands import node_actions
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.test_kept import kept_words
from tests.journeys.test_quitting import busy_window
from tests.kit.desktop import Desktop, Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.windows import open_window, tree_settings
from tests.store.test_disk_full import no_file_may_grow_beyond

WAIT_MS = 20_000
LOST_S = 1.0  # is promised
SLACK = 3  # for a machine that others use


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove with the trees Fish and Birds; Birds is read."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        for title in ("Fish", "Birds"):
            pen = edit_context.EditContext(grove.owner.id, now(), new_id)
            tree = tree_edits.new_tree("dialogue", title, pen)
            grove.add_tree(tree, [grove.owner])
            tree = grove.load_tree(tree.loom.id)
            for text in ("Name one.", "Wren."):
                grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, text, pen))
            grove.put_setting("window.tree", tree.loom.id)
    return path


@contextmanager
def full_disk() -> Iterator[None]:
    """The grove takes nothing more; what is small, such as an icon, is written elsewhere."""
    with no_file_may_grow_beyond(3000):
        yield


def texts(window: MainWindow) -> set[str]:
    return {node.text for node in window.document.tree.nodes.values()}


def by_text(window: MainWindow, text: str) -> Node:
    return next(node for node in window.document.tree.nodes.values() if node.text == text)


def tree_called(window: MainWindow, title: str) -> str:
    return next(row.id for row in window.document.trees.rows() if row.title == title)


def edit_field(window: MainWindow) -> QPlainTextEdit:
    fields = window.dialogue.findChildren(QPlainTextEdit, "messageEditorField")
    return next(field for field in fields if field.isVisible())


def note_field(window: MainWindow) -> QPlainTextEdit:
    return window.text_pane.note_box.editor.field


def save_edit(window: MainWindow) -> None:
    buttons = window.dialogue.findChildren(QPushButton, "saveEditButton")
    next(button for button in buttons if button.isVisible()).click()


# What is typed after a save that failed


@pytest.mark.slow
@pytest.mark.parametrize("away", one_in(2, [True, False]))
def test_trying_again_saves_the_newest_words_of_an_edit_and_a_note(
    grove: Path, qtbot: QtBot, away: bool
) -> None:
    with open_window(grove, qtbot) as window:
        wren = by_text(window, "Wren.").id
        with full_disk():
            node_actions.annotate(window.bench)
            note_field(window).setPlainText("An older note.")
            window.text_pane.note_box.editor.on_save()
            window.dialogue.open_editor(wren)
            edit_field(window).setPlainText("Lark, older.")
            save_edit(window)
            assert "a note and an edit" in window.banner.unsaved.text
        note_field(window).setPlainText("The newest note.")
        edit_field(window).setPlainText("Lark, newest.")
        if away:
            window.document.open_tree(tree_called(window, "Fish"))

        window.unsaved.retry()

        assert {"The newest note.", "Lark, newest."} <= texts(window)
        assert not {"An older note.", "Lark, older."} & texts(window)
        assert window.banner.isHidden()
        assert not window.text_pane.note_box.isVisible()
        assert window.dialogue.edited_text(wren) is None
    assert not drafts.read(drafts.drafts_folder(grove))


@pytest.mark.slow
def test_settings_typed_back_to_what_is_saved_are_not_saved_in_their_older_version(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        text = find(tree_settings(window), QTextEdit, "treeSystemContext")
        with full_disk():
            text.setPlainText("You are a poet.")
            window.settings_page.flush()
            assert "tree settings" in window.banner.unsaved.text

        text.setPlainText("")
        window.settings_page.flush()
        window.unsaved.retry()

        assert window.document.tree.loom.system_context is None
        assert "tree settings" not in window.banner.unsaved.text


def test_an_act_that_failed_is_done_again_on_what_it_was_about_whatever_was_saved_since(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        wren, birds = by_text(window, "Wren.").id, window.document.tree.loom.id
        with full_disk():
            window.run_command(node_actions.toggle_bookmark)
        window.document.trees.rename(birds, "All birds")
        window.document.place.set_current(by_text(window, "Name one.").id)
        window.document.open_tree(tree_called(window, "Fish"))
        assert "what you did" in window.banner.unsaved.text

        window.unsaved.retry()

        tree = window.document.tree
        assert tree.loom.id == birds
        assert [i for i, node in tree.nodes.items() if node.metadata.bookmarked] == [wren]
        assert window.banner.isHidden()


# What is typed and not saved yet


@pytest.mark.slow
def test_an_edit_and_a_note_wait_while_another_tree_is_read(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        birds, wren = window.document.tree.loom.id, by_text(window, "Wren.").id
        node_actions.annotate(window.bench)
        note_field(window).setPlainText("Half a note")
        window.dialogue.open_editor(wren)
        edit_field(window).setPlainText("Half a lark")

        window.document.open_tree(tree_called(window, "Fish"))
        assert not window.text_pane.note_box.isVisible()
        window.document.open_tree(birds)

        assert window.dialogue.edited_text(wren) == "Half a lark"
        assert window.text_pane.note_box.isVisible()
        assert window.text_pane.note_box.editor.text == "Half a note"
        find(window.dialogue, QPushButton, "discardEditButton").click()
        window.text_pane.note_box.on_discarded()
    assert not drafts.read(drafts.drafts_folder(grove))


@pytest.mark.slow
def test_the_key_that_begins_an_edit_takes_no_word_from_one_that_is_open(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        wren = by_text(window, "Wren.").id
        window.dialogue.setFocus()
        pointer.key("F2")
        qtbot.waitUntil(lambda: window.dialogue.is_editing)
        pointer.type_ascii(" Or a lark.")
        qtbot.waitUntil(lambda: window.dialogue.edited_text(wren) == "Wren. Or a lark.")
        window.composer.field.setFocus()

        pointer.key("F2")

        qtbot.waitUntil(edit_field(window).hasFocus)
        assert window.dialogue.edited_text(wren) == "Wren. Or a lark."
        find(window.dialogue, QPushButton, "discardEditButton").click()


@pytest.mark.slow
def test_an_edit_typed_back_is_none(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.dialogue.open_editor(by_text(window, "Wren.").id)
        edit_field(window).setPlainText("Lark.")
        assert window.journal is not None
        qtbot.waitUntil(lambda: "Lark." in kept_words(grove), timeout=WAIT_MS)

        edit_field(window).setPlainText("Wren.")

        qtbot.waitUntil(lambda: "Lark." not in kept_words(grove), timeout=WAIT_MS)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", one_in(2, ["edit", "note"]))
def test_a_kill_costs_at_most_a_moment_of_an_edit_or_a_note(
    grove: Path, qtbot: QtBot, desktop: Desktop, kind: str
) -> None:
    """Each word that is typed is the time at which it was."""
    with busy_window(grove, desktop, kind) as process:
        process.send_signal(signal.SIGKILL)
        killed_at = time.monotonic()
        process.wait()

    with open_window(grove, qtbot) as window:
        wren = by_text(window, "Wren.").id
        box = window.text_pane.note_box
        assert box.isVisible() == (kind == "note")
        text = box.editor.text if kind == "note" else window.dialogue.edited_text(wren)
        assert text is not None
        times = [float(word) for word in text.removeprefix("Wren.").split()]
        assert times == sorted(times)
        assert killed_at - times[-1] < LOST_S * SLACK
        box.editor.on_save() if kind == "note" else save_edit(window)
        assert {"Wren.", text} <= texts(window)
    assert not drafts.read(drafts.drafts_folder(grove))


def left_behind(grove: Path, kind: BegunKind, node_id: str, text: str) -> None:
    """What a killed session leaves."""
    with open_grove(grove) as opened:
        tree_id = next(row.id for row in opened.trees() if row.title == "Birds")
    drafts.keep(drafts.drafts_folder(grove), begun_row(BegunText(kind, tree_id, node_id, text, now())))


def add_below(window: MainWindow, text: str) -> None:
    """One more message at the end of what is read."""
    document = window.document
    document.commit(node_edits.add_node(document.tree, document.path_ids[-1], text, document.pen()))


@pytest.mark.slow
def test_a_note_that_was_left_behind_stands_in_its_field_again(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        wren = by_text(window, "Wren.").id
    left_behind(grove, "note", wren, "Half a note")

    with open_window(grove, qtbot) as window:
        assert window.text_pane.note_box.isVisible()
        assert window.text_pane.note_box.editor.text == "Half a note"
        window.text_pane.note_box.editor.on_save()
        assert "Half a note" in texts(window)
    assert not drafts.read(drafts.drafts_folder(grove))


@pytest.mark.slow
@pytest.mark.parametrize("words", one_in(2, ["Lark.", "A long message. " * 400], first=1))
def test_the_keyboard_is_in_an_edit_that_was_left_behind_and_stays_there(
    words: str, grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        wren = by_text(window, "Wren.").id
        add_below(window, words)
    left_behind(grove, "edit", wren, "Half a lark")

    with open_window(grove, qtbot) as window:
        pointer.type_ascii(" and more")
        qtbot.waitUntil(lambda: window.dialogue.edited_text(wren) == "Half a lark and more")
        find(window.dialogue, QPushButton, "discardEditButton").click()


@pytest.mark.parametrize("by_hand", one_in(2, [False, True], first=1))
def test_words_for_a_message_that_is_not_read_any_more_wait_until_somebody_goes_there(
    grove: Path, qtbot: QtBot, by_hand: bool
) -> None:
    with open_window(grove, qtbot) as window:
        wren = by_text(window, "Wren.").id
        document = window.document
        document.commit(node_edits.edit_as_sibling(document.tree, wren, "Owl.", document.pen()))
    left_behind(grove, "edit", wren, "Half a lark")
    left_behind(grove, "note", wren, "Half a note")

    with open_window(grove, qtbot) as window:
        strip = window.text_pane.closed_texts
        assert "Half a lark" in strip.text
        if by_hand:
            window.document.place.read_through(wren)
            window.document.place.set_current(wren)
            window.actions_set.by_name["annotate"].trigger()
            assert note_field(window).toPlainText() == "Half a note"
            window.actions_set.by_name["edit"].trigger()
        else:
            strip.act_clicked.emit("goOn")
        assert window.dialogue.edited_text(wren) == "Half a lark"
        save_edit(window)
        assert {"Wren.", "Owl.", "Half a lark"} <= texts(window)


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_in(2, ["edit", "note"], first=1))
def test_words_for_a_message_that_is_gone_are_offered_as_text(
    grove: Path, qtbot: QtBot, kind: BegunKind
) -> None:
    left_behind(grove, kind, "gone", "Half a lark")

    with open_window(grove, qtbot) as window:
        assert "gone" in window.banner.offered.text
        window.banner.offered.action_clicked.emit()
        assert QGuiApplication.clipboard().text() == "Half a lark"
    assert not drafts.read(drafts.drafts_folder(grove))


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_in(2, ["edit", "note"]))
def test_words_that_were_saved_just_before_the_kill_are_not_offered_again(
    grove: Path, qtbot: QtBot, kind: BegunKind
) -> None:
    with open_window(grove, qtbot) as window:
        wren = by_text(window, "Wren.").id
    left_behind(grove, kind, wren, "Lark.")
    with open_window(grove, qtbot) as window:
        document, make = (
            window.document,
            node_edits.annotate if kind == "note" else node_edits.edit_as_sibling,
        )
        window.writings.forget(kind, wren)
        document.commit(make(document.tree, wren, "Lark.", document.pen()))
    with open_grove(grove) as opened:
        tree_id = next(row.id for row in opened.trees() if row.title == "Birds")
    drafts.keep(drafts.drafts_folder(grove), begun_row(BegunText(kind, tree_id, wren, "Lark.", 1)))

    with open_window(grove, qtbot) as window:
        assert window.banner.isHidden()
        assert not window.text_pane.note_box.isVisible()
        assert window.dialogue.edited_text(wren) is None
    assert not drafts.read(drafts.drafts_folder(grove))
