"""The server on the SDK's low level: tools lazily listed or all of them, each result as text and as JSON."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server

from loomapp.core.model.change import BY_USER
from loomapp.mcp import prompts
from loomapp.mcp.arguments import ToolError, input_schema, sound
from loomapp.mcp.calls import ANY, CATALOGUE, READ, THROUGH, Caller, called_tool, structured
from loomapp.mcp.last_heard import LastHeard
from loomapp.mcp.lists import HUMAN, Reply
from loomapp.mcp.prompts import complete
from loomapp.mcp.served_grove import Environment, ServedGrove
from loomapp.mcp.tools.tool import Tool
from loomapp.mcp.updates import Updates

NAME, TITLE = "loomapp", "Loomapp"
INSTRUCTIONS = (
    "Trees of branching conversations and prose. discover_tools() lists all tools; read_tool changes nothing."
)
UNNAMED = "MCP client"
MAKE_NODES = ("node_create", "annotate", "generate")  # one each, unless the reply has several ids
LONGEST_NAME = 60
COMMAND_LINE = "command line"  # who changes a tree by commands, as the change log names it
END_LOOK_S = 0.02  # between two looks whether the calls have ended
ENDED = "The server was ended meanwhile; what a model had written is in the tree"


class LoomServer:
    """Handlers of one server for all of its connections."""

    def __init__(self, served: ServedGrove, environment: Environment) -> None:
        self.environment = environment
        self.caller = Caller(served, environment)
        self.updates = Updates(self.caller)
        self._heard = LastHeard(served.path)
        self._calls: set[anyio.CancelScope] = set()  # that are under way

    async def end_calls(self) -> None:
        """Cancel the calls of tools that are under way, as clients could, till what came of each is kept."""
        while self._calls:
            for scope in list(self._calls):  # also of calls that came since: clients ask again
                scope.cancel()
            await anyio.sleep(END_LOOK_S)

    def close(self) -> None:
        """End what was begun for the server: the engine, and the open file."""
        self.caller.engine.close()
        self.caller.served.let_go()

    def build(self) -> Server[dict[str, object]]:
        """The server, to be run on a transport."""
        return Server(
            NAME,
            version=version("loomapp"),
            title=TITLE,
            instructions=INSTRUCTIONS,
            lifespan=self._lifespan,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_subscribe_resource=self.subscribe,
            on_unsubscribe_resource=self.unsubscribe,
            on_subscriptions_listen=self.listen,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
            on_completion=self.complete,
        )

    @asynccontextmanager
    async def _lifespan(self, _server: Server[dict[str, object]]) -> AsyncIterator[dict[str, object]]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.updates.follow)
            yield {}
            tasks.cancel_scope.cancel()

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

        given, client = params.arguments or {}, client_name(context)
        tool = called_tool(params.name, given)
        name = "" if tool is None else tool.name
        try:
            with anyio.CancelScope() as scope:
                self._calls.add(scope)
                try:
                    reply = await self.caller.call(params.name, given, client, report)
                finally:
                    self._calls.discard(scope)
            if scope.cancelled_caught:
                raise ToolError(ENDED)
        except ToolError as error:
            self._heard.note_refusal(client, name, error.message)
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=error.message)], is_error=True
            )
        text = sound(as_text(reply))
        made = _count_made(reply) if name in MAKE_NODES else 0
        self._heard.note_reply(client, name, text, writes=tool is not None and tool.writes, nodes=made)
        content = structured(reply) if isinstance(reply, str) else structured(json.loads(text))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)], structured_content=content
        )

    # Resources, prompts, completion

    async def list_resources(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=list(prompts.RESOURCES))

    async def list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(prompts.TEMPLATES))

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        client, uri = client_name(context), str(params.uri)
        read = await prompts.read(self.caller, uri, client)
        self._heard.note_reply(client, uri, prompts.read_text(read), writes=False)
        return read

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        await self.updates.subscribe(context.session, str(params.uri))
        return types.EmptyResult()

    async def unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        self.updates.unsubscribe(context.session, str(params.uri))
        return types.EmptyResult()

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        async with self.updates.listened(params.notifications.resource_subscriptions or ()):
            return await self.updates.handler(context, params)

    async def list_prompts(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=prompts.listed())

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        return await prompts.get(self.caller, params.name, params.arguments or {}, client_name(context))

    async def complete(self, _context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        return complete(self.caller, params.argument)


Context = ServerRequestContext[dict[str, object]]


def as_text(reply: Reply) -> str:
    """A reply as its text block: JSON in one line, or a text as it is."""
    if isinstance(reply, str):
        return reply
    return json.dumps(reply, ensure_ascii=False, separators=(",", ":"))


def _count_made(reply: Reply) -> int:
    """Count the nodes that the reply of a tool which makes them tells of."""
    ids = reply.get("ids") if isinstance(reply, dict) else None
    return len(ids) if isinstance(ids, list) else 1


def client_name(context: Context) -> str:
    """The name that the client gives itself, in one line; none passes for a person."""
    asked = context.session.client_params
    named = "" if asked is None else asked.client_info.title or asked.client_info.name
    printable = "".join(one if one.isprintable() else " " for one in named)
    name = " ".join(printable.split())[:LONGEST_NAME].strip()
    plain = unicodedata.normalize("NFKC", name).casefold()
    return UNNAMED if plain in ("", HUMAN, BY_USER, COMMAND_LINE) else name


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


def _through(name: str, text: str, *, writes: bool = False) -> types.Tool:
    return types.Tool(
        name=name,
        description=f"{text}. discover_tools() lists their names, get_tool_info(name) their arguments",
        input_schema=input_schema(THROUGH),
        annotations=types.ToolAnnotations(read_only_hint=not writes),
    )
