"""The open buffer: its text, what is uncommitted in it, the steps of its typing, and its autosave."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.model.entities import verbatim
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import BufferText, TextChange, difference
from loomapp.core.prose.pending_text import PendingText
from loomapp.core.prose.rebase import place_after
from loomapp.core.prose.typist import Typist
from loomapp.session.document import Document
from loomapp.session.open_tree import USER
from loomapp.session.writing.journalled_text import JournalledText
from loomapp.session.writing.typing_undo import TypingUndo, UncommittedText


class OpenBuffer(QObject):
    """The state that the parts of a `BufferSession` share. While the open tree is no buffer, `current` is
    None and nothing can be written.
    """

    spliced = Signal(object, object)  # TextChange, Initiator: the text changed by other means than typing
    passages_changed = Signal()  # where passages begin, their versions, ways on or authors
    written = Signal()  # the uncommitted text changed: it would be sent, and is kept safe

    def __init__(self, document: Document, autosave: Autosave, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document, self.autosave = document, autosave
        self.current: BufferText | None = None
        self._typist: Typist | None = None  # of the current text
        self.steps, self.journalled = TypingUndo(), JournalledText()
        self.lost: dict[str, PendingText] = {}  # under the pen of nodes that left the path, by node

    def reopen(self) -> None:
        """Take the text of the tree that is open now; nothing is uncommitted in it."""
        tree, path = self.document.tree, self.document.path
        self.current = self._typist = None
        if tree.loom.mode == "buffer":
            self.current = BufferText(tree, path)
            self._typist = Typist(tree, self.current, self.author)
        self.steps.start_over()
        self.lost.clear()
        self.journalled.start_over()
        self.autosave.stop()

    # Facts

    @property
    def text(self) -> BufferText:
        """The text. Only while a buffer is open."""
        assert self.current is not None, "the open tree is no buffer"
        return self.current

    @property
    def typist(self) -> Typist:
        """The typist of the text. Only while a buffer is open."""
        assert self._typist is not None, "the open tree is no buffer"
        return self._typist

    @property
    def author(self) -> Author:
        return Author("human", self.document.grove.owner.id)

    @property
    def working_text(self) -> str:
        """The working buffer; "" where there is none."""
        return "" if self.current is None else self.current.working.text

    @property
    def uncommitted(self) -> UncommittedText:
        """The text that is written and in no node yet."""
        if self.current is None:
            return UncommittedText()
        text = self.current
        penned = {node_id: typed for node_id, typed in text.penned.items() if self.is_changed(node_id)}
        return UncommittedText(penned, text.working, text.awaited or text.node_ids[-1])

    @property
    def has_words(self) -> bool:
        """True if something is written that is no node yet."""
        return self.current is not None and not self.uncommitted.is_nothing

    def is_changed(self, node_id: str) -> bool:
        """True if the text under the pen of a node is other than the node's."""
        node = self.document.tree.nodes.get(node_id)
        return node is None or verbatim(node) != self.text.penned[node_id].text

    def is_here(self, state: UncommittedText | None) -> bool:
        """True if a state of the uncommitted text belongs to the path that is read."""
        if state is None or self.current is None:
            return False
        return state.is_on(self.document.path, self.current.awaited)

    # Places

    def move_places(self, splices: Sequence[TextChange]) -> None:
        """Move the places where writing goes on as the view moves its caret: others changed the text."""
        text = self.text

        def moved(place: int | None) -> int | None:
            return None if place is None else place_after(place, splices)

        text.pen_at, text.composed_at = moved(text.pen_at), moved(text.composed_at)
        self.steps.next_at = moved(self.steps.next_at)

    # Telling

    def tell(self) -> None:
        """Tell that the writer changed the uncommitted text: the pause before it is saved begins anew."""
        self.autosave.restart(has_words=self.has_words)
        self.keep()
        self.written.emit()
        self.passages_changed.emit()

    def tell_splice(self, before: str) -> None:
        """Tell that the uncommitted text changed, and the view what that makes of the text it shows."""
        self.tell()
        splice = difference(before, self.text.text)
        if splice is not None:
            self.spliced.emit(splice, USER)

    def keep(self) -> None:
        """Keep the uncommitted text in the journal."""
        if self.current is not None:
            tree_id, leaf_id = self.document.tree.loom.id, self.document.path_ids[-1]
            lost, awaited = self.lost.keys(), self.current.awaited
            self.journalled.keep(tree_id, leaf_id, self.uncommitted, lost, awaited)


SAVE_AFTER_MS = 5_000  # without a key; 0 for never


def anyone_may() -> bool:
    """Allow it always: nothing is composed."""
    return True


class Autosave(QObject):
    """A timer for the pause of a writer: then it calls `save`, unless `may_save` forbids it for now."""

    def __init__(self, save: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._save = save
        self.may_save: Callable[[], bool] = anyone_may
        self.pause = QTimer(self)
        self.pause.setSingleShot(True)
        self.pause.timeout.connect(self.on_pause)

    def restart(self, *, has_words: bool) -> None:
        """Begin the pause anew if there are words to save, else wait for nothing."""
        if has_words and SAVE_AFTER_MS:
            self.pause.start(SAVE_AFTER_MS)
        else:
            self.pause.stop()

    def start_soon(self) -> None:
        """Save with the pause that is under way, or at once if that is over."""
        if SAVE_AFTER_MS and not self.pause.isActive():
            self.pause.start(0)

    def stop(self) -> None:
        self.pause.stop()

    def on_pause(self) -> None:
        if self.may_save():
            self._save()
        else:
            self.pause.start(SAVE_AFTER_MS)
