"""Paths: which nodes lead to a node, and walking from one to another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.edits import node_edits
from loomapp.core.errors import AssemblyError
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.entities import ActivePath, Edge, EdgeSource
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import (
    deepest_leaf,
    living_place,
    living_siblings,
    next_fork,
    parent,
    previous_fork,
    siblings,
    versions,
)
from loomapp.core.paths.path import common_end, common_length
from loomapp.core.paths.resolve import choices_after, resolve
from tests.bench.groves import grown
from tests.kit import trees
from tests.kit.trees import Hand, do
from tests.kit.written_trees import chain, edge, node, tree


def versioned(*, pruned: str = "") -> Tree:
    """Once → upon (and two versions of it) → end, in Buffer."""
    rows = [
        node("once"),
        node("v1", at=5, pruned="v1" in pruned),
        node("v2", at=9, edited_from="v1", pruned="v2" in pruned),
        node("v3", at=9, edited_from="v2", pruned="v3" in pruned),
        node("end"),
    ]
    edges = [*(edge(name, "once") for name in ("v1", "v2", "v3")), edge("end", "v1", "v2", "v3")]
    return tree(rows, edges, "buffer")


def code_at(subject: Tree, node_id: str, selections: dict[str, str] | None = None) -> str:
    """The code of the error that a path ends in."""
    with pytest.raises(AssemblyError) as caught:
        resolve(subject, node_id, selections)
    return caught.value.code


# Resolving


def test_a_path_leads_from_the_start_to_the_node() -> None:
    subject = chain(node("a"), node("b"), node("c"), node("d"))

    assert resolve(subject, "c").node_ids == ("a", "b", "c")


@pytest.mark.parametrize(("pruned", "read"), [("", "v3"), ("v3", "v2"), ("v2 v3", "v1"), ("v1 v2 v3", "v3")])
def test_the_newest_version_that_is_not_pruned_is_read(pruned: str, read: str) -> None:
    assert resolve(versioned(pruned=pruned), "end").node_ids == ("once", read, "end")


def test_a_stored_choice_is_followed_and_one_asked_for_stands_in_its_place() -> None:
    subject = versioned()
    subject.path = ActivePath("end", {"end": "v1"})

    assert resolve(subject, "end").node_ids[1] == "v1"
    assert resolve(subject, "end", {"end": "v2"}).node_ids[1] == "v2"
    assert resolve(subject, "end", {}).node_ids[1] == "v3"


def test_of_sources_that_are_no_versions_the_first_listed_is_read() -> None:
    subject = tree([node("a"), node("b", at=9), node("c")], [edge("c", "a", "b")])

    assert resolve(subject, "c").node_ids == ("a", "c")


def test_a_note_is_left_by_its_annotation_edge() -> None:
    rows = [node("a"), node("b"), node("note"), node("after")]
    edges = [edge("b", "a"), edge("note", "b", kind="annotation"), edge("after", "note")]

    path = resolve(tree(rows, edges), "after")

    assert path.node_ids == ("a", "b", "note", "after")
    assert [path.is_note(index) for index in range(4)] == [False, False, True, False]


def test_a_node_that_is_also_a_note_is_left_by_its_continuation_edge() -> None:
    rows = [node("a"), node("b"), node("c")]
    edges = [edge("c", "b", kind="annotation"), edge("c", "a")]

    assert resolve(tree(rows, edges), "c").node_ids == ("a", "c")


def test_a_circle_is_an_error_from_inside_and_from_below() -> None:
    rows = [node("a"), node("b"), node("c"), node("d")]
    subject = tree(rows, [edge("a", "c"), edge("b", "a"), edge("c", "b"), edge("d", "c")])

    assert [code_at(subject, name) for name in "abcd"] == ["CYCLE"] * 4


def test_a_circle_through_an_annotation_is_an_error() -> None:
    subject = tree([node("a"), node("b")], [edge("b", "a"), edge("a", "b", kind="annotation")])

    assert code_at(subject, "b") == "CYCLE"


def test_a_node_that_is_its_own_parent_is_a_circle() -> None:
    assert code_at(tree([node("a")], [edge("a", "a")]), "a") == "CYCLE"


def test_an_unknown_node_and_a_missing_parent_are_not_found() -> None:
    subject = tree([node("a"), node("b")], [edge("b", "gone")])

    assert code_at(subject, "nowhere") == "NODE_NOT_FOUND"
    assert code_at(subject, "b") == "NODE_NOT_FOUND"


def test_two_ways_in_are_ambiguous_whatever_is_stored() -> None:
    subject = tree([node("a"), node("b"), node("c")], [edge("c", "a"), edge("c", "b")])

    assert code_at(subject, "c", {"c": "a"}) == "AMBIGUOUS_PATH"


def test_an_edge_without_a_primary_source_is_invalid() -> None:
    assert code_at(tree([node("a"), node("b")], [edge("b", "a context")]), "b") == "INVALID_EDGE"


@pytest.mark.parametrize("target", ["b", "c"])
def test_a_choice_that_is_no_primary_source_is_invalid_on_any_edge(target: str) -> None:
    rows = [node("a"), node("b"), node("b2", edited_from="b"), node("c")]
    subject = tree(rows, [edge("b", "a"), edge("b2", "a"), edge("c", "b", "b2")])

    assert code_at(subject, "c", {target: "c"} | ({"c": "b"} if target == "b" else {})) == "INVALID_SELECTION"


def test_a_choice_off_the_path_is_ignored() -> None:
    subject = chain(node("a"), node("b"), node("c"))

    assert resolve(subject, "b", {"c": "a", "gone": "a"}).node_ids == ("a", "b")


def test_what_comes_first_on_the_way_up_is_reported() -> None:
    rows = [node("a"), node("b"), node("c"), node("d")]
    subject = tree(rows, [edge("b", "gone"), edge("c", "b"), edge("d", "c")])

    assert code_at(subject, "d", {"c": "a"}) == "INVALID_SELECTION"
    assert code_at(subject, "d", {"b": "a"}) == "INVALID_SELECTION"
    assert code_at(subject, "d") == "NODE_NOT_FOUND"


def test_a_way_in_that_changes_is_walked_as_it_is_now() -> None:
    subject = chain(node("a"), node("b"))
    subject.put_node(node("a2", edited_from="a", at=1))
    way = subject.incoming("b")[0]

    subject.put_edge(Edge(way.id, (*way.sources, EdgeSource("a2")), "b"))
    with_version = resolve(subject, "b").node_ids
    subject.put_edge(way)
    without = resolve(subject, "b").node_ids
    subject.drop_edge(way.id)

    assert (with_version, without) == (("a2", "b"), ("a", "b"))
    assert resolve(subject, "b").node_ids == ("b",)


@pytest.mark.parametrize("count", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_very_many_nodes_are_walked_up_and_down(count: int) -> None:
    subject = chain(*(node(f"n{number}") for number in range(count)))
    last = f"n{count - 1}"

    assert len(resolve(subject, last).node_ids) == count
    assert deepest_leaf(subject, "n0", ActivePath("n0")) == last
    assert previous_fork(subject, last) is None
    assert next_fork(subject, "n0") is None


def test_ten_thousand_versions_on_one_edge_are_one_family() -> None:
    names = [f"v{number:05}" for number in range(10_000)]
    rows = [node(n, at=i, edited_from=names[i - 1] if i else None) for i, n in enumerate(names)]
    subject = tree([*rows, node("end")], [edge("end", *names)], "buffer")

    assert resolve(subject, "end").node_ids == (names[-1], "end")


# Walking for people


def test_siblings_have_the_same_parent_and_stand_in_order_of_creation() -> None:
    subject = tree([node("a"), node("b"), node("c"), node("d")], [edge(name, "a") for name in "bcd"])

    assert siblings(subject, "c") == ("b", "c", "d")


def test_children_of_any_version_are_siblings() -> None:
    subject = versioned()
    subject.put_node(node("other", at=20))
    subject.put_edge(edge("other", "v3"))

    assert set(siblings(subject, "end")) == {"end", "other"}


def test_the_siblings_of_a_root_are_its_versions_and_of_a_note_the_notes_beside_it() -> None:
    rows = [node("a"), node("a2", edited_from="a", at=1), node("b"), node("n1"), node("n2")]
    edges = [edge("b", "a", "a2"), edge("n1", "b", kind="annotation"), edge("n2", "b", kind="annotation")]
    subject = tree(rows, edges, "buffer")

    assert siblings(subject, "a2") == ("a", "a2")
    assert siblings(subject, "n2") == ("n1", "n2")


def test_versions_are_told_from_any_of_them() -> None:
    subject = versioned()

    assert {versions(subject, name) for name in ("v1", "v2", "v3")} == {("v1", "v2", "v3")}


def test_the_parent_follows_the_stored_choice_and_a_root_has_none() -> None:
    subject = versioned()

    newest = parent(subject, "end")
    subject.path = ActivePath("end", {"end": "v1"})

    assert (newest, parent(subject, "end"), parent(subject, "once")) == ("v3", "v1", None)


def test_damage_ends_a_walk_for_people_without_an_error() -> None:
    rows = [node("a"), node("b"), node("c"), node("d")]
    subject = tree(rows, [edge("a", "b"), edge("b", "a"), edge("c", "gone"), edge("d", "a context")])

    assert deepest_leaf(subject, "a", ActivePath("a")) == "b"
    assert previous_fork(subject, "a") is None
    assert next_fork(subject, "a") is None
    assert (parent(subject, "c"), parent(subject, "d")) == (None, None)
    assert siblings(subject, "c") == ("c",)


def test_the_deepest_leaf_follows_the_active_path_then_the_newest_child_that_is_not_pruned() -> None:
    rows = [
        node("a"),
        node("b", at=1),
        node("c", at=2),
        node("b1", at=3),
        node("b2", at=4),
        node("x", at=5, pruned=True),
    ]
    subject = tree(rows, [edge("b", "a"), edge("c", "a"), edge("b1", "b"), edge("b2", "b"), edge("x", "b")])

    assert deepest_leaf(subject, "a", ActivePath("b")) == "b2"
    assert deepest_leaf(subject, "a", ActivePath("b1")) == "b1"
    assert deepest_leaf(subject, "a", ActivePath("a")) == "c"


def test_forks_are_where_the_text_goes_on_in_more_than_one_way() -> None:
    rows = [node(name, at=number) for number, name in enumerate("abcdefg")]
    ways = ["ba", "cb", "db", "ec", "fe", "ge"]
    subject = tree(rows, [edge(way[0], way[1]) for way in ways])
    subject.path = ActivePath("f")

    assert next_fork(subject, "a") == "b"
    assert next_fork(subject, "b") == "e"
    assert next_fork(subject, "e") is None
    assert previous_fork(subject, "f") == "e"
    assert previous_fork(subject, "e") == "b"
    assert previous_fork(subject, "b") is None


def test_versions_of_one_passage_are_no_fork_in_a_document() -> None:
    assert previous_fork(versioned(), "end") is None


def test_where_a_node_stands_among_many_siblings_follows_what_comes_and_goes() -> None:
    names = [f"child{number}" for number in range(120)]
    subject = tree([node("root"), *map(node, names)], [edge(name, "root") for name in names])
    assert living_place(subject, names[70]) == 70
    gone = subject.nodes[names[10]]
    pruned = replace(gone, metadata=replace(gone.metadata, pruned=True))

    apply(subject, Change(subject.loom.id, "Prune", 0, (RowChange(gone, pruned),)))

    assert living_place(subject, names[70]) == living_siblings(subject, names[70]).index(names[70]) == 69
    assert living_place(subject, names[10]) == living_siblings(subject, names[10]).index(names[10]) == 10
    assert living_place(subject, "root") == 0


def test_siblings_are_what_goes_on_from_the_version_that_is_read() -> None:
    hand = Hand()
    tree, ids = trees.chain(2, mode="buffer", hand=hand)
    version = do(tree, node_edits.edit_as_version(tree, ids[0], "young", hand.pen())).added_nodes()[0].id
    alone = do(tree, node_edits.add_node(tree, version, "on it alone", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, ids[1], hand.pen()))
    assert siblings(tree, ids[1]) == (ids[1], alone)

    do(tree, node_edits.choose_path(tree, ids[1], hand.pen(), {ids[1]: ids[0]}))

    assert siblings(tree, ids[1]) == (ids[1],)
    assert siblings(tree, alone) == (ids[1], alone)


def test_another_way_on_keeps_the_version_that_is_read_before_it() -> None:
    hand = Hand()
    tree, ids = trees.chain(2, mode="buffer", hand=hand)
    other = do(tree, node_edits.add_node(tree, ids[0], "another", hand.pen())).added_nodes()[0].id
    version = do(tree, node_edits.edit_as_version(tree, ids[0], "young", hand.pen())).added_nodes()[0].id
    below = do(tree, node_edits.add_node(tree, ids[1], "below", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, other, hand.pen(), {other: ids[0], ids[1]: version}))

    choices = choices_after(tree, resolve(tree, other), below)

    assert resolve(tree, below, choices).node_ids == (tree.root_id, ids[0], ids[1], below)


class Looked:
    """Tells how often it was compared."""

    times = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        Looked.times += 1
        return isinstance(other, Looked) and other.number == self.number

    __hash__ = object.__hash__


def test_what_two_paths_have_in_common_is_found_without_a_look_into_the_same_nodes() -> None:
    many = [Looked(number) for number in range(6_000)]
    other = [*many[:5_000], Looked(-1), *many[5_001:]]
    Looked.times = 0

    assert common_length(many, other) == 5_000
    assert common_end(many, other, 6_000) == 999
    assert common_end(many, other, 20) == 20
    assert common_end(many, [*many[:4], Looked(5_999)], 6_000) == 1
    assert Looked.times <= 20


def test_what_a_sketch_goes_on_with_is_no_matter_of_the_paths_of_its_tree() -> None:
    subject, hand = grown("deep", 40), Hand()
    path = resolve(subject, subject.path.leaf_id)
    known = dict(path.places)

    for at in (path.node_ids[-1], path.node_ids[9]):
        seen = subject.sketch()
        resolve(seen, seen.path.leaf_id)
        change = node_edits.add_node(seen, at, "more", hand.pen())
        apply(seen, change)
        new = change.added_nodes()[0].id
        longer = resolve(seen, new)
        assert [longer.place_of(i) for i in longer.node_ids] == list(range(len(longer.node_ids)))
        assert longer.place_of(path.node_ids[10]) == (10 if at != path.node_ids[9] else None)

    assert path.places == known
