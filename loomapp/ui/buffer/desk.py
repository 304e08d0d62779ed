"""The desk of a buffer: what the editor shows of the tree, and what becomes of what is written in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication

from loomapp.core.context.fates import ShownFates
from loomapp.core.errors import LoomError
from loomapp.core.generation import LiveDraft
from loomapp.core.manuscript import Manuscript, Passage
from loomapp.core.manuscript import Splice as Moved
from loomapp.core.settings import Settings
from loomapp.core.tree import Tree
from loomapp.session.passages import Passages
from loomapp.session.recovery import BegunText
from loomapp.ui.buffer.acts import context_at
from loomapp.ui.buffer.beside import beside_in_view
from loomapp.ui.buffer.controls import BufferControls
from loomapp.ui.buffer.cutting import cuts_of
from loomapp.ui.buffer.ghosts import Ghosts
from loomapp.ui.buffer.head import BufferHead
from loomapp.ui.buffer.search import Search
from loomapp.ui.buffer.tail import Tail, offers_of_drafts
from loomapp.ui.buffer.text_widths import TextWidths
from loomapp.ui.buffer.turning import Turning
from loomapp.ui.buffer.view import BufferView
from loomapp.ui.buffer.view_text import Splice
from loomapp.ui.buffer.word_count import Sum, WordCount, words_in
from loomapp.ui.dialogue.halts import halt_of
from loomapp.ui.media.drops import TextDrop
from loomapp.ui.saving.offers import Offer
from loomapp.ui.saving.unsaved import Unsaved, is_no_room
from loomapp.ui.strings import tr
from loomapp.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

COUNT_AFTER_MS = 400
WRITING = "writing"


class BufferDesk(QObject):
    """One for a window; does nothing while a dialogue is read. The text itself is the session's."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window, self.writing = window, window.writing
        self.passages = Passages(window.document, window.writing)
        self.tail = Tail()
        self._is_shown = False
        self._widths = TextWidths(window)
        self.fates: Mapping[str, str] = {}
        self._view: BufferView | None = None
        self._controls: BufferControls | None = None
        self._is_undoing = False
        self._is_typing = False  # while the session takes in what the editor shows already
        self._is_moving = False  # while the program puts the caret somewhere
        self._words, self._sum = WordCount(), Sum()
        self._counting: Iterator[Sum | None] | None = None
        self._count_soon = QTimer(self)
        self._count_soon.setSingleShot(True)
        self._count_soon.timeout.connect(self.on_count_due)

    # Parts.

    @property
    def view(self) -> BufferView:
        """The widgets; made when a buffer is read first."""
        if self._view is None:
            self._view = self.window.text_pane.buffer
            self._build(self._view)
        return self._view

    @property
    def is_on(self) -> bool:
        """True while the text of a buffer is shown, and it is the one that is read."""
        return self._is_shown and self.writing.is_open

    @property
    def manuscript(self) -> Manuscript:
        """The text that is shown, by its passages."""
        return self.writing.manuscript

    @property
    def text(self) -> str:
        """All of it, as it stands now."""
        return self.manuscript.text

    @property
    def has_focus(self) -> bool:
        """True while the keyboard is in the text."""
        return self.is_on and self.view.editor.hasFocus()

    def _build(self, view: BufferView) -> None:
        window, editor = self.window, view.editor
        self.turning, self.ghosts, self.search = Turning(self, view), Ghosts(self, view), Search(self, view)
        controls = self._controls = BufferControls(window.composer)
        window.composer.add_control(controls)
        controls.setting_asked.connect(
            lambda name, value: window.run_command(lambda w: w.preferences.put(name, value))
        )
        view.margins.look = lambda: beside_in_view(self, view)
        TextDrop(window, editor)
        editor.spliced.connect(self.on_spliced)
        editor.caret_moved.connect(self.on_caret_moved)
        editor.selectionChanged.connect(self.show_words)
        editor.generate_pressed.connect(window.actions_set.by_name["generate"].trigger)
        editor.node_picked.connect(self.on_node_picked)
        editor.pointed.connect(self.on_pointed)
        view.halt_act_asked.connect(self.on_halt_act)
        self.head = BufferHead(window.text_pane)
        window.text_head.add_part(self.head)
        self.put_to_use(window.preferences.settings)

    def wire(self) -> None:
        """Hear of the text from the session."""
        writing = self.writing
        writing.shown.connect(self.on_shown)
        writing.spliced.connect(self.on_session_spliced)
        writing.passages_changed.connect(self.on_passages_changed)
        writing.written.connect(self.on_written)
        writing.failed.connect(self.on_not_committed)
        writing.stranded.connect(self.on_stranded)

    def on_shown(self) -> None:
        """Another text."""
        self.show_tree(self.window.document.tree)

    def on_session_spliced(self, splice: Moved) -> None:
        """The session changed the text. What undo changes is looked at."""
        if not self.is_on or self._is_typing:
            return
        self.show_text()
        if self._is_undoing:
            with self.moving():
                self.view.editor.set_caret(splice.start + len(splice.text))

    def undo_typing(self) -> bool:
        """Take back a step of typing. False if there is none."""
        with self._undoing():
            return self.writing.undo_typing()

    def redo_typing(self) -> bool:
        """Bring back a step of typing. False if there is none."""
        with self._undoing():
            return self.writing.redo_typing()

    @contextmanager
    def _undoing(self) -> Iterator[None]:
        self._is_undoing = True
        try:
            yield
        finally:
            self._is_undoing = False
        if self.is_on:
            self.sync()

    def on_passages_changed(self) -> None:
        """Where passages begin, or what stands beside them."""
        if self.is_on and not self._is_typing:
            self.view.editor.colour_anew()
            self.view.margins.place_soon()

    def on_not_committed(self, error: LoomError) -> None:
        """It stands in the text and in the journal still, and is tried again."""
        window, writing = self.window, self.writing
        if is_no_room(error):
            words = lambda: self.text if self.is_on else ""  # noqa: E731
            thing = Unsaved(
                WRITING, tr("what you wrote"), writing.commit, words, is_journalled=True, error=error
            )
            window.unsaved.keep(thing)
        else:
            window.show_error(error)

    def on_stranded(self, begun: BegunText) -> None:
        """Words whose passage another program took away: the user's to copy."""
        start = " ".join(begun.text[:60].split())
        sentence = tr("An edit was not finished, and its message is gone: “{start}…”").format(start=start)
        copy = partial(QGuiApplication.clipboard().setText, begun.text)
        self.window.offers.add(Offer(f"edit {begun.node_id}", sentence, tr("Copy it"), copy))

    def put_to_use(self, settings: Settings) -> None:
        """How a writer wants it."""
        if self._view is None or self._controls is None:
            return
        view = self._view
        self._controls.show_settings(settings)
        view.colouring.authorship = "colour" if settings.authorship == "colour" else "margin"
        view.margins.shows_bars = settings.authorship != "off"
        view.margins.shows_boundaries = settings.passage_boundaries
        view.editor.set_typewriter(settings.typewriter_scrolling)
        view.editor.enter_generates = settings.enter_sends
        view.editor.colour_anew()
        view.margins.place_soon()
        if not settings.ghost_preview:
            self.ghosts.dismiss()

    # Showing.

    def show_tree(self, tree: Tree) -> None:
        """Another tree is read: its text, if it is a buffer."""
        self._is_shown = tree.loom.mode == "buffer"
        self.tail.clear()
        if self.is_on != self.window.text_pane.is_prose:
            self.window.text_pane.set_prose(self.is_on)
            self._widths.turn_over(is_prose=self.is_on)
        if self._controls is not None:
            self._controls.setVisible(self.is_on)
            self.head.setVisible(self.is_on)
        if not self.is_on:
            self.window.status.show_words(None)
            return
        view = self.view
        assert self._controls is not None, "it is made with the view"
        self._controls.show()
        self.head.show()
        view.versions.leave()
        view.find_bar.leave()
        view.show_ghost(0)
        view.show_halt(None)
        view.margins.set_cuts(())
        view.colouring.show(self.manuscript, tree, self.window.document.agents())
        view.editor.setReadOnly(self.window.document.grove.read_only)
        with self.moving():
            view.editor.start_over(self.text)
            view.editor.set_caret(len(self.text))
        self._words = WordCount()
        self.show_path()

    def show_path(self) -> None:
        """The path, the tree or the agents are others: the text as it is now, and what streams after it."""
        document = self.window.document
        if (document.tree.loom.mode == "buffer") != self.is_on:
            self.show_tree(document.tree)
            return
        if not self.is_on:
            return
        view = self.view
        editor = view.editor
        was_at_end = editor.is_at_end
        followed = self.view.editor.is_end_in_view
        view.colouring.show(self.manuscript, document.tree, document.agents())
        if not self._is_typing:  # then the editor is ahead
            self._put_text(was_at_end=was_at_end)
        self.show_drafts(self.window.generator.drafts(document.tree.loom.id))
        editor.colour_anew()
        view.margins.place_soon()
        self.turning.refresh()
        if followed and was_at_end:
            editor.show_end()
        self.show_place()
        self.count_soon()

    def show_drafts(self, drafts: tuple[LiveDraft, ...]) -> None:
        """Drafts came or went."""
        if not self.is_on:
            return
        leaf = self.window.document.path_ids[-1]
        live = offers_of_drafts(drafts, leaf)
        self.ghosts.refresh(live, leaf)
        self.show_tail()

    def drafts_grew(self, drafts: Iterable[LiveDraft]) -> None:
        """More text of some drafts; the end is followed while it is in view."""
        if not self.is_on:
            return
        grown = {live.key: live for live in drafts if live.parent_id == self.window.document.path_ids[-1]}
        if grown:
            self.tail.grew(grown)
            shown = self.tail.shown
            if shown is not None and shown.key in grown:
                self.show_tail()

    def show_tail(self) -> None:
        """What stands after the end is another."""
        view = self.view
        followed = self.view.editor.is_end_in_view
        shown = self.tail.shown
        with self.moving():
            view.editor.set_tail(self.tail.runs(view.colouring))
        view.show_halt(None if shown is None or shown.live is None else halt_of(shown.live.draft))
        view.show_ghost(len(self.tail.offers) if self.tail.is_ghost else 0)
        if followed and view.editor.tail_text:
            view.editor.show_end()
        view.margins.place_soon()

    def set_fates(self, fates: ShownFates) -> None:
        """What is sent is another."""
        self.fates = fates
        if self.is_on:
            self.view.colouring.set_fates(fates)
            self.view.editor.colour_anew()
            self.view.margins.place_soon()

    def show_cuts(self) -> None:
        """Where what is sent begins."""
        if self.is_on:
            context = self.window.preview.last
            report = None if context is None else context.report
            self.view.margins.set_cuts(cuts_of(self.manuscript, report))

    def _put_text(self, *, was_at_end: bool) -> None:
        """Who writes at the end goes along with it."""
        editor, text = self.view.editor, self.text
        with self.moving():
            editor.show_text(text)
            if was_at_end:
                editor.set_caret_quietly(len(text))

    def show_text(self) -> None:
        """The session changed the text: undo, a replacement, a word taken."""
        view = self.view
        self._put_text(was_at_end=view.editor.is_at_end)
        view.editor.colour_anew()
        view.margins.place_soon()
        self.count_soon()

    def reveal(self, node_id: str) -> None:
        """A node was selected elsewhere: the caret stands at its end, its beginning is in view."""
        if not self.is_on:
            return
        place = self.manuscript.place_of(node_id)
        if place is None or self._passage_before(self.view.editor.caret, node_id):
            return
        passage = self.manuscript.passage(place)
        with self.moving():
            self.view.editor.set_caret(passage.end)
        self.view.editor.bring_into_view(passage.start, passage.end)

    def _passage_before(self, caret: int, node_id: str) -> bool:
        """True if the caret is in a passage, or at its end; what is written after the last belongs to it."""
        manuscript = self.manuscript
        place = manuscript.place_of(node_id)
        if place is None:
            return False
        passage = manuscript.passage(place)
        end = manuscript.length if place == len(manuscript.node_ids) - 1 else passage.end
        return passage.start <= caret <= end

    # What a person does.

    def on_spliced(self, splice: Splice) -> None:
        """Somebody wrote."""
        text = splice.text
        if text and not text[0].isspace():
            text = self.passages.left_out_at(splice.begin) + text
        self.passages.forget_left_out()
        self._is_typing = True
        try:
            self.window.run_command(lambda _: self.writing.typed(splice.begin, splice.end, text))
        finally:
            self._is_typing = False
        if self.manuscript.text != self.view.editor.text:  # it could not be taken: what is true is shown
            self.show_text()

    def put_space_back(self) -> None:
        """A space that a request left out is there again, where no answer took its place."""
        end = self.manuscript.length
        spaces = self.passages.left_out_at(end)
        if spaces:
            self.passages.forget_left_out()
            self.writing.replace(end, end, spaces)

    def on_written(self) -> None:
        """The text is another: what would be sent, how many words, what can be undone."""
        if not self.is_on:
            return
        if not self.writing.has_words:
            self.window.unsaved.drop(WRITING)
        self.show_place()
        self.window.actions_set.refresh()
        self.count_soon()
        self.view.margins.place_soon()

    def on_caret_moved(self, position: int) -> None:
        """The caret stands elsewhere: that passage is the one that keys and panels are about."""
        if self._is_moving or not self.is_on:
            return
        passage = self.passage_of_caret(position)
        node_id = passage.node_id or self.window.document.path_ids[-1]
        with self.moving():
            self.window.document.set_current(node_id)
        self.show_place()

    def passage_of_caret(self, position: int) -> Passage:
        """The passage that a position belongs to."""
        return self.manuscript.passage_at(position)

    def show_place(self) -> None:
        """What Generate would send from here; to be told whenever path, caret or current node move,
        by whomever: what is shown is what is sent.
        """
        if not self.is_on:
            return
        document = self.window.document
        if document.current_id not in document.path:  # a card beside the text was chosen
            self.window.preview.set_place(None, "")
        else:
            caret = self.view.editor.caret
            base_id, text = context_at(self.manuscript, caret)
            if caret >= self.manuscript.length and self.writing.working_text:
                text = self.passages.sent_of(text)
            self.window.preview.set_place(base_id, text)

    def on_node_picked(self, position: int) -> None:
        """Ctrl+click: its card is selected."""
        passage = self.passage_of_caret(position)
        node_id = passage.node_id or self.window.document.path_ids[-1]
        with self.moving():
            self.window.document.set_current(node_id)
        self.window.graph.ensure_visible(node_id)

    def on_pointed(self, position: int) -> None:
        """What the pointer is over lights up in the graph, and says who wrote it."""
        if not self.is_on:
            return
        node_id = ""
        if position >= 0:
            node_id = self.passage_of_caret(position).node_id or ""
        self.window.graph.set_hovered(node_id)
        self.view.editor.viewport().setToolTip(plain_tip(self.view.colouring.name_at(position)))

    def set_hovered(self, node_id: str) -> None:
        """A card lies under the pointer: its passage is marked."""
        if not self.is_on:
            return
        place = self.manuscript.place_of(node_id) if node_id else None
        self.view.margins.set_hovered("" if place is None else node_id)

    def on_halt_act(self, act: str) -> None:
        """Something is to be done about an answer that failed or waits."""
        from loomapp.ui.agents import asking

        shown = self.tail.shown
        if shown is not None and shown.live is not None:
            key = shown.key
            self.window.run_command(lambda w: asking.act_on_draft(w, key, act))

    def turn_to(self, place: int, node_id: str) -> None:
        """Another way on at a place of the text."""
        with self.moving():
            self.window.run_command(lambda _: self.passages.show_sibling(place, node_id))
            self.window.document.set_current(node_id)
        self.reveal_start(node_id)

    def choose_version(self, place: int, version_id: str) -> None:
        """Another version at a place of the text; what is in view stays there."""
        top = self.view.editor.verticalScrollBar().value()
        with self.moving():
            self.window.run_command(lambda _: self.passages.show_version(place, version_id))
        self.view.editor.verticalScrollBar().setValue(top)

    def edit(self, node_id: str) -> None:
        """The caret at the end of a passage, to write in it."""
        self.reveal(node_id)
        self.view.editor.setFocus()

    def put(self, text: str) -> None:
        """Put a text in at the caret, as a person who pastes it would."""
        self.view.editor.put(text)

    def close_popover(self) -> bool:
        """Esc puts the list of versions or the search away. False if none is shown."""
        if self._view is None or self._view.versions.isHidden():
            return False
        self._view.versions.leave()
        return True

    # Keys of the window that mean the passage of the caret.

    def _current_place(self) -> int | None:
        """Where the current node is in the text; None if it is not, or if no buffer is read."""
        return self.window.document.path.place_of(self.window.document.current_id) if self.is_on else None

    def _is_at_tail(self) -> bool:
        document = self.window.document
        if not self.is_on or document.current_id != document.path_ids[-1]:
            return False
        return bool(self.tail.offers or document.tree.living_children(document.current_id))

    def has_siblings(self) -> bool:
        """True if the passage of the caret, or what streams after it, has another beside it."""
        place = self._current_place()
        if self._is_at_tail() and len(self.tail.offers) != 1:
            return True
        return place is not None and self.manuscript.siblings(place).count > 1

    def step_sibling(self, by: int) -> bool:
        """Another way on in the place of the caret's passage. False if it is not the text that is meant."""
        place = self._current_place()
        if self._is_at_tail() and self.turning.turn_tail(by):
            return True
        if place is None:
            return False
        with self.moving():
            self.passages.step_sibling(place, by)
            node_id = self.window.document.path_ids[place]
            self.window.document.set_current(node_id)
        self.reveal_start(node_id)
        return True

    def step_version(self, by: int) -> bool:
        """Another version of the caret's passage. False if it is not the text that is meant."""
        place = self._current_place()
        if place is None:
            return False
        top = self.view.editor.verticalScrollBar().value()
        with self.moving():
            self.passages.step_version(place, by)
        self.view.editor.verticalScrollBar().setValue(top)
        return True

    def choose_draft(self, key: str) -> None:
        """Look at another one of the answers that stream; the path will go on with it."""
        self.tail.choose(key)
        self.window.generator.read_draft(key)
        self.window.graph.set_read_draft(key)
        self.show_tail()

    def read_on(self, node_id: str, until: int | None = None) -> None:
        """The path goes on from its end through a node; or only with the first characters of it."""
        begin = len(self.text)
        with self.moving():
            self.window.document.read(node_id)
            if until is not None:
                self.passages.split_at(begin + until)
                self.window.document.read(self.manuscript.passage_at(begin).node_id or node_id)
        self.to_end()

    def to_end(self) -> None:
        """The caret at the end of the text, in view."""
        with self.moving():
            self.view.editor.set_caret(len(self.view.editor.text))
        self.view.editor.show_end()
        self.show_place()

    def sync(self) -> None:
        """The caret's passage is the current one."""
        self.on_caret_moved(self.view.editor.caret)

    def ask(self, node_id: str) -> None:
        """Ask for continuations of the path's end; with the ghost preview on they are only offered."""
        from loomapp.ui.window import commands

        window = self.window
        ghosts = window.preferences.settings.ghost_preview
        if ghosts:
            self.ghosts.expect(node_id)
        sources = window.preview.pending.sources(node_id)
        commands.ask_model(window, sources, sends_pending=True, follows=not ghosts)

    def reveal_start(self, node_id: str) -> None:
        """The beginning of a passage in view, the caret at its end."""
        place = self.manuscript.place_of(node_id)
        if place is None:
            return
        passage = self.manuscript.passage(place)
        with self.moving():
            self.view.editor.set_caret_quietly(passage.end)
        self.view.editor.bring_into_view(passage.start, passage.start)

    @contextmanager
    def moving(self) -> Iterator[None]:
        """While the program moves the caret, nothing follows from it."""
        before, self._is_moving = self._is_moving, True
        try:
            yield
        finally:
            self._is_moving = before

    # Counting words.

    def count_soon(self) -> None:
        """When writing rests."""
        self._counting = None
        self._count_soon.start(COUNT_AFTER_MS)

    def on_count_due(self) -> None:
        """Count a slice; the next one when the event loop comes round."""
        if not self.is_on:
            return
        if self._counting is None:
            self._counting = self._words.count(self.manuscript)
        done = next(self._counting)
        if done is None:
            self._count_soon.start(0)
            return
        self._sum, self._counting = done, None
        self.head.shares.show_sum(done, self.window.document.agents())
        self.show_words()

    def show_words(self) -> None:
        """How many words there are, and how many are selected."""
        begin, end = self.view.editor.selection
        selected = words_in(self.view.editor.text[begin:end]) if begin < end else None
        self.head.show_words(self._sum.words, selected)
        self.window.status.show_words(self._sum.words if self.is_on else None)
