"""Who looks elsewhere while answers are written stays there; Esc stops what is read, and nothing else.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.agent import Agent
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands import panes
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

SEA = Agent("sea", "Sea", "model", "sea:s-1")


class Tide:
    """Begins each answer at once, and ends them when it may."""

    def __init__(self) -> None:
        self.may_end = threading.Event()

    def __call__(self, conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Waves"))
        self.may_end.wait(60)
        conversation.send(chunk(" and salt.") + chunk(reason="stop") + DONE)


@pytest.fixture
def tide() -> Iterator[Tide]:
    tide = Tide()
    with FakeServer(tide) as server:
        add_endpoint("sea", server.url, "chat")
        yield tide
        tide.may_end.set()


@pytest.fixture
def window(tmp_path: Path, tide: Tide, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question with two answers; the second is read, and goes on for long."""
    assert not tide.may_end.is_set()
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        numbers = iter(range(1, 1000))
        pen = edit_context.EditContext(grove.owner.id, 1_790_000_000_000, lambda: f"id{next(numbers)}")
        tree = tree_edits.new_tree("dialogue", "Sea", pen)
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        ask = node_edits.add_node(tree, tree.root_id, "What is the sea?", pen)
        grove.commit(tree, ask)
        for text in ("Water.", "Line after line."):
            grove.commit(tree, node_edits.add_node(tree, ask.added_nodes()[0].id, text, pen))
        for number in range(40):
            grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, f"Wave {number}.", pen))
        grove.put_agent(SEA)
        put_asked_ids(grove, (SEA.id,))
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        window.composer.set_count(1)
        panes.focus_graph(window.bench)
        yield window


def said(window: MainWindow, begin: str) -> str:
    return next(i for i, node in window.document.tree.nodes.items() if node.text.startswith(begin))


def ask(window: MainWindow, qtbot: QtBot, at: str) -> None:
    """Ask below a card, and wait until the answer begins."""
    before = window.generator.answers.stream_count()
    window.graph.plus_clicked.emit(at, False)
    assert window.generator.answers.stream_count() == before + 1
    qtbot.waitUntil(lambda: all(live.draft.text for live in drafts(window)))


def drafts(window: MainWindow) -> list[LiveDraft]:
    return [live for live in window.generator.drafts(window.document.tree.loom.id) if not live.draft.ended]


@pytest.mark.slow
def test_a_camera_that_was_moved_stays_when_answers_come(
    window: MainWindow, tide: Tide, qtbot: QtBot
) -> None:
    leaf = window.document.tree.path.leaf_id
    ask(window, qtbot, leaf)
    window.graph.pan(QPointF(-2_000, -1_500))
    camera = window.graph.camera

    tide.may_end.set()
    qtbot.waitUntil(lambda: not drafts(window))

    assert window.document.tree.path.leaf_id != leaf, "the path went on"
    now = window.graph.camera
    assert (now.zoom, now.seen) == (camera.zoom, camera.seen)


@pytest.mark.slow
def test_a_camera_that_was_left_alone_goes_along(window: MainWindow, tide: Tide, qtbot: QtBot) -> None:
    ask(window, qtbot, window.document.tree.path.leaf_id)

    tide.may_end.set()
    qtbot.waitUntil(lambda: not drafts(window))

    assert not window.graph.node_rect(window.document.tree.path.leaf_id).isEmpty()


@pytest.mark.slow
def test_a_draft_that_ends_does_not_lead_to_another_that_is_running(
    window: MainWindow, tide: Tide, qtbot: QtBot
) -> None:
    ask(window, qtbot, said(window, "Water."))
    ask(window, qtbot, said(window, "Line"))
    window.graph.pan(QPointF(-2_000, -1_500))
    camera = window.graph.camera

    window.generator.stop(drafts(window)[1].key)
    qtbot.waitUntil(lambda: len(drafts(window)) == 1)

    assert window.graph.camera.seen == camera.seen


def test_another_current_node_stays_and_the_text_is_not_scrolled(
    window: MainWindow, tide: Tide, qtbot: QtBot
) -> None:
    leaf, water = window.document.tree.path.leaf_id, said(window, "Water.")
    ask(window, qtbot, leaf)
    window.document.place.set_current(water)
    bar = window.dialogue.verticalScrollBar()
    bar.setValue(0)
    assert bar.maximum() > 500

    tide.may_end.set()
    qtbot.waitUntil(lambda: not drafts(window))

    assert window.document.current_id == water
    assert bar.value() == 0


@pytest.mark.slow
def test_a_reader_above_stays_there_when_the_answer_becomes_the_current_node(
    window: MainWindow, tide: Tide, qtbot: QtBot
) -> None:
    leaf = window.document.tree.path.leaf_id
    ask(window, qtbot, leaf)
    bar = window.dialogue.verticalScrollBar()
    bar.setValue(0)
    assert bar.maximum() > 500

    tide.may_end.set()
    qtbot.waitUntil(lambda: not drafts(window))

    assert window.document.current_id == window.document.tree.path.leaf_id != leaf
    assert bar.value() == 0


def test_escape_stops_the_shown_path_only_and_shift_escape_everything(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    water, leaf = said(window, "Water."), window.document.tree.path.leaf_id
    ask(window, qtbot, water)
    assert not window.actions_set.by_name["stop"].isEnabled()
    ask(window, qtbot, leaf)

    pointer.key("Escape")
    qtbot.waitUntil(lambda: [live.parent_id for live in drafts(window)] == [water])
    assert not window.actions_set.by_name["stop"].isEnabled()
    pointer.key("shift+Escape")
    qtbot.waitUntil(lambda: not drafts(window))


@pytest.mark.slow
def test_a_message_below_a_running_answer_is_not_sent_beside_it_and_follows_it_once_it_is_there(
    window: MainWindow, tide: Tide, qtbot: QtBot, pointer: Pointer
) -> None:
    leaf = window.document.tree.path.leaf_id
    ask(window, qtbot, leaf)
    nodes, button = set(window.document.tree.nodes), find(window, QAbstractButton, "generateButton")
    pointer.click(window.composer.field)
    pointer.type_ascii("Why so?")
    qtbot.waitUntil(lambda: not button.isEnabled())
    assert "still being written" in button.toolTip()

    pointer.key("ctrl+Return")
    qtbot.waitUntil(lambda: "still being written" in window.text_pane.errors.text)
    assert window.composer.text == "Why so?"
    assert set(window.document.tree.nodes) == nodes

    tide.may_end.set()
    qtbot.waitUntil(lambda: not drafts(window))
    qtbot.waitUntil(button.isEnabled)
    qtbot.waitUntil(window.text_pane.errors.isHidden)
    pointer.key("ctrl+Return")
    qtbot.waitUntil(lambda: window.composer.text == "")
    tree = window.document.tree
    [answer] = [i for i in tree.children(leaf) if i not in nodes]
    [reply] = tree.children(answer)
    assert tree.nodes[answer].text == "Waves and salt."
    assert tree.nodes[reply].text == "Why so?"
    qtbot.waitUntil(lambda: not drafts(window))
