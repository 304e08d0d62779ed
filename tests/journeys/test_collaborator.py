"""Journey: an agent that sees the tree reads, leaves a note and answers; the pointer follows and undoes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits.node_marks import bookmark_plainly
from loomapp.core.model.agent import Permissions
from loomapp.core.model.hashes import verify
from loomapp.formats import loom_json
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.store.grove.open import create_grove
from loomapp.ui.agents.agents_page import AgentsPage
from loomapp.ui.commands.inspector.history import tint_of
from loomapp.ui.look import theme
from loomapp.ui.window.main_window import MainWindow
from tests.kit.collaborators import answer, conversation
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.run_desk import endless
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import fit_all, open_window

READS = "Let me look.\n→ view A7X2KQ\n→ annotate A7X2KQ: Here she lies.\n"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(answer(READS), answer("Her past; see A7X2KQ.")) as server:
        add_endpoint("fake", server.url, "chat")
        yield server


@pytest.fixture
def window(tmp_path: Path, server: FakeServer, qtbot: QtBot) -> Iterator[MainWindow]:
    imported = loom_json.read(json.dumps(conversation()).encode())
    with create_grove(tmp_path / "g.loom") as grove:
        grove.add_tree(imported.tree, imported.agents, [])
    assert server.url
    with open_window(tmp_path / "g.loom", qtbot) as window:
        yield window


def test_a_collaborator_reads_annotates_and_is_undone(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document = window.document
    document.agents.ask_only("claude")
    window.composer.set_count(1)

    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: len(document.path_ids) == 4 and not window.generator.is_streaming())
    answer_id = document.path_ids[-1]
    tree = document.tree
    assert tree.nodes[answer_id].text == "Her past; see A7X2KQ."
    assert len(server.received) == 2
    [note_id] = tree.notes("a7x2kq")

    message = window.dialogue.message(answer_id)
    assert message is not None
    pointer.click(find(message, QAbstractButton, "runTraceChip"))
    lines = find(message, QWidget, "runLines")
    qtbot.waitUntil(lines.isVisible)
    said = lines.accessibleDescription()
    assert said.splitlines() == [
        "Let me look.",
        "→ view A7X2KQ, done",
        "→ annotate A7X2KQ: Here she lies., done",
    ]
    window.bring_inspector()
    window.inspector.show_node_tab()
    done = "✓ → view A7X2KQ\n✓ → annotate A7X2KQ: Here she lies."
    qtbot.waitUntil(lambda: [one.text() for one in window.findChildren(QLabel, "nodeCommands")] == [done])
    assert tint_of(window.bench, "Claude") == theme.agent_role(document.agents.by_id()["claude"])
    assert tint_of(window.bench, "you") == "text.muted"
    pointer.click(lines, lines.rect().center())  # the line in the middle is about what she said
    qtbot.waitUntil(lambda: document.current_id == "a7x2kq")

    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: answer_id not in tree.nodes)
    assert note_id not in tree.nodes
    pointer.key("ctrl+shift+z")
    qtbot.waitUntil(lambda: answer_id in tree.nodes and note_id in tree.nodes)


@pytest.mark.parametrize("others", [False, True])
def test_a_stopped_run_is_taken_back_by_the_button_of_its_strip(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer, others: bool
) -> None:
    document = window.document
    server.scripts[:] = [answer(READS), answer("→ bookmark Q1AAAA\n"), endless("So far")]
    document.agents.ask_only("claude")
    window.composer.set_count(1)
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(
        lambda: any(live.draft.text == "So far" for live in window.generator.answers.drafts("talk"))
    )
    if others:
        document.commit(bookmark_plainly(document.tree, ["a7x2kq"], document.pen()))
    pointer.click(find(window, QPushButton, "stopButton"))
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    tree, strip = document.tree, window.text_pane.errors
    answer_id = document.path_ids[-1]
    assert (tree.nodes[answer_id].text, len(tree.notes("a7x2kq"))) == ("So far", 1)
    assert strip.text == "Claude was stopped after step 2. What it did stays."
    undo = find(strip, QPushButton, "errorAction")
    if others:
        assert undo.text() == "Undo what it did since others wrote"
        document.commit(bookmark_plainly(tree, ["b3k9mm"], document.pen()))
        qtbot.waitUntil(strip.isHidden)
        return
    assert undo.text() == "Undo these 2 steps"

    pointer.click(undo)

    qtbot.waitUntil(lambda: answer_id not in tree.nodes)
    assert not tree.notes("a7x2kq")
    assert not tree.nodes["q1aaaa"].metadata.bookmarked
    qtbot.waitUntil(strip.isHidden)


def test_who_is_in_another_tree_is_told_that_a_run_was_stopped_and_offered_nothing(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document = window.document
    server.scripts[:] = [answer(READS), endless("So far")]
    document.agents.ask_only("claude")
    window.composer.set_count(1)
    pointer.click(find(window, QPushButton, "generateButton"))
    answers = window.generator.answers
    qtbot.waitUntil(lambda: any(live.draft.text == "So far" for live in answers.drafts("talk")))
    document.new_tree("dialogue", "Other")
    assert document.tree.loom.id != "talk"
    [live] = answers.drafts("talk")

    window.generator.stop_request(live.key)

    strip = window.text_pane.errors
    qtbot.waitUntil(lambda: strip.text.startswith("Claude was stopped after step 1"))
    assert find(strip, QPushButton, "errorAction").isHidden()
    document.open_tree("talk")
    qtbot.waitUntil(strip.isHidden)


PROPOSES = "→ annotate A7X2KQ: Here she lies.\n→ bookmark Q1AAAA: first\n→ view A7X2KQ"


def test_what_an_agent_proposes_is_accepted_in_a_row_and_refused_on_its_card(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document, proposals = window.document, window.generator.proposals
    server.scripts[0] = answer(PROPOSES)
    claude = document.agents.by_id()["claude"]
    document.agents.put(replace(claude, permissions=Permissions(loom_write="ask")))
    document.agents.ask_only("claude")
    window.composer.set_count(1)
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: len(document.path_ids) == 4 and not window.generator.is_streaming())
    tree = document.tree
    assert tree.notes("a7x2kq") == ()
    note, mark = proposals.waiting

    panel = find(window, QWidget, "proposalPanel")
    qtbot.waitUntil(lambda: len(panel.findChildren(QWidget, "proposalCard")) == 2)
    pointer.click(panel.findChildren(QPushButton, "proposalAccept")[0])
    qtbot.waitUntil(lambda: proposals.waiting == (mark,))
    [note_id] = tree.notes("a7x2kq")
    assert tree.nodes[note_id].text == "Here she lies."

    fit_all(window, qtbot)
    graph = window.graph
    row = graph._scene.row_of(f"proposal:{mark.id}")
    assert row is not None
    place = graph._hand.controls(row).acts["refuse"]
    pointer.click(graph.viewport(), place.center().toPoint())
    qtbot.waitUntil(lambda: proposals.waiting == ())
    assert not tree.nodes["q1aaaa"].metadata.bookmarked
    qtbot.waitUntil(panel.isHidden)
    assert note.id != mark.id


def test_what_a_run_proposed_that_goes_on_is_offered_again_after_the_window_was_closed(
    tmp_path: Path, qtbot: QtBot
) -> None:
    imported = loom_json.read(json.dumps(conversation(permissions={"loomWrite": "ask"})).encode())
    with create_grove(tmp_path / "g.loom") as grove:
        grove.add_tree(imported.tree, imported.agents, [])
    with FakeServer(answer(PROPOSES), endless("So far")) as server:
        add_endpoint("fake", server.url, "chat")
        with open_window(grove.path, qtbot) as window:
            window.document.agents.ask_only("claude")
            window.composer.set_count(1)
            find(window, QPushButton, "generateButton").click()
            answers = window.generator.answers
            qtbot.waitUntil(lambda: any(live.draft.text == "So far" for live in answers.drafts("talk")))
            lines = [one.line for one in window.generator.proposals.waiting]
            assert len(lines) == 2

    with open_window(grove.path, qtbot) as window:
        assert [one.line for one in window.generator.proposals.waiting] == lines


def test_a_command_that_is_not_allowed_leads_to_what_would_allow_it(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document = window.document
    claude = document.agents.by_id()["claude"]
    document.agents.put(replace(claude, permissions=Permissions(loom_write=False)))
    document.agents.ask_only("claude")
    window.composer.set_count(1)
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: len(document.path_ids) == 4 and not window.generator.is_streaming())
    message = window.dialogue.message(document.path_ids[-1])
    assert message is not None
    pointer.click(find(message, QAbstractButton, "runTraceChip"))
    lines = find(message, QWidget, "runLines")
    qtbot.waitUntil(lines.isVisible)
    said = lines.accessibleDescription().splitlines()[-1]
    assert "It may not write in the tree" in said
    assert said.endswith("Allow…")

    pointer.click(lines, lines.rect().bottomLeft() + QPoint(40, -8))

    page = find(window, AgentsPage, "agentsPage")
    qtbot.waitUntil(page.isVisible)
    assert page.chosen_id == "claude"


@pytest.mark.slow
def test_a_collaborator_has_the_model_inside_speak_as_its_subject(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document = window.document
    server.scripts[0] = answer("→ continue from Q1AAAA tokens: 24 using agent: Marie\n→ view Q1AAAA")
    marie = document.agents.by_id()["marie"]
    document.agents.put(replace(marie, model_ref=DEFAULT_MODEL_REF))
    document.agents.ask_only("claude")
    window.composer.set_count(1)

    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: len(document.path_ids) == 4 and not window.generator.is_streaming())

    tree = document.tree
    [said] = [node for node in tree.nodes.values() if node.author_agent_id == "marie" and node.id != "a7x2kq"]
    assert tree.incoming(said.id)[0].sources[0].node_id == "q1aaaa"
    evidence = document.grove.evidence("talk", said.id)
    assert evidence is not None
    sent = json.dumps(json.loads(evidence.request_body), ensure_ascii=False)
    assert "Who are you?" in sent
    assert all(words not in sent for words in ("→", "[Q1AAAA]", "=== Loom Context ==="))
    findings = verify(tree, document.grove.digests("talk"))
    assert next(one.verdict for one in findings if one.node_id == said.id) == "ok"

    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: said.id not in tree.nodes)
