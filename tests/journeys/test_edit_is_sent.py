"""What is shown is what is sent, also while a message is being edited: the edit is saved before.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QSpinBox, QTextEdit
from pytestqt.qtbot import QtBot

from loomapp.core.model.entities import Mode
from loomapp.providers import registry
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands import node_actions
from loomapp.ui.commands.inspector import what_if
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.growing import Growing, grown
from tests.kit.desktop import Pointer
from tests.kit.export_panel import save_export
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.servers.fake_server import FakeServer, answers
from tests.kit.windows import card, fit_all, open_window, preview
from tests.session.programs import ask_server

ANSWER = "It is salt."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(answers(ANSWER)) as server:
        yield server


@pytest.fixture
def grow(tmp_path: Path, server: FakeServer) -> Iterator[Callable[..., Growing]]:
    """Makes the tree of a test, in a grove whose model answers from the server."""
    with create_grove(tmp_path / "g.loom") as grove:
        ask_server(grove, server.url)

        yield partial(grown, grove)


def sent(server: FakeServer) -> list[str]:
    """The texts of the messages of the newest request."""
    return [one["content"] for one in json.loads(server.received[-1].body)["messages"]]


def edit(window: MainWindow, qtbot: QtBot, pointer: Pointer, node_id: str, words: str) -> None:
    """Open the editor of a message by F2 and type at its end."""
    window.document.place.set_current(node_id)
    window.dialogue.setFocus()
    pointer.key("F2")
    qtbot.waitUntil(lambda: window.dialogue.is_editing_beside(node_id))
    message = window.dialogue.message(node_id)
    assert message is not None
    qtbot.waitUntil(find(message, QPlainTextEdit, "messageEditorField").hasFocus)
    pointer.type_ascii(words)
    qtbot.waitUntil(lambda: (window.dialogue.edited_text(node_id) or "").endswith(words))


def wait_for_answer(window: MainWindow, qtbot: QtBot) -> str:
    """Wait until an answer stands at the end of the path; what is before it."""
    document = window.document

    def has_come() -> bool:
        return document.tree.nodes[document.path_ids[-1]].text == ANSWER

    qtbot.waitUntil(lambda: not window.generator.is_streaming() and has_come())
    return document.tree.nodes[document.path_ids[-2]].text


def press_generate(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    pointer.click(find(window.composer, QPushButton, "generateButton"))


def press_ctrl_return(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.composer.setFocus()
    pointer.key("ctrl+Return")


def press_siblings(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    pointer.key("ctrl+shift+Return")


def press_plus(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    fit_all(window, qtbot)
    pointer.move(window.graph.viewport(), card(window, window.document.current_id))
    pointer.click(window.graph.viewport(), window.graph.plus_rect(window.document.current_id).center())


def press_try(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.run_command(what_if.begin)
    qtbot.waitUntil(lambda: window.what_if.shown is not None and window.what_if.shown.assembled is not None)
    window.run_command(what_if.generate_shown)


@pytest.mark.parametrize(
    "press", one_in(3, [press_generate, press_ctrl_return, press_siblings, press_plus, press_try])
)
def test_an_edit_that_is_open_is_saved_before_anything_is_asked(
    grow: Callable[..., Growing],
    server: FakeServer,
    qtbot: QtBot,
    pointer: Pointer,
    press: Callable[[MainWindow, QtBot, Pointer], None],
) -> None:
    made = grow()
    asked = made.write(made.answer(made.tree.root_id, "Wide."), "How wide?")

    with open_window(made.grove.path, qtbot) as window:
        find(window.composer, QSpinBox, "continuationCount").setValue(1)
        edit(window, qtbot, pointer, asked, " In miles.")
        assert preview(window)[-1] == ("user", "How wide? In miles.")

        press(window, qtbot, pointer)

        assert wait_for_answer(window, qtbot) == "How wide? In miles."
        assert sent(server)[-1] == "How wide? In miles."
        assert window.document.tree.nodes[asked].text == "How wide?"  # as it was, beside the other
        assert not window.dialogue.is_editing


@pytest.mark.slow
def test_an_earlier_message_that_is_edited_is_continued_as_it_is_shown(
    grow: Callable[..., Growing], server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow()
    first = made.write(made.answer(made.tree.root_id, "Wide."), "How wide?")
    made.write(made.answer(first, "Very."), "And how deep?")

    with open_window(made.grove.path, qtbot) as window:
        find(window.composer, QSpinBox, "continuationCount").setValue(1)
        edit(window, qtbot, pointer, first, " In miles.")
        expected = preview(window)

        press_generate(window, qtbot, pointer)

        assert wait_for_answer(window, qtbot) == "How wide? In miles."
        assert sent(server) == [text for _, text in expected]


@pytest.mark.slow
def test_what_is_typed_below_an_edit_goes_along_after_it(
    grow: Callable[..., Growing], server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow()
    asked = made.write(made.tree.root_id, "How wide?")
    answer = made.answer(asked, "Very.")

    with open_window(made.grove.path, qtbot) as window:
        find(window.composer, QSpinBox, "continuationCount").setValue(1)
        edit(window, qtbot, pointer, answer, " Truly.")
        window.composer.setFocus()
        pointer.type_ascii("And how deep?")
        expected = preview(window)

        press_ctrl_return(window, qtbot, pointer)

        assert wait_for_answer(window, qtbot) == "And how deep?"
        assert window.composer.field.hasFocus()
        assert sent(server)[-2:] == ["Very. Truly.", "And how deep?"]  # an answer still, though corrected
        assert sent(server) == [text for _, text in expected]


@pytest.mark.slow
def test_the_edit_of_a_first_message_is_asked_in_the_tree_that_it_starts(
    grow: Callable[..., Growing], server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow()

    with open_window(made.grove.path, qtbot) as window:
        find(window.composer, QSpinBox, "continuationCount").setValue(1)
        edit(window, qtbot, pointer, made.tree.root_id, " And why?")
        assert preview(window) == [("user", "What is the sea? And why?")]

        press_generate(window, qtbot, pointer)

        assert wait_for_answer(window, qtbot) == "What is the sea? And why?"
        assert sent(server) == ["What is the sea? And why?"]
        assert window.document.tree.loom.id != made.tree.loom.id


@pytest.mark.slow
def test_of_two_messages_that_are_edited_nothing_is_sent_and_both_stay(
    grow: Callable[..., Growing], server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow()
    answer = made.answer(made.tree.root_id, "Wide.")
    asked = made.write(answer, "How wide?")

    with open_window(made.grove.path, qtbot) as window:
        edit(window, qtbot, pointer, answer, " Truly.")
        edit(window, qtbot, pointer, asked, " In miles.")

        press_generate(window, qtbot, pointer)

        qtbot.waitUntil(lambda: "Several messages are being edited" in window.text_pane.errors.text)
        assert server.received == []
        assert window.dialogue.edited_text(answer) == "Wide. Truly."
        assert window.dialogue.edited_text(asked) == "How wide? In miles."


@pytest.mark.slow
def test_copying_and_exporting_take_an_edit_as_it_is_shown(
    grow: Callable[..., Growing], tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow()
    asked = made.write(made.answer(made.tree.root_id, "Wide."), "How wide?")

    with open_window(made.grove.path, qtbot) as window:
        edit(window, qtbot, pointer, asked, " In miles.")

        window.run_command(node_actions.copy_text)
        file = save_export(window, qtbot, "text", tmp_path / "path.txt")

        assert file.decode().endswith("How wide? In miles.\n")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["buffer"])
def test_in_a_buffer_a_passage_under_the_pen_is_sent_as_it_is_shown(
    grow: Callable[..., Growing], server: FakeServer, qtbot: QtBot, pointer: Pointer, mode: Mode
) -> None:
    made = grow(mode, "It was night.")
    made.write(made.tree.root_id, " The sea was still")

    with open_window(made.grove.path, qtbot) as window:
        find(window.composer, QSpinBox, "continuationCount").setValue(1)
        window.document.place.set_current(window.document.path_ids[-1])
        pointer.key("F2")
        editor = window.buffer.view.editor
        qtbot.waitUntil(editor.hasFocus)
        editor.moveCursor(QTextCursor.MoveOperation.End)
        pointer.type_ascii(" and dark")

        press_generate(window, qtbot, pointer)

        qtbot.waitUntil(lambda: bool(server.received) and not window.generator.is_streaming())
        assert "The sea was still and dark" in server.received[-1].body.decode()


@pytest.mark.slow
def test_settings_that_were_typed_a_moment_ago_are_sent(
    grow: Callable[..., Growing], server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    made = grow()

    with open_window(made.grove.path, qtbot) as window:
        find(window.composer, QSpinBox, "continuationCount").setValue(1)
        window.run_command(node_actions.toggle_tree_settings)
        field = find(window.settings_page, QTextEdit, "treeSystemContext")
        field.setFocus()
        field.insertPlainText("Speak as a sailor.")

        window.run_command(node_actions.generate)

        wait_for_answer(window, qtbot)
        assert sent(server)[0] == "Speak as a sailor."
