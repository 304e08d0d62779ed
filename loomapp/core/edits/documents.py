"""Edits of documents: written as a new one or a version, renamed, deleted, each as one Change."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.edits import node_marks
from loomapp.core.edits.edit_context import EditContext, change_of, new_node
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import PLAIN_TEXT, AttachedDocument, Mixed, blocks_of
from loomapp.core.model.tree import Tree
from loomapp.core.paths.documents import LooseDocument, document_at, document_of, find_document
from loomapp.core.sentences import worded

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
