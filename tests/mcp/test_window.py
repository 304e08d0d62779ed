"""A window beside the server: what a client writes appears in it, and its undo takes that back."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.store.grove.open import create_grove
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
        return str((await tools.call("node_create", parent=ids[-1], text="by a client"))["id"])

    async def children(tools: Tools) -> list[object]:
        return [row["id"] for row in await tools.list("children", node_id=ids[-1])]

    with open_window(path, qtbot) as window:
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
        assert not said.isVisible()
        assert talk(path, children) == []


def test_what_clients_wrote_is_listed_gone_to_and_taken_back_from_the_status_bar(
    tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        _, ids = planted(made, Hand())

    async def write(tools: Tools) -> list[str]:
        plan = await tools.call("node_create", parent=ids[-1], text="A plan & more")
        winter = await tools.call("node_create", parent=ids[-1], text="Winter")
        return [str(plan["id"]), str(winter["id"])]

    with open_window(path, qtbot) as window:
        plan, winter = talk(path, write, name="Claude Desktop")
        qtbot.waitUntil(lambda: winter in window.document.tree.nodes)
        said = find(window, QPushButton, "mcpWrites")
        qtbot.waitUntil(lambda: said.accessibleName() == "Claude Desktop wrote 2 nodes")
        menu = find(window, QMenu, "mcpWritesMenu")

        def chosen(words: str) -> None:
            QTest.mouseClick(said, Qt.MouseButton.LeftButton)
            qtbot.waitUntil(menu.isVisible)
            next(act for act in menu.actions() if words in act.text()).trigger()
            menu.close()

        chosen("A plan && more")
        assert window.document.current_id == plan
        assert said.accessibleName() == "Claude Desktop wrote 1 node"
        chosen("Undo all 2")
        assert set(window.document.tree.nodes).isdisjoint({plan, winter})
        assert not said.isVisible()

        talk(path, write, name="Claude Desktop")
        qtbot.waitUntil(said.isVisible)
        chosen("Mark as read")
        assert not said.isVisible()
        assert window.graph.fold_state()["unread"] == []
