"""Thousands of nodes, all in one line or all below one: they load, are undone, and verify."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.edits import tree_edits
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ActivePath, Edge, EdgeSource, Node
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.tree import Tree
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from tests.kit.trees import Hand


def grown(tree: Tree, count: int, *, deep: bool) -> Change:
    """One change that adds all of them, each with its right hash."""
    above = tree.nodes[tree.root_id]
    rows: list[RowChange] = []
    for i in range(count):
        node = Node(f"n{i}", f"L{i}", Text(f"text {i}"), "human", "a0", 1_790_000_000_000 + i)
        node = replace(node, parent_hashes=(above.content_hash,))
        node = replace(node, content_hash=content_hash(node))
        rows.append(RowChange(None, node))
        rows.append(RowChange(None, Edge(f"e{i}", (EdgeSource(above.id),), node.id)))
        above = node if deep else above
    rows.append(RowChange(tree.path, ActivePath(f"n{count - 1}")))
    return Change(tree.loom.id, "Import", 1_790_000_000_000, tuple(rows))


@pytest.mark.parametrize(
    "count", [3_000, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.timeout(600)])]
)
@pytest.mark.parametrize("deep", [True, False], ids=["deep", "wide"])
def test_a_very_large_tree_is_committed_undone_loaded_and_verified(
    grove: Grove, deep: bool, count: int
) -> None:
    tree = tree_edits.new_tree("dialogue", "Large", Hand().pen())
    grove.add_tree(tree)
    grove.commit(tree, grown(tree, count, deep=deep))
    nodes, edges = list(tree.nodes), list(tree.edges)

    grove.undo(tree)
    assert (list(tree.nodes), list(tree.edges)) == ([tree.root_id], [])
    grove.redo(tree)

    loaded = grove.load_tree(tree.loom.id)
    for one in (tree, loaded):
        assert (list(one.nodes), list(one.edges)) == (nodes, edges)
    assert loaded.nodes == tree.nodes
    assert loaded.path == tree.path
    verdicts = [finding.verdict for finding in verify_tree(grove, tree.loom.id)]
    assert verdicts == ["ok"] * (count + 1)
