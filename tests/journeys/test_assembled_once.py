"""What is sent is what is shown, assembled once: one press of Generate, and the preview after it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import assemble
from loomapp.core.edits import node_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.agent import Agent, Configuration
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.processes.outside import new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import Conversation, FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

AGENTS = tuple(
    Agent(name, name, "model", "there:fake-1", Configuration(max_tokens=room))
    for name, room in (("one", 77), ("two", 78))
)
TEXTS = ("One. ", "Two two. ", "Three three.")


class SlowServer(FakeServer):
    """Answers once it is told to."""

    def __init__(self) -> None:
        self.go_on, answer = threading.Event(), DIALECTS["completions"].answer(" Answered.")

        def script(conversation: Conversation) -> None:
            self.go_on.wait()
            answer(conversation)

        super().__init__(script)


@pytest.fixture
def server() -> Iterator[SlowServer]:
    with SlowServer() as server:
        try:
            yield server
        finally:
            server.go_on.set()


@contextmanager
def window_on(path: Path, server: SlowServer, qtbot: QtBot, mode: str, models: int) -> Iterator[MainWindow]:
    """A tree of some messages, and models of that server; what would be sent is shown."""
    add_endpoint("there", server.url, "completions")
    tree_id, above = new_tree(path, mode, text=TEXTS[0])
    with open_grove(path) as grove:
        for agent in AGENTS:
            grove.put_agent(agent)
        put_asked_ids(grove, tuple(agent.id for agent in AGENTS[:models]))
        tree = grove.load_tree(tree_id)
        for text in TEXTS[1:]:
            change = node_edits.add_node(tree, above, text, EditContext(grove.owner.id, now(), new_id))
            grove.commit(tree, change)
            above = change.added_nodes()[0].id
    with open_window(path, qtbot) as window:
        window.composer.set_count(1)
        show_what_is_coming(window, qtbot)
        yield window


def show_what_is_coming(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the preview stands."""
    qtbot.waitUntil(lambda: window.preview.last is not None and not window.preview._soon.isActive())


@contextmanager
def assembled_at() -> Iterator[list[str]]:
    """The nodes at which contexts are assembled meanwhile."""
    found: list[str] = []

    def heard(frame: FrameType, what: str, _about: object) -> None:
        if what == "call" and frame.f_code is assemble.__code__:
            found.append(frame.f_locals["request"].at)

    before = sys.getprofile()
    sys.setprofile(heard)
    try:
        yield found
    finally:
        sys.setprofile(before)


def continued(window: MainWindow, server: SlowServer, qtbot: QtBot) -> str:
    """The node that the answers hang on, once they have come."""
    before = set(window.document.tree.nodes)
    server.go_on.set()
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    tree = window.document.tree
    answers = [node for i, node in tree.nodes.items() if i not in before and node.author_type == "model"]
    [node_id] = {tree.incoming(answer.id)[0].with_role("primary")[0] for answer in answers}
    return node_id


def nothing(_window: MainWindow) -> None:
    """Nothing is written."""


def a_message(window: MainWindow) -> None:
    window.composer.set_text("And then?")


def words_at_the_end(window: MainWindow) -> None:
    window.buffer.view.editor.put(" Four.")


def the_caret_within_a_passage(window: MainWindow) -> None:
    window.buffer.view.editor.set_caret(len("One. Two two. Three"))


@pytest.mark.parametrize("models", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize(
    ("mode", "write", "most"),
    one_in(
        3,
        [
            ("dialogue", nothing, 0),  # what is shown already is sent
            ("dialogue", a_message, 1),
            ("buffer", nothing, 0),
            ("buffer", words_at_the_end, 1),
            ("buffer", the_caret_within_a_passage, 1),
        ],
    ),
)
def test_the_context_of_a_request_is_assembled_once_for_each_model(
    tmp_path: Path,
    server: SlowServer,
    qtbot: QtBot,
    mode: str,
    write: Callable[[MainWindow], None],
    most: int,
    models: int,
) -> None:
    with window_on(tmp_path / "g.loom", server, qtbot, mode, models) as window:
        write(window)
        show_what_is_coming(window, qtbot)

        with assembled_at() as found:
            window.actions_set.by_name["generate"].trigger()
            qtbot.waitUntil(lambda: len(server.received) == models)
            show_what_is_coming(window, qtbot)

        assert found.count(continued(window, server, qtbot)) == most * models
