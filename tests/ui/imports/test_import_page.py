"""The import page: what a file holds is said first, what is chosen comes in, and it can be stopped.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLabel, QLineEdit, QProgressBar, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_marks
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands.trees import empty_tree, tree_files
from loomapp.ui.commands.trees.import_desk import SLICE, ImportDesk, desk_of
from loomapp.ui.imports.page import ImportPage
from loomapp.ui.imports.rows import ImportRow
from loomapp.ui.imports.tree_list import CHANGED, KNOWN, TITLE, ImportTable, ImportTrees
from loomapp.ui.window.main_window import MainWindow
from tests.kit.chatgpt_exports import (
    AT,
    boat,
    conversation,
    large_conversations,
    said,
    with_picture,
    write_export,
    write_json,
)
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.windows import open_window

LOST = {"id": "c3", "title": "Lost", "update_time": AT}


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    create_grove(tmp_path / "g.loom").close()
    with open_window(tmp_path / "g.loom", qtbot) as window:
        yield window


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return write_export(tmp_path / "export.zip", boat(), with_picture(), LOST)


def page_of(window: MainWindow) -> ImportPage:
    return find(window, ImportPage, "importPage")


def read(window: MainWindow, qtbot: QtBot, *paths: Path) -> ImportPage:
    tree_files.take_in(window.bench, list(paths))
    page = page_of(window)
    qtbot.waitUntil(lambda: not find(page, QPushButton, "importReadAs").isEnabled())
    return until_read(page, qtbot)


def until_read(page: ImportPage, qtbot: QtBot) -> ImportPage:
    qtbot.waitUntil(find(page, QPushButton, "importReadAs").isEnabled, timeout=30_000)
    return page


def take_in(window: MainWindow, qtbot: QtBot) -> None:
    page = page_of(window)
    find(page, QPushButton, "importButton").click()
    qtbot.waitUntil(lambda: bool(page.outcome.text or page.fault.text), timeout=60_000)


def titles(window: MainWindow) -> list[str]:
    return [row.title for row in window.document.trees.rows() if row.archived_at is None]


def click_box(window: MainWindow, qtbot: QtBot, place: int, *, shift: bool = False) -> None:
    trees = find(window, ImportTrees, "importTrees")
    rect = trees.visualRect(trees.table.index(place, TITLE))
    keys = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    at = QPoint(rect.left() + 12, rect.center().y())
    QTest.mouseClick(trees.viewport(), Qt.MouseButton.LeftButton, keys, at)


def test_a_page_says_what_a_file_holds_before_anything_is_written(
    window: MainWindow, export: Path, qtbot: QtBot
) -> None:
    page = read(window, qtbot, export)

    assert page.isVisible()
    assert "ChatGPT export in export.zip" in find(page, QWidget, "importFileTitle").accessibleName()
    assert page.file.said == (
        "Recognised by its content: a list of conversations with “mapping”.\nNothing is written yet."
    )
    assert page.totals == "3 conversations · 9 messages · 3 branches · Aug 2025"
    assert find(page, QCheckBox, "importAll").text() == "2 of 2 chosen"
    assert find(page, QPushButton, "importButton").text() == "Import 2 conversations"
    assert find(page, QPushButton, "importCancel").text() == "Cancel"
    assert find(page, QWidget, "importBecomes").accessibleName().splitlines()[1:] == [
        "Agents: gpt-4o, gpt-5, python, You",
        "Your custom instructions: each tree’s system context",
    ]
    assert find(page, QWidget, "importLosses").accessibleName().splitlines() == [
        "citations stay as text",
        "1 sound part is kept, not played",
        "1 conversation is damaged and is left out",
    ]
    assert len(window.document.trees.rows()) == 1
    assert len(colours_behind_current_row(find(page, ImportTrees, "importTrees"))) == 1


def colours_behind_current_row(trees: ImportTrees) -> set[int]:
    """The colours between the words of the row that keys go to, within its frame."""
    picture = trees.viewport().grab().toImage()
    row = trees.visualRect(trees.currentIndex().siblingAtColumn(CHANGED))
    return {picture.pixel(row.right() - 3, y) for y in range(row.top() + 3, row.bottom() - 2)}


def test_what_is_chosen_comes_in_and_nothing_else(window: MainWindow, export: Path, qtbot: QtBot) -> None:
    page = read(window, qtbot, export)
    place = next(i for i in range(3) if page.table.row_at(i).id == "c2")
    click_box(window, qtbot, place)
    assert find(page, QPushButton, "importButton").text() == "Import 1 conversation"

    take_in(window, qtbot)

    assert page.outcome.text == "1 tree added."
    assert "Naming the boat" in titles(window)
    assert "A picture" not in titles(window)
    assert find(page, QPushButton, "errorAct_open").isVisible()
    assert not find(page, QPushButton, "importButton").isEnabled(), "what is in is not chosen any more"
    assert find(page, QPushButton, "importCancel").text() == "Close", "what came in is not taken back by it"
    assert "Nothing is written" not in page.file.said
    assert "Loom Tree 1" in titles(window)
    find(page, QPushButton, "errorAct_open").click()
    qtbot.waitUntil(lambda: window.document.tree.loom.id == "c1")
    assert not page.isVisible()
    assert titles(window) == ["Naming the boat"], "the empty tree was only the way here"

    read(window, qtbot, export)
    assert page.isVisible()
    window.bench.views.tree_list.tree_chosen.emit("c1")
    assert not page.isVisible(), "a tree is wanted"


def test_a_title_has_the_room_that_what_to_know_leaves(qtbot: QtBot) -> None:
    trees = ImportTrees(ImportTable(table_parent := QWidget()), table_parent)
    qtbot.addWidget(table_parent)
    trees.resize(900, 300)
    header = trees.header()

    trees.table.add([ImportRow("1", "Five thousand words about the customs house")])
    assert header.sectionSize(TITLE) > 4 * header.sectionSize(KNOWN)
    trees.table.add([ImportRow("2", "Sums", losses=("12 images are kept as their names alone, " * 9,))])
    assert abs(header.sectionSize(TITLE) - header.sectionSize(KNOWN)) < 3


@pytest.mark.slow
def test_undo_puts_new_trees_away_and_takes_back_what_others_gained(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    read(window, qtbot, write_json(tmp_path / "1.json", boat()))
    take_in(window, qtbot)
    newer = boat()
    message = {"id": "n", **said("user", "Why?", at=AT + 50)}
    newer["mapping"]["n"] = {"id": "n", "parent": "a2", "message": message}
    page = read(window, qtbot, write_json(tmp_path / "2.json", newer, with_picture()))
    take_in(window, qtbot)
    assert page.outcome.text == "1 tree added, 1 tree gained what is new."
    before = titles(window)

    find(page, QPushButton, "errorAct_undo").click()

    assert "A picture" in before
    assert "A picture" not in titles(window)
    assert "n" not in window.document.grove.load_tree("c1").nodes
    assert "Naming the boat" in titles(window), "it was here before"

    read(window, qtbot, tmp_path / "2.json")
    find(page, QCheckBox, "importAll").click()
    take_in(window, qtbot)
    assert page.outcome.text == "1 tree gained what is new, 1 was here already. In the archive: 1."
    document = window.document
    document.open_tree("c1")
    document.commit(node_marks.exclude(document.tree, ("n",), document.pen()))
    find(page, QPushButton, "errorAct_undo").click()
    assert "n" in window.document.grove.load_tree("c1").nodes
    assert page.outcome.text == "1 tree was changed since, and stays as it is."


@pytest.mark.slow
def test_undo_of_what_the_shown_tree_gained_is_seen(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    read(window, qtbot, write_json(tmp_path / "1.json", boat()))
    take_in(window, qtbot)
    page = page_of(window)
    find(page, QPushButton, "errorAct_open").click()
    qtbot.waitUntil(lambda: window.document.tree.loom.id == "c1")
    newer = boat()
    message = {"id": "n", **said("user", "Why?", at=AT + 50)}
    newer["mapping"]["n"] = {"id": "n", "parent": "a2", "message": message}
    read(window, qtbot, write_json(tmp_path / "2.json", newer))
    take_in(window, qtbot)
    qtbot.waitUntil(lambda: "n" in window.document.tree.nodes)
    moved: list[object] = []
    window.document.tree_changed.connect(lambda change, _: moved.append(change))

    find(page, QPushButton, "errorAct_undo").click()

    assert "n" not in window.document.tree.nodes
    assert len(moved) == 1


@pytest.mark.slow
def test_the_same_file_again_offers_nothing(window: MainWindow, export: Path, qtbot: QtBot) -> None:
    read(window, qtbot, export)
    take_in(window, qtbot)

    page = read(window, qtbot, export)

    assert find(page, QCheckBox, "importAll").text() == "0 of 2 chosen"
    assert not find(page, QPushButton, "importButton").isEnabled()
    find(page, QCheckBox, "importAll").click()
    take_in(window, qtbot)
    assert page.outcome.text == "2 were here already."


@pytest.mark.slow
def test_choosing_by_the_links_the_filter_space_and_shift(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    plain = [
        conversation({"u": (None, said("user", "Hello", at=AT - n))}, id=f"p{n}", title=f"Plain {n}")
        for n in range(5)
    ]
    page = read(window, qtbot, write_json(tmp_path / "t.json", boat(), *plain))
    chosen = find(page, QCheckBox, "importAll")

    def ids() -> set[str]:
        return {row.id for row in page.table.chosen}

    find(page, QPushButton, "importWithBranches").click()
    assert ids() == {"c1"}
    find(page, QPushButton, "importNone").click()
    assert ids() == set()
    find(page, QPushButton, "importNew").click()
    assert len(ids()) == 6
    find(page, QPushButton, "importNone").click()
    click_box(window, qtbot, 1)
    click_box(window, qtbot, 4, shift=True)
    assert chosen.text() == "4 of 6 chosen"
    assert chosen.checkState() == Qt.CheckState.PartiallyChecked
    find(page, QLineEdit, "importFilter").setText("boat")
    trees = find(page, ImportTrees, "importTrees")
    assert page.table.rowCount() == 1
    find(page, QLineEdit, "importFilter").setText("boats")
    assert find(page, QLabel, "importNoneFound").isVisible()
    find(page, QLineEdit, "importFilter").setText("boat")
    assert not find(page, QLabel, "importNoneFound").isVisible()
    trees.setCurrentIndex(page.table.index(0, TITLE))
    QTest.keyClick(trees, Qt.Key.Key_Home)  # after a click alone Space is a word space
    before = "c1" in ids()
    QTest.keyClick(trees, Qt.Key.Key_Space)
    assert ("c1" in ids()) is not before
    assert len(ids()) in (3, 5), "those that are not shown stay as they are"


@pytest.mark.slow
def test_a_damaged_conversation_cannot_be_chosen(window: MainWindow, export: Path, qtbot: QtBot) -> None:
    page = read(window, qtbot, export)

    place = next(i for i in range(3) if page.table.row_at(i).id == "c3")
    click_box(window, qtbot, place)
    page.table.choose(lambda _: True)

    assert {row.id for row in page.table.chosen} == {"c1", "c2"}
    assert "damaged: no messages found" in page.table.index(place, 4).data()


@pytest.mark.slow
def test_an_import_that_is_stopped_keeps_what_is_done(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    many = list(large_conversations(3_000_000))
    page = read(window, qtbot, write_json(tmp_path / "t.json", *many))
    find(page, QPushButton, "importButton").click()
    stop = find(page, QPushButton, "importStop")
    qtbot.waitUntil(lambda: find(page, QLabel, "importCount").text()[:2] not in ("", "0 "), timeout=30_000)

    stop.click()

    done = len(window.document.trees.rows()) - 1
    assert 0 < done < len(many)
    assert "added" in page.outcome.text
    assert not stop.isVisible()
    desk = window.bench.parts.made(ImportDesk)
    assert desk is not None
    find(page, QPushButton, "importButton").click()
    qtbot.waitUntil(lambda: page.outcome.text.startswith(f"{len(many) - done} "), timeout=60_000)
    assert len(window.document.trees.rows()) == len(many) + 1


def test_what_comes_in_together_is_drawn_once(window: MainWindow, qtbot: QtBot) -> None:
    desk, drawn = desk_of(window.bench), list[int]()
    bar = find(desk.page, QProgressBar, "importBar")
    desk.page.file.show_format("text", "Plain text", "t.txt", "1 kB", "it is text")
    desk.page.begin_import(3 * SLICE)
    bar.valueChanged.connect(drawn.append)
    added = {"event": "added", "treeId": "t", "title": "A tree", "outcome": "new"}

    desk.on_printed([json.dumps(added)] * SLICE)
    desk.on_printed([json.dumps(added)] * 2 * SLICE)

    qtbot.waitUntil(lambda: bar.value() == 3 * SLICE)
    assert drawn == [SLICE, 2 * SLICE, 3 * SLICE]
    assert desk.page.file.said == "Recognised by its content: it is text."


@pytest.mark.slow
def test_a_file_that_cannot_be_read_says_why_on_the_page(
    window: MainWindow, export: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    cut = tmp_path / "cut.json"
    cut.write_text(write_json(tmp_path / "whole.json", boat(), with_picture()).read_text()[:-300])

    page = read(window, qtbot, cut)

    assert "the file ends in the middle" in page.file.said
    assert not find(page, ImportTrees, "importTrees").isVisible()
    assert not find(page, QPushButton, "importButton").isEnabled()


@pytest.mark.slow
def test_a_file_can_be_read_as_another_format(window: MainWindow, export: Path, qtbot: QtBot) -> None:
    page = read(window, qtbot, export)

    page.format_asked.emit("loom-json")
    until_read(page, qtbot)

    assert "UTF-8" in page.file.said
    page.format_asked.emit("chatgpt")
    qtbot.waitUntil(lambda: page.table.rowCount() == 3, timeout=30_000)


def test_escape_closes_the_page_and_ends_the_reading(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    file = write_json(tmp_path / "t.json", *large_conversations(3_000_000))
    window.composer.field.setFocus()
    tree_files.take_in(window.bench, [file])
    page = page_of(window)

    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert window.composer.field.hasFocus()

    assert not page.isVisible()
    assert window.pages.is_showing_graph
    assert desk_of(window.bench)._command is None


@pytest.mark.slow
def test_a_report_has_a_line_for_each_conversation(window: MainWindow, export: Path, qtbot: QtBot) -> None:
    page = read(window, qtbot, export)

    find(page, QPushButton, "importReportLink").click()

    text = page._report._field.toPlainText()
    assert len(text.splitlines()) == 3
    assert "Lost, 24 Aug 2025, damaged: no messages found" in text
    find(page, QPushButton, "importReportLink").click()
    assert find(page, ImportTrees, "importTrees").isVisible()


@pytest.mark.slow
def test_files_and_folders_that_are_dropped_open_the_page_and_loom_json_comes_in_at_once(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    write_json(folder / "conversations.json", boat())

    empty_tree.take_files(window.bench, [folder])

    page = until_read(page_of(window), qtbot)
    qtbot.waitUntil(lambda: page.table.rowCount() == 1, timeout=30_000)
    assert page.table.row_at(0).id == "c1"


def test_the_file_dialog_offers_what_the_registry_reads(window: MainWindow) -> None:
    window.actions_set.by_name["importTree"].trigger()

    [dialog] = window.findChildren(QFileDialog)
    assert dialog.nameFilters()[0].startswith("Trees and conversations (*.loom.json *.json ")
    assert {"*.tapestry", "*.docx", "*.png", "*.txt)"} < set(dialog.nameFilters()[0].split())
    dialog.reject()


@pytest.mark.slow
def test_words_typed_after_a_click_on_a_row_go_into_the_composer_and_choose_nothing(
    window: MainWindow, export: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    page = read(window, qtbot, export)
    before = page.table.chosen
    pointer.click(page.trees.viewport(), page.trees.visualRect(page.table.index(0, 0)).center())

    pointer.type_ascii(" few words")

    qtbot.waitUntil(lambda: window.composer.text == " few words")
    assert page.table.chosen == before
