"""Settings of a tree: typed ones merged into what is saved, and the Change that saves them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_rows import change_of
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ContextSettings, LoomTree
from loomapp.core.model.tree import Tree


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
