"""New trees: the rows that one begins with, and which conversation of another program one comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from typing import TypeVar

from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import Extra
from loomapp.core.model.entities import Edge, LoomTree, Node
from loomapp.core.model.tree import Tree

R = TypeVar("R", Node, Edge)


@dataclass(frozen=True, slots=True)
class FirstRows:
    """A tree that is to come in. `head` has all of it but perhaps its nodes and edges, which may be made
    only once, one after the other, all nodes before the first edge: so a large one is never there as a whole.
    """

    head: Tree
    node_count: int
    nodes: Iterable[Node]
    edges: Iterable[Edge]
    begins_empty: bool  # the root is the empty text that is not drawn as a message

    @classmethod
    def of(cls, tree: Tree) -> FirstRows:
        """Return the rows of a tree that is in memory."""
        is_empty = tree.is_empty_root(tree.root_id)
        return cls(tree, len(tree.nodes), tree.nodes.values(), tree.edges.values(), is_empty)

    @classmethod
    def only_once(cls, tree: Tree) -> FirstRows:
        """Return the rows of a tree in memory that nobody needs after them: it is whole until the first is
        asked for, and each goes as the next one is asked for.
        """
        taken: list[list[Edge]] = []

        def nodes() -> Iterator[Node]:
            nodes, edges = tree.give_away()
            taken.append(edges)
            yield from _emptied(nodes)

        def edges() -> Iterator[Edge]:
            yield from _emptied(taken.pop())

        return replace(cls.of(tree), nodes=nodes(), edges=edges())

    @property
    def is_whole(self) -> bool:
        """True if the tree is in memory."""
        return bool(self.head.nodes)

    def whole(self) -> Tree:
        if not self.is_whole:
            self.head.fill(self.nodes, self.edges)
        return self.head


def _emptied(rows: list[R]) -> Iterator[R]:
    rows.reverse()
    while rows:
        yield rows.pop()


IMPORTED_FROM = "importedFrom"  # of a tree's extra
ASSET = "asset"  # of the extra of an image or document: its id in the program it comes from


@dataclass(frozen=True, slots=True)
class Origin:
    """The format and id of a conversation, its title there, and its keys that no tree has a place for."""

    format: str
    id: str
    title: str
    keys: Extra = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        return {
            "format": self.format,
            "id": self.id,
            "title": self.title,
            **({"keys": self.keys} if self.keys else {}),
        }


def origin_of(loom: LoomTree) -> Origin | None:
    """The origin of a tree; None for one that was made here, or came as Loom JSON of such a one."""
    kept = loom.extra.get(IMPORTED_FROM)
    if not isinstance(kept, dict):
        return None
    name, conversation_id, title = (kept.get(key) for key in ("format", "id", "title"))
    keys = kept.get("keys", {})
    if not (isinstance(name, str) and isinstance(conversation_id, str) and isinstance(title, str)):
        return None
    return Origin(name, conversation_id, title, keys if isinstance(keys, dict) else {})


def with_title(loom: LoomTree, theirs: LoomTree) -> LoomTree:
    """The tree under the title that it has now where it comes from, if nobody gave it another one here."""
    here, there = origin_of(loom), origin_of(theirs)
    if here is None or there is None or loom.title != here.title or there.title in ("", here.title):
        return loom
    kept = {**loom.extra, IMPORTED_FROM: replace(here, title=there.title).to_json()}
    return replace(loom, title=there.title, extra=kept)
