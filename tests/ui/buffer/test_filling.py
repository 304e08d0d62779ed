"""Filling in by its key: shown as it is sent, told where it grows, taken back at once.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Agent
from loomapp.providers.capability import tell_fill_in
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.inspector.context.context_list import ContextList
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers import fake_server
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import Conversation, FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

FILLER = Agent("fill", "Filler", "model", "base:fake-1")
BEFORE, AFTER = "The lamp was lit", " and nobody slept."
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(DIALECTS["completions"].answer(", the oil was cold")) as server:
        yield server


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot, server: FakeServer) -> Iterator[MainWindow]:
    """A buffer with a text, the caret in the middle of it; a model that fills in is checked."""
    add_endpoint("base", server.url, "completions")
    tell_fill_in("base:fake-1", True)
    path = tmp_path / "g.loom"
    new_tree(path, mode="buffer")
    with open_grove(path) as opened:
        opened.put_agent(FILLER)
        put_asked_ids(opened, (FILLER.id,))
    with open_window(path, qtbot) as window:
        window.composer.set_count(1)
        editor = window.buffer.view.editor
        editor.setFocus()
        editor.put(BEFORE + AFTER)
        editor.set_caret(len(BEFORE))
        yield window


def said(rows: ContextList) -> list[str]:
    model = rows.model()
    role = Qt.ItemDataRole.AccessibleTextRole
    return [str(model.index(row, 0).data(role)) for row in range(model.rowCount())]


def over(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.generator.is_streaming())


def test_the_key_fills_in_at_the_caret_and_one_undo_takes_it_back(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    editor = window.buffer.view.editor

    QTest.keyClick(editor, Qt.Key.Key_L, CONTROL_SHIFT)
    over(window, qtbot)

    assert editor.text == BEFORE + ", the oil was cold" + AFTER
    body = json.loads(server.received[0].body)
    assert (body["prompt"], body["suffix"]) == (BEFORE, AFTER)
    authors = [s.author_type for s in window.writing.buffer_text.spans_between(0, len(editor.text))]
    assert authors == ["human", "model", "human"]
    assert editor.caret == len(BEFORE + ", the oil was cold")

    window.actions_set.by_name["generateSiblings"].trigger()  # of what was filled in: another in its place
    over(window, qtbot)
    assert json.loads(server.received[1].body)["suffix"] == AFTER
    place = window.document.path.place_of(window.document.current_id) or 0
    assert len(window.writing.buffer_text.versions(place)) == 3

    window.actions_set.by_name["undo"].trigger()
    window.actions_set.by_name["undo"].trigger()
    assert editor.text == BEFORE + AFTER
    assert len(window.document.tree.nodes) == 2
    assert editor.caret == len(BEFORE), "where it was filled in"


@pytest.mark.slow
def test_another_one_is_asked_for_with_what_was_typed_and_is_shown_in_its_place(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    server.scripts.append(DIALECTS["completions"].answer(", the wick was wet"))
    editor, actions = window.buffer.view.editor, window.actions_set.by_name
    actions["fillIn"].trigger()
    over(window, qtbot)
    filled = BEFORE + ", the oil was cold"
    edited = filled.replace("cold", "very cold")
    editor.set_caret(len(filled) - len("cold"))
    QTest.keyClicks(editor, "very ")
    assert window.writing.has_words

    actions["generateSiblings"].trigger()
    assert editor.text == edited + AFTER, "what is there stays until another one came"
    over(window, qtbot)

    body = json.loads(server.received[1].body)
    assert (body["prompt"], body["suffix"]) == (BEFORE, AFTER)
    assert editor.text == BEFORE + ", the wick was wet" + AFTER
    place = window.document.path.place_of(window.document.current_id) or 0
    nodes = window.document.tree.nodes
    versions = [nodes[i].text for i in window.writing.buffer_text.versions(place)]
    assert versions == ["", ", the oil was cold", ", the oil was very cold", ", the wick was wet"]
    rows, _ = window.buffer.turning._rows(window.document.current_id)
    assert rows[-1].words == "empty", "nobody emptied it"

    actions["undo"].trigger()
    assert editor.text == edited + AFTER


@pytest.mark.slow
def test_another_one_leaves_what_is_edited_while_it_comes(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    go_on = threading.Event()

    def script(conversation: Conversation) -> None:
        go_on.wait(20)
        DIALECTS["completions"].answer(", the wick was wet")(conversation)

    server.scripts.append(script)
    editor, actions = window.buffer.view.editor, window.actions_set.by_name
    actions["fillIn"].trigger()
    over(window, qtbot)
    filled = BEFORE + ", the oil was cold"

    actions["generateSiblings"].trigger()
    edited = filled.replace("cold", "very cold")
    editor.set_caret(len(filled) - len("cold"))
    QTest.keyClicks(editor, "very ")
    window.writing.commit()
    go_on.set()
    over(window, qtbot)

    assert editor.text == edited + AFTER


@pytest.mark.slow
def test_what_generate_would_send_is_shown_with_what_follows(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    window.actions_set.by_name["contextInspector"].trigger()
    window.actions_set.by_name["fillsIn"].trigger()
    window.preview.refresh_now()

    last = window.preview.last
    assert last is not None
    assert last.suffix is not None
    assert (last.document, last.suffix.text) == (BEFORE, AFTER)
    rows = window.inspector.context.rows
    qtbot.waitUntil(lambda: any("After the caret" in row and "nobody slept" in row for row in said(rows)))
    desk = window.inspector.context._desk
    assert desk is not None
    shown = json.loads(desk.request_writer(last)())

    window.actions_set.by_name["generate"].trigger()
    over(window, qtbot)

    sent = json.loads(server.received[0].body)
    assert shown == sent
    assert sent["suffix"] == AFTER


@pytest.mark.slow
def test_at_the_end_generate_continues(window: MainWindow, server: FakeServer, qtbot: QtBot) -> None:
    window.actions_set.by_name["fillsIn"].trigger()
    editor = window.buffer.view.editor
    editor.set_caret(len(editor.text))

    window.actions_set.by_name["generate"].trigger()
    over(window, qtbot)

    assert "suffix" not in json.loads(server.received[0].body)
    assert editor.text == BEFORE + AFTER + ", the oil was cold"


def test_what_grows_is_told_below_the_text_and_can_be_stopped(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    go_on = threading.Event()

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(DIALECTS["completions"].says(", the oil"))
        go_on.wait(60)

    server.scripts.insert(0, script)
    strip = find(window, ErrorStrip, "fillingStrip")
    window.actions_set.by_name["fillIn"].trigger()
    qtbot.waitUntil(lambda: ", the oil" in strip.text)
    assert strip.isVisible()
    assert strip.text == "Filling in after “…lamp was lit”: , the oil"
    editor = window.buffer.view.editor

    def is_below() -> bool:
        """Both, once they are laid out: the text makes room for the strip a moment after its words came."""
        return strip.mapTo(window, QPoint()).y() > editor.mapTo(window, editor.rect().bottomLeft()).y()

    qtbot.waitUntil(is_below)  # and covers no line of it
    assert editor.text == BEFORE + AFTER

    window.buffer.filling.on_act("stop")
    go_on.set()
    over(window, qtbot)

    qtbot.waitUntil(lambda: not strip.isVisible())
    assert window.buffer.view.editor.text == BEFORE + ", the oil" + AFTER


@pytest.mark.slow
def test_a_failure_stands_at_its_place_and_retry_fills_in(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    server.scripts.insert(0, fake_server.fails(400, {"error": {"message": "no"}}))
    strip = find(window, ErrorStrip, "fillingStrip")

    window.actions_set.by_name["fillIn"].trigger()
    over(window, qtbot)
    assert strip.isVisible()
    assert strip.text.startswith(f"{window.document.agents.asked()[0].name} · "), "whose answer failed"
    assert strip.text.endswith("400 · “no”")
    window.buffer.filling.on_act("retry")
    over(window, qtbot)

    assert not strip.isVisible()
    assert window.buffer.view.editor.text == BEFORE + ", the oil was cold" + AFTER


@pytest.mark.slow
def test_where_no_model_fills_in_the_action_says_so(window: MainWindow) -> None:
    action = window.actions_set.by_name["fillIn"]
    assert action.isEnabled()

    tell_fill_in("base:fake-1", None)
    window.actions_set.refresh()

    assert not action.isEnabled()


@pytest.mark.slow
def test_how_many_of_the_checked_models_fill_in_is_told(
    window: MainWindow, qtbot: QtBot, server: FakeServer
) -> None:
    other = replace(FILLER, id="other", name="Other", model_ref="base:other-1")
    window.document.agents.put(other)
    window.document.agents.ask((FILLER.id, other.id))
    note, said = find(window, QLabel, "statusNote"), f"Of 2 ticked models 1 fills in: {FILLER.name}."

    window.actions_set.by_name["fillIn"].trigger()
    assert said in note.text()
    over(window, qtbot)
    assert len(server.received) == 1

    window.status.forget_note()
    window.actions_set.by_name["fillsIn"].trigger()
    assert said in note.text()
