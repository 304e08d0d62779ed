"""The outline and the bookmarks: walked by keys, in step with the rest, heard, and quick in large trees.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QMenu, QScrollBar
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.model.change import Change, apply
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import node_sequence
from loomapp.core.prose import passage_edits, path_choice
from loomapp.store.grove.open import create_grove
from loomapp.ui.side_bar.outline import view as outline_view
from loomapp.ui.side_bar.outline.bookmarks import BookmarkList
from loomapp.ui.side_bar.outline.rows import WINDOW
from loomapp.ui.side_bar.outline.view import OutlineView, RowPlace
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer, show_active, shows_all
from tests.kit.find import find
from tests.kit.graph_trees import AGENTS, buffer_tree
from tests.kit.ids import counted_ids
from tests.kit.trees import Hand
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A question; three answers, below the first a chain of two."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, 1_790_000_000_000, counted_ids())
        tree = tree_edits.new_tree("dialogue", "Birds", pen, text="Name a bird.")
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for parent, text in (
            ("Name a bird.", "Wren."),
            ("Name a bird.", "Lark."),
            ("Name a bird.", "Owl."),
            ("Wren.", "Where?"),
            ("Where?", "Here."),
        ):
            above = next(i for i, n in tree.nodes.items() if n.text == parent)
            grove.commit(tree, node_edits.add_node(tree, above, text, pen))
    return path


def by_text(window: MainWindow, text: str) -> str:
    return next(i for i, node in window.document.tree.nodes.items() if node.text == text)


def outline(window: MainWindow, qtbot: QtBot) -> OutlineView:
    view = find(window, OutlineView, "outlineView")
    qtbot.waitUntil(lambda: view.rows.outline is not None)
    return view


def rows(view: OutlineView, parent: QModelIndex | None = None) -> list[str]:
    above = parent if parent is not None else QModelIndex()
    return [str(view.rows.index(row, 0, above).data()) for row in range(view.rows.rowCount(above))]


def test_lines_are_flat_and_branches_stand_under_their_fork(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        view = outline(window, qtbot)
        assert rows(view) == ["Name a bird.", "Wren.", "Where?", "Here."]

        view.setFocus()
        pointer.key("Home", "Right")

        fork = view.rows.index(0)
        qtbot.waitUntil(lambda: rows(view, fork) == ["Lark.", "Owl."])
        assert view.isExpanded(fork)


def test_walking_selects_everywhere_and_enter_reads(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        view = outline(window, qtbot)
        pointer.key("ctrl+4", "Home", "Right", "Down")
        lark = by_text(window, "Lark.")
        qtbot.waitUntil(lambda: window.document.current_id == lark)
        assert window.graph.current_node_id == lark

        pointer.key("Return")
        qtbot.waitUntil(lambda: window.document.path_ids[-1] == lark)
        window.document.place.set_current(by_text(window, "Name a bird."))

        assert view.rows.key(view.currentIndex()) == by_text(window, "Name a bird.")


@pytest.mark.slow
def test_a_change_brings_the_current_row_into_view_once(
    grove: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document
        looked: list[str] = []
        reach = view.rows.reach

        def counted(key: str) -> QModelIndex:
            looked.append(key)
            return reach(key)

        monkeypatch.setattr(view.rows, "reach", counted)

        document.commit(node_edits.add_node(document.tree, document.current_id, "There.", document.pen()))

        assert not looked, "others show the change first"
        qtbot.waitUntil(lambda: bool(looked))
        qtbot.wait(20)
        assert looked == [document.current_id]
        assert view.currentIndex().data() == "There."
        assert view.currentIndex().data() == "There."


def test_what_is_chosen_elsewhere_is_unfolded_and_chosen(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        view = outline(window, qtbot)

        window.document.place.set_current(by_text(window, "Owl."))

        assert view.currentIndex().data() == "Owl."
        assert view.isExpanded(view.rows.index(0))


def test_rows_come_and_go_with_changes_and_nothing_is_built_anew(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document
        QAbstractItemModelTester(view.rows, QAbstractItemModelTester.FailureReportingMode.Fatal, view)
        resets: list[int] = []
        view.rows.modelReset.connect(lambda: resets.append(1))
        lark = by_text(window, "Lark.")

        document.commit(
            node_edits.add_node(document.tree, by_text(window, "Here."), "There.", document.pen())
        )
        document.commit(node_edits.add_node(document.tree, lark, "Sings.", document.pen()))
        assert rows(view)[-1] == "There."
        assert rows(view, view.rows.index_of_shown(document.tree.root_id)) == ["Lark.", "Sings.", "Owl."]
        document.commit(node_marks.prune(document.tree, by_text(window, "Wren."), document.pen()))
        assert rows(view) == ["Name a bird.", "Lark.", "Sings."]
        for _ in range(3):
            window.actions_set.by_name["undo"].trigger()

        below = rows(view, view.rows.index_of_shown(document.tree.root_id))
        assert sorted(rows(view) + below) == ["Here.", "Lark.", "Name a bird.", "Owl.", "Where?", "Wren."]
        assert resets == []


@pytest.mark.slow
def test_where_very_many_rows_go_at_once_all_are_found_again_and_what_was_open_is_open(
    grove: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loomapp.ui.side_bar.outline.rows.MANY_MOVED", 2)
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document
        patched: list[Change] = []
        follow = view.rows.follow

        def noted(change: Change) -> None:
            patched.append(change)
            follow(change)

        monkeypatch.setattr(view.rows, "follow", noted)
        view.expand(view.rows.index_of_shown(document.tree.root_id))
        stood = rows(view), rows(view, view.rows.index_of_shown(document.tree.root_id))

        def stands_again() -> bool:
            root = view.rows.index_of_shown(document.tree.root_id)
            return view.rows.outline is not None and view.isExpanded(root)

        document.commit(node_marks.prune(document.tree, by_text(window, "Wren."), document.pen()))
        assert view.rows.outline is None
        assert patched == []
        qtbot.waitUntil(stands_again)
        assert rows(view) == ["Name a bird.", "Lark."]

        window.actions_set.by_name["undo"].trigger()
        qtbot.waitUntil(stands_again)
        assert (rows(view), rows(view, view.rows.index_of_shown(document.tree.root_id))) == stood
        document.commit(node_marks.prune(document.tree, by_text(window, "Lark."), document.pen()))
        assert len(patched) == 1  # the few are patched


@pytest.mark.slow
def test_rows_are_heard_with_author_number_and_state(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document
        lark, owner = by_text(window, "Lark."), document.grove.owner.name
        document.commit(node_marks.exclude(document.tree, (lark,), document.pen()))
        document.commit(node_marks.bookmark(document.tree, lark, None, document.pen()))
        index = view.rows.reach(lark)
        spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)

        assert spoken == f"{owner}, 2 of 3: Lark., excluded, bookmarked"
        root = view.rows.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert root == f"{owner}: Name a bird., 3 branches"


def test_a_screen_reader_finds_the_rows_by_the_toolkits_interface(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        view = outline(window, qtbot)
        found = QAccessible.queryAccessibleInterface(view)

        assert found.role() == QAccessible.Role.Tree
        assert found.text(QAccessible.Text.Name) == "Outline of the tree"
        table = [found.child(i) for i in range(found.childCount())]
        names = [item.text(QAccessible.Text.Name) for item in table if item is not None]
        assert any("Name a bird., 3 branches" in name for name in names)


def test_the_menu_of_a_row_is_that_of_its_node(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        view = outline(window, qtbot)
        where = view.visualRect(view.rows.reach(by_text(window, "Where?"))).center()

        pointer.click(view.viewport(), where, button=3)
        qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        assert window.document.current_id == by_text(window, "Where?")
        pointer.key("Escape")
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


def test_bookmarks_are_listed_and_lead_to_their_nodes(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        document, listed = window.document, find(window, BookmarkList, "bookmarkList")
        assert not listed.isVisible()
        document.commit(node_marks.bookmark(document.tree, by_text(window, "Owl."), "Night", document.pen()))
        qtbot.waitUntil(listed.isVisible)
        assert listed.model().index(0, 0).data() == "Night"

        pointer.click(listed.viewport(), listed.visualRect(listed.model().index(0, 0)).center())
        qtbot.waitUntil(lambda: document.current_id == by_text(window, "Owl."))
        window.actions_set.by_name["bookmark"].trigger()

        qtbot.waitUntil(lambda: not listed.isVisible())


@pytest.mark.slow
def test_what_became_ready_is_announced(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        said: list[str] = []
        window.announcer.said.connect(said.append)
        document = window.document
        change = node_edits.add_node(document.tree, document.current_id, "And?", document.pen())

        window.generator.answers.committed.emit(change)
        window.note("Pruned.")

        assert said == ["1 branch ready", "Pruned."]


def large(size: int, *, wide: bool) -> Tree:
    nodes = [Node(f"n{i}", f"L{i}", Text(f"text {i}"), "human", created_at=i) for i in range(size)]
    edges = [Edge(f"e{i}", (EdgeSource("n0" if wide else f"n{i - 1}"),), f"n{i}") for i in range(1, size)]
    return Tree(LoomTree("t", "T", "dialogue", "n0"), nodes=nodes, edges=edges)


@pytest.mark.slow
@pytest.mark.parametrize("wide", [True, False], ids=["wide", "deep"])
def test_of_a_hundred_thousand_rows_a_view_has_a_few_hundred(qtbot: QtBot, *, wide: bool) -> None:
    tree, hand = large(100_000, wide=wide), Hand()
    view = OutlineView()
    qtbot.addWidget(view)
    view.resize(240, 400)
    show_active(qtbot, view)
    turns: list[int] = []
    view.rows._timer.timeout.connect(lambda: turns.append(1))
    view.show_tree(tree, {}, node_sequence(()))
    qtbot.waitUntil(lambda: view.rows.outline is not None, timeout=30_000)
    assert len(turns) > 10  # found in slices
    most = 2 * WINDOW + 4

    view.set_current("n60000")
    change = node_edits.add_node(tree, "n0" if wide else "n99999", "one more", hand.pen())
    apply(tree, change)
    view.patch(change, {}, node_sequence(()), "n60000")

    assert view.currentIndex().data() == "text 60000"
    above = view.currentIndex().parent()
    assert view.rows.rowCount(above) <= most
    last = view.rows.index(view.rows.rowCount(above) - 1, 0, above)
    more = str(last.data())
    assert more.endswith("more")
    view.setCurrentIndex(last)
    qtbot.waitUntil(lambda: str(view.currentIndex().data()).startswith("text 60"))
    assert view.rows.rowCount(above) <= most


@pytest.mark.slow
def test_rows_are_opened_again_one_after_the_other_around_what_is_looked_at(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outline_view, "SLICE_MS", 0.0)  # one row, then it is the window's turn
    nodes = [Node(f"n{i}", f"L{i}", Text(f"text {i}"), "human", created_at=i) for i in range(3_000)]
    edges = [Edge(f"e{i}", (EdgeSource(f"n{(i - 1) // 2 * 2}"),), f"n{i}") for i in range(1, 3_000)]
    view, turns = OutlineView(), list[int]()
    qtbot.addWidget(view)
    view.open_rows._next.timeout.connect(lambda: turns.append(1))
    view.show_tree(
        Tree(LoomTree("t", "T", "dialogue", "n0"), nodes=nodes, edges=edges), {}, node_sequence(())
    )
    near, far = [f"n{i}" for i in range(1_900, 2_100, 10)], ["n0", "n2990", "gone"]

    view.open_rows.open_again((*far, *near))
    view.set_current("n2000")
    assert view.open_rows.keys == (*far, *near)  # a window that is closed by now forgets none
    qtbot.waitUntil(lambda: len(turns) == 2 * (len(near) + len(far)))

    assert view.open_rows.keys == tuple(near)
    assert view.rows.rowCount() <= 2 * WINDOW + 2
    assert view.visualRect(view.currentIndex()).intersects(view.viewport().rect())


@pytest.mark.slow
@pytest.mark.parametrize("scrolls", [False, True])
def test_the_outline_goes_where_it_was_looked_at_unless_a_person_scrolls_meanwhile(
    qtbot: QtBot, scrolls: bool
) -> None:
    nodes = [Node(f"n{i}", f"L{i}", Text(f"text {i}"), "human", created_at=i) for i in range(100)]
    edges = [Edge(f"e{i}", (EdgeSource("n0"),), f"n{i}") for i in range(1, 100)]
    view, there = OutlineView(), RowPlace("n40", -5)
    qtbot.addWidget(view)
    view.show()
    view.show_tree(
        Tree(LoomTree("t", "T", "dialogue", "n0"), nodes=nodes, edges=edges), {}, node_sequence(())
    )
    view.open_rows.open_again(["n0"])
    view.set_current("n0")  # else Qt chooses a row when the keyboard comes
    view.go_to_place(there)
    assert view.place == there

    if scrolls:
        view.verticalScrollBar().triggerAction(QScrollBar.SliderAction.SliderToMinimum)
    qtbot.waitUntil(lambda: view.rows.outline is not None and not view.open_rows.is_opening)

    assert (view.place == there) is not scrolls
    assert (view.verticalScrollBar().value() > 0) is not scrolls


@pytest.mark.slow
def test_every_row_on_the_screen_is_as_if_all_were_painted_anew(grove: Path, qtbot: QtBot) -> None:
    """Only rows that look different are painted again."""
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document

        def add(above: str) -> None:
            document.commit(
                node_edits.add_node(document.tree, by_text(window, above), "More.", document.pen())
            )

        acts = {
            "another path": lambda: document.place.read(by_text(window, "Owl.")),
            "a mark": window.actions_set.by_name["bookmark"].trigger,
            "no longer sent": window.actions_set.by_name["exclude"].trigger,
            "another current one": lambda: document.place.set_current(by_text(window, "Name a bird.")),
            "more branches": lambda: add("Name a bird."),
            "a first branch": lambda: add("Wren."),
            "fewer": lambda: document.history.undo(lambda _: None),
            "no room": lambda: view.set_fates({by_text(window, "Lark."): "truncated"}),
            "gone": window.actions_set.by_name["prune"].trigger,
        }
        for act in acts.values():
            act()
            qtbot.wait(200)  # what changes late has changed
            qtbot.waitUntil(lambda: shows_all(view.viewport()))


def test_in_a_buffer_the_outline_shows_the_version_that_is_read(tmp_path: Path, qtbot: QtBot) -> None:
    with create_grove(tmp_path / "g.loom") as grove:
        grove.add_tree(buffer_tree(), [grove.owner, *AGENTS])
    with open_window(tmp_path / "g.loom", qtbot) as window:
        view = outline(window, qtbot)
        document, first = window.document, "Ines walked it in the heat of the day."
        document.place.read("two")
        assert document.path_ids[2] == "v3"
        assert rows(view) == [
            "The road into Sel is white with salt.",
            "Ines walked it at night.",
            "The key was the heavy part.",
        ]
        document.place.set_current("v3")
        assert view.currentIndex() == view.rows.index(1, 0)
        assert view.rows.shown_key(view.currentIndex()) == "v3"
        fork = view.rows.index(0, 0)
        view.rows.fetchMore(fork)
        assert rows(view, fork) == ["Nobody walked it."]

        choose = path_choice.choose_version(document.tree, document.path_ids, 2, "v1", document.pen())
        document.commit(choose)
        qtbot.waitUntil(lambda: rows(view)[1] == first)
        assert document.path_ids[2] == "v1"


@pytest.mark.slow
def test_in_a_buffer_the_rows_at_the_top_are_the_text_that_is_read(tmp_path: Path, qtbot: QtBot) -> None:
    with create_grove(tmp_path / "g.loom") as grove:
        pen = edit_context.EditContext(grove.owner.id, 1_790_000_000_000, counted_ids())
        tree = tree_edits.new_tree("buffer", "Birds", pen, text="It began. ")
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for text in ("A wren sang, then a lark.", " Night came.", " It ended."):
            grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, text, pen))
    with open_window(tmp_path / "g.loom", qtbot) as window:
        view, document = outline(window, qtbot), window.document
        whole = document.path_ids[1]
        document.commit(passage_edits.split(document.tree, document.path_ids, whole, 12, document.pen()))
        first = document.path_ids[1]
        parts = ["A wren sang,", " then a lark."]
        assert rows(view) == ["It began.", *(title.strip() for title in parts), "Night came.", "It ended."]

        document.commit(node_edits.add_node(document.tree, first, " and slept.", document.pen()))

        assert rows(view) == ["It began.", "A wren sang,", "and slept."]
        fork = view.rows.index(1, 0)
        view.rows.fetchMore(fork)
        assert rows(view, fork) == ["then a lark.", "Night came.", "It ended."]

        document.commit(
            path_choice.choose_version(document.tree, document.path_ids, 1, whole, document.pen())
        )

        assert [document.tree.nodes[i].text for i in document.path_ids[1:]] == [
            "A wren sang, then a lark.",
            " Night came.",
            " It ended.",
        ]
        assert rows(view) == ["It began.", "A wren sang, then a lark.", "Night came.", "It ended."]
        fork = view.rows.index(1, 0)
        view.rows.fetchMore(fork)
        assert rows(view, fork) == ["and slept."], "what is in the text is said once"


def test_living_messages_below_a_pruned_one_stand_in_the_outline_as_in_graph_and_dialogue(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        document, view = window.document, outline(window, qtbot)
        where, here = by_text(window, "Where?"), by_text(window, "Here.")
        document.commit(node_marks.prune(document.tree, where, document.pen()))
        qtbot.waitUntil(lambda: rows(view) == ["Name a bird.", "Wren."])

        document.commit(node_marks.restore(document.tree, here, document.pen()))
        document.place.read(here)

        qtbot.waitUntil(lambda: rows(view) == ["Name a bird.", "Wren.", "Here."])
        assert document.tree.nodes[where].metadata.pruned
        assert here in window.graph.node_ids()
        assert here in window.dialogue.shown_keys()
