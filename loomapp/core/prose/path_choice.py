"""Choices of a path of a buffer: another version of a passage or another way on, and how many there are."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from loomapp.core.edits import node_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import AssemblyError
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ActivePath, EdgeSource, verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve, siblings
from loomapp.core.paths.path import NodeSequence, Path
from loomapp.core.prose.buffer_text import BufferText

NEAR = 64  # passages after one in which another version of it can be found to lead back to the path


def choose_sibling(
    tree: Tree, way: Sequence[str], place: int, below: Sequence[str], pen: EditContext
) -> Change | None:
    """Show another way on at a place of a path: a sibling and what follows it down to a leaf, each a child of
    the one before. The text before the place stays as it is. Saved, but no step of undo. None if it is shown
    already.
    """
    return _choose(tree, [*way[max(0, place - 1) : place], *below], pen)


def choose_version(
    tree: Tree, way: Sequence[str], place: int, version_id: str, pen: EditContext, below: Sequence[str] = ()
) -> Change | None:
    """Show another version of the passage at a place of a path; what is before and after it stays. None if
    it is shown already.

    Saved, but no step of undo, as any choice of a path. Only where what comes after never hung on that
    version, since it was written after another, it is hung on it now, as are its versions; and that is a
    step, as any change of an edge. A version that says more or less than the passage, because one was split
    or merged, brings what belongs to it; where the text after it cannot follow, it goes on with what was
    written after the version.

    `below` is how the text went on when the version was read last, from it down to a leaf. Where that leaves
    the parts that stand for the passage, it is read again: who goes there and back sees what was there.
    """
    if version_id == way[place]:
        return None
    head = list(way[:place])
    for after in range(place + 1, min(len(way), place + 1 + NEAR)):
        chain = _route(tree, version_id, way[after], frozenset(way[place:after]))
        if chain is not None:
            tail = below if _leaves(chain, below) else [*chain, *way[after:]]
            return _choose(tree, [*head, *tail], pen)
    same = _same_extent(tree, way, place, version_id)
    if same is None:
        return _choose(tree, [*head, *_down(tree, version_id)], pen)
    chain, after = same
    if _leaves(chain, below):
        return _choose(tree, [*head, *below], pen)
    if after == len(way):
        return _choose(tree, [*head, *chain], pen)
    edges = [edge for beside in siblings.versions(tree, way, after) for edge in tree.incoming(beside)]
    gains = [edge for edge in edges if chain[-1] not in edge.with_role("primary")]
    gained = [replace(edge, sources=(*edge.sources, EdgeSource(chain[-1]))) for edge in gains]
    path = _path(tree, [*head, *chain, *way[after:]])
    path = replace(path, selections={**path.selections, way[after]: chain[-1]})
    rows = (*map(RowChange, gains, gained), RowChange(tree.path, path))
    return Change(tree.loom.id, "Choose version", pen.now, rows, by=pen.by)


def _leaves(chain: Sequence[str], below: Sequence[str]) -> bool:
    """True if a reading went on from the first parts of a chain in another way than by its last."""
    return len(below) > 1 and list(below[: len(chain)]) != list(chain)


def _choose(tree: Tree, way: Sequence[str], pen: EditContext) -> Change | None:
    path = _path(tree, way)
    return node_edits.choose_path(tree, path.leaf_id, pen, path.selections)


def _path(tree: Tree, way: Sequence[str]) -> ActivePath:
    return replace(tree.path, leaf_id=way[-1], selections=choices_along(tree, way))


def choices_along(tree: Tree, way: Sequence[str]) -> Mapping[str, str]:
    """The choices of the active path, and along a way those that lead along it."""
    selections, plain = dict(tree.path.selections), tree.plain_parents
    for above, node_id in pairwise(way):
        if plain.get(node_id) == above:
            if selections.get(node_id, above) != above:
                del selections[node_id]
        else:
            edges = tree.incoming(node_id)
            if edges and above in edges[0].with_role("primary"):
                selections[node_id] = above
    return selections


def choices_reading(tree: Tree, read: NodeSequence, way: Sequence[str]) -> Mapping[str, str]:
    """The choices once a path along a way is read after another one: what both have in common stays as it was
    read. So it is asked of what is seen ahead, too.
    """
    return resolve.choices_after(tree, read, way[0], choices_along(tree, way))


def path_reading(tree: Tree, read: NodeSequence, node_id: str) -> Path:
    """The path to a node by those choices. Raises: AssemblyError as `paths.resolve`."""
    return resolve.resolve(tree, node_id, choices_reading(tree, read, [node_id]))


def way_back(tree: Tree, before: ActivePath, ends: Sequence[str]) -> ActivePath | None:
    """The path that was read before the text was made to end at a node, as it is now: what was chosen above
    the node since stays. `ends` are the node and the versions that it got. None if that path is there no
    more, or led through another version of the node, and words were written after this one since.
    """
    try:
        was = resolve.resolve(tree, before.leaf_id, before.selections).node_ids
        now = resolve.resolve(tree, tree.path.leaf_id).node_ids
    except AssemblyError:
        return None
    left = next((place for place, node_id in enumerate(was) if node_id in ends), None)
    here = next((place for place, node_id in enumerate(now) if node_id in ends), None)
    if left is None and here is not None and now[here] != ends[0]:
        return None
    if left is None or here is None or was[: left + 1] == now[: here + 1]:
        return before
    return _path(tree, [*now[: here + 1], *was[left + 1 :]])


def _route(tree: Tree, version_id: str, target_id: str, avoid: Container[str]) -> list[str] | None:
    """The nodes that lead from a version to what comes later, both edges of it there already."""
    edges = tree.incoming(target_id)
    primaries = edges[0].with_role("primary") if edges else ()
    if version_id in primaries:
        return [version_id]
    for source in reversed(primaries):
        chain = [source]
        while len(chain) <= NEAR and chain[-1] not in avoid:
            edges = tree.incoming(chain[-1])
            above = edges[0].with_role("primary") if edges else ()
            if version_id in above:
                return [version_id, *reversed(chain)]
            if not above:
                break
            chain.append(above[-1])
    return None


def _same_extent(tree: Tree, way: Sequence[str], place: int, version_id: str) -> tuple[list[str], int] | None:
    """The version with what belongs to it, and the first place after what it stands for; None if it says
    more or less than whole passages of the path.
    """
    if siblings.is_edit_of(tree, version_id, way[place]):
        return [version_id], place + 1
    chain, said = [version_id], [verbatim(tree.nodes[version_id])]
    while (rest := siblings.next_part(tree, chain[-1])) is not None and len(chain) < NEAR:
        chain.append(rest)
        said.append(verbatim(tree.nodes[rest]))
    for length in range(1, len(chain) + 1):
        wanted, shown = "".join(said[:length]), ""
        for after in range(place, min(len(way), place + NEAR)):
            shown += verbatim(tree.nodes[way[after]])
            if len(shown) > len(wanted):
                break
            if shown == wanted:
                return chain[:length], after + 1
    return None


def _down(tree: Tree, node_id: str) -> list[str]:
    """A node and what was written after it last, down to a leaf."""
    chain, seen = [node_id], {node_id}
    while living := [i for i in tree.living_children(chain[-1]) if i not in seen]:
        chain.append(max(living, key=lambda child: tree.nodes[child].created_at))
        seen.add(chain[-1])
    return chain


class Choices(NamedTuple):
    """Alternatives in the place of a passage and which of them is read, as numbers from 1."""

    way: int
    ways: int
    version: int
    versions: int


class KnownChoices:
    """Cache of the alternatives of each passage, made anew when the tree or the path changes: not with every
    key, for there may be a thousand passages in view.
    """

    def __init__(self) -> None:
        self._tree: Tree | None = None
        self._mark = -1
        self._way: tuple[str, ...] = ()
        self._known: dict[int, Choices] = {}

    def follow(self, tree: Tree, buffer_text: BufferText) -> None:
        """Follow this path from now on."""
        mark, way = tree.touches.mark, buffer_text.node_ids
        if tree is not self._tree or mark != self._mark or way is not self._way:
            self._tree, self._mark, self._way = tree, mark, way
            self._known.clear()

    def at(self, buffer_text: BufferText, place: int) -> Choices:
        found = self._known.get(place)
        if found is None:
            turn, versions = buffer_text.siblings(place), buffer_text.versions(place)
            shown = buffer_text.node_ids[place]
            version = versions.index(shown) + 1 if shown in versions else 1
            found = self._known[place] = Choices(turn.index + 1, turn.count, version, len(versions))
        return found
