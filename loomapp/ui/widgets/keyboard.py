"""Where the keyboard is in the window of a widget, also while that window is not the active one."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def focused_beside(widget: QWidget) -> QWidget | None:
    """Return what has the keyboard in the window of a widget, or gets it back when that window is active
    again; None if nothing has it.
    """
    return widget.window().focusWidget()
