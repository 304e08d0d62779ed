"""What is seen ahead of a buffer in writing is what is sent once it is asked for, whatever is written."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.errors import LoomError
from loomapp.core.generation.assemble_request import request_for
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.content import Image
from loomapp.core.model.entities import ContextSettings, EdgeSource, Node
from loomapp.core.model.tree import Tree
from loomapp.core.sent.record import digest_of
from loomapp.core.uncommitted_tree import UncommittedTree
from loomapp.providers.engine.engine import Engine
from loomapp.providers.registry import wire_body
from loomapp.session.context.pending_sources import Attached
from loomapp.session.context.preview import Preview
from loomapp.session.plan import planned
from loomapp.session.requests.generator import Generator
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove
from tests.kit import chance
from tests.kit.families import one_in
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.trees import snapshot
from tests.session.writing.test_buffer_session import Desk

FIRST_SEED = chance.seed(1)
WORDS = (
    "lamp ",
    "and the boat",
    " ",
    "\n",
    "Sea. ",
    "e\u0301",
    "  ",
    "👩‍👩‍👧 ",
    "a long sentence about waves. " * 3,
)
AGENTS = {
    "completions": Agent(
        "text", "Text", "model", "text:fake-1", Configuration(system_prompt="P", max_tokens=7)
    ),
    "chat": Agent("chat", "Chat", "model", "chat:fake-1", Configuration(system_prompt="P", max_tokens=7)),
}
ROLES: tuple[Attached, ...] = ("context", "instruction")
WINDOW = 128_000  # of a model of which nothing is known


class Writing(Desk):
    """A desk, and what is seen ahead of it, as a window has them; the caret is where it is put."""

    def __init__(self, grove: Grove) -> None:
        super().__init__(grove)
        self.dice, self.caret = random.Random(FIRST_SEED), 0
        self.preview = Preview(self.document)
        self.preview.look_ahead = self.ahead

    def ahead(self) -> UncommittedTree:
        if self.document.current_id not in self.document.path:
            return self.continuation.ahead_beside(self.document.current_id)
        return self.continuation.ahead(self.caret)

    def make_ready(self) -> str:
        """What Generate does before it asks; see `ui.commands.buffer.caret_place`."""
        document = self.document
        if document.current_id in document.path:
            node_id = self.continuation.continue_from(self.caret).node_id
        else:
            node_id = document.current_id
            self.desk.commit()
        document.place.read(node_id)
        return node_id

    # A tree at random, and somebody who writes in it

    def grow(self) -> None:
        dice, document = self.dice, self.document
        for _ in range(dice.randrange(2, 9)):
            self.add(dice.choice((document.path_ids[-1], document.path_ids[-1], self.any_node())))
        for change in ("exclude", "exclude", "note", "note", "version", "split", "prune"):
            if dice.random() < 0.6:
                with suppress(LoomError):
                    self.change(change)
        own = ContextSettings(
            dice.choice((*STRATEGIES, None)),
            dice.choice((1, 2, 4)),
            WINDOW - dice.choice((12, 30, 60, 5_000, 5_000)),
            dice.choice(("path", "pending", None)),
        )
        loom = replace(
            document.tree.loom,
            context_settings=own,
            system_context=dice.choice((None, "The sea.")),
            buffer_mode_system_context=dice.random() < 0.5,
        )
        document.commit(tree_edits.change_loom(document.tree, "Tree settings", document.pen(), loom))
        here = [i for i in document.tree.nodes if not document.tree.annotation_edges_into(i)]
        document.place.read_through(dice.choice(here))

    def add(self, above: str) -> None:
        document, dice = self.document, self.dice
        pen = document.pen()
        if dice.random() < 0.4:
            pen = replace(pen, agent_id="text", author_type="model")
        beside = [i for i in (self.any_node(), self.any_node()) if i != above and dice.random() < 0.3]
        sources = [EdgeSource(i, dice.choice(("context", "instruction"))) for i in dict.fromkeys(beside)]
        text = "".join(dice.choices(WORDS, k=dice.randrange(1, 5)))
        if dice.random() < 0.1:
            image = Image("0" * 64, "image/png", 9, 9, "cat.png")
            document.commit(node_edits.add_content(document.tree, above, image, document.pen()))
        else:
            every = (EdgeSource(above), *sources)
            document.commit(node_edits.add_node(document.tree, above, text, pen, sources=every))

    def change(self, name: str) -> None:
        document, dice = self.document, self.dice
        tree, node_id = document.tree, self.any_node()
        if name == "exclude":
            document.commit(node_marks.exclude(tree, [node_id], document.pen()), keeps_current=True)
        elif name == "note":
            change = node_edits.annotate(tree, node_id, "A note. ", document.pen())
            document.commit(change, keeps_current=True)
            note = change.added_nodes()[0].id
            if dice.random() < 0.7:
                document.commit(node_edits.include_annotation(tree, note, True, document.pen()))
        elif name == "version":
            document.commit(node_edits.edit_as_version(tree, node_id, "Otherwise. ", document.pen()))
        elif name == "split":
            self.passages.split_at(dice.randrange(len(self.text) + 1))
        elif name == "prune" and node_id != tree.root_id:
            document.commit(node_marks.prune(tree, node_id, document.pen()))

    def write(self) -> None:
        """Some strokes without a commit, the caret anywhere, something attached."""
        dice, document = self.dice, self.document
        for _ in range(dice.choice((0, 1, 1, 2))):
            text = dice.choice(("", *WORDS))
            at = dice.choice((len(self.view), dice.randrange(len(self.view) + 1)))
            end = min(len(self.view), at + dice.choice((0, 0, 3, 40)))
            with suppress(LoomError):
                self.desk.input.typed(at, end, text, 0.0)
            self.view = self.text
            self.caret = dice.randrange(len(self.view) + 1)
            self.preview.refresh_now()
        self.caret = dice.choice((len(self.view), dice.randrange(len(self.view) + 1)))
        if self.view and dice.random() < 0.7:
            passage = self.desk.buffer_text.passage_at(self.caret)
            document.place.set_current(passage.node_id or document.path_ids[-1])
        elif dice.random() < 0.5:
            document.place.set_current(self.any_node())
        for _ in range(dice.choice((0, 0, 1, 2))):
            self.preview.pending.attach([self.any_node()], dice.choice(ROLES))

    def any_node(self) -> str:
        return self.dice.choice(list(self.document.tree.nodes))


@pytest.fixture
def servers() -> Iterator[dict[str, FakeServer]]:
    with (
        FakeServer(DIALECTS["completions"].answer("Once.")) as text,
        FakeServer(DIALECTS["chat"].answer("Once.")) as chat,
    ):
        add_endpoint("text", text.url, "completions")
        add_endpoint("chat", chat.url, "chat")
        yield {"completions": text, "chat": chat}


@pytest.fixture
def grove(tmp_path: Path, servers: dict[str, FakeServer], qtbot: QtBot) -> Iterator[Grove]:
    with create_grove(tmp_path / "g.loom") as grove:
        for agent in AGENTS.values():
            grove.put_agent(agent)
        yield grove


def writings(grove: Grove, api: str, many: int) -> Iterator[tuple[int, Writing]]:
    """So many trees in which somebody writes, each with its seed."""
    put_asked_ids(grove, (AGENTS[api].id,))
    one = Writing(grove)
    for seed in range(FIRST_SEED, FIRST_SEED + many):
        one.dice = random.Random(seed)
        one.preview.pending.clear()
        one.desk.commit()
        one.document.new_tree("buffer")
        one.grow()
        one.write()
        yield seed, one


def planned_then(one: Writing) -> Assembled | LoomError:
    """What is planned when it is asked for, or why nothing can be."""
    try:
        sources = one.preview.pending.sources(one.make_ready())
        assert one.preview.question is not None
        question = replace(one.preview.question, sources=sources, composer_text="")
        return planned(one.document.tree, question, one.document).assembled
    except LoomError as error:
        return error


def told(context: Assembled, names: dict[str, str]) -> object:
    """What a context says of itself, the nodes that it comes from by one name, words at the end by none."""
    report = context.report
    kept = [names.get(node_id, node_id) for node_id in report.kept]
    dropped = {names.get(i, i): (why, cost) for i, why, cost in report.dropped}
    numbers = (report.before_tokens, report.after_tokens, report.truncated, report.over_limit, report.marker)
    partial = report.partial
    cut = partial and (names.get(partial.node_id or "", partial.node_id) or "", partial.kept_chars)
    warned = [(one.code, one.node_id) for one in report.warnings]
    return numbers, [node_id for node_id in kept if node_id], dropped, cut, warned


def names_of(tree: Tree, before: set[str], way: tuple[str, ...]) -> dict[str, str]:
    """The node of before in whose place each new one stands."""

    def original(node: Node) -> str:
        while node.id not in before and node.edited_from is not None:
            node = tree.nodes[node.edited_from]
        return node.id if node.id in before else ""

    return {node_id: original(tree.nodes[node_id]) for node_id in way if node_id not in before}


@pytest.mark.parametrize("api", one_in(2, AGENTS))
def test_what_is_seen_ahead_is_what_is_planned_then(grove: Grove, api: str) -> None:
    compared = written = refused = 0
    for seed, one in writings(grove, api, 50):
        document, preview = one.document, one.preview
        before = snapshot(document.tree)
        preview.refresh_now()
        seen, error, refusal = preview.last, preview.error, preview.refusal
        assert snapshot(document.tree) == before, seed
        nodes, had_words = set(document.tree.nodes), one.desk.has_words
        if seen is not None:
            assert set(seen.fates) <= nodes, seed
            assert set(seen.report.kept) <= nodes, seed

        then = planned_then(one)
        if isinstance(then, LoomError):
            assert (seen, str(refusal or error)) == (None, str(then)), seed
            assert (refusal or error or then).code == then.code, seed
            refused += 1
            continue
        assert seen is not None, (seed, error)
        assert digest_of(seen) == digest_of(then), seed
        names = names_of(document.tree, nodes, then.placed.path.node_ids)
        met = {*then.report.kept, *(dropped.node_id for dropped in then.report.dropped)}
        if met.isdisjoint(names.values()):  # else two texts go by one name: it is attached as it was, too
            assert told(seen, {}) == told(then, names), seed
        compared += 1
        written += had_words or bool(names)
    assert min(compared - 20, written - 10, refused) >= 0


@pytest.mark.parametrize("api", one_in(2, AGENTS))
def test_what_is_seen_ahead_is_what_a_server_receives(
    grove: Grove, servers: dict[str, FakeServer], api: str, qtbot: QtBot
) -> None:
    engine, received = Engine(), servers[api].received
    for seed, one in writings(grove, api, 12):
        one.preview.refresh_now()
        seen, question = one.preview.last, one.preview.question
        if seen is None or question is None or seen.report.over_limit:
            continue
        key = one.document.tree.loom.id
        shown = wire_body(request_for(seen, question, 1, cache_key=key))
        generator, before = Generator(one.document, engine), len(received)

        generator.start(one.preview.pending.sources(one.make_ready()), 1)

        qtbot.waitUntil(lambda before=before: len(received) > before)  # type: ignore[misc]
        qtbot.waitUntil(lambda generator=generator: not generator.is_streaming())  # type: ignore[misc]
        assert json.loads(received[-1].body) == shown, seed
        generator.close()
    engine.close()
    assert received


def test_each_key_in_a_passage_is_seen(grove: Grove) -> None:
    put_asked_ids(grove, (AGENTS["completions"].id,))
    one = Writing(grove)
    one.document.new_tree("buffer")
    for words in ("Once ", "upon ", "a time."):
        one.document.commit(
            node_edits.add_node(one.document.tree, one.document.path_ids[-1], words, one.document.pen())
        )
    one.view, whole = one.text, "Once upon a time."

    for number, letter in enumerate("sea "):
        one.type(letter, len("Once ") + number)
        one.caret = len(one.view)
        one.document.place.set_current(one.document.path_ids[-1])
        whole = f"Once {'sea '[: number + 1]}upon a time."
        one.preview.refresh_now()
        assert one.preview.last is not None
        assert one.preview.last.document == whole
        one.caret = len(whole) - 2
        one.preview.refresh_now()
        assert one.preview.last.document == whole[:-2]
    assert len(one.document.tree.nodes) == 4, "nothing is committed to see it"


def test_a_card_beside_the_text_is_seen_after_the_versions_that_are_read(grove: Grove) -> None:
    put_asked_ids(grove, (AGENTS["completions"].id,))
    one = Writing(grove)
    document = one.document
    document.new_tree("buffer")
    ids: list[str] = []
    for words, above in (("Root. ", -1), ("Twig. ", 0), ("Two. ", 0), ("Three. ", 2)):
        parent_id = ids[above] if ids else document.tree.root_id
        document.commit(node_edits.add_node(document.tree, parent_id, words, document.pen()))
        ids.append(document.path_ids[-1])
    root, twig, *_ = ids
    one.view = one.text
    one.type("-one-", 3)
    one.desk.commit()
    one.passages.show_version(document.path_ids.index(ids[2]) - 1, root)
    document.place.set_current(twig)

    for words in ("", "More. "):
        one.view = one.text
        one.type(words, len(one.view))
        document.place.set_current(twig)
        one.preview.refresh_now()
        seen = one.preview.last
        assert seen is not None
        assert seen.document == "Root. Twig. "

    then = planned_then(one)
    assert isinstance(then, Assembled)
    assert then.document == "Root. Twig. "


def test_what_is_only_seen_ahead_gets_no_hash(grove: Grove) -> None:
    put_asked_ids(grove, (AGENTS["completions"].id,))
    one = Writing(grove)
    one.document.new_tree("buffer")
    one.document.commit(
        node_edits.add_node(one.document.tree, one.document.path_ids[-1], "Once.", one.document.pen())
    )
    one.view = one.text
    one.type("sea ", 2)
    one.caret = 4

    seen = one.ahead()

    assert [node.text for node in seen.added] == ["Onsea ce.", "Onse", "a ce."]
    assert {node.content_hash for node in seen.added} == {""}
    one.desk.commit()
    assert all(node.content_hash for node in one.document.tree.nodes.values())
