"""Proposals of agents: whose they are, and what becomes of them where they cannot be carried out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.context.awareness import memory_block
from loomapp.core.edits import node_edits
from loomapp.core.edits.agent_memory import memory_of
from loomapp.core.edits.documents import write_document
from loomapp.core.generation.answers import Sources
from loomapp.core.loom_commands.trace import entries_of
from loomapp.core.model.agent import Permissions
from loomapp.core.model.hashes import verify
from loomapp.runs.events import Proposal
from loomapp.session.journal.journal import Journal
from loomapp.session.requests.generator import Generator
from loomapp.store.grove.open import read_grove
from tests.kit.collaborators import answer, messages_of
from tests.kit.run_desk import START, Desk, Serve, endless
from tests.kit.trees import snapshot
from tests.store.test_disk_full import no_file_may_grow_beyond

PROPOSES = "→ annotate A7X2KQ: Here she lies."


def run_proposing(desk: Desk, number: int = 1) -> None:
    """Have the collaborator propose what it would write, in so many runs."""
    agent = replace(desk.document.agents.by_id()["claude"], permissions=Permissions(loom_write="ask"))
    desk.document.agents.put(agent)
    desk.generator.start(Sources(START), number, agents=(agent,))


def streaming(desk: Desk, words: str) -> int:
    return [live.draft.text for live in desk.generator.drafts("talk")].count(words)


def test_stop_of_one_run_refuses_nothing_of_those_asked_with_it(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(answer(PROPOSES), answer(PROPOSES), endless("Her"), endless("Her"))
    run_proposing(desk, 2)
    qtbot.waitUntil(lambda: streaming(desk, "Her") == 2)
    proposals = desk.generator.proposals
    assert len(proposals.waiting) == 2

    desk.generator.stop_request(desk.generator.drafts("talk")[0].key)

    assert len(proposals.waiting) == 1
    assert streaming(desk, "Her") == 1
    desk.generator.stop_all()
    assert proposals.waiting == ()


def test_a_decision_is_told_once_also_while_another_model_writes(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    asks = f"{PROPOSES}\n→ continue from A7X2KQ using agent: Marie\n→ view Q1AAAA"
    server = serve(answer(asks), endless("I kept"), endless("Her"))
    claude = replace(
        desk.document.agents.by_id()["claude"], permissions=Permissions(loom_write="ask", loom_generate=True)
    )
    desk.document.agents.put(claude)
    desk.generator.start(Sources(START), 1, agents=(claude,))
    qtbot.waitUntil(lambda: streaming(desk, "I kept") == 1)

    [waiting] = desk.generator.proposals.waiting
    desk.generator.proposals.refuse(waiting.id)
    [asked] = [live for live in desk.generator.drafts("talk") if live.draft.text == "I kept"]
    desk.generator.stop_request(asked.key)
    qtbot.waitUntil(lambda: streaming(desk, "Her") == 1)

    assert messages_of(server.received[2])[-1][1].count("a person refused it") == 1
    names = "p", "talk", "claude", "run", "→ prune A7X2KQ", "prune", START, START, "a7x2kq"
    desk.generator.proposals.add(Proposal(*names))
    [card] = desk.generator.proposals.cards("talk")
    assert card.draft.text == "A7X2KQ “I am Marie.”"  # what would be deleted


def waiting_alone(desk: Desk, serve: Serve, qtbot: QtBot) -> Proposal:
    serve(answer(PROPOSES), answer("So."))
    run_proposing(desk)
    qtbot.waitUntil(desk.is_over)
    [waiting] = desk.generator.proposals.waiting
    return waiting


def test_what_the_file_does_not_take_waits_on(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    waiting = waiting_alone(desk, serve, qtbot)
    proposals, said = desk.generator.proposals, list[str]()
    proposals.failed.connect(lambda error: said.append(str(error)))

    with no_file_may_grow_beyond(0):
        proposals.accept(waiting.id)

    assert len(said) == 1
    assert [one.id for one in proposals.waiting] == [waiting.id]
    proposals.accept(waiting.id)
    assert len(proposals.waiting) == 0
    assert len(desk.document.tree.notes("a7x2kq")) == 1


def told(desk: Desk) -> list[tuple[str | None, str]]:
    """What came of the commands of the newest answer, as its trace tells it."""
    tree = desk.document.tree
    return [(one.code, one.result) for one in entries_of(tree.nodes[tree.children(START)[-1]])]


REFUSED = ("PERMISSION_DENIED", "✗ PERMISSION_DENIED: a person refused it")


def test_a_trace_tells_what_was_decided_after_the_run(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    waiting = waiting_alone(desk, serve, qtbot)
    assert told(desk)[0][1].startswith("waits for a person")

    desk.generator.proposals.accept(waiting.id)

    [(code, result)] = told(desk)
    assert (code, result.startswith("✓ note [")) == (None, True)
    with read_grove(desk.grove.path) as saved:
        assert snapshot(saved.load_tree("talk")) == snapshot(desk.document.tree)
    desk.undo()
    assert desk.answers() == []
    desk.document.history.redo()
    assert told(desk) == [(None, result)]


def test_a_trace_tells_of_a_refusal_and_the_run_is_undone_all_the_same(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(answer(f"{PROPOSES}\n→ bookmark Q1AAAA\n→ bookmark A7X2KQ"), answer("So."))
    run_proposing(desk)
    qtbot.waitUntil(desk.is_over)
    proposals = desk.generator.proposals
    note, mark, other = proposals.waiting

    proposals.refuse(note.id)
    proposals.accept(mark.id)
    proposals.refuse(other.id)

    assert told(desk) == [REFUSED, (None, "✓ bookmarked [Q1AAAA]"), REFUSED]
    with read_grove(desk.grove.path) as saved:
        assert snapshot(saved.load_tree("talk")) == snapshot(desk.document.tree)
    desk.undo()
    assert desk.answers() == []
    assert not desk.document.tree.nodes["q1aaaa"].metadata.bookmarked
    desk.document.history.redo()
    assert told(desk) == [REFUSED, (None, "✓ bookmarked [Q1AAAA]"), REFUSED]


def test_a_proposed_edit_stands_at_what_it_is_another_version_of_and_a_link_where_it_begins(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(answer("→ edit A7X2KQ: I am Ada.\n→ link Q1AAAA to A7X2KQ"), answer("So."))
    run_proposing(desk)
    qtbot.waitUntil(desk.is_over)

    [waiting, linking] = desk.generator.proposals.waiting

    assert (waiting.about, waiting.text) == ("a7x2kq", "I am Ada.")
    assert linking.about == "q1aaaa"
    recent = memory_of(desk.document.tree, "claude").recent
    assert recent[0] == "→ edit A7X2KQ: I am Ada. (waits for a person)"  # it is not done


def test_a_trace_tells_what_was_decided_while_the_run_goes_on(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    serve(answer(PROPOSES), endless("Her"))
    run_proposing(desk)
    qtbot.waitUntil(lambda: streaming(desk, "Her") == 1)
    [waiting] = desk.generator.proposals.waiting

    desk.generator.proposals.refuse(waiting.id)

    [live] = desk.generator.drafts("talk")
    assert live.run is not None
    assert [(one.code, one.result) for one in live.run.lines] == [REFUSED]
    desk.generator.stop_all()
    qtbot.waitUntil(desk.is_over)
    assert told(desk) == [REFUSED]


def test_a_refusal_is_no_step_of_undo_and_the_run_is_undone_all_the_same(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    waiting, document = waiting_alone(desk, serve, qtbot), desk.document
    document.commit(node_edits.add_node(document.tree, START, "And her son?", document.pen()))
    said = document.tree.path.leaf_id
    desk.undo()

    desk.generator.proposals.refuse(waiting.id)

    assert memory_of(document.tree, "claude").recent[-1].endswith("(refused by a person)")
    document.history.redo()
    assert said in document.tree.nodes  # what was undone before it can still be redone
    desk.undo()
    desk.undo()
    assert desk.answers() == []
    assert [one.split("(")[-1] for one in memory_of(document.tree, "claude").recent] == [
        "refused by a person)"
    ]
    document.history.redo()
    assert desk.answers() == ["So."]
    assert len(memory_of(document.tree, "claude").recent) == 2


def test_a_document_that_may_be_read_after_the_run_is_recalled_in_the_next(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    document = desk.document
    document.commit(write_document(document.tree, "Notes", "Nineteen, counts.", document.pen()))
    claude = replace(document.agents.by_id()["claude"], permissions=Permissions(doc_read="ask"))
    document.agents.put(claude)
    serve(answer("→ read doc: Notes"), answer("So."))
    desk.run()
    qtbot.waitUntil(desk.is_over)
    [waiting] = desk.generator.proposals.waiting

    desk.generator.proposals.accept(waiting.id)

    assert "read doc: Notes: Nineteen, counts." in memory_block(
        document.tree, memory_of(document.tree, "claude")
    )


def test_all_proposals_are_accepted_one_in_a_turn(desk: Desk, serve: Serve, qtbot: QtBot) -> None:
    serve(answer("\n".join(f"→ annotate A7X2KQ: Note {number}." for number in range(5))), answer("So."))
    run_proposing(desk)
    qtbot.waitUntil(desk.is_over)
    proposals = desk.generator.proposals

    proposals.accept_all("talk")

    assert len(proposals.waiting) == 5
    qtbot.waitUntil(lambda: proposals.waiting == ())
    assert len(desk.document.tree.notes("a7x2kq")) == 5


def test_what_a_run_proposed_that_goes_on_is_offered_again_after_quitting(
    desk: Desk, serve: Serve, qtbot: QtBot
) -> None:
    serve(answer(PROPOSES), endless("Her"))
    journal = Journal(desk.document)
    journal.follow(desk.generator)
    run_proposing(desk)
    qtbot.waitUntil(lambda: streaming(desk, "Her") == 1)
    desk.generator.close()
    journal.close()

    later, generator = Journal(desk.document), Generator(desk.document, desk.engine)
    later.follow(generator)
    [waiting] = generator.proposals.waiting
    generator.proposals.accept(waiting.id)

    tree = desk.document.tree
    [note_id] = tree.notes("a7x2kq")
    [verdict] = [one.verdict for one in verify(tree, desk.grove.digests("talk")) if one.node_id == note_id]
    assert verdict == "ok"  # it rests on the response that proposed it
    for part in (generator, later):
        part.close()


@pytest.mark.parametrize(
    ("name", "shown"), [("annotate", "Hm."), ("continue", "continue n: 3 using agent: Ada"), ("prune", "")]
)
def test_the_words_of_a_proposal_say_what_it_does(name: str, shown: str) -> None:
    line = {"annotate": "→ annotate A: Hm.", "continue": f"→ {shown}", "prune": "→ prune A"}[name]
    text = "Hm." if name == "annotate" else ""
    assert Proposal("p", "t", "a", "c", line, name, "n", "n", "n", text).words == shown
