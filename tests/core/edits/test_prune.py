"""Pruning a buffer's passage: what was read above it stays, and its words do not come back by another way."""

from __future__ import annotations

import pytest

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.model.tree import Tree
from loomapp.core.prose.buffer_text import begun
from loomapp.core.prose.passage_edits import merge, revise, split
from loomapp.core.prose.path_choice import choose_version
from tests.core.prose.test_buffer_text import story
from tests.core.prose.test_fill_in import fill, gap_in
from tests.core.prose.test_passage_edits import PERSON, assert_undone, text, way
from tests.kit.trees import Hand, do, snapshot


def parted() -> tuple[Tree, list[str], Hand]:
    """`One two three four.`, its second passage split: the path of it, the unsplit one beside it."""
    tree, ids, hand = story("One ", "two three ", "four.")
    do(tree, split(tree, way(tree), ids[2], 4, hand.pen()))
    assert text(tree) == "One two three four."
    return tree, ids, hand


def pruned(tree: Tree) -> set[str]:
    return {node.text for node in tree.nodes.values() if node.metadata.pruned}


@pytest.mark.parametrize(("place", "left"), [(2, "One "), (3, "One two ")])
def test_a_pruned_part_is_not_read_in_what_was_split(place: int, left: str) -> None:
    tree, _, hand = parted()
    before = snapshot(tree)

    change = do(tree, node_marks.prune(tree, way(tree)[place], hand.pen()))

    assert text(tree) == left
    assert "four." in pruned(tree), "it hung below, and would be read after the words that are gone"
    assert_undone(tree, change, before)


def test_an_edited_part_gives_way_to_the_part_and_then_the_text_ends() -> None:
    tree, _, hand = parted()
    second = way(tree)[3]
    typed = begun(tree, second).replaced(0, 5, "3", PERSON)
    do(tree, revise(tree, way(tree), {second: typed}, hand.pen()))
    assert text(tree) == "One two 3 four."

    do(tree, node_marks.prune(tree, way(tree)[3], hand.pen()))
    assert text(tree) == "One two three four."
    do(tree, node_marks.prune(tree, way(tree)[3], hand.pen()))

    assert text(tree) == "One two "


def test_what_is_pruned_after_a_fill_is_gone_and_the_fill_stays() -> None:
    tree, _, hand = story("One ", "two four ", "five.")
    fill(tree, hand, gap_in(tree, hand, 2, 4), "three ")
    assert text(tree) == "One two three four five."

    do(tree, node_marks.prune(tree, way(tree)[4], hand.pen()))

    assert text(tree) == "One two three "


def test_what_is_pruned_after_a_fill_between_two_passages_is_gone_too() -> None:
    tree, _, hand = story("One ", "three ", "four.")
    fill(tree, hand, gap_in(tree, hand, 2, 0), "two ")
    assert text(tree) == "One two three four."

    do(tree, node_marks.prune(tree, way(tree)[3], hand.pen()))

    assert text(tree) == "One two "


def test_a_pruned_fill_leaves_the_text_around_it() -> None:
    tree, _, hand = story("One ", "two four ", "five.")
    fill(tree, hand, gap_in(tree, hand, 2, 4), "three ")

    do(tree, node_marks.prune(tree, way(tree)[3], hand.pen()))

    assert text(tree) == "One two four five."
    assert pruned(tree) == {"three "}


@pytest.mark.parametrize(("place", "left"), [(1, ""), (2, "One ")])
def test_a_pruned_passage_is_not_read_in_what_it_was_merged_into(place: int, left: str) -> None:
    tree, ids, hand = story("One ", "two ", "three.")
    do(tree, merge(tree, way(tree), range(1, 3), hand.pen()))
    do(tree, node_edits.choose_path(tree, ids[3], hand.pen(), {ids[3]: ids[2]}))
    assert way(tree) == tuple(ids)

    do(tree, node_marks.prune(tree, ids[place], hand.pen()))

    assert text(tree) == left
    assert "three." in pruned(tree)


def test_the_parts_do_not_say_again_what_is_pruned_as_a_whole_but_keep_what_follows_them() -> None:
    tree, ids, hand = parted()
    do(tree, choose_version(tree, way(tree), 2, ids[2], hand.pen()))
    assert way(tree) == tuple(ids)

    do(tree, node_marks.prune(tree, ids[2], hand.pen()))

    assert text(tree) == "One "
    assert pruned(tree) == {"two three "}


def test_pruning_what_is_not_read_leaves_the_text_that_is() -> None:
    tree, ids, hand = story("One ", "two ", "three.")
    do(tree, merge(tree, way(tree), range(1, 3), hand.pen()))
    merged = way(tree)

    do(tree, node_marks.prune(tree, ids[1], hand.pen()))

    assert way(tree) == merged
    assert pruned(tree) == {"One ", "two "}


def test_a_path_elsewhere_takes_a_living_version_whatever_was_chosen_there() -> None:
    tree, ids, hand = story("One ", "two ", "three.")
    typed = begun(tree, ids[2]).replaced(0, 3, "2", PERSON)
    do(tree, revise(tree, way(tree), {ids[2]: typed}, hand.pen()))
    version = way(tree)[2]
    do(tree, node_edits.choose_path(tree, ids[1], hand.pen()))

    do(tree, node_marks.prune(tree, version, hand.pen()))
    do(tree, node_edits.choose_path(tree, ids[3], hand.pen()))

    assert text(tree) == "One two three."
