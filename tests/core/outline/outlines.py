"""Outlines in tests: random changes that one follows, and what must be so after each."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.model.change import Change, apply
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.outline.outline import Outline, outline_of
from loomapp.core.paths import resolve, siblings
from loomapp.core.paths.path import Path
from loomapp.core.prose import fill_in, passage_edits, path_choice
from tests.kit.trees import Hand, do


def shape(outline: Outline) -> dict[str | None, list[str]]:
    """Everything below everything, from the top."""
    found: dict[str | None, list[str]] = {}
    queue: list[str | None] = [None]
    for owner in queue:
        found[owner] = list(outline.rows(owner))
        queue += [node_id for node_id in found[owner] if outline.has_rows(node_id)]
    return found


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

        stand = before.keys() & after.keys()
        assert all(owner in owners for owner in stand if before[owner] != after[owner])
        check(tree, outline, show_pruned)
        yield outline


def some_change(tree: Tree, rng: random.Random, hand: Hand, done: list[Change]) -> Change | None:
    node_id = rng.choice(list(tree.nodes))
    if done and rng.random() < 0.25:
        return done.pop().inverse()
    match rng.randrange(4):
        case 0 | 1 | 2 if tree.loom.mode == "buffer" and rng.random() < 0.5:
            change: Change | None = some_revision(tree, rng, hand)
        case 0 | 1 if tree.loom.mode == "buffer" and node_id != tree.root_id and rng.random() < 0.6:
            change = node_edits.edit_as_version(tree, node_id, f"version {hand.now}", hand.pen())
        case 0 | 1:
            change = node_edits.add_node(tree, node_id, "more", hand.pen())
        case 2:
            change = node_edits.annotate(tree, node_id, "note", hand.pen())
        case _:
            change = node_marks.prune(tree, node_id, hand.pen()) if node_id != tree.root_id else None
    if change is not None:
        done.append(change)
    return change


def some_revision(tree: Tree, rng: random.Random, hand: Hand) -> Change | None:
    """A passage of a path is parted, filled in or put together with others, or another version is read."""
    way = resolve.resolve(tree, rng.choice([*tree.nodes, *[tree.path.leaf_id] * len(tree.nodes)])).node_ids
    place = rng.randrange(1, len(way)) if len(way) > 1 else 0
    if not place or any(tree.annotation_edges_into(one) for one in way):
        return None
    length = len(tree.nodes[way[place]].text)
    match rng.randrange(4):
        case 0:
            return passage_edits.split(tree, way, way[place], rng.randrange(length + 1), hand.pen())
        case 1:
            gap = fill_in.open_gap(tree, way, place, rng.choice((0, length // 2)), hand.pen())
            return None if gap is None else gap.change
        case 2:
            chain = passage_edits.chain_at(tree, way, place)
            return passage_edits.merge(tree, way, chain, hand.pen())
    other = rng.choice(siblings.versions(tree, way, place))
    return path_choice.choose_version(tree, way, place, other, hand.pen())


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
    """What the active path leads through."""
    return resolve.resolve(tree, tree.path.leaf_id)


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


def go(tree: Tree, outline: Outline, change: Change | None) -> Change:
    """Make a change that the outline follows; nothing else is read then."""
    outline.follow(do(tree, change))
    assert change is not None
    return change


def grown(size: int, parent: Callable[[int], int]) -> Tree:
    """A tree of so many nodes, n0 and on; `parent` gives the number of the one that each continues."""

    assert callable(parent)
    nodes = [Node(f"n{i}", f"L{i}", Text("x"), "human", created_at=i) for i in range(size)]
    edges = [Edge(f"e{i}", (EdgeSource(f"n{parent(i)}"),), f"n{i}") for i in range(1, size)]
    return Tree(LoomTree("t", "T", "dialogue", "n0"), nodes=nodes, edges=edges)
