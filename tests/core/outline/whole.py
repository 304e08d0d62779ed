"""The outline of a tree, made at once."""

from __future__ import annotations

from loomapp.core.model.tree import Tree
from loomapp.core.outline.outline import Outline
from loomapp.core.outline.ways import OutlineFolds, TreeWays
from loomapp.core.paths.path import NodeSequence


def outline_of(
    tree: Tree, path: NodeSequence, *, folds: OutlineFolds | None = None, show_pruned: bool = False
) -> Outline:
    """The outline of a tree, whole."""
    found = Outline(tree, TreeWays(tree, path, path, show_pruned), folds or OutlineFolds(), path)
    for _ in found.building():
        pass
    return found
