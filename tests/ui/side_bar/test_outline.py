"""The outline and the bookmarks: walked by keys, in step with the rest, heard, and quick in large trees.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QAccessible, QFontMetrics
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.economy import branch_summaries
from loomapp.core.economy.coverage import covered_hash
from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.model.change import apply
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ContextSummary, Edge, EdgeSource, LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose import path_choice
from loomapp.store.grove.open import create_grove
from loomapp.ui.look import theme
from loomapp.ui.side_bar.outline.marks import BookmarkList
from loomapp.ui.side_bar.outline.painter import RowParts
from loomapp.ui.side_bar.outline.row_words import RowPlace
from loomapp.ui.side_bar.outline.rows import LARGE, WINDOW
from loomapp.ui.side_bar.outline.view import OutlineView
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.kit.graph_trees import AGENTS, buffer_tree
from tests.kit.ids import counted_ids
from tests.kit.trees import Hand, chain
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


def rows(view: OutlineView) -> list[str]:
    return [str(view.rows.index(row).data()) for row in range(view.rows.rowCount())]


def place_of(view: OutlineView, text: str) -> QRect:
    return view.visualRect(view.rows.index(rows(view).index(text)))


def parts(view: OutlineView, text: str) -> RowParts:
    row = view.rows.row(view.rows.index(rows(view).index(text)))
    assert row is not None
    return view.row_painter.parts(place_of(view, text), row)


def test_the_key_that_deletes_a_card_deletes_the_row_or_says_why_not(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document
        note = find(window.status, QLabel, "statusNote")
        document.place.read(by_text(window, "Here."))
        where, wren = by_text(window, "Where?"), by_text(window, "Wren.")
        view.setFocus()
        view.setCurrentIndex(view.rows.index(rows(view).index("Where?")))

        QTest.keyClick(view, Qt.Key.Key_Delete)

        nodes = document.tree.nodes
        assert [i for i in (wren, where) if nodes[i].metadata.pruned] == [where]
        assert "Undo" in note.text()
        document.history.undo(lambda _: None)
        qtbot.waitUntil(lambda: not document.tree.nodes[where].metadata.pruned)
        qtbot.waitUntil(lambda: rows(view)[:1] == ["Name a bird."])
        view.setCurrentIndex(view.rows.index(0))
        QTest.keyClick(view, Qt.Key.Key_Delete)
        assert "The first message of a tree cannot be deleted" in note.text()
        assert not document.tree.nodes[document.tree.root_id].metadata.pruned


def test_alternatives_are_dots_until_they_go_on_and_choosing_one_moves_no_row(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document
        QAbstractItemModelTester(view.rows, QAbstractItemModelTester.FailureReportingMode.Fatal, view)
        document.place.read(by_text(window, "Here."))
        assert rows(view) == ["Name a bird.", "Wren.", "Where?", "Here."]
        lark = by_text(window, "Lark.")

        (dot,) = [place for node_id, place in parts(view, "Wren.").dots if node_id == lark]
        pointer.click(view.viewport(), dot.center())

        qtbot.waitUntil(lambda: document.path_ids[-1] == lark)
        assert rows(view) == ["Name a bird.", "Lark.", "Where?", "Here."]
        assert view.currentIndex().row() == 1
        assert parts(view, "Where?").below_words == "below 1/3"
        where = view.rows.index(2)
        heard = str(where.data(Qt.ItemDataRole.AccessibleTextRole))
        tip = "Answers 1/3 “Wren.”, not 2/3 that is shown above it"
        assert heard.endswith(f", {tip}")
        on_chip = parts(view, "Where?").below.center()
        row = view.rows.row(where)
        assert row is not None
        assert view.row_painter.tip_at(view.visualRect(where), row, on_chip) == tip
        document.commit(node_edits.add_node(document.tree, lark, "Sings.", document.pen()))
        whole = ["Name a bird.", "Wren.", "Where?", "Here.", "Lark.", "Sings.", "Owl."]
        assert rows(view) == whole, "what could be seen stays, below its own"
        depths = [row.depth for row in view.rows.outline.rows] if view.rows.outline else []
        assert depths == [0, 1, 1, 1, 1, 1, 1]
        window.actions_set.by_name["undo"].trigger()
        assert rows(view) == ["Name a bird.", "Lark.", "Where?", "Here."]


def test_arrows_and_counts_fold_and_left_and_right_do_too(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document
        document.commit(
            node_edits.add_node(document.tree, by_text(window, "Lark."), "Sings.", document.pen())
        )
        document.place.read(by_text(window, "Here."))
        whole = ["Name a bird.", "Wren.", "Where?", "Here.", "Lark.", "Sings.", "Owl."]
        assert rows(view) == whole, "what the path leaves stays open"

        pointer.click(view.viewport(), parts(view, "Lark.").arrow.center())
        qtbot.waitUntil(lambda: rows(view) == [*whole[:5], "Owl."])
        assert document.path_ids[-1] == by_text(window, "Here."), "to fold is not to choose"
        assert parts(view, "Lark.").count_words == "+1"
        pointer.click(view.viewport(), parts(view, "Lark.").count.center())
        qtbot.waitUntil(lambda: rows(view) == whole)
        pointer.key("ctrl+4", "Home", "Left")
        qtbot.waitUntil(lambda: rows(view) == ["Name a bird."])
        pointer.key("Right")
        qtbot.waitUntil(lambda: rows(view) == whole)
        pointer.key("Down", "Down", "Left")
        qtbot.waitUntil(lambda: document.current_id == by_text(window, "Name a bird."))


def test_a_click_goes_there_arrows_select_and_enter_reads(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document
        sings = node_edits.add_node(document.tree, by_text(window, "Lark."), "Sings.", document.pen())
        document.commit(sings)
        here, lark = by_text(window, "Here."), by_text(window, "Lark.")
        document.place.read(here)

        pointer.key("ctrl+4", "Home", *["Down"] * 4)
        qtbot.waitUntil(lambda: document.current_id == lark)
        assert window.graph.current_node_id == lark
        assert document.path_ids[-1] == here
        pointer.key("Return")
        qtbot.waitUntil(lambda: document.path_ids[-1] == lark)

        pointer.click(view.viewport(), place_of(view, "Where?").center())

        qtbot.waitUntil(lambda: document.current_id == by_text(window, "Where?"))
        assert document.path_ids[-1] == here, "its end as last read"
        pointer.click(view.viewport(), place_of(view, "Name a bird.").center(), button=3)
        qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        pointer.key("Escape")
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


def test_runs_fold_and_what_is_chosen_elsewhere_comes_out_of_its_run(tmp_path: Path, qtbot: QtBot) -> None:
    view = OutlineView()
    qtbot.addWidget(view)
    view.resize(240, 400)
    show_active(qtbot, view)
    tree = large(30, wide=False)
    path = resolve(tree, "n29")
    view.show_tree(tree, {}, path, "n29")
    assert rows(view) == ["text 0", "to 28 · 27 messages", "text 28", "text 29"]

    view.set_current("n12", path)

    assert rows(view) == ["text 0", "to 12 · 11 messages", "text 12", "to 28 · 15 messages", *rows(view)[-2:]]
    assert view.currentIndex().row() == 2
    kept = view.opened
    view.clicked.emit(view.rows.index(1))
    assert len(rows(view)) == 16
    pressed = parts(view, "text 1")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=pressed.arrow.center())
    assert len(rows(view)) == 6
    view.show_tree(tree, {}, path, "n29", kept)
    assert rows(view)[2] == "text 12", "as it was left"
    view.unfold_all()
    assert len(rows(view)) == 30
    view.go_to_current()
    view.resize(240, 90)
    assert view.viewport().rect().contains(place_of(view, "text 29").center()), "it stays in view"
    view.resize(240, 400)
    view.fold_all()
    assert len(rows(view)) == 4


def test_rows_are_heard_with_their_depth_author_number_and_state(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        view, document = outline(window, qtbot), window.document
        lark, owner = by_text(window, "Lark."), document.grove.owner.name
        document.commit(node_edits.add_node(document.tree, lark, "Sings.", document.pen()))
        document.commit(node_marks.exclude(document.tree, (lark,), document.pen()))
        document.commit(node_marks.bookmark(document.tree, lark, None, document.pen()))
        document.place.read(by_text(window, "Here."))
        row = view.rows.row(view.rows.reach(lark))
        assert row is not None
        view.rows.toggle(row)
        heard = [str(view.rows.index(n).data(Qt.ItemDataRole.AccessibleTextRole)) for n in range(6)]

        assert heard[0] == f"message 1, {owner}: Name a bird., 2 ways on"
        assert heard[4] == (
            f"message 2, {owner}: Lark., excluded, bookmarked, way 2 of 3, level 2, folded, 1 below"
        )
        qtbot.waitUntil(lambda: view.rows.rowCount() == 6 and place_of(view, "Lark.").isValid())
        found = QAccessible.queryAccessibleInterface(view)
        assert found.role() == QAccessible.Role.Tree
        assert found.text(QAccessible.Text.Name) == "Outline of the tree"
        assert found.childCount() == 7, "the head of the column, and the rows"
        assert found.child(5).text(QAccessible.Text.Name) == heard[4]


def test_bookmarks_are_listed_and_lead_to_their_nodes(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        document, listed = window.document, find(window, BookmarkList, "bookmarkList")
        assert not listed.isVisible()
        document.commit(node_marks.bookmark(document.tree, by_text(window, "Owl."), "Night", document.pen()))
        qtbot.waitUntil(listed.isVisible)
        assert listed.model().index(0, 0).data() == "Night"
        lark, pen = by_text(window, "Lark."), document.pen()
        document.commit(node_marks.bookmark(document.tree, lark, None, pen))
        assert listed.model().index(0, 0).data() == "Lark."
        document.commit(branch_summaries.name_branch(document.tree, lark, "Morning", pen))
        assert listed.model().index(0, 0).data() == "Morning", "what it is called now"
        document.commit(node_marks.remove_bookmarks(document.tree, [lark], pen))

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


class Painted(QObject):
    """How often a widget was painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.times = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.Paint
        return False


def test_a_change_is_painted_once_its_rows_stand(qtbot: QtBot) -> None:
    tree = large(LARGE, wide=False)
    view, path = OutlineView(), resolve(tree, tree.root_id)
    qtbot.addWidget(view)
    show_active(qtbot, view)
    view.show_tree(tree, {}, path, tree.root_id)
    qtbot.waitUntil(lambda: not view.rows.is_growing)
    QApplication.sendPostedEvents()
    painted = Painted(view.viewport())

    change = node_marks.bookmark_plainly(tree, [tree.root_id], Hand().pen())
    assert change is not None
    apply(tree, change)
    view.patch(change, {}, path, tree.root_id)
    QApplication.sendPostedEvents(None, QEvent.Type.UpdateRequest.value)

    assert view.rows.is_growing
    assert painted.times == 0
    qtbot.waitUntil(lambda: painted.times > 0)


def test_a_run_is_summarised_only_while_its_messages_are_not_sent(qtbot: QtBot) -> None:
    tree, ids = chain(14)
    path = resolve(tree, ids[-1])
    row = ContextSummary(ids[5], covered_hash(resolve(tree, ids[5]), 6), {"text": "They talk."})
    tree.context_summaries[row.key] = row
    view = OutlineView()
    qtbot.addWidget(view)
    view.show_tree(tree, {}, path, ids[-1])
    assert rows(view)[1] == "to 6 · 5 summarised"

    view.set_fates(dict.fromkeys(ids, "sent"))  # as long as it waits
    assert rows(view)[1] == "to 6 · 5 messages"
    view.set_fates(dict.fromkeys(ids[:6], "summarised"))
    assert rows(view)[1] == "to 6 · 5 summarised"


def test_rows_that_move_in_a_large_tree_choose_no_node(qtbot: QtBot) -> None:
    tree, hand = large(LARGE, wide=False), Hand()
    for text in ("Read.", "Another way."):
        apply(tree, node_edits.add_node(tree, "n0", text, hand.pen()))
    _, last, other = tree.children("n0")
    apply(tree, node_edits.add_node(tree, other, "Goes on.", hand.pen()))
    view, chosen = OutlineView(), list[str]()
    qtbot.addWidget(view)
    view.node_chosen.connect(chosen.append)
    view.show_tree(tree, {}, resolve(tree, last), last)
    qtbot.waitUntil(lambda: not view.rows.is_growing)

    change = node_edits.add_node(tree, last, "Where?", hand.pen())
    apply(tree, change)
    (added,) = tree.children(last)
    view.patch(change, {}, resolve(tree, added), added)
    qtbot.waitUntil(lambda: not view.rows.is_growing)

    assert chosen == []
    assert view.currentIndex().data() == "Where?"
    row = view.rows.row(view.currentIndex())
    assert row is not None
    places = [view.row_painter.parts(QRect(0, 0, 240, 24), replace(row, number=n)) for n in (88, 88_888)]
    words_px = QFontMetrics(theme.font("caption")).horizontalAdvance("88,888")
    assert places[1].number.width() >= words_px > places[0].number.width(), "no figure is cut off"
    assert places[1].bar.left() > places[1].number.right()


@pytest.mark.slow
def test_of_a_hundred_thousand_rows_a_view_has_a_few_hundred(qtbot: QtBot) -> None:
    tree, hand = large(100_000, wide=False), Hand()
    view, path = OutlineView(), resolve(tree, "n99999")
    qtbot.addWidget(view)
    view.resize(240, 400)
    show_active(qtbot, view)
    turns: list[int] = []
    view.rows._timer.timeout.connect(lambda: turns.append(1))
    view.show_tree(tree, {}, path, "n60000")
    qtbot.waitUntil(lambda: not view.rows.is_growing)
    assert len(turns) > 10  # found in slices
    assert view.rows.rowCount() < 10
    view.unfold_all()
    qtbot.waitUntil(lambda: not view.rows.is_growing)
    most = 2 * WINDOW + 2

    change = node_edits.add_node(tree, "n99999", "one more", hand.pen())
    apply(tree, change)
    view.patch(change, {}, path, "n60000")
    qtbot.waitUntil(lambda: not view.rows.is_growing)

    assert view.currentIndex().data() == "text 60000"
    assert view.rows.rowCount() <= most
    last = view.rows.index(view.rows.rowCount() - 1)
    assert str(last.data()).endswith("more")
    view.setCurrentIndex(last)
    qtbot.waitUntil(lambda: str(view.currentIndex().data()).startswith("text 60"))
    assert view.rows.rowCount() <= most


@pytest.mark.slow
@pytest.mark.parametrize("scrolls", [False, True])
def test_the_outline_goes_where_it_was_looked_at_unless_a_person_scrolls_meanwhile(
    qtbot: QtBot, scrolls: bool
) -> None:
    tree = large(3_000, wide=False)
    view, there = OutlineView(), RowPlace("n40", -5)
    qtbot.addWidget(view)
    view.show()
    view.show_tree(tree, {}, resolve(tree, "n2999"), "n0", [f"n{i}" for i in range(100)])
    view.go_to_place(there)
    assert view.place == there

    if scrolls:
        view.verticalScrollBar().triggerAction(QScrollBar.SliderAction.SliderToMinimum)
    qtbot.waitUntil(lambda: not view.rows.is_growing)

    assert (view.place == there) is not scrolls
    assert (view.verticalScrollBar().value() > 0) is not scrolls


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
        assert view.currentIndex() == view.rows.index(1)

        choose = path_choice.choose_version(document.tree, document.path_ids, 2, "v1", document.pen())
        document.commit(choose)
        qtbot.waitUntil(lambda: rows(view)[1] == first)
        assert document.path_ids[2] == "v1"


def test_living_messages_below_a_pruned_one_stand_in_the_outline_as_in_graph_and_dialogue(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        document, view = window.document, outline(window, qtbot)
        where, here = by_text(window, "Where?"), by_text(window, "Here.")
        document.commit(node_marks.prune(document.tree, where, document.pen()))
        assert "Where?" not in rows(view)

        document.commit(node_marks.restore(document.tree, here, document.pen()))
        document.place.read(here)

        qtbot.waitUntil(lambda: rows(view) == ["Name a bird.", "Wren.", "Here."])
        assert document.tree.nodes[where].metadata.pruned
        assert here in window.graph.node_ids()
        assert here in window.dialogue.shown_keys()
