"""The three docks around the graph: trees on the left, text on the right, the inspector under the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from loomapp.ui.strings import tr

WIDTHS_PX = (204, 428)  # side bar and text; the graph has the rest
INSPECTOR_PX = 228


Docks: TypeAlias = tuple[QDockWidget, QDockWidget, QDockWidget]


def build_docks(window: QMainWindow) -> Docks:
    """Return empty docks for trees, text and inspector. Trees and text have the whole height of the
    window.
    """
    left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
    window.setCorner(Qt.Corner.BottomLeftCorner, left)
    window.setCorner(Qt.Corner.BottomRightCorner, right)
    side_bar = _dock(window, "sideBar", tr("Trees"), left)
    text = _dock(window, "textDock", tr("Text"), right)
    inspector = _dock(window, "inspectorDock", tr("Inspector"), Qt.DockWidgetArea.BottomDockWidgetArea)
    return side_bar, text, inspector


def fill_docks(window: QMainWindow, docks: Docks, parts: Sequence[QWidget]) -> None:
    """Put a part into each dock, with its width or height."""
    for dock, part in zip(docks, parts, strict=True):
        dock.setWidget(part)
    side_bar, text, inspector = docks
    window.resizeDocks([side_bar, text], list(WIDTHS_PX), Qt.Orientation.Horizontal)
    window.resizeDocks([inspector], [INSPECTOR_PX], Qt.Orientation.Vertical)


def _dock(window: QMainWindow, name: str, title: str, area: Qt.DockWidgetArea) -> QDockWidget:
    dock = QDockWidget(title, window)
    dock.setObjectName(name)
    dock.setTitleBarWidget(QWidget(dock))  # docks have no title row; the View menu shows and hides them
    window.addDockWidget(area, dock)
    return dock
