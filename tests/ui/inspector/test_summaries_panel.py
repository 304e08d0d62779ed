"""The tab Summaries: the chain, what it would send and what it saved; a summary is written in place.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QScrollArea, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.economy import branch_summaries, stats
from loomapp.core.economy.branch_summaries import name_branch, read_branch, update_summary
from loomapp.core.edits import node_edits
from loomapp.core.paths.resolve import resolve
from loomapp.ui.inspector.summaries.head_row import HeadFacts, HeadRow
from loomapp.ui.inspector.summaries.panel import SummariesFacts, SummariesPanel
from loomapp.ui.widgets.form import SummaryField
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import show_active
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import open_window


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A window on a chain of three heads, of which the last has no summary; its tab is shown."""
    rows = [("A small shop.", ""), ("Signing in.", "A small shop."), ("Tokens?", "Signing in.")]
    with open_window(written(tmp_path / "g.loom", *rows, title="My App"), qtbot) as opened:
        document = opened.document
        tree, (root, _, auth, last) = document.tree, document.path_ids
        document.commit(update_summary(tree, root, "One bakery, one server.", document.pen()))
        document.commit(name_branch(tree, auth, "Auth system", document.pen()))
        document.commit(update_summary(tree, auth, "By link.", document.pen()))
        document.commit(name_branch(tree, last, "Tokens that expire", document.pen()))
        opened.bring_inspector()
        opened.inspector.show_summaries_tab()
        qtbot.waitUntil(lambda: len(opened.inspector.summaries.rows) == 3)
        yield opened


def row(window: MainWindow, number: int) -> HeadRow:
    return window.inspector.summaries.rows[number]


def open_field(window: MainWindow, number: int) -> SummaryField:
    QTest.mouseClick(row(window, number), Qt.MouseButton.LeftButton)
    return find(window.inspector.summaries, SummaryField, "branchSummary")


def said(window: MainWindow, number: int) -> str | None:
    node_id = row(window, number).facts.node_id
    found = window.document.tree.branch_summaries.get(node_id)
    return None if found is None else read_branch(found).text


def test_the_tab_says_what_the_commands_print_and_copies_just_that(window: MainWindow, qtbot: QtBot) -> None:
    document, panel = window.document, find(window, SummariesPanel, "summariesPanel")
    path = resolve(document.tree, document.current_id)
    context = branch_summaries.context_text(document.tree, path)
    told = stats.to_text(stats.statistics_of(document.tree, path))

    assert [one.facts.title for one in panel.rows] == ["My App", "Auth system", "Tokens that expire"]
    assert [one.facts.said for one in panel.rows] == [
        "~7 tokens · updated once",
        "~3 tokens · updated once",
        "here",
    ]
    assert [one.facts.is_missing for one in panel.rows] == [False, False, True]
    for name, copy, expected in (
        ("chainText", "copyChainButton", context),
        ("statsText", "copyStatsButton", told),
    ):
        assert find(panel, QPlainTextEdit, name).toPlainText() == expected
        find(panel, QToolButton, copy).click()
        assert QGuiApplication.clipboard().text() == expected

    saved = find(panel, QLabel, "savedWords").text()
    assert saved == "About 9 tokens were written into summaries; the text sent from here has 24."
    shown = find(panel, QPlainTextEdit, "statsText")
    assert not shown.isVisible(), "a stranger reads the words of ThreadMind"
    find(panel, QPushButton, "statsButton").click()
    assert shown.isVisible()

    document.place.set_current(document.path_ids[2])

    qtbot.waitUntil(lambda: [one.facts.said for one in panel.rows][1:] == ["~3 tokens · updated once · here"])
    send = find(panel, QPushButton, "sendChainButton")
    assert send.isVisible()  # the tree sends its messages
    assert not find(panel, QLabel, "untrackedHint").isVisible()
    send.click()
    assert document.tree.loom.context_settings.economy.assembler == "summaries"
    qtbot.waitUntil(lambda: not send.isVisible())


def test_the_way_above_the_graph_names_the_branch_that_is_read(window: MainWindow) -> None:
    assert [crumb.words for crumb in window.crumbs.crumbs] == ["My App", "Auth system", "Tokens that expire"]

    for said_below in ("An hour.", "Why?"):
        change = node_edits.add_node(
            window.document.tree, window.document.current_id, said_below, window.document.pen()
        )
        window.document.commit(change)

    way = ["My App", "Tokens that expire", "An hour.", "Why?"]
    assert [crumb.words for crumb in window.crumbs.crumbs] == way


def test_the_two_halves_stand_side_by_side_where_there_is_room(qtbot: QtBot) -> None:
    panel = SummariesPanel()
    qtbot.addWidget(panel)
    panel.set_source(lambda: SummariesFacts((HeadFacts("a", "A", "", "Said."),), "", "text", "", "", "", ""))
    panel.resize(700, 500)
    show_active(qtbot, panel)
    text, area = find(panel, QPlainTextEdit, "chainText"), find(panel, QScrollArea, "summariesArea")
    qtbot.waitUntil(lambda: text.mapTo(panel, QPoint()).x() > area.geometry().right())

    panel.resize(500, 180)

    # one below the other they scroll as one: no row is cut through by what stands below it
    qtbot.waitUntil(lambda: area.isAncestorOf(text))
    [head] = panel.rows
    qtbot.waitUntil(lambda: text.mapTo(panel, QPoint()).y() > head.mapTo(panel, QPoint()).y())
    assert head.visibleRegion().boundingRect() == head.rect()


def test_without_a_summary_the_tab_says_that_the_messages_are_sent_and_offers_nothing_else(
    qtbot: QtBot,
) -> None:
    panel = SummariesPanel()
    qtbot.addWidget(panel)
    head = HeadFacts("a", "A", "here", "")
    facts = SummariesFacts((head,), "", "", "", "~0 tokens", "", "", is_sent=False, is_tracked=False)
    panel.set_source(lambda: facts)
    panel.resize(700, 500)
    show_active(qtbot, panel)

    words = "Not used: this tree sends the messages themselves."
    told = next(one for one in panel.findChildren(QLabel) if one.text() == words)
    qtbot.waitUntil(told.isVisible)
    assert not find(panel, QPushButton, "sendChainButton").isVisible()
    hint = find(panel, QLabel, "untrackedHint")
    assert (hint.isVisible(), "you write" in hint.text()) == (True, True), "not a word of tools alone"
    assert "below its message" in hint.text(), "where the one of “Summarise up to here” is found"


def test_a_summary_is_one_step_once_its_field_is_left_and_undone_as_one(
    window: MainWindow, qtbot: QtBot
) -> None:
    document = window.document
    row(window, 2).write_button.click()
    field = find(window.inspector.summaries, SummaryField, "branchSummary")

    QTest.keyClicks(field, "Fifteen minutes.")
    assert said(window, 2) is None  # never a keystroke
    window.text_pane.focus_text()
    qtbot.waitUntil(lambda: said(window, 2) == "Fifteen minutes.")

    counted = read_branch(document.tree.branch_summaries[row(window, 2).facts.node_id])
    assert (counted.update_count, counted.cumulative_length) == (1, 16)
    assert window.inspector.summaries.edited_id == ""
    text = find(window.inspector.summaries, QPlainTextEdit, "chainText")
    qtbot.waitUntil(lambda: "## Thread: Tokens that expire (active)" in text.toPlainText())
    window.actions_set.by_name["undo"].trigger()
    qtbot.waitUntil(lambda: said(window, 2) is None)
    qtbot.waitUntil(lambda: row(window, 2).facts.is_missing)


@pytest.mark.slow
def test_words_left_with_esc_wait_and_a_field_that_stays_open_is_kept_at_the_end(
    window: MainWindow, qtbot: QtBot
) -> None:
    field = open_field(window, 1)
    QTest.keyClicks(field, " Half a")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert said(window, 1) == "By link."
    assert window.inspector.summaries.edited_id == ""

    field = open_field(window, 1)

    assert field.text() == "By link. Half a"
    QTest.keyClicks(field, " word.")
    assert window.leaving.may_leave()
    assert said(window, 1) == "By link. Half a word."
