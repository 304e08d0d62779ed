"""Summaries of branches in the window: proposed by a model, missed while one writes, told in the outline.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.economy.branch_summaries import read_branch
from loomapp.core.edits import tree_edits
from loomapp.core.model.economy_settings import SUMMARIES, EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.ui.commands.save import save
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.form import SummaryField
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import show_active
from tests.kit.find import find
from tests.kit.servers.fake_server import Conversation
from tests.ui.commands.test_summaries import Model, model, window

__all__ = ["model", "window"]


@pytest.fixture
def branch(window: MainWindow, qtbot: QtBot) -> str:
    """A named branch at the fifth of eight messages, in a tree that sends the summaries of its branches."""
    document = window.document
    node_id = document.path_ids[5]
    save.name_branch(window.bench, node_id, "Tokens that expire")
    economy = EconomySettings(assembler=SUMMARIES)
    loom = replace(document.tree.loom, context_settings=ContextSettings(economy=economy))
    document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), loom))
    window.resize(1400, 1000)
    window.show()
    window.preview.refresh_now()
    return node_id


def strip(window: MainWindow) -> ErrorStrip:
    return find(window.text_pane, ErrorStrip, "branchStrip")


def summary_of(window: MainWindow, node_id: str) -> str:
    row = window.document.tree.branch_summaries.get(node_id)
    return "" if row is None else read_branch(row).summary


def test_under_a_head_without_a_summary_a_strip_has_it_proposed_in_the_field(
    window: MainWindow, qtbot: QtBot, model: Model, branch: str
) -> None:
    said = "“Tokens that expire” has no summary yet: what you write below won’t know of it."
    assert (strip(window).isVisible(), strip(window).text) == (True, said)
    bar = window.text_pane.context_bar
    assert bar.kept == "2 summaries + 4 of 8"
    assert "Branches sent by their summaries: 2" in bar.toolTip().splitlines()

    find(strip(window), QPushButton, "errorAction").click()

    panel = window.inspector.summaries
    qtbot.waitUntil(lambda: panel.edited_id == branch)
    field = find(panel, SummaryField, "branchSummary")
    qtbot.waitUntil(lambda: field.text() == "All so far.")
    assert model.asked == ["summary"]
    assert summary_of(window, branch) == ""
    field.save_pressed.emit()
    assert summary_of(window, branch) == "All so far."
    row = window.document.tree.branch_summaries[branch]
    kept = read_branch(row)
    assert (kept.origin, kept.model, kept.update_count) == ("generated", "scripted:answers", 1)
    tree_id = window.document.tree.loom.id
    assert window.document.grove.has_response(tree_id, row.response_id or "")
    assert not verify_grove(window.document.grove).failed
    window.preview.refresh_now()
    assert not strip(window).isVisible()


@pytest.mark.slow
def test_the_strip_is_put_away_for_its_head_only_and_stands_nowhere_else(
    window: MainWindow, qtbot: QtBot, branch: str
) -> None:
    find(strip(window), QToolButton, "errorClose").click()
    window.preview.refresh_now()
    assert not strip(window).isVisible()

    save.name_branch(window.bench, window.document.path_ids[7], "Mail")
    window.preview.refresh_now()

    assert strip(window).text.startswith("“Mail” has no summary yet")
    plain = replace(window.document.tree.loom, context_settings=ContextSettings())
    document = window.document
    document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), plain))
    window.preview.refresh_now()
    assert not strip(window).isVisible()


def test_a_proposal_is_asked_of_the_branch_alone_in_the_tab_and_is_stopped(
    window: MainWindow, qtbot: QtBot, model: Model, branch: str
) -> None:
    bodies: list[bytes] = []

    def script(conversation: Conversation) -> None:
        bodies.append(conversation.request.body)
        conversation.wait_until_left()

    model.summary = script
    window.bring_inspector()
    window.inspector.show_summaries_tab()
    window.inspector.summaries.refresh()
    row = next(row for row in window.inspector.summaries.rows if row.facts.node_id == branch)

    row.summarise_button.click()

    qtbot.waitUntil(lambda: bool(bodies))
    assert b"message 4" in bodies[0]
    assert b"message 3" not in bodies[0]
    document = window.document
    assert window.generator.summaries.under_way(document.tree.loom.id, document.path) is None
    find(window.text_pane.errors, QPushButton, "errorAction").click()
    qtbot.waitUntil(window.text_pane.errors.isHidden)
    assert summary_of(window, branch) == ""
    assert window.generator.summaries.failures(document.tree.loom.id, document.path) == ()


def test_a_proposal_that_comes_while_one_writes_elsewhere_waits_and_disturbs_nothing(
    window: MainWindow, qtbot: QtBot, model: Model, branch: str
) -> None:
    document, writings = window.document, window.bench.unfinished.writings
    find(strip(window), QPushButton, "errorAction").click()
    elsewhere = document.path_ids[2]
    document.place.set_current(elsewhere)
    window.composer.field.setFocus()
    window.composer.field.insertPlainText("I write here")

    qtbot.waitUntil(lambda: bool(writings.closed()))

    assert model.asked == ["summary"]
    assert (document.current_id, window.composer.text) == (elsewhere, "I write here")
    assert window.inspector.summaries.edited_id == ""
    assert summary_of(window, branch) == ""
    writings.reopen("summary", branch)
    find(window.inspector.summaries, SummaryField, "branchSummary").save_pressed.emit()
    kept = read_branch(document.tree.branch_summaries[branch])
    assert (kept.summary, kept.origin) == ("All so far.", "generated")


def test_a_proposal_takes_the_keyboard_from_no_field_that_is_for_something_else(
    window: MainWindow, qtbot: QtBot, model: Model, branch: str
) -> None:
    show_active(qtbot, window)
    find(strip(window), QPushButton, "errorAction").click()
    window.actions_set.by_name["searchGrove"].trigger()
    search = QApplication.focusWidget()
    assert isinstance(search, QLineEdit)

    qtbot.waitUntil(lambda: bool(window.generator.summaries.proposed))

    assert QApplication.focusWidget() is search
    assert [one.text for one in window.bench.unfinished.writings.closed()] == ["All so far."]


def test_a_proposal_leaves_the_words_that_were_written_in_its_field_meanwhile(
    window: MainWindow, qtbot: QtBot, branch: str
) -> None:
    panel = window.inspector.summaries
    find(strip(window), QPushButton, "errorAction").click()
    window.bring_inspector()
    window.inspector.show_summaries_tab()
    panel.refresh()
    panel.open(branch)
    field = find(panel, SummaryField, "branchSummary")
    field.insertPlainText("Mine.")

    qtbot.waitUntil(lambda: "All so far." in field.text())

    assert field.text() == "Mine.\n\nAll so far."


@pytest.mark.slow
def test_the_outline_has_the_titles_of_branches(window: MainWindow, qtbot: QtBot, branch: str) -> None:
    outline = window.side_parts.outline
    qtbot.waitUntil(lambda: outline.rows.outline is not None)
    node = window.document.tree.nodes[branch]

    assert outline.rows.branch_title(node) == "Tokens that expire"
    assert outline.rows.lacks_summary(node)
    other = window.document.tree.nodes[window.document.path_ids[4]]
    assert (outline.rows.branch_title(other), outline.rows.lacks_summary(other)) == ("", False)
    rows = [outline.rows.index(row, 0) for row in range(outline.rows.rowCount())]
    shown = [str(index.data()) for index in rows]
    assert "Tokens that expire" in shown
    assert "message 4" not in shown
    save.save_summary(window.bench, branch, "Fifteen minutes.")
    assert not outline.rows.lacks_summary(node)
