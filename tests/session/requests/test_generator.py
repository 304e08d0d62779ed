"""Generations on the real engine: drafts become nodes together, and nothing that was written is lost.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.hashes import verify
from loomapp.providers.engine.engine import Engine
from loomapp.session.document import Document
from loomapp.session.requests.generator import Generator

ANSWER_TIMEOUT_MS = 90_000


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.close()


@pytest.fixture
def generator(document: Document, engine: Engine) -> Iterator[Generator]:
    generator = Generator(document, engine)
    yield generator
    generator.close()


def let_answers_have(document: Document, tokens: int) -> None:
    """Let the model say no more than so much in each: who waits until it is over wants no more of it."""
    agent = document.agents.model()
    document.agents.put(replace(agent, configuration=replace(agent.configuration, max_tokens=tokens)))


def ask(document: Document, text: str = "Tell a long story about the sea.") -> str:
    """Commit a message; its id."""
    document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))
    return document.current_id


def wait_until_written(qtbot: QtBot, generator: Generator, characters: int) -> None:
    """Wait until every live draft holds some text."""
    tree_id = generator._document.tree.loom.id

    def written() -> bool:
        drafts = generator.drafts(tree_id)
        return bool(drafts) and all(len(live.draft.text) >= characters for live in drafts)

    qtbot.waitUntil(written, timeout=ANSWER_TIMEOUT_MS)


def wait_until_over(qtbot: QtBot, generator: Generator) -> None:
    qtbot.waitUntil(lambda: not generator.is_streaming(), timeout=ANSWER_TIMEOUT_MS)


def refuse_nothing(_: object) -> None:
    """A guard that lets every undo through."""


def test_one_generate_of_three_is_one_step_of_undo(
    document: Document, generator: Generator, qtbot: QtBot
) -> None:
    let_answers_have(document, 12)
    question = ask(document)
    grown: list[LiveDraft] = []
    generator.answers.drafts_grew.connect(grown.extend)

    generator.start(Sources(question), 3)
    wait_until_over(qtbot, generator)

    answers = document.tree.children(question)
    assert len(answers) == 3
    assert len({document.tree.nodes[i].text for i in answers}) == 3
    assert {live.parent_id for live in grown} == {question}
    assert document.path_ids[-1] == answers[0]
    digests = document.grove.digests(document.tree.loom.id)
    assert {f.verdict for f in verify(document.tree, digests)} == {"ok"}
    document.history.undo(refuse_nothing)
    assert document.tree.children(question) == ()
    document.history.redo()
    assert document.tree.children(question) == answers


def test_stopping_keeps_what_was_written(document: Document, generator: Generator, qtbot: QtBot) -> None:
    question = ask(document)
    generator.start(Sources(question), 2)
    wait_until_written(qtbot, generator, 20)
    texts = {live.draft.text for live in generator.drafts(document.tree.loom.id)}

    document.place.set_current(question)  # clicked, though it is the current one already
    generator.stop_path(document.tree.loom.id, document.path_ids, keeps_chosen=True)

    assert document.current_id == question
    assert document.path_ids[-1] in document.tree.children(question)
    nodes = [document.tree.nodes[i] for i in document.tree.children(question)]
    assert all(any(node.text.startswith(text) for text in texts) for node in nodes)
    assert [node.interrupted and node.interrupted.reason for node in nodes] == ["cancelled", "cancelled"]
    assert generator.drafts(document.tree.loom.id) == ()


@pytest.mark.slow
def test_the_path_goes_on_with_the_draft_that_is_read(
    document: Document, generator: Generator, qtbot: QtBot
) -> None:
    question = ask(document)
    generator.start(Sources(question), 2)
    wait_until_written(qtbot, generator, 10)
    _, second = generator.drafts(document.tree.loom.id)

    generator.answers.read_draft(second.key)
    generator.stop_path(document.tree.loom.id, document.path_ids)

    assert document.path_ids[-1] == document.tree.children(question)[1]


@pytest.mark.slow
def test_stopping_one_card_lets_the_other_go_on(
    document: Document, generator: Generator, qtbot: QtBot
) -> None:
    question = ask(document)
    generator.start(Sources(question), 2)
    wait_until_written(qtbot, generator, 10)
    first, _ = generator.drafts(document.tree.loom.id)

    generator.stop(first.key)
    wait_until_over(qtbot, generator)

    stopped, other = (document.tree.nodes[i] for i in document.tree.children(question))
    assert stopped.interrupted is not None
    assert stopped.text == first.draft.text
    assert other.interrupted is None
    assert len(other.text) > len(stopped.text)


@pytest.mark.slow
def test_a_killed_engine_leaves_the_text_and_the_reason_and_starts_again(
    document: Document, generator: Generator, engine: Engine, qtbot: QtBot
) -> None:
    question = ask(document)
    errors: list[LoomError] = []
    generator.answers.failed.connect(errors.append)
    generator.start(Sources(question), 3)
    wait_until_written(qtbot, generator, 10)
    assert engine.pid is not None

    os.kill(engine.pid, signal.SIGKILL)
    wait_until_over(qtbot, generator)

    nodes = [document.tree.nodes[i] for i in document.tree.children(question)]
    assert len(nodes) == 3
    assert {node.interrupted and node.interrupted.reason for node in nodes} == {"network"}
    assert generator.drafts(document.tree.loom.id) == (), "what is a node needs no card"
    assert [call.error for call in generator.answers.failed_answers.calls] == errors
    digests = document.grove.digests(document.tree.loom.id)
    assert {f.verdict for f in verify(document.tree, digests)} == {"ok"}

    let_answers_have(document, 12)
    generator.start(Sources(question), 3)
    wait_until_over(qtbot, generator)

    again = [document.tree.nodes[i] for i in document.tree.children(question)[3:]]
    assert len(again) == 3
    assert all(node.text and node.interrupted is None for node in again)
    assert generator.drafts(document.tree.loom.id) == ()


@pytest.mark.slow
def test_undo_waits_for_an_answer_that_hangs_on_it(
    document: Document, generator: Generator, qtbot: QtBot
) -> None:
    question = ask(document)
    generator.start(Sources(question), 1)
    wait_until_written(qtbot, generator, 5)

    with pytest.raises(LoomError, match="being written"):
        document.history.undo(generator.answers.guard_undo)

    assert question in document.tree.nodes
    generator.stop_all()
    document.history.undo(generator.answers.guard_undo)
    document.history.undo(generator.answers.guard_undo)
    assert question not in document.tree.nodes


def test_closing_while_eight_stream_keeps_every_text(
    document: Document, generator: Generator, engine: Engine, qtbot: QtBot
) -> None:
    question = ask(document)
    generator.start(Sources(question), 8)
    wait_until_written(qtbot, generator, 5)

    generator.close()

    assert len(document.tree.children(question)) == 8
    assert engine.pid is None
