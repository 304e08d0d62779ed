"""The desk of a buffer: what the editor shows of the tree, and what becomes of what is written in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from loomapp.core.context.outcomes import ShownFates
from loomapp.core.errors import LoomError
from loomapp.core.model.tree import Tree
from loomapp.core.prose.buffer_text import BufferText, TextChange
from loomapp.core.prose.passage_change import selection_after
from loomapp.core.prose.path_choice import KnownChoices
from loomapp.core.settings.setting import Settings
from loomapp.session.open_tree import OTHER_PROGRAM, USER, WHOLE_AGAIN, Initiator
from loomapp.session.recovery import BegunText
from loomapp.session.writing.continuation import BufferContinuation
from loomapp.session.writing.passages import Passages
from loomapp.ui.buffer.head import BufferHead, Sum, WordCounter, words_in
from loomapp.ui.buffer.tail import Tail
from loomapp.ui.commands.attach.attachments import DocumentDrop
from loomapp.ui.commands.attach.intake import TextDrop
from loomapp.ui.commands.buffer.answers import AnswersAtEnd
from loomapp.ui.commands.buffer.caret_place import CaretPlace, EditorInput, Pointing, TakingBack
from loomapp.ui.commands.buffer.fill_in import Filling
from loomapp.ui.commands.buffer.pager import Stepping, Turning, beside_in_view, cuts_of
from loomapp.ui.commands.save.draft_state import (
    keep_not_committed,
    offer_set_aside,
    offer_stranded,
    on_all_saved,
)
from loomapp.ui.commands.spelling import SpellingDesk
from loomapp.ui.widgets.fields import composes
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.buffer.bars import BufferControls
    from loomapp.ui.buffer.view import BufferView


class BufferDesk(QObject):
    """One for a window; does nothing while a dialogue is read. The text itself is the session's."""

    def __init__(self, bench: Workbench, spelling: SpellingDesk) -> None:
        super().__init__(bench.views.window)
        self.bench, self.writing = bench, bench.work.writing
        self._spelling = spelling
        self.passages = Passages(bench.work.document, bench.work.writing)
        self.continuation = BufferContinuation(bench.work.document, bench.work.writing, self.passages)
        self.tail = Tail()
        self._is_shown = False
        self.fates: Mapping[str, str] = {}
        self._view: BufferView | None = None
        self._controls: BufferControls | None = None
        self.input, self.answers = EditorInput(self, bench), AnswersAtEnd(self, bench)
        self.place, self.pointing, self.stepping = (
            CaretPlace(self, bench),
            Pointing(self, bench),
            Stepping(self, bench),
        )
        self.counting, self.filling, self.taking_back = (
            WordCounter(lambda: self.buffer_text if self.is_on else None, self),
            Filling(self, bench),
            TakingBack(self, bench),
        )
        self.counting.counted.connect(self.on_counted)

    # Parts.

    @property
    def view(self) -> BufferView:
        """Return the widgets; made when a buffer is read first."""
        if self._view is None:
            self._view = self.bench.views.text_pane.buffer
            self._build(self._view)
        return self._view

    @property
    def is_on(self) -> bool:
        return self._is_shown and self.writing.is_open

    @property
    def buffer_text(self) -> BufferText:
        return self.writing.buffer_text

    @property
    def text(self) -> str:
        return self.buffer_text.text

    @property
    def read_text(self) -> str:
        return self.text if self.is_on else ""

    def _build(self, view: BufferView) -> None:
        # Late, as the editor is: a dialogue is read without them.
        from loomapp.ui.buffer.bars import BufferControls
        from loomapp.ui.commands.buffer.ghosts import Ghosts
        from loomapp.ui.commands.buffer.search import Search

        bench, editor = self.bench, view.editor
        self.turning, self.ghosts, self.search = (
            Turning(self, view, bench),
            Ghosts(self, view, bench),
            Search(self, view, bench),
        )
        controls = self._controls = BufferControls(bench.views.composer)
        bench.views.composer.add_control(controls)
        controls.setting_asked.connect(
            lambda name, value: bench.frame.run_beside_text(lambda w: w.work.preferences.put(name, value))
        )
        editor.size_asked.connect(
            lambda by: bench.frame.run_beside_text(lambda w: w.work.preferences.step("prose_size_px", by))
        )
        self._spelling.show_view(view)
        choices = KnownChoices()
        view.margins.look = lambda: beside_in_view(self, bench.work, choices)
        TextDrop(bench, editor)
        DocumentDrop(bench, editor.viewport())
        editor.spliced.connect(self.input.on_spliced)
        editor.moved.connect(self.input.on_words_moved)
        editor.caret_moved.connect(self.place.on_moved)
        self.writing.know_writer(lambda: self.place.writer_at)
        editor.selectionChanged.connect(self.show_words)
        editor.about_to_write.connect(self.answers.on_about_to_write)
        editor.composed.connect(self.input.on_composed)
        editor.waited.connect(self.answers.on_waited)
        editor.history = (bench.actions.by_name["undo"], bench.actions.by_name["redo"])
        editor.generate_pressed.connect(bench.actions.by_name["generate"].trigger)
        editor.node_picked.connect(self.pointing.on_node_picked)
        editor.pointed.connect(self.pointing.on_pointed)
        view.filling.act_clicked.connect(self.filling.on_act)
        view.filling.closed.connect(lambda: self.filling.on_act("dismiss"))
        self.head = BufferHead(bench.views.text_pane)
        bench.views.text_head.add_part(self.head)
        self.put_to_use(bench.work.preferences.settings)

    def wire(self) -> None:
        writing = self.writing
        self.bench.work.preview.look_ahead = self.place.ahead
        self.bench.views.graph.node_clicked.connect(self.place.on_card_clicked)
        writing.shown.connect(self.on_shown)
        writing.spliced.connect(self.on_session_spliced)
        writing.rebased.connect(self.on_session_rebased)
        writing.passages_changed.connect(self.on_passages_changed)
        writing.written.connect(self.on_written)
        writing.failed.connect(self.on_not_committed)
        writing.stranded.connect(self.on_stranded)
        writing.set_aside.connect(self.on_set_aside)
        self.bench.work.what_if.changed.connect(self.place.show)
        self.bench.work.generator.answers.committed.connect(self.filling.on_committed)
        self.bench.work.generator.answers.landed.connect(self.answers.on_landed)

    def on_shown(self) -> None:
        self.show_tree(self.bench.work.document.tree)

    def on_session_spliced(self, splice: TextChange, initiator: Initiator) -> None:
        """Show a change of the text by the session; what undo changes is brought into view."""
        if not self.is_on or self.input.is_under_way:
            return
        editor = self.view.editor
        was_at_end, caret, behind = editor.is_at_end, editor.caret, self.answers.behind_after(splice)
        followed = editor.behind_by is not None and editor.is_end_in_view
        self.show_text(initiator)
        if followed:  # the answer landed, with all that came last
            editor.ensureCursorVisible()
        if behind is not None:
            with self.place.moving():
                self.answers.stay_behind(behind)
        elif initiator is USER and not composes(editor):
            self.place.leave_new_passage()
        self.taking_back.shown(splice, initiator, was_at_end=was_at_end, caret=caret)

    def on_session_rebased(self, splice: TextChange, splices: Sequence[TextChange]) -> None:
        """Show a change by another program: caret and selection stay at their words."""
        if not self.is_on or self.input.is_under_way:
            return
        editor = self.view.editor
        place = selection_after(editor.position_of_anchor(), editor.caret, splices)
        goes_along = editor.is_at_end and not self._is_under_pen
        is_free = not (goes_along or editor.is_in_tail or composes(editor))
        self.on_session_spliced(splice, OTHER_PROGRAM)
        if is_free and place != (editor.position_of_anchor(), editor.caret):
            with self.place.moving():
                editor.select_quietly(*place)

    def on_passages_changed(self) -> None:
        if self.is_on and not self.input.is_under_way:
            self.view.editor.colour_anew()
            self.view.margins.place_soon()

    def on_not_committed(self, error: LoomError) -> None:
        keep_not_committed(self.bench, error)

    def on_stranded(self, begun: BegunText) -> None:
        offer_stranded(self.bench, begun)

    def on_set_aside(self, node_id: str) -> None:
        offer_set_aside(self.bench, node_id)

    def put_to_use(self, settings: Settings) -> None:
        if self._view is None or self._controls is None:
            return
        view = self._view
        self._controls.show_settings(settings)
        view.colouring.authorship = "colour" if settings.authorship == "colour" else "margin"
        view.margins.shows_bars = settings.authorship != "off"
        view.margins.shows_boundaries = settings.passage_boundaries
        view.editor.set_typewriter(settings.typewriter_scrolling)
        view.editor.enter_generates = settings.enter_sends
        view.editor.fit_text()
        self.show_keys()
        view.editor.colour_anew()
        view.margins.place_soon()
        if not settings.ghost_preview:
            self.ghosts.dismiss()

    def set_hovered(self, node_id: str) -> None:
        self.pointing.set_hovered(node_id)

    def show_keys(self) -> None:
        """Take the keys that actions have now, and show them."""
        if self._view is None:
            return
        actions = self.bench.actions
        self._view.editor.generate_keys = actions.keys("generate")
        turning = actions.key("previousVersion"), actions.key("nextVersion")
        self._view.margins.show_version_keys(*turning)
        self._view.versions.show_keys(*turning)

    # Showing.

    def show_tree(self, tree: Tree) -> None:
        self._is_shown = tree.loom.mode == "buffer"
        self.tail.clear()
        if self.is_on != self.bench.views.text_pane.is_prose:
            self.bench.views.text_pane.set_prose(self.is_on)
            bar = self.bench.views.dialogue.search.bar  # the buffer's own looks again once it is seen
            self.bench.views.graph.mark_words(bar.field.text() if bar.isVisible() else "")
        if self._controls is not None:
            self._controls.setVisible(self.is_on)
            self.head.setVisible(self.is_on)
        if not self.is_on:
            self.bench.views.status.show_words(None)
            return
        view = self.view
        assert self._controls is not None, "it is made with the view"
        self._controls.show()
        self.head.show()
        view.versions.leave()
        view.show_ghost(0)
        view.show_filling(None)
        view.margins.set_cuts(())
        view.colouring.show(self.buffer_text, tree, self.bench.work.document.agents.by_id())
        view.editor.setReadOnly(self.bench.work.document.grove.read_only)
        with self.place.moving():
            view.find_bar.leave()
            view.editor.start_over(self.text)
            view.editor.set_caret(len(self.text))
        self.counting.start_over()
        self.show_path()

    def show_path(self) -> None:
        """The path, the tree or the agents are others: the text as it is now, and what streams after it."""
        document = self.bench.work.document
        if (document.tree.loom.mode == "buffer") != self.is_on:
            self.show_tree(document.tree)
            return
        if not self.is_on:
            return
        view = self.view
        editor = view.editor
        was_at_end = editor.is_at_end
        followed = self.view.editor.is_end_in_view
        view.colouring.show(self.buffer_text, document.tree, document.agents.by_id())
        if not self.input.is_under_way:  # then the editor is ahead
            self._put_text(USER, was_at_end=was_at_end)
            if not was_at_end or self._is_under_pen:
                self.place.stay()
        self.place.know_passages()
        self.answers.show_drafts(self.bench.work.generator.drafts(document.tree.loom.id))
        editor.colour_anew()
        view.margins.place_soon()
        self.turning.refresh()
        if followed and was_at_end:
            editor.show_end()
        self.place.show()
        self.counting.soon()

    def set_fates(self, fates: ShownFates) -> None:
        """Take the fates of the coming context, which is another."""
        self.fates = fates
        if self.is_on:
            self.view.colouring.set_fates(fates)
            self.view.editor.colour_anew()
            self.view.margins.place_soon()

    def show_cuts(self) -> None:
        if self.is_on:
            self.view.margins.set_cuts(cuts_of(self.buffer_text, self.bench.work.preview.last))

    def _put_text(self, initiator: Initiator, *, was_at_end: bool) -> None:
        """Show the text again and place the caret: one at the end goes along with it, one before an answer
        stays before it, and one that asked within the text returns there.
        """
        editor, text = self.view.editor, self.text
        behind = editor.behind_by
        goes_along = was_at_end and not self._is_under_pen
        is_within = initiator is WHOLE_AGAIN and text[editor.caret :].strip(" ")
        caret = editor.caret if is_within else len(text)
        with self.place.moving():
            editor.show_text(text, self.answers.start)
            if behind is not None:
                self.answers.stay_behind(behind)
            elif goes_along:
                editor.set_caret_quietly(caret)
        if was_at_end and behind is None and composes(editor):
            self.buffer_text.composed_at = editor.caret

    @property
    def _is_under_pen(self) -> bool:
        """True if the caret goes on with what is written in a node, or is composed."""
        if composes(self.view.editor):
            return True
        pen_at = self.buffer_text.pen_at
        is_here = pen_at is not None and pen_at == self.view.editor.caret
        return is_here and self.buffer_text.passage_at(self.view.editor.caret).node_id is not None

    def show_text(self, initiator: Initiator = USER) -> None:
        view = self.view
        self._put_text(initiator, was_at_end=view.editor.is_at_end)
        view.editor.colour_anew()
        view.margins.place_soon()
        self.counting.soon()

    def on_written(self) -> None:
        """The text is another: what would be sent, how many words, what can be undone."""
        if not self.is_on:
            return
        if not self.writing.has_words:
            on_all_saved(self.bench)
        self.place.show()
        self.bench.actions.refresh()
        self.counting.soon()
        self.view.margins.place_soon()

    def on_counted(self, counted: Sum) -> None:
        self.head.shares.show_sum(counted, self.bench.work.document.agents.by_id())
        self.show_words()

    def show_words(self) -> None:
        """Show how many words the text has, and how many are selected."""
        begin, end = self.view.editor.selection
        selected = words_in(self.view.editor.text[begin:end]) if begin < end else None
        self.head.show_words(self.counting.sum.words, selected)
        self.bench.views.status.show_words(self.counting.sum.words if self.is_on else None)

    def put(self, text: str) -> None:
        self.view.editor.put(text)

    def close_popover(self) -> bool:
        """Close the list of versions or the search on Esc. False if none is shown."""
        if self._view is None or self._view.versions.isHidden():
            return False
        self._view.versions.leave()
        return True

    def read_on(self, node_id: str) -> None:
        """The path goes on from its end through a node. Where the caret stands then is the caller's."""
        with self.place.moving():
            self.bench.work.document.place.read(node_id)

    def settle_ghost(self) -> None:
        """The text is left, or read by something else: nothing is only offered any more."""
        if self._view is not None and self.ghosts.is_on:
            self.bench.frame.run_beside_text(lambda _: self.ghosts.settle())

    def settle_offer(self) -> None:
        """Settle the ghost before a command that is about the current node. Raises: LoomError."""
        if self._view is not None and self.ghosts.is_on:
            self.ghosts.settle_for_command()

    def is_offered(self, key: str) -> bool:
        """Tell whether the draft of this key is a ghost: it ends when it is put away."""
        return self._view is not None and self.ghosts.is_offered(key)

    def expect(self, node_id: str) -> bool:
        """Prepare for answers to the path's end; return True if the path is to go on with them, not only
        offer them.
        """
        ghosts = self.bench.work.preferences.settings.ghost_preview
        if ghosts:
            self.ghosts.expect(node_id)
        return not ghosts
