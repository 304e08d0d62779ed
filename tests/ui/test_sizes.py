"""Sizes: a window fits its screen, and nothing in it is painted over when there is little room."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QMainWindow
from pytestqt.qtbot import QtBot

from loomapp.ui.inspector.context_summary import ContextSummary
from loomapp.ui.window.layout_memory import restore_layout
from tests.journeys.windows import open_window
from tests.ui.opening import sample


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
        summary = window.inspector.context.findChild(ContextSummary)
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
    summary = ContextSummary()
    qtbot.addWidget(summary)
    summary.resize(640, 300)
    summary.show_context(context, {})

    summary.set_narrow(232)

    assert summary.minimumHeight() == summary.heightForWidth(232)
    assert summary.minimumHeight() > summary.heightForWidth(640)
