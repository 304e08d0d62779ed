"""Tools for threads, the named branches of a tree and their summaries, and for what a model would be sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loomapp.core.context.assembly import assemble, to_json
from loomapp.core.context.request import ContextRequest
from loomapp.core.economy import stats
from loomapp.core.economy.branch_summaries import (
    begin_branch,
    context_text,
    head_row,
    name_branch,
    submit_summary,
)
from loomapp.core.economy.stats import MAIN, UNNAMED, Thread, slug
from loomapp.core.edits import branches, node_marks
from loomapp.core.json_values import Json
from loomapp.core.model.change import Change
from loomapp.core.model.economy_settings import NOTHING_OWN
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.sent.calls import calls_of, is_compressed
from loomapp.core.text.token_counts import by_chars_35
from loomapp.mcp.arguments import Parameter, ToolError, in_sentences, quoted
from loomapp.mcp.lists import OPTIONS, Form, Reply, listed
from loomapp.mcp.threads import TreeThreads, path_at
from loomapp.mcp.tools.tool import TREE, Call, Tool, written
from loomapp.mcp.tools.write_tools import WRITTEN
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import now

FIELDS = ("name", "id", "title", "parent", "active", "updates", "tokens")
THREADS = Form("threads", "node_id", ("id", "name", "title"), FIELDS, (*FIELDS, "summary"))
RENAMED_TOLD = 5  # threads whose names moved
THREAD = Parameter("thread", "a thread's name, or its head's id or local id", required=True)


def summary_update(call: Call) -> Reply:
    """A new summary of a thread, counted as one update."""
    call.served.writable()
    tree = call.tree()
    named = call.arguments.optional_text("thread")
    threads = _threads(call, tree)
    thread = threads.active if named is None else threads.find(named)
    content = call.arguments.text("content")
    call.served.commit(tree, submit_summary(tree, thread.node_id, content, call.pen()))
    blank = f"Thread {quoted(thread.name)} has a blank summary now" if not content.strip() else None
    return written(thread.node_id, "updated", blank)


def thread_create(call: Call) -> Reply:
    """A thread that begins at a node, or with a new empty node in another thread; the position goes there."""
    call.served.writable()
    title = " ".join(call.arguments.text("title").split())
    if not title:
        raise ToolError("'title' must not be blank")
    named, parent = call.arguments.optional_text("node"), call.arguments.optional_text("parent")
    if named is not None and parent is not None:
        raise ToolError("Give 'parent' or 'node', not both")
    if named is not None:
        tree, head = _begun_at(call, title)
    else:
        tree = call.tree()
        threads = _threads(call, tree)
        above = threads.active if parent is None else threads.find(parent, "Parent thread")
        change = begin_branch(tree, above.node_id, title, call.pen())
        call.served.commit(tree, change)
        head = change.added_nodes()[0].id
    call.position.go(tree, head)
    threads = _threads(call, tree)
    said = [one for one in (_named_otherwise(threads, head), _without_summary(threads, head)) if one]
    return written(head, "created", in_sentences(said) or None)


def _begun_at(call: Call, title: str) -> tuple[Tree, str]:
    tree, node_id = call.living_place("node")
    if node_id == tree.root_id or head_row(tree, node_id) is not None:
        heads = TreeThreads(tree, node_id).active
        raise ToolError(f"Node {tree.nodes[node_id].local_id} heads thread {quoted(heads.name)} already")
    change = name_branch(tree, node_id, title, call.pen())
    assert change is not None, "it headed none"
    call.served.commit(tree, change)
    return tree, node_id


def _threads(call: Call, tree: Tree) -> TreeThreads:
    return TreeThreads(tree, call.position.at(tree))


def _named_otherwise(threads: TreeThreads, head: str) -> str | None:
    """Tell the name of a thread that cannot be guessed by its title: one in other letters, or one that is
    another's already.
    """
    thread = threads.find(head)
    plain = slug(thread.title)
    return None if thread.name == plain != UNNAMED else f"The thread is called {quoted(thread.name)}"


def _without_summary(threads: TreeThreads, head: str) -> str | None:
    above = threads.above(threads.find(head))
    if above is None or above.branch.summary:
        return None
    return f"Thread {quoted(above.name)}, in which it begins, has no summary: its context says nothing of it"


def thread_switch(call: Call) -> Reply:
    """The position goes to the head of a thread."""
    tree = call.tree()
    call.position.go(tree, _threads(call, tree).find(call.arguments.text("thread")).node_id)
    return position_of(call, tree)


def thread_list(call: Call) -> Reply:
    """Every thread with the name of the one above it."""
    tree = call.tree()
    threads = _threads(call, tree)
    active = threads.active.node_id

    def row(pair: tuple[Thread, Thread | None], fields: Sequence[str]) -> Json:
        thread, above = pair
        every: Json = {
            "name": thread.name,
            "id": thread.node_id,
            "title": thread.title,
            "parent": None if above is None else above.name,
            "active": thread.node_id == active,
            "updates": thread.branch.update_count,
            "tokens": by_chars_35(thread.branch.summary),
            "summary": thread.branch.summary,
        }
        return {name: every[name] for name in fields}

    found = threads.with_parents()
    return listed(found, len(found), THREADS, row, call.arguments, call.environment)


def thread_delete(call: Call) -> Reply:
    """Prune a thread: its head and all that is below. Nothing is gone for good."""
    call.served.writable()
    tree = call.tree()
    threads = _threads(call, tree)
    thread = threads.find(call.arguments.text("thread"))
    if thread.name == MAIN:
        raise ToolError("Cannot delete the main thread")
    change = node_marks.prune(tree, thread.node_id, call.pen())
    if change is not None:
        call.served.commit(tree, change)
    call.leave_pruned(tree, thread.node_id)
    return written(thread.node_id, "deleted", _renamed(threads.names, _threads(call, tree).names))


def _renamed(before: Mapping[str, str], after: Mapping[str, str]) -> str | None:
    """Tell which threads have another name now: one that had a number takes the name that became free."""
    moved = [
        f"{quoted(before[node_id])} is {quoted(name)} now"
        for node_id, name in after.items()
        if before.get(node_id, name) != name
    ]
    others = f" and {len(moved) - RENAMED_TOLD} more" if len(moved) > RENAMED_TOLD else ""
    return f"Threads have other names: {', '.join(moved[:RENAMED_TOLD])}{others}" if moved else None


def thread_rebase(call: Call) -> Reply:
    """Hang a thread, and those that begin in it, under the head of another."""
    call.served.writable()
    tree = call.tree()
    threads = _threads(call, tree)
    thread = threads.find(call.arguments.text("thread"))
    target = threads.find(call.arguments.text("parent"), "Target parent thread")
    change = _rebased(call, threads, thread, target)
    call.served.commit(tree, change)
    return written(thread.node_id, "rebased", _without_summary(_threads(call, tree), thread.node_id))


def _rebased(call: Call, threads: TreeThreads, thread: Thread, target: Thread) -> Change:
    name, other = quoted(thread.name), quoted(target.name)
    if thread.name == MAIN:
        raise ToolError("Cannot rebase the main thread")
    if thread.node_id == target.node_id:
        raise ToolError(f"Cannot rebase {name} onto itself")
    if any(above.node_id == thread.node_id for above in threads.all_above(target)):
        raise ToolError(f"Cannot rebase {name} onto {other}: {other} is a descendant of {name}")
    above = threads.above(thread)
    if above is not None and above.node_id == target.node_id:
        raise ToolError(f"Thread {name} is already under {other}")
    change = branches.reparent(threads.tree, thread.node_id, target.node_id, call.pen())
    if change is None:
        raise ToolError(f"Thread {name} is already under {other}")
    return change


TOOLS = (
    Tool(
        "summary_update",
        "Write the summary of a thread",
        summary_update,
        (
            Parameter("content", "the whole summary, in place of the one before", required=True),
            Parameter(
                "thread", "a thread's name, or its head's id or local id (default: that of the position)"
            ),
            TREE,
        ),
        WRITTEN,
        "summary_update(content='JWT auth with refresh tokens', thread='auth')",
        writes=True,
    ),
    Tool(
        "thread_create",
        "Begin a thread and go there",
        thread_create,
        (
            Parameter("title", "what it is about", required=True),
            Parameter("parent", "the thread that it begins in (default: that of the position)"),
            Parameter("node", "in place of parent: the node that it begins at, by id or local id"),
            TREE,
        ),
        WRITTEN,
        "thread_create(title='Auth system', parent='main')",
        writes=True,
    ),
    Tool(
        "thread_switch",
        "Go to the head of a thread",
        thread_switch,
        (THREAD, TREE),
        "{tree_id, title, at, thread}",
        "thread_switch(thread='main')",
    ),
    Tool(
        "thread_list",
        "List the threads of a tree",
        thread_list,
        (TREE, *OPTIONS),
        f"a list of threads {{{', '.join(FIELDS)}}}; of more than 20 a preview",
        "thread_list(fields=['name', 'summary'])",
    ),
    Tool(
        "thread_delete",
        "Prune a thread and those that begin in it",
        thread_delete,
        (THREAD, TREE),
        WRITTEN,
        "thread_delete(thread='old-idea')",
        "Nothing is deleted for good: prune(node_id, on=false) brings it back",
        writes=True,
    ),
    Tool(
        "thread_rebase",
        "Move a thread under another",
        thread_rebase,
        (THREAD, Parameter("parent", "the thread to be under", required=True), TREE),
        WRITTEN,
        "thread_rebase(thread='oauth', parent='auth')",
        writes=True,
    ),
)


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


CONTEXT_TOOLS = (
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
