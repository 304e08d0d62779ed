"""Variants of a passage: its versions, which stand in its place, and the other ways the text goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loomapp.core.dataclass import dataclass
from loomapp.core.model.entities import Node, verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.piece_table import LEFT_OUT, MERGED, PART, Taken, pieces_of
from loomapp.core.paths.version_groups import Kinship


@dataclass(frozen=True, slots=True)
class Siblings:
    """The ways a text goes on at a place, one node each, in order of creation, and which of them is shown."""

    index: int
    node_ids: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of siblings; 0 where nothing can be chosen."""
        return len(self.node_ids)


def siblings(tree: Tree, node_ids: Sequence[str], place: int) -> Siblings:
    """The ways to go on from the node before it that the node at a place of a path is one of: choosing one
    leaves the text before it as it is. Versions of one passage are one way: the one that is shown stands for
    its own, the newest for others. Pruned ones are left out.
    """
    shown = node_ids[place]
    if place == 0:
        return Siblings(0, (shown,))
    stems = Kinship(tree)
    own = stems.of(shown)
    beside = navigation.living_siblings(tree, shown, node_ids[place - 1])
    each = stems.of_each(beside)
    if own == shown and each == list(beside):  # no versions anywhere: of very many no table is made
        return Siblings(beside.index(shown), beside)
    ways = {**dict(zip(each, beside, strict=True)), own: shown}
    return Siblings(list(ways).index(own), tuple(ways.values()))


def ways_on(tree: Tree, node_id: str) -> tuple[str, ...]:
    """The ways that a text goes on from a node: one node each, the newest of the versions of a passage."""
    children = tree.living_children(node_id)
    return tuple(dict(zip(Kinship(tree).of_each(children), children, strict=True)).values())


def versions(tree: Tree, node_ids: Sequence[str], place: int) -> tuple[str, ...]:
    """The nodes that could stand at a place of a path instead of the one that does, and that one, in order of
    creation: edits of one passage, its first part after a split, what it was merged into. No pruned ones.
    """
    shown = node_ids[place]
    if not tree.edits_of(shown) and tree.nodes[shown].edited_from is None and not tree.incoming(shown):
        return (shown,)
    stems = Kinship(tree)
    own = stems.of(shown)
    if place and tree.incoming(shown):
        beside = navigation.living_siblings(tree, shown, node_ids[place - 1])
    else:
        beside = tuple(
            i for i in navigation.siblings(tree, shown) if i == shown or not tree.nodes[i].metadata.pruned
        )
    each = stems.of_each(beside)
    if each.count(own) == 1:
        return (shown,)
    return tuple(i for i, stem in zip(beside, each, strict=True) if stem == own)


def told_apart(tree: Tree, shown: str, version_ids: Sequence[str]) -> tuple[str, ...]:
    """The versions that a reader is offered, of all that stand in one place: the shown one alone where they
    differ in nothing but spaces at their end that were left out for a request. So it is in every view.
    """
    whole = {_before_left_out(tree, version_id) for version_id in version_ids}
    return tuple(version_ids) if len(whole) > 1 else (shown,)


def alike(tree: Tree, node_id: str) -> tuple[str, ...]:
    """A node and the versions of its text that nobody tells apart from it: see `told_apart`."""
    found = dict.fromkeys((node_id, _before_left_out(tree, node_id)))
    waiting = list(found)
    while waiting:
        for version in tree.edits_of(waiting.pop()):
            node = tree.nodes.get(version)
            if version not in found and node is not None and node.extra.get(LEFT_OUT):
                found[version] = None
                waiting.append(version)
    return tuple(found)


def _before_left_out(tree: Tree, node_id: str) -> str:
    for text_id in _walk_back(tree, node_id):
        node = tree.nodes.get(text_id)
        if node is None or not node.extra.get(LEFT_OUT):
            return text_id
    return node_id


def followed_too(tree: Tree, node_id: str) -> tuple[str, ...]:
    """The versions of a node that all that follows it follows too, in a buffer: edits of it, its last part
    after a split, what it was merged into; and theirs. In order of creation.
    """
    found: dict[str, None] = {}
    waiting = [node_id]
    while waiting:
        for version in tree.edits_of(waiting.pop()):
            if version not in found and version in tree.nodes and _ends_as(tree, version):
                found[version] = None
                waiting.append(version)
    return tuple(sorted(found, key=lambda version: (tree.nodes[version].created_at, version)))


def _ends_as(tree: Tree, node_id: str) -> bool:
    """True unless a node is a part of what it was edited from, and not the last."""
    node = tree.nodes[node_id]
    original = tree.nodes.get(node.edited_from or "")
    if PART not in node.extra or original is None:
        return True
    length = len(verbatim(original))
    last = (pieces_of(tree, node, verbatim(node)) or (None,))[-1]
    return not length or (isinstance(last, Taken) and (last.node_id, last.end) == (original.id, length))


def is_edit_of(tree: Tree, one: str, other: str) -> bool:
    """True if two nodes are edits of one text, none of them on the way parted from it or put together."""
    return not set(edited_as_whole(tree, one)).isdisjoint(edited_as_whole(tree, other))


def merged_from(tree: Tree, node_id: str) -> set[str]:
    """The nodes that were put together in this one, or in one that it is an edit of."""
    found: set[str] = set()
    for text_id in edited_as_whole(tree, node_id):
        node = tree.nodes.get(text_id)
        if node is not None and is_merged(node):
            found |= {i.node_id for i in pieces_of(tree, node, verbatim(node)) or () if isinstance(i, Taken)}
            found |= {node.edited_from} if node.edited_from is not None else set()
    return found


def is_merged(node: Node) -> bool:
    """True for a node that says what several said."""
    return node.extra.get(PART) == MERGED


def edited_as_whole(tree: Tree, node_id: str) -> tuple[str, ...]:
    return tuple(_walk_back(tree, node_id))


def _walk_back(tree: Tree, node_id: str) -> Iterator[str]:
    """Give the originals of an edit one by one: of thousands of edits mostly the newest is asked for."""
    found: set[str] = set()
    text_id: str | None = node_id
    while text_id is not None and text_id not in found:
        found.add(text_id)
        yield text_id
        node = tree.nodes.get(text_id)
        text_id = None if node is None or PART in node.extra else node.edited_from


def next_part(tree: Tree, node_id: str) -> str | None:
    """The next part of what a node is one part of; None if it is the last, or the whole."""
    stems = Kinship(tree)
    own = stems.of(node_id)
    parts = [i for i in tree.children(node_id) if i in tree.nodes and stems.of(i) == own]
    return max(parts, key=lambda i: tree.nodes[i].created_at) if parts else None
