"""Sources of edges against those that they came with: which were lost, and which have another role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from loomapp.core.json_values import Json
from loomapp.core.model.entities import Edge
from loomapp.core.model.tree import Tree
from loomapp.store.checks.row_order import in_step

Sources: TypeAlias = str | Mapping[str, str]  # one that is primary, or the role of each
OTHER_ROLE = "what it came after has another role now, or another context, which no change gives it"


def sources_in(state: Json) -> Sources:
    """The sources of an edge as the log writes it down."""
    sources = cast("list[str | list[str]]", state["from"])
    if len(sources) == 1 and isinstance(sources[0], str):
        return sources[0]
    each = ([source, "primary"] if isinstance(source, str) else source for source in sources)
    return {name: role for name, role, *_ in each}


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
    """Yield each node whose edge has all the sources that it came with, and one of them in another role, or
    one more that is no version.
    """
    for one in changed:
        for edge in one.edges:
            here = {source.node_id: source.role for source in edge.sources}
            is_moved = not one.first.keys() <= here.keys()
            if not is_moved and {**dict.fromkeys(here, "primary"), **one.first} != here:
                yield one.node_id, OTHER_ROLE
