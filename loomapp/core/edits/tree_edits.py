"""Trees: new ones, begun empty, with a text or from another, and the Change that saves other settings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, replace
from itertools import islice
from typing import Any

from loomapp.core.edits.edit_context import EditContext, change_of, new_node
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Text, with_text
from loomapp.core.model.entities import ContextSettings, LoomTree, Mode
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


def with_settings(now: LoomTree, shown: LoomTree, typed: LoomTree) -> LoomTree:
    """`now` with those settings in which `typed` differs from what was shown when it was typed."""
    loom_fields = ("system_context", "buffer_mode_system_context")
    context_fields = (field.name for field in fields(ContextSettings))
    return replace(
        now,
        **_different(loom_fields, shown, typed),
        context_settings=replace(
            now.context_settings,
            **_different(context_fields, shown.context_settings, typed.context_settings),
        ),
    )


def _different(names: Iterable[str], shown: object, typed: object) -> dict[str, Any]:
    return {name: getattr(typed, name) for name in names if getattr(typed, name) != getattr(shown, name)}


def change_loom(tree: Tree, label: str, pen: EditContext, loom: LoomTree) -> Change | None:
    """Other settings, title or description of the tree; mode, id and root stay.

    Raises: InvalidInput for another mode of a tree that has more than its empty root.
    """
    if loom == tree.loom:
        return None
    started = len(tree.nodes) > 1 or not tree.is_empty_root(tree.root_id)
    if loom.mode != tree.loom.mode and started:
        raise InvalidInput("The mode of a tree is fixed by its first node. View a copy in the other mode.")
    return change_of(tree, label, pen, (RowChange(tree.loom, loom),))
