"""The window: builds its parts and wires them; it decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow

from loomapp.core.errors import LoomError
from loomapp.session.context.preview import Preview
from loomapp.session.context.token_counter import TokenCounter
from loomapp.session.context.what_if import WhatIf
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.reading_place import VisitHistory
from loomapp.session.requests.generator import Generator
from loomapp.session.workspace import Preferences, Workspace
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.ui.commands import dialogue as dialogue_commands
from loomapp.ui.commands import navigate, node_actions, panes, preferences
from loomapp.ui.commands import palette as palette_commands
from loomapp.ui.commands.agents import asked_models as agents_commands
from loomapp.ui.commands.agents.proposals import ProposalDesk
from loomapp.ui.commands.attach import attachments
from loomapp.ui.commands.buffer.buffer import BufferDesk
from loomapp.ui.commands.buffer.text_view import BufferTextView
from loomapp.ui.commands.dialogue import DialogueTextView
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.inspector import context as inspector_commands
from loomapp.ui.commands.inspector import history as history_commands
from loomapp.ui.commands.inspector import memory as memory_commands
from loomapp.ui.commands.inspector import shortened, sources
from loomapp.ui.commands.inspector import summaries as summaries_commands
from loomapp.ui.commands.inspector.summaries import BranchStrip
from loomapp.ui.commands.save import leave, save
from loomapp.ui.commands.save.draft_state import DraftState
from loomapp.ui.commands.side_bar import SearchDesk, SideViews
from loomapp.ui.commands.spelling import SpellingDesk
from loomapp.ui.commands.summaries.card import PathSummaries
from loomapp.ui.commands.summaries.conversation import UnaskedSummaries
from loomapp.ui.commands.trees import empty_tree
from loomapp.ui.commands.trees.open_tree import Then, TreeOpening, Within, nothing
from loomapp.ui.composer.composer_rows import Waiting
from loomapp.ui.composer.text_pane import TextView
from loomapp.ui.frame.notices import NextStep, NextSteps
from loomapp.ui.frame.pages import PartsOnDemand
from loomapp.ui.frame.status import WaitNotice
from loomapp.ui.graph.scene.background_layout import Ahead
from loomapp.ui.inspector.pane import InspectorPane
from loomapp.ui.inspector.preview import ContextPreview
from loomapp.ui.media.attachment_queue import AttachmentQueue
from loomapp.ui.unsaved.open_edits import ClosedTexts, Writings
from loomapp.ui.unsaved.unsaved import Offers, UnsavedThings
from loomapp.ui.widgets.error_strip import Tone
from loomapp.ui.window import native_events
from loomapp.ui.window.display import WindowDisplay, build_views
from loomapp.ui.window.inspector_fold import InspectorFold
from loomapp.ui.window.memory import WindowMemory
from loomapp.ui.window.native_events import ClickedButton, TabOrder, give_keyboard_to_text, guard_requests
from loomapp.ui.window.responsive import FocusMode
from loomapp.ui.workbench import AtEnd, Closable, Command, Unfinished, Views, Workbench

if TYPE_CHECKING:
    from loomapp.ui.settings.page import SettingsPage

SIZE_PX = (1440, 900)
LEAST_PX = (600, 400)


class MainWindow(QMainWindow):
    """Window of one grove. Parts show state and report facts; `_wire` connects facts to commands."""

    grove_wanted = Signal(object)  # Path: another grove, in a window of its own
    new_grove_wanted = Signal(object)  # Path: likewise, and it is to be made
    quit_wanted = Signal()  # of every window
    closed = Signal()

    def __init__(
        self, document: Document, generator: Generator, preview: Preview, ahead: Ahead | None = None
    ) -> None:
        """`ahead` is what was made of the first tree, if anything was."""
        super().__init__()
        self.setObjectName("mainWindow")
        self.setMinimumSize(*LEAST_PX)
        self.resize(*SIZE_PX)
        self.document, self.generator, self.preview = document, generator, preview
        self.what_if = WhatIf(document, preview)
        self.counting = TokenCounter(document, preview, generator.engine, self.what_if)
        for part in (document, generator, preview):
            part.setParent(self)
        self.writing = BufferSession(document, self)
        self.visits, self.preferences = VisitHistory(), Preferences(self)
        self.keepers: list[Closable] = []  # what ends with the window
        self.bench = self._made_bench(self._build())
        self._build_controllers()
        self._wire()
        self.tab_order = TabOrder(self.bench.views)
        guard_requests(self.bench)
        ClickedButton(self, partial(panes.write_on, self.bench))
        self.memory.restore_window()
        preferences.use_of(self.bench).begin(self.spelling)
        if ahead is not None:
            self.graph.expect(ahead)
        self.display.on_tree_opened(document.tree)
        self.draft_state.show()
        self.side_views.on_tree_opened(document.tree)
        self.display.on_engine_changed(generator.engine_watch.state)
        document.place.set_shows_pruned(self.display.is_showing_pruned)
        empty_tree.show(self.bench)
        self.memory.follow()
        self.text_pane.focus_text()  # the first key is a word, not a command of the graph

    # Parts

    def _build(self) -> Views:
        views, self.halves, self.actions_set = build_views(self, self, self.document)
        self.graph, self.crumbs, self.pages = views.graph, views.crumbs, views.pages
        self.text_pane, self.dialogue, self.composer = views.text_pane, views.dialogue, views.composer
        self.inspector, self.side_parts, self.tree_list = views.inspector, views.side_parts, views.tree_list
        self.text_dock, self.side_bar = views.text_dock, views.side_bar
        self.inspector_dock = views.inspector_dock
        self.settings_page, self.palette_box = views.settings_page, views.palette_box
        self.first_page, self.starters = views.first_page, views.starters
        self.banner, self.header, self.status = views.banner, views.header, views.status
        self.announcer, self.thumbnails = views.announcer, views.thumbnails
        return views

    def _made_bench(self, views: Views) -> Workbench:
        work = Workspace(
            document=self.document,
            generator=self.generator,
            preview=self.preview,
            writing=self.writing,
            what_if=self.what_if,
            counting=self.counting,
            visits=self.visits,
            preferences=self.preferences,
        )
        errors = self.text_pane.errors
        self.next_steps = NextSteps(errors, self.announcer, self.halves.bring_text, self.run_step, self)
        self.unsaved = UnsavedThings(self.banner, self.next_steps.show_error, self)
        self.offers = Offers(self.banner, self.run_step)
        self.writings = Writings(work, self.text_pane, self.unsaved, self)
        ClosedTexts(self.writings, self.document, self.text_pane.closed_texts)
        self.reader = AttachmentQueue(self.document.grove, self, self)
        self.waiting = Waiting(work, self.composer, errors, self)
        for part in (self.reader, self.thumbnails, self.document.calls, self.preview):
            self.keep_until_closed(part)
        waits = Unfinished(self.unsaved, self.offers, self.writings, self.reader, self.waiting)
        return Workbench(work, views, waits, self.actions_set, PartsOnDemand(), self)

    def _build_controllers(self) -> None:
        bench, views = self.bench, self.bench.views
        self.focus_mode = FocusMode(views, self.halves)
        self.inspector_fold = InspectorFold(views, self.actions_set, self.halves)
        self.memory = WindowMemory(bench, self.halves, self.inspector_fold, self.focus_mode)
        self.spelling = SpellingDesk(bench)
        self.buffer = BufferDesk(bench, self.spelling)
        self.dialogue_text, self.buffer_text = DialogueTextView(bench), BufferTextView(self.buffer, bench)
        self.keep_until_closed(self.spelling)
        self.display = WindowDisplay(bench, self.halves, self.inspector_fold, self.memory)
        self.leaving = leave.Leaving(bench)
        palette_commands.wire(bench)

    def _wire(self) -> None:
        document, generator, graph, dialogue = self.document, self.generator, self.graph, self.dialogue
        bench, run, display = self.bench, self.run_command, self.display
        self.pages.graph_wanted.connect(self.halves.bring_graph)
        self.pages.settings_shown.connect(self.preview.refresh)

        document.tree_opened.connect(display.on_tree_opened)
        document.tree_changed.connect(display.on_tree_changed)
        document.place.current_changed.connect(display.on_current_changed)
        document.trees.changed.connect(display.on_trees_changed)
        document.row_changed.connect(display.on_row_changed)
        self.draft_state = DraftState(bench)
        self.writings.changed.connect(display.show_continuing)
        dialogue.draft_chosen.connect(display.show_continuing)
        WaitNotice(document, self.status, self)
        self.writing.beside.hear(generator)
        generator.answers.drafts_changed.connect(display.on_drafts_changed)
        generator.answers.drafts_grew.connect(graph.drafts_grew)
        generator.answers.drafts_grew.connect(dialogue.drafts_grew)
        generator.answers.drafts_grew.connect(self.buffer.answers.drafts_grew)
        generator.answers.drafts_grew.connect(display.on_drafts_grew)
        generator.answers.failed.connect(self.on_generation_failed)
        generator.answers.failed.connect(self.next_steps.note_failed)
        generator.started.connect(self.text_pane.errors.clear_all)
        generator.answers.wordless.connect(self.next_steps.tell)
        self.next_steps.follow(document)
        generator.answers.unanswered.connect(self.preview.pending.came_to_nothing)
        generator.engine_watch.changed.connect(display.on_engine_changed)
        generator.engine_watch.changed.connect(lambda _: self.counting.on_engine_changed())
        self.preview.assembled.connect(display.forecast.on_assembled)
        self.preview.failed.connect(display.forecast.on_failed)
        self.waiting.wire()

        node_actions.wire_cards(bench)
        graph_commands.wire(bench)
        navigate.wire(bench)
        empty_tree.wire(bench)
        self.inspector_fold.follow(self.first_page)
        document.tree_opened.connect(self.inspector_fold.on_tree_opened)
        save.wire(bench)
        dialogue_commands.wire(bench)
        self.text_pane.errors.action_clicked.connect(self.next_steps.on_action)
        self.text_pane.errors.act_clicked.connect(self.next_steps.on_act)
        self.text_pane.note_box.written.connect(lambda i, text: run(lambda w: save.add_note(w, i, text)))
        self.text_pane.context_bar.details_asked.connect(self.actions_set.by_name["contextInspector"].trigger)

        self.buffer.wire()
        self.settings_page.close_asked.connect(self.pages.show_graph)
        self.pages.currentChanged.connect(lambda _: self.actions_set.refresh())
        inspector_commands.wire(bench)
        sources.wire(bench)
        shortened.wire(bench)
        self.text_pane.preview_came.connect(self._wire_inspected)
        for inspected in (self.inspector.context, self.inspector):
            self._wire_inspected(inspected)
        self.inspector.export_asked.connect(self.actions_set.by_name["exportEvidence"].trigger)
        agents_commands.wire(bench)
        ProposalDesk(bench, self)
        attachments.wire(bench)
        history_commands.wire(bench)
        summaries_commands.wire(bench)
        memory_commands.wire(bench)
        self.side_views = SideViews(bench, self.memory)
        SearchDesk(bench)
        self.opening = TreeOpening(bench, self.memory.folds_of)
        self.announcer.follow(generator.started, generator.answers.committed)
        UnaskedSummaries(bench, self)
        BranchStrip(bench, self)
        self.path_summaries = PathSummaries(bench, self)
        self.keep_until_closed(self.path_summaries)

    def _wire_inspected(self, inspected: ContextPreview | InspectorPane) -> None:
        inspected.node_clicked.connect(self.document.place.set_current)
        inspected.node_clicked.connect(self.graph.ensure_visible)

    @property
    def text(self) -> TextView:
        """View of the text that is read: the dialogue, or the buffer."""
        return self.buffer_text if self.buffer.is_on else self.dialogue_text

    @property
    def journal(self) -> Journal | None:
        """Journal that keeps typed words safe, once it is there."""
        return self.writings.journal

    @property
    def app_settings(self) -> SettingsPage | None:
        return preferences.use_of(self.bench).page

    def bring_inspector(self) -> None:
        self.inspector_dock.show()
        self.inspector_fold.unfold()

    def note(self, text: str) -> None:
        self.status.show_note(text)
        self.announcer.say(text)

    def forget_note(self, text: str) -> None:
        self.status.forget_note(text)

    def show_error(self, error: LoomError) -> None:
        self.next_steps.show_error(error)

    def offer(self, sentence: str, action: str, step: Callable[[], None], *, tone: Tone = "warning") -> None:
        self.next_steps.offer(sentence, action, step, tone=tone)

    def offer_several(self, sentence: str, steps: Sequence[NextStep], *, tone: Tone = "warning") -> None:
        self.next_steps.offer_several(sentence, steps, tone=tone)

    def bring_graph(self) -> None:
        self.focus_mode.leave(self.halves)
        self.halves.bring_graph()

    def bring_text(self) -> None:
        self.focus_mode.leave(self.text_dock)  # or words would be typed unseen
        self.halves.bring_text()

    def toggle_inspector_fold(self) -> None:
        self.inspector_fold.toggle()

    @property
    def is_inspector_folded(self) -> bool:
        return self.inspector_fold.is_folded

    def toggle_focus_mode(self) -> None:
        """Show the pane with the keyboard alone on the whole screen; or everything again."""
        self.focus_mode.leave() if self.focus_mode.is_on else self.focus_mode.enter()

    @property
    def is_focused(self) -> bool:
        return self.focus_mode.is_on

    def open_tree(self, tree_id: str, then: Then = nothing, *, within: Within = nullcontext) -> None:
        self.opening.open(tree_id, then, within=within)

    def open_grove(self, path: Path) -> None:
        self.grove_wanted.emit(path)

    def new_grove(self, path: Path) -> None:
        self.new_grove_wanted.emit(path)

    def quit(self) -> None:
        self.quit_wanted.emit()

    def keep_until_closed(self, part: Closable) -> None:
        """End a part with the window, after those that were kept before."""
        self.keepers.append(part)

    def let_go(self, part: Closable) -> None:
        self.keepers = [one for one in self.keepers if one is not part]

    # Errors: the one place where a command's LoomError is caught

    def run_command(self, command: Command) -> None:
        """Run a command; what the user can act on is shown above the composer. Of a text what is shown is
        what the command is about: an answer that is only offered is settled first.
        """
        self.run_beside_text(partial(_run_on_settled, command))

    def run_beside_text(self, command: Command) -> None:
        """Run a command that neither reads nor moves the text: what is offered after it stays on offer."""
        try:
            command(self.bench)
        except LoomError as error:
            save.keep_act(self.bench, partial(command, self.bench), error)

    def run_step(self, step: Callable[[], object]) -> None:
        """Run a step that knows what it is about, as a command is run."""
        self.run_command(lambda _: step())

    def on_generation_failed(self, error: LoomError) -> None:
        """Tell that an answer broke off, unless its card on the path says so."""
        if save.keeps_answers(self.bench, error):
            return
        path = self.document.path_ids
        drafts = self.generator.drafts(self.document.tree.loom.id)
        if not any(live.draft.error is not None and live.parent_id in path for live in drafts):
            self.next_steps.show_failed(error)

    # Layout and end

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Let Tab go through the panes as they stand."""
        order: TabOrder | None = getattr(self, "tab_order", None)
        if order is None or not order.take_press():
            has_gone = super().focusNextPrevChild(forward)
            if order is not None:
                give_keyboard_to_text(self.bench)
            return has_gone
        stop = order.next_stop(self.focusWidget(), forward=forward)
        if stop is None:
            return super().focusNextPrevChild(forward)
        stop.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys that nothing in the window took."""
        event.setAccepted(native_events.take(self.bench, event))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.draft_state.on_left()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.focus_mode.is_on:
            self.halves.fit(event.size().width())
            self.inspector_fold.fit(event.size().height())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep typed settings and stop streams; `leaving` has the one question."""
        if not self.leaving.may_leave():
            event.ignore()
            return
        self.document.walk.stop()
        self.opening.close()
        self.counting.close()
        self.focus_mode.leave()
        self.halves.unfold()
        self.memory.close()
        leave.end(self.bench, [*self.keepers, AtEnd(self.memory.note_end)])
        super().closeEvent(event)
        self.closed.emit()


def _run_on_settled(command: Command, bench: Workbench) -> None:
    bench.buffer.settle_offer()
    command(bench)
