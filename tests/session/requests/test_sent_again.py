"""Every answer keeps what it was sent: in the file, through Loom JSON, and good for sending it again.

The embedded engine answers, briefly; what it was sent is compared with the bytes of the request.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.entities import ContextSettings
from loomapp.core.sent.inputs import inputs_of
from loomapp.core.sent.record import Record, record_in
from loomapp.core.sent.replay import Replay, replay
from loomapp.formats import loom_json
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import rules_for
from loomapp.session.document import Document
from loomapp.session.requests.generator import Generator
from loomapp.store.grove.open import create_grove
from tests.kit import chance

ANSWER_TIMEOUT_MS = 90_000
STRATEGIES = ("truncateMiddle", "rollingWindow", None)


@pytest.fixture
def generator(tmp_path: Path, qtbot: QtBot) -> Iterator[Generator]:
    engine = Engine()
    with create_grove(tmp_path / "g.loom") as grove:
        generator = Generator(Document(grove), engine)
        yield generator
        generator.close()
    engine.close()


class Researcher:
    """Asks the engine, changes what is sent between two questions, and looks at what was sent before."""

    def __init__(self, generator: Generator, qtbot: QtBot, seed: int) -> None:
        self.generator, self.qtbot, self.dice = generator, qtbot, random.Random(seed)
        self.document = generator._document
        (agent,) = self.document.agents.asked()
        self.agent = replace(agent, configuration=replace(agent.configuration, max_tokens=3))
        self.sent: dict[str, tuple[Record, str]] = {}

    def ask(self, number: int) -> None:
        """One Generate somewhere, after a few words; what was sent of it is written down."""
        document = self.document
        at = self.dice.choice([i for i in document.tree.nodes if not document.tree.nodes[i].metadata.pruned])
        words = " ".join(["words"] * self.dice.choice((2, 5, 200)))
        document.commit(node_edits.add_node(document.tree, at, words, document.pen()))
        question = document.current_id
        self.generator.start(Sources(question), number, agents=(self.agent,))
        self.qtbot.waitUntil(lambda: not self.generator.is_streaming(), timeout=ANSWER_TIMEOUT_MS)
        for node_id in document.tree.children(question):
            evidence = document.grove.evidence(document.tree.loom.id, node_id)
            assert evidence is not None
            record = record_in(evidence, document.tree)
            assert record is not None
            self.sent[node_id] = record, evidence.request_body

    def change_something(self) -> None:
        """Settings, flags, the agent's prompt: what a person may do between two questions."""
        document, dice = self.document, self.dice
        tree, pen = document.tree, document.pen()
        node_id = dice.choice(list(tree.nodes))
        match dice.randrange(5):
            case 0:
                document.commit(node_marks.exclude(tree, [node_id], pen))
            case 1:
                document.commit(node_marks.include(tree, [node_id], pen))
            case 2:
                own = ContextSettings(
                    dice.choice(STRATEGIES), dice.choice((None, 1, 3)), dice.choice((None, 1900))
                )
                document.commit(
                    tree_edits.change_loom(tree, "Settings", pen, replace(tree.loom, context_settings=own))
                )
            case 3:
                loom = replace(tree.loom, system_context=dice.choice((None, "Be kind.", "Be terse.")))
                document.commit(tree_edits.change_loom(tree, "Settings", pen, loom))
            case _:
                prompt = dice.choice((None, "You are a poet."))
                configuration = replace(self.agent.configuration, system_prompt=prompt)
                self.agent = replace(self.agent, configuration=configuration)

    def replayed(self, node_id: str) -> Replay:
        """What one answer was sent, sent again as everything is now."""
        record, _ = self.sent[node_id]
        question = AskedQuestion(
            self.agent, Sources(record.inputs.at), defaults=self.document.context_defaults
        )
        today = inputs_of(self.document.tree, question, rules_for(self.agent.model_ref or ""))
        return replay(self.document.tree, record, today)

    def check_all(self) -> None:
        """What is shown as sent is what was sent; what would be sent is that, or every reason is told."""
        for node_id, (record, body) in self.sent.items():
            told = self.replayed(node_id)
            assert told.then is not None
            wired = [(m["role"], m["content"]) for m in json.loads(body)["messages"]]
            system = [("system", told.then.system)] if told.then.system else []
            assert wired == system + [(m.role, m.text) for m in told.then.messages], node_id
            assert told.is_identical or told.differences, node_id
            if told.is_identical:
                assert told.now is not None
                assert told.now.messages == told.then.messages
            assert record.report["afterTokens"] == told.then.report.after_tokens


def live(generator: Generator, qtbot: QtBot, nodes: int) -> Researcher:
    researcher = Researcher(generator, qtbot, chance.seed(1))
    while len(researcher.sent) < nodes:
        researcher.ask(researcher.dice.choice((1, 3)))
        researcher.change_something()
    return researcher


@pytest.mark.timeout(300)
def test_what_was_sent_is_known_of_every_answer(generator: Generator, qtbot: QtBot) -> None:
    researcher = live(generator, qtbot, 6)
    researcher.check_all()

    document = researcher.document
    evidence = document.grove.all_evidence(document.tree.loom.id)
    file = loom_json.write(document.tree, document.agents.by_id().values(), evidence)
    read = loom_json.read(file)
    kept = [record_in(one, read.tree) for one in read.evidence]
    assert kept == [record_in(one, document.tree) for one in evidence]
    assert None not in kept


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_five_hundred_answers_under_changing_settings_are_told(generator: Generator, qtbot: QtBot) -> None:
    live(generator, qtbot, 500).check_all()
