"""Paths: which nodes lead to a node, by which choices; one goes on from those found last, never recursing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError
from loomapp.core.model.entities import Edge, Node
from loomapp.core.model.overlay import Overlay
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence, Path, node_sequence, shared_length
from loomapp.core.paths.version_groups import VersionGroups, default_primary
from loomapp.core.sentences import worded

MOST_KEPT = 2  # paths; there and back again is what one does
MOST_STALE = 1_000  # places of nodes that are in the tree no longer, before those of a way are counted anew


@dataclass(frozen=True, slots=True)
class KnownPath:
    """The path that was found last, by which choices, and up to which mark of the tree's touches it holds."""

    path: Path
    choices: Mapping[str, str]
    mark: int

    def apart(self) -> KnownPath:
        """Return this path for a sketch: what goes on from it there leaves the places that are shared here
        alone.
        """
        return replace(self, path=replace(self.path, places=Overlay(self.path.places)))


@dataclass(slots=True)
class KnownPaths:
    """The paths of a tree that were found last, the newest first."""

    spines: tuple[KnownPath, ...] = ()

    def keep(self, spine: KnownPath, others: tuple[KnownPath, ...]) -> None:
        """Keep a path that was found, before `others` that are still known."""
        self.spines = (spine, *others)[:MOST_KEPT]

    def for_sketch(self) -> KnownPaths:
        """Return the same paths for a sketch: a long one is not walked again there."""
        return KnownPaths(tuple(spine.apart() for spine in self.spines))


@dataclass(frozen=True, slots=True)
class PathRemainder:
    """The rest of a path from a place on: it holds as it is, but what comes before it is another by now."""

    path: Path
    start: int


def resolve(tree: Tree, node_id: str, selections: Mapping[str, str] | None = None) -> Path:
    """The path to a node, walked upwards from it. `selections` maps targets to chosen primary sources.

    None uses the choices stored in the tree. Choices for targets off the path are ignored. Of a path that is
    the one found last, or leaves it somewhere, only what differs is walked.

    Raises: AssemblyError with CYCLE, NODE_NOT_FOUND, AMBIGUOUS_PATH (more than one continuation edge into
    a node), INVALID_EDGE (no primary source) or INVALID_SELECTION (a choice that is no primary source),
    whichever comes first on the way up.
    """
    choices = tree.path.selections if selections is None else selections
    known_paths = tree.caches.of(KnownPaths)
    spines, rests = _known(tree, choices)
    mark = tree.touches.mark
    for number, spine in enumerate(spines):
        place = spine.path.place_of(node_id)
        if place is not None:
            known_paths.keep(spine, spines[:number] + spines[number + 1 :])
            return spine.path.beginning(place + 1)
    known = spines[0].path if spines else None
    path = _hung_anew(tree, node_id, choices, known, rests) or _walked(tree, node_id, choices, known)
    known_paths.keep(KnownPath(path, choices, mark), spines)
    return path


def only(tree: Tree, node_id: str) -> Path:
    """The path of one node, wherever it hangs: for when it can't be walked to."""
    return Path((node_id,), {node_id: 0}, (tree.nodes[node_id],), {})


def _walked(tree: Tree, node_id: str, choices: Mapping[str, str], known: Path | None) -> Path:
    """The path to a node that is not on a known one: up to where it meets that, or to its start."""
    before = tree.plain_parents
    misled = {target: source for target, source in choices.items() if before.get(target, source) != source}
    families = VersionGroups(tree)
    upwards: list[str] = []
    nodes: list[Node] = []
    joints: list[tuple[int, Edge]] = []  # counted upwards
    seen: set[str] = set()
    current: str | None = node_id
    beginning: Path | None = None
    while current is not None and beginning is None:
        stretch, ends = _plain_stretch(tree, current, known)
        beginning = None if known is None else _beginning(known, stretch[-1])
        if beginning is not None:
            stretch.pop()
        if upwards or misled or not ends:
            seen.update(upwards[len(seen) :])
            _check(tree, stretch, seen, misled)
        upwards += stretch
        nodes += _nodes(tree, stretch)
        if beginning is not None:
            break
        edge = _edge_into(tree, stretch[-1])
        if edge is not None:
            joints.append((len(upwards) - 1, edge))
        current = None if edge is None else _source(tree, edge, choices, families)
        beginning = None if known is None or current is None else _beginning(known, current)
    upwards.reverse()
    nodes.reverse()
    last = len(upwards) - 1
    later = {last - index: edge for index, edge in reversed(joints)}
    return _joined(tree, beginning, upwards, nodes, later)


def _beginning(known: Path, node_id: str) -> Path | None:
    """A known path as far as a node; None if it does not lead there."""
    place = known.place_of(node_id)
    return None if place is None else known.beginning(place + 1)


def _joined(
    tree: Tree, beginning: Path | None, node_ids: list[str], nodes: list[Node], joints: dict[int, Edge]
) -> Path:
    if beginning is None:
        return Path(tuple(node_ids), node_sequence(node_ids).places, tuple(nodes), joints)
    length = len(beginning.node_ids)
    places = _going_on(tree, beginning, node_ids)
    later = {length + place: edge for place, edge in joints.items()}
    return Path(
        beginning.node_ids + tuple(node_ids),
        places,
        beginning.nodes + tuple(nodes),
        {**beginning.joints, **later},
    )


def _going_on(tree: Tree, beginning: NodeSequence, node_ids: Sequence[str]) -> Mapping[str, int]:
    """The places of a way that goes on with some nodes."""
    more = dict(zip(node_ids, itertools.count(len(beginning.node_ids)), strict=False))
    found = _with_places(tree, beginning.places, more)
    return {**node_sequence(beginning.node_ids).places, **more} if found is None else found


def _with_places(tree: Tree, known: Mapping[str, int], more: Mapping[str, int]) -> Mapping[str, int] | None:
    """Places with some more: shared with those that are known, if in none of them one of these nodes stands
    elsewhere. A hundred thousand names are not copied for one more. None if too many of them are stale.
    """
    if isinstance(known, Overlay):
        return known.with_more(more)
    if len(known) > len(tree.nodes) + MOST_STALE:
        return None
    shared = known if isinstance(known, dict) else dict(known)
    if any(shared.get(node_id, place) != place for node_id, place in more.items()):
        shared = dict(shared)
    shared.update(more)
    return shared


def place_on(tree: Tree, way: Sequence[str], node_id: str) -> int | None:
    """Return a node's place on a way through a tree, None if it is not there. The paths that were found last
    say where to look first: to look for it everywhere takes long.
    """
    for spine in tree.caches.of(KnownPaths).spines:
        place = spine.path.places.get(node_id)
        if place is not None and place < len(way) and way[place] == node_id:
            return place
    return way.index(node_id) if node_id in way else None


# What is still true of the path that was found last.


def _known(tree: Tree, choices: Mapping[str, str]) -> tuple[tuple[KnownPath, ...], tuple[PathRemainder, ...]]:
    """The paths that were found last, as far as they hold now and by these choices; and what is left of them
    further down.
    """
    found: list[KnownPath] = []
    rests: list[PathRemainder] = []
    for spine in tree.caches.of(KnownPaths).spines:
        touched = tree.touches.since(spine.mark)
        if touched is None:
            continue
        if spine.choices is not choices and spine.choices != choices:
            touched = [*touched, *(target for target, _ in spine.choices.items() ^ choices.items())]
        path, rest = _renewed(tree, spine.path, choices, touched) if touched else (spine.path, None)
        if path is not None:
            found.append(KnownPath(path, choices, tree.touches.mark))
        if rest is not None:
            rests.append(rest)
    return tuple(found), tuple(rests)


def _renewed(
    tree: Tree, path: Path, choices: Mapping[str, str], touched: Iterable[str]
) -> tuple[Path | None, PathRemainder | None]:
    """A path as far as it is the way there still, and from where on it is again."""
    broken: set[int] = set()  # places that are not come to as they were
    replaced: dict[int, Node] = {}
    for node_id in dict.fromkeys(touched):
        place = path.place_of(node_id)
        if place is None:
            continue
        node = tree.nodes.get(node_id)
        if node is None or not _is_way(tree, path, place, choices):
            broken.add(place)
        if node is not None and node is not path.nodes[place]:
            replaced[place] = node
    for place, edge in path.joints.items():  # versions count by what they are now
        if len(edge.with_role("primary")) > 1 and not _is_way(tree, path, place, choices):
            broken.add(place)
    if replaced:
        nodes = list(path.nodes)
        for place, node in replaced.items():
            nodes[place] = node
        path = replace(path, nodes=tuple(nodes))
    if not broken:
        return path, None
    start = max(broken)
    rest = PathRemainder(path, start) if path.node_ids[start] in tree.nodes else None
    return path.beginning(min(broken)) if min(broken) else None, rest


def _hung_anew(
    tree: Tree, node_id: str, choices: Mapping[str, str], known: Path | None, rests: Iterable[PathRemainder]
) -> Path | None:
    """The path to a node in what is left of one found before, only the way to its beginning walked anew; None
    if it is in none of them.
    """
    for rest in rests:
        place, ids = rest.path.place_of(node_id), rest.path.node_ids
        if place is None or place < rest.start:
            continue
        head = _walked(tree, ids[rest.start], choices, known)
        after, length = rest.start + 1, len(head.node_ids)
        is_same_length = after == length
        same = shared_length(rest.path, head)
        walked = head.node_ids[same:-1]
        if any((at := rest.path.place_of(i)) is not None and at >= rest.start for i in walked):
            return None  # it leads in a circle
        node_ids = head.node_ids + ids[after : place + 1]
        found: Mapping[str, int] | None = None
        if is_same_length:
            others = {i: place for place, i in enumerate(walked, length - 1 - len(walked))}
            found = _with_places(tree, rest.path.places, others)
        places = _going_on(tree, head, node_ids[length:]) if found is None else found
        later = {at + length - after: edge for at, edge in rest.path.joints.items() if after <= at <= place}
        nodes = head.nodes + rest.path.nodes[after : place + 1]
        return Path(node_ids, places, nodes, {**head.joints, **later})
    return None


def _is_way(tree: Tree, path: Path, place: int, choices: Mapping[str, str]) -> bool:
    """True if a path still comes to a node as it did."""
    node_id = path.node_ids[place]
    above = path.node_ids[place - 1] if place else None
    edge = path.joints.get(place)
    plain = tree.plain_parents.get(node_id)
    if edge is None and plain is not None:
        return plain == above and choices.get(node_id, above) == above
    try:
        if _edge_into(tree, node_id) is not edge:
            return False
        return above == (None if edge is None else _source(tree, edge, choices, VersionGroups(tree)))
    except AssemblyError:
        return False


def node_not_found(node_id: str) -> AssemblyError:
    return AssemblyError(
        "NODE_NOT_FOUND", worded("There is no node {node_id} in this tree.", node_id=node_id), nodeId=node_id
    )


def _plain_stretch(tree: Tree, node_id: str, known: Path | None) -> tuple[list[str], bool]:
    """The node and those above it, up to one whose way in is not plain, or that is on a known path; False if
    they lead in a circle."""
    before = tree.plain_parents
    places: Mapping[str, int] = {} if known is None else known.places
    stretch = [node_id]
    try:
        for _ in range(len(before) + 1):
            node_id = before[node_id]
            stretch.append(node_id)
            if known is not None and node_id in places and node_id in known:
                return stretch, True
    except KeyError:
        return stretch, True
    return stretch, False


def _check(tree: Tree, stretch: Iterable[str], seen: set[str], misled: Mapping[str, str]) -> None:
    """Add a stretch to what was seen. Raises: AssemblyError for its first node that cannot be walked over."""
    for node_id in stretch:
        if node_id in seen:
            raise AssemblyError(
                "CYCLE", worded("The way up leads in a circle at {node_id}.", node_id=node_id), nodeId=node_id
            )
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
            worded(
                "{arrivals} continuation edges lead to {node_id}; there should be one.",
                arrivals=len(arrivals),
                node_id=node_id,
            ),
            nodeId=node_id,
            edgeIds=[edge.id for edge in arrivals],
        )
    if arrivals:
        return arrivals[0]
    notes = tree.annotation_edges_into(node_id)
    return notes[0] if notes else None


def _source(tree: Tree, edge: Edge, choices: Mapping[str, str], families: VersionGroups) -> str:
    primaries = edge.with_role("primary")
    if not primaries:
        raise AssemblyError(
            "INVALID_EDGE",
            worded("The edge to {target_id} has no primary source.", target_id=edge.target_id),
            edgeId=edge.id,
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
        worded(
            "{source_id} is chosen to lead to {target_id}, but is no primary source of it.",
            source_id=source_id,
            target_id=target_id,
        ),
        targetNodeId=target_id,
        sourceNodeId=source_id,
    )


def choices_after(
    tree: Tree, read: NodeSequence, node_id: str, selections: Mapping[str, str] | None = None
) -> Mapping[str, str]:
    """Choices by which the path to a node leaves one that is read as late as it can, so that the text before
    it stays: where a primary source is on that path, it is the one. The others are as in `selections`.

    None uses the choices stored in the tree, by which `read` was found. A way that is damaged stays as it is.
    """
    choices = tree.path.selections if selections is None else selections
    try:
        path = resolve(tree, node_id, choices)
    except AssemblyError:
        return choices
    for place, edge in sorted(path.joints.items(), reverse=True):
        if path.node_ids[place] in read:
            break
        on_it = [(at, i) for i in edge.with_role("primary") if (at := read.place_of(i)) is not None]
        if on_it:
            source = max(on_it)[1]
            return choices if path.node_ids[place - 1] == source else {**choices, edge.target_id: source}
    return choices
