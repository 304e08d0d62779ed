"""Pending sources and attachments of the coming generation, of each tree, until it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from PySide6.QtCore import QObject, Signal

from loomapp.core.generation.answers import Sources
from loomapp.core.model.change import Change
from loomapp.core.model.content import Block
from loomapp.core.model.entities import Edge
from loomapp.core.times import Milliseconds
from loomapp.session.document import Document
from loomapp.store.files.drafts import DraftRow, Slot

Attached: TypeAlias = Literal["context", "instruction"]


class _Beside(NamedTuple):
    """Request by the nodes that it hangs on."""

    tree_id: str
    primary_id: str
    context_ids: tuple[str, ...]
    instruction_ids: tuple[str, ...]


class _Step(NamedTuple):
    """Step of undo: how many steps of the tree were done when it was taken, and what was attached before."""

    place: int
    roles: dict[str, Attached]


class PendingSources(QObject):
    """Nodes by role, in the order in which they were attached. No part of the tree until they are sent."""

    changed = Signal()  # others are shown, also because another tree is
    edited = Signal()  # some were attached, taken away or sent

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._roles: dict[str, dict[str, Attached]] = {}  # by tree
        self._sent: dict[_Beside, dict[str, Attached]] = {}  # what went along with what was asked
        self._back: set[_Beside] = set()  # of those, attached again since
        self._before: list[_Step] = []  # what was attached, since the tree moved or was opened
        self._after: list[_Step] = []  # what was taken back of that
        self._place = 0  # of the tree in its history, while there is any of them
        document.tree_opened.connect(self.on_tree_opened)
        document.tree_changed.connect(self.on_tree_changed)

    def on_tree_opened(self) -> None:
        self._forget_steps()
        self.changed.emit()

    @property
    def can_undo(self) -> bool:
        """True if something was attached or detached since the last step of the tree."""
        return self._is_next(self._before)

    @property
    def can_redo(self) -> bool:
        """True if `undo` took something back, and the tree was taken back no further."""
        return self._is_next(self._after)

    def undo(self) -> bool:
        """Take back what was attached or detached last; False if the tree's own step is next."""
        return self._step(self._before, self._after)

    def redo(self) -> bool:
        """Do again what `undo` took back last; False if there is nothing."""
        return self._step(self._after, self._before)

    def _is_next(self, steps: list[_Step]) -> bool:
        return bool(steps) and steps[-1].place == self._place

    def _step(self, where: list[_Step], back: list[_Step]) -> bool:
        if not self._is_next(where):
            return False
        back.append(_Step(self._place, self.roles))
        self._roles[self._document.tree.loom.id] = where.pop().roles
        self._forget_what_is_gone()
        self._tell()
        return True

    def _begin_step(self) -> None:
        self._place = self._document.history.steps_done()
        self._before.append(_Step(self._place, self.roles))
        self._after.clear()

    def _forget_steps(self) -> None:
        self._before.clear()
        self._after.clear()

    @property
    def roles(self) -> dict[str, Attached]:
        """Return each attached node of the tree that is read, and its role."""
        return dict(self._roles.get(self._document.tree.loom.id, {}))

    def take_up(self, roles: Mapping[str, Attached]) -> None:
        """Attach again what the last session left attached in the tree that is read."""
        if roles:
            self._roles[self._document.tree.loom.id] = dict(roles)
            self.changed.emit()

    def attach(self, node_ids: list[str], role: Attached, *, is_step: bool = True) -> None:
        """Add nodes to the coming generation; one that is attached already changes its role. It is a step of
        undo, unless it belongs to one of the tree.
        """
        if not node_ids:
            return
        if is_step:
            self._begin_step()
        roles = self._roles.setdefault(self._document.tree.loom.id, {})
        roles.update((node_id, role) for node_id in node_ids)
        self._tell()

    def detach(self, node_id: str, *, is_step: bool = True) -> None:
        """Detach a node, by its id: a step of undo, unless it belongs to one of the tree."""
        if node_id in self.roles:
            if is_step:
                self._begin_step()
            del self._roles[self._document.tree.loom.id][node_id]
            self._tell()

    def sent(self, sources: Sources) -> None:
        """Take note that the sources of a request are sent; what else is attached by now stays."""
        tree_id = self._document.tree.loom.id
        roles = self._roles.get(tree_id, {})
        attached = {*sources.context_ids, *sources.instruction_ids}
        gone = {node_id: role for node_id, role in roles.items() if node_id in attached}
        self._roles[tree_id] = {node_id: role for node_id, role in roles.items() if node_id not in gone}
        if gone:
            beside = _Beside(tree_id, sources.primary_id, sources.context_ids, sources.instruction_ids)
            self._sent[beside] = gone
            self._back.discard(beside)
            self._forget_steps()
            self._tell()

    def came_to_nothing(self, tree_id: str, sources: Sources) -> None:
        """Attach again what went along with a request of which no answer came."""
        beside = _Beside(tree_id, sources.primary_id, sources.context_ids, sources.instruction_ids)
        if tree_id == self._document.tree.loom.id and self._put_back(beside):
            self._tell()

    def attach_again(self, sources: Sources) -> None:
        """Attach again what went along with a request whose answers were put away: it goes along with the
        next.
        """
        tree = self._document.tree
        beside = _Beside(tree.loom.id, sources.primary_id, sources.context_ids, sources.instruction_ids)
        gone = self._sent.get(beside, {}).items()
        missing = {i: role for i, role in gone if i in tree.nodes and i not in self.roles}
        if missing:
            self._roles.setdefault(tree.loom.id, {}).update(missing)
            self._tell()

    def clear(self) -> None:
        if self._roles.pop(self._document.tree.loom.id, None):
            self._tell()

    def sources(self, primary_id: str) -> Sources:
        """Return what a generation from a node hangs on now; a node is no source beside itself."""
        return _sources(primary_id, {i: role for i, role in self.roles.items() if i != primary_id})

    def sources_once_written(self, base_id: str) -> Sources:
        """Return what a generation hangs on when uncommitted text has become a node that continues `base_id`:
        that is then the primary source, so all that is attached goes along, `base_id` itself too. The primary
        in this answer is still `base_id`, for there is no other yet.
        """
        return _sources(base_id, self.roles)

    def on_tree_changed(self, change: Change) -> None:
        """Attach again what went along with answers that were taken back, until they are there again. What
        was attached before a new step of the tree is no step by itself any more; where the tree is taken back
        or done again, each keeps its place between those of the tree.
        """
        if change.undoable:
            self._forget_steps()
        elif self._before or self._after:
            self._place = self._document.history.steps_done()
        if self._sent:
            moved = [
                (row, _beside(change.tree_id, row.row)) for row in change.rows if isinstance(row.row, Edge)
            ]
            told = [self._put_back(beside) for row, beside in moved if row.after is None]
            told += [self._take_again(beside) for row, beside in moved if row.before is None]
            if any(told):
                self._tell()
        self._forget_what_is_gone()

    def _tell(self) -> None:
        self.changed.emit()
        self.edited.emit()

    def _put_back(self, beside: _Beside) -> bool:
        """True if something is attached again; not while an answer is there that it went along with."""
        tree, gone = self._document.tree, self._sent.get(beside)
        arrived = (edge for i in tree.children(beside.primary_id) for edge in tree.incoming(i))
        if gone is None or any(_beside(beside.tree_id, edge) == beside for edge in arrived):
            return False
        roles = self._roles.setdefault(beside.tree_id, {})
        roles.update({node_id: role for node_id, role in gone.items() if node_id not in roles})
        self._back.add(beside)
        return True

    def _take_again(self, beside: _Beside) -> bool:
        """True if an answer came after all to what went along and was attached again since."""
        if beside not in self._back:
            return False
        self._back.discard(beside)
        roles = self._roles.get(beside.tree_id, {})
        for node_id in self._sent[beside]:
            roles.pop(node_id, None)
        return True

    def _forget_what_is_gone(self) -> None:
        tree = self._document.tree
        roles = self._roles.get(tree.loom.id, {})
        gone = [node_id for node_id in roles if node_id not in tree.nodes]
        for node_id in gone:
            del roles[node_id]
        if gone:
            self._tell()


def pending_row(tree_id: str, roles: Mapping[str, Attached], at: Milliseconds) -> DraftRow:
    """Return the draft of attached nodes, to be kept until they are sent."""
    return DraftRow(Slot(tree_id, "sources"), at, {"roles": [list(pair) for pair in roles.items()]})


def pending_roles(row: DraftRow) -> dict[str, Attached]:
    """Read attached nodes and their roles from a draft; entries that make no sense are passed over."""
    roles: dict[str, Attached] = {}
    kept = row.body.get("roles")
    for pair in kept if isinstance(kept, list) else ():
        match pair:
            case [str(node_id), "context" | "instruction" as role]:
                roles[node_id] = role
    return roles


def _beside(tree_id: str, edge: Edge) -> _Beside:
    primary = next(iter(edge.with_role("primary")), "")
    return _Beside(tree_id, primary, edge.with_role("context"), edge.with_role("instruction"))


def _sources(primary_id: str, roles: Mapping[str, Attached]) -> Sources:
    return Sources(
        primary_id,
        tuple(node_id for node_id, role in roles.items() if role == "context"),
        tuple(node_id for node_id, role in roles.items() if role == "instruction"),
    )


class Attachments(QObject):
    """Blocks in the order in which they were attached, before the text. No part of the tree until then."""

    changed = Signal()  # others are shown, also because another tree is
    edited = Signal()  # some were attached or taken away

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._blocks: dict[str, tuple[Block, ...]] = {}  # by tree
        document.tree_opened.connect(lambda _: self.changed.emit())

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self._blocks.get(self._document.tree.loom.id, ())

    def of_tree(self, tree_id: str) -> tuple[Block, ...]:
        return self._blocks.get(tree_id, ())

    def add(self, blocks: tuple[Block, ...]) -> None:
        self.put((*self.blocks, *blocks))

    def remove(self, number: int) -> None:
        self.put(tuple(block for place, block in enumerate(self.blocks) if place != number))

    def clear(self) -> None:
        self.put(())

    def put(self, blocks: tuple[Block, ...], tree_id: str | None = None) -> None:
        tree_id = tree_id or self._document.tree.loom.id
        if blocks != self._blocks.get(tree_id, ()):
            self._blocks[tree_id] = blocks
            self.changed.emit()
            self.edited.emit()
