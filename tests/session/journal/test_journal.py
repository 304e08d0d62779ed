"""The journal: kill -9 while typing or streaming loses at most a second, and the rest is offered again."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.edits.agent_memory import memory_of
from loomapp.core.edits.edit_context import change_of
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.generation.answers import CrashedRun, Sources
from loomapp.core.generation.drafts import Draft
from loomapp.core.loom_commands.trace import done
from loomapp.core.model.change import RowChange
from loomapp.core.model.entities import ContextSummary
from loomapp.core.summarisers.changes import Candidate, Candidates
from loomapp.providers import registry
from loomapp.providers.engine.engine import Engine
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.journal.left_drafts import CUT_SHORT
from loomapp.session.recovery import SettingsDraft, run_row
from loomapp.session.requests.generator import Generator
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.files import drafts
from loomapp.store.files.draft_claims import claim
from loomapp.store.files.drafts import DraftRow, Slot, drafts_folder
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.identity import now
from tests.kit.chance import seed
from tests.kit.groves import response
from tests.kit.processes.warm import Started
from tests.kit.servers.counted_story import CountedStory, busy_machine
from tests.kit.servers.fake_server import FakeServer, answers
from tests.session.programs import SCRIPTED, ask_server, forked
from tests.store.test_disk_full import no_file_may_grow_beyond

KILLS = [4, pytest.param(100, marks=[pytest.mark.slow, pytest.mark.timeout(2400)])]
LOST_S = 1.0
HANDED_OVER_S = 0.3  # what is older the disk has in hand, or has
PATIENCE_S = 20
LOOK_S = 0.1  # how late a program sees that the disk has it

Said = list[tuple[float, int, float]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A grove with one tree, its root empty."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        Document(grove)
    return path


@contextmanager
def session(path: Path) -> Iterator[tuple[Document, Journal]]:
    """A start of the program, as far as drafts go."""
    with open_grove(path) as grove:
        document = Document(grove)
        journal = Journal(document)
        try:
            yield document, journal
        finally:
            journal.close()


def killed(writer: Started, lines: int) -> Said:
    """What a program said until it was killed, somewhere after so many lines."""
    said = [writer.stdout.readline() for _ in range(lines)]
    writer.kill()
    said += [line for line in writer.stdout if line.endswith("\n")]
    writer.wait()
    words = [line.split() for line in said if line]
    return [(float(at), int(length), float(held)) for at, length, held in words]


def older_than(said: Said, seconds: float) -> int:
    """How much there was so long before the last word."""
    last = said[-1][0]
    return max((length for at, length, _ in said if at < last - seconds), default=0)


def due(said: Said) -> int:
    """How much must be there whatever else the machine does: what the disk has had in hand for too long to
    be waited for is its own affair, all before it was handed over within the journal's ceiling.
    """
    held = said[-1][2]
    return older_than(said, max(LOST_S, HANDED_OVER_S + held + LOOK_S))


def assert_most_lost_a_second_at_most(kills: list[tuple[Said, int]]) -> None:
    """A busy disk is an excuse now and then, and no more."""
    late = [said for said, length in kills if length < older_than(said, LOST_S)]
    assert len(late) <= len(kills) // 2


@pytest.mark.parametrize("kills", KILLS)
def test_kills_cost_at_most_a_second_of_what_was_typed(path: Path, qtbot: QtBot, kills: int) -> None:
    """Types on where it was left off, is killed somewhere, and starts again."""
    begun = seed(1)
    chance = random.Random(begun)
    losses = []

    for kill in range(kills):
        with forked("type_for_ever", str(path), f"{begun} {kill}") as typist:
            said = killed(typist, chance.randrange(1, 80))

        with session(path) as (document, journal):
            offered = journal.recovered(document.tree.loom.id).composer
        length = 0 if offered is None else len(offered.text)
        losses.append((said, length))
        assert due(said) <= length <= said[-1][1]
    assert_most_lost_a_second_at_most(losses)
    print("characters lost", [said[-1][1] - length for said, length in losses])


def test_a_window_that_is_too_busy_for_its_timers_keeps_words_all_the_same(path: Path, qtbot: QtBot) -> None:
    with session(path) as (document, journal):
        until, words = time.monotonic() + PATIENCE_S, ""
        while not drafts.read(drafts_folder(path)):  # no event is handled meanwhile
            assert time.monotonic() < until
            words += "word "
            journal.keep_composer(document.tree.loom.id, words, document.current_id)
            threading.Event().wait(0.01)


def test_words_are_kept_while_the_window_is_busy_with_something_else(path: Path, qtbot: QtBot) -> None:
    with session(path) as (document, journal):
        journal.keep_composer(document.tree.loom.id, "word", document.current_id)

        until = time.monotonic() + PATIENCE_S
        while not drafts.read(drafts_folder(path)):  # no event is handled, and no key comes
            assert time.monotonic() < until


def test_without_the_journal_all_of_it_is_lost(path: Path, qtbot: QtBot) -> None:
    """The test above would notice: with the journal switched off nothing is offered again."""
    with forked("type_for_ever", str(path), "seed", "off") as typist:
        said = killed(typist, 90)

    with session(path) as (document, journal):
        assert journal.recovered(document.tree.loom.id).composer is None
    assert due(said) > 0


FEW_STREAMS = 3


@pytest.mark.parametrize("kills", [FEW_STREAMS, *KILLS[1:]])
def test_kills_while_streaming_leave_interrupted_nodes_with_their_evidence(
    path: Path, qtbot: QtBot, kills: int
) -> None:
    """On a busy machine all is there that the server had sent a second before."""
    chance = random.Random(seed(2))

    for kill in range(kills):
        story = CountedStory()
        with (
            FakeServer(story) as server,
            forked("stream_for_ever", str(path), server.url) as reader,
            busy_machine() if kills > FEW_STREAMS or kill % 3 == 0 else nullcontext(),
        ):
            story.wait_for_words(chance.randrange(1, 150))
            killed_at = time.monotonic()
            reader.kill()
            reader.wait()

        with session(path) as (document, journal):
            changes = journal.recover_runs()
            again = journal.recover_runs()
            verdicts = {finding.verdict for finding in verify_tree(document.grove, document.tree.loom.id)}
        nodes = [node for change in changes for node in change.added_nodes()]
        text = nodes[0].text if nodes else ""
        assert story.begins_with(text)
        assert len(text) >= len(story.sent_before(killed_at - LOST_S))
        assert [node.interrupted and node.interrupted.reason for node in nodes] == ["crash"] * len(nodes)
        assert verdicts == {"ok"}
        assert again == []


def test_a_run_that_was_killed_between_two_steps_is_marked_in_the_memory_of_its_agent(
    path: Path, qtbot: QtBot
) -> None:
    with session(path) as (document, _):
        tree_id, root = document.tree.loom.id, document.tree.root_id
        document.grove.put_agent(SCRIPTED)
    trace = [done("→ bookmark here", "✓", None, [root], now())]
    run = CrashedRun("run", tree_id, Sources(root), SCRIPTED.id, (Draft(0, ""),), trace=trace)
    drafts.keep(drafts_folder(path), run_row(run, now()))

    with session(path) as (document, journal):
        [change] = journal.recover_runs()
        assert journal.recover_runs() == []
        assert not change.undoable
        assert memory_of(document.tree, SCRIPTED.id).recent == (CUT_SHORT,)


def test_an_answer_of_a_command_line_is_left_alone_while_that_lives_and_comes_with_its_author_after(
    path: Path, qtbot: QtBot
) -> None:
    with session(path) as (document, _):
        tree_id, root = document.tree.loom.id, document.tree.root_id
    run = CrashedRun("run", tree_id, Sources(root), SCRIPTED.id, (Draft(0, "Because"),), agent=SCRIPTED)
    row = run_row(run, now())
    held = claim(drafts_folder(path), row.slot)
    assert held is not None
    drafts.keep(drafts_folder(path), row)

    with session(path) as (_, journal):
        assert journal.recover_runs() == []
        assert journal.recovered(tree_id).stray == ()
    assert drafts.read(drafts_folder(path)) == [row]

    held.release()
    with session(path) as (document, journal):
        [change] = journal.recover_runs()
        assert [node.text for node in change.added_nodes()] == ["Because"]
        assert document.grove.agent(SCRIPTED.id) == SCRIPTED
    assert not drafts_folder(path).exists()


def test_an_answer_comes_back_beside_what_was_added_since(path: Path, qtbot: QtBot) -> None:
    with open_grove(path) as grove:
        document = Document(grove)
        grove.put_agent(SCRIPTED)
        question = node_edits.add_node(document.tree, document.current_id, "Why?", document.pen())
        document.commit(question)
        base = question.added_nodes()[0].id
        drafts.keep(drafts_folder(path), an_answer(document.tree.loom.id, base, "Because"))
        document.commit(node_edits.add_node(document.tree, base, "Never mind.", document.pen()))
        leaf = document.tree.path.leaf_id

    with session(path) as (document, journal):
        journal.recover_runs()

        texts = [document.tree.nodes[i].text for i in document.tree.children(base)]
        assert texts == ["Never mind.", "Because"]
        assert document.tree.path.leaf_id == leaf
        assert document.history.undo_label == "Recover an answer"


def an_answer(tree_id: str, base_id: str, text: str) -> DraftRow:
    return run_row(CrashedRun("run", tree_id, Sources(base_id), SCRIPTED.id, (Draft(0, text),)), now())


def test_an_answer_that_was_saved_just_before_the_crash_is_not_saved_twice(path: Path, qtbot: QtBot) -> None:
    with session(path) as (document, journal):
        document.grove.put_agent(SCRIPTED)
        tree_id, root = document.tree.loom.id, document.tree.root_id
        run = CrashedRun("run", tree_id, Sources(root), SCRIPTED.id, (Draft(0, "Because"),), (response("x"),))
        drafts.keep(drafts_folder(path), run_row(run, now()))

    for saved in (1, 0):
        with session(path) as (document, journal):
            assert len(journal.recover_runs()) == saved
            assert len(document.tree.children(root)) == 1
        assert drafts.read(drafts_folder(path)) == []
        drafts.keep(drafts_folder(path), run_row(run, now()))  # as if the forgetting had not reached the disk


def test_an_answer_to_a_node_that_is_gone_is_shown_and_kept(path: Path, qtbot: QtBot) -> None:
    with session(path) as (document, _):
        tree_id = document.tree.loom.id
        drafts.keep(drafts_folder(path), an_answer(tree_id, "gone", "Because"))

    for _ in range(2):
        with session(path) as (document, journal):
            assert journal.recover_runs() == []
            stray = journal.recovered(tree_id).stray
            assert [run.text for run in stray] == ["Because"]

    with session(path) as (document, journal):
        journal.dismiss(journal.recovered(tree_id).stray[0])
    assert drafts.read(drafts_folder(path)) == []


def test_words_that_were_committed_just_before_the_crash_are_not_offered_again(
    path: Path, qtbot: QtBot
) -> None:
    with session(path) as (document, journal):
        tree_id, root = document.tree.loom.id, document.current_id
        journal.keep_composer(tree_id, "Hello", root)
        journal.write_now()
        qtbot.waitUntil(lambda: journal.is_settled)
        document.commit(node_edits.add_node(document.tree, root, "Hello", document.pen()))

    with session(path) as (document, journal):
        assert journal.recovered(tree_id).composer is None
    assert drafts.read(drafts_folder(path)) == []


def test_each_tree_has_its_own_words_and_an_empty_composer_leaves_nothing(path: Path, qtbot: QtBot) -> None:
    with session(path) as (_, journal):
        journal.keep_composer("one", "first", "n")
        journal.keep_composer("two", "se\u00a0cond\ud800", "n")

    with session(path) as (_, journal):
        assert (journal.composer_text("one"), journal.composer_text("two")) == ("first", "se\u00a0cond\ud800")
        journal.keep_composer("one", "", "n")
        journal.keep_composer("two", "", "n")

    assert not drafts_folder(path).exists()


def test_what_is_attached_comes_back_once_and_is_left_alone_where_it_is_only_read(
    path: Path, qtbot: QtBot
) -> None:
    with session(path) as (document, journal):
        tree_id, root = document.tree.loom.id, document.tree.root_id
        journal.keep_attached(tree_id, {root: "context", "gone": "instruction"})
    (file,) = drafts_folder(path).iterdir()
    kept = file.read_bytes()

    with read_grove(path) as grove:
        journal = Journal(Document(grove))
        assert journal.recovered(tree_id).attached == {}
        journal.keep_attached(tree_id, {})
        journal.keep_attached(tree_id, {root: "instruction"})
        journal.close()
    assert file.read_bytes() == kept

    with session(path) as (_, journal):
        assert journal.recovered(tree_id).attached == {root: "context", "gone": "instruction"}
        assert journal.recovered(tree_id).attached == {}, "from here on the window has it"
    assert file.read_bytes() == kept
    with session(path) as (_, journal):
        journal.keep_attached(tree_id, {})
    assert not drafts_folder(path).exists()


def test_settings_that_were_typed_are_pending_again_unless_another_hand_changed_them(
    path: Path, qtbot: QtBot
) -> None:
    typed: dict[str, object] = {"system_context": "You are a botanist.", "token_buffer": 12}
    with session(path) as (document, journal):
        loom = document.tree.loom
        journal.keep_settings(loom, typed)

    with session(path) as (document, journal):
        settings = journal.recovered(loom.id).settings
        assert settings is not None
        assert settings == SettingsDraft(typed)
        document.trees.save_loom(replace(loom, system_context="You are a poet."))
        settings = journal.recovered(loom.id).settings
        assert settings is not None
        assert settings == SettingsDraft(typed, frozenset({"system_context"}))
        saved = replace(loom.context_settings, token_buffer=12)
        botanist = "You are a botanist."
        document.trees.save_loom(replace(document.tree.loom, system_context=botanist, context_settings=saved))
        assert journal.recovered(loom.id).settings is None


def test_settings_that_another_hand_changed_wait_while_others_are_typed_and_saved(
    path: Path, qtbot: QtBot
) -> None:
    with session(path) as (document, journal):
        loom = document.tree.loom
        journal.keep_settings(loom, {"system_context": "You are a botanist."})

    with session(path) as (document, journal):
        document.trees.save_loom(replace(loom, system_context="You are a poet."))
        assert journal.recovered(loom.id).settings is not None
        journal.keep_settings(document.tree.loom, {"token_buffer": 12})
        journal.settings_saved(loom.id)

    with session(path) as (document, journal):
        settings = journal.recovered(loom.id).settings
        typed: dict[str, object] = {"system_context": "You are a botanist."}
        assert settings == SettingsDraft(typed, frozenset(typed))
        journal.contested_settled(loom.id)
    assert not drafts_folder(path).exists()


@pytest.mark.parametrize("by", ["hand", "itself"])
def test_a_full_disk_is_told_the_words_stay_and_trying_again_works(path: Path, qtbot: QtBot, by: str) -> None:
    with session(path) as (document, journal):
        tree_id = document.tree.loom.id
        told: list[GroveError] = []
        journal.failed.connect(told.append)
        with no_file_may_grow_beyond(10):
            with qtbot.waitSignal(journal.failed):
                journal.keep_composer(tree_id, "x" * 1000, "n")
            journal.keep_composer(tree_id, "y" * 1000, "n")
        assert journal.composer_text(tree_id) == "y" * 1000
        with qtbot.waitSignal(journal.fault_ended, timeout=60_000):
            if by == "hand":
                journal.retry()

        qtbot.waitUntil(lambda: journal.is_settled)
        assert len(told) == 1
        assert "could not be written" in told[0].message
        rows = drafts.read(drafts_folder(path))
        assert [row.body["text"] for row in rows] == ["y" * 1000]


def test_an_answer_that_finds_no_room_stays_on_its_card_and_in_the_journal_until_it_is_saved(
    path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "PROVIDERS", dict(registry.PROVIDERS))
    long = "word " * 6_000  # less than is taken for an answer without end
    with FakeServer(answers(long)) as server, session(path) as (document, journal):
        ask_server(document.grove, server.url)
        document.agents.forget()
        document.agents.ask_only(SCRIPTED.id)
        document.commit(node_edits.add_node(document.tree, document.current_id, "Go on.", document.pen()))
        tree_id, question = document.tree.loom.id, document.current_id
        generator = Generator(document, Engine())
        journal.follow(generator)
        told: list[LoomError] = []
        generator.answers.failed.connect(told.append)
        with no_file_may_grow_beyond(max(f.stat().st_size for f in path.parent.iterdir()) + 1000):
            generator.start(Sources(question), 1)
            qtbot.waitUntil(lambda: not generator.is_streaming(), timeout=60_000)
            (card,) = generator.drafts(tree_id)
            with pytest.raises(GroveError):
                generator.retry(card.key)
        qtbot.waitUntil(lambda: journal.is_settled, timeout=60_000)
        kept = drafts.read(drafts_folder(path))

        generator.retry(card.key)
        qtbot.waitUntil(lambda: journal.is_settled, timeout=60_000)
        generator.close()

        assert card.draft.text == long
        assert card.draft.error is told[0]
        assert [row.slot.kind for row in kept] == ["run"]
        assert [document.tree.nodes[i].text for i in document.tree.children(question)] == [long]
        assert generator.drafts(tree_id) == ()
        assert drafts.read(drafts_folder(path)) == []


def test_a_file_that_is_no_draft_is_left_alone(path: Path, qtbot: QtBot) -> None:
    folder = drafts_folder(path)
    folder.mkdir()
    strange = [b"", b"{", b"[]", b'{"tree": 1}', b"\xff\xfe"]
    for i, data in enumerate(strange):
        (folder / f"{i}{drafts.ENDING}").write_bytes(data)
    row = DraftRow(Slot("t", "run", "r"), 1, {"drafts": "none"})
    drafts.keep(folder, row)

    with session(path) as (document, journal):
        assert journal.recover_runs() == []
        assert journal.recovered(document.tree.loom.id).stray == ()

    assert sorted(f.read_bytes() for f in folder.iterdir() if f.name[0].isdigit()) == sorted(strange)


def test_candidates_of_which_one_was_taken_before_the_crash_are_not_offered_again(
    path: Path, qtbot: QtBot
) -> None:
    evidence = replace(response("Written."), choices={})
    one = Candidate("Written.", "local:m", evidence, "Written.")
    with session(path) as (document, journal):
        tree = document.tree
        held = Candidates(tree.loom.id, tree.root_id, "h", (one,))
        journal.keep_candidates(held)
        assert journal.settle(PATIENCE_S)
        row = ContextSummary(tree.root_id, "h", {"text": "Written."}, evidence.id)
        change = change_of(tree, "Summarise", document.pen(), (RowChange(None, row),))
        document.commit(replace(change, evidence=(evidence,)))

    with session(path) as (_, journal):
        assert journal.recovered(held.tree_id).candidates == ()
        assert journal.settle(PATIENCE_S)
    assert drafts.read(drafts_folder(path)) == []


def test_candidates_of_a_summary_are_offered_again_with_their_responses_until_they_are_put_away(
    path: Path, qtbot: QtBot
) -> None:
    one = Candidate("Written.", "local:m", response("Written."), "Edited.")
    with session(path) as (document, journal):
        tree_id = document.tree.loom.id
        held = Candidates(tree_id, "n", "h", (one, replace(one, response=None)), 1)
        journal.keep_candidates(held)
        assert journal.settle(PATIENCE_S)

    with session(path) as (_, journal):
        [again] = journal.recovered(tree_id).candidates
        assert replace(again, items=()) == replace(held, items=())
        assert [(c.written, c.model, c.text) for c in again.items] == [("Written.", "local:m", "Edited.")] * 2
        kept = again.items[0].response
        assert kept is not None
        assert (kept.id, kept.body_gzip) == (one.response and one.response.id, response("Written.").body_gzip)
        journal.keep_candidates(replace(again, items=()))
        assert journal.settle(PATIENCE_S)

    with session(path) as (_, journal):
        assert journal.recovered(tree_id).candidates == ()
