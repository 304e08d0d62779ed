"""Bookmarks: what is listed, and how it follows changes."""

from __future__ import annotations

from loomapp.core.edits import node_marks
from loomapp.core.model.statistics import Bookmarks
from tests.kit.trees import Hand, chain, do


def test_a_pruned_node_is_not_listed_until_it_is_restored() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    for node_id in ids[1:]:
        do(tree, node_marks.bookmark(tree, node_id, None, hand.pen()))
    bookmarks = Bookmarks(tree)

    pruned = do(tree, node_marks.prune(tree, ids[2], hand.pen()))

    assert bookmarks.follow(pruned)
    assert [node.id for node in bookmarks.nodes()] == [ids[1]]

    restored = do(tree, node_marks.restore(tree, ids[2], hand.pen()))

    assert bookmarks.follow(restored)
    assert [node.id for node in bookmarks.nodes()] == ids[1:]
