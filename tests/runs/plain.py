"""A plain model of a tree that an agent and a person move: what it must say, by lists and dictionaries."""

from __future__ import annotations

from dataclasses import dataclass, field

from loomapp.core.edits.agent_memory import memory_of
from loomapp.core.model.tree import Tree

AGENT = "claude"
VERBS = (
    "annotate {at}: {text}",
    "respond to {at}: {text}",
    "edit {at}: {text}",
    "prune {at}",
    "restore {at}",
    "bookmark {at}: {text}",
    "unbookmark {at}",
    "link {at} to {other}",
    "pin {at}",
    "drop {at}",
    "stash {at} as it",
    "view {at}",
    "tree",
    "prune everything",
    "annotate {at} and prune {other}",
)


@dataclass
class Plain:
    """What the tree must say, told by lists and dictionaries alone."""

    texts: dict[str, str] = field(default_factory=dict)
    above: dict[str, str] = field(default_factory=dict)  # of each node what it continues or is a note on
    pruned: set[str] = field(default_factory=set)
    labels: dict[str, str | None] = field(default_factory=dict)
    links: set[tuple[str, str]] = field(default_factory=set)
    pinned: list[str] = field(default_factory=list)
    stashed: dict[str, str] = field(default_factory=dict)

    def below(self, node_id: str) -> set[str]:
        """A node and all that hangs on it."""
        found = {node_id}
        while more := {i for i, above in self.above.items() if above in found} - found:
            found |= more
        return found

    def add(self, node_id: str, text: str, above: str) -> None:
        self.texts[node_id], self.above[node_id] = text, above

    def carry_out(self, verb: str, at: str, other: str, text: str, node_ids: tuple[str, ...]) -> None:
        """Do what a command of the agent does; `node_ids` are those that it told of."""
        match verb:
            case "annotate" | "respond":
                self.add(node_ids[0], text, at)
            case "edit":
                if node_ids[0] not in self.texts:
                    self.add(node_ids[0], text, self.above[at])
            case "prune":
                self.pruned |= self.below(at)
            case "restore":
                self.pruned -= self.below(at)
            case "bookmark":
                self.labels[at] = text
            case "unbookmark":
                self.labels.pop(at, None)
            case "link":
                self.links.add((at, other))
            case "pin":
                self.pinned += [at] if at not in self.pinned else []
            case "drop":
                self.pinned.remove(at)
            case "stash":
                self.stashed.pop("it", None)
                self.stashed["it"] = self.texts[at]

    def check(self, tree: Tree) -> None:
        """Compare it with a tree."""
        nodes = tree.nodes.values()
        memory = memory_of(tree, AGENT)
        assert {node.id: node.text for node in nodes} == self.texts
        assert {node.id for node in nodes if node.metadata.pruned} == self.pruned
        marked = {node.id: node.metadata.bookmark_label for node in nodes if node.metadata.bookmarked}
        assert marked == self.labels
        assert {(one.from_node_id, one.to_node_id) for one in tree.links.values()} == self.links
        assert list(memory.pinned) == self.pinned
        assert {one.name: one.text for one in memory.stashed} == self.stashed
