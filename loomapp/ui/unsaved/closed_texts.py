"""Closed edits and notes: left unfinished by Esc, told of above the composer, opened again from there."""

from __future__ import annotations

from PySide6.QtCore import QObject

from loomapp.session.document import Document
from loomapp.session.recovery import BegunText
from loomapp.ui.strings import start_of, tr
from loomapp.ui.unsaved.open_edits import Writings
from loomapp.ui.widgets.error_strip import ErrorStrip

WORDS_SHOWN = 60
GO_ON, DISCARD = "goOn", "discard"


class ClosedTexts(QObject):
    """Strip for closed texts, one at a time, the one that was begun first."""

    def __init__(self, writings: Writings, document: Document, strip: ErrorStrip) -> None:
        super().__init__(strip)
        self._writings, self._document, self._strip = writings, document, strip
        writings.changed.connect(self.show)
        document.tree_opened.connect(lambda _: self.show())
        document.tree_changed.connect(lambda _: self.show())
        strip.act_clicked.connect(self.on_act)

    def show(self) -> None:
        closed = self._writings.closed()
        if not closed:
            self._strip.clear()
            return
        says = (
            tr("Unfinished edit: “{start}”") if closed[0].kind == "edit" else tr("Unfinished note: “{start}”")
        )
        start = start_of(closed[0].text, WORDS_SHOWN)
        place = tr("1 of {count}: ").format(count=len(closed)) if len(closed) > 1 else ""
        acts = ((GO_ON, tr("Go on with it")), (DISCARD, tr("Discard")))
        self._strip.offer(place + says.format(start=start), acts, tone="progress")

    def on_act(self, act: str) -> None:
        first: BegunText | None = next(iter(self._writings.closed()), None)
        if first is None:
            return
        if act == DISCARD:
            self._writings.discard(first.kind, first.node_id)
            return
        if first.node_id not in self._document.path:
            self._document.place.read_through(first.node_id)
        self._writings.reopen(first.kind, first.node_id)
