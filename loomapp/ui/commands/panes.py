"""What actions do about the panes: which are shown, which has the keyboard, one alone on the whole screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from loomapp.ui.commands.graph import branches as graph_commands

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow


def toggle_side_bar(window: MainWindow) -> None:
    """Show or hide the list of trees."""
    window.side_bar.setVisible(not window.side_bar.isVisible())


def toggle_focus_mode(window: MainWindow) -> None:
    """The pane one is in, alone on the whole screen; or everything again."""
    window.focus_mode.leave() if window.focus_mode.is_on else window.focus_mode.enter()


def is_focused(window: MainWindow) -> bool:
    """True while one pane has the screen for itself."""
    return window.focus_mode.is_on


def focus_graph(window: MainWindow) -> None:
    """The keyboard to the graph, where the card it stands on is in view."""
    graph_commands.bring(window)
    window.graph.setFocus()
    window.graph.letters.enter()
    window.graph.show_keyboard_place()


def focus_text(window: MainWindow) -> None:
    """The keyboard to the composer."""
    window.halves.bring_text()
    window.text_pane.focus_text()


def write_on(window: MainWindow, event: QKeyEvent) -> None:
    """The keyboard to where one writes, with the key that was pressed: the first letter of what is meant."""
    focus_text(window)
    field = QApplication.focusWidget()
    if field is not None and field is not window.graph:
        pressed = QKeyEvent(event.type(), event.key(), event.modifiers(), event.text())
        QApplication.sendEvent(field, pressed)


def focus_inspector(window: MainWindow) -> None:
    """The keyboard to the inspector."""
    window.bring_inspector()
    window.inspector.setFocus()


def toggle_inspector_fold(window: MainWindow) -> None:
    """The inspector's tabs alone, or its pages too."""
    window.inspector_dock.show()
    window.inspector_fold.toggle()


def is_inspector_folded(window: MainWindow) -> bool:
    """True while only its tabs are shown."""
    return window.inspector_fold.is_folded


def focus_outline(window: MainWindow) -> None:
    """The keyboard to the outline."""
    window.side_bar.show()
    window.side_parts.outline.setFocus()


def cycle_focus(window: MainWindow) -> None:
    """The keyboard to the next of graph, text and inspector."""
    focused = QApplication.focusWidget()
    if focused is not None and window.graph.isAncestorOf(focused) | (focused is window.graph):
        focus_text(window)
    elif focused is not None and window.text_pane.isAncestorOf(focused):
        focus_inspector(window)
    else:
        focus_graph(window)
