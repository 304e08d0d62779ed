"""Blocks of a loom-aware agent's context: its operational memory, and where in which tree it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from loomapp.core.errors import AssemblyError
from loomapp.core.model.agent_memory import MOST_RECENT, Memory
from loomapp.core.model.statistics import TreeStatistics
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.core.text.token_estimates import estimate

MOST_MEMORY_TOKENS = 2_000  # of the memory block; above it the oldest that was recalled is put away again
SHOWN_POSITION = 2  # nodes
END = "==="


@dataclass(slots=True)
class KnownSize:
    """The size of a tree as it was counted last, and up to which mark of its touches that holds."""

    mark: int = -1
    nodes: int = 0
    branches: int = 0

    def for_sketch(self) -> KnownSize:
        """Return a copy: a sketch is moved by changes of its own."""
        return replace(self)


def memory_block(tree: Tree, memory: Memory) -> str:
    """The memory of an agent as one text; empty if there is nothing in it."""
    lines = list(_memory_lines(tree, fitting(tree, memory)))
    return "\n".join(("=== Operational Memory ===", *lines, END)) if lines else ""


def fitting(tree: Tree, memory: Memory) -> Memory:
    """The memory with the oldest of what was recalled put away again, as long as there is too much of it."""
    while memory.recalled and estimate("\n".join(_memory_lines(tree, memory))) > MOST_MEMORY_TOKENS:
        memory = replace(memory, recalled=memory.recalled[1:])
    return memory


def recalling(tree: Tree, memory: Memory, name: str) -> Memory | None:
    """The memory with what is stashed under a name recalled last; None if there is no room for it."""
    others = tuple(one for one in memory.recalled if one != name)
    kept = fitting(tree, replace(memory, recalled=(*others, name)))
    return kept if name in kept.recalled else None


def memory_tokens(tree: Tree, memory: Memory) -> int:
    """The estimated tokens of the memory block, which is what counts against its limit."""
    return estimate(memory_block(tree, memory))


def _memory_lines(tree: Tree, memory: Memory) -> Iterator[str]:
    pinned = (tree.nodes[node_id] for node_id in memory.pinned if node_id in tree.nodes)
    living = (node for node in pinned if not (node.metadata.pruned or node.metadata.excluded))
    recalled = (one for name in memory.recalled if (one := memory.find(name)) is not None)
    yield from _part("Pinned:", (f"[{node.local_id}] {node.text.strip()}" for node in living))
    yield from _part("Recalled:", (f"{one.name}: {one.text.strip()}" for one in recalled))
    yield from _part("Recent actions:", memory.recent[-MOST_RECENT:])
    yield from _part("Stashed (not in context):", (one.name for one in memory.put_away))


def _part(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield title
        yield from found


def loom_block(tree: Tree, path: Path, permissions: Sequence[str]) -> str:
    """The tree, the place in it at the end of a path, and the permissions of who stands there."""
    size = size_of(tree)
    position = [f"[{node.local_id}]" for node in path.nodes[-SHOWN_POSITION:]]
    before = ["..."] if len(path.nodes) > SHOWN_POSITION else []
    nodes = f"{size.nodes} node{'' if size.nodes == 1 else 's'}"
    branches = f"{size.branches} branch{'' if size.branches == 1 else 'es'}"
    lines = (
        "=== Loom Context ===",
        f'Tree: "{" ".join(tree.loom.title.split())}" ({tree.loom.mode} mode)',
        f"{nodes} · {branches} · depth: {len(path.nodes) - 1}",
        f"Position: {' → '.join((*before, *position))}*",
        f"Permissions: {', '.join(permissions)}",
        *_human_line(tree, path),
        END,
    )
    return "\n".join(lines)


def _human_line(tree: Tree, path: Path) -> Iterator[str]:
    """The line that tells where the person reads, if that is elsewhere."""
    leaf_id = tree.path.leaf_id
    if leaf_id == path.node_ids[-1] or leaf_id not in tree.nodes:
        return
    with suppress(AssemblyError):
        depth = len(resolve(tree, leaf_id).nodes) - 1
        yield f"Human active at [{tree.nodes[leaf_id].local_id}], depth: {depth}"


def size_of(tree: Tree) -> KnownSize:
    """The nodes and branches of a tree, as the status bar counts them, counted anew only once it moved."""
    known = tree.caches.of(KnownSize)
    if known.mark != tree.touches.mark:
        size = TreeStatistics(tree)
        known.mark, known.nodes, known.branches = tree.touches.mark, size.nodes, size.branches
    return known
