"""The open grove and the tree being read: commits changes, undoes them, and tells every view."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.edits import edit_context, new_trees, node_edits, tree_settings
from loomapp.core.edits import undo as history
from loomapp.core.errors import AssemblyError, GroveError, LoomError
from loomapp.core.model.bookmarks import Bookmarks
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.entities import ActivePath, LoomTree, Mode, Node
from loomapp.core.model.statistics import TreeStatistics
from loomapp.core.model.tree import Tree
from loomapp.core.paths import living_place, resolve
from loomapp.core.paths.last_read import LastRead
from loomapp.core.prose import path_choice
from loomapp.session.background import disposal
from loomapp.session.grove_agents import GroveAgents
from loomapp.session.history.go_to_step import Walk
from loomapp.session.history.undo_history import UndoHistory
from loomapp.session.initiator import OTHER_PROGRAM, USER, Initiator
from loomapp.session.reading.opened_tree import OpenedTree
from loomapp.session.reading.window_state import read_left
from loomapp.store.files.media import MediaFolder
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id, now
from loomapp.store.rows.tree_list import TreeRow

LAST_TREE = "window.tree"  # where older versions kept it
MANY_NODES = 10_000  # to change so many takes a second on a slow machine
READER = "you"  # by whom a change is that was made in the window
MOST_TRIES = 8  # to be quicker than another program

Make: TypeAlias = Callable[[Tree, Sequence[str], edit_context.EditContext], Change | None]


def nothing() -> bool:
    """Return False: nobody writes."""
    return False


def first_tree_id(grove: Grove) -> str | None:
    """The tree that was read last, else the oldest that is not archived, if there is any.

    Where nothing can be written an archived one is shown.
    """
    every = grove.trees()
    rows = [row for row in every if row.archived_at is None] or (every if grove.read_only else [])
    last = read_left(grove.path).tree_id or grove.setting(LAST_TREE)
    return next((row.id for row in rows if row.id == last), rows[0].id if rows else None)


class NotSaved(GroveError):
    """A change that the file did not take; it can be committed later as it is."""

    def __init__(self, error: GroveError, tree: Tree, change: Change) -> None:
        super().__init__(error.code, error.message, **error.details)
        self.tree, self.change = tree, change


class Document(QObject):
    """Owns the tree that the window shows. Every method runs on the GUI thread.

    Methods that write raise GroveError or StaleChange and leave memory, file and views as they were.
    """

    leaving = Signal()  # another tree is about to be shown: what stands beside this one's text comes first
    moving = Signal()  # another path or tree is about to be read, or a step made: what is written comes first
    many_moving = Signal(int)  # so many nodes are about to be changed, in one turn of the event loop
    tree_opened = Signal(object)  # Tree: another tree is shown, build anew
    tree_changed = Signal(object, object)  # Change, Initiator: what moved, to patch from; the place, too
    current_changed = Signal(str, object)  # node id, Initiator: what Generate continues; no Change moved it
    trees_changed = Signal()  # the list of trees
    row_changed = Signal()  # what it says of this one: its title or a count; see `known_trees`
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
        self.buffers_send_system = False  # whether a new buffer sends its system context; likewise
        self._told_trees: list[TreeRow] = []
        self.tree = self._first_tree() if first is None else grove.take(first.read)
        self.path = resolve.only(self.tree, self.tree.root_id)  # what is read, its root first
        self.path_error: AssemblyError | None = None
        self.current_id = self.tree.path.leaf_id
        self.has_words: Callable[[], bool] = nothing  # whether the reader is writing; the window says
        # Commits what is typed; gives the nodes that stand in the places of some then. See `BufferSession`.
        self.settle_typing: Callable[[Sequence[str]], Sequence[str]] = tuple
        self._shows_pruned = True  # until it is said: a tree may be left at a node that was shown on purpose
        self._held: ActivePath | None = None  # what is read, while the tree has another program's path
        self.last_read = LastRead(self.tree)
        self.size = TreeStatistics(self.tree) if first is None else first.size
        self.bookmarks = Bookmarks(self.tree) if first is None else first.bookmarks
        self.history = UndoHistory(self)
        self.history.read_labels()
        self._resolve_path()
        self.walk = Walk(self.history, self)
        self.tree_changed.connect(self.walk.on_tree_moved)
        self.tree_opened.connect(self.walk.on_tree_moved)
        grove.foreign = self._on_foreign_change

    # Trees

    def trees(self) -> list[TreeRow]:
        """Every tree of the grove, archived ones too, in order of creation."""
        self._told_trees = self.grove.trees()
        return self._told_trees

    def known_trees(self) -> list[TreeRow]:
        """Return the trees of the grove as they were read last and moved here since, without reading the
        file.
        """
        self._told_trees = self.grove.known_trees()
        return self._told_trees

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
        tree = new_trees.new_tree(mode, name, self.pen())
        if mode == "buffer":
            tree.loom = replace(tree.loom, buffer_mode_system_context=self.buffers_send_system)
        self.add_tree(tree)

    def add_tree(self, tree: Tree) -> None:
        """Put a tree into the grove and show it."""
        self.grove.add_tree(tree, [self.grove.owner], [])
        self._show(self.grove.load_tree(tree.loom.id))
        self.trees_changed.emit()
        self.saved.emit(now(), USER)

    # Changes

    def pen(self) -> edit_context.EditContext:
        """The owner's pen, at this moment."""
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
                self._save(self.tree, change)
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
            change, current_id = made
            if self._is_saved(change):
                self.history.note_step(change)
                self._announce(change, initiator, current_id=current_id)
                self.settle_path(initiator)
                return
        self._commit(change, initiator, keeps_current=False, current_id=current_id)

    def _is_saved(self, change: Change) -> bool:
        """False if another program was quicker."""
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
        self.trees_changed.emit()
        self.saved.emit(change.at, initiator)

    def _save(self, tree: Tree, change: Change) -> None:
        try:
            self.grove.commit(tree, change)
        except GroveError as error:
            raise NotSaved(error, tree, change) from error

    def rename(self, tree_id: str, title: str) -> None:
        """Give a tree another title; a blank one changes nothing."""
        if title.strip():
            self._change_loom(tree_id, "Rename", lambda loom: replace(loom, title=title.strip()))

    def archive(self, tree_id: str) -> None:
        """Put a tree away; nothing is deleted."""
        self._change_loom(tree_id, "Archive", lambda loom: replace(loom, archived_at=now()))

    def unarchive(self, tree_id: str) -> None:
        """Bring an archived tree back into the list."""
        self._change_loom(tree_id, "Bring back", lambda loom: replace(loom, archived_at=None))

    def set_mode(self, mode: Mode) -> None:
        """Make this tree a dialogue or a buffer. Raises: InvalidInput once it has a first node.

        What is written and no node yet is none by that: it would be the first, and fix the mode.
        """
        sends = mode == "buffer" and self.buffers_send_system
        loom = replace(self.tree.loom, mode=mode, buffer_mode_system_context=sends)
        change = tree_settings.change_loom(self.tree, "Mode", self.pen(), loom)
        if change is not None:
            self.commit_to(self.tree, change)

    def save_loom(self, loom: LoomTree) -> None:
        """Keep the settings of a tree as they were typed; what was not typed stays as it is in the file.

        Another program may have changed others of them a moment ago, which is no reason to refuse these.
        """
        shown = self.tree.loom if loom.id == self.tree.loom.id else None
        self.catch_up()
        self._change_loom(
            loom.id, "Tree settings", lambda now: tree_settings.with_settings(now, shown or now, loom)
        )

    def _change_loom(self, tree_id: str, label: str, update: Callable[[LoomTree], LoomTree]) -> None:
        tree = self.tree if tree_id == self.tree.loom.id else self.grove.load_tree(tree_id)
        change = tree_settings.change_loom(tree, label, self.pen(), update(tree.loom))
        if change is not None:
            if tree is self.tree:
                self.moving.emit()
            self.commit_to(tree, change)

    def tell_if_many(self, change: Change) -> None:
        """Say that very many nodes are about to be changed, if so."""
        if len(change.rows) >= MANY_NODES:
            self.many_moving.emit(sum(1 for _ in change.changed(Node)))

    def begin_step(self) -> None:
        """Let what is written become a step of its own: another one is about to be made."""
        self.moving.emit()

    def tell(self, change: Change, initiator: Initiator) -> None:
        """Tell every view of a change that is in the file and in the tree."""
        self._announce(change, initiator)

    def catch_up(self) -> None:
        """Take in what other programs committed, to this tree and to others."""
        self.take_in()
        self._look_at_trees()

    def catch_up_for(self, most_ms: float) -> bool:
        """Take in other programs' changes as far as there is time, in ms; False if there may be more. Until
        all is there the path that is read is not put back.
        """
        end = time.perf_counter() + most_ms / 1e3
        if self.has_tree:
            if any(time.perf_counter() >= end for _ in self.grove.catching_up(self.tree)):
                return False
            self._settle_path(OTHER_PROGRAM)
        self._look_at_trees()
        return True

    def _look_at_trees(self) -> None:
        if self.grove.trees() != self._told_trees:  # a commit of our own was told already
            self.trees_changed.emit()

    def take_in(self) -> None:
        """Take in what other programs committed to this tree."""
        if self.has_tree:
            self.grove.catch_up(self.tree)  # `foreign` tells of each change
            self._settle_path(OTHER_PROGRAM)

    # Where the reader is

    @property
    def path_ids(self) -> tuple[str, ...]:
        """The nodes of the path that is read, root first."""
        return self.path.node_ids

    def set_current(self, node_id: str, initiator: Initiator = USER) -> None:
        """Select a node, or its `shown_place`: Generate continues it. The path stays."""
        if node_id in self.tree.nodes and (shown := self.shown_place(node_id)) != self.current_id:
            self.current_id = shown
            self.current_changed.emit(shown, initiator)

    def shown_place(self, node_id: str) -> str:
        """Return the node, or, where it is gone, or pruned and pruned ones are not shown, the nearest living
        one on the path. Only such a node is ever current: what is written and generated next lands there.
        """
        node = self.tree.nodes.get(node_id)
        if node is not None and (self._shows_pruned or living_place.lives(self.tree, node_id)):
            return node_id
        return living_place.nearest_living(self.tree, self.path, node_id)

    def set_shows_pruned(self, shown: bool) -> None:
        """Say whether pruned nodes are shown; where they are not, none is current and none ends the path."""
        self._shows_pruned = shown
        self.settle_path()
        self.set_current(self.current_id)

    def read(self, leaf_id: str) -> None:
        """Make the path to a node the active one, and the node current. What it has in common with the path
        that was read stays as it was read.
        """
        leaf_id = self.shown_place(leaf_id)
        self._read((leaf_id,), leaf_id)

    def read_through(self, node_id: str, *, keeps_place: bool = False) -> None:
        """Read the path through a node down to the leaf that was read last below it; that leaf is current, or
        the node itself where the reader is to keep his place.
        """
        node_id = self.shown_place(node_id)
        way = self.last_read.way_below(node_id)
        self._read(way, node_id if keeps_place else way[-1])

    def _read(self, way: Sequence[str], current_id: str) -> None:
        """Read the path through nodes, each a child of the one before, to the last of them."""
        if way[-1] != self.tree.path.leaf_id:
            self.moving.emit()
            if not self.tree.nodes.keys() >= {*way, current_id}:  # others' changes came with what is saved
                current_id = self.shown_place(way[-1])
                way = (current_id,)
        leaf_id = way[-1]
        selections = path_choice.choices_reading(self.tree, self.path, way)
        change = node_edits.choose_path(self.tree, leaf_id, self.pen(), selections)
        self.commit(change, current_id=current_id)
        self.set_current(current_id)

    def settle_path(self, initiator: Initiator = USER) -> None:
        """Let the path that is read be the active one, and end where something is shown. Where that cannot be
        saved now, the next change or look for others' changes does it.
        """
        with suppress(GroveError):
            self._settle_path(initiator)

    def choices_reading(self, node_id: str) -> Mapping[str, str] | None:
        """The choices by which the path to a node is the one that is there once it is read: what is sent from
        it, and what is shown of that, goes by these. None if they are those that the tree stores.
        """
        selections = path_choice.choices_reading(self.tree, self.path, (node_id,))
        return None if selections == self.tree.path.selections else selections

    # Behind it

    def _first_tree(self) -> Tree:
        """The first tree to show, else a new one. A grove without any tree that can only be read shows an
        empty one that is nowhere else (`has_tree` is False).
        """
        first = first_tree_id(self.grove)
        if first is None:
            tree = new_trees.new_tree("dialogue", "Loom Tree 1", self.pen())
            if self.grove.read_only:
                self.has_tree = False
                return tree
            self.grove.add_tree(tree, [self.grove.owner], [])
            return self.grove.load_tree(tree.loom.id)
        return self.grove.load_tree(first)

    def _show(self, tree: Tree, opened: OpenedTree | None = None) -> None:
        self.leaving.emit()
        self.moving.emit()
        disposal.put_away(self.tree, [*self.tree.parts(), *self.size.parts()], self)
        self.tree, self.has_tree, self._held = tree, True, None
        self.size = TreeStatistics(tree) if opened is None else opened.size
        self.bookmarks = Bookmarks(tree) if opened is None else opened.bookmarks
        self.agents.forget()
        self.history.read_labels()
        self.last_read = LastRead(tree)
        self._resolve_path()
        self.current_id = self.shown_place(tree.path.leaf_id)
        self.tree_opened.emit(tree)
        self.current_changed.emit(self.current_id, USER)
        self.settle_path()

    def _on_foreign_change(self, change: Change) -> None:
        """Somebody else's change appears, but never takes a reader from what he reads.

        What he writes next, or stands in the composer, an edit or a note already, is meant for what is read
        now, so the path stays under it, and is the active one again: it is the path last read, and it is read
        here. Only where a node of it or the current one is gone does he come to where the other program left
        the path. He follows what he did himself: an answer that landed in a tree which was read anew
        meanwhile, unless he writes. A passage of a buffer that another program corrects is shown as it says
        now.
        """
        if change.tree_id != self.tree.loom.id:
            self.trees_changed.emit()
            return
        self.history.read_labels()
        stays = change.by != READER or self.has_words()
        if stays and self.tree.nodes.keys() >= {*self.path_ids, self.current_id}:
            moved = [row for row in change.rows if isinstance(row.row, ActivePath)]
            if moved and self._held is None:
                self._held = self._read_path
            change = replace(change, rows=tuple(row for row in change.rows if row not in moved))
        else:
            self._held = None
        self._announce(change, OTHER_PROGRAM)

    def _settle_path(self, initiator: Initiator) -> None:
        self._put_back()
        self._end_where_shown(initiator)

    @contextmanager
    def _put_back_if_refused(self) -> Iterator[None]:
        """Before a change is saved, others' are taken in: also where it is refused, and nothing else follows,
        the path that is read is the active one then.
        """
        try:
            yield
        except LoomError:
            with suppress(GroveError):
                self._put_back()
            raise

    def _end_where_shown(self, initiator: Initiator) -> None:
        """End the path at its last living node, unless pruned ones are shown. A path that leads on from a
        pruned node to living ones stays as it is.
        """
        if self._shows_pruned or not self.has_tree or self._held is not None or self.path_error is not None:
            return
        end = living_place.living_end(self.tree, self.path)
        change = None if end == self.path_ids[-1] else node_edits.choose_path(self.tree, end, self.pen())
        if change is not None:
            self._commit(change, initiator, keeps_current=True, current_id=None)

    def _put_back(self) -> None:
        """Make the path that is read the active one again, if another program had moved it."""
        held, self._held = self._held, None
        if held is None:
            return
        shown, path = self.path_ids, history.standing_path(self.tree, held)
        change = node_edits.choose_path(self.tree, path.leaf_id, self.pen(), path.selections)
        try:
            if change is not None and self.grove.read_only:
                apply(self.tree, change)
            elif change is not None:
                self.grove.commit(self.tree, change)
        except GroveError:
            self._held = held
            raise
        self._resolve_path()
        if self.path_ids != shown:
            read = RowChange(self.tree.path, self.tree.path)
            told = change or Change(self.tree.loom.id, "", now(), (read,), undoable=False)
            self._announce(told, OTHER_PROGRAM)

    def _announce(
        self,
        change: Change,
        initiator: Initiator,
        *,
        keeps_current: bool = False,
        current_id: str | None = None,
    ) -> None:
        if change.touches_path():
            self._held = None
        goes_along = change.touches_path() and not keeps_current
        if goes_along or current_id:
            self.current_id = current_id or self.tree.path.leaf_id
        self.size.follow(self.tree, change)
        self.bookmarks.follow(change)
        with suppress(GroveError):  # what is saved is told of, also if the file does not say who wrote it
            if any(node.author_agent_id not in self.agents.by_id() for node in change.added_nodes()):
                self.agents.read()
        self._resolve_path()
        self._stay_in_sight(change)
        self.tree_changed.emit(change, initiator)
        if len(change.rows) > change.touches_path():
            self.row_changed.emit()
        self.saved.emit(change.at, initiator)

    def _stay_in_sight(self, change: Change) -> None:
        """Let nothing be current that the change took out of sight, shown pruned or not."""
        if living_place.is_put_away(change, self.current_id):
            self.current_id = living_place.nearest_living(self.tree, self.path, self.current_id)
        else:
            self.current_id = self.shown_place(self.current_id)

    def _resolve_path(self) -> None:
        if self._held is not None:
            return
        self.path_error, self._read_path = None, self.tree.path
        before = self.path
        try:
            self.path = resolve.resolve(self.tree, self.tree.path.leaf_id)
        except AssemblyError as error:
            self.path, self.path_error = resolve.only(self.tree, self.tree.root_id), error
        self.last_read.follow(before, self.path)
