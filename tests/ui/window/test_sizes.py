"""Sizes: a window fits its screen, and nothing in it is painted over when there is little room."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QLabel, QMainWindow, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.ui.buffer.margin.version_list import VersionList, VersionRow
from loomapp.ui.graph.crumbs import ZoomBar
from loomapp.ui.inspector.context.summary import ContextSummaryBox
from loomapp.ui.look.layout_memory import restore_layout
from loomapp.ui.widgets.form import LongText
from loomapp.ui.widgets.rows import exact_field
from tests.kit.find import find
from tests.kit.refused_groves import sample
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return sample(tmp_path / "g.loom")


def test_a_window_of_which_nothing_can_be_restored_is_no_larger_than_the_screen(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    room = window.screen().availableGeometry()
    window.resize(room.width() * 2, room.height() * 2)

    restore_layout(window, b"", b"")

    assert window.width() <= room.width()
    assert window.height() < room.height()


def test_in_the_narrow_column_of_the_budget_no_line_is_painted_over_another(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(1440, 900)
        window.inspector_dock.show()
        window.inspector.show_context()
        summary = window.inspector.context.findChild(ContextSummaryBox)
        assert summary is not None
        qtbot.waitUntil(lambda: summary.isVisible() and window.width() == 1440)
        qtbot.waitUntil(lambda: summary.maximumWidth() == summary.width())

        seen = [label for label in summary.findChildren(QLabel) if label.isVisible() and label.text()]
        window.preview.refresh_now()
        rects = [
            (label.text(), label.rect().translated(label.mapTo(summary, label.rect().topLeft())))
            for label in seen
        ]

        assert summary.height() >= summary.heightForWidth(summary.width())
        overlaps = [(a, b) for i, (a, r) in enumerate(rects) for b, s in rects[i + 1 :] if r.intersects(s)]
        assert overlaps == []


def test_a_narrow_column_is_as_high_as_its_lines_before_it_is_shown(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.preview.refresh_now()
        assert window.preview.last is not None
        context = window.preview.last
    summary = ContextSummaryBox()
    qtbot.addWidget(summary)
    summary.resize(640, 300)
    summary.show_context(context, {})

    summary.set_narrow(232)

    assert summary.minimumHeight() == summary.heightForWidth(232)
    assert summary.minimumHeight() > summary.heightForWidth(640)


def test_a_hash_with_no_room_ends_in_dots_and_is_copied_whole(qtbot: QtBot) -> None:
    value = "0123456789abcdef" * 4
    page = QWidget()
    qtbot.addWidget(page)
    field = exact_field(value, "Hash")
    field.setParent(page)
    field.resize(160, 18)
    page.show()
    page.setFocus()
    cut, metrics = page.grab(field.geometry()).toImage(), field.fontMetrics()
    told = metrics.elidedText(value, Qt.TextElideMode.ElideRight, 160).removesuffix("…")
    last = range(metrics.horizontalAdvance(told) + 1, 160)

    high = [cut.pixel(x, y) for x in last for y in range(2, cut.height() // 2)]

    assert len(set(high)) == 1, "dots stand low"
    field.selectAll()
    assert field.selectedText() == value


@pytest.mark.parametrize(
    ("zoom", "said"), [(1.0, "100 %"), (0.25, "25 %"), (0.0042, "0.4 %"), (0.0003, "< 0.1 %")]
)
def test_a_zoom_is_never_said_to_be_nothing(qtbot: QtBot, zoom: float, said: str) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    bar = ZoomBar(parent)

    bar.show_zoom(zoom)

    assert find(bar, QToolButton, "graphZoomPercent").text() == said


def test_long_keys_in_the_head_of_the_versions_leave_its_title_alone(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    versions = VersionList(page)
    versions.open("n", (VersionRow("n", None, "You", "12:03", ()),), 0)
    title = QRect(0, 0, 80, 24)
    alone = versions.grab(title).toImage()

    versions.show_keys("Ctrl+Alt+Shift+PgDown", "Ctrl+Alt+Shift+PgUp")

    assert versions.grab(title).toImage() == alone


def test_a_hint_of_two_lines_is_whole_in_both(qtbot: QtBot) -> None:
    field = LongText()
    qtbot.addWidget(field)
    field.resize(340, field.height())
    field.setPlaceholderText("mmmm mmmm " * 5)
    field.show()
    field.clearFocus()
    picture = field.viewport().grab().toImage()
    ground = picture.pixel(12, picture.height() - 4)

    inked = [
        any(picture.pixel(x, y) != ground for x in range(12, picture.width() - 24))
        for y in range(4, picture.height() - 4)
    ]

    heights = [len(list(run)) for has_ink, run in groupby(inked) if has_ink]
    assert len(heights) == 2
    assert heights[0] == heights[1]
