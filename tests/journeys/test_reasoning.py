"""Reasoning: shown collapsed while it streams and afterwards, kept with its answer, never sent again.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.model.agent import Agent
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from tests.kit.conversations import AGENTS, letter
from tests.kit.desktop import Pointer
from tests.kit.dialogue_views import message, shown_view
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, event, usage
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

THOUGHT = "The sea is wide, so: waves."
SEA = Agent("sea", "Sea", "model", "sea:s-1")


def thinks(text: str) -> bytes:
    return event(
        {"id": "a", "choices": [{"index": 0, "delta": {"reasoning_content": text}, "finish_reason": None}]}
    )


@pytest.fixture
def go_on() -> threading.Event:
    return threading.Event()


@pytest.fixture
def sea(go_on: threading.Event) -> Iterator[FakeServer]:
    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(thinks(THOUGHT))
        go_on.wait(60)
        conversation.send(chunk("Waves.") + chunk(reason="stop") + usage(7, 3) + DONE)

    with FakeServer(script) as server:
        yield server
        go_on.set()


def test_reasoning_is_read_on_demand_kept_and_never_sent(
    tmp_path: Path, sea: FakeServer, go_on: threading.Event, qtbot: QtBot, pointer: Pointer
) -> None:
    add_endpoint("sea", sea.url, "chat")
    grove = tmp_path / "g.loom"
    new_tree(grove, text="What is the sea?")
    with open_grove(grove) as opened:
        opened.put_agent(SEA)
        put_asked_ids(opened, (SEA.id,))

    with open_window(grove, qtbot) as window:
        tree, tree_id = window.document.tree, window.document.tree.loom.id
        window.composer.set_count(1)
        pointer.click(find(window, QPushButton, "generateButton"))
        qtbot.waitUntil(lambda: any(d.draft.reasoning for d in window.generator.drafts(tree_id)))
        key = window.generator.drafts(tree_id)[0].key
        qtbot.waitUntil(lambda: "Reasoning… 6 words" in link_of(window.dialogue, key))
        go_on.set()
        qtbot.waitUntil(lambda: not window.generator.is_streaming())
        answer = window.document.current_id
        assert tree.nodes[answer].text == "Waves."
        assert link_of(window.dialogue, answer) == "Reasoning, 6 words"

        shown = message(window.dialogue, answer)
        pointer.click(find(shown, QPushButton, "reasoningLink"))
        words = find(shown, QLabel, "reasoningText")
        qtbot.waitUntil(words.isVisible)
        assert words.text() == THOUGHT

        pointer.click(find(window, QPushButton, "generateButton"))
        qtbot.waitUntil(lambda: len(sea.received) == 2 and not window.generator.is_streaming())
        assert b"so: waves" not in sea.received[1].body

    with open_grove(grove) as opened:
        kept = opened.load_tree(tree_id).nodes[answer]
    assert kept.extra == {"reasoning": THOUGHT}


def link_of(view: object, key: str) -> str:
    found = view.message(key)  # type: ignore[attr-defined]
    link = found.findChild(QPushButton, "reasoningLink") if found is not None else None
    return link.text() if link is not None and link.isVisible() else ""


@pytest.mark.slow
def test_a_message_is_as_high_as_its_open_reasoning_needs(qtbot: QtBot, qapp: QApplication) -> None:
    view = shown_view(qtbot, qapp)
    view.show_path(letter(), ("root", "ask"), AGENTS, {})
    thought = "It is a long way up the hill. " * 30
    view.set_drafts((LiveDraft("d", "ask", "smol", Draft(0, "Up.", thought)),))
    before = message(view, "d").height()

    find(message(view, "d"), QPushButton, "reasoningLink").click()

    words = find(message(view, "d"), QLabel, "reasoningText")
    qtbot.waitUntil(lambda: message(view, "d").height() > before + 100)
    body = message(view, "d").body
    assert body.mapToGlobal(body.rect().topLeft()).y() >= words.mapToGlobal(words.rect().bottomLeft()).y()
