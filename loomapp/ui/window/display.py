"""The display of a window: what happens to the document and its answers is shown in every view."""

from __future__ import annotations

from itertools import islice

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.change import Change
from loomapp.core.model.entities import LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.providers.engine.state import EngineState
from loomapp.session.document import Document
from loomapp.session.open_tree import USER, Initiator
from loomapp.session.requests.running_request import BEING_WRITTEN
from loomapp.session.writing.buffer_session import WAITING as WAITING_BEHIND
from loomapp.ui.actions.action_set import ActionSet, Host
from loomapp.ui.commands import availability, node_actions
from loomapp.ui.commands.dialogue import WAITING
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.inspector import sources
from loomapp.ui.commands.inspector.forecast import Forecast
from loomapp.ui.composer.text_pane import TextHead, TextPane
from loomapp.ui.first_page.model_pill import Starters
from loomapp.ui.first_page.page import FirstPage
from loomapp.ui.frame.header import Header
from loomapp.ui.frame.notices import Announcer, Banner, FilesUnderWay
from loomapp.ui.frame.status import Status
from loomapp.ui.graph.view import GraphView
from loomapp.ui.inspector.pane import InspectorPane
from loomapp.ui.media.pictures import Thumbnails
from loomapp.ui.palette.palette import CommandPalette
from loomapp.ui.side_bar.side_bar import SideBar
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.trees.tree_list import TreeList
from loomapp.ui.trees.tree_settings import TreeSettingsPage
from loomapp.ui.widgets.words.outcome_words import FateWords
from loomapp.ui.window.inspector_fold import InspectorFold
from loomapp.ui.window.memory import WindowMemory
from loomapp.ui.window.native_events import FirstSight, SideButtons
from loomapp.ui.window.responsive import Halves, build_docks, fill_docks
from loomapp.ui.workbench import Views, Workbench

MOST_SHOWN = 100  # cards that undo and redo bring into view


class WindowDisplay(QObject):
    """The `Display` of a window. Each slot does one thing: show."""

    def __init__(
        self, bench: Workbench, halves: Halves, inspector_fold: InspectorFold, memory: WindowMemory
    ) -> None:
        super().__init__(bench.views.window)
        self._bench, self._work, self._views = bench, bench.work, bench.views
        self._names_grove = False  # one window shows but one grove
        self._halves, self._inspector_fold, self._memory = halves, inspector_fold, memory
        self.forecast, self._following = Forecast(bench), Following(bench)
        self.is_showing_pruned = False
        self._work.preview.wait_for_sight()
        self.first_sight = FirstSight(bench.views.window)
        self.first_sight.seen.connect(self._work.preview.on_seen)
        self.first_sight.seen.connect(bench.views.first_page.begin)

    # What happened

    def on_tree_opened(self, tree: Tree) -> None:
        """Build every view anew."""
        document, views = self._work.document, self._views
        self._memory.leave()
        views.text_pane.note_box.leave()
        self._show_title()
        views.status.forget_note()  # it was about another tree
        views.graph.show_tree(tree, document.agents.by_id())
        self.show_agents()
        views.inspector.show_history_of(document.history)
        self.on_trees_changed()
        self.show_path()
        self.on_drafts_changed()
        self.on_current_changed(document.current_id, USER)
        self.show_tree_settings_values()
        views.inspector.history.set_can_name(availability.can_write(self._bench))
        views.tree_list.set_can_change(availability.can_write(self._bench))
        self._memory.come_back()

    def on_tree_changed(self, change: Change, initiator: Initiator) -> None:
        document, graph = self._work.document, self._views.graph
        if initiator.kind == "answer":  # its drafts go as its nodes come: both together would need more room
            graph.set_drafts(self._work.generator.cards(document.tree.loom.id))
        graph.patch(change)
        self._views.inspector.show_history_of(document.history)
        self.show_path()
        if any(True for _ in change.changed(LoomTree)):
            self._show_title()
            self.show_tree_settings_values()
            self._show_whom_one_writes_to()
        self._following.show_change(change, initiator)
        self.on_current_changed(document.current_id, initiator)

    def on_current_changed(self, node_id: str, initiator: Initiator) -> None:
        """The current node or what is said of it changed: update everything that shows it."""
        self._work.visits.came_to(self._work.document.tree.loom.id, node_id)
        self._views.graph.set_current(node_id)
        self._following.show_current(node_id, initiator)
        self.show_continuing()
        self._bench.buffer.place.show()
        self._work.preview.refresh()
        self._views.inspector.show_node_of(self._work.document)
        self.forecast.show_current()
        sources.refresh(self._bench)
        self._bench.actions.refresh()

    def on_trees_changed(self) -> None:
        document = self._work.document
        self._views.tree_list.show_trees(document.trees.rows(), document.tree.loom.id)
        self._views.status.show_size(document.size)

    def on_row_changed(self) -> None:
        document = self._work.document
        self._views.tree_list.show_trees(document.trees.known_rows(), document.tree.loom.id)
        self._views.status.show_size(document.size)

    def on_drafts_changed(self) -> None:
        tree_id = self._work.document.tree.loom.id
        drafts = self._work.generator.drafts(tree_id)
        self._views.graph.set_drafts(self._work.generator.cards(tree_id))
        self._following.show_drafts(drafts)
        self._views.dialogue.set_drafts(drafts)
        self.show_continuing()
        self._views.side_parts.outline.set_drafts(drafts)
        self._bench.buffer.answers.show_drafts(drafts)
        self._show_streams_here()
        self._show_streams()
        self._bench.actions.refresh()
        self.forecast.show_generate()
        self._drop_what_waited()

    def _drop_what_waited(self) -> None:
        """Take back that something waits for an answer, or that one is in the way of undo, once it is not."""
        errors = self._views.text_pane.errors
        if not self._work.generator.is_streaming():
            errors.drop(told(BEING_WRITTEN))
        waits = {told(worded(WAITING)), told(worded(WAITING_BEHIND))} & set(errors.sentences)
        if waits and not self._bench.text.why_waits:
            for sentence in waits:
                errors.drop(sentence)

    def on_drafts_grew(self, _drafts: object) -> None:
        """Count the streams anew: an answer may not wait any more."""
        self._show_streams()

    def on_engine_changed(self, state: EngineState) -> None:
        is_asked = bool(self._work.document.agents.asked_here())
        self._views.status.show_engine(state, is_asked=is_asked)

    # What commands ask to be shown anew

    def show_agents(self) -> None:
        agents = self._work.document.agents
        self._views.graph.set_agents(agents.by_id())
        self._views.header.agents.show_agents(agents.models(), agents.asked())
        self.on_engine_changed(self._work.generator.engine_watch.state)
        self._show_whom_one_writes_to()

    def show_path(self) -> None:
        document, views = self._work.document, self._views
        views.graph.set_path(document.path)
        drafts = self._work.generator.drafts(document.tree.loom.id)
        views.side_parts.outline.set_drafts(drafts)  # they hang on what is read now
        messages = () if document.tree.loom.mode == "buffer" else document.path
        agents = document.agents.by_id()
        views.dialogue.show_path(document.tree, messages, agents, self.forecast.fates, drafts)
        self._bench.buffer.show_path()
        self._show_streams_here()

    def show_tree_settings_values(self) -> None:
        document = self._work.document
        page, agent = self._views.settings_page, document.agents.model()
        page.show_loom(document.tree.loom, agent, document.context_defaults)
        page.summary.set_can_ask(not document.grove.read_only)

    def set_show_pruned(self, shown: bool) -> None:
        """Draw pruned nodes dotted, or not at all."""
        self.is_showing_pruned = shown
        self._work.document.place.set_shows_pruned(shown)
        self._views.graph.set_show_pruned(shown)
        self._views.side_parts.outline.set_show_pruned(shown)
        self._bench.actions.refresh()

    def fate_words_of(self, node_id: str) -> FateWords:
        """Return the words for a node's fate in the coming context, on the path and off it."""
        return self.forecast.words_of(node_id)

    # Parts of the above

    def name_grove(self, *, named: bool) -> None:
        """Name the grove in the title of the window, or no longer."""
        self._names_grove = named
        self._show_title()

    def _show_title(self) -> None:
        document = self._work.document
        grove = f"{unsteered(document.grove.path.name)} — " if self._names_grove else ""
        title = unsteered(document.tree.loom.title)
        self._views.window.setWindowTitle(f"{title} — {grove}Loomapp")

    def _show_whom_one_writes_to(self) -> None:
        document, views = self._work.document, self._views
        mode = document.tree.loom.mode
        prose = mode == "buffer"
        views.text_head.show_mode(mode)
        self._halves.show_kind(is_prose=prose)
        self._inspector_fold.show_kind(is_prose=prose)
        views.composer.set_placeholder(views.header.agents.words, is_prose=prose)
        views.composer.set_read_only(document.grove.read_only)

    def show_continuing(self) -> None:
        """Show the way to the current node, and name the node that Generate continues, if it is not the end
        of the shown path: an edit that is open is saved first, and gone on from.
        """
        document = self._work.document
        graph_commands.show_crumbs(self._bench)
        if (edit := self._bench.unfinished.writings.edited()) is not None:
            edited = document.tree.nodes[edit[0]]
            words = edit[1][:60] or edited.local_id
            self._name_continued(edited.id, words)
            return
        node = document.tree.nodes[document.current_id]
        words = node.text[:60] or node.local_id
        if document.tree.is_empty_root(node.id):
            words = tr("the beginning")
        self._name_continued(node.id, words)

    def _name_continued(self, node_id: str, words: str) -> None:
        is_end = self._bench.text.is_writer_at(node_id)
        self._views.composer.set_continuing(None if is_end else words)
        self._views.dialogue.set_continued("" if is_end else node_id)

    def _show_streams_here(self) -> None:
        self._views.composer.set_streaming(node_actions.is_streaming_on_path(self._bench))

    def _show_streams(self) -> None:
        answers, tree_id = self._work.generator.answers, self._work.document.tree.loom.id
        drafts = self._work.generator.drafts(tree_id)
        awaited = next((live.draft.awaited for live in drafts if live.draft.awaited is not None), None)
        count, waiting = answers.stream_count(), answers.fleet.choices_waiting
        self._views.status.show_streams(count, waiting=waiting, awaited=awaited)


class Following(QObject):
    """Goes along with what was asked last, until the user looks elsewhere. It never goes to other answers."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._runs: frozenset[str] = frozenset()  # the requests that were asked last; empty: look elsewhere
        self._was_asked = False  # since the drafts were looked at last
        self._current = ""
        self._is_led = False  # whether the user moved the graph since it went along last
        bench.work.generator.started.connect(self.on_started)
        bench.views.graph.looked_around.connect(self.on_looked_around)

    def on_looked_around(self) -> None:
        """Note that the graph shows what the user wants to see there."""
        self._is_led = True
        self.leave()

    def leave(self) -> None:
        """The user looks at something else."""
        self._runs = frozenset()

    def on_started(self) -> None:
        """Note that something is asked for: what comes of it is wanted."""
        self._was_asked = True

    def show_drafts(self, drafts: tuple[LiveDraft, ...]) -> None:
        """Drafts came or went: those that were just asked for are brought into view."""
        if not self._was_asked:
            return
        self._was_asked = False
        new = self._bench.work.generator.asked_last()
        self._runs = frozenset(new)
        self._bench.views.graph.ensure_all_visible(
            # One that failed at once, for want of a key, is where its remedy is.
            [
                live.key
                for live in drafts
                if live.key.rpartition(":")[0] in new and (live.draft.error or not live.draft.ended)
            ]
        )

    def show_change(self, change: Change, initiator: Initiator) -> None:
        """The path moved: its new end is shown, unless an answer came while one looks elsewhere.

        Another program may move the path, never the reader's eyes.
        """
        if not initiator.is_here:
            return
        if not change.touches_path():
            if not change.undoable and initiator.kind == "user":  # undo and redo show what they change
                touched = (row.row.id for row in change.rows if isinstance(row.row, Node))
                self._bench.views.graph.ensure_all_visible(islice(touched, MOST_SHOWN))
            return
        if initiator.kind == "answer" and initiator.request not in self._runs:
            return
        if initiator.is_typing and self._bench.buffer.place.writer_at is None:
            return  # nothing slides away under who looks at a card meanwhile
        new = [node.id for node in change.added_nodes()]
        self._bench.views.graph.ensure_all_visible(new or [self._bench.work.document.tree.path.leaf_id])

    def show_current(self, node_id: str, initiator: Initiator) -> None:
        """The text shows the current node if it is another. An answer only takes the place of its draft, and
        what another program did is read when the reader goes there.
        """
        before, self._current = self._current, node_id
        if node_id != before and initiator.is_here and initiator.kind != "answer":
            self.leave()
            self._bench.views.dialogue.selecting.let_go()
            if not initiator.is_typing:  # their caret stays where they write
                self._bench.text.reveal(node_id)
                self._show_card(before, node_id)

    def _show_card(self, before: str, node_id: str) -> None:
        """Bring the current card into view, unless the user moved the graph away from the one before. A card
        that was chosen in the graph stays under the pointer if some of it is seen.
        """
        graph = self._bench.views.graph
        if not graph.is_placed or (self._is_led and graph.node_rect(before).isEmpty()):
            return
        self._is_led = False
        if graph.node_rect(node_id).isEmpty() or not (graph.hasFocus() or graph.holds(node_id)):
            graph.ensure_visible(node_id)


def build_views(window: QMainWindow, host: Host, document: Document) -> tuple[Views, Halves, ActionSet]:
    """Fill an empty window; return its views, their arrangement, and its actions, which `host` does."""
    # Each is made inside of what holds it: one that moves there later is styled once more.
    announcer, banner = Announcer(window), Banner(window)
    halves = Halves(banner, window)
    window.setCentralWidget(halves)
    pages = halves.pages
    graph = GraphView(pages)
    crumbs = graph.add_crumbs()
    settings_page = TreeSettingsPage(pages)
    pages.add_first(graph, settings_page)
    thumbnails = Thumbnails(document.media, window)
    side_bar, text_dock, inspector_dock = docks = build_docks(window)
    tree_list = TreeList(side_bar)
    inspector = InspectorPane(inspector_dock)
    text_pane = TextPane(text_dock)
    pages.stand_beside(text_pane, inspector_dock)
    side_parts = SideBar(tree_list, side_bar)
    fill_docks(window, docks, (side_parts, text_pane, inspector))
    halves.set_docks(side_bar, text_dock)
    actions = ActionSet(window, graph, host)
    SideButtons(window, actions.by_name)
    header = Header(actions, window)
    text_head = TextHead(actions, text_pane)
    text_pane.add_head(text_head)
    window.setMenuWidget(header)
    status = Status(window)
    window.setStatusBar(status)
    views = Views(
        window=window,
        graph=graph,
        crumbs=crumbs,
        pages=pages,
        settings_page=settings_page,
        text_dock=text_dock,
        text_pane=text_pane,
        text_head=text_head,
        dialogue=text_pane.dialogue,
        composer=text_pane.composer,
        palette_box=CommandPalette(window),
        first_page=FirstPage(graph),
        starters=Starters(text_pane),
        inspector=inspector,
        inspector_dock=inspector_dock,
        side_bar=side_bar,
        side_parts=side_parts,
        tree_list=tree_list,
        header=header,
        banner=banner,
        files=FilesUnderWay(banner, window),
        status=status,
        announcer=announcer,
        thumbnails=thumbnails,
    )
    return views, halves, actions
