"""Paths: which nodes lead to a node, and the ways to walk from one to another. Nothing here recurses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loomapp.core.errors import AssemblyError
from loomapp.core.tree import ActivePath, Edge, Node, Tree


@dataclass(frozen=True, slots=True)
class Step:
    """One node of a path and the edge by which the path comes to it; None at the start."""

    node_id: str
    edge: Edge | None

    @property
    def by_annotation(self) -> bool:
        """True for a note: a node that the path reaches through an annotation edge."""
        return self.edge is not None and self.edge.type == "annotation"


@dataclass(frozen=True, slots=True)
class Path:
    """A walk from a start to a node: the ids in that order, each once, and the edge into each of them."""

    node_ids: tuple[str, ...]
    edges: tuple[Edge | None, ...]  # edges[i] leads to node_ids[i]; edges[0] is None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The nodes with the edges into them."""
        return tuple(map(Step, self.node_ids, self.edges))


def resolve(tree: Tree, node_id: str, selections: Mapping[str, str] | None = None) -> Path:
    """The path to a node, walked upwards from it. `selections` maps targets to chosen primary sources.

    None uses the choices stored in the tree. Choices for targets off the path are ignored.

    Raises: AssemblyError with CYCLE, NODE_NOT_FOUND, AMBIGUOUS_PATH (more than one continuation edge into
    a node), INVALID_EDGE (no primary source) or INVALID_SELECTION (a choice that is no primary source).
    """
    chosen = tree.path.selections if selections is None else selections
    node_ids: list[str] = []
    edges: list[Edge | None] = []
    seen: set[str] = set()
    current: str | None = node_id
    while current is not None:
        if current in seen:
            raise AssemblyError(
                "CYCLE", f"The path to {node_id} leads in a circle at {current}.", nodeId=current
            )
        if current not in tree.nodes:
            raise node_not_found(current)
        seen.add(current)
        node_ids.append(current)
        edge = _edge_into(tree, current)
        edges.append(edge)
        current = None if edge is None else _source(tree, edge, chosen)
    return Path(tuple(reversed(node_ids)), tuple(reversed(edges)))


def node_not_found(node_id: str) -> AssemblyError:
    """The error for an id that no node of the tree has."""
    return AssemblyError("NODE_NOT_FOUND", f"There is no node {node_id} in this tree.", nodeId=node_id)


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


def _source(tree: Tree, edge: Edge, selections: Mapping[str, str]) -> str:
    primaries = edge.with_role("primary")
    if not primaries:
        raise AssemblyError(
            "INVALID_EDGE", f"The edge to {edge.target_id} has no primary source.", edgeId=edge.id
        )
    choice = selections.get(edge.target_id)
    if choice is None:
        return primaries[0] if len(primaries) == 1 else default_primary(tree, edge)
    if choice not in primaries:
        raise AssemblyError(
            "INVALID_SELECTION",
            f"{choice} is chosen to lead to {edge.target_id}, but is no primary source of it.",
            targetNodeId=edge.target_id,
            sourceNodeId=choice,
        )
    return choice


def default_primary(tree: Tree, edge: Edge) -> str:
    """The primary source that counts when none was chosen; the edge must have one.

    Versions of one text: the newest that is not pruned (of all, if all are). Otherwise the first listed.
    A version that is missing from a damaged tree is passed over as long as another is there.
    """
    primaries = edge.with_role("primary")
    if len({tree.family(node_id) for node_id in primaries}) > 1:
        return primaries[0]
    versions = [tree.nodes[node_id] for node_id in primaries if node_id in tree.nodes]
    living = [node for node in versions if not node.metadata.pruned] or versions
    return max(living, key=_age).id if living else primaries[0]


def _age(node: Node) -> tuple[int, str]:
    return node.created_at, node.id


# Walking for people: damaged data never raises here, it only ends the walk.


def parent(tree: Tree, node_id: str) -> str | None:
    """The node that this one continues, as the stored choices say; of a note, what it is on; None at a root."""
    edges = tree.incoming(node_id) or tree.annotation_edges_into(node_id)
    if not edges:
        return None
    primaries = edges[0].with_role("primary")
    choice = tree.path.selections.get(node_id)
    if choice in primaries:
        return choice
    found = default_primary(tree, edges[0]) if primaries else None
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
    return dict(zip(node_ids, node_ids[1:], strict=False))


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
        return len({tree.family(child) for child in children}) > 1
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
