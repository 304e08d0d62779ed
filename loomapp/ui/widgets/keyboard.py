"""Where the keyboard is in the window of a widget, and giving it back to where it came from."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid


def focused_beside(widget: QWidget) -> QWidget | None:
    """Return what has the keyboard in the window of a widget, or gets it back when that window is active
    again; None if nothing has it.
    """
    return widget.window().focusWidget()


class KeyboardReturn:
    """The place that had the keyboard before a part of the window took it, until the part is left."""

    def __init__(self) -> None:
        self._place: QWidget | None = None

    def note(self, part: QWidget) -> None:
        """Keep what has the keyboard now, unless it is in the part itself, which was come to before."""
        focused = QApplication.focusWidget()
        if focused is not None and focused is not part and not part.isAncestorOf(focused):
            self._place = focused

    def give_back(self) -> bool:
        """Give the keyboard back, and forget the place. False where that is gone or hidden."""
        place, self._place = self._place, None
        if place is None or not isValid(place) or not place.isVisible():
            return False
        place.setFocus(Qt.FocusReason.OtherFocusReason)
        return True
