"""Edges as they came compared with later log entries: sources lost, other roles, another time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple, TypeAlias, cast

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.model.entities import Edge
from loomapp.core.model.hashes import MOVED
from loomapp.core.model.tree import Tree
from loomapp.store.checks.log_comparison import in_step
from loomapp.store.rows.log_rows import target_of

Sources: TypeAlias = str | Mapping[str, str]  # one that is primary, or the role of each
OTHER_ROLE = (
    "what it came after has another role now, or another context or order of it, which no change gives it"
)
OTHER_EDGE = (
    "the edge that leads to it is said to have been made otherwise than it was: another time or kind, other "
    "keys, or what it continues in another order"
)


@dataclass(slots=True)
class FirstEdges:
    """The first edge to each node, and faults where a later entry has another time or kind of it, other keys
    of its sources, or what it continues in another order, also where another edge is put in its place between
    the same nodes. Edges are as `in_short` has them.
    """

    by_target: dict[str, object] = field(default_factory=dict)  # of what a node continues
    keys: dict[tuple[str, str], Mapping[str, object]] = field(
        default_factory=dict
    )  # unknown ones, by edge and source
    faults: list[tuple[str, str]] = field(default_factory=list)  # node, reason

    def take(self, edge_id: str, edge: object, earlier: object) -> None:
        """Take what is said of an edge, and what was said of it before, None if nothing was."""
        target = target_of(edge)
        is_other = earlier is not None and _fixed(earlier) != _fixed(edge)
        if isinstance(edge, tuple):  # one source without keys, as of nearly all
            is_other = is_other or bool(self.keys and self.keys.get((edge_id, edge[0])))
        else:
            before = () if earlier is None else _told(earlier)
            is_other = is_other or _is_swapped(before, _told(edge))
            for source in (*before, *_told(edge)):
                keys = self.keys.setdefault((edge_id, source.node_id), source.keys)
                is_other = is_other or keys != source.keys
        if isinstance(edge, tuple) or "type" not in cast(Json, edge):
            first = self.by_target.setdefault(target, edge)
            is_put_back = first is not edge and _sources(first) == _sources(edge)
            is_other = is_other or (is_put_back and _fixed(first) != _fixed(edge))
            is_other = is_other or (is_put_back and earlier is None and _told(first) != _told(edge))
        if is_other:
            self.faults.append((target, OTHER_EDGE))


def _fixed(edge: object) -> tuple[object, ...]:
    """Return the parts of an edge that no change alters: target, time, kind and unknown keys. That it was
    moved is said by the change that moves it.
    """
    if isinstance(edge, tuple):
        return edge[1], edge[2], None, None
    state = cast(Json, edge)
    keys = {name: value for name, value in cast(Json, state.get("extra") or {}).items() if name != MOVED}
    return state["to"], state["at"], state.get("type"), keys or None


class _Source(NamedTuple):
    """A source of an edge as the log says it, with its unknown keys."""

    node_id: str
    role: str = "primary"
    keys: Mapping[str, object] = {}


def _told(edge: object) -> tuple[_Source, ...]:
    """The sources of an edge in their order."""
    if isinstance(edge, tuple):
        return (_Source(edge[0]),)
    sources = cast("list[str | list[Any]]", cast(Json, edge)["from"])
    return tuple(_Source(one) if isinstance(one, str) else _Source(*one) for one in sources)


def _is_swapped(before: Iterable[_Source], after: Iterable[_Source]) -> bool:
    """Tell whether an edge continues the very same nodes as before, in another order."""
    one, other = ([s.node_id for s in sources if s.role == "primary"] for sources in (before, after))
    return one != other and sorted(one) == sorted(other)


def _sources(edge: object) -> Sources:
    return cast(str, edge[0]) if isinstance(edge, tuple) else sources_in(cast(Json, edge))


def sources_in(state: Json) -> Sources:
    """The sources of an edge as the log writes it down."""
    sources = cast("list[str | list[str]]", state["from"])
    each = ([source, "primary"] if isinstance(source, str) else source for source in sources)
    roles = {name: role for name, role, *_ in each}
    return next(iter(roles)) if list(roles.values()) == ["primary"] else roles


class ChangedSources(NamedTuple):
    """A node whose edge may have other sources than it came with, and the role that each of those had."""

    node_id: str
    first: Mapping[str, str]
    edges: Sequence[Edge]


def changed_sources(tree: Tree, first_sources: Mapping[str, Sources]) -> Iterator[ChangedSources]:
    """Yield all of a tree but the nodes that continue one node, as they did when they came."""
    for target, first, above in in_step(first_sources, tree.plain_parents):
        if above != first:
            roles = {first: "primary"} if isinstance(first, str) else first
            yield ChangedSources(target, roles, tree.incoming(target))


def moved(changed: Iterable[ChangedSources]) -> Iterator[str]:
    """The nodes whose edge lost a source that it came with, by a change that was recorded."""
    for one in changed:
        if one.edges and not any(one.first.keys() <= {s.node_id for s in e.sources} for e in one.edges):
            yield one.node_id


def role_faults(changed: Iterable[ChangedSources]) -> Iterator[tuple[str, str]]:
    """Yield each node whose edge has all the sources that it came with, and one of them in another role, one
    more beside them that it did not continue, or those beside it in another order.
    """
    for one in changed:
        for edge in one.edges:
            here = {source.node_id: source.role for source in edge.sources}
            is_moved = not one.first.keys() <= here.keys()
            is_other = {**dict.fromkeys(here, "primary"), **one.first} != here
            if not is_moved and (is_other or _beside(here) != _beside(one.first)):
                yield one.node_id, OTHER_ROLE


def _beside(roles: Mapping[str, str]) -> list[str]:
    """The sources that go along with what is continued, in their order."""
    return [name for name, role in roles.items() if role != "primary"]
