"""Answers that end while something is wrong: a mistake of ours, or a file that cannot be read right after."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.drafts import LiveDraft, Wait
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.raw_response import RECORD
from loomapp.core.model.statistics import Bookmarks
from loomapp.providers import registry
from loomapp.providers.engine.engine import Engine
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.requests import ended_answers, open_answers
from loomapp.session.requests.ended_answers import land
from loomapp.session.requests.generator import Generator
from loomapp.session.requests.running_request import RunningRequest
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.files import drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.copies import copy_as_killed
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, answers, chunk, event, fails, says
from tests.session.programs import ask_server

ANSWER = "The sea is wide."
COUNTED = event({"model": "fake-1", "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})


class Study:
    """A question in a dialogue, and what becomes of its answer."""

    def __init__(self, grove: Grove, server: FakeServer, qtbot: QtBot) -> None:
        self.document, self.server, self._qtbot = Document(grove), server, qtbot
        self.journal = Journal(self.document)
        self.generator = Generator(self.document, Engine())
        self.journal.follow(self.generator)
        self.told: list[LoomError] = []
        self.generator.answers.failed.connect(self.told.append)
        document = self.document
        document.commit(node_edits.add_node(document.tree, document.current_id, "Go on.", document.pen()))
        self.question = document.current_id

    def ask(self) -> None:
        self.generator.start(Sources(self.question), 1)
        self._qtbot.waitUntil(lambda: not self.generator.is_streaming())
        self._qtbot.waitUntil(lambda: self.journal.is_settled)

    @property
    def cards(self) -> list[str]:
        """The texts on cards."""
        return [live.draft.text for live in self.generator.drafts(self.document.tree.loom.id)]

    @property
    def answers(self) -> list[str]:
        """The texts of nodes, as the file has them."""
        tree = self.document.grove.load_tree(self.document.tree.loom.id)
        return [tree.nodes[node_id].text for node_id in tree.children(self.question)]

    def retry(self) -> None:
        (card,) = self.generator.drafts(self.document.tree.loom.id)
        self.generator.retry(card.key)
        self._qtbot.waitUntil(lambda: self.journal.is_settled)


def test_an_answer_without_a_word_has_its_card_beside_one_that_failed(study: Study, qtbot: QtBot) -> None:
    study.server.scripts = [says(chunk(reason="stop"), DONE), fails(401), answers(ANSWER)]

    study.generator.start(Sources(study.question), 3)
    qtbot.waitUntil(lambda: not study.generator.is_streaming() and study.journal.is_settled)

    cards = study.generator.cards(study.document.tree.loom.id)
    assert study.answers == [ANSWER]
    assert sorted("without a word" in str(card.draft.error) for card in cards) == [False, True]
    assert len(study.told) == 1, "the strip has what failed"


def ask_two(study: Study) -> None:
    """Ask one model after the other, together."""
    agents = [Agent(name, name, "model", f"scripted:{name}") for name in ("first", "second")]
    for agent in agents:
        study.document.agents.put(agent)
    study.generator.start(Sources(study.question), 1, agents=agents)


@pytest.mark.parametrize("writes", [False, True], ids=["the first is silent", "the first is written"])
def test_answers_stand_as_they_were_asked_for_whichever_ends_first_or_is_read_meanwhile(
    study: Study, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, writes: bool
) -> None:
    monkeypatch.setattr(open_answers, "ABREAST_S", 0.0 if writes else 60.0)
    goes_on, may_end = threading.Event(), threading.Event()

    def script(conversation: Conversation) -> None:
        is_first = json.loads(conversation.request.body or b"")["model"] == "first"
        conversation.head()
        if is_first and writes:
            conversation.send(chunk("Fi"))
        (goes_on if is_first else may_end).wait(30)
        rest = ("rst." if writes else "First.") if is_first else "Second."
        for part in (chunk(rest), chunk(reason="stop"), DONE):
            conversation.send(part)

    study.server.scripts = [script]

    def ask() -> str:
        """Ask both; the key of the second's draft once it is whole and waits."""
        may_end.clear()
        ask_two(study)
        qtbot.waitUntil(lambda: "Fi" in study.cards or not writes)
        may_end.set()
        second = study.generator.asked_last()[1]
        qtbot.waitUntil(lambda: any(live.draft.ended for live in drafts_of(study) if live.draft.text))
        assert "Second." in study.cards
        return f"{second}:0"

    ask()
    goes_on.set()
    qtbot.waitUntil(lambda: not study.generator.is_streaming())
    assert study.answers == ["First.", "Second."]

    goes_on.clear()
    key = ask()
    study.generator.answers.read_draft(key)
    qtbot.waitUntil(lambda: "Second." not in study.cards)
    goes_on.set()
    qtbot.waitUntil(lambda: not study.generator.is_streaming())
    asked = ["First.", "Second.", "First.", "Second."]
    assert study.answers == asked
    document, tree_id = study.document, study.document.tree.loom.id
    assert [document.tree.nodes[i].text for i in document.tree.children(study.question)] == asked
    assert {finding.verdict for finding in verify_tree(document.grove, tree_id)} == {"ok"}
    document.history.undo(study.generator.answers.guard_undo)
    assert study.answers == asked[:2]
    document.history.redo()
    assert study.answers == asked
    assert {finding.verdict for finding in verify_tree(document.grove, tree_id)} == {"ok"}


def test_what_is_asked_instead_of_a_silent_answer_stands_in_its_place(study: Study, qtbot: QtBot) -> None:
    goes_on = threading.Event()

    def script(conversation: Conversation) -> None:
        conversation.head()
        goes_on.wait(30)
        for part in (chunk("Well."), chunk(reason="stop"), DONE):
            conversation.send(part)

    study.server.scripts = [script]
    study.generator.start(Sources(study.question), 3)
    (flight,) = study.generator.answers.flights()
    asked = [flight.ids[number] for number in range(3)]
    flight.drafts[1] = replace(flight.drafts[1], waits=Wait("Nothing came.", silent_s=90))
    study.generator.retry(f"{flight.key}:1")
    goes_on.set()
    qtbot.waitUntil(lambda: not study.generator.is_streaming())

    assert list(study.document.tree.children(study.question)) == asked


@pytest.mark.parametrize("is_kept", [False, True], ids=["waits", "is kept"])
def test_a_kill_while_an_answer_waits_or_is_kept_costs_nothing_of_it_and_no_order(
    study: Study, path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    monkeypatch.setattr(open_answers, "BEING_WRITTEN_S", 0.0 if is_kept else 60.0)
    ends, goes_on = threading.Event(), threading.Event()

    def script(conversation: Conversation) -> None:
        is_first = json.loads(conversation.request.body or b"")["model"] == "first"
        conversation.head()
        conversation.send(chunk("First") if is_first else chunk("Second.") + chunk(reason="stop"))
        (goes_on if is_first else ends).wait(30)
        conversation.send(chunk(" and") if is_first else COUNTED + DONE)
        conversation.wait_until_left()

    study.server.scripts = [script]
    answers = study.generator.answers
    ask_two(study)
    qtbot.waitUntil(lambda: study.cards == ["First", "Second."])
    qtbot.waitUntil(lambda: study.journal.is_settled)
    record = answers.flights()[1].request.record
    ends.set()
    qtbot.waitUntil(lambda: study.answers == ["Second."] or any(f.ended for f in answers.flights()))
    qtbot.waitUntil(lambda: study.journal.is_settled)
    goes_on.set()
    qtbot.waitUntil(lambda: study.cards == ["First and", "Second."][: 2 - is_kept])
    qtbot.waitUntil(lambda: study.journal.is_settled)
    copy_as_killed(path.parent, path.parent / "killed")

    with open_grove(path.parent / "killed" / path.name) as grove:
        document = Document(grove)
        journal = Journal(document)
        journal.recover_runs()
        tree = document.tree
        first, second = (tree.nodes[node_id] for node_id in tree.children(study.question))
        evidence = grove.evidence(tree.loom.id, second.id)
        assert [first.text, second.text] == ["First and", "Second."]
        assert first.interrupted is not None
        assert second.interrupted is None
        assert tree.path.leaf_id == first.id
        assert evidence is not None
        assert evidence.body.endswith(DONE)
        assert evidence.usage["outputTokens"] == 2
        assert evidence.extra[RECORD] == record
        assert {finding.verdict for finding in verify_tree(grove, tree.loom.id)} == {"ok"}
        journal.close()


def drafts_of(study: Study) -> tuple[LiveDraft, ...]:
    return study.generator.drafts(study.document.tree.loom.id)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


@pytest.fixture
def study(path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    monkeypatch.setattr(registry, "PROVIDERS", dict(registry.PROVIDERS))
    with FakeServer(answers(ANSWER)) as server, create_grove(path) as grove:
        ask_server(grove, server.url)
        study = Study(grove, server, qtbot)
        yield study
        study.generator.close()
        study.journal.close()


def stumble(*_: object, **__: object) -> None:
    """A mistake of ours."""
    raise ZeroDivisionError


def test_a_fault_of_ours_before_an_answer_is_saved_is_told_and_leaves_it_on_its_card_and_in_the_journal(
    study: Study, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, capture_exceptions() as raised:
        patch.setattr(ended_answers, "nodes_from_drafts", stumble)
        study.ask()

    assert [kind for kind, *_ in raised] == [ZeroDivisionError]
    assert (study.cards, study.answers) == ([ANSWER], [])
    assert ["fault in Loomapp" in error.message for error in study.told] == [True]
    assert study.generator.answers.unsaved_text() == ANSWER
    assert [row.slot.kind for row in drafts.read(drafts_folder(path))] == ["run"]
    study.retry()
    assert (study.cards, study.answers) == ([], [ANSWER])
    assert drafts.read(drafts_folder(path)) == []


def test_a_fault_of_ours_after_an_answer_was_saved_is_told_and_offers_it_no_second_time(
    study: Study, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, capture_exceptions() as raised:
        patch.setattr(Bookmarks, "follow", stumble)
        study.ask()

    assert [kind for kind, *_ in raised] == [ZeroDivisionError]
    assert (study.cards, study.answers, study.told) == ([], [ANSWER], [])
    assert drafts.read(drafts_folder(path)) == []


def test_an_answer_that_was_saved_after_all_is_not_saved_twice(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, capture_exceptions():
        patch.setattr(Bookmarks, "follow", stumble)
        patch.setattr(Grove, "has_response", unreadable)
        study.ask()
    assert (study.cards, study.answers) == ([ANSWER], [ANSWER])

    study.retry()

    assert (study.cards, study.answers) == ([], [ANSWER])


def begins(conversation: Conversation) -> None:
    """An answer that does not end by itself."""
    conversation.head()
    conversation.send(chunk(ANSWER))
    conversation.wait_until_left()


def test_one_answer_with_a_fault_keeps_no_other_from_being_saved_at_the_end(
    study: Study, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator, sources = study.generator, Sources(study.question)
    study.server.scripts = [begins, begins]
    met: list[str] = []

    def stumble_once(
        document: Document, flight: RunningRequest, *, follows: bool, mates: Sequence[RunningRequest]
    ) -> Change | None:
        met.append(flight.key)
        if len(met) == 1:
            stumble()
        return land(document, flight, follows=follows, mates=mates)

    generator.start(sources, 1)
    generator.start(sources, 1)
    qtbot.waitUntil(lambda: study.cards == [ANSWER, ANSWER])
    with monkeypatch.context() as patch, capture_exceptions() as raised:
        patch.setattr("loomapp.session.requests.open_answers.land", stumble_once)
        generator.stop_all()

    assert len(raised) == 1
    assert (study.cards, study.answers) == ([ANSWER], [ANSWER])


def unreadable(*_: object) -> None:
    """The file fails."""
    raise GroveError("damaged", "It cannot be read.")


def test_what_is_saved_is_told_of_though_the_file_does_not_say_who_wrote_it(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, shown = study.document, list[Change]()
    document.tree_changed.connect(lambda change, _: shown.append(change))
    document.grove.put_agent(Agent("late", "Late", "model", "scripted:late"))
    document.agents.forget()
    change = node_edits.add_node(document.tree, study.question, "Saved.", document.pen())

    with monkeypatch.context() as patch:
        patch.setattr(Grove, "agents", unreadable)
        document.commit(change)

    assert shown == [change]
    assert study.answers == ["Saved."]
    assert "late" in document.agents.by_id()


@pytest.mark.parametrize("who", ["we", "another program"])
def test_a_step_is_shown_though_the_file_does_not_say_what_comes_before_it(
    study: Study, path: Path, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    document, shown = study.document, list[Change]()
    document.tree_changed.connect(lambda change, _: shown.append(change))

    with monkeypatch.context() as patch, open_grove(path) as other:
        patch.setattr(Grove, "step_labels", unreadable)
        if who == "we":
            document.history.undo(lambda _: None)
        else:
            other.undo(other.load_tree(document.tree.loom.id))
            document.catch_up()

    assert study.question not in document.tree.nodes
    assert [study.question in {node.id for node in change.removed_nodes()} for change in shown] == [True]
    document.history.redo()
    assert document.history.undo_label is not None
