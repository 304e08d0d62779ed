"""Panes: which are shown, which has the keyboard, one alone on the whole screen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from loomapp.core.settings.setting import Settings
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.widgets.page import Page
from loomapp.ui.workbench import Workbench


def toggle_side_bar(bench: Workbench) -> None:
    bench.views.side_bar.setVisible(not bench.views.side_bar.isVisible())


def swap_sides(bench: Workbench) -> None:
    """Let the side bar and the text stand on each other's side, as wide as they were."""
    window, docks = bench.views.window, [bench.views.side_bar, bench.views.text_dock]
    areas, widths = [window.dockWidgetArea(dock) for dock in docks], [dock.width() for dock in docks]
    for dock, area in zip(docks, reversed(areas), strict=True):
        window.addDockWidget(area, dock)
    window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)


def toggle_focus_mode(bench: Workbench) -> None:
    """Show the pane with the keyboard alone on the whole screen; or everything again."""
    bench.frame.toggle_focus_mode()


def is_focused(bench: Workbench) -> bool:
    return bench.frame.is_focused


def focus_graph(bench: Workbench) -> None:
    graph_commands.bring(bench)
    bench.views.graph.setFocus()
    bench.views.graph.letters.enter()
    bench.views.graph.show_keyboard_place()


def focus_text(bench: Workbench) -> None:
    bench.frame.bring_text()
    bench.views.text_pane.focus_text()


def write_on(bench: Workbench, event: QKeyEvent) -> None:
    """The keyboard to where one writes, with the key that was pressed: the first letter of what is meant."""
    before = QApplication.focusWidget()
    focus_text(bench)
    field = QApplication.focusWidget()
    if field is not None and field is not before:
        pressed = QKeyEvent(event.type(), event.key(), event.modifiers(), event.text())
        QApplication.sendEvent(field, pressed)


# Larger and smaller: the text while it has the keyboard, else the graph


def zoom_in(bench: Workbench) -> None:
    field = _size_of_text(bench)
    bench.work.preferences.step(field, 1) if field else graph_commands.zoom_in(bench)


def zoom_out(bench: Workbench) -> None:
    field = _size_of_text(bench)
    bench.work.preferences.step(field, -1) if field else graph_commands.zoom_out(bench)


def fit_all(bench: Workbench) -> None:
    """Show the whole graph; where the text has the keyboard and another size than usual, that one first."""
    field = _unusual_size(bench)
    bench.work.preferences.put(field, None) if field else graph_commands.fit_all(bench)


def zoom_in_name(bench: Workbench) -> str:
    return "Larger text" if _size_of_text(bench) else "Zoom in"


def zoom_out_name(bench: Workbench) -> str:
    return "Smaller text" if _size_of_text(bench) else "Zoom out"


def fit_all_name(bench: Workbench) -> str:
    return "Text in its usual size" if _unusual_size(bench) else "Fit all"


def _size_of_text(bench: Workbench) -> str:
    """Return the setting that is the size of the text with the keyboard; "" where no text has it."""
    focused, views = QApplication.focusWidget(), bench.views
    if focused is not None and views.header.isAncestorOf(focused):  # in the menus: they are about that place
        focused = views.header.came_from.place
    if focused is None:
        return ""
    if views.text_pane.isAncestorOf(focused):
        return bench.text.size_setting
    page = views.pages.currentWidget()
    is_document = page is not None and page.objectName() == "documentPage" and page.isAncestorOf(focused)
    return "message_size_px" if is_document else ""


def _unusual_size(bench: Workbench) -> str:
    field = _size_of_text(bench)
    is_usual = not field or bench.work.preferences.settings.value(field) == Settings().value(field)
    return "" if is_usual else field


def focus_inspector(bench: Workbench) -> None:
    bench.frame.bring_inspector()
    bench.views.inspector.setFocus()


def toggle_inspector_fold(bench: Workbench) -> None:
    """Fold the inspector to its tabs, or unfold it."""
    bench.views.inspector_dock.show()
    bench.frame.toggle_inspector_fold()


def is_inspector_folded(bench: Workbench) -> bool:
    return bench.frame.is_inspector_folded


def focus_outline(bench: Workbench) -> None:
    bench.views.side_bar.show()
    bench.views.side_parts.outline.setFocus()


def open_menus(bench: Workbench) -> None:
    bench.views.header.open_menus()


def open_page(bench: Workbench) -> Page | None:
    """Return the page that stands in the graph's place, else the one in the place of the text, if any."""
    pages, text_pane = bench.views.pages, bench.views.text_pane
    page = text_pane.page if pages.is_showing_graph else pages.currentWidget()
    return page if isinstance(page, Page) else None


def cycle_focus(bench: Workbench) -> None:
    """Give the keyboard to the next of graph, text and inspector; a page stands for what it covers, and for
    the inspector that gives way to it.
    """
    focused, views = QApplication.focusWidget(), bench.views
    if focused is not None and views.pages.isAncestorOf(focused):
        focus_covered(views.text_pane.page) if views.text_pane.page is not None else focus_text(bench)
    elif focused is not None and views.text_pane.isAncestorOf(focused) and views.pages.is_showing_graph:
        focus_inspector(bench)
    elif not views.pages.is_showing_graph:
        bench.frame.bring_graph()
        focus_covered(views.pages.currentWidget())
    else:
        focus_graph(bench)


def focus_covered(page: QWidget | None) -> None:
    """Give the keyboard to a page, where it had it last."""
    if page is not None:
        last = page.focusWidget()
        (last if last is not None and last.isVisible() else page).setFocus()
