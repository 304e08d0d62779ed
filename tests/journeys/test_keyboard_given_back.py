"""Whoever leaves a search, a page or a list goes on writing where he wrote; no bare letter asks a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.ui.agents.picker import AgentPicker
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import open_window

Leave = Callable[[MainWindow, QtBot, Pointer], None]


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question with two answers, in a window whose graph was never entered."""
    path = written(
        tmp_path / "g.loom",
        ("Name a bird.", ""),
        ("Wren.", "Name a bird."),
        ("Lark.", "Name a bird."),
    )
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        yield window


def trigger(name: str) -> Leave:
    def come(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
        field = window.composer.field
        window.actions_set.by_name[name].trigger()
        qtbot.waitUntil(lambda: not field.hasFocus())

    return come


def pick_agents(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    pointer.click(find(window, AgentPicker, "agentPicker"))
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)


COME = {
    "searchGrove": trigger("searchGrove"),
    "findInPath": trigger("findInPath"),
    "commandPaletteAction": trigger("commandPaletteAction"),
    "restoreBackup": trigger("restoreBackup"),
    "settings": trigger("settings"),
    "treeSettings": trigger("treeSettings"),
    "agents": trigger("agents"),
    "endpoints": trigger("endpoints"),
    "usage": trigger("usage"),
    "nameBranch": trigger("nameBranch"),
    "otherPrograms": trigger("otherPrograms"),
    "agentPicker": pick_agents,
}


@pytest.mark.parametrize("names", one_in(2, [[*COME][:5], [*COME][5:]]))
def test_what_is_typed_after_esc_goes_on_in_the_composer(
    names: list[str], window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    nodes = set(window.document.tree.nodes)
    for name in names:
        window.composer.field.clear()
        pointer.click(window.composer.field)
        pointer.type_ascii("fresh ")
        qtbot.waitUntil(lambda: window.composer.text == "fresh ")

        COME[name](window, qtbot, pointer)
        pointer.key("Escape")
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
        pointer.type_ascii("gas bison")

        qtbot.waitUntil(lambda: window.composer.text == "fresh gas bison")
    assert set(window.document.tree.nodes) == nodes
    assert not window.generator.is_streaming()
    assert not any(node.metadata.bookmarked for node in window.document.tree.nodes.values())
