"""Building an outline pauses every few messages, whatever the shape of the tree: counted in calls made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FrameType

import pytest

from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, LoomTree, Metadata, Mode, Node
from loomapp.core.model.tree import Tree
from loomapp.core.outline.outline import Outline
from loomapp.core.outline.ways import OutlineFolds, TreeWays
from loomapp.core.paths.path import node_sequence

MANY = 5_000  # messages; a loop over all of them without a pause makes as many calls at least


def grown(
    parents: Iterable[int | None],
    *,
    mode: Mode = "dialogue",
    root: str = "x",
    pruned: Iterable[int] = (),
    edited: Callable[[int], int | None] = lambda _: None,
) -> Tree:
    """A tree of n0 and on; `parents` are the numbers of those that each continues, None for nothing."""
    above, hidden = list(parents), set(pruned)
    nodes = []
    for i in range(len(above)):
        original = edited(i)
        nodes.append(
            Node(
                f"n{i}",
                f"L{i}",
                Text("x" if i else root),
                "human",
                created_at=i,
                edited_from=None if original is None else f"n{original}",
                metadata=Metadata(pruned=i in hidden),
            )
        )
    edges = [Edge(f"e{i}", (EdgeSource(f"n{p}"),), f"n{i}") for i, p in enumerate(above) if p is not None]
    return Tree(LoomTree("t", "T", mode, "n0"), nodes=nodes, edges=edges)


def calls_between_pauses(tree: Tree, *, folds: OutlineFolds | None = None) -> tuple[Outline, list[int]]:
    """An outline, whole, and how many calls each step of building it made."""
    trail, current = ["n0"], "n0"
    while below := tree.first_living_child(current) if len(tree.edges_out(current)) < 48 else None:
        trail.append(current := below)
    way = node_sequence(trail)
    outline = Outline(tree, TreeWays(tree, way, way, False), folds or OutlineFolds(), way)
    counts = [0]  # of each step

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        if event in ("call", "c_call"):
            counts[-1] += 1

    before, steps = sys.getprofile(), outline.building()
    sys.setprofile(count)
    try:
        while next(steps, True) is None:
            counts.append(0)
    finally:
        sys.setprofile(before)
    return outline, counts


HALF = MANY // 2
SHAPES = {
    "chain": lambda: grown([None, *range(MANY)]),
    "retried chain": lambda: grown([None, *(max(0, i - 1 - i % 2) for i in range(MANY))]),
    "star": lambda: grown([None, *[0] * MANY]),
    "star of branches": lambda: grown([None, *[0] * HALF, *range(1, HALF)]),
    "star below an empty root": lambda: grown([None, *[0] * HALF, *range(1, HALF)], root=""),
    "two stars": lambda: grown([None, 0, 0, *[1] * HALF, *[2] * HALF]),
    "pruned star": lambda: grown([None, 0, *[1] * MANY], pruned=[1]),
    "stars in a row": lambda: grown([None, *(max(0, i - i % 60) for i in range(MANY))]),
    "loose messages": lambda: grown([None] * MANY),
    "buffer": lambda: grown([None, *[0] * MANY], mode="buffer"),
    "versions": lambda: grown(
        [None, *[0] * MANY], mode="buffer", edited=lambda i: i - 1 if i and i % 2 == 0 else None
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_no_step_of_building_looks_at_very_many_messages(shape: str) -> None:
    outline, counts = calls_between_pauses(SHAPES[shape]())
    assert outline.rows
    assert max(counts) < MANY


def test_nor_does_it_where_all_is_unfolded() -> None:
    tree = SHAPES["chain"]()
    folds = OutlineFolds()
    folds.show(tree.nodes)

    outline, counts = calls_between_pauses(tree, folds=folds)

    assert len(outline.rows) == len(tree.nodes)
    assert max(counts) < MANY
