"""A press on a pager or a chip counts, whatever becomes of it before the button is let go."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.ui.buffer.margin.margins import Margins
from loomapp.ui.buffer.margin.marks import MarginMarks
from loomapp.ui.buffer.margin.version_chip import VersionChip
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.widgets.pager import SiblingPager
from tests.kit.find import find

LEFT = Qt.MouseButton.LeftButton


def test_a_press_counts_though_another_number_moves_the_arrow_away(qtbot: QtBot) -> None:
    pager = SiblingPager()
    qtbot.addWidget(pager)
    pager.show_place(2, 3)
    pager.show()
    turned: list[int] = []
    pager.turned.connect(turned.append)

    arrow = pager.after_button
    pointed_at = arrow.mapTo(pager, arrow.rect().center())
    QTest.mousePress(arrow, LEFT)
    pager.show_place(2, 3_000_000)
    QTest.mouseRelease(arrow, LEFT, pos=arrow.mapFrom(pager, pointed_at))

    assert turned == [1]


def test_a_press_in_the_margin_counts_though_another_passage_takes_the_place(qtbot: QtBot) -> None:
    editor = BufferEditor()
    qtbot.addWidget(editor)
    margins = Margins(editor)
    editor.resize(900, 400)
    editor.show_text("A lamp.")
    editor.show()
    tint = QColor("red")
    marks = [MarginMarks("a", 0, 7, tint, number=1, count=2, version=1, versions=2)]
    margins.look = lambda: tuple(marks)
    margins.place()
    turned: list[tuple[str, int]] = []
    asked: list[str] = []
    margins.sibling_turned.connect(lambda key, step: turned.append((key, step)))
    margins.versions_asked.connect(asked.append)
    arrow = find(editor, SiblingPager, "siblingPager").after_button
    chip = find(editor, VersionChip, "versionChip")

    for pressed in (arrow, chip):
        QTest.mousePress(pressed, LEFT)
    marks[:] = [MarginMarks("b", 0, 7, tint, number=1, count=2, version=1, versions=2)]
    margins.place()

    assert turned == [("a", 1)]
    assert asked == ["a"]
