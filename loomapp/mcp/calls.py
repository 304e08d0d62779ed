"""Tools by their names: the catalogue, and calls of them: found, checked, carried out, every fault told."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from loomapp.core.errors import GroveError, LoomError
from loomapp.core.json_values import Json
from loomapp.core.model.tree import Tree
from loomapp.mcp.arguments import Arguments, Parameter, ToolError, in_one_line, short, shown
from loomapp.mcp.lists import Reply
from loomapp.mcp.permissions import ServerPermissions
from loomapp.mcp.served_grove import Environment, LocalEngine, Position, ServedGrove
from loomapp.mcp.tools import generate_tool, read_tools, thread_tools, write_tools
from loomapp.mcp.tools.tool import Call, Report, Tool, current_tree, unreported
from loomapp.store.grove.grove import Grove

HINT = "Use get_tool_info('tool_name') for full parameters and usage"
ALL_TOOLS_HINT = "Use discover_tools() to see all available tools"
READ, ANY = "read_tool", "call_tool"  # the two through which every other tool is called
THROUGH = (
    Parameter("name", "a tool's name", required=True),
    Parameter("arguments", "its arguments", "object"),
)
FAULT = "A fault in Loomapp itself: {name}. Its details are in the log of the server"

log = logging.getLogger(__name__)


def discover_tools(_call: Call) -> Reply:
    return {
        "tools": {tool.name: tool.summary for tool in CATALOGUE.values()},
        "count": len(CATALOGUE),
        "hint": HINT,
    }


def get_tool_info(call: Call) -> Reply:
    """All about one tool; of an unknown name those that there are."""
    named = call.arguments.text("name")
    tool = CATALOGUE.get(named)
    if tool is None:
        return {
            "error": f"Unknown tool: {short(named)}",
            "available_tools": list(CATALOGUE),
            "hint": ALL_TOOLS_HINT,
        }
    return {
        "name": tool.name,
        "description": tool.text,
        "parameters": {one.name: _told(one) for one in tool.parameters},
        "returns": tool.returns,
        "example": tool.example,
    }


def _told(parameter: Parameter) -> Json:
    return {**parameter.schema(), **({"required": True} if parameter.required else {})}


def _by_name(tools: Iterable[Tool]) -> Mapping[str, Tool]:
    return {tool.name: tool for tool in tools}


TOOLS = (
    Tool(
        "discover_tools",
        "List all tools with one line each",
        discover_tools,
        (),
        "{tools: {name: summary}, count, hint}",
        "discover_tools()",
        reads_grove=False,
    ),
    Tool(
        "get_tool_info",
        "Get parameters, result and example of a tool",
        get_tool_info,
        (Parameter("name", "a tool's name", required=True),),
        "{name, description, parameters, returns, example}",
        "get_tool_info(name='list_nodes')",
        reads_grove=False,
    ),
)
WRITERS = (*write_tools.TOOLS, *generate_tool.TOOLS, *thread_tools.TOOLS)
CATALOGUE = _by_name((*thread_tools.CONTEXT_TOOLS, *read_tools.TOOLS, *WRITERS, *TOOLS))


class Caller:
    """The state in which one server calls its tools: the grove, the position and the environment."""

    def __init__(self, served: ServedGrove, environment: Environment) -> None:
        self.served, self.environment = served, environment
        self.position = Position()
        self.engine = LocalEngine()
        self._permissions = ServerPermissions()

    def grove(self) -> Grove:
        """The grove as the file has it now. Raises: LoomError."""
        self._permissions.check_reading()
        return self.served.grove()

    def current_tree(self) -> Tree:
        """The tree of the position. Raises: LoomError."""
        self._permissions.check_reading()
        return current_tree(self.served, self.position)

    async def call(
        self, name: str, given: Mapping[str, object], client: str, report: Report = unreported
    ) -> Reply:
        """Carry out a call and return its reply. Raises: ToolError in one line, whatever went wrong."""
        with told_faults(self.served, name):
            tool, arguments = _found(name, given)
            self._permissions.check(tool)
            call = Call(
                self.served,
                self.position,
                self.environment,
                Arguments(tool.parameters, arguments),
                client,
                report,
                self._permissions.settings(),
                self.engine,
            )
            reply = tool.run(call)
            return await reply if inspect.isawaitable(reply) else reply


@contextmanager
def told_faults(served: ServedGrove, what: str) -> Iterator[None]:
    """Turn every fault of the block into a ToolError; after one of the grove it is opened anew."""
    try:
        yield
    except LoomError as error:
        if isinstance(error, GroveError):
            served.let_go()
        raise ToolError(in_one_line(error.message)) from error
    except Exception as error:
        log.exception("a call of %s failed", shown(what))
        served.let_go()
        raise ToolError(FAULT.format(name=type(error).__name__)) from error


def _found(name: str, given: Mapping[str, object]) -> tuple[Tool, Mapping[str, object]]:
    """The tool that is meant, and its own arguments. Raises: ToolError."""
    if name not in (READ, ANY):
        return _tool(name), given
    through = Arguments(THROUGH, given)
    tool = _tool(through.text("name"))
    if name == READ and tool.writes:
        raise ToolError(f"Tool {tool.name!r} writes: call it by {ANY}")
    return tool, through.mapping("arguments")


def called_tool(name: str, given: Mapping[str, object]) -> Tool | None:
    asked = given.get("name") if name in (READ, ANY) else name
    return CATALOGUE.get(asked) if isinstance(asked, str) else None


def _tool(name: str) -> Tool:
    tool = CATALOGUE.get(name)
    if tool is None:
        raise ToolError(f"Unknown tool: {short(name)}. {ALL_TOOLS_HINT}")
    return tool


def structured(reply: Reply) -> Json:
    """A reply as the object that structured content is: a list or a text under `result`."""
    return reply if isinstance(reply, dict) else {"result": reply}
