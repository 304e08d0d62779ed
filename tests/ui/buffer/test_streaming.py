"""Writing in a buffer while an answer streams: it lands where it was shown, and nothing leaves the text.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.model.hashes import verify
from loomapp.providers import registry
from loomapp.ui.commands.buffer.pager import beside_in_view
from loomapp.ui.window.main_window import MainWindow
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk
from tests.ui.buffer.test_view import writing

BEGUN, REST = " Third passage", " is the answer."


class Held:
    """A server whose answers have begun, and end when they are let go on."""

    def __init__(self) -> None:
        self._may_end = threading.Event()
        self.server = FakeServer(self._answer)

    def go_on(self) -> None:
        self._may_end.set()

    def _answer(self, conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk(BEGUN))
        self._may_end.wait(60)
        conversation.send(chunk(REST))
        conversation.send(chunk(reason="stop"))
        conversation.send(DONE)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    held = Held()
    with held.server:
        yield held
        held.go_on()


@contextmanager
def streaming(path: Path, qtbot: QtBot, held: Held, *passages: str, count: int = 1) -> Iterator[MainWindow]:
    """A window on a buffer of some passages, with answers that stream after them."""
    with writing(path, qtbot, held.server, passages[0]) as window:
        window.composer.set_count(count)
        for words in passages[1:]:
            window.writing.settle()
            window.buffer.view.editor.put(words)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: BEGUN in window.buffer.view.editor.tail_text)
        yield window


def write_over(window: MainWindow, old: str, new: str) -> None:
    editor = window.buffer.view.editor
    at = editor.text.index(old)
    editor.select(at, at + len(old))
    QTest.keyClicks(editor, new)


def let_end(window: MainWindow, qtbot: QtBot, held: Held) -> None:
    held.go_on()
    qtbot.waitUntil(lambda: not window.generator.is_streaming())


def verdicts(window: MainWindow) -> set[str]:
    tree, grove = window.document.tree, window.document.grove
    return {found.verdict for found in verify(tree, grove.digests(tree.loom.id))}


def test_an_answer_stands_after_what_was_corrected_before_it_meanwhile(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, "First passage. ", "Second passage here.") as window:
        editor, document = window.buffer.view.editor, window.document
        asked = document.path_ids[-1]
        write_over(window, "here", "there")
        write_over(window, "First", "1st")
        version = document.path_ids[-1]
        assert document.tree.nodes[version].edited_from == asked
        assert BEGUN in editor.tail_text
        assert [live.parent_id for live in window.generator.drafts(document.tree.loom.id)] == [version]

        let_end(window, qtbot, held)

        assert editor.text == "1st passage. Second passage there." + BEGUN + REST
        answer = document.path_ids[-1]
        assert document.tree.incoming(answer)[0].with_role("primary") == (asked, version)
        assert verdicts(window) == {"ok"}
        window.writing.settle()
        document.history.undo(window.generator.answers.guard_undo)
        document.history.undo(window.generator.answers.guard_undo)
        assert editor.text == "First passage. Second passage there."


@pytest.mark.slow
def test_an_answer_stands_in_the_text_again_that_was_left_for_another_tree(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, "Once upon a time") as window:
        tree_id = window.document.tree.loom.id
        write_over(window, "Once", "Twice")
        window.actions_set.by_name["newBuffer"].trigger()
        assert window.document.tree.loom.id != tree_id

        let_end(window, qtbot, held)

        window.opening.open(tree_id)
        qtbot.waitUntil(lambda: window.document.tree.loom.id == tree_id)
        assert window.buffer.view.editor.text == "Twice upon a time" + BEGUN + REST


@pytest.mark.slow
def test_an_answer_stands_in_a_text_that_was_left_read_again_and_corrected(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, "Once upon a time") as window:
        tree_id = window.document.tree.loom.id
        window.actions_set.by_name["newBuffer"].trigger()
        window.opening.open(tree_id)
        qtbot.waitUntil(lambda: window.document.tree.loom.id == tree_id)
        write_over(window, "Once", "Twice")
        window.writing.settle()
        assert BEGUN in window.buffer.view.editor.tail_text

        let_end(window, qtbot, held)

        assert window.buffer.view.editor.text == "Twice upon a time" + BEGUN + REST
        assert verdicts(window) == {"ok"}


@pytest.mark.slow
def test_a_text_without_the_answer_that_is_undone_stays(tmp_path: Path, qtbot: QtBot, held: Held) -> None:
    with writing(tmp_path / "g.loom", qtbot, held.server, "AAAA ") as window:
        editor, act = window.buffer.view.editor, window.actions_set.by_name
        for words in ("BBBB ", "CCCC "):
            window.writing.settle()
            editor.put(words)
        window.writing.settle()
        editor.set_caret(7)
        act["generateSiblings"].trigger()
        let_end(window, qtbot, held)
        assert editor.text == "AAAA BBBB " + BEGUN + REST
        act["previousSibling"].trigger()
        assert editor.text == "AAAA BBBB CCCC "

        act["undo"].trigger()

        assert editor.text == "AAAA BBBB CCCC "
        assert BEGUN + REST not in {node.text for node in window.document.tree.nodes.values()}
        act["redo"].trigger()
        assert editor.text == "AAAA BBBB CCCC "


def test_an_answer_that_is_kept_first_is_counted_between_what_was_asked_for_before_it_and_after_it(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    def places() -> list[tuple[int, int]]:
        marks = list(beside_in_view(window.buffer, window.bench.work))[1:]
        return [(mark.number, mark.count) for mark in marks]

    with streaming(tmp_path / "g.loom", qtbot, held, "First passage.") as window:
        document, turning = window.document, window.buffer.turning
        end = document.path_ids[-1]
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: len(window.generator.answers.flights()) == 2)
        document.commit(node_edits.add_node(document.tree, end, " Kept.", document.pen()))
        kept = document.path_ids[-1]
        first, last = window.generator.answers.flights()
        first.place = replace(first.place, later=(kept, *last.ids.values()))
        document.place.read(end)
        window.generator.answers.tell_drafts()
        turning.turn_tail(-1)

        assert places() == [(1, 3)]
        assert turning.turn_tail(1)
        assert document.path_ids[-1] == kept
        assert places() == [(2, 3)]
        turning.turn_sibling(kept, 1)
        assert document.path_ids[-1] == end
        assert places() == [(3, 3)]
        assert not turning.turn_tail(1)
        assert turning.turn_tail(-1)
        turning.turn_sibling(kept, -1)
        assert places() == [(1, 3)]
        assert not turning.turn_tail(-1)
