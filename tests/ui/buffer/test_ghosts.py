"""Ghosts of a buffer: where words stand that are typed beside one, and what is read once it is dismissed.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.providers import registry
from loomapp.session.document import Document
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.store.grove.open import open_grove
from loomapp.ui.buffer.bars import GhostKey
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.commands.send import act_on_draft
from loomapp.ui.window.main_window import MainWindow
from tests.kit.copies import copy_as_killed
from tests.kit.export_panel import save_export
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.servers.fake_server import FakeServer, answers, fails
from tests.ui.buffer.test_streaming import BEGUN, Held, let_end
from tests.ui.buffer.test_view import ANSWER, CONTROL, ask, press, write_over, writing, writing_unseen


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(answers(ANSWER)) as server:
        yield server


def prompt(server: FakeServer) -> str:
    """The text that was sent last."""
    return str(json.loads(server.received[-1].body)["messages"][-1]["content"])


def offer_in_part(window: MainWindow, qtbot: QtBot, words: int) -> str:
    """A ghost of which some words were taken; the text with them."""
    window.preferences.put("ghost_preview", True)
    ask(window, qtbot)
    for _ in range(words):
        press(window, Qt.Key.Key_Right, CONTROL)
    return window.buffer.view.editor.text + "".join(f" {word}" for word in ANSWER.split()[:words])


def begin_anew(window: MainWindow) -> BufferEditor:
    """The same text in a tree of its own, the caret at its end: many cases need no window each."""
    window.document.new_tree("buffer")
    editor = window.buffer.view.editor
    editor.put("The lamp was lit")
    return editor


def test_words_stand_where_they_are_typed_whatever_was_taken_of_a_ghost(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        for words, at in ((0, 3), (2, 3), (2, 0), (2, 16), (2, 18), (2, 24)):
            editor = begin_anew(window)
            text = offer_in_part(window, qtbot, words)
            cursor = editor.textCursor()
            cursor.setPosition(at)
            editor.setTextCursor(cursor)

            QTest.keyClicks(editor, "xy")

            assert (editor.text, editor.caret) == (f"{text[:at]}xy{text[at:]}", at + 2), (words, at)
            assert window.buffer.text == editor.text


@pytest.mark.slow
def test_what_is_selected_or_pasted_over_stays_where_words_of_a_ghost_were_taken(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        editor = window.buffer.view.editor
        text = offer_in_part(window, qtbot, 2)
        write_over(window, "The", "A")
        assert (editor.text, editor.caret) == (text.replace("The", "A"), 1)

        text = offer_in_part(window, qtbot, 1)
        editor.set_caret(1)
        press(window, Qt.Key.Key_Backspace)
        assert (editor.text, editor.caret) == (text[1:], 0)

        press(window, Qt.Key.Key_End, CONTROL)
        text = offer_in_part(window, qtbot, 1)
        editor.set_caret(5)
        editor.put("dim ")
        assert (editor.text, editor.caret) == (f"{text[:5]}dim {text[5:]}", 9)


@pytest.mark.slow
def test_a_ghost_that_is_dismissed_in_the_middle_leaves_the_text_as_it_was_read(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        editor, document = window.buffer.view.editor, window.document
        ask(window, qtbot)
        write_over(window, "oil", "tea")
        for at in (8, 8, 16):
            whole = editor.text
            editor.set_caret(at)
            assert offer_in_part(window, qtbot, 0) == whole[:at]

            press(window, Qt.Key.Key_Escape)

            assert (editor.text, editor.caret, editor.tail_text) == (whole, at, "")
            assert "".join(document.tree.nodes[node_id].text for node_id in document.path_ids) == whole
        QTest.keyClicks(editor, "!")
        assert editor.text == f"{whole[:16]}!{whole[16:]}"


@pytest.mark.slow
def test_a_ghost_that_is_dismissed_after_a_word_keeps_that_word(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        editor = window.buffer.view.editor
        editor.set_caret(8)
        assert offer_in_part(window, qtbot, 1) == "The lamp and"

        press(window, Qt.Key.Key_Escape)

        assert (editor.text, editor.is_at_end) == ("The lamp and", True)


@pytest.mark.slow
@pytest.mark.parametrize("at", one_in(2, [8, 3]))
def test_words_typed_in_the_text_while_a_ghost_is_offered_there_leave_what_follows(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, at: int
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        editor, whole = window.buffer.view.editor, "The lamp was lit"
        editor.set_caret(8)
        assert offer_in_part(window, qtbot, 0) == whole[:8]
        editor.set_caret(at)

        QTest.keyClicks(editor, "xy")

        assert (editor.text, editor.caret, editor.tail_text) == (f"{whole[:at]}xy{whole[at:]}", at + 2, "")
        window.writing.settle()
        assert editor.text == window.buffer.text == f"{whole[:at]}xy{whole[at:]}"


@pytest.mark.slow
def test_a_ghost_that_grows_and_is_put_away_comes_into_no_text(tmp_path: Path, qtbot: QtBot) -> None:
    held = Held()
    with held.server, writing_unseen(tmp_path / "g.loom", held.server) as window:
        editor = window.buffer.view.editor
        window.preferences.put("ghost_preview", True)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: BEGUN in editor.tail_text)
        for place, letter in ((16, "!"), (3, "x"), (18, "?")):
            editor.set_caret(place)
            QTest.keyClicks(editor, letter)
            window.buffer.show_path()
            assert editor.tail_text == ""

        let_end(window, qtbot, held)

        assert (editor.text, editor.tail_text) == ("Thex lamp was lit!?", "")


def test_what_is_asked_again_is_only_offered_too(tmp_path: Path, qtbot: QtBot, server: FakeServer) -> None:
    server.scripts[:0] = [fails(400), fails(400)]
    with writing_unseen(tmp_path / "g.loom", server) as window:
        editor, generator = window.buffer.view.editor, window.generator
        window.preferences.put("ghost_preview", True)
        before = editor.text
        ask(window, qtbot)
        for tail in ("", ANSWER):
            [failed] = generator.drafts(window.document.tree.loom.id)
            act_on_draft(window.bench, failed.key, "retry")
            qtbot.waitUntil(lambda: not generator.is_streaming())
            assert (editor.text, editor.tail_text) == (before, tail)

        press(window, Qt.Key.Key_Tab)
        assert editor.text == before + ANSWER


@pytest.mark.slow
def test_the_key_that_puts_a_ghost_away_says_that_it_stops_one_that_grows_only_then(
    tmp_path: Path, qtbot: QtBot
) -> None:
    held = Held()
    with held.server, writing(tmp_path / "g.loom", qtbot, held.server) as window:
        key = find(window.buffer.view.ghost_bar, GhostKey, "ghostDismiss")
        window.preferences.put("ghost_preview", True)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: BEGUN in window.buffer.view.editor.tail_text)
        assert key.accessibleName() == "hide, then stop"

        press(window, Qt.Key.Key_Escape)
        assert window.generator.is_streaming()
        assert window.buffer.view.ghost_bar.isHidden()
        press(window, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: not window.generator.is_streaming())

        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: BEGUN in window.buffer.view.editor.tail_text)
        assert key.accessibleName() == "hide, then stop"
        let_end(window, qtbot, held)
        assert key.accessibleName() == "dismiss"


@pytest.mark.slow
def test_generate_goes_on_from_the_card_that_was_chosen_beside_a_ghost(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        document, editor = window.document, window.buffer.view.editor
        editor.set_caret(8)
        offer_in_part(window, qtbot, 0)
        [rest] = [i for i in document.tree.nodes if document.tree.nodes[i].text == " was lit"]
        for text, taken in ((" was lit", 0), (ANSWER, 1)):
            chosen = next(i for i in document.tree.nodes if document.tree.nodes[i].text == text)
            for _ in range(taken):
                press(window, Qt.Key.Key_Right, CONTROL)
            document.place.set_current(chosen)
            window.preview.refresh_now()
            ahead = window.preview.question
            assert ahead is not None
            assert ahead.sources.primary_id == chosen

            ask(window, qtbot)

            assert prompt(server) == "The lamp" + text
            assert document.path_ids[-1] == chosen
        assert rest in document.tree.nodes


def check_what_is_sent(window: MainWindow, qtbot: QtBot, server: FakeServer) -> str:
    """What Generate sends is what was told before; it is given back."""
    qtbot.waitUntil(lambda: not window.preview._soon.isActive())
    told, count = window.preview.last, len(server.received)
    assert told is not None
    window.actions_set.by_name["generate"].trigger()
    qtbot.waitUntil(lambda: len(server.received) > count)
    assert prompt(server) == "".join(getattr(part, "text", "") for part in told.messages[-1].parts)
    return prompt(server)


@pytest.mark.slow
def test_what_would_be_sent_is_told_with_what_was_taken_of_a_ghost(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        for asked_at, words, back in ((8, 0, 0), (8, 0, 3), (8, 2, 0), (16, 2, 4), (8, 2, 9)):
            editor, tree = begin_anew(window), window.document.tree
            window.preferences.put("ghost_preview", False)
            ask(window, qtbot)
            beside = window.document.path_ids[-1]
            window.document.place.read(tree.incoming(beside)[0].with_role("primary")[0])
            window.preview.pending.attach([beside], "context")
            editor.set_caret(asked_at)
            text = offer_in_part(window, qtbot, words)
            for _ in range(back):
                press(window, Qt.Key.Key_Left)
            sent = text[: len(text) - back]

            told = check_what_is_sent(window, qtbot, server)

            assert told.endswith(ANSWER * (words > 0 and back < 8) + sent), (asked_at, words, back)


@pytest.mark.slow
def test_what_would_be_sent_is_told_with_what_was_taken_of_a_ghost_that_grows(
    tmp_path: Path, qtbot: QtBot
) -> None:
    held = Held()
    with held.server, writing_unseen(tmp_path / "g.loom", held.server) as window:
        editor = window.buffer.view.editor
        window.preferences.put("ghost_preview", True)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: BEGUN in editor.tail_text)
        press(window, Qt.Key.Key_Right, CONTROL)

        assert check_what_is_sent(window, qtbot, held.server) == "The lamp was lit Third"
        let_end(window, qtbot, held)


@pytest.mark.slow
def test_what_would_be_filled_in_is_told_with_the_text_once_a_ghost_is_settled(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        editor, continuation = window.buffer.view.editor, window.buffer.continuation
        editor.set_caret(8)
        text = offer_in_part(window, qtbot, 2)
        assert continuation.ahead_filling(3, window.buffer.ghosts.once_settled()[0]).suffix == text[3:]
        window.buffer.ghosts.settle()
        assert continuation.ahead_filling(3).suffix == text[3:]
        editor.set_caret(8)
        offer_in_part(window, qtbot, 0)
        assert continuation.ahead_filling(3, window.buffer.ghosts.once_settled()[0]).suffix == text[3:]


def on_screen(window: MainWindow) -> str:
    """The text with the words that were taken."""
    tail = window.buffer.tail
    return window.buffer.view.editor.text + window.buffer.view.editor.tail_text[: tail.taken]


PLACES = [(16, 1), (8, 0), (8, 1)]  # where it is asked in "The lamp was lit", words that are taken


def as_settled(window: MainWindow, words: int) -> str:
    """The text that a ghost leaves: with what was taken, else as it was before it was asked for."""
    return on_screen(window) if words else "The lamp was lit"


@pytest.mark.slow
@pytest.mark.parametrize(("at", "words"), one_in(3, PLACES, first=1))
def test_a_ghost_leaves_the_text_that_was_seen_when_its_tree_or_window_is_left(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, at: int, words: int
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        document, editor = window.document, window.buffer.view.editor
        here = document.tree.loom.id
        editor.set_caret(at)
        offer_in_part(window, qtbot, words)
        text = as_settled(window, words)

        document.new_tree("buffer")
        document.open_tree(here)

        assert (editor.text, editor.tail_text) == (text, "")
        editor.set_caret(at)
        offer_in_part(window, qtbot, words)
        text = on_screen(window) if words else text
    with writing_unseen(tmp_path / "g.loom", server) as again:
        assert again.buffer.view.editor.text == text


@pytest.mark.slow
@pytest.mark.parametrize(("at", "words"), one_in(3, [PLACES[2], *PLACES[:2]]))
def test_what_was_taken_of_a_ghost_and_what_was_below_it_is_exported_and_found(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, at: int, words: int
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        editor, bar = window.buffer.view.editor, window.buffer.view.find_bar
        window.actions_set.by_name["findInPath"].trigger()
        bar.words.setText("lamp")
        bar.by.setText("boat")
        editor.set_caret(at)
        offer_in_part(window, qtbot, words)
        window.buffer.search.seek()
        text = as_settled(window, words)

        bar.replace_all_asked.emit()

        assert (editor.text, editor.tail_text) == (text.replace("lamp", "boat"), "")
        window.actions_set.by_name["undo"].trigger()
        editor.set_caret(at)
        offer_in_part(window, qtbot, words)
        text = on_screen(window) if words else editor.text + " was lit" * (at == 8)
        assert save_export(window, qtbot, "text", tmp_path / "out.txt").decode() == editor.text == text


def test_keys_of_a_ghost_are_for_the_text_when_the_button_was_clicked_and_the_outline_shows_the_same_one(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, "The lamp was lit") as window:
        window.preferences.put("ghost_preview", True)
        window.buffer.place.to_end()
        find(window.composer, QSpinBox, "continuationCount").setValue(3)
        button = find(window.composer, QPushButton, "generateButton")
        button.setFocus()
        button.click()

        qtbot.waitUntil(lambda: window.buffer.view.editor.has_ghost)

        assert window.focusWidget() is window.buffer.view.editor
        qtbot.waitUntil(lambda: not window.generator.is_streaming())
        rows = window.side_parts.outline.rows
        for place in (1, 2):
            row = rows.row(rows.index(rows.rowCount() - 1))
            assert row is not None
            assert row.place == (place, 3)
            window.buffer.ghosts.step(1)


def test_of_a_ghost_of_which_words_are_taken_no_next_one_is_named_and_its_key_says_why(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        tail, bar = window.buffer.tail, window.buffer.view.ghost_bar
        window.composer.set_count(2)
        offer_in_part(window, qtbot, 0)
        assert not find(bar, GhostKey, "ghostNext").isHidden()
        press(window, Qt.Key.Key_Right, CONTROL)
        assert find(bar, GhostKey, "ghostNext").isHidden()

        press(window, Qt.Key.Key_Period, Qt.KeyboardModifier.AltModifier)

        assert (tail.is_ghost, len(tail.offers), bool(tail.taken)) == (True, 2, True)
        note = find(window.status, QLabel, "statusNote").text()
        assert note == "Words of this answer are taken: no other one is on offer beside it."


def test_what_went_along_with_a_ghost_that_is_dismissed_goes_along_again(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        document, pending = window.document, window.preview.pending
        window.writing.settle()
        change = node_edits.add_node(document.tree, document.tree.root_id, "Notes.", document.pen())
        leaf = document.current_id
        document.commit(change)
        document.place.read(leaf)
        [lore] = [node.id for node in change.added_nodes()]
        pending.attach([lore], "context")
        offer_in_part(window, qtbot, 0)
        assert ("Notes." in prompt(server), pending.roles) == (True, {})

        press(window, Qt.Key.Key_Escape)

        assert pending.roles == {lore: "context"}
        offer_in_part(window, qtbot, 1)
        assert ("Notes." in prompt(server), pending.roles) == (True, {})
        press(window, Qt.Key.Key_Escape)
        assert not pending.roles, "a word of it was taken"


def test_undo_takes_back_what_was_taken_of_a_ghost_and_then_the_answer(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        by_name = window.actions_set.by_name
        for at, typed in ((16, ""), (16, "!"), (8, ""), (8, "!")):
            editor = begin_anew(window)
            editor.set_caret(at)
            text = offer_in_part(window, qtbot, 1)
            QTest.keyClicks(editor, typed)
            if typed:
                assert editor.text == text + typed
                by_name["undo"].trigger()
                assert editor.text == text

            by_name["undo"].trigger()

            assert (editor.text, editor.tail_text) == ("The lamp was lit", "")
            assert [n.text for n in window.document.tree.nodes.values()].count(ANSWER) == 1
            by_name["redo"].trigger()
            assert editor.text == text
            by_name["undo"].trigger()
            by_name["undo"].trigger()
            assert editor.text == "The lamp was lit"
            assert ANSWER not in [n.text for n in window.document.tree.nodes.values()]


def after_a_crash(window: MainWindow, folder: Path) -> Path:
    """The grove as a kill leaves it, once the journal is on disk."""
    assert window.journal is not None
    assert window.journal.settle(5)
    copy_as_killed(folder, folder / "crashed")
    return folder / "crashed" / "g.loom"


@pytest.mark.parametrize(("at", "words"), one_in(2, PLACES))
def test_what_was_taken_of_a_ghost_or_the_whole_text_is_there_after_a_crash(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, at: int, words: int
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        window.buffer.view.editor.set_caret(at)
        offer_in_part(window, qtbot, words)
        text = as_settled(window, words)

        with writing_unseen(after_a_crash(window, tmp_path), server) as again:
            assert (again.buffer.view.editor.text, again.buffer.view.editor.tail_text) == (text, "")
            if words:
                again.actions_set.by_name["undo"].trigger()
            assert again.buffer.view.editor.text == "The lamp was lit"


@pytest.mark.slow
@pytest.mark.parametrize(("at", "words"), one_in(3, [*PLACES[1:], PLACES[0]]))
def test_what_was_taken_of_a_ghost_that_grew_or_the_whole_text_is_there_after_a_crash(
    tmp_path: Path, qtbot: QtBot, at: int, words: int
) -> None:
    held = Held()
    with held.server, writing_unseen(tmp_path / "g.loom", held.server) as window:
        editor = window.buffer.view.editor
        window.preferences.put("ghost_preview", True)
        editor.set_caret(at)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: BEGUN in editor.tail_text)
        for _ in range(words):
            press(window, Qt.Key.Key_Right, CONTROL)
        text = as_settled(window, words)

        with writing_unseen(after_a_crash(window, tmp_path), held.server) as again:
            assert again.buffer.view.editor.text == text
        let_end(window, qtbot, held)


@pytest.mark.slow
def test_redo_of_a_ghost_that_was_taken_reads_it_also_after_a_restart(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        window.buffer.view.editor.set_caret(8)
        offer_in_part(window, qtbot, 0)
        press(window, Qt.Key.Key_Tab)
        text = window.buffer.text
        assert text.startswith("The lamp")
        assert ANSWER.strip() in text
        window.actions_set.by_name["undo"].trigger()
        assert window.buffer.text == "The lamp was lit"

    with open_grove(tmp_path / "g.loom") as grove:
        document = Document(grove)
        desk = BufferSession(document)
        desk.undo.redo()
        assert desk.buffer_text.text == text
