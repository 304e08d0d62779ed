"""What came of one action in several changes is one step to whoever undoes it, and several to the log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits
from loomapp.core.errors import LoomError
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove
from loomapp.store.queries.steps import read_steps
from tests.kit.groves import agree, everything, generated, planted, redo_step, undo_step
from tests.kit.trees import Hand

ASKED_ONCE = "one click on Generate"


def answered(tree: Tree, parent_id: str, texts: list[str], hand: Hand) -> Change:
    """What one of several models answers."""
    return replace(generated(tree, parent_id, texts, hand), action=ASKED_ONCE)


def test_what_came_of_one_action_is_taken_back_and_brought_again_together(path: Path, grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    before = everything(tree)
    grove.commit(tree, answered(tree, ids[-1], ["one", "two"], hand))
    grove.commit(tree, answered(tree, ids[-1], ["three"], hand))
    after = everything(tree)
    tree_id = tree.loom.id

    undone = grove.undo(tree)

    assert undone is not None
    assert {node.text for node in undone.removed_nodes()} == {"one", "two", "three"}
    assert everything(tree) == before
    assert agree(grove, tree)
    assert grove.undo_label(tree_id) == "Write"
    with open_grove(path) as again:
        assert again.redo(again.load_tree(tree_id)) is not None
        assert again.redo_label(tree_id) is None
    grove.catch_up(tree)
    assert everything(tree) == after
    assert agree(grove, tree)
    assert {finding.verdict for finding in verify_tree(grove, tree_id)} == {"ok"}


def test_another_program_stands_at_a_node_that_is_there_after_each_entry(path: Path, grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    grove.commit(tree, answered(tree, ids[-1], ["one"], hand))
    grove.commit(tree, answered(tree, ids[-1], ["two"], hand))
    ends: list[bool] = []

    with open_grove(path) as other:
        theirs = other.load_tree(tree.loom.id)
        other.foreign = lambda _: ends.append(theirs.path.leaf_id in theirs.nodes)
        grove.undo(tree)
        other.catch_up(theirs)
        grove.redo(tree)
        other.catch_up(theirs)

        assert ends == [True] * 4
        assert everything(theirs) == everything(tree)


def test_what_was_done_in_between_parts_an_action(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    grove.commit(tree, answered(tree, ids[-1], ["one"], hand))
    grove.commit(tree, node_edits.annotate(tree, ids[0], "a note", hand.pen(grove.owner.id)))
    grove.commit(tree, answered(tree, ids[-1], ["two"], hand))

    gone = []
    for _ in range(3):
        undone = grove.undo(tree)
        assert undone is not None
        gone.append([node.text for node in undone.removed_nodes()])

    assert gone == [["two"], ["a note"], ["one"]]


def test_two_actions_after_each_other_are_two_steps(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    grove.commit(tree, answered(tree, ids[-1], ["one"], hand))
    grove.commit(tree, replace(generated(tree, ids[-1], ["two"], hand), action="another click"))

    grove.undo(tree)

    assert [tree.nodes[child].text for child in tree.children(ids[-1])] == ["one"]


def test_who_may_not_take_one_of_them_back_takes_none(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    first = answered(tree, ids[-1], ["one"], hand)
    grove.commit(tree, first)
    grove.commit(tree, answered(tree, ids[-1], ["two"], hand))
    before = everything(tree)

    def guard(change: Change) -> None:
        if first.added_nodes()[0].id in {node.id for node in change.removed_nodes()}:
            raise LoomError("An answer to this is being written.")

    with pytest.raises(LoomError):
        grove.undo(tree, guard=guard)

    assert everything(tree) == before
    assert agree(grove, tree)


def test_the_history_lists_each_and_goes_to_the_point_between_them(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    grove.commit(tree, answered(tree, ids[-1], ["one"], hand))
    grove.commit(tree, answered(tree, ids[-1], ["two"], hand))

    undo_step(grove, tree)
    states = [step.state for step in read_steps(grove, tree.loom.id).steps[:2]]
    texts = [tree.nodes[child].text for child in tree.children(ids[-1])]
    redo_step(grove, tree)

    assert states == ["undone", "done"]
    assert texts == ["one"]
    assert [tree.nodes[child].text for child in tree.children(ids[-1])] == ["one", "two"]
    assert redo_step(grove, tree) is None
