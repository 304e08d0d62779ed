"""Laid-out documents of messages, the ones used last kept ready."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

from PySide6.QtCore import QObject

from loomapp.ui import theme
from loomapp.ui.dialogue.document import Look, SafeDocument
from loomapp.ui.dialogue.entries import Entry

KEPT = 64
Made: TypeAlias = tuple[str, Look, str]


class Library(QObject):
    """A document for each message, at most `KEPT` of them; more than are ever on the screen at once."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._documents: OrderedDict[str, tuple[Made, SafeDocument]] = OrderedDict()

    def document(self, entry: Entry, look: Look, width_px: int) -> SafeDocument:
        """The document of an entry, laid out for a width."""
        made: Made = (entry.text, look, theme.current_name())
        before, document = self._documents.pop(entry.key, (None, None))
        if document is None:
            document = SafeDocument(self)
        self._documents[entry.key] = (made, document)
        if before != made:
            document.show_markdown(entry.text, look)
        if document.textWidth() != width_px:
            document.setTextWidth(width_px)
        while len(self._documents) > KEPT:
            _, (_, oldest) = self._documents.popitem(last=False)
            oldest.deleteLater()
        return document
