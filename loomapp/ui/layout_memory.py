"""How the window was left: its place, its docks and its theme, found again by the next start."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow


def window_settings() -> QSettings:
    """Where it is kept."""
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "loomapp", "window")


def save_layout(window: QMainWindow) -> None:
    """Keep the place of a window and of its docks."""
    settings = window_settings()
    settings.setValue("geometry", window.saveGeometry())
    settings.setValue("docks", window.saveState())


def restore_layout(window: QMainWindow) -> None:
    """Put a window where one was left last."""
    settings = window_settings()
    geometry, docks = settings.value("geometry"), settings.value("docks")
    if isinstance(geometry, QByteArray):
        window.restoreGeometry(geometry)
    if isinstance(docks, QByteArray):
        window.restoreState(docks)
