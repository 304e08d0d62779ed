"""Resources: the context and threads at the position, each node by its id, and the completion of ids."""

from __future__ import annotations

import json
from collections.abc import Iterator

import mcp_types as types
from mcp.shared.exceptions import MCPError

from loomapp.core.errors import LoomError
from loomapp.core.model.tree import Tree
from loomapp.mcp.calls import Caller, told_faults
from loomapp.mcp.errors import ToolError, sound
from loomapp.mcp.threads import TreeThreads

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
        raise MCPError(types.INVALID_PARAMS, error.message) from error
    contents = types.TextResourceContents(uri=uri, mime_type=kind, text=sound(text))
    return types.ReadResourceResult(contents=[contents])


def read_text(read: types.ReadResourceResult) -> str:
    """The text of a resource that was read."""
    return "".join(one.text for one in read.contents if isinstance(one, types.TextResourceContents))


async def text_of(caller: Caller, uri: str, client: str) -> tuple[str, str]:
    """The text of a resource and its kind. Raises: ToolError."""
    if uri in (CONTEXT, ALIAS):
        return str(await caller.call("context_get", {}, client)), MARKDOWN
    if uri == TREE:
        return threads_drawn(caller), PLAIN
    if uri.startswith(NODE):
        shown = await caller.call("show", {"node_id": uri.removeprefix(NODE)}, client)
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":")), JSON
    raise ToolError(f"Resource {uri} not found")


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
