"""Another program writes in the text that is read: caret and selection stay at their words.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.processes.outside import new_tree
from tests.kit.windows import unseen_window

PASSAGES = ("One. ", "Two and three. ", "Four. ", "End. ")


class Other:
    """Another program at the same grove."""

    def __init__(self, grove: Grove, tree_id: str) -> None:
        self.grove, self.tree = grove, grove.load_tree(tree_id)

    def edit(self, before: str, text: str) -> None:
        """Make a passage say something else."""
        nodes = resolve.resolve(self.tree, self.tree.path.leaf_id).nodes
        node_id = next(node.id for node in nodes if node.text == before)
        self._do(lambda tree, pen: node_edits.edit_as_version(tree, node_id, text, pen))

    def prune(self, words: str) -> None:
        """Delete a passage, and what follows it alone."""
        node_id = next(node.id for node in self.tree.nodes.values() if node.text == words)
        self._do(lambda tree, pen: node_marks.prune(tree, node_id, pen))

    def _do(self, make: Callable[[Tree, EditContext], Change | None]) -> None:
        self.grove.catch_up(self.tree)
        change = make(self.tree, EditContext(self.grove.owner.id, now(), new_id, by="another"))
        assert change is not None
        self.grove.commit(self.tree, change)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


@pytest.fixture
def tree_id(path: Path) -> str:
    """A buffer of some passages."""
    tree_id, _ = new_tree(path, mode="buffer")
    with open_grove(path) as grove:
        tree = grove.load_tree(tree_id)
        for words in PASSAGES:
            pen = EditContext(grove.owner.id, now(), new_id)
            grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, words, pen))
    return tree_id


@pytest.fixture
def window(path: Path, tree_id: str, qtbot: QtBot) -> Iterator[MainWindow]:
    with unseen_window(path) as window:
        yield window


@pytest.fixture
def other(path: Path, tree_id: str) -> Iterator[Other]:
    with open_grove(path) as grove:
        yield Other(grove, tree_id)


def select(window: MainWindow, words: str, *, backwards: bool = False) -> None:
    editor = window.buffer.view.editor
    begin = editor.text.index(words)
    ends = (begin, begin + len(words))
    editor.select(*(reversed(ends) if backwards else ends))


def selected(window: MainWindow) -> str:
    begin, end = window.buffer.view.editor.selection
    return window.buffer.view.editor.text[begin:end]


@pytest.mark.parametrize("backwards", one_in(2, [False, True], first=1))
def test_words_stay_selected_while_another_program_writes_on_both_sides(
    window: MainWindow, other: Other, backwards: bool
) -> None:
    editor = window.buffer.view.editor
    select(window, "and", backwards=backwards)
    other.edit("One. ", "Once upon a time. ")
    other.edit("Four. ", "Four of them. ")

    window.document.catch_up()

    assert editor.text == "Once upon a time. Two and three. Four of them. End. "
    assert selected(window) == "and"
    assert (editor.caret < editor.position_of_anchor()) is backwards


def test_who_writes_in_a_passage_that_another_program_deletes_is_told_where_the_words_are(
    window: MainWindow, other: Other, path: Path, qtbot: QtBot
) -> None:
    editor, errors = window.buffer.view.editor, window.text_pane.errors
    editor.set_caret(editor.text.index("Four") + 4)
    QTest.keyClicks(editor, "teen")
    other.prune("Four. ")

    window.document.catch_up()
    qtbot.waitUntil(lambda: bool(errors.text))

    assert "Fourteen" not in editor.text
    assert errors.text.startswith("The passage you were writing in left this text")
    here = window.document.tree.loom.id
    window.document.open_tree(new_tree(path, mode="buffer")[0])
    assert not errors.text, "it is about another text"
    window.document.open_tree(here)
    errors.action_clicked.emit()
    assert "Fourteen. " in editor.text


@pytest.mark.slow
def test_the_caret_stays_in_its_word_while_another_program_writes_on_both_sides(
    window: MainWindow, other: Other
) -> None:
    editor = window.buffer.view.editor
    editor.set_caret(editor.text.index("three"))
    other.edit("One. ", "Once upon a time. ")
    other.edit("Four. ", "Four of them. ")

    window.document.catch_up()
    QTest.keyClicks(editor, "thirty")

    assert editor.text == "Once upon a time. Two and thirtythree. Four of them. End. "


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "says", "text"),
    one_in(
        2,
        [
            ("One. ", "One. And a half. ", "One. And a half. xFour. End. "),
            ("Four. ", "And four. ", "One. xAnd four. End. "),
        ],
    ),
)
def test_what_another_program_writes_beside_a_selection_is_not_typed_over(
    window: MainWindow, other: Other, before: str, says: str, text: str
) -> None:
    editor = window.buffer.view.editor
    select(window, "Two and three. ")
    other.edit(before, says)

    window.document.catch_up()
    QTest.keyClicks(editor, "x")

    assert editor.text == text


@pytest.mark.slow
def test_a_word_picked_elsewhere_stays_picked_once_what_was_written_is_saved(
    window: MainWindow, other: Other
) -> None:
    editor = window.buffer.view.editor
    editor.set_caret(len(editor.text))
    QTest.keyClicks(editor, "Five.")
    other.edit("One. ", "Once upon a time. ")
    other.edit("Four. ", "Four of them. ")

    select(window, "and")

    assert editor.text == "Once upon a time. Two and three. Four of them. End. Five."
    assert selected(window) == "and"


@pytest.mark.slow
def test_letters_stay_selected_while_another_program_corrects_their_passage_and_those_before_it(
    window: MainWindow, other: Other
) -> None:
    editor = window.buffer.view.editor
    select(window, "our")
    other.edit("One. ", "Nothing like it ")
    other.edit("Two and three. ", "is said by ")
    other.edit("Four. ", "Fourier ")

    window.document.catch_up()

    assert editor.text == "Nothing like it is said by Fourier End. "
    assert selected(window) == "our"


@pytest.mark.slow
def test_who_writes_at_the_end_of_a_passage_stays_in_it_while_another_program_writes_before_it(
    window: MainWindow, other: Other
) -> None:
    editor, buffer_text = window.buffer.view.editor, window.buffer.buffer_text
    editor.set_caret(editor.text.index("Four. "))
    QTest.keyClick(editor, Qt.Key.Key_Backspace)
    other.edit("One. ", "Once upon a time. ")

    window.document.catch_up()
    QTest.keyClicks(editor, "!")

    assert editor.text == "Once upon a time. Two and three.!Four. End. "
    assert [buffer_text.text_of(place) for place in (2, 3)] == ["Two and three.!", "Four. "]


@pytest.mark.slow
def test_a_word_that_another_program_comes_between_is_one_step_of_undo(
    window: MainWindow, other: Other
) -> None:
    editor = window.buffer.view.editor
    editor.set_caret(editor.text.index("three"))
    QTest.keyClicks(editor, "thir")
    other.edit("One. ", "Once upon a time. ")

    window.document.catch_up()
    QTest.keyClicks(editor, "ty")
    window.actions_set.by_name["undo"].trigger()

    assert editor.text == "Once upon a time. Two and three. Four. End. "
