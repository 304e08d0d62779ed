"""Spaces typed last, which a model that goes on with the text itself is not sent: where nothing came."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.tree import Agent
from loomapp.store.grove import open_grove
from loomapp.store.model_agents import put_asked_ids
from loomapp.ui.agents import asking
from loomapp.ui.window.main_window import MainWindow
from tests.dialects import DIALECTS
from tests.fake_server import FakeServer, fails
from tests.journeys.outside import new_tree
from tests.journeys.windows import open_window
from tests.own_endpoints import add_endpoint

BASE = Agent("base", "Base", "model", "base:fake-1")


def retry(window: MainWindow) -> None:
    [failed] = window.generator.drafts(window.document.tree.loom.id)
    window.run_command(lambda w: asking.act_on_draft(w, failed.key, "retry"))


def test_spaces_typed_last_stand_in_the_text_again_where_nothing_came(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "g.loom"
    new_tree(path, mode="buffer")
    with FakeServer(fails(400), fails(400), DIALECTS["completions"].answer(" Then.")) as server:
        add_endpoint("base", server.url, "completions")
        with open_grove(path) as grove:
            grove.put_agent(BASE)
            put_asked_ids(grove, (BASE.id,))
        with open_window(path, qtbot) as window:
            editor, act = window.buffer.view.editor, window.actions_set.by_name
            window.composer.set_count(1)
            editor.setFocus()
            QTest.keyClicks(editor, "open   ")
            for ask in (act["generate"].trigger, lambda: retry(window)):
                ask()
                assert editor.text == "open"
                qtbot.waitUntil(lambda: not window.generator.is_streaming())
                assert (window.buffer.text, editor.text, editor.caret) == ("open   ", "open   ", 7)

            QTest.keyClicks(editor, "x")
            states = [editor.text]
            while act["undo"].isEnabled():
                act["undo"].trigger()
                states.append(editor.text)
            assert states[:3] == ["open   x", "open   ", "open"]
            assert states[-1] == ""
            while editor.text != "open   ":
                act["redo"].trigger()

            act["generate"].trigger()
            qtbot.waitUntil(lambda: not window.generator.is_streaming())
            assert editor.text == "open Then."
