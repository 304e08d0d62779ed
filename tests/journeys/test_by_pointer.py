"""What the pointer does to a tree and to its picture is in the file afterwards, and in tomorrow's window.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QListView, QMenu, QWidget
from pytestqt.qtbot import QtBot

from loomapp.store.grove.open import open_grove
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.groves import agree, everything, written
from tests.kit.windows import card, open_window

ANSWERS = {"Wren.": ("Where?", "When?"), "Lark.": ("How high?",), "Rook.": ()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A question, three answers, and what follows two of them; the wren is read."""
    rows = [("Name a bird.", "")]
    for answer, replies in reversed(ANSWERS.items()):
        rows += [(answer, "Name a bird."), *((reply, answer) for reply in reversed(replies))]
    return written(tmp_path / "g.loom", *rows)


@pytest.fixture
def window(path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        window.graph.fit_all()
        yield window


def said(window: MainWindow, text: str) -> str:
    return next(i for i, node in window.document.tree.nodes.items() if node.text == text)


def shown(window: MainWindow) -> set[str]:
    return {window.document.tree.nodes[node_id].text for node_id in window.graph.node_ids()} - {""}


def is_saved(window: MainWindow) -> bool:
    """Memory and file say the same, and the text shows it."""
    script = window.dialogue._script
    assert script is not None
    return agree(window.document.grove, window.document.tree) and tuple(script.node_ids) == tuple(
        window.document.path_ids
    )


def choose(window: MainWindow, qtbot: QtBot, pointer: Pointer, text: str, action: str) -> None:
    """Click a row in the menu of a card."""
    pointer.click(window.graph.viewport(), card(window, said(window, text)), button=3)
    qtbot.waitUntil(lambda: any(menu.isVisible() for menu in window.findChildren(QMenu, "nodeMenu")))
    menu = next(menu for menu in window.findChildren(QMenu, "nodeMenu") if menu.isVisible())
    row = window.actions_set.by_name[action]
    pointer.click(menu, menu.actionGeometry(row).center())
    qtbot.waitUntil(lambda: not any(m.isVisible() for m in window.findChildren(QMenu, "nodeMenu")))


@pytest.mark.slow
def test_a_branch_is_folded_and_stands_alone_and_so_it_does_tomorrow(
    window: MainWindow, path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    before = everything(window.document.tree)
    choose(window, qtbot, pointer, "Lark.", "fold")
    qtbot.waitUntil(lambda: "How high?" not in shown(window))
    choose(window, qtbot, pointer, "Wren.", "hoist")
    qtbot.waitUntil(lambda: shown(window) == {"Wren.", "Where?", "When?"})
    assert is_saved(window)
    window.close()

    with open_grove(path) as grove:
        assert everything(grove.load_tree(window.document.tree.loom.id)) == before, "it is no edit"
    with open_window(path, qtbot) as again:
        assert shown(again) == {"Wren.", "Where?", "When?"}
        again.graph.set_reduced_motion(True)
        again.actions_set.by_name["unhoist"].trigger()
        qtbot.waitUntil(lambda: "Lark." in shown(again))
        assert "How high?" not in shown(again)


@pytest.mark.slow
def test_a_lasso_is_acted_on_from_a_menu_and_is_one_step_in_the_file(
    window: MainWindow, path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    port = window.graph.viewport()
    boxes = [window.graph.node_rect(said(window, text)) for text in ("Lark.", "Rook.")]
    around = boxes[0].united(boxes[1])
    pointer.drag((port, corner(around, -6)), (port, corner(around, 6)), modifiers=["shift"])
    qtbot.waitUntil(lambda: len(window.graph.chosen_ids) == 2)

    choose(window, qtbot, pointer, "Rook.", "exclude")

    nodes = window.document.tree.nodes.values()
    qtbot.waitUntil(lambda: {n.text for n in nodes if n.metadata.excluded} == {"Lark.", "Rook."})
    assert window.document.history.undo_label == "Exclude 2 messages"
    assert is_saved(window)
    assert_the_same_tomorrow(window, path, qtbot)


def corner(rect: QRect, out: int) -> QPoint:
    """Just outside of a rectangle: its first corner, or its last one."""
    return (rect.topLeft() if out < 0 else rect.bottomRight()) + QPoint(out, out)


def test_a_branch_is_carried_elsewhere_and_hangs_there_in_the_file(
    window: MainWindow, path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    port = window.graph.viewport()
    lark, rook = said(window, "Lark."), said(window, "Rook.")

    pointer.drag((port, card(window, lark)), (port, card(window, rook)), modifiers=["ctrl"])

    qtbot.waitUntil(lambda: window.document.tree.children(rook) == (lark,))
    assert is_saved(window)
    assert_the_same_tomorrow(window, path, qtbot)


@pytest.mark.slow
def test_what_the_palette_and_the_outline_lead_to_is_read_and_is_read_tomorrow(
    window: MainWindow, path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    pointer.click(find(window, QWidget, "paletteField"))
    qtbot.waitUntil(window.palette_box.isVisible)
    pointer.type_ascii("How high")
    results = window.palette_box.findChild(QListView)
    assert results is not None
    qtbot.waitUntil(
        lambda: bool(results.model().rowCount()) and "How high?" in str(results.model().index(0, 0).data())
    )
    pointer.click(results.viewport(), results.visualRect(results.model().index(0, 0)).center())

    qtbot.waitUntil(lambda: window.document.current_id == said(window, "How high?"))
    assert window.document.path_ids[-1] == said(window, "How high?")
    assert is_saved(window)

    outline = window.side_parts.outline
    anywhere = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive
    rows = outline.model()
    qtbot.waitUntil(lambda: rows.rowCount() > 0)
    (rook,) = rows.match(rows.index(0, 0), Qt.ItemDataRole.DisplayRole, "Rook.", 1, anywhere)
    outline.scrollTo(rook)
    qtbot.waitUntil(lambda: not outline.visualRect(rook).isEmpty())
    pointer.click(outline.viewport(), outline.visualRect(rook).center())
    qtbot.waitUntil(lambda: window.document.current_id == said(window, "Rook."))
    pointer.double_click(outline.viewport(), outline.visualRect(rook).center())
    qtbot.waitUntil(lambda: window.document.path_ids[-1] == said(window, "Rook."))
    assert is_saved(window)
    assert_the_same_tomorrow(window, path, qtbot)


def assert_the_same_tomorrow(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    """Closed and opened again, file and window say what they said."""
    tree, ids = window.document.tree, window.graph.node_ids()
    wanted, way, current = everything(tree), tuple(window.document.path_ids), window.document.current_id
    window.close()

    with open_grove(path) as grove:
        assert everything(grove.load_tree(tree.loom.id)) == wanted
    with open_window(path, qtbot) as again:
        assert everything(again.document.tree) == wanted
        assert again.graph.node_ids() == ids
        assert (tuple(again.document.path_ids), again.document.current_id) == (way, current)
