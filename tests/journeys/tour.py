"""A tour through everything that is done in a window on a large grove, each step watched."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPoint
from PySide6.QtWidgets import QLineEdit, QListView, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.model.entities import Node
from loomapp.ui.trees.tree_rows import ID_ROLE
from loomapp.ui.widgets.form import LongText
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.watchdog import Watchdog
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.servers.fake_server import DONE, Conversation, chunk, usage
from tests.kit.windows import card

ANSWERS, WORDS_OF_AN_ANSWER, WORD_S = 3, 60, 0.01
BRANCH = 500  # nodes at most; what is done to many thousands at once takes a time for each of them
LEAST_ZOOM = 0.2
LEAST_PATH = 7  # nodes; steps look some of them up the path
OPENING = "opening: "  # begins the names of steps that open a tree


def speaks(conversation: Conversation) -> None:
    """A model that writes as many answers as it is asked for, word by word."""
    wanted = range(json.loads(conversation.request.body).get("n") or 1)
    conversation.head()
    for number in range(WORDS_OF_AN_ANSWER):
        for index in wanted:
            conversation.send(chunk(f"word{number} ", index=index))
        time.sleep(WORD_S)
    for index in wanted:
        conversation.send(chunk(reason="stop", index=index))
    conversation.send(usage(7, 3) + DONE)


class Tour:
    """The steps; each does something as a person does it, and asserts that it was done."""

    def __init__(self, window: MainWindow, qtbot: QtBot, pointer: Pointer, dog: Watchdog) -> None:
        self.window, self.qtbot, self.pointer, self.dog = window, qtbot, pointer, dog
        self.document, self.graph = window.document, window.graph
        self.port = window.graph.viewport()
        self.until: Callable[[Callable[[], bool]], None] = qtbot.waitUntil

    def walk(self) -> None:
        """Everything, in an order in which each step finds what it needs."""
        self.window.preferences.put("ask_above_tokens", 10**9)  # a long path may fill the model's window
        self.look_around()
        self.select()
        self.write()
        self.generate()
        self.edit()
        self.write_on()
        self.walk_siblings()
        self.mark_and_prune()
        self.fold_and_hoist()
        self.select_several()
        self.hang_elsewhere()
        self.note_it()
        self.find_by_palette()
        self.walk_the_outline()
        self.turn()
        self.open_settings()
        self.switch_trees()

    # Looking

    def look_around(self) -> None:
        middle = self.port.rect().center()
        before = self.graph.camera
        with self.dog.during("pan by pointer"):
            self.pointer.drag((self.port, middle), (self.port, middle + QPoint(300, 160)), button=2)
            self.until(lambda: self.graph.camera != before)
        with self.dog.during("zoom out by wheel"):
            self.pointer.wheel(self.port, middle, notches=-16)
        with self.dog.during("zoom in by wheel"):
            self.pointer.wheel(self.port, middle, notches=12)
        with self.dog.during("fit all by key"):
            self.keys("ctrl+1", "ctrl+0")
        with self.dog.during("pan from afar"):
            self.pointer.drag((self.port, middle), (self.port, middle + QPoint(200, 90)), button=2)
        with self.dog.during("fit selection by key"):
            self.keys("ctrl+9")
        self._land()
        assert not self.graph.node_rect(self.document.current_id).isEmpty()

    def select(self) -> None:
        leaf = self.document.path_ids[-1]
        with self.dog.during("walk by arrows"):
            self.keys("Left", "Left", "Down", "Up", "Right", "Right")
        self.document.place.set_current(leaf)
        self.fit()
        above = self.document.path_ids[-2]
        self.bring(above)
        with self.dog.during("click a card"):
            self.pointer.click(self.port, card(self.window, above))
            self.until(lambda: self.document.current_id == above)
        with self.dog.during("read by double click"):
            self.pointer.double_click(self.port, card(self.window, above))
            self.until(lambda: self.document.path_ids[-1] == above)
        with self.dog.during("go to the leaf by key"):
            self.keys("alt+End")
            self.until(lambda: self.document.current_id != above)
        with self.dog.during("go to the root by key"):
            self.keys("alt+Home")
            self.until(lambda: self.document.current_id == self.document.tree.root_id)
        with self.dog.during("back to where it was"):
            self.keys("alt+shift+Left", "alt+shift+Left")
        with self.dog.during("next fork by key"):
            self.keys("ctrl+alt+Page_Up")
        far = self._far_leaf()
        with self.dog.during("read a far path"):
            self.document.place.set_current(far)
            self.keys("ctrl+1", "Return")
            self.until(lambda: self.document.path_ids[-1] == far)
        self.document.place.read(leaf)
        self.fit()

    # Growing

    def write(self) -> None:
        with self.dog.during("type in the composer"):
            self.keys("ctrl+2")
            self.pointer.type_ascii("How goes the lamp tonight? ")
            self.until(lambda: self.window.composer.text.endswith("tonight? "))

    def generate(self) -> None:
        self.window.composer.set_count(ANSWERS)
        known = len(self.document.tree.nodes)
        with self.dog.during("generate three"):
            self.pointer.click(find(self.window, QPushButton, "generateButton"))
            self.until(lambda: len(self.document.tree.nodes) == known + 1 + ANSWERS)
            self.until(lambda: not self.window.generator.is_streaming())
        with self.dog.during("generate by key in the graph"):
            self.keys("ctrl+1", "g")
            self.until(lambda: len(self.document.tree.nodes) == known + 1 + 2 * ANSWERS)
        with self.dog.during("generate siblings by key"):
            self.keys("s")
            self.until(lambda: len(self.document.tree.nodes) == known + 1 + 3 * ANSWERS)
        self._undo_and_redo("generate")

    def edit(self) -> None:
        question = next(i for i in reversed(self.document.path_ids) if self._node(i).author_type == "human")
        self.document.place.set_current(question)
        known = len(self.document.tree.nodes)
        with self.dog.during("edit a message"):
            self.keys("F2")
            self.until(lambda: isinstance(self.window.focusWidget(), QPlainTextEdit))
            self.keys("ctrl+a")
            self.pointer.type_ascii("How does it burn?")
            self.keys("ctrl+Return")
            self.until(lambda: len(self.document.tree.nodes) == known + 1)
        self._undo_and_redo("edit")

    def write_on(self) -> None:
        """A path that is long enough for what follows; no step."""
        while len(self.document.path_ids) < LEAST_PATH:
            leaf = self.document.path_ids[-1]
            self.document.commit(
                node_edits.add_node(self.document.tree, leaf, "And on it goes.", self.document.pen())
            )
            self.dog.settle()

    def walk_siblings(self) -> None:
        """Beside and below the one node that may have very many children, and to its parent."""
        leaf, root = self.document.path_ids[-1], self.document.tree.root_id
        self.document.place.set_current(self.document.path_ids[1])
        self.dog.settle()
        if len(self.document.tree.children(root)) > 1:
            with self.dog.during("sibling before by key"):
                self.keys("alt+Up")
                self.until(lambda: leaf not in self.document.path_ids)
            with self.dog.during("sibling after by key"):
                self.keys("alt+Down")
                self.until(lambda: leaf in self.document.path_ids)
        with self.dog.during("parent by key"):
            self.document.place.set_current(self.document.path_ids[1])
            self.keys("alt+Left")
            self.until(lambda: self.document.current_id == root)
        with self.dog.during("child by number"):
            self.keys("alt+1")
            self.until(lambda: self.document.current_id == self.document.tree.children(root)[0])
        self.document.place.read(leaf)

    def mark_and_prune(self) -> None:
        self.keys("ctrl+1")
        node_id = self.document.path_ids[-3]
        self.document.place.set_current(node_id)
        with self.dog.during("exclude by key"):
            self.keys("x")
            self.until(lambda: self._node(node_id).metadata.excluded)
        with self.dog.during("bookmark by key"):
            self.keys("b")
            self.until(lambda: self._node(node_id).metadata.bookmarked)
        with self.dog.during("prune a leaf's branch"):
            self.keys("Delete")
            self.until(lambda: self._node(node_id).metadata.pruned)
        self._undo_and_redo("prune")
        self._undo("prune again")
        stem = self._stem(BRANCH)
        self.document.place.set_current(stem)
        with self.dog.during("prune a branch of hundreds"):
            self.keys("Delete")
            self.until(lambda: self._node(stem).metadata.pruned)
        self._undo("prune a branch")

    # Arranging

    def fold_and_hoist(self) -> None:
        self.document.place.set_current(self.document.path_ids[-4])
        for key, step in (("c", "fold"), ("c", "unfold"), ("h", "hoist"), ("shift+h", "unhoist")):
            with self.dog.during(f"{step} by key"):
                self.keys("ctrl+1", key)
        with self.dog.during("unfold all"):
            self.window.actions_set.by_name["unfoldAll"].trigger()
        self.fit()

    def select_several(self) -> None:
        self.document.place.set_current(self.document.path_ids[-2])
        self.fit()
        shown = [i for i in self.document.path_ids if not self.graph.node_rect(i).isEmpty()]
        start = self.graph.node_rect(shown[-1]).topLeft() - QPoint(12, 12)
        with self.dog.during("lasso"):
            end = self.port.rect().bottomRight() - QPoint(30, 30)
            self.pointer.drag((self.port, start), (self.port, end), modifiers=["shift"])
        assert shown[-1] in self.graph.chosen_ids
        self.graph.choose(few := shown[-3:])
        with self.dog.during("exclude several"):
            self.keys("x")
            self.until(lambda: self._node(few[0]).metadata.excluded)
        self._undo("exclude several")
        self.keys("Escape", "Escape")  # the words of the card under the pointer, and the selection
        self.until(lambda: not self.graph.chosen_ids)

    def hang_elsewhere(self) -> None:
        leaf, parent, above = (self.document.path_ids[n] for n in (-1, -2, -3))
        self.document.place.set_current(parent)
        self.fit()
        self.graph.zoom_to_full_size()
        self._land()
        self.bring(above, parent, leaf)
        with self.dog.during("hang a branch elsewhere"):
            self.pointer.drag(
                (self.port, card(self.window, leaf)),
                (self.port, card(self.window, above)),
                modifiers=["ctrl"],
            )
            self.until(lambda: leaf in self.document.tree.children(above))
        self._undo_and_redo("hang elsewhere")
        self._undo("hang elsewhere again")

    def note_it(self) -> None:
        node_id = self.document.path_ids[2]
        self.document.place.set_current(node_id)
        with self.dog.during("add a note beside others"):
            self.window.text_pane.note_box.written.emit(node_id, "Remember this.")
            self.until(lambda: bool(self.document.tree.notes(node_id)))
        self._undo_and_redo("note")

    def turn(self) -> None:
        for step in ("turn downwards", "turn back"):
            with self.dog.during(step):
                self.window.actions_set.by_name["graphDirection"].trigger()

    # Going elsewhere

    def find_by_palette(self) -> None:
        wanted = self.document.path_ids[3]
        words = self._node(wanted).text.split()
        with self.dog.during("find by palette"):
            self.keys("ctrl+p")
            field = find(self.window, QLineEdit, "commandPaletteField")
            self.until(field.hasFocus)
            self.pointer.type_ascii(" ".join(words[:3]).lower())
            self.until(lambda: bool(find(self.window, QListView, "commandPaletteRows").model().rowCount()))
        with self.dog.during("leave the palette"):
            self.keys("Escape")
            self.until(lambda: not self.window.palette_box.isVisible())

    def walk_the_outline(self) -> None:
        outline = self.window.side_parts.outline
        self.until(lambda: outline.rows.outline is not None)
        with self.dog.during("walk the outline"):
            self.keys("ctrl+4", "Home", "Down", "Down", "Down", "Right", "Down", "End", "Up", "Up")
        assert outline.currentIndex() != QModelIndex()
        with self.dog.during("read from the outline"):
            self.keys("Return")

    def open_settings(self) -> None:
        with self.dog.during("open the tree settings"):
            self.keys("ctrl+shift+t")
            self.until(lambda: self.window.pages.is_showing_settings)
        with self.dog.during("type a system context"):
            find(self.window, LongText, "treeSystemContext").setFocus()
            self.pointer.type_ascii("You keep a lamp.")
            self.until(lambda: self.document.tree.loom.system_context == "You keep a lamp.")
        with self.dog.during("leave the tree settings"):
            self.keys("Escape")
            self.until(lambda: not self.window.pages.is_showing_settings)

    def switch_trees(self) -> None:
        large = self.document.tree.loom.id
        with self.dog.during("new tree"):
            self.keys("ctrl+n")
            self.until(lambda: self.document.tree.loom.id != large)
        small = self.document.tree.loom.id
        rows = find(self.window, QListView, "treeRows")
        for tree_id, step in ((large, OPENING + "back to the large tree"), (small, "to the small tree")):
            model = rows.model()
            index = next(
                i for n in range(model.rowCount()) if (i := model.index(n, 0)).data(ID_ROLE) == tree_id
            )
            with self.dog.during(step):
                self.pointer.click(rows.viewport(), rows.visualRect(index).center())
                self.until(lambda tree_id=tree_id: self.document.tree.loom.id == tree_id)  # type: ignore[misc]

    # Parts of steps

    def keys(self, *keys: str) -> None:
        self.pointer.key(*keys)

    def fit(self) -> None:
        """The current card at reading size; not a step of its own."""
        self.until(lambda: not self.graph._scene.stale and not self.graph._tidier.is_busy)
        self.graph.fit_current()
        self._land()

    def bring(self, *node_ids: str) -> None:
        """All of these cards into view, with nothing over them."""
        while True:
            self.graph.ensure_all_visible(node_ids)
            self._land()
            middles = [self.graph.node_rect(i).center() for i in node_ids]
            inner = self.port.rect().adjusted(20, 20, -20, -20)
            if all(inner.contains(at) and self.port.childAt(at) is None for at in middles):
                return
            assert self.graph.camera.zoom > LEAST_ZOOM, "there is room for all of them"
            self.graph.zoom_out()

    def _land(self) -> None:
        """The camera is where it was sent."""
        self.until(lambda: self.graph._flight.end is None)
        self.dog.settle()

    def _undo_and_redo(self, what: str) -> None:
        self._undo(what)
        with self.dog.during(f"redo: {what}"):
            self.keys("ctrl+shift+z")
            self.until(lambda: not self.window.actions_set.by_name["redo"].isEnabled())

    def _undo(self, what: str) -> None:
        with self.dog.during(f"undo: {what}"):
            self.keys("ctrl+z")
            self.until(self.window.actions_set.by_name["redo"].isEnabled)

    def _stem(self, most: int) -> str:
        """The node of the path that is highest up of those with so many below them at most."""
        below = self.document.tree.descendants
        path = reversed(self.document.path_ids)
        *_, stem = itertools.takewhile(lambda node_id: len(below(node_id)) <= most, path)
        return stem

    def _node(self, node_id: str) -> Node:
        return self.document.tree.nodes[node_id]

    def _far_leaf(self) -> str:
        """The first end of a branch that there is."""
        tree = self.document.tree
        return next(i for i in tree.nodes if not tree.children(i))
