"""The open grove and the tree being read: commits changes, undoes them, and tells every view."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.edits import edit_context, tree_edits
from loomapp.core.edits.tree_edits import with_settings_of_today, with_title
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.model.change import Change, apply
from loomapp.core.model.entities import Mode, Node
from loomapp.core.model.statistics import Bookmarks, TreeStatistics
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.session.background import background_work
from loomapp.session.grove_lists import GroveAgents, GroveTrees, first_tree_id
from loomapp.session.open_tree import OTHER_PROGRAM, USER, Initiator, OpenedTree
from loomapp.session.plan import KnownContexts, TokenCounts
from loomapp.session.reading_place import ReadingPlace
from loomapp.session.tree_calls import TreeCalls
from loomapp.session.undo_history import LONGEST_S, UndoHistory, Walk, has_time
from loomapp.store.files.media import MediaFolder
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now

MANY_NODES = 10_000  # to change so many takes a second on a slow machine
MOST_TRIES = 8  # to be quicker than another program

Make: TypeAlias = Callable[[Tree, Sequence[str], edit_context.EditContext], Change | None]


class NotSaved(GroveError):
    """Error for a change that the file did not take; it can be committed later as it is."""

    def __init__(self, error: GroveError, tree: Tree, change: Change) -> None:
        super().__init__(error.code, error.message, **error.details)
        self.tree, self.change = tree, change


class Document(QObject):
    """Owns the tree that the window shows, and its nouns: `place` is what is read of it, `history` its undo,
    `trees` and `agents` those of the whole grove. Every method runs on the GUI thread.

    Methods that write raise GroveError or StaleChange and leave memory, file and views as they were.
    """

    leaving = Signal()  # another tree is about to be shown: what stands beside this one's text comes first
    moving = Signal()  # another path or tree is about to be read, or a step made: what is written comes first
    many_moving = Signal(int)  # so many nodes are about to be changed, in one turn of the event loop
    tree_opened = Signal(object)  # Tree: another tree is shown, build anew
    tree_changed = Signal(object, object)  # Change, Initiator: what moved, to patch from; the place, too
    row_changed = Signal()  # what the list of trees says of this one: its title or a count; see `known_rows`
    saved = Signal(object, object)  # int: when, milliseconds since the epoch; Initiator

    def __init__(
        self, grove: Grove, parent: QObject | None = None, *, first: OpenedTree | None = None
    ) -> None:
        """`first` is the tree to show, if it was read already; see `first_tree_id`."""
        super().__init__(parent)
        self.grove = grove
        self.media = MediaFolder(grove.path)
        self.agents = GroveAgents(grove, self)
        self.has_tree = True
        self.context_defaults = AppContextSettings()  # what every tree inherits; the user's settings say
        self.ask_above_tokens: int | None = None  # from which a person is asked before models are; likewise
        self.buffers_send_system = False  # whether a new buffer sends its system context; likewise
        self.tree = self._first_tree() if first is None else grove.take(first.read)
        # Commits what is typed; gives the nodes that stand in the places of some then. See `BufferSession`.
        self.settle_typing: Callable[[Sequence[str]], Sequence[str]] = tuple
        self.size = TreeStatistics(self.tree) if first is None else first.size
        self.bookmarks = Bookmarks(self.tree) if first is None else first.bookmarks
        self.history = UndoHistory(self)
        self.history.read_labels()
        self.place = ReadingPlace(self, self)
        self.calls = TreeCalls(self, grove, self)
        self.contexts, self.counts = KnownContexts(), TokenCounts(grove)
        self.trees = GroveTrees(self, self)
        self.walk = Walk(self.history, self)
        self.place.is_on_its_way = lambda: self.walk.is_under_way
        self.tree_changed.connect(self.walk.on_tree_changed)
        self.tree_opened.connect(self.walk.stop)
        grove.foreign = self._on_foreign_change

    # Another tree

    def open_tree(self, tree_id: str) -> None:
        """Show another tree of the grove. A large one is read meanwhile; see `show`."""
        self._show(self.grove.load_tree(tree_id))

    def show(self, opened: OpenedTree) -> None:
        """Show a tree that was read elsewhere, and then what was committed to it since."""
        self.grove.take(opened.read)
        self._show(opened.tree, opened)
        with suppress(GroveError):  # the next look for other programs' changes brings it
            self.catch_up()

    def new_tree(self, mode: Mode, title: str = "") -> None:
        """Make an empty tree and show it."""
        name = title or f"Loom Tree {len(self.grove.trees()) + 1}"
        tree = tree_edits.new_tree(mode, name, self.pen())
        if mode == "buffer":
            tree.loom = replace(tree.loom, buffer_mode_system_context=self.buffers_send_system)
        self.add_tree(tree)

    def add_tree(self, tree: Tree) -> None:
        self.grove.add_tree(tree, [self.grove.owner], [])
        self._show(self.grove.load_tree(tree.loom.id))
        self.trees.changed.emit()
        self.saved.emit(now(), USER)

    # Changes

    def pen(self) -> edit_context.EditContext:
        return edit_context.EditContext(self.grove.owner.id, now(), new_id)

    def commit(
        self, change: Change | None, *, keeps_current: bool = False, current_id: str | None = None
    ) -> None:
        """Save a change, move the tree by it and tell the views, once; None is no change.

        The current node goes along to the path's new end, unless it is to be kept, or another one named that
        is current then. What is written and not committed becomes a step before it: what was done last is
        undone first.
        """
        if change is None:
            return
        if change.undoable:
            self.moving.emit()
        self._commit(change, USER, keeps_current=keeps_current, current_id=current_id)

    def edit(self, about: Sequence[str], make: Make, *, keeps_current: bool = False) -> Sequence[str]:
        """Commit what is typed, and then what `make` makes of the tree and of the nodes that stand in the
        places of those it is about. Gives these nodes; none if nothing was to be changed. Raises: LoomError.
        """
        node_ids = self.settle_typing(about)
        change = make(self.tree, node_ids, self.pen())
        self.commit(change, keeps_current=keeps_current)
        return () if change is None else node_ids

    def _commit(
        self, change: Change, initiator: Initiator, *, keeps_current: bool, current_id: str | None
    ) -> None:
        if self.grove.read_only and not change.undoable:
            apply(self.tree, change)  # where one reads is worth knowing, if not saving
        else:
            self.tell_if_many(change)
            with self._put_back_if_refused():
                change = self._save(self.tree, change)
        self.history.note_step(change)
        self._announce(change, initiator, keeps_current=keeps_current, current_id=current_id)
        self.settle_path(initiator)

    def commit_made(
        self, make: Callable[[], tuple[Change, str | None] | None], initiator: Initiator = USER
    ) -> None:
        """Commit what is made of the tree as the file has it, and what is current then (see `commit`): what
        others committed is taken in first, and where they are quicker again it is made anew.
        """
        self.moving.emit()
        for _ in range(MOST_TRIES):
            with suppress(GroveError):  # what cannot be read is not written either, and told of then
                self.take_in()
            made = make()
            if made is None:
                return
            change, current_id = with_title(self.tree, made[0]), made[1]
            if self._is_saved(change):
                self.history.note_step(change)
                self._announce(change, initiator, current_id=current_id)
                self.settle_path(initiator)
                return
        self._commit(change, initiator, keeps_current=False, current_id=current_id)

    def _is_saved(self, change: Change) -> bool:
        """Return False if another program was quicker."""
        with self._put_back_if_refused():
            try:
                return self.grove.commit_unless_moved(self.tree, change)
            except GroveError as error:
                raise NotSaved(error, self.tree, change) from error

    def commit_to(
        self,
        tree: Tree,
        change: Change,
        initiator: Initiator = USER,
        *,
        keeps_current: bool = False,
        current_id: str | None = None,
    ) -> None:
        """Save a change of a tree that may no longer be the one shown: an answer that was being written."""
        if tree is self.tree:
            self._commit(change, initiator, keeps_current=keeps_current, current_id=current_id)
            return
        self._save(tree, change)
        if tree.loom.id == self.tree.loom.id:
            with suppress(GroveError):  # it is saved; the next look for others' changes brings it
                self.catch_up()  # it is the same one, read anew meanwhile
        self.trees.changed.emit()
        self.saved.emit(change.at, initiator)

    def _save(self, tree: Tree, change: Change) -> Change:
        """Save a change, and give it as it was saved: with the title of a tree that nobody named. Settings
        may have waited while words that come before them became that title.
        """
        try:
            return self.grove.commit(tree, with_title(tree, with_settings_of_today(tree, change)))
        except GroveError as error:
            raise NotSaved(error, tree, change) from error

    def set_mode(self, mode: Mode) -> None:
        """Make this tree a dialogue or a buffer. Raises: InvalidInput once it has a first node.

        What is written and no node yet is none by that: it would be the first, and fix the mode.
        """
        sends = mode == "buffer" and self.buffers_send_system
        loom = replace(self.tree.loom, mode=mode, buffer_mode_system_context=sends)
        change = tree_edits.change_loom(self.tree, "Mode", self.pen(), loom)
        if change is not None:
            self.commit_to(self.tree, change)

    def tell_if_many(self, change: Change) -> None:
        """Say that very many nodes are about to be changed, if so."""
        if len(change.rows) >= MANY_NODES:
            self.many_moving.emit(sum(1 for _ in change.changed(Node)))

    def begin_step(self) -> None:
        """Let what is written become a step of its own: another one is about to be made."""
        self.moving.emit()

    def tell(self, change: Change, initiator: Initiator, *, current_id: str | None = None) -> None:
        """Tell every view of a change that is in the file and in the tree."""
        self._announce(change, initiator, current_id=current_id)

    def catch_up(self) -> None:
        """Take in what other programs committed, to this tree and to others."""
        self.take_in()
        self.trees.look()

    def catch_up_for(self, most_ms: float) -> bool:
        """Take in other programs' changes for so long, in ms of this thread's own work, and where it waits
        for the disk not much longer; False if there may be more. Until all is there the path that is read is
        not put back.
        """
        ends = time.thread_time() + most_ms / 1e3, time.monotonic() + LONGEST_S
        if self.has_tree:
            if not all(has_time(*ends) for _ in self.grove.catching_up(self.tree)):
                return False
            self.place.settle(OTHER_PROGRAM)
        self.trees.look()
        return True

    def take_in(self) -> None:
        """Take in what other programs committed to this tree."""
        if self.has_tree:
            self.grove.catch_up(self.tree)  # `foreign` tells of each change
            self.place.settle(OTHER_PROGRAM)

    # Where the reader is

    @property
    def has_messages(self) -> bool:
        """Tell whether the tree is one of messages; a buffer is one text."""
        return self.tree.loom.mode == "dialogue"

    @property
    def path(self) -> Path:
        return self.place.path

    @property
    def path_ids(self) -> tuple[str, ...]:
        return self.place.path.node_ids

    @property
    def current_id(self) -> str:
        """The node that Generate continues."""
        return self.place.current_id

    def settle_path(self, initiator: Initiator = USER) -> None:
        """Let the path that is read be the active one, and end where something is shown. Where that cannot be
        saved now, the next change or look for others' changes does it.
        """
        with suppress(GroveError):
            self.place.settle(initiator)

    # Behind it

    def _first_tree(self) -> Tree:
        """The first tree to show, else a new one. A grove without any tree that can only be read shows an
        empty one that is nowhere else (`has_tree` is False).
        """
        first = first_tree_id(self.grove)
        if first is None:
            tree = tree_edits.new_tree("dialogue", "Loom Tree 1", self.pen())
            if self.grove.read_only:
                self.has_tree = False
                return tree
            self.grove.add_tree(tree, [self.grove.owner], [])
            return self.grove.load_tree(tree.loom.id)
        return self.grove.load_tree(first)

    def _show(self, tree: Tree, opened: OpenedTree | None = None) -> None:
        self.leaving.emit()
        self.moving.emit()
        background_work.put_away(self.tree, [*self.tree.parts(), *self.size.parts()], self)
        self.tree, self.has_tree = tree, True
        self.contexts.forget()
        self.size = TreeStatistics(tree) if opened is None else opened.size
        self.bookmarks = Bookmarks(tree) if opened is None else opened.bookmarks
        self.agents.forget()
        self.history.read_labels()
        self.place.begin_tree()
        self.tree_opened.emit(tree)
        self.place.current_changed.emit(self.current_id, USER)
        self.settle_path()

    def _on_foreign_change(self, change: Change) -> None:
        """Tell of another program's change, of its path only where the reader comes along."""
        if change.tree_id != self.tree.loom.id:
            self.trees.changed.emit()
            return
        self.history.read_labels()
        self._announce(self.place.beside(change), OTHER_PROGRAM)

    @contextmanager
    def _put_back_if_refused(self) -> Iterator[None]:
        """Before a change is saved, others' are taken in: also where it is refused, and nothing else follows,
        the path that is read is the active one then.
        """
        try:
            yield
        except LoomError:
            with suppress(GroveError):
                self.place.put_back()
            raise

    def _announce(
        self,
        change: Change,
        initiator: Initiator,
        *,
        keeps_current: bool = False,
        current_id: str | None = None,
    ) -> None:
        self.size.follow(self.tree, change)
        self.calls.follow(change)
        self.bookmarks.follow(change)
        with suppress(GroveError):  # what is saved is told of, also if the file does not say who wrote it
            if any(node.author_agent_id not in self.agents.by_id() for node in change.added_nodes()):
                self.agents.read()
        self.place.follow(change, keeps_current=keeps_current, current_id=current_id)
        self.tree_changed.emit(change, initiator)
        if len(change.rows) > change.touches_path():
            self.row_changed.emit()
        self.saved.emit(change.at, initiator)
