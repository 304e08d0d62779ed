"""When answers are done their cards take the places of their drafts, and nothing that is in view slides."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QRect
from pytestqt.qtbot import QtBot

from loomapp.cli.groves import add_sample
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.agent import Agent
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

SEA = Agent("sea", "Sea", "model", "sea:s-1")
LONG = "The sea is wide and grey. " * 30


def cards(window: MainWindow) -> dict[str, QRect]:
    return {node_id: window.graph.node_rect(node_id) for node_id in window.graph.node_ids()}


def test_no_card_slides_when_three_answers_in_view_are_done(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    may_end = threading.Event()

    def three(conversation: Conversation) -> None:
        conversation.head()
        for index in range(3):
            conversation.send(chunk(LONG, index=index))
        may_end.wait(60)
        for index in range(3):
            conversation.send(chunk(index=index, reason="stop"))
        conversation.send(DONE)

    path = tmp_path / "still.loom"
    with FakeServer(three) as server:
        add_endpoint("sea", server.url, "chat")
        with create_grove(path) as grove:
            add_sample(grove)
            grove.put_agent(SEA)
            put_asked_ids(grove, (SEA.id,))
        with open_window(path, qtbot) as window:
            window.graph.set_reduced_motion(True)
            window.composer.set_count(3)
            window.composer.setFocus()
            pointer.key("ctrl+Return")
            qtbot.waitUntil(lambda: sum(bool(d.draft.text) for d in drafts(window)) == 3)
            pointer.key("ctrl+0")
            qtbot.waitUntil(lambda: all(not window.graph.node_rect(d.key).isEmpty() for d in drafts(window)))
            asked, before, camera = window.document.current_id, cards(window), window.graph.camera
            answers = sorted(corners(window.graph.node_rect(d.key)) for d in drafts(window))

            may_end.set()

            qtbot.waitUntil(lambda: not window.generator.is_streaming() and drafts(window) == ())
            after = cards(window)
            came = [
                after.pop(node_id)
                for node_id in window.document.tree.children(asked)
                if node_id not in before
            ]
            assert camera.zoom < 1
            assert slides(before, after) == {}
            assert sorted(map(corners, came)) == answers


def corners(rect: QRect) -> tuple[int, int, int, int]:
    return rect.left(), rect.top(), rect.right(), rect.bottom()


def drafts(window: MainWindow) -> tuple[LiveDraft, ...]:
    return window.generator.drafts(window.document.tree.loom.id)


def slides(before: dict[str, QRect], after: dict[str, QRect]) -> dict[str, tuple[int, int]]:
    """How far cards moved, those that moved more than rounding does."""
    moved = {n: after[n].topLeft() - rect.topLeft() for n, rect in before.items()}
    return {n: (by.x(), by.y()) for n, by in moved.items() if by.manhattanLength() > 1}
