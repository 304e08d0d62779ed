"""Tabs of branches: the title that stands on the card of each head, and whether its summary is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from loomapp.core.economy.branch_rows import read_branch
from loomapp.core.economy.threads import title_of
from loomapp.core.model.change import Change
from loomapp.core.model.entities import BranchSummary, LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.paths.siblings import followed_too

TAB_PX = 18


class BranchTab(NamedTuple):
    """Title of a branch, and whether it has no summary yet."""

    title: str
    is_missing: bool


def tabs_of(tree: Tree) -> dict[str, BranchTab]:
    """The tab of each head by its node; in a Buffer by all its versions too. None at all in a tree of which
    no branch was named or summarised.
    """
    return dict(_tabs(tree))


def followed(tabs: Mapping[str, BranchTab], tree: Tree, change: Change) -> Mapping[str, BranchTab]:
    """The tabs after a change that moved the tree."""
    is_buffer = tree.loom.mode == "buffer"
    touched = (BranchSummary, LoomTree)
    moved = any(True for kind in touched for _ in change.changed(kind))
    if moved or (tree.branch_summaries and (change.removed_nodes() or (is_buffer and change.added_nodes()))):
        return tabs_of(tree)
    return tabs


def _tabs(tree: Tree) -> Iterator[tuple[str, BranchTab]]:
    rows = tree.branch_summaries
    if not rows:
        return
    if tree.root_id not in rows:
        yield tree.root_id, BranchTab(tree.loom.title, is_missing=True)
    for row in rows.values():
        node = tree.nodes.get(row.node_id)
        if node is None:
            continue
        branch = read_branch(row)
        title = tree.loom.title if node.id == tree.root_id else title_of(branch, node.text)
        tab = BranchTab(title, not branch.summary)
        yield node.id, tab
        if tree.loom.mode == "buffer":
            for version in followed_too(tree, node.id):
                if version not in rows:
                    yield version, tab
