"""A model's text is read back out of its response by the rule it recorded, wherever a window makes a node.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Agent
from loomapp.formats import evidence_file
from loomapp.formats.evidence_file import Contents
from loomapp.providers import registry
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import create_grove
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.processes.outside import new_tree
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, says
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import unseen_window
from tests.ui.buffer.test_ghosts import after_a_crash, offer_in_part
from tests.ui.buffer.test_streaming import BEGUN, Held, let_end
from tests.ui.buffer.test_view import ANSWER, ask, begin_with, press, writing_unseen

TELLER = Agent("teller", "Teller", "model", "own:fake-1")
WORDS = ("Rooks came", " over the elms", " at dusk.")


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of the scripted server, as agents name them."""
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(says(chunk(ANSWER), chunk(reason="stop"), DONE)) as server:
        yield server


def proved(grove: Grove, tree_id: str) -> list[tuple[str, str]]:
    """Text and rule of each model's node, once verification has nothing to say, here and in another place."""
    findings = verify_tree(grove, tree_id)
    assert [(f.node_id, f.reason) for f in findings if f.verdict != "ok"] == []
    evidence, tree = grove.all_evidence(tree_id), grove.load_tree(tree_id)
    whole = Contents(tree, tuple(grove.tree_agents(tree_id)), tuple(evidence))
    leaf = whole.above(list(tree.nodes)[-1])
    for contents in (whole, leaf):
        checked = evidence_file.check(evidence_file.write(contents).encode())
        assert [(f.node_id, f.reason) for f in checked.findings if f.verdict != "ok"] == []
    rules = {node_id: rule for item in evidence for node_id, rule in item.texts.items()}
    return [(node.text, rules[node.id]) for node in tree.nodes.values() if node.author_type == "model"]


def proved_in(window: MainWindow) -> list[tuple[str, str]]:
    return proved(window.document.grove, window.document.tree.loom.id)


def told(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.generator.is_streaming())


def dialogue(path: Path, server: FakeServer) -> Path:
    """A tree with a question for a model that writes several answers in one response."""
    add_endpoint("own", server.url, "chat")
    with create_grove(path) as grove:
        grove.put_agent(TELLER)
        put_asked_ids(grove, (TELLER.id,))
    new_tree(path, text="Tell me of rooks.")
    return path


def two_choices(reached: threading.Event, end: threading.Event) -> FakeServer:
    """Two answers in one response; the second half of each comes when it is let."""

    def answer(conversation: Conversation) -> None:
        conversation.head()
        for word in WORDS[:2]:
            for index in (0, 1):
                conversation.send(chunk(word, index=index))
        reached.set()
        end.wait(60)
        for index in (0, 1):
            conversation.send(chunk(WORDS[2], index=index) + chunk(index=index, reason="stop"))
        conversation.send(DONE)

    return FakeServer(answer)


def test_one_card_of_a_request_is_stopped_and_the_other_goes_on(tmp_path: Path, qtbot: QtBot) -> None:
    reached, end = threading.Event(), threading.Event()
    with (
        two_choices(reached, end) as server,
        unseen_window(dialogue(tmp_path / "g.loom", server)) as window,
    ):
        window.composer.set_count(2)
        window.actions_set.by_name["generate"].trigger()
        tree_id = window.document.tree.loom.id
        written = "".join(WORDS[:2])
        qtbot.waitUntil(
            lambda: [live.draft.text for live in window.generator.drafts(tree_id)] == [written, written]
        )

        window.generator.stop(window.generator.drafts(tree_id)[1].key)
        end.set()
        told(window, qtbot)

        assert proved_in(window) == [("".join(WORDS), "whole"), (written, "stopped")]


@pytest.mark.slow
@pytest.mark.parametrize("how", one_in(3, ["stop", "close", "break"]))
def test_an_answer_that_ends_early_is_the_beginning_of_what_came(
    tmp_path: Path, qtbot: QtBot, how: str
) -> None:
    end = threading.Event()

    def answer(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk(WORDS[0]) + chunk(WORDS[1]))
        end.wait(60)
        if how == "break":
            conversation.reset()

    with FakeServer(answer) as server, unseen_window(dialogue(tmp_path / "g.loom", server)) as window:
        window.composer.set_count(1)
        window.actions_set.by_name["generate"].trigger()
        tree_id = window.document.tree.loom.id
        written = "".join(WORDS[:2])
        qtbot.waitUntil(
            lambda: bool(drafts := window.generator.drafts(tree_id)) and drafts[0].draft.text == written
        )

        if how == "stop":
            window.generator.stop_all()
        elif how == "close":
            window.generator.close()
        end.set()
        told(window, qtbot)

        assert proved_in(window) == [(written, "stopped")]


@pytest.mark.slow
def test_words_that_were_accepted_of_a_ghost_are_a_stretch_of_it(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        offer_in_part(window, qtbot, 2)
        press(window, Qt.Key.Key_Escape)

        assert proved_in(window) == [(ANSWER, "whole"), (" and the", "part"), (" oil was cold.", "part")]

        offer_in_part(window, qtbot, 0)
        press(window, Qt.Key.Key_Tab)

        assert proved_in(window)[3:] == [(ANSWER, "whole")]


@pytest.mark.slow
def test_passages_of_an_answer_that_are_parted_and_put_together_are_stretches_of_it(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        ask(window, qtbot)
        editor = window.buffer.view.editor
        for words in ("The lamp was lit and", "The lamp was lit and the oil"):
            editor.set_caret(len(words))
            window.actions_set.by_name["splitPassage"].trigger()
        window.actions_set.by_name["mergeWithParent"].trigger()

        texts = proved_in(window)

        assert texts[0] == (ANSWER, "whole")
        assert {rule for _, rule in texts[1:-1]} == {"part"}
        assert texts[-1] == (ANSWER.removeprefix(" and"), "parts")


@pytest.mark.slow
def test_words_after_spaces_and_in_the_middle_of_a_text_are_whole(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server, "The lamp was lit   ") as window:
        ask(window, qtbot)
        editor = window.buffer.view.editor
        editor.set_caret(8)
        ask(window, qtbot)
        QTest.keyClicks(editor, " Nobody slept.")
        window.writing.settle()
        ask(window, qtbot)

        assert proved_in(window) == [(ANSWER, "whole")] * 3


@pytest.mark.slow
def test_an_answer_that_a_crash_cut_short_is_the_beginning_of_what_came(tmp_path: Path, qtbot: QtBot) -> None:
    held = Held()
    with held.server, writing_unseen(tmp_path / "g.loom", held.server) as window:
        window.actions_set.by_name["generate"].trigger()
        qtbot.waitUntil(lambda: BEGUN in window.buffer.view.editor.tail_text)

        with unseen_window(after_a_crash(window, tmp_path)) as again:
            assert proved_in(again) == [(BEGUN, "stopped")]
        let_end(window, qtbot, held)


@pytest.mark.slow
def test_what_another_wrote_is_no_text_of_a_model_whatever_was_taken_of_it(
    tmp_path: Path, qtbot: QtBot, server: FakeServer
) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        ask(window, qtbot)
        editor = window.buffer.view.editor
        at = editor.text.index("oil")
        editor.select(at, at + 3)
        QTest.keyClicks(editor, "tea")
        window.writing.settle()

        assert proved_in(window) == [(ANSWER, "whole")]
        assert window.document.tree.nodes[window.document.path_ids[-1]].author_type == "human"


@pytest.mark.slow
def test_undo_and_redo_leave_the_proof_as_it_was(tmp_path: Path, qtbot: QtBot, server: FakeServer) -> None:
    with writing_unseen(tmp_path / "g.loom", server) as window:
        begin_with(window, "")
        offer_in_part(window, qtbot, 2)
        press(window, Qt.Key.Key_Escape)
        before = proved_in(window)

        for name in ("undo", "undo", "redo", "redo"):
            window.actions_set.by_name[name].trigger()

        assert proved_in(window) == before
