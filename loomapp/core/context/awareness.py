"""Awareness of the tree: headers, memory, blocks and steps sent to a loom-aware agent beside the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import NamedTuple

from loomapp.core.context.passages import ContextPassages
from loomapp.core.dataclass import dataclass
from loomapp.core.edits.agent_memory import MOST_RECENT, Memory, memory_of
from loomapp.core.errors import AssemblyError
from loomapp.core.model.agent import ASK, PERMISSION_NAMES, Agent
from loomapp.core.model.entities import Node
from loomapp.core.model.statistics import TreeStatistics
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.core.text.token_counts import estimate
from loomapp.core.times import MINUTE_MS, minute_words

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
    yield from _part("Recalled:", (f"{_on_a_line(one.name)}: {one.text.strip()}" for one in recalled))
    yield from _part("Recent actions:", map(_on_a_line, memory.recent[-MOST_RECENT:]))
    yield from _part("Stashed (not in context):", (_on_a_line(one.name) for one in memory.put_away))


def _on_a_line(words: str) -> str:
    """A name or an action, from a file of others too: a line of it could pass for one of the block."""
    return " ".join(words.splitlines())


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


LOOM_AWARE = "loom_aware"  # the permission that comes with the switch: see, navigate, remember
USUAL = "1 continuation"  # said of most nodes of a path, so that records leave it out
ADDENDUM = """\
You are inside a loom: a tree of branching text, in which people and models write and nothing is overwritten.
- Above each node of the conversation stand its id in brackets, its author, the time (UTC) and what is \
connected with it. Those lines are made for you; don't write any yourself.
- Just before the newest turn a block tells about the tree, your position and your permissions.
- You act by command lines: "→ " at the start of a line of its own, then the command, such as → view A7X2KQ. \
Lines that follow each other are carried out together, and their results are your next input. An answer \
without a command line ends your turn.
- People see the same tree, and what you do in it.
- Your permissions are {permissions}.
- → help lists the commands."""


@dataclass(frozen=True, slots=True)
class AwareAgent:
    """An agent that sees the tree: what it may do beside that, and the names of agents by id."""

    agent_id: str
    permissions: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


def aware_agent(agent: Agent, agents: Iterable[Agent], *, can_ask: bool = False) -> AwareAgent | None:
    """An agent as one that sees the tree, if it is such a model; `agents` are all that may have written.
    Where a person can be asked, it is told what they decide about each time.
    """
    if agent.type != "model" or not agent.loom_aware:
        return None
    names = {one.id: one.name for one in agents if one.type == "model"}
    permissions = agent.permissions
    allowed = [(name, permissions.of(name)) for name in PERMISSION_NAMES]
    told = tuple(
        name if allowing is True else f"{name} (a person decides)"
        for name, allowing in allowed
        if allowing is True or (allowing == ASK and can_ask)
    )
    return AwareAgent(agent.id, told, names)


class RunExchange(NamedTuple):
    """One step of a run: what the agent wrote, as far as it counts, and the results it got."""

    said: str
    results: str


@dataclass(frozen=True, slots=True)
class Awareness:
    """All that a loom-aware agent is sent beside the words of one request's nodes, as its record keeps it.

    `blocks` are one user item before the newest unit: operational memory and loom context. `names` are those
    of the authors, by agent id; `marks` the second lines of headers, by node, where they are not the usual
    one; `exchanges` the steps of the run until now.
    """

    addendum: str
    blocks: str
    names: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    exchanges: tuple[RunExchange, ...] = ()

    def header(self, node: Node) -> str:
        """The lines above a node's words."""
        first, marks = first_line(node, self.names), self.marks.get(node.id, USUAL)
        return f"{first}\n{marks}\n---" if marks else f"{first}\n---"

    def put_into(self, passages: ContextPassages, nodes: Mapping[str, Node], continue_text: str) -> None:
        """Put headers, blocks and steps with the parts of a context. Where the newest unit is the agent's
        own, `continue_text` stands between it and the first step, as in the request that step answered.
        """
        last: str | None = None
        for place, node_id in enumerate(passages.node_ids):
            if node_id is not None and node_id != last:
                passages.put_header(place, self.header(nodes[node_id]))
            last = node_id
        passages.before_newest = self.blocks
        if self.exchanges and passages.roles[-1] == "assistant":
            passages.after.append(("user", continue_text))
        for said, results in self.exchanges:
            passages.after += [("assistant", said), ("user", results)]


def first_line(node: Node, names: Mapping[str, str]) -> str:
    """The first line of a node's header: id, author and time."""
    return f"[{node.local_id}] {author_name(node, names)} · {minute_words(node.created_at // MINUTE_MS)}"


def author_name(node: Node, names: Mapping[str, str]) -> str:
    """The word `human`, or the name of a model's agent on one line."""
    if node.author_type == "human":
        return "human"
    return " ".join(names.get(node.author_agent_id or "", "").split()) or "model"


def marks_of(tree: Tree, node: Node) -> str:
    """The second line of a node's header: what is connected with it and not pruned; empty if nothing is."""
    nodes, notes, ways = tree.nodes, tree.notes(node.id), len(tree.living_children(node.id))
    if not notes and not node.metadata.bookmarked:
        return USUAL if ways == 1 else counted(ways, "continuation")
    there = sum(1 for i in notes if i in nodes and not nodes[i].metadata.pruned)
    counts = counted(ways, "continuation"), counted(there, "annotation")
    return " · ".join(part for part in (*counts, "bookmarked" if node.metadata.bookmarked else "") if part)


def counted(count: int, noun: str) -> str:
    """Return a number of things in words; empty for none."""
    return f"{count} {noun}{'' if count == 1 else 's'}" if count else ""


def awareness_of(tree: Tree, path: Path, node_ids: Iterable[str | None], agent: AwareAgent) -> Awareness:
    """Gather what an agent that sees the tree is sent at the end of a path; `node_ids` may be sent."""
    nodes = [tree.nodes[node_id] for node_id in dict.fromkeys(node_ids) if node_id is not None]
    authors = dict.fromkeys(node.author_agent_id or "" for node in nodes if node.author_type == "model")
    permissions = (LOOM_AWARE, *agent.permissions)
    memory, loom = memory_block(tree, memory_of(tree, agent.agent_id)), loom_block(tree, path, permissions)
    return Awareness(
        ADDENDUM.format(permissions=", ".join(permissions)),
        f"{memory}\n\n{loom}" if memory else loom,
        {agent_id: agent.names[agent_id] for agent_id in authors if agent_id in agent.names},
        {node.id: line for node in nodes if (line := marks_of(tree, node)) != USUAL},
    )
