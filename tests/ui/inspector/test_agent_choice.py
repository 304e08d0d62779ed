"""Of several agents that are asked, the context of each can be looked at before it is sent."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Configuration
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands.agents.asked_models import ask_these
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.groves import planted
from tests.kit.trees import Hand
from tests.kit.windows import open_window


def asked(window: MainWindow) -> str:
    """The agent whose context is shown."""
    preview = window.bench.work.preview
    assert preview.question is not None
    assert preview.agent == preview.question.agent
    return preview.question.agent.id


def test_the_context_of_each_agent_that_is_asked_can_be_seen(tmp_path: Path, qtbot: QtBot) -> None:
    with create_grove(tmp_path / "a.loom") as made:
        planted(made, Hand())
    with open_window(tmp_path / "a.loom", qtbot) as window:
        agents = window.document.agents
        first = agents.model()
        second = replace(first, id="second", name="Second", configuration=Configuration(max_tokens=3000))
        agents.put(second)
        window.bring_inspector()
        window.inspector.show_context()
        choice = find(window, QComboBox, "contextAgent")
        assert not choice.isVisible(), "there is nothing to choose"

        ask_these(window.bench, (first.id, second.id))
        qtbot.waitUntil(choice.isVisible)
        begun = asked(window)
        assert choice.currentData() == begun
        choice.setFocus()
        QTest.keyClick(choice, Qt.Key.Key_Down if choice.currentIndex() == 0 else Qt.Key.Key_Up)
        qtbot.waitUntil(lambda: asked(window) == ({first.id, second.id} - {begun}).pop())
        assert choice.currentData() == asked(window)
        preview = window.bench.work.preview
        tightest = min(preview.plans, key=attrgetter("free_tokens"))
        assert preview.tightest == tightest.assembled != preview.last  # summaries go by it all the same

        ask_these(window.bench, (first.id,))
        qtbot.waitUntil(lambda: not choice.isVisible())
        assert asked(window) == first.id
