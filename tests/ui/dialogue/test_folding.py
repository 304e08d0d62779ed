"""Long messages are folded, and marks stand where what is sent begins and ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.model.content import AttachedDocument, Block, Mixed, Text
from loomapp.ui.dialogue.message.foot import reason_of, words_of
from loomapp.ui.dialogue.message.message import MessageView
from loomapp.ui.dialogue.script.entries import Cut
from loomapp.ui.dialogue.script.heights import FOLD_LINES, folded
from loomapp.ui.dialogue.script.script import Cuts
from loomapp.ui.dialogue.selection import END, Selection, SelectionEnd
from loomapp.ui.dialogue.view import DialogueView
from tests.kit.conversations import AGENTS, SMOL, grow, node
from tests.kit.desktop import Pointer
from tests.kit.dialogue_views import Heard, message, point_of, read, shown_view
from tests.kit.find import find

LONG = "\n\n".join(f"Paragraph {i}." for i in range(156)) + "\n\nThe end."


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> DialogueView:
    return shown_view(qtbot, qapp)


def fold_button(shown: MessageView) -> QPushButton:
    return find(shown, QPushButton, "foldButton")


def words(view: DialogueView, key: str) -> str:
    return message(view, key).body.document().toPlainText()


def test_a_long_message_is_folded_and_opened_with_a_click(view: DialogueView, pointer: Pointer) -> None:
    read(view, LONG, "Thanks.")
    view.reveal("a")
    assert "The end." not in words(view, "a")
    assert fold_button(message(view, "a")).text() == "Show all 313 lines"
    view.verticalScrollBar().setValue(200)

    pointer.click(fold_button(message(view, "a")))

    assert "The end." in words(view, "a")
    assert fold_button(message(view, "a")).text() == "Show less"


def test_what_was_opened_stays_open_when_another_tree_was_read(view: DialogueView) -> None:
    tree = read(view, LONG, "Thanks.")
    view.reveal("a")
    view.toggle_fold("a")

    other = grow("dialogue", (node("x", "Another tree."), ""))
    view.show_path(other, ("x",), AGENTS, {})
    view.show_path(tree, ("a", "b"), AGENTS, {})
    view.reveal("a")

    assert "The end." in words(view, "a")


def test_a_text_that_streams_is_not_folded_and_stays_open_as_a_node(view: DialogueView) -> None:
    tree = read(view, "Write long.")
    view.set_drafts([LiveDraft("d", "a", "smol", Draft(0, LONG))])
    assert "The end." in words(view, "d")

    tree.put_node(node("made", LONG, SMOL))
    tree.put_edge(grow("dialogue", (node("a", ""), ""), (node("made", ""), "a")).edges["edge-made"])
    view.show_path(tree, ("a", "made"), AGENTS, {}, ())

    assert "The end." in words(view, "made")


def test_a_folded_message_is_edited_whole(view: DialogueView) -> None:
    read(view, LONG)

    view.open_editor("a")

    editor = message(view, "a").editor
    assert editor is not None
    assert editor.text == LONG


@given(st.text(alphabet="ab \n", max_size=4000))
def test_only_long_texts_are_folded_and_what_is_shown_is_their_beginning(text: str) -> None:
    found = folded(text)

    if found is None:
        assert text.count("\n") <= FOLD_LINES
    else:
        assert text.startswith(found.beginning.removesuffix(" …"))
        assert len(found.beginning) < len(text)


def test_one_endless_line_is_folded_too() -> None:
    found = folded("x" * 100_000)

    assert found is not None
    assert len(found.beginning) < 2000
    assert found.lines > 1000


def test_the_beginning_left_out_is_marked_above_the_first_message_sent(view: DialogueView) -> None:
    tree = read(view, "One.", "Two.", "Three.", "Four.")
    plain = message(view, "c").height()

    view.set_fates({"a": "truncated", "b": "truncated", "c": "sent", "d": "sent"}, "rollingWindow")

    entry = message(view, "c").entry
    assert entry is not None
    assert entry.cut == Cut("start", 2, "rollingWindow")
    assert words_of(entry.cut) == "Not sent above this line: no room for 2 messages"
    assert "Keep the newest" in reason_of(entry.cut)
    assert message(view, "c").height() > plain
    assert "Not sent above this line" in message(view, "c").accessibleDescription()
    view.show_path(tree, "abcd", AGENTS, {})
    view.set_fates({})
    assert message(view, "c").height() == plain


def test_a_gap_in_the_middle_is_marked_at_both_ends() -> None:
    fates = {"b": "truncated", "c": "excluded", "d": "truncated"}

    cuts = Cuts("abcdef", fates, "truncateMiddle")

    marks = [cuts.above(i) for i in range(6)]
    assert marks[1] == Cut("gap", 2, "truncateMiddle")
    assert marks[4] == Cut("again", 2, "truncateMiddle")
    assert [marks[i] for i in (0, 2, 3, 5)] == [None] * 4


def test_what_a_person_excluded_is_no_cut() -> None:
    cuts = Cuts("abc", {"b": "excluded"})

    assert [cuts.above(i) for i in range(3)] == [None] * 3


def test_an_end_without_room_is_marked_where_it_begins() -> None:
    cuts = Cuts("abc", {"c": "truncated"})

    assert cuts.above(2) == Cut("end", 1)
    assert words_of(Cut("end", 1)) == "Not sent below this line: no room for 1 message"


def test_the_pointer_over_a_message_is_told_and_a_hovered_node_is_lit(
    view: DialogueView, pointer: Pointer
) -> None:
    read(view, "One.", "Two.")
    pointer.move(view, view.rect().bottomLeft() / 1)
    told = Heard(view.hovered)
    ground = view.grab().toImage()

    pointer.move(message(view, "b").body)
    view.set_hovered("a")

    assert told.values[-1] == "b"
    place = message(view, "a").geometry().topLeft()
    assert view.grab().toImage().pixelColor(place) != ground.pixelColor(place)


def test_a_very_long_message_is_laid_out_a_part_at_a_time(view: DialogueView, qtbot: QtBot) -> None:
    long = "\n\n".join(f"{number}. " + "The lamp burns on. " * 20 for number in range(400))
    read(view, long + "\n\n```\nend()\n```", "Thanks.")
    view.reveal("a")

    view.toggle_fold("a")

    shown = message(view, "a")
    document = shown.body.document()
    beginning = shown.height()
    assert not document.is_laid_out
    assert shown.body.code.rects == ()
    qtbot.waitUntil(lambda: document.is_laid_out and shown.height() > 3 * beginning)
    qtbot.waitUntil(lambda: shown.body.height() >= document.size().height())
    assert len(shown.body.code.rects) == 1
    whole = shown.height()
    view.resize(view.width() - 60, view.height())
    assert message(view, "a").body.document().is_laid_out, "what was read stays where it is"
    assert message(view, "a").height() >= whole


FILE = "\n".join(f"Line {number} of the `file`." for number in range(834)) + "\n"
ASKED = "Read *this*: who keeps the lamp?"


def attached(view: DialogueView, *blocks: Block) -> None:
    """Show a message of several blocks, and an answer to it."""
    asked = replace(node("a", ""), content=Mixed(blocks))
    tree = grow("dialogue", (asked, ""), (node("b", "Marie.", SMOL), "a"))
    view.show_path(tree, ("a", "b"), AGENTS, {})
    view.reveal("a")


def file_of(text: str, name: str = "a.txt") -> AttachedDocument:
    return AttachedDocument(name, "text/plain", text)


@pytest.mark.parametrize("text", [FILE, FILE.replace("\n", " "), "x" * 60_000, "```\n" + FILE + "```"])
def test_words_beneath_a_long_attachment_are_shown_while_that_is_folded(
    view: DialogueView, text: str
) -> None:
    attached(view, file_of(text), Text(ASKED))

    assert words(view, "a").startswith("a.txt\n")
    assert words(view, "a").endswith("\nRead this: who keeps the lamp?")
    assert len(words(view, "a")) < 2_500
    assert " …\n" in words(view, "a")
    assert fold_button(message(view, "a")).text().startswith("Show all ")
    view.toggle_fold("a")
    assert "833" in words(view, "a") or "x" * 60_000 in words(view, "a").replace("\u200b", "")
    assert words(view, "a").endswith("\nRead this: who keeps the lamp?")


def test_long_words_beneath_a_short_attachment_are_folded_by_themselves(view: DialogueView) -> None:
    attached(view, file_of("One\nTwo"), Text(LONG))

    assert "Paragraph 9." in words(view, "a")
    assert "The end." not in words(view, "a")


def test_neither_a_short_attachment_nor_short_words_are_folded(view: DialogueView) -> None:
    lines = "\n".join(f"Line {number}." for number in range(30))
    attached(view, file_of(lines), Text(lines))

    assert words(view, "a").count("Line 29.") == 2
    assert not message(view, "a").is_folded


def test_what_is_copied_across_a_folded_attachment_has_its_hidden_lines_and_none_twice(
    view: DialogueView,
) -> None:
    attached(view, file_of(FILE), Text(ASKED))
    shown = words(view, "a")
    begin, end = shown.index("Line 3 "), shown.index("who")
    keeper = shown.index("keeps")

    view.selecting.selection = Selection(SelectionEnd("a", end, end), SelectionEnd("a", keeper, keeper))
    assert view.selecting.text() == "who "
    view.selecting.selection = Selection(SelectionEnd("a", begin, begin), SelectionEnd("a", end, end))
    copied = view.selecting.text()
    assert copied.startswith("Line 3 of the `file`.\nLine 4 ")
    assert copied.endswith("Line 833 of the `file`.\nRead this: ")
    view.selecting.selection = Selection(SelectionEnd("a", begin, begin), SelectionEnd("a", END, END))
    assert view.selecting.text() == copied + "who keeps the lamp?"


def test_words_beneath_a_folded_attachment_are_selected_by_the_pointer(
    view: DialogueView, pointer: Pointer
) -> None:
    attached(view, file_of(FILE), Text(ASKED))
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    body = message(view, "a").body

    pointer.double_click(body, point_of(body, "keeps") + QPoint(6, 0))

    assert view.selecting.text() == "keeps"
