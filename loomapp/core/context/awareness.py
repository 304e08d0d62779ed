"""Awareness of the tree: the headers, blocks and steps that a loom-aware agent is sent beside the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from loomapp.core.context.loom_blocks import loom_block, memory_block
from loomapp.core.context.passages import ContextPassages
from loomapp.core.model.agent import ASK, PERMISSION_NAMES, Agent
from loomapp.core.model.agent_memory import memory_of
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.times import iso_time

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
    moment = iso_time(node.created_at)
    return f"[{node.local_id}] {author_name(node, names)} · {moment[:10]} {moment[11:16]}"


def author_name(node: Node, names: Mapping[str, str]) -> str:
    """The word `human`, or the name of a model's agent on one line."""
    if node.author_type == "human":
        return "human"
    return " ".join(names.get(node.author_agent_id or "", "").split()) or "model"


def marks_of(tree: Tree, node: Node) -> str:
    """The second line of a node's header: what is connected with it and not pruned; empty if nothing is."""
    nodes = tree.nodes
    notes = sum(1 for i in tree.notes(node.id) if i in nodes and not nodes[i].metadata.pruned)
    counts = counted(len(tree.living_children(node.id)), "continuation"), counted(notes, "annotation")
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
