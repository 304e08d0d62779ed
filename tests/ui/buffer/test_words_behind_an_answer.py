"""Words written behind an answer that streams: none is thrown away, and they stand behind it for good.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent, QGuiApplication, QInputMethodEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from loomapp.providers import registry
from loomapp.store.files import drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.ui.buffer.margin.margins import BAR_GAP_PX
from loomapp.ui.buffer.tail import GROWING
from loomapp.ui.window.main_window import MainWindow
from tests.kit.copies import copy_as_killed
from tests.kit.desktop import Pointer
from tests.kit.drag import drag_in
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk
from tests.kit.windows import unseen_window
from tests.ui.buffer.test_beside_a_stream import seen
from tests.ui.buffer.test_streaming import verdicts, write_over
from tests.ui.buffer.test_view import saved_text, writing

CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
BEGINNING = "The lamp was lit."
WORDS = " ".join(f"word{number}" for number in range(40))


class Choir:
    """A server that answers each request in words of its own, each as far as it is let go on."""

    def __init__(self) -> None:
        self.begins, self.ends = [threading.Event() for _ in range(9)], [threading.Event() for _ in range(9)]
        self.breaks: set[int] = set()  # those that break off instead of ending
        self.closing = ""  # what each says last
        self._lock = threading.Lock()
        self._asked = 0
        self.server = FakeServer(self._answer)

    def begin(self, *numbers: int) -> None:
        """Say the first words of some answers."""
        for number in numbers:
            self.begins[number].set()

    def end(self, *numbers: int) -> None:
        """Say the rest, or break off."""
        for number in numbers:
            self.begins[number].set()
            self.ends[number].set()

    def let_go(self) -> None:
        """Nobody waits any more."""
        self.end(*range(9))

    def _answer(self, conversation: Conversation) -> None:
        with self._lock:
            number = self._asked
            self._asked += 1
        if number in self.breaks:
            self.ends[number].wait(60)
            conversation.head(status=400)
            return
        conversation.head()
        self.begins[number].wait(60)
        conversation.send(chunk(begun(number)))
        self.ends[number].wait(60)
        conversation.send(chunk(rest(number) + self.closing))
        conversation.send(chunk(reason="stop"))
        conversation.send(DONE)


def begun(number: int) -> str:
    return f" Answer {number}"


def rest(number: int) -> str:
    return f" is {'very ' * number}long."


def whole(number: int) -> str:
    return begun(number) + rest(number)


@pytest.fixture
def choir(monkeypatch: pytest.MonkeyPatch) -> Iterator[Choir]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    choir = Choir()
    with choir.server:
        yield choir
        choir.let_go()


@contextmanager
def asked(path: Path, qtbot: QtBot, choir: Choir, count: int = 1) -> Iterator[MainWindow]:
    """A window on a buffer whose end is being continued; nothing has come yet."""
    with writing(path, qtbot, choir.server, BEGINNING) as window:
        window.composer.set_count(count)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: len(choir.server.received) == count)
        qtbot.waitUntil(lambda: bool(window.buffer.view.editor.tail_text))
        yield window


def go_behind(window: MainWindow) -> None:
    QTest.keyClick(window.buffer.view.editor, Qt.Key.Key_End, CONTROL)


def shown(window: MainWindow) -> int:
    """Which answer stands behind the text."""
    return int(window.buffer.view.editor.tail_text.replace(GROWING, "").split()[1])


def bar_colours(window: MainWindow) -> list[int]:
    """The colours of the bars beside the last line, from above."""
    margins = window.buffer.view.margins
    margins.place()
    line = window.buffer.view.editor.end_rect()
    image = margins.left.grab().toImage()
    x = margins.left.width() - BAR_GAP_PX + 1
    column = [image.pixelColor(x, y).rgb() for y in range(line.top(), line.bottom())]
    colours = [colour for colour, _ in groupby(column)]
    return [colour for colour in colours if colour != column[0]]


def wait_for_end(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.generator.is_streaming())


def texts(window: MainWindow) -> list[str]:
    tree = window.document.tree
    return [tree.nodes[node_id].text for node_id in window.document.path_ids]


def undo(window: MainWindow) -> None:
    window.actions_set.by_name["undo"].trigger()


def test_forty_words_typed_while_three_answers_stream_stand_behind_the_shown_one(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path = tmp_path / "g.loom"
    with asked(path, qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        go_behind(window)
        words = " " + WORDS
        QTest.keyClicks(editor, words[:6])
        writers, model, writer = bar_colours(window)  # in one line, each has a share of it
        assert writers == writer != model
        QTest.keyClicks(editor, words[6:80])
        assert seen(window) == BEGINNING + words[:80]
        choir.begin(0, 1, 2)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        number = shown(window)
        QTest.keyClicks(editor, words[80:200])
        assert seen(window) == BEGINNING + begun(number) + words[:200]

        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)

        QTest.keyClicks(editor, words[200:])
        assert seen(window) == BEGINNING + whole(number) + words
        window.writing.settle()
        assert texts(window)[-3:] == [BEGINNING, whole(number), words]
        assert len(window.document.tree.children(window.document.path_ids[-3])) == 3
        assert verdicts(window) == {"ok"}
    assert saved_text(path) == BEGINNING + whole(number) + words


@pytest.mark.parametrize("when", one_in(3, ["awaited", "begun", "ended"]))
def test_after_a_kill_the_words_stand_behind_what_came_of_the_answer(
    tmp_path: Path, qtbot: QtBot, choir: Choir, when: str
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    path.parent.mkdir()
    with asked(path, qtbot, choir, count=3) as window:
        editor, came = window.buffer.view.editor, ""
        go_behind(window)
        QTest.keyClicks(editor, " " + WORDS)
        if when != "awaited":
            choir.begin(0, 1, 2)
            qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
            came = begun(shown(window))
        if when == "ended":
            came = whole(shown(window))
            choir.end(0, 1, 2)
            wait_for_end(window, qtbot)
        assert window.journal is not None
        assert window.journal.settle(5)
        copy_as_killed(path.parent, copy.parent)
    with unseen_window(copy) as window:
        assert seen(window) == BEGINNING + came + " " + WORDS
        undo(window)
        assert seen(window) == BEGINNING + came
        window.actions_set.by_name["redo"].trigger()
        window.writing.settle()
        assert seen(window) == BEGINNING + came + " " + WORDS
        assert verdicts(window) == {"ok"}
    with unseen_window(copy) as window:
        assert seen(window) == BEGINNING + came + " " + WORDS
        assert drafts.read(drafts_folder(copy)) == []


@pytest.mark.slow
def test_a_kill_right_after_the_answer_landed_doubles_no_word(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    """What the journal says may be older than the file, and the words are in it under their answer still."""
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    path.parent.mkdir()
    with asked(path, qtbot, choir) as window:
        go_behind(window)
        QTest.keyClicks(window.buffer.view.editor, " More")
        assert window.journal is not None
        assert window.journal.settle(5)
        rows = drafts.read(drafts_folder(path))
        assert {row.slot.kind for row in rows} == {"run", "behind"}
        choir.end(0)
        wait_for_end(window, qtbot)
        landed = tmp_path / "landed"
        copy_as_killed(path.parent, landed)
        window.writing.commit()
        copy_as_killed(path.parent, copy.parent)
    for grove, nodes in ((landed / "g.loom", 3), (copy, 3)):
        for row in rows:
            drafts.keep(drafts_folder(grove), row)
        with unseen_window(grove) as window:
            assert seen(window) == BEGINNING + whole(0) + " More"
            window.writing.commit()
            assert [text for text in texts(window) if text] == [BEGINNING, whole(0), " More"][:nodes]
            assert sum(node.text == " More" for node in window.document.tree.nodes.values()) == 1


def test_words_behind_an_answer_that_fails_follow_the_passage(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    choir.breaks = {0}
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        go_behind(window)
        QTest.keyClicks(window.buffer.view.editor, " " + WORDS)

        choir.end(0)
        wait_for_end(window, qtbot)

        assert seen(window) == BEGINNING + " " + WORDS
        QTest.keyClicks(window.buffer.view.editor, " on")
        window.writing.settle()
        assert texts(window)[-2:] == [BEGINNING, " " + WORDS + " on"]


@pytest.mark.slow
def test_words_behind_one_of_several_follow_the_passage_if_that_one_fails(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    choir.breaks = {0}
    with asked(tmp_path / "g.loom", qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        choir.begin(1, 2)
        qtbot.waitUntil(lambda: sum(bool(offer.text) for offer in window.buffer.tail.offers) == 2)
        while window.buffer.tail.shown is None or window.buffer.tail.shown.text:
            QTest.keyClick(editor, Qt.Key.Key_Down, ALT)
        go_behind(window)
        QTest.keyClicks(editor, " Mine")

        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)

        assert seen(window) == BEGINNING + " Mine"
        window.writing.settle()
        tree, above = window.document.tree, window.document.path_ids[-2]
        assert {tree.nodes[i].text for i in tree.children(above)} == {" Mine", whole(1), whole(2)}


@pytest.mark.slow
@pytest.mark.parametrize("came", one_in(2, [False, True]))
def test_words_behind_an_answer_that_is_stopped_stand_behind_what_came_of_it(
    tmp_path: Path, qtbot: QtBot, choir: Choir, came: bool
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        editor = window.buffer.view.editor
        if came:
            choir.begin(0)
            qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        go_behind(window)
        QTest.keyClicks(editor, " " + WORDS)

        QTest.keyClick(editor, Qt.Key.Key_Escape)

        assert not window.generator.is_streaming()
        assert seen(window) == BEGINNING + (begun(0) if came else "") + " " + WORDS
        assert editor.caret == len(editor.text)
        window.writing.settle()
        assert texts(window)[-1] == " " + WORDS


@pytest.mark.slow
def test_words_follow_the_answer_that_was_shown_when_the_first_was_typed(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path = tmp_path / "g.loom"
    with asked(path, qtbot, choir, count=3) as window:
        editor, document = window.buffer.view.editor, window.document
        choir.begin(0, 1, 2)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        first = shown(window)
        go_behind(window)
        QTest.keyClicks(editor, " First words")
        QTest.keyClick(editor, Qt.Key.Key_Down, ALT)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        second = shown(window)
        assert second != first
        assert seen(window) == BEGINNING + begun(second)
        QTest.keyClick(editor, Qt.Key.Key_Up, ALT)
        assert seen(window) == BEGINNING + begun(first) + " First words"
        undo(window)
        assert seen(window) == BEGINNING + begun(first)
        window.actions_set.by_name["redo"].trigger()
        QTest.keyClick(editor, Qt.Key.Key_Down, ALT)
        assert seen(window) == BEGINNING + begun(second)

        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)

        assert seen(window) == BEGINNING + whole(second)
        tree = document.tree
        [words_id] = [i for i, node in tree.nodes.items() if node.text == " First words"]
        [edge] = tree.incoming(words_id)
        assert [tree.nodes[i].text for i in edge.with_role("primary")] == [whole(first)]
        window.run_command(lambda w: w.work.document.place.read(words_id))
        assert seen(window) == BEGINNING + whole(first) + " First words"
        assert verdicts(window) == {"ok"}
        assert window.journal is not None
        assert window.journal.settle(5)
        assert drafts.read(drafts_folder(path)) == []


@pytest.mark.slow
def test_words_behind_an_answer_are_taken_back_word_by_word_while_it_streams(
    tmp_path: Path, qtbot: QtBot, choir: Choir, pointer: Pointer
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        editor = window.buffer.view.editor
        go_behind(window)
        steps = [seen(window)]
        qtbot.waitUntil(editor.hasFocus)
        for word in (" A first word", " second step", " third"):
            QTest.keyClicks(editor, word)
            window.writing.input.end_step()
            steps.append(seen(window))
        choir.begin(0)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        steps = [step.replace(BEGINNING, BEGINNING + begun(0)) for step in steps]

        for step in reversed(steps[:-1]):
            pointer.key("ctrl+z")
            qtbot.waitUntil(lambda step=step: seen(window) == step)  # type: ignore[misc]
        undo(window)  # what is being answered is not taken back
        assert seen(window) == steps[0]
        for step in steps[1:]:
            pointer.key("ctrl+shift+z")
            qtbot.waitUntil(lambda step=step: seen(window) == step)  # type: ignore[misc]
        assert editor.behind_by == len(steps[-1]) - len(steps[0])

        choir.end(0)
        wait_for_end(window, qtbot)
        steps = [step.replace(begun(0), whole(0)) for step in steps]
        assert seen(window) == steps[-1]
        for step in reversed(steps[:-1]):
            undo(window)
            assert seen(window) == step


@pytest.mark.slow
def test_every_way_of_writing_behind_an_answer_writes_there(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        editor = window.buffer.view.editor
        choir.begin(0)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        go_behind(window)
        QTest.keyClick(editor, Qt.Key.Key_Return)
        QGuiApplication.clipboard().setText("pasted ")
        editor.paste()
        event = QInputMethodEvent("に", [])
        QCoreApplication.sendEvent(editor, event)
        event = QInputMethodEvent()
        event.setCommitString("日本 ")
        QCoreApplication.sendEvent(editor, event)
        QTest.keyClicks(editor, "typedd")
        QTest.keyClick(editor, Qt.Key.Key_Backspace)
        words = "\npasted 日本 typed"
        assert seen(window) == BEGINNING + begun(0) + words

        QTest.keyClick(editor, Qt.Key.Key_Backspace, CONTROL)
        words = "\npasted 日本 "
        assert seen(window) == BEGINNING + begun(0) + words
        data = QMimeData()
        data.setText("dropped")
        at = QPointF(editor.end_rect().center())
        drag_in(editor.viewport(), at, data, Qt.DropAction.CopyAction)
        held = (data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        drop = QDropEvent(at, Qt.DropAction.CopyAction, *held)
        QCoreApplication.sendEvent(editor.viewport(), drop)
        assert seen(window) in (
            BEGINNING + begun(0) + words + "dropped",
            BEGINNING + begun(0) + "\npasted 日本 dropped",
        )
        words = seen(window)[len(BEGINNING + begun(0)) :]
        for _ in range(4):
            QTest.keyClick(editor, Qt.Key.Key_Home, CONTROL)
            go_behind(window)
        QTest.keyClick(editor, Qt.Key.Key_Left)
        QTest.keyClick(editor, Qt.Key.Key_Delete)
        assert seen(window) == BEGINNING + begun(0) + words[:-1]
        for _ in range(len(words) + 5):  # nothing of the answer goes
            QTest.keyClick(editor, Qt.Key.Key_Backspace)
        assert seen(window) == BEGINNING + begun(0)
        QTest.keyClicks(editor, " So")

        choir.end(0)
        wait_for_end(window, qtbot)

        assert seen(window) == BEGINNING + whole(0) + " So"


@pytest.mark.slow
def test_what_is_composed_behind_an_answer_that_grows_and_lands_stays_behind_it(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        editor = window.buffer.view.editor
        go_behind(window)
        for preedit, go_on in (("に", choir.begin), ("にほ", choir.end)):
            QCoreApplication.sendEvent(editor, QInputMethodEvent(preedit, []))
            before = editor.tail_text
            go_on(0)
            qtbot.waitUntil(lambda before=before: editor.tail_text != before)  # type: ignore[misc]
            layout = editor.textCursor().block().layout()
            assert layout.preeditAreaText() == preedit
            assert layout.preeditAreaPosition() == editor.textCursor().positionInBlock()
        wait_for_end(window, qtbot)

        event = QInputMethodEvent()
        event.setCommitString("日本")
        QCoreApplication.sendEvent(editor, event)

        assert seen(window) == BEGINNING + whole(0) + "日本"
        assert editor.caret == len(editor.text)
        window.writing.settle()
        assert texts(window)[-2:] == [whole(0), "日本"]


@pytest.mark.slow
def test_words_typed_in_an_answer_are_never_glued_into_its_words(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        editor = window.buffer.view.editor
        choir.begin(0)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        cursor = editor.textCursor()
        cursor.setPosition(len(BEGINNING) + 4)
        editor.setTextCursor(cursor)

        QTest.keyClicks(editor, " mine")

        assert seen(window) == BEGINNING + begun(0) + " mine"
        choir.end(0)
        wait_for_end(window, qtbot)
        assert seen(window) == BEGINNING + whole(0) + " mine"


@pytest.mark.slow
def test_words_before_and_behind_an_answer_each_stay_where_they_were_typed(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path = tmp_path / "g.loom"
    with asked(path, qtbot, choir) as window:
        editor = window.buffer.view.editor
        choir.begin(0)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        go_behind(window)
        QTest.keyClicks(editor, " behind")
        editor.set_caret(len(BEGINNING))
        QTest.keyClicks(editor, " before")
        go_behind(window)
        QTest.keyClicks(editor, " again")
        write_over(window, "lamp", "fire")
        said = BEGINNING.replace("lamp", "fire") + " before"
        assert seen(window) == said + begun(0) + " behind again"
        undo(window)
        assert seen(window) == said.replace("fire", "lamp") + begun(0) + " behind again"
        window.actions_set.by_name["redo"].trigger()
        window.writing.settle()
        assert seen(window) == said + begun(0) + " behind again"

        choir.end(0)
        wait_for_end(window, qtbot)

        assert seen(window) == said + whole(0) + " behind again"
        window.writing.settle()
        assert texts(window)[-3:] == [said, whole(0), " behind again"]
        assert verdicts(window) == {"ok"}
    assert saved_text(path) == said + whole(0) + " behind again"


@pytest.mark.slow
def test_words_behind_an_answer_are_there_after_a_look_at_another_tree(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path = tmp_path / "g.loom"
    with asked(path, qtbot, choir) as window:
        document, editor = window.document, window.buffer.view.editor
        tree_id = document.tree.loom.id
        go_behind(window)
        QTest.keyClicks(editor, " mine")
        document.new_tree("dialogue")
        document.open_tree(tree_id)
        choir.begin(0)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        assert seen(window) == BEGINNING + begun(0) + " mine"
        document.open_tree(next(row.id for row in document.trees.rows() if row.id != tree_id))

        choir.end(0)
        wait_for_end(window, qtbot)

        document.open_tree(tree_id)
        assert seen(window) == BEGINNING + whole(0) + " mine"
        window.writing.settle()
        assert verdicts(window) == {"ok"}
    assert saved_text(path) == BEGINNING + whole(0) + " mine"


@pytest.mark.slow
def test_the_window_can_be_closed_with_words_behind_an_answer(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path = tmp_path / "g.loom"
    with asked(path, qtbot, choir) as window:
        choir.begin(0)
        qtbot.waitUntil(lambda: "Answer" in window.buffer.view.editor.tail_text)
        go_behind(window)
        QTest.keyClicks(window.buffer.view.editor, " mine")
    assert drafts.read(drafts_folder(path)) == []
    assert saved_text(path) == BEGINNING + begun(0) + " mine"


@pytest.mark.slow
def test_words_behind_an_answer_are_not_continued_before_it_is_there(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        editor, generate = window.buffer.view.editor, window.actions_set.by_name["generate"]
        go_behind(window)
        QTest.keyClicks(editor, " mine")
        before = len(choir.server.received)

        generate.trigger()

        assert len(choir.server.received) == before
        assert seen(window) == BEGINNING + " mine"
        choir.end(0)
        wait_for_end(window, qtbot)
        generate.trigger()
        choir.end(1)
        wait_for_end(window, qtbot)
        assert seen(window) == BEGINNING + whole(0) + " mine" + whole(1)


@pytest.mark.slow
def test_the_button_says_why_words_behind_an_answer_are_not_continued_as_the_key_does(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        editor, button = window.buffer.view.editor, find(window, QPushButton, "generateButton")
        refused = window.text_pane.errors
        go_behind(window)
        window.preview.settle()
        assert button.isEnabled()
        QTest.keyClicks(editor, " mine")
        window.preview.settle()
        assert not button.isEnabled()

        QTest.keyClick(editor, Qt.Key.Key_Return, CONTROL)

        assert "still being written" in refused.text
        assert refused.text in button.toolTip()
        editor.set_caret(len(BEGINNING))
        window.preview.settle()
        assert button.isEnabled()
        go_behind(window)
        window.preview.settle()
        assert not button.isEnabled()
        choir.end(0)
        wait_for_end(window, qtbot)
        qtbot.waitUntil(button.isEnabled)
        QTest.keyClick(editor, Qt.Key.Key_Return, CONTROL)
        choir.end(1)
        wait_for_end(window, qtbot)
        assert seen(window) == BEGINNING + whole(0) + " mine" + whole(1)


@pytest.mark.slow
def test_what_is_tried_is_not_generated_behind_an_answer_and_its_button_says_why(
    tmp_path: Path, qtbot: QtBot, choir: Choir, pointer: Pointer
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        editor = window.buffer.view.editor
        go_behind(window)
        window.actions_set.by_name["whatIf"].trigger()
        buttons = [find(window, QPushButton, f"trial_{name}") for name in ("generate", "generateAll")]
        window.bench.work.what_if.add()
        qtbot.waitUntil(lambda: all(button.isEnabled() for button in buttons))
        QTest.keyClicks(editor, " mine")
        qtbot.waitUntil(lambda: not any(button.isEnabled() for button in buttons))

        pointer.click(buttons[0])

        assert len(choir.server.received) == 1
        assert all("still being written" in button.toolTip() for button in buttons)
        choir.end(0)
        wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: all(button.isEnabled() for button in buttons))
        pointer.click(buttons[0])
        qtbot.waitUntil(lambda: len(choir.server.received) == 2)
        choir.end(1)
        wait_for_end(window, qtbot)
        assert seen(window) == BEGINNING + whole(0) + " mine" + whole(1)


@pytest.mark.slow
def test_what_is_selected_across_an_answer_goes_on_both_sides_of_it(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        editor = window.buffer.view.editor
        choir.begin(0)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        go_behind(window)
        QTest.keyClicks(editor, " mine")
        cursor = editor.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, n=2)
        cursor.setPosition(len("The lamp"), QTextCursor.MoveMode.KeepAnchor)
        editor.setTextCursor(cursor)

        QTest.keyClick(editor, Qt.Key.Key_Delete)

        assert seen(window) == "The lamp" + begun(0) + "ne"
        undo(window)
        assert seen(window) == BEGINNING + begun(0) + " mine"
        choir.end(0)
        wait_for_end(window, qtbot)
        assert seen(window) == BEGINNING + whole(0) + " mine"


@pytest.mark.slow
def test_another_buffer_is_not_touched_by_words_behind_an_answer(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path = tmp_path / "g.loom"
    with asked(path, qtbot, choir) as window:
        go_behind(window)
        QTest.keyClicks(window.buffer.view.editor, " mine")
        other, _ = new_tree(path, mode="buffer")
        window.document.catch_up()
        window.document.open_tree(other)
        assert seen(window) == ""
        choir.end(0)
        wait_for_end(window, qtbot)
        assert seen(window) == ""
