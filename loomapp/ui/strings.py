"""User-visible text in the user's language, outside of QObject methods."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def tr(text: str) -> str:
    """The translation of a text of the window, or the text itself."""
    return QCoreApplication.translate("window", text)
