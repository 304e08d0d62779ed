"""Tools that write nodes and marks, by the very edits that the window and the command line make."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.edits import node_edits, node_marks
from loomapp.mcp.arguments import Parameter, ToolError
from loomapp.mcp.lists import Reply
from loomapp.mcp.tools.read_tools import NODE
from loomapp.mcp.tools.tool import TREE, Call, Tool, written

BLANK = "The node is blank: it is in no context"
ON = Parameter("on", "false takes it back", "boolean", default=True)
WRITTEN = "{id, action, message}: the node, and a warning or null"


def node_create(call: Call) -> Reply:
    """A node that continues another; neither the position nor the path that is read moves."""
    call.served.writable()
    tree, parent_id = call.living_place("parent")
    pen = call.pen()
    if call.arguments.text("author") == "human":
        owner = call.served.grove().owner
        pen = replace(pen, agent_id=owner.id, author_type=owner.type)
    change = node_edits.add_aside(tree, parent_id, call.arguments.text("text"), pen)
    call.served.commit(tree, change)
    blank = None if call.arguments.text("text").strip() else BLANK
    return written(change.added_nodes()[0].id, "created", blank)


def annotate(call: Call) -> Reply:
    call.served.writable()
    if not call.arguments.text("text").strip():
        raise ToolError("'text' must not be blank")
    tree, node_id = call.place("node_id")
    change = node_edits.annotate(tree, node_id, call.arguments.text("text"), call.pen())
    call.served.commit(tree, change)
    return written(change.added_nodes()[0].id, "annotated")


def exclude(call: Call) -> Reply:
    """Leave a node out of every context, or take it in again."""
    call.served.writable()
    tree, node_id = call.place("node_id")
    is_on = call.arguments.flag("on")
    action = "excluded" if is_on else "included"
    change = (node_marks.exclude if is_on else node_marks.include)(tree, (node_id,), call.pen())
    if change is None:
        return written(node_id, action, f"It was {action} already")
    call.served.commit(tree, change)
    return written(node_id, action)


def prune(call: Call) -> Reply:
    """Hide a node and all that hangs below it alone, or bring both back."""
    call.served.writable()
    tree, node_id = call.place("node_id")
    is_on = call.arguments.flag("on")
    if is_on and node_id == tree.root_id:
        raise ToolError("Cannot prune the root of a tree")
    action = "pruned" if is_on else "restored"
    change = (node_marks.prune if is_on else node_marks.restore)(tree, node_id, call.pen())
    if change is None:
        return written(node_id, action, "It was pruned already" if is_on else "It was not pruned")
    call.served.commit(tree, change)
    call.leave_pruned(tree, node_id)
    return written(node_id, action)


TOOLS = (
    Tool(
        "node_create",
        "Write a node that continues another",
        node_create,
        (
            Parameter("parent", "the node to continue, by id or local id", required=True),
            Parameter("text", "what it says", required=True),
            Parameter("author", "who says it", choices=("model", "human"), default="model"),
            TREE,
        ),
        WRITTEN,
        "node_create(parent='A7X2KQ', text='The light went out.')",
        "By you (model) or in the user's name (human). The position stays",
        writes=True,
    ),
    Tool(
        "annotate",
        "Write a note on a node",
        annotate,
        (NODE, Parameter("text", "the note", required=True), TREE),
        WRITTEN,
        "annotate(node_id='A7X2KQ', text='The turning point')",
        "Notes are in no context unless the user includes them",
        writes=True,
    ),
    Tool(
        "exclude",
        "Leave a node out of every context, or take it in again",
        exclude,
        (NODE, ON, TREE),
        WRITTEN,
        "exclude(node_id='A7X2KQ', on=false)",
        writes=True,
    ),
    Tool(
        "prune",
        "Hide a node and what is below it, or bring them back",
        prune,
        (NODE, ON, TREE),
        WRITTEN,
        "prune(node_id='A7X2KQ')",
        "Nothing is deleted",
        writes=True,
    ),
)
