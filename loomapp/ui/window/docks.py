"""The three docks around the graph: trees on the left, text on the right, the inspector under the graph."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from loomapp.ui.strings import tr

WIDTHS_PX = (204, 428)  # side bar and text; the graph has the rest
INSPECTOR_PX = 228


def build_docks(
    window: QMainWindow, trees: QWidget, text: QWidget, inspector: QWidget
) -> tuple[QDockWidget, QDockWidget, QDockWidget]:
    """Trees, text and inspector, each in its dock. Trees and text have the whole height of the window."""
    left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
    window.setCorner(Qt.Corner.BottomLeftCorner, left)
    window.setCorner(Qt.Corner.BottomRightCorner, right)
    side_bar = _dock(window, "sideBar", tr("Trees"), trees, left)
    text_dock = _dock(window, "textDock", tr("Text"), text, right)
    below = _dock(window, "inspectorDock", tr("Inspector"), inspector, Qt.DockWidgetArea.BottomDockWidgetArea)
    window.resizeDocks([side_bar, text_dock], list(WIDTHS_PX), Qt.Orientation.Horizontal)
    window.resizeDocks([below], [INSPECTOR_PX], Qt.Orientation.Vertical)
    return side_bar, text_dock, below


def _dock(
    window: QMainWindow, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea
) -> QDockWidget:
    dock = QDockWidget(title, window)
    dock.setObjectName(name)
    dock.setTitleBarWidget(QWidget(dock))  # docks have no title row; the View menu shows and hides them
    dock.setWidget(widget)
    window.addDockWidget(area, dock)
    return dock
