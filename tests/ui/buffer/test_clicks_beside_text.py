"""A click beside or below the text of a buffer puts the caret there: letters go where a caret is shown.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.ui.look import theme
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import each_once
from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window
from tests.ui.buffer.test_card_chosen_beside_words import click

PASSAGES = ("The lamp\nwas lit.", " It went out.")
WHOLE = "".join(PASSAGES)


def write_passages(window: MainWindow) -> None:
    window.document.new_tree("buffer")
    document = window.document
    for text in PASSAGES:
        above = document.path_ids[-1]
        document.commit(node_edits.add_node(document.tree, above, text, document.pen()))


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A buffer of two passages in two lines; the card of the first is clicked: the graph has the keyboard."""
    new_tree(tmp_path / "g.loom")
    with open_window(tmp_path / "g.loom", qtbot) as window:
        write_passages(window)
        qtbot.waitUntil(lambda: window.buffer.view.editor.viewport().height() > 200)
        click(window, window.document.path_ids[-2])
        assert window.buffer.view.editor.caret == len(PASSAGES[0])
        yield window


def press(widget: QWidget, at: QPoint) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at)


@pytest.mark.parametrize(("where", "x"), each_once(["text", "view", "pane"], [2, 300]))
def test_a_click_below_the_text_puts_the_caret_at_its_end(window: MainWindow, where: str, x: int) -> None:
    view, pane = window.buffer.view, window.text_pane
    viewport, strip = view.editor.viewport(), pane.context_bar.mapTo(pane, QPoint(0, -2)).y()
    at = {
        "text": (viewport, QPoint(x, viewport.height() - 3)),
        "view": (view, QPoint(x, view.height() - 2)),
        "pane": (pane, QPoint(x, strip)),
    }[where]

    where_it_falls = at[0].childAt(at[1]) or at[0]
    press(where_it_falls, where_it_falls.mapFrom(*at))

    assert window.focusWidget() is view.editor
    assert view.editor.caret == len(WHOLE)
    assert window.document.current_id == window.document.path_ids[-1]
    QTest.keyClicks(view.editor, " PEND")
    assert window.buffer.text == WHOLE + " PEND"


@pytest.mark.slow
def test_shift_and_a_click_below_the_text_select_to_its_end(window: MainWindow) -> None:
    editor = window.buffer.view.editor
    viewport = editor.viewport()

    at = QPoint(20, viewport.height() - 3)
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, at)

    assert editor.selection == (len(PASSAGES[0]), len(WHOLE))


def test_a_click_in_the_margin_puts_the_caret_into_the_line_beside_it(window: MainWindow) -> None:
    editor = window.buffer.view.editor

    press(editor, QPoint(8, editor.viewport().y() + editor.line_rect(0).center().y()))
    assert (window.focusWidget(), editor.caret) == (editor, 0)
    press(editor, QPoint(editor.width() - 30, editor.viewport().y() + editor.line_rect(0).center().y()))
    assert editor.caret == len("The lamp")


@pytest.mark.slow
def test_a_card_whose_passage_begins_at_the_caret_has_it_at_the_end_once_it_is_clicked(
    window: MainWindow,
) -> None:
    editor, last = window.buffer.view.editor, window.document.path_ids[-1]

    click(window, last)
    assert editor.caret == len(WHOLE)
    editor.set_caret(len(WHOLE) - 3)
    click(window, last)

    assert editor.caret == len(WHOLE) - 3


@pytest.mark.slow
@pytest.mark.desktop
def test_the_caret_is_seen_while_the_graph_has_the_keyboard(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    new_tree(tmp_path / "g.loom")
    with open_window(tmp_path / "g.loom", qtbot) as window:
        write_passages(window)
        editor = window.buffer.view.editor
        for node_id, end in (
            (window.document.path_ids[-2], len(PASSAGES[0])),
            (window.document.path_ids[-1], len(WHOLE)),
        ):
            click(window, node_id)
            qtbot.waitUntil(lambda: not editor.hasFocus())
            assert editor.caret == end
            place = editor.cursorRect().center()

            def is_seen(place: QPoint = place) -> bool:
                image = editor.viewport().grab().toImage()
                return image.pixelColor(place) == theme.colour("text.muted")

            qtbot.waitUntil(is_seen)
        pointer.type_ascii("qq")
        qtbot.waitUntil(lambda: window.buffer.text == WHOLE + "qq")
