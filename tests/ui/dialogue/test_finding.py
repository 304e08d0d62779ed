"""Words are found in the whole path: counted, stepped through, marked, and opened where they are folded."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.paths.path import node_sequence
from loomapp.ui.dialogue.script.script import Script
from loomapp.ui.dialogue.search import FindResult
from loomapp.ui.dialogue.view import DialogueView
from tests.kit.conversations import AGENTS, long_talk
from tests.kit.desktop import Pointer
from tests.kit.dialogue_views import message, read, shown_view
from tests.kit.find import find


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> DialogueView:
    return shown_view(qtbot, qapp)


def count(view: DialogueView) -> str:
    return find(view, QLabel, "findCount").text()


def look_for(view: DialogueView, pointer: Pointer, words: str) -> None:
    view.search.begin()
    pointer.type_ascii(words)


def found_now(view: DialogueView) -> list[str]:
    """The matches that are marked, as they are read."""
    found = []
    for shown in view.shown_messages():
        text = shown.body.document().toRawText().encode("utf-16-le")
        found += [text[2 * s.begin : 2 * s.end].decode("utf-16-le") for s in shown.body.found]
    return found


def test_matches_are_counted_and_stepped_through_with_the_keyboard(
    view: DialogueView, pointer: Pointer, qtbot: QtBot
) -> None:
    tree, path = long_talk(2000)
    view.show_path(tree, path, AGENTS, {})
    view.verticalScrollBar().setValue(0)

    look_for(view, pointer, "message 77")
    qtbot.waitUntil(lambda: count(view) == "1 of 11")
    assert view.message("n77") is not None
    pointer.key("Return")

    qtbot.waitUntil(lambda: view.message("n770") is not None)
    assert count(view) == "2 of 11"
    assert "Message 77" in found_now(view)
    pointer.key("shift+Return", "shift+Return")
    assert count(view) == "11 of 11"


def test_folded_and_excluded_messages_are_opened_where_something_is_found(
    view: DialogueView, pointer: Pointer, qtbot: QtBot
) -> None:
    long = "\n\n".join(f"Paragraph {i}." for i in range(200))
    read(view, long, "Thanks.", "A hidden lamp. " * 30, fates={"c": "excluded"})

    look_for(view, pointer, "paragraph 199")
    qtbot.waitUntil(lambda: count(view) == "1 of 1")

    assert found_now(view) == ["Paragraph 199"]
    body = message(view, "a").body
    y = body.mapTo(view.viewport(), body.line_rect(body.found[0].begin).topLeft()).y()
    assert 0 <= y < view.viewport().height()
    find(view, QLineEdit, "findField").setText("hidden lamp")
    qtbot.waitUntil(lambda: count(view) == "1 of 30")
    assert message(view, "c").body.isVisible()


def test_what_stands_behind_an_emoji_is_marked_exactly(
    view: DialogueView, pointer: Pointer, qtbot: QtBot
) -> None:
    read(view, "🏮🏮 a *lamp* and a Lamp")

    look_for(view, pointer, "lamp")
    qtbot.waitUntil(lambda: count(view) == "1 of 2")

    assert found_now(view) == ["lamp", "Lamp"]


def test_nothing_found_is_said_and_signs_mean_themselves(
    view: DialogueView, pointer: Pointer, qtbot: QtBot
) -> None:
    read(view, "What (is) it?")

    look_for(view, pointer, "(is)")
    qtbot.waitUntil(lambda: count(view) == "1 of 1")
    pointer.type_ascii(".*")

    qtbot.waitUntil(lambda: count(view) == "No matches")
    assert found_now(view) == []


def test_escape_closes_the_bar_and_marks_nothing(view: DialogueView, pointer: Pointer, qtbot: QtBot) -> None:
    read(view, "A lamp.")
    look_for(view, pointer, "lamp")
    qtbot.waitUntil(lambda: found_now(view) == ["lamp"])

    pointer.key("Escape")

    assert not find(view, QToolButton, "findCloseButton").isVisible()
    assert found_now(view) == []
    assert view.hasFocus()


def test_the_buttons_step_too(view: DialogueView, pointer: Pointer, qtbot: QtBot) -> None:
    read(view, "lamp", "lamp", "lamp")
    view.reveal("a")
    look_for(view, pointer, "lamp")
    qtbot.waitUntil(lambda: count(view) == "1 of 3")

    pointer.click(find(view, QToolButton, "findNextButton"))
    assert count(view) == "2 of 3"
    pointer.click(find(view, QToolButton, "findPreviousButton"))

    assert count(view) == "1 of 3"


def test_messages_that_come_meanwhile_are_counted(view: DialogueView, pointer: Pointer, qtbot: QtBot) -> None:
    tree, path = long_talk(20)
    view.show_path(tree, path[:10], AGENTS, {})
    look_for(view, pointer, "message")
    qtbot.waitUntil(lambda: view.search.total == 9)

    view.show_path(tree, path, AGENTS, {})

    qtbot.waitUntil(lambda: view.search.total == 19)


def test_twenty_thousand_messages_are_read_in_slices(qtbot: QtBot, qapp: QApplication) -> None:
    tree, path = long_talk(20_000)
    finding = FindResult(qapp)

    finding.seek("message 1999", Script(tree, node_sequence(path), AGENTS, {}))
    assert finding.total == 0
    qtbot.waitUntil(lambda: finding.is_done)

    assert [finding.hit(i).row for i in range(finding.total)] == [1999, *range(19990, 20000)]
    finding.deleteLater()
