"""Thousands of nodes in one line or below one: taken in, verified, checked, sent, given out, and shown.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractEventDispatcher
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from loomapp.session.background import background_work
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands import dialogue
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.processes.outside import loomapp, new_tree
from tests.kit.servers.fake_server import FakeServer, answers
from tests.kit.windows import open_window, wait_for_backup
from tests.session.programs import ask_server

SHAPES = ["deep", "wide"]


def loom_json(count: int, shape: str) -> str:
    """A tree of so many nodes, each below the one before it or all below the first."""
    nodes = [{"id": f"n{i}", "content": f"text {i}", "authorType": "human"} for i in range(count)]
    above = [i - 1 if shape == "deep" else 0 for i in range(count)]
    edges = [{"sources": [f"n{above[i]}"], "targetNodeId": f"n{i}"} for i in range(1, count)]
    tree = {"id": "large", "title": "Large", "mode": "dialogue"}
    return json.dumps({"format": "loom-json", "version": 1, "tree": tree, "nodes": nodes, "edges": edges})


@pytest.mark.timeout(900)
@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", one_in(3, SHAPES))
def test_a_very_large_tree_goes_through_everything(
    tmp_path: Path, qtbot: QtBot, shape: str, count: int
) -> None:
    grove, file, last = tmp_path / "g.loom", tmp_path / "large.json", f"n{count - 1}"
    file.write_text(loom_json(count, shape), encoding="utf-8")
    where = ("--grove", grove, "--tree", "large")

    loomapp("import", file, "--grove", grove)
    verified = loomapp("verify", "--grove", grove)
    checked = json.loads(loomapp("check", "--grove", grove, "--json"))
    sent = json.loads(loomapp("assemble", *where, "--at", last, "--json"))
    given = json.loads(loomapp("export", *where))

    assert verified.startswith(f"{count} nodes checked: {count} ok\n")
    assert checked["problems"] == []
    assert sent["report"]["kept"][-1] == last
    assert [node["id"] for node in given["nodes"]] == [f"n{i}" for i in range(count)]
    assert len(given["edges"]) == count - 1
    with open_window(grove, qtbot) as window:
        assert find(window, QLabel, "statusSize").text().startswith(f"{count:,} nodes")
        assert len(window.graph.node_ids()) == count
        window.document.place.read(last)
        assert window.dialogue.shown_keys()[-1] == last
        assert len(window.dialogue.shown_keys()) == (count if shape == "deep" else 2)
        qtbot.waitUntil(lambda: not window.graph.node_rect(last).isEmpty())
    wait_for_backup(qtbot)


@pytest.mark.slow
def test_of_a_long_path_a_message_is_saved_before_it_is_sent(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogue, "LONG_PATH", 1)
    monkeypatch.setattr(background_work, "ROOM_MS", 0.0)  # as if all that was done had taken long
    grove = tmp_path / "g.loom"
    new_tree(grove, text="What is the sea?")
    with FakeServer(answers("Waves.")) as server, open_grove(grove) as opened:
        ask_server(opened, server.url)
        with open_window(grove, qtbot) as window:
            document = window.document
            window.composer.set_text("And the tide?")
            asked_at_looks: list[bool] = []
            loop = QAbstractEventDispatcher.instance()
            assert loop is not None

            def look() -> None:
                asked_at_looks.append(window.generator.is_streaming())

            loop.aboutToBlock.connect(look)

            window.actions_set.by_name["generate"].trigger()

            assert document.tree.nodes[document.current_id].text == "And the tide?"
            assert not window.generator.is_streaming()
            qtbot.waitUntil(lambda: document.tree.nodes[document.current_id].author_type == "model")
            loop.aboutToBlock.disconnect(look)
            assert asked_at_looks.index(True) > 1, "events come in between, once it has looked for them"
            said = [message["content"] for message in json.loads(server.received[0].body)["messages"]]
            assert said == ["What is the sea?\n\nAnd the tide?"]

            window.composer.set_text("And then?")
            window.actions_set.by_name["generate"].trigger()
            document.new_tree("dialogue")
            qtbot.wait(50)
            assert not window.generator.is_streaming(), "who left before it was sent has it unsent"
