"""Nodes of other programs below the path that is read."""

from __future__ import annotations

import pytest

from loomapp.core.edits.node_edits import add_node
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.resolve import resolve
from loomapp.ui.commands.graph.foreign_writes import below_end
from tests.kit.trees import Hand, chain, do


def test_what_is_below_the_end_is_told_from_what_hangs_beside_the_path_or_on_it() -> None:
    hand = Hand()
    tree, ids = chain(6, hand=hand)
    beside = do(tree, add_node(tree, ids[1], "beside", hand.pen())).added_nodes()[0].id
    path = resolve(tree, ids[2])

    assert below_end(tree, [ids[5], beside, ids[3], ids[2], ids[0], "gone"], path) == [ids[5], ids[3]]
    assert below_end(tree, [ids[3], ids[4]], resolve(tree, ids[5])) == []


def test_each_of_many_is_walked_up_from_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, ids = chain(60)
    walked: list[str] = []
    parent = navigation.parent

    def counted(tree: Tree, node_id: str) -> str | None:
        walked.append(node_id)
        return parent(tree, node_id)

    monkeypatch.setattr(navigation, "parent", counted)

    assert below_end(tree, ids[10:], resolve(tree, ids[9])) == ids[10:]
    assert len(walked) == 50
