"""Documents of a tree: loose sources with a `document` block, found by name, each writing a version."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.edits.edit_context import EditContext, change_of, new_node
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import PLAIN_TEXT, AttachedDocument, Mixed, blocks_of
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree


def document_of(node: Node) -> AttachedDocument | None:
    """The document block of a node, if it has one."""
    found = (block for block in blocks_of(node.content) if isinstance(block, AttachedDocument))
    return next(found, None)


def documents(tree: Tree) -> dict[str, Node]:
    """The newest version of each document that is not pruned, by name, in order of creation."""
    found: dict[str, Node] = {}
    for node in tree.nodes.values():
        document = document_of(node)
        if document is not None and not node.metadata.pruned and is_loose(tree, node.id):
            found[document.name] = node
    return found


def is_loose(tree: Tree, node_id: str) -> bool:
    """True for a node that continues nothing and is no note."""
    is_root = node_id == tree.root_id
    return not (is_root or tree.incoming(node_id) or tree.annotation_edges_into(node_id))


def find_document(tree: Tree, name: str) -> Node | None:
    """The newest version of the document of a name, in any case if there is none in this one."""
    every, folded = documents(tree), name.casefold()
    return every.get(name) or next((n for known, n in every.items() if known.casefold() == folded), None)


def write_document(tree: Tree, name: str, text: str, pen: EditContext) -> Change | None:
    """Write a document, a version of it if there is one of that name. None if that says so already."""
    before = find_document(tree, name)
    if before is None:
        node = new_node(tree, pen.new_id(), Mixed((AttachedDocument(name, PLAIN_TEXT, text),)), pen)
        return change_of(tree, "New document", pen, (RowChange(None, node),))
    old = document_of(before)
    if old is None or old.text == text:
        return None
    node = new_node(tree, pen.new_id(), Mixed((replace(old, text=text),)), pen, edited_from=before.id)
    return change_of(tree, "Write document", pen, (RowChange(None, node),))
