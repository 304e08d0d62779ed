"""The buffer in its window: ghosts, versions, search, what is cut, and words that are never lost.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QTextCharFormat
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.model.entities import ContextSettings
from loomapp.core.text.diff import DiffRun
from loomapp.providers import registry
from loomapp.session.document import Document
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.session.writing.continuation import BufferContinuation
from loomapp.store.grove.open import open_grove
from loomapp.ui.buffer.bars import GhostBar, GhostKey
from loomapp.ui.buffer.margin.margins import Margins
from loomapp.ui.buffer.margin.marks import MarginMarks
from loomapp.ui.buffer.margin.version_list import not_in, what_changed
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.buffer.text.prose_column import TOP_PX
from loomapp.ui.commands.buffer.pager import beside_in_view
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import SiblingPager
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import show_active
from tests.kit.export_panel import save_export
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, answers, chunk, fails, usage
from tests.kit.windows import open_window, unseen_window
from tests.session.programs import ask_server

DOTTED = QTextCharFormat.UnderlineStyle.DotLine
CONTROL = Qt.KeyboardModifier.ControlModifier
ANSWER = " and the oil was cold."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(answers(ANSWER)) as server:
        yield server


@contextmanager
def writing(
    path: Path, qtbot: QtBot, server: FakeServer, text: str = "The lamp was lit"
) -> Iterator[MainWindow]:
    """A window on a new buffer with a text, the caret at its end."""
    make_buffer(path, server)
    with open_window(path, qtbot) as window:
        begin_with(window, text)
        yield window


@contextmanager
def writing_unseen(path: Path, server: FakeServer, text: str = "The lamp was lit") -> Iterator[MainWindow]:
    """The same in a window that is never on the screen, which is cheaper."""
    make_buffer(path, server)
    with unseen_window(path) as window:
        begin_with(window, text)
        yield window


def saved_text(path: Path) -> str:
    """The text of a buffer in a closed grove, as whoever opens it again reads it."""
    with open_grove(path) as grove:
        return BufferSession(Document(grove)).buffer_text.text


def make_buffer(path: Path, server: FakeServer) -> None:
    if not path.exists():
        new_tree(path, mode="buffer")
        with open_grove(path) as grove:
            ask_server(grove, server.url)


def begin_with(window: MainWindow, text: str) -> None:
    window.composer.set_count(1)
    editor = window.buffer.view.editor
    editor.setFocus()
    if not editor.text:
        editor.put(text)


def press(
    window: MainWindow, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.keyClick(window.buffer.view.editor, key, held)


def ask(window: MainWindow, qtbot: QtBot) -> None:
    """Generate, and wait for the answer."""
    window.actions_set.by_name["generate"].trigger()
    assert window.generator.is_streaming()
    qtbot.waitUntil(lambda: not window.generator.is_streaming())


def write_over(window: MainWindow, old: str, new: str) -> None:
    editor = window.buffer.view.editor
    at = editor.text.index(old)
    editor.select(at, at + len(old))
    QTest.keyClicks(editor, new)


def test_a_ghost_is_taken_word_by_word_or_whole(tmp_path: Path, qtbot: QtBot, server: FakeServer) -> None:
    with writing(tmp_path / "g.loom", qtbot, server) as window:
        editor, document = window.buffer.view.editor, window.document
        window.preferences.put("ghost_preview", True)
        ask(window, qtbot)
        written = document.path_ids[-1]
        assert (editor.text, editor.tail_text) == ("The lamp was lit", ANSWER)
        assert window.buffer.view.ghost_bar.isVisible()
        assert len(document.tree.children(written)) == 1  # it is in the tree, taken or not

        for _ in range(2):
            press(window, Qt.Key.Key_Right, CONTROL)
        assert editor.text == "The lamp was lit"
        QTest.keyClicks(editor, "!")
        assert editor.text == "The lamp was lit and the!"
        spans = list(window.writing.buffer_text.spans_between(0, len(editor.text)))
        assert [span.author_type for span in spans] == ["human", "model", "human"]
        assert not window.buffer.view.ghost_bar.isVisible()

        ask(window, qtbot)
        press(window, Qt.Key.Key_Tab)
        assert editor.text == "The lamp was lit and the!" + ANSWER
        ask(window, qtbot)
        press(window, Qt.Key.Key_Escape)
        assert editor.text == "The lamp was lit and the!" + ANSWER
        assert not editor.tail_text


@pytest.mark.slow
def test_of_a_ghost_that_grows_only_what_was_taken_is_kept(tmp_path: Path, qtbot: QtBot) -> None:
    def grows(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk(ANSWER))
        conversation.wait_until_left()

    with FakeServer(grows) as server, writing(tmp_path / "g.loom", qtbot, server, "The lamp ") as window:
        editor, generator, document = window.buffer.view.editor, window.generator, window.document
        window.preferences.put("ghost_preview", True)
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: ANSWER in editor.tail_text)
        press(window, Qt.Key.Key_Right, CONTROL)
        press(window, Qt.Key.Key_Period, Qt.KeyboardModifier.AltModifier)
        assert generator.is_streaming()
        assert (window.buffer.tail.is_ghost, ANSWER in editor.text) == (True, False)
        before = editor.text

        QTest.keyClicks(editor, "!")

        assert editor.text == before + " and!"
        assert not generator.is_streaming()
        window.writing.settle()
        assert [document.tree.nodes[i].text for i in document.path_ids[-2:]] == [" and", "!"]
        assert ANSWER in [node.text for node in document.tree.nodes.values()]  # it stays in the tree


@pytest.mark.slow
def test_a_space_that_was_not_sent_is_there_when_writing_goes_on(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BufferContinuation, "_is_continued_itself", lambda _: True)
    with writing(tmp_path / "g.loom", qtbot, server, "First part. ") as window:
        editor = window.buffer.view.editor
        window.preferences.put("ghost_preview", True)
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert window.preview.last.messages[-1].text == "First part."  # as it is sent
        ask(window, qtbot)
        assert editor.text == "First part."

        QTest.keyClicks(editor, "Words ")
        assert editor.text == "First part. Words "
        ask(window, qtbot)
        press(window, Qt.Key.Key_Escape)

        assert editor.text == "First part. Words "
        assert editor.is_at_end


def test_what_is_pasted_is_committed_and_found_again_exactly(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    odd, path = "a\u2028b\u2029c\rd\r\ne\x85f\u00a0 ", tmp_path / "g.loom"
    with writing(path, qtbot, server, odd) as window:
        window.writing.commit()
        assert window.document.tree.nodes[window.document.path_ids[-1]].text == odd
        nodes, steps = window.document.tree.nodes.copy(), window.document.history.steps().steps

    with writing(path, qtbot, server) as window:
        assert window.buffer.view.editor.text == odd
        assert not window.writing.has_words
    with writing(path, qtbot, server) as window:
        assert window.document.tree.nodes == nodes
        assert window.document.history.steps().steps == steps


def test_the_end_of_a_text_that_was_cut_by_its_limit_says_so_until_it_has_gone_on(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, server: FakeServer
) -> None:
    def cut(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk(ANSWER) + chunk(reason="length") + usage(7, 3) + DONE)

    server.scripts = [cut]
    with writing(tmp_path / "g.loom", qtbot, server) as window:
        ask(window, qtbot)
        margins = window.buffer.view.margins

        margins.place()
        margins.left.repaint()
        said = "Cut at 3 tokens. Generate goes on from here"
        assert [beside.ended for beside in margins.look() if beside.key and not beside.is_tail] == ["", said]
        [(place, words)] = margins.sign_words
        assert (words, margins.words_at(place.center().toPoint())) == (said, said)
        editor = window.buffer.view.editor
        editor.select(len(editor.text) - 3, len(editor.text))
        editor.put("now.")
        assert said not in [beside.ended for beside in margins.look()], "the writer has ended it"
        window.actions_set.by_name["undo"].trigger()
        assert said in [beside.ended for beside in margins.look()]
        editor.set_caret(len(editor.text))
        editor.put(" It was night.")
        window.writing.commit()

        assert said not in [beside.ended for beside in margins.look()]


def test_a_pager_counts_no_answer_that_failed_and_what_says_why_keeps_its_place(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    server.scripts = [answers(ANSWER), fails(400)]
    with writing(tmp_path / "g.loom", qtbot, server) as window:
        ask(window, qtbot)

        window.actions_set.by_name["generateSiblings"].trigger()
        qtbot.waitUntil(lambda: len(server.received) > 1 and not window.generator.is_streaming())

        assert len(window.generator.drafts(window.document.tree.loom.id)) == 1
        passages = [one for one in beside_in_view(window.buffer, window.bench.work) if not one.is_tail]
        assert [one.count for one in passages] == [1, 1]

        window.generator.answers.dismiss_all(window.document.tree.loom.id)
        strip = window.buffer.view.filling
        assert not strip.isVisible()
        window.buffer.view.editor.set_caret(len(window.buffer.buffer_text.text))
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: len(server.received) > 2 and not window.generator.is_streaming())
        qtbot.waitUntil(strip.isVisible)
        words, place = strip.text, strip.geometry()
        window.buffer.view.editor.put(" It was night.")
        window.writing.commit()
        assert (strip.isVisible(), strip.text, strip.geometry()) == (True, words, place), "nothing jumps"


@pytest.mark.parametrize("width", one_in(2, [1000, 360]))
def test_no_sign_stands_on_a_pager_or_on_another_sign(qtbot: QtBot, width: int) -> None:
    editor = BufferEditor()
    margins = Margins(editor)
    editor.resize(width, 500)
    editor.show_text("One\ntwo\nthree\nfour\nfive\nsix")
    tint = QColor("red")
    margins.look = lambda: [
        MarginMarks("a", 0, 3, tint, number=1, count=3, interrupted="cancelled", bookmarked=True),
        MarginMarks("b", 3, 6, tint, number=2, count=3, interrupted="cancelled"),
        MarginMarks("c", 6, 9, tint, number=2, count=3, bookmarked=True),
        MarginMarks("d", 9, 18, tint, interrupted="cancelled"),
    ]
    show_active(qtbot, editor)
    margins.place()
    margins.left.repaint()

    pagers = [QRectF(pager.geometry()) for pager in margins.left.findChildren(SiblingPager)]
    assert (len(pagers), len(margins.signs)) == (3, 5)
    for one, other in itertools.combinations((*pagers, *margins.signs), 2):
        assert not one.intersects(other)
    assert all(sign.left() >= 0 for sign in margins.signs)
    editor.close()
    editor.deleteLater()


@pytest.mark.parametrize("width", one_in(3, [1300, 760, 360]))
@pytest.mark.parametrize("versions", [2, 12])
def test_chips_of_one_line_stand_beside_that_line(qtbot: QtBot, width: int, versions: int) -> None:
    editor = BufferEditor()
    margins = Margins(editor)
    editor.resize(width, 500)
    editor.show_text("One two\nthree")
    tint = QColor("red")
    passages = {"a": (0, 3), "b": (4, 7), "c": (7, 13)}
    margins.look = lambda: [MarginMarks(key, *at, tint, versions=versions) for key, at in passages.items()]
    show_active(qtbot, editor)
    margins.place()

    one, other, alone = (margins.chip_rect(key) for key in "abc")

    assert one.center().y() == other.center().y() == editor.line_rect(0).center().y() + TOP_PX
    assert alone.center().y() == editor.line_rect(8).center().y() + TOP_PX
    assert not one.intersects(other)
    assert margins.right.geometry().contains(one.united(other))
    assert min(one.width(), other.width()) >= alone.height(), "a finger finds each of them"
    assert alone.width() > one.width() or width == 1300, "a chip that stands alone says all"
    editor.close()
    editor.deleteLater()


def test_a_version_says_which_words_stand_for_which_and_the_first_what_is_gone() -> None:
    first, second, third = (
        "She had three coins, and a key.",
        "She had nine coins, and a key.",
        "She had nine coins.",
    )

    assert said(what_changed(second, first)) == "[nine] for three"
    assert said(what_changed(third, second)) == "without , and a key"
    assert said(what_changed(first, third)).count("[") == 2
    assert said(not_in(first, second)) == "She had [three]"
    assert said(not_in("She had.", first)) == "She had."


def said(runs: tuple[DiffRun, ...]) -> str:
    return "".join(f"[{run.text}]" if run.differs else run.text for run in runs)


@pytest.mark.slow
def test_the_pager_after_the_end_counts_ways_on_and_no_versions(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server) as window:
        ask(window, qtbot)
        document, editor = window.document, window.buffer.view.editor
        end = document.path_ids[-2]
        editor.set_caret(len(editor.text) - 1)
        editor.put("er")
        window.writing.commit()
        document.place.read(end)
        assert len(document.tree.living_children(end)) == 2

        assert list(beside_in_view(window.buffer, window.bench.work))[-1].count == 1
        assert window.buffer.turning.turn_tail(1)
        assert editor.text.endswith("colder.")


def test_a_pager_of_ways_on_that_are_not_read_counts_none(qtbot: QtBot) -> None:
    pager = SiblingPager()
    qtbot.addWidget(pager)

    pager.show_place(0, 4)

    assert pager.text == "+4"
    assert pager.accessibleName() == "4 siblings, none of them read now"
    assert pager.after_button.isEnabled()
    assert not pager.before_button.isEnabled()


def test_keys_of_a_ghost_leave_out_words_and_never_run_into_each_other(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    bar = GhostBar(parent)
    bar.show_offers(has_next=True, grows=True)
    whole = bar.sizeHint().width()

    for room in (whole, whole - 40, whole // 2):
        assert bar.fit(room) <= room
        assert bar.fit(whole) == whole
    bar.fit(whole - 40)
    assert [key.toolTip() for key in bar.findChildren(GhostKey)] == ["", "", "", "hide, then stop"]


@pytest.mark.slow
def test_a_correction_colours_only_itself_and_everything_after_it_stays(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server) as window:
        editor, document = window.buffer.view.editor, window.document
        ask(window, qtbot)
        answer = document.path_ids[-1]
        ask(window, qtbot)
        below = document.path_ids[-1]

        write_over(window, "oil", "tea")
        window.writing.settle()

        version = document.path_ids[-2]
        assert document.path_ids[-1] == below
        assert document.tree.nodes[version].edited_from == answer
        spans = window.writing.buffer_text.spans(len(document.path_ids) - 2)
        text = document.tree.nodes[version].text
        assert [text[s.start : s.end] for s in spans if s.author_type == "human"] == ["tea"]
        passage = window.writing.buffer_text.passage(len(document.path_ids) - 2)
        looks = list(window.buffer.view.colouring.looks(passage.start, passage.end))
        underlined = [editor.text[a:b] for a, b, look in looks if look.underlineStyle() == DOTTED]
        assert underlined == ["tea"]


@pytest.mark.slow
def test_undo_takes_back_typing_and_then_what_was_done_in_one_order(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, "One") as window:
        editor = window.buffer.view.editor
        ask(window, qtbot)
        QTest.keyClicks(editor, "Two")
        seen = [editor.text]

        for _ in range(3):
            press(window, Qt.Key.Key_Z, CONTROL)
            seen.append(editor.text)

        assert seen == [f"One{ANSWER}Two", f"One{ANSWER}", "One", ""]


@pytest.mark.slow
def test_typing_goes_on_in_its_order_after_undo_and_comes_back_by_the_redo_key(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, "One") as window:
        editor, redo = window.buffer.view.editor, window.actions_set.by_name["redo"]
        window.writing.commit()
        editor.put(" two")
        window.writing.commit()
        editor.selectAll()
        press(window, Qt.Key.Key_Backspace)
        press(window, Qt.Key.Key_Z, CONTROL)
        QTest.keyClicks(editor, "wxyz")
        assert editor.text == "One twowxyz"
        assert editor.caret == len(editor.text)

        for _ in range(2):
            press(window, Qt.Key.Key_Z, CONTROL)
        assert editor.text == "One"
        for _ in range(2):
            assert redo.isEnabled()
            press(window, Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)

        assert editor.text == "One twowxyz"
        assert not redo.isEnabled()


@pytest.mark.slow
def test_words_that_are_dragged_to_another_passage_are_one_step_of_undo(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server) as window:
        editor = window.buffer.view.editor
        ask(window, qtbot)
        before = editor.text
        assert before == "The lamp was lit" + ANSWER

        editor._move(4, 9, before.index("cold"))

        said = "The was lit and the oil was lamp cold."
        assert editor.text == window.buffer.text == said
        window.actions_set.by_name["undo"].trigger()
        assert editor.text == before
        window.actions_set.by_name["redo"].trigger()
        window.writing.commit()
        assert editor.text == said
        window.actions_set.by_name["undo"].trigger()
        assert editor.text == before


def test_words_are_found_and_replaced_over_several_passages_at_once(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, "The cold lamp") as window:
        editor, bar, document = window.buffer.view.editor, window.buffer.view.find_bar, window.document
        ask(window, qtbot)
        window.actions_set.by_name["findInPath"].trigger()
        bar.words.setText("cold")
        window.buffer.search.seek()
        assert "cold → (nothing)" in bar.preview
        text = editor.text
        window.buffer.search.replace_all()
        assert (editor.text, bar.preview) == (text, "Delete 2 places? Press again.")
        window.buffer.search.replace_all()
        assert "cold" not in editor.text
        window.actions_set.by_name["undo"].trigger()
        window.buffer.search.seek()
        bar.by.setText("warm")
        window.buffer.search.seek()
        assert "cold → warm" in bar.preview
        before = len(document.history.steps().steps)
        editor.set_caret(2)

        window.buffer.search.replace_all()

        assert editor.text == "The warm lamp" + ANSWER.replace("cold", "warm")
        assert len(document.history.steps().steps) == before + 1
        assert (editor.caret, document.current_id) == (2, document.path_ids[-2])
        bar.words.setText("lamp")
        window.buffer.search.seek()
        assert has_marked_cards(window)

        window.actions_set.by_name["newDialogue"].trigger()
        window.text_pane.composer.set_text("A lamp of the dialogue")
        window.actions_set.by_name["addMessage"].trigger()

        assert not has_marked_cards(window)
        window.text_pane.composer.set_text("Another")
        window.actions_set.by_name["addBeside"].trigger()
        tree = window.document.tree
        beside = [tree.nodes[node_id].text for node_id in tree.children(tree.root_id)]
        assert beside == ["A lamp of the dialogue", "Another"], "a fork of which no model knows"


def test_the_text_stays_where_it_is_when_words_before_it_are_replaced_by_longer_ones(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    paragraphs = "".join(f"{number}. The lamp was lit, was dim and was out.\n" for number in range(300))
    long = paragraphs.replace("was dim", "was dim, " + "as it had to be " * 12)
    with writing(tmp_path / "g.loom", qtbot, server, long) as window:
        editor, bar = window.buffer.view.editor, window.buffer.view.find_bar
        window.writing.settle()
        window.actions_set.by_name["findInPath"].trigger()
        bar.words.setText("was")
        bar.by.setText("had never before been")
        window.buffer.search.seek()
        editor.set_caret(editor.text.index("150. "))
        editor.show_place(editor.caret)
        before = editor.text[editor.top[0] :].partition(".")[0]

        window.buffer.search.replace_all()

        qtbot.waitUntil(lambda: "was" not in editor.text)
        assert editor.text[editor.top[0] :].partition(".")[0] == before


def has_marked_cards(window: MainWindow) -> bool:
    """Tell whether something in the graph has the colour of what is found; notes have it too."""
    image = window.graph.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return theme.colour("state.warning").rgb().to_bytes(4, sys.byteorder) in bytes(image.constBits())


def test_typing_what_is_looked_for_shows_it_and_tab_goes_to_what_comes_instead(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    lines = ["word " * 120] * 40
    text = "\n".join(("The lamp", *lines, "word " * 150 + "the boat", *lines))
    with writing(tmp_path / "g.loom", qtbot, server, text) as window:
        editor, bar = window.buffer.view.editor, window.buffer.view.find_bar
        editor.set_caret(0)
        window.actions_set.by_name["findInPath"].trigger()
        qtbot.waitUntil(bar.words.hasFocus)
        QTest.keyClicks(bar.words, "boat")
        window.buffer.search.seek()
        first, last = editor.in_view()
        assert first <= text.index("boat") < last
        assert editor.caret == 0

        QTest.keyClick(bar.words, Qt.Key.Key_Tab)
        assert bar.by.hasFocus()
        QTest.keyClick(bar.by, Qt.Key.Key_Escape)
        assert editor.selection == (text.index("boat"), text.index("boat") + 4), "what is typed now is seen"

        window.actions_set.by_name["findInPath"].trigger()
        bar.words.setText("word")
        bar.by.setText("oar")
        editor.set_caret(0)
        window.buffer.search.seek()
        window.buffer.search.replace()
        at = editor.text.index("word")
        assert editor.selection == (at, at + 4), "the next one"
        bar.leave()


@pytest.mark.slow
@pytest.mark.parametrize("button", one_in(2, ["replaceOne", "replaceAll"]))
def test_replacing_takes_the_words_as_they_are_written_by_then(
    tmp_path: Path, qtbot: QtBot, server: FakeServer, button: str
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, "The lamp was lame") as window:
        editor, bar = window.buffer.view.editor, window.buffer.view.find_bar
        editor.set_caret(0)
        window.actions_set.by_name["findInPath"].trigger()
        bar.words.setText("lam")
        bar.by.setText("bo")
        window.buffer.search.seek()
        bar.words.setText("lamp")
        bar.by.setText("boat")

        find(bar, QPushButton, button).click()

        assert editor.text == "The boat was lame"
        bar.leave()


@pytest.mark.slow
def test_what_was_being_written_is_there_again_after_another_tree(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    path = tmp_path / "g.loom"
    with writing(path, qtbot, server) as window:
        first = window.document.tree.loom.id
        window.actions_set.by_name["newDialogue"].trigger()
        assert window.text_pane.dialogue.isVisible()
        window.composer.set_text("said in the dialogue")
        window.opening.open(first)
        assert window.buffer.view.editor.text == "The lamp was lit"
        assert window.composer.text == ""
        write_over(window, "lamp", "boat")

    with writing(path, qtbot, server) as window:
        assert window.buffer.view.editor.text == "The boat was lit"


@pytest.mark.slow
def test_where_the_context_begins_stands_in_the_text(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, "word " * 400) as window:
        window.preview.refresh_now()
        assert window.preview.last is not None
        room = window.preview.last.report.window - 100
        loom = replace(window.document.tree.loom, context_settings=ContextSettings(token_buffer=room))
        window.document.trees.save_loom(loom)
        window.preview.refresh_now()

        [cut] = window.buffer.view.margins.cuts
        assert 99 <= window.preview.last.report.after_tokens <= 100, "at most one token is free"
        assert window.preview.last.messages[-1].text == window.buffer.text[cut.position :]


@pytest.mark.slow
def test_a_path_is_exported_exactly(tmp_path: Path, qtbot: QtBot, server: FakeServer) -> None:
    with writing(tmp_path / "g.loom", qtbot, server, "a\r\nb\xa0c ") as window:
        made = save_export(window, qtbot, "text", tmp_path / "out.txt")

    assert made == "a\r\nb\xa0c ".encode()


def test_a_passage_is_split_and_merged_and_says_the_same(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing(tmp_path / "g.loom", qtbot, server) as window:
        editor, document = window.buffer.view.editor, window.document
        window.writing.commit()
        editor.set_caret(4)
        window.actions_set.by_name["splitPassage"].trigger()
        assert [document.tree.nodes[i].text for i in document.path_ids[1:]] == ["The ", "lamp was lit"]
        window.actions_set.by_name["mergeWithParent"].trigger()
        assert [document.tree.nodes[i].text for i in document.path_ids[1:]] == ["The lamp was lit"]
        assert editor.text == "The lamp was lit"
