"""One-liners of new messages: made in the background once switched on, saved, counted, and no steps."""

from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.errors import LoomError
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator
from loomapp.session.requests.one_liners import OneLiners
from tests.kit.collaborators import answer, messages_of
from tests.kit.run_desk import Desk, Serve, endless
from tests.kit.servers.fake_server import Conversation, fails

PATIENCE_S = 60
LONG = "She keeps the lamp and counts the oil. " * 6


def say(document: Document, words: str) -> None:
    document.commit(node_edits.add_node(document.tree, document.current_id, words, document.pen()))


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


def test_a_tree_is_summed_up_when_it_is_left_and_by_hand(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    server = serve(
        answer("Marie is asked. She hides. No more."),
        answer("Another. One."),
        fails(400),
        answer(" "),
    )
    document, one_liners = desk.document, desk.generator.one_liners
    told, ended = list[tuple[int, int]](), list[LoomError | None]()
    document.agents.ask_only("marie")
    one_liners.made.connect(lambda *cost: told.append(cost))
    one_liners.ended.connect(ended.append)
    left = document.tree
    other = tree_edits.new_tree("dialogue", "Another", document.pen(), text="Hm.")
    desk.grove.add_tree(other)

    document.open_tree(other.loom.id)
    document.open_tree(left.loom.id)
    one_liners.switch(on=True)  # nothing is new in it by now
    document.open_tree(other.loom.id)
    document.open_tree(left.loom.id)
    left = document.tree
    assert server.received == []
    document.commit(node_edits.add_node(left, document.current_id, "And now?", document.pen()))
    document.open_tree(other.loom.id)

    qtbot.waitUntil(lambda: len(told) == 1)
    assert desk.grove.load_tree("talk").loom.summary == "Marie is asked. She hides."
    one_liners.switch(on=False)
    one_liners.sum_up_tree()
    qtbot.waitUntil(lambda: len(ended) == 1)
    assert (document.tree.loom.summary, ended) == ("Another. One.", [None])
    one_liners.sum_up_tree()
    qtbot.waitUntil(lambda: len(ended) == 2)
    assert ended[1] is not None
    one_liners.sum_up_tree()
    qtbot.waitUntil(lambda: len(ended) == 3)
    assert "answered without a word" in str(ended[2])
    assert document.tree.loom.summary == "Another. One."
    asked = len(server.received)
    document.new_tree("dialogue")
    one_liners.sum_up_tree()
    assert "nothing in this tree" in str(ended[3])
    assert len(server.received) == asked


def test_a_tree_that_a_closed_window_left_is_summed_up_when_it_is_read_again(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    server = serve(answer("Marie is asked. She hides."))
    document, one_liners = desk.document, desk.generator.one_liners
    document.agents.ask_only("marie")
    one_liners.switch(on=True)
    say(document, "And now?")
    one_liners.close()
    assert server.received == []

    again = OneLiners(document, desk.engine, desk.generator)
    again.switch(on=True)

    qtbot.waitUntil(lambda: document.tree.loom.summary == "Marie is asked. She hides.")
    again.close()
    once_more = OneLiners(document, desk.engine, desk.generator)
    once_more.switch(on=True)
    once_more.close()
    assert len(server.received) == 1


def test_what_was_being_made_or_waited_when_the_window_closed_is_made_at_the_next_start(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    server = serve(endless("She"), answer("She counts the oil."), answer("Of the oil."), answer("Of her."))
    document, one_liners = desk.document, desk.generator.one_liners
    document.agents.ask_only("marie")
    other = tree_edits.new_tree("dialogue", "Another", document.pen(), text="Hm.")
    desk.grove.add_tree(other)
    one_liners.switch(on=True)
    say(document, LONG)
    long_id = document.tree.path.leaf_id
    qtbot.waitUntil(lambda: len(server.received) == 1)  # of the message
    document.open_tree(other.loom.id)
    one_liners.sum_up_tree()
    one_liners.close()

    again = OneLiners(document, desk.engine, desk.generator)
    again.switch(on=False)
    qtbot.waitUntil(lambda: document.tree.loom.summary == "She counts the oil.")  # it was asked for by hand
    document.open_tree("talk")
    assert len(server.received) == 2
    again.switch(on=True)
    qtbot.waitUntil(lambda: document.tree.loom.summary == "Of her.")
    assert document.tree.nodes[long_id].summary == "Of the oil."
    again.close()
    assert desk.grove.setting("one_liners_left") is None


def test_a_tree_that_was_left_and_is_read_again_gets_its_summary_as_it_is_by_then(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    gate = threading.Event()

    def late(conversation: Conversation) -> None:
        gate.wait(PATIENCE_S)
        answer("Marie is asked. She hides.")(conversation)

    server = serve(late)
    document, one_liners, told = desk.document, desk.generator.one_liners, list[Initiator]()
    document.agents.ask_only("marie")
    other = tree_edits.new_tree("dialogue", "Another", document.pen(), text="Hm.")
    desk.grove.add_tree(other)
    one_liners.switch(on=True)
    say(document, "And now?")
    document.open_tree(other.loom.id)
    qtbot.waitUntil(lambda: len(server.received) == 1)
    document.open_tree("talk")
    say(document, "And then?")
    document.tree_changed.connect(lambda _, initiator: told.append(initiator))
    gate.set()

    qtbot.waitUntil(lambda: document.tree.loom.summary == "Marie is asked. She hides.")
    assert [one.kind for one in told] == ["summary"], "what was written here is told once"


def test_who_asked_by_hand_is_told_also_where_it_is_switched_off_meanwhile(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    server = serve(endless("She"), answer("Marie. One."))
    document, one_liners, ended = desk.document, desk.generator.one_liners, list[LoomError | None]()
    document.agents.ask_only("marie")
    one_liners.ended.connect(ended.append)
    one_liners.switch(on=True)
    say(document, LONG)
    qtbot.waitUntil(lambda: len(server.received) == 1)

    one_liners.sum_up_tree()
    one_liners.switch(on=False)
    assert ended == [None]
    one_liners.sum_up_tree()

    qtbot.waitUntil(lambda: len(ended) == 2)
    assert document.tree.loom.summary == "Marie. One."
