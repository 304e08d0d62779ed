"""`loomapp generate` ended from outside while an answer streams: what was shown is kept.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import threading
import time
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.__main__ import main
from loomapp.core.generation.answers import CrashedRun, Sources
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Node
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.tree import Tree
from loomapp.runs.answer_journal import AnswerJournal
from loomapp.store.checks.check import check
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.files import drafts
from loomapp.store.files.drafts import Slot, drafts_folder
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from tests.kit.chance import seed
from tests.kit.families import one_in
from tests.kit.processes import warm
from tests.kit.processes.command import COMMAND, Ran, loomapp, new_tree
from tests.kit.processes.warm import Started
from tests.kit.servers.counted_story import CountedStory, busy_machine
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, answers, chunk
from tests.store.test_disk_full import no_file_may_grow_beyond

FEW_KILLS = 10  # by each signal in turn
KILLS = [FEW_KILLS, pytest.param(100, marks=[pytest.mark.slow, pytest.mark.timeout(2400)])]
LOST_S = 1.0
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
POLITE = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


def generate(grove: Path, tree_id: str, at: str, url: str, *more: str) -> tuple[str, ...]:
    named = ("--grove", str(grove), "--tree", tree_id, "--at", at)
    return ("generate", *named, "--endpoint", url, "--model", "own:story", *more)


def asking(grove: Path, tree_id: str, at: str, url: str) -> AbstractContextManager[Started]:
    return warm.program("asking", *generate(grove, tree_id, at, url))


def end(process: Started, number: int) -> None:
    os.kill(process.pid, number)


def write_beside(grove: Path, tree_id: str, at: str) -> Ran:
    return loomapp("node", "add", "--grove", grove, "--tree", tree_id, "--parent", at, "--text", "Mine.")


def answers_in(tree: Tree) -> list[Node]:
    return [node for node in tree.nodes.values() if node.author_type == "model"]


def tree_of(grove: Path, tree_id: str) -> Tree:
    """The tree in the file, every node of it verified."""
    with open_grove(grove) as opened:
        assert {finding.verdict for finding in verify_tree(opened, tree_id)} == {"ok"}
        return opened.load_tree(tree_id)


def assert_nothing_waits(grove: Path) -> None:
    assert not drafts_folder(grove).exists()


@pytest.mark.parametrize("kills", KILLS)
def test_kills_while_an_answer_streams_cost_at_most_a_second_of_it(grove: Path, kills: int) -> None:
    chance = random.Random(seed(3))
    tree_id, root_id = new_tree(grove)
    kept: list[str] = []
    lost_s: list[float] = []

    for kill in range(kills):
        number, story = SIGNALS[kill % len(SIGNALS)], CountedStory()
        with (
            FakeServer(story) as server,
            asking(grove, tree_id, root_id, server.url) as process,
            busy_machine() if kills > FEW_KILLS or kill % 4 == 0 else nullcontext(),
        ):
            story.wait_for_words(chance.randrange(1, 120))
            killed_at = time.monotonic()
            end(process, number)
            status = process.wait()

        assert status == (-number if number == signal.SIGKILL else 130)
        assert write_beside(grove, tree_id, root_id).status == 0
        due = story.sent_before(killed_at - LOST_S)
        tree = tree_of(grove, tree_id)
        answers_now = answers_in(tree)
        assert [node.text for node in answers_now][: len(kept)] == kept
        new = answers_now[len(kept) :]
        assert len(new) <= 1
        text = new[0].text if new else ""
        assert story.begins_with(text)
        assert len(text) >= len(due)
        for node in new:
            assert node.interrupted is not None
            assert node.interrupted.reason == ("crash" if number == signal.SIGKILL else "cancelled")
            kept.append(text)
        lost_s.append(killed_at - story.when(len(text)))
        assert_nothing_waits(grove)

    assert check(grove).problems == ()
    print("seconds lost", sorted(round(s, 2) for s in lost_s))


@pytest.mark.parametrize("number", one_in(3, POLITE))
def test_a_signal_while_nothing_has_come_yet_ends_it_with_nothing(grove: Path, number: int) -> None:
    tree_id, root_id = new_tree(grove)
    asked = threading.Event()

    def silent(conversation: Conversation) -> None:
        asked.set()
        conversation.wait_until_left()

    with FakeServer(silent) as server, asking(grove, tree_id, root_id, server.url) as process:
        assert asked.wait(60)
        end(process, number)
        assert process.wait() == 130

    assert list(tree_of(grove, tree_id).nodes) == [root_id]
    assert_nothing_waits(grove)


@pytest.mark.parametrize("number", one_in(3, POLITE, first=1))
def test_a_signal_while_the_answer_is_being_saved_does_not_stop_the_saving(grove: Path, number: int) -> None:
    tree_id, root_id = new_tree(grove)

    with FakeServer(answers("Because.")) as server, closing(sqlite3.connect(grove)) as other:
        other.execute("BEGIN IMMEDIATE")
        with warm.program("asking", *generate(grove, tree_id, root_id, server.url, "--json")) as process:
            wait_until_kept(grove, "'stop'")
            end(process, number)
            other.rollback()
            assert process.wait() == 130

    [answer] = answers_in(tree_of(grove, tree_id))
    assert (answer.text, answer.interrupted) == ("Because.", None)
    assert_nothing_waits(grove)


def wait_until_kept(grove: Path, text: str) -> None:
    """Until a text is on disk beside the grove."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if any(text in str(row.body["drafts"]) for row in drafts.read(drafts_folder(grove))):
            return
        threading.Event().wait(0.01)
    pytest.fail("it was never kept")


def test_what_the_grove_does_not_take_is_kept_and_the_next_command_adds_it(grove: Path) -> None:
    tree_id, root_id = new_tree(grove)

    with FakeServer(answers("Because.")) as server, closing(sqlite3.connect(grove)) as other:
        other.execute("BEGIN IMMEDIATE")
        ran = loomapp(*generate(grove, tree_id, root_id, server.url))
        other.rollback()

    assert ran.status == 1
    assert "the text so far is kept beside the grove" in ran.err
    assert "an answer of a command that" in loomapp("trees", "--grove", grove).complaint
    added = write_beside(grove, tree_id, root_id)
    [answer] = answers_in(tree_of(grove, tree_id))
    assert (answer.text, answer.interrupted) == ("Because.", None)
    assert answer.local_id in added.complaint
    assert_nothing_waits(grove)


def test_an_answer_that_still_streams_is_left_alone_by_other_commands(grove: Path) -> None:
    tree_id, root_id = new_tree(grove)
    may_end = threading.Event()

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Be"))
        assert may_end.wait(60)
        conversation.send(chunk("cause.") + chunk(reason="stop") + DONE)

    with FakeServer(script) as server, asking(grove, tree_id, root_id, server.url) as process:
        wait_until_kept(grove, "Be")
        beside = write_beside(grove, tree_id, root_id)
        looked = loomapp("trees", "--grove", grove)
        may_end.set()
        assert process.wait() == 0

    assert (beside.status, beside.err, looked.err) == (0, "", "")
    assert [node.text for node in answers_in(tree_of(grove, tree_id))] == ["Because."]
    assert_nothing_waits(grove)


@pytest.mark.parametrize("is_moved", one_in(2, [True, False]))
def test_a_grove_that_is_moved_or_deleted_while_an_answer_streams_is_told_of(
    grove: Path, is_moved: bool
) -> None:
    tree_id, root_id = new_tree(grove)
    may_end = threading.Event()

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Be"))
        assert may_end.wait(60)
        conversation.send(chunk("cause.") + chunk(reason="stop") + DONE)

    with FakeServer(script) as server:
        command = [*COMMAND, *generate(grove, tree_id, root_id, server.url)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            wait_until_kept(grove, "Be")
            if is_moved:
                grove.rename(grove.with_name("moved.loom"))
            else:
                grove.unlink()
            may_end.set()
            _, complaint = process.communicate()

    assert process.returncode == 0
    assert "was moved, deleted or replaced while this command had it open" in complaint
    assert f"what it saves is in {grove}" in complaint
    assert "window" not in complaint
    assert [node.text for node in answers_in(tree_of(grove, tree_id))] == ["Because."]


def test_of_an_answer_that_a_full_disk_cut_it_is_said_how_much_is_kept(tmp_path: Path) -> None:
    told: list[str] = []
    about = CrashedRun("run", "tree", Sources("node"), "agent", (Draft(0),))
    with AnswerJournal(tmp_path / "g.loom", about, None, told.append) as journal:
        journal.settle([Draft(0, "Because.")], ())
        with no_file_may_grow_beyond(100):
            journal.settle([Draft(0, "Because it is so. " * 100)], ())

    assert "of the 1,800 characters that came, 8 could be kept" in told[-1]


def test_of_an_answer_of_which_a_full_disk_took_nothing_it_is_said(tmp_path: Path) -> None:
    told: list[str] = []
    about = CrashedRun("run", "tree", Sources("node"), "agent", (Draft(0),))
    with AnswerJournal(tmp_path / "g.loom", about, None, told.append) as journal, no_file_may_grow_beyond(10):
        journal.settle([Draft(0, "Because it is so.")], ())

    assert "none of the 17 characters that came could be kept" in told[-1]


def test_answers_that_a_full_disk_does_not_take_are_all_printed_and_no_second_try_is_promised(
    grove: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree_id, root_id = new_tree(grove)
    words = "Because it is so. " * 4000
    with FakeServer(answers(words)) as server:
        size = max(file.stat().st_size for file in grove.parent.iterdir() if file.is_file())
        with no_file_may_grow_beyond(size + 50_000):
            status = main(
                [*generate(grove, tree_id, root_id, server.url), "--n", "2", "--max-tokens", "99999"]
            )

    told = capsys.readouterr()
    assert status == 1
    assert told.out.count(words.strip()) == 2
    assert "The answer is not in it; all of it was printed." in told.err
    assert "try again" not in told.err
    assert "kept beside the grove" in told.err
    assert [node.text for node in answers_in(tree_of(grove, tree_id))] == []


@pytest.mark.slow
def test_under_nohup_a_closed_terminal_ends_nothing(grove: Path) -> None:
    tree_id, root_id = new_tree(grove)
    may_end = threading.Event()

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Be"))
        assert may_end.wait(60)
        conversation.send(chunk("cause.") + chunk(reason="stop") + DONE)

    with FakeServer(script) as server:
        command = ["nohup", *COMMAND, *generate(grove, tree_id, root_id, server.url)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            wait_until_kept(grove, "Be")
            process.send_signal(signal.SIGHUP)
            may_end.set()
            process.communicate()
            assert process.returncode == 0

    assert [node.text for node in answers_in(tree_of(grove, tree_id))] == ["Because."]


def test_a_disk_that_takes_no_output_costs_no_text(grove: Path) -> None:
    tree_id, root_id = new_tree(grove)

    with FakeServer(answers("Because.")) as server, Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [*COMMAND, *generate(grove, tree_id, root_id, server.url)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )

    assert ran.returncode == 1
    assert "could not be written" in ran.stderr
    assert [node.text for node in answers_in(tree_of(grove, tree_id))] == ["Because."]


def test_what_a_kill_in_the_middle_of_the_writing_leaves_goes_with_the_next_command(grove: Path) -> None:
    tree_id, root_id = new_tree(grove)
    slot, folder = Slot(tree_id, "run", "gone"), drafts_folder(grove)
    for names in ([], [slot.claim_name], [slot.claim_name, f"{slot.file_name}.part"]):
        folder.mkdir()
        for name in names:
            (folder / name).write_text("{", encoding="utf-8")

        assert write_beside(grove, tree_id, root_id).err == ""

        assert_nothing_waits(grove)


def revised(grove: Path, tree_id: str, node_id: str) -> str:
    """Take a node back and make another in its place in one Change, as a sitting does; its id."""
    with open_grove(grove) as opened:
        tree = opened.load_tree(tree_id)
        gone, edge = tree.nodes[node_id], tree.incoming(node_id)[0]
        node = replace(gone, id=new_id(), local_id="zzz", content=Text("Made anew."))
        node = replace(node, content_hash=content_hash(node, None))
        rows = (
            RowChange(tree.path, replace(tree.path, leaf_id=node.id)),
            RowChange(edge, None),
            RowChange(gone, None),
            RowChange(None, node),
            RowChange(None, replace(edge, id=new_id(), target_id=node.id)),
        )
        opened.commit(tree, Change(tree_id, "Write", now(), rows))
        return node.id


@pytest.mark.parametrize("is_made_anew", one_in(2, [True, False]))
def test_answers_to_a_node_that_is_gone_hang_on_what_took_its_place(grove: Path, is_made_anew: bool) -> None:
    tree_id, root_id = new_tree(grove)
    added = loomapp(
        *("node", "add", "--grove", grove, "--tree", tree_id, "--parent", root_id, "--json"),
        *("--text", "A question."),
    )
    node_id, may_end = added.json["nodeId"], threading.Event()

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Be"))
        assert may_end.wait(60)
        conversation.send(chunk("cause.") + chunk(reason="stop") + DONE)

    with FakeServer(script) as server, asking(grove, tree_id, node_id, server.url) as process:
        wait_until_kept(grove, "Be")
        if is_made_anew:
            place_id = revised(grove, tree_id, node_id)
        else:
            place_id = root_id
            with open_grove(grove) as opened:
                opened.undo(opened.load_tree(tree_id))
        may_end.set()
        assert process.wait() == 0

    tree = tree_of(grove, tree_id)
    [answer] = answers_in(tree)
    assert answer.text == "Because."
    assert tree.incoming(answer.id)[0].with_role("primary") == (place_id,)
    assert_nothing_waits(grove)


def test_an_answer_that_was_left_to_a_node_that_is_gone_is_added_by_the_next_command(grove: Path) -> None:
    tree_id, root_id = new_tree(grove)
    added = loomapp(
        *("node", "add", "--grove", grove, "--tree", tree_id, "--parent", root_id, "--json"),
        *("--text", "A question."),
    )

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Because"))
        conversation.wait_until_left()

    with FakeServer(script) as server, asking(grove, tree_id, added.json["nodeId"], server.url) as process:
        wait_until_kept(grove, "Because")
        place_id = revised(grove, tree_id, added.json["nodeId"])
        end(process, signal.SIGKILL)
        process.wait()

    looked = loomapp("trees", "--grove", grove)
    written = write_beside(grove, tree_id, root_id)

    assert "an answer of a command that broke off is not in" in looked.complaint
    tree = tree_of(grove, tree_id)
    [answer] = answers_in(tree)
    assert tree.incoming(answer.id)[0].with_role("primary") == (place_id,)
    assert f"a command that broke off had written this: added {answer.local_id}" in written.complaint
    assert_nothing_waits(grove)
