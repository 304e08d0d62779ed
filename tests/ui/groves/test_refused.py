"""Where nothing can be sent, every view of the path says so: cards, messages, outline, to see and to hear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_marks
from loomapp.core.model.entities import ContextSettings
from loomapp.ui.window.main_window import MainWindow
from tests.kit.dialogue_views import message
from tests.kit.families import one_in
from tests.kit.groves import written
from tests.kit.windows import open_window

WORDS = "Nothing can be sent now"
LONG = "The sea is wide and grey. " * 8


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question, its long answer on the path, and another one beside it."""
    rows = (("Name a sea.", ""), ("The Aral.", "Name a sea."), (LONG, "Name a sea."))
    with open_window(written(tmp_path / "g.loom", *rows), qtbot) as window:
        qtbot.waitUntil(lambda: window.preview.last is not None)
        yield window


def said(window: MainWindow, text: str) -> str:
    return next(i for i, node in window.document.tree.nodes.items() if node.text == text)


def outline_says(window: MainWindow, node_id: str, role: Qt.ItemDataRole) -> str:
    rows = window.side_parts.outline.rows
    index: QModelIndex = rows.reach(node_id)
    return str(rows.data(index, role))


def looks_refused(window: MainWindow, node_id: str) -> list[bool]:
    """Whether card, message and outline each look and sound like it."""
    window.dialogue.reveal(node_id)
    row = window.graph._scene.row_of(node_id)
    assert row is not None
    face = window.graph._scene.face(row)
    shown = message(window.dialogue, node_id)
    roles = Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole
    return [
        any(badge.icon == "circle-alert" for badge in face.badges),
        WORDS in shown.foot.words,
        WORDS in shown.accessibleDescription(),
        *(WORDS.lower() in outline_says(window, node_id, role) for role in roles),
        window.display.fate_words_of(node_id).words == WORDS,
    ]


@pytest.mark.parametrize("code", one_in(3, ["CONTEXT_TOO_LONG", "SYSTEM_TOO_LARGE", "INVALID_BUDGET"]))
def test_nothing_looks_as_if_it_were_sent_where_nothing_can_be(
    window: MainWindow, qtbot: QtBot, code: str
) -> None:
    document, preview = window.document, window.preview
    question, answer, beside = said(window, "Name a sea."), said(window, LONG), said(window, "The Aral.")
    qtbot.waitUntil(lambda: window.side_parts.outline.rows.outline is not None)
    assert preview.last is not None
    room = preview.last.report.window
    settings = {
        "CONTEXT_TOO_LONG": ContextSettings("stopAtLimit", token_buffer=room - 20),
        "SYSTEM_TOO_LARGE": ContextSettings(token_buffer=room - 100),
        "INVALID_BUDGET": ContextSettings(token_buffer=room + 100),
    }
    preview.pending.attach([beside], "context")
    before = document.tree.loom
    words = "Be brief. " * 100 if code == "SYSTEM_TOO_LARGE" else None
    document.trees.save_loom(replace(before, context_settings=settings[code], system_context=words))
    preview.refresh_now()
    assert preview.error is not None
    assert preview.error.code == code

    for node_id in (question, answer):
        assert looks_refused(window, node_id) == [True] * 6
    assert WORDS in window.graph.accessibleDescription()
    assert window.display.fate_words_of(beside).words == WORDS, "it is attached"
    window.resize(1400, 900)
    if code == "INVALID_BUDGET":
        assert window.text_pane.context_bar.numbers == "no room for messages"

    document.commit(node_marks.exclude(document.tree, (question,), document.pen()), keeps_current=True)
    preview.refresh_now()
    assert window.display.fate_words_of(question).words == "Excluded"

    document.trees.save_loom(before)
    preview.refresh_now()
    assert not any(looks_refused(window, answer))
    assert WORDS not in window.graph.accessibleDescription()


def test_at_the_empty_start_of_a_tree_no_message_is_said_to_be_refused(
    window: MainWindow, qtbot: QtBot
) -> None:
    document, preview = window.document, window.preview
    qtbot.waitUntil(lambda: window.side_parts.outline.rows.outline is not None)
    document.place.set_current(document.tree.root_id)
    preview.refresh_now()
    assert preview.error is not None
    assert preview.error.code == "EMPTY_CONTEXT"

    assert not any(looks_refused(window, said(window, LONG)))
    assert window.text_pane.context_bar.numbers == "0 tokens"
    window.composer.set_text("Name a lake.")
    preview.refresh_now()
    assert preview.error is None, "what is written there is sent"
