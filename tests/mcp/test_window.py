"""A window beside the server: what a client writes appears in it, and its undo takes that back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.agent import Agent
from loomapp.session.window_state import read_left, write_left
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands.graph.foreign_writes import ForeignWritesNotice
from loomapp.ui.dialogue.message.foot_rows import NoteRow
from tests.kit.find import find
from tests.kit.groves import planted
from tests.kit.mcp_clients import Tools, talk
from tests.kit.trees import Hand
from tests.kit.windows import open_window


def test_what_a_client_writes_appears_in_the_window_and_is_undone_there(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        _, ids = planted(made, Hand())

    async def write(tools: Tools) -> str:
        made = await tools.call("node_create", parent=ids[-1], text="by a client", author="human")
        return str(made["id"])

    async def children(tools: Tools) -> list[object]:
        return [row["id"] for row in await tools.list("children", node_id=ids[-1])]

    with open_window(path, qtbot) as window:
        assert read_left(path).sequence, "a window that is killed at once has said from where others wrote"
        before = window.document.current_id
        node_id = talk(path, write, name="Claude Desktop")
        qtbot.waitUntil(lambda: node_id in window.document.tree.nodes)
        assert window.document.current_id == before
        assert talk(path, children) == [node_id]
        said = find(window, QPushButton, "mcpWrites")
        assert (said.isVisible(), said.accessibleName()) == (True, "Claude Desktop wrote 1 node")
        assert node_id in window.graph.fold_state()["unread"]

        window.actions_set.by_name["undo"].trigger()
        qtbot.waitUntil(lambda: node_id not in window.document.tree.nodes)
        assert window.composer.text == "", "words of another program are none to be sent"
        assert not said.isVisible()
        assert talk(path, children) == []


def test_what_clients_wrote_is_listed_gone_to_and_taken_back_from_the_status_bar(
    tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        _, ids = planted(made, Hand(), length=12)

    async def write(tools: Tools) -> list[str]:
        plan = await tools.call("node_create", parent=ids[-1], text="A plan & more")
        winter = await tools.call("node_create", parent=ids[-1], text="Winter", author="human")
        note = await tools.call("annotate", node_id=ids[5], text="a note")
        return [str(made["id"]) for made in (plan, winter, note)]

    async def write_more(tools: Tools) -> list[str]:
        return [str((await tools.call("node_create", parent=ids[-1], text="One more"))["id"])]

    with open_window(path, qtbot) as window:
        plan, winter, note = talk(path, write, name="Claude Desktop")
        qtbot.waitUntil(lambda: note in window.document.tree.nodes)
        said, outline = find(window, QPushButton, "mcpWrites"), window.side_parts.outline
        notice = window.bench.parts.made(ForeignWritesNotice)
        assert notice is not None
        qtbot.waitUntil(lambda: said.accessibleName() == "Claude Desktop wrote 3 nodes")
        assert window.graph.fold_state()["unread"] == sorted([plan, winter, note])
        assert set(outline.rows.written.items()) == {(one, "Claude Desktop") for one in (plan, winter, note)}
        window.dialogue.reveal(ids[5])
        qtbot.waitUntil(
            lambda: "Note: a note, new" in [one.accessibleName() for one in window.findChildren(NoteRow)]
        )
        below = find(window, QWidget, "newBelow")
        assert find(below, QLabel, "newBelowWords").text() == (
            "2 new below, by Claude Desktop: A plan & more"
        )
        row = outline.rows.reach(plan)
        assert str(row.data(Qt.ItemDataRole.AccessibleTextRole)).endswith(", new from Claude Desktop")
        noted = outline.rows.reach(note)  # though its message stood in a folded run
        assert str(noted.data(Qt.ItemDataRole.AccessibleTextRole)).endswith(", new from Claude Desktop")

        def chosen(name: str, number: int = 0) -> None:
            QTest.mouseClick(said, Qt.MouseButton.LeftButton)
            assert notice is not None
            assert notice.popover is not None
            notice.popover.findChildren(QAbstractButton, name)[number].click()

        chosen("writtenRow")
        assert window.document.current_id == plan
        assert said.accessibleName() == "Claude Desktop wrote 2 nodes"
        row = outline.rows.reach(plan)  # stands for its sibling too
        assert str(row.data(Qt.ItemDataRole.AccessibleTextRole)).endswith(", new from Claude Desktop")
        assert below.isHidden()
        QApplication.processEvents()  # or the window comes forward late, which shuts what it then has open
        QTest.mouseClick(said, Qt.MouseButton.LeftButton)
        before = notice.popover
        assert before is not None
        [plain] = talk(path, write_more, name="Claude Desktop")
        qtbot.waitUntil(lambda: plain in window.document.tree.nodes)
        before.findChildren(QAbstractButton, "writesUndo")[0].click()
        assert {plan, plain} <= window.document.tree.nodes.keys(), "one more than it said"
        chosen("writesUndo")
        assert set(window.document.tree.nodes).isdisjoint({plan, winter, note, plain})
        assert not said.isVisible()
        assert not outline.rows.written

        talk(path, write, name="Claude Desktop")
        qtbot.waitUntil(lambda: said.accessibleName() == "Claude Desktop wrote 3 nodes")
        find(below, QPushButton, "readNewBelow").click()
        assert window.document.tree.nodes[window.document.current_id].text == "A plan & more"
        chosen("writesMarkAsRead")
        assert not said.isVisible()
        assert window.graph.fold_state()["unread"] == []


def test_what_clients_wrote_in_another_tree_is_told_and_opened(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        planted(made, Hand())
        other, ids = planted(made, Hand(1_000))
    other_id = other.loom.id

    async def write(tools: Tools) -> str:
        return str((await tools.call("node_create", tree=other_id, parent=ids[-1], text="Winter"))["id"])

    with open_window(path, qtbot) as window:
        assert window.document.tree.loom.id != other_id
        said, trees = find(window, QPushButton, "mcpWrites"), window.tree_list
        winter = talk(path, write, name="Claude Desktop")
        qtbot.waitUntil(lambda: said.accessibleName() == "Claude Desktop wrote 1 node")
        assert "1 new from Claude Desktop" in trees.words_of(other_id)

        QTest.mouseClick(said, Qt.MouseButton.LeftButton)
        notice = window.bench.parts.made(ForeignWritesNotice)
        assert notice is not None
        assert notice.popover is not None
        notice.popover.findChildren(QAbstractButton, "writtenRow")[0].click()
        qtbot.waitUntil(lambda: window.document.tree.loom.id == other_id)
        assert "new from" not in trees.words_of(other_id)
        assert window.side_parts.outline.rows.written == {winter: "Claude Desktop"}
        assert winter in window.graph.fold_state()["unread"]
        window.document.place.set_current(winter)
        assert not said.isVisible()

    # and what is written while no window is open is told at the next opening
    left = talk(path, write, name="Claude Desktop")
    with open_window(path, qtbot) as window:
        assert window.document.tree.loom.id == other_id
        said = find(window, QPushButton, "mcpWrites")
        assert said.accessibleName() == "Claude Desktop wrote 1 node"
        assert window.side_parts.outline.rows.written == {left: "Claude Desktop"}
        window.document.open_tree(next(row.id for row in window.document.grove.trees() if row.id != other_id))
        assert "1 new from Claude Desktop" in window.tree_list.words_of(other_id)
    with open_window(path, qtbot) as window:
        assert not find(window, QPushButton, "mcpWrites").isVisible(), "it was told"

    # also what a run wrote, under the name of a model; but what a window wrote that did not end is its own
    writer = Agent("writer", "Writer", "model", "fake:w")

    def run() -> None:
        with open_grove(path) as grove:
            grove.put_agent(writer)
            tree = grove.load_tree(other_id)
            pen = EditContext(writer.id, now(), new_id, "model", writer.name)
            grove.commit(tree, node_edits.add_aside(tree, ids[-1], "By a run", pen))

    run()
    with open_window(path, qtbot) as window:
        assert find(window, QPushButton, "mcpWrites").accessibleName() == "Writer wrote 1 node"
    write_left(path, replace(read_left(path), is_ended=False))
    run()
    with open_window(path, qtbot) as window:
        assert not find(window, QPushButton, "mcpWrites").isVisible()
