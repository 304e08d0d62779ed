"""Small trees to read: a written conversation, a piece of prose, and drafts that stream."""

from __future__ import annotations

from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, LoomTree, Metadata, Mode, Node
from loomapp.core.model.tree import Tree

YOU = Agent("you", "You", "human")
CLAUDE = Agent("claude", "Claude Sonnet", "model", "anthropic:claude", colour="a1")
SMOL = Agent("smol", "Smol 360M", "model", "local:smol", colour="a2")
AGENTS = {agent.id: agent for agent in (YOU, CLAUDE, SMOL)}


def node(node_id: str, text: str, agent: Agent = YOU, *, excluded: bool = False) -> Node:
    """A node with a text."""
    marks = Metadata(excluded=excluded)
    return Node(node_id, node_id.upper(), Text(text), agent.type, agent.id, 1_763_724_000_000, metadata=marks)


def grow(mode: Mode, *rows: tuple[Node, str]) -> Tree:
    """A tree of nodes and the ids of their parents; the first has none."""
    edges = [Edge(f"edge-{child.id}", (EdgeSource(parent),), child.id) for child, parent in rows if parent]
    loom = LoomTree("tree", "Marie study", mode, rows[0][0].id)
    return Tree(loom, nodes=[child for child, _ in rows], edges=edges)


def letter() -> Tree:
    """An empty root, a question, three answers, and a reply to the second."""
    return grow(
        "dialogue",
        (node("root", ""), ""),
        (node("ask", "Write her *reply*. Keep the lamp in it."), "root"),
        (node("first", "Father, the oil came.", SMOL), "ask"),
        (node("second", "You will want to know about the glass.", SMOL), "ask"),
        (node("third", "Nothing is new here.", CLAUDE), "ask"),
        (node("thanks", "Colder, please."), "second"),
    )


LETTER_PATH = ("root", "ask", "second", "thanks")


def long_talk(length: int) -> tuple[Tree, tuple[str, ...]]:
    """A conversation of many messages on one path, and that path."""
    rows: list[tuple[Node, str]] = [(node("n0", "Begin."), "")]
    for i in range(1, length):
        text = f"Message {i}. " + "The lamp was lit and the oil came up the hill again. " * (1 + i % 7)
        rows.append((node(f"n{i}", text, (YOU, SMOL)[i % 2]), f"n{i - 1}"))
    return grow("dialogue", *rows), tuple(f"n{i}" for i in range(length))


def drafts(parent_id: str, *texts: str) -> tuple[LiveDraft, ...]:
    """Drafts that stream under a node."""
    return tuple(LiveDraft(f"draft{i}", parent_id, "smol", Draft(i, text)) for i, text in enumerate(texts))
