"""Pending sources: what was attached to the coming generation, of each tree, until it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from PySide6.QtCore import QObject, Signal

from loomapp.core.generation import Sources
from loomapp.session.document import Document

Attached: TypeAlias = Literal["context", "instruction"]


class PendingSources(QObject):
    """Nodes by role, in the order in which they were attached. No part of the tree until they are sent."""

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._roles: dict[str, dict[str, Attached]] = {}  # by tree
        document.tree_opened.connect(lambda _: self.changed.emit())
        document.tree_changed.connect(lambda _: self._forget_what_is_gone())

    @property
    def roles(self) -> dict[str, Attached]:
        """Each attached node of the tree that is read, and its role."""
        return dict(self._roles.get(self._document.tree.loom.id, {}))

    def attach(self, node_ids: list[str], role: Attached) -> None:
        """Add nodes to the coming generation; one that is attached already changes its role."""
        if not node_ids:
            return
        roles = self._roles.setdefault(self._document.tree.loom.id, {})
        roles.update((node_id, role) for node_id in node_ids)
        self.changed.emit()

    def detach(self, node_id: str) -> None:
        """Take one away again."""
        if self._roles.get(self._document.tree.loom.id, {}).pop(node_id, None) is not None:
            self.changed.emit()

    def sent(self, sources: Sources) -> None:
        """Those of a generation are sent; what else is attached by now stays."""
        roles = self._roles.get(self._document.tree.loom.id, {})
        gone = roles.keys() & {*sources.context_ids, *sources.instruction_ids}
        for node_id in gone:
            del roles[node_id]
        if gone:
            self.changed.emit()

    def clear(self) -> None:
        """Nothing is attached any more."""
        if self._roles.pop(self._document.tree.loom.id, None):
            self.changed.emit()

    def sources(self, primary_id: str) -> Sources:
        """What a generation from a node hangs on now; a node is no source beside itself."""
        return _sources(primary_id, {i: role for i, role in self.roles.items() if i != primary_id})

    def sources_once_written(self, base_id: str) -> Sources:
        """What a generation hangs on when what is written has become a node that continues `base_id`: that is
        then the primary source, so all that is attached goes along, `base_id` itself too. The primary in
        this answer is still `base_id`, for there is no other yet.
        """
        return _sources(base_id, self.roles)

    def _forget_what_is_gone(self) -> None:
        tree = self._document.tree
        roles = self._roles.get(tree.loom.id, {})
        gone = [node_id for node_id in roles if node_id not in tree.nodes]
        for node_id in gone:
            del roles[node_id]
        if gone:
            self.changed.emit()


def _sources(primary_id: str, roles: Mapping[str, Attached]) -> Sources:
    return Sources(
        primary_id,
        tuple(node_id for node_id, role in roles.items() if role == "context"),
        tuple(node_id for node_id, role in roles.items() if role == "instruction"),
    )
