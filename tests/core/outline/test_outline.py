"""The outline: chains are flat, branches indented, never deep, and it follows every change."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.branches import prune_all, reparent
from loomapp.core.model.change import Change, apply
from loomapp.core.model.tree import Tree
from loomapp.core.outline.outline import outline_of
from tests.core.outline.outlines import followed, go, grown, shape
from tests.kit.chance import examples
from tests.kit.trees import Hand, chain, do


def test_a_chain_is_flat_and_a_branch_stands_under_its_fork() -> None:
    hand = Hand()
    tree, ids = chain(4, hand=hand)
    side = do(tree, node_edits.add_node(tree, ids[1], "aside", hand.pen())).added_nodes()[0].id
    below = do(tree, node_edits.add_node(tree, side, "and on", hand.pen())).added_nodes()[0].id

    outline = outline_of(tree)

    assert shape(outline) == {None: ids, ids[1]: [side, below]}
    assert outline.branches(ids[1]) == 2
    assert outline.number(side) == (2, 2)
    assert outline.number(ids[2]) == (1, 2)


def test_notes_and_pruned_nodes_have_their_place() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    note = do(tree, node_edits.annotate(tree, ids[2], "remember", hand.pen())).added_nodes()[0].id
    do(tree, node_marks.prune(tree, ids[2], hand.pen()))

    assert shape(outline_of(tree)) == {None: ids[:2]}
    assert shape(outline_of(tree, show_pruned=True)) == {None: ids, ids[2]: [note]}
    assert outline_of(tree).place(ids[2]) is None


def test_what_lives_below_pruned_nodes_stands_under_the_nearest_that_is_shown() -> None:
    hand = Hand()
    tree, ids = chain(4, hand=hand)
    outline = outline_of(tree)
    outline.follow(do(tree, node_marks.prune(tree, ids[1], hand.pen())))
    assert shape(outline) == {None: ids[:1]}

    outline.follow(do(tree, node_marks.restore(tree, ids[3], hand.pen())))

    assert shape(outline) == shape(outline_of(tree)) == {None: [ids[0], ids[3]]}
    outline.follow(do(tree, node_marks.restore(tree, ids[1], hand.pen())))
    assert shape(outline) == shape(outline_of(tree))


def test_a_hundred_thousand_nodes_are_never_deep() -> None:
    rng = random.Random(7)
    tree = grown(20_000, lambda i: rng.randrange(max(0, i - 3), i))
    outline = outline_of(tree)

    deepest = 0
    for node_id in list(tree.nodes)[::97]:
        depth, place = 0, outline.place(node_id)
        while place is not None and place.owner is not None:
            depth, place = depth + 1, outline.place(place.owner)
        deepest = max(deepest, depth)

    assert 1 <= deepest <= 15  # log2 of 20,000


@settings(max_examples=examples(80), deadline=None)
@given(st.randoms(use_true_random=False), st.booleans())
def test_following_changes_keeps_every_node_once_and_in_its_place(
    rng: random.Random, show_pruned: bool
) -> None:
    hand = Hand()
    tree, _ = chain(2, hand=hand)
    for _ in followed(tree, rng, hand, 25, show_pruned=show_pruned):
        pass  # each is checked on the way


@settings(max_examples=examples(30), deadline=None)
@given(st.randoms(use_true_random=False), st.booleans())
def test_what_is_undone_stands_as_it_did_before_and_as_it_did_after_when_done_again(
    rng: random.Random, show_pruned: bool
) -> None:
    hand = Hand()
    tree, _ = chain(2, hand=hand)
    for _ in range(10):
        do(tree, node_edits.add_node(tree, rng.choice(list(tree.nodes)), "more", hand.pen()))
    outline = outline_of(tree, show_pruned=show_pruned)
    done: list[Change] = []
    shapes = [shape(outline)]
    for _ in range(12):
        change = some_step(tree, rng, hand)
        apply(tree, change)
        outline.follow(change)
        done.append(change)
        shapes.append(shape(outline))

    for change, before in zip(reversed(done), reversed(shapes[:-1]), strict=True):
        apply(tree, change.inverse())
        outline.follow(change.inverse())
        assert shape(outline) == before
    for change, after in zip(done, shapes[1:], strict=True):
        apply(tree, change)
        outline.follow(change)
        assert shape(outline) == after


def some_step(tree: Tree, rng: random.Random, hand: Hand) -> Change:
    """Something is added, or several nodes are pruned or restored at once."""
    one = rng.choice(list(tree.nodes))
    several = rng.sample([node_id for node_id in tree.nodes if node_id != tree.root_id], 3)
    match rng.randrange(5):
        case 0:
            change: Change | None = node_edits.annotate(tree, one, "note", hand.pen())
        case 1 | 2:
            change = prune_all(tree, several, hand.pen())
        case 3:
            change = node_marks.restore(tree, several[0], hand.pen())
        case _:
            change = None
    return change or node_edits.add_node(tree, one, "more", hand.pen())


def test_children_that_come_back_leave_the_level_to_the_one_that_had_it() -> None:
    hand = Hand()
    tree, ids = chain(1, hand=hand)
    first, second, third = (
        do(tree, node_edits.add_node(tree, ids[0], text, hand.pen())).added_nodes()[0].id
        for text in ("a side answer", "the trunk", "another")
    )
    leaf = do(tree, node_edits.add_node(tree, second, "goes on", hand.pen())).added_nodes()[0].id
    outline = outline_of(tree)
    before = shape(outline)
    gone = prune_all(tree, [first, second, third], hand.pen())
    assert gone is not None

    apply(tree, gone)
    outline.follow(gone)
    apply(tree, gone.inverse())
    outline.follow(gone.inverse())

    assert before == {None: [*ids, second, leaf], ids[0]: [first, third]}
    assert shape(outline) == before


def test_what_comes_back_joins_the_rows_that_are_there() -> None:
    hand = Hand()
    tree, ids = chain(20, hand=hand)
    outline = outline_of(tree)
    rows = outline.rows(None)
    added = node_edits.add_node(tree, ids[-1], "And on", hand.pen())
    pruned = node_marks.prune(tree, ids[-2], hand.pen())
    assert pruned is not None

    for change in (added, added.inverse(), added, pruned, pruned.inverse()):
        apply(tree, change)
        outline.follow(change)
        assert outline.rows(None) is rows, "a hundred thousand rows are not made anew for one"
    assert list(rows) == [*ids, added.added_nodes()[0].id]


def test_a_branch_that_is_moved_leaves_the_level_to_what_had_it() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    other = do(tree, node_edits.add_node(tree, ids[0], "beside", hand.pen())).added_nodes()[0].id
    outline = outline_of(tree)

    go(tree, outline, reparent(tree, ids[2], other, hand.pen()))

    assert shape(outline) == {None: ids[:2], ids[0]: [other, ids[2]]}


def test_what_was_level_for_a_while_is_so_again_when_what_was_before_it_came_and_went() -> None:
    hand = Hand()
    tree, [above] = chain(1, hand=hand)
    first, second, third = (
        do(tree, node_edits.add_node(tree, above, text, hand.pen())).added_nodes()[0].id
        for text in ("the trunk", "a side", "another")
    )
    outline = outline_of(tree)
    assert shape(outline) == {None: [above, first], above: [second, third]}

    for node_id in (first, second):
        go(tree, outline, node_marks.prune(tree, node_id, hand.pen()))
    go(tree, outline, node_marks.restore(tree, first, hand.pen()))
    go(tree, outline, node_marks.prune(tree, first, hand.pen()))
    go(tree, outline, node_marks.restore(tree, second, hand.pen()))

    assert shape(outline) == {None: [above, second], above: [third]}
