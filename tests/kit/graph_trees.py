"""Trees for tests and pictures of the graph, built by hand."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from loomapp.core.errors import LoomError
from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Content, Image, Text
from loomapp.core.model.entities import (
    AuthorType,
    Edge,
    EdgeSource,
    Interrupted,
    LoomTree,
    Metadata,
    Mode,
    Node,
    Role,
    Tag,
)
from loomapp.core.model.tree import Tree

AGENTS = (
    Agent("you", "You", "human"),
    Agent("claude", "Claude Sonnet", "model", "anthropic:claude", colour="a1"),
    Agent("smol", "Smol 360M", "model", "local:smol", colour="a2"),
    Agent("mistral", "Mistral Small", "model", "custom:mistral", colour="a3"),
)
WORDS = ("the", "keeper", "wrote", "of", "oil", "while", "rain", "went", "over", "the", "rocks", "unread")
UNMARKED = Metadata()


class Grower:
    """Builds a tree node by node; ids are given, edges are named after their target."""

    def __init__(self, mode: Mode = "dialogue", root: str = "root") -> None:
        self.tree = Tree(LoomTree("tree", "A tree", mode, root))
        self._time = 0

    def node(
        self,
        node_id: str,
        text: str | Content = "",
        *,
        author: str = "you",
        edited_from: str | None = None,
        interrupted: str | None = None,
        metadata: Metadata = UNMARKED,
    ) -> str:
        """A node that hangs nowhere yet."""
        self._time += 1
        kind: AuthorType = "human" if author == "you" else "model"
        content = Text(text) if isinstance(text, str) else text
        cut = None if interrupted is None else Interrupted(interrupted)
        self.tree.put_node(
            Node(
                node_id,
                node_id,
                content,
                kind,
                author,
                self._time,
                edited_from=edited_from,
                interrupted=cut,
                metadata=metadata,
            )
        )
        return node_id

    def edge(self, sources: Iterable[tuple[str, Role]], target: str) -> None:
        """A continuation."""
        listed = tuple(EdgeSource(node_id, role) for node_id, role in sources)
        self.tree.put_edge(Edge(f"edge to {target}", listed, target))

    def under(self, parent: str, node_id: str, text: str | Content = "", **rest: object) -> str:
        """A node that continues another one."""
        self.node(node_id, text, **rest)  # type: ignore[arg-type]
        self.edge([(parent, "primary")], node_id)
        return node_id

    def note(self, on: str, node_id: str, text: str) -> str:
        """A note on a node."""
        self.node(node_id, text)
        self.tree.put_edge(Edge(f"edge to {node_id}", (EdgeSource(on),), node_id, "annotation"))
        return node_id


def rich_tree() -> Tree:
    """A dialogue in which every state of a card occurs."""
    g = Grower()
    g.node("root")
    g.under("root", "father", "What if it is the father who writes, and she only answers?")
    g.under(
        "father",
        "weather",
        "Then every letter is a weather report that has learned to ask a question and wait.",
        author="claude",
        metadata=Metadata(bookmarked=True),
    )
    g.under(
        "root", "pasted", "Here is the real letter from 1897, all of it: “Ar-Men, the 3rd of November. The"
    )
    g.under(
        "pasted",
        "keeper",
        "She would not say father. She would say the keeper, as the crew do.",
        author="mistral",
    )
    g.under("keeper", "once", "Let her say it once, at the very end.")
    style = "In general, epistolary style depends on three factors, which I will list: the writer, the"
    g.under("pasted", "style", style, author="claude", metadata=Metadata(excluded=True))
    g.under("pasted", "boat", "A letter is a small boat and Marie is", author="smol", interrupted="cancelled")
    g.under("style", "logbook", "She has read the logbook. Write her reply; he must not know that she knows.")
    g.node("image", Image("0" * 64, "image/png", 64, 64, "ar-men.jpg"))
    g.node("tone", "No sea similes.")
    g.edge([("style", "primary"), ("image", "context"), ("tone", "instruction")], "logbook")
    g.note("logbook", "tides", "Log entry of 12 Oct: check the tide times")
    g.under(
        "logbook",
        "father2",
        "Father, the oil came on Tuesday and the wick is trimmed as you like.",
        author="smol",
    )
    g.under("logbook", "edited", "Father, the oil came.", edited_from="father2")
    g.under("root", "colder", "Cold version.", metadata=Metadata(pruned=True))
    g.under(
        "colder", "colder2", "Shorter, and colder still.", author="claude", metadata=Metadata(pruned=True)
    )
    g.tree.tags["voice"] = Tag("voice", node_ids=("weather",))
    return g.tree


RICH_PATH = ("root", "pasted", "style", "logbook")
RICH_FATES = {"pasted": "truncated", "style": "excluded", "logbook": "sent", "root": "empty"}


def rich_drafts() -> tuple[LiveDraft, ...]:
    """Drafts under the last message: two stream, one failed."""
    error = LoomError("No key for Anthropic: add one in Settings, or set ANTHROPIC_API_KEY.")
    return (
        LiveDraft(
            "d1", "logbook", "smol", Draft(0, "You will want to know about the glass first, so I will")
        ),
        LiveDraft("d2", "logbook", "smol", Draft(1, "Nothing is new here. The lamp")),
        LiveDraft("d3", "logbook", "claude", Draft(2, error=error)),
    )


def buffer_tree() -> Tree:
    """A buffer with a stack of three versions in the middle."""
    g = Grower("buffer")
    g.node("root")
    g.under("root", "one", "The road into Sel is white with salt.")
    g.under("one", "v1", "Ines walked it in the heat of the day.", author="claude")
    g.under("v1", "two", "The key was the heavy part.", author="smol")
    g.under("one", "v2", "Ines walked it in the cool of the day.", edited_from="v1")
    g.edge([("v1", "primary"), ("v2", "primary")], "two")
    g.under("one", "v3", "Ines walked it at night.", edited_from="v2")
    g.edge([("v1", "primary"), ("v2", "primary"), ("v3", "primary")], "two")
    g.under("one", "other", "Nobody walked it.", author="smol")
    return g.tree


def grown_tree(size: int, seed: int = 7) -> Tree:
    """A tree like those that looming makes: long threads with fans of siblings; ids n0, n1, …"""
    chance = random.Random(seed)
    g = Grower(root="n0")
    g.node("n0", "Once")
    last, made = 0, 1
    while made < size:
        base = last if chance.random() < 0.72 else int(made * chance.random())
        brood = min(chance.choice((1, 1, 2, 3, 3, 4, 5)), size - made)
        for i in range(made, made + brood):
            words = " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 40)))
            author = chance.choice(("you", "claude", "smol", "mistral"))
            g.under(f"n{base}", f"n{i}", f"{words} {i}", author=author)
        last = made + chance.randrange(brood)
        made += brood
    return g.tree


def ancestors(tree: Tree, node_id: str) -> list[str]:
    """From the root to a node."""
    result = [node_id]
    while edges := tree.incoming(result[-1]):
        result.append(edges[0].sources[0].node_id)
    return result[::-1]


def added(tree: Tree, parent: str, node_id: str, text: str = "And then.") -> Change:
    """The change that puts one more child under a node."""
    node = Node(node_id, node_id, Text(text), "model", "smol", 10**6)
    edge = Edge(f"edge to {node_id}", (EdgeSource(parent),), node_id)
    return Change(tree.loom.id, "Add", 0, (RowChange(None, node), RowChange(None, edge)))


def noted(tree: Tree, host: str, node_id: str, text: str = "Remember this.") -> Change:
    """The change that puts a note on a node."""
    note = Node(node_id, node_id, Text(text), "human", "you", 10**6)
    edge = Edge(f"edge to {node_id}", (EdgeSource(host),), node_id, "annotation")
    return Change(tree.loom.id, "Note", 0, (RowChange(None, note), RowChange(None, edge)))


def marked(tree: Tree, node_ids: Sequence[str], metadata: Metadata) -> Change:
    """The change that gives nodes other marks."""
    rows = (RowChange(tree.nodes[n], replace(tree.nodes[n], metadata=metadata)) for n in node_ids)
    return Change(tree.loom.id, "Mark", 0, tuple(rows))
