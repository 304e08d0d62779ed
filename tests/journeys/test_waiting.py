"""Answers that do not come, by pointer: a countdown cut short, silence asked again, failures put away.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.agent import Agent, Configuration
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.agents.endpoints_page import EndpointsPage
from loomapp.ui.commands.agents import models
from loomapp.ui.commands.log import LogPage
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import Conversation, FakeServer, Script, chunk, fails
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

SEA = Agent("sea", "Sea", "model", "sea:s-1")
WAVES = DIALECTS["chat"].answer("Waves.")
SLOW = fails(429, retry_after="60")


def pings_after(text: str) -> Script:
    """A few words, then signs of life and not a word more."""

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk(text))
        while True:
            conversation.send(b": ping\n\n")
            time.sleep(0.1)

    return script


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(WAVES) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path, server: FakeServer) -> Path:
    """A question, and a model that may be silent for a second."""
    add_endpoint("sea", server.url, "chat", name="Sea server", silence_s=1)
    path = tmp_path / "waiting.loom"
    new_tree(path, text="What is the sea?")
    with open_grove(path) as opened:
        opened.put_agent(SEA)
        put_asked_ids(opened, (SEA.id,))
    return path


@pytest.fixture
def window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with ExitStack() as stack:
        window = stack.enter_context(open_window(grove, qtbot))
        window.composer.set_count(1)
        window.preview.refresh_now()
        yield window


def draft(window: MainWindow) -> LiveDraft:
    [live] = window.generator.drafts(window.document.tree.loom.id)
    return live


def falls_silent(window: MainWindow) -> bool:
    """The click has come, and of the answer that it began there is a word and no more."""
    drafts = window.generator.drafts(window.document.tree.loom.id)
    return any(live.draft.waits is not None and bool(live.draft.text) for live in drafts)


def seconds_left(window: MainWindow) -> int:
    """To the next attempt; 0 if none is counted down to."""
    waits = draft(window).draft.waits
    return 0 if waits is None else waits.again_in_s or 0


def act(window: MainWindow, qtbot: QtBot, pointer: Pointer, name: str) -> None:
    """Click what a draft's card offers."""
    key = draft(window).key
    qtbot.waitUntil(lambda: not window.graph.node_rect(key).isEmpty())
    pointer.move(window.graph.viewport(), window.graph.node_rect(key).center())
    place = window.graph.tool_rect(key, name)
    assert not place.isEmpty(), f"{name} is on the card"
    pointer.click(window.graph.viewport(), place.center())


def kept(window: MainWindow, grove: Path) -> list[tuple[str, str | None]]:
    """The texts of the answers in the file, and why each was cut short."""
    tree_id = window.document.tree.loom.id
    window.close()
    with open_grove(grove) as again:
        tree = again.load_tree(tree_id)
        root = next(node_id for node_id in tree.nodes if tree.nodes[node_id].text == "What is the sea?")
        answers = [tree.nodes[child] for child in tree.children(root)]
    return [(n.text, None if n.interrupted is None else n.interrupted.reason) for n in answers]


def test_a_pause_before_the_next_attempt_is_counted_down_and_cut_short(
    window: MainWindow, grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    server.scripts[:] = [SLOW, WAVES]
    pointer.click(find(window, QPushButton, "generateButton"))

    qtbot.waitUntil(lambda: seconds_left(window) > 30)
    row = window.graph._scene.row_of(draft(window).key)
    assert row is not None
    assert find(window, QLabel, "statusStreams").text() == "1 waiting"
    assert window.graph._scene.face(row).count == f"in {seconds_left(window)}\u00a0s"
    act(window, qtbot, pointer, "retry")

    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert kept(window, grove) == [("Waves.", None)]
    assert len(server.received) == 2


@pytest.mark.slow
def test_a_pause_can_be_ended_for_good(
    window: MainWindow, grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    server.scripts[:] = [SLOW]
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: seconds_left(window) > 30)

    act(window, qtbot, pointer, "stop")

    assert not window.generator.is_streaming()
    assert window.generator.drafts(window.document.tree.loom.id) == ()
    assert kept(window, grove) == []


def test_what_falls_silent_is_asked_again_and_what_it_wrote_is_kept(
    window: MainWindow, grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    server.scripts[:] = [pings_after("Wav"), WAVES]
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: falls_silent(window))
    assert find(window, QLabel, "statusStreams").text() == "1 streaming"

    act(window, qtbot, pointer, "retry")

    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    read = window.document.tree.nodes[window.document.path_ids[-1]]
    assert read.text == "Waves."
    assert sorted(kept(window, grove)) == [("Wav", "cancelled"), ("Waves.", None)]


@pytest.mark.slow
def test_what_falls_silent_is_stopped_from_the_text(
    window: MainWindow, grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    server.scripts[:] = [pings_after("Wav")]
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: falls_silent(window))

    stop = find(window, QPushButton, "errorAct_stop")
    qtbot.waitUntil(stop.isVisible)
    pointer.click(stop)

    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert kept(window, grove) == [("Wav", "cancelled")]


@pytest.mark.slow
def test_a_refused_key_leads_to_its_field_and_the_card_can_be_put_away(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    server.scripts[:] = [fails(401)]
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: not window.generator.is_streaming() and draft(window).draft.error is not None)

    act(window, qtbot, pointer, "key")
    page = find(window, EndpointsPage, "endpointsPage")
    qtbot.waitUntil(page.isVisible)
    assert page.chosen_id == "sea"
    assert find(page, QLineEdit, "endpointName").text() == "Sea server"

    window.pages.show_graph()
    act(window, qtbot, pointer, "dismiss")
    assert window.generator.drafts(window.document.tree.loom.id) == ()


@pytest.mark.slow
def test_what_a_model_refuses_is_said_and_left_out_from_then_on(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    warm = replace(SEA, configuration=Configuration(temperature=0.5))
    window.document.agents.put(warm)
    refusal = {"error": {"message": "Unsupported parameter: 'temperature'", "param": "temperature"}}
    server.scripts[:] = [fails(400, refusal), WAVES]

    pointer.click(find(window, QPushButton, "generateButton"))

    qtbot.waitUntil(lambda: bool(server.received[1:]) and not window.generator.is_streaming())
    bodies = [json.loads(request.body) for request in server.received]
    assert [body.get("temperature") for body in bodies] == [0.5, None]
    said = "Sea: this model ignores temperature; asked again without it."
    assert window.text_pane.errors.text == said
    models.show_agents(window.bench)
    learned = find(window, QLabel, "agentLearned")
    qtbot.waitUntil(lambda: learned.text().startswith("This model ignores temperature; learned "))


def test_generate_can_be_pressed_once_the_answer_that_words_waited_for_has_failed_and_its_details_be_copied(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    go_on = threading.Event()

    def fails_at_last(conversation: Conversation) -> None:
        go_on.wait(60)
        fails(401, {"error": {"message": "Who are you?"}}, x_request_id="req_17")(conversation)

    server.scripts[:] = [fails_at_last, WAVES]
    button = find(window, QPushButton, "generateButton")
    button.click()
    qtbot.waitUntil(lambda: window.generator.is_streaming() and window.dialogue.shown_draft is not None)
    window.composer.set_text("And the wind?")
    window.preview.refresh_now()
    assert not button.isEnabled(), "the words wait for the answer"

    go_on.set()
    qtbot.waitUntil(lambda: not window.generator.is_streaming())

    assert button.isEnabled()
    find(window.dialogue, QPushButton, "errorAct_details").click()
    page = window.pages.currentWidget()
    assert isinstance(page, LogPage)
    rows = [page.list.item(row).text() for row in range(page.list.count())]
    assert "Sea, sea:s-1 · 401 · “Who are you?” · req_17" in rows[0]
    assert (len(rows), rows[1], page.list.currentRow()) == (2, "Log", 0)
    find(page, QPushButton, "copyReportButton").click()
    copied = QGuiApplication.clipboard().text().split("\n")
    assert {"Status: 401", "The server says: Who are you?", "Request id: req_17"} < set(copied)
    window.pages.show_graph()
    button.click()
    qtbot.waitUntil(lambda: window.document.tree.nodes[window.document.current_id].text == "Waves.")
