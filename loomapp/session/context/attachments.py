"""Images and documents that go along with the message being written, kept for each tree."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from loomapp.core.model.content import Block
from loomapp.session.document import Document


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
        """Attach exactly these blocks."""
        tree_id = tree_id or self._document.tree.loom.id
        if blocks != self._blocks.get(tree_id, ()):
            self._blocks[tree_id] = blocks
            self.changed.emit()
            self.edited.emit()
