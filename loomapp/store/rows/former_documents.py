"""Rows of the former table of documents, which no Loomapp wrote, as loose sources of a tree of their own."""

from __future__ import annotations

from collections.abc import Iterable

from loomapp.core.edits import documents, tree_edits
from loomapp.core.edits.edit_context import EditContext, new_node
from loomapp.core.model.content import PLAIN_TEXT, AttachedDocument, Mixed
from loomapp.core.model.tree import Tree

TITLE = "Documents"
COLUMNS = "name, mime_type, text"


def documents_tree(rows: Iterable[tuple[object, ...]], pen: EditContext) -> Tree:
    """Return a dialogue with a document for each row of `COLUMNS`, which may hold anything."""
    tree = tree_edits.new_tree("dialogue", TITLE, pen)
    for row in rows:
        name, mime_type, text = map(_text, row)
        content = Mixed(
            (AttachedDocument(documents.clean_name(name) or TITLE, mime_type or PLAIN_TEXT, text),)
        )
        tree.put_node(new_node(tree, pen.new_id(), content, pen))
    return tree


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
