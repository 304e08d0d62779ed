"""A window is closed and opened again: everything stands where it was left.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.session.window_state import place_of, read_left
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.ui.commands import preferences
from loomapp.ui.side_bar.outline.view import OutlineView
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.ids import counted_ids
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove with a path of forty long messages, each with a sibling, and a second tree."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, 1_790_000_000_000, counted_ids())
        tree = tree_edits.new_tree("dialogue", "Long", pen)
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        at = tree.root_id
        for number in range(40):
            grove.commit(tree, node_edits.add_node(tree, at, f"other {number}", pen))
            grove.commit(tree, node_edits.add_node(tree, at, f"message {number} " + "and more " * 60, pen))
            at = tree.path.leaf_id
        grove.add_tree(tree_edits.new_tree("dialogue", "Short", pen), [grove.owner])
    return path


def test_reading_place_camera_zoom_and_current_node_are_found_again(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        open_tree(window, "Long")
        middle = window.document.path_ids[20]
        window.document.place.set_current(middle)
        window.graph.set_reduced_motion(True)
        window.graph.ensure_visible(middle)
        window.graph.zoom_out()
        window.dialogue.reveal(middle)
        qtbot.waitUntil(lambda: window.dialogue.message(middle) is not None)
        before = standing(window, middle)

    with open_window(grove, qtbot) as window:
        qtbot.waitUntil(lambda: close(standing(window, middle), before))
        assert window.document.current_id == middle
        assert window.graph.camera.zoom < 1


@pytest.mark.slow
def test_each_tree_has_its_own_place_within_a_session(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        open_tree(window, "Long")
        middle = window.document.path_ids[20]
        window.graph.set_reduced_motion(True)
        window.document.place.set_current(middle)
        window.graph.ensure_visible(middle)
        window.dialogue.reveal(middle)
        before = standing(window, middle)
        open_tree(window, "Short")

        open_tree(window, "Long")

        qtbot.waitUntil(lambda: close(standing(window, middle), before))
        assert window.document.current_id == middle


@pytest.mark.slow
def test_folds_tab_and_pruned_are_found_again(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        open_tree(window, "Long")
        root, folded = window.document.path_ids[0], window.document.path_ids[30]
        window.document.place.read(root)
        window.graph.fold(folded)
        window.inspector.show_history_tab()
        window.display.set_show_pruned(True)
        qtbot.waitUntil(lambda: window.graph.is_folded(folded))

    with open_window(grove, qtbot) as window:
        assert window.graph.is_folded(folded)
        assert not window.graph.is_folded(root)
        assert window.inspector.tab == "historyPanel"
        assert window.display.is_showing_pruned


@pytest.mark.slow
def test_a_fold_on_the_path_is_found_again_until_the_path_goes_on_elsewhere(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        open_tree(window, "Long")
        document = window.document
        folded, end = document.path_ids[10], document.path_ids[-1]
        document.place.set_current(end)
        window.graph.fold(folded)
        marked = node_marks.bookmark_plainly(document.tree, [end], document.pen())
        assert marked is not None
        document.commit(marked)
        cards = window.graph.node_ids()
        assert window.graph.is_folded(folded)
        assert end not in cards

    with open_window(grove, qtbot) as window:
        assert window.graph.is_folded(folded)
        assert window.graph.node_ids() == cards
        open_tree(window, "Short")
        open_tree(window, "Long")
        assert window.graph.is_folded(folded)

    with open_grove(grove) as elsewhere:
        tree = elsewhere.load_tree(next(row.id for row in elsewhere.trees() if row.title == "Long"))
        pen = edit_context.EditContext(elsewhere.owner.id, 1_790_000_000_001, lambda: "from elsewhere")
        elsewhere.commit(tree, node_edits.add_node(tree, end, "said elsewhere", pen))
    with open_window(grove, qtbot) as window:
        assert not window.graph.is_folded(folded)
        assert "from elsewhere" in window.graph.node_ids()


@pytest.mark.slow
def test_an_answer_that_nobody_looked_at_can_be_gone_to_after_a_restart(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        open_tree(window, "Long")
        document = window.document
        unread = answered(window, document.path_ids[3])
        document.place.set_current(document.path_ids[-1])
        assert window.actions_set.by_name["nextUnread"].isEnabled()

    with open_window(grove, qtbot) as window:
        assert window.document.current_id == window.document.path_ids[-1]
        assert window.actions_set.by_name["nextUnread"].isEnabled()

        window.actions_set.by_name["nextUnread"].trigger()

        assert window.document.current_id == unread
        assert not window.actions_set.by_name["nextUnread"].isEnabled()


def answered(window: MainWindow, node_id: str) -> str:
    """An answer to a node, beside the path that is read; its id."""
    document, agent = window.document, window.document.agents.model()
    assert agent is not None
    pen = document.pen()
    change = nodes_from_drafts(
        document.tree,
        [Draft(0, "said aside", reason="stop")],
        sources=Sources(node_id),
        agent_id=agent.id,
        evidence=(),
        follow=False,
        now=pen.now,
        new_id=pen.new_id,
    )
    assert change is not None
    document.commit(change)
    return next(node.id for node in change.added_nodes())


@pytest.mark.slow
def test_rows_of_the_outline_that_were_open_are_open_again(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        open_tree(window, "Long")
        document, view = window.document, outline(window, qtbot)
        end = document.path_ids[-1]
        inner = next(i for i, node in document.tree.nodes.items() if node.text == "other 5")
        for text in ("one", "two"):
            document.commit(node_edits.add_node(document.tree, inner, text, document.pen()))
        document.place.read(end)  # the way that is read is always open
        folded = toggled(view, inner)

    with open_window(grove, qtbot) as window:
        view = outline(window, qtbot)
        assert is_open(view, inner) is not folded
        toggled(view, inner)
        open_tree(window, "Short")
        open_tree(window, "Long")
        assert is_open(view, inner) is folded
        window.display.set_show_pruned(True)
        assert is_open(view, inner) is folded


@pytest.mark.slow
def test_the_outline_is_found_again_where_it_was_looked_at(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        open_tree(window, "Long")
        view = outline(window, qtbot)
        window.document.place.set_current(window.document.path_ids[-1])
        view.unfold_all()
        qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 205)
        view.verticalScrollBar().setValue(205)
        top = top_row(view)

    with open_window(grove, qtbot) as window:
        view = outline(window, qtbot)
        qtbot.waitUntil(lambda: scrolled(view) == 205)
        assert top_row(view) == top
        assert window.document.current_id == window.document.path_ids[-1]
        open_tree(window, "Short")
        open_tree(window, "Long")
        qtbot.waitUntil(lambda: scrolled(view) == 205)


def top_row(view: OutlineView) -> str:
    row = view.rows.row(view.indexAt(QPoint(0, 0)))
    return "" if row is None else row.key


def scrolled(view: OutlineView) -> int:
    return view.verticalScrollBar().value()


def outline(window: MainWindow, qtbot: QtBot) -> OutlineView:
    view = window.side_parts.outline
    qtbot.waitUntil(lambda: view.rows.outline is not None)
    return view


def is_open(view: OutlineView, node_id: str) -> bool:
    row = view.rows.row(view.rows.reach(node_id))
    return row is not None and row.fold == "open"


def toggled(view: OutlineView, node_id: str) -> bool:
    """Fold or unfold a branch; True if it is folded then."""
    row = view.rows.row(view.rows.reach(node_id))
    assert row is not None
    view.rows.toggle(row)
    return not is_open(view, node_id)


@pytest.mark.slow
def test_settings_that_were_open_are_open_again_and_the_inspector_comes_back_after(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        preferences.show_page(window.bench)

    with open_window(grove, qtbot) as window:
        assert window.app_settings is not None
        assert window.pages.currentWidget() is window.app_settings
        window.pages.show_graph()
        assert window.inspector_dock.isVisible()
        window.inspector_dock.hide()

    with open_window(grove, qtbot) as window:
        assert window.pages.currentWidget() is window.graph
        assert not window.inspector_dock.isVisible()


@pytest.mark.slow
def test_windows_on_two_groves_stand_where_each_was(grove: Path, tmp_path: Path, qtbot: QtBot) -> None:
    create_grove(tmp_path / "h.loom").close()
    for path, size in ((grove, (1100, 700)), (tmp_path / "h.loom", (1300, 800))):
        with open_window(path, qtbot) as window:
            window.resize(*size)
            has_size(qtbot, window, size)
            if path == grove:
                window.actions_set.by_name["swapSides"].trigger()

    for path, size in ((grove, (1100, 700)), (tmp_path / "h.loom", (1300, 800))):
        with open_window(path, qtbot) as window:
            has_size(qtbot, window, size)
            text, trees = find(window, QWidget, "textDock"), find(window, QWidget, "sideBar")
            assert text.x() < trees.x(), "docks stand where they were put"
            assert text.width() > trees.width() > 100


def test_it_is_written_while_the_window_is_open_and_never_into_the_grove(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        open_tree(window, "Long")
        steps = window.document.grove.sequence
        window.document.place.set_current(window.document.path_ids[3])

        qtbot.waitUntil(
            lambda: any(
                left.current == window.document.path_ids[3] for left in read_left(grove).trees.values()
            )
        )

        assert window.document.grove.sequence == steps
    with open_grove(grove) as kept:
        assert kept.setting("window.tree") is None


@pytest.mark.slow
def test_a_node_that_is_gone_and_a_damaged_file_are_no_hindrance(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        open_tree(window, "Long")
        window.document.place.set_current(window.document.path_ids[20])
    text = place_of(grove).read_text()
    for spoilt in (text.replace("made", "gone"), text[: len(text) // 2]):
        place_of(grove).write_text(spoilt)
        with open_window(grove, qtbot) as window:
            assert window.graph.node_rect(window.document.current_id).size() != QSize()


def open_tree(window: MainWindow, title: str) -> None:
    window.document.open_tree(next(row.id for row in window.document.trees.rows() if row.title == title))


def has_size(qtbot: QtBot, window: MainWindow, size: tuple[int, int]) -> None:
    qtbot.waitUntil(lambda: (window.width(), window.height()) == size)


def standing(window: MainWindow, node_id: str) -> tuple[int, ...]:
    """Where a node's card and message are on the screen, and how large the card is."""
    message, rect = window.dialogue.message(node_id), window.graph.node_rect(node_id)
    return (rect.x(), rect.y(), rect.width(), message.y() if message is not None else -1)


def close(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True))
