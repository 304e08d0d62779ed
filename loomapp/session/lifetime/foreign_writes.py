"""Writes of other programs: heard within a second, and the nodes that came, until somebody looked at them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from loomapp.core.errors import GroveError
from loomapp.core.model.change import BY_USER, Change
from loomapp.core.model.tree import Tree
from loomapp.core.times import Milliseconds
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator
from loomapp.store.files import draft_claims
from loomapp.store.files.drafts import Slot, drafts_folder
from loomapp.store.opening.file_names import last_written
from loomapp.store.rows.chain import ForeignWrite

LOOK_MS = 500
GLANCE_MS = 100  # between two glances whether the file was written: a look then comes at once
WAITS = "locked"  # another program, or a part of this one, is at the file: the next look will do
PARTED = "parted"  # it is in the file, and was told: only the trees have to be read again
# Of taking in, at each turn of the event loop, about three changes: what they lead to in the window comes on
# top, once, and costs more than two of them.
SLICE_MS = 40.0


class Watch(QObject):
    """Looks twice a second, and as soon as the file was written, whether it is still the one that is open,
    and whether the change log is longer than what was applied; and whether a command line left an answer
    that it could not add.

    `PRAGMA data_version` would be no cheaper and moves for our own commits too. The document tells the views,
    as it does of every change. It is as safe while answers stream: they are no part of the tree yet.
    """

    written_elsewhere = Signal(object)  # list of ForeignWrite: into trees that are not open
    agents_changed = Signal()  # an agent came, or is another now
    failed = Signal(object)  # GroveError: the file cannot be read at present; told once
    displaced = Signal(object)  # GroveError: what was saved is not in the grove's file; told once
    answers_left = Signal()  # a command line broke off, and what it had streamed lies beside the grove
    back_in_place = Signal()  # it is there again

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._sequence = document.grove.sequence()
        self._agents = document.grove.agents()
        self._is_failing = self._is_displaced = False
        self._left: set[Slot] = set()  # answers that were told of
        self._written = last_written(document.grove.path)
        self._since_look = QElapsedTimer()
        self._since_look.start()
        self._timer = QTimer(self)
        self._timer.setInterval(GLANCE_MS)
        self._timer.timeout.connect(self._glance)
        self._timer.start()
        self._go_on = QTimer(self)  # another program may have written hundreds of times since the last look
        self._go_on.setSingleShot(True)
        self._go_on.setInterval(0)
        self._go_on.timeout.connect(self.look)

    def look(self) -> None:
        """See that the file is still the one that is open, and take in now what others did."""
        self._written = last_written(self._document.grove.path)  # before it is read: what comes then is seen
        self._since_look.restart()
        if not self._is_in_place():
            return
        try:
            self._take_in()
        except GroveError as error:
            if not self._is_failing and error.code != WAITS:
                self._is_failing = True
                self.failed.emit(error)
        else:
            self._is_failing = False
            self._look_for_answers()

    @property
    def sequence(self) -> int:
        """The number of the newest change that was taken in."""
        return self._sequence

    def close(self) -> None:
        self._timer.stop()
        self._go_on.stop()

    def _glance(self) -> None:
        is_due = self._since_look.elapsed() >= LOOK_MS
        if is_due or last_written(self._document.grove.path) != self._written:
            self.look()

    def _is_in_place(self) -> bool:
        """Tell whether what was saved is in the grove's file, where it was brought if it was not."""
        try:
            self._document.grove.hold()
        except GroveError as error:
            if not self._is_displaced and error.code != PARTED:
                self._is_displaced = True
                self.displaced.emit(error)
            return False
        if self._is_displaced:
            self._is_displaced = False
            self.back_in_place.emit()
        return True

    def _look_for_answers(self) -> None:
        grove = self._document.grove
        if grove.read_only:
            return
        with suppress(GroveError):  # the journal tells of its folder
            left = {row.slot for row in draft_claims.left_behind(drafts_folder(grove.path))}
            is_more = not left <= self._left
            self._left = left
            if is_more:
                self.answers_left.emit()

    def _take_in(self) -> None:
        grove = self._document.grove
        agents = grove.agents()
        if agents != self._agents:
            self._agents = agents
            self._document.agents.forget()
            self.agents_changed.emit()
        sequence = grove.sequence()
        if sequence != self._sequence:
            if self._document.catch_up_for(SLICE_MS):
                elsewhere = grove.written_elsewhere(self._sequence, self._document.tree)
                self._sequence = sequence
                if elsewhere:
                    self.written_elsewhere.emit(elsewhere)
            else:
                self._go_on.start()


COMMAND_LINE = "command line"  # as the change log names it


class ForeignWrites(QObject):
    """Writes of MCP clients and command lines beside the window, and since the last one was closed."""

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Of each tree the nodes nobody looked at, oldest first, and who wrote them.
        self._writers: dict[str, dict[str, str]] = {}
        self._newest_action = ""
        self.newest_at: Milliseconds = 0
        self.newest_steps = 0  # how many of the tree's newest steps are theirs, one after the other
        document.tree_changed.connect(self._on_tree_changed)
        document.tree_opened.connect(self._on_tree_opened)
        document.place.current_changed.connect(lambda node_id, _: self.look_at(node_id))
        self._document = document

    @property
    def node_ids(self) -> tuple[str, ...]:
        """The nodes of the open tree that nobody looked at, oldest first."""
        return tuple(self.by_node)

    @property
    def by_node(self) -> Mapping[str, str]:
        """The program that wrote each of them, by node id."""
        return self._writers.get(self._document.tree.loom.id, {})

    @property
    def elsewhere(self) -> Mapping[str, Mapping[str, str]]:
        """The nodes of every other tree, and who wrote them."""
        here = self._document.tree.loom.id
        return {tree_id: writers for tree_id, writers in self._writers.items() if tree_id != here}

    @property
    def count(self) -> int:
        """Number of the nodes, in all trees."""
        return sum(map(len, self._writers.values()))

    @property
    def writers(self) -> tuple[str, ...]:
        """The programs that wrote them, as the history names them, each once."""
        return tuple(dict.fromkeys(by for writers in self._writers.values() for by in writers.values()))

    def forget(self) -> None:
        """Take all of them for seen."""
        had_some = bool(self._writers)
        self._writers.clear()
        self._newest_action, self.newest_steps = "", 0
        if had_some:
            self.changed.emit()

    def look_at(self, node_id: str) -> None:
        """Take a node for seen, and all that are read on the way to it."""
        if self._drop_seen(node_id):
            self.changed.emit()

    def take_elsewhere(self, writes: Sequence[ForeignWrite]) -> None:
        """Take in what other programs did to trees that are not open."""
        moved = [self._take(write) for write in writes]
        if any(moved):
            self.changed.emit()

    def take_left(self, sequence: int, *, holds_own: bool) -> None:
        """Take in what other programs did while no window was open: since an entry of the change log. What
        models wrote counts as theirs, unless the log `holds_own` of the window that was open last.
        """
        document = self._document
        agents = document.agents.by_id().values()
        others = {one.name for one in agents if one.type == "model" and not (holds_own and one.model_ref)}
        programs = {COMMAND_LINE, *others}
        writes = document.grove.written_since(sequence)
        moved = [self._take(write) for write in writes if write.by in programs]
        if any(moved):
            self._on_tree_opened(document.tree)

    def _on_tree_opened(self, tree: Tree) -> None:
        before = self.count
        known = self._writers.get(tree.loom.id, {})
        self._put(tree.loom.id, {node_id: by for node_id, by in known.items() if node_id in tree.nodes})
        self._newest_action, self.newest_steps = "", 0
        self._drop_seen(self._document.current_id)
        if before:
            self.changed.emit()

    def _on_tree_changed(self, change: Change, initiator: Initiator) -> None:
        before = dict(self.by_node)
        if initiator.is_here:
            self._forget_removed(change.tree_id, (node.id for node in change.removed_nodes()))
            is_aside = not change.undoable and initiator.kind in ("agent", "summary")  # no step of anybody
            if len(change.rows) > change.touches_path() and not is_aside:  # an undo too, no step itself
                self._newest_action, self.newest_steps = "", 0
            self._drop_seen(self._document.current_id)  # another path may be read now
        else:
            self._follow(change)
            if not change.undoable:
                if len(change.rows) > change.touches_path():  # they took some back: who knows which
                    self._newest_action, self.newest_steps = "", 0
            elif not (change.action and change.action == self._newest_action):
                self._newest_action, self.newest_steps = change.action, self.newest_steps + 1
        if self.by_node != before:
            self.changed.emit()

    def _follow(self, change: Change) -> None:
        """Note what another program wrote and took back."""
        added, removed = change.added_nodes(), change.removed_nodes()
        ids = tuple(node.id for node in added), tuple(node.id for node in removed)
        self._take(ForeignWrite(change.tree_id, change.by, change.at, *ids))

    def _take(self, write: ForeignWrite) -> bool:
        """Note what another program wrote and took back; return whether there was any."""
        moved = self._forget_removed(write.tree_id, write.removed)
        is_users = write.by == BY_USER  # an import in a process beside the window
        if is_users or not write.added:
            return moved
        self._writers.setdefault(write.tree_id, {}).update(dict.fromkeys(write.added, write.by))
        self.newest_at = write.at
        return True

    def _forget_removed(self, tree_id: str, node_ids: Iterable[str]) -> bool:
        gone = set(node_ids)
        known = self._writers.get(tree_id, {})
        if gone.isdisjoint(known):
            return False
        self._put(tree_id, {node_id: by for node_id, by in known.items() if node_id not in gone})
        return True

    def _drop_seen(self, node_id: str) -> bool:
        """Take the current node for seen, the path to it, and the notes on it."""
        known, path, tree = self.by_node, self._document.path, self._document.tree
        if not known:
            return False
        seen = {node_id, *(tree.notes(node_id) if node_id in tree.nodes else ())}
        left = {one: by for one, by in known.items() if one not in seen and one not in path}
        self._put(tree.loom.id, left)
        return len(left) < len(known)

    def _put(self, tree_id: str, writers: dict[str, str]) -> None:
        if writers:
            self._writers[tree_id] = writers
        else:
            self._writers.pop(tree_id, None)
