"""The open buffer: its text, what of it is uncommitted and kept in the journal, its typing, its autosave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.model.entities import verbatim
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import BufferText, PendingText, TextChange, difference
from loomapp.core.prose.edit_session import Typist
from loomapp.core.prose.passage_change import place_after
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.open_tree import USER
from loomapp.session.recovery import BegunText, BehindText, behind_slot
from loomapp.session.writing.typing_undo import TypingUndo, UncommittedText
from loomapp.store.files.drafts import Slot
from loomapp.store.identity import now


class JournalledText:
    """Text kept in the journal, of one tree at a time. Without a journal nothing is kept, and no id is known
    beforehand.
    """

    def __init__(self) -> None:
        self._journal: Journal | None = None
        self._kept: frozenset[str] = frozenset()  # nodes whose edits are in the journal
        self._awaited = ""  # the answer behind which the working buffer is in the journal; "" for none
        self._ended: list[tuple[str, str]] = []  # behind answers, before there was a journal

    def use(self, journal: Journal) -> None:
        """Keep them in a journal from now on."""
        self._journal = journal
        for tree_id, answer_id in self._ended:
            journal.behind_ended(tree_id, answer_id)
        self._ended.clear()

    def start_over(self) -> None:
        """Begin with another tree: what was kept of the one before stays in the journal."""
        self._kept, self._awaited = frozenset(), ""

    def took_behind(self, answer_id: str) -> None:
        """Take note that the words in the journal behind an answer stand in the working buffer now."""
        self._awaited = answer_id

    def put_behind(self) -> None:
        """Take note that words behind an answer have left the working buffer; the journal keeps them."""
        self._awaited = ""

    def behind_ended(self, tree_id: str, answer_id: str) -> None:
        """Forget words behind an answer: they are a node."""
        if self._journal is None:
            self._ended.append((tree_id, answer_id))
        else:
            self._journal.behind_ended(tree_id, answer_id)

    def keep(
        self,
        tree_id: str,
        leaf_id: str,
        words: UncommittedText,
        lost: AbstractSet[str],
        awaited: str = "",
    ) -> None:
        """Keep what is written now; the words in nodes that are `lost` stay as they were kept last. The path
        ends at a leaf; the working buffer waits for an answer to it, if one is `awaited`.
        """
        if self._journal is None:
            return
        at = now()
        for node_id, typed in words.penned.items():
            self._journal.keep_begun(BegunText("edit", tree_id, node_id, typed.text, at, typed.pieces))
        for node_id in self._kept - words.penned.keys() - lost:
            self._journal.begun_ended(BegunText("edit", tree_id, node_id, "", at))
        self._kept = frozenset(words.penned.keys() | lost)
        text = words.working.text
        if self._awaited and self._awaited != awaited:
            self._journal.behind_goes_on(tree_id, self._awaited, "" if awaited else text, leaf_id)
        if awaited and text:
            self._journal.keep_behind(BehindText(tree_id, awaited, leaf_id, text, at))
        elif awaited and self._awaited == awaited:
            self._journal.behind_ended(tree_id, awaited)
        self._awaited = awaited if text else ""
        self._journal.keep_composer(tree_id, "" if awaited else text, leaf_id)

    def coming_id_behind(self, tree_id: str, answer_id: str) -> str | None:
        """The id that the node of words behind an answer is to have; None if any will do."""
        return None if self._journal is None else self._journal.coming_id(behind_slot(tree_id, answer_id))

    def coming_ids(self, tree_id: str, node_ids: Iterable[str]) -> dict[str, str]:
        """The ids that versions of nodes under the pen are to have, by the nodes; see `Journal.coming_id`."""
        journal = self._journal
        if journal is None:
            return {}
        return {node_id: journal.coming_id(Slot(tree_id, "edit", node_id)) for node_id in node_ids}

    def coming_id(self, tree_id: str) -> str | None:
        """The id that the node of the working buffer is to have; None if any will do."""
        return None if self._journal is None else self._journal.coming_id(Slot(tree_id, "composer"))


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
