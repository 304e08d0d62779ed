"""Words on the clipboard and in a drag, character for character."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QClipboard, QGuiApplication

from loomapp.core.model.content import well_formed

PLAIN, EXACT = "text/plain", "text/plain;charset=utf-8"


def words_in(data: QMimeData) -> str:
    """The words as they were copied. Qt drops a U+FEFF at their beginning, which it takes for a sign of the
    encoding; most programs offer their bytes as well. Of those that offer UTF8_STRING alone Qt hands on no
    bytes: theirs come without it.
    """
    if data.hasFormat(EXACT):
        try:
            return bytes(data.data(EXACT).data()).decode("utf-8")
        except UnicodeDecodeError:
            pass  # not what it says: as Qt reads it
    return data.text()


def data_of(words: str) -> QMimeData:
    """Words to be copied or dragged, as they are: `QMimeData.setText` would drop a U+FEFF."""
    data = QMimeData()
    for kind in (PLAIN, EXACT):
        data.setData(kind, well_formed(words).encode())
    return data


def copy(words: str, mode: QClipboard.Mode = QClipboard.Mode.Clipboard) -> None:
    """Put words on the clipboard, or make them what a click of the middle button pastes."""
    QGuiApplication.clipboard().setMimeData(data_of(words), mode)
