"""Summaries in the window: asked for in the menu, made unasked past the thresholds, and stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.model.economy_settings import THRESHOLDS, EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.providers import registry
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.composer.summary_card import SummaryCard
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.servers.fake_server import Conversation, FakeServer, Script, answers, fails
from tests.kit.windows import unseen_window
from tests.session.programs import ask_server

SUMMARY = "Summarise the conversation"  # begins the prompt of a summariser
FULL = {"error": {"message": "maximum context length exceeded", "code": "context_length_exceeded"}}


class Model:
    """A server that knows whether it is asked for a summary, and notes in which order it was asked."""

    def __init__(self) -> None:
        self.summary: Script = answers("All so far.")
        self.answer: Script = answers("Yes.")
        self.asked: list[str] = []

    def __call__(self, conversation: Conversation) -> None:
        is_summary = SUMMARY.encode() in conversation.request.body
        self.asked.append("summary" if is_summary else "answer")
        (self.summary if is_summary else self.answer)(conversation)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def window(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, model: Model
) -> Iterator[MainWindow]:
    """A window on a dialogue of eight messages."""
    monkeypatch.setattr(registry, "PROVIDERS", dict(registry.PROVIDERS))
    path = tmp_path / "g.loom"
    with FakeServer(model) as server:
        with create_grove(path) as grove:
            ask_server(grove, server.url)
            pen = edit_context.EditContext(grove.owner.id, now(), new_id)
            tree = tree_edits.new_tree("dialogue", "T", pen)
            grove.add_tree(tree, [grove.owner])
            tree = grove.load_tree(tree.loom.id)
            for number in range(8):
                grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, f"message {number}", pen))
        with unseen_window(path) as window:
            window.composer.set_count(1)
            yield window


def set_thresholds(window: MainWindow, **values: Any) -> None:
    document = window.document
    economy = EconomySettings(make_summaries=THRESHOLDS, **values)
    loom = replace(document.tree.loom, context_settings=ContextSettings(economy=economy))
    document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), loom))


def press(window: MainWindow, name: str) -> None:
    window.actions_set.by_name[name].trigger()


def texts(window: MainWindow) -> list[object]:
    return [row.body["text"] for row in window.document.tree.context_summaries.values()]


def answered(window: MainWindow, qtbot: QtBot) -> Callable[[], bool]:
    before = len(window.document.tree.nodes)
    return lambda: len(window.document.tree.nodes) > before and not window.generator.is_streaming()


def test_compact_branch_leaves_the_newest_messages_and_is_one_step(window: MainWindow, qtbot: QtBot) -> None:
    press(window, "compactBranch")

    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    [row] = window.document.tree.context_summaries.values()
    assert row.anchor_node_id == window.document.path_ids[-5]
    assert window.document.history.undo_label == "Summarise"
    qtbot.waitUntil(window.text_pane.errors.isHidden)
    press(window, "undo")
    assert texts(window) == []


def test_summarise_up_to_here_is_anchored_at_the_current_message_and_says_if_nothing_is_new(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.document.place.set_current(window.document.path_ids[2])
    press(window, "summariseHere")
    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    [row] = window.document.tree.context_summaries.values()
    assert row.anchor_node_id == window.document.path_ids[2]

    press(window, "summariseHere")

    qtbot.waitUntil(lambda: window.text_pane.errors.text == "Not enough messages to compact")


def test_past_soft_a_summary_is_made_once_an_answer_has_landed(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.99)

    press(window, "generate")

    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    assert model.asked == ["answer", "summary"]
    assert window.document.history.undo_label != "Summarise"


def test_past_hard_the_summary_comes_first_and_the_answer_by_itself(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0)
    landed = answered(window, qtbot)

    press(window, "generate")

    qtbot.waitUntil(landed)
    assert model.asked[:2] == ["summary", "answer"]
    assert texts(window)[0] == "All so far."


def test_send_anyway_waits_for_no_summary(window: MainWindow, qtbot: QtBot, model: Model) -> None:
    model.summary = Conversation.wait_until_left
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0)
    landed = answered(window, qtbot)
    press(window, "generate")
    qtbot.waitUntil(lambda: model.asked == ["summary"])

    window.text_pane.errors.act_clicked.emit("send")

    qtbot.waitUntil(landed)
    assert model.asked[:2] == ["summary", "answer"]
    assert texts(window) == []


def test_a_server_without_room_is_asked_again_once_after_a_summary(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    set_thresholds(window)
    model.answer = fails(400, FULL)

    press(window, "generate")

    qtbot.waitUntil(lambda: model.asked == ["answer", "summary", "answer"])
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert texts(window) == ["All so far."]


def has_failed(window: MainWindow, count: int) -> bool:
    document = window.document
    return len(window.generator.summaries.failures(document.tree.loom.id, document.path)) == count


def test_after_three_failures_in_a_row_nothing_is_made_by_itself_until_somebody_tries_again(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    model.summary = answers(" ")
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.99)
    for count in (1, 2, 3):
        landed = answered(window, qtbot)
        press(window, "generate")
        qtbot.waitUntil(landed)
        qtbot.waitUntil(partial(has_failed, window, count))
    assert "Summarising failed 3 times on this path" in window.text_pane.errors.text

    landed = answered(window, qtbot)
    press(window, "generate")
    qtbot.waitUntil(landed)
    window.preview.settle()
    assert model.asked.count("summary") == 3


def test_the_card_of_a_summary_is_edited_by_leaving_it_used_as_it_is_and_deleted(
    window: MainWindow, qtbot: QtBot
) -> None:
    press(window, "compactBranch")
    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    window.preview.refresh_now()
    card = find(window, SummaryCard, "summaryCard")
    assert card.head.text() == "Context summarized (4 messages)"
    assert find(card, QLabel, "summaryFacts").text() == "28 → 10 tokens"
    card.head.click()
    assert card.field.toPlainText() == "All so far."

    card.field.setPlainText("By hand.")
    card.field.left.emit()

    assert texts(window) == ["By hand."]
    assert window.document.history.undo_label == "Edit summary"
    window.document.commit(
        node_marks.exclude(window.document.tree, window.document.path_ids[1:2], window.document.pen())
    )
    window.preview.refresh_now()
    assert find(card, QLabel, "summaryFacts").text().startswith("Out of date: 1 excluded.")
    card.buttons["use"].click()
    window.preview.refresh_now()
    assert find(card, QLabel, "summaryFacts").text() == "28 → 9 tokens"
    card.buttons["delete"].click()
    window.preview.refresh_now()
    assert (texts(window), card.isHidden()) == ([], True)
