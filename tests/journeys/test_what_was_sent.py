"""What was this sent? The rows are what the server received; why it would differ today is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core import edits
from loomapp.core.generation import Sources
from loomapp.core.tree import ContextSettings
from loomapp.store.grove import open_grove
from loomapp.ui.comparing.column import Column
from loomapp.ui.comparing.page import ComparePage
from loomapp.ui.inspector.context_table import ROW_ROLE
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from tests.desktop import Pointer
from tests.fake_server import FakeServer, answers
from tests.journeys.outside import new_tree
from tests.journeys.windows import open_window
from tests.session.programs import SCRIPTED, ask_server
from tests.ui.finding import find


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(answers("Waves.")) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path, server: FakeServer) -> Path:
    path = tmp_path / "g.loom"
    new_tree(path, text="What is the sea?", system_context="Be brief.")
    with open_grove(path) as opened:
        ask_server(opened, server.url)
    return path


def rows(window: MainWindow) -> list[tuple[str, str]]:
    """The rows of the inspector that are sent: what kind they are, and their words."""
    model = window.inspector.context.rows.model()
    found = [model.index(row, 0).data(ROW_ROLE) for row in range(model.rowCount())]
    return [(row.kind, row.text) for row in found if row.kind in ("system", "sent")]


def strip(window: MainWindow) -> ErrorStrip:
    return find(window.inspector, ErrorStrip, "pastStrip")


def said(window: MainWindow) -> str:
    return strip(window).accessibleName()


def columns(window: MainWindow) -> list[Column]:
    page = window.findChild(ComparePage)
    return page.columns if page is not None else []


def test_an_answer_says_what_it_was_sent_and_why_that_differs(
    grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        pointer.click(window.composer.field)
        pointer.type_ascii("And the tide?")
        pointer.click(find(window, QPushButton, "generateButton"))
        qtbot.waitUntil(lambda: document.tree.nodes[document.current_id].author_type == "model")
        answer = document.current_id
        wire = json.loads(server.received[0].body)["messages"]

        window.actions_set.refresh()
        window.actions_set.by_name["showSent"].trigger()

        assert [
            {"role": "system", "content": text} for kind, text in rows(window) if kind == "system"
        ] == wire[:1]
        assert "\n\n".join(text for kind, text in rows(window) if kind == "sent") == wire[1]["content"]
        assert "the same, to the character" in said(window)

        question = document.tree.plain_parents[answer]
        first = document.tree.plain_parents[question]
        document.commit(edits.exclude(document.tree, [first], document.pen()))
        qtbot.waitUntil(lambda: f"{document.tree.nodes[first].local_id} was excluded since" in said(window))
        assert ("sent", "What is the sea?") in rows(window), "what was sent stays as it was"
        own = ContextSettings(truncation_strategy="rollingWindow")
        loom = replace(document.tree.loom, context_settings=own)
        document.commit(edits.change_loom(document.tree, "Settings", document.pen(), loom))
        told = "the strategy was “Keep start and newest” and is “Keep the newest”"
        qtbot.waitUntil(lambda: told in said(window))

        pointer.click(find(strip(window), QPushButton, "errorAct_compare"))
        qtbot.waitUntil(
            lambda: all(column.marked() for column in columns(window)[:1]) and bool(columns(window))
        )
        then, today = columns(window)
        assert "What is the sea?" in then.side.text
        assert "What is the sea?" not in today.side.text
        assert "What is the sea?" in "".join(then.marked())
        pointer.key("Escape")

        pointer.click(find(strip(window), QToolButton, "errorClose"))
        qtbot.waitUntil(lambda: not strip(window).isVisible())
        assert ("sent", "What is the sea?") not in rows(window)


def test_a_text_without_a_request_says_so(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        pen = replace(document.pen(), author_type="model", agent_id=SCRIPTED.id)
        document.commit(edits.add_node(document.tree, document.current_id, "By hand.", pen))
        window.actions_set.refresh()
        window.actions_set.by_name["showSent"].trigger()
        assert "No request was kept for this text" in window.text_pane.errors.accessibleName()
        assert window.inspector.context.past is None


def test_what_two_answers_were_sent_stands_side_by_side(
    grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        written: list[str] = []
        question = document.current_id
        for prompt in ("Be quick.", "Be slow."):
            loom = replace(document.tree.loom, system_context=prompt)
            change = edits.change_loom(document.tree, "Settings", document.pen(), loom)
            assert change is not None
            document.commit(change)
            window.generator.start(Sources(question), 1)
            qtbot.waitUntil(lambda: not window.generator.is_streaming())
            written.append(document.tree.children(question)[-1])
        window.graph.choose(written)
        window.actions_set.refresh()
        window.actions_set.by_name["compareSent"].trigger()
        qtbot.waitUntil(lambda: [column.marked() for column in columns(window)] == [["quick"], ["slow"]])
