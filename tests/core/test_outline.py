"""The outline: chains are flat, branches indented, never deep, and it follows every change."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core import choosing, edits, filling, paths, revising, variants
from loomapp.core.change import Change, apply
from loomapp.core.content import Text
from loomapp.core.levels import Levels
from loomapp.core.moving import prune_all, reparent
from loomapp.core.outline import Outline, outline_of
from loomapp.core.paths import Path
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
    outline = outline_of(tree, read(tree), show_pruned=show_pruned)
    done: list[Change] = []
    for _ in range(count):
        change = some_change(tree, rng, hand, done)
        if change is None:
            continue
        before = shape(outline)
        apply(tree, change)
        owners = outline.follow(change, read(tree))
        after = shape(outline)

        stood = {None, *(node_id for rows in before.values() for node_id in rows)}
        assert all(owner in owners for owner in stood if before.get(owner) != after.get(owner))
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
        case 0 | 1 | 2 if tree.loom.mode == "buffer" and rng.random() < 0.5:
            change: Change | None = some_revision(tree, rng, hand)
        case 0 | 1 if tree.loom.mode == "buffer" and node_id != tree.root_id and rng.random() < 0.6:
            change = edits.edit_as_version(tree, node_id, f"version {hand.now}", hand.pen())
        case 0 | 1:
            change = edits.add_node(tree, node_id, "more", hand.pen())
        case 2:
            change = edits.annotate(tree, node_id, "note", hand.pen())
        case _:
            change = edits.prune(tree, node_id, hand.pen()) if node_id != tree.root_id else None
    if change is not None:
        done.append(change)
    return change


def some_revision(tree: Tree, rng: random.Random, hand: Hand) -> Change | None:
    """A passage of a path is parted, filled in or put together with others, or another version is read."""
    way = paths.resolve(tree, rng.choice([*tree.nodes, *[tree.path.leaf_id] * len(tree.nodes)])).node_ids
    place = rng.randrange(1, len(way)) if len(way) > 1 else 0
    if not place or any(tree.annotation_edges_into(one) for one in way):
        return None
    length = len(tree.nodes[way[place]].text)
    match rng.randrange(4):
        case 0:
            return revising.split(tree, way, way[place], rng.randrange(length + 1), hand.pen())
        case 1:
            gap = filling.open_gap(tree, way, place, rng.choice((0, length // 2)), hand.pen())
            return None if gap is None else gap.change
        case 2:
            chain = revising.chain_at(tree, way, place)
            return revising.merge(tree, way, chain, hand.pen())
    other = rng.choice(variants.versions(tree, way, place))
    return choosing.choose_version(tree, way, place, other, hand.pen())


def check(tree: Tree, outline: Outline, show_pruned: bool) -> None:
    """Every node that a new outline has stands in this one too, once, below the same, where it says; siblings
    in order. Which of them goes on at the level of what they hang on may differ; of a buffer that is what is
    read.
    """
    way = read(tree)
    fresh = outline_of(tree, way, show_pruned=show_pruned)
    if tree.loom.mode == "buffer" and (show_pruned or not any(n.metadata.pruned for n in way.nodes)):
        for seen in (outline, fresh):
            says_what_is_read(tree, seen, way)
    shown = [node_id for rows in shape(outline).values() for node_id in rows]
    assert len(shown) == len(set(shown))
    assert set(shown) == {node_id for rows in shape(fresh).values() for node_id in rows}
    for node_id in shown:
        place = outline.place(node_id)
        assert place is not None
        assert outline.rows(place.owner)[place.row] == node_id
        assert outline.above(node_id) == fresh.above(node_id)
        assert outline.number(node_id) == fresh.number(node_id)
    for node_id in tree.nodes:
        assert outline.row_of(node_id) == fresh.row_of(node_id)


def read(tree: Tree) -> Path:
    return paths.resolve(tree, tree.path.leaf_id)


def says_what_is_read(tree: Tree, outline: Outline, way: Path) -> None:
    """The rows go on at one level with each passage of the way in its turn, and what they show is that."""
    rows = list(dict.fromkeys(outline.row_of(node_id) for node_id in way.node_ids))
    shown = [node_id for node_id in way.node_ids if not tree.is_empty_root(node_id)]
    assert [outline.standing_at(row, way) for row in rows if not tree.is_empty_root(row)] == shown
    for above, below in pairwise(rows):
        assert outline.above(below) == above
        place = outline.place(below)
        if place is not None and not tree.is_empty_root(above) and not tree.annotation_edges_into(below):
            beside = outline.place(above)
            assert beside is not None
            assert (place.owner, place.row) == (beside.owner, beside.row + 1)


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


def read_rows(tree: Tree, outline: Outline) -> list[str]:
    """What the rows at the top level say while the active path is read."""
    path = paths.resolve(tree, tree.path.leaf_id).node_ids
    return [tree.nodes[outline.standing_at(row, path)].text for row in outline.rows(None)]


def go(tree: Tree, outline: Outline, change: Change | None) -> Change:
    outline.follow(do(tree, change))
    assert change is not None
    return change


def test_what_was_parted_and_filled_in_stands_level_like_the_text() -> None:
    hand = Hand()
    tree, ids = chain(3, mode="buffer", hand=hand)
    outline = outline_of(tree)
    before = shape(outline)

    way = (tree.root_id, *ids)
    gap = filling.open_gap(tree, way, 2, 4, hand.pen())
    assert gap is not None
    opened = go(tree, outline, gap.change)
    filled = go(tree, outline, edits.edit_as_version(tree, gap.gap_id, "and more", hand.pen()))
    end = go(tree, outline, edits.add_node(tree, ids[-1], "And on.", hand.pen()))

    for seen in (outline, outline_of(tree)):
        said = ["message 0", "mess", "and more", "age 1", "message 2", "And on."]
        assert read_rows(tree, seen) == said
        assert list(shape(seen)) == [None]
        assert {seen.number(row) for row in seen.rows(None)} == {(1, 1)}
    for change in (end, filled, opened):
        go(tree, outline, change.inverse())
    assert shape(outline) == before


def test_what_is_put_in_before_a_passage_stands_level_and_the_passage_follows_it() -> None:
    hand = Hand()
    tree, ids = chain(2, mode="buffer", hand=hand)
    other = do(tree, edits.add_node(tree, ids[0], "Otherwise.", hand.pen())).added_nodes()[0].id
    outline = outline_of(tree)
    before = shape(outline)

    gap = filling.open_gap(tree, (tree.root_id, *ids), 2, 0, hand.pen())
    assert gap is not None
    opened = go(tree, outline, gap.change)

    assert read_rows(tree, outline) == ["message 0", "", "message 1"]
    assert shape(outline)[ids[0]] == [ids[1], other]
    assert outline.number(gap.gap_id)[1] == len(variants.ways_on(tree, ids[0])) == 3
    go(tree, outline, opened.inverse())
    assert shape(outline) == before


def test_what_was_put_together_and_parted_again_is_said_once() -> None:
    hand = Hand()
    tree, ids = chain(4, mode="buffer", hand=hand)
    outline = outline_of(tree)
    before = shape(outline)

    way = (tree.root_id, *ids)
    merged = go(tree, outline, revising.merge(tree, way, range(1, 4), hand.pen()))
    assert read_rows(tree, outline) == ["message 0message 1message 2", "message 3"]
    way = paths.resolve(tree, tree.path.leaf_id).node_ids
    parted = go(tree, outline, revising.split(tree, way, way[1], 9, hand.pen()))

    for seen in (outline, outline_of(tree)):
        assert read_rows(tree, seen) == ["message 0", "message 1message 2", "message 3"]
        assert list(shape(seen)) == [None]
        assert {seen.row_of(one) for one in ids[:3]} == {ids[0]}, "what was taken up stands there too"
    for change in (parted, merged):
        go(tree, outline, change.inverse())
    assert shape(outline) == before


def test_an_edit_high_up_in_a_long_buffer_leaves_the_rows_below_where_they_are() -> None:
    hand = Hand(10**6)
    tree = grown(2000, lambda i: i - 1)
    tree.loom, tree.path = replace(tree.loom, mode="buffer"), replace(tree.path, leaf_id="n1999")
    outline = outline_of(tree)
    rows, lines = outline.rows(None), Levels.line
    gone: list[str] = []

    def counted(seen: Levels, head: str) -> Iterator[str]:
        for node_id in lines(seen, head):
            gone.append(node_id)
            yield node_id

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Levels, "line", counted)
        go(tree, outline, edits.edit_as_version(tree, "n5", "otherwise", hand.pen()))
        typed = tree.path.leaf_id
        way = paths.resolve(tree, typed).node_ids
        tree.nodes["n9"] = replace(tree.nodes["n9"], content=Text("two words"))
        change = go(tree, outline, revising.split(tree, way, "n9", 3, hand.pen()))
        go(tree, outline, change.inverse())

    assert outline.rows(None) is rows
    assert len(gone) < 10


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.booleans())
def test_following_a_buffer_keeps_what_goes_on_after_versions_in_their_row(
    rng: random.Random, show_pruned: bool
) -> None:
    hand = Hand()
    tree, _ = chain(3, mode="buffer", hand=hand)
    for outline in followed(tree, rng, hand, 20, show_pruned=show_pruned):
        for one in tree.nodes:
            fresh = outline_of(tree, read(tree), show_pruned=show_pruned)
            assert outline.row_of(one) == fresh.row_of(one)


def test_a_branch_that_is_moved_leaves_the_level_to_what_had_it() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    other = do(tree, edits.add_node(tree, ids[0], "beside", hand.pen())).added_nodes()[0].id
    outline = outline_of(tree)

    go(tree, outline, reparent(tree, ids[2], other, hand.pen()))

    assert shape(outline) == {None: ids[:2], ids[0]: [other, ids[2]]}
