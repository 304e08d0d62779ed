"""Branches that move, and edits of several nodes: one Change each, taken back by its inverse."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.edits import branches, node_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.entities import ActivePath, EdgeSource, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import circle_in
from loomapp.core.paths.resolve import resolve
from tests.kit.graph_trees import ancestors, buffer_tree, grown_tree, rich_tree
from tests.kit.tree_queries import asked_of_trees

IDS = (f"id{i}" for i in itertools.count())


def pen() -> EditContext:
    return EditContext("you", 10**9, lambda: next(IDS))


def done(tree: Tree, change: Change | None) -> Change:
    assert change is not None
    apply(tree, change)
    return change


def test_a_moved_branch_hangs_elsewhere_with_all_below_it_and_with_its_sources() -> None:
    tree = rich_tree()
    hashes = {node.id: node.parent_hashes for node in tree.nodes.values()}

    change = done(tree, branches.reparent(tree, "logbook", "keeper", pen()))

    assert "logbook" in tree.children("keeper")
    assert "logbook" not in tree.children("style")
    assert tree.children("logbook") == ("father2", "edited")
    assert tree.incoming("logbook")[0].with_role("context") == ("image",)
    assert {node.id: node.parent_hashes for node in tree.nodes.values()} == hashes
    assert change.label == "Move branch"
    apply(tree, change.inverse())
    assert "logbook" in tree.children("style")


def test_a_note_moves_to_another_node() -> None:
    tree = rich_tree()

    done(tree, branches.reparent(tree, "tides", "once", pen()))

    assert tree.notes("once") == ("tides",)
    assert tree.notes("logbook") == ()


def test_versions_move_together() -> None:
    tree = buffer_tree()

    done(tree, branches.reparent(tree, "v2", "other", pen()))

    assert set(tree.children("other")) == {"v1", "v2", "v3"}


@pytest.mark.parametrize(
    ("node_id", "parent_id"), [("style", "logbook"), ("style", "style"), ("root", "once")]
)
def test_a_circle_and_a_root_are_refused_in_one_line(node_id: str, parent_id: str) -> None:
    tree = rich_tree()

    with pytest.raises(InvalidInput) as refused:
        branches.reparent(tree, node_id, parent_id, pen())

    assert "\n" not in refused.value.message
    assert node_id in refused.value.message


def test_where_it_hangs_already_nothing_is_to_do() -> None:
    assert branches.reparent(rich_tree(), "logbook", "style", pen()) is None


@pytest.mark.parametrize("tree", [rich_tree(), buffer_tree()])
def test_a_branch_cannot_hang_on_itself_whatever_leads_there(tree: Tree) -> None:
    for node_id, parent_id in itertools.product(tree.nodes, tree.nodes):
        versions = {node_id}  # they move together where they hang on the same
        if tree.loom.mode == "buffer" and branches.parents(tree, node_id):
            beside = tree.children(branches.parents(tree, node_id)[0])
            versions |= {i for i in beside if tree.family(i) == tree.family(node_id)}
        is_below = any(parent_id in tree.descendants(version) for version in versions)
        try:
            change = branches.reparent(tree, node_id, parent_id, pen())
        except InvalidInput:
            assert is_below or not branches.parents(tree, node_id)
            continue
        assert not is_below
        if change is not None:
            apply(tree, change)
            assert circle_in(tree) == ()
            apply(tree, change.inverse())


def test_a_circle_is_found_whatever_the_order_of_the_nodes() -> None:
    tree = grown_tree(60)
    assert circle_in(tree) == ()
    moved = (
        done(tree, branches.reparent(tree, "n3", "n59", pen()))
        if "n59" not in tree.descendants("n3")
        else None
    )
    assert moved is None or circle_in(tree) == ()
    [edge] = tree.incoming("n1")
    below = next(i for i in tree.descendants("n1") if i != "n1")
    round_about = replace(edge, sources=(EdgeSource(below),))

    apply(tree, Change(tree.loom.id, "Move branch", 1, (RowChange(edge, round_about),)))

    assert {"n1", below} <= set(circle_in(tree))


@given(st.integers(0, 59), st.integers(0, 59))
def test_a_move_never_loses_a_node_and_is_taken_back(node: int, parent: int) -> None:
    tree = grown_tree(60)
    before = {node_id: tree.children(node_id) for node_id in tree.nodes}
    try:
        change = branches.reparent(tree, f"n{node}", f"n{parent}", pen())
    except InvalidInput:
        assert node == 0 or f"n{parent}" in tree.descendants(f"n{node}")
        return
    if change is None:
        assert f"n{node}" in tree.children(f"n{parent}")
        return

    apply(tree, change)

    assert sorted(tree.descendants("n0")) == sorted(tree.nodes)
    assert ancestors(tree, f"n{node}")[-2] == f"n{parent}"
    apply(tree, change.inverse())
    assert {node_id: tree.children(node_id) for node_id in tree.nodes} == before


def test_several_messages_are_excluded_as_one_step_and_included_again() -> None:
    tree = rich_tree()

    out = done(tree, branches.exclude_all(tree, ["father", "once", "keeper"], pen()))
    again = done(tree, branches.exclude_all(tree, ["father", "once", "keeper"], pen()))

    assert (out.label, again.label) == ("Exclude 3 messages", "Include 3 messages")
    assert not any(tree.nodes[node_id].metadata.excluded for node_id in ("father", "once", "keeper"))


def test_several_messages_are_bookmarked_and_their_labels_are_kept() -> None:
    tree = rich_tree()

    some = done(tree, branches.bookmark_all(tree, ["weather", "once", "keeper"], pen()))
    none = done(tree, branches.bookmark_all(tree, ["weather", "once", "keeper"], pen()))

    assert (some.label, none.label) == ("Bookmark 2 messages", "Unmark 3 messages")
    assert not any(node.metadata.bookmarked for node in tree.nodes.values())


def test_several_branches_are_pruned_once_each_and_the_path_ends_on_what_lives() -> None:
    tree = rich_tree()
    tree.path = ActivePath("father2")

    change = done(tree, branches.prune_all(tree, ["logbook", "style", "keeper", "root"], pen()))

    touched = [row.row.key for row in change.rows if isinstance(row.row, Node)]
    assert len(touched) == len(set(touched))
    assert change.label == f"Prune {len(touched)} messages"
    assert {"style", "logbook", "father2", "keeper", "once"} <= set(touched)
    assert not tree.nodes["root"].metadata.pruned
    assert tree.path.leaf_id == "pasted"


def test_several_branches_are_restored_as_one_step_with_what_is_below_them() -> None:
    tree = rich_tree()
    done(tree, branches.prune_all(tree, ["logbook", "keeper"], pen()))

    change = done(tree, branches.restore_all(tree, ["logbook", "keeper", "father"], pen()))

    touched = {row.row.key for row in change.rows}
    assert touched == {"logbook", "father2", "edited", "tides", "keeper", "once"} & touched
    assert change.label == f"Restore {len(touched)} messages"
    assert not any(tree.nodes[node_id].metadata.pruned for node_id in ("logbook", "father2", "once"))
    assert tree.nodes["colder"].metadata.pruned, "what was not asked for stays as it is"


def test_several_notes_are_sent_together_and_kept_back_together() -> None:
    tree = rich_tree()
    done(tree, node_edits.annotate(tree, "keeper", "Ask the crew.", pen()))
    notes = [node_id for host in ("logbook", "keeper") for node_id in tree.notes(host)]

    done(tree, branches.include_notes(tree, notes[:1], pen()))
    done(tree, branches.include_notes(tree, notes, pen()))
    assert tree.included_annotations.node_ids == tuple(notes)
    done(tree, branches.include_notes(tree, notes, pen()))

    assert tree.included_annotations.node_ids == ()
    assert branches.include_notes(tree, [], pen()) is None


def test_nothing_is_changed_by_nothing() -> None:
    assert branches.prune_all(rich_tree(), ["root"], pen()) is None


def test_a_branch_is_left_out_in_one_step_and_taken_back_in_by_the_same() -> None:
    tree = rich_tree()
    below = [i for i in tree.descendants("logbook") if i in tree.nodes]
    assert len(below) > 2
    before = {node.id: node.metadata for node in tree.nodes.values()}

    change = done(tree, branches.exclude_branches(tree, ["logbook", below[1]], pen()))

    assert {i for i, node in tree.nodes.items() if node.metadata.excluded} >= set(below)
    assert change.label == f"Exclude {len(change.rows)} messages"
    again = done(tree, branches.exclude_branches(tree, ["logbook"], pen()))
    assert again.label.startswith("Include")
    assert not any(tree.nodes[i].metadata.excluded for i in below)
    apply(tree, again.inverse())
    apply(tree, change.inverse())
    assert {node.id: node.metadata for node in tree.nodes.values()} == before


def test_what_is_below_several_of_a_branch_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = grown_tree(30)
    walked = asked_of_trees(monkeypatch, "children")

    done(tree, branches.exclude_branches(tree, list(tree.nodes), pen()))

    assert sorted(walked) == sorted(tree.nodes)


def test_several_branches_move_in_one_step_and_what_is_below_one_of_them_goes_along() -> None:
    tree = rich_tree()
    with pytest.raises(InvalidInput):
        branches.reparent_all(tree, ["boat", "pasted"], "keeper", pen())

    change = done(tree, branches.reparent_all(tree, ["once", "keeper", "boat"], "weather", pen()))

    assert change.label == "Move 2 branches"
    assert set(tree.children("weather")) >= {"keeper", "boat"}
    assert tree.children("keeper") == ("once",)
    apply(tree, change.inverse())
    assert set(tree.children("pasted")) >= {"keeper", "boat"}


def test_a_moved_node_is_read_after_what_it_hangs_on_now_whatever_was_chosen_before() -> None:
    tree = buffer_tree()
    tree.path = ActivePath("two", {"two": "v1", "elsewhere": "v2"})

    change = done(tree, branches.reparent(tree, "two", "other", pen()))

    assert resolve(tree, tree.path.leaf_id).node_ids == ("root", "one", "other", "two")
    assert tree.path.selections == {"elsewhere": "v2"}
    apply(tree, change.inverse())
    assert resolve(tree, tree.path.leaf_id).node_ids == ("root", "one", "v1", "two")


def test_of_several_that_are_moved_no_choice_leads_nowhere() -> None:
    tree = buffer_tree()
    tree.path = ActivePath("two", {"two": "v1"})

    done(tree, branches.reparent_all(tree, ["two", "v3"], "other", pen()))

    assert resolve(tree, tree.path.leaf_id).node_ids == ("root", "one", "other", "two")
