"""Tab goes through the window as it is read, and Esc leaves whatever came up over it.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits.node_marks import put_tag
from loomapp.ui.commands import tags as tagging
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.refused_groves import sample
from tests.kit.windows import open_window

LONG_S = 20.0
PANES = ("header", "sideBarParts", "graphView", "inspectorPane", "textPane")


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with open_window(sample(tmp_path / "g.loom"), qtbot) as window:
        window.resize(1440, 900)
        qtbot.waitUntil(lambda: (window.width(), window.height()) == (1440, 900))
        window.graph.set_reduced_motion(True)
        yield window


def pane_of(window: MainWindow, widget: QWidget) -> str:
    return next(
        name for name in PANES if (p := find(window, QWidget, name)) is widget or p.isAncestorOf(widget)
    )


def test_tab_goes_through_the_panes_one_after_the_other_and_skips_nothing(window: MainWindow) -> None:
    stops = window.tab_order.stops()

    assert [name for name, _ in groupby(pane_of(window, stop) for stop in stops)] == list(PANES)
    names = [stop.objectName() for stop in stops]
    assert len(stops) == len(set(stops))
    assert (
        names[:3] == ["visitBackButton", "newDialogueButton", "paletteField"]
        or names[0] == "newDialogueButton"
    )
    assert names.index("treeRows") < names.index("outlineView") < names.index("bookmarkList")
    assert names.index("dialogueView") < names.index("composer") < names.index("generateButton")


@pytest.mark.slow
def test_the_keys_go_that_way_and_back(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.header.agents.setFocus()
    stops = window.tab_order.stops()
    here = stops.index(window.header.agents)

    for step in (1, 2, 3, 4):
        pointer.key("Tab")
        qtbot.waitUntil(stops[here + step].hasFocus)
    pointer.key("shift+Tab")
    qtbot.waitUntil(stops[here + 3].hasFocus)


def popover(window: MainWindow) -> QWidget | None:
    return QApplication.activePopupWidget()


def tag_menu(window: MainWindow) -> None:
    document = window.document
    document.commit(put_tag(document.tree, [document.current_id], "voice", document.pen()))
    tagging.open_menu(window.bench, "voice")


def action(name: str) -> Callable[[MainWindow], None]:
    return lambda window: window.actions_set.by_name[name].trigger()


OVER: dict[str, tuple[Callable[[MainWindow], None], Callable[[MainWindow], bool]]] = {
    "palette": (action("commandPaletteAction"), lambda w: w.palette_box.isVisible()),
    "asking for a tag": (action("tag"), lambda w: w.palette_box.isVisible()),
    "find in path": (action("findInPath"), lambda w: find(w, QWidget, "findBar").isVisible()),
    "note": (action("annotate"), lambda w: w.text_pane.note_box.isVisible()),
    "editor": (action("edit"), lambda w: bool(w.dialogue.findChildren(QWidget, "messageEditor"))),
    "agents": (lambda w: w.header.agents.on_clicked(), lambda w: popover(w) is not None),
    "menu of a tag": (tag_menu, lambda w: popover(w) is not None),
    "menu of a card": (
        lambda w: w.graph.menu_asked.emit(w.document.current_id, w.mapToGlobal(w.rect().center())),
        lambda w: popover(w) is not None,
    ),
    "tree settings": (action("treeSettings"), lambda w: w.pages.is_showing_settings),
    "settings": (action("settings"), lambda w: w.pages.currentWidget() is not w.graph),
    "agents page": (action("agents"), lambda w: w.pages.currentWidget() is not w.graph),
    "keys": (action("showKeys"), lambda w: w.pages.currentWidget() is not w.graph),
    "log": (action("showLog"), lambda w: w.pages.currentWidget() is not w.graph),
    "backups": (action("restoreBackup"), lambda w: w.pages.currentWidget() is not w.graph),
}


def test_escape_leaves_whatever_came_up(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    stuck = []
    for name, (come, is_there) in OVER.items():
        window.graph.setFocus()
        come(window)
        qtbot.waitUntil(partial(is_there, window))
        pointer.key("Escape")
        end = time.monotonic() + LONG_S
        while is_there(window) and time.monotonic() < end:
            qtbot.wait(10)
        if is_there(window):
            stuck.append(name)
            break

    assert not stuck


def test_the_keyboard_of_a_notice_that_goes_falls_to_the_text_and_no_card_or_button(
    window: MainWindow, qtbot: QtBot
) -> None:
    strip, field = window.text_pane.closed_texts, window.text_pane.composer.field
    attach = find(window.text_pane.composer, QAbstractButton, "attachButton")
    for following in (window.graph, attach):  # what Qt finds next
        strip.offer("Something was not finished.", [("go", "Go on with it")])
        button = find(strip, QPushButton, "errorAct_go")
        QWidget.setTabOrder(button, following)
        button.setFocus()
        qtbot.waitUntil(button.hasFocus)

        strip.clear()

        assert field.hasFocus()
