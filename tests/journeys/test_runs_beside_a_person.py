"""Random runs of an agent in the real window, beside a person who writes, notes and undoes: views too."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.model.entities import TRACE
from loomapp.core.paths.navigation import lives
from loomapp.formats import loom_json
from loomapp.store.grove.open import create_grove, read_grove
from loomapp.ui.window.main_window import MainWindow
from tests.journeys import looks
from tests.kit.chance import seed
from tests.kit.collaborators import answer, conversation
from tests.kit.groves import agree
from tests.kit.servers.fake_server import Conversation, FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import unseen_window
from tests.runs.plain import AGENT, VERBS, Plain

FEW, MANY = 12, 300  # actions
PATIENCE_MS = 60_000


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(answer("")) as server:
        add_endpoint("fake", server.url, "chat")
        yield server


class Day:
    """A window in which an agent and a person act by turns, and what must be in its tree."""

    def __init__(self, window: MainWindow, server: FakeServer, dice: random.Random, qtbot: QtBot) -> None:
        self.window, self.dice, self.qtbot = window, dice, qtbot
        self.document = window.document
        self._said: list[str] = []  # what the agent is still to say
        server.scripts = [self._answer]
        self.document.agents.ask_only(AGENT)
        window.composer.set_count(1)
        texts = {node.id: node.text for node in self.document.tree.nodes.values()}
        self.plain = Plain(texts, {"a7x2kq": "q1aaaa", "b3k9mm": "a7x2kq"})
        self.before: list[Plain] = []

    def _answer(self, conversation: Conversation) -> None:
        answer(self._said.pop(0))(conversation)

    def any_node(self, *, note: bool = True) -> str:
        tree = self.document.tree
        return self.dice.choice(
            [i for i in tree.nodes if lives(tree, i) and (note or not tree.note_ids & {i})]
        )

    def person(self) -> None:
        """One thing that a person does."""
        document, what = self.document, self.dice.choice(("write", "note", "undo"))
        if what == "undo":
            self.undo()
            return
        at, text = self.any_node(note=False), f"word {self.dice.randrange(10**9)}"
        make = node_edits.add_node if what == "write" else node_edits.annotate
        self.before.append(copy.deepcopy(self.plain))
        change = make(document.tree, at, text, document.pen())
        document.commit(change)
        self.plain.add(change.added_nodes()[0].id, text, at)

    def undo(self) -> None:
        if self.before:
            self.window.actions_set.by_name["undo"].trigger()
            self.plain = self.before.pop()

    def agent(self) -> None:
        """One run of the agent, which is one step of undo."""
        document, start = self.document, self.any_node(note=False)
        self.window.graph.node_activated.emit(start)
        self.window.graph.node_clicked.emit(start)
        wanted = [
            (self.dice.choice(VERBS), self.any_node(), self.any_node(), f"word {self.dice.randrange(10**9)}")
            for _ in range(self.dice.randrange(1, 4))
        ]
        lines = [f"→ {verb.format(at=at, other=other, text=text)}" for verb, at, other, text in wanted]
        last = f"Done {self.dice.randrange(10**9)}."
        self._said = ["\n".join(lines), last]
        known = set(document.tree.nodes)
        self.before.append(copy.deepcopy(self.plain))
        self.window.composer.set_text("")  # words of a message that was undone are there again
        self.window.actions_set.by_name["generate"].trigger()
        self.qtbot.waitUntil(
            lambda: not self._said and not self.window.generator.is_streaming(), timeout=PATIENCE_MS
        )
        [said] = [i for i in document.tree.nodes.keys() - known if document.tree.nodes[i].text == last]
        done = document.tree.nodes[said].extra[TRACE]
        assert isinstance(done, list)
        assert [one["line"] for one in done] == lines
        for one, (verb, at, other, text) in zip(done, wanted, strict=True):
            if one["ok"]:
                self.plain.carry_out(verb.split()[0], at, other, text, tuple(one["nodeIds"]))
        self.plain.add(said, last, start)

    def check(self) -> None:
        """File, memory, views and plain model agree."""
        window, tree, qtbot = self.window, self.document.tree, self.qtbot
        self.plain.check(tree)
        assert window.text_pane.errors.text == ""
        qtbot.waitUntil(lambda: looks.is_settled(window))
        assert set(window.graph.node_ids()) == {i for i in self.plain.texts if lives(tree, i)}
        assert list(window.dialogue.shown_keys()) == list(self.document.path_ids)
        for node_id, words in looks.messages(window):
            assert words == looks.bare(self.plain.texts[node_id])
        with read_grove(self.document.grove.path) as file:
            assert agree(file, tree)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(1, 21))]
)
def test_file_memory_views_and_a_plain_model_agree(
    number: int, tmp_path: Path, server: FakeServer, qtbot: QtBot
) -> None:
    imported = loom_json.read(json.dumps(conversation()).encode())
    with create_grove(tmp_path / "g.loom") as grove:
        grove.add_tree(imported.tree, imported.agents, [])
    with unseen_window(tmp_path / "g.loom") as window:
        day = Day(window, server, random.Random(seed(number)), qtbot)
        for _ in range(FEW if number == 0 else MANY):
            day.dice.choice((day.person, day.agent))()
            day.check()
        while day.before:
            day.undo()
            day.check()
