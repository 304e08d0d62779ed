"""Narrow windows: menus fold into a button, graph and text become tabs, and nothing is lost on the way.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.errors import LoomError
from loomapp.store.files.settings_file import settings_path
from loomapp.store.grove.open import create_grove
from loomapp.ui.inspector.pane import TABS_PX
from loomapp.ui.keys import MENUS
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from loomapp.ui.window.responsive import TEXT_BESIDE_PAGE_PX
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    create_grove(path).close()
    return path


def is_as_wide(window: MainWindow, width: int) -> bool:
    return window.width() == width


def is_open(name: str) -> bool:
    menu = QApplication.activePopupWidget()
    return menu is not None and menu.objectName() == name


def chosen_row(menu: QMenu) -> str:
    row = menu.activeAction()
    return row.text() if row is not None else ""


def test_under_1100_the_menus_fold_into_one_button(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        assert window.header.menu_bar.isVisible()
        for key, name in (("alt+e", "menuEdit"), ("F10", "menuFile")):
            pointer.key(key)
            qtbot.waitUntil(partial(is_open, name))
            pointer.key("Escape")
            pointer.key("Escape")
            qtbot.waitUntil(window.composer.field.hasFocus)
        pointer.key("alt+f", "e", "e")
        rows = find(window.header.menu_bar, QMenu, "menuFile")
        qtbot.waitUntil(lambda: chosen_row(rows) == "Export…")
        assert window.composer.text == "", "no letter goes on to what stands below the menu"
        pointer.key("Escape", "Escape")
        qtbot.waitUntil(window.composer.field.hasFocus)
        window.resize(1000, 760)
        button = find(window, QToolButton, "menuButton")
        qtbot.waitUntil(button.isVisible)
        assert not window.header.menu_bar.isVisible()
        assert window.header.height() == 44
        assert window.header.search.width() < 40

        pointer.key("alt+e")
        qtbot.waitUntil(partial(is_open, "menuEdit"))
        pointer.key("Escape")
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
        pointer.key("F10")
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
        pointer.key("Escape")
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
        pointer.click(button)
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        assert [action.text().replace("&", "") for action in menu.actions()] == list(MENUS)
        pointer.key("Escape")
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
        pointer.click(window.header.search)
        qtbot.waitUntil(window.palette_box.isVisible)
        pointer.key("Escape")

        window.resize(1440, 860)
        qtbot.waitUntil(window.header.menu_bar.isVisible)


def test_under_900_graph_and_text_are_tabs_and_what_was_typed_stays(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        pointer.type_ascii("half a thou")
        window.resize(800, 860)
        tabs = find(window, QTabBar, "halfTabs")
        qtbot.waitUntil(lambda: tabs.isVisible() and window.halves.is_folded)
        qtbot.waitUntil(lambda: window.width() < 900)
        assert window.text_pane.isVisible()
        assert not window.graph.isVisible()

        pointer.key("ctrl+1")
        qtbot.waitUntil(window.graph.isVisible)
        assert not window.text_pane.isVisible()
        pointer.click(tabs, tabs.tabRect(1).center())
        qtbot.waitUntil(window.composer.isVisible)
        pointer.key("ctrl+2")
        pointer.type_ascii("ght")
        window.resize(1440, 860)

        qtbot.waitUntil(lambda: not window.halves.is_folded)
        qtbot.waitUntil(lambda: window.text_dock.isVisible() and window.graph.isVisible())
        assert window.composer.text == "half a thought"
        assert window.composer.field.hasFocus()


@pytest.mark.slow
def test_a_window_closed_while_narrow_has_both_panes_when_it_is_wide_again(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(800, 860)
        qtbot.waitUntil(lambda: window.halves.is_folded)

    with open_window(grove, qtbot) as window:
        window.resize(1440, 860)

        qtbot.waitUntil(lambda: not window.halves.is_folded)
        assert window.text_dock.isVisible()
        assert window.graph.isVisible()


def make_as_wide(window: MainWindow, qtbot: QtBot, pointer: Pointer, side_px: int, text_px: int) -> None:
    """Drag the seams of side bar and text."""
    qtbot.waitUntil(lambda: window.halves._is_noting)
    for dock, width, sign in ((window.side_bar, side_px, 1), (window.text_dock, text_px, -1)):
        drag_seam(window, pointer, dock, width, sign)


def drag_seam(window: MainWindow, pointer: Pointer, dock: QDockWidget, width: int, sign: int) -> None:
    rect = dock.geometry()
    seam = QPoint(rect.right() + 2 if sign > 0 else rect.left() - 1, rect.center().y())
    end = seam + QPoint(sign * (width - dock.width()), 0)
    pointer.drag_until(partial(_is, dock, width), window, seam, end)


def _is(dock: QDockWidget, width: int) -> bool:
    return dock.width() == width


def test_what_squeezes_the_side_bar_is_not_remembered_as_its_width(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(1440, 860)
        qtbot.waitUntil(partial(is_as_wide, window, 1440))
        make_as_wide(window, qtbot, pointer, 260, 440)
        widths = window.halves.widths

        def is_squeezed() -> bool:
            """Again, for the window's own size may arrive late and give the side bar its width back."""
            if window.side_bar.width() != 220:
                window.resizeDocks([window.side_bar], [220], Qt.Orientation.Horizontal)
            return window.side_bar.width() == 220

        qtbot.waitUntil(is_squeezed)
        assert window.halves.widths == widths

        window.resize(1400, 860)
        qtbot.waitUntil(partial(_is, window.side_bar, 260))

        window.resize(1000, 860)
        qtbot.waitUntil(partial(is_as_wide, window, 1000))
        drag_seam(window, pointer, window.side_bar, 300, 1)
        for width, is_toggled in ((1000, True), (1000, True), (850, False), (1000, False)):
            if is_toggled:
                window.actions_set.by_name["settings"].trigger()
            window.resize(width, 860)
            qtbot.waitUntil(partial(is_as_wide, window, width))
            qtbot.waitUntil(partial(_is, window.side_bar, 300))


@pytest.mark.slow
def test_side_bar_and_text_are_as_wide_as_before_when_the_window_is_wide_again(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(1440, 860)
        qtbot.waitUntil(lambda: window.width() == 1440)
        make_as_wide(window, qtbot, pointer, 240, 460)

        window.resize(800, 860)
        qtbot.waitUntil(lambda: window.halves.is_folded)
        qtbot.waitUntil(lambda: window.side_bar.width() == 240)
        window.resize(1440, 860)

        qtbot.waitUntil(lambda: not window.halves.is_folded)
        qtbot.waitUntil(lambda: (window.side_bar.width(), window.text_dock.width()) == (240, 460))


@pytest.mark.slow
def test_a_moment_at_640_leaves_the_widths_as_they_were_also_for_the_next_start(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(1440, 860)
        qtbot.waitUntil(partial(is_as_wide, window, 1440))
        make_as_wide(window, qtbot, pointer, 240, 371)

        window.resize(640, 860)
        qtbot.waitUntil(lambda: window.halves.is_folded)
        window.resize(640, 860)
        qtbot.waitUntil(lambda: window.width() < 850)
        for width in (900, 1000, 1440):
            window.resize(width, 860)
            qtbot.waitUntil(partial(is_as_wide, window, width))
        qtbot.waitUntil(lambda: (window.side_bar.width(), window.text_dock.width()) == (240, 371))
        window.resize(640, 860)
        qtbot.waitUntil(lambda: window.halves.is_folded)

    with open_window(grove, qtbot) as window:
        qtbot.waitUntil(lambda: window.halves.is_folded)
        window.resize(1440, 860)

        qtbot.waitUntil(lambda: not window.halves.is_folded)
        qtbot.waitUntil(lambda: (window.side_bar.width(), window.text_dock.width()) == (240, 371))


@pytest.mark.slow
def test_an_error_is_seen_also_from_the_graphs_tab(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(800, 860)
        qtbot.waitUntil(lambda: window.halves.is_folded)
        window.halves.bring_graph()

        window.next_steps.offer("Something needs you.", "Do it", lambda: None)

        assert window.text_pane.errors.isVisible()


@pytest.mark.slow
def test_a_page_comes_forward_also_from_the_texts_tab(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(800, 860)
        qtbot.waitUntil(lambda: window.halves.is_folded)
        window.halves.bring_text()

        window.actions_set.by_name["settings"].trigger()

        assert window.app_settings is not None
        assert window.app_settings.isVisible()


@pytest.mark.slow
def test_a_window_may_be_as_small_as_half_a_small_screen_and_nothing_is_painted_outside(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(640, 440)

        qtbot.waitUntil(lambda: (window.width(), window.height()) == (640, 440))
        qtbot.waitUntil(lambda: window.halves.is_folded)
        window.halves.bring_text()
        qtbot.waitUntil(window.composer.isVisible)
        for part in (window.composer, window.side_parts.search.parentWidget(), window.inspector):
            assert part is not None
            place = QRect(part.mapTo(window, QPoint(0, 0)), part.size())
            assert window.rect().contains(place)


def test_in_a_low_window_the_inspector_is_its_tabs_until_one_is_wanted(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(1200, 800)
        qtbot.waitUntil(lambda: window.height() == 800)
        qtbot.waitUntil(lambda: window.inspector.height() > 100)
        window.resize(1024, 700)
        qtbot.waitUntil(lambda: window.height() == 700)
        qtbot.waitUntil(lambda: window.inspector.height() <= TABS_PX)
        tabs = find(window, QTabBar, "inspectorTabs")
        qtbot.waitUntil(lambda: tabs.mapTo(window, QPoint(0, 0)).y() > 630)
        text_px = window.text_dock.width()
        window.actions_set.by_name["showLog"].trigger()  # a page has more room than the graph
        qtbot.waitUntil(lambda: window.text_dock.width() == TEXT_BESIDE_PAGE_PX)
        window.pages.show_graph()
        qtbot.waitUntil(lambda: window.text_dock.width() == text_px)

        pointer.click(tabs, tabs.tabRect(0).center())
        qtbot.waitUntil(lambda: window.inspector.height() > TABS_PX)
        window.resize(1200, 800)
        qtbot.waitUntil(lambda: window.height() == 800)
        assert not window.inspector_fold.is_folded


@pytest.mark.slow
def test_an_inspector_folded_by_hand_is_folded_at_the_next_start(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(1200, 800)
        qtbot.waitUntil(lambda: window.inspector.height() > 100)
        pointer.click(find(window, QToolButton, "foldInspectorButton"))
        qtbot.waitUntil(lambda: window.inspector.height() <= TABS_PX)

    with open_window(grove, qtbot) as window:
        qtbot.waitUntil(lambda: window.inspector.height() <= TABS_PX)
        window.actions_set.by_name["contextInspector"].trigger()
        qtbot.waitUntil(lambda: window.inspector.height() > 100)
        assert not window.inspector_fold.is_folded


@pytest.mark.slow
def test_in_a_small_window_text_and_inspector_take_turns(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(640, 440)
        qtbot.waitUntil(lambda: window.height() == 440 and window.halves.is_folded)
        pointer.key("ctrl+2")
        qtbot.waitUntil(window.composer.isVisible)

        pointer.key("ctrl+shift+i")
        qtbot.waitUntil(lambda: window.inspector.height() > 100)
        assert window.graph.isVisible()

        window.next_steps.show_error(LoomError("The server stopped answering."))
        qtbot.waitUntil(lambda: window.inspector.height() <= TABS_PX)
        strip, composer = window.text_pane.errors, window.composer
        qtbot.waitUntil(lambda: strip.isVisible() and composer.isVisible())
        qtbot.waitUntil(lambda: composer.height() >= composer.minimumSizeHint().height())


@pytest.mark.slow
def test_an_inspector_gives_way_where_a_composer_below_the_text_would_be_cut(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        pane, composer = window.inspector, window.composer
        window.resize(700, 740)
        qtbot.waitUntil(lambda: window.height() == 740 and window.halves.is_folded)
        pointer.key("ctrl+2")
        qtbot.waitUntil(lambda: composer.isVisible() and pane.height() >= pane.least_px)

        window.next_steps.show_error(LoomError("\n".join("1234567890AB")))

        qtbot.waitUntil(lambda: pane.height() <= TABS_PX)
        qtbot.waitUntil(lambda: composer.height() >= composer.minimumSizeHint().height())
        pointer.key("ctrl+shift+i")
        qtbot.waitUntil(lambda: window.graph.isVisible() and pane.height() >= pane.least_px)
        pointer.key("ctrl+2")
        qtbot.waitUntil(lambda: composer.isVisible() and pane.height() <= TABS_PX)
        window.text_pane.errors.clear()
        qtbot.waitUntil(lambda: pane.height() >= pane.least_px)
        qtbot.waitUntil(lambda: composer.height() >= composer.minimumSizeHint().height())


@pytest.mark.slow
def test_what_is_done_in_the_graph_brings_it_forward_from_behind_the_text(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        root = document.tree.root_id
        for words in ("Say a word.", "Wren."):
            document.commit(node_edits.add_node(document.tree, document.path_ids[-1], words, document.pen()))
        window.resize(800, 860)
        qtbot.waitUntil(lambda: window.halves.is_folded and window.width() < 900)
        for name in ("fitAll", "fitSelection", "zoomFull", "fold", "hoist"):
            pointer.key("ctrl+2")
            qtbot.waitUntil(lambda: window.text_pane.isVisible() and not window.graph.isVisible())
            document.place.set_current(document.tree.children(root)[0])
            window.actions_set.refresh()

            window.actions_set.by_name[name].trigger()

            qtbot.waitUntil(window.graph.isVisible)
            assert window.graph.hasFocus(), name
            # the camera flies there
            qtbot.waitUntil(lambda: not window.graph.node_rect(document.current_id).isEmpty())


@pytest.mark.slow
def test_the_bar_for_replacing_is_whole_above_an_open_inspector_in_a_low_window(
    tmp_path: Path, qtbot: QtBot
) -> None:
    new_tree(tmp_path / "prose.loom", mode="buffer", text="The road into Sel was white.")
    with open_window(tmp_path / "prose.loom", qtbot) as window:
        window.resize(700, 620)
        qtbot.waitUntil(lambda: is_as_wide(window, 700) and window.halves.is_folded)
        window.actions_set.by_name["contextInspector"].trigger()
        window.actions_set.by_name["focusText"].trigger()
        window.actions_set.by_name["findInPath"].trigger()
        bar = window.buffer.view.find_bar
        qtbot.waitUntil(bar.isVisible)
        qtbot.waitUntil(lambda: bar.height() >= bar.minimumSizeHint().height())

        assert bar.words.geometry().bottom() < bar.by.geometry().top()
        assert window.buffer.view.editor.height() >= window.buffer.view.editor.prose.line_px


@pytest.mark.slow
def test_a_word_of_the_texts_head_is_whole_or_not_there(tmp_path: Path, qtbot: QtBot) -> None:
    new_tree(tmp_path / "prose.loom", mode="buffer", text="The road into Sel was white.")
    with open_window(tmp_path / "prose.loom", qtbot) as window:
        button = find(window.text_pane, QToolButton, "compareButton")
        window.resize(1440, 760)
        qtbot.waitUntil(lambda: is_as_wide(window, 1440) and button.isVisible())
        assert button.width() >= button.sizeHint().width()
        window.resize(700, 760)
        qtbot.waitUntil(lambda: is_as_wide(window, 700) and not button.isVisible())


@pytest.mark.slow
def test_at_200_percent_settings_and_inspector_have_room_for_their_buttons(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    """A screen of 1920 × 1200 is one of 960 × 600 then."""
    settings_path().parent.mkdir(parents=True, exist_ok=True)
    settings_path().write_text("[appearance]\nscale_percent = 200\n")
    with open_window(grove, qtbot) as window:
        window.composer.set_text("Name a bird.")
        window.resize(952, 568)
        qtbot.waitUntil(lambda: window.width() == 952 and window.height() == 568)
        window.inspector_fold.unfold()
        what_if = find(window, QPushButton, "whatIfButton")
        qtbot.waitUntil(what_if.isVisible)
        qtbot.waitUntil(lambda: what_if.width() >= what_if.sizeHint().width())

        pointer.key("ctrl+comma")
        qtbot.waitUntil(lambda: window.app_settings is not None and window.app_settings.isVisible())
        page = window.app_settings
        assert page is not None
        strip = find(page, ErrorStrip, "settingsProblems")
        step = find(strip, QPushButton, "errorAction")
        view = find(page, QScrollArea, "settingsArea").viewport()
        qtbot.waitUntil(step.isVisible)
        for part in (
            step,
            strip,
            find(page, QLineEdit, "settingsSearch"),
            find(page, QWidget, "settingsClose"),
        ):
            qtbot.waitUntil(lambda part=part: is_within(part, view))  # type: ignore[misc]


def is_within(part: QWidget, view: QWidget) -> bool:
    """True if a part is as wide as it needs, and no side of it is out of sight."""
    left = part.mapTo(view, QPoint()).x()
    return (
        part.width() >= part.minimumSizeHint().width() and left >= 0 and left + part.width() <= view.width()
    )


@pytest.mark.slow
def test_an_inspector_gives_way_where_the_ways_into_an_empty_tree_would_be_out_of_sight(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.resize(952, 568)
        qtbot.waitUntil(lambda: window.width() == 952 and window.height() == 568)
        document, root_id = window.document, window.document.path_ids[-1]
        first_id = document.tree.loom.id
        document.commit(node_edits.add_node(document.tree, root_id, "Name a bird.", document.pen()))
        window.inspector_fold.unfold()
        pane, page = window.inspector, window.first_page
        qtbot.waitUntil(lambda: pane.height() >= pane.least_px)

        window.actions_set.by_name["newDialogue"].trigger()

        ways = [find(page, QAbstractButton, name) for name in ("dialogueWay", "bufferWay", "importWay")]
        view = find(page, QScrollArea, "firstRunArea").viewport()
        qtbot.waitUntil(lambda: all(view.rect().contains(seen_in(way, view)) for way in ways))
        pointer.key("ctrl+shift+i")
        qtbot.waitUntil(lambda: pane.height() >= pane.least_px)  # who wants it has it
        window.actions_set.by_name["newDialogue"].trigger()
        qtbot.waitUntil(lambda: all(view.rect().contains(seen_in(way, view)) for way in ways))
        document.open_tree(first_id)
        qtbot.waitUntil(page.isHidden)
        qtbot.waitUntil(lambda: not window.inspector_fold.is_folded and pane.height() >= pane.least_px)


def seen_in(part: QWidget, view: QWidget) -> QRect:
    return QRect(part.mapTo(view, QPoint()), part.size())
