"""What is remembered or passed over on a path of many nodes says the same as looking at each of them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.context import passages
from loomapp.core.context.fit import LARGEST_SHOWN, _largest
from loomapp.core.context.outcomes import CODES, PathFlags
from loomapp.core.context.passages import ContextPassages
from loomapp.core.model.entities import Node
from loomapp.core.paths.path import SLICE, common_length
from tests.bench.groves import BRIEF, grown

NODES = tuple(grown("deep", 30, words=BRIEF).nodes.values())


def flagged(node: Node, *, pruned: bool, excluded: bool) -> Node:
    return replace(node, metadata=replace(node.metadata, pruned=pruned, excluded=excluded))


def said(nodes: tuple[Node, ...]) -> bytes:
    names = ("pruned" if n.metadata.pruned else "excluded" if n.metadata.excluded else "sent" for n in nodes)
    return bytes(CODES.index(name) for name in names)


@given(st.lists(st.tuples(st.integers(0, 29), st.booleans(), st.booleans(), st.integers(0, 30)), max_size=20))
def test_flags_that_are_remembered_are_those_of_the_nodes(steps: list[tuple[int, bool, bool, int]]) -> None:
    flags, nodes = PathFlags(), list(NODES)
    for place, pruned, excluded, length in steps:
        nodes[place] = flagged(nodes[place], pruned=pruned, excluded=excluded)
        shown = tuple(nodes[:length])
        assert flags.of(shown) == said(shown)


def test_flags_are_asked_of_those_nodes_only_that_are_others() -> None:
    class Asked:
        def __init__(self) -> None:
            self.times = 0

        @property
        def metadata(self) -> object:
            self.times += 1
            return NODES[0].metadata

    flags, asked = PathFlags(), [Asked() for _ in range(9)]
    flags.of(tuple(asked))  # type: ignore[arg-type]
    others = [node.times for node in asked]

    asked[4] = Asked()
    flags.of((*asked, Asked()))  # type: ignore[arg-type]

    assert [n.times for n in asked[:4] + asked[5:]] == others[:4] + others[5:]
    assert asked[4].times > 0


@given(st.lists(st.integers(0, 12), max_size=40), st.lists(st.integers(0, 39), max_size=6), st.booleans())
def test_the_largest_nodes_are_those_of_all_in_order(
    costs: list[int], nobodys: list[int], is_joined: bool
) -> None:
    passages = ContextPassages()
    for place, cost in enumerate(costs):
        passages.unit_begins = not (is_joined and place % 3 == 1)
        node_id = None if place in nobodys else f"n{place - (place % 3 == 1 and is_joined)}"
        passages.add(node_id, "user", "x" * (4 * cost))

    whole = passages.tokens_by_node(range(len(passages)))

    assert _largest(passages) == sorted(whole.items(), key=lambda pair: -pair[1])[:LARGEST_SHOWN]


def test_what_two_have_in_common_is_found_wherever_they_part() -> None:
    chance = random.Random(5)
    whole = list(range(2 * SLICE + 100))
    for place in (0, 1, SLICE - 1, SLICE, SLICE + 1, len(whole) - 1, *chance.sample(whole, 5)):
        other = whole.copy()
        other[place] = -1
        assert common_length(whole, other) == place
        assert common_length(whole, other[:place]) == place
    assert common_length(tuple(whole), tuple(whole)) == len(whole)
    assert common_length(tuple(whole), tuple(range(len(whole)))) == len(whole)


@given(st.lists(st.tuples(st.integers(0, 99), st.booleans()), max_size=40))
def test_units_cost_the_same_whether_few_parts_are_joined_or_many(parts: list[tuple[int, bool]]) -> None:
    found = ContextPassages(texts=[""] * len(parts), tokens=[cost for cost, _ in parts])
    found.joined = [index for index, (_, is_joined) in enumerate(parts) if is_joined and index]
    few = [*found.unit_starts()], [*found.unit_costs()]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passages, "FEW_JOINED", 0)
        many = [*found.unit_starts()], [*found.unit_costs()]

    assert few == many
    assert found.tokens == [cost for cost, _ in parts], "what they are made of stays"
