"""What another program changed a moment ago is shown before it is sent: one press shows, the next sends.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.entities import Mode
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands import node_actions
from loomapp.ui.window.main_window import MainWindow
from tests.kit.processes.outside import new_tree
from tests.kit.servers.fake_server import FakeServer, answers
from tests.kit.windows import open_window
from tests.session.programs import ask_server_in

SAID = "Another program changed this text"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(answers(" Once.")) as server:
        yield server


@pytest.fixture(params=["dialogue", "buffer"])
def window(
    request: pytest.FixtureRequest, tmp_path: Path, server: FakeServer, qtbot: QtBot
) -> Iterator[MainWindow]:
    """A message, a next one, and words that are written and not committed; a dialogue, and a buffer."""
    mode: Mode = request.param
    path = tmp_path / "g.loom"
    new_tree(path, mode=mode, text="First.")
    with open_window(path, qtbot) as window:
        prepare(window, server, mode)
        yield window


def prepare(window: MainWindow, server: FakeServer, mode: Mode) -> None:
    document = window.document
    ask_server_in(document, server.url)
    window.composer.set_count(1)
    document.commit(
        node_edits.add_node(document.tree, document.tree.root_id, " Secret words.", document.pen())
    )
    document.commit(node_edits.add_node(document.tree, document.current_id, " Open words.", document.pen()))
    if mode == "buffer":
        editor = window.buffer.view.editor
        editor.set_caret(len(editor.text))
        QTest.keyClicks(editor, " Typed.")
    else:
        window.composer.set_text("Typed.")
    window.preview.settle()


def exclude_elsewhere(window: MainWindow, node_id: str) -> None:
    with open_grove(window.document.grove.path) as grove:
        tree = grove.load_tree(window.document.tree.loom.id)
        pen = EditContext(grove.owner.id, now(), new_id, by="another")
        change = node_marks.exclude(tree, [node_id], pen)
        assert change is not None
        grove.commit(tree, change)


def write_elsewhere(window: MainWindow) -> None:
    """Beside the path, which stays."""
    with open_grove(window.document.grove.path) as grove:
        tree = grove.load_tree(window.document.tree.loom.id)
        pen = EditContext(grove.owner.id, now(), new_id, by="another")
        grove.commit(tree, node_edits.annotate(tree, tree.path.leaf_id, "A note.", pen))


def test_what_another_program_changed_is_shown_before_it_is_sent(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    secret = next(i for i, node in window.document.tree.nodes.items() if "Secret" in node.text)
    nodes = len(window.document.tree.nodes)
    exclude_elsewhere(window, secret)

    window.run_command(node_actions.generate)

    assert SAID in window.text_pane.errors.text
    assert not window.generator.is_streaming()
    assert not server.received
    assert len(window.document.tree.nodes) == nodes
    window.run_command(node_actions.generate)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    (sent,) = server.received
    assert b"Secret" not in sent.body
    assert b"Typed." in sent.body


@pytest.mark.slow
def test_what_does_not_change_the_context_keeps_nobody_from_sending(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    write_elsewhere(window)

    window.run_command(node_actions.generate)

    assert SAID not in window.text_pane.errors.text
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert len(server.received) == 1
