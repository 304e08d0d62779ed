"""Walks for people: parent, siblings, versions, forks and leaves. Damaged data only ends a walk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loomapp.core.errors import AssemblyError
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from loomapp.core.paths.kinship import Kinship
from loomapp.core.paths.resolve import resolve
from loomapp.core.paths.version_groups import VersionGroups, default_primary


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
    """The nearest fork above a node, or None."""
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
