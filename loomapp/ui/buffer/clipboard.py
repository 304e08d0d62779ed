"""Words on the clipboard and in a drag, character for character."""

from __future__ import annotations

from PySide6.QtCore import QMimeData

PLAIN, EXACT = "text/plain", "text/plain;charset=utf-8"


def words_in(data: QMimeData) -> str:
    """The words as they were copied. Qt drops a U+FEFF at their beginning, which it takes for a sign of the
    encoding; most programs offer their bytes as well.
    """
    if data.hasFormat(EXACT):
        try:
            return bytes(data.data(EXACT).data()).decode("utf-8")
        except UnicodeDecodeError:
            pass  # not what it says: as Qt reads it
    return data.text()


def data_of(words: str) -> QMimeData:
    """Words to be copied or dragged, as they are."""
    data = QMimeData()
    data.setText(words)
    data.setData(EXACT, words.encode())
    return data
