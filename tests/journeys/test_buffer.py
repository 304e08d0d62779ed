"""Writing in a buffer, as the second journey of the specification has it: pointer, keyboard and engine.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits
from loomapp.store.identity import new_id, now
from loomapp.ui.buffer.margin.marks import VersionChip
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.widgets.buttons import SiblingPager
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.processes.outside import assembled, loomapp, new_tree
from tests.kit.windows import open_window

ANSWER_TIMEOUT_MS = 90_000
ENOUGH_TOKENS = 16  # the engine takes as long for more as all the rest
Looks = list[tuple[int, int, str, str | None]]


def place_of(editor: BufferEditor, position: int) -> QPoint:
    """Where a position of the text is in the viewport."""
    rect = editor.line_rect(position)
    return QPoint(editor.x_of(position), rect.center().y())


def authors(window: MainWindow) -> Looks:
    """Who wrote what, as the text shows it."""
    buffer_text = window.writing.buffer_text
    return [
        (s.start, s.end, s.author_type, s.agent_id) for s in buffer_text.spans_between(0, buffer_text.length)
    ]


def only(window: MainWindow, kind: type[QWidget]) -> QWidget:
    """The one visible widget of a kind in the margins."""
    [found] = [one for one in window.buffer.view.findChildren(kind) if one.isVisible()]
    return found


def pager_of(window: MainWindow) -> SiblingPager:
    """The one pager in view; another passage has another."""
    found = only(window, SiblingPager)
    assert isinstance(found, SiblingPager)
    return found


def check_shown_is_sent(window: MainWindow) -> None:
    """Generate would send what stands before the caret, and the inspector shows that."""
    editor = window.buffer.view.editor
    window.preview.refresh_now()
    assert window.preview.last is not None
    assert window.preview.last.document == editor.text[: editor.caret]


@pytest.mark.timeout(300)
def test_prose_is_written_continued_corrected_and_found_again(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    grove = tmp_path / "prose.loom"
    tree_id, root = new_tree(grove, mode="buffer", text="Once upon a time ")

    with open_window(grove, qtbot) as window:
        document, tree, editor = window.document, window.document.tree, window.buffer.view.editor
        agent = document.agents.model()
        enough = replace(agent.configuration, max_tokens=ENOUGH_TOKENS)
        document.agents.put(replace(agent, configuration=enough))
        window.composer.set_count(2)
        pointer.click(editor.viewport(), place_of(editor, len(editor.text)))
        pointer.type_ascii("there was a lamp")
        qtbot.waitUntil(lambda: editor.text == "Once upon a time there was a lamp")
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert window.preview.last.document == editor.text
        pointer.key("ctrl+Return")
        qtbot.waitUntil(lambda: len(tree.children(root)) == 1)
        written = tree.children(root)[0]
        qtbot.waitUntil(lambda: bool(editor.tail_text))
        assert editor.text == "Once upon a time there was a lamp"
        qtbot.waitUntil(lambda: len(tree.children(written)) == 2, timeout=ANSWER_TIMEOUT_MS)
        first, second = tree.children(written)
        qtbot.waitUntil(lambda: document.path_ids[-1] == first and not editor.tail_text)
        assert editor.text == "Once upon a time there was a lamp" + tree.nodes[first].text
        check_shown_is_sent(window)

        pointer.key("alt+Down")
        qtbot.waitUntil(lambda: document.path_ids[-1] == second)
        said = "Once upon a time there was a lamp" + tree.nodes[second].text
        assert editor.text == said
        qtbot.waitUntil(lambda: pager_of(window).text == "2/2")
        pointer.click(pager_of(window).before_button)
        qtbot.waitUntil(lambda: document.path_ids[-1] == first)
        said = editor.text

        at = said.index("lamp")
        pointer.double_click(editor.viewport(), place_of(editor, at + 1))
        qtbot.waitUntil(lambda: editor.selection == (at, at + len("lamp")))
        pointer.type_ascii("boat")
        qtbot.waitUntil(lambda: editor.text == said.replace("lamp", "boat", 1))
        assert len(tree.nodes) == 4  # nothing is committed while one writes
        pointer.key("ctrl+End")
        qtbot.waitUntil(lambda: editor.is_at_end)
        pointer.type_ascii(" The")
        qtbot.waitUntil(lambda: editor.text.endswith(" The"))
        version = document.path_ids[1]
        assert tree.nodes[version].edited_from == written
        assert document.path_ids == (root, version, first)

        pointer.key("ctrl+Home")
        qtbot.waitUntil(lambda: any(c.isVisible() for c in window.buffer.view.findChildren(VersionChip)))
        pointer.click(only(window, VersionChip))
        versions = window.buffer.view.versions
        qtbot.waitUntil(versions.isVisible)
        passage = window.buffer.view.margins.passage_rect(version)
        assert versions.geometry().top() >= passage.translated(editor.viewport().pos()).bottom()
        pointer.key("Down")
        qtbot.waitUntil(lambda: document.path_ids[1] == written)
        assert editor.text == said + " The"
        pointer.key("Up")
        qtbot.waitUntil(lambda: document.path_ids[1] == version)
        pointer.key("Escape")
        now, colours, path = editor.text, authors(window), document.path_ids
        assert now == said.replace("lamp", "boat", 1) + " The"

    with open_window(grove, qtbot) as window:
        editor = window.buffer.view.editor
        assert window.document.path_ids == path
        assert editor.text == now
        assert authors(window) == colours
        assert assembled(grove, tree_id, path[-1])["document"] == now

    assert "failed" not in loomapp("verify", "--grove", grove)


@pytest.mark.slow
def test_a_text_goes_on_from_its_middle(tmp_path: Path, qtbot: QtBot, pointer: Pointer) -> None:
    grove = tmp_path / "middle.loom"
    _, root = new_tree(grove, mode="buffer")

    with open_window(grove, qtbot) as window:
        document, tree, editor = window.document, window.document.tree, window.buffer.view.editor
        window.composer.set_count(1)
        pointer.click(editor.viewport(), QPoint(4, 12))
        pointer.type_ascii("The ship sailed. It sank.")
        qtbot.waitUntil(lambda: editor.text == "The ship sailed. It sank.")
        editor.set_caret(len("The ship sailed."))
        pointer.key("ctrl+Return")
        qtbot.waitUntil(lambda: editor.text == "The ship sailed." and window.generator.is_streaming())
        pointer.key("Escape")
        qtbot.waitUntil(lambda: not window.generator.is_streaming() and not editor.tail_text)
        pointer.key("alt+Down")
        qtbot.waitUntil(lambda: editor.text == "The ship sailed. It sank.")
        assert [tree.nodes[i].text for i in document.path_ids] == ["", "The ship sailed.", " It sank."]
        assert find(window, QWidget, "bufferEditor") is editor
        assert root in tree.nodes


@pytest.mark.slow
def test_a_text_stays_whole_if_nothing_can_be_asked_in_the_place_of_a_passage(
    tmp_path: Path, qtbot: QtBot
) -> None:
    grove = tmp_path / "first.loom"
    new_tree(grove, mode="buffer")

    with open_window(grove, qtbot) as window:
        document, editor = window.document, window.buffer.view.editor
        for words in ("The ship", " sailed."):
            above = document.current_id
            pen = edit_context.EditContext(document.agents.model().id, now(), new_id, "model")
            document.commit(node_edits.add_node(document.tree, above, words, pen))
        document.place.set_current(document.path_ids[1])
        window.actions_set.by_name["generateSiblings"].trigger()  # nothing stands before the first passage

        assert "left to send" in window.text_pane.errors.text
        assert editor.text == "The ship sailed."
        assert document.current_id == document.path_ids[1]
