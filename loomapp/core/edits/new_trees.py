"""New trees: begun empty or with a text, or from the edit of another one's first message."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_rows import new_node
from loomapp.core.model.content import Text, with_text
from loomapp.core.model.entities import LoomTree, Mode
from loomapp.core.model.tree import Tree

TITLE_WORDS = 6
TITLE_LENGTH = 48
_WORD = re.compile(r"\S+")


def new_tree(
    mode: Mode, title: str, pen: EditContext, *, text: str = "", system_context: str | None = None
) -> Tree:
    """A tree with one root; the root may be empty, then it is only the place where the tree starts."""
    root_id = pen.new_id()
    loom = LoomTree(
        pen.new_id(),
        title or title_from(text),
        mode,
        root_id,
        system_context=system_context or None,
        created_at=pen.now,
        updated_at=pen.now,
    )
    tree = Tree(loom)
    tree.put_node(new_node(tree, root_id, Text(text), pen))
    return tree


def title_from(text: str) -> str:
    """The first words of a text, for a title; empty if it has none."""
    # Of a long text no more than these words is looked at, and of a long word no more than a title takes.
    found = islice(_WORD.finditer(text), TITLE_WORDS + 1)
    words = [text[m.start() : min(m.end(), m.start() + TITLE_LENGTH + 1)] for m in found]
    title = " ".join(words[:TITLE_WORDS])
    if len(title) > TITLE_LENGTH:
        return title[: TITLE_LENGTH - 1].rstrip() + "…"
    return title + ("…" if len(words) > TITLE_WORDS else "")


def tree_from_edited_root(tree: Tree, text: str, pen: EditContext) -> Tree:
    """The edit of a dialogue's first message: a tree of its own with the same settings."""
    fresh = new_tree(tree.loom.mode, title_from(text), pen, text=text)
    content = with_text(tree.nodes[tree.root_id].content, text)
    fresh.put_node(new_node(fresh, fresh.root_id, content, pen))
    fresh.loom = replace(
        fresh.loom,
        system_context=tree.loom.system_context,
        buffer_mode_system_context=tree.loom.buffer_mode_system_context,
        context_settings=tree.loom.context_settings,
    )
    return fresh
