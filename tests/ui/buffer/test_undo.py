"""Undo in a buffer: one key, one order, and no text is out of sight that nobody took away.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.model.entities import Metadata
from loomapp.providers import registry
from loomapp.session.journal import draft_queue
from loomapp.session.recovery import words_of
from loomapp.store.files import drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.ui.window.main_window import MainWindow
from tests.kit.copies import copy_as_killed
from tests.kit.desktop import shows_all
from tests.kit.families import each_once, one_in
from tests.kit.servers.fake_server import Conversation, FakeServer, Script, answers, chunk, fails
from tests.kit.windows import unseen_window
from tests.ui.buffer.test_view import ANSWER, press, writing

FIRST, SECOND, THIRD = "The lamp was lit. ", "The sea was calm. ", "Nobody came. "
WHOLE = FIRST + SECOND + THIRD
MIDDLE, BOUNDARY = len(FIRST) + 8, len(FIRST)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(answers(ANSWER)) as server:
        yield server


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot, server: FakeServer) -> Iterator[MainWindow]:
    """A window on a text of three passages."""
    with writing(tmp_path / "g.loom", qtbot, server, FIRST) as window:
        for words in (SECOND, THIRD):
            window.writing.settle()
            window.buffer.view.editor.put(words)
        window.writing.settle()
        yield window


def act(window: MainWindow, name: str) -> None:
    action = window.actions_set.by_name[name]
    assert action.isEnabled(), name
    action.trigger()


def text_of(window: MainWindow) -> str:
    """What the editor says, which is what the path says."""
    text = window.buffer.view.editor.text
    assert text == window.buffer.text
    return text


def asked(window: MainWindow, qtbot: QtBot, name: str, caret: int) -> str:
    """Ask with the caret at a place, and wait for what comes; the text then."""
    window.buffer.view.editor.set_caret(caret)
    act(window, name)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    return text_of(window)


def answer_with(server: FakeServer, script: Script) -> None:
    server.scripts = [script]


@pytest.mark.parametrize(
    ("name", "caret", "kept"),
    one_in(
        4,
        [
            ("generate", MIDDLE, WHOLE[:MIDDLE]),
            ("generate", BOUNDARY, FIRST),
            ("generateSiblings", BOUNDARY - 3, FIRST),
            ("generateSiblings", MIDDLE, FIRST + SECOND),
        ],
    ),
)
def test_one_undo_brings_the_text_below_back_and_redo_the_answer(
    window: MainWindow, qtbot: QtBot, name: str, caret: int, kept: str
) -> None:
    document = window.document
    nodes = set(document.tree.nodes)
    assert asked(window, qtbot, name, caret) == kept + ANSWER

    act(window, "undo")

    assert (text_of(window), window.buffer.view.editor.caret) == (WHOLE, len(kept))
    assert set(document.tree.nodes) == nodes
    act(window, "redo")
    assert text_of(window) == kept + ANSWER
    act(window, "undo")
    seen = [text_of(window)]
    for _ in range(3):
        act(window, "undo")
        seen.append(text_of(window))
    assert seen == [WHOLE, FIRST + SECOND, FIRST, ""]


@pytest.mark.slow
def test_what_was_written_while_an_answer_came_in_the_middle_is_undone_in_its_order(
    window: MainWindow, qtbot: QtBot
) -> None:
    editor = window.buffer.view.editor
    editor.set_caret(MIDDLE)
    act(window, "generate")
    editor.select(4, 8)
    QTest.keyClicks(editor, "fire")
    window.writing.settle()
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert text_of(window) == WHOLE[:MIDDLE].replace("lamp", "fire") + ANSWER

    act(window, "undo")
    assert text_of(window) == WHOLE.replace("lamp", "fire")
    act(window, "undo")
    assert text_of(window) == WHOLE
    act(window, "redo")
    assert text_of(window) == WHOLE.replace("lamp", "fire")


@pytest.mark.slow
def test_a_ghost_in_the_middle_is_undone_with_the_text_below_it_there_again(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.preferences.put("ghost_preview", True)
    nodes = set(window.document.tree.nodes)
    assert asked(window, qtbot, "generate", MIDDLE) == WHOLE[:MIDDLE]
    act(window, "undo")
    assert text_of(window) == WHOLE
    assert set(window.document.tree.nodes) == nodes

    asked(window, qtbot, "generate", MIDDLE)
    press(window, Qt.Key.Key_Tab)
    assert text_of(window) == WHOLE[:MIDDLE] + ANSWER
    act(window, "undo")
    assert text_of(window) == WHOLE


@pytest.mark.slow
@pytest.mark.parametrize(("name", "at"), each_once(["bookmark", "exclude", "prune"], [MIDDLE, len(WHOLE)]))
def test_what_was_done_after_words_were_typed_is_undone_before_them(
    window: MainWindow, name: str, at: int
) -> None:
    editor, document = window.buffer.view.editor, window.document
    editor.set_caret(at)
    QTest.keyClicks(editor, "xyz")
    typed = WHOLE[:at] + "xyz" + WHOLE[at:]
    assert text_of(window) == typed

    act(window, name)

    assert not window.writing.has_words
    done, meant = text_of(window), [n for n in document.tree.nodes.values() if "xyz" in n.text]
    flags = meant[0].metadata
    assert (flags.bookmarked, flags.excluded, flags.pruned).count(True) == 1, "the words are meant"
    assert (done == typed) == (name != "prune")
    act(window, "undo")
    assert text_of(window) == typed
    assert editor.caret == at + len("xyz"), "where the writer was"
    assert document.current_id == meant[0].id
    assert document.tree.nodes[meant[0].id].metadata == Metadata()
    act(window, "undo")
    assert text_of(window) == WHOLE
    act(window, "redo")
    act(window, "redo")
    assert text_of(window) == done


def refused(window: MainWindow, server: FakeServer) -> None:
    answer_with(server, fails(400))


def cannot_start(window: MainWindow, server: FakeServer) -> None:
    for node_id in window.document.path_ids[1:]:
        window.document.place.set_current(node_id)
        act(window, "exclude")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault"), each_once(["generate", "generateSiblings"], [refused, cannot_start])
)
def test_the_text_below_comes_back_where_a_request_in_the_middle_fails(
    window: MainWindow,
    qtbot: QtBot,
    server: FakeServer,
    name: str,
    fault: Callable[[MainWindow, FakeServer], None],
) -> None:
    fault(window, server)

    assert asked(window, qtbot, name, MIDDLE) == WHOLE

    editor, view = window.buffer.view.editor, window.buffer.view
    assert view.filling.isVisible() or window.text_pane.errors.text
    end = len(FIRST + SECOND)
    assert editor.caret == (MIDDLE if name == "generate" or fault is cannot_start else end)
    assert not editor.tail_text


@pytest.mark.slow
def test_nobody_who_only_looked_on_is_left_with_a_text_that_was_cut(
    window: MainWindow, qtbot: QtBot, server: FakeServer
) -> None:
    def waits(conversation: Conversation) -> None:
        conversation.head()
        conversation.wait_until_left()

    answer_with(server, waits)
    window.buffer.view.editor.set_caret(MIDDLE)
    act(window, "generate")
    assert text_of(window) == WHOLE[:MIDDLE]

    act(window, "stop")

    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert text_of(window) == WHOLE


@pytest.mark.slow
def test_a_retry_in_the_middle_asks_there_again_and_goes_on_there(
    window: MainWindow, qtbot: QtBot, server: FakeServer
) -> None:
    answer_with(server, fails(400))
    asked(window, qtbot, "generate", MIDDLE)
    answer_with(server, answers(ANSWER))

    window.buffer.view.filling.act_clicked.emit("retry")

    assert text_of(window) == WHOLE[:MIDDLE]
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert text_of(window) == WHOLE[:MIDDLE] + ANSWER
    assert not window.buffer.view.filling.isVisible()
    act(window, "undo")
    assert text_of(window) == WHOLE


@pytest.mark.slow
@pytest.mark.parametrize("caret", one_in(2, [MIDDLE, len(WHOLE)]))
def test_words_that_were_written_after_a_failure_stay_where_they_are_when_it_is_asked_again(
    window: MainWindow, qtbot: QtBot, server: FakeServer, caret: int
) -> None:
    editor, document = window.buffer.view.editor, window.document
    answer_with(server, fails(400))
    asked(window, qtbot, "generate", caret)
    [draft] = window.generator.drafts(document.tree.loom.id)
    editor.set_caret(len(WHOLE))
    QTest.keyClicks(editor, "Mine.")
    answer_with(server, answers(ANSWER))

    said = window.buffer.view.filling.text
    assert said.startswith(f"{document.agents.by_id()[draft.agent_id].name} · ")
    window.buffer.filling.on_act("retry")

    assert text_of(window) == WHOLE + "Mine."
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert text_of(window) == WHOLE + "Mine."
    assert window.generator.drafts(document.tree.loom.id) == ()
    [answer] = [n for n in document.tree.nodes.values() if n.text == ANSWER]
    assert document.tree.incoming(answer.id)[0].with_role("primary") == (draft.parent_id,)
    act(window, "undo")
    assert answer.id not in document.tree.nodes
    assert text_of(window) == WHOLE + "Mine."
    act(window, "undo")
    assert text_of(window) == WHOLE


def test_the_caret_stays_where_a_split_is_undone(window: MainWindow) -> None:
    editor = window.buffer.view.editor
    editor.setFocus()
    editor.set_caret(MIDDLE)
    act(window, "splitPassage")

    act(window, "undo")

    assert editor.caret == MIDDLE
    document = window.document
    assert document.current_id == document.path_ids[2], "Generate goes on from where one reads"


def test_who_stood_in_what_undo_and_redo_change_stands_at_what_is_brought_into_view(
    window: MainWindow,
) -> None:
    editor, bar, search, document = (
        window.buffer.view.editor,
        window.buffer.view.find_bar,
        window.buffer.search,
        window.document,
    )
    act(window, "findInPath")
    bar.words.setText("was")
    bar.by.setText("waned")
    search.seek()
    editor.set_caret(MIDDLE)
    search.replace_all()

    for step in ("undo", "redo"):
        act(window, step)

        assert editor.caret == FIRST.index("was") + len("was" if step == "undo" else "waned")
        assert document.current_id == document.path_ids[1]
        assert text_of(window).startswith("The lamp was" if step == "undo" else "The lamp waned")

    act(window, "undo")
    editor.set_caret(len(editor.text))
    search.seek()
    search.replace_all()
    act(window, "undo")
    assert editor.caret == FIRST.index("was") + len("was"), "at the end of the word, not in it"

    editor.setFocus()
    editor.set_caret(len(editor.text))
    act(window, "redo")
    assert editor.caret == FIRST.index("was") + len("waned"), "who writes elsewhere comes to it too"

    editor.set_caret(MIDDLE)
    editor.put("very ")
    window.writing.settle()
    act(window, "undo")
    assert editor.caret == MIDDLE, "where words were taken out again, not behind the next word"


@pytest.mark.slow
def test_a_split_for_an_answer_that_never_came_takes_no_undo_and_no_redo_of_its_own(
    window: MainWindow, qtbot: QtBot, server: FakeServer
) -> None:
    answer_with(server, fails(400))
    assert asked(window, qtbot, "generate", MIDDLE) == WHOLE
    nodes = set(window.document.tree.nodes)

    act(window, "undo")

    assert text_of(window) == FIRST + SECOND
    act(window, "redo")
    assert text_of(window) == WHOLE
    assert set(window.document.tree.nodes) == nodes
    assert not window.actions_set.by_name["redo"].isEnabled()


@pytest.mark.slow
def test_after_a_restart_too_a_split_in_vain_comes_back_with_what_was_done_before_it(
    window: MainWindow, qtbot: QtBot, server: FakeServer, tmp_path: Path
) -> None:
    answer_with(server, fails(400))
    assert asked(window, qtbot, "generate", MIDDLE) == WHOLE
    nodes, read = set(window.document.tree.nodes), window.document.path_ids
    whole = next(i for i, node in window.document.tree.nodes.items() if node.text == SECOND)
    act(window, "undo")
    assert text_of(window) == FIRST + SECOND
    later = tmp_path / "later"
    copy_as_killed(tmp_path, later)

    with unseen_window(later / "g.loom") as again:
        assert text_of(again) == FIRST + SECOND
        act(again, "redo")
        assert text_of(again) == WHOLE
        assert set(again.document.tree.nodes) == nodes
        assert not again.actions_set.by_name["redo"].isEnabled()
        assert again.document.path_ids == read

        place = read.index(next(i for i in read if i not in (whole, read[0])))
        again.buffer.passages.show_version(place, whole)
        assert text_of(again) == WHOLE
        assert whole in again.document.path_ids
        act(again, "undo")
        assert text_of(again) == FIRST + SECOND


@pytest.mark.slow
def test_redo_is_not_offered_while_words_stand_in_the_place_of_what_was_undone(window: MainWindow) -> None:
    editor, redo = window.buffer.view.editor, window.actions_set.by_name["redo"]
    act(window, "undo")
    assert redo.isEnabled()

    QTest.keyClicks(editor, "x")

    assert window.writing.has_words
    assert not redo.isEnabled()
    act(window, "undo")
    assert redo.isEnabled()


def stalls(words: str, conversation: Conversation) -> None:
    conversation.head()
    conversation.send(chunk(words) if words else b"")
    conversation.wait_until_left()


@pytest.mark.parametrize("words", one_in(2, ["", "The oil "]))
def test_after_a_crash_while_an_answer_came_in_the_middle_the_text_below_is_there_or_one_undo_away(
    window: MainWindow, qtbot: QtBot, server: FakeServer, tmp_path: Path, words: str
) -> None:
    answer_with(server, partial(stalls, words))
    window.buffer.view.editor.set_caret(MIDDLE)
    act(window, "generate")
    grove, crashed = tmp_path / "g.loom", tmp_path / "crashed"
    qtbot.waitUntil(lambda: [words_of(row) for row in drafts.read(drafts_folder(grove))] == [words])

    copy_as_killed(tmp_path, crashed)

    with unseen_window(crashed / "g.loom") as again:
        if words:
            assert text_of(again) == WHOLE[:MIDDLE] + words
            act(again, "undo")
        assert text_of(again) == WHOLE
        qtbot.waitUntil(
            lambda: drafts.read(drafts_folder(crashed / "g.loom")) == []
        )  # a thread takes it away
    act(window, "stop")


@pytest.mark.slow
@pytest.mark.parametrize("is_offered", one_in(2, [False, True]))
def test_right_after_generate_in_the_middle_a_crash_leaves_the_text_below(
    window: MainWindow,
    qtbot: QtBot,
    server: FakeServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_offered: bool,
) -> None:
    kept = window.journal
    assert kept is not None
    for name in ("PAUSE_S", "CEILING_S"):  # so that only what is written at once is on disk
        monkeypatch.setattr(drafts, name, 600.0)
    monkeypatch.setattr(draft_queue, "CUT_S", 60.0)
    answer_with(server, answers(ANSWER) if is_offered else partial(stalls, ""))
    window.preferences.put("ghost_preview", is_offered)
    window.buffer.view.editor.set_caret(MIDDLE)

    act(window, "generate")

    if is_offered:
        qtbot.waitUntil(lambda: not window.generator.is_streaming() and not kept.is_writing)
        assert window.buffer.ghosts.is_on
    copy_as_killed(tmp_path, tmp_path / "crashed")
    with unseen_window(tmp_path / "crashed" / "g.loom") as again:
        assert text_of(again) == WHOLE
    act(window, "stop" if not is_offered else "undo")


@pytest.mark.slow
def test_the_marks_between_passages_stand_where_the_passages_are_after_each_undo_and_redo(
    window: MainWindow, qtbot: QtBot
) -> None:
    editor = window.buffer.view.editor
    viewport = editor.viewport()
    editor.set_caret(4)
    for word in ("big ", "old ", "dim "):
        QTest.keyClicks(editor, word)
        window.writing.input.end_step()
    qtbot.waitUntil(lambda: shows_all(viewport))

    for name in ("undo", "undo", "undo", "redo", "redo"):
        before = editor.text
        act(window, name)
        assert editor.text != before
        qtbot.waitUntil(lambda: shows_all(viewport))
