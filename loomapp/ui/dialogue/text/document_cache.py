"""Documents of messages, the ones used last kept ready."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from PySide6.QtCore import QObject

from loomapp.ui.dialogue.text.safe_document import SafeDocument
from loomapp.ui.media.thumbnails import Thumbnails

KEPT = 64


class Library(QObject):
    """A document for each message, at most `KEPT` of them; more than are ever on the screen at once.

    Documents belong to who refers to them, not to a QObject: one that a hidden widget still shows must not
    be deleted under it (Qt crashes when the widget then gets another).
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.open_reasoning: set[str] = set()  # of which messages it is read, as long as the window
        self.thumbnails: Thumbnails | None = None  # where pictures come from, once the window says
        self._documents: OrderedDict[str, tuple[Hashable, SafeDocument]] = OrderedDict()

    def document(self, key: str, made: Hashable, fill: Callable[[SafeDocument], None]) -> SafeDocument:
        """The document under a key; filled anew when `made`, which is all that it shows, differs."""
        before, document = self._documents.pop(key, (None, None))
        if document is None:
            document = SafeDocument()
        self._documents[key] = (made, document)
        if before != made:
            fill(document)
        while len(self._documents) > KEPT:
            self._documents.popitem(last=False)
        return document
