"""One number of tokens: with the engine running what is shown is what it counts, and after an answer whose
tokens were counted it is near what is counted next.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
import random
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.entities import AuthorType, ContextSettings, Mode
from loomapp.core.sent.inputs import assembled_from
from loomapp.core.sent.record import digest_of, from_json
from loomapp.core.sent.trial import without
from loomapp.core.text.token_counts import Tokenized
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.local_model import LocalModel
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.protocols.exchange import Call
from loomapp.session.context.preview import Preview
from loomapp.session.context.token_counter import TokenCounter, counted
from loomapp.session.context.what_if import WhatIf
from loomapp.session.document import Document
from loomapp.session.plan import Counted, Plan, TokenCounts, planned, tried
from loomapp.session.requests.generator import Generator
from loomapp.session.requests.open_answers import open_question
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id
from tests.kit import chance
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, usage
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.written_trees import chain, node

TIMEOUT_MS = 90_000
KINDS = (
    "The harbour was quiet, and the old captain told {} of the storm that nobody else remembered. ",
    "def load(path: str, {}: int = 3) -> dict[str, int]:\n    return {{name: 1 for name in open(path)}}\n",
    '{{"name": "{}", "values": [1, 2, 3.5], "is_open": true}} ',
    "Der Hafen lag still, und niemand außer {} erinnerte sich an den Sturm. ",
    "海は広く、{}だけがあの嵐を覚えていた。",
    "Море было тихим, и только {} помнил бурю. ",
)


class Talk:
    """Dialogues of random texts in one grove, and the context that would be sent of them."""

    began: ClassVar[list[Talk]] = []  # by the test that runs

    def __init__(self, document: Document, engine: Engine, agent: Agent, seed: int) -> None:
        self.document, self.agent, self.dice = document, agent, random.Random(seed)
        document.agents.put(agent)
        document.agents.ask_only(agent.id)
        self.preview = Preview(document, document)
        Talk.began.append(self)
        self.trying = WhatIf(document, self.preview)
        self.counting = TokenCounter(document, self.preview, engine, self.trying)
        self.kinds: Sequence[str] = KINDS

    def text(self, most: int) -> str:
        kind, dice = self.dice.choice(self.kinds), self.dice
        names = (f"{dice.choice(('Ada', 'Grace', 'Alan'))}{dice.randrange(99)}" for _ in range(most))
        return "".join(kind.format(name) for name in names)

    def begin(self, kinds: Sequence[str], messages: int, most: int, mode: Mode = "dialogue") -> None:
        """Begin another tree with so many messages."""
        self.kinds, dice = kinds, self.dice
        authors: tuple[AuthorType, AuthorType] = ("human", "model")
        nodes = [
            node(new_id(), self.text(dice.randint(1, most)), authors[place % 2]) for place in range(messages)
        ]
        tree = chain(*nodes, mode=mode, system=dice.choice((None, "You are kind.", self.text(2))))
        strategy = dice.choice(("truncateMiddle", "rollingWindow"))
        settings = ContextSettings(strategy, minimum_recent_nodes=dice.choice((1, 4)))
        tree.loom = replace(tree.loom, id=new_id(), context_settings=settings)
        self.document.add_tree(tree)
        self.document.place.set_current(nodes[-1].id)

    @property
    def plan(self) -> Plan:
        """What would be sent."""
        self.preview.refresh_now()
        assert self.preview.error is None
        return self.preview.plans[0]

    def count(self, qtbot: QtBot) -> Plan:
        """What would be sent once it rested long enough to be counted."""
        for _ in range(12):  # what has room by the counts is counted in turn
            plan = self.plan
            if plan.question.estimator.total is not None:
                return plan
            self.counting.on_rest()
            counts = self.document.counts
            qtbot.waitUntil(partial(_is_counted, counts, counts.count), timeout=TIMEOUT_MS)
        raise AssertionError("it never rests")


def _is_counted(counts: TokenCounts, before: int) -> bool:
    return counts.count > before


def _is_over(generator: Generator) -> bool:
    return not generator.is_streaming()


@pytest.fixture
def document(tmp_path: Path, qtbot: QtBot) -> Iterator[Document]:
    with create_grove(tmp_path / "g.loom") as grove:
        yield Document(grove)
    while Talk.began:
        Talk.began.pop().counting.close()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine()
    engine.ready(DEFAULT_MODEL_REF.partition(":")[2], Call())
    yield engine
    engine.close()


def local(max_tokens: int = 500) -> Agent:
    return Agent("a", "A", "model", DEFAULT_MODEL_REF, Configuration(max_tokens=max_tokens))


@pytest.mark.parametrize("contexts", [2, pytest.param(200, marks=pytest.mark.slow)])
def test_with_the_engine_running_what_is_shown_is_what_it_counts(
    document: Document, engine: Engine, qtbot: QtBot, contexts: int
) -> None:
    talk = Talk(document, engine, local(), chance.seed(11))
    model = LocalModel(engine, DEFAULT_MODEL_REF)
    truncated = 0
    for number in range(contexts):
        mode: Mode = "buffer" if number % 4 == 1 else "dialogue"
        talk.begin(KINDS, *((5, 4) if number % 4 > 1 else (60, 12)), mode)

        plan = talk.count(qtbot)

        report = plan.assembled.report
        assert report.estimator == "tokenizer"
        assert report.after_tokens == model.count_tokens(plan.request(document.tree, 1))
        assert report.over_limit or report.after_tokens <= report.available
        truncated += report.truncated
    assert truncated


def test_a_context_that_was_counted_is_sent_by_the_same_counts(
    document: Document, engine: Engine, qtbot: QtBot
) -> None:
    talk = Talk(document, engine, local(), 5)
    talk.begin(KINDS[:3], 90, 12)
    shown = talk.count(qtbot)

    question = open_question(document, document.agents.model(), Sources(document.current_id))
    sent = planned(document.tree, question, document)
    record = sent.request(document.tree, 1).record

    assert shown.assembled.report.truncated
    assert digest_of(sent.assembled) == digest_of(shown.assembled)
    assert sent.assembled.report.after_tokens == shown.assembled.report.after_tokens
    told = from_json(json.loads(json.dumps(record)), document.tree, "context")
    again = assembled_from(document.tree, told.inputs)
    assert digest_of(again) == told.digest
    assert again.report.after_tokens == shown.assembled.report.after_tokens

    # What is tried instead is another context: never told by the count of this one, and counted itself.
    talk.trying.begin()
    today = talk.trying.outcomes[0].inputs
    talk.trying.put(without(today, [today.path[-2]]))
    variant = talk.trying.outcomes[1].assembled
    assert variant is not None
    assert variant.report.after_tokens != shown.assembled.report.after_tokens
    talk.count(qtbot)
    for _ in range(12):
        trial, variant = talk.trying.outcomes[1].trial, talk.trying.outcomes[1].assembled
        assert (trial is None, variant is None) == (False, False)
        if trial is not None and trial.inputs.estimator.total is not None:
            break
        before = document.counts.count
        talk.counting.on_rest()
        qtbot.waitUntil(partial(_is_counted, document.counts, before), timeout=TIMEOUT_MS)
        talk.preview.settle()
    assert trial is not None
    assert variant is not None
    asked = tried(document.tree, question, trial, document.counts).request(document.tree, 1)
    model = LocalModel(engine, DEFAULT_MODEL_REF)
    assert variant.report.after_tokens == model.count_tokens(asked)


def test_what_a_counted_context_takes_beyond_its_room_is_held_free_from_then_on(
    document: Document, engine: Engine, qtbot: QtBot
) -> None:
    talk = Talk(document, engine, local(), 6)
    talk.begin(KINDS, 4, 3)
    plan = talk.count(qtbot)
    known, total = plan.question.estimator, plan.assembled.report.after_tokens
    assert isinstance(known, Tokenized)
    model, request = LocalModel(engine, DEFAULT_MODEL_REF), plan.request(document.tree, 1)

    def count(texts: tuple[str, ...], room: int | None) -> Counted:
        reckoned = total - 9 if room is None else min(total - 9, room)
        report = replace(
            plan.assembled.report, available=room or 1, after_tokens=reckoned, over_limit=room is None
        )
        return counted(model, request, texts, known, "digest", report, lambda *_: None)

    by_room = {room: count((), room).tokenized.request_tokens for room in (None, total, total - 3)}
    unknown = count(("A text that was not counted yet.",), total - 3)

    held = known.request_tokens
    assert by_room == {None: held, total: held, total - 3: held + 9}, "as much as it was reckoned too small"
    assert (unknown.tokenized.request_tokens, unknown.digest) == (held, "")


def test_an_engine_that_does_not_run_is_not_started_to_count(document: Document, qtbot: QtBot) -> None:
    idle = Engine()
    talk = Talk(document, idle, local(), 1)
    talk.begin(KINDS, 3, 3)

    talk.counting.on_rest()

    assert idle.pid is None
    assert document.counts.count == 0
    assert talk.plan.assembled.report.estimator == "safe"
    idle.close()


# Endpoints that report usage


def by_words(text: str) -> int:
    """Tokens of a tokenizer that knows most words."""
    return sum(1 + len(word) // 7 for word in re.findall(r"\w+|[^\w\s]", text))


def by_bytes(text: str) -> int:
    """Tokens of one that takes letters of other scripts apart."""
    return -(-len(text.encode()) * 10 // 37)


@dataclass
class CountingServer:
    """A server that answers in a few words, and reports what it counted."""

    count: Callable[[Sequence[dict[str, str]]], int]
    counted: list[int]

    def __call__(self, conversation: Conversation) -> None:
        said = json.loads(conversation.request.body)["messages"]
        self.counted.append(self.count(said))
        answer = "Then the wind rose, and nobody spoke for a long time."
        conversation.head()
        for part in (chunk(answer), chunk(reason="stop"), usage(self.counted[-1], 12), DONE):
            conversation.send(part)


def by_each(count: Callable[[str], int]) -> Callable[[Sequence[dict[str, str]]], int]:
    """Count messages, each with a few tokens around it."""
    return lambda said: 3 + sum(count(message["content"]) + 4 for message in said)


def by_engine(engine: Engine) -> Callable[[Sequence[dict[str, str]]], int]:
    """Count as the engine does behind an endpoint."""

    def count(said: Sequence[dict[str, str]]) -> int:
        prompt = engine.ask("/apply-template", {"messages": said})["prompt"]
        return LocalModel(engine, DEFAULT_MODEL_REF).count_text(prompt)

    return count


@pytest.mark.slow
@pytest.mark.parametrize("talks", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_after_an_answer_that_was_counted_the_next_number_is_near(
    document: Document, engine: Engine, qtbot: QtBot, talks: int
) -> None:
    counters = (by_engine(engine), by_each(by_words), by_each(by_bytes))
    errors: list[float] = []
    for number in range(talks):
        server = CountingServer(counters[number % len(counters)], [])
        with FakeServer(server) as fake:
            add_endpoint(f"counting{number}", fake.url, "chat")
            agent = Agent(f"a{number}", "A", "model", f"counting{number}:m", Configuration(max_tokens=50))
            talk = Talk(document, engine, agent, chance.seed(3) + number)
            generator = Generator(document, Engine())
            talk.begin(KINDS[:1] if number % 2 else KINDS[:4], 12, 8)
            for turn in range(4):
                text = talk.text(talk.dice.randint(1, 6))
                document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))
                shown = talk.plan.assembled.report
                generator.start(Sources(document.current_id), 1)
                qtbot.waitUntil(partial(_is_over, generator), timeout=TIMEOUT_MS)
                measured = server.counted[-1]
                if turn and measured > 500:
                    assert shown.estimator == "scaled"
                    errors.append(abs(shown.after_tokens - measured) / measured)
            generator.close()

    assert errors
    assert statistics.median(errors) <= 0.03
    assert max(errors) <= 0.10


def test_siblings_never_see_each_others_counts(document: Document, engine: Engine, qtbot: QtBot) -> None:
    server = CountingServer(by_each(by_words), [])
    with FakeServer(server) as fake:
        add_endpoint("counting", fake.url, "chat")
        agent = Agent("a", "A", "model", "counting:m", Configuration(max_tokens=50))
        talk = Talk(document, engine, agent, 2)
        generator = Generator(document, Engine())
        talk.begin(KINDS[:1], 3, 3)
        root = document.current_id
        generator.start(Sources(root), 1)
        qtbot.waitUntil(lambda: bool(document.tree.children(root)), timeout=TIMEOUT_MS)

        document.place.set_current(document.tree.children(root)[0])
        assert talk.plan.assembled.report.estimator == "scaled"
        document.place.set_current(root)
        assert talk.plan.assembled.report.estimator == "safe"
        document.commit(node_edits.add_node(document.tree, root, "Another way.", document.pen()))
        assert talk.plan.assembled.report.estimator == "safe"
        generator.close()
