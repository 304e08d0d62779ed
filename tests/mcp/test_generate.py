"""Generation over the server: answers become nodes, progress is told, a cancel keeps what came."""

from __future__ import annotations

import threading
from pathlib import Path

import anyio
import pytest

from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.hashes import verify
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.store.files.settings_file import write_setting
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.groves import planted
from tests.kit.mcp_clients import NAME, REVISIONS, Tools, talk
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, answers, chunk, fails, usage
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.trees import Hand

PATIENCE_S = 60


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def grove_of(path: Path, model_ref: str = "mine:fake") -> Path:
    """A grove with a tree of an empty root and three messages, and a model at an endpoint."""
    with create_grove(path) as made:
        planted(made, Hand())
        made.put_agent(Agent("writer", "Writer", "model", model_ref))
    return path


@pytest.mark.parametrize("mode", REVISIONS)
def test_an_answer_becomes_a_node_with_its_evidence(tmp_path: Path, mode: str) -> None:
    grove = grove_of(tmp_path / "a.loom")

    with FakeServer(answers("Once upon a time")) as server:
        add_endpoint("mine", server.url, "chat")

        async def speak(tools: Tools) -> None:
            at = str((await tools.call("context"))["at"])
            made = await tools.call("generate", agent="writer")
            assert made == {"id": made["id"], "action": "generated", "message": None}
            (row,) = await tools.list("children", node_id=at)
            assert (row["id"], row["author"], row["title"]) == (made["id"], "Writer", "Once upon a time")
            assert (await tools.call("context"))["at"] == at

        talk(grove, speak, mode)
    with open_grove(grove) as opened:
        tree = opened.load_tree(opened.trees()[0].id)
        assert {finding.verdict for finding in verify(tree, opened.digests(tree.loom.id))} == {"ok"}
        assert tree.nodes[tree.path.leaf_id].text == "message 2"
        undone = opened.undo(tree)
        assert undone is not None
        assert undone.removed_nodes()[0].text == "Once upon a time"


def test_what_is_sent_is_measured_by_the_best_number_that_is_known(tmp_path: Path) -> None:
    grove = grove_of(tmp_path / "a.loom")

    def measured(conversation: Conversation) -> None:
        conversation.head()
        for part in (chunk("Yes."), chunk(reason="stop"), usage(70, 3), DONE):
            conversation.send(part)

    async def speak(tools: Tools) -> None:
        made = await tools.call("generate", agent="writer")
        await tools.call("generate", agent="writer", at=made["id"])

    with FakeServer(measured) as server:
        add_endpoint("mine", server.url, "chat")
        talk(grove, speak)

    with open_grove(grove) as opened:
        found = opened.all_evidence(opened.trees()[0].id)
        records = [str(one.extra["context"]) for one in sorted(found, key=lambda one: one.started_at)]
        assert ["'name': 'scaled'" in record for record in records] == [False, True]


def test_progress_is_told_while_it_is_written(tmp_path: Path) -> None:
    grove = grove_of(tmp_path / "a.loom")
    told: list[float] = []
    released = threading.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)
        released.set()

    async def speak(tools: Tools) -> None:
        with anyio.fail_after(PATIENCE_S):
            await tools.client.call_tool(
                "call_tool",
                {"name": "generate", "arguments": {"agent": "Writer"}},
                progress_callback=on_progress,
            )

    def slowly(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("word " * 20))
        released.wait(PATIENCE_S)  # until the client has heard of it
        for part in (chunk(reason="stop"), usage(7, 3), DONE):
            conversation.send(part)

    with FakeServer(slowly) as server:
        add_endpoint("mine", server.url, "chat")
        talk(grove, speak)
    assert told == sorted(told)
    assert told[0] == 25


@pytest.mark.parametrize("mode", REVISIONS)
def test_a_cancel_keeps_what_was_written(tmp_path: Path, mode: str) -> None:
    grove = grove_of(tmp_path / "a.loom")

    def endless(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("The beginning"))
        conversation.wait_until_left()

    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        heard = anyio.Event()

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            heard.set()

        async def ask() -> None:
            await tools.client.call_tool(
                "call_tool",
                {"name": "generate", "arguments": {"agent": "Writer"}},
                progress_callback=on_progress,
            )

        with anyio.fail_after(PATIENCE_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                await heard.wait()
                tasks.cancel_scope.cancel()
            while not (rows := await tools.list("children", node_id=at)):
                await anyio.sleep(0.05)
        assert [(row["title"], row["flags"]) for row in rows] == [("The beginning", ["interrupted"])]

    with FakeServer(endless) as server:
        add_endpoint("mine", server.url, "chat")
        talk(grove, speak, mode)


def test_a_fault_is_told_in_a_line(tmp_path: Path) -> None:
    grove = grove_of(tmp_path / "a.loom")

    async def speak(tools: Tools) -> None:
        message = await tools.refused("generate", agent="Writer")
        assert "key" in message
        assert await tools.refused("generate", agent="nobody") == (
            "Agent \"nobody\" not found. Agents: ['A model', 'Writer']"
        )
        assert await tools.refused("generate", n=9) == "'n' must be <= 8 (is 9)"
        assert len(await tools.list("list_nodes")) == 4

    with FakeServer(fails(401)) as server:
        add_endpoint("mine", server.url, "chat")
        talk(grove, speak)


@pytest.mark.slow
@pytest.mark.parametrize("mode", REVISIONS)
def test_the_embedded_engine_continues_a_story(tmp_path: Path, mode: str) -> None:
    """It writes until its agent's limit; a small model says nothing worth comparing."""
    grove = grove_of(tmp_path / "a.loom")
    with open_grove(grove) as opened:
        configuration = Configuration(max_tokens=12)
        opened.put_agent(Agent("small", "Small", "model", DEFAULT_MODEL_REF, configuration))

    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        for _ in range(3):
            at = str((await tools.call("generate", agent="Small", at=at))["id"])
        rows = await tools.list("path", node_id=at)
        assert [row["author"] for row in rows[-3:]] == ["Small"] * 3

    talk(grove, speak, mode)
    with open_grove(grove) as opened:
        tree = opened.load_tree(opened.trees()[0].id)
        assert {finding.verdict for finding in verify(tree, opened.digests(tree.loom.id))} == {"ok"}


def test_only_local_models_are_asked_unless_all_may_be(tmp_path: Path) -> None:
    grove = grove_of(tmp_path / "a.loom", "anthropic:claude")

    async def speak(tools: Tools) -> None:
        place = "Loomapp, Settings, Other programs (MCP)"
        assert await tools.refused("generate", agent="Writer") == (
            f"Writer is a remote model, and only local ones may be asked: allow it in {place}"
        )
        write_setting("mcp_ask_models", "never")
        assert await tools.refused("generate") == f"Asking models is switched off in {place}"

    talk(grove, speak)


@pytest.mark.parametrize("model", ["gpt-oss:120b-cloud", "glm-4.6:cloud"])
def test_a_model_that_ollama_passes_on_is_a_remote_one(tmp_path: Path, model: str) -> None:
    async def speak(tools: Tools) -> None:
        assert (await tools.refused("generate", agent="Writer")).startswith("Writer is a remote model")

    with FakeServer(answers("no")) as server:
        add_endpoint("mine", server.url, "chat")
        talk(grove_of(tmp_path / "a.loom", f"mine:{model}"), speak)
        assert not server.received


@pytest.mark.parametrize("steps", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_steps_of_a_story_are_written_by_a_scripted_model(tmp_path: Path, steps: int) -> None:
    grove = grove_of(tmp_path / "a.loom")

    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        for number in range(steps):
            asked = await tools.call("node_create", parent=at, text=f"Go on ({number})", author="human")
            at = str((await tools.call("generate", at=asked["id"], agent="Writer"))["id"])
        assert len(await tools.list("path", node_id=at, compact=False)) == 4 + 2 * steps
        last = await tools.list("list_nodes", author="Writer", compact=False, fields=["title"])
        assert [row["title"] for row in last] == [f"Chapter {number}" for number in range(steps)]

    with FakeServer(*(answers(f"Chapter {number}") for number in range(steps))) as server:
        add_endpoint("mine", server.url, "chat")
        talk(grove, speak, name=NAME)


def test_an_agent_that_sees_the_tree_acts_in_it_and_answers(tmp_path: Path) -> None:
    grove = tmp_path / "a.loom"
    with create_grove(grove) as made:
        _, ids = planted(made, Hand())
        made.put_agent(Agent("writer", "Writer", "model", "mine:fake", loom_aware=True))
    told: list[str | None] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async def speak(tools: Tools) -> None:
        assert await tools.refused("generate", agent="Writer", n=2) == (
            "'n' must be 1: Writer sees the tree and gives one answer"
        )
        result = await tools.client.call_tool(
            "call_tool",
            {"name": "generate", "arguments": {"agent": "Writer", "at": ids[-1]}},
            progress_callback=on_progress,
        )
        assert not result.is_error, result
        (note,) = await tools.list("search", query="noted")
        assert note["author"] == "Writer"
        (answer,) = await tools.list("children", node_id=ids[-1])
        assert answer["title"] == "Done with it"
        assert (await tools.call("context"))["at"] == ids[-1]

    with FakeServer(answers(f"→ annotate {ids[0]}: noted"), answers("Done with it")) as server:
        add_endpoint("mine", server.url, "chat")
        talk(grove, speak)
    assert told
    with open_grove(grove) as opened:
        assert opened.load_tree(opened.trees()[0].id).path.leaf_id == ids[-1], (
            "the person reads what they read"
        )


def test_in_a_buffer_an_agent_that_sees_the_tree_is_asked_like_any_other(tmp_path: Path) -> None:
    grove = tmp_path / "a.loom"
    with create_grove(grove) as made:
        tree, ids = planted(made, Hand(), mode="buffer")
        made.put_agent(Agent("writer", "Writer", "model", "mine:fake", loom_aware=True))
    said = f"→ annotate {tree.nodes[ids[0]].local_id}: a note"

    async def speak(tools: Tools) -> None:
        made = await tools.call("generate", agent="Writer")
        (row,) = await tools.list("list_nodes", author="Writer", fields=["id", "content"])
        assert row == {"id": made["id"], "content": {"type": "text", "text": said}}

    with FakeServer(answers(said)) as server:
        add_endpoint("mine", server.url, "chat")
        talk(grove, speak)
        assert len(server.received) == 1


def test_why_a_run_cannot_begin_is_told_in_a_line(tmp_path: Path) -> None:
    grove = tmp_path / "a.loom"
    with create_grove(grove) as made:
        planted(made, Hand())
        made.put_agent(Agent("writer", "Writer", "model", "gone:fake", loom_aware=True))

    async def speak(tools: Tools) -> None:
        message = await tools.refused("generate", agent="Writer")
        assert message.startswith("No provider answers for 'gone:fake'.")

    write_setting("mcp_ask_models", "all")
    talk(grove, speak)
