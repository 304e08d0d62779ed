"""Naming a branch and writing its summary: one Change each, which undo takes back with its counters."""

from __future__ import annotations

from loomapp.core.economy.branch_summaries import (
    ProposedSummary,
    accept_summary,
    chain_of,
    head_row,
    name_branch,
    read_branch,
    update_summary,
)
from loomapp.core.edits import node_edits
from loomapp.core.edits.tree_edits import new_tree
from loomapp.core.model.change import Change, apply, is_known
from loomapp.core.model.entities import BranchSummary
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from tests.kit.trees import Hand, do


def made(tree: Tree, change: Change | None) -> Change:
    assert change is not None
    assert is_known(change.label)
    apply(tree, change)
    return change


def test_an_update_counts_what_was_submitted_and_undo_takes_the_counters_back() -> None:
    hand = Hand()
    tree = new_tree("dialogue", "Talk", hand.pen(), text="Hello")
    root = tree.root_id
    made(tree, update_summary(tree, root, " one ", hand.pen()))
    before = tree.branch_summaries[root]

    change = made(tree, update_summary(tree, root, "three", hand.pen()))

    now = read_branch(tree.branch_summaries[root])
    assert (now.update_count, now.first_length, now.current_length, now.cumulative_length) == (2, 5, 5, 10)
    assert (now.last_updated_at or "").endswith("Z")
    assert update_summary(tree, root, "three", hand.pen()) is None
    apply(tree, change.inverse())
    assert tree.branch_summaries[root] == before


def test_a_proposal_is_taken_with_its_response_as_one_update() -> None:
    hand = Hand()
    tree = new_tree("dialogue", "Talk", hand.pen(), text="Hello")
    made(tree, update_summary(tree, tree.root_id, "one", hand.pen()))
    response = Evidence("r", "local", "{}", b"")
    proposed = ProposedSummary("It says hello.", "local:m", response)

    change = made(tree, accept_summary(tree, tree.root_id, proposed, hand.pen()))

    row = tree.branch_summaries[tree.root_id]
    now = read_branch(row)
    assert (now.text, now.origin, now.model, row.response_id) == (
        "It says hello.",
        "generated",
        "local:m",
        "r",
    )
    assert (now.update_count, now.cumulative_length, change.evidence) == (2, 17, (response,))
    assert accept_summary(tree, tree.root_id, proposed, hand.pen()) is None
    made(tree, update_summary(tree, tree.root_id, "By hand.", hand.pen()))
    row = tree.branch_summaries[tree.root_id]
    assert (read_branch(row).origin, read_branch(row).model, row.response_id) == ("manual", None, None)


def test_a_title_is_no_update_and_a_head_without_title_and_summary_is_none() -> None:
    hand = Hand()
    tree = new_tree("dialogue", "Talk", hand.pen(), text="Hello")
    root = tree.root_id
    made(tree, name_branch(tree, root, "  Auth \n system ", hand.pen()))
    named = read_branch(tree.branch_summaries[root])
    assert (named.title, named.update_count) == ("Auth system", 0)
    assert name_branch(tree, root, "Auth system", hand.pen()) is None

    made(tree, name_branch(tree, root, "", hand.pen()))
    assert head_row(tree, root) is None
    made(tree, update_summary(tree, root, "Said.", hand.pen()))
    made(tree, name_branch(tree, root, "Auth", hand.pen()))
    made(tree, name_branch(tree, root, " ", hand.pen()))

    kept = read_branch(tree.branch_summaries[root])
    assert (kept.title, kept.text) == (None, "Said.")


def test_in_a_buffer_a_row_stands_for_all_versions_of_its_node() -> None:
    hand = Hand()
    tree = new_tree("buffer", "Story", hand.pen())
    first = do(tree, node_edits.add_node(tree, tree.root_id, "Once ", hand.pen())).added_nodes()[0].id
    made(tree, update_summary(tree, first, "It begins.", hand.pen()))
    version = do(tree, node_edits.edit_as_version(tree, first, "Twice ", hand.pen())).added_nodes()[0].id

    made(tree, update_summary(tree, version, "It begins twice.", hand.pen()))

    assert list(tree.branch_summaries) == [first]
    assert read_branch(tree.branch_summaries[first]).text == "It begins twice."


def test_of_several_rows_for_one_passage_the_one_that_the_chain_reads_is_written() -> None:
    hand = Hand()
    tree = new_tree("buffer", "Story", hand.pen())
    first = do(tree, node_edits.add_node(tree, tree.root_id, "Once ", hand.pen())).added_nodes()[0].id
    second = do(tree, node_edits.edit_as_version(tree, first, "Twice ", hand.pen())).added_nodes()[0].id
    third = do(tree, node_edits.edit_as_version(tree, second, "Thrice ", hand.pen())).added_nodes()[0].id
    for node_id in (second, first):
        tree.branch_summaries[node_id] = BranchSummary(node_id, {"text": f"Of {node_id}."})

    made(tree, update_summary(tree, third, "It begins.", hand.pen()))

    assert chain_of(tree, resolve(tree, third)).heads[-1].summary == "It begins."
