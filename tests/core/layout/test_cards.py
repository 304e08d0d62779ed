"""Which cards there are: stacks, notes, loose sources, pruned branches, and damaged data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.layout.cards import Reference, arrange, breadth_first
from loomapp.core.model.entities import Metadata
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose.passage_edits import split
from tests.core.prose.test_buffer_text import story
from tests.kit.graph_trees import Grower, buffer_tree, rich_tree
from tests.kit.trees import do

PRUNED = Metadata(pruned=True)


def test_versions_in_a_buffer_are_one_stack_with_one_downstream() -> None:
    arrangement = arrange(buffer_tree())

    assert arrangement.versions == {"v1": ("v1", "v2", "v3")}
    assert arrangement.families["one"] == ["v1", "other"]
    assert arrangement.families["v1"] == ["two"]
    assert {arrangement.card_of(v) for v in ("v1", "v2", "v3")} == {"v1"}


@pytest.mark.parametrize("gap", [False, True])
def test_what_follows_a_text_that_was_split_hangs_on_its_last_part(gap: bool) -> None:
    tree, _, hand = story("The sea is wide.", " Gulls cry.", " It rains.")
    for at in (12, 4):  # the first half is split once more
        way = resolve(tree, tree.path.leaf_id).node_ids
        do(tree, split(tree, way, way[1], at, hand.pen(), gap=gap))

    families, line = arrange(tree).families, [tree.root_id]
    while line[-1] in families:
        (card,) = families[line[-1]]
        line.append(card)

    said = [text for card in line if (text := tree.nodes[card].text)]
    assert said == ["The sea is wide.", "sea is w", "ide.", " Gulls cry.", " It rains."]


def test_an_edit_in_a_dialogue_is_a_sibling_with_a_card_of_its_own() -> None:
    arrangement = arrange(rich_tree())

    assert arrangement.versions == {}
    assert arrangement.families["logbook"] == ["father2", "edited"]


def test_versions_that_share_what_follows_are_a_stack_in_a_dialogue_too() -> None:
    g = Grower()
    g.node("root")
    g.under("root", "a", "first")
    g.under("root", "b", "second", edited_from="a")
    g.under("root", "c", "third", edited_from="a")
    g.node("next")
    g.edge([("a", "primary"), ("b", "primary")], "next")

    arrangement = arrange(g.tree)

    assert arrangement.versions == {"a": ("a", "b")}
    assert arrangement.families["root"] == ["a", "c"]
    assert arrangement.families["a"] == ["next"]


def test_notes_and_loose_sources_stand_beside_what_they_belong_to() -> None:
    arrangement = arrange(rich_tree(), show_pruned=True)

    assert arrangement.families["pasted"] == ["keeper", "style", "image", "tone", "boat"]
    assert arrangement.families["style"] == ["logbook", "tides"]
    assert set(arrangement.asides) == {"image", "tone", "tides"}
    assert set(arrangement.references) == {
        Reference("image", "logbook", "context"),
        Reference("tone", "logbook", "instruction"),
        Reference("logbook", "tides", "note"),
    }


def test_a_note_on_a_note_follows_it() -> None:
    g = Grower()
    g.node("root")
    g.under("root", "a")
    g.under("root", "b")
    g.note("a", "first", "one")
    g.note("a", "second", "two")
    g.note("first", "inner", "three")

    assert arrange(g.tree).families["root"] == ["a", "first", "inner", "second", "b"]


def test_a_loose_node_that_nothing_uses_yet_has_a_card_in_the_first_column() -> None:
    g = Grower()
    g.node("root")
    g.node("dropped", "an idea")

    assert arrange(g.tree).families[None] == ["root", "dropped"]


def test_pruned_branches_are_left_out_until_they_are_asked_for() -> None:
    tree = rich_tree()

    assert not {"colder", "colder2"} & set(breadth_first(arrange(tree).families))
    assert {"colder", "colder2"} <= set(breadth_first(arrange(tree, show_pruned=True).families))


def test_a_pruned_node_above_one_that_is_not_stays_in_sight() -> None:
    g = Grower()
    g.node("root")
    g.under("root", "a", metadata=PRUNED)
    g.under("a", "b")
    g.under("root", "c", metadata=PRUNED)

    assert breadth_first(arrange(g.tree).families) == ["root", "a", "b"]


def test_every_node_has_exactly_one_card_in_the_rich_tree() -> None:
    tree = rich_tree()

    assert sorted(breadth_first(arrange(tree, show_pruned=True).families)) == sorted(tree.nodes)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8),
    st.sets(st.integers(0, 9)),
    st.sampled_from(["dialogue", "buffer"]),
    st.booleans(),
)
def test_whatever_the_edges_are_every_node_is_on_one_card(
    continuations: list[tuple[int, int]],
    annotations: list[tuple[int, int]],
    edited: set[int],
    mode: str,
    shared: bool,
) -> None:
    """Circles, several ways in, edges out of nowhere: damaged data is shown all the same."""
    g = Grower("buffer" if mode == "buffer" else "dialogue", "n0")
    for i in range(10):
        g.node(f"n{i}", edited_from=f"n{(i * 7 + 3) % 10}" if i in edited else None)
    for k, (a, b) in enumerate(continuations):
        sources = [(f"n{a}", "primary"), (f"n{(a + k) % 10}", "primary" if shared else "context")]
        g.edge(sources[: 1 + k % 2], f"n{b}")  # type: ignore[arg-type]
    for a, b in annotations:
        g.note(f"n{a}", f"n{b}", "note")

    arrangement = arrange(g.tree)

    cards = breadth_first(arrangement.families)
    assert len(cards) == len(set(cards))
    assert {arrangement.card_of(node_id) for node_id in g.tree.nodes} == set(cards)
