"""Many steps that are undone or redone in one transaction come to what they come to one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.agent_memory import Memory, memory_of, remember_actions, stash
from loomapp.core.edits.node_edits import sum_up_node, sum_up_tree
from loomapp.core.edits.tree_edits import new_tree, with_title
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import DECIDED
from loomapp.core.model.tree import Tree
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove
from loomapp.store.queries.steps import read_steps
from tests.kit.groves import MODEL, agree, everything, generated, planted, redo_step, undo_step
from tests.kit.trees import Hand

STEPS = 40
MANY = 1000


def always() -> bool:
    return True


def let_all(_: Change) -> None:
    """A guard that refuses nothing."""


def anything(grove: Grove, tree: Tree, hand: Hand, chance: random.Random, number: int) -> Change | None:
    """Something that is done to any node."""
    i, pen = chance.choice(list(tree.nodes)), hand.pen(grove.owner.id)
    makers: list[Callable[[], Change | None]] = [
        lambda: node_edits.add_node(tree, i, f"text {number}", pen),
        lambda: generated(tree, i, [f"one {number}", f"two {number}"], hand),
        lambda: node_edits.annotate(tree, i, f"note {number}", pen),
        lambda: node_marks.exclude(tree, (i,), pen),
        lambda: None if i == tree.root_id else node_marks.prune(tree, i, pen),
        lambda: node_marks.bookmark(tree, i, f"mark {number}", pen),
        lambda: node_edits.choose_path(tree, i, pen),
    ]
    return chance.choice(makers)()


def lived_in(grove: Grove, seed: int = 7) -> tuple[Tree, Hand]:
    """A tree in which all kinds of things were done, and paths were chosen in between."""
    hand, chance = Hand(), random.Random(seed)
    tree, _ = planted(grove, hand)
    for number in range(STEPS):
        change = anything(grove, tree, hand, chance, number)
        if change is not None:
            grove.commit(tree, change)
    return tree, hand


def states(grove: Grove, tree: Tree) -> list[tuple[str, str]]:
    return [(step.label, step.state) for step in read_steps(grove, tree.loom.id).steps]


def untimed(tree: Tree) -> object:
    """All of a tree but when it was changed last."""
    loom = tree.loom
    tree.loom = replace(loom, updated_at=0)
    found = everything(tree)
    tree.loom = loom
    return found


@pytest.mark.parametrize("seed", [7, 8, 9])
def test_a_stretch_leads_where_single_steps_lead_there_and_back(path: Path, grove: Grove, seed: int) -> None:
    tree, _ = lived_in(grove, seed)
    length, whole = len(states(grove, tree)), untimed(tree)
    by_steps = [whole]
    while undo_step(grove, tree) is not None:
        by_steps.append(untimed(tree))
    while redo_step(grove, tree) is not None:
        pass
    assert untimed(tree) == whole

    counts = []
    while (stretch := grove.undo_steps(tree, 7, always, let_all)) is not None:
        counts.append(stretch.count)
        assert untimed(tree) == by_steps[sum(counts)]
        assert agree(grove, tree)
    assert sum(counts) == length
    with open_grove(path) as other:
        theirs = other.load_tree(tree.loom.id)
        while (again := grove.redo_steps(tree, 11, always)) is not None:
            assert again.count <= 11
            other.catch_up(theirs)
            assert everything(theirs) == everything(tree)

    assert untimed(tree) == whole
    assert agree(grove, tree)
    assert {state for _, state in states(grove, tree)} == {"done"}
    assert {finding.verdict for finding in verify_tree(grove, tree.loom.id)} == {"ok"}


def test_what_a_stretch_tells_is_what_it_moved(grove: Grove) -> None:
    tree, _ = lived_in(grove)
    before = dict(tree.nodes)

    stretch = grove.undo_steps(tree, MANY, always, let_all)

    assert stretch is not None
    told = stretch.change
    assert {node.id for node in told.removed_nodes()} == before.keys() - tree.nodes.keys()
    for row in told.rows:
        if row.row.key in before and row.row.key in tree.nodes:
            assert row.before == before[row.row.key]
            assert row.after == tree.nodes[row.row.key]
    assert (told.touches_path(), told.undoable) == (True, False)


def test_it_ends_where_it_is_told_to_and_goes_on_from_there(grove: Grove) -> None:
    tree, _ = lived_in(grove)
    asked = iter([True, True, False])

    stretch = grove.undo_steps(tree, MANY, lambda: next(asked), let_all)

    assert stretch is not None
    assert (stretch.count, stretch.refusal) == (3, None)
    assert [state for _, state in states(grove, tree)][:4] == ["undone"] * 3 + ["done"]
    assert agree(grove, tree)
    again = grove.redo_steps(tree, MANY, always)
    assert again is not None
    assert again.count == 3
    assert grove.redo_steps(tree, MANY, always) is None


def test_a_step_that_is_refused_ends_it_and_what_went_before_stays_undone(grove: Grove) -> None:
    tree, _ = lived_in(grove)
    asked: list[Change] = []

    def refuse_the_third(change: Change) -> None:
        asked.append(change)
        if len(asked) == 3:
            raise LoomError("Not now.")

    stretch = grove.undo_steps(tree, MANY, always, refuse_the_third)

    assert stretch is not None
    assert (stretch.count, str(stretch.refusal)) == (2, "Not now.")
    assert [state for _, state in states(grove, tree)][:3] == ["undone", "undone", "done"]
    assert agree(grove, tree)
    asked.clear()
    asked += stretch.change, stretch.change
    with pytest.raises(LoomError, match="Not now"):
        grove.undo_steps(tree, MANY, always, refuse_the_third)
    assert agree(grove, tree)


def test_where_the_file_does_not_take_it_memory_is_as_the_file_is(grove: Grove) -> None:
    tree, _ = lived_in(grove)
    listed, whole = states(grove, tree), untimed(tree)
    with grove.snapshot() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")

    def until_there_is_no_room() -> None:
        for _ in range(MANY):
            grove.undo_steps(tree, MANY, always, let_all)
            grove.redo_steps(tree, MANY, always)

    with pytest.raises(GroveError) as full:
        until_there_is_no_room()

    assert full.value.code == "full"
    assert agree(grove, tree)
    with grove.snapshot() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count=1000000")
    while grove.redo_steps(tree, MANY, always) is not None:
        pass
    assert (states(grove, tree), untimed(tree)) == (listed, whole)
    assert agree(grove, tree)


def test_kinds_are_kept_in_the_log_and_known_of_older_entries_by_their_labels(
    path: Path, grove: Grove
) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    leaf = ids[-1]
    grove.commit(tree, node_edits.add_node(tree, leaf, "a message", hand.pen(grove.owner.id)))
    called = replace(node_edits.add_node(tree, leaf, "another", hand.pen(grove.owner.id)), label="Écrire")
    grove.commit(tree, called)
    older = replace(node_edits.add_node(tree, leaf, "of before", hand.pen(grove.owner.id)), kind="")
    grove.commit(tree, older)
    grove.commit(tree, node_edits.annotate(tree, leaf, "a note", hand.pen(grove.owner.id)))

    kinds = []
    for _ in range(4):
        undone = undo_step(grove, tree)
        assert undone is not None
        kinds.append((undone.label, undone.kind))

    assert kinds == [
        ("Undo Note", ""),
        ("Undo Write", "write"),
        ("Undo Écrire", "write"),
        ("Undo Write", "write"),
    ]


def test_undo_past_what_was_noted_since_is_in_the_log_as_it_is_in_the_file(path: Path, grove: Grove) -> None:
    hand = Hand()
    tree = new_tree("dialogue", "Loom Tree 1", hand.pen(grove.owner.id))
    grove.add_tree(tree, [grove.owner, MODEL])
    first = with_title(tree, node_edits.add_node(tree, tree.root_id, "Why is it salt?", hand.pen()))
    grove.commit(tree, first)
    node_id = first.added_nodes()[0].id
    with open_grove(path) as other:
        followed = other.load_tree(tree.loom.id)
        for name in ("sea", "moon"):  # two steps of one action
            kept = stash(tree, MODEL.id, name, "words", hand.pen())
            assert kept is not None
            grove.commit(tree, replace(kept, action="run"))
            noted = remember_actions(tree, MODEL.id, [f"→ stash {name}"], hand.pen())
            assert noted is not None
            grove.commit(tree, replace(noted, undoable=False))
        for sum_up in (partial(sum_up_tree, tree, "On salt."), partial(sum_up_node, tree, node_id, "Salt?")):
            told = sum_up(hand.pen())
            assert told is not None
            grove.commit(tree, told)
        node = tree.nodes[node_id]
        decided = replace(node, metadata=replace(node.metadata, extra={DECIDED: {"0": "refused"}}))
        decision = Change(tree.loom.id, "Decide", 9, (RowChange(node, decided),), undoable=False)
        grove.commit(tree, decision)
        for move in (grove.undo, grove.undo, grove.redo, grove.redo, grove.undo, grove.undo):
            assert move(tree) is not None
            assert not verify_grove(grove).failed
            other.catch_up(followed)
            assert everything(followed) == everything(tree) == everything(grove.load_tree(tree.loom.id))
            assert tree.nodes.get(node_id, decided) == decided, "it comes back as it went"

    assert (tree.loom.title, tree.loom.summary) == ("Loom Tree 1", "On salt.")
    assert memory_of(tree, MODEL.id) == Memory(recent=("→ stash sea", "→ stash moon"))
    assert node_id not in tree.nodes
