"""Nodes and edges of random trees round the economy's boundaries: documents, calls and results, branches."""

from __future__ import annotations

import random

from tests.core.context.naive_loom import Json

# Round every boundary: 30 x 1024 bytes, 50,000 characters, the budgets.
SIZES = (
    *(14_999, 15_000, 15_001, 29_999, 30_000, 30_001, 30_500),
    *(30_719, 30_720, 30_721, 49_800, 50_001, 60_000),
)
TOOLS = ("read_file", "grep_search", "list_files", "run_shell", "other_tool", "web")
DOCUMENTS = ("a.txt", "b.txt", "c.txt", "")
WORDS = ("alpha", "beta", "gamma", "delta", "é", "日本", "\U0001f680")


class EconomyShape:
    """The nodes and edges of a tree that grows."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.nodes: list[Json] = []
        self.edges: list[Json] = []
        self.calls = 0
        # A long dialogue of large results whose calls had shortened them: what is carried on is met there.
        self.is_history = dice.random() < 0.3
        self.is_large = self.is_history or dice.random() < 0.4
        self.with_results = self.is_history or dice.random() < 0.75

    def chance(self, probability: float) -> bool:
        return self.dice.random() < probability

    # Content

    def words(self, most: int = 12) -> str:
        return " ".join(self.dice.choice(WORDS) for _ in range(self.dice.randint(1, most)))

    def long_text(self) -> str:
        """A text round one of the boundaries, as one line or many, of one byte a character or more."""
        if not self.is_large or self.chance(0.5):
            return self.words(40) if self.chance(0.9) else self.dice.choice(("", " ", "  x\n"))
        size = self.dice.choice(SIZES) + self.dice.randint(-1, 1)
        character = self.dice.choices(("x", "é", "日"), (6, 1, 1))[0]
        text = character * size
        width = self.dice.choice((0, 0, 40, 79, 150, 400))
        if width:
            text = "\n".join(text[i : i + width] for i in range(0, size, width + 1))
        return f" {text}\n" if self.chance(0.1) else text

    def image(self) -> Json:
        found = {"type": "image", "ref": "0" * 64, "mimeType": "image/png", "width": 1, "height": 1}
        return {**found, "altText": "a cat"} if self.chance(0.5) else found

    def document(self) -> Json:
        name = self.dice.choice(DOCUMENTS)
        return {"type": "document", "name": name, "mimeType": "text/plain", "text": self.long_text()}

    def call(self) -> tuple[Json, Json]:
        """A tool use and its result."""
        self.calls += 1
        name = self.dice.choice(TOOLS)
        use = {
            "type": "tool_use",
            "id": f"u{self.calls}",
            "name": name,
            "input": {"path": self.dice.choice(("x", "y"))},
        }
        call_id = use["id"] if self.chance(0.95) else "elsewhere"
        named = name if self.chance(0.9) else ""
        result = {"type": "tool_result", "toolUseId": call_id, "name": named, "text": self.long_text()}
        return use, result

    def content(self) -> Json:
        kind = self.dice.random()
        if kind < 0.05:
            return self.image()
        if kind < 0.4 and self.with_results:
            blocks = [self.document() for _ in range(self.dice.randint(1, 2))]
            if self.chance(0.7):
                blocks.insert(self.dice.randint(0, len(blocks)), {"type": "text", "text": self.words()})
            if self.chance(0.1):
                blocks.append(self.image())
            return {"type": "mixed", "blocks": blocks}
        text = self.long_text() if self.chance(0.2) else self.words()
        return {"type": "text", "text": text if self.chance(0.95) else " "}

    # Shape

    def add_node(
        self, content: Json | None = None, author: str | None = None, edited_from: str | None = None
    ) -> str:
        node_id = f"n{len(self.nodes)}"
        metadata = {"pruned": self.chance(0.03), "excluded": self.chance(0.05)}
        if self.chance(0.08):
            metadata["full"] = True
        self.nodes.append(
            {
                "id": node_id,
                "localId": f"LOC{len(self.nodes):03}",
                "content": content or self.content(),
                "authorType": author or self.dice.choice(("human", "model")),
                "createdAt": f"2026-01-01T00:00:{self.dice.randint(0, 59):02}.000Z",
                "editedFrom": edited_from,
                "metadata": metadata,
            }
        )
        return node_id

    def any_id(self) -> str:
        return str(self.dice.choice(self.nodes)["id"])

    def some_ids(self, probability: float) -> list[str]:
        found: list[str] = []
        while self.chance(probability):
            found.append(self.any_id())
        return list(dict.fromkeys(found))

    def add_edge(self, sources: list[tuple[str, str]], target: str, kind: str = "continuation") -> None:
        self.edges.append(
            {
                "id": f"e{len(self.edges)}",
                "sources": [{"nodeId": node_id, "role": role} for node_id, role in sources],
                "targetNodeId": target,
                "edgeType": kind,
            }
        )

    def grow(self, path: list[str]) -> list[str]:
        """Something follows the last node of the path: the nodes that it goes on with."""
        current = path[-1]
        sources = [(current, "primary")]
        if self.chance(0.12):
            sources.append((self.add_node(edited_from=current), "primary"))
        if self.chance(0.2):
            loose = self.add_node() if self.chance(0.8) else self.any_id()
            sources.append((loose, "context"))
        if self.chance(0.1):
            sources.append((self.add_node({"type": "text", "text": self.words(4)}), "instruction"))
        if self.chance(0.25):  # a branch
            self.add_edge([(current, "primary")], self.add_node())
        if self.with_results and self.chance(0.4):
            return self.tool_exchange(sources)
        target = self.add_node()
        self.add_edge(sources, target)
        return [target]

    def tool_exchange(self, sources: list[tuple[str, str]]) -> list[str]:
        """A call and its result follow: in two nodes, or in one."""
        use, result = self.call()
        said: list[Json] = [{"type": "text", "text": self.words()}] if self.chance(0.5) else []
        if self.chance(0.3):
            both = self.add_node({"type": "mixed", "blocks": [*said, use, result]}, "model")
            self.add_edge(sources, both)
            return [both]
        asked = self.add_node({"type": "mixed", "blocks": [*said, use]}, "model")
        self.add_edge(sources, asked)
        answered = self.add_node({"type": "mixed", "blocks": [result]}, "human")
        self.add_edge([(asked, "primary")], answered)
        return [asked, answered]

    def annotate(self) -> None:
        source = self.any_id()
        note = self.add_node(author="human")
        self.add_edge([(source, "primary")], note, "annotation")
