"""Words that wait for an answer: in order after a look at another one, saved in time, as they were typed.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from loomapp.providers import registry
from loomapp.session.lifetime.backups import Backups
from loomapp.session.writing import open_buffer
from loomapp.ui.window.main_window import MainWindow
from tests.kit.copies import copy_as_killed
from tests.kit.desktop import Pointer
from tests.kit.families import each_once, one_in
from tests.kit.find import find
from tests.kit.windows import open_window, unseen_window
from tests.ui.buffer.test_beside_a_stream import Fed, seen
from tests.ui.buffer.test_streaming import verdicts
from tests.ui.buffer.test_view import writing
from tests.ui.buffer.test_words_behind_an_answer import (
    ALT,
    BEGINNING,
    Choir,
    asked,
    begun,
    choir,
    go_behind,
    shown,
    texts,
    wait_for_end,
    whole,
)
from tests.ui.commands.test_draft_state import in_file, status

__all__ = ["choir"]

FORTY = [f"kw{number:02d} " for number in range(1, 41)]


def turn(window: MainWindow, qtbot: QtBot, key: Qt.Key) -> int:
    """Look at the answer before or after; which that is."""
    before = shown(window)
    QTest.keyClick(window.buffer.view.editor, key, ALT)
    qtbot.waitUntil(lambda: shown(window) != before)
    return shown(window)


def all_begin(window: MainWindow, qtbot: QtBot, choir: Choir) -> int:
    """All three answers have begun; which is shown."""
    choir.begin(0, 1, 2)
    qtbot.waitUntil(lambda: all(offer.text for offer in window.buffer.tail.offers))
    return shown(window)


@pytest.mark.slow
def test_words_go_on_in_order_after_a_look_at_another_answer(
    tmp_path: Path, qtbot: QtBot, choir: Choir, pointer: Pointer
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        first = all_begin(window, qtbot, choir)
        qtbot.waitUntil(editor.hasFocus)
        pointer.key("ctrl+End")
        qtbot.waitUntil(lambda: editor.behind_by == 0)
        QTest.keyClicks(editor, " one two three ")
        pointer.key("alt+Down")
        qtbot.waitUntil(lambda: shown(window) != first)
        assert seen(window) == BEGINNING + begun(shown(window))
        pointer.key("alt+Up")
        qtbot.waitUntil(lambda: shown(window) == first)

        QTest.keyClicks(editor, "four five six ")

        words = " one two three four five six "
        assert seen(window) == BEGINNING + begun(first) + words
        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)
        assert (seen(window), editor.caret) == (BEGINNING + whole(first) + words, len(editor.text))


@pytest.mark.parametrize("is_killed", one_in(2, [False, True]))
def test_forty_words_with_looks_at_other_answers_stand_in_order_behind_the_first(
    tmp_path: Path, qtbot: QtBot, choir: Choir, is_killed: bool
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    path.parent.mkdir()
    words = " " + "".join(FORTY)
    with asked(path, qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        first = all_begin(window, qtbot, choir)
        go_behind(window)
        QTest.keyClicks(editor, " " + "".join(FORTY[:15]))
        turn(window, qtbot, Qt.Key.Key_Down)
        QTest.keyClicks(editor, FORTY[15])
        assert seen(window) == BEGINNING + begun(first) + " " + "".join(FORTY[:16])
        QTest.keyClicks(editor, "".join(FORTY[16:30]))
        turn(window, qtbot, Qt.Key.Key_Down)
        turn(window, qtbot, Qt.Key.Key_Down)
        turn(window, qtbot, Qt.Key.Key_Up)
        QGuiApplication.clipboard().setText("".join(FORTY[30:35]))
        editor.paste()
        QTest.keyClicks(editor, "".join(FORTY[35:]))
        assert seen(window) == BEGINNING + begun(first) + words
        if is_killed:
            assert window.journal is not None
            assert window.journal.settle(5)
            copy_as_killed(path.parent, copy.parent)
        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)
        window.writing.settle()
        assert texts(window)[-2:] == [whole(first), words]
        assert verdicts(window) == {"ok"}
    if is_killed:
        with unseen_window(copy) as window:
            assert seen(window) == BEGINNING + begun(first) + words
            window.writing.settle()
            assert texts(window)[-2:] == [begun(first), words]


@pytest.mark.slow
def test_words_before_the_answer_stay_there_while_others_wait_behind_another(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        first = all_begin(window, qtbot, choir)
        go_behind(window)
        QTest.keyClicks(editor, " behind")
        second = turn(window, qtbot, Qt.Key.Key_Down)
        editor.set_caret(len(BEGINNING))

        QTest.keyClicks(editor, " before")

        assert seen(window) == BEGINNING + " before" + begun(second)
        turn(window, qtbot, Qt.Key.Key_Up)
        assert seen(window) == BEGINNING + " before" + begun(first) + " behind"


@pytest.mark.slow
@pytest.mark.parametrize("count", one_in(2, [1, 3], first=1))
def test_who_asks_for_an_answer_before_the_first_stays_where_he_writes(
    tmp_path: Path, qtbot: QtBot, choir: Choir, count: int
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir, count=count) as window:
        editor = window.buffer.view.editor
        choir.begin(0, 1, 2)
        qtbot.waitUntil(lambda: all(offer.text for offer in window.buffer.tail.offers))
        first = shown(window)
        go_behind(window)
        QTest.keyClicks(editor, " one two")

        QTest.keyClick(editor, Qt.Key.Key_Up, ALT)

        QTest.keyClicks(editor, " three")
        assert seen(window) == BEGINNING + begun(first) + " one two three"


@pytest.mark.slow
def test_generate_after_a_look_at_another_answer_continues_all_that_is_shown(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir, count=3) as window:
        editor = window.buffer.view.editor
        first = all_begin(window, qtbot, choir)
        go_behind(window)
        QTest.keyClicks(editor, " kw01 kw02 kw03")
        turn(window, qtbot, Qt.Key.Key_Down)
        turn(window, qtbot, Qt.Key.Key_Up)
        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)
        whole_text = BEGINNING + whole(first) + " kw01 kw02 kw03"
        assert seen(window) == whole_text

        window.composer.set_count(1)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: len(choir.server.received) == 4)

        body = choir.server.received[-1].body.decode()
        assert "kw01 kw02 kw03" in body
        choir.end(3)
        wait_for_end(window, qtbot)
        assert seen(window) == whole_text + whole(3)


def test_words_behind_an_answer_are_saved_as_soon_as_it_has_ended(
    tmp_path: Path, qtbot: QtBot, choir: Choir, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.loom"
    monkeypatch.setattr(open_buffer, "SAVE_AFTER_MS", 50)
    with asked(path, qtbot, choir, count=3) as window:
        [backups] = [keeper for keeper in window.keepers if isinstance(keeper, Backups)]
        backups.beginning.disconnect(window.writing.save)
        all_begin(window, qtbot, choir)
        go_behind(window)
        with qtbot.waitSignal(window.writing.autosave.pause.timeout):
            QTest.keyClicks(window.buffer.view.editor, " kw01 kw02 kw03")
        assert status(window) == "Draft"
        monkeypatch.setattr(open_buffer, "SAVE_AFTER_MS", 10_000_000)  # no other pause begins

        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)

        qtbot.waitUntil(lambda: status(window) == "Saved")
        assert " kw01 kw02 kw03" in in_file(path)


# Beside the last word of an answer


@contextmanager
def fed(path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[MainWindow, Fed]]:
    """A window on a buffer with an answer that has begun, and the caret behind that."""
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    answer = Fed()
    with answer.server, writing(path, qtbot, answer.server, BEGINNING) as window:
        window.actions_set.by_name["generate"].trigger()
        answer.feed(" Then")
        qtbot.waitUntil(lambda: " Then" in window.buffer.view.editor.tail_text)
        go_behind(window)
        try:
            yield window, answer
        finally:
            answer.feed(None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "typed"),
    one_in(
        3,
        [
            (" more", "kw01 on"),
            (" more", ", on"),
            (" more", " kw01"),
            (" more\n\n", "kw01 on"),
            (" more", "日本"),
            (" more ", " own space"),
            (" more ", ""),
        ],
    ),
)
def test_what_is_typed_right_behind_an_answer_is_kept_as_it_was_typed(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, end: str, typed: str
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    path.parent.mkdir()
    with fed(path, qtbot, monkeypatch) as (window, answer):
        editor = window.buffer.view.editor
        QTest.keyClicks(editor, typed) if typed.isascii() else editor.put(typed)
        assert seen(window) == BEGINNING + " Then" + typed
        assert editor.caret == len(editor.text)
        answer.feed(end)
        qtbot.waitUntil(lambda: end in editor.tail_text)
        assert window.journal is not None
        assert window.journal.settle(5)
        copy_as_killed(path.parent, copy.parent)

        answer.feed(None)
        wait_for_end(window, qtbot)

        text = BEGINNING + " Then" + end + typed
        assert (seen(window), editor.caret) == (text, len(text))
        QTest.keyClicks(editor, "!")
        window.writing.settle()
        assert seen(window) == text + "!"
        assert verdicts(window) == {"ok"}
    with unseen_window(copy) as window:
        assert seen(window) == text


@pytest.mark.slow
def test_what_is_composed_right_behind_an_answer_is_kept_as_it_was_composed(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fed(tmp_path / "g.loom", qtbot, monkeypatch) as (window, answer):
        editor = window.buffer.view.editor
        QCoreApplication.sendEvent(editor, QInputMethodEvent("e", []))
        event = QInputMethodEvent()
        event.setCommitString("été")
        QCoreApplication.sendEvent(editor, event)
        QTest.keyClicks(editor, "s")

        assert seen(window) == BEGINNING + " Thenétés"
        answer.feed(None)
        wait_for_end(window, qtbot)
        assert seen(window) == BEGINNING + " Thenétés"


@pytest.mark.slow
def test_words_put_by_behind_an_answer_that_ends_in_a_line_begin_that_line(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    choir.closing = "\n"
    with asked(tmp_path / "g.loom", qtbot, choir, count=3) as window:
        first = all_begin(window, qtbot, choir)
        go_behind(window)
        QTest.keyClicks(window.buffer.view.editor, "kw01")
        turn(window, qtbot, Qt.Key.Key_Down)

        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)

        tree = window.document.tree
        [words_id] = [i for i, node in tree.nodes.items() if node.text == "kw01"]
        window.run_command(lambda w: w.work.document.place.read(words_id))
        assert seen(window) == BEGINNING + whole(first) + "\nkw01"


@pytest.mark.slow
def test_words_behind_an_answer_that_is_not_shown_are_a_draft_until_they_are_a_node(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asked(tmp_path / "g.loom", qtbot, choir, count=3) as window:
        all_begin(window, qtbot, choir)
        go_behind(window)
        QTest.keyClicks(window.buffer.view.editor, " behind")
        assert status(window) == "Draft"

        turn(window, qtbot, Qt.Key.Key_Down)

        assert status(window) == "Draft"
        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: status(window) == "Saved")
        assert " behind" in in_nodes(window)


@pytest.mark.slow
def test_after_a_kill_it_is_said_where_words_behind_another_answer_are(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    path.parent.mkdir()
    with asked(path, qtbot, choir, count=3) as window:
        first = all_begin(window, qtbot, choir)
        go_behind(window)
        QTest.keyClicks(window.buffer.view.editor, " behind it")
        second = turn(window, qtbot, Qt.Key.Key_Down)
        assert window.journal is not None
        assert window.journal.settle(5)
        copy_as_killed(path.parent, copy.parent)

    with open_window(copy, qtbot) as window:
        assert seen(window) == BEGINNING + begun(second)
        assert "follows another answer" in window.banner.offered.text
        assert "behind it" in window.banner.offered.text
        find(window.banner.offered, QPushButton, "errorAction").click()
        assert seen(window) == BEGINNING + begun(first) + " behind it"
        assert window.banner.offered.isHidden()


def in_nodes(window: MainWindow) -> set[str]:
    return {node.text for node in window.document.tree.nodes.values()}


def is_caret_in_view(window: MainWindow) -> bool:
    editor = window.buffer.view.editor
    return editor.viewport().rect().contains(editor.cursorRect())


@pytest.mark.slow
@pytest.mark.parametrize(("count", "begins"), each_once([1, 3], ["before", "after"]))
def test_who_asks_at_the_end_and_types_on_writes_behind_the_answer(
    tmp_path: Path, qtbot: QtBot, choir: Choir, count: int, begins: str
) -> None:
    path = tmp_path / "g.loom"
    with asked(path, qtbot, choir, count=count) as window:
        editor = window.buffer.view.editor
        if begins == "before":
            QTest.keyClicks(editor, "On")
            choir.begin(0, 1, 2)
            qtbot.waitUntil(lambda: all(offer.text for offer in window.buffer.tail.offers))
            first = shown(window)
        else:
            first = all_begin(window, qtbot, choir)
            QTest.keyClicks(editor, "On")
        QTest.keyClicks(editor, " and on")

        assert seen(window) == BEGINNING + begun(first) + "On and on"
        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)
        assert (seen(window), editor.caret) == (
            BEGINNING + whole(first) + "On and on",
            len(editor.text),
        )
        window.writing.settle()
        assert texts(window)[-3:] == [BEGINNING, whole(first), "On and on"]
        assert verdicts(window) == {"ok"}


@pytest.mark.slow
def test_who_asks_at_the_end_writes_on_there_at_once(tmp_path: Path, qtbot: QtBot, choir: Choir) -> None:
    with writing(tmp_path / "g.loom", qtbot, choir.server, BEGINNING) as window:
        window.actions_set.by_name["generate"].trigger()
        QTest.keyClicks(window.buffer.view.editor, " at once")  # no event is handled meanwhile
        choir.end(0)
        qtbot.waitUntil(lambda: whole(0) in seen(window))
        wait_for_end(window, qtbot)

        assert seen(window) == BEGINNING + whole(0) + " at once"


@pytest.mark.slow
def test_words_typed_on_follow_the_passage_if_no_word_comes(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    choir.breaks = {0}
    with asked(tmp_path / "g.loom", qtbot, choir) as window:
        QTest.keyClicks(window.buffer.view.editor, " and on")
        choir.end(0)
        wait_for_end(window, qtbot)
        window.writing.settle()

        assert "".join(texts(window)) == BEGINNING + " and on"


@pytest.mark.slow
def test_who_asks_within_the_text_writes_before_the_answer(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with writing(tmp_path / "g.loom", qtbot, choir.server, BEGINNING) as window:
        editor = window.buffer.view.editor
        editor.set_caret(len("The lamp"))
        window.actions_set.by_name["generate"].trigger()
        choir.begin(0)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        QTest.keyClicks(editor, " post")

        assert seen(window) == "The lamp post" + begun(0)


@pytest.mark.slow
def test_the_caret_of_who_asked_at_the_end_is_seen_while_the_answer_streams(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    long = "\n".join(f"Line {number} of many." for number in range(80))
    with writing(tmp_path / "g.loom", qtbot, choir.server, long) as window:
        editor = window.buffer.view.editor
        choir.closing = " and".join(f" word{number}" for number in range(300))
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: bool(editor.tail_text))
        assert is_caret_in_view(window)
        choir.begin(0)
        qtbot.waitUntil(lambda: "Answer" in editor.tail_text)
        assert is_caret_in_view(window)
        choir.end(0)
        wait_for_end(window, qtbot)
        assert is_caret_in_view(window)
