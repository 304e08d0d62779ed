"""`loomapp summarise`: what a server is asked, what is saved and printed, and what saves nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loomapp.cli.commands import summarise
from loomapp.core.economy.coverage import valid_on
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_edits import add_node
from loomapp.core.edits.node_marks import exclude
from loomapp.core.edits.tree_edits import change_loom
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.economy_settings import DEFAULTS, EconomySettings
from loomapp.core.model.entities import ContextSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.summarisers.changes import make, summary_row
from loomapp.core.summarisers.plan import plan_at
from loomapp.core.summarisers.prompts import summary_task
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.run.summary import SummaryAnswer
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.usage import spent_in
from tests.kit.families import one_in
from tests.kit.groves import planted
from tests.kit.processes.command import Ran, loomapp
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import DONE, FakeServer, answers, chunk, fails, says, usage
from tests.kit.trees import Hand

KEY = "sk-planted-key-1234567890"


class Talk:
    """A grove with a dialogue of an empty root and eight messages."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "g.loom"
        with create_grove(self.path) as grove:
            tree, self.ids = planted(grove, Hand(), length=8)
            self.tree_id = tree.loom.id

    def summarise(self, at: str, server: FakeServer | None, *more: str, api: str = "chat") -> Ran:
        url = "http://127.0.0.1:9" if server is None else server.url
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PLANTED_KEY", KEY)
            return loomapp(
                *("summarise", "--grove", self.path, "--tree", self.tree_id, "--at", at, "--json"),
                *("--model", "fake:fake-1", "--endpoint", url, "--api", api, "--api-key-env", "PLANTED_KEY"),
                *more,
            )

    def rows(self) -> list[ContextSummary]:
        with open_grove(self.path) as grove:
            return list(grove.load_tree(self.tree_id).context_summaries.values())

    def is_sound(self) -> bool:
        with open_grove(self.path) as grove:
            return not verify_grove(grove).failed

    def counted(self) -> list[int | None]:
        """The input tokens of every call that was paid."""
        with open_grove(self.path) as grove:
            return [one.counted.get("inputTokens") for one in spent_in(grove)]


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(tmp_path)


def code_of(ran: Ran) -> tuple[int, str]:
    return ran.status, json.loads(ran.complaint)["error"]["code"]


@pytest.mark.parametrize("api", one_in(4, DIALECTS))
def test_a_summary_is_asked_for_saved_with_its_response_and_printed(api: str, talk: Talk) -> None:
    said = f"<analysis>What counts?</analysis>\n\nEight messages, and {KEY}."

    with FakeServer(DIALECTS[api].answer(said)) as server:
        ran = talk.summarise(talk.ids[3], server, api=api)

    assert (ran.status, ran.err) == (0, "")
    [row] = talk.rows()
    assert ran.json == {"anchorNodeId": row.anchor_node_id, "coveredHash": row.covered_hash, **row.body}
    printed: dict[str, Any] = ran.json
    assert (printed["messagesSummarized"], printed["origin"], printed["model"]) == (
        4,
        "manual",
        "fake:fake-1",
    )
    assert printed["text"].startswith("Eight messages, and ")
    assert KEY not in ran.out
    assert KEY.encode() not in talk.path.read_bytes()
    asked = server.received[0].body.decode()
    assert "USER: message 0\\n\\nUSER: message 1" in asked
    assert "message 4" not in asked
    assert (talk.is_sound(), talk.counted()) == (True, [7])
    with open_grove(talk.path) as grove:
        [evidence] = grove.all_evidence(talk.tree_id)
        tree = grove.load_tree(talk.tree_id)
    assert evidence.id == row.response_id
    assert [one.row for one in valid_on(tree, resolve(tree, talk.ids[-1]))] == [row]
    shown = loomapp("context", "--grove", talk.path, "--tree", talk.tree_id).out
    assert "[Previous conversation summary]" in shown
    assert "message 3" not in shown


def test_nothing_new_is_refused_and_made_again_only_if_that_is_asked(talk: Talk) -> None:
    with FakeServer(answers("First."), answers("Second.")) as server:
        assert talk.summarise(talk.ids[3], server).status == 0
        ran = talk.summarise(talk.ids[3], server)
        assert (code_of(ran), json.loads(ran.err)["error"]["message"]) == (
            (1, "NOT_ENOUGH_MESSAGES"),
            "Not enough messages to compact",
        )
        assert [row.body["text"] for row in talk.rows()] == ["First."]
        again = talk.summarise(talk.ids[3], server, "--again")

    assert again.status == 0
    assert [row.body["text"] for row in talk.rows()] == ["Second."]
    assert "First." not in server.received[1].body.decode()
    assert (talk.is_sound(), len(server.received)) == (True, 2)


def test_one_that_others_saved_just_now_is_replaced(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_grove(talk.path) as grove, open_grove(talk.path) as other:
        tree, agent = grove.load_tree(talk.tree_id), Agent("a", "A", "model")
        plan = plan_at(tree, talk.ids[4], 4)
        theirs = other.load_tree(talk.tree_id)
        row = summary_row(plan, "Theirs.", origin="manual", model=None, at=now())
        change = make(theirs, row, EditContext(other.owner.id, now(), new_id))
        late, catch_up = [change], Grove.catch_up

        def and_then_they_save(own: Grove, subject: Tree) -> list[Change]:
            found = catch_up(own, subject)
            while late:
                other.commit(theirs, late.pop())
            return found

        monkeypatch.setattr(Grove, "catch_up", and_then_they_save)
        task = summary_task(plan, agent, ModelRules(), DEFAULTS, "")
        summarise._saved(summarise._Subject(grove, tree, plan, task), SummaryAnswer("Ours."))

    assert [row.body["text"] for row in talk.rows()] == ["Ours."]


def test_the_next_goes_on_from_the_last_that_holds(talk: Talk) -> None:
    with FakeServer(answers("First."), answers("Second.")) as server:
        talk.summarise(talk.ids[1], server)
        ran = talk.summarise(talk.ids[3], server)

    assert ran.json["basedOn"]["anchorNodeId"] == talk.ids[1]
    assert ran.json["coveredIds"] == talk.ids[2:4]
    asked = server.received[1].body.decode()
    assert "[Previous conversation summary]\\nFirst.\\n\\nUSER: message 2" in asked
    assert "message 1" not in asked


def test_of_several_portions_the_last_answer_is_kept_and_every_call_is_counted(talk: Talk) -> None:
    with open_grove(talk.path) as grove:
        tree = grove.load_tree(talk.tree_id)
        for number in range(3):
            pen = Hand(2_000_000_000_000 + number).pen(grove.owner.id)
            change = add_node(tree, tree.path.leaf_id, f"{number} " * 25_000, pen)
            grove.commit(tree, change)
        at = tree.path.leaf_id

    with FakeServer(answers("First."), answers("All.")) as server:
        ran = talk.summarise(at, server)

    assert (ran.status, len(server.received)) == (0, 2)
    assert "[Previous conversation summary]\\nFirst." in server.received[1].body.decode()
    assert [row.body["text"] for row in talk.rows()] == ["All."]
    assert talk.counted() == [7, 7]
    assert talk.is_sound()


def test_a_blank_answer_saves_nothing_and_is_counted(talk: Talk) -> None:
    with FakeServer(answers("<analysis>Hm.</analysis>\n \n")) as server:
        ran = talk.summarise(talk.ids[3], server)

    assert code_of(ran) == (1, "blankSummary")
    assert (talk.rows(), talk.counted(), talk.is_sound()) == ([], [7], True)


def test_one_that_is_cut_at_its_limit_is_saved_and_said_to_have_no_end(talk: Talk) -> None:
    with FakeServer(says(chunk("All so"), chunk(reason="length"), usage(7, 3), DONE)) as server:
        ran = talk.summarise(talk.ids[3], server)

    assert (ran.status, talk.is_sound()) == (0, True)
    assert "cut at its model's limit" in ran.err


def test_a_refusal_saves_nothing_and_says_what_the_server_said(talk: Talk) -> None:
    with FakeServer(fails(401)) as server:
        ran = talk.summarise(talk.ids[3], server)

    assert code_of(ran) == (1, "authenticationFailed")
    assert (talk.rows(), ran.out) == ([], "")


def test_too_few_messages_are_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    with open_grove(talk.path) as grove:
        tree = grove.load_tree(talk.tree_id)
        change = exclude(tree, talk.ids[:4], Hand(2_000_000_000_000).pen())
        assert change is not None
        grove.commit(tree, change)

    ran = talk.summarise(talk.ids[5], None)

    assert code_of(ran) == (1, "NOT_ENOUGH_MESSAGES")


@pytest.mark.parametrize(
    ("more", "code"), [(("--at", "nowhere"), "notFound"), (("--agent", "x"), "notFound")]
)
def test_names_of_nothing_are_bad_input(more: tuple[str, ...], code: str, talk: Talk) -> None:
    assert code_of(talk.summarise(talk.ids[3], None, *more)) == (2, code)


def test_the_model_inside_writes_a_summary(talk: Talk) -> None:
    assert loomapp("model", "fetch").status == 0
    with open_grove(talk.path) as grove:  # a short one: it writes until it is stopped
        tree, pen = grove.load_tree(talk.tree_id), Hand(2_000_000_000_000).pen()
        own = replace(tree.loom.context_settings, economy=EconomySettings(response_reserve=24))
        change = change_loom(tree, "Tree settings", pen, replace(tree.loom, context_settings=own))
        assert change is not None
        grove.commit(tree, change)

    ran = loomapp(
        *("summarise", "--grove", talk.path, "--tree", talk.tree_id, "--at", talk.ids[3]),
        *("--model", "local:SmolLM2-135M-Instruct.Q4_1"),
    )

    cut = "loomapp: the summary was cut at its model's limit: its end is missing; --again makes another\n"
    assert ran.status == 0
    assert ran.err in ("", cut), "it may end before its limit, or not"
    assert ran.json["text"]
    assert [row.body["text"] for row in talk.rows()] == [ran.json["text"]]
    assert talk.is_sound()
