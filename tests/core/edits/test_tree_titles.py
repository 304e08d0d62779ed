"""A tree that nobody named is called by its first words, in the step that moves these; so undo fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.edits.tree_edits import with_settings_of_today, with_title, with_title_of_today
from loomapp.core.model.change import Change, apply
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from loomapp.core.prose.fill_in import open_gap
from loomapp.core.prose.passage_edits import split
from tests.kit.trees import Hand, do, snapshot


def begun(title: str = "Loom Tree 1", *, text: str = "") -> tuple[Tree, Hand]:
    hand = Hand()
    return tree_edits.new_tree("buffer" if text else "dialogue", title, hand.pen(), text=text), hand


def step(tree: Tree, change: Change | None) -> Change:
    assert change is not None
    return do(tree, with_title(tree, change))


def write(tree: Tree, hand: Hand, text: str) -> str:
    change = step(tree, node_edits.add_node(tree, tree.path.leaf_id, text, hand.pen()))
    return change.added_nodes()[0].id


def edited(tree: Tree, hand: Hand, node_id: str, text: str) -> str:
    return step(tree, node_edits.edit_as_sibling(tree, node_id, text, hand.pen())).added_nodes()[0].id


def test_a_tree_is_called_by_its_first_message_until_it_is_named() -> None:
    tree, hand = begun()
    first = write(tree, hand, "The keeper counts the oil of the lamp.")
    assert tree.loom.title == "The keeper counts the oil of…"
    write(tree, hand, "And then?")
    before = snapshot(tree)

    edit = step(tree, node_edits.edit_as_sibling(tree, first, "The keeper sleeps.", hand.pen()))
    assert tree.loom.title == "The keeper sleeps."
    apply(tree, edit.inverse())
    assert snapshot(tree) == before
    apply(tree, edit)
    step(tree, node_marks.prune(tree, edit.added_nodes()[0].id, hand.pen()))
    assert tree.loom.title == "The keeper counts the oil of…"
    older, _ = (edited(tree, hand, first, text) for text in ("She sleeps.", "She wakes."))
    newest = edited(tree, hand, older, "She sings.")
    assert tree.loom.title == "She sings."
    step(tree, node_marks.prune(tree, older, hand.pen()))
    assert tree.loom.title == "She sings.", "what it was made of need not live"
    step(tree, node_marks.prune(tree, newest, hand.pen()))
    assert tree.loom.title == "She wakes."

    do(tree, tree_edits.change_loom(tree, "Rename", hand.pen(), replace(tree.loom, title="Night watch")))
    step(tree, node_edits.edit_as_sibling(tree, first, "Nobody sleeps.", hand.pen()))
    assert tree.loom.title == "Night watch"


def test_a_buffer_is_called_by_the_newest_version_of_its_root() -> None:
    tree, hand = begun("It was night.", text="It was night.")
    step(tree, node_edits.edit_as_version(tree, tree.root_id, "It was day.", hand.pen()))

    assert tree.loom.title == "It was day."


@pytest.mark.parametrize("title", ["Night watch", "Loom Tree", "It was day."])
def test_a_name_stays(title: str) -> None:
    tree, hand = begun(title)
    write(tree, hand, "The keeper counts.")

    assert tree.loom.title == title


def test_a_title_without_words_and_what_is_no_step_change_no_name() -> None:
    tree, hand = begun()
    change = node_edits.add_node(tree, tree.root_id, "The keeper counts.", hand.pen())

    assert with_title(tree, replace(change, undoable=False)).rows == change.rows
    write(tree, hand, " \n")
    assert tree.loom.title == "Loom Tree 1"


def test_a_step_made_while_another_program_named_the_tree_keeps_that_name() -> None:
    tree, hand = begun()
    change = with_title(tree, node_edits.add_node(tree, tree.root_id, "The keeper counts.", hand.pen()))
    named = replace(tree.loom, title="Night watch", system_context="Be brief.")
    rename = tree_edits.change_loom(tree, "Rename", hand.pen(), named)
    do(tree, rename)

    do(tree, with_title_of_today(tree, change))

    assert [node.text for node in tree.nodes.values()] == ["", "The keeper counts."]
    assert (tree.loom.title, tree.loom.system_context) == ("Night watch", "Be brief.")
    assert rename is not None
    assert with_title_of_today(tree, rename) is rename  # that it is refused is told


def test_words_that_come_behind_another_programs_first_ones_name_nothing() -> None:
    tree, hand = begun()
    change = with_title(tree, node_edits.add_node(tree, tree.root_id, "Ours.", hand.pen()))
    do(tree, node_edits.add_node(tree, tree.root_id, "Theirs.", hand.pen()))

    do(tree, with_title_of_today(tree, change))

    assert tree.loom.title == "Loom Tree 1"


def test_words_that_are_the_first_once_another_program_took_back_those_before_them_name_the_tree() -> None:
    tree, hand = begun()
    first = do(tree, with_title(tree, node_edits.add_node(tree, tree.root_id, "Before.", hand.pen())))
    change = with_title(tree, node_edits.add_node(tree, tree.root_id, "Ours.", hand.pen()))
    do(tree, first.inverse())

    do(tree, with_title_of_today(tree, change))

    assert tree.loom.title == "Ours."


def test_what_comes_back_after_it_was_undone_changes_no_title() -> None:
    tree, hand = begun()
    change = node_edits.add_node(tree, tree.root_id, "The keeper counts.", hand.pen())
    do(tree, change)
    do(tree, change.inverse())
    add = node_edits.add_node(tree, tree.root_id, "Nobody counts.", hand.pen())
    step(tree, add)

    back = replace(change, rows=tuple(row for row in change.rows if not isinstance(row.row, ActivePath)))
    step(tree, back)

    assert tree.loom.title == "Nobody counts."


@pytest.mark.parametrize(
    ("title", "context", "shown"),
    [("Loom Tree 1", "Be brief.", "The keeper counts."), ("Night watch", None, "Night watch")],
)
def test_settings_and_names_fit_a_tree_that_was_called_by_its_first_words_meanwhile(
    title: str, context: str | None, shown: str
) -> None:
    tree, hand = begun()
    wanted = replace(tree.loom, title=title, system_context=context)
    change = tree_edits.change_loom(tree, "Change", hand.pen(), wanted)
    assert change is not None
    write(tree, hand, "The keeper counts.")
    before = snapshot(tree)

    made = do(tree, with_settings_of_today(tree, change))
    assert (tree.loom.title, tree.loom.system_context) == (shown, context)
    apply(tree, made.inverse())
    assert snapshot(tree) == before
    do(tree, tree_edits.change_loom(tree, "Other", hand.pen(), replace(tree.loom, description="A story.")))
    assert with_settings_of_today(tree, change) is change  # that it is refused is told


def test_a_tree_keeps_its_first_words_where_its_first_passage_is_split() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("buffer", "Loom Tree 1", hand.pen())
    first = write(tree, hand, "The ferry had not run. Nobody took the timetable down.")

    halves = step(tree, split(tree, (tree.root_id, first), first, 22, hand.pen())).added_nodes()
    assert [node.text for node in halves] == ["The ferry had not run.", " Nobody took the timetable down."]
    assert tree.loom.title == "The ferry had not run."
    edited(tree, hand, halves[1].id, "Somebody did.")
    assert tree.loom.title == "The ferry had not run."
    edited(tree, hand, halves[0].id, "The ferry ran.")
    assert tree.loom.title == "The ferry ran."


def test_a_tree_keeps_its_first_words_where_its_first_passage_is_filled_in() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("buffer", "Loom Tree 1", hand.pen())
    first = write(tree, hand, "The ferry had not run. Nobody took the timetable down.")

    gap = open_gap(tree, (tree.root_id, first), 1, 22, hand.pen())
    assert gap is not None
    step(tree, gap.change)

    assert tree.loom.title == "The ferry had not run."
