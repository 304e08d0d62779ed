"""Summaries of an open grove: saved where they are anchored, stopped, failed path by path, and never half."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.economy.coverage import valid_on
from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import LoomError
from loomapp.core.model.economy_settings import DEFAULTS
from loomapp.core.paths.resolve import resolve
from loomapp.core.summarisers import changes
from loomapp.core.summarisers.changes import SummaryOrigin
from loomapp.core.summarisers.plan import plan_for
from loomapp.providers import registry
from loomapp.providers.engine.engine import Engine
from loomapp.session.document import Document
from loomapp.session.requests.generator import Generator
from loomapp.session.requests.summariser import RunningSummary
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.store.queries.usage import spent_in
from tests.kit.servers.fake_server import Conversation, FakeServer, Script, answers, fails
from tests.session.programs import SCRIPTED, ask_server


class Study:
    """A dialogue of eight messages, and the summaries that are asked for of it."""

    def __init__(self, grove: Grove, server: FakeServer, qtbot: QtBot) -> None:
        self.document, self.server, self._qtbot = Document(grove), server, qtbot
        self.generator = Generator(self.document, Engine())
        self.summaries = self.generator.summaries
        self.ended: list[LoomError | None] = []
        document = self.document
        for number in range(8):
            text = f"message {number}"
            document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))

    def start(self, origin: SummaryOrigin = "background") -> RunningSummary:
        plan = plan_for(self.document.tree, self.document.path, 4)
        return self.summaries.start(plan, SCRIPTED, DEFAULTS, origin, self.ended.append)

    def summarise(self, origin: SummaryOrigin = "background") -> LoomError | None:
        self.start(origin)
        self.wait()
        return self.ended[-1]

    def wait(self, count: int = 1) -> None:
        self._qtbot.waitUntil(lambda: len(self.ended) >= count)

    @property
    def texts(self) -> list[str]:
        """The texts of the summaries in the file that hold for the path."""
        tree = self.document.grove.load_tree(self.document.tree.loom.id)
        return [one.text for one in valid_on(tree, resolve(tree, tree.path.leaf_id))]


@pytest.fixture
def scripts() -> list[Script]:
    """What the server says, one after the other."""
    return [answers("All so far.")]


@pytest.fixture
def study(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, scripts: list[Script]
) -> Iterator[Study]:
    monkeypatch.setattr(registry, "PROVIDERS", dict(registry.PROVIDERS))
    with FakeServer(*scripts) as server, create_grove(tmp_path / "g.loom") as grove:
        ask_server(grove, server.url)
        study = Study(grove, server, qtbot)
        yield study
        study.generator.close()


def test_one_that_was_made_unasked_is_no_step_of_undo_and_is_by_its_agent(study: Study) -> None:
    before = study.document.history.undo_label

    assert study.summarise() is None

    assert study.texts == ["All so far."]
    [row] = study.document.tree.context_summaries.values()
    assert (row.body["origin"], row.body["model"]) == ("background", SCRIPTED.model_ref)
    assert study.document.history.undo_label == before
    verified = verify_grove(study.document.grove)
    assert not any(tree.faults for tree in verified.trees)


def test_one_that_was_asked_for_is_undone_like_any_step(study: Study) -> None:
    assert study.summarise("manual") is None
    assert study.document.history.undo_label == "Summarise"

    study.document.history.undo(lambda _: None)

    assert study.document.tree.context_summaries == {}


def test_over_a_restart_one_is_undone_redone_edited_and_put_back(study: Study) -> None:
    assert study.summarise("manual") is None
    document = study.document
    [row] = document.tree.context_summaries.values()
    document.commit(changes.edit(document.tree, row.key, "Edited.", document.pen()))
    said = list[list[object]]()

    for steps in ((), ("undo",), ("undo",), ("redo", "redo")):
        opened = Document(document.grove)  # as the next start finds it
        for step in steps:
            if step == "undo":
                opened.history.undo(lambda _: None)
            else:
                opened.history.redo()
        said.append([one.body["text"] for one in opened.tree.context_summaries.values()])
        opened.deleteLater()

    assert said == [["Edited."], ["All so far."], [], ["Edited."]]
    assert not verify_grove(document.grove).failed


def test_it_goes_to_its_anchor_though_another_tree_is_read_by_then(study: Study) -> None:
    tree = study.document.tree
    study.start()

    study.document.new_tree("dialogue")
    study.wait()

    assert study.ended == [None]
    assert study.document.tree.context_summaries == {}
    kept = study.document.grove.load_tree(tree.loom.id)
    assert [one.text for one in valid_on(kept, resolve(kept, kept.path.leaf_id))] == ["All so far."]


@pytest.mark.parametrize("is_read", [True, False])
def test_one_that_another_program_made_just_now_is_replaced(study: Study, is_read: bool) -> None:
    document = study.document
    tree_id, path = document.tree.loom.id, document.grove.path
    study.start()
    if not is_read:
        document.new_tree("dialogue")
    with open_grove(path) as other:
        tree = other.load_tree(tree_id)
        plan = plan_for(tree, resolve(tree, tree.path.leaf_id), 4)
        row = changes.summary_row(plan, "Theirs.", origin="manual", model=None, at=now())
        other.commit(tree, changes.make(tree, row, EditContext(other.owner.id, now(), new_id)))

    study.wait()

    assert study.ended == [None]
    kept = document.grove.load_tree(tree_id)
    assert [one.text for one in valid_on(kept, resolve(kept, kept.path.leaf_id))] == ["All so far."]


def silent(conversation: Conversation) -> None:
    conversation.wait_until_left()


@pytest.mark.parametrize("scripts", [[silent]])
def test_stop_saves_nothing_and_counts_as_no_failure(study: Study) -> None:
    running = study.start()
    assert study.summaries.under_way(running.tree_id, study.document.path) is running
    assert study.start() is running  # nobody is asked twice for the same

    study.summaries.stop(running)
    study.wait(2)

    assert [error.code if error else "" for error in study.ended] == ["cancelled", "cancelled"]
    assert (study.texts, study.summaries.failures(running.tree_id, study.document.path)) == ([], ())
    assert study.summaries.under_way(running.tree_id, study.document.path) is None


@pytest.mark.parametrize("scripts", [[silent, answers("Without it.")]])
def test_one_of_other_messages_is_not_waited_for(study: Study, qtbot: QtBot) -> None:
    document = study.document
    running = study.start()
    qtbot.waitUntil(lambda: bool(study.server.received))
    exclusion = node_marks.exclude(document.tree, [document.path_ids[1]], document.pen())
    assert exclusion is not None
    document.commit(exclusion)

    assert study.summarise("blocking") is None

    assert study.texts == ["Without it."]
    study.summaries.stop(running)
    study.wait(2)


@pytest.mark.parametrize("scripts", [[answers(" "), fails(401), answers("At last.")]])
def test_failures_are_of_their_path_and_a_summary_ends_their_row(study: Study) -> None:
    document, summaries = study.document, study.summaries
    tree_id, path = document.tree.loom.id, document.path
    assert study.summarise() is not None
    study.start()
    study.wait(2)

    assert [one.error.code for one in summaries.failures(tree_id, path)] == [
        "blankSummary",
        "authenticationFailed",
    ]
    assert summaries.failures(tree_id, resolve(document.tree, path.node_ids[2])) == ()
    assert any(one.counted == {"inputTokens": 7, "outputTokens": 3} for one in spent_in(document.grove))
    assert study.texts == []
    study.start()
    study.wait(3)
    assert (study.texts, summaries.failures(tree_id, path)) == (["At last."], ())


@pytest.mark.parametrize("scripts", [[fails(401)]])
def test_failures_are_forgiven_for_whoever_tries_again(study: Study) -> None:
    assert study.summarise() is not None

    study.summaries.forgive(study.document.tree.loom.id, study.document.path)

    assert study.summaries.failures(study.document.tree.loom.id, study.document.path) == ()


@pytest.mark.parametrize("scripts", [[silent]])
def test_closing_leaves_no_thread_behind_and_nothing_saved(study: Study) -> None:
    study.start()

    study.generator.close()

    assert all(thread.name != "errand" for thread in threading.enumerate())
    assert study.texts == []
