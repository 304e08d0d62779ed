"""The steps of a tree are read in pages, newest first; points have names that stay.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.undo import BEGINNING
from loomapp.core.model.tree import Tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.steps import distance, name_point, read_step, read_steps
from tests.kit.groves import generated, planted
from tests.kit.trees import Hand


def write(grove: Grove, tree: Tree, text: str, hand: Hand) -> int:
    """Commit a message at the end of the path; the number of the step."""
    grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, text, hand.pen(grove.owner.id)))
    return grove.sequence()


def test_steps_come_newest_first_and_say_whether_they_hold(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=4)
        grove.undo(tree)
        grove.undo(tree)
        bookmarked = node_marks.bookmark(tree, ids[0], None, hand.pen(grove.owner.id))
        assert bookmarked is not None
        grove.commit(tree, bookmarked)
        grove.undo(tree)

        page = read_steps(grove, tree.loom.id)

    said = [(step.label, step.by, step.state) for step in page.steps]
    assert said == [
        ("Bookmark", "you", "undone"),
        ("Write", "you", "abandoned"),
        ("Write", "you", "abandoned"),
        ("Write", "you", "done"),
        ("Write", "you", "done"),
    ]
    assert page.steps[0].at == bookmarked.at
    assert page.present == page.steps[3].sequence
    assert not page.has_older


@pytest.mark.slow
def test_a_step_tells_how_the_text_begins_that_it_is_about_also_when_undone(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=0)
        write(grove, tree, "Dear\n  Marie, " + "the lamp " * 40, hand)
        write(grove, tree, "", hand)
        grove.commit(tree, generated(tree, tree.path.leaf_id, ["Father", "Mother"], hand))
        titled = tree_edits.change_loom(tree, "Rename", hand.pen(), replace(tree.loom, title="Other"))
        assert titled is not None
        grove.commit(tree, titled)
        for _ in range(4):
            grove.undo(tree)

        steps = read_steps(grove, tree.loom.id).steps

    assert ids == []
    assert [step.about[:20] for step in steps] == ["", "Father", "", "Dear Marie, the lamp"]
    assert len(steps[-1].about) <= 120


@pytest.mark.slow
def test_a_step_tells_how_the_text_begins_also_where_very_many_versions_were_chosen_before(
    path: Path,
) -> None:
    with create_grove(path) as grove:
        tree, ids = planted(grove, Hand(), length=500, mode="buffer")
        for number, node_id in enumerate(ids):
            pen = EditContext(grove.owner.id, now(), new_id)
            edited = node_edits.edit_as_version(tree, node_id, f"Better {number}", pen)
            assert edited is not None
            grove.commit(tree, edited)

        (step,) = read_steps(grove, tree.loom.id, count=1).steps

    assert (step.label, step.about) == ("Edit", "Better 499")


def test_a_step_that_touches_very_many_nodes_is_about_none_of_them(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=400)
        pruned = node_marks.prune(tree, ids[0], hand.pen())
        assert pruned is not None
        grove.commit(tree, pruned)

        (step,) = read_steps(grove, tree.loom.id, count=1).steps

    assert (step.label, step.about) == ("Prune 400 nodes", "")


def test_choosing_a_path_and_undoing_are_no_steps(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=2)
        chosen = node_edits.choose_path(tree, ids[0], hand.pen())
        assert chosen is not None
        grove.commit(tree, chosen)
        grove.undo(tree)
        grove.redo(tree)

        assert len(read_steps(grove, tree.loom.id).steps) == 2


def test_pages_follow_each_other_without_a_gap(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, _ = planted(grove, hand, length=7)
        whole = read_steps(grove, tree.loom.id).steps

        first = read_steps(grove, tree.loom.id, count=3)
        second = read_steps(grove, tree.loom.id, before=first.steps[-1].sequence, count=3)
        third = read_steps(grove, tree.loom.id, before=second.steps[-1].sequence, count=3)

    assert (*first.steps, *second.steps, *third.steps) == whole
    assert (first.has_older, second.has_older, third.has_older) == (True, True, False)
    assert first.present == second.present == whole[0].sequence


def test_a_tree_without_steps_stands_at_its_beginning(path: Path) -> None:
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand(), length=0)

        page = read_steps(grove, tree.loom.id)

    assert (page.steps, page.present, page.has_older) == ((), BEGINNING, False)


def test_steps_of_another_tree_are_not_among_them(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, _ = planted(grove, hand, length=1)
        other, _ = planted(grove, hand, length=2)
        (step,) = read_steps(grove, tree.loom.id).steps

        assert read_step(grove, tree.loom.id, step.sequence) == step
        assert read_step(grove, other.loom.id, step.sequence) is None
        assert distance(grove, tree.loom.id, BEGINNING) == 1


def test_the_distance_is_in_steps_of_undo_or_redo(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, _ = planted(grove, hand, length=1)
        first = read_steps(grove, tree.loom.id).present
        second, third = (write(grove, tree, text, hand) for text in ("two", "three"))

        assert distance(grove, tree.loom.id, first) == 2
        assert distance(grove, tree.loom.id, third) == 0
        grove.undo(tree)
        grove.undo(tree)
        assert distance(grove, tree.loom.id, third) == -2
        assert distance(grove, tree.loom.id, second) == -1
        assert distance(grove, tree.loom.id, BEGINNING) == 1


def test_a_name_survives_a_restart_undo_and_redo_and_is_no_step(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, _ = planted(grove, hand, length=2)
        point = read_steps(grove, tree.loom.id).present
        write(grove, tree, "more", hand)
        grove.undo(tree)
        name_point(grove, tree.loom.id, point, "  Before the storm ")
        name_point(grove, tree.loom.id, BEGINNING, "Blank page")
        assert grove.redo_label(tree.loom.id) == "Write", "naming gives nothing up"

    with open_grove(path) as grove:
        grove.undo(grove.load_tree(tree.loom.id))
        page = read_steps(grove, tree.loom.id)

    assert [step.name for step in page.steps] == [None, "Before the storm", None]
    assert page.beginning_name == "Blank page"


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_a_blank_name_takes_the_name_away(path: Path, blank: str) -> None:
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand(), length=1)
        point = read_steps(grove, tree.loom.id).present
        name_point(grove, tree.loom.id, point, "A name")

        name_point(grove, tree.loom.id, point, blank)

        assert read_steps(grove, tree.loom.id).steps[0].name is None


def test_names_belong_to_one_tree(path: Path) -> None:
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand(), length=1)
        other, _ = planted(grove, Hand(), length=1)

        name_point(grove, tree.loom.id, BEGINNING, "Mine")

        assert read_steps(grove, other.loom.id).beginning_name is None
