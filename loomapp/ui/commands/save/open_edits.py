"""Edits and notes while they are written: kept as they are typed, whatever is shown meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from loomapp.core.model.content import well_formed
from loomapp.session.recovery import BegunKind, BegunText
from loomapp.store.identity import now

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

TITLE_CHARACTERS = 200


class Writings:
    """What is begun and neither saved nor left, by kind and node: the newest words, also of a field that is
    not on the screen any more. The journal has them too.
    """

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._begun: dict[tuple[BegunKind, str], BegunText] = {}
        self._is_held = False

    def wire(self) -> None:
        """Hear what is typed; to be called when the views are wired, as it shows after them."""
        window, box = self._window, self._window.text_pane.note_box
        window.document.has_words = self.are_under_way
        window.preview.look_at_edit = self.edited
        window.dialogue.edit_typed.connect(self.on_edit_typed)
        box.typed.connect(self.on_note_typed)
        window.document.tree_opened.connect(lambda _: self.show())
        window.document.tree_changed.connect(lambda _: self.show())

    def on_edit_typed(self, node_id: str, text: object) -> None:
        """An edit as it stands in its field; None: as it is saved."""
        self._typed("edit", node_id, text if isinstance(text, str) else None)

    def on_note_typed(self, node_id: str, text: str) -> None:
        """A note as it stands in its field; a blank one is none."""
        self._typed("note", node_id, text if text.strip() else None)

    def text_of(self, kind: BegunKind, node_id: str) -> str | None:
        """The newest words; None if nothing is begun."""
        begun = self._begun.get((kind, node_id))
        return None if begun is None else begun.text

    def are_under_way(self) -> bool:
        """True while words stand anywhere that are meant for what is read, or an editor waits for some."""
        window = self._window
        tree_id = window.document.tree.loom.id
        return (
            bool(window.composer.text.strip() or window.preview.enclosed.blocks)
            or window.writing.has_words
            or any(begun.tree_id == tree_id for begun in self._begun.values())
            or not window.text_pane.note_box.isHidden()
            or window.dialogue.is_editing
        )

    @property
    def has_words(self) -> bool:
        """True if an edit or a note of this tree is begun."""
        return any(begun.tree_id == self._window.document.tree.loom.id for begun in self._begun.values())

    def edits(self) -> tuple[BegunText, ...]:
        """The messages of the path that is read whose editors say something else than is saved."""
        document = self._window.document
        if document.tree.loom.mode == "buffer":
            return ()
        here = (begun for begun in self._begun.values() if begun.tree_id == document.tree.loom.id)
        return tuple(one for one in here if one.kind == "edit" and one.node_id in document.path)

    def edited(self) -> tuple[str, str] | None:
        """The one of them that is saved before anything is sent, with its words; see `saving.settle_edit`."""
        begun = self.edits()
        return (begun[0].node_id, begun[0].text) if len(begun) == 1 else None

    def keep(self, begun: BegunText) -> None:
        """It is begun, and not saved."""
        self._begun[begun.kind, begun.node_id] = begun
        self._window.draft_state.show()
        self._window.preview.refresh()
        if self._window.journal is not None:
            self._window.journal.keep_begun(begun)

    def forget(self, kind: BegunKind, node_id: str) -> None:
        """It is saved, or not wanted."""
        begun = self._begun.pop((kind, node_id), None)
        self._window.draft_state.show()
        if begun is not None:
            self._window.preview.refresh()
        if begun is not None and self._window.journal is not None:
            self._window.journal.begun_ended(begun)

    @contextmanager
    def held(self) -> Iterator[None]:
        """While one is saved, no field opens again for it."""
        before, self._is_held = self._is_held, True
        try:
            yield
        finally:
            self._is_held = before
        self.show()

    def show(self) -> None:
        """Open the fields again of what is begun on this path; the keyboard stays where it is."""
        if self._is_held or not self._begun:
            return
        had = QApplication.focusWidget()
        opened = [begun for begun in tuple(self._begun.values()) if self._opens(begun)]
        if opened and had is not None and had.isVisible():
            had.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_note(self, node_id: str) -> None:
        """The field for a note on a node, with what was begun of it."""
        window = self._window
        title = " ".join(window.document.tree.nodes[node_id].text[:TITLE_CHARACTERS].split())
        window.text_pane.note_box.open(node_id, title, self.text_of("note", node_id) or "")

    def _opens(self, begun: BegunText) -> bool:
        document, dialogue, box = (
            self._window.document,
            self._window.dialogue,
            self._window.text_pane.note_box,
        )
        here = begun.tree_id == document.tree.loom.id and begun.node_id in document.path_ids
        if begun.kind == "note":
            if here and box.isHidden():
                self.open_note(begun.node_id)
                return True
        elif here and not dialogue.is_editing_beside(begun.node_id):
            dialogue.open_editor(begun.node_id, begun.text)
            return True
        return False

    def _typed(self, kind: BegunKind, node_id: str, text: str | None) -> None:
        window = self._window
        if text is None:
            self.forget(kind, node_id)
            window.unsaved.drop(f"{kind} {node_id}")
        else:
            self.keep(BegunText(kind, window.document.tree.loom.id, node_id, well_formed(text), now()))
