"""Another program takes back what an answer continues, while that is being written: no word of it is lost.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.model.entities import Mode
from loomapp.session.lifetime.foreign_writes import Watch
from loomapp.store.files import drafts
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands import node_actions
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.processes.outside import new_tree
from tests.kit.servers.fake_server import Conversation, FakeServer, chunk
from tests.kit.windows import open_window
from tests.session.programs import ask_server_in


@pytest.fixture
def go_on() -> threading.Event:
    return threading.Event()


@pytest.fixture
def server(go_on: threading.Event) -> Iterator[FakeServer]:
    def answer(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("A lark"))
        go_on.wait(30)
        conversation.send(chunk(", then.", reason="stop") + b"data: [DONE]\n\n")

    with FakeServer(answer) as server:
        yield server
        go_on.set()


def ask(window: MainWindow, server: FakeServer, qtbot: QtBot) -> str:
    """A question, and its answer begins; the question's id."""
    document = window.document
    ask_server_in(document, server.url)
    document.commit(node_edits.add_node(document.tree, document.tree.root_id, "Name one.", document.pen()))
    asked = document.current_id
    window.generator.start(Sources(asked), 1)
    qtbot.waitUntil(lambda: any(d.draft.text for d in window.generator.drafts(document.tree.loom.id)))
    return asked


def take_back(window: MainWindow) -> None:
    with open_grove(window.document.grove.path) as grove:
        grove.undo(grove.load_tree(window.document.tree.loom.id), by="another")


def hear(window: MainWindow) -> None:
    next(part for part in window.keepers if isinstance(part, Watch)).look()


@pytest.mark.parametrize("mode", one_in(2, ["dialogue", "buffer"]))
@pytest.mark.parametrize("hears", one_in(2, [True, False]))
def test_an_answer_to_what_another_program_took_back_waits_until_it_is_there_again(
    mode: Mode, hears: bool, tmp_path: Path, server: FakeServer, go_on: threading.Event, qtbot: QtBot
) -> None:
    path = tmp_path / "g.loom"
    new_tree(path, mode=mode, text="First.")
    with open_window(path, qtbot) as window:
        document, generator = window.document, window.generator
        tree_id, asked = document.tree.loom.id, ask(window, server, qtbot)

        take_back(window)
        if hears:
            hear(window)
            assert asked not in document.tree.nodes
            assert generator.drafts(tree_id)[0].parent_id == document.path_ids[-1]
        go_on.set()
        qtbot.waitUntil(lambda: not generator.is_streaming())

        (live,) = generator.drafts(tree_id)
        assert live.draft.text == "A lark, then."
        assert live.draft.error is not None
        assert "Redo brings it back" in live.draft.error.message
        assert live.parent_id == document.path_ids[-1]
        assert live.draft.text in generator.answers.unsaved_text()
        window.run_command(node_actions.redo)
        assert generator.drafts(tree_id)[0].parent_id == asked
        generator.retry(live.key)
        assert not generator.drafts(tree_id)
        (answer,) = document.tree.children(asked)
        assert document.tree.nodes[answer].text == "A lark, then."
        assert document.grove.evidence(tree_id, answer) is not None


@pytest.mark.slow
def test_an_answer_to_what_was_taken_back_hangs_on_the_passage_above_it_after_a_restart(
    tmp_path: Path, server: FakeServer, go_on: threading.Event, qtbot: QtBot
) -> None:
    path = tmp_path / "g.loom"
    new_tree(path, mode="buffer", text="First.")
    with open_window(path, qtbot) as window:
        ask(window, server, qtbot)
        take_back(window)
        hear(window)
        go_on.set()
        qtbot.waitUntil(lambda: not window.generator.is_streaming())

    with open_window(path, qtbot) as window:
        document = window.document
        assert document.tree.nodes[document.current_id].text == "First."
        (answer,) = document.tree.children(document.current_id)
        assert document.tree.nodes[answer].text == "A lark, then."
        assert document.grove.evidence(document.tree.loom.id, answer) is not None
        assert not window.banner.offered.text
        qtbot.waitUntil(lambda: drafts.read(drafts.drafts_folder(path)) == [])
