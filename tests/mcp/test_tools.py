"""Tools through the client: lazily listed, told in full on request, read and called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from loomapp.mcp.calls import CATALOGUE
from loomapp.mcp.served_grove import Environment
from loomapp.store.grove.open import open_grove
from tests.kit.groves import add_chain
from tests.kit.mcp_clients import REVISIONS, Tools, talk, text_of

LAZY = ["discover_tools", "get_tool_info", "read_tool", "call_tool"]


@pytest.mark.parametrize("mode", REVISIONS)
def test_four_tools_are_listed_in_few_bytes(grove: Path, mode: str) -> None:
    async def speak(tools: Tools) -> None:
        listed = await tools.client.list_tools()

        assert [tool.name for tool in listed.tools] == LAZY
        assert len(listed.model_dump_json(by_alias=True, exclude_none=True).encode()) < 2_500
        reads = [tool.annotations.read_only_hint for tool in listed.tools if tool.annotations]
        assert reads == [True, True, True, False]

    talk(grove, speak, mode)


def test_every_tool_is_listed_where_that_is_wished(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        listed = await tools.client.list_tools()

        assert [tool.name for tool in listed.tools] == list(CATALOGUE)
        assert json.loads(text_of(await tools.raw("list_trees", {})))

    talk(grove, speak, environment=Environment(lists_every_tool=True))


def test_discovery_costs_less_than_eighty_bytes_a_tool(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        text = text_of(await tools.raw("discover_tools", {}))
        found = json.loads(text)

        assert found["count"] == len(found["tools"]) == len(CATALOGUE)
        assert found["hint"] == "Use get_tool_info('tool_name') for full parameters and usage"
        assert len(text.encode()) < 80 * found["count"]
        assert all(len(f'"{name}":"{line}",'.encode()) < 80 for name, line in found["tools"].items())

    talk(grove, speak)


def test_all_is_told_of_every_tool(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        for name, tool in CATALOGUE.items():
            info = json.loads(text_of(await tools.raw("get_tool_info", {"name": name})))

            assert list(info) == ["name", "description", "parameters", "returns", "example"]
            assert info["name"] == name
            assert info["example"].startswith(f"{name}(")
            assert list(info["parameters"]) == [one.name for one in tool.parameters]

    talk(grove, speak)


def test_an_unknown_name_is_told_which_there_are(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        info = json.loads(text_of(await tools.raw("get_tool_info", {"name": "x"})))

        assert info == {
            "error": "Unknown tool: x",
            "available_tools": list(CATALOGUE),
            "hint": "Use discover_tools() to see all available tools",
        }
        assert await tools.refused("x") == (
            "Unknown tool: x. Use discover_tools() to see all available tools"
        )
        long = json.loads(text_of(await tools.raw("get_tool_info", {"name": "x" * 99})))
        assert long["error"] == f"Unknown tool: {'x' * 57}..."
        with pytest.raises(MCPError, match=rf"^Unknown prompt: {'x' * 57}\.{{4}} There are: "):
            await tools.client.get_prompt("x" * 99)
        with pytest.raises(MCPError, match=rf"^Resource {'x' * 57}\.\.\. not found$"):
            await tools.client.read_resource("x" * 99)

    talk(grove, speak)


@pytest.mark.parametrize("name", [tool.name for tool in CATALOGUE.values() if tool.writes])
def test_what_only_reads_calls_nothing_that_writes(grove: Path, name: str) -> None:
    async def speak(tools: Tools) -> None:
        result = await tools.raw("read_tool", {"name": name, "arguments": {}})

        assert result.is_error
        assert text_of(result) == f"Tool {name!r} writes: call it by call_tool"

    talk(grove, speak)


def test_a_result_is_one_text_and_the_same_as_structure(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        trees = await tools.raw("read_tool", {"name": "list_trees"})
        where = await tools.raw("read_tool", {"name": "context", "arguments": {}})
        text = await tools.raw("read_tool", {"name": "context_get"})

        assert trees.structured_content == {"result": json.loads(text_of(trees))}
        assert where.structured_content == json.loads(text_of(where))
        assert text.structured_content == {"result": text_of(text)}

    talk(grove, speak)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("show", {}, "Missing argument 'node_id'"),
        ("show", {"node_id": None}, "Missing argument 'node_id'"),
        ("show", {"node_id": 3}, "'node_id' must be a string (is 3)"),
        (
            "show",
            {"node_id": "x", "deep": True},
            "Unknown argument 'deep'. Valid arguments: ['node_id', 'tree']",
        ),
        ("show", {"node_id": "x"}, 'Node "x" not found'),
        ("show", {"node_id": "x", "tree": "y"}, 'Tree "y" not found'),
        ("show", {"node_id": "\ud800"}, "'node_id' is not sound Unicode text"),
        ("list_nodes", {"limit": True}, "'limit' must be an integer (is True)"),
        ("list_nodes", {"limit": 0}, "'limit' must be >= 1 (is 0)"),
        ("list_nodes", {"limit": "9"}, "'limit' must be an integer (is '9')"),
        ("list_nodes", {"max_text_length": -1}, "'max_text_length' must be >= 0 (is -1)"),
        ("list_nodes", {"flags": "head"}, "'flags' must be a list of strings (is 'head')"),
        ("list_nodes", {"brief": 1}, "'brief' must be true or false (is 1)"),
        ("context", {"action": "go"}, "'action' must be one of ['show', 'set'] (is 'go')"),
        ("discover_tools", {"all": True}, "Unknown argument 'all'. It takes none"),
    ],
)
def test_a_wrong_argument_is_named_in_one_line(
    grove: Path, name: str, arguments: dict[str, object], message: str
) -> None:
    async def speak(tools: Tools) -> None:
        assert await tools.refused(name, **arguments) == message

    talk(grove, speak)


def test_a_place_that_is_only_shown_is_not_taken_for_a_move(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        root = str((await tools.list("path", node_id=at))[0]["id"])
        assert await tools.refused("context", at=root) == "'at' needs action='set': nothing moved"
        assert (await tools.call("context"))["at"] == at
        assert (await tools.call("context", action="set", at=root))["at"] == root

    talk(grove, speak)


def test_of_many_trees_that_hold_a_node_some_are_named(grove: Path) -> None:
    with open_grove(grove) as opened:
        trees = [add_chain(opened, "n1", f"n2 of {place}").loom.id for place in range(6)]

    async def speak(tools: Tools) -> None:
        await tools.call("context", action="set", tree=str((await tools.list("list_trees"))[0]["id"]))
        assert await tools.refused("show", node_id="n1") == (
            f'Node "n1" is in 6 trees: name one by tree ({trees[:5]} and others)'
        )
        assert (await tools.call("show", node_id="n1", tree=trees[5]))["id"] == "n1"

    talk(grove, speak)


def test_arguments_of_a_call_are_an_object(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        for wrong in ([1], "x", 3, True):
            result = await tools.raw("call_tool", {"name": "show", "arguments": wrong})

            assert text_of(result) == f"'arguments' must be an object (is {wrong!r})"
        beside = await tools.raw("call_tool", {"name": "show", "node_id": "x"})
        assert text_of(beside) == "Unknown argument 'node_id'. Valid arguments: ['arguments', 'name']"

    talk(grove, speak)
