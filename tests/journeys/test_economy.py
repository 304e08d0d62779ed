"""Long trees in small windows, by pointer: a talk that goes on, papers in a talk, a project in branches.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from loomapp.core.economy.coverage import covered_hash
from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.content import AttachedDocument, Mixed, Text
from loomapp.core.model.entities import ContextSummary
from loomapp.core.sent.trial import without
from loomapp.core.summarisers import changes
from loomapp.providers import registry
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands.inspector.shortened import ShortenedPopover
from loomapp.ui.commands.inspector.summaries import BranchNameLine
from loomapp.ui.inspector.what_if.strategies import StrategyCard
from loomapp.ui.widgets.chip import ChipButton
from loomapp.ui.widgets.form import ChoiceField, SummaryField
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.servers.fake_server import Conversation, FakeServer, answers
from tests.kit.windows import open_window
from tests.session.programs import ask_server

SUMMARY = b"Summarise the conversation"  # begins the prompt of a summariser
REPORT = "02:10 the job stopped\n" * 3_000


@dataclass
class Model:
    """A server that answers, writes summaries, and notes the bodies that asked for an answer."""

    asked: list[str] = field(default_factory=list)
    summaries: int = 0

    def __call__(self, conversation: Conversation) -> None:
        body = conversation.request.body
        if SUMMARY in body:
            self.summaries += 1
            answers("Marie keeps the lamp of Ar-Men.")(conversation)
        else:
            self.asked.append(body.decode())
            answers("Yes.")(conversation)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def grove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Model) -> Iterator[Path]:
    """A grove that asks the server, with a talk of ten messages, the second one with a long file."""
    monkeypatch.setattr(registry, "PROVIDERS", dict(registry.PROVIDERS))
    path = tmp_path / "g.loom"
    with FakeServer(model) as server:
        with create_grove(path) as grove:
            ask_server(grove, server.url)
            pen = edit_context.EditContext(grove.owner.id, now(), new_id)
            tree = tree_edits.new_tree("dialogue", "Ar-Men", pen)
            grove.add_tree(tree, [grove.owner])
            tree = grove.load_tree(tree.loom.id)
            paper = Mixed((Text("The log."), AttachedDocument("log.txt", "text/plain", REPORT)))
            grove.commit(tree, node_edits.add_content(tree, tree.path.leaf_id, paper, pen))
            for number in range(9):
                grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, f"letter {number}", pen))
        yield path


def say(window: MainWindow, qtbot: QtBot, pointer: Pointer, text: str, model: Model) -> str:
    """Write a message, press Generate, and wait for the answer; the request that went out."""
    count, nodes = len(model.asked), len(window.document.tree.nodes)
    window.composer.set_count(1)
    pointer.click(window.composer.field)
    pointer.type_ascii(text)
    qtbot.waitUntil(lambda: window.composer.text == text)
    generate = find(window.composer, QPushButton, "generateButton")
    qtbot.waitUntil(generate.isEnabled)
    pointer.click(generate)
    qtbot.waitUntil(lambda: len(model.asked) > count)
    qtbot.waitUntil(
        lambda: len(window.document.tree.nodes) == nodes + 2 and not window.generator.is_streaming()
    )
    return model.asked[-1]


def choose_in_settings(window: MainWindow, qtbot: QtBot, pointer: Pointer, name: str, words: str) -> None:
    """Choose something in the tree's settings, and go back to the graph."""
    window.actions_set.by_name["treeSettings"].trigger()
    qtbot.waitUntil(lambda: window.settings_page.isVisible() and window.settings_page.is_whole)
    choice = find(window.settings_page, QComboBox, name)
    find(window.settings_page, QScrollArea, "treeSettingsArea").ensureWidgetVisible(choice)
    choice.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(choice.hasFocus)
    pointer.key(*["Down"] * (choice.findText(words) - choice.currentIndex()))
    qtbot.waitUntil(lambda: choice.currentText() == words)
    window.pages.show_graph()


def test_a_long_talk_is_carried_on_by_a_summary_that_is_read_and_mended_in_its_place(
    grove: Path, qtbot: QtBot, pointer: Pointer, model: Model
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(1_500, 1_000)
        window.actions_set.by_name["compactBranch"].trigger()
        qtbot.waitUntil(lambda: model.summaries == 1)
        rows = window.document.tree.context_summaries
        qtbot.waitUntil(lambda: len(rows) == 1)
        [row] = rows.values()
        qtbot.waitUntil(lambda: window.path_summaries.card_of(row.anchor_node_id) is not None)
        card = window.path_summaries.card_of(row.anchor_node_id)
        assert card is not None
        qtbot.waitUntil(lambda: card.isVisible() and window.preview.last is not None)

        pointer.click(card.head, QPoint(60, 12))
        qtbot.waitUntil(card.field.isVisible)
        assert card.field.text() == "Marie keeps the lamp of Ar-Men."
        pointer.click(card.field)
        pointer.key("ctrl+End")
        pointer.type_ascii(" Yann writes.")
        pointer.key("ctrl+Return")
        qtbot.waitUntil(lambda: any("Yann" in str(one.body["text"]) for one in rows.values()))
        sent = say(window, qtbot, pointer, "And then?", model)

        assert "Marie keeps the lamp of Ar-Men. Yann writes." in sent
        assert "letter 0" not in sent
        assert "letter 8" in sent
        try_other_summaries(window, qtbot, row)


def try_other_summaries(window: MainWindow, qtbot: QtBot, row: ContextSummary) -> None:
    """What if an earlier summary were in use, and a message left out that only the later one covers?"""
    document, trying = window.document, window.what_if
    early, later = document.path_ids[2:4]
    covers = covered_hash(document.path, 2)
    earlier = ContextSummary(early, covers, {"text": "Nothing yet."})
    document.commit(changes.make(document.tree, earlier, document.pen()))
    window.actions_set.by_name["whatIf"].trigger()
    qtbot.waitUntil(lambda: len(trying.outcomes) == 2)
    field = find(window.inspector, ChoiceField, "trialSummary")
    qtbot.waitUntil(lambda: field.isVisibleTo(window.inspector))
    assert [field.itemText(place).partition(": ")[2] for place in (0, 1)] == [
        "Marie keeps the lamp of Ar-Men.…",
        "Nothing yet.",
    ]
    assert (field.currentIndex(), used_in(window)) == (0, row.anchor_node_id)

    field.setCurrentIndex(1)
    field.activated.emit(1)
    assert (used_in(window), field.currentIndex()) == (early, 1)
    assert not find(window.inspector, QPushButton, "trial_makeSo").isEnabled(), "no setting says that"
    said = find(window.inspector, StrategyCard, "variantCard1").toolTip()
    assert f"summary up to {document.tree.nodes[early].local_id}" in said
    trying.choose(0)
    trying.put(without(trying.outcomes[0].inputs, [later]))

    assert len(trying.outcomes) == 3
    assert used_in(window) == early, "the later one covers what is left out"


def used_in(window: MainWindow) -> str | None:
    """The anchor of the summary in use in the variant that is looked at."""
    shown = window.what_if.shown
    assert shown is not None
    assert shown.assembled is not None
    summary = shown.assembled.report.economy.summary_used
    return None if summary is None else summary.anchor_node_id


@pytest.mark.slow
def test_a_paper_is_sent_shortened_says_so_on_its_message_and_goes_in_full_when_asked(
    grove: Path, qtbot: QtBot, pointer: Pointer, model: Model
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(1_500, 1_000)
        choose_in_settings(window, qtbot, pointer, "compression", "Shorten when full")
        assert "Result too large (64.5 KB" in say(window, qtbot, pointer, "Why did it stop?", model)
        window.dialogue.reveal(window.document.path_ids[1])
        qtbot.waitUntil(lambda: window.dialogue.findChild(ChipButton, "shortenedChip") is not None)
        chip = find(window.dialogue, ChipButton, "shortenedChip")
        window.dialogue.bring_into_view(chip)

        pointer.click(chip)
        qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), ShortenedPopover))
        popover = QApplication.activePopupWidget()
        assert popover is not None
        pointer.click(find(popover, QPushButton, "sendInFullButton"))
        qtbot.waitUntil(lambda: not chip.isVisible())

        assert "Result too large" not in say(window, qtbot, pointer, "Look again.", model)


@pytest.mark.slow
def test_a_project_is_sent_as_the_summaries_of_its_branches(
    grove: Path, qtbot: QtBot, pointer: Pointer, model: Model
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(1_500, 1_000)
        head = window.document.path_ids[6]
        window.document.place.set_current(head)
        window.actions_set.by_name["nameBranch"].trigger()
        qtbot.waitUntil(lambda: window.graph.findChild(BranchNameLine) is not None)
        pointer.type_ascii("Second hand")
        pointer.key("Return")
        qtbot.waitUntil(lambda: len(window.document.tree.branch_summaries) == 1)
        window.document.place.set_current(window.document.path_ids[-1])
        window.bring_inspector()
        window.inspector.show_summaries_tab()
        panel = window.inspector.summaries
        qtbot.waitUntil(lambda: len(panel.rows) == 2 and panel.rows[1].write_button.isVisible())

        pointer.click(panel.rows[1].write_button)
        qtbot.waitUntil(lambda: panel.edited_id == head)
        qtbot.waitUntil(find(panel, SummaryField, "branchSummary").hasFocus)
        pointer.type_ascii("He copies the others.")
        pointer.key("ctrl+Return")
        qtbot.waitUntil(lambda: not panel.edited_id)
        window.inspector_dock.setMinimumHeight(640)
        window.inspector.show_context()
        qtbot.waitUntil(lambda: window.inspector.findChild(StrategyCard, "summariesCard") is not None)
        card = find(window.inspector, StrategyCard, "summariesCard")
        qtbot.waitUntil(lambda: card.isVisible() and card.share.tokens is not None)
        pointer.click(card)
        qtbot.waitUntil(lambda: window.document.tree.loom.context_settings.economy.assembler == "summaries")

        sent = say(window, qtbot, pointer, "Which one?", model)
        assert "## Thread: Second hand (active)" in sent
        assert "He copies the others." in sent
        assert "letter 0" not in sent
