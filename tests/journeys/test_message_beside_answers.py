"""A message typed while answers stream: after a kill it follows the answer it was typed beside.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from loomapp.session.requests.running_request import BEING_WRITTEN
from loomapp.store.grove.open import open_grove
from loomapp.ui.widgets.labels import ElidedLabel
from loomapp.ui.window.main_window import MainWindow
from tests.kit.copies import copy_as_killed
from tests.kit.families import each_once
from tests.kit.find import find
from tests.kit.processes.outside import loomapp, new_tree
from tests.kit.windows import open_window, preview
from tests.session.programs import ask_server
from tests.ui.buffer.test_words_behind_an_answer import Choir, begun, choir, wait_for_end, whole

__all__ = ["choir"]

ASKED, REPLY = "What is the sea?", "And at night?"


@contextmanager
def asking(path: Path, qtbot: QtBot, choir: Choir, count: int = 3) -> Iterator[MainWindow]:
    """A window on a dialogue in which a message was sent; nothing has come yet."""
    path.parent.mkdir(exist_ok=True)
    new_tree(path)
    with open_grove(path) as grove:
        ask_server(grove, choir.server.url)
    with open_window(path, qtbot) as window:
        window.composer.set_count(count)
        write(window, ASKED)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: len(choir.server.received) == count)
        qtbot.waitUntil(lambda: window.dialogue.shown_draft is not None)
        yield window


def write(window: MainWindow, words: str) -> None:
    window.composer.field.setFocus()
    QTest.keyClicks(window.composer.field, words)


def begin(window: MainWindow, qtbot: QtBot, choir: Choir, count: int) -> int:
    """So many answers have begun; which is shown."""
    choir.begin(*range(count))
    tree_id = window.document.tree.loom.id
    qtbot.waitUntil(lambda: all(live.draft.text for live in window.generator.drafts(tree_id)))
    return shown(window)


def shown(window: MainWindow) -> int:
    live = window.dialogue.shown_draft
    assert live is not None
    return int(live.draft.text.split()[1])


def copy_now(window: MainWindow, path: Path, copy: Path) -> None:
    """What a kill leaves at this moment."""
    assert window.journal is not None
    assert window.journal.settle(5)
    copy_as_killed(path.parent, copy.parent)


def said(window: MainWindow) -> list[str]:
    return [text for _, text in preview(window)]


@pytest.mark.parametrize(("by", "count"), each_once(["window", "command line"], [1, 3]))
def test_after_a_kill_a_reply_follows_the_answer_that_it_was_typed_beside(
    tmp_path: Path, qtbot: QtBot, choir: Choir, count: int, by: str
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    with asking(path, qtbot, choir, count) as window:
        number = begin(window, qtbot, choir, count)
        write(window, REPLY)
        copy_now(window, path, copy)
        window.composer.start_over()
    if by == "command line":
        loomapp("tree", "new", "--grove", copy, "--mode", "dialogue", "--title", "Another")

    with open_window(copy, qtbot) as window:
        assert window.composer.text == REPLY
        assert window.document.tree.nodes[window.document.current_id].text == begun(number)
        assert said(window) == [ASKED, begun(number).strip(), REPLY]
        window.composer.start_over()


def test_an_answer_in_the_way_of_undo_is_told_of_until_it_ended(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    with asking(tmp_path / "live" / "g.loom", qtbot, choir, 1) as window:
        begin(window, qtbot, choir, 1)
        window.actions_set.by_name["undo"].trigger()
        assert BEING_WRITTEN in window.text_pane.errors.sentences

        choir.end(0)
        wait_for_end(window, qtbot)

        assert BEING_WRITTEN not in window.text_pane.errors.sentences


@pytest.mark.slow
def test_a_reply_that_was_begun_before_any_word_came_follows_the_answer(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    with asking(path, qtbot, choir) as window:
        write(window, REPLY)
        number = begin(window, qtbot, choir, 3)
        copy_now(window, path, copy)
        window.composer.start_over()

    with open_window(copy, qtbot) as window:
        assert window.composer.text == REPLY
        assert window.document.tree.nodes[window.document.current_id].text == begun(number)
        window.composer.start_over()


@pytest.mark.slow
def test_a_reply_to_an_answer_of_which_no_word_came_follows_the_message_before_it(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    with asking(path, qtbot, choir) as window:
        write(window, REPLY)
        copy_now(window, path, copy)
        window.composer.start_over()

    with open_window(copy, qtbot) as window:
        assert window.composer.text == REPLY
        assert window.document.tree.nodes[window.document.current_id].text == ASKED
        window.composer.start_over()


@pytest.mark.slow
def test_a_reply_follows_the_answer_that_was_shown_at_its_first_character(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    with asking(path, qtbot, choir) as window:
        number = begin(window, qtbot, choir, 3)
        write(window, REPLY[:3])
        tree_id = window.document.tree.loom.id
        other = next(live for live in window.generator.drafts(tree_id) if str(number) not in live.draft.text)
        window.dialogue.show_draft(other.key)
        assert shown(window) != number
        write(window, REPLY[3:])
        copy_now(window, path, copy)
        window.composer.start_over()

    with open_window(copy, qtbot) as window:
        assert window.composer.text == REPLY
        assert window.document.tree.nodes[window.document.current_id].text == begun(number)
        assert said(window) == [ASKED, begun(number).strip(), REPLY]
        window.composer.start_over()


@pytest.mark.slow
def test_a_kill_after_the_answer_ended_finds_the_reply_behind_it(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    with asking(path, qtbot, choir) as window:
        number = begin(window, qtbot, choir, 3)
        write(window, REPLY)
        choir.end(0, 1, 2)
        wait_for_end(window, qtbot)
        assert window.document.tree.nodes[window.document.current_id].text == whole(number)
        copy_now(window, path, copy)
        window.composer.start_over()

    with open_window(copy, qtbot) as window:
        assert window.composer.text == REPLY
        assert window.document.tree.nodes[window.document.current_id].text == whole(number)
        window.composer.start_over()


@pytest.mark.slow
def test_with_an_edit_open_the_composer_says_the_same_after_a_kill(
    tmp_path: Path, qtbot: QtBot, choir: Choir
) -> None:
    path, copy = tmp_path / "live" / "g.loom", tmp_path / "copy" / "g.loom"
    with asking(path, qtbot, choir, 1) as window:
        begin(window, qtbot, choir, 1)
        window.dialogue.on_edit_asked(window.document.current_id)
        qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QPlainTextEdit))
        field = QApplication.focusWidget()
        assert field is not None
        QTest.keyClicks(field, " Or the bay?")
        write(window, REPLY)
        copy_now(window, path, copy)
        choir.end(0)
        wait_for_end(window, qtbot)
        landed = goes_on(window)
    with open_window(copy, qtbot) as window:
        assert goes_on(window) == landed
        assert window.composer.text == REPLY


def goes_on(window: MainWindow) -> tuple[bool, bool, bool]:
    """Whether the composer names another place than the end, an edit is open, and the end is current."""
    document, label = window.document, find(window.composer, ElidedLabel, "continuingLabel")
    is_end = document.current_id == document.path_ids[-1]
    return label.isHidden(), window.dialogue.is_editing, is_end
