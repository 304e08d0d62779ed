"""Steps of a run in which nothing comes: asked again, the run goes on."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from loomapp.session.requests.running_request import Patience
from tests.kit.collaborators import answer
from tests.kit.run_desk import Desk, Serve, endless
from tests.kit.servers.fake_server import Conversation

READS = "→ annotate A7X2KQ: Here she lies."


def silent(conversation: Conversation) -> None:
    """An answer of which no word comes."""
    conversation.head()
    conversation.wait_until_left()


def fall_silent(desk: Desk, qtbot: QtBot, key: str) -> None:
    """Have the window take a draft for silent from now on."""
    flight = desk.generator.answers.fleet.of_draft(key)
    assert flight is not None
    flight.patience = Patience(1, 0)
    qtbot.waitUntil(lambda: flight.drafts[0].waits is not None)


def test_a_silent_step_is_asked_again_and_the_run_goes_on(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    server = serve(answer(READS), silent, answer("→ bookmark Q1AAAA"), answer("Her past."))
    desk.run()
    qtbot.waitUntil(lambda: len(server.received) == 2)
    [live] = desk.generator.drafts("talk")
    fall_silent(desk, qtbot, live.key)

    desk.generator.retry(live.key)
    qtbot.waitUntil(desk.is_over)

    assert server.received[2].body == server.received[1].body
    assert desk.document.tree.nodes["q1aaaa"].metadata.bookmarked
    assert desk.answers() == ["Her past."]
    assert len(desk.document.tree.notes("a7x2kq")) == 1
    desk.undo()
    assert desk.answers() == []
    assert not desk.document.tree.nodes["q1aaaa"].metadata.bookmarked


def test_what_came_of_a_silent_step_is_kept_and_another_run_begins(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(endless("Her"), answer(READS), answer("Her past."))
    desk.run()
    qtbot.waitUntil(lambda: [live.draft.text for live in desk.generator.drafts("talk")] == ["Her"])
    [live] = desk.generator.drafts("talk")
    fall_silent(desk, qtbot, live.key)

    desk.generator.retry(live.key)
    qtbot.waitUntil(desk.is_over)

    assert sorted(desk.answers()) == ["Her", "Her past."]
    assert len(desk.document.tree.notes("a7x2kq")) == 1


def test_a_silent_model_that_a_run_asks_is_asked_again(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    ask = answer("→ continue from A7X2KQ using agent: Marie")
    server = serve(ask, silent, answer("I kept a lamp."), answer("She is sad."))
    desk.run()
    qtbot.waitUntil(lambda: len(server.received) == 2)
    [asked] = [live for live in desk.generator.drafts("talk") if live.agent_id == "marie"]
    fall_silent(desk, qtbot, asked.key)

    desk.generator.retry(asked.key)
    qtbot.waitUntil(desk.is_over)

    assert desk.answers() == ["She is sad."]
    assert len(desk.document.tree.children("a7x2kq")) == 2
