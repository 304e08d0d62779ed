"""Resources, their updates in both revisions, prompts and the completion of ids."""

from __future__ import annotations

import json
import logging
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    Implementation,
    PromptReference,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
    TextContent,
    TextResourceContents,
)

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_edits import add_node
from loomapp.core.edits.node_marks import exclude
from loomapp.mcp.served_grove import Environment, ServedGrove
from loomapp.mcp.server import LoomServer
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from tests.kit.families import one_in
from tests.kit.groves import add_chain
from tests.kit.mcp_clients import REVISIONS, Tools, talk

CONTEXTS = ("loom://context", "threadmind://context")
PATIENCE_S = 60
Reference = PromptReference | ResourceTemplateReference


def write_beside(path: Path) -> None:
    """Another program continues the tree."""
    with open_grove(path) as grove:
        tree = grove.load_tree(grove.trees()[0].id)
        pen = EditContext(grove.owner.id, now(), new_id)
        grove.commit(tree, add_node(tree, tree.path.leaf_id, "by another", pen))


def exclude_beside(path: Path) -> None:
    """Another program leaves the end of the path out of every context."""
    with open_grove(path) as grove:
        tree = grove.load_tree(grove.trees()[0].id)
        change = exclude(tree, (tree.path.leaf_id,), EditContext(grove.owner.id, now(), new_id))
        assert change is not None
        grove.commit(tree, change)


async def read(tools: Tools, uri: str) -> str:
    (contents,) = (await tools.client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    assert contents.uri == uri
    return contents.text


@pytest.mark.parametrize("mode", one_in(2, REVISIONS))
def test_the_context_and_the_threads_are_resources(grove: Path, mode: str) -> None:
    async def speak(tools: Tools) -> None:
        listed = await tools.client.list_resources()
        assert {one.uri for one in listed.resources} == {*CONTEXTS, "loom://tree"}
        assert await read(tools, "loom://tree") == "main ← active"
        for title, parent in (("Auth", "main"), ("Auth UI", "auth"), ("Auth API", "auth"), ("Board", "main")):
            await tools.call("thread_create", title=title, parent=parent)
        await tools.call("summary_update", content="Charts")
        await tools.call("thread_switch", thread="auth-ui")
        assert await read(tools, "loom://tree") == (
            "main\n├── auth\n│   ├── auth-ui ← active\n│   └── auth-api\n└── board"
        )
        for uri in CONTEXTS:
            assert await read(tools, uri) == await tools.text("context_get")
        at = str((await tools.call("context"))["at"])
        assert json.loads(await read(tools, f"loom://node/{at}")) == await tools.call("show", node_id=at)
        for wrong in ("loom://nothing", "loom://node/x"):
            with pytest.raises(MCPError):
                await read(tools, wrong)

    talk(grove, speak, mode)


def test_a_node_is_a_resource_however_its_id_stands_in_the_address(tmp_path: Path) -> None:
    ids = ("root 1", "nœud/2", "100%", "%41", "A")
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        add_chain(made, *ids)

    async def speak(tools: Tools) -> None:
        for node_id in ids:
            for spelled in (node_id, quote(node_id, safe="")):
                assert json.loads(await read(tools, f"loom://node/{spelled}"))["id"] == node_id
        with pytest.raises(MCPError, match='Node "no such" not found'):
            await read(tools, "loom://node/no%20such")

    talk(path, speak)


def test_subscribers_of_the_newer_revision_hear_of_every_change(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        async with tools.client.listen(resource_subscriptions=["loom://tree", CONTEXTS[1]]) as events:
            for change in ("position", "own", "foreign"):
                if change == "position":
                    rows = await tools.list("list_nodes")
                    await tools.call("context", action="set", at=str(rows[1]["id"]))
                elif change == "own":
                    await tools.call("summary_update", content="new")
                else:
                    write_beside(grove)
                heard = set()
                with anyio.fail_after(PATIENCE_S):
                    async for event in events:
                        heard.add(getattr(event, "uri", ""))
                        if len(heard) == 2:
                            break
                assert heard == {"loom://tree", CONTEXTS[1]}

    talk(grove, speak)


def test_who_follows_a_node_hears_of_that_node_alone(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        rows = await tools.list("list_nodes")
        one, other = (str(rows[number]["id"]) for number in (1, 2))
        uri = f"loom://node/{one}"
        async with tools.client.listen(resource_subscriptions=[uri, "loom://node/none"]) as events:
            await tools.call("exclude", node_id=other)
            await tools.call("exclude", node_id=one)
            with anyio.fail_after(PATIENCE_S):
                async for event in events:
                    assert getattr(event, "uri", "") == uri
                    break
            assert json.loads(await read(tools, uri))["metadata"]["excluded"] is True

    talk(grove, speak)


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
def test_subscribers_of_the_older_revision_hear_of_every_change_till_they_end_it(grove: Path) -> None:
    async def run() -> None:
        heard: list[str] = []
        told = anyio.Event()
        with open_grove(grove) as opened:
            leaf = opened.load_tree(opened.trees()[0].id).path.leaf_id

        async def hear(message: object) -> None:
            nonlocal told
            if isinstance(message, ResourceUpdatedNotification):
                heard.append(message.params.uri)
                told.set()

        served = ServedGrove(grove)
        server = LoomServer(served, Environment()).build()
        info = Implementation(name="x", version="1")
        async with Client(server, mode="legacy", client_info=info, message_handler=hear) as client:
            await client.subscribe_resource("loom://context")
            await client.subscribe_resource("loom://tree")
            await client.subscribe_resource(f"loom://node/{leaf}")
            await client.unsubscribe_resource("loom://tree")
            exclude_beside(grove)
            with anyio.fail_after(PATIENCE_S):
                while len(heard) < 2:
                    await told.wait()
                    told = anyio.Event()
            assert set(heard) == {f"loom://node/{leaf}", "loom://context"}
        served.let_go()

    anyio.run(run)


@pytest.mark.parametrize("mode", one_in(2, REVISIONS, first=1))
def test_prompts_are_made_of_the_tree(grove: Path, mode: str) -> None:
    async def speak(tools: Tools) -> None:
        async def text(name: str, arguments: dict[str, str] | None = None) -> str:
            (message,) = (await tools.client.get_prompt(name, arguments)).messages
            assert isinstance(message.content, TextContent)
            return message.content.text

        names = [prompt.name for prompt in (await tools.client.list_prompts()).prompts]
        assert names == ["summarise_branch", "start_branch", "tm:context", "tm:stats"]
        await tools.call("summary_update", content="So far")
        assert await text("tm:context") == await tools.text("context_get")
        assert await text("tm:stats") == await tools.text("stats_show")
        said = await text("summarise_branch", {"thread": "main"})
        assert "So far" in said
        assert "message 2" in said
        assert "thread_create(title='Auth', parent='main')" in await text("start_branch", {"title": "Auth"})
        for name, arguments in (
            ("none", {}),
            ("start_branch", {}),
            ("tm:context", {"x": "y"}),
            ("summarise_branch", {"thread": "none"}),
        ):
            with pytest.raises(MCPError):
                await text(name, arguments)

    talk(grove, speak, mode)


@pytest.mark.parametrize("mode", one_in(2, REVISIONS))
def test_ids_are_completed(grove: Path, mode: str) -> None:
    async def speak(tools: Tools) -> None:
        prompt = PromptReference(type="ref/prompt", name="summarise_branch")
        template = ResourceTemplateReference(type="ref/resource", uri="loom://node/{node_id}")

        async def found(ref: Reference, name: str, typed: str) -> list[str]:
            return (await tools.client.complete(ref, {"name": name, "value": typed})).completion.values

        await tools.call("thread_create", title="Auth")
        assert await found(prompt, "thread", "") == ["main", "auth"]
        assert await found(prompt, "thread", "A") == ["auth"]
        rows = await tools.list("list_nodes", fields=["id", "localId"])
        local_ids = [str(row["localId"]) for row in rows]
        assert await found(template, "node_id", "") == local_ids[::-1]
        assert await found(template, "node_id", local_ids[2].lower()) == [local_ids[2]]
        assert await found(template, "node_id", "no such id") == []
        assert await found(template, "colour", "") == []
        assert len(await found(template, "tree", "")) == 1

    talk(grove, speak, mode)


def set_mode(path: Path, mode: str | bytes) -> None:
    """Write a tree's mode behind Loomapp's back."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints=1")
        connection.execute("UPDATE trees SET mode = ?", (mode,))
        connection.commit()


def test_a_file_that_cannot_be_followed_for_a_while_ends_no_server(
    grove: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def speak(tools: Tools) -> None:
        async with tools.client.listen(resource_subscriptions=["loom://tree"]) as events:
            set_mode(grove, b"\xff")
            with anyio.fail_after(PATIENCE_S):
                while "nothing to follow" not in caplog.text:
                    await anyio.sleep(0.02)
                set_mode(grove, "dialogue")
                async for _ in events:
                    break
        assert len(await tools.list("list_nodes")) == 4

    caplog.set_level(logging.DEBUG, "loomapp.mcp.updates")
    talk(grove, speak, environment=Environment(is_read_only=True))
