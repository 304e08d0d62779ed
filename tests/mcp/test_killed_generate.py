"""A server that ends from outside while an answer streams, or cannot save it: what came is kept."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import Node
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.files import drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.files.settings_file import write_setting
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.families import one_in
from tests.kit.groves import planted
from tests.kit.locks import wait_little
from tests.kit.mcp_clients import Tools, talk
from tests.kit.processes import warm
from tests.kit.servers.counted_story import CountedStory
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, answers, chunk
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.trees import Hand

PATIENCE_S = 60
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "Test client", "version": "1"},
}


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove with a tree of an empty root and three messages, and two models, one of which sees the tree."""
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        planted(made, Hand())
        made.put_agent(Agent("writer", "Writer", "model", "mine:fake"))
        made.put_agent(Agent("reader", "Reader", "model", "mine:fake", loom_aware=True))
    write_setting("mcp_ask_models", "all")
    return path


@contextmanager
def asked(grove: Path, agent: str) -> Iterator[warm.Started]:
    """A server in a process of its own that was asked to generate."""
    call = {"name": "call_tool", "arguments": {"name": "generate", "arguments": {"agent": agent}}}
    said = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    with warm.program("mcp", "mcp", "--grove", str(grove)) as server:
        for one in said:
            server.say(json.dumps(one))
        yield server


def wait_until_kept(grove: Path, text: str) -> None:
    """Until a text is on disk beside the grove."""
    tick = threading.Event()
    for _ in range(PATIENCE_S * 100):
        if any(text in str(row.body["drafts"]) for row in drafts.read(drafts_folder(grove))):
            return
        tick.wait(0.01)
    pytest.fail("it was never kept")


async def note(tools: Tools) -> None:
    """Write something, whatever it is."""
    await tools.call("annotate", node_id=str((await tools.call("context"))["at"]), text="noted")


def answers_in(grove: Path) -> list[Node]:
    """The nodes by models that can be asked, of the only tree; each verifies."""
    with open_grove(grove) as opened:
        tree_id = opened.trees()[0].id
        found = [
            node
            for node in opened.load_tree(tree_id).nodes.values()
            if node.author_agent_id in ("writer", "reader")
        ]
        verdicts = {one.node_id: one.verdict for one in verify_tree(opened, tree_id)}
    assert {verdicts[node.id] for node in found} <= {"ok"}
    return found


@pytest.mark.parametrize(
    ("number", "reason"), one_in(2, [(signal.SIGKILL, "crash"), (signal.SIGTERM, "cancelled")])
)
def test_a_kill_while_an_answer_streams_loses_nothing_that_was_kept(
    grove: Path, number: int, reason: str
) -> None:
    story = CountedStory()

    with FakeServer(story) as model:
        add_endpoint("mine", model.url, "chat")
        with asked(grove, "writer") as server:
            wait_until_kept(grove, "word5 ")
            os.kill(server.pid, number)
            server.wait()
    talk(grove, note)

    [answer] = answers_in(grove)
    assert story.begins_with(answer.text)
    assert "word5 " in answer.text
    assert answer.interrupted is not None
    assert answer.interrupted.reason == reason
    assert not drafts_folder(grove).exists()


def test_a_kill_in_the_second_step_of_a_run_keeps_what_was_done_and_said(grove: Path) -> None:
    said = threading.Event()

    def goes_on(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("She hides it"))
        said.set()
        conversation.wait_until_left()

    with create_grove(grove.with_name("other.loom")) as made:
        _, ids = planted(made, Hand())
    with FakeServer(answers(f"I look.\n→ bookmark {ids[0]}"), goes_on) as model:
        add_endpoint("mine", model.url, "chat")
        with asked(grove, "reader") as server:
            assert said.wait(PATIENCE_S)
            wait_until_kept(grove, "She hides it")
            server.kill()
            server.wait()
    talk(grove, note)

    [answer] = answers_in(grove)
    trace = answer.extra["trace"]
    assert isinstance(trace, list)
    assert answer.text == "She hides it"
    assert answer.interrupted is not None
    assert answer.interrupted.reason == "crash"
    assert [entry["line"] for entry in trace] == ["I look.", f"→ bookmark {ids[0]}"]


def test_what_the_grove_does_not_take_is_told_and_the_next_write_adds_it(
    grove: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_little(monkeypatch)
    other = sqlite3.connect(grove, check_same_thread=False)

    def script(conversation: Conversation) -> None:
        other.execute("BEGIN IMMEDIATE")
        conversation.head()
        conversation.send(chunk("Because.") + chunk(reason="stop") + DONE)

    async def speak(tools: Tools) -> str:
        refusal = await tools.refused("generate", agent="writer")
        other.rollback()
        await note(tools)
        return refusal

    with FakeServer(script) as model, closing(other):
        add_endpoint("mine", model.url, "chat")
        refusal = talk(grove, speak)

    assert "The text so far is kept beside the grove; the next command that writes to it" in refusal
    [answer] = answers_in(grove)
    assert (answer.text, answer.interrupted) == ("Because.", None)
