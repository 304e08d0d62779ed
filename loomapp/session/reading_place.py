"""The reading place: the path that is read, the current node, what they follow, and places visited before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import node_edits, undo
from loomapp.core.errors import AssemblyError, GroveError
from loomapp.core.model.change import BY_USER, Change, RowChange, apply
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation, resolve
from loomapp.core.paths.navigation import LastRead
from loomapp.core.paths.path import NodeSequence
from loomapp.core.paths.version_groups import place_of_version
from loomapp.core.prose import path_choice
from loomapp.session.open_tree import OTHER_PROGRAM, USER, Initiator, OpenTree
from loomapp.store.identity import now

READER = BY_USER  # by whom a change is that was made in the window


def nothing() -> bool:
    """Return False: nobody writes."""
    return False


class ReadingPlace(QObject):
    """Place of the reader in the open tree. The path that is read is the active one of the tree; only while
    another program has moved that, what is read is held until it can be put back.
    """

    current_changed = Signal(str, object)  # node id, Initiator: what Generate continues; no Change moved it

    def __init__(self, owner: OpenTree, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._owner = owner
        self.has_words: Callable[[], bool] = nothing  # whether the reader is writing; the window says
        self.is_on_its_way: Callable[[], bool] = nothing  # to a point of the history; the document says
        self.times_chosen = 0  # how often the reader selected a node, the current one too
        self._shows_pruned = True  # until it is said: a tree may be left at a node that was shown on purpose
        self._begin()
        self.current_id = owner.tree.path.leaf_id

    def begin_tree(self) -> None:
        """Read another tree, where it was left."""
        self._begin()
        self.current_id = self.shown_place(self._owner.tree.path.leaf_id)

    def _begin(self) -> None:
        tree = self._owner.tree
        self.path = resolve.only(tree, tree.root_id)  # what is read, its root first
        self.path_error: AssemblyError | None = None
        self.last_read = LastRead(tree)
        self._held: ActivePath | None = None  # what is read, while the tree has another program's path
        self._put_away: list[tuple[str, str]] = []  # what was current when it was pruned, and what was then
        self._resolve()

    @property
    def path_ids(self) -> tuple[str, ...]:
        return self.path.node_ids

    # Reading

    def set_current(self, node_id: str, initiator: Initiator = USER) -> None:
        """Select a node, or its `shown_place`: Generate continues it. The path stays."""
        is_there = node_id in self._owner.tree.nodes
        self.times_chosen += is_there and initiator is USER
        if is_there and (shown := self.shown_place(node_id)) != self.current_id:
            self.current_id = shown
            self.current_changed.emit(shown, initiator)

    def shown_place(self, node_id: str) -> str:
        """Return the node, or, where it is gone, or pruned and pruned ones are not shown, the nearest living
        one on the path. Only such a node is ever current: what is written and generated next lands there.
        """
        tree = self._owner.tree
        node = tree.nodes.get(node_id)
        if node is not None and (self._shows_pruned or navigation.lives(tree, node_id)):
            return node_id
        return navigation.nearest_living(tree, self.path, node_id)

    def set_shows_pruned(self, shown: bool) -> None:
        """Say whether pruned nodes are shown; where they are not, none is current and none ends the path."""
        self._shows_pruned = shown
        self._owner.settle_path()
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
        tree = self._owner.tree
        if way[-1] != tree.path.leaf_id:
            self._owner.begin_step()
            if not tree.nodes.keys() >= {*way, current_id}:  # others' changes came with what is saved
                current_id = self.shown_place(way[-1])
                way = (current_id,)
        leaf_id = way[-1]
        selections = path_choice.choices_reading(tree, self.path, way)
        change = node_edits.choose_path(tree, leaf_id, self._owner.pen(), selections)
        self._owner.commit(change, current_id=current_id)
        self.set_current(current_id)

    def choices_reading(self, node_id: str) -> Mapping[str, str] | None:
        """The choices by which the path to a node is the one that is there once it is read: what is sent from
        it, and what is shown of that, goes by these. None if they are those that the tree stores.
        """
        tree = self._owner.tree
        selections = path_choice.choices_reading(tree, self.path, (node_id,))
        return None if selections == tree.path.selections else selections

    # Following the tree

    def follow(self, change: Change, *, keeps_current: bool, current_id: str | None) -> None:
        """Read on in the tree that a change has moved. The current node goes along to a path's new end,
        unless it is to be kept, or another one named; it is none that the change took out of sight. Whoever
        puts away what stands beside the path stays with what he reads, and writes on at its end. Whoever
        takes that back is where he was before.
        """
        before = self.current_id
        if change.touches_path():
            self._held = None
        goes_along = change.touches_path() and not keeps_current
        if goes_along or current_id:
            self.current_id = current_id or self._owner.tree.path.leaf_id
        was_read = self.current_id in self.path
        self._resolve()
        tree = self._owner.tree
        if navigation.is_put_away(change, self.current_id):  # shown pruned or not
            nearest = navigation.nearest_living(tree, self.path, self.current_id)
            self.current_id = nearest if was_read else navigation.living_end(tree, self.path)
        else:
            again = None if keeps_current or current_id else self._came_back(change, goes_along=goes_along)
            self.current_id = self.shown_place(again or self.current_id)
        if navigation.is_put_away(change, before):
            self._put_away.append((before, self.current_id))

    def _came_back(self, change: Change, *, goes_along: bool) -> str | None:
        """Return the node that was current before it was pruned, if a change brings that back; of what a path
        gets back, else, its first node.
        """
        back = navigation.brought_back(change)
        if self._put_away and self._put_away[-1][0] in back:
            was, since = self._put_away.pop()
            return was if goes_along or self.current_id == since else None
        return next((node_id for node_id in self.path_ids if node_id in back), None) if goes_along else None

    def beside(self, change: Change) -> Change:
        """Return as much of another program's change of this tree as is told of: it appears, but never takes
        a reader from what he reads.

        What he writes next, or stands in the composer, an edit or a note already, is meant for what is read
        now, so the path stays under it, and is the active one again: it is the path last read, and it is read
        here. Only where a node of it or the current one is gone does he come to where the other program left
        the path. He follows what he did himself: an answer that landed in a tree which was read anew
        meanwhile, unless he writes. A passage of a buffer that another program corrects is shown as it says
        now; the last one, after which what he writes would stand, unless he writes.
        """
        stays = change.by != READER or self.has_words()
        if not stays or not self._owner.tree.nodes.keys() >= {*self.path_ids, self.current_id}:
            self._held = None
            return change
        moved = [row for row in change.rows if isinstance(row.row, ActivePath)]
        read = self._held or self._read_path
        end = None if self.has_words() else _version_in(self._owner.tree, change, read.leaf_id)
        if end is not None:
            self._held = _ending_with(read, end)
        elif moved:
            self._held = read
        return replace(change, rows=tuple(row for row in change.rows if row not in moved))

    def settle(self, initiator: Initiator) -> None:
        """Let the path that is read be the active one, and end where something is shown. Raises: GroveError
        where that cannot be saved now; the next change or look for others' changes does it.
        """
        self.put_back()
        self._end_where_shown(initiator)

    def put_back(self) -> None:
        """Make the path that is read the active one again, if another program had moved it. Raises:
        GroveError.
        """
        held, self._held = self._held, None
        if held is None:
            return
        grove, tree = self._owner.grove, self._owner.tree
        shown, path = self.path, undo.standing_path(tree, held)
        change = node_edits.choose_path(tree, path.leaf_id, self._owner.pen(), path.selections)
        try:
            if change is not None and grove.read_only:
                apply(tree, change)
            elif change is not None:
                grove.commit(tree, change)
        except GroveError:
            self._held = held
            raise
        self._resolve()
        if self.path_ids != shown.node_ids:
            read = RowChange(tree.path, tree.path)
            change = change or Change(tree.loom.id, "", now(), (read,), undoable=False)
            self._owner.tell(change, OTHER_PROGRAM, current_id=self._current_after(shown))

    def _current_after(self, before: NodeSequence) -> str | None:
        """Return the current node once another path is read than before: itself, or on the path the version
        that is read in its place. None if it is gone.
        """
        tree, place = self._owner.tree, before.place_of(self.current_id)
        if place is None:
            return self.current_id if self.current_id in tree.nodes else None
        at = place_of_version(tree, self.path, self.current_id, place)
        return None if at is None else self.path_ids[at]

    def _end_where_shown(self, initiator: Initiator) -> None:
        """End the path at its last living node, unless pruned ones are shown. A path that leads on from a
        pruned node to living ones stays as it is, and so does one on its way: what it ends at may live then.
        """
        tree, has_tree = self._owner.tree, self._owner.has_tree
        if self._shows_pruned or not has_tree or self._held is not None or self.path_error is not None:
            return
        if self.is_on_its_way():
            return
        end = navigation.living_end(tree, self.path)
        change = None if end == self.path_ids[-1] else node_edits.choose_path(tree, end, self._owner.pen())
        if change is not None:
            self._owner.commit_to(tree, change, initiator, keeps_current=True)

    def _resolve(self) -> None:
        if self._held is not None:
            return
        tree, before = self._owner.tree, self.path
        self.path_error, self._read_path = None, tree.path
        try:
            self.path = resolve.resolve(tree, tree.path.leaf_id)
        except AssemblyError as error:
            self.path, self.path_error = resolve.only(tree, tree.root_id), error
        self.last_read.follow(before, self.path)


def _version_in(tree: Tree, change: Change, node_id: str) -> str | None:
    """Return the version of a passage of a buffer that a change brings in its place, if any."""
    if tree.loom.mode != "buffer":
        return None
    edits = (node.id for node in change.added_nodes() if node.edited_from == node_id)
    before = _sources(tree, node_id)
    return next((edit for edit in edits if _sources(tree, edit) == before), None)


def _sources(tree: Tree, node_id: str) -> tuple[str, ...]:
    return tuple(source for edge in tree.incoming(node_id) for source in edge.with_role("primary"))


def _ending_with(path: ActivePath, version_id: str) -> ActivePath:
    """A path with a version in the place of its leaf, come to as that was."""
    selections = dict(path.selections)
    if (source := selections.pop(path.leaf_id, None)) is not None:
        selections[version_id] = source
    return replace(path, leaf_id=version_id, selections=selections)


MOST = 500


@dataclass(frozen=True, slots=True)
class Visit:
    """Place that was visited: a node of a tree."""

    tree_id: str
    node_id: str


class VisitHistory:
    """The places in the order in which they were visited. Going somewhere new forgets what lay ahead."""

    def __init__(self) -> None:
        self._places: list[Visit] = []
        self._at = -1
        self._is_going = False

    def came_to(self, tree_id: str, node_id: str) -> None:
        """Note the place at which the reader is now."""
        place = Visit(tree_id, node_id)
        if self._is_going or (self._at >= 0 and self._places[self._at] == place):
            return
        self._places[self._at + 1 :] = [place]
        del self._places[:-MOST]
        self._at = len(self._places) - 1

    @contextmanager
    def going(self) -> Iterator[None]:
        """Treat arrivals in the block as part of going back or forward, not as visits of their own."""
        self._is_going = True
        try:
            yield
        finally:
            self._is_going = False

    def back(self, exists: Callable[[Visit], bool]) -> Visit | None:
        """Step to the nearest earlier place that still exists; None if there is none."""
        return self._step(range(self._at - 1, -1, -1), exists)

    def forward(self, exists: Callable[[Visit], bool]) -> Visit | None:
        """Step to the nearest later place that still exists; None if there is none."""
        return self._step(range(self._at + 1, len(self._places)), exists)

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at < len(self._places) - 1

    def _step(self, way: range, exists: Callable[[Visit], bool]) -> Visit | None:
        for at in way:
            if exists(self._places[at]):
                self._at = at
                return self._places[at]
        return None
