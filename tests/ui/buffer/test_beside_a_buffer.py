"""The window around a buffer: a narrow graph, a folded inspector, and what a person made of them instead.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QTabBar, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands import node_actions, remedies
from loomapp.ui.commands.trees import empty_tree
from loomapp.ui.imports.page import ImportPage
from loomapp.ui.inspector.pane import TABS_PX
from loomapp.ui.widgets.chip import Chip
from loomapp.ui.window.main_window import MainWindow
from loomapp.ui.window.responsive import GRAPH_BESIDE_PROSE_PX, WIDTHS_PX
from tests.kit import graph_trees
from tests.kit.conversations import letter
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.windows import open_window, unseen_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    prose = graph_trees.buffer_tree()
    talk = letter()
    talk.loom = replace(talk.loom, id="talk")
    with create_grove(path) as grove:
        grove.add_tree(talk, [grove.owner, *graph_trees.AGENTS])
        grove.add_tree(prose, [grove.owner, *graph_trees.AGENTS])
    return path


def is_wide(window: MainWindow, width: int) -> bool:
    return window.width() == width and window.text_dock.isVisible()


def read(window: MainWindow, qtbot: QtBot, tree_id: str) -> None:
    window.opening.open(tree_id)
    qtbot.waitUntil(lambda: window.document.tree.loom.id == tree_id)


@pytest.mark.desktop
def test_a_buffer_leaves_the_graph_396_px_and_the_inspector_its_tabs(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        read(window, qtbot, "tree")
        qtbot.waitUntil(lambda: window.graph.width() == GRAPH_BESIDE_PROSE_PX)
        qtbot.waitUntil(lambda: window.inspector.height() <= TABS_PX)

        window.resize(1280, 800)
        qtbot.waitUntil(lambda: is_wide(window, 1280) and window.graph.width() == GRAPH_BESIDE_PROSE_PX)

        read(window, qtbot, "talk")
        qtbot.waitUntil(lambda: window.text_dock.width() == WIDTHS_PX[1])
        qtbot.waitUntil(lambda: window.inspector.height() > TABS_PX)


def test_a_width_and_a_fold_that_a_person_chose_beside_a_buffer_are_there_at_the_next_start(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        read(window, qtbot, "tree")
        qtbot.waitUntil(lambda: window.graph.width() == GRAPH_BESIDE_PROSE_PX)
        seam = window.text_dock.geometry().topLeft() + QPoint(-1, 300)
        wide = GRAPH_BESIDE_PROSE_PX + 60
        pointer.drag_until(lambda: window.graph.width() > wide, window, seam, seam + QPoint(120, 0))
        chosen = window.text_dock.width()
        pointer.click(find(window, QToolButton, "foldInspectorButton"))
        qtbot.waitUntil(lambda: window.inspector.height() > TABS_PX)

    with open_window(grove, qtbot) as window:
        assert window.document.tree.loom.id == "tree"
        qtbot.waitUntil(lambda: window.text_dock.width() == chosen)
        assert not window.inspector_fold.is_folded

        read(window, qtbot, "talk")
        qtbot.waitUntil(lambda: window.text_dock.width() == WIDTHS_PX[1])
        pointer.click(find(window, QToolButton, "foldInspectorButton"))
        qtbot.waitUntil(lambda: window.inspector.height() <= TABS_PX)
        read(window, qtbot, "tree")
        qtbot.waitUntil(lambda: window.text_dock.width() == chosen)
        qtbot.waitUntil(lambda: window.inspector.height() > TABS_PX)


@pytest.mark.slow
@pytest.mark.parametrize("way", one_in(3, ["key", "tab", "context bar"]))
def test_the_folded_inspector_comes_at_once_with_all_of_its_tabs_and_narrows_no_other_pane(
    way: str, grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["whatIf"].trigger()  # as wide as it gets, beside the dialogue
        qtbot.waitUntil(lambda: window.what_if.is_on)
        assert window.inspector.context.minimumSizeHint().width() <= GRAPH_BESIDE_PROSE_PX
        read(window, qtbot, "tree")
        window.document.place.read(
            window.document.place.last_read.way_below(window.document.tree.root_id)[-1]
        )
        qtbot.waitUntil(lambda: window.graph.width() == GRAPH_BESIDE_PROSE_PX)
        qtbot.waitUntil(lambda: window.inspector.height() <= TABS_PX)
        tabs = find(window.inspector, QTabBar, "inspectorTabs")

        match way:
            case "key":
                pointer.key("ctrl+shift+i")
            case "tab":
                pointer.click(tabs, tabs.tabRect(0).center())
            case _:
                pointer.click(window.text_pane.context_bar)

        qtbot.waitUntil(window.inspector.context.rows.isVisible)
        qtbot.waitUntil(lambda: window.inspector.height() > TABS_PX)
        assert window.graph.width() == GRAPH_BESIDE_PROSE_PX
        assert window.side_bar.width() == WIDTHS_PX[0]
        assert tabs.tabRect(tabs.count() - 1).right() < tabs.width()


@pytest.mark.slow
def test_who_writes_in_the_composer_writes_on_in_the_buffer_that_is_opened_and_back(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        window.composer.field.setFocus()

        read(window, qtbot, "tree")
        qtbot.waitUntil(window.buffer.view.editor.hasFocus)

        read(window, qtbot, "talk")
        qtbot.waitUntil(window.composer.field.hasFocus)


@pytest.mark.slow
def test_the_sources_come_with_their_page_also_where_the_inspector_is_folded(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        read(window, qtbot, "tree")
        qtbot.waitUntil(lambda: window.inspector.height() <= TABS_PX)

        window.actions_set.by_name["showSources"].trigger()

        qtbot.waitUntil(lambda: window.inspector.sources.isVisible() and window.inspector.height() > TABS_PX)


@pytest.mark.slow
def test_where_nothing_can_be_scrolled_the_text_has_no_handle_and_its_lines_break_as_before(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        read(window, qtbot, "tree")
        editor = window.buffer.view.editor
        bar, column = editor.verticalScrollBar(), editor.viewport().width()
        qtbot.waitUntil(lambda: bar.maximum() == 0)
        colours = {bar.grab().toImage().pixelColor(6, y).name() for y in range(40, bar.height() - 40, 9)}
        assert len(colours) == 1

        editor.setFocus()
        editor.put("The lamp was lit.\n" * 80)
        qtbot.waitUntil(lambda: bar.maximum() > 0)
        colours = {bar.grab().toImage().pixelColor(6, y).name() for y in range(3, bar.height() - 3, 3)}
        assert len(colours) == 2
        assert editor.viewport().width() == column


@pytest.mark.slow
@pytest.mark.desktop
def test_a_dialogue_of_another_grove_is_not_as_wide_as_the_buffer_that_was_left_last(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        read(window, qtbot, "tree")
        window.showMaximized()
        qtbot.waitUntil(lambda: window.width() > 1600)
        qtbot.waitUntil(lambda: window.graph.width() == GRAPH_BESIDE_PROSE_PX)
    other = tmp_path / "other.loom"
    create_grove(other).close()

    with open_window(other, qtbot) as window:
        assert window.document.tree.loom.mode == "dialogue"
        qtbot.waitUntil(lambda: window.width() > 1600)
        qtbot.waitUntil(lambda: window.text_dock.width() == WIDTHS_PX[1])


@pytest.mark.usefixtures("qapp")
def test_a_note_that_goes_along_in_a_buffer_says_where_it_stands(grove: Path) -> None:
    with unseen_window(grove) as window:
        for mode in ("dialogue", "buffer"):
            window.opening.open(next(tree.id for tree in window.document.grove.trees() if tree.mode == mode))
            document = window.document
            noted = document.current_id
            document.commit(node_edits.annotate(document.tree, noted, "The letter.", document.pen()))
            [note_id] = document.tree.notes(noted)
            for include in (
                partial(node_actions.toggle_note, window.bench),
                partial(remedies.mend, window.bench, why="annotation"),
            ):
                window.note("")

                include(note_id)

                said = find(window, QLabel, "statusNote").text()
                assert ("with nothing between" in said) == (mode == "buffer")
                node_actions.toggle_note(window.bench, note_id)


@pytest.mark.usefixtures("qapp")
def test_an_instruction_that_a_buffer_does_not_send_says_so_and_why(grove: Path) -> None:
    with unseen_window(grove) as window:
        for mode in ("dialogue", "buffer"):
            window.opening.open(next(tree.id for tree in window.document.grove.trees() if tree.mode == mode))

            window.preview.pending.attach([window.document.current_id], "instruction")

            chip = window.composer.findChildren(Chip)[-1]
            assert chip.accessibleName().startswith("Instruction, not sent: ") == (mode == "buffer")
            assert ("this buffer sends none" in chip.toolTip()) == (mode == "buffer")
            window.preview.pending.clear()
        window.preview.pending.attach([window.document.current_id], "instruction")
        remedies.mend(window.bench, window.document.current_id, why="instruction_without_system")
        window.preview.refresh_now()
        assert [c.accessibleName()[:13] for c in window.composer.findChildren(Chip)][-1] == "Instruction: "


@pytest.mark.usefixtures("qapp")
def test_a_row_of_a_node_that_was_undone_since_says_so(grove: Path) -> None:
    with unseen_window(grove) as window:
        document, noted = window.document, window.document.current_id
        document.commit(node_edits.annotate(document.tree, noted, "The letter.", document.pen()))
        [note_id] = document.tree.notes(noted)
        assert document.history.undo(lambda _change: None) is not None

        remedies.mend(window.bench, note_id, "annotation")

        assert "no longer in the tree" in find(window, QLabel, "statusNote").text()
        assert note_id not in document.tree.nodes


def test_a_chapter_that_is_dropped_on_a_buffer_is_context_and_can_be_imported(
    grove: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "chapter.md").write_text("# One\n\nThe road.", encoding="utf-8")
    with unseen_window(grove) as window:
        window.opening.open(next(tree.id for tree in window.document.grove.trees() if tree.mode == "buffer"))

        window.run_command(lambda w: empty_tree.take_files(w, [tmp_path / "chapter.md"]))

        qtbot.waitUntil(lambda: bool(window.bench.work.preview.pending.roles))
        strip = window.text_pane.errors
        assert "goes along as context" in strip.text
        strip.action_clicked.emit()
        assert find(window, ImportPage, "importPage")
