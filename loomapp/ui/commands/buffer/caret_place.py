"""Caret and pointer in a buffer: what is written there, the passage that keys and panels are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loomapp.core.model.change import Change
from loomapp.core.paths.navigation import brought_back
from loomapp.core.prose.buffer_text import TextChange
from loomapp.core.uncommitted_tree import UncommittedTree
from loomapp.session.open_tree import TYPING_UNDONE, Initiator
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.buffer.text.editor import word_end
from loomapp.ui.buffer.text.view_text import Splice
from loomapp.ui.widgets.keyboard import focused_beside
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.workbench import Workbench


class EditorInput:
    """Of one desk. While it is handed over the editor is ahead of the session, and is not shown the text."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._desk, self._bench = desk, bench
        self.is_under_way = False

    def on_spliced(self, splice: Splice) -> None:
        writing, continuation = self._desk.writing, self._desk.continuation
        text, is_behind = splice.text, self._desk.view.editor.is_behind
        writing.beside.stand_behind(is_behind)
        if text and not text[0].isspace() and not is_behind:
            text = continuation.left_out_at(splice.begin) + text
        continuation.forget_left_out()
        behind: list[int] = []
        was_shown = self._take(lambda _: behind.append(writing.input.typed(splice.begin, splice.end, text)))
        if behind and not was_shown:  # others have changed the text meanwhile, or a space came or went
            self._put_caret(behind[0], is_behind=is_behind)

    def on_words_moved(self, begin: int, end: int, place: int) -> None:
        writing = self._desk.writing
        writing.beside.stand_behind(self._desk.view.editor.is_behind)
        self._take(lambda _: writing.input.moved(begin, end, place))

    def on_composed(self) -> None:
        """End the input method's composing: its words stand in the text, or are gone."""
        if self._desk.is_on:
            self._desk.buffer_text.composed_at = None

    def _take(self, act: Callable[[Workbench], None]) -> bool:
        """Have the session take in what the editor shows; False if the text is another than that."""
        self.is_under_way = True
        try:
            self._bench.frame.run_beside_text(act)  # what is offered was settled before the editor showed it
        finally:
            self.is_under_way = False
        if self._desk.text == self._desk.view.editor.text:
            return True
        self._desk.show_text()
        return False

    def _put_caret(self, position: int, *, is_behind: bool) -> None:
        """The caret at a place of the text; where an answer stands that is not done, before or behind it."""
        desk = self._desk
        desk.place.put_caret(position)
        if is_behind and position == desk.view.editor.tail_at:
            with desk.place.moving():
                desk.view.editor.put_caret_behind(0)


_NOWHERE = None, 0


class TakingBack:
    """Undo and redo at a desk: the caret goes to the change, to be looked at."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._bench = bench
        self._desk = desk
        self._at: int | None = None  # where a change at the end of the text was undone
        self._start: int | None = None  # where the text was changed last
        self._kept: int | None = None  # where the caret stays beside that; None within it
        self._left: tuple[int | None, int] = _NOWHERE  # where text was taken out last, and the caret then

    def undo_typing(self) -> bool:
        return self._with_caret(self._desk.writing.undo.undo_typing)

    def redo_typing(self) -> bool:
        return self._with_caret(self._desk.writing.undo.redo_typing)

    def change(self, undo: Callable[[], Change | None]) -> Change | None:
        """Undo a change. The writer comes to its place at the end, or where he deleted what is back."""
        self._at, self._start, desk = None, None, self._desk
        read, place, count = desk.text, desk.place.writer_at, len(desk.buffer_text)
        change = undo()
        if not desk.is_on or change is None:
            return change
        if brought_back(change):
            self._return()
        elif self._at is not None:
            behind = desk.text[self._at :]  # spaces that come again with it were typed before it
            gone = change.removed_nodes()
            is_out = self._at == self._left[0] or any(node.author_type == "model" for node in gone)
            at = self._at if is_out else word_end(desk.text, self._at)  # an edit may begin in a word
            desk.place.put_caret(at if behind.strip(" ") else len(desk.text))
        elif place is not None and desk.text == read:  # passages came apart or together: he stays where he is
            desk.place.put_caret(place)
        else:
            self._bring_into_view(count)
        return change

    def again(self, redo: Callable[[], Change | None]) -> Change | None:
        """Redo a change, and bring what it changed into view."""
        self._at, self._start, count = None, None, len(self._desk.buffer_text)
        change = redo()
        if self._desk.is_on and change is not None:
            self._bring_into_view(count)
        return change

    def _bring_into_view(self, count: int) -> None:
        """Scroll to what was changed. A writer who has the keyboard there comes along where words were taken
        out, or only words of as many passages changed; so does one who stood in these or is moved by that.
        """
        start, desk = self._start, self._desk
        if start is None:
            return
        is_out, is_writer = start == self._left[0], desk.place.writer_at is not None
        is_as_many, is_moved = len(desk.buffer_text) == count, desk.view.editor.caret != self._kept
        if (is_writer and is_out) or (is_as_many and (is_writer or is_moved)):
            desk.place.put_caret(start if is_out else word_end(desk.text, start))
        else:
            desk.view.editor.show_place(start)

    def _return(self) -> None:
        start, caret = self._left
        self._left = _NOWHERE
        if start is not None and start == self._start:
            self._desk.place.put_caret(caret)
        else:
            self._desk.place.reveal(self._bench.work.document.current_id)

    def shown(self, splice: TextChange, initiator: Initiator, *, was_at_end: bool, caret: int) -> None:
        """The session changed the text; the writer may have been at its end, his caret was somewhere."""
        if was_at_end:
            self._at = splice.start
        self._start = splice.start
        is_within = splice.start < caret < splice.end
        self._kept = None if is_within else caret if caret <= splice.start else caret + splice.shift
        if not splice.text:
            self._left = splice.start, caret
        if initiator is TYPING_UNDONE:
            editor, place = self._desk.view.editor, splice.start + len(splice.text)
            with self._desk.place.moving():
                if self._desk.buffer_text.is_behind and place >= editor.tail_at:
                    editor.put_caret_behind(place - editor.tail_at)
                else:
                    editor.set_caret(place)

    def _with_caret(self, take: Callable[[], bool]) -> bool:
        was_there = take()
        if self._desk.is_on:
            self._desk.place.sync()
        return was_there


class CaretPlace:
    """Caret of the buffer: its node is the current one, and other parts of the window move it."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._bench = bench
        self._desk = desk
        self._is_moving = False  # while the program puts the caret somewhere
        self._was_in_last_words = False
        self._read_ids: frozenset[str] = frozenset()  # of the passages that were shown last

    def on_moved(self, position: int) -> None:
        """The caret stands elsewhere: that passage is the one that keys and panels are about."""
        if self._is_moving or not self._desk.is_on:
            return
        with self.moving():
            self._desk.writing.go_to(position)
            # The caret moves if others wrote meanwhile.
            self._bench.work.document.place.set_current(self.node_at_caret)
        if self.is_in_last_words != self._was_in_last_words:  # what can be done is told of current nodes
            self._was_in_last_words = self.is_in_last_words
            self._bench.actions.refresh()
        self.show()

    @property
    def node_at_caret(self) -> str:
        """The node whose passage the caret is in, between two the one above, which Generate continues from
        there; of what is written at the end, the last.
        """
        return self._node_at(self._desk.view.editor.caret)

    @property
    def is_in_last_words(self) -> bool:
        """True if the caret is in what continues the path and is no node yet: it becomes the current one."""
        desk, position = self._desk, self.writer_at
        if not desk.is_on or not desk.buffer_text.last_words or position is None:
            return False
        document, text = self._bench.work.document, desk.buffer_text
        is_at_end = document.current_id == document.path_ids[-1]
        return is_at_end and text.passage_at(min(position, text.length)).node_id is None

    @property
    def writer_at(self) -> int | None:
        """The place of the caret; None while the keyboard is in another part of the window, which keys act
        on then: words that become a node meanwhile leave it the node that was chosen there.
        """
        editor, text_pane = self._desk.view.editor, self._bench.views.text_pane
        focused = focused_beside(editor)
        is_elsewhere = focused is not None and not text_pane.isAncestorOf(focused)
        return None if is_elsewhere else editor.caret

    def _node_at(self, position: int) -> str:
        buffer_text = self._desk.buffer_text
        passage = buffer_text.passage_at(position)
        if 0 < passage.start == position < buffer_text.end:
            passage = buffer_text.passage(passage.place - 1)
        return passage.node_id or self._bench.work.document.path_ids[-1]

    def put_caret(self, position: int) -> None:
        """Put the caret somewhere, in view; its passage becomes the current one."""
        with self.moving():
            self._desk.view.editor.set_caret(min(position, len(self._desk.view.editor.text)))
        self.sync()

    def sync(self) -> None:
        self.on_moved(self._desk.view.editor.caret)

    def stay(self) -> None:
        """An answer came to the path, and the caret did not go along with it: nor does the current node."""
        bench = self._bench
        if (
            bench.work.generator.answers.committing
            and bench.work.document.current_id == bench.work.document.path_ids[-1]
        ):
            self.sync()

    def know_passages(self) -> None:
        """Remember which passages are read, to tell the next that is not one of them."""
        self._read_ids = frozenset(self._desk.buffer_text.node_ids)

    def leave_new_passage(self) -> None:
        """Put the caret at the end of a passage that was not read until now, if it stands within that: a text
        that took the place of another leaves it before what both end with.
        """
        buffer_text, caret = self._desk.buffer_text, self._desk.view.editor.caret
        node_id = self.node_at_caret
        place = None if node_id in self._read_ids else buffer_text.place_of(node_id)
        if place is None:
            return
        passage = buffer_text.passage(place)
        if passage.start < caret < passage.end:
            with self.moving():
                self._desk.view.editor.set_caret_quietly(passage.end)

    def show(self) -> None:
        """Update the preview of what Generate would send from here. Call it whenever path, caret or current
        node move, by whomever: what is shown is what is sent.
        """
        if self._desk.is_on:
            preview = self._bench.work.preview
            preview.set_composer_text("")
            preview.refresh()

    def ahead(self) -> UncommittedTree | None:
        """Return the tree to which Generate comes from here; None where no buffer is read. Raises:
        InvalidInput.
        """
        if not self._desk.is_on:
            return None
        document, continuation = self._bench.work.document, self._desk.continuation
        if document.current_id not in document.path:  # a card beside the text was chosen
            return continuation.ahead_beside(document.current_id)
        offered, caret = self._desk.ghosts.once_settled()
        if self._desk.filling.is_meant:
            return continuation.ahead_filling(caret, offered)
        return continuation.ahead(caret, offered)

    def reveal(self, node_id: str) -> None:
        """A node was selected elsewhere: the caret stands at its end, its beginning is in view."""
        if not self._desk.is_on:
            return
        place = self._desk.buffer_text.place_of(node_id)
        if place is not None and not self._passage_before(self._desk.view.editor.caret, node_id):
            self._go_to_end_of(place)

    def _go_to_end_of(self, place: int) -> None:
        """Put the caret at the end of a passage; its beginning is in view."""
        passage = self._desk.buffer_text.passage(place)
        with self.moving():
            self._desk.view.editor.set_caret(passage.end)
        self._desk.view.editor.bring_into_view(passage.start, passage.end)

    def reveal_start(self, node_id: str) -> None:
        place = self._desk.buffer_text.place_of(node_id)
        if place is None:
            return
        passage = self._desk.buffer_text.passage(place)
        with self.moving():
            self._desk.view.editor.set_caret_quietly(passage.end)
        self._desk.view.editor.bring_into_view(passage.start, passage.start)

    def end_of(self, node_id: str) -> int | None:
        """Return the place behind all that belongs to a node of the path; None for the last, to which what is
        written after it belongs.
        """
        buffer_text = self._desk.buffer_text
        place = buffer_text.place_of(node_id)
        is_last = place is None or place == len(buffer_text.node_ids) - 1
        return None if place is None or is_last else buffer_text.passage(place).end

    def to_end(self) -> None:
        with self.moving():
            self._desk.view.editor.set_caret(len(self._desk.view.editor.text))
        self._desk.view.editor.show_end()
        self.show()

    @contextmanager
    def kept(self, anchor: int, caret: int) -> Iterator[None]:
        """Keep the writer in place while the program changes what is read, with his selection and what he had
        in view.
        """
        editor = self._desk.view.editor
        top = editor.verticalScrollBar().value()
        with self.moving():
            yield
            end = len(editor.text)
            editor.select(min(anchor, end), min(caret, end))
            editor.verticalScrollBar().setValue(top)
        self.sync()

    def edit(self, node_id: str) -> None:
        """Put the caret at the end of a passage, to write in it."""
        self.reveal(node_id)
        self.on_card_clicked(node_id)
        self._desk.view.editor.setFocus()

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Move the caret by the program: the current node does not follow it."""
        before, self._is_moving = self._is_moving, True
        try:
            yield
        finally:
            self._is_moving = before

    def on_card_clicked(self, node_id: str) -> None:
        """Put the caret at the end of the passage of a card, unless it is within that: also out of words
        after it that are in no node, and from before its first character, where the passage above ends.
        """
        place = self._desk.buffer_text.place_of(node_id) if self._desk.is_on else None
        if place is None:
            return
        passage, caret = self._desk.buffer_text.passage(place), self._desk.view.editor.caret
        if not passage.start < caret <= passage.end:
            self._go_to_end_of(place)

    def _passage_before(self, caret: int, node_id: str) -> bool:
        """True if the caret is in a passage, or at its end; what is written after the last belongs to it."""
        buffer_text = self._desk.buffer_text
        place = buffer_text.place_of(node_id)
        if place is None:
            return False
        passage = buffer_text.passage(place)
        end = buffer_text.length if place == len(buffer_text.node_ids) - 1 else passage.end
        return passage.start <= caret <= end


class Pointing:
    """Pointer shared by the text of a buffer and the graph."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._bench = bench
        self._desk = desk

    def on_node_picked(self, position: int) -> None:
        passage = self._desk.buffer_text.passage_at(position)
        node_id = passage.node_id or self._bench.work.document.path_ids[-1]
        with self._desk.place.moving():
            self._bench.work.document.place.set_current(node_id)
        self._bench.views.graph.ensure_visible(node_id)

    def on_pointed(self, position: int) -> None:
        """Light up the passage under the pointer in the graph, and say its author."""
        if not self._desk.is_on:
            return
        node_id = ""
        if position >= 0:
            node_id = self._desk.buffer_text.passage_at(position).node_id or ""
        self._bench.views.graph.set_hovered(node_id)
        self._desk.view.editor.viewport().setToolTip(plain_tip(self._desk.view.colouring.name_at(position)))

    def set_hovered(self, node_id: str) -> None:
        if not self._desk.is_on:
            return
        place = self._desk.buffer_text.place_of(node_id) if node_id else None
        self._desk.view.margins.set_hovered("" if place is None else node_id)
