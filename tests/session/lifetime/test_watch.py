"""What the command line writes into a grove that is open appears, and neither side loses a write.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import LoomTree
from loomapp.formats import loom_json
from loomapp.providers import registry
from loomapp.providers.engine.engine import Engine
from loomapp.session.document import Document
from loomapp.session.lifetime.foreign_writes import LOOK_MS, Watch
from loomapp.session.requests.generator import Generator
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.grove.trees_in_memory import SOME
from loomapp.store.identity import new_id, now
from tests.kit.groves import agree
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, usage
from tests.session.programs import ask_server_in

TIMEOUT_MS = 60_000


@pytest.fixture
def document(tmp_path: Path) -> Iterator[Document]:
    with create_grove(tmp_path / "g.loom") as grove:
        yield Document(grove)


@pytest.fixture
def watch(document: Document, qtbot: QtBot) -> Iterator[Watch]:
    watch = Watch(document)
    yield watch
    watch.close()


class CommandLine:
    """The installed command, run while the event loop goes on."""

    def __init__(self, document: Document, qtbot: QtBot) -> None:
        self._grove = document.grove.path
        self._qtbot = qtbot

    def run(self, *arguments: str | Path) -> str:
        """What it prints; it must succeed."""
        command = [sys.executable, "-m", "loomapp", *map(str, arguments), "--grove", str(self._grove)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            self._qtbot.waitUntil(lambda: process.poll() is not None, timeout=TIMEOUT_MS)
            assert process.stdout is not None
            assert process.returncode == 0
            return process.stdout.read().strip()


@pytest.fixture
def command_line(document: Document, qtbot: QtBot) -> CommandLine:
    return CommandLine(document, qtbot)


def test_settings_typed_just_after_another_program_changed_others_keep_both(
    document: Document, tmp_path: Path
) -> None:
    shown = document.tree.loom
    with open_grove(document.grove.path) as other:
        tree = other.load_tree(shown.id)
        theirs = replace(shown, context_settings=replace(shown.context_settings, token_buffer=77))
        change = tree_edits.change_loom(tree, "Tree settings", document.pen(), theirs)
        assert change is not None
        other.commit(tree, change)

    document.trees.save_loom(replace(shown, system_context="Be brief."))

    assert document.tree.loom.system_context == "Be brief."
    assert document.tree.loom.context_settings.token_buffer == 77


def test_a_node_of_the_command_line_appears_by_itself_and_can_be_undone(
    document: Document, watch: Watch, command_line: CommandLine, qtbot: QtBot
) -> None:
    heard: list[Change] = []
    document.tree_changed.connect(lambda change, _: heard.append(change))
    tree = document.tree

    added = command_line.run(
        "node", "add", "--tree", tree.loom.id, "--parent", tree.root_id, "--text", "From elsewhere"
    )
    qtbot.waitUntil(lambda: added in tree.nodes, timeout=TIMEOUT_MS)

    assert LOOK_MS < 1000
    assert [(change.label, change.by) for change in heard] == [("Write", "command line")]
    assert document.current_id == tree.root_id
    # A look that takes long puts the path back in its next turn.
    qtbot.waitUntil(lambda: tree.path.leaf_id == tree.root_id, timeout=TIMEOUT_MS)
    assert document.history.undo_label is not None
    assert "command line" in document.history.undo_label
    document.history.undo(lambda _: None)
    assert added not in tree.nodes
    assert agree(document.grove, tree)


@pytest.mark.slow
def test_new_and_imported_trees_and_their_agents_appear_in_the_list(
    document: Document, watch: Watch, command_line: CommandLine, qtbot: QtBot, tmp_path: Path
) -> None:
    told: list[str] = []
    document.trees.changed.connect(lambda: told.append("trees"))
    watch.agents_changed.connect(lambda: told.append("agents"))
    other = tree_edits.new_tree("dialogue", "Elsewhere", document.pen(), text="Hello")
    file = tmp_path / "e.loom.json"
    stranger = Agent("stranger", "A stranger", "model", "local:strange")
    file.write_text(loom_json.write(other, [document.grove.owner, stranger], []), encoding="utf-8")
    document.agents.by_id()

    made = command_line.run("tree", "new", "--mode", "buffer", "--title", "Beside").split()[0]
    qtbot.waitUntil(lambda: told == ["trees"], timeout=TIMEOUT_MS)
    command_line.run("import", file)
    qtbot.waitUntil(lambda: set(told[1:]) == {"trees", "agents"}, timeout=TIMEOUT_MS)

    assert {made, other.loom.id} < {row.id for row in document.trees.rows()}
    assert "stranger" in document.agents.by_id()


def test_what_is_written_is_looked_at_without_waiting_for_the_next_look(
    document: Document, watch: Watch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loomapp.session.lifetime.foreign_writes.LOOK_MS", 10 * TIMEOUT_MS)

    [theirs] = written_elsewhere(document, 1)

    qtbot.waitUntil(lambda: theirs in document.tree.nodes, timeout=TIMEOUT_MS)


def test_a_commit_of_ones_own_is_not_told_twice(document: Document, watch: Watch) -> None:
    told: list[int] = []
    for changed in (document.trees.changed, document.row_changed):
        changed.connect(lambda: told.append(len(document.trees.known_rows())))

    note(document, "mine")
    assert told == [1]
    watch.look()

    assert told == [1]


@pytest.mark.slow
def test_both_sides_write_at_once_and_nothing_is_lost(
    document: Document, watch: Watch, command_line: CommandLine
) -> None:
    tree = document.tree
    mine, theirs = [], []

    for i in range(3):
        mine.append(note(document, f"mine {i}"))
        add = ("node", "add", "--tree", tree.loom.id, "--parent", tree.root_id, "--text", f"theirs {i}")
        theirs.append(command_line.run(*add))
        mine.append(note(document, f"mine again {i}"))

    watch.look()
    assert {*mine, *theirs} < set(tree.nodes)
    assert agree(document.grove, tree)
    assert {finding.verdict for finding in verify_tree(document.grove, tree.loom.id)} == {"ok"}


def test_what_others_wrote_in_great_number_comes_in_over_several_turns(
    document: Document, watch: Watch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loomapp.session.lifetime.foreign_writes.SLICE_MS", 0.0)
    theirs = written_elsewhere(document, SOME + 3)
    told: list[Change] = []
    document.tree_changed.connect(lambda change, _: told.append(change))

    watch.look()
    assert len(told) == 1
    assert theirs[0] in document.tree.nodes
    assert theirs[1] not in document.tree.nodes

    qtbot.waitUntil(lambda: theirs[-1] in document.tree.nodes)
    assert [change.added_nodes()[0].id for change in told] == theirs
    assert agree(document.grove, document.tree)


def test_the_title_by_words_that_came_first_by_another_programs_undo_is_told_to_the_views(
    document: Document,
) -> None:
    tree, told = document.tree, list[Change]()
    document.commit(node_edits.add_node(tree, tree.root_id, "Before.", document.pen()))
    with open_grove(document.grove.path) as other:
        other.undo(other.load_tree(tree.loom.id))
    document.tree_changed.connect(lambda change, _: told.append(change))

    document.commit(node_edits.add_node(tree, tree.root_id, "Ours.", document.pen()))

    assert tree.loom.title == "Ours."
    (title,) = told[-1].changed(LoomTree)
    assert title.after == tree.loom
    assert agree(document.grove, tree)


def test_what_one_does_while_others_come_in_comes_after_all_of_theirs(
    document: Document, watch: Watch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loomapp.session.lifetime.foreign_writes.SLICE_MS", 0.0)
    document.place.has_words = lambda: True  # so that what is read stays
    read = document.path_ids
    theirs = written_elsewhere(document, 5)

    watch.look()
    assert theirs[-1] not in document.tree.nodes
    mine = note(document, "mine")

    assert {*theirs, mine} < set(document.tree.nodes)
    assert document.path_ids == read
    assert document.tree.path.leaf_id == read[-1]
    told: list[Change] = []
    document.tree_changed.connect(lambda change, _: told.append(change))
    qtbot.wait(LOOK_MS)
    assert told == []
    assert agree(document.grove, document.tree)


def written_elsewhere(document: Document, count: int) -> list[str]:
    """What another program adds below the root, one after the other; the new nodes."""
    with open_grove(document.grove.path) as other:
        tree = other.load_tree(document.tree.loom.id)
        pen = edit_context.EditContext(other.owner.id, now(), new_id, by="another")
        for number in range(count):
            other.commit(tree, node_edits.add_node(tree, tree.root_id, f"theirs {number}", pen))
        return list(tree.nodes)[-count:]


def note(document: Document, text: str) -> str:
    change = node_edits.annotate(document.tree, document.tree.root_id, text, document.pen())
    document.commit(change)
    return change.added_nodes()[0].id


@pytest.mark.slow
def test_others_may_write_into_a_tree_in_which_an_answer_streams(
    document: Document,
    watch: Watch,
    command_line: CommandLine,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on = threading.Event()

    def patient(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("Once "))
        assert go_on.wait(TIMEOUT_MS / 1000)
        conversation.send(chunk("upon a time.") + chunk(reason="stop") + usage(3, 4) + DONE)

    tree = document.tree
    document.commit(node_edits.add_node(tree, tree.root_id, "Tell.", document.pen()))
    question = document.current_id
    monkeypatch.setattr(registry, "PROVIDERS", dict(registry.PROVIDERS))
    with FakeServer(patient) as server:
        ask_server_in(document, server.url)
        generator = Generator(document, Engine())
        generator.start(Sources(question), 1)
        qtbot.waitUntil(lambda: bool(generator.drafts(tree.loom.id)[0].draft.text), timeout=TIMEOUT_MS)
        add = ("node", "add", "--tree", tree.loom.id, "--parent", question, "--text", "Meanwhile")
        theirs = command_line.run(*add)
        qtbot.waitUntil(lambda: theirs in tree.nodes, timeout=TIMEOUT_MS)
        assert generator.is_streaming()
        go_on.set()
        qtbot.waitUntil(lambda: not generator.is_streaming(), timeout=TIMEOUT_MS)
        generator.close()

    children = tree.children(question)
    assert [tree.nodes[child].text for child in children] == ["Meanwhile", "Once upon a time."]
    assert document.tree.path.leaf_id == children[1]  # the answer to where the reader was
    assert agree(document.grove, tree)
