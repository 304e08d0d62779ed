"""Panes: which are shown, which has the keyboard, one alone on the whole screen."""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.workbench import Workbench


def toggle_side_bar(bench: Workbench) -> None:
    bench.views.side_bar.setVisible(not bench.views.side_bar.isVisible())


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


def cycle_focus(bench: Workbench) -> None:
    """Give the keyboard to the next of graph, text and inspector."""
    focused = QApplication.focusWidget()
    if focused is not None and bench.views.graph.isAncestorOf(focused) | (focused is bench.views.graph):
        focus_text(bench)
    elif focused is not None and bench.views.text_pane.isAncestorOf(focused):
        focus_inspector(bench)
    else:
        focus_graph(bench)
