"""Random commands of an agent beside a person who writes, prunes and undoes, against a plain model."""

from __future__ import annotations

import copy
import random
import time
from functools import partial
from pathlib import Path

import pytest

from loomapp.core.context.assembly import assemble
from loomapp.core.context.request import ContextRequest
from loomapp.core.edits import node_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.tree_edits import new_tree
from loomapp.core.errors import AssemblyError
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.paths.navigation import lives
from loomapp.runs.asked_model import AskedModel, Asking, Steps
from loomapp.runs.batch import RunState
from loomapp.runs.events import CommandBegan, CommandEnded, RunOutcome
from loomapp.runs.place import RunPlace
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from tests.kit.chance import seed
from tests.kit.groves import agree
from tests.runs.plain import AGENT, VERBS, Plain

CLAUDE = Agent(AGENT, "Claude", "model", "fake:wise", loom_aware=True)
FEW, MANY = 25, 300  # actions


class Life:
    """A tree that a person and an agent move by turns."""

    def __init__(self, grove: Grove, dice: random.Random) -> None:
        self.grove, self.dice = grove, dice
        self.tree = new_tree("dialogue", "Talk", self.pen(), text="Begin.")
        grove.add_tree(self.tree)
        grove.put_agent(CLAUDE)
        self.plain = Plain({self.tree.root_id: "Begin."})
        self.before: list[tuple[str, Plain]] = []  # of each step its action, and what was before it
        self.place = RunPlace(
            self.tree, {CLAUDE.id: CLAUDE}, self.commit_of_agent, self.catch_up, self.model_of, now, new_id
        )

    def pen(self) -> EditContext:
        return EditContext(self.grove.owner.id, now(), new_id)

    def model_of(self, agent: Agent) -> AskedModel:
        raise AssertionError(f"{agent.name} is not asked here")

    def run_within(self, agent: Agent, at: str) -> Steps[RunOutcome]:
        raise AssertionError(f"{agent.name} is not asked at {at}")

    def catch_up(self) -> None:
        self.grove.catch_up(self.tree)

    def commit_of_agent(self, agent: Agent, change: Change) -> None:
        assert change.by == agent.name
        self.commit(change)

    def commit(self, change: Change | None) -> None:
        if change is not None:
            self.before.append((change.action or new_id(), copy.deepcopy(self.plain)))
            self.grove.commit(self.tree, change)

    def any_node(self) -> str:
        return self.dice.choice([i for i in self.tree.nodes if lives(self.tree, i)])

    def person(self) -> None:
        """One thing that a person does."""
        what, at = self.dice.choice(("write", "note", "undo")), self.any_node()
        if what == "undo":
            self.undo()
            return
        text = self.words()
        make = node_edits.add_node if what == "write" else node_edits.annotate
        change = make(self.tree, at, text, self.pen())
        self.commit(change)
        self.plain.add(change.added_nodes()[0].id, text, at)

    def words(self) -> str:
        return f"word {self.dice.randrange(10**9)}"

    def undo(self) -> None:
        """The newest action goes, all of it that is together."""
        if not self.before:
            return
        self.grove.undo(self.tree)
        action = self.before[-1][0]
        while self.before and self.before[-1][0] == action:
            _, self.plain = self.before.pop()

    def agent(self) -> None:
        """One batch of commands of the agent, which is an action."""
        start = self.any_node()
        asking = Asking(lambda _: None, new_id, time.monotonic() + 3600)
        walk = RunState(self.place, CLAUDE, start, new_id(), start, self.run_within)
        for _ in range(self.dice.randrange(1, 4)):
            verb, at, other = self.dice.choice(VERBS), self.any_node(), self.any_node()
            text = self.words()
            ended: list[CommandEnded] = []
            line = f"→ {verb.format(at=at, other=other, text=text)}"
            results = asking.result(walk.carry_out([line], None, asking, 1, partial(_heard, ended)))
            assert results.startswith(line)
            if ended[0].code is None:
                self.plain.carry_out(verb.split()[0], at, other, text, ended[0].node_ids)
            else:
                assert "✗" in results

    def check(self) -> None:
        """File, memory and plain model agree, and a subject is sent the words of nodes alone."""
        self.plain.check(self.tree)
        try:
            sent = assemble(self.tree, ContextRequest(self.any_node()))
        except AssemblyError:
            return
        said = {line for message in sent.messages for line in message.text.split("\n\n")}
        assert said <= set(self.plain.texts.values())


def _heard(ended: list[CommandEnded], event: CommandBegan | CommandEnded) -> None:
    if isinstance(event, CommandEnded):
        ended.append(event)


@pytest.mark.parametrize(
    "number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(1, 20))]
)
def test_file_memory_and_a_plain_model_agree(number: int, tmp_path: Path) -> None:
    dice = random.Random(seed(number))
    with create_grove(tmp_path / "g.loom") as grove:
        life = Life(grove, dice)
        for _ in range(FEW if number == 0 else MANY):
            dice.choice((life.person, life.agent))()
            life.check()
        assert agree(grove, life.tree)
        while life.before:
            life.undo()
            life.check()
        assert list(life.plain.texts.values()) == ["Begin."]
