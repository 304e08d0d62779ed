"""The window: builds its parts and wires them; it decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow

from loomapp.core.errors import LoomError
from loomapp.core.model.change import Change
from loomapp.core.model.entities import LoomTree
from loomapp.core.model.tree import Tree
from loomapp.providers.engine.state import EngineState
from loomapp.session.context.preview import Preview
from loomapp.session.context.usage_so_far import UsageSoFar
from loomapp.session.context.what_if import WhatIf
from loomapp.session.document import Document
from loomapp.session.initiator import USER, Initiator
from loomapp.session.journal.journal import Journal
from loomapp.session.preferences import Preferences
from loomapp.session.reading.visit_history import VisitHistory
from loomapp.session.requests.generator import Generator
from loomapp.session.workspace import Workspace
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.ui.actions.action_set import ActionSet
from loomapp.ui.commands import availability, navigate, node_actions, panes, preferences
from loomapp.ui.commands import history as history_commands
from loomapp.ui.commands.agents import asked_models as agents_commands
from loomapp.ui.commands.attach import attachments
from loomapp.ui.commands.buffer.buffer import BufferDesk
from loomapp.ui.commands.buffer.text_view import BufferTextView
from loomapp.ui.commands.dialogue.text_view import DialogueTextView
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.graph.follow import Following
from loomapp.ui.commands.grove_search import SearchDesk
from loomapp.ui.commands.inspector import context as inspector_commands
from loomapp.ui.commands.inspector import sources
from loomapp.ui.commands.inspector.forecast import Forecast
from loomapp.ui.commands.palette import palette as palette_commands
from loomapp.ui.commands.save import leave, save
from loomapp.ui.commands.save.draft_state import DraftState
from loomapp.ui.commands.side_bar import SideViews
from loomapp.ui.commands.spelling import SpellingDesk
from loomapp.ui.commands.trees import empty_tree
from loomapp.ui.commands.trees.open_tree import Then, TreeOpening, Within, nothing
from loomapp.ui.composer.text_head import TextHead
from loomapp.ui.composer.text_pane import TextPane
from loomapp.ui.composer.text_view import TextView
from loomapp.ui.composer.waiting_question import Waiting
from loomapp.ui.first_page.page import FirstPage
from loomapp.ui.first_page.starters import Starters
from loomapp.ui.frame.announcer import Announcer
from loomapp.ui.frame.banner import Banner
from loomapp.ui.frame.graph_pages import GraphPages
from loomapp.ui.frame.header import Header
from loomapp.ui.frame.next_steps import NextSteps
from loomapp.ui.frame.parts import PartsOnDemand
from loomapp.ui.frame.status import Status
from loomapp.ui.graph.scene.prepared import Ahead
from loomapp.ui.graph.view import GraphView
from loomapp.ui.inspector.pane import InspectorPane
from loomapp.ui.inspector.preview import ContextPreview
from loomapp.ui.look import theme
from loomapp.ui.media.attachment_queue import AttachmentQueue
from loomapp.ui.media.thumbnails import Thumbnails
from loomapp.ui.palette.palette import CommandPalette
from loomapp.ui.side_bar.side_bar import SideBar
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.trees.tree_list import TreeList
from loomapp.ui.trees.tree_settings import TreeSettingsPage
from loomapp.ui.unsaved.offers import Offers
from loomapp.ui.unsaved.open_edits import Writings
from loomapp.ui.unsaved.unsaved import UnsavedThings
from loomapp.ui.widgets.words.outcome_words import FateWords
from loomapp.ui.window.docks import build_docks, fill_docks
from loomapp.ui.window.focus_mode import FocusMode
from loomapp.ui.window.inspector_fold import InspectorFold
from loomapp.ui.window.long_turns import LongTurns
from loomapp.ui.window.memory import WindowMemory
from loomapp.ui.window.paint_schedule import Painting
from loomapp.ui.window.responsive import Halves
from loomapp.ui.window.side_buttons import SideButtons
from loomapp.ui.window.tab_order import TabOrder
from loomapp.ui.workbench import Closable, Command, Unfinished, Views, Workbench

if TYPE_CHECKING:
    from loomapp.ui.settings.page import SettingsPage

SIZE_PX = (1440, 900)
LEAST_PX = (600, 400)


class MainWindow(QMainWindow):
    """One grove in one window. Parts show state and report facts; `_wire` connects facts to commands."""

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
        self.what_if, self.usage = WhatIf(document, preview), UsageSoFar(document, preview)
        for part in (document, generator, preview):
            part.setParent(self)
        self.writing = BufferSession(document, self)
        self.is_showing_pruned = False
        self.visits, self.preferences = VisitHistory(), Preferences(self)
        self.keepers: list[Closable] = []  # what ends with the window
        self._build()
        self.bench = self._made_bench()
        self._build_controllers()
        self._wire()
        self.tab_order = TabOrder(self.bench.views)
        self.memory.restore_window()
        preferences.use_of(self.bench).begin(self.spelling)
        if ahead is not None:
            self.graph.expect(ahead)
        self.on_tree_opened(document.tree)
        self.side_views.on_tree_opened(document.tree)
        self.on_engine_changed(generator.engine_watch.state)
        document.place.set_shows_pruned(self.is_showing_pruned)
        empty_tree.show(self.bench)
        self.memory.follow()
        self.text_pane.focus_text()  # the first key is a word, not a command of the graph

    # Parts

    def _build(self) -> None:
        # Each part is made inside of what holds it: one that moves there later is styled once more.
        self.announcer, self.banner = Announcer(self), Banner(self)
        self.halves = Halves(self.banner, self)
        self.setCentralWidget(self.halves)
        self.pages: GraphPages = self.halves.pages
        self.graph = GraphView(self.pages)
        self.crumbs = self.graph.add_crumbs()
        self.settings_page = TreeSettingsPage(self.pages)
        self.pages.add_first(self.graph, self.settings_page)
        self.thumbnails = Thumbnails(self.document.media, self)
        self.side_bar, self.text_dock, self.inspector_dock = docks = build_docks(self)
        self.tree_list = TreeList(self.side_bar)
        self.inspector = InspectorPane(self.inspector_dock)
        self.text_pane = TextPane(self.text_dock)
        self.dialogue, self.composer = self.text_pane.dialogue, self.text_pane.composer
        self.pages.stand_beside(self.text_pane, self.inspector_dock)
        self.side_parts = SideBar(self.tree_list, self.side_bar)
        fill_docks(self, docks, (self.side_parts, self.text_pane, self.inspector))
        self.halves.set_docks(self.side_bar, self.text_dock)
        self.actions_set = ActionSet(self, self.graph, self)
        SideButtons(self, self.actions_set.by_name)
        Painting(self, self.document)
        self.header = Header(self.actions_set, self)
        self.text_head = TextHead(self.actions_set, self.text_pane)
        self.text_pane.add_head(self.text_head)
        self.setMenuWidget(self.header)
        self.status = Status(self)
        self.setStatusBar(self.status)
        self.palette_box = CommandPalette(self)
        self.first_page, self.starters = FirstPage(self.graph), Starters(self.text_pane)

    def _made_bench(self) -> Workbench:
        work = Workspace(
            document=self.document,
            generator=self.generator,
            preview=self.preview,
            writing=self.writing,
            what_if=self.what_if,
            usage=self.usage,
            visits=self.visits,
            preferences=self.preferences,
        )
        errors = self.text_pane.errors
        self.next_steps = NextSteps(errors, self.announcer, self.halves.bring_text, self.run_step, self)
        self.unsaved = UnsavedThings(self.banner, self.next_steps.show_error, self)
        self.offers = Offers(self.banner, self.run_step)
        self.writings = Writings(work, self.text_pane, self.unsaved, self)
        self.reader = AttachmentQueue(self.document.grove, self, self)
        self.waiting = Waiting(work, self.composer, errors, self)
        for part in (self.reader, self.thumbnails):
            self.keep_until_closed(part)
        waits = Unfinished(self.unsaved, self.offers, self.writings, self.reader, self.waiting)
        return Workbench(work, self._views(), waits, self.actions_set, PartsOnDemand(), self)

    def _views(self) -> Views:
        return Views(
            window=self,
            graph=self.graph,
            crumbs=self.crumbs,
            pages=self.pages,
            settings_page=self.settings_page,
            text_dock=self.text_dock,
            text_pane=self.text_pane,
            text_head=self.text_head,
            dialogue=self.dialogue,
            composer=self.composer,
            first_page=self.first_page,
            starters=self.starters,
            inspector=self.inspector,
            inspector_dock=self.inspector_dock,
            side_bar=self.side_bar,
            side_parts=self.side_parts,
            tree_list=self.tree_list,
            palette_box=self.palette_box,
            header=self.header,
            banner=self.banner,
            status=self.status,
            announcer=self.announcer,
            thumbnails=self.thumbnails,
        )

    def _build_controllers(self) -> None:
        bench, views = self.bench, self.bench.views
        self.focus_mode = FocusMode(views, self.halves)
        self.inspector_fold = InspectorFold(views, self.actions_set, self.halves)
        self.memory = WindowMemory(bench, self.halves, self.inspector_fold, self.focus_mode)
        self.spelling = SpellingDesk(bench)
        self.buffer = BufferDesk(bench, self.spelling)
        self.dialogue_text, self.buffer_text = DialogueTextView(bench), BufferTextView(self.buffer, bench)
        self.keep_until_closed(self.spelling)
        self.forecast = Forecast(bench)
        self.leaving = leave.Leaving(bench)
        palette_commands.wire(bench)

    def _wire(self) -> None:
        """Every connection between parts stands here."""
        document, generator, graph, dialogue = self.document, self.generator, self.graph, self.dialogue
        bench, run = self.bench, self.run_command
        self.pages.graph_wanted.connect(self.halves.bring_graph)
        self.pages.settings_shown.connect(self.preview.refresh)

        document.tree_opened.connect(self.on_tree_opened)
        document.tree_changed.connect(self.on_tree_changed)
        document.place.current_changed.connect(self.on_current_changed)
        document.trees.changed.connect(self.on_trees_changed)
        document.row_changed.connect(self.on_row_changed)
        self.draft_state = DraftState(bench)
        LongTurns(document, self.status, self)
        self.writing.beside.hear(generator)
        generator.answers.drafts_changed.connect(self.on_drafts_changed)
        generator.answers.drafts_grew.connect(graph.drafts_grew)
        generator.answers.drafts_grew.connect(dialogue.drafts_grew)
        generator.answers.drafts_grew.connect(self.buffer.answers.drafts_grew)
        generator.answers.drafts_grew.connect(self.on_drafts_grew)
        generator.answers.failed.connect(self.on_generation_failed)
        generator.started.connect(self.text_pane.errors.clear)
        generator.answers.wordless.connect(self.next_steps.tell)
        generator.answers.unanswered.connect(self.preview.pending.came_to_nothing)
        generator.engine_watch.changed.connect(self.on_engine_changed)
        self.preview.assembled.connect(self.forecast.on_assembled)
        self.preview.failed.connect(self.forecast.on_failed)
        self.waiting.wire()

        graph.plus_clicked.connect(self.on_plus_clicked)
        graph.letters.keeps = self.actions_set.acts_after_click
        graph.words_typed.connect(partial(panes.write_on, bench))
        dialogue.words_typed.connect(partial(panes.write_on, bench))
        graph.menu_asked.connect(self.on_menu_asked)
        graph.tool_clicked.connect(self.on_tool_clicked)
        graph_commands.wire(bench)
        empty_tree.wire(bench)
        self.inspector_fold.follow(self.first_page)
        document.tree_opened.connect(self.inspector_fold.on_tree_opened)
        dialogue.node_clicked.connect(lambda i: graph_commands.mean(bench, i))
        dialogue.sibling_chosen.connect(lambda i: run(lambda w: w.work.document.place.read_through(i)))
        dialogue.edit_committed.connect(lambda i, text: run(lambda w: save.save_edit(w, i, text)))
        dialogue.retry_asked.connect(lambda i: run(lambda w: node_actions.retry(w, i)))
        dialogue.exclude_asked.connect(lambda i: run(lambda w: node_actions.toggle_excluded_of(w, i)))
        dialogue.exclude_branch_asked.connect(lambda i: run(lambda w: graph_commands.exclude_branch(w, [i])))
        dialogue.note_toggled.connect(lambda i: run(lambda w: node_actions.toggle_note(w, i)))
        dialogue.bookmark_asked.connect(lambda i: run(lambda w: node_actions.toggle_bookmark_of(w, i)))
        dialogue.draft_chosen.connect(generator.answers.read_draft)
        dialogue.draft_chosen.connect(graph.set_read_draft)
        dialogue.suggestion_chosen.connect(self.on_suggestion_chosen)
        dialogue.link_asked.connect(lambda url: navigate.ask_for_link(bench, url))

        save.wire(bench)
        composer = self.composer
        composer.text_changed.connect(self.on_composer_typed)
        composer.text_changed.connect(lambda _: self.actions_set.refresh())
        composer.generate_asked.connect(self.actions_set.by_name["generate"].trigger)
        composer.stop_asked.connect(self.actions_set.by_name["stop"].trigger)
        self.text_pane.errors.action_clicked.connect(self.next_steps.on_action)
        self.text_pane.errors.act_clicked.connect(self.next_steps.on_act)
        self.text_pane.note_box.written.connect(lambda i, text: run(lambda w: save.add_note(w, i, text)))
        self.text_pane.context_bar.details_asked.connect(self.actions_set.by_name["contextInspector"].trigger)

        self.buffer.wire()
        self.settings_page.loom_edited.connect(self.on_loom_edited)
        self.settings_page.close_asked.connect(self.pages.show_graph)
        self.pages.currentChanged.connect(lambda _: self.actions_set.refresh())
        inspector_commands.wire(bench)
        sources.wire(bench)
        self.text_pane.preview_came.connect(self._wire_inspected)
        for inspected in (self.inspector.context, self.inspector):
            self._wire_inspected(inspected)
        self.inspector.provenance.export_asked.connect(self.actions_set.by_name["exportEvidence"].trigger)
        agents_commands.wire(bench)
        attachments.wire(bench)
        history_commands.wire(bench)
        self.side_views, self.following = SideViews(bench, self.memory), Following(bench)
        SearchDesk(bench)
        self.opening = TreeOpening(bench, self.memory.folds_of)
        generator.answers.committed.connect(self.announcer.on_committed)

    def _wire_inspected(self, inspected: ContextPreview | InspectorPane) -> None:
        inspected.node_clicked.connect(self.document.place.set_current)
        inspected.node_clicked.connect(self.graph.ensure_visible)

    @property
    def text(self) -> TextView:
        """The text that is read: the dialogue, or the buffer."""
        return self.buffer_text if self.buffer.is_on else self.dialogue_text

    @property
    def journal(self) -> Journal | None:
        """Journal that keeps typed words safe, once it is there."""
        return self.writings.journal

    @property
    def app_settings(self) -> SettingsPage | None:
        """The page of the settings, once it was wanted."""
        return preferences.use_of(self.bench).page

    # What happened: each slot does one thing, show

    def on_tree_opened(self, tree: Tree) -> None:
        """Build every view anew."""
        self.memory.leave()
        agents = self.document.agents.by_id()
        self.text_pane.note_box.leave()
        self.setWindowTitle(f"{unsteered(tree.loom.title)} — Loomapp")
        self.status.forget_note()  # it was about another tree
        self.graph.show_tree(tree, agents)
        self.show_agents()
        self.inspector.show_history_of(self.document.history)
        self.draft_state.show()
        self.on_trees_changed()
        self.show_path()
        self.on_drafts_changed()
        self.on_current_changed(self.document.current_id, USER)
        self.show_tree_settings_values()
        self.inspector.history.set_can_name(availability.can_write(self.bench))
        self.tree_list.set_can_change(availability.can_write(self.bench))
        self.memory.come_back()

    def on_tree_changed(self, change: Change, initiator: Initiator) -> None:
        """Patch the views from a change."""
        if initiator.kind == "answer":  # its drafts go as its nodes come: both together would need more room
            self.graph.set_drafts(self.generator.drafts(self.document.tree.loom.id))
        self.graph.patch(change)
        self.inspector.show_history_of(self.document.history)
        self.show_path()
        if any(True for _ in change.changed(LoomTree)):
            self.setWindowTitle(f"{unsteered(self.document.tree.loom.title)} — Loomapp")
            self.show_tree_settings_values()
            self._show_whom_one_writes_to()
        self.following.show_change(change, initiator)
        self.on_current_changed(self.document.current_id, initiator)

    def on_current_changed(self, node_id: str, initiator: Initiator) -> None:
        """Another node is selected, or what is said of it is another."""
        self.visits.came_to(self.document.tree.loom.id, node_id)
        self.graph.set_current(node_id)
        self.following.show_current(node_id, initiator)
        self._show_continuing()
        self.buffer.place.show()
        self.preview.refresh()
        self._show_node()
        self.actions_set.refresh()

    def on_trees_changed(self) -> None:
        """The list of trees and the size of this one."""
        self.tree_list.show_trees(self.document.trees.rows(), self.document.tree.loom.id)
        self.status.show_size(self.document.size)

    def on_row_changed(self) -> None:
        """This tree has another title or size."""
        self.tree_list.show_trees(self.document.trees.known_rows(), self.document.tree.loom.id)
        self.status.show_size(self.document.size)

    def on_drafts_changed(self) -> None:
        """Drafts came or went."""
        drafts = self.generator.drafts(self.document.tree.loom.id)
        self.graph.set_drafts(drafts)
        self.following.show_drafts(drafts)
        self.dialogue.set_drafts(drafts)
        self.buffer.answers.show_drafts(drafts)
        self.composer.set_streaming(availability.is_streaming_on_path(self.bench))
        self._show_streams()
        self.actions_set.refresh()

    def on_drafts_grew(self, _drafts: object) -> None:
        """Words came: an answer may not wait any more."""
        self._show_streams()

    def _show_streams(self) -> None:
        generator = self.generator
        self.status.show_streams(generator.answers.stream_count(), waiting=generator.answers.waiting_count())

    def on_engine_changed(self, state: EngineState) -> None:
        """Show the state of the local model."""
        self.status.show_engine(state)

    def on_plus_clicked(self, node_id: str, follow: bool) -> None:
        """Continuations from a card."""
        self.run_command(lambda bench: node_actions.continue_node(bench, node_id, follow=follow))

    def on_menu_asked(self, node_id: str, at: QPoint) -> None:
        """The menu of a node; the bare desk has none."""
        if not node_id:
            return
        graph_commands.mean(self.bench, node_id)
        self.actions_set.node_menu().popup(at)

    def on_tool_clicked(self, node_id: str, tool: str) -> None:
        """One of the tools at the edge of a card."""
        if tool == "more":
            self.on_menu_asked(node_id, self.cursor().pos())
        else:
            self._on_node(node_id, {"note": "annotate"}.get(tool, tool))

    def _on_node(self, node_id: str, action: str) -> None:
        graph_commands.mean(self.bench, node_id)
        self.actions_set.by_name[action].trigger()

    def on_composer_typed(self, text: str) -> None:
        """Preview the words in the composer, which would be sent; a buffer is written elsewhere."""
        self.text.show_composed(text)

    def on_suggestion_chosen(self, text: str) -> None:
        """A suggestion goes to the composer, to be changed or sent."""
        self.composer.set_text(text)
        self.composer.field.setFocus()

    def on_loom_edited(self, loom: LoomTree) -> None:
        """Settings of the tree, as they are typed."""
        self.run_command(lambda bench: save.save_loom(bench, loom))

    # Showing

    def show_agents(self) -> None:
        """The models that can be asked, and the one that is."""
        self.graph.set_agents(self.document.agents.by_id())
        self.header.agents.show_agents(self.document.agents.models(), self.document.agents.asked())
        self._show_whom_one_writes_to()

    def _show_whom_one_writes_to(self) -> None:
        prose = self.document.tree.loom.mode == "buffer"
        self.text_head.show_mode(self.document.tree.loom.mode)
        self.halves.show_kind(is_prose=prose)
        self.inspector_fold.show_kind(is_prose=prose)
        self.composer.set_placeholder(self.header.agents.words, is_prose=prose)
        self.composer.set_read_only(self.document.grove.read_only)

    def show_path(self) -> None:
        """The messages of the active path."""
        document = self.document
        self.graph.set_path(document.path)
        drafts = self.generator.drafts(document.tree.loom.id)
        messages = () if document.tree.loom.mode == "buffer" else document.path
        self.dialogue.show_path(document.tree, messages, document.agents.by_id(), self.forecast.fates, drafts)
        self.buffer.show_path()
        self.composer.set_streaming(availability.is_streaming_on_path(self.bench))

    def _show_continuing(self) -> None:
        """Name the node that Generate continues, if it is not the end of the shown path."""
        node = self.document.tree.nodes[self.document.current_id]
        graph_commands.show_crumbs(self.bench)
        words = f"{node.local_id} · {node.text[:60]}" if node.text else node.local_id
        if self.document.tree.is_empty_root(node.id):
            words = tr("the beginning")
        self.composer.set_continuing(None if self.text.is_writer_at(node.id) else words)

    def fate_words_of(self, node_id: str) -> FateWords:
        """Return the words for a node's fate in the coming context, on the path and off it."""
        return self.forecast.words_of(node_id)

    def _show_node(self) -> None:
        self.inspector.show_node_of(self.document)
        self.forecast.show_current()
        sources.refresh(self.bench)

    def bring_inspector(self) -> None:
        """The inspector in view, with its pages."""
        self.inspector_dock.show()
        self.inspector_fold.unfold()

    def show_tree_settings_values(self) -> None:
        """Show the tree's settings, and those that it inherits."""
        document = self.document
        self.settings_page.show_loom(document.tree.loom, document.agents.model(), document.context_defaults)

    def show_settings_of(self, tree_id: str) -> None:
        """The settings of a tree from the list."""
        self.opening.open(tree_id, partial(node_actions.toggle_tree_settings, self.bench))

    def set_show_pruned(self, shown: bool) -> None:
        """Draw pruned nodes dotted, or not at all."""
        self.is_showing_pruned = shown
        self.document.place.set_shows_pruned(shown)
        self.graph.set_show_pruned(shown)
        self.side_parts.outline.set_show_pruned(shown)
        self.actions_set.refresh()

    def choose_theme(self, name: theme.Choice) -> None:
        """Wear a theme and remember it."""
        self.run_beside_text(lambda bench: bench.work.preferences.put("theme", name))

    def note(self, text: str) -> None:
        """Say what just happened."""
        self.status.show_note(text)
        self.announcer.say(text)

    def forget_note(self, text: str) -> None:
        """Take back what was said, if it is said still."""
        self.status.forget_note(text)

    def show_error(self, error: LoomError) -> None:
        """Show an error and its next step, above the composer."""
        self.next_steps.show_error(error)

    def offer(self, sentence: str, action: str, step: Callable[[], None]) -> None:
        """A sentence with a next step to press."""
        self.next_steps.offer(sentence, action, step)

    def offer_several(self, sentence: str, steps: Sequence[tuple[str, str, Callable[[], None]]]) -> None:
        """A sentence with several next steps."""
        self.next_steps.offer_several(sentence, steps)

    def bring_graph(self) -> None:
        """The graph forward, if it is a tab."""
        self.halves.bring_graph()

    def bring_text(self) -> None:
        """The text forward, if it is a tab."""
        self.halves.bring_text()

    def toggle_inspector_fold(self) -> None:
        """The inspector's tabs alone, or its pages too."""
        self.inspector_fold.toggle()

    @property
    def is_inspector_folded(self) -> bool:
        """True while only its tabs are shown."""
        return self.inspector_fold.is_folded

    def toggle_focus_mode(self) -> None:
        """The pane one is in, alone on the whole screen; or everything again."""
        self.focus_mode.leave() if self.focus_mode.is_on else self.focus_mode.enter()

    @property
    def is_focused(self) -> bool:
        """True while one pane has the screen for itself."""
        return self.focus_mode.is_on

    def open_tree(self, tree_id: str, then: Then = nothing, *, within: Within = nullcontext) -> None:
        """Show a tree of the grove, and then do something in it."""
        self.opening.open(tree_id, then, within=within)

    def open_grove(self, path: Path) -> None:
        """Another grove, in a window of its own."""
        self.grove_wanted.emit(path)

    def new_grove(self, path: Path) -> None:
        """A grove that is to be made, in a window of its own."""
        self.new_grove_wanted.emit(path)

    def quit(self) -> None:
        """Close every window of the program."""
        self.quit_wanted.emit()

    def keep_until_closed(self, part: Closable) -> None:
        """End a part with the window, after those that were kept before."""
        self.keepers.append(part)

    def let_go(self, part: Closable) -> None:
        """Forget a part that has ended."""
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
        """An answer broke off. Where its card can be read on the path, that says so."""
        if save.keeps_answers(self.bench, error):
            return
        path = self.document.path_ids
        drafts = self.generator.drafts(self.document.tree.loom.id)
        if not any(live.draft.error is not None and live.parent_id in path for live in drafts):
            self.next_steps.show_error(error)

    # Layout and end

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes through the panes as they stand."""
        order: TabOrder | None = getattr(self, "tab_order", None)
        if order is None or not order.take_press():
            return super().focusNextPrevChild(forward)
        stop = order.next_stop(self.focusWidget(), forward=forward)
        if stop is None:
            return super().focusNextPrevChild(forward)
        stop.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
        return True

    def changeEvent(self, event: QEvent) -> None:
        """Save written words when another window is gone to."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.draft_state.on_left()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window graph and text become tabs."""
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
        self.usage.close()
        self.focus_mode.leave()
        self.halves.unfold()
        self.memory.close()
        leave.end(self.bench, self.keepers)
        super().closeEvent(event)
        self.closed.emit()


def _run_on_settled(command: Command, bench: Workbench) -> None:
    bench.buffer.settle_offer()
    command(bench)
