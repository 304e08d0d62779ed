"""Nodes that other programs wrote in the open tree, by whom, until somebody looked at them; their steps."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from loomapp.core.model.change import Change
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator


class ForeignWrites(QObject):
    """Writes of MCP clients and command lines beside the window, since the tree was opened."""

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._writers: dict[str, str] = {}  # of nodes nobody looked at, by their ids, oldest first
        self._newest_action = ""
        self.newest_steps = 0  # how many of the tree's newest steps are theirs, one after the other
        document.tree_changed.connect(self._on_tree_changed)
        document.tree_opened.connect(lambda _: self.forget())
        document.place.current_changed.connect(lambda node_id, _: self.look_at(node_id))
        self._document = document

    @property
    def node_ids(self) -> tuple[str, ...]:
        """The nodes that nobody looked at, oldest first."""
        return tuple(self._writers)

    @property
    def writers(self) -> tuple[str, ...]:
        """The programs that wrote them, as the history names them, each once."""
        return tuple(dict.fromkeys(self._writers.values()))

    def forget(self) -> None:
        """Take all of them for seen."""
        had_some = bool(self._writers)
        self._writers.clear()
        self._newest_action, self.newest_steps = "", 0
        if had_some:
            self.changed.emit()

    def _on_tree_changed(self, change: Change, initiator: Initiator) -> None:
        before = dict(self._writers)
        for node in change.removed_nodes():
            self._writers.pop(node.id, None)
        if initiator.is_here:
            if len(change.rows) > change.touches_path():  # an undo too, which is no step itself
                self._newest_action, self.newest_steps = "", 0
            self._drop_seen(self._document.current_id)  # another path may be read now
        else:
            self._writers.update((node.id, change.by) for node in change.added_nodes())
            if not change.undoable:
                if len(change.rows) > change.touches_path():  # they took some back: who knows which
                    self._newest_action, self.newest_steps = "", 0
            elif not (change.action and change.action == self._newest_action):
                self._newest_action, self.newest_steps = change.action, self.newest_steps + 1
        if self._writers != before:
            self.changed.emit()

    def look_at(self, node_id: str) -> None:
        """Take a node for seen, and all that are read on the way to it."""
        if self._drop_seen(node_id):
            self.changed.emit()

    def _drop_seen(self, node_id: str) -> bool:
        path = self._document.path
        seen = [one for one in self._writers if one == node_id or one in path]
        for one in seen:
            del self._writers[one]
        return bool(seen)
