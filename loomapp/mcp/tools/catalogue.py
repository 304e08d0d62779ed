"""The catalogue of tools, and the tools that tell of it: names first, all about one on request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loomapp.core.json_values import Json
from loomapp.mcp.arguments import Parameter, short
from loomapp.mcp.lists import Reply
from loomapp.mcp.tools import context_tools, generate_tool, read_tools, thread_tools, write_tools
from loomapp.mcp.tools.tool import Call, Tool

HINT = "Use get_tool_info('tool_name') for full parameters and usage"
ALL_TOOLS_HINT = "Use discover_tools() to see all available tools"


def discover_tools(_call: Call) -> Reply:
    """The name and the summary of every tool."""
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
CATALOGUE = _by_name((*context_tools.TOOLS, *read_tools.TOOLS, *WRITERS, *TOOLS))
