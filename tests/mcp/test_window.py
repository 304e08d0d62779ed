"""A window beside the server: what a client writes appears in it, and its undo takes that back."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from loomapp.store.grove.open import create_grove
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

        window.actions_set.by_name["undo"].trigger()
        qtbot.waitUntil(lambda: node_id not in window.document.tree.nodes)
        assert talk(path, children) == []
