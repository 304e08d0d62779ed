"""What a window shows of a buffer is what is sent, in every state of the writing: words at the end that
are no node yet, an edit within a passage, the caret within one; by Generate, by what is tried, by a card.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.sent.trial import without
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands import node_actions
from loomapp.ui.commands.inspector import what_if as trying_out
from loomapp.ui.window.main_window import MainWindow
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

AGENT = Agent("one", "One", "model", "there:fake-1", Configuration(max_tokens=77))
TEXTS = ("One. ", "Two two. ", "Three three. ", "Four.")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(DIALECTS["completions"].answer(" Answered.")) as server:
        yield server


@pytest.fixture
def window(tmp_path: Path, server: FakeServer, qtbot: QtBot) -> Iterator[MainWindow]:
    """A buffer of four passages, and an agent of that server, which goes on with the text itself."""
    add_endpoint("there", server.url, "completions")
    path = tmp_path / "g.loom"
    tree_id, above = new_tree(path, "buffer", text=TEXTS[0])
    with open_grove(path) as grove:
        grove.put_agent(AGENT)
        put_asked_ids(grove, (AGENT.id,))
        tree = grove.load_tree(tree_id)
        for number, text in enumerate(TEXTS[1:]):
            own = edit_context.EditContext(grove.owner.id, now(), new_id)
            pen = edit_context.EditContext("one", now(), new_id, "model") if number == 1 else own
            change = node_edits.add_node(tree, above, text, pen)
            grove.commit(tree, change)
            above = change.added_nodes()[0].id
    with open_window(path, qtbot) as window:
        window.composer.set_count(1)
        yield window


def type_in(window: MainWindow, place: int, words: str) -> None:
    """Words in a text, as one types them."""
    editor = window.buffer.view.editor
    editor.setFocus()
    editor.set_caret(place)
    editor.put(words)


def nothing(_window: MainWindow) -> None:
    """Nothing is written."""


def words_at_the_end(window: MainWindow) -> None:
    type_in(window, len(window.buffer.text), " Five. ")


def an_edit_above(window: MainWindow) -> None:
    type_in(window, len("One. Two"), "-and-a-half")
    window.buffer.view.editor.set_caret(len(window.buffer.text))


def an_edit_and_the_caret_behind_it(window: MainWindow) -> None:
    type_in(window, len("One. Two"), "-and-a-half")


def the_caret_within_a_passage(window: MainWindow) -> None:
    window.buffer.view.editor.set_caret(len("One. Two two. Three"))


def the_caret_within_new_words(window: MainWindow) -> None:
    type_in(window, len(window.buffer.text), " Five six.")
    window.buffer.view.editor.set_caret(len(window.buffer.text) - 4)


STATES = (
    nothing,
    words_at_the_end,
    an_edit_above,
    an_edit_and_the_caret_behind_it,
    the_caret_within_a_passage,
    the_caret_within_new_words,
)


def received(window: MainWindow, server: FakeServer, qtbot: QtBot) -> str:
    """What the one request says, once it is answered."""
    qtbot.waitUntil(lambda: len(server.received) == 1)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    return str(json.loads(server.received[0].body)["prompt"])


@pytest.mark.parametrize("state", one_in(2, STATES))
def test_what_is_tried_is_sent_as_it_is_shown(
    window: MainWindow, server: FakeServer, qtbot: QtBot, state: Callable[[MainWindow], None]
) -> None:
    state(window)
    window.preview.refresh_now()
    window.run_command(trying_out.begin)
    first = window.document.path_ids[0]
    window.run_command(lambda w: w.work.what_if.put(without(w.work.what_if.outcomes[0].inputs, [first])))
    tried = window.what_if.shown
    assert tried is not None
    assert tried.assembled is not None
    assert tried.assembled.document is not None
    assert "One" not in tried.assembled.document

    find(window.inspector, QPushButton, "trial_generate").click()

    assert received(window, server, qtbot) == tried.assembled.document


@pytest.mark.slow
@pytest.mark.parametrize("state", one_in(2, [words_at_the_end, an_edit_above], first=1))
def test_a_card_is_continued_with_all_that_is_written_after_it(
    window: MainWindow, server: FakeServer, qtbot: QtBot, state: Callable[[MainWindow], None]
) -> None:
    state(window)
    whole, last = window.buffer.text, window.document.path_ids[-1]

    window.graph.plus_clicked.emit(last, False)

    assert received(window, server, qtbot) == whole.rstrip(" ")
    assert window.buffer.text == whole.rstrip(" ") + " Answered."
    assert not window.writing.has_words


def test_a_card_of_the_text_is_continued_as_it_stands_under_the_pen(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    an_edit_above(window)
    window.document.place.set_current(window.document.path_ids[1])

    node_actions.continue_node(window.bench, window.document.path_ids[1])

    assert received(window, server, qtbot) == "One. Two-and-a-half two. "
    assert window.buffer.text == "One. Two-and-a-half two.  Answered."
