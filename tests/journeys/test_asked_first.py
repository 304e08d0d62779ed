"""What is too much is asked about before it is sent: the question is about what is shown, and that alone.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from loomapp import places
from loomapp.core.edits import node_edits, node_marks
from loomapp.core.model.agent import Agent, Configuration
from loomapp.providers.capability import tell_window
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands.inspector import what_if
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import Conversation, FakeServer
from tests.kit.windows import open_window, preview

AGENT = Agent("one", "One", "model", "there:fake-1", Configuration(max_tokens=200))
LONG = "long " * 3_000


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(DIALECTS["messages"].answer("Once.")) as server:
        yield server


@pytest.fixture
def window(tmp_path: Path, server: FakeServer, qtbot: QtBot) -> Iterator[MainWindow]:
    """A tree whose first message has a question below it that is too long for the model."""
    places.config_folder().mkdir(parents=True, exist_ok=True)
    table = f'[there]\nbase_url = "{server.url}"\napi = "messages"\n'
    (places.config_folder() / "endpoints.toml").write_text(table, encoding="utf-8")
    tell_window(AGENT.model_ref or "", 2_000)
    path = tmp_path / "g.loom"
    new_tree(path, text="First.")
    with open_grove(path) as grove:
        grove.put_agent(AGENT)
        put_asked_ids(grove, (AGENT.id,))
    with open_window(path, qtbot) as window:
        window.composer.set_count(1)
        add(window, LONG)
        yield window


def add(window: MainWindow, text: str) -> str:
    document = window.document
    change = node_edits.add_node(document.tree, document.tree.root_id, text, document.pen())
    document.commit(change)
    return change.added_nodes()[0].id


def ask(window: MainWindow) -> QPushButton:
    """Generate, and the button that sends it although it is much."""
    window.preview.refresh_now()
    find(window, QPushButton, "generateButton").click()
    acts = window.text_pane.errors
    assert acts.isVisibleTo(window)
    return find(acts, QPushButton, "errorAct_send" if acts.acts else "errorAction")


def refuse(conversation: Conversation) -> None:
    conversation.head(400, "application/json")
    conversation.send(b'{"type": "error", "error": {"type": "invalid_request_error", "message": "No."}}')


def attach(window: MainWindow) -> None:
    window.preview.pending.attach([window.document.tree.root_id], "instruction")


def exclude(window: MainWindow) -> None:
    document = window.document
    document.commit(node_marks.exclude(document.tree, [document.tree.root_id], document.pen()))


def open_another_tree(window: MainWindow) -> None:
    window.document.new_tree("dialogue")


CHANGES: dict[str, Callable[[MainWindow], None]] = {
    "a source": attach,
    "other words": lambda window: window.composer.set_text("And this."),
    "a message left out": exclude,
    "a number of answers": lambda window: window.composer.set_count(2),
    "a variant": lambda window: window.run_command(what_if.begin),
    "another node": lambda window: window.document.place.set_current(window.document.tree.root_id),
    "another tree": open_another_tree,
}


@pytest.mark.slow
def test_the_question_goes_away_with_what_it_was_about(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    question, strip = window.document.current_id, window.text_pane.errors
    for name, change in CHANGES.items():
        window.document.place.set_current(question)
        ask(window)
        assert "too long" in strip.text

        change(window)
        window.preview.refresh_now()

        assert not strip.isVisibleTo(window), name
        window.run_command(what_if.leave)
        window.composer.set_text("")
        window.composer.set_count(1)
        for node_id in window.preview.pending.roles:
            assert name == "a source"
            window.preview.pending.detach(node_id)
    assert server.received == []


def test_what_is_sent_after_all_is_what_is_shown_and_goes_with_what_was_attached_to_it(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    attach(window)
    shown = preview(window)
    send = ask(window)
    assert server.received == []

    send.click()
    qtbot.waitUntil(lambda: len(server.received) == 1)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())

    body = json.loads(server.received[0].body)
    assert [(one["role"], one["content"]) for one in body["messages"]] == shown
    assert body["system"] == "First."
    assert window.preview.pending.roles == {}


@pytest.mark.slow
def test_a_late_answer_to_a_question_about_many_tokens_sends_nothing_else(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    window.preferences.put("ask_above_tokens", 1_000)
    ask(window)
    tell_window(AGENT.model_ref or "", 900_000)
    window.preview.refresh_now()
    send = ask(window)
    assert "tokens are sent" in window.text_pane.errors.text, "it is the other question now"
    assert not window.text_pane.errors.acts
    window.preview.pending.attach([window.document.tree.root_id], "instruction")
    send.click()  # before the window could take the question away

    assert server.received == []
    assert not window.generator.is_streaming()
    assert window.preview.pending.roles != {}


@pytest.mark.slow
def test_what_was_attached_comes_back_when_nothing_came_of_it_and_when_it_is_undone(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    document, pending = window.document, window.preview.pending
    asked = add(window, "Short.")
    attach(window)
    attached = pending.roles
    server.scripts.insert(0, refuse)

    def generate() -> None:
        before = len(server.received)
        window.preview.refresh_now()
        find(window, QPushButton, "generateButton").click()
        assert pending.roles == {}
        qtbot.waitUntil(lambda: len(server.received) == before + 1)
        qtbot.waitUntil(lambda: not window.generator.is_streaming())

    generate()
    assert pending.roles == attached

    generate()
    assert pending.roles == {}
    assert json.loads(server.received[-1].body)["system"] == "First."

    document.history.undo(window.generator.answers.guard_undo)
    assert pending.roles == attached
    document.history.redo()
    assert pending.roles == {}
    assert document.path_ids[-2] == asked
