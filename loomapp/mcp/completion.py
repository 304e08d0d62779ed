"""Completion of ids: trees, threads and nodes by what was typed of them."""

from __future__ import annotations

from collections.abc import Iterator

import mcp_types as types

from loomapp.core.errors import LoomError
from loomapp.core.model.tree import Tree
from loomapp.mcp.calls import Caller
from loomapp.mcp.threads import TreeThreads

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
