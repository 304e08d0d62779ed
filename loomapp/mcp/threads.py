"""Threads by name: the one that is meant, the one above it, and all of them drawn as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loomapp.core.economy.branch_edits import head_row
from loomapp.core.economy.stats import Thread, threads_of
from loomapp.core.economy.threads import chain_of
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.mcp.errors import ToolError, shown

ACTIVE = " ← active"


def find_thread(tree: Tree, named: str, kind: str = "Thread") -> Thread:
    """The thread of a name, or of the local id or id of its head. Raises: ToolError."""
    threads = {thread.node_id: thread for thread in threads_of(tree)}
    by_name = next((thread for thread in threads.values() if thread.name == named), None)
    if by_name is not None:
        return by_name
    node_id = tree.find(named)
    found = None if node_id is None else threads.get(node_id)
    if found is None and node_id is not None:
        row = head_row(tree, node_id)  # of another version of the passage
        found = None if row is None else threads.get(row.node_id)
    if found is None:
        raise ToolError(f"{kind} {quoted(named)} not found")
    return found


def quoted(name: str) -> str:
    return f'"{name}"' if len(name) <= 60 else shown(name)


def thread_at(tree: Tree, node_id: str) -> Thread:
    """The thread that a node belongs to: that of the last head on its path which is not pruned."""
    threads = {thread.node_id: thread for thread in threads_of(tree)}
    heads = [head.node_id for head in chain_of(tree, resolve(tree, node_id)).heads]
    known = [threads[head] for head in reversed(heads) if head in threads]
    return known[0] if known else next(iter(threads.values()), _main(tree))


def thread_above(tree: Tree, thread: Thread) -> Thread | None:
    """The thread that another was begun in, None above the main one."""
    threads = {one.node_id: one for one in threads_of(tree)}
    return _above(tree, thread, threads)


def _above(tree: Tree, thread: Thread, threads: Mapping[str, Thread]) -> Thread | None:
    heads = [head.node_id for head in chain_of(tree, resolve(tree, thread.node_id)).heads]
    return next((threads[h] for h in reversed(heads) if h in threads and h != thread.node_id), None)


def threads_with_parents(tree: Tree) -> list[tuple[Thread, Thread | None]]:
    """Every thread with the one above it, main first, then as they became heads."""
    threads = {one.node_id: one for one in threads_of(tree)}
    return [(thread, _above(tree, thread, threads)) for thread in threads.values()]


def _main(tree: Tree) -> Thread:
    """The main thread of a tree whose root is pruned."""
    raise ToolError(f"The root of {quoted(tree.loom.title)} is pruned: it has no threads")


def drawn(tree: Tree, node_id: str) -> str:
    """The names of all threads as `tree` draws folders, the one at a node marked."""
    active = thread_at(tree, node_id).node_id
    below: dict[str, list[Thread]] = {}
    tops: list[Thread] = []
    for thread, above in threads_with_parents(tree):
        if above is None:
            tops.append(thread)
        else:
            below.setdefault(above.node_id, []).append(thread)
    return "\n".join(line for top in tops for line in _lines(top, below, active))


def _lines(top: Thread, below: Mapping[str, list[Thread]], active: str) -> Iterator[str]:
    stack = [(top, "", "")]  # each with what stands before its own name, and before those below it
    while stack:
        thread, own, rest = stack.pop()
        yield own + thread.name + (ACTIVE if thread.node_id == active else "")
        inner = below.get(thread.node_id, [])
        for number, child in enumerate(reversed(inner)):
            is_last = number == 0
            corner, line = ("└── ", "    ") if is_last else ("├── ", "│   ")
            stack.append((child, rest + corner, rest + line))
