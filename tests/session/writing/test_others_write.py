"""Another program changes the text that one is writing, and the window has not looked yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import GroveError, InvalidInput, StaleChange
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from tests.session.writing.test_buffer_session import Desk

WORDS = ("alpha ", "beta ", "gamma ", "delta ")


@pytest.fixture
def desk(tmp_path: Path, qtbot: QtBot) -> Iterator[Desk]:
    with create_grove(tmp_path / "g.loom") as grove:
        desk = Desk(grove)
        for word in WORDS:
            desk.document.commit(
                node_edits.add_node(desk.tree, desk.document.path_ids[-1], word, desk.document.pen())
            )
        yield desk


@pytest.fixture
def other(desk: Desk) -> Iterator[Other]:
    with open_grove(desk.grove.path) as grove:
        yield Other(grove, desk.tree.loom.id)


class Other:
    """Another program at the same grove."""

    def __init__(self, grove: Grove, tree_id: str) -> None:
        self.grove = grove
        self.tree = grove.load_tree(tree_id)

    def do(self, make: Callable[[Tree, EditContext], Change | None]) -> None:
        self.grove.catch_up(self.tree)
        change = make(self.tree, EditContext(self.grove.owner.id, now(), new_id, by="another"))
        assert change is not None
        self.grove.commit(self.tree, change)

    def edit(self, node_id: str, text: str) -> None:
        self.do(lambda tree, pen: node_edits.edit_as_version(tree, node_id, text, pen))

    def undo(self) -> None:
        assert self.grove.undo(self.tree) is not None


def shown_again(desk: Desk, at: int, text: str, end: int | None = None) -> int:
    """What a view does with a stroke: it shows it, tells of it, and then shows what is true."""
    placed = desk.desk.input.typed(at, at if end is None else end, text)
    desk.view = desk.text
    desk.check()
    return placed


@pytest.mark.parametrize(
    ("says", "text"),
    [
        ("alpha and more ", "alpha and more beXta gamma delta tail"),
        ("", "beXta gamma delta tail"),
        ("a ", "a beXta gamma delta tail"),
    ],
)
def test_a_key_goes_where_its_words_are_now(desk: Desk, other: Other, says: str, text: str) -> None:
    desk.type("tail")
    other.edit(desk.document.path_ids[1], says)

    placed = shown_again(desk, 8, "X")

    assert desk.text == text
    assert placed == text.index("X") + 1
    assert desk.desk.buffer_text.pen_at == placed


def test_keys_behind_the_end_of_a_text_that_others_have_shortened_are_there(desk: Desk, other: Other) -> None:
    desk.type("x", at=8)
    other.edit(desk.document.path_ids[1], "")

    placed = shown_again(desk, len(desk.text), "T")
    desk.type("HE END", at=placed)
    desk.desk.commit()

    assert desk.text == "bexta gamma delta THE END"
    assert desk.said[-1] == "THE END"


def test_what_is_deleted_is_what_was_shown_and_nothing_that_came_into_it(desk: Desk, other: Other) -> None:
    desk.type("tail")
    other.edit(desk.document.path_ids[2], "beta and more ")

    shown_again(desk, 2, "-", end=19)  # al[pha beta gamma de]lta

    assert desk.text == "al-and more lta tail"


def test_a_node_of_the_path_that_others_took_back_leaves_the_text_readable(desk: Desk, other: Other) -> None:
    desk.type("X", at=2)
    desk.desk.commit()
    other.grove.catch_up(other.tree)
    other.undo()

    shown_again(desk, desk.text.index("gamma") + 2, "Y")
    desk.desk.commit()

    assert desk.text == "alpha beta gaYmma delta "
    assert other.grove.load_tree(desk.tree.loom.id).path == desk.tree.path
    desk.check()


def test_the_text_is_parted_for_an_answer_where_the_caret_was_shown(desk: Desk, other: Other) -> None:
    desk.type("tail")
    other.edit(desk.document.path_ids[1], "alpha and more ")

    node_id = desk.continuation.continue_from(8).node_id  # be|ta

    assert desk.tree.nodes[node_id].text == "be"
    assert desk.text == "alpha and more beta gamma delta tail"


def test_a_version_is_chosen_at_the_passage_that_was_shown(desk: Desk, other: Other) -> None:
    place = 3
    ids = desk.document.path_ids
    desk.type("M", at=len("alpha beta ga"))
    desk.desk.commit()
    desk.type("tail")
    other.do(lambda tree, pen: node_edits.edit_as_version(tree, ids[1], "omega ", pen))

    desk.passages.show_version(place, ids[place])

    assert desk.text == "omega beta gamma delta tail"


def test_a_choice_of_a_node_that_is_gone_is_not_read(desk: Desk, tmp_path: Path) -> None:
    gone = ActivePath(desk.document.path_ids[-1], {desk.document.path_ids[2]: "gone"})
    row = RowChange(desk.tree.path, gone)
    desk.grove.commit(desk.tree, Change(desk.tree.loom.id, "Read", now(), (row,), undoable=False))

    with open_grove(tmp_path / "g.loom") as grove:
        again = Desk(grove)

        assert again.text == "".join(WORDS)
        assert not again.tree.path.selections
        again.check()


def test_a_program_that_is_quicker_again_and_again_is_waited_for(
    desk: Desk, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.type("tail")
    commit, edited = Grove.commit_unless_moved, iter(("alpha one ", "alpha two "))
    first = desk.document.path_ids[1]

    def late(grove: Grove, tree: Tree, change: Change) -> bool:
        for text in edited:
            other.edit(first, text)
            break
        return commit(grove, tree, change)

    monkeypatch.setattr(Grove, "commit_unless_moved", late)
    shown_again(desk, 8, "X")
    desk.desk.commit()

    assert desk.text == "alpha two beXta gamma delta tail"
    assert [text for text in desk.said if text == "tail"] == ["tail"]


def test_what_is_saved_in_a_tree_that_was_read_anew_is_not_refused_for_what_cannot_be_read(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = desk.tree
    change = node_edits.add_node(before, desk.document.path_ids[-1], "late", desk.document.pen())
    desk.document.open_tree(before.loom.id)

    def unreadable(grove: Grove, tree: Tree) -> list[Change]:
        raise GroveError("damaged", "It cannot be read.")

    with monkeypatch.context() as patched:
        patched.setattr(Grove, "catch_up", unreadable)
        desk.document.commit_to(before, change)
    desk.document.catch_up()

    assert desk.said[-1] == "late"


def test_words_in_an_empty_buffer_that_another_program_makes_a_dialogue_are_given_to_the_composer(
    desk: Desk,
) -> None:
    document, displaced = desk.document, list[str]()
    desk.desk.displaced.connect(displaced.append)
    document.new_tree("buffer")
    desk.desk.input.typed(0, 0, "Words", 0.0)

    with open_grove(desk.grove.path) as grove:
        other = Other(grove, document.tree.loom.id)
        other.do(
            lambda tree, pen: tree_edits.change_loom(tree, "Mode", pen, replace(tree.loom, mode="dialogue"))
        )
    document.catch_up()

    assert displaced == ["Words"]
    assert (len(document.tree.nodes), desk.desk.has_words) == (1, False)


def test_what_is_refused_for_what_others_wrote_leaves_the_path_that_is_read_the_one_that_is_sent(
    desk: Desk, other: Other
) -> None:
    document = desk.document
    other.edit(document.path_ids[2], "BETA ")

    with pytest.raises(StaleChange):
        desk.passages.split_at(8)

    assert document.path_ids == resolve(desk.tree, desk.tree.path.leaf_id).node_ids
    assert desk.text == "alpha BETA gamma delta "
    desk.check()


def test_a_step_that_is_refused_leaves_the_path_that_is_read_the_one_that_is_sent(
    desk: Desk, other: Other
) -> None:
    document = desk.document
    other.edit(document.path_ids[2], "BETA ")

    def refuse(_change: Change) -> None:
        raise InvalidInput("An answer is on its way.")

    with pytest.raises(InvalidInput):
        document.history.undo(refuse)

    assert document.path_ids == resolve(desk.tree, desk.tree.path.leaf_id).node_ids
    assert desk.text == "alpha BETA gamma delta "
    desk.check()


def test_a_node_that_others_take_back_while_words_are_saved_to_read_it_is_not_read(
    desk: Desk, other: Other
) -> None:
    document = desk.document
    other.do(lambda tree, pen: node_edits.add_node(tree, document.path_ids[1], "omega ", pen))
    document.catch_up()
    omega = next(node.id for node in desk.tree.nodes.values() if node.text == "omega ")
    desk.type("tail")
    other.undo()

    document.place.read(omega)

    assert document.place.path_error is None
    assert document.path_ids == resolve(desk.tree, desk.tree.path.leaf_id).node_ids
    assert desk.text == "alpha beta gamma delta tail"
    desk.check()


def test_the_last_passage_is_read_as_another_program_corrects_it(desk: Desk, other: Other) -> None:
    last = desk.document.path_ids[-1]
    other.edit(last, "omega ")
    other.edit(other.tree.path.leaf_id, "omega and more ")

    desk.document.catch_up()

    assert desk.text == "alpha beta gamma omega and more "
    assert desk.document.current_id == desk.document.path_ids[-1]
    assert other.grove.load_tree(desk.tree.loom.id).path == desk.tree.path
    desk.check()


def test_an_older_version_is_chosen_again_beside_the_path_once_others_take_back_a_newer_one(
    desk: Desk, other: Other
) -> None:
    document, (_, alpha, beta, gamma, delta) = desk.document, desk.document.path_ids
    document.commit(node_edits.add_node(desk.tree, alpha, "omega ", document.pen()))
    omega = document.path_ids[-1]
    document.place.read(delta)
    document.commit(node_edits.edit_as_version(desk.tree, beta, "BETA ", document.pen()))
    document.commit(node_edits.choose_path(desk.tree, delta, document.pen(), {gamma: beta}))
    document.commit(node_edits.edit_as_version(desk.tree, beta, "Beta ", document.pen()))
    document.place.read(omega)
    other.grove.catch_up(other.tree)
    other.grove.undo(other.tree, by="another")

    document.catch_up()

    assert desk.text == "alpha omega "
    document.place.read(delta)
    assert desk.text == "alpha beta gamma delta "
    desk.check()


def test_the_last_passage_is_read_as_it_was_once_its_correction_is_taken_back(
    desk: Desk, other: Other
) -> None:
    other.edit(desk.document.path_ids[-1], "omega ")
    desk.document.catch_up()
    other.grove.catch_up(other.tree)
    other.undo()

    desk.document.catch_up()

    assert desk.text == "".join(WORDS)
    desk.check()


def test_the_last_passage_is_read_as_it_was_corrected_by_one_who_reads_elsewhere(
    desk: Desk, other: Other
) -> None:
    alpha, *_, last = desk.document.path_ids[1:]
    other.do(lambda tree, pen: node_edits.choose_path(tree, alpha, pen))
    other.edit(last, "omega ")

    desk.document.catch_up()

    assert desk.text == "alpha beta gamma omega "
    desk.check()


@pytest.mark.parametrize("at", [None, 18])
def test_the_last_passage_stays_while_words_are_written_in_it_or_after_it(
    desk: Desk, other: Other, at: int | None
) -> None:
    desk.document.place.has_words = lambda: desk.desk.has_words
    desk.type("tail", at=at)
    shown = desk.text
    other.edit(desk.document.path_ids[-1], "omega ")

    desk.document.catch_up()
    desk.desk.commit()

    assert desk.text == shown
    desk.check()


@pytest.mark.parametrize("place", [2, -1])
def test_where_the_reader_stands_in_a_text_is_kept_while_another_program_corrects_it(
    desk: Desk, other: Other, place: int
) -> None:
    desk.document.place.set_current(desk.document.path_ids[2])
    other.edit(desk.document.path_ids[place], "omega ")

    desk.document.catch_up()

    assert desk.document.current_id == desk.document.path_ids[2]
    desk.check()
