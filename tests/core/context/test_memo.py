"""What is remembered of a tree changes nothing: paths, children and contexts are those of a first look.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import inspect
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loomapp.core.context.assembly import Assembled, assemble, to_json
from loomapp.core.context.outcomes import NO_ROOM, SENT
from loomapp.core.context.passages import KnownColumns, columns_of
from loomapp.core.context.report import Report
from loomapp.core.context.request import ContextRequest
from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.edits.branches import reparent
from loomapp.core.errors import AssemblyError, InvalidInput, StaleChange
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model import caches
from loomapp.core.model import tree as trees
from loomapp.core.model.agent import Agent
from loomapp.core.model.caches import Caches
from loomapp.core.model.change import Change, apply
from loomapp.core.model.entities import Edge, EdgeSource, Metadata, Mode, Node, Role
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import deepest_leaf, next_fork, previous_fork
from loomapp.core.paths.path import SLICE
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.inputs import Model, choices, inputs_of
from tests.bench.groves import grown
from tests.core.edits.test_node_edits import random_edit
from tests.core.outline.whole import outline_of
from tests.kit.chance import examples
from tests.kit.trees import Hand

MANY_WALKS = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def without_memo(tree: Tree, look: Callable[[], object]) -> object:
    """The same look at a tree of which nothing is remembered; what was, is kept."""
    kept, tree.caches = tree.caches, Caches()
    try:
        return look()
    finally:
        tree.caches = kept


def outcome(look: Callable[[], object]) -> object:
    """What a look gives, or how it fails."""
    try:
        return look()
    except AssemblyError as error:
        return (error.code, error.details)


def path_of(tree: Tree, node_id: str) -> object:
    found = resolve(tree, node_id)
    places = [found.place_of(each) for each in tree.nodes]
    return found.node_ids, found.nodes, found.joints, places


def test_columns_of_a_long_path_are_those_of_a_first_look_wherever_its_nodes_are_others() -> None:
    tree = grown("deep", 3 * SLICE + 100)
    tree.loom = replace(tree.loom, mode="buffer")
    nodes = resolve(tree, tree.path.leaf_id).nodes

    def others(*places: int) -> tuple[Node, ...]:
        flagged = {place: replace(nodes[place], metadata=Metadata(excluded=True)) for place in places}
        return tuple(flagged.get(place, node) for place, node in enumerate(nodes))

    far = len(nodes) - 1
    for path in (
        nodes,
        others(0)[:10],
        others(0, SLICE + 5)[: SLICE + 50],
        others(0, SLICE + 5, far),
        others(3, 2 * SLICE, far)[1:],
        (*others(3, SLICE, far), nodes[5]),
        nodes,
    ):
        assert columns_of(tree, path) == without_memo(tree, partial(columns_of, tree, path))


def context_of(tree: Tree, request: ContextRequest) -> object:
    assembled = assemble(tree, request)
    return json.dumps(to_json(assembled)), dict(assembled.fates), assembled.fates.codes


def recorded(tree: Tree, node_id: str) -> object:
    """What is kept of a request at a node, and what it says of a tree that may have moved since."""
    inputs = inputs_of(tree, AskedQuestion(Agent("a", "A", "model"), Sources(node_id)), Model())
    return inputs, dict(choices(tree, inputs.path)), dict(choices(tree, inputs.path[:-1] or inputs.path))


def by_report(report: Report) -> dict[str, str]:
    """The fates that a report tells, one by one."""
    return dict.fromkeys(report.kept, "sent") | {one.node_id: one.reason for one in report.dropped}


def random_request(tree: Tree, chance: random.Random) -> ContextRequest:
    ids = list(tree.nodes)
    return ContextRequest(
        chance.choice(ids),
        window=chance.choice((1_030, 1_040, 1_060, 128_000)),
        composer_text=chance.choice((None, "What now?")),
        context_ids=tuple(chance.sample(ids, k=chance.choice((0, 0, 1)))),
        instruction_ids=tuple(chance.sample(ids, k=chance.choice((0, 0, 1)))),
        working_buffer=chance.choice(("", "and then ")),
    )


def random_damage(tree: Tree, chance: random.Random) -> None:
    """What no edit does, and a file may bring: edges with two parents, or that are gone."""
    edges = list(tree.edges.values())
    edge = chance.choice(edges) if edges else None
    if edge is None:
        return
    if chance.random() < 0.3:
        tree.drop_edge(edge.id)
    elif chance.random() < 0.5:
        roles: tuple[Role, ...] = ("primary", "context", "instruction")
        role = chance.choice(roles)
        extra = EdgeSource(chance.choice(list(tree.nodes)), role)
        tree.put_edge(replace(edge, sources=(*edge.sources, extra)))
    else:
        tree.put_edge(Edge(f"more {len(tree.edges)}", edge.sources, edge.target_id))


def moved(tree: Tree, chance: random.Random, hand: Hand, trail: list[Change]) -> None:
    """A random step: an edit, one taken back, or a branch that moves."""
    pick = chance.randrange(10)
    change: Change | None = None
    if pick == 0 and trail:
        change = trail.pop().inverse()
    elif pick <= 2:
        with suppress(InvalidInput):
            ids = list(tree.nodes)
            change = reparent(tree, chance.choice(ids), chance.choice(ids), hand.pen())
    else:
        change = random_edit(tree, chance, hand)
    if change is not None:
        apply(tree, change)
        if pick:
            trail.append(change)


@pytest.mark.slow
@MANY_WALKS
@given(st.randoms(use_true_random=False), st.integers(1, 30), st.sampled_from(("dialogue", "buffer")))
def test_a_tree_that_moves_is_read_as_at_first(chance: random.Random, steps: int, mode: Mode) -> None:
    hand = Hand()
    tree = tree_edits.new_tree(mode, "t", hand.pen(), text="It began.")
    trail: list[Change] = []
    for _ in range(steps):
        moved(tree, chance, hand, trail)
        for _ in range(2):
            node_id, request = chance.choice(list(tree.nodes)), random_request(tree, chance)

            def looks(node_id: str = node_id, request: ContextRequest = request) -> tuple[object, ...]:
                return (
                    outcome(lambda: path_of(tree, node_id)),
                    outcome(lambda: context_of(tree, request)),
                    outcome(lambda: recorded(tree, node_id)),
                )

            assert looks() == without_memo(tree, looks)


@MANY_WALKS
@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_damage_is_seen_when_it_comes(chance: random.Random, steps: int) -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "t", hand.pen(), text="It began.")
    for _ in range(steps):
        if chance.random() < 0.7:
            moved(tree, chance, hand, [])
        else:
            random_damage(tree, chance)
        node_id = chance.choice(list(tree.nodes))

        def look(node_id: str = node_id) -> object:
            return outcome(lambda: path_of(tree, node_id))

        assert look() == without_memo(tree, look)


@MANY_WALKS
@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_many_children_are_the_same_as_few(chance: random.Random, steps: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "MANY", 2)
        hand, trail = Hand(), list[Change]()
        tree = tree_edits.new_tree("dialogue", "t", hand.pen(), text="It began.")
        for _ in range(steps):
            with suppress(StaleChange, KeyError):  # an edit may refuse what is damaged
                moved(tree, chance, hand, trail)
            if chance.random() < 0.2:
                random_damage(tree, chance)
            for node_id in tree.nodes:
                below = [
                    edge.target_id
                    for edge in tree.edges_out(node_id)
                    if edge.type == "continuation" and node_id in edge.with_role("primary")
                ]
                living = [i for i in below if i in tree.nodes and not tree.nodes[i].metadata.pruned]

                assert tree.children(node_id) == tuple(below)
                assert tree.living_children(node_id) == tuple(living)
                assert tree.first_living_child(node_id) == next(iter(living), None)


@MANY_WALKS
@given(st.randoms(use_true_random=False), st.integers(1, 20))
def test_fates_are_what_the_report_says(chance: random.Random, steps: int) -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "t", hand.pen(), text="It began.")
    for _ in range(steps):
        moved(tree, chance, hand, [])
    found: list[Assembled] = []
    for _ in range(6):
        with suppress(AssemblyError):
            found.append(assemble(tree, random_request(tree, chance)))

    for assembled in found:
        fates, report = assembled.fates, assembled.report
        assert fates == by_report(report)
        assert report.dropped.counts == Counter(one.reason for one in report.dropped)  # type: ignore[attr-defined]
        assert len(report.dropped) == len(list(report.dropped))
        for place, code in enumerate(fates.codes):
            if code != SENT:
                first, end, no_room = fates.run(place)
                assert SENT not in fates.codes[first:end]
                assert [*fates.codes[max(0, first - 1) : first], *fates.codes[end : end + 1]] in (
                    [],
                    [SENT],
                    [SENT, SENT],
                )
                assert no_room == fates.codes[first:end].count(NO_ROOM)


def test_more_than_is_remembered_is_found_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "MOST_TOUCHED", 3)
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "t", hand.pen(), text="It began.")
    resolve(tree, tree.root_id)
    mark = tree.touches.mark
    for _ in range(4):
        change = node_edits.add_node(tree, tree.path.leaf_id, "on", hand.pen())
        apply(tree, change)

    assert tree.touches.since(mark) is None
    assert len(resolve(tree, tree.path.leaf_id).node_ids) == 5


@pytest.mark.slow
def test_many_messages_in_a_row_need_no_recursion() -> None:
    tree, hand = grown("deep", 20_000), Hand()
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 60)  # far less than there are messages
    try:
        middle = list(tree.nodes)[10_000]
        steps: tuple[Callable[[], Change | None], ...] = (
            lambda: node_edits.add_node(tree, tree.path.leaf_id, "on", hand.pen()),
            lambda: node_edits.add_node(tree, middle, "aside", hand.pen()),
            lambda: node_marks.exclude(tree, (middle,), hand.pen()),
            lambda: node_marks.prune(tree, middle, hand.pen()),
        )
        for edit in steps:
            change = edit()
            assert change is not None
            for moved_by in (change, change.inverse(), change):
                apply(tree, moved_by)
                assemble(tree, ContextRequest(tree.path.leaf_id))
                assert outline_of(tree, resolve(tree, tree.path.leaf_id)).rows
                assert previous_fork(tree, tree.path.leaf_id) in {None, middle}
        assert next_fork(tree, tree.root_id) is None
        assert deepest_leaf(tree, tree.root_id, tree.path) == tree.path.leaf_id
    finally:
        sys.setrecursionlimit(usual)


def test_what_was_touched_last_is_known_whenever_one_asks() -> None:
    touches = caches.Touches()
    for number in range(2 * caches.MOST_TOUCHED + 5):
        mark = touches.mark
        touches.note(str(number))
        assert touches.since(mark) == [str(number)]
    assert touches.since(0) is None


def test_what_the_nodes_of_a_path_say_is_read_once_for_all_sketches_of_a_tree() -> None:
    tree, hand = grown("deep", 50), Hand()
    apply(tree, node_edits.add_node(tree, tree.path.leaf_id, " spaced ", hand.pen()))
    leaf = tree.path.leaf_id

    def key(text: str) -> list[str]:
        seen = tree.sketch()
        change = node_edits.add_node(seen, leaf, text, hand.pen())
        apply(seen, change)
        assert assemble(seen, ContextRequest(change.added_nodes()[0].id)).messages[-1].text.endswith(text)
        return tree.caches.of(KnownColumns).kept[0].texts

    first = key("a")
    second = key("ab")

    assert second[-2] is first[-2], "what was stripped is another text each time that it is read"
    assert second[-2:] == ["spaced", "ab"]
    assert len(second) == len(resolve(tree, leaf).nodes) + 1
