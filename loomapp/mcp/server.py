"""The server on the SDK's low level: tools lazily listed or all of them, each result as text and as JSON."""

from __future__ import annotations

import json
from importlib.metadata import version

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server

from loomapp.mcp.arguments import Parameter, input_schema
from loomapp.mcp.calls import ANY, READ, THROUGH, Caller, structured
from loomapp.mcp.catalogue import CATALOGUE
from loomapp.mcp.environment import Environment
from loomapp.mcp.errors import ToolError, sound
from loomapp.mcp.lists import Reply
from loomapp.mcp.served_grove import ServedGrove
from loomapp.mcp.tools import Tool

NAME, TITLE = "loomapp", "Loomapp"
INSTRUCTIONS = (
    "Trees of branching conversations and prose. discover_tools() lists all tools; read_tool changes nothing."
)
UNNAMED = "MCP client"
LONGEST_NAME = 60


class LoomServer:
    """Handlers of one server for all of its connections."""

    def __init__(self, served: ServedGrove, environment: Environment) -> None:
        self.environment = environment
        self.caller = Caller(served, environment)

    def build(self) -> Server[dict[str, object]]:
        """The server, to be run on a transport."""
        return Server(
            NAME,
            version=version("loomapp"),
            title=TITLE,
            instructions=INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
        )

    async def list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Four tools that lead to all, or all."""
        if self.environment.lists_every_tool:
            return types.ListToolsResult(tools=[_listed(tool) for tool in CATALOGUE.values()])
        return types.ListToolsResult(tools=_lazily_listed())

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """The reply of a tool as one block of text and as structured content; an error is its message."""

        async def report(done: float, total: float | None, message: str) -> None:
            await context.session.report_progress(done, total, message)

        try:
            reply = await self.caller.call(params.name, params.arguments or {}, client_name(context), report)
        except ToolError as error:
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=error.message)], is_error=True
            )
        text = sound(as_text(reply))
        content = structured(reply) if isinstance(reply, str) else structured(json.loads(text))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)], structured_content=content
        )


Context = ServerRequestContext[dict[str, object]]


def as_text(reply: Reply) -> str:
    """A reply as its text block: JSON in one line, or a text as it is."""
    if isinstance(reply, str):
        return reply
    return json.dumps(reply, ensure_ascii=False, separators=(",", ":"))


def client_name(context: Context) -> str:
    """What the client calls itself, in one line."""
    asked = context.session.client_params
    named = "" if asked is None else asked.client_info.title or asked.client_info.name
    return sound(" ".join(named.split()))[:LONGEST_NAME].strip() or UNNAMED


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.text,
        input_schema=input_schema(tool.parameters),
        annotations=types.ToolAnnotations(read_only_hint=not tool.writes),
    )


def _lazily_listed() -> list[types.Tool]:
    discover, info = CATALOGUE["discover_tools"], CATALOGUE["get_tool_info"]
    read = "Call a tool that changes nothing, such as list_nodes, search, show, context_get"
    call = "Call any tool, also those that write, such as node_create, annotate, generate"
    return [_listed(discover), _listed(info), _through(READ, read), _through(ANY, call, writes=True)]


def _through(
    name: str, text: str, *, writes: bool = False, parameters: tuple[Parameter, ...] = THROUGH
) -> types.Tool:
    return types.Tool(
        name=name,
        description=f"{text}. discover_tools() lists their names, get_tool_info(name) their arguments",
        input_schema=input_schema(parameters),
        annotations=types.ToolAnnotations(read_only_hint=not writes),
    )
