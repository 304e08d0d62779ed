"""Clients of the MCP server: the official one, in this process or over the standard streams of a child."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, Implementation, TextContent

from loomapp.mcp.served_grove import Environment, ServedGrove
from loomapp.mcp.server import LoomServer

REVISIONS = ("legacy", "2026-07-28")  # modes of the client: 2025-11-25 begins with a handshake
NAME = "Test client"
T = TypeVar("T")


class Tools:
    """The tools of a server as a client calls them: through `call_tool`, unless a test says otherwise."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def raw(self, name: str, arguments: dict[str, object]) -> CallToolResult:
        """The whole result of a tool that is called by its own name."""
        return await self.client.call_tool(name, arguments)

    async def result(self, name: str, /, **arguments: object) -> CallToolResult:
        """The whole result of a tool, error or not."""
        return await self.raw("call_tool", {"name": name, "arguments": arguments})

    async def text(self, name: str, /, **arguments: object) -> str:
        """The text of a result that is no error."""
        result = await self.result(name, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    async def call(self, name: str, /, **arguments: object) -> dict[str, object]:
        """An object that a tool replied."""
        value = json.loads(await self.text(name, **arguments))
        assert isinstance(value, dict)
        return value

    async def list(self, name: str, /, **arguments: object) -> list[dict[str, object]]:
        """A list that a tool replied."""
        value = json.loads(await self.text(name, **arguments))
        assert isinstance(value, list)
        return value

    async def refused(self, name: str, /, **arguments: object) -> str:
        """The message of a call that is refused, which is all of its result and one line."""
        result = await self.result(name, **arguments)
        assert result.is_error, text_of(result)
        assert result.structured_content is None
        message = text_of(result)
        assert message
        assert "\n" not in message
        return message


def text_of(result: CallToolResult) -> str:
    """The one block of text of a result."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


@asynccontextmanager
async def tools_of(
    path: Path, mode: str = REVISIONS[1], environment: Environment | None = None, name: str = NAME
) -> AsyncIterator[Tools]:
    """A server on a grove in this process, and a client of it."""
    served = ServedGrove(path, is_read_only=environment is not None and environment.is_read_only)
    server = LoomServer(served, environment or Environment())
    try:
        info = Implementation(name=name, version="1")
        async with Client(server.build(), mode=mode, client_info=info) as client:
            yield Tools(client)
    finally:
        server.close()


def talk(
    path: Path,
    speak: Callable[[Tools], Awaitable[T]],
    mode: str = REVISIONS[1],
    environment: Environment | None = None,
    name: str = NAME,
) -> T:
    """What comes of a conversation with a server on a grove."""

    async def run() -> T:
        async with tools_of(path, mode, environment, name) as tools:
            return await speak(tools)

    return anyio.run(run)


def child(path: Path, variables: dict[str, str] | None = None) -> StdioServerParameters:
    """`loomapp mcp` on a grove, as a client starts it."""
    arguments = ["-m", "loomapp", "mcp", "--grove", str(path)]
    return StdioServerParameters(command=sys.executable, args=arguments, env=variables)
