"""The caret of a buffer: what is typed stands where it was typed, whatever becomes a node meanwhile.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.paths import resolve
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PLAIN = Qt.KeyboardModifier.NoModifier


class Writer:
    """Somebody at the keyboard, and a plain string with a caret that ought to stay the same."""

    def __init__(self, window: MainWindow) -> None:
        self.window, self.editor = window, window.buffer.view.editor
        self.editor.setFocus()
        self.text = self.editor.text
        self.caret = self.anchor = self.editor.caret

    def press(self, key: Qt.Key, held: Qt.KeyboardModifier = PLAIN) -> None:
        QTest.keyClick(self.editor, key, held)

    def put_caret(self, caret: int, anchor: int | None = None) -> None:
        self.caret, self.anchor = caret, caret if anchor is None else anchor
        self.editor.select(self.anchor, self.caret)

    def select(self, words: str) -> None:
        at = self.text.index(words)
        self.put_caret(at + len(words), at)

    def to_start(self) -> None:
        self.press(Qt.Key.Key_Home, CONTROL)
        self.caret = self.anchor = 0

    def to_end(self) -> None:
        self.press(Qt.Key.Key_End, CONTROL)
        self.caret = self.anchor = len(self.text)

    def type(self, words: str) -> None:
        for letter in words:
            if letter == "\n":
                self.press(Qt.Key.Key_Return)
            else:
                QTest.keyClicks(self.editor, letter)
            self._put(letter)

    def paste(self, words: str) -> None:
        data = QMimeData()
        data.setText(words)
        self.editor.insertFromMimeData(data)
        self._put(words)

    def delete(self, key: Qt.Key) -> None:
        self.press(key)
        if self.caret == self.anchor:
            by = -1 if key == Qt.Key.Key_Backspace else 1
            self.anchor = min(len(self.text), max(0, self.caret + by))
        self._put("")

    def _put(self, words: str) -> None:
        begin, end = sorted((self.anchor, self.caret))
        self.text = self.text[:begin] + words + self.text[end:]
        self.caret = self.anchor = begin + len(words)
        self.check()

    def check(self) -> None:
        """Editor, caret, and the path as it resolves with what is written in it."""
        document, buffer_text = self.window.document, self.window.writing.buffer_text
        assert self.editor.text == self.text
        assert self.editor.selection == (min(self.anchor, self.caret), max(self.anchor, self.caret))
        assert self.editor.caret == self.caret
        way = resolve.resolve(document.tree, document.tree.path.leaf_id).node_ids
        assert document.path_ids == way
        said = "".join(
            buffer_text.penned[node_id].text
            if node_id in buffer_text.penned
            else document.tree.nodes[node_id].text
            for node_id in way
        )
        assert said + buffer_text.working.text == self.text

    def check_all_kept(self) -> None:
        """The same once everything is a node, and in the file."""
        assert self.window.writing.settle()
        self.check()
        assert not self.window.writing.working_text
        document = self.window.document
        tree = document.grove.load_tree(document.tree.loom.id)
        way = resolve.resolve(tree, tree.path.leaf_id).node_ids
        assert "".join(tree.nodes[node_id].text for node_id in way) == self.text


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A buffer that begins with one sentence."""
    path = tmp_path / "g.loom"
    new_tree(path, mode="buffer", text="The ship sailed on. ")
    return path


def say(window: MainWindow, words: str) -> None:
    """The path goes on with another node."""
    document = window.document
    document.commit(node_edits.add_node(document.tree, document.path_ids[-1], words, document.pen()))


def test_words_in_the_last_passage_stand_where_they_are_typed_after_words_at_the_end(
    begun: Path, qtbot: QtBot
) -> None:
    with open_window(begun, qtbot) as window:
        writer = Writer(window)
        writer.to_end()
        writer.type("And the sea was calm.")
        writer.to_start()
        for _ in range(4):
            writer.press(Qt.Key.Key_Right)
        writer.caret = writer.anchor = 4

        writer.type("old grey ")

        assert writer.text == "The old grey ship sailed on. And the sea was calm."
        writer.check_all_kept()


@pytest.mark.slow
def test_words_at_the_end_stand_there_after_a_correction_in_the_last_passage(
    begun: Path, qtbot: QtBot
) -> None:
    with open_window(begun, qtbot) as window:
        writer = Writer(window)
        writer.put_caret(4)
        writer.type("old ")
        writer.to_end()

        writer.type("And the sea was calm.")

        assert writer.text == "The old ship sailed on. And the sea was calm."
        writer.check_all_kept()


@pytest.mark.slow
def test_what_follows_a_line_break_or_what_was_pasted_stands_behind_it(begun: Path, qtbot: QtBot) -> None:
    with open_window(begun, qtbot) as window:
        writer = Writer(window)
        writer.to_end()
        writer.type("And")
        writer.put_caret(8)
        writer.type("\nab")
        writer.to_end()
        writer.type(" so")
        writer.select("ship")
        writer.paste("boat")
        writer.type("s")
        writer.to_end()
        writer.type("!")
        writer.put_caret(0)
        writer.paste("A much longer text than all that was there before it was put in. " * 2)
        writer.type("x")

        writer.check_all_kept()


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_a_stroke_changes_what_it_changes_and_the_caret_stays_with_it(
    begun: Path, qtbot: QtBot, seed: int
) -> None:
    chance = random.Random(seed)
    with open_window(begun, qtbot) as window:
        for words in ("The sea was calm.", "\nNight fell, 😀 and ", "stars came out."):
            say(window, words)
        writer = Writer(window)
        for _ in range(120):
            match chance.randrange(12):
                case 0:
                    writer.to_end()
                case 1:
                    writer.to_start()
                case 2 | 3:
                    writer.put_caret(chance.randrange(len(writer.text) + 1))
                case 4:
                    begin = chance.randrange(len(writer.text) + 1)
                    writer.put_caret(min(len(writer.text), begin + chance.randrange(30)), begin)
                case 5 | 6 | 7:
                    writer.type(chance.choice(("a", "old ", ". And", "\n", "zz ")))
                case 8:
                    writer.paste(chance.choice(("boat", "\n", "one\ntwo ", "😀", "a long text " * 12)))
                case 9 | 10:
                    writer.delete(chance.choice((Qt.Key.Key_Backspace, Qt.Key.Key_Delete)))
                case 11:
                    window.writing.settle()
            writer.check()
        writer.check_all_kept()


@pytest.mark.slow
def test_words_that_are_done_again_stand_where_they_were_written(begun: Path, qtbot: QtBot) -> None:
    with open_window(begun, qtbot) as window:
        first = window.document.path_ids[-1]
        say(window, "A way.")
        window.document.place.read(first)
        say(window, "B way.")
        writer, act = Writer(window), window.actions_set.by_name
        writer.to_end()
        writer.type(" tail words")
        act["undo"].trigger()
        assert writer.editor.text == "The ship sailed on. B way."
        act["nextSibling"].trigger()
        assert writer.editor.text == "The ship sailed on. A way."

        act["redo"].trigger()

        assert writer.editor.text == "The ship sailed on. A way."
        act["nextSibling"].trigger()
        act["redo"].trigger()
        assert writer.editor.text == "The ship sailed on. B way. tail words"


@pytest.mark.slow
def test_keys_are_about_the_passage_of_the_caret_though_words_at_the_end_become_a_node(
    begun: Path, qtbot: QtBot
) -> None:
    with open_window(begun, qtbot) as window:
        document = window.document
        say(window, "It came back. ")
        writer = Writer(window)
        writer.to_end()
        writer.type("Mine.")
        writer.put_caret(25)

        window.actions_set.by_name["mergeWithParent"].trigger()

        merged, own = (document.tree.nodes[node_id] for node_id in document.path_ids)
        assert (merged.text, own.text) == ("The ship sailed on. It came back. ", "Mine.")
        assert document.current_id == merged.id


@pytest.mark.slow
def test_a_version_is_turned_again_though_words_at_the_end_became_a_node(begun: Path, qtbot: QtBot) -> None:
    with open_window(begun, qtbot) as window:
        document, by_name = window.document, window.actions_set.by_name
        writer = Writer(window)
        writer.put_caret(3, 0)
        writer.type("A")
        assert window.writing.settle()
        corrected = document.current_id
        writer.to_end()
        writer.type("Mine.")
        writer.put_caret(3)

        by_name["nextVersion"].trigger()
        assert document.current_id == document.path_ids[0] != corrected
        by_name["nextVersion"].trigger()

        assert window.buffer.view.editor.text == "A ship sailed on. Mine."
        assert document.current_id == document.path_ids[0] == corrected


def test_a_card_that_takes_the_place_of_what_was_read_has_the_caret_at_its_end(
    begun: Path, qtbot: QtBot
) -> None:
    with open_window(begun, qtbot) as window:
        document = window.document
        first = document.path_ids[-1]
        say(window, "It sank.")
        other = document.path_ids[-1]
        document.commit(node_edits.add_node(document.tree, first, "It came back.", document.pen()))
        writer = Writer(window)
        say(window, " Nobody was there.")
        writer.put_caret(len("The ship sailed on. It came back."))
        window.graph.setFocus()

        document.place.set_current(other)
        window.graph.node_activated.emit(other)

        assert window.buffer.view.editor.text == "The ship sailed on. It sank."
        assert window.buffer.view.editor.caret == len("The ship sailed on. It sank.")


def test_between_two_passages_the_one_is_current_that_is_continued(begun: Path, qtbot: QtBot) -> None:
    with open_window(begun, qtbot) as window:
        say(window, "On and on. ")
        first, second = window.document.path_ids

        window.buffer.view.editor.set_caret(len("The ship sailed on. "))
        assert window.document.current_id == first
        window.buffer.view.editor.set_caret(len("The ship sailed on. O"))
        assert window.document.current_id == second


def test_a_caret_before_all_words_is_no_fault(begun: Path, qtbot: QtBot) -> None:
    with open_window(begun, qtbot) as window:
        window.actions_set.by_name["contextInspector"].trigger()
        window.buffer.view.editor.set_caret(0)
        window.preview.refresh_now()

        strip = window.inspector.context.findChild(QWidget, "contextErrorStrip")
        assert strip is None or not strip.isVisible()
        said = [label.text() for label in window.inspector.context.findChildren(QLabel) if label.isVisible()]
        assert any("Put the caret behind the words" in words for words in said)


def test_a_heading_within_a_passage_leads_from_the_outline_to_its_place(tmp_path: Path, qtbot: QtBot) -> None:
    pasted = "# The ferry\n\nIt stopped.\n\n## Flour\n\nIt snowed."
    with open_window(tmp_path / "g.loom", qtbot) as window:
        window.document.new_tree("buffer")
        window.buffer.view.editor.put(pasted)
        window.writing.settle()
        outline, model = window.side_parts.outline, window.side_parts.outline.rows
        shown = [index for index in map(model.index, range(model.rowCount())) if model.row(index)]
        [heading] = [index for index in shown if index.data() == "Flour"]

        outline.clicked.emit(heading)

        assert window.buffer.view.editor.caret == pasted.index("Flour") + len("Flour")
        assert window.document.current_id == window.document.path_ids[-1]


def test_a_chapter_that_was_not_on_the_screen_yet_begins_in_its_upper_half(
    tmp_path: Path, qtbot: QtBot
) -> None:
    paragraph = "It rained on the harbour, and nobody asked why. " * 12
    with open_window(tmp_path / "g.loom", qtbot) as window:
        window.document.new_tree("buffer")
        for number in range(1, 7):
            say(window, f"## Chapter {number}\n\n" + f"{paragraph}\n\n" * 12)
    with open_window(tmp_path / "g.loom", qtbot) as window:
        document, editor = window.document, window.buffer.view.editor
        qtbot.waitUntil(lambda: editor.viewport().height() > 200)

        for chapter in (-3, -5, -2):
            node_id = document.path_ids[chapter]
            window.side_parts.outline.node_wanted.emit(node_id, 0)
            place = window.writing.buffer_text.place_of(node_id)
            assert place is not None
            start = window.writing.buffer_text.passage(place).start
            assert editor.text[start:].startswith("## Chapter")
            assert 0 <= editor.line_rect(start).top() < editor.viewport().height() / 2
