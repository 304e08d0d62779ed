"""Building the window: once for each part, and what is not seen yet is made when it is.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window, unseen_window

MANY = 40  # parts inside of one; each is styled again where it moves


class Moves(QObject):
    """Notes what moves into something else with much inside."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.found: list[tuple[str, int]] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ParentChange and isinstance(watched, QWidget):
            inside = len(watched.findChildren(QWidget))
            if inside >= MANY:
                self.found.append((watched.objectName() or type(watched).__name__, inside))
        return False


def test_no_part_moves_once_it_is_filled(tmp_path: Path, qapp: QApplication) -> None:
    new_tree(tmp_path / "g.loom")
    moves = Moves(qapp)
    qapp.installEventFilter(moves)

    with unseen_window(tmp_path / "g.loom"):
        qapp.removeEventFilter(moves)

    assert moves.found == []


@pytest.mark.slow
@pytest.mark.desktop
def test_the_preview_beside_the_tree_settings_is_made_when_they_are_shown(
    tmp_path: Path, qtbot: QtBot
) -> None:
    new_tree(tmp_path / "g.loom", text="First.")
    with open_window(tmp_path / "g.loom", qtbot) as window:
        assert window.findChild(QWidget, "settingsPreview") is None

        window.actions_set.by_name["treeSettings"].trigger()

        assert window.findChild(QWidget, "settingsPreview") is None, "the settings have a turn of their own"
        qtbot.waitUntil(lambda: window.findChild(QWidget, "settingsPreview") is not None)
        preview = window.text_pane.settings_preview
        qtbot.waitUntil(preview.isVisible)
        qtbot.waitUntil(lambda: preview.rows.model().rowCount() > 0)


@pytest.mark.slow
def test_a_tab_of_the_models_is_made_when_it_is_shown(tmp_path: Path, qtbot: QtBot) -> None:
    new_tree(tmp_path / "g.loom", text="First.")
    with open_window(tmp_path / "g.loom", qtbot) as window:
        for action in ("agents", "usage", "endpoints"):
            name = f"{action}Page"
            assert window.findChild(QWidget, name) is None

            window.actions_set.by_name[action].trigger()

            page = window.findChild(QWidget, name)
            assert page is not None
            assert page.isVisible()


def test_parts_that_many_sessions_never_show_are_made_when_they_are_wanted(
    tmp_path: Path, qtbot: QtBot
) -> None:
    new_tree(tmp_path / "g.loom", text="First.")
    with open_window(tmp_path / "g.loom", qtbot) as window:
        wanted: dict[str, Callable[[], object]] = {
            "treeSystemContext": window.pages.show_settings,
            "trialSystem": window.actions_set.by_name["whatIf"].trigger,
            "provenancePanel": lambda: window.inspector.show_tab("provenancePanel"),
            "historyWhere": window.inspector.show_history_tab,
            "nodeText": window.inspector.show_node_tab,
            "errorText": partial(window.banner.show_notice, "A notice."),
            "progressBar": partial(window.banner.begin_work, "Some work"),
        }
        for raw in ("rawTabs", "contextErrorFigures"):
            assert window.findChild(QWidget, raw) is None
        for name, show in wanted.items():
            assert window.findChild(QWidget, name) is None

            show()

            part = window.findChild(QWidget, name)
            assert part is not None
            qtbot.waitUntil(part.isVisible)
