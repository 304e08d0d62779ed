"""A disk that takes nothing: the window says what is unsaved, keeps every word, and saves it later.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QTextEdit
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.generation.answers import Sources
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.ui.commands import node_actions
from loomapp.ui.commands.save.leave import UnsavedQuestion
from loomapp.ui.window.main_window import MainWindow
from tests.kit import windows
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import agree
from tests.kit.servers.fake_server import Conversation, FakeServer, chunk
from tests.kit.windows import tree_settings
from tests.session.programs import ask_server_in
from tests.store.test_disk_full import fill, no_file_may_grow_beyond

LONG = "word " * 10_000
WAIT_MS = 20_000


@contextmanager
def open_window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """The program's window; one in which a test failed is closed without a question."""
    with windows.open_window(grove, qtbot) as window:
        try:
            yield window
        except BaseException:
            looking = when_asked(lambda question: press(question, "loseButton"))
            window.close()
            looking.stop()
            raise


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of five megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only the administrator can mount a small disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def grove(disk: Path) -> Path:
    """A grove with a question and an answer, on the small disk."""
    path = disk / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(
            grove.owner.id, 1_790_000_000_000, iter(f"n{i}" for i in range(99)).__next__
        )
        tree = tree_edits.new_tree("dialogue", "Birds", pen)
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for text in ("Name a bird.", "Wren."):
            grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, text, pen))
    return path


def texts(window: MainWindow) -> list[str]:
    return [node.text for node in window.document.tree.nodes.values()]


def by_text(window: MainWindow, text: str) -> str:
    return next(i for i, node in window.document.tree.nodes.items() if node.text == text)


def is_one(window: MainWindow) -> bool:
    """Memory, file and views say the same."""
    document = window.document
    script = window.dialogue._script
    assert script is not None
    return agree(document.grove, document.tree) and tuple(script.node_ids) == document.path_ids


def press_try_again(window: MainWindow, pointer: Pointer) -> None:
    pointer.click(find(window.banner.unsaved, QPushButton, "errorAction"))


def test_words_of_every_kind_stay_where_they_were_written_and_are_saved_when_there_is_room(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        wren, before = by_text(window, "Wren."), texts(window)
        said = window.banner.unsaved
        filling = fill(grove.parent)

        window.composer.set_text("Not yet said. " + LONG)
        window.run_command(node_actions.generate)
        node_actions.annotate(window.bench)
        window.text_pane.note_box.editor.field.setPlainText("A note. " + LONG)
        window.text_pane.note_box.editor.on_save()
        window.dialogue.open_editor(wren)
        find(window.dialogue, QPlainTextEdit, "messageEditorField").setPlainText("Lark. " + LONG)
        find(window.dialogue, QPushButton, "saveEditButton").click()
        window.settings_page.flush()
        find(tree_settings(window), QTextEdit, "treeSystemContext").setPlainText("You are a poet. " + LONG)
        window.settings_page.flush()

        assert window.banner.isVisible()
        for words in ("composer", "an edit", "a note", "tree settings", "disk is full", "kept here"):
            assert words in said.text
        assert window.composer.text.startswith("Not yet said.")
        assert find(window.dialogue, QPlainTextEdit, "messageEditorField").toPlainText().startswith("Lark.")
        assert window.text_pane.note_box.isVisible()
        assert window.text_pane.note_box.editor.text.startswith("A note.")
        assert (
            find(tree_settings(window), QTextEdit, "treeSystemContext")
            .toPlainText()
            .startswith("You are a poet.")
        )
        assert texts(window) == before
        assert window.document.tree.loom.system_context is None
        assert is_one(window)

        window.unsaved.retry()
        qtbot.waitUntil(lambda: "Tried again at" in said.text)
        assert texts(window) == before
        filling.unlink()
        press_try_again(window, pointer)

        qtbot.waitUntil(lambda: window.composer.text == "")
        window.generator.stop_all()
        qtbot.waitUntil(window.banner.isHidden, timeout=WAIT_MS)
        assert {"Lark. " + LONG, "A note. " + LONG, "Not yet said. " + LONG} <= set(texts(window))
        assert window.document.tree.loom.system_context == "You are a poet. " + LONG
        told = window.text_pane.errors.sentences  # also of a backup, where one was due meanwhile
        assert any("shorten it" in one for one in told)  # the message was saved, and could not be sent
        assert not window.text_pane.note_box.isVisible()
        assert window.dialogue.edited_text(wren) is None
        assert is_one(window)


@pytest.mark.slow
def test_focus_mode_says_that_words_are_not_saved_and_saves_them_when_there_is_room(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        pointer.key("F11")
        qtbot.waitUntil(window.isFullScreen)
        filling = fill(grove.parent)

        window.composer.set_text("Not yet said. " + LONG)
        window.run_command(node_actions.generate)

        qtbot.waitUntil(window.banner.unsaved.isVisible)
        assert "disk is full" in window.banner.unsaved.text
        assert not window.graph.isVisible()
        above = window.banner.mapTo(window, window.banner.rect().bottomLeft())
        assert above.y() < window.text_pane.dialogue.mapTo(window, QPoint()).y()
        filling.unlink()
        press_try_again(window, pointer)
        qtbot.waitUntil(lambda: window.composer.text == "")
        window.generator.stop_all()
        qtbot.waitUntil(window.banner.isHidden, timeout=WAIT_MS)
        assert "Not yet said. " + LONG in texts(window)


@pytest.mark.slow
def test_beside_an_edit_that_the_disk_did_not_take_nothing_is_sent_and_the_words_stay(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        wren, before, filling = by_text(window, "Wren."), texts(window), fill(grove.parent)
        window.dialogue.open_editor(wren)
        find(window.dialogue, QPlainTextEdit, "messageEditorField").setPlainText("Lark. " + LONG)
        find(window.dialogue, QPushButton, "saveEditButton").click()
        window.composer.set_text("Not yet said. " + LONG)

        window.run_command(node_actions.generate)

        assert "Nothing was sent." in window.text_pane.errors.text
        assert window.composer.text == "Not yet said. " + LONG
        assert texts(window) == before
        filling.unlink()
        window.unsaved.retry()
        qtbot.waitUntil(window.banner.isHidden, timeout=WAIT_MS)
        assert "Lark. " + LONG in texts(window)
        assert window.composer.text == "Not yet said. " + LONG


@pytest.mark.slow
def test_what_is_given_up_is_asked_for_no_more(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        wren, filling = by_text(window, "Wren."), fill(grove.parent)
        window.dialogue.open_editor(wren)
        find(window.dialogue, QPlainTextEdit, "messageEditorField").setPlainText(LONG)
        find(window.dialogue, QPushButton, "saveEditButton").click()
        assert "an edit" in window.banner.unsaved.text

        find(window.dialogue, QPushButton, "discardEditButton").click()

        assert "an edit" not in window.banner.unsaved.text
        filling.unlink()
        window.unsaved.retry()
        qtbot.waitUntil(window.banner.isHidden, timeout=WAIT_MS)
        assert LONG not in texts(window)


@pytest.mark.slow
def test_another_tree_can_be_read_on_a_full_disk_and_an_edit_is_saved_where_it_belongs(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        birds, wren = window.document.tree.loom.id, by_text(window, "Wren.")
        window.document.new_tree("dialogue", "Fish")
        fish = window.document.tree.loom.id
        window.document.open_tree(birds)
        filling = fill(grove.parent)
        window.dialogue.open_editor(wren)
        find(window.dialogue, QPlainTextEdit, "messageEditorField").setPlainText(LONG)
        find(window.dialogue, QPushButton, "saveEditButton").click()
        find(tree_settings(window), QTextEdit, "treeSystemContext").setPlainText("You are a bird. " + LONG)

        window.run_command(lambda it: it.work.document.open_tree(fish))

        assert window.windowTitle().startswith("Fish")
        assert find(tree_settings(window), QTextEdit, "treeSystemContext").toPlainText() == ""
        assert "an edit" in window.banner.unsaved.text
        filling.unlink()
        window.unsaved.retry()
        assert window.document.tree.loom.id == birds
        assert LONG in texts(window)
        assert window.document.tree.loom.system_context == "You are a bird. " + LONG
        assert window.document.grove.load_tree(fish).loom.system_context is None
        qtbot.waitUntil(window.banner.isHidden, timeout=WAIT_MS)


@pytest.mark.slow
def test_a_title_and_an_act_without_words_are_done_again(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        tree_id = window.document.tree.loom.id
        with no_file_may_grow_beyond(100):
            window.tree_list.rename_asked.emit(tree_id, "Wrens")
            window.run_command(node_actions.toggle_bookmark)
            assert "a title" in window.banner.unsaved.text
            assert window.document.tree.loom.title == "Birds"
            assert not node_actions.current(window.bench).metadata.bookmarked
            assert is_one(window)

        window.unsaved.retry()

        assert window.document.tree.loom.title == "Wrens"
        assert node_actions.current(window.bench).metadata.bookmarked
        assert window.banner.isHidden()


@pytest.mark.slow
def test_an_act_without_words_is_not_done_at_closing_once_something_else_was_saved(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        wren, bird = by_text(window, "Wren."), by_text(window, "Name a bird.")
        with no_file_may_grow_beyond(100):
            window.run_command(node_actions.toggle_bookmark)
            assert "what you did" in window.banner.unsaved.text

        window.document.place.read(bird)  # there is room again, and the writer goes on

    with open_window(grove, qtbot) as window:
        assert not window.document.tree.nodes[wren].metadata.bookmarked
        assert window.document.path_ids[-1] == bird


def story(conversation: Conversation) -> None:
    conversation.head()
    conversation.send(chunk("Once upon a time. " + LONG[:30_000]))  # more is taken for an answer without end
    conversation.wait_until_left()


def streaming(window: MainWindow, server: FakeServer, qtbot: QtBot) -> None:
    """An answer that is being written."""
    document = window.document
    ask_server_in(document, server.url)
    window.generator.start(Sources(document.current_id), 1)

    def is_written() -> bool:
        return all(live.draft.text for live in window.generator.drafts(document.tree.loom.id))

    qtbot.waitUntil(is_written, timeout=WAIT_MS)


@pytest.mark.slow
def test_an_answer_stays_on_its_card_and_is_saved_when_there_is_room(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with FakeServer(story) as server, open_window(grove, qtbot) as window:
        streaming(window, server, qtbot)
        filling = fill(grove.parent)

        window.generator.stop_all()

        assert "an answer" in window.banner.unsaved.text
        (live,) = window.generator.drafts(window.document.tree.loom.id)
        assert live.draft.text.startswith("Once upon a time.")
        filling.unlink()
        press_try_again(window, pointer)
        qtbot.waitUntil(window.banner.isHidden, timeout=WAIT_MS)
        assert any(text.startswith("Once upon a time.") for text in texts(window))
        assert is_one(window)


@pytest.mark.slow
def test_what_the_journal_cannot_keep_is_said_and_the_words_are_safe_again_by_themselves(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        filling = fill(grove.parent)
        window.composer.set_text("Half a thought. " + LONG)
        qtbot.waitUntil(window.banner.isVisible, timeout=WAIT_MS)
        assert "drafts" in window.banner.unsaved.text

        filling.unlink()

        qtbot.waitUntil(window.banner.isHidden, timeout=WAIT_MS)
        window.composer.start_over()


def write_in_a_buffer(window: MainWindow, qtbot: QtBot, pointer: Pointer, text: str) -> None:
    """Type a text, and wait until it stands."""
    pointer.type_ascii(text)
    qtbot.waitUntil(lambda: window.buffer.view.editor.text.endswith(text))


@pytest.mark.slow
@pytest.mark.parametrize("key", one_in(2, ["ctrl+Return", "ctrl+shift+Return"]))
def test_in_a_buffer_nothing_is_sent_that_cannot_be_saved_which_is_said_until_it_can(
    disk: Path, qtbot: QtBot, pointer: Pointer, key: str
) -> None:
    path = disk / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(
            grove.owner.id, 1_790_000_000_000, iter(f"n{i}" for i in range(99)).__next__
        )
        grove.add_tree(tree_edits.new_tree("buffer", "Birds", pen), [grove.owner])
    with open_window(path, qtbot) as window:
        errors, editor = window.text_pane.errors, window.buffer.view.editor
        editor.setFocus()
        write_in_a_buffer(window, qtbot, pointer, "A wren sang.")
        editor.put(" " + LONG)
        filling = fill(disk)

        pointer.key(key)

        qtbot.waitUntil(lambda: errors.text.startswith("Nothing was sent."))
        assert "the disk is full" in errors.text
        assert "what you wrote" in window.banner.unsaved.text
        assert "what you did" not in window.banner.unsaved.text
        filling.unlink()
        write_in_a_buffer(window, qtbot, pointer, " It flew.")
        window.writing.save()
        qtbot.waitUntil(window.banner.isHidden, timeout=WAIT_MS)
        assert errors.text == ""
        assert texts(window)[-1].endswith(" It flew.")


def when_asked(answer: Callable[[UnsavedQuestion], None]) -> QTimer:
    """Answers the question about unsaved text when it stands."""
    looking = QTimer()

    def look() -> None:
        question = QApplication.activeModalWidget()
        if isinstance(question, UnsavedQuestion):
            looking.stop()
            answer(question)

    looking.timeout.connect(look)
    looking.start(10)
    return looking


def press(question: UnsavedQuestion, name: str) -> None:
    find(question, QPushButton, name).click()


def with_unsaved_edit(window: MainWindow) -> None:
    window.dialogue.open_editor(by_text(window, "Wren."))
    find(window.dialogue, QPlainTextEdit, "messageEditorField").setPlainText("Lark. " + LONG)
    find(window.dialogue, QPushButton, "saveEditButton").click()


def test_leaving_with_words_the_disk_does_not_take_is_asked_about_and_can_be_called_off(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        filling = fill(grove.parent)
        with_unsaved_edit(window)
        said: list[str] = []

        def cancel(question: UnsavedQuestion) -> None:
            said.append(question.text() + question.informativeText())
            press(question, "stayButton")

        looking = when_asked(cancel)
        assert not window.close()
        assert window.isVisible()
        assert "an edit" in said[0]
        assert "disk is full" in said[0]
        assert not looking.isActive()

        def room_is_made(question: UnsavedQuestion) -> None:
            filling.unlink()
            press(question, "retryButton")

        looking = when_asked(room_is_made)
        assert window.close()
        assert not looking.isActive()

    with open_grove(grove) as opened:
        tree = opened.load_tree(opened.trees()[0].id)
    assert "Lark. " + LONG in {node.text for node in tree.nodes.values()}


@pytest.mark.slow
def test_leaving_loses_what_the_user_lets_go(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        fill(grove.parent)
        with_unsaved_edit(window)
        looking = when_asked(lambda question: press(question, "loseButton"))
        assert window.close()
        assert not looking.isActive()


@pytest.mark.slow
def test_nothing_is_asked_about_words_that_the_journal_has(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.composer.set_text("Kept for the next time.")
        assert window.journal is not None
        qtbot.waitUntil(lambda: window.journal is not None and window.journal.is_settled, timeout=WAIT_MS)
        fill(grove.parent)
        looking = when_asked(lambda question: press(question, "loseButton"))
        assert window.close()
        assert looking.isActive()
        looking.stop()


@pytest.mark.slow
def test_a_last_checkpoint_that_fails_keeps_nobody(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.composer.set_text("Said.")
        window.run_command(node_actions.generate)
        window.generator.stop_all()
        close = window.document.grove.close

        with no_file_may_grow_beyond(100):
            assert window.close()

        close()
    with open_grove(grove) as opened:
        assert "Said." in {node.text for node in opened.load_tree(opened.trees()[0].id).nodes.values()}
