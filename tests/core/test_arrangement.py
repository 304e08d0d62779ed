"""Which cards there are: stacks, notes, loose sources, pruned branches, and damaged data."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.arrangement import Hanging, Reference, arrange, breadth_first, grown, with_hanging
from loomapp.core.change import RowChange, apply
from loomapp.core.tree import Metadata
from tests.ui.graph_trees import Grower, added, buffer_tree, marked, rich_tree

PRUNED = Metadata(pruned=True)


def test_versions_in_a_buffer_are_one_stack_with_one_downstream() -> None:
    arrangement = arrange(buffer_tree())

    assert arrangement.versions == {"v1": ("v1", "v2", "v3")}
    assert arrangement.families["one"] == ["v1", "other"]
    assert arrangement.families["v1"] == ["two"]
    assert {arrangement.card_of(v) for v in ("v1", "v2", "v3")} == {"v1"}


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
    assert arrangement.asides == {"image", "tone", "tides"}
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


def test_drafts_hang_after_the_children_of_their_parent() -> None:
    drafts = [Hanging("d1", "v2"), Hanging("d2", "v2")]

    arrangement = with_hanging(arrange(buffer_tree()), drafts)

    assert arrangement.families["v1"] == ["two", "d1", "d2"]


@pytest.mark.parametrize("show_pruned", [True, False])
@pytest.mark.parametrize("parent", ["weather", "once", "logbook", "tides", "image", "colder", "root"])
def test_adding_a_leaf_is_the_same_as_arranging_anew(parent: str, show_pruned: bool) -> None:
    tree = rich_tree()
    before = arrange(tree, show_pruned=show_pruned)
    change = added(tree, parent, "leaf")
    apply(tree, change)

    after = grown(before, change, set(breadth_first(before.families)))

    anew = arrange(tree, show_pruned=show_pruned)
    if parent == "colder" and not show_pruned:
        assert after is None
    else:
        assert after is not None
        assert breadth_first(after.families) == breadth_first(anew.families)
        assert (after.asides, after.references) == (anew.asides, anew.references)


def test_any_other_change_is_arranged_anew() -> None:
    tree = rich_tree()
    before = arrange(tree)
    shown = set(breadth_first(before.families))
    leaf = added(tree, "once", "leaf")
    loose = replace(leaf, rows=leaf.rows[:1])
    edited = replace(leaf.added_nodes()[0], edited_from="once")

    assert grown(before, leaf.inverse(), shown) is None
    assert grown(before, loose, shown) is None
    assert grown(before, replace(leaf, rows=(RowChange(None, edited), leaf.rows[1])), shown) is None
    assert grown(before, marked(tree, ["once"], PRUNED), shown) is None
    bookmarked = grown(before, marked(tree, ["once"], Metadata(bookmarked=True)), shown)
    assert bookmarked is not None
    assert bookmarked.families == before.families


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
