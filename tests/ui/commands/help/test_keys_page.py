"""The keys page: every action with the keys that it has now, searched, and led to the settings.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QPushButton, QTreeWidget
from pytestqt.qtbot import QtBot

from loomapp.core.action_table import ACTIONS_BY_MENU
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands.help.help_lists import HelpList
from loomapp.ui.commands.help.keys_page import KEYS, TITLE
from loomapp.ui.widgets.clipboard import words_in
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    create_grove(path).close()
    return path


def listed(window: MainWindow) -> dict[tuple[str, str], str]:
    """The rows that are shown: by menu and title the keys."""
    rows, found = find(window, QTreeWidget, "keysList"), dict[tuple[str, str], str]()
    for place in range(rows.topLevelItemCount()):
        menu = rows.topLevelItem(place)
        assert menu is not None
        for row in map(menu.child, range(menu.childCount())):
            assert row is not None
            if not row.isHidden():
                found[menu.text(TITLE), row.text(TITLE)] = row.text(KEYS)
    return found


def test_f1_lists_every_action_with_its_keys_and_leaves_again(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["showKeys"].trigger()

        rows = listed(window)
        assert list(rows) == [
            (menu, entry.title.rstrip("…")) for menu, entries in ACTIONS_BY_MENU.items() for entry in entries
        ]
        assert rows["Help", "Help and keys"] == "F1"
        assert rows["Node", "Bookmark"] == "Ctrl+D   B (in the graph)"
        window.actions_set.by_name["showKeys"].trigger()
        assert window.pages.currentWidget() is window.graph


def test_its_search_looks_at_titles_and_keys_and_says_when_there_is_nothing(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["showKeys"].trigger()
        search, rows = find(window, QLineEdit, "keysSearch"), find(window, QTreeWidget, "keysList")

        search.setText("ctrl+d")
        assert ("Node", "Bookmark") in listed(window)
        assert ("File", "Quit") not in listed(window)
        search.setText("no such key")
        assert rows.isHidden()
        search.setText("")
        assert ("File", "Quit") in listed(window)


@pytest.mark.slow
def test_it_shows_a_key_that_was_changed_and_leads_to_where_it_is_changed(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["showKeys"].trigger()

        window.preferences.put_keys("bookmark", ("Ctrl+Shift+U",))
        assert listed(window)["Node", "Bookmark"] == "Ctrl+Shift+U   B (in the graph)"
        find(window, QPushButton, "changeKeysButton").click()
        assert window.app_settings is not None
        assert window.app_settings.isVisible()


def shown_words(rows: HelpList) -> list[str]:
    items = map(rows.item, range(rows.count()))
    return [item.text() for item in items if not item.isHidden()]


def test_it_tells_uses_signs_and_places_of_data_and_its_search_finds_them(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["showKeys"].trigger()
        search, keys = find(window, QLineEdit, "keysSearch"), find(window, QTreeWidget, "keysList")

        uses = find(window, HelpList, "usesList")
        assert keys.isHidden()
        assert not uses.isHidden(), "who asks for help sees first what this is for"
        assert "Write in a buffer" in shown_words(uses)
        pictures = [uses.itemWidget(uses.item(row)) for row in range(uses.count())]
        assert [
            one.pixmap().deviceIndependentSize().width() for one in pictures if isinstance(one, QLabel)
        ] == [400.0] * 3
        search.setText("endpoint server")
        assert shown_words(uses) == ["Words used here", "Endpoint: the server at which a model is asked."]
        search.setText("bookmarked")
        signs = find(window, HelpList, "signsList")
        assert keys.isHidden()
        assert not signs.isHidden()
        assert "Bookmarked" in shown_words(signs)
        assert "Tagged" not in shown_words(signs)
        search.setText("")
        find(window, QAbstractButton, "helpSections_data").click()
        data = find(window, HelpList, "dataList")
        assert f"Trees: one file\n{grove}" in shown_words(data)
        find(window, QPushButton, "copyHelpButton").click()
        assert words_in(QGuiApplication.clipboard().mimeData()) == str(grove)
        search.setText("ctrl+shift+t")
        assert not keys.isHidden()
        assert data.isHidden()
