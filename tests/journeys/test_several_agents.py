"""Journey 6, several agents: two models answer one + with the pointer, and one that fails has its Retry.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import Assembled
from loomapp.core.errors import AssemblyError
from loomapp.core.model.agent import Agent, Configuration
from loomapp.providers.endpoints import settings_file
from loomapp.providers.keys import SESSION_KEYS
from loomapp.session.requests import open_answers
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands.navigate import show
from loomapp.ui.look import theme
from loomapp.ui.widgets.labels import ElidedLabel
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.keychains import Keychain, nowhere, using
from tests.kit.processes.outside import loomapp, new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, Script, chunk, fails, says
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import card, open_window, wait_for_rest

QUESTION = "What is the sea?"
SECRET = "sk-planted-0123456789"
NO_KEY = "lamp needs a key. Set LAMP_KEY, or enter one under Endpoints and keys."
SEA, LAMP = Agent("sea", "Sea", "model", "sea:s-1"), Agent("lamp", "Lamp", "model", "lamp:l-1")
CHAT = DIALECTS["chat"]
TALK = Configuration(max_tokens=100)


def three(*texts: str) -> Script:
    """One response with several choices."""
    parts = [chunk(text, index=index) for index, text in enumerate(texts)]
    ends = [chunk(index=index, reason="stop") for index in range(len(texts))]
    return says(*parts, *ends, DONE)


@pytest.fixture
def sea() -> Iterator[FakeServer]:
    with FakeServer(three("Waves.", "Salt.", "Grey.")) as server:
        yield server


@pytest.fixture
def lamp() -> Iterator[FakeServer]:
    """Writes one answer to a request."""
    with FakeServer(DIALECTS["messages"].answer("Light.")) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path, sea: FakeServer, lamp: FakeServer) -> Path:
    """A question, and two models on endpoints of the user's own."""
    add_endpoint("sea", sea.url, "chat")
    add_endpoint("lamp", lamp.url, "messages")
    path = tmp_path / "several.loom"
    new_tree(path, text=QUESTION)
    with open_grove(path) as opened:
        opened.put_agent(SEA)
        opened.put_agent(LAMP)
        put_asked_ids(opened, (SEA.id,))
    return path


@pytest.fixture
def window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with ExitStack() as stack:
        yield stack.enter_context(open_window(grove, qtbot))


def check_lamp(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    """Open the picker and check the second agent, with the mouse."""
    picker = find(window, QToolButton, "agentPicker")
    pointer.click(picker)
    qtbot.waitUntil(lambda: picker.findChild(QListWidget, "agentRows") is not None)
    rows = find(picker, QListWidget, "agentRows")
    qtbot.waitUntil(rows.isVisible)
    [item] = [rows.item(i) for i in range(rows.count()) if rows.item(i).text() == LAMP.name]
    rect = rows.visualItemRect(item)
    pointer.click(rows.viewport(), QPoint(16, rect.center().y()))
    qtbot.waitUntil(lambda: len(window.document.agents.asked()) == 2)
    pointer.key("Escape")
    qtbot.waitUntil(lambda: picker.findChild(QListWidget, "agentRows") is None)


def authors(window: MainWindow, parent_id: str) -> list[tuple[str | None, str]]:
    tree = window.document.tree
    return [(tree.nodes[c].author_agent_id, tree.nodes[c].text) for c in tree.children(parent_id)]


def test_two_agents_answer_three_times_each_from_one_plus(
    window: MainWindow, grove: Path, sea: FakeServer, lamp: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    question = window.document.current_id
    window.composer.set_count(3)
    whom = window.composer.field.placeholderText()
    check_lamp(window, qtbot, pointer)
    assert window.composer.field.placeholderText() != whom, "it names who will answer"
    window.preview.refresh_now()
    generate = find(window, QPushButton, "generateButton")
    assert "6 answers in 4 calls, about 20 tokens" in generate.toolTip()
    assert generate.text() == generate.accessibleName() == "Generate 6"

    pointer.move(window.graph.viewport(), card(window, question))
    pointer.click(window.graph.viewport(), window.graph.plus_rect(question).center())

    tree = window.document.tree
    qtbot.waitUntil(lambda: len(tree.children(question)) == 6 and not window.generator.is_streaming())
    said = sorted(authors(window, question), key=str)
    assert said == sorted(
        [("sea", "Waves."), ("sea", "Salt."), ("sea", "Grey."), *[("lamp", "Light.")] * 3], key=str
    )
    assert json.loads(sea.received[0].body)["n"] == 3
    assert (len(sea.received), len(lamp.received)) == (1, 3)
    assert tree.nodes[window.document.path_ids[-1]].author_agent_id == SEA.id
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: tree.children(question) == ())
    assert find(window, QLabel, "statusNote").text() == "Undone: Generate 6 continuations"
    assert question in tree.nodes
    pointer.key("ctrl+shift+z")
    qtbot.waitUntil(lambda: len(tree.children(question)) == 6)

    sea.scripts[:] = lamp.scripts[:] = [fails(400)]
    wait_for_rest(window, qtbot)
    pointer.move(window.graph.viewport(), card(window, question))
    pointer.click(window.graph.viewport(), window.graph.plus_rect(question).center())
    qtbot.waitUntil(lambda: len(failed_keys(window)) == 6 and not window.generator.is_streaming())
    window.document.place.read(tree.children(question)[0])
    continues = find(window, ElidedLabel, "continuingLabel")
    assert not continues.isVisible()
    window.dialogue.show_draft(failed_keys(window)[0])
    assert continues.isVisible(), "what is read failed: a message would follow an answer out of sight"
    window.document.place.read(question)
    on_card(window, qtbot, pointer, failed_keys(window), "dismiss_all")
    qtbot.waitUntil(lambda: failed_keys(window) == [])

    window.composer.field.setFocus()
    window.composer.set_text("And?")
    pointer.key("ctrl+Return")
    qtbot.waitUntil(lambda: len(failed_keys(window)) == 6 and not window.generator.is_streaming())
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: failed_keys(window) == [])
    assert "And?" not in {node.text for node in tree.nodes.values()}
    pointer.key("ctrl+shift+z")
    qtbot.waitUntil(lambda: len(failed_keys(window)) == 6)


def test_the_links_below_a_cut_answer_ask_the_agent_whose_it_is_once(
    window: MainWindow, sea: FakeServer, lamp: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    sea.scripts[:] = [says(chunk("Wav")), CHAT.answer("es."), CHAT.answer("Waves.")]
    window.composer.set_count(1)
    tree, question = window.document.tree, window.document.current_id
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: tree.children(question) != () and not window.generator.is_streaming())
    [cut] = tree.children(question)
    window.document.agents.ask((LAMP.id,))
    window.composer.set_count(3)

    for link, parent_id, count in (("retryCutButton", question, 2), ("continueCutButton", cut, 1)):
        message = window.dialogue.message(cut)
        assert message is not None
        pointer.click(find(message, QPushButton, link))
        qtbot.waitUntil(partial(has_children, window, parent_id, count))

    assert (len(sea.received), lamp.received) == (3, [])


def has_children(window: MainWindow, node_id: str, count: int) -> bool:
    return len(window.document.tree.children(node_id)) == count and not window.generator.is_streaming()


def test_a_message_is_in_sight_although_one_had_read_what_failed(
    window: MainWindow, sea: FakeServer, lamp: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    lamp.scripts[:] = [fails(401)]
    sea.scripts[:] = [CHAT.answer("Waves.")]
    window.composer.set_count(1)
    window.document.agents.ask((SEA.id, LAMP.id))
    tree, question = window.document.tree, window.document.current_id
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: len(failed_keys(window)) == 1 and tree.children(question) != ())
    [answer] = tree.children(question)
    window.document.place.read(answer)
    failed = failed_keys(window)[0]
    window.dialogue.show_draft(failed)
    assert window.dialogue.is_on_path(failed)

    window.document.agents.ask((SEA.id,))
    window.composer.field.setFocus()
    window.composer.set_text("And?")
    pointer.key("ctrl+Return")

    qtbot.waitUntil(lambda: tree.children(answer) != () and not window.generator.is_streaming())
    assert all(map(window.dialogue.is_on_path, (answer, *tree.children(answer))))

    window.dialogue.show_draft(failed)
    assert not window.dialogue.is_on_path(answer)
    window.graph.ensure_visible(window.document.current_id)
    wait_for_rest(window, qtbot)
    pointer.click(window.graph.viewport(), card(window, window.document.current_id))
    assert window.dialogue.is_on_path(answer), "its card is the current one already"
    assert not find(window, ElidedLabel, "continuingLabel").isVisible()

    window.dialogue.show_draft(failed)
    show(window.bench, window.document.current_id)
    assert window.dialogue.is_on_path(answer), "its row in the outline was clicked"


def test_where_the_first_is_stopped_without_a_word_one_with_words_is_read_and_none_that_failed(
    window: MainWindow,
    sea: FakeServer,
    lamp: FakeServer,
    qtbot: QtBot,
    pointer: Pointer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_answers, "ABREAST_S", 0.0)
    sea.scripts[:] = [Conversation.wait_until_left]
    lamp.scripts[:] = [fails(400), DIALECTS["messages"].answer("Light.")]
    window.composer.set_count(2)
    window.document.agents.ask((SEA.id, LAMP.id))
    tree, question = window.document.tree, window.document.current_id

    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: len(failed_keys(window)) == 1 and tree.children(question) != ())
    assert window.document.path_ids[-1] == question, "the first may still say something"
    assert not find(window, QPushButton, "readOnBelow").isVisible(), "the first is shown below the question"
    pointer.key("Escape")
    qtbot.waitUntil(lambda: not window.generator.is_streaming())

    assert window.document.path_ids[-1:] == tree.children(question)
    assert window.dialogue.is_on_path(window.document.current_id)
    assert not window.dialogue.is_on_path(failed_keys(window)[0])


@pytest.mark.slow
def test_one_that_fails_leaves_the_other_alone_and_answers_when_it_is_tried_again(
    window: MainWindow, sea: FakeServer, lamp: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    lamp.scripts[:] = [fails(401), DIALECTS["messages"].answer("Light.")]
    question = window.document.current_id
    window.composer.set_count(1)
    sea.scripts[:] = [CHAT.answer("Waves.")]
    window.document.agents.ask((SEA.id, LAMP.id))
    window.preview.refresh_now()

    pointer.click(find(window, QPushButton, "generateButton"))

    tree, tree_id = window.document.tree, window.document.tree.loom.id
    qtbot.waitUntil(lambda: bool(tree.children(question)) and not window.generator.is_streaming())
    assert authors(window, question) == [("sea", "Waves.")]
    [failed] = window.generator.drafts(tree_id)
    assert failed.agent_id == LAMP.id
    assert failed.draft.error is not None
    assert "lamp" in failed.draft.error.message

    qtbot.waitUntil(lambda: not window.graph.node_rect(failed.key).isEmpty())
    rect = window.graph.node_rect(failed.key)
    pointer.click(window.graph.viewport(), rect.center())
    retry = window.graph.tool_rect(failed.key, "retry")
    pointer.click(window.graph.viewport(), retry.center())

    qtbot.waitUntil(lambda: len(tree.children(question)) == 2 and not window.generator.is_streaming())
    assert authors(window, question)[1] == ("lamp", "Light.")
    assert window.generator.drafts(tree_id) == ()


@pytest.mark.slow
def test_very_many_tokens_are_sent_only_after_they_were_told(
    window: MainWindow, sea: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    window.preferences.put("ask_above_tokens", 1000)
    window.composer.set_count(3)
    question = window.document.current_id

    pointer.click(find(window, QPushButton, "generateButton"))

    strip = window.text_pane.errors
    qtbot.waitUntil(strip.isVisible)
    assert strip.text.startswith("3 answers in 1 call: about 5 tokens are sent")
    assert sea.received == []
    pointer.click(find(strip, QPushButton, "errorAction"))
    qtbot.waitUntil(lambda: len(window.document.tree.children(question)) == 3)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert len(sea.received) == 1


@pytest.mark.slow
def test_of_several_agents_the_bar_shows_the_one_with_the_least_room(
    window: MainWindow, qtbot: QtBot
) -> None:
    agents = window.document.agents.by_id()
    long_answers = replace(agents["lamp"], configuration=Configuration(system_prompt="Be a lamp. " * 40))
    window.document.agents.put(long_answers)

    window.document.agents.ask(("sea", "lamp"))
    window.preview.refresh_now()

    bar = window.text_pane.context_bar
    assert bar.kept.startswith("Lamp · kept")
    assert window.preview.last is not None
    assert window.preview.last.system == "Be a lamp. " * 39 + "Be a lamp."


@pytest.mark.slow
def test_where_one_of_them_cannot_be_sent_to_the_others_are_and_it_is_named(
    window: MainWindow, sea: FakeServer, lamp: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    document, preview = window.document, window.preview
    question = document.current_id
    sea.scripts[:] = [CHAT.answer("Waves.")]
    window.composer.set_count(1)
    preview.refresh_now()
    assert preview.last is not None
    small = replace(LAMP, configuration=Configuration(max_tokens=preview.last.report.window - 9))
    document.agents.put(small)
    own = replace(document.tree.loom.context_settings, truncation_strategy="stopAtLimit")
    document.trees.save_loom(replace(document.tree.loom, context_settings=own))
    document.agents.ask((SEA.id, LAMP.id))
    window.composer.field.setFocus()
    pointer.type_ascii("And a lake, far away?")
    qtbot.waitUntil(lambda: window.composer.text == "And a lake, far away?")
    why = "Lamp will not be asked. The context needs 12 tokens, 9 are available"
    generate = find(window, QPushButton, "generateButton")
    # A few letters earlier it was too long already, and told of that.
    qtbot.waitUntil(lambda: why in generate.toolTip())
    assert preview.error is None
    assert [type(found) for _, found in preview.outcomes] == [Assembled, AssemblyError]
    assert generate.text() == "Generate", "one answer"

    pointer.key("ctrl+Return")

    told = window.text_pane.errors
    qtbot.waitUntil(told.isVisible)
    assert told.text.startswith("Lamp was not asked. The context needs 12 tokens, 9 are available")
    tree = document.tree
    qtbot.waitUntil(lambda: len(sea.received) == 1 and not window.generator.is_streaming())
    [message] = tree.children(question)
    assert tree.nodes[message].text == "And a lake, far away?"
    assert authors(window, message) == [("sea", "Waves.")]
    assert window.composer.text == ""
    assert lamp.received == []


@pytest.mark.slow
def test_all_checked_agents_are_asked_by_their_key(
    window: MainWindow, sea: FakeServer, lamp: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    question = window.document.current_id
    window.composer.set_count(1)
    sea.scripts[:] = [CHAT.answer("Waves.")]
    check_lamp(window, qtbot, pointer)

    pointer.key("ctrl+alt+Return")

    tree = window.document.tree
    qtbot.waitUntil(lambda: len(tree.children(question)) == 2 and not window.generator.is_streaming())
    assert (len(sea.received), len(lamp.received)) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("has_keychain", one_in(2, [True, False]))
def test_a_refused_key_is_mended_from_its_card_and_both_agents_answer(
    has_keychain: bool,
    window: MainWindow,
    grove: Path,
    sea: FakeServer,
    lamp: FakeServer,
    qtbot: QtBot,
    pointer: Pointer,
) -> None:
    table = f'[lamp]\nbase_url = "{lamp.url}"\napi = "messages"\nkey_name = "LAMP_KEY"\n'
    settings = settings_file()
    settings.write_text(settings.read_text(encoding="utf-8").partition("[lamp]")[0] + table, encoding="utf-8")
    lamp.scripts[:] = [DIALECTS["messages"].answer("Light.")]
    question, tree = window.document.current_id, window.document.tree
    chain = Keychain() if has_keychain else nowhere()
    window.composer.set_count(3)
    check_lamp(window, qtbot, pointer)

    with using(chain):
        pointer.move(window.graph.viewport(), card(window, question))
        pointer.click(window.graph.viewport(), window.graph.plus_rect(question).center())
        qtbot.waitUntil(lambda: len(tree.children(question)) == 3 and not window.generator.is_streaming())
        failed = window.generator.drafts(tree.loom.id)
        assert [str(live.draft.error) for live in failed] == [NO_KEY] * 3
        assert lamp.received == []

        on_card(window, qtbot, pointer, [live.key for live in failed], "key")
        keep_key(window, qtbot, pointer, "keyToKeychain" if has_keychain else "keyToSession")
        pointer.click(find(window, QToolButton, "modelsClose"))
        on_card(window, qtbot, pointer, [live.key for live in failed], "retry")
        qtbot.waitUntil(lambda: len(tree.children(question)) == 6 and not window.generator.is_streaming())

    assert window.generator.drafts(tree.loom.id) == ()
    assert {request.headers["authorization"] for request in lamp.received} == {f"Bearer {SECRET}"}
    window.close()
    SESSION_KEYS.put("LAMP_KEY", None)
    assert kept_answers(grove, tree.loom.id, question) == sorted(
        [("sea", "Waves."), ("sea", "Salt."), ("sea", "Grey."), *[("lamp", "Light.")] * 3]
    )
    found = [p for p in grove.parent.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    assert not found
    assert isinstance(chain, Keychain) == (SECRET in getattr(chain, "kept", {}).values())
    loomapp("verify", "--grove", grove)


def failed_keys(window: MainWindow) -> list[str]:
    drafts = window.generator.drafts(window.document.tree.loom.id)
    return [live.key for live in drafts if live.draft.error is not None]


def on_card(window: MainWindow, qtbot: QtBot, pointer: Pointer, keys: list[str], act: str) -> None:
    """Click what the card of a failed draft offers; of several, one that can be seen."""
    graph = window.graph

    def whole() -> list[tuple[str, QRect]]:
        cards = [(key, graph.node_rect(key)) for key in keys] if graph.isVisible() else []
        return [(key, card) for key, card in cards if card and graph.viewport().rect().contains(card)]

    seen = None
    while not seen or seen != whole():  # cards glide to their places when others are done
        seen = whole()
        qtbot.wait(2 * theme.px("motion.normal_ms"))
    key, rect = seen[0]
    pointer.move(graph.viewport(), rect.center())
    pointer.click(graph.viewport(), graph.tool_rect(key, act).center())


def keep_key(window: MainWindow, qtbot: QtBot, pointer: Pointer, where: str) -> None:
    """Paste a key into the endpoint's form, which has the keyboard already, and keep it."""
    qtbot.waitUntil(lambda: window.findChild(QLineEdit, "keyField") is not None)
    field = find(window, QLineEdit, "keyField")
    qtbot.waitUntil(lambda: field.isVisible() and field.hasFocus())
    pointer.type_ascii(SECRET)
    pointer.click(find(window, QPushButton, where))
    state = find(window, QLabel, "keyState")
    qtbot.waitUntil(lambda: state.text().startswith(("In this computer", "Until Loomapp ends")))


def kept_answers(grove: Path, tree_id: str, question: str) -> list[tuple[str, str]]:
    """Who wrote what under the question, as the file has it."""
    with open_grove(grove) as again:
        tree = again.load_tree(tree_id)
    nodes = [tree.nodes[child] for child in tree.children(question)]
    return sorted((node.author_agent_id or "", node.text) for node in nodes)
