"""Chips of what is sent shortened: on messages, cards and rows, and the popover that says why.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import assemble
from loomapp.core.context.report import CompressedPart
from loomapp.core.context.request import ContextRequest
from loomapp.core.economy.compression import RowName, Why
from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.content import AttachedDocument, Mixed, Text
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands.inspector.shortened import ShortenedPopover
from loomapp.ui.widgets.chip import ChipButton
from loomapp.ui.widgets.words.amounts import facts_of, shortened_words
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.kit.trees import Hand, do
from tests.kit.windows import fit_all, unseen_window

REPORT = "line\n" * 12_000
CHIP = "stored 58.6 → 1.1 KB"


@pytest.fixture
def window(tmp_path: Path) -> Iterator[MainWindow]:
    """A window on a dialogue whose first message has a long file, in a tree that shortens."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        tree = tree_edits.new_tree("dialogue", "T", pen)
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        content = Mixed((Text("Here."), AttachedDocument("report.txt", "text/plain", REPORT)))
        grove.commit(tree, node_edits.add_content(tree, tree.path.leaf_id, content, pen))
        grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, "And?", pen))
        settings = ContextSettings(economy=EconomySettings(compression=True))
        loom = replace(tree.loom, context_settings=settings)
        change = tree_edits.change_loom(tree, "Tree settings", pen, loom)
        assert change is not None
        grove.commit(tree, change)
    with unseen_window(path) as window:
        window.preview.refresh_now()
        yield window


def long_id(window: MainWindow) -> str:
    return window.document.path_ids[1]


def chip(window: MainWindow) -> ChipButton:
    return find(window.dialogue, ChipButton, "shortenedChip")


def popover() -> ShortenedPopover:
    shown = QApplication.activePopupWidget()
    assert isinstance(shown, ShortenedPopover)
    return shown


@pytest.mark.desktop
def test_a_click_on_a_chip_says_why_and_what_is_sent_and_sends_in_full(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    show_active(qtbot, window)
    qtbot.waitUntil(lambda: chip(window).isVisible() and chip(window).text() == CHIP)

    pointer.click(chip(window))

    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    assert "report.txt is larger than 30 KB" in find(popover(), QLabel, "shortenedReason").text()
    shape = popover().mask()
    assert (shape.contains(QPoint(0, 0)), shape.contains(popover().rect().center())) == (False, True)
    pointer.click(find(popover(), QPushButton, "showSentButton"))
    text = find(popover(), QPlainTextEdit, "shortenedText")
    qtbot.waitUntil(text.isVisible)
    assert text.toPlainText().startswith("Here.")
    assert "[Result too large (58.6 KB" in text.toPlainText()
    pointer.click(find(popover(), QPushButton, "sendInFullButton"))
    qtbot.waitUntil(lambda: not chip(window).isVisible())
    assert window.document.tree.nodes[long_id(window)].metadata.extra["full"] is True


@pytest.mark.slow
@pytest.mark.desktop
def test_enter_opens_the_popover_and_esc_gives_the_keyboard_back_to_the_chip(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    show_active(qtbot, window)
    qtbot.waitUntil(lambda: chip(window).isVisible())
    chip(window).setFocus(Qt.FocusReason.TabFocusReason)

    pointer.key("Return")

    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    pointer.key("Escape")
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    qtbot.waitUntil(chip(window).hasFocus)


@pytest.mark.slow
@pytest.mark.desktop
def test_the_card_has_the_chip_on_its_edge(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    show_active(qtbot, window)
    fit_all(window, qtbot)
    qtbot.waitUntil(lambda: not window.graph.chip_rect(long_id(window)).isEmpty())
    place = window.graph.chip_rect(long_id(window))
    assert place.bottom() > window.graph.node_rect(long_id(window)).top() > place.top()

    pointer.click(window.graph.viewport(), QPoint(place.center().x(), place.top() + 3))

    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    assert window.document.current_id != long_id(window)
    popover().close()


def test_a_row_of_the_context_opens_the_popover_by_its_chip_and_by_its_menu(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.show()
    window.bring_inspector()
    window.inspector.show_context()
    rows = window.inspector.context.rows
    qtbot.waitUntil(lambda: not rows.chip_rect(long_id(window)).isEmpty())
    asked: list[tuple[str, QRect]] = []
    rows.shortened_asked.connect(lambda node_id, place: asked.append((node_id, place)))

    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.chip_rect(long_id(window)).center())

    assert [node_id for node_id, _ in asked] == [long_id(window)]
    popover().close()
    menu = rows.menu_of(rows.model().index(0, 0))
    assert [act.text() for act in menu.actions()][1:3] == ["Exclude", "Show what is sent"]
    menu.deleteLater()


SAID = [
    (
        "store",
        "size",
        "Only its beginning is sent",
        "report.txt is larger than 30 KB. Its first 200 of 12,000",
    ),
    ("truncate", "size", "Its middle is not sent", "report.txt is longer than 50,000 characters."),
    ("budget", "load", "Its middle is not sent", "The context window is 62 % full, so long parts get 30,000"),
    ("snip", "again", "A line is sent in its place", "window is 62 % full, and report.txt comes again"),
    ("snip", "older", "A line is sent in its place", "only the newest 3 are sent, and report.txt is older."),
    ("clear", "idle", "A line is sent in its place", "Nothing was asked for 7 minutes: of files and results"),
    ("budget", "carried", "Its middle is not sent", "report.txt was shortened for an earlier answer"),
]


def test_sizes_are_told_in_bytes_as_the_limit_is_and_few_long_lines_all_go_out() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "T", hand.pen())
    content = Mixed((AttachedDocument("news.txt", "text/plain", "灯\n" * 99 + "灯" * 12_000),))
    node = do(tree, node_edits.add_content(tree, tree.root_id, content, hand.pen())).added_nodes()[0]
    last = do(tree, node_edits.add_node(tree, node.id, "And?", hand.pen())).added_nodes()[0].id
    on = ContextSettings(economy=EconomySettings(compression=True))

    assembled = assemble(tree, ContextRequest(last, overrides=on))

    facts = facts_of(assembled, node)
    assert facts is not None
    assert "too large (35.5 KB, 100 lines)" in facts.text
    assert shortened_words(facts.shortened) == "stored 35.5 → 35.7 KB"
    assert facts.title == "All of it is sent, below a note"
    assert "larger than 30 KB, so a note on its size is sent above it" in facts.reason


@pytest.mark.parametrize(("row", "why", "title", "reason"), SAID)
def test_each_row_says_in_a_sentence_why(row: RowName, why: Why, title: str, reason: str) -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "T", hand.pen())
    content = Mixed((Text("Here."), AttachedDocument("report.txt", "text/plain", REPORT)))
    node = do(tree, node_edits.add_content(tree, tree.root_id, content, hand.pen())).added_nodes()[0]
    last = do(tree, node_edits.add_node(tree, node.id, "And?", hand.pen())).added_nodes()[0].id
    on = ContextSettings(economy=EconomySettings(compression=True))
    assembled = assemble(tree, ContextRequest(last, overrides=on))
    economy, load = assembled.report.economy, assembled.report.economy.load
    assert load is not None
    part = CompressedPart(node.id, 1, row, 60_000, 1_100, why, 60_000, 1_100)
    told = replace(economy, compressed=(part,), load=replace(load, utilization=0.62, idle=430.0))
    facts = facts_of(replace(assembled, report=replace(assembled.report, economy=told)), node)

    assert facts is not None
    assert facts.title == title
    assert reason in facts.reason
    assert facts_of(assembled, tree.nodes[last]) is None
    told = replace(told, load=replace(load, utilization=7.12))
    facts = facts_of(replace(assembled, report=replace(assembled.report, economy=told)), node)
    assert facts is not None
    assert "712" not in facts.reason
