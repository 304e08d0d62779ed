"""The history panel: every step of a real grove, where one is, points with names; mouse and keys.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.edits.undo import BEGINNING, Step
from loomapp.session import undo_history
from loomapp.session.document import Document
from loomapp.store.grove.open import create_grove
from loomapp.ui.inspector.history.list import GROUP_PX, LINE_X_PX
from loomapp.ui.inspector.history.panel import HistoryPanel
from loomapp.ui.inspector.history.steps import moment_words
from loomapp.ui.inspector.pane import HISTORY, InspectorPane
from loomapp.ui.look import theme
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find

ACCESSIBLE = Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def document(tmp_path: Path, qtbot: QtBot) -> Iterator[Document]:
    with create_grove(tmp_path / "g.loom") as grove:
        yield Document(grove)


@pytest.fixture
def panel(document: Document, qtbot: QtBot) -> HistoryPanel:
    """The panel on a document, wired as the window does it."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, "dark")
    panel = HistoryPanel()
    qtbot.addWidget(panel)
    panel.resize(640, 260)
    panel.go_asked.connect(lambda sequence: document.walk.go(sequence, lambda _: None))
    panel.name_asked.connect(document.history.name_point)
    panel.name_asked.connect(lambda *_: panel.show_history_of(document.history))
    document.tree_changed.connect(lambda _: panel.show_history_of(document.history))
    document.tree_opened.connect(lambda _: panel.show_history_of(document.history))
    show_active(qtbot, panel)
    panel.show_history_of(document.history)
    return panel


def write(document: Document, *texts: str) -> None:
    """Write messages one below the other."""
    for text in texts:
        document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))


def test_a_tip_says_how_many_steps_one_undo_takes_back(
    document: Document, panel: HistoryPanel, qtbot: QtBot
) -> None:
    def run(text: str) -> None:
        change = node_edits.add_node(document.tree, document.current_id, text, document.pen())
        document.commit(replace(change, action="run"))

    run("One")
    run("Two")
    wait_for(qtbot, panel, *["done"] * 3)
    whole = panel.list.table.undo_words(0)
    write(document, "Meanwhile")
    run("Three")
    wait_for(qtbot, panel, *["done"] * 5)

    table = panel.list.table
    assert whole == "One Undo takes back 2 steps that belong together."
    assert [table.undo_words(row) for row in range(5)] == [
        "One Undo takes back 1 of 3 steps that belong together: others wrote in between.",
        "",
        *["One Undo takes back 2 of 3 steps that belong together: others wrote in between."] * 2,
        "",
    ]
    tip = table.data(table.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    assert "takes back 1 of 3 steps" in str(tip)


def test_steps_of_a_run_stand_under_one_head_along_a_bar_of_its_colour(
    document: Document, panel: HistoryPanel, qtbot: QtBot
) -> None:
    write(document, "Question")
    for text, by in (("One", "Claude"), ("Two", "Marie"), ("Three", "Claude")):  # who asked Marie
        change = node_edits.add_node(document.tree, document.current_id, text, document.pen())
        document.commit(replace(change, action="run", by=by))
    write(document, "Meanwhile")
    wait_for(qtbot, panel, *["done"] * 6)
    panel.list.table.tint_of = lambda by: "state.error" if by == "Claude" else "text.muted"

    heads = [row.startswith("3 steps together · ") for row in spoken(panel)]
    assert heads == [False, True, *[False] * 4]
    picture = panel.list.viewport().grab().toImage()
    red, ratio = theme.colour("state.error"), picture.devicePixelRatio()
    bars = []
    for row in range(6):
        rect = panel.list.visualRect(panel.list.table.index(row))
        x, y = (LINE_X_PX + GROUP_PX + 1) * ratio, rect.center().y() * ratio
        bars.append(picture.pixelColor(round(x), round(y)).name() == red.name())
    assert bars == [False, True, True, True, False, False]


def wait_for(qtbot: QtBot, panel: HistoryPanel, *states: str) -> list[Step]:
    """Wait until the panel shows steps in these states; the steps."""
    qtbot.waitUntil(lambda: [s.state for s in panel.list.table.steps] == list(states))
    return panel.list.table.steps


def spoken(panel: HistoryPanel) -> list[str]:
    """What a screen reader says of each row, without the times."""
    table = panel.list.table
    rows = [str(table.index(row).data(ACCESSIBLE)).split(" · ") for row in range(table.rowCount())]
    return [" · ".join(part for part in row if ":" not in part) for row in rows]


def click(pointer: Pointer, panel: HistoryPanel, sequence: int) -> None:
    """Click the row of a step."""
    rect = panel.list.row_rect(sequence)
    assert not rect.isEmpty()
    pointer.click(panel.list.viewport(), rect.center())


def test_rows_say_what_who_and_what_became_of_it(
    document: Document, panel: HistoryPanel, qtbot: QtBot
) -> None:
    write(document, "one", "two", "three")
    document.history.undo(lambda _: None)
    write(document, "another", "last")
    document.history.undo(lambda _: None)

    wait_for(qtbot, panel, "undone", "done", "abandoned", "done", "done", "done")

    assert spoken(panel) == [
        "Write · You · undone · last",
        "Write · You · you are here · another",
        "Write · You · abandoned · three",
        "Write · You · two",
        "Write · You · one",
        "Beginning",
    ]
    assert panel.list.row_rect(BEGINNING).height() == 28
    assert find(panel, QLabel, "historyWhere").text() == "You are after “Write”; newer steps can be redone"


def test_a_click_goes_back_and_forth(
    document: Document, panel: HistoryPanel, qtbot: QtBot, pointer: Pointer
) -> None:
    write(document, "one", "two", "three")
    steps = wait_for(qtbot, panel, "done", "done", "done", "done")
    newest, first = steps[0].sequence, steps[2].sequence

    click(pointer, panel, first)
    wait_for(qtbot, panel, "undone", "undone", "done", "done")
    assert len(document.tree.nodes) == 2
    click(pointer, panel, newest)
    wait_for(qtbot, panel, "done", "done", "done", "done")
    assert len(document.tree.nodes) == 4
    click(pointer, panel, BEGINNING)
    wait_for(qtbot, panel, "undone", "undone", "undone", "done")
    assert len(document.tree.nodes) == 1


def test_keys_go_there_too(document: Document, panel: HistoryPanel, qtbot: QtBot, pointer: Pointer) -> None:
    write(document, "one", "two", "three")
    wait_for(qtbot, panel, "done", "done", "done", "done")
    find(panel, QPushButton, "namePointButton").setFocus()

    pointer.key("Tab", "Down", "Down", "Return")

    wait_for(qtbot, panel, "undone", "undone", "done", "done")
    assert len(document.tree.nodes) == 2


@pytest.mark.slow
def test_what_was_given_up_and_where_one_is_ask_to_go_nowhere(
    document: Document, panel: HistoryPanel, qtbot: QtBot, pointer: Pointer
) -> None:
    write(document, "one")
    document.history.undo(lambda _: None)
    write(document, "another")
    here, given_up, _ = wait_for(qtbot, panel, "done", "abandoned", "done")
    asked: list[int] = []
    panel.go_asked.connect(asked.append)

    click(pointer, panel, given_up.sequence)
    click(pointer, panel, here.sequence)

    assert asked == []


@pytest.mark.slow
def test_a_press_that_is_let_go_elsewhere_goes_nowhere(
    document: Document, panel: HistoryPanel, qtbot: QtBot, pointer: Pointer
) -> None:
    write(document, "one", "two", "three")
    _, second, first, _ = wait_for(qtbot, panel, "done", "done", "done", "done")
    asked: list[int] = []
    panel.go_asked.connect(asked.append)
    rows = panel.list.viewport()

    start, end = (panel.list.row_rect(step.sequence).center() for step in (second, first))
    pointer.drag((rows, start), (rows, end))

    assert asked == []


def test_a_point_is_named_in_place_and_the_name_goes_with_a_blank(
    document: Document, panel: HistoryPanel, qtbot: QtBot, pointer: Pointer
) -> None:
    write(document, "one", "two")
    wait_for(qtbot, panel, "done", "done", "done")
    field = find(panel, QLineEdit, "pointName")

    pointer.click(find(panel, QPushButton, "namePointButton"))
    qtbot.waitUntil(field.hasFocus)
    pointer.type_ascii("Before the storm")
    pointer.key("Return")
    qtbot.waitUntil(lambda: panel.list.table.steps[0].name == "Before the storm")
    assert not field.isVisible()
    assert spoken(panel)[0] == "Before the storm · Write · You · you are here · two"
    assert panel.list.hasFocus()
    assert document.history.steps().steps[0].name == "Before the storm"

    edit = QAction(panel, shortcut=QKeySequence("F2"))  # as the window has one for messages
    panel.addAction(edit)
    pointer.key("Home", "F2")
    qtbot.waitUntil(field.hasFocus)
    assert field.selectedText() == "Before the storm"
    pointer.key("BackSpace", "Return")
    qtbot.waitUntil(lambda: panel.list.table.steps[0].name is None)


def test_escape_leaves_the_name_as_it_was_and_is_not_heard_elsewhere(
    document: Document, panel: HistoryPanel, qtbot: QtBot, pointer: Pointer
) -> None:
    write(document, "one")
    wait_for(qtbot, panel, "done", "done")
    heard: list[bool] = []
    stop = QAction(panel, shortcut=QKeySequence("Escape"))
    stop.triggered.connect(heard.append)
    panel.addAction(stop)
    named: list[str] = []
    panel.name_asked.connect(lambda _, name: named.append(name))

    panel.begin_naming(BEGINNING)
    pointer.type_ascii("No")
    pointer.key("Escape")

    field = find(panel, QLineEdit, "pointName")
    qtbot.waitUntil(lambda: not field.isVisible())
    assert named == []
    assert heard == []


@pytest.mark.slow
def test_an_older_point_is_named_from_its_menu(
    document: Document, panel: HistoryPanel, qtbot: QtBot, pointer: Pointer
) -> None:
    write(document, "one", "two")
    _, first, _ = wait_for(qtbot, panel, "done", "done", "done")

    pointer.click(panel.list.viewport(), panel.list.row_rect(first.sequence).center(), button=3)
    qtbot.waitUntil(lambda: panel.list.findChild(QMenu, "historyMenu") is not None)
    pointer.key("Down", "Down", "Return")
    qtbot.waitUntil(find(panel, QLineEdit, "pointName").hasFocus)
    pointer.type_ascii("First draft")
    pointer.key("Return")

    qtbot.waitUntil(lambda: panel.list.table.steps[1].name == "First draft")


def test_where_nothing_can_be_saved_points_get_no_names(
    document: Document, panel: HistoryPanel, qtbot: QtBot
) -> None:
    write(document, "one")
    wait_for(qtbot, panel, "done", "done")

    panel.set_can_name(False)

    assert not find(panel, QPushButton, "namePointButton").isEnabled()
    (_, name, _, bring_back) = panel.list.menu_of(panel.list.table.index(0)).actions()
    assert not name.isEnabled()
    assert not bring_back.isEnabled()


@pytest.mark.slow
def test_a_long_history_is_read_as_it_is_scrolled_to_and_keeps_its_place(
    document: Document, panel: HistoryPanel, qtbot: QtBot
) -> None:
    write(document, *(f"message {number}" for number in range(450)))
    panel.show_history_of(document.history)
    table = panel.list.table
    qtbot.waitUntil(lambda: len(table.steps) == 200)

    panel.list.scrollToBottom()
    qtbot.waitUntil(lambda: len(table.steps) == 400)
    at = panel.list.indexAt(QPoint(60, 40)).row()
    seen = table.steps[at].sequence
    newest = table.present
    write(document, "one more")
    qtbot.waitUntil(lambda: table.present == newest + 1)

    assert len(table.steps) >= 400
    assert table.steps[panel.list.indexAt(QPoint(60, 40)).row()].sequence == seen
    panel.list.scrollToBottom()
    qtbot.waitUntil(lambda: table.steps[-1].sequence == BEGINNING)
    assert [step.sequence for step in table.steps] == [*range(newest + 1, newest - 450, -1), BEGINNING]


@pytest.mark.slow
def test_a_long_way_shows_how_far_it_went_and_a_button_that_stops_it(
    document: Document,
    panel: HistoryPanel,
    qtbot: QtBot,
    pointer: Pointer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(undo_history, "MOST_AT_ONCE", 1)  # a fast machine is there before anybody can click
    write(document, *(f"message {number}" for number in range(300)))
    walk = document.walk
    walk.progressed.connect(panel.show_progress)
    walk.ended.connect(panel.end_progress)
    panel.stop_asked.connect(walk.stop)
    where, stop = find(panel, QLabel, "historyWhere"), find(panel, QPushButton, "stopWalkButton")

    walk.start(BEGINNING, lambda _: None)
    assert where.text().endswith(" of 300 steps")
    pointer.click(stop)

    qtbot.waitUntil(stop.isHidden)
    assert 1 < len(document.tree.nodes) < 301
    assert find(panel, QPushButton, "namePointButton").isVisible()
    qtbot.waitUntil(lambda: where.text() == "You are after “Write”; newer steps can be redone")


def test_another_tree_has_another_history(document: Document, panel: HistoryPanel, qtbot: QtBot) -> None:
    write(document, "one", "two")
    wait_for(qtbot, panel, "done", "done", "done")

    document.new_tree("dialogue")

    wait_for(qtbot, panel, "done")
    assert spoken(panel) == ["Beginning · you are here"]


def test_in_the_inspector_it_is_the_last_tab_and_reads_nothing_unseen(
    document: Document, qtbot: QtBot, pointer: Pointer
) -> None:
    pane = InspectorPane()
    qtbot.addWidget(pane)
    pane.resize(720, 240)
    show_active(qtbot, pane)
    write(document, "one")

    pane.show_history_of(document.history)
    QApplication.processEvents()
    assert pane.history.list.table.steps == []
    pane.setFocus()
    pointer.key(*["Right"] * HISTORY)

    qtbot.waitUntil(lambda: len(pane.history.list.table.steps) == 2)


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2026-11-21 09:05", "09:05"),
        ("2026-11-03 12:03", "3 Nov, 12:03"),
        ("2025-11-21 09:05", "21 Nov 2025, 09:05"),
    ],
)
def test_times_are_as_short_as_they_can_be(moment: str, words: str) -> None:
    at, today = (datetime.fromisoformat(time).astimezone() for time in (moment, "2026-11-21 18:00"))

    assert moment_words(round(at.timestamp() * 1000), today) == words


def test_a_narrow_panel_names_the_step_before_all_else(
    document: Document, panel: HistoryPanel, qtbot: QtBot
) -> None:
    write(document, "One", "Two")
    document.history.undo(lambda _: None)
    wait_for(qtbot, panel, "undone", "done", "done")
    where = find(panel, QLabel, "historyWhere")

    panel.resize(320, 260)
    qtbot.waitUntil(lambda: panel.width() == 320)

    assert where.text().startswith("You are after “W")
    assert where.accessibleName() == "You are after “Write”; newer steps can be redone"
