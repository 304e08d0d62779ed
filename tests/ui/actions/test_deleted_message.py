"""Below a deleted message that is shown nothing is generated or added: what came would be out of sight."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_marks
from loomapp.core.model.entities import Mode
from loomapp.providers import registry
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands import availability
from tests.journeys.growing import Growing, grown
from tests.kit.find import find
from tests.kit.servers.fake_server import FakeServer, answers
from tests.kit.windows import open_window
from tests.session.programs import ask_server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(answers("It is salt.")) as server:
        yield server


def with_deleted(path: Path, url: str, mode: Mode) -> tuple[Growing, str]:
    """A tree in which one answer of two is deleted."""
    with create_grove(path) as grove:
        ask_server(grove, url)
        made = grown(grove, mode)
        made.answer(made.tree.root_id, "Blue.")
        deleted = made.answer(made.tree.root_id, "Wide.")
        made.do(lambda tree, pen: node_marks.prune(tree, deleted, pen))
    return made, deleted


@pytest.mark.parametrize("mode", ["dialogue", "buffer"])
def test_generate_is_off_and_says_why_until_it_is_restored(
    tmp_path: Path, server: FakeServer, qtbot: QtBot, mode: Mode
) -> None:
    _, deleted = with_deleted(tmp_path / "g.loom", server.url, mode)

    with open_window(tmp_path / "g.loom", qtbot) as window:
        window.display.set_show_pruned(True)
        window.document.place.read_through(deleted)
        window.document.place.set_current(deleted)
        button = find(window.composer, QPushButton, "generateButton")
        qtbot.waitUntil(lambda: not button.isEnabled())
        assert "restore it first" in button.toolTip()
        before = set(window.document.tree.nodes)

        window.actions_set.by_name["generate"].trigger()

        assert any("restore it first" in said for said in window.text_pane.errors.sentences)
        assert (server.received, set(window.document.tree.nodes)) == ([], before)

        window.actions_set.by_name["restore"].trigger()
        qtbot.waitUntil(button.isEnabled)
        assert window.text_pane.errors.sentences == ()
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: not window.generator.is_streaming() and server.received != [])


def test_a_message_is_not_added_there_and_its_words_stay(
    tmp_path: Path, server: FakeServer, qtbot: QtBot
) -> None:
    _, deleted = with_deleted(tmp_path / "g.loom", server.url, "dialogue")

    with open_window(tmp_path / "g.loom", qtbot) as window:
        window.display.set_show_pruned(True)
        window.document.place.read_through(deleted)
        window.document.place.set_current(deleted)
        window.composer.set_text("Is it deep?")

        for name in ("addMessage", "generate"):
            window.actions_set.by_name[name].trigger()

        assert window.composer.text == "Is it deep?"
        assert "Is it deep?" not in [node.text for node in window.document.tree.nodes.values()]


def test_new_words_of_a_buffer_behind_deleted_ones_are_continued(
    tmp_path: Path, server: FakeServer, qtbot: QtBot
) -> None:
    _, deleted = with_deleted(tmp_path / "g.loom", server.url, "buffer")

    with open_window(tmp_path / "g.loom", qtbot) as window:
        window.display.set_show_pruned(True)
        window.document.place.read_through(deleted)
        window.document.place.set_current(deleted)
        button, editor = find(window.composer, QPushButton, "generateButton"), window.buffer.view.editor
        qtbot.waitUntil(lambda: not button.isEnabled())
        window.buffer.place.to_end()

        QTest.keyClicks(editor, " And deep.")

        assert availability.why_no_generate(window.bench) == ""  # before the words are a node
        qtbot.waitUntil(button.isEnabled)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: not window.generator.is_streaming() and server.received != [])
        [words] = [node for node in window.document.tree.nodes.values() if node.text == " And deep."]
        assert not words.metadata.pruned
