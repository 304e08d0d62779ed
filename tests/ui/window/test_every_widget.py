"""Every widget of the window: named for ears, and its words translated.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QObject, QPoint, QRect, Qt, QTranslator
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QSpinBox,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.edits.node_marks import put_tag
from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands import preferences
from loomapp.ui.commands import tags as tagging
from loomapp.ui.inspector.comparison import ComparePage
from loomapp.ui.inspector.history.steps import HistoryTable
from loomapp.ui.inspector.node.sources_panel import SourceRow
from loomapp.ui.look import tokens
from loomapp.ui.settings.key_rows import KeyRow
from loomapp.ui.strings import told
from loomapp.ui.widgets.chip import Chip
from loomapp.ui.widgets.layouts import ScrolledColumn
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.ids import counted_ids
from tests.kit.windows import open_window
from tests.ui.look.test_theme import contrast

MOST_ROWS = 200
STEP_PX = 3  # between the columns that are looked at
LEAST_SEEN = 4  # pixels of those
MARK = "\u2045"  # begins whatever went through the translator
# Names of keys, which Qt translates, and what is called the same everywhere.
NO_WORDS = (
    "Esc",
    "Del",
    "SmolLM2",
    "settings.toml",
    "%",
    "px",
    "GB",
    "×",
    "Loomapp",
    "loomsidian",
    "Tapestry Loom",
    # Names of providers, of their protocols and of a header.
    "OpenAI Chat Completions",
    "OpenAI text Completions",
    "OpenAI Responses",
    "Anthropic Messages",
    "Authorization: Bearer",
    "Anthropic",
    "OpenAI",
    "OpenRouter",
    "Ollama",
    "LM Studio",
    "vLLM",
    "KoboldCpp",
)


class Marker(QTranslator):
    """Marks every text that is asked for in the program's own contexts."""

    def translate(
        self, context: str, source_text: str, disambiguation: str | None = None, n: int = -1
    ) -> str:
        """The text with a mark in front; Qt's own texts stay."""
        return source_text if context.startswith("Q") or not source_text else f"{MARK}{source_text}"

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, 1_790_000_000_000, counted_ids())
        tree = tree_edits.new_tree("dialogue", "7", pen, text="8")
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for text in ("9", "10"):
            grove.commit(tree, node_edits.add_node(tree, tree.root_id, text, pen))
        marked = node_marks.bookmark(tree, tree.root_id, "11", pen)
        tagged = put_tag(tree, list(tree.nodes), "14", pen)
        assert marked is not None
        assert tagged is not None
        grove.commit(tree, marked)
        grove.commit(tree, tagged)
    return path


def settings_shown(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """Brings one row after the other into view."""
    page = window.app_settings
    assert page is not None
    bar = find(page, ScrolledColumn, "settingsArea").verticalScrollBar()
    while True:
        qtbot.waitUntil(page.is_whole)
        yield "settings"
        if bar.value() == bar.maximum():
            return
        bar.setValue(bar.value() + 2 * bar.pageStep())


def everything_shown(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """Brings one page after the other forward."""
    yield "window"
    for tab in ("nodeInspector", "provenancePanel", "historyPanel", "contextInspector"):
        window.inspector.show_tab(tab)
        qtbot.wait(1)
        yield tab
    window.pages.show_settings()
    qtbot.waitUntil(lambda: window.settings_page.is_whole)
    yield "tree settings"
    preferences.show_page(window.bench)
    yield from settings_shown(window, qtbot)
    for page in ("agents", "endpoints", "usage", "otherPrograms"):
        window.actions_set.by_name[page].trigger()
        qtbot.wait(1)
        yield page
    for page in ("restoreBackup", "showKeys", "showLog"):
        window.actions_set.by_name[page].trigger()
        yield page
    window.pages.show_graph()
    window.actions_set.by_name["commandPaletteAction"].trigger()
    yield "palette"
    window.document.place.set_current(window.document.path_ids[-1])
    window.actions_set.refresh()
    window.actions_set.by_name["reparent"].trigger()
    yield "where to hang a branch"
    window.actions_set.by_name["tag"].trigger()
    yield "tag"
    window.palette_box.close_it()
    window.actions_set.by_name["findInPath"].trigger()
    yield "find"
    window.actions_set.by_name["edit"].trigger()
    yield "editor"
    yield from history_shown(window)
    yield from popups_shown(window, qtbot)
    window.actions_set.by_name["annotate"].trigger()
    yield "note"
    window.next_steps.offer(QCoreApplication.translate("window", "Open"), "", lambda: None)
    yield "strip"


def sources_shown(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """What a request is made of, by rows: their words are of nodes and people."""
    window.pages.show_graph()
    window.actions_set.by_name["showSources"].trigger()
    qtbot.waitUntil(lambda: any(isinstance(widget, SourceRow) for widget in shown_widgets(window)))
    yield "sources"


def comparison_shown(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """Messages side by side: their words are of people and models."""
    window.graph.choose(list(window.document.tree.nodes))
    window.actions_set.refresh()
    window.actions_set.by_name["compare"].trigger()
    qtbot.waitUntil(lambda: any(isinstance(widget, ComparePage) for widget in shown_widgets(window)))
    yield "comparison"


def history_shown(window: MainWindow) -> Iterator[str]:
    """Steps of one and of several nodes, done and undone, and notes of them in the status bar."""
    act = window.actions_set.by_name
    window.graph.choose(window.document.tree.nodes)
    for name in ("exclude", "bookmark", "prune"):
        act[name].trigger()
    act["undo"].trigger()
    window.inspector.show_history_tab()
    yield "history and undo"
    act["redo"].trigger()
    yield "redo"
    act["undo"].trigger()
    window.graph.choose([])


def popups_shown(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """What stands over the window; and an error in its strip, as a command raised it."""
    menu = window.actions_set.node_menu()
    menu.popup(window.mapToGlobal(window.rect().center()))
    yield "menu of a card"
    menu.close()
    tagging.open_menu(window.bench, "14")
    yield "menu of a tag"
    tag_menu = QApplication.activePopupWidget()
    assert tag_menu is not None
    tag_menu.close()
    window.header.agents.on_clicked()
    yield "agents"
    popup = QApplication.activePopupWidget()
    assert popup is not None
    popup.close()
    window.graph.reparent_asked.emit(window.document.tree.root_id, window.document.path_ids[-1])
    assert window.text_pane.errors.isVisible()
    yield "an error"
    window.banner.show_unsaved(GroveError("full", worded("{path} is full.", path="12")), "13")
    window.banner.show_notice(told(worded("{name} is in a network folder.", name="12")))
    yield "banner"
    window.banner.show_saved()


def shown_widgets(window: MainWindow) -> list[QWidget]:
    return [widget for widget in window.findChildren(QWidget) if widget.isVisible()]


def texts_of(widget: QWidget) -> Iterator[str]:
    """What a widget says: to see, to hear, and as a tip."""
    yield widget.accessibleName()
    yield widget.accessibleDescription()
    yield widget.toolTip()
    match widget:
        case QAbstractItemView():
            yield from rows_of(widget.model())
        case QMenu():
            yield from (action.text() for action in widget.actions())
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QLineEdit():
            yield widget.placeholderText()
        case QComboBox():
            yield from (widget.itemText(i) for i in range(widget.count()))
        case QSpinBox():
            yield widget.suffix()
        case QTabBar():
            yield from (widget.tabText(i) for i in range(widget.count()))


def rows_of(model: QAbstractItemModel) -> Iterator[str]:
    """What the rows of a list say, to see, to hear and as a tip."""
    roles = Qt.ItemDataRole
    for row in range(min(MOST_ROWS, model.rowCount())):
        for role in (
            roles.DisplayRole,
            roles.AccessibleTextRole,
            roles.AccessibleDescriptionRole,
            roles.ToolTipRole,
        ):
            said = model.index(row, 0).data(role)
            if isinstance(said, str):  # of a step each part, of other rows some are of a person
                yield from said.split(" · ") if isinstance(model, HistoryTable) else [said]


def test_every_widget_with_the_keyboard_has_a_name_and_a_role(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        wrong: set[str] = set()
        places = (everything_shown, sources_shown, comparison_shown)
        for where in chain.from_iterable(shown(window, qtbot) for shown in places):
            for widget in shown_widgets(window):
                if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or widget.focusProxy() is not None:
                    continue
                spoken = QAccessible.queryAccessibleInterface(widget)
                none = (QAccessible.Role.NoRole, *(() if is_drawn(widget) else (QAccessible.Role.Client,)))
                if not spoken.text(QAccessible.Text.Name) or spoken.role() in none:
                    wrong.add(f"{where}: {type(widget).__name__} {widget.objectName()} {spoken.role()}")

        assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(2, tokens.THEMES))
def test_where_the_keyboard_is_can_be_seen_on_every_widget(
    grove: Path, qtbot: QtBot, name: tokens.ThemeName
) -> None:
    with open_window(grove, qtbot) as window:
        window.preferences.put("theme", name)
        qtbot.waitUntil(window.updatesEnabled)  # the theme comes in turns
        unseen: set[str] = set()
        for where in pages_shown(window, qtbot):
            for widget in shown_widgets(window):
                if stops_at(widget) and not shows_focus(window, widget):
                    unseen.add(f"{where}: {type(widget).__name__} {widget.objectName()}")

        assert not unseen, "\n".join(sorted(unseen))


def pages_shown(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """The window and its pages, without what a keyboard holds in itself."""
    yield "window"
    for page in ("treeSettings", "settings", "agents", "endpoints", "restoreBackup"):
        window.actions_set.by_name[page].trigger()
        qtbot.wait(1)
        yield page
    window.pages.show_graph()


def stops_at(widget: QWidget) -> bool:
    """True for a stop of the Tab key that is in view."""
    is_stop = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
    return is_stop and widget.isEnabled() and not widget.visibleRegion().isEmpty() and not is_inner(widget)


def is_inner(widget: QWidget) -> bool:
    """The line of a number or of a choice: its field has the ring."""
    return widget.objectName() == "qt_spinbox_lineedit" or isinstance(widget.parentWidget(), QComboBox)


def shows_focus(window: MainWindow, widget: QWidget) -> bool:
    """Whether something that can be seen changes when the keyboard comes: at least 3:1 to what was there."""
    window.setFocus()
    area = QRect(widget.mapTo(window, QPoint()), widget.size()).adjusted(-6, -6, 6, 6) & window.rect()
    before = window.grab(area).toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    after = window.grab(area).toImage()
    places = [(x, y) for y in range(after.height()) for x in range(0, after.width(), STEP_PX)]
    changed = (
        (before.pixelColor(*at), after.pixelColor(*at))
        for at in places
        if before.pixel(*at) != after.pixel(*at)
    )
    return sum(contrast(old, new) >= 3 for old, new in changed) >= LEAST_SEEN


def test_every_text_of_the_window_goes_through_the_translator(
    grove: Path, qtbot: QtBot, qapp: QObject
) -> None:
    marker = Marker(qapp)
    QCoreApplication.installTranslator(marker)
    try:
        with open_window(grove, qtbot) as window:
            bare: set[str] = set()
            for where in everything_shown(window, qtbot):
                for widget in shown_widgets(window):
                    if widget.objectName().startswith("qt_") or is_of_a_person(widget):
                        continue
                    bare |= {
                        f"{where}: {type(widget).__name__} {widget.objectName()}: {text}"
                        for text in texts_of(widget)
                        if is_bare(text)
                    }
            for menu in window.header.menu_bar.findChildren(QMenu):
                bare |= {f"menu: {a.text()}" for a in menu.actions() if is_bare(a.text())}

            assert not bare, "\n".join(sorted(bare))
    finally:
        QCoreApplication.removeTranslator(marker)
        marker.deleteLater()


def is_drawn(widget: QWidget) -> bool:
    """Areas that paint their content themselves: to Qt they are areas, their descriptions speak."""
    return widget.objectName() in ("graphView", "dialogueView", "message")


def is_bare(text: str) -> bool:
    """True for words that nobody translated."""
    for known in NO_WORDS:
        text = text.replace(known, "")
    return MARK not in text and any(len(word) > 2 and word.isalpha() for word in text.split())


def is_of_a_person(widget: QWidget) -> bool:
    """Texts and names that people gave, ids, and what the file calls a step of the history; and keys."""
    if isinstance(widget, Chip) and isinstance(widget.parentWidget(), KeyRow):
        return True  # Qt names it
    return widget.objectName() in (
        "message",
        "messageBody",
        "nodeAuthor",
        "nodeLocalId",
        "historyWhere",
    )
