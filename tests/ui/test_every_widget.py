"""Every widget of the window: named for ears, and its words translated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QObject, Qt, QTranslator
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QMenu, QSpinBox, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core import edits
from loomapp.store.grove import create_grove
from loomapp.ui import preferences
from loomapp.ui.main_window import MainWindow
from tests.journeys.windows import open_window
from tests.ui.ids import counted_ids

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
        pen = edits.Pen(grove.owner.id, 1_790_000_000_000, counted_ids())
        tree = edits.new_tree("dialogue", "7", pen, text="8")
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for text in ("9", "10"):
            grove.commit(tree, edits.add_node(tree, tree.root_id, text, pen))
        marked = edits.bookmark(tree, tree.root_id, "11", pen)
        assert marked is not None
        grove.commit(tree, marked)
    return path


def everything_shown(window: MainWindow, qtbot: QtBot) -> Iterator[str]:
    """Brings one page after the other forward."""
    yield "window"
    for tab in ("show_node_tab", "show_history_tab", "show_context"):
        getattr(window.inspector, tab)()
        qtbot.wait(1)
        yield tab
    window.show_settings()
    yield "tree settings"
    preferences.show_page(window)
    yield "settings"
    for page in ("agents", "endpoints", "usage"):
        window.actions_set.by_name[page].trigger()
        qtbot.wait(1)
        yield page
    window.show_graph()
    window.actions_set.by_name["commandPaletteAction"].trigger()
    yield "palette"
    window.palette_box.close_it()
    window.actions_set.by_name["annotate"].trigger()
    yield "note"
    window.offer(QCoreApplication.translate("window", "Open"), "", lambda: None)
    yield "strip"


def shown_widgets(window: MainWindow) -> list[QWidget]:
    return [widget for widget in window.findChildren(QWidget) if widget.isVisible()]


def texts_of(widget: QWidget) -> Iterator[str]:
    """What a widget says: to see, to hear, and as a tip."""
    yield widget.accessibleName()
    yield widget.toolTip()
    match widget:
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


def test_every_widget_with_the_keyboard_has_a_name_and_a_role(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        wrong: set[str] = set()
        for where in everything_shown(window, qtbot):
            for widget in shown_widgets(window):
                if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or widget.focusProxy() is not None:
                    continue
                spoken = QAccessible.queryAccessibleInterface(widget)
                none = (QAccessible.Role.NoRole, *(() if is_drawn(widget) else (QAccessible.Role.Client,)))
                if not spoken.text(QAccessible.Text.Name) or spoken.role() in none:
                    wrong.add(f"{where}: {type(widget).__name__} {widget.objectName()} {spoken.role()}")

        assert not wrong, "\n".join(sorted(wrong))


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
    """Texts and names that people gave, ids, and what the file calls a step of the history."""
    return widget.objectName() in (
        "message",
        "messageBody",
        "nodeAuthor",
        "nodeLocalId",
        "historyWhere",
    )
