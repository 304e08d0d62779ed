"""Places of the last window, for one on a grove that had none yet; and the few looks all windows share."""

from __future__ import annotations

import json
from collections.abc import Mapping

from PySide6.QtCore import QByteArray, QSettings, QSize
from PySide6.QtWidgets import QMainWindow

from loomapp.session.window_state import sealed, unsealed, widths_from

FRAME_PX = QSize(8, 32)  # what a window manager adds, which is not known before the window is seen


def window_settings() -> QSettings:
    """Return the settings file in which places of windows are kept."""
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "loomapp", "window")


def save_layout(window: QMainWindow, widths: Mapping[str, int]) -> None:
    """Keep the place of a window and of its docks, and how wide they were made, in px by their names."""
    settings = window_settings()
    settings.setValue("geometry", QByteArray(sealed(bytes(window.saveGeometry().data()))))
    settings.setValue("docks", QByteArray(sealed(bytes(window.saveState().data()))))
    settings.setValue("widths", json.dumps(dict(widths)))


def last_widths() -> dict[str, int]:
    """Return the widths of the docks in the last window."""
    written = window_settings().value("widths")
    try:
        return widths_from(json.loads(written)) if isinstance(written, str) else {}
    except (ValueError, RecursionError):
        return {}


def restore_layout(window: QMainWindow, geometry: bytes, docks: bytes) -> None:
    """Put a window where it stood; one of which nothing is known, where any was left last."""
    settings = window_settings()
    for known, name, restore in (
        (geometry, "geometry", window.restoreGeometry),
        (docks, "docks", window.restoreState),
    ):
        written = settings.value(name)
        left = known or (unsealed(bytes(written.data())) if isinstance(written, QByteArray) else b"")
        if left:
            restore(QByteArray(left))
    keep_on_screen(window)


def keep_on_screen(window: QMainWindow) -> None:
    """Make a window no larger than the screen, which has other pixels at another scale: Qt then restores
    nothing.
    """
    if window.isMaximized() or window.isFullScreen():
        return
    room = window.screen().availableGeometry()
    window.resize(window.size().boundedTo(room.size() - FRAME_PX))
