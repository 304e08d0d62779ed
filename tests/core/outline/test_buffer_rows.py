"""The outline of a buffer: versions share a row, and what is read stands level like the text."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.model.change import apply
from loomapp.core.model.content import Text
from loomapp.core.model.tree import Tree
from loomapp.core.outline.main_lines import Levels
from loomapp.core.outline.outline import Outline, outline_of
from loomapp.core.paths import resolve, siblings
from loomapp.core.prose import fill_in, passage_edits, path_choice
from tests.core.outline.outlines import check, followed, go, grown, read, shape
from tests.kit.chance import examples
from tests.kit.graph_trees import buffer_tree
from tests.kit.trees import Hand, chain, do


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
    path = resolve.resolve(tree, tree.path.leaf_id).node_ids
    return [tree.nodes[outline.standing_at(row, path)].text for row in outline.rows(None)]


def test_what_was_parted_and_filled_in_stands_level_like_the_text() -> None:
    hand = Hand()
    tree, ids = chain(3, mode="buffer", hand=hand)
    outline = outline_of(tree)
    before = shape(outline)

    way = (tree.root_id, *ids)
    gap = fill_in.open_gap(tree, way, 2, 4, hand.pen())
    assert gap is not None
    opened = go(tree, outline, gap.change)
    filled = go(tree, outline, node_edits.edit_as_version(tree, gap.gap_id, "and more", hand.pen()))
    end = go(tree, outline, node_edits.add_node(tree, ids[-1], "And on.", hand.pen()))

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
    other = do(tree, node_edits.add_node(tree, ids[0], "Otherwise.", hand.pen())).added_nodes()[0].id
    outline = outline_of(tree)
    before = shape(outline)

    gap = fill_in.open_gap(tree, (tree.root_id, *ids), 2, 0, hand.pen())
    assert gap is not None
    opened = go(tree, outline, gap.change)

    assert read_rows(tree, outline) == ["message 0", "", "message 1"]
    assert shape(outline)[ids[0]] == [ids[1], other]
    assert outline.number(gap.gap_id)[1] == len(siblings.ways_on(tree, ids[0])) == 3
    go(tree, outline, opened.inverse())
    assert shape(outline) == before


def test_what_was_put_together_and_parted_again_is_said_once() -> None:
    hand = Hand()
    tree, ids = chain(4, mode="buffer", hand=hand)
    outline = outline_of(tree)
    before = shape(outline)

    way = (tree.root_id, *ids)
    merged = go(tree, outline, passage_edits.merge(tree, way, range(1, 4), hand.pen()))
    assert read_rows(tree, outline) == ["message 0message 1message 2", "message 3"]
    way = resolve.resolve(tree, tree.path.leaf_id).node_ids
    parted = go(tree, outline, passage_edits.split(tree, way, way[1], 9, hand.pen()))

    for seen in (outline, outline_of(tree)):
        assert read_rows(tree, seen) == ["message 0", "message 1message 2", "message 3"]
        assert list(shape(seen)) == [None]
        assert {seen.row_of(one) for one in ids[:3]} == {ids[0]}, "what was taken up stands there too"
    for change in (parted, merged):
        go(tree, outline, change.inverse())
    assert shape(outline) == before


@contextmanager
def rows_walked() -> Iterator[list[str]]:
    """The nodes whose lines are gone along."""
    lines, gone = Levels.line, list[str]()

    def counted(seen: Levels, head: str) -> Iterator[str]:
        for node_id in lines(seen, head):
            gone.append(node_id)
            yield node_id

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Levels, "line", counted)
        yield gone


def test_an_edit_high_up_in_a_long_buffer_leaves_the_rows_below_where_they_are() -> None:
    hand = Hand(10**6)
    tree = grown(2000, lambda i: i - 1)
    tree.loom, tree.path = replace(tree.loom, mode="buffer"), replace(tree.path, leaf_id="n1999")
    outline = outline_of(tree)
    rows = outline.rows(None)

    with rows_walked() as gone:
        go(tree, outline, node_edits.edit_as_version(tree, "n5", "otherwise", hand.pen()))
        typed = tree.path.leaf_id
        way = resolve.resolve(tree, typed).node_ids
        tree.nodes["n9"] = replace(tree.nodes["n9"], content=Text("two words"))
        change = go(tree, outline, passage_edits.split(tree, way, "n9", 3, hand.pen()))
        go(tree, outline, change.inverse())

    assert outline.rows(None) is rows
    assert len(gone) < 10


@settings(max_examples=examples(60), deadline=None)
@given(st.randoms(use_true_random=False), st.booleans())
def test_following_a_buffer_keeps_what_goes_on_after_versions_in_their_row(
    rng: random.Random, show_pruned: bool
) -> None:
    hand = Hand()
    tree, _ = chain(3, mode="buffer", hand=hand)
    for _ in followed(tree, rng, hand, 20, show_pruned=show_pruned):
        pass  # each is checked on the way


def test_a_part_stands_for_itself_once_the_whole_that_is_read_in_another_version_is_pruned() -> None:
    hand = Hand()
    tree, [first] = chain(1, mode="buffer", hand=hand)
    whole = do(tree, node_edits.edit_as_version(tree, first, "two words", hand.pen())).added_nodes()[0].id
    split = do(tree, passage_edits.split(tree, (tree.root_id, whole), whole, 3, hand.pen()))
    _, part = (node.id for node in split.added_nodes())
    do(tree, path_choice.choose_version(tree, read(tree).node_ids, 1, whole, hand.pen()))
    do(tree, node_edits.edit_as_version(tree, whole, "otherwise", hand.pen()))
    outline = outline_of(tree, read(tree))
    assert outline.row_of(part) == first

    pruned = do(tree, node_marks.prune(tree, whole, hand.pen()))
    outline.follow(pruned, read(tree))

    assert outline.row_of(part) == part
    check(tree, outline, show_pruned=False)
    apply(tree, pruned.inverse())
    outline.follow(pruned.inverse(), read(tree))
    assert outline.row_of(part) == first


def test_a_row_is_named_after_the_oldest_that_is_left_though_it_came_after_what_was_put_together() -> None:
    hand = Hand()
    tree, [first, second, _] = chain(3, mode="buffer", hand=hand)
    way = (tree.root_id, first, second)
    do(tree, passage_edits.split(tree, way, second, 7, hand.pen()))
    split = do(tree, passage_edits.split(tree, way, first, 7, hand.pen()))
    merged = do(tree, passage_edits.merge(tree, way, range(1, 3), hand.pen())).added_nodes()[0].id
    outline = outline_of(tree, read(tree))
    assert outline.row_of(merged) == first

    pruned = do(tree, node_marks.prune(tree, first, hand.pen()))
    outline.follow(pruned, read(tree))

    assert outline.row_of(merged) == split.added_nodes()[0].id
    check(tree, outline, show_pruned=False)


def test_choosing_a_whole_high_up_in_a_long_buffer_leaves_the_rows_below_where_they_are() -> None:
    hand = Hand(10**6)
    tree = grown(2000, lambda i: i - 1)
    tree.loom, tree.path = replace(tree.loom, mode="buffer"), replace(tree.path, leaf_id="n1999")
    tree.nodes["n9"] = replace(tree.nodes["n9"], content=Text("two words"))
    do(tree, passage_edits.split(tree, read(tree).node_ids, "n9", 3, hand.pen()))
    outline = outline_of(tree, read(tree))
    rows = outline.rows(None)

    with rows_walked() as gone:
        whole = do(tree, path_choice.choose_version(tree, read(tree).node_ids, 9, "n9", hand.pen()))
        outline.follow(whole, read(tree))

    assert outline.rows(None) is rows
    assert len(gone) < 10
    check(tree, outline, show_pruned=False)
