"""Where branches meet: a question with two ways to it goes out by the one that is shown, however asked.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from loomapp import places
from loomapp.core.edits import edit_context, node_edits
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import EdgeSource
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands.inspector import what_if
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.processes.outside import Said, new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.windows import open_window, preview

AGENT = Agent("one", "One", "model", "there:fake-1")
ANIMALS = "I own a cat.", "I own a dog."


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(DIALECTS["messages"].answer("Once.")) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path, server: FakeServer) -> Path:
    places.config_folder().mkdir(parents=True, exist_ok=True)
    table = f'[there]\nbase_url = "{server.url}"\napi = "messages"\n'
    (places.config_folder() / "endpoints.toml").write_text(table, encoding="utf-8")
    path = tmp_path / "g.loom"
    new_tree(path, text="Which animal do I own?")
    with open_grove(path) as grove:
        grove.put_agent(AGENT)
        put_asked_ids(grove, (AGENT.id,))
    return path


def branches_that_meet(grove: Path) -> tuple[tuple[str, str], str]:
    """Two answers to the first message, and a question that continues either."""
    with open_grove(grove) as file:
        tree = file.load_tree(file.trees()[0].id)

        def add(text: str, *above: str) -> str:
            pen, sources = (
                edit_context.EditContext(file.owner.id, now(), new_id),
                tuple(map(EdgeSource, above)),
            )
            change = node_edits.add_node(tree, above[0], text, pen, sources=sources)
            file.commit(tree, change)
            return change.added_nodes()[0].id

        cat, dog = (add(text, tree.root_id) for text in ANIMALS)
        return (cat, dog), add("What does it eat?", cat, dog)


def press(name: str, window: MainWindow, _question: str) -> None:
    find(window, QPushButton, name).click()


def write(window: MainWindow, _question: str) -> None:
    window.composer.set_text("And drink?")
    window.preview.refresh_now()
    press("generateButton", window, "")


def click_plus(window: MainWindow, question: str, *, follow: bool) -> None:
    window.graph.plus_clicked.emit(question, follow)


def try_something(window: MainWindow, _question: str) -> None:
    window.run_command(what_if.begin)
    assert window.what_if.shown is not None
    assert window.what_if.shown.assembled is not None
    assert [(m.role, m.text) for m in window.what_if.shown.assembled.messages] == preview(window)
    window.run_command(what_if.generate_shown)
    window.run_command(what_if.leave)


WAYS: dict[str, Callable[[MainWindow, str], None]] = {
    "Generate": partial(press, "generateButton"),
    "something written": write,
    "+": partial(click_plus, follow=False),
    "Shift and +": partial(click_plus, follow=True),
    "what if": try_something,
}


def said(body: bytes) -> Said:
    return [(one["role"], one["content"]) for one in json.loads(body)["messages"]]


def test_a_question_off_the_path_goes_out_by_the_branch_that_is_shown(
    grove: Path, server: FakeServer, qtbot: QtBot
) -> None:
    animals, question = branches_that_meet(grove)
    with open_window(grove, qtbot) as window:
        document = window.document
        window.composer.set_count(1)
        for read, (name, ask) in zip(cycle((1, 0)), WAYS.items(), strict=False):  # never what is stored
            document.place.read(animals[read])
            document.place.set_current(question)
            before, shown = len(server.received), preview(window)

            ask(window, question)
            qtbot.waitUntil(lambda before=before: len(server.received) == before + 1)  # type: ignore[misc]
            qtbot.waitUntil(lambda: not window.generator.is_streaming())

            assert ANIMALS[read] in str(shown), name
            shown += [("user", "And drink?")] if name == "something written" else []
            words = "\n\n".join(text for _, text in said(server.received[-1].body))
            assert words == "\n\n".join(text for _, text in shown), name
            assert animals[read] in document.path, name


@pytest.mark.slow
def test_a_card_that_is_not_the_current_one_is_asked_by_the_same_branch(
    grove: Path, server: FakeServer, qtbot: QtBot
) -> None:
    animals, question = branches_that_meet(grove)
    with open_window(grove, qtbot) as window:
        document = window.document
        window.composer.set_count(1)
        document.place.read(animals[1])

        window.graph.plus_clicked.emit(question, False)
        qtbot.waitUntil(lambda: len(server.received) == 1)
        qtbot.waitUntil(lambda: not window.generator.is_streaming())

        assert ANIMALS[1] in str(said(server.received[0].body))
        assert document.path_ids[-1] == animals[1]
