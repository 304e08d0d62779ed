"""The list of trees: opened, made, renamed and archived with a real pointer and real keys."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListView, QMainWindow, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.ui.look import theme
from loomapp.ui.trees.tree_list import TreeList
from loomapp.ui.trees.tree_rows import short_count
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find


@dataclass(frozen=True, slots=True)
class Row:
    """A tree as the store lists it."""

    id: str
    title: str
    mode: str = "dialogue"
    written_count: int = 3
    updated_at: int = 0
    archived_at: int | None = None


ROWS = [
    Row("t1", "Marie study", written_count=47),
    Row("t2", "The Salt Road", "buffer", 212),
    Row("t3", "Persona drift, run 3, all of the letters", written_count=1240),
]


def shown(qtbot: QtBot, rows: list[Row] = ROWS, current_id: str = "t1") -> TreeList:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, "light")
    trees = TreeList()
    qtbot.addWidget(trees)
    trees.resize(204, 320)
    trees.show_trees(rows, current_id)
    show_active(qtbot, trees)
    return trees


def middle(trees: TreeList, tree_id: str) -> QPoint:
    return trees.row_rect(tree_id).center()


def popup(qtbot: QtBot, name: str) -> QMenu:
    found: list[QMenu] = []

    def is_open() -> bool:
        menu = QApplication.activePopupWidget()
        if isinstance(menu, QMenu) and menu.objectName() == name:
            found.append(menu)
        return bool(found)

    qtbot.waitUntil(is_open)
    return found[0]


def entry(menu: QMenu, text: str) -> QPoint:
    action = next(action for action in menu.actions() if action.text() == text)
    return menu.actionGeometry(action).center()


def test_a_click_opens_a_tree(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)

    with qtbot.waitSignal(trees.tree_chosen) as chosen:
        pointer.click(trees, middle(trees, "t2"))

    assert chosen.args == ["t2"]


def test_what_is_heard_of_a_tree_sets_thousands_apart(qtbot: QtBot) -> None:
    trees = shown(qtbot)
    model = find(trees, QListView, "treeRows").model()

    heard = [str(model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(3)]

    assert "47 nodes" in heard[0]
    assert "1,240 nodes" in heard[2]


def test_arrows_move_and_enter_opens(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)
    opened: list[str] = []
    trees.tree_chosen.connect(opened.append)
    trees.setFocus()

    pointer.key("Down", "Down")
    assert opened == []
    pointer.key("Return")

    qtbot.waitUntil(lambda: opened == ["t3"])


def test_the_gear_stands_on_the_open_tree_and_asks_for_its_settings(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)
    trees.show_trees(ROWS, "t2")
    gear = find(trees, QToolButton, "treeSettingsButton")

    assert trees.row_rect("t2").contains(gear.mapTo(trees, gear.rect().center()))
    with qtbot.waitSignal(trees.settings_asked) as asked:
        pointer.click(gear)
    assert asked.args == ["t2"]


def test_the_gear_follows_its_row_when_the_list_scrolls(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot, [Row(f"t{i}", f"Tree {i}") for i in range(60)], "t5")
    gear = find(trees, QToolButton, "treeSettingsButton")
    before = trees.row_rect("t5").top()

    pointer.wheel(trees, middle(trees, "t5"), notches=-1)

    qtbot.waitUntil(lambda: trees.row_rect("t5").top() < before)
    assert trees.row_rect("t5").center().y() - gear.mapTo(trees, gear.rect().center()).y() in (-1, 0, 1)


def test_the_tree_that_is_opened_comes_into_view(qtbot: QtBot) -> None:
    rows = [Row(f"r{i}", f"Tree {i}") for i in range(30)]
    trees = shown(qtbot, rows, "r0")

    trees.show_trees(rows, "r29")

    row = trees.row_rect("r29")
    assert trees.rect().contains(row)
    assert not trees.row_rect("r0").intersects(trees.rect())


def test_the_open_tree_stays_in_sight_where_another_section_takes_the_room(qtbot: QtBot) -> None:
    trees = shown(qtbot, [Row(f"r{i}", f"Tree {i}") for i in range(12)], "r8")
    assert trees.rect().contains(trees.row_rect("r8"))

    trees.resize(trees.width(), 120)

    qtbot.waitUntil(lambda: trees.rect().contains(trees.row_rect("r8")))


def test_plus_offers_both_modes(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)
    plus = find(trees, QToolButton, "newTreeButton")

    for text, mode in (("Dialogue", "dialogue"), ("Buffer", "buffer")):
        pointer.click(plus)
        menu = popup(qtbot, "newTreeMenu")
        with qtbot.waitSignal(trees.new_asked) as asked:
            pointer.click(menu, entry(menu, text))
        assert asked.args == [mode]


def test_f2_renames_in_place(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)
    trees.setFocus()
    pointer.key("F2")
    qtbot.waitUntil(lambda: trees.findChild(QLineEdit, "treeTitleField") is not None)

    pointer.type_ascii("Marie, the keeper")
    with qtbot.waitSignal(trees.rename_asked) as asked:
        pointer.key("Return")

    assert asked.args == ["t1", "Marie, the keeper"]


def test_f2_in_the_list_is_not_the_windows_f2(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)
    window = QMainWindow()
    qtbot.addWidget(window)
    edit_node = QAction("Edit", window)
    edit_node.setShortcut(QKeySequence("F2"))
    edited: list[bool] = []
    edit_node.triggered.connect(edited.append)
    window.addAction(edit_node)
    window.setCentralWidget(trees)
    show_active(qtbot, window)
    trees.setFocus()

    pointer.key("F2")

    qtbot.waitUntil(lambda: trees.findChild(QLineEdit, "treeTitleField") is not None)
    assert edited == []


def test_escape_and_a_blank_title_rename_nothing(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)
    asked: list[str] = []
    trees.rename_asked.connect(asked.append)

    for last_key in ("Escape", "Return"):
        trees.rename("t1")
        qtbot.waitUntil(lambda: trees.findChild(QLineEdit, "treeTitleField") is not None)
        pointer.type_ascii("   ")
        pointer.key(last_key)
        qtbot.waitUntil(lambda: trees.findChild(QLineEdit, "treeTitleField") is None)

    assert asked == []


def test_a_title_being_typed_survives_new_rows(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)
    trees.rename("t1")
    pointer.type_ascii("Half a ti")

    trees.show_trees(
        [Row("t1", "Marie study", written_count=50), *ROWS[1:]], "t1"
    )  # the same trees, counted anew
    trees.show_trees([Row("t9", "A new one"), *ROWS], "t1")  # another process made a tree
    pointer.type_ascii("tle")
    with qtbot.waitSignal(trees.rename_asked) as asked:
        pointer.key("Return")

    assert asked.args == ["t1", "Half a title"]
    qtbot.waitUntil(lambda: not trees.row_rect("t9").isEmpty())


def test_the_menu_of_a_row_renames_and_archives(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)

    pointer.click(trees, middle(trees, "t3"), button=3)
    menu = popup(qtbot, "treeMenu")
    with qtbot.waitSignal(trees.archive_asked) as asked:
        pointer.click(menu, entry(menu, "Archive"))

    assert asked.args == ["t3"]


def test_archived_trees_are_folded_away_and_come_back(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot, [*ROWS, Row("t4", "Old one", archived_at=1)])
    fold = find(trees, QToolButton, "archivedTreesButton")
    assert trees.row_rect("t4").isEmpty()

    pointer.click(fold)
    qtbot.waitUntil(lambda: not trees.row_rect("t4").isEmpty())
    pointer.click(trees, middle(trees, "t4"), button=3)
    menu = popup(qtbot, "treeMenu")
    with qtbot.waitSignal(trees.restore_asked) as asked:
        pointer.click(menu, entry(menu, "Bring back"))

    assert asked.args == ["t4"]


def test_an_empty_grove_says_what_to_do(qtbot: QtBot) -> None:
    trees = shown(qtbot, [], "")

    words = find(trees, QLabel, "treeListEmpty")

    assert words.isVisible()
    assert "+" in words.text()


def test_the_cursor_stays_on_its_tree_when_the_order_changes(qtbot: QtBot, pointer: Pointer) -> None:
    trees = shown(qtbot)
    opened: list[str] = []
    trees.tree_chosen.connect(opened.append)
    trees.setFocus()
    pointer.key("Down")

    trees.show_trees([ROWS[1], ROWS[0], ROWS[2]], "t1")
    pointer.key("Return")

    qtbot.waitUntil(lambda: opened == ["t2"])


def test_counts_take_four_characters_at_most() -> None:
    counts = {7: "7", 999: "999", 1000: "1k", 1240: "1.2k", 9_960: "9k", 34_567: "34k", 1_500_000: "1.5M"}

    assert {count: short_count(count) for count in counts} == counts
