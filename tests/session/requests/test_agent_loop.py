"""Runs of an agent that sees the tree, in the open grove: streamed, stopped, undone, beside a person."""

from __future__ import annotations

import json
from dataclasses import replace

from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.edits.agent_memory import memory_of
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.agent import Permissions, RunLimits
from loomapp.core.model.hashes import verify
from loomapp.core.sent.inputs import inputs_of
from loomapp.core.sent.trial import Trial
from loomapp.providers.registry import rules_for
from loomapp.session.context.preview import Preview
from loomapp.session.journal.journal import Journal
from loomapp.session.requests.generator import Generator
from loomapp.store.files import drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.queries.steps import read_steps
from tests.kit.collaborators import answer, messages_of
from tests.kit.run_desk import START, Desk, Serve, endless
from tests.kit.servers.fake_server import DONE, Conversation, chunk, says

READS = "Let me look.\n→ view A7X2KQ\n→ annotate A7X2KQ: Here she lies.\nAnd so on."


def test_commands_are_carried_out_between_the_steps_and_one_undo_takes_all_back(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    server = serve(answer(READS), answer("Her past."))
    preview = Preview(desk.document)
    agent = desk.document.agents.by_id()["claude"]
    desk.document.agents.ask((agent.id,))
    preview.refresh_now()
    shown = preview.last

    desk.run()
    [live] = desk.generator.drafts("talk")
    qtbot.waitUntil(desk.is_over)

    assert shown is not None
    first = messages_of(server.received[0])
    assert [("system", shown.system), *((one.role, one.text) for one in shown.messages)] == first
    assert "[A7X2KQ] Marie" in first[2][1]
    tree = desk.document.tree
    [note_id] = tree.notes("a7x2kq")
    assert messages_of(server.received[1])[-1][1].endswith(
        f"✓ note [{tree.nodes[note_id].local_id}] on [A7X2KQ]"
    )
    assert desk.answers() == ["Her past."]
    node = tree.nodes[live.node_id]
    trace = node.extra["trace"]
    assert isinstance(trace, list)
    assert [entry["line"] for entry in trace] == [
        "Let me look.",
        "→ view A7X2KQ",
        "→ annotate A7X2KQ: Here she lies.",
    ]
    assert tree.path.leaf_id == node.id
    assert {one.verdict for one in verify(tree, desk.grove.digests("talk"))} <= {"ok", "no evidence"}
    assert {step.by for step in read_steps(desk.grove, "talk").steps} == {"Claude"}
    desk.undo()
    assert (desk.answers(), tree.notes("a7x2kq")) == ([], ())
    desk.document.history.redo()
    assert (desk.answers(), tree.notes("a7x2kq")) == (["Her past."], (note_id,))
    preview.deleteLater()


def test_the_card_of_a_run_shows_its_steps_and_no_command_lines(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(answer(READS), endless("Her past"))
    ended: list[bool] = []
    desk.document.tree_changed.connect(
        lambda *_: ended.extend(live.draft.ended for live in desk.generator.drafts("talk"))
    )
    stopped: list[tuple[str, int]] = []
    desk.generator.answers.run_stopped.connect(lambda name, steps, _: stopped.append((name, steps)))
    desk.run(RunLimits(steps=5))

    def has_begun_the_second() -> bool:
        [live] = desk.generator.drafts("talk")
        return live.draft.text == "Her past"

    qtbot.waitUntil(has_begun_the_second)
    [live] = desk.generator.drafts("talk")

    assert ended
    assert not any(ended)  # a step that ends leaves Stop in its place
    assert live.run is not None
    assert (live.run.step, live.run.most_steps, live.run.act) == (2, 5, "writes")
    assert [(one.line, one.code) for one in live.run.lines] == [
        ("→ view A7X2KQ", None),
        ("→ annotate A7X2KQ: Here she lies.", None),
    ]
    assert [live.run.at] == list(desk.document.tree.notes("a7x2kq"))
    desk.generator.stop_request(live.key)
    assert desk.is_over()
    assert desk.answers() == ["Her past"]
    assert len(desk.document.tree.notes("a7x2kq")) == 1
    assert (desk.said, stopped) == ([], [("Claude", 1)])  # the second had no command yet


def test_no_step_of_a_run_is_left_to_be_recovered(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    serve(
        answer(READS), answer("→ continue from A7X2KQ using agent: Marie"), answer("I kept."), endless("Her")
    )
    journal = Journal(desk.document)
    journal.follow(desk.generator)
    folder = drafts_folder(desk.grove.path)

    desk.run()
    qtbot.waitUntil(lambda: "Her" in [live.draft.text for live in desk.generator.drafts("talk")])
    assert journal.settle(30)
    [row] = drafts.read(folder)
    desk.generator.stop_path("talk", desk.document.path_ids)
    assert journal.settle(30)

    assert "→ view A7X2KQ" in json.dumps(row.body, ensure_ascii=False)
    assert drafts.read(folder) == []
    journal.close()
    journal.deleteLater()


def test_a_subject_that_is_asked_streams_on_a_card_of_its_own(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    ask = answer("→ continue from A7X2KQ n: 2 using agent: Marie")
    server = serve(ask, answer("I kept a lamp."), answer("I had a son."), answer("Both are sad."))
    cards: set[tuple[str, str]] = set()
    desk.generator.answers.drafts_changed.connect(
        lambda: cards.update((live.agent_id, live.parent_id) for live in desk.generator.drafts("talk"))
    )

    desk.run()
    qtbot.waitUntil(desk.is_over)

    tree = desk.document.tree
    asked = [tree.nodes[node_id] for node_id in tree.children("a7x2kq") if node_id != START]
    assert sorted(node.text for node in asked) == ["I had a son.", "I kept a lamp."]
    assert {node.author_agent_id for node in asked} == {"marie"}
    assert cards == {("claude", START), ("marie", "a7x2kq")}
    assert messages_of(server.received[1])[:2] == [("user", "Who are you?"), ("assistant", "I am Marie.")]
    assert desk.answers() == ["Both are sad."]
    desk.undo()
    assert list(tree.children("a7x2kq")) == [START]


def test_stop_while_a_subject_writes_ends_the_run_and_keeps_what_came(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(answer("→ bookmark A7X2KQ\n→ continue from A7X2KQ using agent: Marie"), endless("I kept"))

    desk.run()
    qtbot.waitUntil(lambda: any(live.draft.text == "I kept" for live in desk.generator.drafts("talk")))
    desk.generator.stop_path("talk", desk.document.path_ids)

    assert desk.is_over()
    tree = desk.document.tree
    assert tree.nodes["a7x2kq"].metadata.bookmarked
    assert [tree.nodes[node_id].text for node_id in tree.children("a7x2kq")] == [
        "What does she hide?",
        "I kept",
    ]
    assert desk.answers() == []


def test_a_run_goes_on_in_its_tree_while_another_one_is_read(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    serve(answer(READS), answer("Her past."))
    desk.run()

    desk.document.new_tree("dialogue", "Another")
    other = desk.document.tree
    qtbot.waitUntil(desk.is_over)

    assert len(other.nodes) == 1
    desk.document.open_tree("talk")
    assert desk.answers() == ["Her past."]
    assert len(desk.document.tree.notes("a7x2kq")) == 1


def test_what_a_person_writes_meanwhile_stays_when_the_run_is_undone(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(answer(READS), endless("Her past."))
    desk.run()
    qtbot.waitUntil(lambda: "Her past." in [live.draft.text for live in desk.generator.drafts("talk")])
    document = desk.document

    document.commit(node_edits.annotate(document.tree, "q1aaaa", "Mine.", document.pen()))
    desk.generator.stop_path("talk", document.path_ids)
    assert desk.is_over()
    desk.undo()

    assert desk.answers() == []
    assert [document.tree.nodes[i].text for i in document.tree.notes("q1aaaa")] == ["Mine."]
    assert len(document.tree.notes("a7x2kq")) == 1  # it came before


def test_a_run_that_fails_in_the_middle_keeps_what_was_done_and_can_be_tried_again(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    def refuse(conversation: Conversation) -> None:
        conversation.head(400, "application/json")
        conversation.send(b'{"error": {"message": "no more"}}')

    serve(answer(READS), refuse, answer("Her past."))
    desk.run()
    qtbot.waitUntil(desk.is_over)

    [live] = desk.generator.drafts("talk")
    assert live.draft.error is not None
    assert len(desk.document.tree.notes("a7x2kq")) == 1
    desk.generator.retry(live.key)
    qtbot.waitUntil(desk.is_over)
    assert desk.answers() == ["Her past."]
    assert desk.generator.drafts("talk") == ()


def test_a_run_that_ends_without_a_word_does_not_say_that_nothing_was_added(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(answer(READS), says(chunk(reason="stop"), DONE))

    desk.run()
    qtbot.waitUntil(desk.is_over)

    assert len(desk.document.tree.notes("a7x2kq")) == 1
    [live] = desk.generator.drafts("talk")
    assert str(live.draft.error) == "Claude ended its run without a word for you; what it did stays."


def test_a_run_ends_at_its_seconds_in_the_middle_of_an_answer(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    serve(endless("Her"))

    desk.run(RunLimits(seconds=1))
    qtbot.waitUntil(desk.is_over)

    assert len(desk.said) == 1


ASKS_FIRST = Permissions(loom_write="ask", loom_generate="ask")


def proposing(desk: Desk) -> None:
    """Have the collaborator propose what it would write."""
    agent = desk.document.agents.by_id()["claude"]
    desk.document.agents.put(replace(agent, permissions=ASKS_FIRST))
    desk.run()


def test_what_a_person_decides_is_told_to_the_agent_and_undone_with_its_run(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    first = "→ annotate A7X2KQ: Here she lies.\n→ bookmark Q1AAAA\n→ view A7X2KQ"
    server = serve(answer(first), answer("→ view Q1AAAA"), endless("Her"))
    proposals = desk.generator.proposals

    def both_wait() -> bool:
        return len(proposals.waiting) == 2

    desk.generator.answers.drafts_changed.connect(
        lambda: proposals.accept(proposals.waiting[0].id) if both_wait() else None
    )
    proposing(desk)
    qtbot.waitUntil(lambda: "Her" in [live.draft.text for live in desk.generator.drafts("talk")])
    tree = desk.document.tree

    [note_id] = tree.notes("a7x2kq")
    assert tree.nodes[note_id].text == "Here she lies."
    assert not tree.nodes["q1aaaa"].metadata.bookmarked
    assert "loom_write (a person decides)" in messages_of(server.received[0])[0][1]
    assert "waits for a person to decide" in messages_of(server.received[1])[-1][1]
    told = messages_of(server.received[2])[-1][1]
    assert told.startswith("→ annotate A7X2KQ: Here she lies.\n✓ note [")
    [waiting] = proposals.waiting
    assert (waiting.name, waiting.about) == ("bookmark", "q1aaaa")

    desk.generator.stop_path("talk", desk.document.path_ids)
    assert proposals.waiting == ()
    assert memory_of(tree, "claude").recent[-1] == "→ bookmark Q1AAAA ✗ (refused by a person)"
    while desk.document.history.undo_label is not None:
        desk.undo()
    assert (desk.answers(), tree.notes("a7x2kq")) == ([], ())


def test_proposals_are_offered_again_at_the_next_start(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    serve(
        answer("→ annotate A7X2KQ: Here she lies.\n→ continue from A7X2KQ using agent: Marie"), answer("So.")
    )
    journal = Journal(desk.document)
    journal.follow(desk.generator)
    proposing(desk)
    qtbot.waitUntil(desk.is_over)
    assert journal.settle(30)
    journal.close()

    later, generator = Journal(desk.document), Generator(desk.document, desk.engine)
    later.follow(generator)
    note, asked = generator.proposals.waiting

    generator.proposals.accept(note.id)
    generator.proposals.accept(asked.id)
    qtbot.waitUntil(lambda: not generator.is_streaming())

    tree = desk.document.tree
    assert [tree.nodes[i].text for i in tree.notes("a7x2kq")] == ["Here she lies."]
    assert [tree.nodes[i].text for i in tree.children("a7x2kq") if i != START] == ["So."]
    assert later.settle(30)
    assert drafts.read(drafts_folder(desk.grove.path)) == []
    for part in (generator, later):
        part.close()


def test_a_trial_carries_out_no_command_and_takes_none_for_words(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(answer(READS), answer("→ prune A7X2KQ"))
    agent, sources = desk.document.agents.by_id()["claude"], Sources(START)
    question = AskedQuestion(agent, sources, media=desk.document.media)
    trial = Trial("A", inputs_of(desk.document.tree, question, rules_for(agent.model_ref or "")))
    for _ in range(2):
        desk.generator.try_out([(agent, trial)], sources, 1)
        qtbot.waitUntil(desk.is_over)

    tree = desk.document.tree
    assert desk.answers() == ["Let me look.\nAnd so on."]
    assert (tree.notes("a7x2kq"), tree.nodes["a7x2kq"].metadata.pruned) == ((), False)
    assert {one.verdict for one in verify(tree, desk.grove.digests("talk"))} <= {"ok", "no evidence"}
    assert desk.said == [
        "Claude wrote commands too, which a trial does not carry out.",
        "Claude wrote only commands, which a trial does not carry out: nothing was added.",
    ]
