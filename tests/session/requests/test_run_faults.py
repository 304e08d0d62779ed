"""Faults in the middle of a run, and what others do meanwhile: its words are kept, and it ends."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QTimer
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.model.agent import Permissions
from loomapp.core.model.change import is_known, sentence_of
from loomapp.runs import batch
from loomapp.session.requests import agent_loop
from loomapp.store.grove.open import open_grove
from tests.kit.collaborators import answer, messages_of
from tests.kit.run_desk import START, Desk, Serve, endless
from tests.kit.servers.fake_server import Conversation, chunk, fails

READS = "Let me look.\n→ annotate A7X2KQ: Here she lies."


def test_the_last_words_of_a_run_are_kept_where_what_it_continues_is_taken_back(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(endless("Her past."))
    document = desk.document
    document.commit(node_edits.add_node(document.tree, "b3k9mm", "And her son?", document.pen()))
    question = document.tree.path.leaf_id
    desk.generator.start(Sources(question), 1, agents=(document.agents.by_id()["claude"],))
    qtbot.waitUntil(lambda: "Her past." in [live.draft.text for live in desk.generator.drafts("talk")])

    with open_grove(desk.grove.path) as other:
        other.undo(other.load_tree("talk"))
    desk.generator.stop_all()

    [live] = desk.generator.drafts("talk")
    assert live.draft.text == "Her past."
    document.history.redo()
    desk.generator.retry(live.key)
    tree = document.tree
    assert [tree.nodes[node_id].text for node_id in tree.children(question)] == ["Her past."]


def test_a_fault_of_ours_in_a_command_ends_the_run_and_keeps_its_words(
    desk: Desk, serve: Serve, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> None:
        raise ZeroDivisionError

    serve(answer(READS))
    monkeypatch.setattr(batch, "understand", stumble)
    with capture_exceptions() as raised:
        desk.run()
        qtbot.waitUntil(desk.is_over)

    assert len(raised) == 1
    assert desk.answers() == ["Let me look."]


def test_a_permission_that_is_taken_back_holds_for_the_next_command(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    is_forbidden = threading.Event()

    def once_forbidden(conversation: Conversation) -> None:
        assert is_forbidden.wait(60)
        answer("→ bookmark Q1AAAA")(conversation)

    server = serve(once_forbidden, answer("So."))
    desk.run()
    qtbot.waitUntil(lambda: len(server.received) == 1)
    claude = desk.document.agents.by_id()["claude"]
    desk.document.agents.put(replace(claude, permissions=Permissions(loom_write=False)))
    is_forbidden.set()
    qtbot.waitUntil(desk.is_over)

    assert "PERMISSION_DENIED" in messages_of(server.received[1])[-1][1]
    assert not desk.document.tree.nodes["q1aaaa"].metadata.bookmarked


def test_commands_of_one_answer_leave_the_window_time_and_stop_ends_them(
    desk: Desk, serve: Serve, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_loop, "TURN_S", 0.0)
    monkeypatch.setattr(agent_loop.AgentLoop.carry_on, "__kwdefaults__", {"most_s": 0.0})
    notes = "\n".join(f"→ annotate A7X2KQ: Note {number}." for number in range(40))
    serve(answer(notes), answer("So."))
    desk.run()
    tree = desk.document.tree

    def stop_at_the_third() -> None:
        if len(tree.notes("a7x2kq")) == 3:
            QTimer.singleShot(0, desk.generator.stop_all)

    desk.document.tree_changed.connect(lambda *_: stop_at_the_third())
    qtbot.waitUntil(desk.is_over)

    assert len(tree.notes("a7x2kq")) == 3  # of 40: what was done stays
    desk.undo()
    assert tree.notes("a7x2kq") == ()


def test_words_of_an_asked_model_are_kept_where_the_node_that_it_continues_is_taken_back(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    document = desk.document
    document.commit(node_edits.add_node(document.tree, "a7x2kq", "And your son?", document.pen()))
    question = document.tree.path.leaf_id
    script = f"→ continue from {document.tree.nodes[question].local_id} using agent: Marie"
    serve(answer(script), endless("My son."), answer("So."))
    desk.run()
    qtbot.waitUntil(lambda: "My son." in [live.draft.text for live in desk.generator.drafts("talk")])

    with open_grove(desk.grove.path) as other:
        other.undo(other.load_tree("talk"))
    [asked] = [live for live in desk.generator.drafts("talk") if live.draft.text == "My son."]
    desk.generator.stop_request(asked.key)
    qtbot.waitUntil(desk.is_over)

    assert desk.answers() == ["So."]
    [live] = desk.generator.drafts("talk")
    assert live.draft.text == "My son."


def test_an_agent_deletes_nothing_under_which_another_answer_is_written(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    document = desk.document
    document.commit(node_edits.add_node(document.tree, "a7x2kq", "And your son?", document.pen()))
    question = document.tree.path.leaf_id
    server = serve(
        endless("My son."), answer(f"→ prune {document.tree.nodes[question].local_id}"), answer("So.")
    )
    desk.generator.start(Sources(question), 1, agents=(document.agents.by_id()["marie"],))
    qtbot.waitUntil(lambda: "My son." in [live.draft.text for live in desk.generator.drafts("talk")])

    desk.run()
    qtbot.waitUntil(lambda: desk.answers() == ["So."])

    assert "CONFLICT: an answer is being written under it" in messages_of(server.received[2])[-1][1]
    assert not document.tree.nodes[question].metadata.pruned


def test_asking_others_for_more_than_a_person_allows_unasked_is_proposed(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    desk.document.ask_above_tokens = 5_000
    server = serve(answer("→ continue from A7X2KQ n: 5 using agent: Marie"), answer("So."))
    desk.run()
    qtbot.waitUntil(desk.is_over)

    [waiting] = desk.generator.proposals.waiting
    assert waiting.words.startswith("continue from A7X2KQ n: 5 using agent: Marie · up to 5,")
    assert len(server.received) == 2  # nobody else was asked


def test_undo_says_how_many_steps_of_a_run_it_takes_where_others_wrote_in_between(desk: Desk) -> None:
    document, said = desk.document, list[str]()
    document.tree_changed.connect(lambda change, _: said.append(change.label))

    def note(action: str) -> None:
        tree = document.tree
        change = node_edits.annotate(tree, "a7x2kq", "A note.", document.pen())
        document.commit(replace(change, action=action), keeps_current=True)

    for action in ("run", "run", "run", "", "run", "run"):
        note(action)
    for _ in range(3):
        desk.undo()

    assert said[-3:] == ["Undo 2 of 5 steps", "Undo Note", "Undo Note"]
    assert sentence_of(said[-3]) == "Undo 2 of 5 steps"
    assert is_known(said[-3])
    assert document.tree.notes("a7x2kq") == ()


def test_answers_stand_as_they_were_asked_for_and_one_that_broke_off_with_words_is_no_failure(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    is_cut = threading.Event()

    def by_model(conversation: Conversation) -> None:
        if json.loads(conversation.request.body)["model"] == "refuses":
            fails(400)(conversation)
            return
        conversation.head()
        conversation.send(chunk("Half a"))
        assert is_cut.wait(60)

    serve(by_model)
    agents = desk.document.agents
    for name in ("breaks", "refuses"):
        agents.put(replace(agents.by_id()["marie"], id=name, name=name, model_ref=f"fake:{name}"))
    desk.generator.start(Sources(START), 1, agents=(agents.by_id()["breaks"], agents.by_id()["refuses"]))

    def drafts() -> list[tuple[str, bool]]:
        return [(live.agent_id, live.draft.error is not None) for live in desk.generator.drafts("talk")]

    qtbot.waitUntil(lambda: ("refuses", True) in drafts())
    assert drafts() == [("breaks", False), ("refuses", True)]
    is_cut.set()
    qtbot.waitUntil(desk.is_over)

    assert drafts() == [("refuses", True)]
    assert "Half a" in desk.answers()
    calls = desk.generator.answers.failed_answers.calls
    assert [(call.agent_name, call.error.code) for call in calls] == [
        ("refuses", "invalidRequest"),
        ("breaks", "networkError"),
    ]
