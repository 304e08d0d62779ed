"""The outline: chains are flat, branches indented, never deep, and it follows every change."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core import edits
from loomapp.core.change import Change, apply
from loomapp.core.moving import prune_all
from loomapp.core.outline import Outline, outline_of
from loomapp.core.tree import Tree
from tests.core.trees import Hand, chain, do
from tests.ui.graph_trees import buffer_tree


def shape(outline: Outline) -> dict[str | None, list[str]]:
    """Everything below everything, from the top."""
    found: dict[str | None, list[str]] = {}
    queue: list[str | None] = [None]
    for owner in queue:
        found[owner] = list(outline.rows(owner))
        queue += [node_id for node_id in found[owner] if outline.has_rows(node_id)]
    return found


def test_a_chain_is_flat_and_a_branch_stands_under_its_fork() -> None:
    hand = Hand()
    tree, ids = chain(4, hand=hand)
    side = do(tree, edits.add_node(tree, ids[1], "aside", hand.pen())).added_nodes()[0].id
    below = do(tree, edits.add_node(tree, side, "and on", hand.pen())).added_nodes()[0].id

    outline = outline_of(tree)

    assert shape(outline) == {None: ids, ids[1]: [side, below]}
    assert outline.branches(ids[1]) == 2
    assert outline.number(side) == (2, 2)
    assert outline.number(ids[2]) == (1, 2)


def test_notes_and_pruned_nodes_have_their_place() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    note = do(tree, edits.annotate(tree, ids[2], "remember", hand.pen())).added_nodes()[0].id
    do(tree, edits.prune(tree, ids[2], hand.pen()))

    assert shape(outline_of(tree)) == {None: ids[:2]}
    assert shape(outline_of(tree, show_pruned=True)) == {None: ids, ids[2]: [note]}
    assert outline_of(tree).place(ids[2]) is None


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


def grown(size: int, parent: object) -> Tree:
    from loomapp.core.content import Text
    from loomapp.core.tree import Edge, EdgeSource, LoomTree, Node

    assert callable(parent)
    nodes = [Node(f"n{i}", f"L{i}", Text("x"), "human", created_at=i) for i in range(size)]
    edges = [Edge(f"e{i}", (EdgeSource(f"n{parent(i)}"),), f"n{i}") for i in range(1, size)]
    return Tree(LoomTree("t", "T", "dialogue", "n0"), nodes=nodes, edges=edges)


def followed(
    tree: Tree, rng: random.Random, hand: Hand, count: int, *, show_pruned: bool
) -> Iterator[Outline]:
    """The outline after each of so many random changes that it followed, and checked against a fresh one."""
    outline = outline_of(tree, show_pruned=show_pruned)
    done: list[Change] = []
    for _ in range(count):
        change = some_change(tree, rng, hand, done)
        if change is None:
            continue
        before = shape(outline)
        apply(tree, change)
        owners = outline.follow(change)
        after = shape(outline)

        assert all(owner in owners for owner in {*before, *after} if before.get(owner) != after.get(owner))
        check(tree, outline, show_pruned)
        yield outline


@settings(max_examples=80, deadline=None)
@given(st.randoms(use_true_random=False), st.booleans())
def test_following_changes_keeps_every_node_once_and_in_its_place(
    rng: random.Random, show_pruned: bool
) -> None:
    hand = Hand()
    tree, _ = chain(2, hand=hand)
    for _ in followed(tree, rng, hand, 25, show_pruned=show_pruned):
        pass  # each is checked on the way


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False), st.booleans())
def test_what_is_undone_stands_as_it_did_before_and_as_it_did_after_when_done_again(
    rng: random.Random, show_pruned: bool
) -> None:
    hand = Hand()
    tree, _ = chain(2, hand=hand)
    for _ in range(10):
        do(tree, edits.add_node(tree, rng.choice(list(tree.nodes)), "more", hand.pen()))
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
            change: Change | None = edits.annotate(tree, one, "note", hand.pen())
        case 1 | 2:
            change = prune_all(tree, several, hand.pen())
        case 3:
            change = edits.restore(tree, several[0], hand.pen())
        case _:
            change = None
    return change or edits.add_node(tree, one, "more", hand.pen())


def test_children_that_come_back_leave_the_level_to_the_one_that_had_it() -> None:
    hand = Hand()
    tree, ids = chain(1, hand=hand)
    first, second, third = (
        do(tree, edits.add_node(tree, ids[0], text, hand.pen())).added_nodes()[0].id
        for text in ("a side answer", "the trunk", "another")
    )
    leaf = do(tree, edits.add_node(tree, second, "goes on", hand.pen())).added_nodes()[0].id
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


def some_change(tree: Tree, rng: random.Random, hand: Hand, done: list[Change]) -> Change | None:
    node_id = rng.choice(list(tree.nodes))
    if done and rng.random() < 0.25:
        return done.pop().inverse()
    match rng.randrange(4):
        case 0 | 1 if tree.loom.mode == "buffer" and node_id != tree.root_id and rng.random() < 0.6:
            change: Change | None = edits.edit_as_version(tree, node_id, f"version {hand.now}", hand.pen())
        case 0 | 1:
            change = edits.add_node(tree, node_id, "more", hand.pen())
        case 2:
            change = edits.annotate(tree, node_id, "note", hand.pen())
        case _:
            change = edits.prune(tree, node_id, hand.pen()) if node_id != tree.root_id else None
    if change is not None:
        done.append(change)
    return change


def check(tree: Tree, outline: Outline, show_pruned: bool) -> None:
    """Every node that a new outline has stands in this one too, once, where it says; siblings in order."""
    shown = [node_id for rows in shape(outline).values() for node_id in rows]
    fresh = [
        node_id for rows in shape(outline_of(tree, show_pruned=show_pruned)).values() for node_id in rows
    ]
    assert len(shown) == len(set(shown))
    assert set(shown) == set(fresh)
    for node_id in shown:
        place = outline.place(node_id)
        assert place is not None
        assert outline.rows(place.owner)[place.row] == node_id
        assert outline.number(node_id) == outline_of(tree, show_pruned=show_pruned).number(node_id)


def test_what_comes_back_joins_the_rows_that_are_there() -> None:
    hand = Hand()
    tree, ids = chain(20, hand=hand)
    outline = outline_of(tree)
    rows = outline.rows(None)
    added = edits.add_node(tree, ids[-1], "And on", hand.pen())
    pruned = edits.prune(tree, ids[-2], hand.pen())
    assert pruned is not None

    for change in (added, added.inverse(), added, pruned, pruned.inverse()):
        apply(tree, change)
        outline.follow(change)
        assert outline.rows(None) is rows, "a hundred thousand rows are not made anew for one"
    assert list(rows) == [*ids, added.added_nodes()[0].id]


def test_versions_in_a_buffer_stand_in_one_row_that_shows_the_one_that_is_read() -> None:
    tree = buffer_tree()
    outline = outline_of(tree)

    assert shape(outline) == {None: ["one", "v1", "two"], "one": ["other"]}
    assert outline.branches("one") == 2
    assert {outline.number(i) for i in ("v1", "v2", "v3")} == {(1, 2)}
    assert {outline.row_of(i) for i in ("v1", "v2", "v3")} == {"v1"}
    assert outline.standing_at("v1", ("one", "v2", "two")) == "v2"
    assert outline.standing_at("v1", ("one", "other")) == "v3", "the newest where none is read"
    assert outline.place("v3") == outline.place("v1")
    tree.loom = replace(tree.loom, mode="dialogue")
    assert outline_of(tree).branches("one") == 4


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.booleans())
def test_following_a_buffer_keeps_what_goes_on_after_versions_in_their_row(
    rng: random.Random, show_pruned: bool
) -> None:
    hand = Hand()
    tree, _ = chain(3, mode="buffer", hand=hand)
    for outline in followed(tree, rng, hand, 20, show_pruned=show_pruned):
        for one in tree.nodes:
            assert outline.row_of(one) == outline_of(tree, show_pruned=show_pruned).row_of(one)
