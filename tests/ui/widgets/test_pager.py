"""A press on a pager or a chip counts, whatever becomes of it before the button is let go."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.ui.buffer.margin.margins import Margins
from loomapp.ui.buffer.margin.marks import MarginMarks, VersionChip
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import SiblingPager
from tests.kit.desktop import Pointer, show_active
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


def test_a_hovered_arrow_covers_nothing_of_the_number(qtbot: QtBot, pointer: Pointer) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, "light")
    pager = SiblingPager()
    qtbot.addWidget(pager)
    pager.show_place(2, 12)
    show_active(qtbot, pager)
    pointer.move(pager, QPoint(pager.width() // 2, pager.height() + 20))
    qtbot.waitUntil(lambda: not pager.after_button.underMouse())
    ink = theme.colour("accent.base").rgb()
    before = inked(pager, ink)
    assert before

    pointer.move(pager.after_button)

    qtbot.waitUntil(pager.after_button.underMouse)
    assert inked(pager, ink) == before


def inked(pager: SiblingPager, ink: int) -> set[tuple[int, int]]:
    """The places of a pager that have the pure colour of its number."""
    image = pager.grab().toImage()
    return {(x, y) for x in range(image.width()) for y in range(image.height()) if image.pixel(x, y) == ink}


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
