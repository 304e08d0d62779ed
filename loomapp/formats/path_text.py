"""One path as a clean document: what a buffer says, verbatim; a conversation with the names of who speaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import Node
from loomapp.core.model.node_text import verbatim
from loomapp.core.model.tree import Tree

UNKNOWN = {"human": "You", "model": "Model"}


def as_text(tree: Tree, agents: Iterable[Agent], nodes: Sequence[Node]) -> str:
    """The path as plain text. Of a buffer every character as it was written, and none beside."""
    if tree.loom.mode == "buffer":
        return "".join(map(verbatim, nodes))
    return "".join(f"{name}:\n{text}\n\n" for name, text in _spoken(tree, agents, nodes)).rstrip("\n") + "\n"


def as_markdown(tree: Tree, agents: Iterable[Agent], nodes: Sequence[Node]) -> str:
    """The path as Markdown. A buffer is what its writer made it: the same as plain text. A conversation has a
    heading for each message.
    """
    if tree.loom.mode == "buffer":
        return as_text(tree, agents, nodes)
    spoken = _spoken(tree, agents, nodes)
    return "".join(f"## {name}\n\n{text}\n\n" for name, text in spoken).rstrip("\n") + "\n"


def _spoken(tree: Tree, agents: Iterable[Agent], nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    names = {agent.id: agent.name for agent in agents}
    for node in nodes:
        if not tree.is_empty_root(node.id):
            name = names.get(node.author_agent_id or "", UNKNOWN[node.author_type])
            yield " ".join(name.split()), verbatim(node)
