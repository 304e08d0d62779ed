"""A chapter that is longer than the model's window, and one sentence after it: the window is full, by the
chapter's end; the text says at which character what is sent begins, and exactly that arrives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Agent, Configuration
from loomapp.providers.endpoints import ListedModel, ModelList, keep_list, lists_folder
from loomapp.providers.protocols.protocols import PROTOCOLS, base_of
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands.inspector import context as inspecting
from loomapp.ui.look import theme
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.processes.outside import new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import Conversation, FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

WINDOW = 8_192
SAID = DIALECTS["completions"]
AGENT = Agent("one", "One", "model", "there:fake-1", Configuration(max_tokens=160))
CHAPTER = "".join(f"Line {number} of the log: salt, oil, a lamp 🕯️ and the wind.\n" for number in range(4_000))
SENTENCE = "Then the lamp went out."


def begins(conversation: Conversation) -> None:
    """A few words, and silence until it is stopped."""
    conversation.head()
    conversation.send(SAID.begins + SAID.says("And so"))
    conversation.wait_until_left()


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(begins, SAID.answer(" It was late.")) as server:
        yield server


@pytest.fixture
def window(tmp_path: Path, server: FakeServer, qtbot: QtBot) -> Iterator[MainWindow]:
    """An empty buffer, and an agent whose model takes as much as the one that comes along."""
    add_endpoint("there", server.url, "completions")
    listed = ModelList((ListedModel("fake-1", WINDOW),), 1_790_000_000)
    keep_list(base_of(server.url, PROTOCOLS["completions"]), listed, lists_folder())
    path = tmp_path / "g.loom"
    new_tree(path, "buffer", text="")
    with open_grove(path) as grove:
        grove.put_agent(AGENT)
        put_asked_ids(grove, (AGENT.id,))
    with open_window(path, qtbot) as window:
        window.composer.set_count(1)
        yield window


def test_a_chapter_before_a_sentence_is_sent_as_far_as_the_window_takes_it(
    window: MainWindow, server: FakeServer, qtbot: QtBot, pointer: Pointer, qapp: QApplication
) -> None:
    editor, document = window.buffer.view.editor, window.document
    pointer.click(editor)
    pointer.paste(CHAPTER)
    qtbot.waitUntil(lambda: editor.text == CHAPTER)
    pointer.key("ctrl+Return")
    qtbot.waitUntil(lambda: editor.tail_text.startswith("And so"))
    pointer.key("Escape")
    qtbot.waitUntil(lambda: not window.generator.is_streaming() and editor.text.endswith("And so"))
    pointer.key("ctrl+End")
    pointer.type_ascii(" " + SENTENCE)
    qtbot.waitUntil(lambda: editor.text.endswith(SENTENCE))

    window.preview.refresh_now()

    context = window.preview.last
    assert context is not None
    assert context.document is not None
    report = context.report
    assert 0 <= report.available - report.after_tokens <= 1
    assert report.partial is not None
    chapter = next(i for i, node in document.tree.nodes.items() if node.text == CHAPTER)
    assert report.partial.node_id == chapter
    marker, sent = context.document[:9], context.document[9:]
    assert (marker, editor.text.endswith(sent)) == ("\n\n[...]\n\n", True)
    [line] = window.buffer.view.margins.cuts
    assert line.position == len(editor.text) - len(sent) == report.partial.dropped_chars
    assert window.display.fate_words_of(chapter).words == "Sent in part"
    assert line_is_drawn(window, qapp)

    asked = len(server.received)
    pointer.key("ctrl+Return")
    qtbot.waitUntil(lambda: len(server.received) > asked)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert json.loads(server.received[-1].body)["prompt"] == context.document
    inspecting.show_sent(window.bench)
    qtbot.waitUntil(lambda: window.inspector.context.past is not None)
    past = window.inspector.context.past
    assert past is not None
    assert past.replay is not None
    assert past.replay.then is not None
    assert past.replay.then.document == context.document


def line_is_drawn(window: MainWindow, qapp: QApplication) -> bool:
    """Whether the line stands at its character, dashed up to it below and after it above, in both themes."""
    editor, [line] = window.buffer.view.editor, window.buffer.view.margins.cuts
    editor.centre_on(line.position)
    for name in ("light", "dark"):
        theme.apply(qapp, name)
        qapp.processEvents()
        x, rect = editor.x_of(line.position), editor.line_rect(line.position)
        assert 0 < x < rect.width()
        seen: QImage = editor.viewport().grab().toImage()
        colour = theme.colour("border.strong").rgb()
        below = [seen.pixel(i, rect.bottom()) for i in range(1, int(x))]
        above = [seen.pixel(i, rect.top()) for i in range(int(x) + 2, rect.width() - 2)]
        assert below.count(colour) > 5, name
        assert above.count(colour) > 5, name
    theme.apply(qapp, "light")
    return True
