"""The seam before an answer: of a chat model that began without a space one is told, and a click puts one."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Agent
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands.buffer.answers import words_met
from tests.kit.find import find
from tests.kit.processes.outside import loomapp, new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window


def test_a_word_glued_to_the_one_before_is_told_of_and_a_click_parts_them(
    tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "g.loom"
    new_tree(path, mode="buffer", text="There was a lamp")
    answers = [DIALECTS["chat"].answer(words) for words in ("shone. ", "Then it went out.", "burned.")]
    with FakeServer(*answers) as server:
        add_endpoint("sea", server.url, "chat")
        with open_grove(path) as grove:
            grove.put_agent(Agent("sea", "Sea", "model", "sea:s-1"))
            put_asked_ids(grove, ("sea",))
        with open_window(path, qtbot) as window:
            window.composer.set_count(1)
            editor, errors = window.buffer.view.editor, window.text_pane.errors
            editor.setFocus()
            editor.set_caret(len(editor.text))
            window.actions_set.by_name["generate"].trigger()
            qtbot.waitUntil(lambda: bool(server.received) and not window.generator.is_streaming())
            qtbot.waitUntil(lambda: editor.text == "There was a lampshone. ")
            assert errors.text == "“lampshone”: the answer began without a space."

            find(errors, QPushButton, "errorAction").click()

            assert editor.text == "There was a lamp shone. "
            assert editor.is_at_end
            assert not errors.isVisible()
            window.actions_set.by_name["generate"].trigger()
            qtbot.waitUntil(lambda: len(server.received) == 2 and not window.generator.is_streaming())
            assert errors.text == ""
            for _ in range(2):
                window.actions_set.by_name["undo"].trigger()
            window.actions_set.by_name["generate"].trigger()
            qtbot.waitUntil(lambda: len(server.received) == 3 and not window.generator.is_streaming())
            qtbot.waitUntil(lambda: bool(errors.text))
            first = window.document.tree.loom.id
            window.document.new_tree("dialogue")
            assert errors.text == "", "it was about another text"
            window.document.open_tree(first)
            answer = next(n for n in window.document.tree.nodes.values() if n.text == "shone. ")
            assert answer.author_type == "model"
    assert "failed" not in loomapp("verify", "--grove", path)


@pytest.mark.parametrize(
    ("before", "after", "met"),
    [
        ("A lamp", "shone.", "lampshone"),
        ("Eine Küste", "öde", "Küsteöde"),
        ("A lamp ", "shone.", ""),
        ("The lighthouse. A lightho", "use.", ""),
        ("The lighthouses. A lightho", "use.", "lighthouse"),
        ("A lamp", ", lit", ""),
        ("No 4", "lamps", ""),
        ("灯が", "ともった。", ""),
        ("灯", "亮了。", ""),
        ("ไฟ", "ดับ", ""),
    ],
)
def test_words_meet_in_scripts_that_put_spaces_between_them(before: str, after: str, met: str) -> None:
    assert words_met(before + after, len(before)) == met
