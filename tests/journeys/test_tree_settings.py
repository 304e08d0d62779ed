"""Journey 3: two trees, two personas, one model; what is typed in the settings is what is sent.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QSpinBox, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.ui.widgets.form import LongText
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.processes.outside import assembled, loomapp, new_tree
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return tmp_path / "settings.loom"


def test_each_tree_says_its_own_system_context(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    first, first_root = new_tree(grove, text="Hello.")
    second, second_root = new_tree(grove, text="Good day.", system_context="You are a baker.")

    with open_window(grove, qtbot) as window:
        pointer.click(find(window, QToolButton, "treeSettingsButton"))
        qtbot.waitUntil(lambda: window.pages.is_showing_settings)
        qtbot.waitUntil(find(window, LongText, "treeSystemContext").hasFocus)  # no click is needed
        pointer.type_ascii("You keep a lighthouse.")
        qtbot.waitUntil(lambda: window.document.tree.loom.system_context == "You keep a lighthouse.")
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert window.preview.last.system == "You keep a lighthouse."
        assert window.document.tree.loom.id == first
        assert assembled(grove, first, first_root)["system"] == "You keep a lighthouse."

        trees = window.tree_list
        pointer.click(trees, trees.row_rect(second).center())
        field = find(window, LongText, "treeSystemContext")
        qtbot.waitUntil(lambda: field.toPlainText() == "You are a baker.")
        qtbot.waitUntil(field.hasFocus)  # no click is needed here either
        pointer.key("ctrl+End")
        pointer.type_ascii(" Be brief.")
        qtbot.waitUntil(lambda: window.document.tree.loom.system_context == "You are a baker. Be brief.")
        pointer.key("Escape")
        qtbot.waitUntil(lambda: not window.pages.is_showing_settings)

    assert assembled(grove, first, first_root)["system"] == "You keep a lighthouse."
    assert assembled(grove, second, second_root)["system"] == "You are a baker. Be brief."


@pytest.mark.slow
def test_an_overridden_field_goes_back_to_what_it_inherits(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    tree_id, root = new_tree(grove, text="Hello.")

    with open_window(grove, qtbot) as window:
        pointer.key("ctrl+shift+t")
        qtbot.waitUntil(lambda: window.pages.is_showing_settings)
        settings = window.document.tree.loom
        box = find(window, QSpinBox, "minimumRecentNodes")
        pointer.click(box)
        pointer.key("ctrl+a")
        pointer.type_ascii("6")
        pointer.key("Tab")
        qtbot.waitUntil(lambda: window.document.tree.loom.context_settings.minimum_recent_nodes == 6)
        find(window, QComboBox, "truncationStrategy").setFocus()
        pointer.key("Down")
        changed = window.document.tree.loom.context_settings
        qtbot.waitUntil(lambda: window.document.tree.loom.context_settings.truncation_strategy is not None)
        assert changed.minimum_recent_nodes == 6
        assert assembled(grove, tree_id, root)["report"]["strategy"] == "rollingWindow"

        pointer.key("ctrl+z", "ctrl+z")
        qtbot.waitUntil(lambda: window.document.tree.loom == settings)

    assert "ok" in loomapp("verify", "--grove", grove)


@pytest.mark.slow
def test_undo_in_the_settings_takes_back_what_was_typed(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    new_tree(grove, text="Hello.")

    with open_window(grove, qtbot) as window:
        pointer.key("ctrl+shift+t")
        qtbot.waitUntil(lambda: window.pages.is_showing_settings)
        field = find(window, LongText, "treeSystemContext")
        pointer.click(field)
        pointer.type_ascii("Be brief.")
        qtbot.waitUntil(lambda: window.document.tree.loom.system_context == "Be brief.")

        pointer.key("ctrl+z")

        qtbot.waitUntil(lambda: window.document.tree.loom.system_context is None)
        qtbot.waitUntil(lambda: field.toPlainText() == "")
