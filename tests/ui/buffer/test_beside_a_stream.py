"""Words written at the end of a buffer while an answer streams there: they stay where they are seen.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import random
from pathlib import Path
from queue import Queue
from typing import cast

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.providers import registry
from loomapp.ui.buffer.tail import GROWING
from loomapp.ui.window.main_window import MainWindow
from tests.kit.copies import copy_as_killed
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, fails
from tests.kit.windows import unseen_window
from tests.ui.buffer.test_streaming import BEGUN, REST, Held, held, let_end, streaming, verdicts, write_over
from tests.ui.buffer.test_view import saved_text, writing

__all__ = ["held"]

BEGINNING = "The lamp was lit."
SEEDS = one_in(2, (3, 8, 21, 40, 59))


def seen(window: MainWindow) -> str:
    """What the screen says, but for the sign that more comes."""
    editor = window.buffer.view.editor
    text, at = editor.text, editor.tail_at
    assert window.buffer.text == text
    return text[:at] + editor.tail_text.replace(GROWING, "") + text[at:]


@pytest.mark.parametrize("count", one_in(2, [1, 4], first=1))
def test_words_before_an_answer_that_streams_stay_before_it(
    tmp_path: Path, qtbot: QtBot, held: Held, count: int
) -> None:
    path = tmp_path / "g.loom"
    with streaming(path, qtbot, held, BEGINNING, count=count) as window:
        editor, document = window.buffer.view.editor, window.document
        editor.set_caret(len(BEGINNING))
        for number, letter in enumerate(" He", start=1):
            QTest.keyClicks(editor, letter)
            assert seen(window) == BEGINNING + " He"[:number] + BEGUN

        let_end(window, qtbot, held)

        text = BEGINNING + " He" + BEGUN + REST
        assert (seen(window), editor.caret) == (text, len(BEGINNING + " He"))
        passage_at = window.writing.buffer_text.passage_at
        qtbot.waitUntil(lambda: document.current_id == passage_at(editor.caret).node_id)
        QTest.keyClicks(editor, " sat")
        text = text.replace(" He", " He sat")
        assert seen(window) == text
        window.writing.settle()
        assert seen(window) == text
        assert len(document.tree.children(document.path_ids[-2])) == count
        assert verdicts(window) == {"ok"}
        for _ in range(9):
            window.actions_set.by_name["undo"].trigger()
        assert seen(window) == ""
        for _ in range(9):
            window.actions_set.by_name["redo"].trigger()
        assert seen(window) == text
    assert saved_text(path) == text


@pytest.mark.slow
def test_who_corrects_the_passage_that_is_continued_stays_there(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, BEGINNING) as window:
        editor, document = window.buffer.view.editor, window.document
        write_over(window, "lamp", "fire")

        let_end(window, qtbot, held)

        text = BEGINNING.replace("lamp", "fire") + BEGUN + REST
        assert (seen(window), editor.caret) == (text, len("The fire"))
        assert document.current_id == document.path_ids[-2]
        QTest.keyClicks(editor, "place")
        assert seen(window) == text.replace("fire", "fireplace")


def composed(words: str) -> QInputMethodEvent:
    event = QInputMethodEvent()
    event.setCommitString(words)
    return event


@pytest.mark.slow
def test_words_before_an_answer_that_is_stopped_stay_before_it(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, BEGINNING) as window:
        editor = window.buffer.view.editor
        editor.set_caret(len(BEGINNING))
        QTest.keyClicks(editor, " Dim")
        QTest.keyClick(editor, Qt.Key.Key_Escape)
        assert not window.generator.is_streaming()
        assert seen(window) == BEGINNING + " Dim" + BEGUN
        window.actions_set.by_name["undo"].trigger()
        assert seen(window) == BEGINNING + BEGUN


@pytest.mark.slow
def test_words_typed_before_an_answer_that_is_asked_again_stand_before_it(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    held.server.scripts.insert(0, fails(400))
    path = tmp_path / "g.loom"
    with writing(path, qtbot, held.server, BEGINNING) as window:
        editor, generator = window.buffer.view.editor, window.generator
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: not generator.is_streaming())
        [failed] = generator.drafts(window.document.tree.loom.id)
        QTest.keyClicks(editor, " Dim")
        window.buffer.taking_back.undo_typing()
        window.buffer.taking_back.redo_typing()
        generator.retry(failed.key)
        qtbot.waitUntil(lambda: BEGUN in editor.tail_text)
        window.buffer.taking_back.undo_typing()
        assert seen(window) == BEGINNING + BEGUN
        window.buffer.taking_back.redo_typing()
        assert seen(window) == BEGINNING + " Dim" + BEGUN

        let_end(window, qtbot, held)

        assert seen(window) == BEGINNING + " Dim" + BEGUN + REST
        window.writing.settle()
    assert saved_text(path) == BEGINNING + " Dim" + BEGUN + REST


@pytest.mark.slow
def test_an_answer_follows_after_a_crash_what_was_corrected_before_it(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    path.parent.mkdir()
    with streaming(path, qtbot, held, "First. ", BEGINNING) as window:
        editor = window.buffer.view.editor
        QTest.keyClicks(editor, " Dim")
        write_over(window, "First", "1st")  # that makes a version of what the answer follows
        QTest.keyClicks(editor, "!")
        whole = seen(window)
        assert window.journal is not None
        assert window.journal.settle(5)
        copy_as_killed(path.parent, copy.parent)
    with unseen_window(copy) as window:
        assert seen(window) == whole


class Fed:
    """A server whose one answer grows by what it is fed."""

    def __init__(self) -> None:
        self._pieces: Queue[str | None] = Queue()
        self.server = FakeServer(self._answer)

    def feed(self, piece: str | None) -> None:
        """The next piece; None ends the answer."""
        self._pieces.put(piece)

    def _answer(self, conversation: Conversation) -> None:
        conversation.head()
        while (piece := self._pieces.get(timeout=60)) is not None:
            conversation.send(chunk(piece))
        conversation.send(chunk(reason="stop"))
        conversation.send(DONE)


@pytest.mark.parametrize("seed", one_in(3, SEEDS))
def test_what_is_seen_while_an_answer_streams_is_what_becomes_of_it(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    chance, fed, path = random.Random(seed), Fed(), tmp_path / "g.loom"
    with fed.server, writing(path, qtbot, fed.server, "One lamp. ") as window:
        editor, act = window.buffer.view.editor, window.actions_set.by_name
        for words in ("Two lamps. ", "Many lamps."):
            window.writing.settle()
            editor.put(words)
        answer = "Then"
        act["generate"].trigger()
        fed.feed(answer)
        qtbot.waitUntil(lambda: answer in editor.tail_text)
        try:
            for _ in range(16):
                answer += write_or_feed(window, qtbot, chance, fed, answer)
            text, at = editor.text, editor.tail_at
            if chance.random() < 0.3:
                QTest.keyClick(editor, Qt.Key.Key_Escape)
        finally:
            fed.feed(None)
        qtbot.waitUntil(lambda: not window.generator.is_streaming())
        assert seen(window) == text[:at] + answer + text[at:]
        for _ in range(6):
            write_or_feed(window, qtbot, chance, fed, None)
        whole = seen(window)
        window.writing.settle()
        assert seen(window) == whole
        assert verdicts(window) == {"ok"}
        undone = 0
        while act["undo"].isEnabled():
            act["undo"].trigger()
            undone += 1
        assert seen(window) == ""
        for _ in range(undone):
            act["redo"].trigger()
        assert seen(window) == whole
    assert saved_text(path) == whole


def write_or_feed(
    window: MainWindow, qtbot: QtBot, chance: random.Random, fed: Fed, answer: str | None
) -> str:
    """One key, or more of the answer, which is given back; each changes what is seen as it says."""
    editor = window.buffer.view.editor
    before, tail, tail_at = editor.text, editor.tail_text, editor.tail_at
    act = chance.choice(["move", "type", "type", "type", "back", "undo", "redo", "feed", "settle"])
    if act == "move":
        cursor = editor.textCursor()
        cursor.setPosition(chance.choice([len(before), chance.randrange(len(before + tail) + 1)]))
        editor.setTextCursor(cursor)
    elif act == "type":
        begin, is_behind, letter = editor.caret, bool(tail) and editor.is_in_tail, chance.choice("ab. ")
        QTest.keyClicks(editor, letter)
        expected = before[:begin] + letter + before[begin:]
        assert editor.text == expected
        assert editor.caret == begin + len(letter)
        assert editor.tail_at == tail_at + (begin <= tail_at and not is_behind)
    elif act == "back":
        begin, waits = editor.caret, bool(tail) and editor.is_in_tail and editor.caret == tail_at
        QTest.keyClick(editor, Qt.Key.Key_Backspace)
        expected = before if waits or not begin else before[: begin - 1] + before[begin:]
        assert editor.text == expected
    elif act == "undo":
        window.buffer.taking_back.undo_typing()
    elif act == "redo":
        window.buffer.taking_back.redo_typing()
    elif act == "settle":
        window.writing.settle()
        assert editor.text == before
    elif answer is not None:
        fed.feed(" more")
        qtbot.waitUntil(lambda: answer + " more" in editor.tail_text)
        assert seen(window) == before[:tail_at] + answer + " more" + before[tail_at:]
        return " more"
    assert editor.tail_text == tail
    assert window.buffer.text == editor.text
    return ""


def compose(window: MainWindow, preedit: str) -> None:
    QCoreApplication.sendEvent(window.buffer.view.editor, QInputMethodEvent(preedit, []))


@pytest.mark.slow
@pytest.mark.parametrize("count", one_in(2, [1, 3], first=1))
def test_what_is_composed_before_an_answer_lands_where_it_was_drawn(
    tmp_path: Path, qtbot: QtBot, held: Held, count: int
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, BEGINNING, count=count) as window:
        editor, document = window.buffer.view.editor, window.document
        editor.set_caret(len(BEGINNING))
        compose(window, "に")

        let_end(window, qtbot, held)

        assert editor.caret == len(BEGINNING)
        compose(window, "にほ")
        QCoreApplication.sendEvent(editor, composed("日本"))
        text = BEGINNING + "日本" + BEGUN + REST
        assert (seen(window), editor.caret) == (text, len(BEGINNING + "日本"))
        QTest.keyClicks(editor, "!")
        window.writing.settle()
        text = text.replace("本", "本!")
        assert seen(window) == text
        assert document.tree.nodes[document.path_ids[-1]].text == BEGUN + REST
        assert verdicts(window) == {"ok"}
        for _ in range(9):
            window.actions_set.by_name["undo"].trigger()
        assert seen(window) == ""


@pytest.mark.slow
def test_a_composition_that_is_given_up_beside_an_answer_leaves_nothing(
    tmp_path: Path, qtbot: QtBot, held: Held
) -> None:
    with streaming(tmp_path / "g.loom", qtbot, held, BEGINNING) as window:
        compose(window, "に")
        let_end(window, qtbot, held)
        compose(window, "")

        assert seen(window) == BEGINNING + BEGUN + REST
        assert window.writing.buffer_text.composed_at is None


@pytest.mark.slow
def test_nothing_is_sent_while_an_input_method_composes(
    tmp_path: Path, qtbot: QtBot, held: Held, pointer: Pointer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, held.server, BEGINNING) as window:
        editor = window.buffer.view.editor
        qtbot.waitUntil(editor.hasFocus)
        heard: list[bool] = []
        window.actions_set.by_name["generate"].triggered.connect(lambda: heard.append(True))
        compose(window, "に")

        pointer.key("ctrl+Return")
        pointer.key("x")
        qtbot.waitUntil(lambda: editor.text.endswith("x"))

        assert not heard
        assert not window.generator.is_streaming()
        QCoreApplication.sendEvent(editor, composed("日"))
        pointer.key("ctrl+Return")
        qtbot.waitUntil(lambda: BEGUN in editor.tail_text)
        let_end(window, qtbot, held)


@pytest.mark.slow
def test_no_action_takes_a_key_while_an_input_method_composes_in_a_line(
    tmp_path: Path, qtbot: QtBot, held: Held, pointer: Pointer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, held.server, BEGINNING) as window:
        heard: list[bool] = []
        window.actions_set.by_name["focusMode"].triggered.connect(lambda: heard.append(True))
        pointer.key("ctrl+f")
        field = window.buffer.view.find_bar.words
        qtbot.waitUntil(field.hasFocus)
        QCoreApplication.sendEvent(field, QInputMethodEvent("に", []))

        pointer.key("F11")
        pointer.key("x")
        qtbot.waitUntil(lambda: field.text().endswith("x"))

        assert not heard
        QCoreApplication.sendEvent(field, composed("日"))
        pointer.key("F11")
        qtbot.waitUntil(lambda: bool(heard))
