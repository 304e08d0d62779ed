"""What was tried and failed is asked again as it was, and hangs on what it was asked of."""

from __future__ import annotations

import json
from pathlib import Path

from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.agent import Agent
from loomapp.core.sent.inputs import inputs_of
from loomapp.core.sent.trial import Trial, without
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import rules_for
from loomapp.session.document import Document
from loomapp.session.requests.generator import Generator
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer, fails
from tests.kit.servers.own_endpoints import add_endpoint

AGENT = Agent("base", "Base", "model", "base:fake-1")


def test_a_trial_in_a_buffer_is_asked_again_of_the_version_that_it_was_asked_of(
    tmp_path: Path, qtbot: QtBot
) -> None:
    answer = DIALECTS["completions"].answer("Waves.")
    with FakeServer(answer) as server, create_grove(tmp_path / "g.loom") as grove:
        server.scripts.insert(0, fails(400, {"error": {"message": "no"}}))
        add_endpoint("base", server.url, "completions")
        grove.put_agent(AGENT)
        put_asked_ids(grove, (AGENT.id,))
        document, engine = Document(grove), Engine()
        generator, desk = Generator(document, engine), BufferSession(document)
        document.new_tree("buffer")
        for words in ("Left out. ", "The sea. "):
            document.commit(node_edits.add_node(document.tree, document.path_ids[-1], words, document.pen()))
        first, asked = document.path_ids[-2:]
        question = AskedQuestion(AGENT, Sources(asked), media=document.media)
        today = inputs_of(document.tree, question, rules_for("base:fake-1"))
        generator.try_out([(AGENT, Trial("A", without(today, [first])))], question.sources, 1)
        qtbot.waitUntil(lambda: not generator.is_streaming())
        [failed] = generator.drafts(document.tree.loom.id)
        end = len(desk.buffer_text.text)
        desk.input.typed(end - 2, end - 2, "side", 0.0)
        desk.commit()
        read = document.path_ids
        assert read[-1] != asked

        generator.retry(failed.key)
        qtbot.waitUntil(lambda: not generator.is_streaming())

        assert json.loads(server.received[-1].body)["prompt"].rstrip() == "The sea."
        [node] = [node for node in document.tree.nodes.values() if node.author_type == "model"]
        [edge] = document.tree.incoming(node.id)
        assert edge.with_role("primary") == (asked,)
        assert document.path_ids == read, "the text stays as it was edited"
        assert generator.drafts(document.tree.loom.id) == ()
        generator.close()
        engine.close()


def test_what_failed_goes_when_the_other_answers_of_its_request_are_undone_and_both_are_counted(
    tmp_path: Path, qtbot: QtBot
) -> None:
    answer, refusal = DIALECTS["chat"].answer("Waves."), fails(400, {"error": {"message": "no"}})
    with FakeServer(answer) as sea, FakeServer(answer, refusal) as lamp:
        add_endpoint("sea", sea.url, "chat")
        add_endpoint("lamp", lamp.url, "chat")
        both = [Agent(name, name, "model", f"{name}:fake-1") for name in ("sea", "lamp")]
        with create_grove(tmp_path / "g.loom") as grove:
            for agent in both:
                grove.put_agent(agent)
            document, engine = Document(grove), Engine()
            generator = Generator(document, engine)
            document.commit(
                node_edits.add_node(document.tree, document.path_ids[-1], "The sea?", document.pen())
            )
            at, labels = document.path_ids[-1], list[str]()
            document.tree_changed.connect(lambda change, _: labels.append(change.label))
            for failed in (0, 1):
                generator.start(Sources(at), 1, agents=both)
                qtbot.waitUntil(lambda: not generator.is_streaming())
                assert len(generator.drafts(document.tree.loom.id)) == failed
                document.history.undo(lambda _: None)
                document.history.redo()
                document.history.undo(lambda _: None)

                assert generator.drafts(document.tree.loom.id) == ()

            assert labels[2:5] == [
                "Undo Generate 2 continuations",
                "Redo Generate 2 continuations",
                "Undo Generate 2 continuations",
            ]
            assert labels[-1] == "Undo Generate"
            generator.close()
            engine.close()
