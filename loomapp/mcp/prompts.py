"""Prompts made of the tree as it is, and resources: the context, threads, and each node by its id."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from urllib.parse import unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.model.tree import Tree
from loomapp.mcp.arguments import ToolError, in_one_line, quoted, short, shown, sound
from loomapp.mcp.calls import Caller, told_faults
from loomapp.mcp.lists import Reply
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
            raise ToolError(f"Unknown prompt: {short(name)}. There are: {list(PROMPTS)}")
        text = await prompt.text(caller, _checked(prompt, given), client)
    except ToolError as error:
        raise MCPError(types.INVALID_PARAMS, in_one_line(error.message)) from error
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


CONTEXT, ALIAS, TREE = "loom://context", "threadmind://context", "loom://tree"
NODE = "loom://node/"
TEMPLATE = NODE + "{node_id}"
MARKDOWN, PLAIN, JSON = "text/markdown", "text/plain", "application/json"

RESOURCES = (
    types.Resource(
        uri=CONTEXT, name="context", title="Context", description="As context_get", mime_type=MARKDOWN
    ),
    types.Resource(
        uri=ALIAS, name="threadmind-context", title="Context", description="The same", mime_type=MARKDOWN
    ),
    types.Resource(
        uri=TREE, name="tree", title="Threads", description="All threads as a tree", mime_type=PLAIN
    ),
)
TEMPLATES = (
    types.ResourceTemplate(
        uri_template=TEMPLATE, name="node", title="Node", description="As show", mime_type=JSON
    ),
)
FOLLOWED = (CONTEXT, ALIAS, TREE)  # change with the tree and with the position


async def read(caller: Caller, uri: str, client: str) -> types.ReadResourceResult:
    """The text of a resource. Raises: MCPError if there is none, or it cannot be read."""
    try:
        text, kind = await text_of(caller, uri, client)
    except ToolError as error:
        raise MCPError(types.INVALID_PARAMS, in_one_line(error.message)) from error
    contents = types.TextResourceContents(uri=uri, mime_type=kind, text=sound(text))
    return types.ReadResourceResult(contents=[contents])


def read_text(read: types.ReadResourceResult) -> str:
    return "".join(one.text for one in read.contents if isinstance(one, types.TextResourceContents))


async def text_of(caller: Caller, uri: str, client: str) -> tuple[str, str]:
    """The text of a resource and its kind. Raises: ToolError."""
    if uri in (CONTEXT, ALIAS):
        return str(await caller.call("context_get", {}, client)), MARKDOWN
    if uri == TREE:
        return threads_drawn(caller), PLAIN
    if uri.startswith(NODE):
        shown = await _node(caller, uri.removeprefix(NODE), client)
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":")), JSON
    raise ToolError(f"Resource {short(uri)} not found")


async def _node(caller: Caller, named: str, client: str) -> Reply:
    """Show a node by its id as it is, else by what the id means where it was put into the template: there
    spaces, slashes and foreign letters are escaped.
    """
    try:
        return await caller.call("show", {"node_id": named}, client)
    except ToolError:
        plain = unquote(named)
        if plain == named:
            raise
        return await caller.call("show", {"node_id": plain}, client)


def threads_drawn(caller: Caller) -> str:
    """All threads of the tree of the position. Raises: ToolError."""
    with told_faults(caller.served, "loom://tree"):
        tree = caller.current_tree()
        return TreeThreads(tree, caller.position.at(tree)).drawn()


MOST = 100  # values, as the protocol has it
THREADS, NODES, TREES = ("thread", "parent"), ("node", "node_id", "at", "under"), ("tree", "tree_id")


def complete(caller: Caller, argument: types.CompletionArgument) -> types.CompleteResult:
    """The values that begin with what was typed, of the kind that an argument's name tells; else none."""
    try:
        found = list(_values(caller, argument.name, argument.value))
    except LoomError:
        found = []  # a call tells why
    shown = found[:MOST]
    completion = types.Completion(values=shown, total=len(found), has_more=len(found) > len(shown))
    return types.CompleteResult(completion=completion)


def _values(caller: Caller, name: str, typed: str) -> Iterator[str]:
    if name in TREES:
        yield from (row.id for row in caller.grove().trees() if row.id.startswith(typed))
    elif name in THREADS:
        tree = caller.current_tree()
        threads = TreeThreads(tree, caller.position.at(tree)).with_parents()
        yield from (thread.name for thread, _ in threads if thread.name.startswith(typed.lower()))
    elif name in NODES:
        yield from _nodes(caller.current_tree(), typed)


def _nodes(tree: Tree, typed: str) -> Iterator[str]:
    """Local ids, newest first; full ids where more than a local id was typed."""
    for node in reversed(list(tree.nodes.values())):
        if node.metadata.pruned:
            continue
        if node.local_id.upper().startswith(typed.upper()):
            yield node.local_id
        elif typed and node.id.startswith(typed):
            yield node.id
