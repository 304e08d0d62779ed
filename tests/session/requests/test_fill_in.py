"""Filling in from a caret to the file: sent with what follows, one step of undo, safe in a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.errors import AssemblyError, InvalidInput
from loomapp.core.generation.answers import CrashedRun, Sources, as_change
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import apply
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose.fill_in import anchor_at
from loomapp.core.sent.record import record_in
from loomapp.providers.capability import tell_fill_in
from loomapp.providers.engine.engine import Engine
from loomapp.session.document import Document
from loomapp.session.recovery import crashed_run, run_row
from loomapp.session.requests.generator import Generator
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.session.writing.continuation import BufferContinuation
from loomapp.session.writing.passages import Passages
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from tests.kit.servers import fake_server
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint

FILLER = Agent("fill", "Filler", "model", "base:fake-1")


class Study:
    """An open buffer, a model that fills in, and what is asked of it."""

    def __init__(self, document: Document, generator: Generator, server: FakeServer, qtbot: QtBot) -> None:
        self.document, self.generator, self.server, self.qtbot = document, generator, server, qtbot
        self.desk = BufferSession(document)
        self.passages = Passages(document, self.desk)
        self.continuation = BufferContinuation(document, self.desk, self.passages)
        document.new_tree("buffer")
        for text in ("Once there was ", "a king. He lived ", "long."):
            document.commit(node_edits.add_node(document.tree, document.path_ids[-1], text, document.pen()))

    @property
    def text(self) -> str:
        return self.desk.buffer_text.text

    def fill(self, offset: int, number: int = 1) -> Sources:
        gap = self.continuation.fill_at(offset)
        sources = Sources(gap.above_id, gap_id=gap.gap_id)
        self.generator.start(sources, number, action=gap.action)
        self.qtbot.waitUntil(lambda: not self.generator.is_streaming(), timeout=30_000)
        return sources


@pytest.fixture
def study(tmp_path: Path, qtbot: QtBot) -> Iterator[Study]:
    with FakeServer(DIALECTS["completions"].answer("and a queen ")) as server:
        add_endpoint("base", server.url, "completions")
        tell_fill_in("base:fake-1", True)
        with create_grove(tmp_path / "g.loom") as grove:
            grove.put_agent(FILLER)
            put_asked_ids(grove, (FILLER.id,))
            document, engine = Document(grove), Engine()
            generator = Generator(document, engine)
            yield Study(document, generator, server, qtbot)
            generator.close()
            engine.close()


WHERE = len("Once there was a king ") - 1


def test_what_is_filled_in_was_sent_with_both_sides_and_is_one_step(study: Study, tmp_path: Path) -> None:
    before = study.text
    document = study.document

    study.fill(WHERE)

    assert study.text == before[:WHERE] + "and a queen " + before[WHERE:]
    body = json.loads(study.server.received[0].body)
    assert (body["prompt"], body["suffix"]) == (before[:WHERE], before[WHERE:])
    tree_id = document.tree.loom.id
    with open_grove(tmp_path / "g.loom") as again:
        tree = again.load_tree(tree_id)
        assert "".join(tree.nodes[i].text for i in document.path_ids) == study.text
    [filled] = [node for node in document.tree.nodes.values() if node.text == "and a queen "]
    evidence = document.grove.evidence(tree_id, filled.id)
    assert evidence is not None
    record = record_in(evidence, document.tree)
    assert record is not None
    assert record.inputs.suffix == before[WHERE:]

    nodes = set(document.tree.nodes)
    undone = study.desk.undo.undo(lambda _: None)
    assert undone is not None
    assert undone.label == "Undo Fill in"
    assert study.text == before
    assert len(document.tree.nodes) == 4
    study.desk.undo.redo()
    assert set(document.tree.nodes) == nodes
    assert study.text == before[:WHERE] + "and a queen " + before[WHERE:]


def test_a_failed_one_is_tried_again_in_its_place(study: Study) -> None:
    before = study.text
    study.server.scripts.insert(0, fake_server.fails(400, {"error": {"message": "no"}}))
    study.fill(WHERE)
    [failed] = study.generator.drafts(study.document.tree.loom.id)

    study.generator.retry(failed.key)
    study.qtbot.waitUntil(lambda: not study.generator.is_streaming(), timeout=30_000)

    assert study.text == before[:WHERE] + "and a queen " + before[WHERE:]
    assert json.loads(study.server.received[1].body)["suffix"] == before[WHERE:]


def test_what_a_model_cannot_do_is_told_before_anything_is_sent(study: Study) -> None:
    tell_fill_in("base:fake-1", None)

    with pytest.raises(AssemblyError, match="Filler"):
        study.fill(WHERE)

    assert study.server.received == []


@pytest.mark.parametrize("offset", [0, 10_000])
def test_there_is_nothing_to_fill_in_at_the_ends(study: Study, offset: int) -> None:
    with pytest.raises(InvalidInput):
        study.fill(min(offset, len(study.text)))

    assert len(study.document.tree.nodes) == 4


def test_after_a_crash_what_came_stands_in_its_gap(study: Study) -> None:
    before, document = study.text, study.document
    gap = study.continuation.fill_at(WHERE)
    drafts = (Draft(0, "and a quee"),)
    run = CrashedRun(
        "r", document.tree.loom.id, Sources(gap.above_id, gap_id=gap.gap_id), FILLER.id, drafts, (), 0
    )

    kept = crashed_run(run_row(run, now()))
    assert kept == run
    change = as_change(document.tree, kept, now=now(), new_id=new_id)

    assert change is not None
    apply(document.tree, change)
    way = resolve(document.tree, document.tree.path.leaf_id)
    assert "".join(node.text for node in way.nodes) == before[:WHERE] + "and a quee" + before[WHERE:]


def test_after_a_crash_what_came_follows_the_version_that_was_made_meanwhile(study: Study) -> None:
    document = study.document
    leaf = document.path_ids[-1]
    run = CrashedRun(
        "r", document.tree.loom.id, Sources(leaf), FILLER.id, (Draft(0, " And th"),), (), 0,
        anchor_at(document.tree, leaf),
    )  # fmt: skip
    study.desk.input.typed(len(study.text) - 1, len(study.text), "er.", 0.0)
    study.desk.commit()
    before, version = study.text, document.path_ids[-1]
    assert version != leaf

    kept = crashed_run(run_row(run, now()))
    assert kept == run
    document.commit(as_change(document.tree, kept, now=now(), new_id=new_id))

    assert study.text == before + " And th"
    assert document.tree.incoming(document.path_ids[-1])[0].with_role("primary") == (leaf, version)
