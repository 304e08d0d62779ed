"""Rows of the outline as a Qt model: of a long line only what is near, so that a view never stands still."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Mapping
from itertools import islice

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from loomapp.core.context.outcomes import by_name, is_in_part
from loomapp.core.economy.branch_rows import Branch, read_branch
from loomapp.core.economy.threads import title_of
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import Edge, Node
from loomapp.core.model.tree import Tree
from loomapp.core.outline.outline import Outline, OutlinePlace
from loomapp.core.paths.path import NodeSequence, node_sequence
from loomapp.session.background.background_work import IdleTimer
from loomapp.session.background.garbage import put_away
from loomapp.ui import figures
from loomapp.ui.graph.scene.card_faces import author_name
from loomapp.ui.side_bar.outline.row_words import sentence, title
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.labels import plain_tip

Index = QModelIndex | QPersistentModelIndex
KEY_ROLE = Qt.ItemDataRole.UserRole  # node id, or EARLIER or LATER and the owner

WINDOW = 200  # rows of one owner that are shown on either side of the one that is looked at
EARLIER, LATER = "\0earlier", "\0later"
LARGE = 2_000  # nodes: from here on the outline waits for a turn of its own
SLICE_MS = 6.0  # of building, at each turn of the event loop
MANY_MOVED = 2_000  # nodes: of more that come, go or hide at once all rows are found again, in slices


class OutlineModel(QAbstractItemModel):
    """Rows of an `Outline` of a view, patched from changes; reset where another tree, or nearly, is shown."""

    ready = Signal()  # the outline of a tree was found

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.agents: Mapping[str, Agent] = {}
        self.fates: Mapping[str, str] = {}
        self.written: Mapping[str, str] = {}  # by other programs and not looked at: who wrote which node
        self.on_path: NodeSequence = node_sequence(())
        self.show_pruned = False
        self.outline: Outline | None = None
        self._tree: Tree | None = None
        self._shown: dict[str | None, list[str]] = {}  # owner -> keys of its rows, as the view knows them
        self._start: dict[str | None, int] = {}  # owner -> which of all its rows is the first that is shown
        self._owner: dict[str, str | None] = {}  # key -> owner, of what is shown
        self._keys: list[str] = []
        self._numbers: dict[str, int] = {}
        self._growing: Outline | None = None
        self._steps: Iterator[None] = iter(())
        self._timer = IdleTimer(self, is_heavy=self.is_large)
        self._timer.timeout.connect(self.on_turn)

    def is_large(self) -> bool:
        """True if looking through the tree takes long enough to be in the way of others."""
        return self._tree is not None and len(self._tree.nodes) >= LARGE

    # Trees and changes

    def show_tree(self, tree: Tree) -> None:
        """Show another tree; its outline is found in slices and stands when `ready` says so."""
        self._tree = tree
        self.beginResetModel()
        self._forget()
        for kept in (self._shown, self._start, self._owner, self._numbers):
            kept.clear()
        self._keys.clear()
        self.endResetModel()
        self._begin()

    def _forget(self) -> None:
        for old in (self.outline, self._growing):
            if old is not None:
                put_away(old, old.parts(), self)
        self.outline = self._growing = None
        self._steps = iter(())

    def show_again(self) -> None:
        """Show the same tree with other nodes hidden."""
        if self._tree is not None:
            self.show_tree(self._tree)

    def is_nearly_another(self, change: Change) -> bool:
        """True if by a change so many rows come or go that to patch them would hold up all else."""
        moved = (row for row in change.rows if _moves_node(row))
        return next(islice(moved, MANY_MOVED, None), None) is not None

    def follow(self, change: Change) -> None:
        """Follow a change that moved the tree: rows come and go where they stand."""
        if self.outline is None:
            self._begin()  # what was found so far may be wrong
            return
        for owner in sorted(self.outline.follow(change, self.on_path), key=str):
            if owner in self._shown or self._stands(owner):
                self._match(owner)
        ends = [edge for row in change.rows for edge in (row.before, row.after) if isinstance(edge, Edge)]
        above = {source.node_id for edge in ends for source in edge.sources}  # other branches now
        said = above.union(row.row.key for row in change.changed(Node))
        for key in {self.row_of(node_id) for node_id in said} & self._owner.keys():
            self.tell(key)

    def tell(self, key: str) -> None:
        """Note that a row says something else than before."""
        index = self.index_of_shown(key)
        if index.isValid():
            self.dataChanged.emit(index, index)

    def on_turn(self) -> None:
        """Find a little more of the outline."""
        end = time.perf_counter() + SLICE_MS / 1e3
        while time.perf_counter() < end:
            try:
                next(self._steps)
            except StopIteration:
                self.outline, self._growing = self._growing, None
                self._match(None)
                self.ready.emit()
                return
        self._timer.start()

    def _begin(self) -> None:
        assert self._tree is not None, "a tree is shown"
        self._growing = Outline(self._tree, self.on_path, show_pruned=self.show_pruned)
        self._steps = self._growing.building()
        self._timer.start()

    # Rows of an owner

    def reach(self, node_id: str) -> QModelIndex:
        """The index of a node, after bringing it and what it stands under into what is shown."""
        for key, place in self._way_to(node_id):
            if key not in self._owner:
                self._match(place.owner, around=place.row)
        return self.index_of_shown(self.row_of(node_id))

    def near(self, node_id: str) -> QModelIndex:
        """The index of a node like `reach`, but what is shown of a long line stays; invalid if it is not in
        that.
        """
        for key, place in self._way_to(node_id):
            if key not in self._owner:
                if place.owner in self._shown:
                    return QModelIndex()
                self._match(place.owner, around=place.row)
        return self.index_of_shown(self.row_of(node_id))

    def _way_to(self, node_id: str) -> list[tuple[str, OutlinePlace]]:
        """The rows from the top level down to that of a node, each with its place; empty if it has none."""
        way: list[tuple[str, OutlinePlace]] = []
        key: str | None = self.row_of(node_id)
        while key is not None and self.outline is not None:
            place = self.outline.place(key)
            if place is None:
                return []
            way.append((key, place))
            key = place.owner
        return way[::-1]

    def extend(self, key: str) -> QModelIndex:
        """Show the rows that an `earlier` or `later` row stands for; gives the first new one."""
        kind, _, owner_key = key.rpartition("\0")
        owner = owner_key or None
        assert self.outline is not None, "rows stand for something"
        rows = self.outline.rows(owner)
        start = self._start[owner]
        nodes = sum(not k.startswith("\0") for k in self._shown[owner])
        at = start - 1 if kind == EARLIER else start + nodes
        self._match(owner, around=at)
        return self.index_of_shown(rows[at])

    def _match(self, owner: str | None, around: int | None = None) -> None:
        """Bring what is shown of an owner in line with its rows: only what differs comes and goes."""
        assert self.outline is not None, "only then there is something to show"
        exists = owner is None or self.outline.place(owner) is not None
        rows = self.outline.rows(owner) if exists else ()
        shown = self._shown.setdefault(owner, [])
        start = self._start.get(owner, 0)
        if around is not None:
            start = around - WINDOW
        start = max(0, min(start, len(rows) - 2 * WINDOW))
        end = min(len(rows), start + 2 * WINDOW)
        wished = list(rows[start:end])
        if start:
            wished.insert(0, f"{EARLIER}\0{owner or ''}")
        if end < len(rows):
            wished.append(f"{LATER}\0{owner or ''}")
        self._start[owner] = start
        same_head = _shared(shown, wished)
        same_tail = _shared(shown[same_head:][::-1], wished[same_head:][::-1])
        self._remove(owner, same_head, len(shown) - same_tail)
        self._insert(owner, same_head, wished[same_head : len(wished) - same_tail])
        for key in (f"{EARLIER}\0{owner or ''}", f"{LATER}\0{owner or ''}"):
            self.tell(key)  # their numbers

    def _remove(self, owner: str | None, first: int, end: int) -> None:
        if first >= end:
            return
        self.beginRemoveRows(self._index_of_owner(owner), first, end - 1)
        shown = self._shown[owner]
        gone = shown[first:end]
        del shown[first:end]
        while gone:  # and what stands under them
            key = gone.pop()
            self._owner.pop(key, None)
            self._start.pop(key, None)
            gone += self._shown.pop(key, [])
        self.endRemoveRows()

    def _insert(self, owner: str | None, at: int, keys: list[str]) -> None:
        for key in keys:  # moved here from elsewhere: there it must go first
            other = self._owner.get(key)
            if key in self._owner and other != owner:
                row = self._shown[other].index(key)
                self._remove(other, row, row + 1)
        if keys:
            self.beginInsertRows(self._index_of_owner(owner), at, at + len(keys) - 1)
            self._shown[owner][at:at] = keys
            self._owner.update(dict.fromkeys(keys, owner))
            self.endInsertRows()

    def _stands(self, owner: str | None) -> bool:
        return owner is None or owner in self._owner

    def _index_of_owner(self, owner: str | None) -> QModelIndex:
        return QModelIndex() if owner is None else self.index_of_shown(owner)

    # The model

    def index_of_shown(self, key: str | None) -> QModelIndex:
        """Return the index of a row that is shown; invalid if it is not."""
        if key is None or key not in self._owner:
            return QModelIndex()
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return self.createIndex(self._shown[self._owner[key]].index(key), 0, number)

    def key(self, index: Index) -> str | None:
        """Return the node id, or which rows it stands for; None for no row."""
        return self._keys[index.internalId()] if index.isValid() else None

    def index(self, row: int, column: int = 0, parent: Index | None = None) -> QModelIndex:
        """A row under another."""
        owner = self.key(parent) if parent is not None else None
        shown = self._shown.get(owner, [])
        if column or not 0 <= row < len(shown):
            return QModelIndex()
        key = shown[row]
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return self.createIndex(row, 0, number)

    def parent(self, index: Index | None = None) -> QModelIndex:  # type: ignore[override]  # QObject.parent too
        key = self.key(index) if index is not None else None
        return self.index_of_shown(self._owner.get(key)) if key is not None else QModelIndex()

    def rowCount(self, parent: Index | None = None) -> int:
        return len(self._shown.get(self.key(parent) if parent is not None else None, ()))

    def columnCount(self, parent: Index | None = None) -> int:
        return 1

    def hasChildren(self, parent: Index | None = None) -> bool:
        """Return True for a fork, whether its branches are shown or not."""
        key = self.key(parent) if parent is not None else None
        if key is None:
            return bool(self._shown.get(None))
        return self.outline is not None and not key.startswith("\0") and self.outline.has_rows(key)

    def canFetchMore(self, parent: Index) -> bool:
        key = self.key(parent)
        return key is not None and key not in self._shown and self.hasChildren(parent)

    def fetchMore(self, parent: Index) -> None:
        key = self.key(parent)
        if key is not None and key not in self._shown:
            self._match(key)

    def shown_key(self, index: Index) -> str | None:
        """The node id of what a row shows, which may be another version; or which rows it stands for."""
        key = self.key(index)
        return key if key is None else self.standing_at(key, self.on_path)

    def row_of(self, node_id: str) -> str:
        """Return the key of the row in which a node has its place."""
        return node_id if self.outline is None else self.outline.row_of(node_id)

    def standing_at(self, key: str, path: Container[str]) -> str:
        """Return the node that the row of a key shows while a path is read."""
        return key if self.outline is None else self.outline.standing_at(key, path)

    def node(self, index: Index) -> Node | None:
        """Return the node that a row shows, if it stands for one."""
        key = self.shown_key(index)
        return self._tree.nodes.get(key) if self._tree is not None and key is not None else None

    def headerData(
        self, _section: int, _orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Name the column for screen readers: the header itself is hidden."""
        return tr("Messages") if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row's words: its beginning to see, a sentence to hear."""
        key, node = self.key(index), self.node(index)
        if role == KEY_ROLE:
            return self.shown_key(index)
        if role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.ToolTipRole,
        ):
            return None
        if node is None:
            return self._words_of_more(key or "")
        if role == Qt.ItemDataRole.DisplayRole:
            return self.branch_title(node) or title(node)
        assert self.outline is not None, "rows are of an outline"
        fate, named = self.fates.get(node.id), by_name(self.fates, node.id)
        said = sentence(node, key or "", author_name(node, self.agents), self.outline, fate, named)
        branch = self.branch_title(node)
        said = f"{branch}: {said}" if branch else said
        if is_in_part(self.fates, node.id):
            said = tr("{said}, sent in part").format(said=said)
        if node.id in self.written:
            who = unsteered(self.written[node.id])
            said = tr("{said}, new from {who}").format(said=said, who=who)
        return plain_tip(said) if role == Qt.ItemDataRole.ToolTipRole else said

    def branch_title(self, node: Node) -> str:
        """Return the title of the branch whose head a node is; empty if it is none, or the start of the
        tree.
        """
        branch = self._branch(node)
        return "" if branch is None else unsteered(" ".join(title_of(branch, node.text).split()))

    def lacks_summary(self, node: Node) -> bool:
        """True for the head of a branch that has no summary yet."""
        branch = self._branch(node)
        return branch is not None and not branch.summary

    def _branch(self, node: Node) -> Branch | None:
        tree = self._tree
        if tree is None or not tree.branch_summaries or node.id == tree.root_id:
            return None
        row = tree.branch_summaries.get(node.id)
        return None if row is None else read_branch(row)

    def _words_of_more(self, key: str) -> str:
        kind, _, owner_key = key.rpartition("\0")
        owner = owner_key or None
        if self.outline is None or owner not in self._shown:
            return ""
        start = self._start.get(owner, 0)
        nodes = sum(not k.startswith("\0") for k in self._shown[owner])
        if kind == EARLIER:
            return tr("{count} earlier").format(count=figures.number(start))
        return tr("{count} more").format(count=figures.number(len(self.outline.rows(owner)) - start - nodes))


def _shared(one: list[str], other: list[str]) -> int:
    """Return the number of keys that two lists begin with in common."""
    length = min(len(one), len(other))
    return next((i for i in range(length) if one[i] != other[i]), length)


def _moves_node(row: RowChange) -> bool:
    match row.before, row.after:
        case (None, Node()) | (Node(), None):
            return True
        case Node() as before, Node() as after:
            return before.metadata.pruned != after.metadata.pruned
    return False
