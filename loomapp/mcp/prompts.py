"""Prompts: texts for common tasks, made of the tree as it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import mcp_types as types
from mcp.shared.exceptions import MCPError

from loomapp.core.dataclass import dataclass
from loomapp.mcp.calls import Caller, told_faults
from loomapp.mcp.errors import ToolError, quoted, shown, sound
from loomapp.mcp.threads import TreeThreads, path_at

Arguments = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: its words, its arguments (name, words, whether it is required), and its text."""

    name: str
    title: str
    description: str
    arguments: tuple[tuple[str, str, bool], ...]
    text: Callable[[Caller, Arguments, str], Awaitable[str]]


async def _summarise_branch(caller: Caller, arguments: Arguments, _client: str) -> str:
    with told_faults(caller.served, "summarise_branch"):
        tree = caller.current_tree()
        at = caller.position.at(tree)
        threads = TreeThreads(tree, at)
        thread = threads.find(arguments["thread"]) if "thread" in arguments else threads.active
        path = path_at(tree, at)
        start = path.place_of(thread.node_id)
        nodes = path_at(tree, thread.node_id).nodes[-1:] if start is None else path.nodes[start:]
        told = "\n\n".join(f"[{node.local_id}]\n{node.text}" for node in nodes if node.text.strip())
    before = thread.branch.summary or "(none yet)"
    return (
        f"Summarise the thread {quoted(thread.name)} in a few lines: decisions, names and values, open "
        f"questions. Then save it with summary_update(content, thread={thread.name!r}) through call_tool.\n\n"
        f"Summary so far:\n{before}\n\nIts text:\n{told or '(nothing yet)'}"
    )


async def _start_branch(caller: Caller, arguments: Arguments, _client: str) -> str:
    with told_faults(caller.served, "start_branch"):
        tree = caller.current_tree()
        threads = TreeThreads(tree, caller.position.at(tree))
        parent = (
            threads.find(arguments["parent"], "Parent thread") if "parent" in arguments else threads.active
        )
    title = arguments["title"]
    return (
        f"Begin a thread about {title!r}: thread_create(title={title!r}, parent={parent.name!r}) through "
        "call_tool. Read context_get() first, write with node_create, and when something is settled keep it "
        "with summary_update."
    )


async def _context(caller: Caller, _arguments: Arguments, client: str) -> str:
    return str(await caller.call("context_get", {}, client))


async def _stats(caller: Caller, _arguments: Arguments, client: str) -> str:
    return str(await caller.call("stats_show", {}, client))


PROMPTS: Mapping[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "summarise_branch",
            "Summarise branch",
            "Summarise a thread and save the summary",
            (("thread", "a thread's name (default: that of the position)", False),),
            _summarise_branch,
        ),
        Prompt(
            "start_branch",
            "Start branch",
            "Begin a thread about something",
            (
                ("title", "what it is about", True),
                ("parent", "the thread that it begins in (default: that of the position)", False),
            ),
            _start_branch,
        ),
        Prompt("tm:context", "Context", "The summaries from the root to the position", (), _context),
        Prompt("tm:stats", "Statistics", "The tokens that summaries save", (), _stats),
    )
}


def listed() -> list[types.Prompt]:
    """Every prompt as a client lists it."""
    return [
        types.Prompt(
            name=prompt.name,
            title=prompt.title,
            description=prompt.description,
            arguments=[
                types.PromptArgument(name=name, description=text, required=required)
                for name, text, required in prompt.arguments
            ],
        )
        for prompt in PROMPTS.values()
    ]


async def get(caller: Caller, name: str, given: Arguments, client: str) -> types.GetPromptResult:
    """The text of a prompt as a message of the user. Raises: MCPError."""
    try:
        prompt = PROMPTS.get(name)
        if prompt is None:
            raise ToolError(f"Unknown prompt: {name}. There are: {list(PROMPTS)}")
        text = await prompt.text(caller, _checked(prompt, given), client)
    except ToolError as error:
        raise MCPError(types.INVALID_PARAMS, error.message) from error
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=sound(text)))
    return types.GetPromptResult(description=prompt.description, messages=[message])


def _checked(prompt: Prompt, given: Arguments) -> Arguments:
    known = {name: required for name, _, required in prompt.arguments}
    for name in given:
        if name not in known:
            raise ToolError(f"Unknown argument {shown(name)}. Valid arguments: {sorted(known)}")
    filled = {name: value for name, value in given.items() if value.strip()}
    for name, required in known.items():
        if required and name not in filled:
            raise ToolError(f"Missing argument {name!r}")
    return filled
