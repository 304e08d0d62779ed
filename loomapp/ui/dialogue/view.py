"""The dialogue view: the active path as messages, what streams, and what is asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Edge, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence, node_sequence
from loomapp.ui.dialogue.empty import EmptyPath
from loomapp.ui.dialogue.message.message import MessageView
from loomapp.ui.dialogue.reader import EditorColumn, NewTextPill, Walking, message_around
from loomapp.ui.dialogue.script.script import Script
from loomapp.ui.dialogue.search import DialogueSearch
from loomapp.ui.dialogue.selection import Selecting
from loomapp.ui.widgets.spoken import speak_as, speak_in_order

LONG_GROWTH = 8_000  # characters of a text that is no longer laid out at each token
GROWTH_PER_MS = 100  # characters: at 20,000 five times a second
OWN_KEYS = (QKeySequence.StandardKey.Copy, QKeySequence.StandardKey.SelectAll)


class DialogueView(EditorColumn):
    """View of a path; it reports what was asked for and never edits the tree."""

    sibling_chosen = Signal(str)  # node id
    edit_asked = Signal(str)  # node id; the editor is open by then
    edit_committed = Signal(str, str)  # node id, text
    edit_typed = Signal(str, object)  # node id, text as it is being written; None: as it is saved
    edit_closed = Signal(str)  # node id: what was edited waits
    edit_left = Signal(str)  # node id: the user does not want what was edited
    retry_asked = Signal(str)  # node id
    note_toggled = Signal(str)  # a note's node id: to be sent with its message, or no longer
    exclude_branch_asked = Signal(str)  # node id: with all below it, or all of it back in
    exclude_asked = Signal(str)  # node id; exclude, or include again
    bookmark_asked = Signal(str)  # node id
    node_clicked = Signal(str)  # node id
    draft_chosen = Signal(str)  # a draft's key; it is shown by then. "": none is any more
    draft_asked = Signal(str, str)  # draft key, retry | stop | key | dismiss; node, allow | continue | again
    link_asked = Signal(str)  # an address; nothing is opened here
    suggestion_chosen = Signal(str)  # a first line for the composer
    image_chosen = Signal(object)  # Image: it is to be shown large
    hovered = Signal(str)  # node id or a draft's key under the pointer, or empty
    summarise_asked = Signal()  # in place of messages that have no room
    covered_shown = Signal()  # the messages that a summary stands for came out
    shortened_asked = Signal(str, QWidget)  # node id, and the chip that says that it is shortened

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialogueView")
        self.setAccessibleName(self.tr("Dialogue"))
        speak_as(self, QAccessible.Role.Document)
        speak_in_order(self.viewport(), QAccessible.Role.Section)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._chosen_draft: str | None = None
        self._covered_to = ""  # the last message that a summary in use stands for
        self.shows_covered, self._strategy = False, ""
        self._written: Collection[str] = ()
        self.selecting, self._walking = Selecting(self), Walking(self)
        self._pressed_link: str | None = None
        self.search = DialogueSearch(self)
        self._grown, self._laid_out = "", ""
        self._growing = QTimer(self)
        self._growing.setSingleShot(True)
        self._growing.timeout.connect(self.on_growth_due)
        self._pill = NewTextPill(self.viewport())
        self._pill.clicked.connect(self.on_pill_clicked)
        self._empty = EmptyPath(self.viewport())
        self._empty.suggestion_chosen.connect(self.suggestion_chosen)
        self._empty.hide()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self.on_focus_changed)

    # What is shown.

    def show_path(
        self,
        tree: Tree,
        path: NodeSequence | Sequence[str],
        agents: Mapping[str, Agent],
        fates: Mapping[str, str],
        drafts: Iterable[LiveDraft] | None = None,
    ) -> None:
        """Show the path of these nodes, root first. The reader's place is kept where the path is the same.

        What streams is said too if it changes with the path: drafts that became nodes. None: as before.
        """
        if drafts is None:
            drafts = self._script.drafts.values() if self._script and self._script.tree is tree else ()
        way = path if isinstance(path, NodeSequence) else node_sequence(path)
        self.show_script(self._scripted(tree, way, agents, fates, drafts))

    def _scripted(
        self,
        tree: Tree,
        path: NodeSequence,
        agents: Mapping[str, Agent],
        fates: Mapping[str, str],
        drafts: Iterable[LiveDraft],
    ) -> Script:
        return Script(
            tree,
            path,
            agents,
            fates,
            drafts,
            chosen_draft=self._chosen_draft,
            strategy=self._strategy,
            put_away_to="" if self.shows_covered else self._covered_to,
            written=self._written,
        )

    def set_written(self, node_ids: Collection[str]) -> None:
        """Mark the notes that other programs wrote and nobody looked at."""
        self._written = node_ids
        if self._script is not None:
            self._script.written = node_ids
            self.place_rows()

    def set_continued(self, node_id: str) -> None:
        """Mark the message that Generate continues; "": none, for it is the last one."""
        if node_id != self._library.continued:
            self._library.continued = node_id
            self.place_rows()

    def set_fates(self, fates: Mapping[str, str], strategy: str = "") -> None:
        """Take the fates of the coming context: it has changed, the path has not. The strategy says why there
        is no room for some.
        """
        self._strategy = strategy
        if self._script is not None:
            self._script.set_fates(fates, strategy)
            self.place_rows()

    def set_covered(self, anchor_id: str, *, shown: bool) -> None:
        """Put the messages up to a node away, which a summary stands for, or show them; "": none does. One
        that is being edited keeps them in sight.
        """
        edits = any(message.is_editing for message in self._shown.values())
        if (anchor_id, shown) == (self._covered_to, self.shows_covered) or (edits and not shown):
            return
        self._covered_to, self.shows_covered = anchor_id, shown
        if self._script is not None:
            self._show_drafts(self._script, tuple(self._script.drafts.values()))

    def reveal(self, key: str) -> None:
        """Bring a message into view; one that a summary stands for comes out with the others it covers."""
        if self._script is not None and self._script.is_put_away(key):
            self.set_covered(self._covered_to, shown=True)
            self.covered_shown.emit()
        self.uncover(key)
        super().reveal(key)

    def uncover(self, key: str) -> None:
        """Show a message of the path in the place of a chosen draft that hides it."""
        script = self._script
        if script is not None and self._chosen_draft and key in script.path and script.row_of(key) is None:
            self._chosen_draft = None
            self._show_drafts(script, script.drafts.values())
            self.draft_chosen.emit("")

    def set_drafts(self, drafts: Iterable[LiveDraft]) -> None:
        """Take the drafts that stream now: these and no others."""
        if self._script is None:
            return
        script = self._script
        drafts = tuple(drafts)
        if drafts == tuple(script.drafts.values()):
            return
        if self._chosen_draft not in {live.key for live in drafts}:
            self._chosen_draft = None
        self._show_drafts(script, drafts)

    def _show_drafts(self, script: Script, drafts: Iterable[LiveDraft]) -> None:
        self.show_script(self._scripted(script.tree, script.path, script.agents, script.fates, drafts))

    def drafts_grew(self, lives: Iterable[LiveDraft]) -> None:
        """Show more text of drafts; what is read stays where it is."""
        script = self._script
        grown = [] if script is None else [live for live in lives if live.key in script.drafts]
        if script is None or not grown:
            return
        for live in grown:
            script.grow(live)
        if not self._growing.isActive():
            self._show_growth(grown)

    def _show_growth(self, grown: Sequence[LiveDraft]) -> None:
        """Lay out what has grown. A long text is laid out the more seldom the longer it is."""
        longest = max(grown, key=lambda live: len(live.draft.text))
        if len(longest.draft.text) > LONG_GROWTH:
            self._grown = longest.key
            self._growing.start(len(longest.draft.text) // GROWTH_PER_MS)
        self.place_rows()
        if any(self.is_on_path(live.key) for live in grown) and not self.are_last_words_in_view:
            self._pill.place(self.viewport().width(), self.viewport().height())
            self._pill.show()

    def on_growth_due(self) -> None:
        """Show growth that a long text had put off."""
        live = self._script.drafts.get(self._grown) if self._script is not None else None
        if live is not None and not live.draft.ended and live.draft.text != self._laid_out:
            self._laid_out = live.draft.text
            self._show_growth([live])

    def patch(self, change: Change) -> None:
        """The tree was changed; the path is still the one shown. A new path comes by `show_path`."""
        if self._script is None:
            return
        gone = {node.id for node in change.removed_nodes()}
        if any(node_id in self._script.path for node_id in gone):
            left = list(takewhile(lambda node_id: node_id not in gone, self._script.node_ids))
            self.show_path(self._script.tree, left, self._script.agents, self._script.fates)
            return
        touched = {row.row.key for row in change.rows if isinstance(row.row, Node)}
        shown = any(map(self.is_on_path, touched))
        if shown or any(isinstance(row.row, Edge) for row in change.rows):
            self._script.forget()
            self.place_rows()

    def show_script(self, script: Script) -> None:
        """Show the entries of a path, or how to begin if there are none.

        The keyboard stays where it was: on what now stands in the place of a message that had it.
        """
        focused = QApplication.focusWidget()
        before, had = self._script, message_around(focused, self)
        row = None if before is None or had is None else before.row_of(had.key)
        super().show_script(script)
        if had is not None and row is not None and row < len(script) and not had.isVisible():
            message = self._shown.get(script.row_key(row))
            (message or self).setFocus(Qt.FocusReason.OtherFocusReason)
        self.search.show_script()
        self._empty.setVisible(len(script) == 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the first lines of an empty path in the middle."""
        super().resizeEvent(event)
        self._empty.place(self.viewport().width(), self.viewport().height())
        self._pill.place(self.viewport().width(), self.viewport().height())
        self.search.bar.place(self.width())

    # The mouse: what no part of a message took for itself.

    def rows_placed(self) -> None:
        """Mark the selection in what is new on the screen; the pill goes when the last words are read."""
        self.selecting.show()
        self.search.show()
        if not self._pill.isHidden() and self.are_last_words_in_view:
            self._pill.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select; with Ctrl pick the node of the text."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position().toPoint()
        message = next((m for m in self.shown_messages() if m.geometry().contains(at)), None)
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if message is not None and message.entry is not None:
                self.node_clicked.emit(message.entry.key)
            return
        self._pressed_link = None if message is None else message.body.link_under(self.viewport(), at)
        self.selecting.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The second press selects a word, a third the paragraph."""
        self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.selecting.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ask about a link that was pressed and not dragged."""
        if event.button() == Qt.MouseButton.LeftButton:
            link, self._pressed_link = self._pressed_link, None
            if not self.selecting.release() and link is not None:
                self.link_asked.emit(link)

    # The keyboard.

    def event(self, event: QEvent) -> bool:
        """Claim only copying and selecting; undo, Alt+arrows and all else belong to the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.setAccepted(any(event.matches(key) for key in OWN_KEYS))
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows and pages scroll; from a message, up and down go to its neighbours."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.selecting.copy(message_around(QApplication.focusWidget(), self))
            return
        if event.matches(QKeySequence.StandardKey.SelectAll):
            self.selecting.select_all()
            return
        plain = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if event.modifiers() not in plain or not self._walking.take(event):
            event.ignore()

    def on_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        """Show the tools where the keyboard is, and bring that into view."""
        if self in (old, now):
            self.viewport().update()
        for widget in (old, now):
            message = message_around(widget, self)
            if message is not None:
                message.show_tools() if widget is now else message.hide_tools()
                message.update()
                self.order_tabs()
                self.follow_marks()
        if now is not None and self.viewport().isAncestorOf(now) and not isinstance(now, MessageView):
            self.bring_into_view(now)

    # What was done.

    def greet(self, message: MessageView) -> None:
        message.way_chosen.connect(self.on_way_chosen)
        message.edit_asked.connect(self.on_edit_asked)
        message.expand_clicked.connect(self.on_expand_clicked)
        message.menu_asked.connect(self.on_menu_asked)
        message.edit_committed.connect(self.edit_committed)
        message.edit_typed.connect(self.edit_typed)
        message.edit_closed.connect(self.edit_closed)
        message.edit_left.connect(self.edit_left)
        message.retry_asked.connect(self.retry_asked)
        message.exclude_asked.connect(self.exclude_asked)
        message.bookmark_asked.connect(self.bookmark_asked)
        message.note_toggled.connect(self.note_toggled)
        message.node_clicked.connect(self.node_clicked)
        message.node_clicked.connect(self.selecting.let_go)
        message.fold_clicked.connect(self.toggle_fold)
        message.image_chosen.connect(self.image_chosen)
        message.hovered.connect(self.hovered)
        message.draft_asked.connect(self.draft_asked)
        message.shortened_asked.connect(self.shortened_asked)
        message.summarise_asked.connect(self.summarise_asked)

    def on_pill_clicked(self) -> None:
        self.follow_end()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def on_way_chosen(self, key: str) -> None:
        """Read another sibling, or another draft."""
        script = self._script
        if script is None:
            return
        self.uncover(key)
        self._chosen_draft = key if key in script.drafts else None
        if self._chosen_draft is None:
            self.sibling_chosen.emit(key)
        else:
            self._show_drafts(script, script.drafts.values())
            self.draft_chosen.emit(key)

    @property
    def shown_draft(self) -> LiveDraft | None:
        script = self._script
        return None if script is None or not script.keys else script.drafts.get(script.keys[-1])

    def show_draft(self, key: str) -> None:
        """Read this draft, if it streams here."""
        if self._script is not None and key in self._script.drafts:
            self.on_way_chosen(key)

    def on_edit_asked(self, node_id: str) -> None:
        self.open_editor(node_id)
        self.edit_asked.emit(node_id)

    def on_expand_clicked(self, node_id: str) -> None:
        self._expanded ^= {node_id}
        self.place_rows()

    def on_menu_asked(self, key: str, at: QPoint) -> None:
        from loomapp.ui.dialogue.message.menu import MenuActs, show_message_menu  # late: as it is opened

        if (message := self.message(key)) is not None:
            acts = MenuActs(
                retry=self.retry_asked.emit,
                edit=self.on_edit_asked,
                bookmark=self.bookmark_asked.emit,
                exclude=self.exclude_asked.emit,
                exclude_branch=self.exclude_branch_asked.emit,
                show_sent=self.sent_asked.emit,
                open_link=self.link_asked.emit,
            )
            show_message_menu(self, message, at, selected=self.selecting, acts=acts)
