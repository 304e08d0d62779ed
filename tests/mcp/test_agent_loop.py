"""An agent of another program: a scripted model behind the official client, which tells a story by tools."""

from __future__ import annotations

import json
import os
from pathlib import Path

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp import Client

from loomapp.core.json_values import Json
from loomapp.store.grove.open import open_grove
from tests.kit.mcp_clients import NAME, REVISIONS, child, talk, text_of
from tests.kit.servers.fake_server import Conversation, FakeServer

CHAPTERS = 20
END = "The story is told."


def test_a_model_behind_a_client_finds_the_tools_and_tells_a_story_with_them(grove: Path) -> None:
    with FakeServer(scripted_model) as model:
        answer, kinds = talk(grove, lambda tools: looped(tools.client, model.url))

    assert answer == END
    assert kinds[:3] == ["discover_tools", "get_tool_info", "read_tool"]
    assert kinds.count("call_tool") == CHAPTERS
    assert told(grove) == [f"Chapter {number}" for number in range(CHAPTERS)]


@pytest.mark.slow
@pytest.mark.parametrize("mode", REVISIONS)
def test_the_same_over_the_standard_streams(grove: Path, mode: str) -> None:
    async def speak(url: str) -> tuple[str, list[str]]:
        info = types.Implementation(name=NAME, version="1")
        async with Client(child(grove, dict(os.environ)), mode=mode, client_info=info) as client:
            return await looped(client, url)

    with FakeServer(scripted_model) as model:
        answer, _ = anyio.run(speak, model.url)

    assert answer == END
    assert told(grove) == [f"Chapter {number}" for number in range(CHAPTERS)]


async def looped(client: Client, url: str) -> tuple[str, list[str]]:
    """Ask the model, carry out the calls that it makes, tell it the results, till it makes none.

    Its last words, and the names that it called.
    """
    functions = [
        {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
        for tool in (await client.list_tools()).tools
    ]
    messages: list[Json] = [{"role": "user", "content": "Continue the story by twenty chapters."}]
    called: list[str] = []
    async with httpx2.AsyncClient(trust_env=False) as http:
        while True:
            asked = {"messages": messages, "tools": [{"type": "function", "function": f} for f in functions]}
            said = (await http.post(url, json=asked)).json()["choices"][0]["message"]
            messages.append(said)
            if not said.get("tool_calls"):
                return str(said["content"]), called
            for call in said["tool_calls"]:
                name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
                called.append(name)
                result = await client.call_tool(name, arguments)
                assert not result.is_error, text_of(result)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text_of(result)})


def scripted_model(conversation: Conversation) -> None:
    """A model that knows nothing of Loomapp but what its tools say, and what the last of them replied."""
    asked = json.loads(conversation.request.body)
    names = {tool["function"]["name"] for tool in asked["tools"]}
    results = [json.loads(one["content"]) for one in asked["messages"] if one["role"] == "tool"]
    written = sum(result.get("action") == "created" for result in results)
    match results[-1:]:
        case []:
            call: tuple[str, Json] = "discover_tools", {}
        case [{"tools": {"node_create": str()}}]:
            call = "get_tool_info", {"name": "node_create"}
        case [{"parameters": {"parent": _, "text": _}}]:
            call = "read_tool", {"name": "context", "arguments": {}}
        case [{"at": str() as at} | {"action": "created", "id": str() as at}]:
            given = {"parent": at, "text": f"Chapter {written}"}
            call = "call_tool", {"name": "node_create", "arguments": given}
        case _:
            raise AssertionError(results)
    assert call[0] in names
    function = {"name": call[0], "arguments": json.dumps(call[1])}
    calls = [{"id": f"call-{len(results)}", "type": "function", "function": function}]
    said: Json = {"role": "assistant", "content": None, "tool_calls": calls}
    if written == CHAPTERS:
        said = {"role": "assistant", "content": END}
    body = json.dumps({"choices": [{"index": 0, "message": said}]}).encode()
    conversation.head(200, "application/json", content_length=str(len(body)))
    conversation.send(body)


def told(grove: Path) -> list[str]:
    """The texts that the agent wrote, each below the one before."""
    with open_grove(grove) as opened:
        tree = opened.load_tree(opened.trees()[0].id)
        (agent_id,) = (agent.id for agent in opened.agents() if agent.name == NAME)
    at, texts = tree.path.leaf_id, list[str]()
    while children := tree.children(at):
        (at,) = children
        assert tree.nodes[at].author_agent_id == agent_id
        texts.append(tree.nodes[at].text)
    return texts
