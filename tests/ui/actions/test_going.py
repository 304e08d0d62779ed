"""Going through the tree with keys and side buttons: children by number, versions, visits, focus mode.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.errors import GroveError
from loomapp.store.grove.open import create_grove
from loomapp.ui.actions.registry import ACTIONS
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.ids import counted_ids
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A question with two answers, the second with a third one below; a buffer with two versions."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, 1_790_000_000_000, counted_ids())
        tree = tree_edits.new_tree("dialogue", "Birds", pen, text="Name a bird.")
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for parent, text in (("Name a bird.", "Wren."), ("Name a bird.", "Lark."), ("Lark.", "Where?")):
            above = next(i for i, n in tree.nodes.items() if n.text == parent)
            grove.commit(tree, node_edits.add_node(tree, above, text, pen))
        prose = tree_edits.new_tree("buffer", "Story", pen, text="It rained.")
        grove.add_tree(prose, [grove.owner])
        prose = grove.load_tree(prose.loom.id)
        grove.commit(prose, node_edits.add_node(prose, prose.root_id, " Then snow.", pen))
        middle = next(i for i, n in prose.nodes.items() if n.text == " Then snow.")
        grove.commit(prose, node_edits.add_node(prose, middle, " Then sun.", pen))
        change = node_edits.edit_as_version(prose, middle, " Then hail.", pen)
        assert change is not None
        grove.commit(prose, change)
    return path


def here(window: MainWindow) -> str:
    return window.document.tree.nodes[window.document.current_id].text


def test_digits_lead_to_children_by_number(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        pointer.key("alt+Home")
        qtbot.waitUntil(lambda: here(window) == "Name a bird.")
        pointer.key("alt+2")
        qtbot.waitUntil(lambda: here(window) == "Lark.")
        assert not window.actions_set.by_name["goChild2"].isEnabled()
        assert window.actions_set.by_name["goChild1"].isEnabled()
        on = find(window, QPushButton, "readOnBelow")
        assert not on.isVisible(), "the path is read to its end"
        window.document.place.read(window.document.tree.root_id)
        assert on.accessibleName() == "Read on: 2 more messages follow"
        qtbot.waitUntil(on.isVisible)
        window.preview.settle()
        QApplication.processEvents()  # what the coming context says above it is laid out: it is at rest
        pointer.click(on)
        qtbot.waitUntil(lambda: len(window.document.path_ids) == 3)
        assert here(window) == "Name a bird."
        assert not on.isVisible()


def test_where_a_step_led_and_what_was_marked_is_heard(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.document.open_tree(window.document.trees.rows()[0].id)
        window.document.place.read(window.document.tree.living_children(window.document.tree.root_id)[1])
        window.composer.field.setFocus()
        said: list[str] = []
        window.announcer.said.connect(said.append)

        for name in ("previousSibling", "bookmark", "exclude", "nextSibling"):
            window.actions_set.by_name[name].trigger()

        assert said == ["You, 1 of 2: Wren.", "Bookmarked", "Excluded from the context", "You, 2 of 2: Lark."]


def test_visits_lead_back_over_trees_by_key_and_by_side_button(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        birds, story = (row.id for row in window.document.trees.rows())
        window.document.open_tree(birds)
        window.document.place.set_current(window.document.tree.root_id)
        window.document.open_tree(story)

        pointer.click(window.graph.viewport(), button=8)
        qtbot.waitUntil(lambda: here(window) == "Name a bird.")
        pointer.click(window.dialogue.viewport(), button=9)
        qtbot.waitUntil(lambda: window.document.tree.loom.id == story)
        window.actions_set.by_name["visitBack"].trigger()

        assert here(window) == "Name a bird."
        assert window.actions_set.by_name["visitForward"].isEnabled()


@pytest.mark.slow
def test_another_version_of_a_passage_keeps_what_follows(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        window.document.open_tree(window.document.trees.rows()[1].id)
        hail = next(i for i, n in window.document.tree.nodes.items() if n.text == " Then hail.")
        window.document.place.set_current(hail)

        pointer.key("alt+Prior")
        qtbot.waitUntil(lambda: here(window) == " Then snow.")

        texts = [window.document.tree.nodes[i].text for i in window.document.path_ids]
        assert texts == ["It rained.", " Then snow.", " Then sun."]


def test_focus_mode_leaves_one_pane_and_brings_the_rest_back(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        pointer.key("F11")
        qtbot.waitUntil(window.isFullScreen)
        assert window.text_pane.isVisible()
        assert not window.graph.isVisible()
        assert not window.side_bar.isVisible()
        qtbot.waitUntil(lambda: window.text_pane.width() > 1000)

        pointer.key("F11")
        qtbot.waitUntil(lambda: not window.isFullScreen())

        assert window.graph.isVisible()
        assert window.side_bar.isVisible()
        assert window.header.isVisible()

        pointer.key("ctrl+1")
        qtbot.waitUntil(window.graph.hasFocus)
        pointer.key("F11")
        qtbot.waitUntil(window.isFullScreen)
        assert not window.text_pane.isVisible()
        pointer.key("ctrl+2")  # the text would get words that nobody sees
        qtbot.waitUntil(lambda: not window.isFullScreen())
        assert window.text_pane.isVisible()
        qtbot.waitUntil(window.composer.field.hasFocus)


@pytest.mark.slow
def test_focus_mode_gives_the_keyboard_back_to_what_it_hid(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        outline = window.side_parts.outline
        outline.setFocus()

        pointer.key("F11")
        qtbot.waitUntil(window.isFullScreen)
        assert window.composer.field.hasFocus(), "the first key is a word, not a press of a button"
        pointer.key("F11")

        qtbot.waitUntil(lambda: not window.isFullScreen())
        qtbot.waitUntil(outline.hasFocus)


@pytest.mark.parametrize("pane", one_in(2, ["focusText", "focusGraph"]))
def test_what_is_not_saved_is_said_in_focus_mode_and_before_and_after_it(
    grove: Path, pane: str, qtbot: QtBot, pointer: Pointer
) -> None:
    full = GroveError("full", "The disk is full.")
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name[pane].trigger()
        banner, place = window.banner, window.banner.parentWidget()
        banner.show_unsaved(full)
        qtbot.waitUntil(banner.isVisible)

        pointer.key("F11")
        qtbot.waitUntil(window.isFullScreen)
        qtbot.waitUntil(banner.isVisible)
        assert "The disk is full." in banner.unsaved.text
        banner.show_saved()
        assert banner.isHidden()
        banner.show_unsaved(full)
        qtbot.waitUntil(banner.isVisible)
        pointer.key("F11")
        qtbot.waitUntil(lambda: not window.isFullScreen())

        qtbot.waitUntil(banner.isVisible)
        assert banner.parentWidget() is place
        assert banner.y() == 0
        banner.show_saved()
        pointer.key("F11")
        qtbot.waitUntil(window.isFullScreen)
        assert banner.isHidden()


@pytest.mark.slow
def test_what_focus_mode_hid_is_laid_out_once_and_painted_after_that(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        panes = [window.text_pane, window.side_bar, window.inspector]
        before = [pane.size() for pane in panes]
        window.focus_mode.enter()
        qtbot.waitUntil(lambda: window.text_pane.width() > 1000)
        resized = _Resized(window.text_pane)

        window.focus_mode.leave()
        at_once = resized.times

        assert not window.updatesEnabled()
        qtbot.waitUntil(window.updatesEnabled)
        qtbot.waitUntil(lambda: [pane.size() for pane in panes] == before)
        assert at_once == 1


class _Resized(QObject):
    """How often a widget is given another size."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.times = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.Resize
        return super().eventFilter(watched, event)


def test_whatever_can_be_disabled_says_why() -> None:
    assert [row.name for row in ACTIONS if row.enabled is not None and not row.enabled.why_not] == []
