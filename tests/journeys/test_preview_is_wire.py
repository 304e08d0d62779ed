"""What is shown is what is sent: the preview of the window and the bytes that a server received, in four
protocols, for a dialogue and for a buffer, images among the words; and what the command line assembles."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton, QTabBar, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import to_json
from loomapp.core.edits import edit_context, node_edits, node_marks
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.content import Image, Mixed, Text
from loomapp.core.model.entities import Mode
from loomapp.providers.capability import tell_images
from loomapp.providers.protocols import bodies
from loomapp.providers.protocols.bodies import without_images
from loomapp.providers.protocols.protocols import PROTOCOLS
from loomapp.store.files.media import add_media
from loomapp.store.grove.model_agents import put_asked_ids
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.inspector.context import raw_page
from loomapp.ui.widgets.labels import PlainView
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import each_once, one_in
from tests.kit.find import find
from tests.kit.processes.outside import loomapp, new_tree
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import open_window

MODES: tuple[Mode, ...] = ("dialogue", "buffer")
ODD = 'Waves \u2014 \u6d77 \U0001f30a\n\t\u00a0\u202e\u2028<b>&amp;</b> "quoted" \\u0041 \u0301'
TYPED = "And then?"
PIXELS, OTHER_PIXELS = b"what stands for the bytes of an image" * 40, b"and of another"
CAT, CHART = (
    Image(hashlib.sha256(data).hexdigest(), "image/png", 9, 9, name)
    for data, name in ((PIXELS, "cat.png"), (OTHER_PIXELS, "chart.png"))
)
AGENT = Agent("one", "One", "model", "there:fake-1", Configuration(system_prompt="Be brief.", max_tokens=77))


@dataclass(frozen=True, slots=True)
class Sent:
    """What a request says, whatever its protocol: messages, or one text."""

    system: str | None
    messages: tuple[tuple[str, str], ...] = ()
    text: str | None = None


def read_wire(api: str, body: bytes) -> Sent:
    """A request as the protocol's own description has it, read without any of our code."""
    value: dict[str, Any] = json.loads(body)
    if api == "completions":
        return Sent(None, text=value["prompt"])
    said = tuple(
        (one["role"], words_of(one["content"]))
        for one in value["input" if api == "responses" else "messages"]
    )
    if api == "messages":
        return Sent(value.get("system"), said)
    if api == "responses":
        return Sent(value.get("instructions"), said)
    system = next((text for role, text in said if role == "system"), None)
    return Sent(system, tuple(one for one in said if one[0] != "system"))


def words_of(content: str | list[dict[str, Any]]) -> str:
    """Texts and images in their order; an image as its type and the hash of the bytes that were sent."""
    if isinstance(content, str):
        return content
    return "\n\n".join(part["text"] if "text" in part else image_of(part) for part in content)


def image_of(part: dict[str, Any]) -> str:
    if part["type"] == "image":
        mime_type, data = part["source"]["media_type"], part["source"]["data"]
    else:
        url = part["image_url"] if part["type"] == "input_image" else part["image_url"]["url"]
        mime_type, data = url.removeprefix("data:").split(";base64,")
    return f"<{mime_type} {hashlib.sha256(base64.b64decode(data)).hexdigest()}>"


def read_preview(api: str, shown: dict[str, Any]) -> Sent:
    """What the raw preview says, as the protocol carries it."""
    system = shown["system"]
    if "document" in shown:
        text = shown["document"]
    else:
        said = [
            (one["role"], "\n\n".join(preview_part(api, part) for part in one["parts"]))
            for one in shown["messages"]
        ]
        if api != "completions":
            return Sent(system, tuple(said))
        names = {"user": "User", "assistant": "Assistant"}
        text = "\n\n".join([*(f"{names[role]}: {words}" for role, words in said), "Assistant:"])
    return Sent(None, text=f"{system}\n\n{text}" if system else text)


def preview_part(api: str, part: dict[str, Any]) -> str:
    """A part as it is shown; what only takes texts is sent the name of an image."""
    if part["type"] == "text":
        return str(part["text"])
    return f"[image: {part['altText']}]" if api == "completions" else f"<{part['mimeType']} {part['ref']}>"


@pytest.fixture
def api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(api: str) -> Iterator[FakeServer]:
    with FakeServer(DIALECTS[api].answer("Once.")) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path, server: FakeServer, api: str, mode: str) -> Path:
    """A tree with a system text, odd characters and an excluded passage, and one agent of that server."""
    add_endpoint("there", server.url, api)
    tell_images(AGENT.model_ref or "", True)
    path = tmp_path / "g.loom"
    add_media(path, (PIXELS, OTHER_PIXELS))
    tree_id, above = new_tree(path, mode, text="First.", system_context="You are the sea.")
    with open_grove(path) as grove:
        grove.put_agent(AGENT)
        put_asked_ids(grove, (AGENT.id,))
        tree = grove.load_tree(tree_id)
        for author, text in (("one", "Answer."), ("", "Left out."), ("one", ODD), ("", "Last. ")):
            pen = edit_context.EditContext(
                author or grove.owner.id, now(), new_id, "model" if author else "human"
            )
            change = node_edits.add_node(tree, above, text, pen)
            grove.commit(tree, change)
            above = change.added_nodes()[0].id
            if text == "Answer.":
                own = edit_context.EditContext(grove.owner.id, now(), new_id)
                seen = node_edits.add_content(tree, above, Mixed((Text("Look:"), CAT, Text("Seen?"))), own)
                grove.commit(tree, seen)
                above = seen.added_nodes()[0].id
            if text == "Left out.":
                left_out = node_marks.exclude(tree, [above], pen)
                assert left_out is not None
                grove.commit(tree, left_out)
    return path


@pytest.fixture
def window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with ExitStack() as stack:
        yield stack.enter_context(open_window(grove, qtbot))


def shown_then_sent(
    window: MainWindow, server: FakeServer, api: str, qtbot: QtBot, pointer: Pointer
) -> tuple[Sent, Sent]:
    """Type, read the raw preview, press Generate; what was shown and what arrived."""
    window.composer.set_count(1)
    attached = node_edits.attach(window.document.tree, [CHART], window.document.pen())
    window.document.commit(attached, keeps_current=True)
    window.preview.pending.attach([attached.added_nodes()[0].id], "context")
    if window.document.tree.loom.mode == "dialogue":
        window.preview.attachments.add((CAT,))
    window.bring_inspector()
    window.inspector.show_context()
    if window.document.tree.loom.mode == "dialogue":
        window.composer.field.setFocus()
        pointer.type_ascii(TYPED)
        qtbot.waitUntil(lambda: window.composer.text == TYPED)
    else:
        editor = window.buffer.view.editor
        editor.setFocus()
        editor.set_caret(len(editor.text))
        pointer.type_ascii(TYPED)
        qtbot.waitUntil(lambda: editor.text.endswith(TYPED))
    window.preview.refresh_now()
    raw_button = find(window.inspector, QToolButton, "rawContextButton")
    raw_button.setChecked(True)
    tabs, request = (
        find(window.inspector, QTabBar, "rawTabs"),
        find(window.inspector, PlainView, "rawRequest"),
    )
    qtbot.waitUntil(request.isVisible)
    told = json.loads(request.text())
    tabs.setCurrentIndex(1)
    raw = find(window.inspector, PlainView, "rawContext")
    qtbot.waitUntil(raw.isVisible)
    shown = read_preview(api, json.loads(raw.text()))

    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: len(server.received) == 1)
    qtbot.waitUntil(lambda: not window.generator.is_streaming())
    assert told == json.loads(without_images(server.received[0].body, {CAT.ref, CHART.ref}))
    return shown, read_wire(api, server.received[0].body)


@pytest.mark.parametrize(("api", "mode"), each_once(DIALECTS, MODES), indirect=True)
def test_what_is_shown_and_assembled_is_what_is_sent(
    window: MainWindow, grove: Path, server: FakeServer, api: str, mode: str, qtbot: QtBot, pointer: Pointer
) -> None:
    shown, sent = shown_then_sent(window, server, api, qtbot, pointer)
    tree = window.document.tree
    asked = window.document.path_ids[-2]
    beside = [node.id for node in tree.nodes.values() if node.content == CHART]
    printed = json.loads(
        loomapp(
            "assemble", "--grove", grove, "--tree", tree.loom.id, "--at", asked, "--agent", AGENT.id,
            *[word for node_id in beside for word in ("--context", node_id)],
            "--provider-rules", "none" if mode == "buffer" else PROTOCOLS[api].usual.provider_rules,
        )
    )  # fmt: skip

    assert shown == sent
    whole = str(sent)
    if mode == "buffer" or api == "completions":
        assert "[image: cat.png]" in whole
        assert "[image: chart.png]" in whole
    else:
        assert whole.count(f"<image/png {CAT.ref}>") == 2
        assert f"<image/png {CHART.ref}>" in whole
    assert repr(ODD)[1:-1] in whole
    assert repr(TYPED)[1:-1] in whole
    assert "Left out" not in whole
    assert ("Be brief." in whole) == (mode == "dialogue")  # a buffer is text and nothing else
    if mode == "dialogue" or api == "completions":
        assert read_preview(api, printed) == sent
    else:  # a chat model gets the document as the user's words, and is told to go on with it
        assert sent.messages == (("user", printed["document"]),)
        assert "Continue" in str(sent.system)
    assert json.loads(server.received[0].body)[TOKENS[api]] == 77


TOKENS = {name: "max_output_tokens" if name == "responses" else "max_tokens" for name in DIALECTS}


def garbled(make: Callable[..., Any]) -> Callable[..., Any]:
    """The same with one character changed, somewhere inside."""

    def change(*arguments: Any, **named: Any) -> Any:
        return json.loads(json.dumps(make(*arguments, **named)).replace("Last.", "Lost."))

    return change


@pytest.mark.parametrize("end", one_in(2, ["preview", "wire"]))
@pytest.mark.parametrize(
    ("api", "mode"), one_in(2, [("messages", "dialogue"), ("completions", "buffer")]), indirect=True
)
def test_one_character_changed_on_either_way_is_seen(
    window: MainWindow,
    server: FakeServer,
    api: str,
    end: str,
    qtbot: QtBot,
    pointer: Pointer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The test above is one that can fail: here one character differs, and nothing else."""
    if end == "preview":
        monkeypatch.setattr(raw_page, "to_json", garbled(to_json))
    elif api == "messages":
        monkeypatch.setattr(bodies, "_message", garbled(bodies._message))
    else:
        monkeypatch.setattr(bodies, "prompt", garbled(bodies.prompt))

    shown, sent = shown_then_sent(window, server, api, qtbot, pointer)

    assert shown != sent
    assert str(shown).replace("Lost.", "Last.") == str(sent).replace("Lost.", "Last.")
