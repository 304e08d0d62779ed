"""The size of a tree, followed change by change, is the size counted anew."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.edits import branches, documents, node_edits, node_marks, tree_edits
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, apply
from loomapp.core.model.statistics import TreeStatistics
from loomapp.core.model.tree import Tree
from tests.core.edits.test_node_edits import random_edit
from tests.kit.chance import examples
from tests.kit.trees import Hand, chain, do


@settings(max_examples=examples(40), deadline=None)
@given(st.randoms(use_true_random=False))
def test_following_changes_is_the_same_as_counting_anew(chance: random.Random) -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "t", hand.pen())
    size = TreeStatistics(tree)
    for _ in range(25):
        change = random_move(tree, chance, hand) or random_edit(tree, chance, hand)
        if change is None:
            continue
        apply(tree, change)
        size.follow(tree, change)
        if chance.random() < 0.3:
            apply(tree, change.inverse())
            size.follow(tree, change.inverse())

    fresh = TreeStatistics(tree)

    assert (size.nodes, size.pruned, size.branches) == (fresh.nodes, fresh.pruned, fresh.branches)


def random_move(tree: Tree, chance: random.Random, hand: Hand) -> Change | None:
    """Sometimes a branch hung elsewhere."""
    if chance.random() < 0.7:
        return None
    node_id, parent_id = chance.choice(list(tree.nodes)), chance.choice(list(tree.nodes))
    try:
        return branches.reparent(tree, node_id, parent_id, hand.pen())
    except InvalidInput:
        return None


def test_where_a_branch_hung_before_it_was_moved_a_branch_ends_and_undo_counts_it_back() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    size = TreeStatistics(tree)
    moved = branches.reparent(tree, ids[2], ids[0], hand.pen())
    assert moved is not None

    counts = []
    for change in (moved, moved.inverse()):
        size.follow(tree, do(tree, change))
        counts.append(size.branches)

    assert counts == [2, 1]


def test_the_empty_root_does_not_count_and_pruned_nodes_are_told_apart() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    do(tree, node_edits.edit_as_sibling(tree, ids[2], "instead", hand.pen()))
    do(tree, node_marks.prune(tree, ids[2], hand.pen()))

    size = TreeStatistics(tree)

    assert (size.nodes, size.pruned, size.branches) == (4, 1, 1)


def test_a_branch_ends_where_all_that_follows_is_pruned_and_notes_and_documents_end_none() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    size = TreeStatistics(tree)
    changes: tuple[Callable[[], Change | None], ...] = (
        lambda: node_edits.annotate(tree, ids[0], "a note", hand.pen()),
        lambda: documents.write_document(tree, "Notes", "an oak", hand.pen()),
        lambda: documents.write_document(tree, "Notes", "two oaks", hand.pen()),
        lambda: node_marks.prune(tree, ids[1], hand.pen()),
    )

    for change in changes:
        size.follow(tree, do(tree, change()))

    for one in (size, TreeStatistics(tree)):
        assert (one.nodes, one.pruned, one.branches) == (6, 2, 1)
