"""Resources: the context and the threads at the position, and each node by its id."""

from __future__ import annotations

import json

import mcp_types as types
from mcp.shared.exceptions import MCPError

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
