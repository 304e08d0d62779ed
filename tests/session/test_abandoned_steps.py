"""What was undone before something else was done is read and brought back, as one step of undo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.errors import StaleChange
from loomapp.core.model.change import Change, RowChange
from loomapp.session.document import Document
from loomapp.session.restored import bring_step_back
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id
from tests.kit.groves import MODEL, agree, generated
from tests.kit.trees import Hand


def write(document: Document, *texts: str) -> str:
    """Write messages one below the other; the id of the last."""
    for text in texts:
        document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))
    return document.current_id


def let_all(_: Change) -> None:
    """A guard that refuses nothing."""


def undo(document: Document, times: int = 1) -> None:
    """Take back the newest steps."""
    for _ in range(times):
        document.history.undo(let_all)


def abandoned(document: Document) -> list[int]:
    """The sequence numbers of the steps that cannot be redone any more, newest first."""
    return [step.sequence for step in document.history.steps().steps if step.state == "abandoned"]


def texts(document: Document) -> list[str]:
    """The texts on the path that is read."""
    return [document.tree.nodes[i].text for i in document.path_ids[1:]]


def is_sound(document: Document) -> bool:
    """Whether the file holds what memory does, and verifies."""
    return agree(document.grove, document.tree) and not verify_grove(document.grove).failed


def test_a_message_that_was_undone_before_another_is_read_and_comes_back_beside_it(
    document: Document,
) -> None:
    write(document, "one", "two\u00a0and more")
    undo(document)
    write(document, "another")
    [step] = abandoned(document)

    assert document.history.logged_step(step).texts() == ("two\u00a0and more",)
    bring_step_back(document, step)

    assert texts(document) == ["one", "two\u00a0and more"]
    assert len(document.tree.nodes) == 4  # the root, one, two and another
    assert document.history.logged_step(step).is_in(document.tree)
    assert is_sound(document)

    undo(document)
    assert texts(document) == ["one", "another"]
    document.history.redo()
    assert texts(document) == ["one", "two\u00a0and more"]
    assert is_sound(document)


def test_answers_come_back_with_the_message_that_they_answer(document: Document) -> None:
    document.agents.put(MODEL)
    write(document, "one", "a question")
    change = generated(document.tree, document.current_id, ["Yes.", "No."], Hand())
    document.commit(change, keeps_current=True)
    undo(document, 2)
    write(document, "another")
    answers, _ = abandoned(document)

    step = document.history.logged_step(answers)
    assert step.texts() == ("Yes.", "No.")
    bring_step_back(document, answers)

    question = next(i for i, node in document.tree.nodes.items() if node.text == "a question")
    children = document.tree.children(question)
    assert [document.tree.nodes[i].text for i in children] == ["Yes.", "No."]
    assert texts(document) == ["one", "a question", "Yes."]
    assert is_sound(document)


def test_answers_before_which_another_came_come_back_with_the_last_of_the_edges_that_led_to_them(
    document: Document,
) -> None:
    write(document, "a question")
    question = document.current_id
    write(document, "Later.")
    behind = document.tree.incoming(document.current_id)[0]
    sooner = node_edits.add_node(document.tree, question, "Sooner.", document.pen())
    again = RowChange(behind, None), RowChange(None, replace(behind, id=new_id()))
    document.commit(replace(sooner, rows=(*sooner.rows, *again)))
    undo(document, 2)
    write(document, "another")

    bring_step_back(document, abandoned(document)[1])

    assert texts(document)[:2] == ["a question", "Later."]
    assert is_sound(document)


def test_where_its_place_was_pruned_it_hangs_on_the_nearest_living_node(document: Document) -> None:
    first = write(document, "one")
    second = write(document, "two")
    write(document, "three")
    undo(document)
    document.commit(node_marks.prune(document.tree, second, document.pen()))
    [step] = abandoned(document)

    bring_step_back(document, step)

    assert document.tree.nodes[second].metadata.pruned
    assert texts(document) == ["one", "three"]
    assert document.tree.nodes[document.path_ids[1]].id == first
    assert is_sound(document)
    undo(document)
    assert texts(document) == ["one"]
    assert is_sound(document)


def test_a_version_of_a_passage_comes_back_as_a_version_with_what_follows(
    tmp_path: Path, qtbot: QtBot
) -> None:
    with create_grove(tmp_path / "b.loom") as grove:
        document = Document(grove)
        document.new_tree("buffer")
        first = write(document, "It was night. ")
        write(document, "The end.")
        document.commit(node_edits.edit_as_version(document.tree, first, "It was day. ", document.pen()))
        undo(document)
        document.commit(node_edits.edit_as_version(document.tree, first, "It was dusk. ", document.pen()))
        assert texts(document) == ["It was dusk. ", "The end."]
        [step] = abandoned(document)

        bring_step_back(document, step)

        assert texts(document) == ["It was day. ", "The end."]
        assert is_sound(document)
        undo(document)
        assert texts(document) == ["It was dusk. ", "The end."]
        assert is_sound(document)


def test_a_note_and_a_loose_source_come_back_and_the_path_stays(document: Document) -> None:
    first = write(document, "one")
    document.commit(node_edits.annotate(document.tree, first, "a thought", document.pen()))
    undo(document)
    write(document, "two")
    [step] = abandoned(document)

    bring_step_back(document, step)

    assert [document.tree.nodes[i].text for i in document.tree.notes(first)] == ["a thought"]
    assert texts(document) == ["one", "two"]
    assert is_sound(document)


def test_a_title_that_followed_other_words_is_none_that_a_step_wrote(document: Document) -> None:
    first = write(document, "one")
    document.commit(node_edits.edit_as_sibling(document.tree, first, "two", document.pen()))
    document.commit(node_marks.prune(document.tree, document.current_id, document.pen()))
    assert document.tree.loom.title == "one"
    undo(document)
    write(document, "three")
    [step] = abandoned(document)

    assert document.history.logged_step(step).texts() == ()


def test_settings_that_were_undone_can_be_read_and_bring_nothing_back(document: Document) -> None:
    document.trees.save_loom(replace(document.tree.loom, system_context="You are a gardener."))
    undo(document)
    write(document, "one")
    [step] = abandoned(document)

    read = document.history.logged_step(step)

    assert read.texts() == ("You are a gardener.",)
    assert read.is_in(document.tree)


def test_a_step_of_another_tree_is_none_of_this_one(document: Document) -> None:
    write(document, "one")
    here = document.history.steps().present
    document.new_tree("dialogue")

    with pytest.raises(StaleChange, match="no longer in the history"):
        document.history.logged_step(here)
