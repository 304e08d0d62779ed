"""Rows of the outline as a Qt model: of very many only those near, so that a view never stands still."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from loomapp.core.context.outcomes import by_name
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.outline.lines import OtherParent, OutlineRow
from loomapp.core.outline.outline import Outline, OutlineStart
from loomapp.core.outline.ways import OutlineFolds, TreeWays, heads_on, way_to
from loomapp.core.paths.path import NodeSequence, Path, common_length, node_sequence
from loomapp.core.prose.authorship import Author, author_of, main_author
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.graph.scene.card_faces import short_author
from loomapp.ui.side_bar.outline.row_words import (
    EARLIER,
    answers_words,
    below_sentence,
    branch_at,
    branch_title,
    is_listed,
    sentence,
    shown_words,
    with_states,
)
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import plain_tip

Index = QModelIndex | QPersistentModelIndex
KEY_ROLE = Qt.ItemDataRole.UserRole  # node id, or the key of what is no message

WINDOW = 200  # rows that the view knows on either side of the one that is looked at
LATER = "\0later"  # key of the row that stands for what comes after those that the view knows
LARGE = 2_000  # nodes: from here on rows are found in slices
SLICE_MS = 6.0  # of building, at each turn of the event loop
FEW = 50  # nodes that come at once and are shown for it
MOST_OPEN = 500  # the last that were opened; each is found again by its own
MOST_COUNTED = 1_000  # messages in a folded branch


class OutlineModel(QAbstractItemModel):
    """Rows of an `Outline`, found anew when the tree or the path moved; only what differs comes and goes."""

    ready = Signal()  # the rows stand

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.agents: Mapping[str, Agent] = {}
        self.fates: Mapping[str, str] = {}
        self.drafts: Mapping[str, tuple[LiveDraft, ...]] = {}  # by the node that they follow
        self.written: Mapping[str, str] = {}  # by other programs and not looked at: who wrote which node
        self.on_path: NodeSequence = node_sequence(())
        self.show_pruned = False
        self.defaults = AppContextSettings()  # what every tree inherits
        self.listed = "all"  # or `branches`, `bookmarked`, `mine`
        self.folds = OutlineFolds()
        self.outline: Outline | None = None
        self._tree: Tree | None = None
        self._current = ""
        self._trail: NodeSequence = node_sequence(())
        self._start: OutlineStart | None = None
        self._offered = ""
        self._shown: list[OutlineRow] = []
        self._first = 0  # which of all rows is the first that is shown
        self._counts: dict[str, int] = {}
        self._counted_by: Mapping[str, str] | None = None  # choices between sources; None: the tree moved
        self.is_moving = False  # rows come and go: that a view looks at another one is nobody's choice
        self._growing: Outline | None = None
        self._steps: Iterator[None] = iter(())
        self._timer = IdleTimer(self, is_heavy=self.is_large)
        self._timer.timeout.connect(self.on_turn)

    def is_large(self) -> bool:
        return self._tree is not None and len(self._tree.nodes) >= LARGE

    @property
    def is_growing(self) -> bool:
        return self._growing is not None

    def can_reveal(self, node_id: str) -> bool:
        """True for a node that a folded row may hide."""
        tree, node = self._tree, self.node_of(node_id)
        is_there = tree is not None and node is not None and not tree.is_empty_root(node_id)
        return is_there and (self.show_pruned or node is None or not node.metadata.pruned)

    # Trees and changes

    def show_tree(self, tree: Tree, path: NodeSequence, current: str, opened: Iterable[str]) -> None:
        """Show another tree, with what was opened in it; the rows stand when `ready` says so."""
        self.beginResetModel()
        self._tree, self.outline, self._start, self._first = tree, None, None, 0
        self._shown = []
        self.endResetModel()
        self.folds = OutlineFolds()
        kept = tuple(opened)
        self.folds.open(kept)
        self.folds.show(kept)
        self.on_path, self._current = node_sequence(()), ""
        self._go(path, current)
        self.folds.show(self._near())
        self.show_again()

    def show_again(self) -> None:
        """Find the rows anew, and all that is known of them."""
        self._counted_by = None
        if self._tree is not None:
            self._begin()

    def follow(self, change: Change, path: NodeSequence, current: str) -> None:
        """Follow a change that moved the tree; what came with it is shown."""
        came = [node.id for node in change.added_nodes()]
        if len(came) <= FEW:
            self.folds.open(came)
            self.folds.show(came)
        self._go(path, current)
        self.show_again()

    def mark_written(self, written: Mapping[str, str], most_shown: int) -> None:
        """Take what other programs wrote. The first of it, and what notes are on, stands in no folded run."""
        self.written = dict(written)
        first = list(islice(written, most_shown))
        edges = () if self._tree is None else map(self._tree.annotation_edges_into, first)
        self.folds.show((*first, *(edge.sources[0].node_id for each in edges for edge in each)))

    def set_offered(self, node_id: str) -> None:
        """Take which answer the end of the text offers, empty for none."""
        if node_id != self._offered:
            self._offered = node_id
            self.show_again()

    def go_to(self, path: NodeSequence, current: str) -> None:
        """Another node is current, or another path is read; what leads there is unfolded."""
        if self._tree is None:
            return
        is_same_path = path is self.on_path or path.node_ids == self.on_path.node_ids
        is_aside = self._trail is not self.on_path or current not in path
        self._go(path, current)
        outline = self.outline
        if current not in self.folds.shown:
            self.folds.show((current,))
        if outline is None or not is_same_path or is_aside or outline.row_number(current) is None:
            self._begin()

    def _go(self, path: NodeSequence, current: str) -> None:
        tree = self._tree
        assert tree is not None, "a tree is shown"
        before_path, before = self.on_path, self._trail
        self.on_path, self._current = path, current
        self._trail = path if current in path else way_to(tree, current)
        entered = heads_on(tree, path, before_path)
        if self._trail is not path:
            entered += heads_on(tree, self._trail, before)
        self.folds.open(entered)

    def reveal(self) -> None:
        """Unfold all that hides the current node."""
        tree = self._tree
        if tree is None:
            return
        place = self._trail.place_of(self._current)
        way = self._trail.node_ids[: len(self._trail.node_ids) if place is None else place + 1]
        self.folds.open(heads_on(tree, node_sequence(way), node_sequence(())))
        self.folds.show(self._near())
        self.folds.folded.difference_update(way)
        self.folds.folded.difference_update({k for k in self.folds.folded if k.startswith("\0")})
        self._begin()

    def _near(self) -> tuple[str, ...]:
        """The current node and those beside it on its way."""
        place, ids = self._trail.place_of(self._current), self._trail.node_ids
        return () if place is None else ids[max(0, place - 1) : place + 2]

    @property
    def opened(self) -> tuple[str, ...]:
        """The branches and messages that are unfolded, those last that were opened last."""
        heads = {} if self.outline is None else self.outline.way_numbers
        branches = (i for i in self.folds.opened if i in heads)
        return tuple(dict.fromkeys((*branches, *self.folds.shown)))[-MOST_OPEN:]

    def _begin(self) -> None:
        assert self._tree is not None, "a tree is shown"
        ways = TreeWays(self._tree, self.on_path, self._trail, self.show_pruned, self.defaults)
        place = self._trail.place_of(self._current)
        trail = self._trail
        if place is not None and isinstance(trail, Path):
            trail = trail.beginning(place + 1)
        folds, keeps = self.folds, None
        if self.listed != "all":
            everything = dict.fromkeys(self._tree.nodes)
            folds, keeps = OutlineFolds(everything, everything), self._is_listed
        awaited = frozenset(self.drafts)
        self._growing = Outline(self._tree, ways, folds, trail, keeps, awaited, self._start, self._offered)
        self._steps = self._growing.building()
        if self.is_large():
            self._timer.start()
            return
        for _ in self._steps:
            pass
        self._stand()

    def _is_listed(self, row: OutlineRow) -> bool:
        return is_listed(self.listed, row, self.node_of(row.node_id))

    def on_turn(self) -> None:
        """Find a little more of the outline."""
        end = time.perf_counter() + SLICE_MS / 1e3
        while time.perf_counter() < end:
            try:
                next(self._steps)
            except StopIteration:
                self._stand()
                return
        self._timer.start()

    def _stand(self) -> None:
        if self._growing is None:
            return
        self.outline, self._growing = self._growing, None
        self._start = self.outline.start
        choices = self.outline.ways.tree.path.selections
        if choices != self._counted_by or self.is_prose:  # in a buffer a path leads by other versions, too
            self._counts.clear()
        self._counted_by = choices
        self._match(self._first)
        self.ready.emit()

    # Folding

    def toggle(self, row: OutlineRow) -> None:
        """Fold what a row has open, or unfold it."""
        match row:
            case OutlineRow(kind="above"):
                self._start = None if self.outline is None else self.outline.earlier_start()
            case OutlineRow(kind="heading"):
                self.folds.folded ^= {row.key}
            case OutlineRow(kind="run"):
                self.folds.show(row.run)
            case OutlineRow(fold="open") if row.run:
                self._fold_run(row)
            case OutlineRow(is_head=True, fold="open"):
                self.folds.fold([row.node_id, row.key, *row.alternatives])
            case OutlineRow(is_head=True, fold="folded"):
                self.folds.open([row.node_id])
            case OutlineRow(ways=ways) if ways:
                self.folds.folded ^= {row.node_id}
            case _:
                return
        self._begin()

    def _fold_run(self, row: OutlineRow) -> None:
        inside = set(row.run)
        assert self.outline is not None, "rows stand"
        for other in self.outline.rows:
            if other.node_id in inside:
                self.folds.fold([other.node_id, *other.alternatives])
        if self._current in inside:
            self.folds.show([self._current])

    def unfold_all(self, below: str | None = None) -> None:
        """Open every branch and run, or only those below a node."""
        tree = self._tree
        if tree is None:
            return
        nodes = tree.descendants(below) if below is not None else list(tree.nodes)
        self.folds.folded.clear()
        self.folds.open(nodes)
        self.folds.show(nodes)
        self._begin()

    def fold_all(self) -> None:
        """Fold all but the way to the current node."""
        self.folds = OutlineFolds()
        if self._tree is not None:
            self.folds.open(heads_on(self._tree, self.on_path, node_sequence(())))
            self.reveal()

    def count_below(self, row: OutlineRow) -> int:
        """Count the messages that a folded row hides; of very many not all."""
        if row.key not in self._counts and self.outline is not None:
            self._counts[row.key] = self.outline.ways.count_below(row.node_id, MOST_COUNTED)
        return self._counts.get(row.key, 0)

    # What the view knows

    def reach(self, node_id: str) -> QModelIndex:
        """The index of a node's row, after bringing it into what is shown; invalid if it has none."""
        number = None if self.outline is None else self.outline.row_number(node_id)
        if number is None:
            return QModelIndex()
        if not self._first <= number < self._first + self._known():
            self._match(number - WINDOW)
        return self._index_of(number)

    def near(self, key: str) -> QModelIndex:
        """The index of a row by its key, if the view knows it."""
        found = next((n for n, row in enumerate(self._shown) if row.key == key), None)
        return QModelIndex() if found is None else self.index(found)

    def extend(self, key: str) -> QModelIndex:
        """Show what an earlier or later row stands for; gives the first new one."""
        number = self._first - 1 if key == EARLIER else self._first + self._known()
        self._match(number - WINDOW)
        return self._index_of(number)

    def _known(self) -> int:
        return sum(row.kind != "more" for row in self._shown)

    def _index_of(self, number: int) -> QModelIndex:
        return self.index(number - self._first + (self._first > 0))

    def _match(self, first: int) -> None:
        """Let the view know the rows from a number on: only what differs comes and goes."""
        assert self.outline is not None, "only then there is something to show"
        rows = self.outline.rows
        first = max(0, min(first, len(rows) - 2 * WINDOW))
        end = min(len(rows), first + 2 * WINDOW)
        wished = rows[first:end]
        if first:
            wished.insert(0, OutlineRow(EARLIER, "", "more", first))
        if end < len(rows):
            wished.append(OutlineRow(LATER, "", "more", len(rows) - end))
        self._first = first
        old, new = [row.key for row in self._shown], [row.key for row in wished]
        head = common_length(old, new)
        tail = common_length(old[head:][::-1], new[head:][::-1])
        self.is_moving = True
        if head < len(old) - tail:
            self.beginRemoveRows(QModelIndex(), head, len(old) - tail - 1)
            del self._shown[head : len(old) - tail]
            self.endRemoveRows()
        if head < len(new) - tail:
            self.beginInsertRows(QModelIndex(), head, len(new) - tail - 1)
            self._shown[head:head] = wished[head : len(new) - tail]
            self.endInsertRows()
        self.is_moving = False
        changed = [n for n, row in enumerate(wished) if row != self._shown[n]]
        self._shown = wished
        if changed:
            self.dataChanged.emit(self.index(changed[0]), self.index(changed[-1]))

    # The model

    def row(self, index: Index) -> OutlineRow | None:
        """Return a row. A summary stands for a run only where it is used: one that waits, or has no room, has
        its messages sent.
        """
        number = index.row()
        row = self._shown[number] if index.isValid() and number < len(self._shown) else None
        if row is None or not row.is_covered:
            return row
        is_sent = any(self.fates.get(i) in ("sent", "truncated") for i in (row.run[0], row.run[-1]))
        return replace(row, is_covered=False) if is_sent else row

    def index(self, row: int, column: int = 0, parent: Index | None = None) -> QModelIndex:
        if column or not 0 <= row < len(self._shown) or (parent is not None and parent.isValid()):
            return QModelIndex()
        return self.createIndex(row, 0)

    def parent(self, _index: Index | None = None) -> QModelIndex:  # type: ignore[override]  # QObject.parent too
        return QModelIndex()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index | None = None) -> int:
        return 1

    def node(self, index: Index) -> Node | None:
        """Return the message or note that a row shows."""
        row = self.row(index)
        return self.node_of(row.node_id) if row is not None and row.is_node else None

    def node_of(self, node_id: str) -> Node | None:
        return None if self._tree is None else self._tree.nodes.get(node_id)

    def author_of(self, node: Node) -> Author:
        return author_of(node) if self._tree is None else main_author(self._tree, node)

    def way_read(self, fork_id: str) -> int | None:
        place = self.on_path.place_of(fork_id)
        if place is None or self.outline is None or place + 1 >= len(self.on_path.node_ids):
            return None
        return self.outline.way_numbers.get(self.on_path.node_ids[place + 1])

    def fork_of(self, row: OutlineRow) -> QModelIndex:
        return self.reach(row.rails[-1].fork_id) if row.rails else QModelIndex()

    def headerData(
        self, _section: int, _orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        return tr("Messages") if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row's words: its beginning to see, a sentence to hear."""
        row = self.row(index)
        if row is None:
            return None
        if role == KEY_ROLE:
            return row.node_id if row.is_node else row.key
        if role == Qt.ItemDataRole.DisplayRole:
            node = self.node(index)
            if row.kind == "answers":
                return self._sentence(row)
            return shown_words(row, node, "" if node is None else self.branch_title(node), self.is_prose)
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            said = self._sentence(row)
            return plain_tip(said) if role == Qt.ItemDataRole.ToolTipRole else said
        return None

    @property
    def is_prose(self) -> bool:
        return self._tree is not None and self._tree.loom.mode == "buffer"

    def _sentence(self, row: OutlineRow) -> str:
        node = self.node_of(row.node_id) if row.is_node else None
        if row.kind == "answers":
            return answers_words(self.drafts.get(row.node_id, ()), self.agents)
        below = "" if row.below is None else f", {self.below_sentence(row.below)}"
        if node is None:
            return shown_words(row, None, "", self.is_prose) + below
        hidden = self.count_below(row) if row.fold == "folded" else 0
        fate, named = self.fates.get(node.id), by_name(self.fates, node.id)
        author = short_author(self.author_of(node), self.agents)
        said = sentence(row, node, author, fate, named, hidden=hidden, is_prose=self.is_prose)
        branch = self.branch_title(node)
        said = f"{branch}: {said}" if branch else said
        return with_states(said, row, self.fates, self.written) + below

    def below_sentence(self, below: OtherParent) -> str:
        """Return words for what a row follows, where the row above it shows another alternative."""
        node = self.node_of(below.node_id)
        return "" if node is None else below_sentence(below, node, self.is_prose)

    def branch_title(self, node: Node) -> str:
        """Return the title of the branch whose head a node is; empty if it is none."""
        return "" if self._tree is None else branch_title(self._tree, node)

    def lacks_summary(self, node: Node) -> bool:
        branch = None if self._tree is None else branch_at(self._tree, node)
        return branch is not None and not branch.summary
