"""Walks for people: parent, siblings, versions, forks, leaves, the last read, and the sources of a node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError, InvalidInput
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath, Edge, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence, apart
from loomapp.core.paths.resolve import resolve
from loomapp.core.paths.version_groups import Kinship, VersionGroups, default_primary
from loomapp.core.sentences import worded


def parent(tree: Tree, node_id: str) -> str | None:
    """The node that this one continues, by the stored choices; of a note, what it is on; None at a root."""
    edges = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    if not edges:
        return None
    primaries = edges[0].with_role("primary")
    choice = tree.path.selections.get(node_id)
    if choice in primaries:
        return choice
    found = default_primary(tree, primaries, VersionGroups(tree)) if primaries else None
    return found if found in tree.nodes else None


def siblings(tree: Tree, node_id: str, above: str | None = None) -> tuple[str, ...]:
    """The nodes with the same parent, itself among them, in order of creation; for a root, its versions.

    Of a node with several parents (versions of one text), the children of the one that it is read after:
    what was written after another version alone is reached by choosing that version. That is `above` where
    the path that is read says so, by default what the stored choices say.
    """
    incoming = tree.incoming(node_id)
    notes = tree.annotation_edges_into(node_id)
    if not incoming and not notes:
        roots = (other for other in versions(tree, node_id) if not tree.incoming(other))
        return tuple(roots)
    above = parent(tree, node_id) if above is None else above
    beside = () if above is None else tree.children(above) if incoming else tree.notes(above)
    found = dict.fromkeys(other for other in beside if other in tree.nodes)
    found.setdefault(node_id)
    return tuple(found)


def living_siblings(tree: Tree, node_id: str, above: str | None = None) -> tuple[str, ...]:
    """Return the siblings that are not pruned, and the node itself whether it is or not."""
    only_parent = tree.plain_parents.get(node_id)
    if only_parent is not None and node_id in tree.nodes and not tree.nodes[node_id].metadata.pruned:
        return tree.living_children(only_parent)
    nodes = tree.nodes
    return tuple(i for i in siblings(tree, node_id, above) if i == node_id or not nodes[i].metadata.pruned)


def living_place(tree: Tree, node_id: str) -> int:
    """Return a node's place among its `living_siblings`, from 0."""
    above = tree.plain_parents.get(node_id)
    if above is not None and node_id in tree.nodes and not tree.nodes[node_id].metadata.pruned:
        return tree.living_place(above, node_id)
    return living_siblings(tree, node_id).index(node_id)


def versions(tree: Tree, node_id: str) -> tuple[str, ...]:
    """The node, what it was edited from and everything edited from those, in order of creation."""
    found = {tree.family(node_id): None}
    queue = list(found)
    for current in queue:
        for edit in tree.edits_of(current):
            if edit not in found:
                found[edit] = None
                queue.append(edit)
    found.setdefault(node_id)
    return _by_creation(tree, found)


def _by_creation(tree: Tree, node_ids: Mapping[str, None]) -> tuple[str, ...]:
    living = [node_id for node_id in node_ids if node_id in tree.nodes]
    return tuple(sorted(living, key=lambda node_id: tree.nodes[node_id].created_at))


def deepest_leaf(tree: Tree, node_id: str, path: ActivePath) -> str:
    """Return the end of a path that goes on from a node: along the active path as far as it leads, then by
    the newest child that is not pruned. The node itself if nothing follows.
    """
    following = _following(tree, path, node_id)
    current = following[-1] if following else node_id
    seen = {node_id, *following}
    while (child := _newest_child(tree, current)) is not None and child not in seen:
        seen.add(child)
        current = child
    return current


def _following(tree: Tree, path: ActivePath, node_id: str) -> tuple[str, ...]:
    """Return the nodes after a node on a path; nothing if it is not on it."""
    try:
        found = resolve(tree, path.leaf_id, path.selections)
    except AssemblyError:
        return ()
    place = found.place_of(node_id)
    return () if place is None else found.node_ids[place + 1 :]


def _newest_child(tree: Tree, node_id: str) -> str | None:
    living = tree.living_children(node_id)
    return max(living, key=lambda child: tree.nodes[child].created_at) if living else None


def is_fork(tree: Tree, node_id: str) -> bool:
    """True where the text goes on in more than one way; versions of one passage are one way."""
    children = tree.living_children(node_id)
    if tree.loom.mode == "buffer":
        return len(set(map(Kinship(tree).of, children))) > 1
    return len(children) > 1


def previous_fork(tree: Tree, node_id: str) -> str | None:
    before, goes_on = tree.plain_parents, tree.goes_on
    seen = {node_id}
    current = before.get(node_id) or parent(tree, node_id)
    while current is not None and current not in seen:
        if current in goes_on and is_fork(tree, current):
            return current
        seen.add(current)
        current = before.get(current) or parent(tree, current)
    return None


def next_fork(tree: Tree, node_id: str) -> str | None:
    """The nearest fork below a node on the way to its deepest leaf, or None."""
    following = _following(tree, tree.path, node_id)
    goes_on = tree.goes_on
    fork = next((i for i in following if i in goes_on and is_fork(tree, i)), None)
    if fork is not None:
        return fork
    current = following[-1] if following else node_id
    seen = {node_id, *following}
    while (child := _newest_child(tree, current)) is not None and child not in seen:
        if is_fork(tree, child):
            return child
        seen.add(child)
        current = child
    return None


def common_ancestor(tree: Tree, node_ids: Sequence[str]) -> str | None:
    """The nearest node that all hang below, or one of them that is above the others; None for loose nodes.

    All climb side by side, so that it costs no more than the way there.
    """
    seen: dict[str, int] = {}
    climbers: list[str | None] = list(dict.fromkeys(node_ids))
    wanted, trails = len(climbers), [set[str]() for _ in climbers]
    while any(climber is not None for climber in climbers):
        for i, climber in enumerate(climbers):
            if climber is None or climber in trails[i] or climber not in tree.nodes:
                climbers[i] = None
                continue
            trails[i].add(climber)
            seen[climber] = seen.get(climber, 0) + 1
            if seen[climber] == wanted:
                return climber
            climbers[i] = _above(tree, climber)
    return None


def _above(tree: Tree, node_id: str) -> str | None:
    hosts = tree.annotation_edges_into(node_id)
    return hosts[0].with_role("primary")[0] if hosts else parent(tree, node_id)


def lives(tree: Tree, node_id: str) -> bool:
    """Return True if a node is in the tree and not pruned; so is a root, which always stays in sight."""
    node = tree.nodes.get(node_id)
    return node is not None and (not node.metadata.pruned or node_id == tree.root_id)


def check_lives(tree: Tree, node_id: str, how: str) -> None:
    """Refuse to write below a pruned node: nobody would see it. `how` says how it is brought back.

    Raises: InvalidInput.
    """
    if not lives(tree, node_id):
        name = tree.nodes[node_id].local_id
        raise InvalidInput(worded("{name} is pruned: bring it back first, {how}", name=name, how=how))


def nearest_living(tree: Tree, read: NodeSequence, node_id: str) -> str:
    """Return the node of a path that one is at once a node is out of sight: in a buffer the version that is
    read in its place, else the first living one that comes before it; the path's living end where the node is
    gone altogether.
    """
    if tree.loom.mode == "buffer":
        beside = (other for other in versions(tree, node_id) if other in read and lives(tree, other))
        if (version := next(beside, None)) is not None:
            return version
    place = _place_above(tree, read, node_id)
    return living_end(tree, read) if place is None else _living_at(tree, read, place)


def living_end(tree: Tree, read: NodeSequence) -> str:
    """Return the last living node of a path; the root if none lives."""
    return _living_at(tree, read, len(read.node_ids) - 1)


def is_put_away(change: Change, node_id: str) -> bool:
    return any(
        isinstance(row.before, Node)
        and isinstance(row.after, Node)
        and row.after.metadata.pruned
        and not row.before.metadata.pruned
        for row in change.rows
        if row.row.key == node_id
    )


def brought_back(change: Change) -> frozenset[str]:
    """Return the nodes that a change shows again after they were pruned."""
    return frozenset(
        row.after.id
        for row in change.rows
        if isinstance(row.before, Node)
        and isinstance(row.after, Node)
        and row.before.metadata.pruned
        and not row.after.metadata.pruned
    )


def _place_above(tree: Tree, read: NodeSequence, node_id: str) -> int | None:
    """Find the place at which the way up from a node comes to a path."""
    seen: set[str] = set()
    current: str | None = node_id if node_id in tree.nodes else None
    while current is not None and current not in seen:
        if (place := read.place_of(current)) is not None:
            return place
        seen.add(current)
        current = parent(tree, current)
    return None


def _living_at(tree: Tree, read: NodeSequence, place: int) -> str:
    node_ids = read.node_ids
    return next((node_ids[at] for at in range(place, -1, -1) if lives(tree, node_ids[at])), tree.root_id)


class LastRead:
    """Children that were read last in a tree, since it was opened."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._children: dict[str, str] = {}

    def follow(self, before: NodeSequence, now: NodeSequence) -> None:
        ids = now.node_ids
        head, tail = apart(before, now) if self._children else (0, 0)
        first, last = max(0, head - 1), min(len(ids), len(ids) - tail + 1)
        self._children.update(zip(ids[first:last], ids[first + 1 : last], strict=False))

    def way_below(self, node_id: str) -> list[str]:
        """The node and what follows it down to a leaf, each a child of the one before: what was read last,
        else the first living child.
        """
        way = self._read_below(node_id)
        seen = set(way)
        while (child := self.child_of(way[-1])) is not None and child not in seen:
            seen.add(child)
            way.append(child)
        return way

    def child_of(self, node_id: str) -> str | None:
        """The child that was read last, else the first one that is not pruned, else None."""
        if (read := self._read_child(node_id)) is not None:
            return read
        last = self._children.get(node_id)
        merged = last is not None and self._tree.plain_parents.get(last) != node_id  # else it is pruned
        if merged and last in self._tree.living_children(node_id):
            return last
        return self._tree.first_living_child(node_id)

    def was_read_on(self, node_id: str) -> bool:
        """True if a living child of a node was read since the tree was opened."""
        return self._children.get(node_id) in self._tree.living_children(node_id)

    def _read_below(self, node_id: str) -> list[str]:
        """Return the nodes that the last reading led to from a node; the node alone if that way is no longer
        plain.

        A way of a hundred thousand messages is looked at as a whole: one by one would take too long.
        """
        tree = self._tree
        way = [node_id]
        for _ in range(len(self._children)):
            child = self._children.get(way[-1])
            if child is None:
                break
            way.append(child)
        is_plain = list(map(tree.plain_parents.get, way[1:])) == way[:-1]
        if not is_plain or not tree.nodes.keys() >= set(way):
            return [node_id]
        flags = {node.metadata.pruned for node in map(tree.nodes.__getitem__, way[1:])}
        return [node_id] if True in flags else way

    def _read_child(self, node_id: str) -> str | None:
        """The child that was read last, if it is there still and that is plain to see."""
        last = self._children.get(node_id)
        if last is None or self._tree.plain_parents.get(last) != node_id:
            return None
        node = self._tree.nodes.get(last)
        return last if node is not None and not node.metadata.pruned else None


Part: TypeAlias = Literal["primary", "context", "instruction", "annotation"]
ORDER: tuple[Part, ...] = ("primary", "annotation", "context", "instruction")


@dataclass(frozen=True, slots=True)
class NodeSource:
    """One source of an edge into a node; `annotation` where the node is a note on it.

    Of several primary sources the path takes one (`is_taken`); the others are versions of it, or not.
    """

    node_id: str
    part: Part
    is_taken: bool = True
    is_version: bool = False


def arrivals(tree: Tree, node_id: str) -> tuple[NodeSource, ...]:
    """Every source that leads to a node: what it continues first, then notes, context and instructions, in
    listed order. Of damaged trees those of all edges; a source may be missing from the tree.
    """
    found: list[NodeSource] = []
    for edge in tree.incoming(node_id):
        found += _of(tree, edge)
    for edge in tree.annotation_edges_into(node_id):
        found += [NodeSource(source.node_id, "annotation") for source in edge.sources]
    return tuple(sorted(dict.fromkeys(found), key=lambda arrival: ORDER.index(arrival.part)))


def _of(tree: Tree, edge: Edge) -> Iterator[NodeSource]:
    primaries, families = edge.with_role("primary"), VersionGroups(tree)
    taken = tree.path.selections.get(edge.target_id, "")
    if primaries and taken not in primaries:
        taken = default_primary(tree, primaries, families)
    for source in edge.sources:
        is_primary = source.role == "primary"
        is_taken = not is_primary or source.node_id == taken
        is_version = not is_taken and families.of(source.node_id) == families.of(taken)
        yield NodeSource(source.node_id, source.role, is_taken, is_version)


def uses(tree: Tree, node_id: str) -> tuple[NodeSource, ...]:
    """The nodes for which a node is material or a directive, and the part that it plays for each."""
    found = [
        NodeSource(edge.target_id, source.role)
        for edge in tree.edges_out(node_id)
        for source in edge.sources
        if source.node_id == node_id and source.role != "primary" and edge.type == "continuation"
    ]
    return tuple(dict.fromkeys(found))
