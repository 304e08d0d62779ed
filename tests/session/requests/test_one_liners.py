"""One-liners of new messages: made in the background once switched on, saved, counted, and no steps."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from tests.kit.collaborators import answer, messages_of
from tests.kit.run_desk import Desk, Serve

LONG = "She keeps the lamp and counts the oil. " * 6


def test_new_messages_are_summed_up_once_that_is_switched_on(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    server = serve(answer("“She keeps the lamp.” And more."))
    document, one_liners, told = desk.document, desk.generator.one_liners, list[tuple[int, int]]()
    document.agents.ask_only("marie")
    one_liners.made.connect(lambda *cost: told.append(cost))

    def write(text: str) -> str:
        document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))
        return document.tree.path.leaf_id

    before = write(LONG)
    one_liners.switch(on=True)
    write("Short ones need none.")
    node_id = write(LONG)
    qtbot.waitUntil(lambda: len(told) == 1)

    tree = document.tree
    assert tree.nodes[node_id].summary == "She keeps the lamp."
    assert tree.nodes[before].summary is None  # it was not on by then
    assert len(server.received) == 1
    assert LONG.strip() in messages_of(server.received[0])[-1][1]
    assert told[0][1] > 0
    assert document.history.undo_label == "Write"
    desk.undo()
    assert node_id not in tree.nodes
