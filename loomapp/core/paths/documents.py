"""Documents of a tree: loose sources with a `document` block, each with its versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import dropwhile

from loomapp.core.model.content import AttachedDocument, Mixed, blocks_of
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree


@dataclass(frozen=True, slots=True)
class LooseDocument:
    """A document by its versions that are not pruned, the oldest first; there is at least one."""

    versions: tuple[Node, ...]

    @property
    def newest(self) -> Node:
        return self.versions[-1]

    @property
    def name(self) -> str:
        """Name in the newest version."""
        return name_of(self.newest)

    @property
    def drafted(self) -> tuple[Node, ...]:
        """Versions to count and list: a document that was begun empty has its first with its first words. One
        that was emptied since has a version that says so.
        """
        return tuple(dropwhile(lambda node: not text_of(node), self.versions)) or (self.newest,)

    def has(self, node_id: str) -> bool:
        return any(node.id == node_id for node in self.versions)


@dataclass(slots=True)
class KnownDocuments:
    """The nodes of a tree that hold a document, remembered till nodes are touched."""

    mark: int = -1
    node_ids: set[str] = field(default_factory=set)

    def for_sketch(self) -> KnownDocuments:
        """Return a copy: a sketch has the same nodes, and marks of before mean the same to it."""
        return KnownDocuments(self.mark, self.node_ids.copy())


def document_of(node: Node) -> AttachedDocument | None:
    """The document block of a node, if it has one."""
    if not isinstance(node.content, Mixed):
        return None
    found = (block for block in blocks_of(node.content) if isinstance(block, AttachedDocument))
    return next(found, None)


def name_of(node: Node) -> str:
    """Name of a node's document; empty where there is none."""
    document = document_of(node)
    return "" if document is None else document.name


def text_of(node: Node) -> str:
    """Text of a node's document; empty where there is none."""
    document = document_of(node)
    return "" if document is None else document.text


def is_loose(tree: Tree, node_id: str) -> bool:
    """True for a node that continues nothing and is no note."""
    is_root = node_id == tree.root_id
    return not (is_root or tree.incoming(node_id) or tree.annotation_edges_into(node_id))


def is_loose_document(tree: Tree, node_id: str) -> bool:
    """True for a version of a document that stands in the list of them, pruned or not."""
    node = tree.nodes.get(node_id)
    return node is not None and document_of(node) is not None and is_loose(tree, node_id)


def newest_of(tree: Tree, node_ids: Iterable[str]) -> str:
    """The newest of some versions of one document: the last that was edited, whatever clocks said."""
    depths: dict[str, int] = {}
    return max(node_ids, key=lambda i: (_depth(tree, i, depths), tree.nodes[i].created_at, i))


def documents_of(tree: Tree) -> tuple[LooseDocument, ...]:
    """Every document of a tree that is not pruned, in the order in which they were begun. A version comes
    after what it was edited from, whatever the clocks of those who wrote said.
    """
    versions: dict[str, list[Node]] = {}
    depths: dict[str, int] = {}
    for node in sorted(document_nodes(tree), key=lambda node: (node.created_at, node.id)):
        if not node.metadata.pruned and is_loose(tree, node.id):
            versions.setdefault(tree.family(node.id), []).append(node)
    every = (sorted(nodes, key=lambda node: _depth(tree, node.id, depths)) for nodes in versions.values())
    return tuple(LooseDocument(tuple(nodes)) for nodes in every)


def _depth(tree: Tree, node_id: str, depths: dict[str, int]) -> int:
    """Number of versions before a node along `edited_from`; `depths` are those found already."""
    chain: dict[str, None] = {}
    current: str | None = node_id
    while current in tree.nodes and current not in depths and current not in chain:
        chain[current] = None
        current = tree.nodes[current].edited_from
    depth = depths.get(current or "", -1)
    for version in reversed(chain):
        depth += 1
        depths[version] = depth
    return depths[node_id]


def document_at(tree: Tree, node_id: str) -> LooseDocument | None:
    """The document that a node is a version of, also if that is pruned or was taken back by now."""
    family = tree.family(node_id)
    every = documents_of(tree)
    return next((one for one in every if one.has(node_id) or tree.family(one.newest.id) == family), None)


def find_document(tree: Tree, name: str) -> LooseDocument | None:
    """The document of a name, in any case if there is none in this one; of several the one begun last."""
    every, folded = documents_of(tree)[::-1], name.casefold()
    exact = next((one for one in every if one.name == name), None)
    return exact or next((one for one in every if one.name.casefold() == folded), None)


def document_nodes(tree: Tree) -> list[Node]:
    """The nodes that hold a document, loose or not."""
    known, mark = tree.caches.of(KnownDocuments), tree.touches.mark
    touched = tree.touches.since(known.mark) if known.mark >= 0 else None
    if touched is None:
        mixed = (node for node in tree.nodes.values() if isinstance(node.content, Mixed))
        known.node_ids = {node.id for node in mixed if document_of(node) is not None}
    else:
        for node_id in touched:
            node = tree.nodes.get(node_id)
            if node is not None and document_of(node) is not None:
                known.node_ids.add(node_id)
            else:
                known.node_ids.discard(node_id)
    known.mark = mark
    return [tree.nodes[node_id] for node_id in known.node_ids]
