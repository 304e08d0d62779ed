"""Spaces typed last, which a model that goes on with the text itself is not sent: where nothing came.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Agent
from loomapp.store.files import drafts
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.buffer.margin.marks import VersionChip
from loomapp.ui.commands import navigate, send
from loomapp.ui.window.main_window import MainWindow
from tests.kit.copies import copy_as_killed
from tests.kit.families import one_in
from tests.kit.processes.outside import new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import Conversation, FakeServer, fails
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window, unseen_window

BASE = Agent("base", "Base", "model", "base:fake-1")


@contextmanager
def typed(path: Path, qtbot: QtBot, *answers: Callable[[Conversation], None]) -> Iterator[MainWindow]:
    """A buffer in which a text that ends in spaces was typed; a server that answers its requests in turn."""
    new_tree(path, mode="buffer")
    with FakeServer(*answers) as server:
        add_endpoint("base", server.url, "completions")
        with open_grove(path) as grove:
            grove.put_agent(BASE)
            put_asked_ids(grove, (BASE.id,))
        with open_window(path, qtbot) as window:
            window.composer.set_count(1)
            window.buffer.view.editor.setFocus()
            QTest.keyClicks(window.buffer.view.editor, "open   ")
            yield window


def generate(window: MainWindow) -> None:
    window.actions_set.by_name["generate"].trigger()


def retry(window: MainWindow) -> None:
    [failed] = window.generator.drafts(window.document.tree.loom.id)
    window.run_command(lambda w: send.act_on_draft(w, failed.key, "retry"))


def test_spaces_typed_last_stand_in_the_text_again_where_nothing_came(tmp_path: Path, qtbot: QtBot) -> None:
    with typed(tmp_path / "g.loom", qtbot, fails(400)) as window:
        editor, act = window.buffer.view.editor, window.actions_set.by_name
        generate(window)
        assert editor.text == "open"
        qtbot.waitUntil(lambda: not window.generator.is_streaming())

        assert (window.buffer.text, editor.text, editor.caret) == ("open   ", "open   ", 7)

        QTest.keyClicks(editor, "x")
        states = [editor.text]
        while act["undo"].isEnabled():
            act["undo"].trigger()
            states.append(editor.text)
        assert states == ["open   x", "open   ", ""]


@pytest.mark.slow
@pytest.mark.parametrize("again", one_in(2, [generate, retry]))
def test_spaces_are_left_out_once_more_where_it_is_asked_again(
    tmp_path: Path, qtbot: QtBot, again: Callable[[MainWindow], None]
) -> None:
    answer = DIALECTS["completions"].answer(" Then.")
    with typed(tmp_path / "g.loom", qtbot, fails(400), fails(400), answer) as window:
        for ask, text in ((generate, "open   "), (again, "open   "), (again, "open Then.")):
            ask(window)
            qtbot.waitUntil(lambda: not window.generator.is_streaming())
            assert window.buffer.text == window.buffer.view.editor.text == text


def ask(window: MainWindow, qtbot: QtBot) -> None:
    generate(window)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())


@pytest.mark.slow
def test_asking_again_and_again_is_no_step_there_and_back(tmp_path: Path, qtbot: QtBot) -> None:
    with typed(tmp_path / "g.loom", qtbot, fails(400)) as window:
        editor, act = window.buffer.view.editor, window.actions_set.by_name
        for _ in range(3):
            ask(window, qtbot)
        states = [editor.text]
        while act["undo"].isEnabled():
            act["undo"].trigger()
            states.append(editor.text)
        assert states == ["open   ", ""]
        act["redo"].trigger()
        assert editor.text == "open   "
        assert not act["redo"].isEnabled()


@pytest.mark.slow
def test_spaces_typed_last_stand_there_again_where_it_failed_while_another_tree_was_read(
    tmp_path: Path, qtbot: QtBot
) -> None:
    is_left = threading.Event()

    def breaks_off(conversation: Conversation) -> None:
        conversation.head()
        is_left.wait(10)
        conversation.reset()

    with typed(tmp_path / "g.loom", qtbot, breaks_off) as window:
        document = window.document
        tree_id = document.tree.loom.id
        generate(window)
        assert window.buffer.text == "open"
        document.new_tree("buffer")
        is_left.set()
        qtbot.waitUntil(lambda: not window.generator.is_streaming())
        window.text_pane.errors.clear()

        document.open_tree(tree_id)

        assert window.buffer.text == window.buffer.view.editor.text == "open   "


def test_undo_of_an_answer_leads_to_the_very_text_that_was_typed(tmp_path: Path, qtbot: QtBot) -> None:
    answer = DIALECTS["completions"].answer(" Then.")
    with typed(tmp_path / "g.loom", qtbot, answer, answer) as window:
        editor, act = window.buffer.view.editor, window.actions_set.by_name
        ask(window, qtbot)
        for name, text in (("undo", "open   "), ("redo", "open Then."), ("undo", "open   ")):
            act[name].trigger()
            assert editor.text == text
        generate(window)
        qtbot.waitUntil(lambda: not window.generator.is_streaming())
        assert editor.text == "open Then."

        act["undo"].trigger()
        QTest.keyClicks(editor, "x")

        assert editor.text == "open   x"


@pytest.mark.slow
def test_spaces_that_undo_brings_back_are_left_out_too(tmp_path: Path, qtbot: QtBot) -> None:
    answer = DIALECTS["completions"].answer(" Then.")
    with typed(tmp_path / "g.loom", qtbot, fails(400), fails(400), answer) as window:
        editor, act = window.buffer.view.editor, window.actions_set.by_name
        ask(window, qtbot)
        QTest.keyClicks(editor, "  ")
        ask(window, qtbot)
        assert editor.text == "open     "
        for text in ("open   ", "", "open   ", "open     "):
            act["undo" if len(text) < len(editor.text) else "redo"].trigger()
            assert editor.text == text
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert window.preview.last.document == "open"

        generate(window)
        qtbot.waitUntil(lambda: not window.generator.is_streaming())

        assert window.buffer.text == editor.text == "open Then."


@pytest.mark.slow
def test_spaces_stay_where_there_is_nothing_to_be_sent(tmp_path: Path, qtbot: QtBot) -> None:
    with typed(tmp_path / "g.loom", qtbot, fails(400)) as window:
        editor, act = window.buffer.view.editor, window.actions_set.by_name
        while act["undo"].isEnabled():
            act["undo"].trigger()
        QTest.keyClicks(editor, "  ")

        generate(window)

        assert not window.generator.is_streaming()
        assert window.buffer.text == editor.text == "  "


@pytest.mark.slow
def test_spaces_that_were_just_left_out_are_there_after_a_crash(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with typed(tmp_path / "g.loom", qtbot, lambda conversation: conversation.wait_until_left()) as window:
        kept = window.journal
        assert kept is not None
        for name in ("PAUSE_S", "CEILING_S"):  # so that only what is written at once is on disk
            monkeypatch.setattr(drafts, name, 600.0)
        generate(window)
        assert window.buffer.text == "open"
        qtbot.waitUntil(lambda: not kept.is_writing)

        copy_as_killed(tmp_path, tmp_path / "crashed")
        with unseen_window(tmp_path / "crashed" / "g.loom") as again:
            QTest.keyClicks(again.buffer.view.editor, "x")
            assert again.buffer.text == "open   x"
        window.generator.stop_all()


@pytest.mark.slow
def test_no_view_counts_a_version_that_only_leaves_out_spaces(tmp_path: Path, qtbot: QtBot) -> None:
    with typed(tmp_path / "g.loom", qtbot, DIALECTS["completions"].answer(" Then.")) as window:
        editor, document = window.buffer.view.editor, window.document

        def chips() -> list[str]:
            return [chip.accessibleName() for chip in window.findChildren(VersionChip) if chip.isVisible()]

        ask(window, qtbot)
        document.place.set_current(document.path_ids[1])
        assert (editor.text, chips(), navigate.has_versions(window.bench)) == ("open Then.", [], False)

        editor.set_caret(2)
        QTest.keyClicks(editor, "x")
        window.writing.settle()
        window.buffer.view.margins.place()
        assert chips() == ["Version 3 of 3"]
