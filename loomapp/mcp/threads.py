"""Threads by name: the one that is meant, the one above it, and all of them drawn as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loomapp.core.economy.branch_summaries import chain_of, circular, head_row
from loomapp.core.economy.stats import Thread, threads_of
from loomapp.core.errors import AssemblyError
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.mcp.arguments import ToolError, quoted

ACTIVE = " ← active"
NO_THREADS = "The root of this tree is pruned, and no other thread is there"


def path_at(tree: Tree, node_id: str) -> Path:
    """The path to a node. Raises: AssemblyError in the words for threads."""
    try:
        return resolve(tree, node_id)
    except AssemblyError as error:
        raise circular(error) from None


class TreeThreads:
    """The threads of a tree that are not pruned, as they are seen from the node where the server stands."""

    def __init__(self, tree: Tree, at: str) -> None:
        """Raises: AssemblyError if there is no path to the node."""
        self.tree = tree
        self._path = path_at(tree, at)
        self._by_head = {thread.node_id: thread for thread in threads_of(tree, self._path)}

    def find(self, named: str, kind: str = "Thread") -> Thread:
        """The thread of a name, or of the local id or id of its head. Raises: ToolError."""
        by_name = next((thread for thread in self._by_head.values() if thread.name == named), None)
        if by_name is not None:
            return by_name
        node_id = self.tree.find(named)
        found = None if node_id is None else self._by_head.get(node_id)
        if found is None and node_id is not None:
            row = head_row(self.tree, node_id)  # of another version of the passage
            found = None if row is None else self._by_head.get(row.node_id)
        if found is None:
            raise ToolError(f"{kind} {quoted(named)} not found")
        return found

    @property
    def active(self) -> Thread:
        """The thread of the node where the server stands. Raises: ToolError if no thread is there."""
        found = next(self._ways_up(self._path), None) or next(iter(self._by_head.values()), None)
        if found is None:
            raise ToolError(NO_THREADS)
        return found

    def above(self, thread: Thread) -> Thread | None:
        """The thread that another was begun in, None above the main one."""
        path = path_at(self.tree, thread.node_id)
        return next((one for one in self._ways_up(path) if one.node_id != thread.node_id), None)

    def all_above(self, thread: Thread) -> list[Thread]:
        path = path_at(self.tree, thread.node_id)
        return [one for one in self._ways_up(path) if one.node_id != thread.node_id]

    def _ways_up(self, path: Path) -> Iterator[Thread]:
        for head in reversed(chain_of(self.tree, path).heads):
            head_id = self.tree.root_id if head.place == 0 else head.branch.node_id
            found = self._by_head.get(head_id) or self._by_head.get(head.branch.node_id)
            if found is not None:
                yield found

    @property
    def names(self) -> dict[str, str]:
        return {node_id: thread.name for node_id, thread in self._by_head.items()}

    def with_parents(self) -> list[tuple[Thread, Thread | None]]:
        """Every thread with the one above it, main first, then as they became heads."""
        return [(thread, self.above(thread)) for thread in self._by_head.values()]

    def drawn(self) -> str:
        """The names of all threads as `tree` draws folders, the active one marked."""
        active = self.active.node_id
        below: dict[str, list[Thread]] = {}
        tops: list[Thread] = []
        for thread, above in self.with_parents():
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
        for number, child in enumerate(reversed(below.get(thread.node_id, []))):
            corner, line = ("└── ", "    ") if number == 0 else ("├── ", "│   ")
            stack.append((child, rest + corner, rest + line))
