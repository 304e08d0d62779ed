"""Summaries in the window: asked for in the menu, made unasked past the thresholds, and stopped.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.model.economy_settings import COMPACT, SUMMARIES, THRESHOLDS, EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.providers import registry
from loomapp.providers.run.summary import PortionBegun
from loomapp.session.recovery import BegunText
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands.save import leave
from loomapp.ui.dialogue.summary.card import CardHead, SummaryCard
from loomapp.ui.dialogue.summary.progress import SummaryFailureCard, SummaryProgress
from loomapp.ui.graph.painting.edges import edge_kind
from loomapp.ui.side_bar.outline.view import OutlineView
from loomapp.ui.unsaved.open_edits import GO_ON
from loomapp.ui.window.main_window import MainWindow
from tests.kit.copies import copy_as_killed
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.kit.servers.fake_server import (
    DONE,
    Conversation,
    FakeServer,
    Script,
    answers,
    chunk,
    fails,
    says,
    usage,
)
from tests.kit.windows import unseen_window
from tests.session.programs import ask_server
from tests.store.test_disk_full import no_file_may_grow_beyond

WAIT_S = 20
NARROW_PX, STRIP_PX = 300, 52  # of a strip, and as high as one may be
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
    assert window.text_pane.errors._tone == "progress", "nothing is wrong"
    window.offer("Something else.", "Do it", lambda: None)

    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    [row] = window.document.tree.context_summaries.values()
    assert row.anchor_node_id == window.document.path_ids[-5]
    assert window.document.history.undo_label == "Summarise"
    qtbot.waitUntil(lambda: window.text_pane.errors.sentences == ("Something else.",))
    press(window, "undo")
    assert texts(window) == []


def test_compact_branch_is_on_cards_and_takes_the_branch_of_the_card(
    window: MainWindow, qtbot: QtBot
) -> None:
    document, last, branch = window.document, window.document.path_ids[2], list[str]()
    for number in range(6):
        change = node_edits.add_aside(document.tree, last, f"beside {number}", document.pen())
        document.commit(change, keeps_current=True)
        last = change.added_nodes()[0].id
        branch.append(last)
    document.place.set_current(last)
    assert last not in document.path
    menu = window.actions_set.node_menu()
    assert window.actions_set.by_name["compactBranch"] in menu.actions()
    menu.close()

    press(window, "compactBranch")

    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    [row] = document.tree.context_summaries.values()
    assert row.anchor_node_id == branch[-5]


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_a_message_that_was_undone_while_it_waited_for_a_summary_is_not_sent_and_no_fault(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0)
    window.composer.field.insertPlainText("Undo me")
    press(window, "generate")
    press(window, "undo")

    qtbot.waitUntil(lambda: texts(window) == ["All so far."])

    assert (model.asked, window.composer.text) == (["summary"], "Undo me")
    assert window.text_pane.errors.isHidden()
    assert "the waiting message was undone" in find(window, QLabel, "statusNote").text()


def test_where_no_summary_was_made_it_is_said_that_the_message_waits_and_at_last_why(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    model.summary = fails(401)
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0, most_failures=2)
    said = "Your message was not sent because no summary could be made."
    errors = window.text_pane.errors

    press(window, "generate")
    qtbot.waitUntil(partial(has_failed, window, 1))
    first = errors.text
    press(window, "generate")
    qtbot.waitUntil(partial(has_failed, window, 2))

    assert first.startswith(said)
    assert errors.text.startswith(f"{said} Summarising failed 2 times on this path")
    assert "401" in errors.text
    assert "answer" not in model.asked


def test_past_hard_the_summary_comes_before_more_answers_beside_one_too(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    landed = answered(window, qtbot)
    press(window, "generate")
    qtbot.waitUntil(landed)
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0)
    landed = answered(window, qtbot)

    press(window, "generateSiblings")

    qtbot.waitUntil(landed)
    assert model.asked[:3] == ["answer", "summary", "answer"]
    assert texts(window)[0] == "All so far."


def set_compaction(window: MainWindow, utilization: float) -> None:
    document = window.document
    economy = EconomySettings(make_summaries=COMPACT, compact_utilization=utilization)
    loom = replace(document.tree.loom, context_settings=ContextSettings(economy=economy))
    document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), loom))


@pytest.mark.slow
def test_a_path_that_is_full_is_compacted_when_generate_is_pressed_and_only_then(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    set_compaction(window, 0.0)
    landed = answered(window, qtbot)

    press(window, "generate")

    qtbot.waitUntil(landed)
    window.preview.settle()
    assert model.asked == ["summary", "answer"]
    assert texts(window) == ["All so far."]
    [row] = window.document.tree.context_summaries.values()
    assert row.body["origin"] == "blocking"


@pytest.mark.slow
def test_a_path_with_room_is_not_compacted(window: MainWindow, qtbot: QtBot, model: Model) -> None:
    set_compaction(window, 0.85)
    landed = answered(window, qtbot)

    press(window, "generate")

    qtbot.waitUntil(landed)
    window.preview.settle()
    assert model.asked == ["answer"]


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
    assert window.text_pane.errors.text == "Automatic summaries are paused on this path."

    landed = answered(window, qtbot)
    press(window, "generate")
    qtbot.waitUntil(landed)
    window.preview.settle()
    assert model.asked.count("summary") == 3
    card = find(window.dialogue, SummaryFailureCard, "summaryFailure")
    assert card.accessibleName().startswith("Summarising failed 3 times on this path")
    card.retry_button.click()  # which fails too: it stays as it was
    qtbot.waitUntil(partial(has_failed, window, 4))
    [card] = window.dialogue.findChildren(SummaryFailureCard)
    assert card.accessibleName().startswith("Summarising failed 4 times on this path")
    model.summary = answers("All so far.")
    card.retry_button.click()
    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    qtbot.waitUntil(lambda: not window.dialogue.findChildren(SummaryFailureCard))


def card_of(window: MainWindow) -> SummaryCard:
    window.preview.refresh_now()
    [row] = window.document.tree.context_summaries.values()
    card = window.path_summaries.card_of(row.anchor_node_id)
    assert card is not None
    return card


def summarise(window: MainWindow, qtbot: QtBot, text: str = "All so far.") -> SummaryCard:
    press(window, "compactBranch")
    qtbot.waitUntil(lambda: texts(window) == [text])
    return card_of(window)


def exclude(window: MainWindow, place: int) -> None:
    ids = window.document.path_ids[place : place + 1]
    window.document.commit(node_marks.exclude(window.document.tree, ids, window.document.pen()))
    window.preview.refresh_now()


def test_the_card_of_a_summary_is_edited_by_leaving_it_used_as_it_is_and_deleted(
    window: MainWindow, qtbot: QtBot
) -> None:
    card = summarise(window, qtbot)
    assert card.head.text() == "Context summarized (4 messages)"
    assert card.head.facts == "28 → 10 tokens"
    outline = window.side_parts.outline
    assert put_together(outline) == 5
    window.preferences.put("use_summaries", False)
    assert put_together(outline) == 0, "it is not used by default any more"
    window.preferences.put("use_summaries", True)
    assert put_together(outline) == 5
    card.head.click()
    assert card.field.text() == "All so far."

    card.field.setPlainText("By hand.")
    card.field.typing_ended.emit()

    assert texts(window) == ["By hand."]
    assert window.document.history.undo_label == "Edit summary"
    assert find(card_of(window), QLabel, "summaryAuthor").text().endswith("· edited by you")
    exclude(window, 1)
    card = card_of(window)
    assert card.head.text() == "Out of date: 1 message was excluded"
    assert card.head.facts == "Not used: the original messages are sent."
    said = "Out of date: 1 message was excluded. The summary is not used: the original messages are sent."
    assert window.text_pane.errors.text == said
    card.buttons["use"].click()
    card = card_of(window)
    assert window.text_pane.errors.isHidden()
    assert card.head.facts == "28 → 9 tokens"
    card.set_open(True)
    card.delete_button.click()
    window.preview.refresh_now()
    assert texts(window) == []
    assert [one for one in window.dialogue.findChildren(SummaryCard) if not one.isHidden()] == []


def test_a_summary_above_which_one_goes_on_is_not_said_to_wait(window: MainWindow, qtbot: QtBot) -> None:
    ids = window.document.path_ids
    summarise(window, qtbot)

    window.document.place.set_current(ids[1])

    assert card_of(window).head.facts == "Not used: Generate continues from another place."
    window.document.place.set_current(ids[-1])
    assert "tokens" in card_of(window).head.facts


def put_together(view: OutlineView) -> int:
    """The messages that the outline puts together where they are many, since a summary stands for them."""
    assert view.rows.outline is not None
    return len(view.rows.outline.ways.covered)


def shown_ids(window: MainWindow) -> list[str]:
    return [message.key for message in window.dialogue.shown_messages()]


@pytest.mark.slow
def test_what_a_summary_covers_is_put_away_above_its_card_and_comes_out_when_asked(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1200, 1600)
    window.show()
    ids = list(window.document.path_ids[1:])
    assert shown_ids(window) == ids

    card = summarise(window, qtbot)

    qtbot.waitUntil(lambda: shown_ids(window) == ids[4:])
    first = window.dialogue.message(ids[4])
    assert first is not None
    assert card.geometry().bottom() <= first.y()
    card.head.click()
    card.buttons["covered"].click()
    qtbot.waitUntil(lambda: shown_ids(window) == ids)
    above, below = window.dialogue.message(ids[3]), window.dialogue.message(ids[4])
    assert above is not None
    assert below is not None
    assert above.geometry().bottom() <= card.y() <= card.geometry().bottom() <= below.y()
    assert card.buttons["covered"].text() == "Hide covered messages"
    card.buttons["covered"].click()
    qtbot.waitUntil(lambda: shown_ids(window) == ids[4:])
    window.document.place.set_current(ids[1])
    window.dialogue.reveal(ids[1])
    qtbot.waitUntil(lambda: shown_ids(window) == ids)


@pytest.mark.slow
def test_a_stale_summary_and_one_that_waits_stand_below_their_messages(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1200, 1600)
    window.show()
    ids = list(window.document.path_ids[1:])
    summarise(window, qtbot)
    exclude(window, 1)
    card = card_of(window)
    qtbot.waitUntil(lambda: shown_ids(window) == ids)
    above, below = window.dialogue.message(ids[3]), window.dialogue.message(ids[4])
    assert above is not None
    assert below is not None
    qtbot.waitUntil(lambda: above.geometry().bottom() <= card.y() <= card.geometry().bottom() <= below.y())

    press(window, "undo")
    window.document.place.set_current(ids[-2])
    press(window, "summariseHere")

    qtbot.waitUntil(lambda: len(texts(window)) == 2)
    window.preview.refresh_now()
    cards = [one for one in window.dialogue.findChildren(SummaryCard) if not one.isHidden()]
    facts = {one.head.facts for one in cards}
    assert "Not used yet: starts after 4 more messages." in facts

    document = window.document
    document.commit(node_edits.add_node(document.tree, ids[-1], "message 8", document.pen()))
    exclude(window, -3)
    cards = [one for one in window.dialogue.findChildren(SummaryCard) if not one.isHidden()]
    facts = {one.head.facts for one in cards}
    assert "Not used: the earlier summary above is sent." in facts


def test_in_a_narrow_column_the_words_of_progress_are_cut_off_and_no_button_is(qtbot: QtBot) -> None:
    progress = SummaryProgress()
    qtbot.addWidget(progress)
    part = "part 1 of 2 · A model with quite a long name"
    progress.show_progress("Summarising 57 messages", part, 0, 2, waits_for=True)
    progress.resize(progress.minimumSizeHint())
    progress.show()

    for name in ("stopSummaryButton", "sendAnywayButton"):
        button = find(progress, QPushButton, name)
        assert button.width() >= button.sizeHint().width()
    assert find(progress, QLabel, "summaryPart").text() == part


@pytest.mark.slow
def test_while_a_summary_is_made_its_place_says_so_and_stops_it(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    window.show()
    model.summary = Conversation.wait_until_left

    press(window, "compactBranch")

    qtbot.waitUntil(lambda: model.asked == ["summary"])
    progress = find(window.dialogue, SummaryProgress, "summaryProgress")
    assert find(progress, QLabel, "summaryProgressTitle").text() == "Summarising 4 messages"
    assert not find(progress, QPushButton, "sendAnywayButton").isVisible()
    find(progress, QPushButton, "stopSummaryButton").click()
    qtbot.waitUntil(lambda: not window.dialogue.findChildren(SummaryProgress))
    assert texts(window) == []
    assert find(window, QLabel, "statusNote").text() == "Stopped: no summary was made."


def test_scripts_find_the_actions_that_summarise_by_their_names(window: MainWindow) -> None:
    found = [window.findChild(QAction, name) for name in ("compactBranchAction", "summariseUpToAction")]
    assert found == [window.actions_set.by_name[name] for name in ("compactBranch", "summariseHere")]


def test_of_a_summary_that_is_being_made_one_sentence_stands_above_the_composer_and_goes_with_it(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    model.summary = Conversation.wait_until_left
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0)
    document, errors = window.document, window.text_pane.errors
    press(window, "compactBranch")
    qtbot.waitUntil(lambda: model.asked == ["summary"])
    said = [errors.sentences]
    running = window.generator.summaries.under_way(document.tree.loom.id, document.path)
    assert running is not None

    for number in (2, 3):
        running.portion = PortionBegun(number, 3)
        press(window, "generate")
        said.append(errors.sentences)
    assert [len(sentences) for sentences in said] == [1, 1, 1]
    assert "Part 3 of 3." in errors.text
    window.generator.summaries.stop(running)

    qtbot.waitUntil(lambda: errors.sentences == ())
    assert errors.isHidden()
    note = find(window, QLabel, "statusNote").text()
    assert note == "Stopped: no summary was made, and your message was not sent."


@pytest.mark.slow
def test_send_anyway_stands_on_the_card_of_a_summary_that_an_answer_waits_for(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    window.show()
    model.summary = Conversation.wait_until_left
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0)
    landed = answered(window, qtbot)
    press(window, "generate")
    qtbot.waitUntil(lambda: model.asked == ["summary"])

    find(window.dialogue, QPushButton, "sendAnywayButton").click()

    qtbot.waitUntil(landed)
    assert texts(window) == []
    window.preview.refresh_now()
    document, summaries = window.document, window.generator.summaries
    assert summaries.under_way(document.tree.loom.id, document.path) is None, "the next waits till Generate"


def test_of_one_that_saves_nothing_it_is_said_why(window: MainWindow, qtbot: QtBot) -> None:
    summaries, said = window.generator.summaries, find(window, QLabel, "statusNote")
    summarise(window, qtbot)
    [row] = window.document.tree.context_summaries.values()
    assert said.text().startswith("Context summarized (4 messages): ")

    summaries.made.emit(replace(row, covered_hash="0" * 64))
    assert said.text() == "The summary of 4 messages is not used: they were changed meanwhile."
    set_thresholds(window, assembler="summaries")
    window.preview.refresh_now()
    summaries.made.emit(row)

    assert said.text() == "The summary of 4 messages is not used: the tree settings say so."


def test_of_one_that_is_cut_at_its_limit_it_is_said_and_it_is_made_again(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    model.summary = says(chunk("All so"), chunk(reason="length"), usage(7, 3), DONE)
    press(window, "compactBranch")
    qtbot.waitUntil(lambda: texts(window) == ["All so"])
    strip = window.text_pane.errors
    qtbot.waitUntil(lambda: "cut off at the end" in strip.text)
    assert strip.heightForWidth(NARROW_PX) <= STRIP_PX
    head = find(window, CardHead, "summaryHead")
    qtbot.waitUntil(lambda: head.facts.startswith("Cut off at the end · "))

    model.summary = answers("All so far.")
    strip.act_clicked.emit("")
    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    qtbot.waitUntil(lambda: "Cut off" not in find(window, CardHead, "summaryHead").facts)


def test_what_only_an_excluded_message_names_is_no_omission(window: MainWindow, qtbot: QtBot) -> None:
    exclude(window, 2)
    card = summarise(window, qtbot)

    card.head.click()

    qtbot.waitUntil(lambda: bool(card.omissions.findChildren(QPushButton)))
    words = [one.text() for one in card.omissions.findChildren(QPushButton)]
    assert "0  Add" in words
    assert "1  Add" not in words


@pytest.mark.slow
def test_what_a_summary_does_not_name_is_added_in_the_field_and_saved_when_it_is_left(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1200, 1600)
    window.show()
    card = summarise(window, qtbot)

    card.head.click()

    qtbot.waitUntil(card.omissions.isVisible)
    words = [one.text() for one in card.omissions.findChildren(QPushButton)]
    assert words == ["0  Add", "1  Add", "2  Add"]
    assert find(card.omissions, QLabel, "moreOmissions").toolTip() == "3"
    card.omissions.findChildren(QPushButton)[1].click()
    assert card.field.text() == "All so far. message 1"
    assert "1  Add" not in [one.text() for one in card.omissions.findChildren(QPushButton) if one.isVisible()]
    assert texts(window) == ["All so far."]
    card.save()
    assert texts(window) == ["All so far. message 1"]


@pytest.mark.desktop
def test_a_bracket_stands_over_the_covered_cards_and_its_pill_opens_the_card_among_the_messages(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    show_active(qtbot, window)
    card = summarise(window, qtbot)
    qtbot.waitUntil(lambda: window.graph._painter.bracket is not None)
    window.graph.ensure_visible(window.document.path_ids[4])
    qtbot.waitUntil(lambda: not window.graph.bracket_rect().isEmpty())
    covered = window.graph.node_rect(window.document.path_ids[4])
    assert window.graph.bracket_rect().bottom() <= covered.top()
    assert not card.is_open
    scene = window.graph._scene
    rows = [scene.row_of(window.document.path_ids[place]) for place in (2, -3)]
    looks = [(edge_kind(scene, row), scene.face(row).outline) for row in rows if row is not None]
    assert looks == [("continuation", "plain"), ("active", "path")]

    document = window.document
    other = node_edits.add_aside(document.tree, document.path_ids[-5], "Another way.", document.pen())
    document.commit(other)
    [node] = other.added_nodes()
    window.graph.ensure_visible(node.id)
    qtbot.waitUntil(lambda: not window.graph.bracket_rect().isEmpty())
    port = window.graph.viewport()
    place = window.graph.node_rect(node.id)
    beside = QRect(place.right() + 8, place.top(), 60, 16)
    before = port.grab(beside).toImage()
    pointer.move(port, window.graph.bracket_rect().center().toPoint())
    qtbot.waitUntil(lambda: port.grab(beside).toImage() != before)

    pointer.click(window.graph.viewport(), window.graph.bracket_rect().center().toPoint())

    qtbot.waitUntil(lambda: card.is_open)
    qtbot.waitUntil(card.head.hasFocus)
    pointer.key("space")
    qtbot.waitUntil(lambda: not card.is_open)
    card.delete_button.click()
    qtbot.waitUntil(lambda: window.graph.bracket_rect().isEmpty())


def test_a_card_that_is_opened_at_the_lower_edge_comes_into_view_and_has_its_links_in_one_line(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1600, 700)
    window.show()
    card = summarise(window, qtbot, "All so far.")
    port, bar = window.dialogue.viewport(), window.dialogue.verticalScrollBar()
    qtbot.waitUntil(card.isVisible)
    bar.setValue(0)
    card.buttons["covered"].click()
    window.dialogue.reveal(window.document.path_ids[-4])

    def is_at_the_edge() -> bool:  # rows may still be measured and move it
        bar.setValue(bar.value() + card.y() - port.height() + 50)
        return port.height() - card.y() == 50

    qtbot.waitUntil(is_at_the_edge)

    card.head.click()

    assert card.is_open
    assert card.geometry().bottom() <= port.height()
    links = [button for button in card.buttons.values() if button.isVisible()]
    assert len(links) == 3
    assert len({link.y() for link in links}) == 1


@pytest.mark.slow
def test_where_there_is_no_room_a_summary_is_a_click_away_and_the_bar_counts_what_it_stands_for(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1200, 1600)
    window.show()
    loom = replace(window.document.tree.loom, context_settings=ContextSettings(token_buffer=128_000 - 20))
    document = window.document
    document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), loom))
    window.preview.refresh_now()
    qtbot.waitUntil(lambda: bool(links(window)))

    links(window)[0].click()

    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    plain = replace(document.tree.loom, context_settings=ContextSettings())
    document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), plain))
    window.preview.refresh_now()
    assert window.text_pane.context_bar.kept == "kept 4 · 4 summarised"
    qtbot.waitUntil(lambda: not links(window))


def links(window: MainWindow) -> list[QPushButton]:
    found = window.dialogue.findChildren(QPushButton, "summariseGapButton")
    return [one for one in found if one.isVisible()]


@pytest.mark.slow
def test_what_a_summary_saved_is_told_less_what_it_cost(window: MainWindow, qtbot: QtBot) -> None:
    summarise(window, qtbot)
    landed = answered(window, qtbot)

    press(window, "generate")

    qtbot.waitUntil(landed)
    qtbot.waitUntil(lambda: card_of(window).head.facts == "28 → 10 tokens · 8 saved since")


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        ContextSettings(economy=EconomySettings(make_summaries=THRESHOLDS, assembler=SUMMARIES)),
        ContextSettings(economy=EconomySettings(make_summaries=THRESHOLDS, use_summaries=False)),
        ContextSettings("stopAtLimit", economy=EconomySettings(make_summaries=THRESHOLDS)),
    ],
)
def test_where_no_summary_would_be_used_none_is_made_for_a_server_without_room(
    window: MainWindow, qtbot: QtBot, model: Model, settings: ContextSettings
) -> None:
    document = window.document
    loom = replace(document.tree.loom, context_settings=settings)
    document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), loom))
    model.answer = fails(400, FULL)

    with qtbot.waitSignal(window.generator.answers.landed):
        press(window, "generate")

    assert window.generator.summaries.under_way(document.tree.loom.id, document.path) is None
    assert model.asked == ["answer"]


class Held:
    """A script that answers once it may."""

    def __init__(self, text: str) -> None:
        self.may_end = threading.Event()
        self._answers = answers(text)

    def __call__(self, conversation: Conversation) -> None:
        self.may_end.wait(60)
        self._answers(conversation)


@pytest.fixture
def held(model: Model) -> Iterator[Held]:
    """The summary, which comes once it may."""
    held = Held("All so far.")
    model.summary = held
    yield held
    held.may_end.set()


@pytest.mark.slow
def test_generate_pressed_again_while_an_answer_waits_for_a_summary_asks_for_one_answer(
    window: MainWindow, qtbot: QtBot, model: Model, held: Held
) -> None:
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0)
    landed = answered(window, qtbot)
    press(window, "generate")
    qtbot.waitUntil(lambda: model.asked == ["summary"])

    press(window, "generate")
    held.may_end.set()

    qtbot.waitUntil(landed)
    assert model.asked.count("answer") == 1


@pytest.mark.slow
def test_an_answer_that_waits_for_a_summary_is_not_asked_for_in_another_tree(
    window: MainWindow, qtbot: QtBot, model: Model, held: Held
) -> None:
    tree = window.document.tree
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0)
    press(window, "generate")
    qtbot.waitUntil(lambda: model.asked == ["summary"])

    window.document.new_tree("dialogue")
    with qtbot.waitSignal(window.generator.summaries.made):
        held.may_end.set()

    strip = window.text_pane.errors
    qtbot.waitUntil(lambda: strip.text.endswith("was not sent: press Generate there."))
    assert model.asked == ["summary"]
    kept = window.document.grove.load_tree(tree.loom.id)
    assert [row.body["text"] for row in kept.context_summaries.values()] == ["All so far."]


def test_send_anyway_in_another_tree_says_that_the_message_waits_there_and_not_that_it_was_undone(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    model.summary = Conversation.wait_until_left
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.0)
    press(window, "generate")
    qtbot.waitUntil(lambda: model.asked == ["summary"])
    window.document.new_tree("dialogue")

    window.text_pane.errors.act_clicked.emit("send")

    assert window.text_pane.errors.text.endswith("was not sent: press Generate there.")
    assert model.asked == ["summary"]


@pytest.mark.slow
def test_an_answer_that_landed_in_another_tree_is_summarised_once_that_is_read(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    tree_id, answer = window.document.tree.loom.id, Held("Yes.")
    model.answer = answer
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.99)
    press(window, "generate")
    qtbot.waitUntil(lambda: model.asked == ["answer"])
    window.document.new_tree("dialogue")
    window.preview.settle()
    with qtbot.waitSignal(window.generator.answers.landed):
        answer.may_end.set()
    window.preview.set_composer_text("A question in the other tree.")
    window.preview.refresh_now()
    window.preview.set_composer_text("")
    assert window.preview.last is not None

    window.document.open_tree(tree_id)

    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    assert model.asked == ["answer", "summary"]


@pytest.mark.slow
def test_an_answer_that_landed_on_another_branch_is_summarised_on_that_branch(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    answer = Held("Yes.")
    model.answer = answer
    set_thresholds(window, soft_threshold=0.0, hard_threshold=0.99)
    asked = window.document.path_ids
    press(window, "generate")
    qtbot.waitUntil(lambda: model.asked == ["answer"])
    change = node_edits.add_node(window.document.tree, asked[2], "Another way.", window.document.pen())
    window.document.commit(change)
    window.preview.settle()

    answer.may_end.set()

    qtbot.waitUntil(lambda: texts(window) == ["All so far."])
    [row] = window.document.tree.context_summaries.values()
    assert row.anchor_node_id in asked
    assert row.anchor_node_id not in window.document.path_ids


def test_the_text_of_a_card_that_the_disk_does_not_take_is_asked_about_and_saved_later(
    window: MainWindow, qtbot: QtBot
) -> None:
    card = summarise(window, qtbot)
    card.set_open(True)
    card.field.setPlainText("All so far, and Yann.")

    with no_file_may_grow_beyond(3000):
        window.dialogue.between.save()
        at_risk = leave.at_risk(window.bench)

    assert [(one.what, one.words) for one in at_risk] == [("a summary", "All so far, and Yann.")]
    assert card_of(window).field.text() == "All so far, and Yann."
    window.unsaved.retry()
    assert texts(window) == ["All so far, and Yann."]
    assert leave.at_risk(window.bench) == []


def test_words_in_a_card_stay_when_its_summary_is_made_again_meanwhile_and_after_a_crash(
    window: MainWindow, qtbot: QtBot, model: Model, tmp_path: Path
) -> None:
    card = summarise(window, qtbot)
    card.set_open(True)
    model.summary = answers("All anew.")
    card.buttons["again"].click()
    card.field.setPlainText("By hand.")

    qtbot.waitUntil(lambda: texts(window) == ["All anew."])
    window.preview.settle()

    assert card_of(window).field.text() == "By hand."
    journal = window.journal
    assert journal is not None
    assert journal.settle(WAIT_S)
    copy_as_killed(window.document.grove.path.parent, tmp_path / "killed")
    with unseen_window(tmp_path / "killed" / "g.loom") as again:
        strip = again.text_pane.closed_texts
        qtbot.waitUntil(lambda: strip.text == "Unfinished summary: “By hand.”")
        again.preview.settle()
        other = node_edits.add_node(
            again.document.tree, again.document.path_ids[1], "Another way.", again.document.pen()
        )
        again.document.commit(other)
        again.preview.settle()
        [summary] = again.document.tree.context_summaries.values()
        assert again.path_summaries.card_of(summary.anchor_node_id) is None
        strip.act_clicked.emit(GO_ON)
        assert strip.isHidden()
        assert (texts(again), card_of(again).field.text()) == (["All anew."], "By hand.")
        card_of(again).field.typing_ended.emit()
        assert texts(again) == ["By hand."]
        assert not again.draft_state.has_draft
    assert window.draft_state.has_draft
    card.field.typing_ended.emit()
    assert not window.draft_state.has_draft
    assert texts(window) == ["By hand."]
    assert card_of(window).text == "By hand."
    press(window, "undo")
    assert texts(window) == ["All anew."]
    key = card_of(window).key
    left = BegunText("card", window.document.tree.loom.id, key, "Left.", now(), is_closed=True)
    card_of(window).set_open(False)
    window.writings.keep(left)
    card_of(window).set_open(True)
    assert card_of(window).field.text() == "Left.", "who writes there goes on with it"
    assert window.writings.closed() == ()


def test_of_three_candidates_one_is_compared_edited_and_taken_and_only_that_is_saved(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    window.resize(1200, 1600)
    window.show()
    card = summarise(window, qtbot)
    card.set_open(True)
    texts_to_come = iter(["All so far, in short.", "Eight messages.", "Nothing new."])

    def script(conversation: Conversation) -> None:
        answers(next(texts_to_come))(conversation)

    model.summary = script
    [key] = window.document.tree.context_summaries
    candidates, at = window.generator.candidates, (window.document.tree.loom.id, key)

    card.buttons["candidates"].setFocus()
    card.buttons["candidates"].click()

    assert (card.head.hasFocus(), card.delete_button.hasFocus()) == (True, False)
    qtbot.waitUntil(lambda: candidates.missing(at) == 0)
    held = candidates.of(at)
    assert held is not None
    assert {one.text for one in held.items} == {"All so far, in short.", "Eight messages.", "Nothing new."}
    assert texts(window) == ["All so far."]
    box = card_of(window).candidates
    assert box.pager.text == "1/3"
    place = next(place for place, one in enumerate(held.items) if one.text.startswith("All"))
    for _ in range(place):
        box.turned.emit(1)
    assert box.field.text() == "All so far, in short."
    assert "".join(box.marked) == ", in short"
    assert find(box, QLabel, "candidateWords").text() == "2 words differ from the saved summary:"
    card.field.setPlainText("All so far, in short, is this.")
    card.save()
    assert card_of(window).candidates.marked == []
    press(window, "undo")
    for turned_to in ("All so far, and it is a long story. " * 12, "Short.", "Not so short. " * 12):
        candidates.edit(at, turned_to)
        QApplication.processEvents()
        assert card.height() == card.needed_px(card.width())
    box.field.setPlainText("All so far, in a word.")
    assert find(box, QLabel, "candidateAuthor").text() == "by Scripted · edited by you"
    before = window.document.history.undo_label

    box.take_button.click()

    assert texts(window) == ["All so far, in a word."]
    [row] = window.document.tree.context_summaries.values()
    assert (row.response_id, row.body["origin"], before) == (None, "manual", "Summarise")
    assert candidates.of(at) is None
    assert box.isHidden()
    press(window, "undo")
    assert texts(window) == ["All so far."]


def test_a_candidate_that_is_taken_as_it_is_keeps_its_response(
    window: MainWindow, qtbot: QtBot, model: Model
) -> None:
    window.show()
    card = summarise(window, qtbot)
    card.set_open(True)
    model.summary = answers("Another one.")
    [key] = window.document.tree.context_summaries

    card.buttons["candidates"].click()
    at = window.document.tree.loom.id, key
    qtbot.waitUntil(lambda: window.generator.candidates.missing(at) == 0)
    assert window.generator.candidates.of(("a copy of the tree", key)) is None
    card_of(window).candidates.take_button.click()

    assert texts(window) == ["Another one."]
    assert not verify_grove(window.document.grove).failed
    [row] = window.document.tree.context_summaries.values()
    assert row.response_id is not None
