"""A stop: what still waits for its turn at an endpoint is not sent any more."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.model.agent import Agent
from loomapp.providers.engine.engine import Engine
from loomapp.session.document import Document
from loomapp.session.requests.generator import Generator
from loomapp.session.requests.running_request import RunningRequest
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove
from tests.kit.servers.fake_server import Conversation, FakeServer, chunk
from tests.kit.servers.own_endpoints import add_endpoint

AGENT = Agent("paid", "Paid", "model", "paid:m")


def begins(conversation: Conversation) -> None:
    """Begin an answer, and go on with it until the other side leaves."""
    conversation.head()
    conversation.send(chunk("Once "))
    conversation.wait_until_left()


@pytest.mark.parametrize("how", ["path", "all"])
def test_stop_sends_nothing_that_waited_while_the_first_answer_is_committed(
    how: str, tmp_path: Path, qtbot: QtBot
) -> None:
    with FakeServer(begins) as server, create_grove(tmp_path / "g.loom") as grove:
        add_endpoint("paid", server.url, "chat", at_once=1)
        grove.put_agent(AGENT)
        put_asked_ids(grove, (AGENT.id,))
        document, engine = Document(grove), Engine()
        generator = Generator(document, engine)
        document.new_tree("dialogue")
        document.commit(node_edits.add_node(document.tree, document.current_id, "Hello", document.pen()))
        for _ in range(3):
            generator.start(Sources(document.current_id), 1)
        qtbot.waitUntil(lambda: any(d.draft.text for d in generator.drafts(document.tree.loom.id)))
        waiting = [flight.run for flight in generator.answers.flights()[1:]]

        def wait_for_the_others(_: RunningRequest) -> None:
            # as long as it takes to write the first answer down: the others get its place, or have gone
            qtbot.waitUntil(lambda: len(server.received) > 1 or all(run.join(0) for run in waiting))

        generator.answers.ending.connect(wait_for_the_others)
        if how == "path":
            generator.stop_path(document.tree.loom.id, document.path_ids)
        else:
            generator.stop_all()
        generator.close()
        engine.close()

    assert len(server.received) == 1
    assert [n.text for n in document.tree.nodes.values() if n.author_type == "model"] == ["Once "]
