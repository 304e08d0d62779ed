"""What other programs commit appears, and never takes a reader from what he reads or writes.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.session.recovery import composer_draft
from loomapp.store.files import drafts
from loomapp.ui.commands import node_actions
from loomapp.ui.commands.save import save
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.another import Program, another_program
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import agree, written
from tests.kit.processes.outside import loomapp, new_tree
from tests.kit.windows import open_window, unseen_window

WAIT_MS = 20_000


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return written(tmp_path / "g.loom", ("Name a bird.", ""), ("Wren.", "Name a bird."))


@pytest.fixture
def other(grove: Path) -> Iterator[Program]:
    with another_program(grove) as other:
        yield other


@pytest.fixture
def window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with open_window(grove, qtbot) as window:
        yield window


def writes_elsewhere(other: Program, window: MainWindow, qtbot: QtBot, text: str = "Lark.") -> str:
    """Another program continues the first message; given once the window has heard of it."""
    tree = window.document.tree
    ((made, _),) = other.do("write", tree.loom.id, window.document.path_ids[1], text)
    qtbot.waitUntil(lambda: made in tree.nodes, timeout=WAIT_MS)
    return made


def is_one(window: MainWindow) -> bool:
    """Memory, file and views say the same."""
    document, script = window.document, window.dialogue._script
    assert script is not None
    return agree(document.grove, document.tree) and tuple(script.node_ids) == document.path_ids


@pytest.mark.slow
@pytest.mark.parametrize("place", one_in(2, ["edit", "note"], first=1))
def test_what_is_being_written_stays_under_the_hand(
    window: MainWindow, other: Program, qtbot: QtBot, place: str
) -> None:
    document = window.document
    wren, path = document.current_id, document.path_ids
    (node_actions.edit if place == "edit" else node_actions.annotate)(window.bench)
    found = find(window.dialogue, QPlainTextEdit, "messageEditorField") if place == "edit" else None
    field = found or window.text_pane.note_box.editor.field
    QTest.keyClicks(field, " And")

    lark = writes_elsewhere(other, window, qtbot)
    QTest.keyClicks(field, " more")

    assert field.isVisible()
    assert field.toPlainText().endswith(" And more")
    assert lark in document.tree.children(path[1])
    assert (document.path_ids, document.current_id) == (path, wren)
    qtbot.waitUntil(lambda: document.tree.path.leaf_id == wren, timeout=WAIT_MS)
    assert is_one(window)


@pytest.mark.slow
def test_a_reply_goes_under_the_message_it_was_written_to(
    window: MainWindow, other: Program, grove: Path, qtbot: QtBot
) -> None:
    document, journal = window.document, window.journal
    assert journal is not None
    wren, path = document.current_id, document.path_ids
    QTest.keyClicks(window.composer.field, "Why a wren?")

    writes_elsewhere(other, window, qtbot)
    qtbot.waitUntil(lambda: journal.is_settled, timeout=WAIT_MS)

    assert (document.path_ids, document.current_id) == (path, wren)
    assert base_on_disk(grove) == wren
    assert save.save_message(window.bench, partial(node_actions.generate, window.bench))
    reply = document.current_id
    assert document.tree.nodes[reply].text == "Why a wren?"
    assert document.path_ids == (*path, reply)
    assert is_one(window)


@pytest.mark.slow
def test_words_that_get_another_base_are_journalled_with_it(
    window: MainWindow, grove: Path, qtbot: QtBot
) -> None:
    document, journal = window.document, window.journal
    assert journal is not None
    QTest.keyClicks(window.composer.field, "Why?")

    document.place.set_current(document.path_ids[1])
    qtbot.waitUntil(lambda: journal.is_settled, timeout=WAIT_MS)

    assert base_on_disk(grove) == document.current_id


@pytest.mark.parametrize("mode", one_in(2, ["dialogue", "buffer"]))
def test_what_a_command_adds_leaves_a_reader_where_he_reads_and_his_next_words_there(
    tmp_path: Path, qtbot: QtBot, mode: str
) -> None:
    path = tmp_path / "g.loom"
    tree_id, root = new_tree(path, mode)
    add = ("node", "add", "--grove", path, "--tree", tree_id)
    bird = loomapp(*add, "--parent", root, "--text", "Name a bird.").strip()
    wren = loomapp(*add, "--parent", bird, "--text", " Wren.", "--author", "model").strip()
    with open_window(path, qtbot) as window:
        document, read = window.document, (root, bird, wren)
        assert (document.path_ids, document.current_id) == (read, wren)

        lark = loomapp(*add, "--parent", bird, "--text", " Lark.", "--author", "model").strip()
        why = loomapp(*add, "--parent", wren, "--text", "Why?").strip()
        qtbot.waitUntil(lambda: why in document.tree.nodes, timeout=WAIT_MS)
        qtbot.waitUntil(lambda: document.tree.path.leaf_id == wren, timeout=WAIT_MS)

        assert (document.path_ids, document.current_id) == (read, wren)
        assert {lark, why} <= set(window.graph.node_ids())
        assert {lark, why} <= listed(window)
        assert "wrote 2 nodes" in window.bench.views.status.writes.accessibleName()
        writes(window, mode, "Sing.")
        reply = document.path_ids[-1]
        assert document.path_ids == (*read, reply)
        assert document.tree.nodes[reply].text == "Sing."

    with open_window(path, qtbot) as window:
        assert window.document.path_ids == (*read, reply)


def listed(window: MainWindow) -> set[str]:
    """The nodes that the outline shows or offers, its branches unfolded."""
    window.side_parts.outline.unfold_all()
    outline = window.side_parts.outline.rows.outline
    assert outline is not None
    return {i for row in outline.rows for i in (row.node_id, *row.alternatives)}


def writes(window: MainWindow, mode: str, words: str) -> None:
    if mode == "buffer":
        editor = window.buffer.view.editor
        editor.set_caret(len(editor.text))
        QTest.keyClicks(editor, words)
        window.writing.save()
    else:
        QTest.keyClicks(window.composer.field, words)
        assert save.save_message(window.bench, partial(node_actions.generate, window.bench))


@pytest.mark.slow
def test_a_reader_of_a_grove_that_is_read_only_stays_where_he_reads(
    grove: Path, other: Program, qtbot: QtBot
) -> None:
    with unseen_window(grove) as window:
        document = window.document
        document.grove.read_only = True
        read = document.path_ids

        writes_elsewhere(other, window, qtbot)
        qtbot.waitUntil(lambda: document.tree.path.leaf_id == read[-1], timeout=WAIT_MS)

        assert (document.path_ids, document.current_id) == (read, read[-1])
        document.grove.read_only = False


@pytest.mark.slow
def test_a_reader_of_what_another_program_takes_back_comes_to_what_is_left(
    window: MainWindow, other: Program, qtbot: QtBot
) -> None:
    document = window.document
    ((made, _),) = other.do("write", document.tree.loom.id, document.current_id, "Lark.")
    qtbot.waitUntil(lambda: made in document.tree.nodes, timeout=WAIT_MS)
    document.place.read(made)

    other.do("undo", document.tree.loom.id)
    qtbot.waitUntil(lambda: made not in document.tree.nodes, timeout=WAIT_MS)

    assert document.path_ids[-1] == document.current_id == document.tree.path.leaf_id
    assert is_one(window)


def test_another_program_moves_neither_the_path_nor_anybodys_eyes(
    window: MainWindow, other: Program, qtbot: QtBot
) -> None:
    document, graph = window.document, window.graph
    for number in range(30):
        words = f"Message {number}, " + "which goes on for a while. " * 8
        document.commit(node_edits.add_node(document.tree, document.current_id, words, document.pen()))
    graph.pan(QPointF(-900, 120))
    graph.node_ids()
    qtbot.waitUntil(lambda: not graph._drift)  # a card on its way would be held where it is seen
    look = graph.camera
    bar = window.dialogue.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 500)
    bar.setValue(0)

    read = document.path_ids
    ((last, _),) = other.do("write", document.tree.loom.id, document.path_ids[-1], "And this.")
    qtbot.waitUntil(lambda: last in document.tree.nodes, timeout=WAIT_MS)
    assert (graph.camera.zoom, graph.camera.seen) == (look.zoom, look.seen)
    assert bar.value() == 0
    before = document.grove.sequence()
    other.do("choose", document.tree.loom.id, document.path_ids[12], "")
    qtbot.waitUntil(lambda: document.grove.sequence() >= before + 2, timeout=WAIT_MS)

    assert (document.path_ids, document.current_id) == (read, read[-1])
    assert document.tree.path.leaf_id == read[-1]
    assert (graph.camera.zoom, graph.camera.seen) == (look.zoom, look.seen)
    assert bar.value() == 0
    assert is_one(window)


def base_on_disk(grove: Path) -> str:
    rows = drafts.read(drafts.drafts_folder(grove))
    (draft,) = (composer_draft(row) for row in rows if row.slot.kind == "composer")
    return draft.base_id
