"""Tools about what a model would be sent: the position, the context, the text of threads, statistics."""

from __future__ import annotations

from loomapp.core.context.assembly import assemble, to_json
from loomapp.core.context.request import ContextRequest
from loomapp.core.economy import stats
from loomapp.core.economy.branch_summaries import context_text
from loomapp.core.json_values import Json
from loomapp.core.model.economy_settings import NOTHING_OWN
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.sent.calls import calls_of, is_compressed
from loomapp.mcp.arguments import Parameter, ToolError
from loomapp.mcp.lists import Reply
from loomapp.mcp.threads import TreeThreads, path_at
from loomapp.mcp.tools.tool import TREE, Call, Tool
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import now

WINDOW = 128_000  # tokens, where nothing else is said


def context(call: Call) -> Reply:
    """The position of the server, after it went elsewhere if that was asked for."""
    if call.arguments.text("action") == "set":
        tree, node_id = call.place("at")
        call.position.go(tree, node_id)
        return position_of(call, tree)
    if call.arguments.optional_text("at") is not None:
        raise ToolError("'at' needs action='set': nothing moved")
    return position_of(call, call.tree())


def position_of(call: Call, tree: Tree) -> Json:
    at = call.position.at(tree)
    return {
        "tree_id": tree.loom.id,
        "title": tree.loom.title,
        "at": at,
        "thread": TreeThreads(tree, at).active.name,
    }


def context_get(call: Call) -> Reply:
    """The text of the chain of threads at the position, with its footer."""
    tree = call.tree()
    return context_text(tree, path_at(tree, call.position.at(tree)))


def stats_show(call: Call) -> Reply:
    """The statistics of what a tree's summaries saved."""
    tree = call.tree()
    return stats.to_text(stats.statistics_of(tree, path_at(tree, call.position.at(tree))))


def preview_context(call: Call) -> Reply:
    """The context of a node as `loomapp assemble` prints it, and the report."""
    tree, at = call.place("at")
    return preview_of(tree, at, call.arguments.number("window"), call.served.grove())


def preview_of(tree: Tree, at: str, window: int, grove: Grove) -> Json:
    """Assemble the context of a node for a window of so many tokens."""
    defaults = read_settings().settings.context
    evidence = grove.all_evidence(tree.loom.id) if is_compressed(tree, defaults) else ()
    request = ContextRequest(
        at,
        window,
        overrides=ContextSettings(economy=NOTHING_OWN),
        defaults=defaults,
        calls=calls_of(tree, evidence),
        now=now(),
    )
    return to_json(assemble(tree, request))


TOOLS = (
    Tool(
        "context",
        "Show or set the position: a tree and a node",
        context,
        (
            Parameter("action", "what to do", choices=("show", "set"), default="show"),
            TREE,
            Parameter("at", "the node to stand at, by id or local id (default: the path's end)"),
        ),
        "{tree_id, title, at, thread}",
        "context(action='set', at='A7X2KQ')",
        "Calls that name no tree or node mean the position; it is the server's own and moves no window",
    ),
    Tool(
        "preview_context",
        "Show what a model would be sent for a node, and why",
        preview_context,
        (
            Parameter("at", "the node to continue, by id or local id (default: the position)"),
            Parameter("window", "tokens of the model", "integer", default=WINDOW),
            TREE,
        ),
        "{mode, system, messages or document, report} as `loomapp assemble` prints them",
        "preview_context(at='A7X2KQ', window=32000)",
    ),
    Tool(
        "context_get",
        "Get the summaries of all threads from the root to the position",
        context_get,
        (TREE,),
        "the text itself, with a footer that counts its tokens",
        "context_get()",
    ),
    Tool(
        "stats_show",
        "Show the tokens that summaries save",
        stats_show,
        (TREE,),
        "the text itself",
        "stats_show()",
    ),
)
