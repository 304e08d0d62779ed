"""Where lines are on the screen, found for many places at once, and at what cost for each."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QInputMethodEvent, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.store.grove.open import open_grove
from loomapp.ui.buffer.text.editor import BufferEditor
from tests.kit.call_counts import calls_of
from tests.kit.desktop import show_active
from tests.kit.processes.outside import new_tree
from tests.kit.trees import Hand
from tests.kit.windows import unseen_window

TEXTS = {
    "short lines": "a\nbc\n\nd" * 40,
    "long lines": "The lamp was lit and nobody came. " * 90,
    "pictures": "👍🏽 a word 😀" * 150 + "\n" + "e\u0301" * 300,
    "from the right": "שלום עולם טוב " * 60 + "\nand back",
    "in seams": "word " * 3000,
    "nothing": "",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("composes", [False, True])
def test_a_place_is_where_the_editor_says_it_is(qtbot: QtBot, text: str, composes: bool) -> None:
    editor = BufferEditor()
    qtbot.addWidget(editor)
    editor.resize(600, 400)
    show_active(qtbot, editor)
    editor.show_text(text)
    editor.set_caret(min(len(text), 5))
    if composes:
        QApplication.sendEvent(editor, QInputMethodEvent("composed here", []))
    for top in (0, 3):
        editor.verticalScrollBar().setValue(top)
        begin, end = editor.in_view()

        lines = editor.lines()

        for place in range(0, len(text) + 1, max(1, len(text) // 400)):
            assert lines.rect(place) == editor.line_rect(place)
            if begin <= place <= end:
                assert lines.x_of(place) == editor.x_of(place)


def test_a_key_among_a_thousand_passages_does_little_for_each(tmp_path: Path, qapp: QApplication) -> None:
    path, hand = tmp_path / "g.loom", Hand()
    tree_id, _ = new_tree(path, mode="buffer")
    with open_grove(path) as grove:
        tree = grove.load_tree(tree_id)
        for _ in range(300):
            grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, "ab ", hand.pen(grove.owner.id)))
    with unseen_window(path) as window:
        editor, margins = window.buffer.view.editor, window.buffer.view.margins
        editor.set_caret(100)
        editor.put("x")
        margins.place()
        shown = len(list(window.writing.buffer_text.passages(*editor.in_view())))
        assert shown > 200

        editor.put("y")

        print(
            "CALLS",
            shown,
            calls_of(margins.place),
            calls_of(lambda: paint(editor)),
            calls_of(lambda: list(window.buffer.view.colouring.looks(0, len(editor.text)))),
        )
        colouring = window.buffer.view.colouring
        assert calls_of(margins.place) < 45 * shown  # a third of them make what stands beside it
        assert calls_of(lambda: paint(editor)) < 8 * shown
        assert calls_of(lambda: list(colouring.looks(0, len(editor.text)))) < 24 * shown


def paint(editor: BufferEditor) -> None:
    image = QImage(700, 500, QImage.Format.Format_RGB32)  # nothing lays out a window that is not seen
    painter = QPainter(image)
    editor.decorate(painter, image.rect())
    painter.end()
