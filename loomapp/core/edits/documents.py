"""Documents of a tree, loose sources with versions: found, written, renamed, deleted, each as one Change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from itertools import dropwhile

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import node_marks
from loomapp.core.edits.edit_context import EditContext, change_of, new_node
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import PLAIN_TEXT, AttachedDocument, Mixed, blocks_of
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded


@dataclass(frozen=True, slots=True)
class LooseDocument:
    """A document by its versions that are not pruned, the oldest first; there is at least one."""

    versions: tuple[Node, ...]

    @property
    def newest(self) -> Node:
        return self.versions[-1]

    @property
    def name(self) -> str:
        return name_of(self.newest)

    @property
    def drafted(self) -> tuple[Node, ...]:
        """Versions to count and list: a document that was begun empty has its first with its first words. One
        that was emptied since has a version that says so.
        """
        return tuple(dropwhile(is_unwritten, self.versions)) or (self.newest,)

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


def is_unwritten(node: Node) -> bool:
    """True for a version of a document in which no word stands."""
    document = document_of(node)
    return document is not None and not document.text


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


MOST_CHARACTERS = 120  # of a name


def clean_name(name: str) -> str:
    """A name as it is kept: in one line, not too long."""
    return " ".join(name.split())[:MOST_CHARACTERS].rstrip()


def write_document(tree: Tree, name: str, text: str, pen: EditContext) -> Change | None:
    """Write a document, a version of it if there is one of that name. None if that says so already."""
    known = find_document(tree, clean_name(name))
    return new_document(tree, name, pen, text) if known is None else _version(tree, known, pen, text=text)


def new_document(tree: Tree, name: str, pen: EditContext, text: str = "") -> Change:
    """Begin a document. Raises: InvalidInput for a name that is blank or that another one has."""
    content = Mixed((AttachedDocument(_free_name(tree, name), PLAIN_TEXT, text),))
    node = new_node(tree, pen.new_id(), content, pen)
    return change_of(tree, "New document", pen, (RowChange(None, node),))


def write_version(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change | None:
    """Write the document of a node anew, after its newest version, whoever wrote that; one that was deleted
    meanwhile is there again. None if it says so already. Raises: InvalidInput if the node is gone.
    """
    node, known = tree.nodes.get(node_id), document_at(tree, node_id)
    if node is None:
        raise InvalidInput(worded("This document is gone; copy what you wrote, or redo what was undone."))
    return _version(tree, known or LooseDocument((node,)), pen, text=text)


def rename_document(tree: Tree, node_id: str, name: str, pen: EditContext) -> Change | None:
    """Give the document of a node another name, as a version. None if it has that name. Raises: InvalidInput
    if it is deleted, and for a name that is blank or that another one has.
    """
    known = _living(tree, node_id)
    if clean_name(name) == known.name:
        return None
    return _version(tree, known, pen, name=_free_name(tree, name, known))


def delete_document(tree: Tree, node_id: str, pen: EditContext) -> Change | None:
    """Prune every version of the document of a node. Raises: InvalidInput if it is deleted already."""
    known = _living(tree, node_id)
    change = node_marks.prune_all(tree, [node.id for node in known.versions], pen)
    return None if change is None else replace(change, label="Delete document")


def _version(
    tree: Tree, known: LooseDocument, pen: EditContext, *, name: str | None = None, text: str | None = None
) -> Change | None:
    newest = known.newest
    old = document_of(newest)
    if old is None:
        return None
    new = replace(old, name=old.name if name is None else name, text=old.text if text is None else text)
    if new == old:
        return None
    content = Mixed(tuple(new if block is old else block for block in blocks_of(newest.content)))
    node = new_node(tree, pen.new_id(), content, pen, edited_from=newest.id)
    rows = (RowChange(None, node),)
    return change_of(tree, "Write document" if name is None else "Rename document", pen, rows)


def _living(tree: Tree, node_id: str) -> LooseDocument:
    known = document_at(tree, node_id)
    if known is None:
        raise InvalidInput(worded("This document is deleted; undo brings it back."))
    return known


def _free_name(tree: Tree, name: str, own: LooseDocument | None = None) -> str:
    name = clean_name(name)
    if not name:
        raise InvalidInput(worded("A document needs a name."))
    other = find_document(tree, name)
    if other is not None and (own is None or other.newest.id != own.newest.id):
        raise InvalidInput(worded("There is a document “{name}” already.", name=other.name))
    return name
