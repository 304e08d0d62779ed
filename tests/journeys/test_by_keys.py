"""Journeys 1 and 3 with the keyboard alone; after each step the file holds what the window shows.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.entities import Edge, Node
from loomapp.core.model.tree import Tree
from loomapp.providers import registry
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.groves import agree
from tests.kit.ids import counted_ids
from tests.kit.processes.outside import Said, assembled, loomapp, new_tree, sent
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, usage
from tests.kit.windows import open_window, preview
from tests.session.programs import ask_server

BIRDS = (f"Bird {number}." for number in itertools.count())  # requests may come in any order
MOST_STOPS = 80  # of the Tab key, once round the window


def names_birds(conversation: Conversation) -> None:
    """A model that writes as many answers as it is asked for; other requests get other ones."""
    wanted = json.loads(conversation.request.body).get("n") or 1
    conversation.head()
    for index in range(wanted):
        conversation.send(chunk(next(BIRDS), index=index) + chunk(reason="stop", index=index))
    conversation.send(usage(7, 3) + DONE)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(names_birds) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return tmp_path / "keys.loom"


class Typist:
    """Someone without a pointer: it lies in a corner and never moves."""

    def __init__(self, window: MainWindow, grove: Path, qtbot: QtBot) -> None:
        self.window, self.grove, self.qtbot = window, grove, qtbot
        self._keyboard = Pointer(qtbot)
        self._corner = QCursor.pos()

    def press(self, *keys: str) -> None:
        self._keyboard.key(*keys)
        assert QCursor.pos() == self._corner, "the pointer is not used"

    def press_for_a_step(self, key: str) -> None:
        """Undo or redo: the next step is another one then."""
        document = self.window.document
        steps = [(step.sequence, step.state) for step in document.history.steps().steps]
        self.press(key)
        self.until(lambda: [(step.sequence, step.state) for step in document.history.steps().steps] != steps)

    def type(self, text: str) -> None:
        self._keyboard.type_ascii(text)

    def tab_to(self, name: str) -> None:
        """Press Tab until the keyboard is at a widget of this name."""
        for _ in range(MOST_STOPS):
            if self._focused(name):
                return
            self.press("Tab")
        pytest.fail(f"Tab never comes to {name}")

    def command(self, words: str) -> None:
        """An action by its name in the palette."""
        self.press("ctrl+shift+p")
        field = find(self.window, QLineEdit, "commandPaletteField")
        self.qtbot.waitUntil(field.hasFocus)
        self.type(words)
        self.press("Return")
        self.qtbot.waitUntil(lambda: not self.window.palette_box.isVisible())

    def until(self, is_so: object) -> None:
        """Wait for something in the window; then the file must hold it as well."""
        self.qtbot.waitUntil(is_so)  # type: ignore[arg-type]
        with read_grove(self.grove) as file:
            assert agree(file, self.tree)

    def said(self, text: str) -> str:
        """The id of the newest node with a text."""
        return [i for i, node in self.tree.nodes.items() if node.text == text][-1]

    def has(self, text: str) -> bool:
        return any(node.text == text for node in self.tree.nodes.values())

    def node(self, text: str) -> Node:
        return self.tree.nodes[self.said(text)]

    @property
    def tree(self) -> Tree:
        return self.window.document.tree

    def _focused(self, name: str) -> bool:
        widget: QObject | None = QApplication.focusWidget()
        while isinstance(widget, QWidget):
            if widget.objectName() == name:
                return True
            widget = widget.parentWidget()
        return False


def test_a_chat_is_branched_by_key(grove: Path, qtbot: QtBot, server: FakeServer) -> None:
    tree_id, root = new_tree(grove)
    with open_grove(grove) as opened:
        ask_server(opened, server.url)
    with open_window(grove, qtbot) as window:
        keys, document, graph = Typist(window, grove, qtbot), window.document, window.graph

        def check(node_id: str, expected: Said) -> None:
            assert sent(grove, tree_id, node_id) == expected

        def answers(parent: str) -> tuple[str, ...]:
            children = document.tree.children
            keys.until(lambda: len(children(parent)) == 3 and not window.generator.is_streaming())
            return children(parent)

        # the caret is in the composer: type, choose three, generate
        keys.type("Name one bird.")
        qtbot.waitUntil(lambda: preview(window) == [("user", "Name one bird.")])
        keys.tab_to("continuationCount")
        keys.press("ctrl+a", "3", "ctrl+Return")
        qtbot.waitUntil(lambda: keys.has("Name one bird."))
        question = keys.said("Name one bird.")
        first, lark, _ = answers(question)
        asked, said = ("user", "Name one bird."), {i: document.tree.nodes[i].text for i in (first, lark)}
        assert document.path_ids[-1] == first
        check(first, [asked, ("assistant", said[first])])

        # walk to the second in the graph and read it
        keys.press("ctrl+1", "Down")
        keys.until(lambda: graph.current_node_id == lark)
        keys.press("Return")
        keys.until(lambda: document.path_ids[-1] == lark)
        check(lark, [asked, ("assistant", said[lark])])

        # continuations from there, from the graph
        keys.press("g")
        further = answers(lark)[0]
        check(further, [asked, ("assistant", f"{said[lark]}\n\n{document.tree.nodes[further].text}")])

        # edit an earlier message: a sibling, the old path stays
        keys.press("alt+Left")
        keys.until(lambda: document.current_id == lark)
        keys.press("alt+Left")
        keys.until(lambda: document.current_id == question)
        keys.press("F2")
        qtbot.waitUntil(lambda: isinstance(window.focusWidget(), QPlainTextEdit))
        keys.press("ctrl+a")
        keys.type("Name one fish.")
        keys.press("ctrl+Return")
        keys.until(lambda: keys.has("Name one fish."))
        assert document.tree.children(root) == (question, keys.said("Name one fish."))
        assert keys.node("Name one fish.").edited_from == question
        check(keys.said("Name one fish."), [("user", "Name one fish.")])

        # the siblings of the shown path, by key
        keys.press("alt+Up")
        keys.until(lambda: document.current_id == question)

        # a note, from the palette; then it is sent as well
        keys.command("add a note")
        qtbot.waitUntil(lambda: isinstance(window.focusWidget(), QPlainTextEdit))
        keys.type("No gulls.")
        keys.press("ctrl+Return")
        keys.until(lambda: document.tree.notes(question) == (keys.said("No gulls."),))

        # exclude, and leave a branch out of sight
        keys.press("alt+Right")
        keys.until(lambda: document.current_id == lark)
        keys.press("ctrl+1", "x")
        keys.until(lambda: document.tree.nodes[lark].metadata.excluded)
        keys.press("b")
        keys.until(lambda: document.tree.nodes[lark].metadata.bookmarked)
        keys.press("Delete")
        keys.until(lambda: document.tree.nodes[lark].metadata.pruned)

        # messages of one's own below and beside, asking nobody
        requests = len(server.received)
        keys.press("ctrl+2")
        keys.type("Not a gull.")
        keys.press("ctrl+shift+o")
        keys.until(lambda: keys.has("Not a gull."))
        keys.type("Nor a tern.")
        keys.press("ctrl+shift+y")
        keys.until(lambda: keys.has("Nor a tern."))
        own = [keys.said("Not a gull."), keys.said("Nor a tern.")]
        assert document.tree.children(question)[-2:] == tuple(own)
        assert document.path_ids[-1] == own[-1]
        assert len(server.received) == requests
        keys.press("ctrl+1")

        # take all of it back, then have it again
        after = dict(document.tree.nodes)
        while document.history.undo_label is not None:
            keys.press_for_a_step("ctrl+z")
        assert list(document.tree.nodes) == [root]
        while document.history.redo_label is not None:
            keys.press_for_a_step("ctrl+shift+z")
        assert dict(document.tree.nodes) == after

    assert "failed" not in loomapp("verify", "--grove", grove)


@pytest.mark.slow
def test_each_tree_gets_its_own_persona_by_key(grove: Path, qtbot: QtBot) -> None:
    first, first_root = new_tree(grove, text="Hello.")
    second, second_root = new_tree(grove, text="Good day.")

    with open_window(grove, qtbot) as window:
        keys = Typist(window, grove, qtbot)
        shown = window.document.tree.loom.id
        for tree_id, persona in ((first, "You keep a lighthouse."), (second, "You bake bread.")):
            if window.document.tree.loom.id != tree_id:
                keys.tab_to("treeRows")
                keys.press("Down" if window.document.tree.loom.id == shown else "Up")
                keys.press("Return")
                keys.until(lambda tree_id=tree_id: keys.tree.loom.id == tree_id)
            keys.press("ctrl+shift+t")
            qtbot.waitUntil(lambda: window.pages.is_showing_settings)
            keys.tab_to("treeSystemContext")
            keys.type(persona)
            keys.until(lambda said=persona: keys.tree.loom.system_context == said)
            keys.tab_to("minimumRecentNodes")
            keys.press("ctrl+a", "6", "Tab")
            keys.until(lambda: keys.tree.loom.context_settings.minimum_recent_nodes == 6)
            keys.press("ctrl+z")
            keys.until(lambda: keys.tree.loom.context_settings.minimum_recent_nodes is None)
            window.preview.refresh_now()
            assert window.preview.last is not None
            assert window.preview.last.system == persona
            keys.press("Escape")
            qtbot.waitUntil(lambda: not window.pages.is_showing_settings)

    assert assembled(grove, first, first_root)["system"] == "You keep a lighthouse."
    assert assembled(grove, second, second_root)["system"] == "You bake bread."


def birds_in(grove: Path) -> None:
    """A question with three answers, and another question below the last, which is read."""
    with create_grove(grove) as made:
        pen = edit_context.EditContext(made.owner.id, 1_790_000_000_000, counted_ids())
        tree = tree_edits.new_tree("dialogue", "Birds", pen, text="Name a bird.")
        made.add_tree(tree, [made.owner])
        tree = made.load_tree(tree.loom.id)
        for text in ("Wren.", "Lark.", "Rook."):
            made.commit(tree, node_edits.add_node(tree, tree.root_id, text, pen))
        made.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, "Where?", pen))


@pytest.mark.slow
def test_a_tree_is_folded_selected_and_hung_otherwise_by_key(grove: Path, qtbot: QtBot) -> None:
    birds_in(grove)
    with open_window(grove, qtbot) as window:
        window.graph.set_reduced_motion(True)
        keys, document, graph = Typist(window, grove, qtbot), window.document, window.graph
        ask, wren, lark, rook, where = (
            keys.said(text) for text in ("Name a bird.", "Wren.", "Lark.", "Rook.", "Where?")
        )

        # what is below a card is put away and shown again; one branch alone, and all of it
        keys.press("ctrl+1", "Left")
        keys.until(lambda: document.current_id == rook)
        keys.press("c")
        keys.until(lambda: where not in graph.node_ids())
        keys.press("c")
        keys.until(lambda: where in graph.node_ids())
        keys.press("h")
        keys.until(lambda: graph.node_ids() == [rook, where])
        keys.press("shift+h")
        keys.until(lambda: len(graph.node_ids()) == 5)

        # several cards, and one act on them: one step, which one undo takes back
        keys.press("shift+Up", "shift+Up")
        keys.until(lambda: set(graph.chosen_ids) == {wren, lark, rook})
        keys.press("x")
        keys.until(
            lambda: {i for i, n in keys.tree.nodes.items() if n.metadata.excluded} == {wren, lark, rook}
        )
        keys.press_for_a_step("ctrl+z")
        assert not any(node.metadata.excluded for node in keys.tree.nodes.values())
        keys.press("Escape")
        keys.until(lambda: not graph.chosen_ids)

        # a branch hung elsewhere, by words; where it cannot hang is said and changes nothing
        keys.press("Down", "Down", "Right")
        keys.until(lambda: document.current_id == where)
        keys.press("m")
        field = find(window, QLineEdit, "commandPaletteField")
        qtbot.waitUntil(field.hasFocus)
        keys.type("rook")
        keys.press("Return")
        keys.until(lambda: "already" in find(window, QLabel, "commandPaletteSays").text())
        keys.press("ctrl+a")
        keys.type("wren")
        keys.press("Return")
        keys.until(lambda: keys.tree.children(wren) == (where,))
        assert keys.tree.children(rook) == ()

        # another path from the outline, then a node by its words; a branch is left folded
        keys.press("ctrl+4", "Home")
        keys.until(lambda: document.current_id == ask)
        keys.press("Down")
        keys.until(lambda: document.current_id != ask)
        chosen = document.current_id
        keys.press("Return")
        keys.until(lambda: chosen in document.path_ids)
        keys.press("ctrl+p")
        qtbot.waitUntil(field.hasFocus)
        keys.type("lark")
        keys.press("Return")
        keys.until(lambda: document.path_ids[-1] == lark)
        keys.press("ctrl+1", "Up")
        keys.until(lambda: document.current_id == wren)
        keys.press("c")
        keys.until(lambda: where not in graph.node_ids())
        left = Left.of(window)

    with open_window(grove, qtbot) as window:
        assert Left.of(window) == left


@dataclass(frozen=True)
class Left:
    """What a person leaves behind, and finds again."""

    nodes: Mapping[str, Node]
    edges: Mapping[str, Edge]
    path_ids: tuple[str, ...]
    current_id: str
    cards: frozenset[str]

    @classmethod
    def of(cls, window: MainWindow) -> Left:
        document = window.document
        nodes, edges = dict(document.tree.nodes), dict(document.tree.edges)
        cards = frozenset(window.graph.node_ids())
        return cls(nodes, edges, tuple(document.path_ids), document.current_id, cards)
