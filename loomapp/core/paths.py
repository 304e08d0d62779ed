"""Paths: which nodes lead to a node, and the ways to walk from one to another. Nothing here recurses."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from loomapp.core.errors import AssemblyError
from loomapp.core.tree import ActivePath, Edge, Node, Tree


@dataclass(frozen=True, slots=True)
class Path:
    """A walk from a start to a node: the nodes in that order, each once.

    `joints` are the edges on it that say more than "this continues that": those with several sources, and
    annotation edges. They are keyed by the index of the node they lead to, in ascending order.
    """

    node_ids: tuple[str, ...]
    nodes: tuple[Node, ...]
    joints: Mapping[int, Edge]

    def is_note(self, index: int) -> bool:
        """True for a node that the path reaches through an annotation edge."""
        edge = self.joints.get(index)
        return edge is not None and edge.type == "annotation"


@dataclass(slots=True)
class Families:
    """Which nodes are versions of one text, remembered while asked for many."""

    tree: Tree
    originals: dict[str, str] = field(default_factory=dict)

    def of(self, node_id: str) -> str:
        """The original at the end of the `edited_from` chain, or what it names if that is not in the tree.

        Damage that leads in a circle counts as one family.
        """
        chain: dict[str, None] = {}
        current = node_id
        while current not in self.originals and current not in chain:
            chain[current] = None
            node = self.tree.nodes.get(current)
            if node is None or node.edited_from is None:
                self.originals[current] = current
            else:
                current = node.edited_from
        original = self.originals.get(current, current)
        self.originals.update(dict.fromkeys(chain, original))
        return original


def resolve(tree: Tree, node_id: str, selections: Mapping[str, str] | None = None) -> Path:
    """The path to a node, walked upwards from it. `selections` maps targets to chosen primary sources.

    None uses the choices stored in the tree. Choices for targets off the path are ignored.

    Raises: AssemblyError with CYCLE, NODE_NOT_FOUND, AMBIGUOUS_PATH (more than one continuation edge into
    a node), INVALID_EDGE (no primary source) or INVALID_SELECTION (a choice that is no primary source),
    whichever comes first on the way up.
    """
    choices = tree.path.selections if selections is None else selections
    before = tree.plain_parents
    misled = {target: source for target, source in choices.items() if before.get(target, source) != source}
    families = Families(tree)
    upwards: list[str] = []
    nodes: list[Node] = []
    joints: list[tuple[int, Edge]] = []  # counted upwards
    seen: set[str] = set()
    current: str | None = node_id
    while current is not None:
        stretch, ends = _plain_stretch(tree, current)
        if upwards or misled or not ends:
            seen.update(upwards[len(seen) :])
            _check(tree, stretch, seen, misled)
        upwards += stretch
        nodes += _nodes(tree, stretch)
        edge = _edge_into(tree, stretch[-1])
        if edge is not None:
            joints.append((len(upwards) - 1, edge))
        current = None if edge is None else _source(tree, edge, choices, families)
    upwards.reverse()
    nodes.reverse()
    last = len(upwards) - 1
    return Path(tuple(upwards), tuple(nodes), {last - index: edge for index, edge in reversed(joints)})


def node_not_found(node_id: str) -> AssemblyError:
    """The error for an id that no node of the tree has."""
    return AssemblyError("NODE_NOT_FOUND", f"There is no node {node_id} in this tree.", nodeId=node_id)


def _plain_stretch(tree: Tree, node_id: str) -> tuple[list[str], bool]:
    """The node and those above it, up to one whose way in is not plain; False if they lead in a circle."""
    before = tree.plain_parents
    stretch = [node_id]
    try:
        for _ in range(len(before) + 1):
            node_id = before[node_id]
            stretch.append(node_id)
    except KeyError:
        return stretch, True
    return stretch, False


def _check(tree: Tree, stretch: Iterable[str], seen: set[str], misled: Mapping[str, str]) -> None:
    """Add a stretch to what was seen. Raises: AssemblyError for its first node that cannot be walked over."""
    for node_id in stretch:
        if node_id in seen:
            raise AssemblyError("CYCLE", f"The way up leads in a circle at {node_id}.", nodeId=node_id)
        if node_id not in tree.nodes:
            raise node_not_found(node_id)
        if node_id in misled:
            raise _invalid_selection(node_id, misled[node_id])
        seen.add(node_id)


def _nodes(tree: Tree, stretch: Iterable[str]) -> list[Node]:
    try:
        return list(map(tree.nodes.__getitem__, stretch))
    except KeyError as gone:
        raise node_not_found(str(gone.args[0])) from gone


def _edge_into(tree: Tree, node_id: str) -> Edge | None:
    arrivals = tree.incoming(node_id)
    if len(arrivals) > 1:
        raise AssemblyError(
            "AMBIGUOUS_PATH",
            f"{len(arrivals)} continuation edges lead to {node_id}; there should be one.",
            nodeId=node_id,
            edgeIds=[edge.id for edge in arrivals],
        )
    if arrivals:
        return arrivals[0]
    notes = tree.annotation_edges_into(node_id)
    return notes[0] if notes else None


def _source(tree: Tree, edge: Edge, choices: Mapping[str, str], families: Families) -> str:
    primaries = edge.with_role("primary")
    if not primaries:
        raise AssemblyError(
            "INVALID_EDGE", f"The edge to {edge.target_id} has no primary source.", edgeId=edge.id
        )
    choice = choices.get(edge.target_id)
    if choice is None:
        return default_primary(tree, primaries, families)
    if choice not in primaries:
        raise _invalid_selection(edge.target_id, choice)
    return choice


def _invalid_selection(target_id: str, source_id: str) -> AssemblyError:
    return AssemblyError(
        "INVALID_SELECTION",
        f"{source_id} is chosen to lead to {target_id}, but is no primary source of it.",
        targetNodeId=target_id,
        sourceNodeId=source_id,
    )


def default_primary(tree: Tree, primaries: Sequence[str], families: Families) -> str:
    """The primary source of an edge that counts when none was chosen; there is at least one.

    Versions of one text: the newest that is not pruned (of all, if all are). Otherwise the first listed.
    A version that is missing from a damaged tree is passed over as long as another is there.
    """
    if len(primaries) == 1 or len({families.of(node_id) for node_id in primaries}) > 1:
        return primaries[0]
    versions = [tree.nodes[node_id] for node_id in primaries if node_id in tree.nodes]
    living = [node for node in versions if not node.metadata.pruned] or versions
    return max(living, key=lambda node: (node.created_at, node.id)).id if living else primaries[0]


# Walking for people: damaged data never raises here, it only ends the walk.


def parent(tree: Tree, node_id: str) -> str | None:
    """The node that this one continues, by the stored choices; of a note, what it is on; None at a root."""
    edges = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    if not edges:
        return None
    primaries = edges[0].with_role("primary")
    choice = tree.path.selections.get(node_id)
    if choice in primaries:
        return choice
    found = default_primary(tree, primaries, Families(tree)) if primaries else None
    return found if found in tree.nodes else None


def siblings(tree: Tree, node_id: str) -> tuple[str, ...]:
    """The nodes with the same parent, itself among them, in order of creation; for a root, its versions.

    Of a node with several parents (versions of one text), the children of any of them.
    """
    incoming = tree.incoming(node_id)
    notes = tree.annotation_edges_into(node_id)
    if not incoming and not notes:
        roots = (other for other in versions(tree, node_id) if not tree.incoming(other))
        return tuple(roots)
    if incoming:
        groups = [tree.children(source) for source in incoming[0].with_role("primary")]
    else:
        groups = [tree.notes(source) for source in notes[0].with_role("primary")]
    found = dict.fromkeys(other for group in groups for other in group if other in tree.nodes)
    found.setdefault(node_id)
    return tuple(found) if len(groups) <= 1 else _by_creation(tree, found)


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
    """Where a path that goes on from a node ends: along the active path as far as it leads, then by the
    newest child that is not pruned. The node itself if nothing follows."""
    next_on_path = _next_on(tree, path)
    seen = {node_id}
    current = node_id
    while True:
        following = next_on_path.get(current) or _newest_child(tree, current)
        if following is None or following in seen:
            return current
        seen.add(following)
        current = following


def _next_on(tree: Tree, path: ActivePath) -> dict[str, str]:
    try:
        node_ids = resolve(tree, path.leaf_id, path.selections).node_ids
    except AssemblyError:
        return {}
    return dict(itertools.pairwise(node_ids))


def _newest_child(tree: Tree, node_id: str) -> str | None:
    living = _living_children(tree, node_id)
    return max(living, key=lambda child: tree.nodes[child].created_at, default=None) if living else None


def _living_children(tree: Tree, node_id: str) -> list[str]:
    children = (child for child in tree.children(node_id) if child in tree.nodes)
    return [child for child in children if not tree.nodes[child].metadata.pruned]


def is_fork(tree: Tree, node_id: str) -> bool:
    """True where the text goes on in more than one way; versions of one passage are one way."""
    children = _living_children(tree, node_id)
    if tree.loom.mode == "buffer":
        return len(set(map(Families(tree).of, children))) > 1
    return len(children) > 1


def previous_fork(tree: Tree, node_id: str) -> str | None:
    """The nearest fork above a node, or None."""
    seen = {node_id}
    current = parent(tree, node_id)
    while current is not None and current not in seen:
        if is_fork(tree, current):
            return current
        seen.add(current)
        current = parent(tree, current)
    return None


def next_fork(tree: Tree, node_id: str) -> str | None:
    """The nearest fork below a node on the way to its deepest leaf, or None."""
    next_on_path = _next_on(tree, tree.path)
    seen = {node_id}
    current = next_on_path.get(node_id) or _newest_child(tree, node_id)
    while current is not None and current not in seen:
        if is_fork(tree, current):
            return current
        seen.add(current)
        current = next_on_path.get(current) or _newest_child(tree, current)
    return None
