"""Open edits, notes, summaries, documents: their words are kept, those closed by Esc too, to go on with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from loomapp.core.model.content import well_formed
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.recovery import BegunKind, BegunText, has_place
from loomapp.session.workspace import Workspace
from loomapp.store.identity import now
from loomapp.ui.composer.text_pane import TextPane
from loomapp.ui.strings import start_of, tr
from loomapp.ui.unsaved.unsaved import UnsavedThings
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.widgets.error_strip import ErrorStrip

TITLE_CHARACTERS = 200
WORDS_SHOWN = 60
GO_ON, COPY, DISCARD = "goOn", "copy", "discard"
IN_NO_MESSAGE = ("document", "memory", "card")  # kinds of words that are about nothing that is read


class Writings(QObject):
    """Texts that are begun and neither saved nor left, by kind and node: the newest words, also of a field
    that is not on the screen any more. The journal has them too.
    """

    changed = Signal()
    summary_wanted = Signal(str)  # node id of a head: its field is to be opened
    document_wanted = Signal(str)  # node id of a version: the page of its document is to be opened
    card_wanted = Signal(str)  # the key of a conversation's summary: its card is to be opened
    memory_wanted = Signal(str)  # the key of a text for an agent's memory: its field is to be opened

    def __init__(self, work: Workspace, text: TextPane, unsaved: UnsavedThings, parent: QObject) -> None:
        super().__init__(parent)
        self._work, self._text, self._unsaved = work, text, unsaved
        self.journal: Journal | None = None  # once it is kept
        self._begun: dict[tuple[BegunKind, str], BegunText] = {}
        self._is_held = False

    def wire(self) -> None:
        """Hear what is typed; to be called when the views are wired, as it shows after them."""
        box = self._text.note_box
        self._work.document.place.has_words = self.are_under_way
        self._work.preview.look_at_edit = self.edited
        dialogue = self._text.dialogue
        dialogue.begun_edit = partial(self.text_of, "edit")
        dialogue.edit_typed.connect(self.on_edit_typed)
        dialogue.edit_opened.connect(partial(self.open_again, "edit"))
        dialogue.edit_closed.connect(partial(self.close, "edit"))
        dialogue.edit_left.connect(partial(self.discard, "edit"))
        box.typed.connect(self.on_note_typed)
        box.closed.connect(partial(self.close, "note"))
        box.left.connect(partial(self.discard, "note"))
        self._work.document.tree_opened.connect(lambda _: self.show())
        self._work.document.tree_changed.connect(lambda _: self.show())

    def on_edit_typed(self, node_id: str, text: object) -> None:
        """Note an edit as it stands in its field; None: as it is saved."""
        self._typed("edit", node_id, text if isinstance(text, str) else None)

    def on_note_typed(self, node_id: str, text: str) -> None:
        """Note a note as it stands in its field; a blank one is none."""
        self._typed("note", node_id, text if text.strip() else None)

    def on_summary_typed(self, node_id: str, text: object) -> None:
        """Note a head's summary as it stands in its field; None: as it is saved."""
        self._typed("summary", node_id, text if isinstance(text, str) else None)

    def on_document_typed(self, node_id: str, text: object) -> None:
        """Note a document as it stands on its page; None: as it is saved."""
        self._typed("document", node_id, text if isinstance(text, str) else None)

    def on_memory_typed(self, key: str, text: object) -> None:
        """Note a text for an agent's memory as it stands in its field; None: it is saved, or not wanted."""
        self._typed("memory", key, text if isinstance(text, str) else None)

    def on_card_typed(self, key: str, text: object) -> None:
        """Note the text of a conversation's summary as it stands in its card; None: as it is saved."""
        self._typed("card", key, text if isinstance(text, str) else None)

    def text_of(self, kind: BegunKind, node_id: str) -> str | None:
        """Return the newest words; None if nothing is begun."""
        begun = self._begun.get((kind, node_id))
        return None if begun is None else begun.text

    def are_under_way(self) -> bool:
        """True while words stand anywhere that are meant for what is read, or an editor waits for some."""
        tree_id = self._work.document.tree.loom.id
        return (
            bool(self._text.composer.text.strip() or self._work.preview.attachments.blocks)
            or self._work.writing.has_words
            or any(
                one.tree_id == tree_id and not one.is_closed and one.kind not in IN_NO_MESSAGE
                for one in self._begun.values()
            )
            or not self._text.note_box.isHidden()
            or self._text.dialogue.is_editing
        )

    @property
    def has_words(self) -> bool:
        return any(begun.tree_id == self._work.document.tree.loom.id for begun in self._begun.values())

    def edits(self) -> tuple[BegunText, ...]:
        """The messages of the path that is read whose editors say something else than is saved."""
        document = self._work.document
        if document.tree.loom.mode == "buffer":
            return ()
        here = (begun for begun in self._begun.values() if begun.tree_id == document.tree.loom.id)
        edits = (one for one in here if one.kind == "edit" and one.node_id in document.path)
        return tuple(one for one in edits if not one.is_closed)

    def closed(self) -> tuple[BegunText, ...]:
        """Return the texts of this tree that were put away unfinished, the oldest first; also those whose
        field went with the message or the summary that they were for.
        """
        tree_id = self._work.document.tree.loom.id
        here = (one for one in self._begun.values() if one.tree_id == tree_id)
        return tuple(
            one for one in here if one.is_closed or (one.kind in ("edit", "card") and not self.has_place(one))
        )

    def has_place(self, begun: BegunText) -> bool:
        """True while what a text was begun on is in the open tree, and can be shown."""
        document, node_id = self._work.document, _message_of(begun)
        is_there = has_place(document.tree, document.agents.by_id(), begun)
        return is_there and (node_id is None or document.place.shown_place(node_id) == node_id)

    def close(self, kind: BegunKind, node_id: str) -> None:
        """Note that its field was put away. Its words stay, and are neither shown nor sent; it opens again
        only where that is asked for, also after a restart.
        """
        begun = self._begun.get((kind, node_id))
        if begun is not None:
            self.keep(replace(begun, is_closed=True))

    def reopen(self, kind: BegunKind, node_id: str) -> None:
        """Go on with it in its field."""
        if kind == "note":
            self.open_note(node_id)
        elif kind == "summary":
            self.open_again(kind, node_id)
            self.summary_wanted.emit(node_id)
        elif kind == "document":
            self.document_wanted.emit(node_id)
        elif kind == "card":
            self.card_wanted.emit(node_id)
        elif kind == "memory":
            self.memory_wanted.emit(node_id)
        else:
            self._text.dialogue.open_editor(node_id, self.text_of(kind, node_id))

    def discard(self, kind: BegunKind, node_id: str) -> None:
        self._typed(kind, node_id, None)

    def open_again(self, kind: BegunKind, node_id: str) -> None:
        """Note that a text that was put away stands in its field again."""
        begun = self._begun.get((kind, node_id))
        if begun is not None and begun.is_closed:
            self.keep(replace(begun, is_closed=False))

    def edited(self) -> tuple[str, str] | None:
        """The one of them that is saved before anything is sent, with its words; see `saving.settle_edit`."""
        begun = self.edits()
        return (begun[0].node_id, begun[0].text) if len(begun) == 1 else None

    def keep(self, begun: BegunText) -> None:
        self._begun[begun.kind, begun.node_id] = begun
        self.changed.emit()
        self._work.preview.refresh()
        if self.journal is not None:
            self.journal.keep_begun(begun)

    def forget(self, kind: BegunKind, node_id: str) -> None:
        begun = self._begun.pop((kind, node_id), None)
        self.changed.emit()
        if begun is not None:
            self._work.preview.refresh()
        if begun is not None and self.journal is not None:
            self.journal.begun_ended(begun)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Open no field again for a text while it is being saved."""
        before, self._is_held = self._is_held, True
        try:
            yield
        finally:
            self._is_held = before
        self.show()

    def show(self) -> None:
        """Open the fields again of what is begun on this path; the keyboard stays where it is. Nobody has it
        before the window is active: then an edit that is open again gets it, which is gone on with.
        """
        if self._is_held or not self._begun:
            return
        active = QApplication.focusWidget()
        had = active or self._text.focusWidget()  # who has it once the window is active
        opened = [begun.kind for begun in tuple(self._begun.values()) if self._opens(begun)]
        goes_on = active is None and "edit" in opened
        if opened and not goes_on and had is not None and had.isVisibleTo(self._text):
            had.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_note(self, node_id: str) -> None:
        """Open the field for a note on a node, or for that note itself, with what was begun of it."""
        tree = self._work.document.tree
        text, begun = tree.nodes[node_id].text, self.text_of("note", node_id)
        title = " ".join(text[:TITLE_CHARACTERS].split())
        if tree.annotation_edges_into(node_id):
            self._text.note_box.open_written(node_id, title, text, begun)
        else:
            self._text.note_box.open(node_id, title, begun or "")
        self.open_again("note", node_id)

    def _opens(self, begun: BegunText) -> bool:
        document, dialogue, box = (self._work.document, self._text.dialogue, self._text.note_box)
        if begun.kind not in ("edit", "note"):
            return False  # the inspector, the page or the card opens its field when one goes there
        tree, ids = document.tree, [begun.node_id]
        if begun.kind == "note":  # the edit of one stands where that stands
            edges = tree.annotation_edges_into(begun.node_id)
            ids += [source.node_id for edge in edges for source in edge.sources]
        here = begun.tree_id == tree.loom.id and begun.node_id in tree.nodes and not begun.is_closed
        here = here and any(node_id in document.path for node_id in ids)
        if begun.kind == "note":
            if here and box.isHidden():
                self.open_note(begun.node_id)
                return True
        elif here and not dialogue.is_editing_beside(begun.node_id):
            dialogue.open_editor(begun.node_id, begun.text)
            return True
        return False

    def _typed(self, kind: BegunKind, node_id: str, text: str | None) -> None:
        if text is None:
            self.forget(kind, node_id)
            self._unsaved.drop(f"{kind} {node_id}")
        else:
            self.keep(BegunText(kind, self._work.document.tree.loom.id, node_id, well_formed(text), now()))


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
        says = {
            "edit": tr("Unfinished edit: “{start}”"),
            "note": tr("Unfinished note: “{start}”"),
            "summary": tr("Unfinished summary: “{start}”"),
            "document": tr("Unfinished document: “{start}”"),
            "memory": tr("Unfinished memory: “{start}”"),
            "card": tr("Unfinished summary: “{start}”"),
        }[closed[0].kind]
        start = start_of(closed[0].text, WORDS_SHOWN)
        place = tr("1 of {count}: ").format(count=len(closed)) if len(closed) > 1 else ""
        said, step = place + says.format(start=start), (GO_ON, tr("Go on with it"))
        if not self._writings.has_place(closed[0]):
            said, step = (
                tr("{said} What it was for is gone or deleted.").format(said=said),
                (COPY, tr("Copy it")),
            )
        self._strip.offer(said, (step, (DISCARD, tr("Discard"))), tone="progress")

    def on_act(self, act: str) -> None:
        first: BegunText | None = next(iter(self._writings.closed()), None)
        if first is None:
            return
        if act == COPY:
            copy_words(first.text)
        if act in (COPY, DISCARD):
            self._writings.discard(first.kind, first.node_id)
            return
        node_id = _message_of(first)
        if node_id is not None and node_id not in self._document.path:
            self._document.place.read_through(node_id)
        self._writings.reopen(first.kind, first.node_id)


def _message_of(begun: BegunText) -> str | None:
    """The message that a text is about, of a card that at which the summary is anchored; None if none is."""
    return None if begun.kind in ("document", "memory") else begun.node_id.partition("\0")[0]
