"""Going to a point of the history is as many undos or redos as lie between, each as ever.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.undo import BEGINNING
from loomapp.core.errors import LoomError, StaleChange
from loomapp.core.model.change import Change
from loomapp.session.document import Document
from loomapp.store.grove.open import open_grove
from tests.kit.families import one_in
from tests.kit.groves import agree


def write(document: Document, *texts: str) -> list[int]:
    """Write messages one below the other; the points after each."""
    points = []
    for text in texts:
        document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))
        points.append(document.history.steps().present)
    return points


def shown(document: Document) -> list[str]:
    """The texts on the path."""
    return [document.tree.nodes[i].text for i in document.path_ids[1:]]


def let_all(_: Change) -> None:
    """A guard that refuses nothing."""


def test_going_back_and_forth_takes_each_step_and_tells_it(document: Document) -> None:
    first, _, third = write(document, "one", "two", "three")
    told: list[str] = []
    document.tree_changed.connect(lambda change: told.append(change.label))

    document.walk.go(first, let_all)
    assert shown(document) == ["one"]
    document.walk.go(third, let_all)
    assert shown(document) == ["one", "two", "three"]

    assert told == ["Undo Write", "Undo Write", "Redo Write", "Redo Write"]
    assert agree(document.grove, document.tree)


def test_the_beginning_is_a_point_too(document: Document) -> None:
    write(document, "one", "two")

    document.walk.go(BEGINNING, let_all)

    assert shown(document) == []
    assert document.history.undo_label is None


def test_where_one_is_nothing_moves(document: Document) -> None:
    *_, here = write(document, "one", "two")
    told: list[Change] = []
    document.tree_changed.connect(lambda change, _: told.append(change))

    document.walk.go(here, let_all)

    assert told == []


def test_a_refused_step_stops_there_and_says_how_far_it_went(document: Document) -> None:
    first, second, _, _ = write(document, "one", "two", "three", "four")
    asked: list[Change] = []

    def refuse_the_third(change: Change) -> None:
        asked.append(change)
        if len(asked) == 3:
            raise LoomError("An answer to this is being written.")

    with pytest.raises(LoomError, match=r"^2 of 3 steps were undone. Then: An answer to this is"):
        document.walk.go(first, refuse_the_third)

    assert shown(document) == ["one", "two"]
    assert document.history.steps().present == second
    assert agree(document.grove, document.tree)


def test_a_refused_first_step_says_only_why(document: Document) -> None:
    first, _ = write(document, "one", "two")

    def refuse(_: Change) -> None:
        raise LoomError("Not now.")

    with pytest.raises(LoomError, match=r"^Not now\.$"):
        document.walk.go(first, refuse)


def test_what_was_given_up_is_not_reached_and_nothing_moves(document: Document) -> None:
    first, second = write(document, "one", "two")
    document.walk.go(first, let_all)
    write(document, "another")

    with pytest.raises(StaleChange, match="cannot be redone any more"):
        document.walk.go(second, let_all)
    with pytest.raises(StaleChange, match="no longer in the history"):
        document.walk.go(10_000, let_all)

    assert shown(document) == ["one", "another"]


def test_what_another_program_wrote_meanwhile_is_undone_too(document: Document) -> None:
    first, _ = write(document, "one", "two")
    with open_grove(document.grove.path) as other:
        tree = other.load_tree(document.tree.loom.id)
        other.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, "theirs", document.pen()))

    document.walk.go(first, let_all)

    assert shown(document) == ["one"]
    assert agree(document.grove, document.tree)


def test_after_a_restart_one_can_still_go_to_a_named_point(document: Document) -> None:
    first, _ = write(document, "one", "two")
    document.history.name_point(first, "Good")

    with open_grove(document.grove.path) as grove:
        again = Document(grove)
        (point,) = [step.sequence for step in again.history.steps().steps if step.name == "Good"]
        again.walk.go(point, let_all)

        assert shown(again) == ["one"]


def test_a_long_way_lets_the_window_in_between_and_can_be_stopped(document: Document, qtbot: QtBot) -> None:
    points = write(document, *(f"message {number}" for number in range(300)))
    walk = document.walk
    seen: list[tuple[int, int]] = []
    walk.progressed.connect(lambda moved, total: seen.append((moved, total)))

    walk.start(BEGINNING, let_all)
    assert walk.is_under_way
    qtbot.waitUntil(lambda: len(seen) >= 2)
    with qtbot.waitSignal(walk.ended):
        walk.stop()
    reached = len(shown(document))

    assert 0 < reached < 300
    assert [total for _, total in seen] == [300] * len(seen)
    assert not walk.is_under_way
    QCoreApplication.processEvents()
    assert len(shown(document)) == reached, "stopped is stopped"
    assert agree(document.grove, document.tree)
    assert (document.history.undo_label, document.history.redo_label) == ("Write", "Write")
    walk.start(points[-1], let_all)
    qtbot.waitUntil(lambda: not walk.is_under_way)
    assert len(shown(document)) == 300
    assert agree(document.grove, document.tree)
    assert (document.history.undo_label, document.history.redo_label) == ("Write", None)


def test_what_is_hidden_on_the_way_and_not_at_its_end_is_read_there(
    document: Document, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loomapp.session.undo_history.SLICE_S", 0.0005)  # a step at a time
    document.place.set_shows_pruned(False)
    tree, pen = document.tree, document.pen
    document.commit(node_edits.add_node(tree, tree.root_id, "message", pen()))
    node_id = document.path_ids[-1]
    start = document.history.steps().present
    document.place.read(tree.root_id)
    document.commit(node_marks.prune(tree, node_id, pen()))
    document.commit(node_marks.restore(tree, node_id, pen()))
    document.place.read(node_id)
    document.commit(node_marks.prune(tree, node_id, pen()))
    assert shown(document) == []
    document.walk.progressed.connect(lambda *_: document.catch_up())  # as a look for others' changes does

    document.walk.start(start, let_all)
    qtbot.waitUntil(lambda: not document.walk.is_under_way)

    assert shown(document) == ["message"]
    assert agree(document.grove, tree)


def test_few_steps_are_told_of_one_by_one_and_many_as_what_they_came_to(document: Document) -> None:
    points = write(document, *(f"message {number}" for number in range(60)))
    told: list[Change] = []
    document.tree_changed.connect(lambda change, _: told.append(change))

    document.walk.go(points[-4], let_all)
    assert [len(change.removed_nodes()) for change in told] == [1, 1, 1]
    told.clear()
    document.walk.go(BEGINNING, let_all)

    assert len(told) < 57
    assert sum(len(change.removed_nodes()) for change in told) == 57
    assert {change.undoable for change in told} == {False}
    assert shown(document) == []
    assert agree(document.grove, document.tree)


def test_a_long_way_that_was_gone_is_seen_by_another_program(document: Document) -> None:
    points = write(document, *(f"message {number}" for number in range(60)))
    with open_grove(document.grove.path) as other:
        theirs = other.load_tree(document.tree.loom.id)
        for point in (BEGINNING, points[30], points[-1]):
            document.walk.go(point, let_all)
            other.catch_up(theirs)
            assert agree(other, theirs)
            assert theirs.nodes == document.tree.nodes
            assert theirs.path == document.tree.path


def test_the_first_step_goes_at_once_and_its_refusal_is_raised(document: Document, qtbot: QtBot) -> None:
    first, _ = write(document, "one", "two")
    walk = document.walk

    walk.start(first, let_all)
    assert shown(document) == ["one"]
    qtbot.waitUntil(lambda: not walk.is_under_way)

    def refuse(_: Change) -> None:
        raise LoomError("Not now.")

    with pytest.raises(LoomError, match="Not now"):
        walk.start(BEGINNING, refuse)
    assert not walk.is_under_way


@pytest.mark.slow
def test_what_is_refused_further_on_is_told(document: Document, qtbot: QtBot) -> None:
    write(document, *(f"message {number}" for number in range(300)))
    walk = document.walk

    def refuse_the_last(change: Change) -> None:
        if change.removed_nodes()[0].text == "message 0":
            raise LoomError("Not this one.")

    with qtbot.waitSignal(walk.failed) as failed:
        walk.start(BEGINNING, refuse_the_last)

    assert failed.args is not None
    assert failed.args[0].message == "299 of 300 steps were undone. Then: Not this one."
    assert not walk.is_under_way


@pytest.mark.slow
@pytest.mark.parametrize("what", one_in(2, ["a message", "another tree"]))
def test_whoever_does_something_else_meanwhile_ends_the_way(
    document: Document, qtbot: QtBot, what: str
) -> None:
    write(document, *(f"message {number}" for number in range(300)))
    walk = document.walk
    walk.start(BEGINNING, let_all)
    assert walk.is_under_way

    write(document, "something else") if what == "a message" else document.new_tree("dialogue")

    assert not walk.is_under_way
