"""The list of trees counts nodes once and follows what is committed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.model.statistics import TreeStatistics
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.groves import planted
from tests.kit.trees import Hand


def counts(grove: Grove) -> list[int]:
    return [row.node_count for row in grove.trees()]


def test_counts_follow_what_is_written_taken_back_and_brought_again(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    other, _ = planted(grove, hand, length=5)
    seen = [counts(grove)]

    grove.commit(tree, node_edits.add_node(tree, ids[-1], "One more.", hand.pen(grove.owner.id)))
    seen.append(counts(grove))
    grove.undo(tree)
    seen.append(counts(grove))
    grove.redo(tree)
    seen.append(counts(grove))

    assert seen == [[4, 6], [5, 6], [4, 6], [5, 6]]
    assert len(other.nodes) == 6


def test_counts_see_what_another_program_wrote_whether_it_was_taken_in_or_not(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as ours, open_grove(path) as theirs:
        tree, ids = planted(ours, hand)
        before = counts(ours)
        elsewhere = theirs.load_tree(tree.loom.id)

        theirs.commit(elsewhere, node_edits.add_node(elsewhere, ids[-1], "Theirs.", hand.pen(ours.owner.id)))
        unheard = counts(ours)
        ours.catch_up(tree)
        heard = counts(ours)
        ours.commit(tree, node_edits.add_node(tree, ids[-1], "Ours.", hand.pen(ours.owner.id)))

        assert (before, unheard, heard, counts(ours)) == ([4], [5], [5], [6])


def test_what_is_known_of_the_trees_is_what_the_file_says(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    grove.trees()
    writing = node_edits.add_node(tree, ids[-1], "One more.", hand.pen(grove.owner.id))
    other = tree_edits.new_tree("buffer", "Beside", hand.pen(grove.owner.id))
    loom = replace(tree.loom, title="Other")
    renaming = tree_edits.change_loom(tree, "Rename", hand.pen(grove.owner.id), loom)
    assert renaming is not None

    for act in (
        lambda: grove.commit(tree, writing),
        lambda: grove.undo(tree),
        lambda: grove.redo(tree),
        lambda: grove.add_tree(other, [grove.owner]),
        lambda: grove.commit(tree, renaming),
    ):
        act()
        known = grove.known_trees()

        assert known == grove.trees()


def test_the_empty_beginning_of_a_tree_is_not_among_what_is_written(grove: Grove) -> None:
    hand = Hand()
    empty = tree_edits.new_tree("dialogue", "t", hand.pen(grove.owner.id))
    grove.add_tree(empty, [grove.owner])
    tree = grove.load_tree(empty.loom.id)
    seen = [written(grove)]

    grove.commit(tree, node_edits.add_node(tree, tree.root_id, "Words.", hand.pen(grove.owner.id)))
    seen.append(written(grove))
    pruning = node_marks.prune(tree, tree.path.leaf_id, hand.pen(grove.owner.id))
    assert pruning is not None
    grove.commit(tree, pruning)
    seen.append(written(grove))

    assert seen == [[(1, 0)], [(2, 1)], [(2, 1)]]
    assert [TreeStatistics(grove.load_tree(row.id)).nodes for row in grove.trees()] == [1]


def written(grove: Grove) -> list[tuple[int, int]]:
    return [(row.node_count, row.written_count) for row in grove.trees()]
