"""The layout that wraps as words do: its widgets stay its own, whatever other layouts lose."""

from __future__ import annotations

from pathlib import Path

import shiboken6
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.ui.widgets.layouts import Flow, ScrolledColumn, vertical
from loomapp.ui.widgets.page import Page
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.kit.refused_groves import sample
from tests.kit.windows import open_window


def test_a_flow_keeps_its_widgets_when_a_layout_goes_that_was_there_before(qtbot: QtBot) -> None:
    for _ in range(20):
        before, page = QWidget(), QWidget()
        qtbot.addWidget(page)
        row, flow = QHBoxLayout(before), Flow(page)
        buttons = [QPushButton(before) for _ in range(8)]
        for button in buttons:
            row.addWidget(button)
        seen = [row.itemAt(index) for index in range(row.count())]
        for button in buttons:
            shiboken6.delete(button)  # Qt gives the memory of its item to the next
        for _ in range(8):
            flow.addWidget(QPushButton(page))
        assert len(seen) == 8
        shiboken6.delete(before)
        assert flow.minimumSize().width() > 0
        assert all(shiboken6.isValid(flow.itemAt(index)) for index in range(flow.count()))


def test_a_flow_gives_up_widgets_that_are_deleted_or_taken_elsewhere(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    flow = Flow(page)
    buttons = [QPushButton(page) for _ in range(4)]
    for button in buttons:
        flow.addWidget(button)

    shiboken6.delete(buttons[0])
    buttons[1].setParent(None)
    flow.removeWidget(buttons[2])

    assert [flow.itemAt(index).widget() for index in range(flow.count())] == [buttons[3]]  # type: ignore[union-attr]
    shiboken6.delete(buttons[1])


def test_what_stands_beside_a_high_field_stands_at_its_first_line(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    flow = Flow(page)
    field, sign = QWidget(page), QPushButton(page)
    field.setFixedSize(100, 300)
    sign.setFixedSize(40, 20)
    flow.addWidget(field)
    flow.addWidget(sign)

    flow.setGeometry(QRect(0, 0, 400, 300))

    assert (field.y(), sign.y()) == (0, 6)


def test_a_new_buffer_begins_while_a_button_has_the_keyboard(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(sample(tmp_path / "g.loom"), qtbot) as window:
        window.composer.field.setFocus()
        pointer.key("Tab")
        assert find(window, QToolButton, "attachButton").hasFocus()

        pointer.key("Ctrl+Shift+B")
        qtbot.waitUntil(lambda: window.document.tree.loom.mode == "buffer")
        qtbot.wait(300)

        flows = [layout for layout in window.findChildren(Flow) if layout.count()]
        assert flows
        assert all(shiboken6.isValid(f.itemAt(index)) for f in flows for index in range(f.count()))


def test_titles_and_crosses_of_all_pages_stand_in_one_place(qtbot: QtBot) -> None:
    ground, title = QWidget(), QLabel("Title")
    qtbot.addWidget(ground)
    still, other = Page("still", "Still", ground), Page("other", "Other", ground)
    scrolls = ScrolledColumn(680, "scrolls", other)
    column = vertical(still)
    column.addLayout(still.head(title, "cross"))
    still.frame(column, below_px=0)
    vertical(other).addWidget(scrolls)
    scrolls.add_head(other.head(QLabel("Other"), "cross"))
    crosses = [find(page, QToolButton, "cross") for page in (still, other)]
    show_active(qtbot, ground)

    for width, content_px in ((440, 100), (650, 100), (900, 100), (900, 900)):  # the last is scrolled
        scrolls.column.setMinimumHeight(content_px)
        for page in (still, other):
            page.resize(width, 300)
        column.activate()

        qtbot.waitUntil(lambda: title.x() == scrolls.column.x() > 0)
        qtbot.waitUntil(lambda: crosses[0].pos() == crosses[1].mapTo(other, QPoint()))
