"""Style changes of hidden widgets, made a few at a time while what is seen has changed already."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

AT_ONCE = 100  # widgets in a turn
POLISHED = Qt.WidgetAttribute.WA_WState_Polished


class Unseen:
    """Widgets that Qt is to pass by when it takes a sheet from all widgets, or puts one on them.

    It does so in one go and looks at each of them, of which a window has ten times as many as it shows: the
    pages that are not in front, menus, settings that were read and left.
    """

    def __init__(self, app: QApplication) -> None:
        self._app = app
        self._aside: dict[QWidget, None] = {}

    def __contains__(self, widget: QObject) -> bool:
        return widget in self._aside

    def set_aside(self) -> Iterator[None]:
        """Take the sheet that there is off them, a few in each step."""
        style = self._app.style()
        unseen = (widget for widget in self._app.allWidgets() if not widget.isVisible())
        for number, widget in enumerate([widget for widget in unseen if widget.testAttribute(POLISHED)]):
            if number % AT_ONCE == 0:
                yield
            if isValid(widget) and widget not in self._aside:
                style.unpolish(widget)
                widget.setAttribute(POLISHED, False)  # or Qt does it again
                self._aside[widget] = None

    def bring_back(self) -> Iterator[None]:
        """Put the sheet that there is now on them, a few in each step."""
        for number, widget in enumerate([*self._aside]):
            if number % AT_ONCE == 0:
                yield
            del self._aside[widget]
            if isValid(widget):
                self._app.style().polish(widget)
                widget.setAttribute(POLISHED)
                QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
