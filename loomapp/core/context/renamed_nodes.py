"""An assembled context told by other ids, where nodes stand in the place of those on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from loomapp.core.context import report
from loomapp.core.context.assembly import Assembled
from loomapp.core.context.outcomes import Fates, node_in_part
from loomapp.core.context.passages import ContextPassages
from loomapp.core.context.units import Drops, Placed
from loomapp.core.paths.path import Path, node_sequence


def named(assembled: Assembled, names: Mapping[str, str | None], shown: Path | None = None) -> Assembled:
    """Return a context with its nodes called by `names`, if they have one there. None: text that is no node
    yet, only at the end. What is sent stays as it is, to the byte.

    `shown` is a path that may begin with these names: then its places need not be counted anew.
    """
    placed, fitted = assembled.placed, assembled.fitted
    path = _path(placed.path, names, shown)
    fitted = replace(fitted, passages=_passages(placed, fitted.passages, names))
    drops = _drops(placed.drops, names)
    parts = {_known(names, node_id): indexes for node_id, indexes in placed.parts.items()}
    there = Placed(path, drops, placed.stretches, parts, placed.covered)
    fates = Fates(
        path,
        assembled.fates.codes[: len(path.node_ids)],
        {_known(names, node_id): fate for node_id, fate in assembled.fates.beside()},
        node_in_part(fitted),
    )
    kept = report.kept_nodes(fitted)
    told = replace(
        assembled.report,
        kept=kept,
        dropped=report.DroppedNodes(there, fitted, kept, fates),
        partial=report.partial_node(fitted),
        economy=_economy(assembled.report.economy, names),
    )
    return replace(assembled, report=told, fitted=fitted, placed=there, fates=fates)


def _economy(told: report.EconomyReport, names: Mapping[str, str | None]) -> report.EconomyReport:
    if not told.compressed:
        return told
    parts = tuple(replace(one, node_id=_known(names, one.node_id)) for one in told.compressed)
    return replace(told, compressed=parts)


def _known(names: Mapping[str, str | None], node_id: str) -> str:
    return names.get(node_id) or node_id


def _path(path: Path, names: Mapping[str, str | None], shown: Path | None) -> Path:
    length, called = len(path.node_ids), dict[int, str]()
    for new, name in names.items():
        place = path.place_of(new)
        if place is not None and name is None:
            length = min(length, place)
        elif place is not None and name is not None:
            called[place] = name
    told, nodes = path.node_ids[:length], path.nodes[:length]
    if called:
        node_ids, others = list(told), list(nodes)
        for place, name in called.items():
            if place < length:
                node_ids[place], others[place] = name, replace(others[place], id=name)
        told, nodes = tuple(node_ids), tuple(others)
    is_shown = shown is not None and shown.node_ids[:length] == told
    places = shown.places if is_shown and shown is not None else node_sequence(told).places
    joints = {place: edge for place, edge in path.joints.items() if place < length}
    return Path(told, places, nodes, joints)


def _passages(placed: Placed, passages: ContextPassages, names: Mapping[str, str | None]) -> ContextPassages:
    node_ids, kinds = list(passages.node_ids), dict(passages.kinds)
    for new, name in names.items():
        for index in _parts_of(placed, new):
            node_ids[index] = name
            if name is None:
                kinds[index] = "workingBuffer"
    return replace(passages, node_ids=node_ids, kinds=kinds)


def _parts_of(placed: Placed, node_id: str) -> range:
    """The parts of a node: several where files are attached to it."""
    if node_id in placed.parts:
        return placed.parts[node_id]
    first = placed.first_part(node_id)
    return range(0) if first is None else range(first, first + 1)


def _drops(drops: Drops, names: Mapping[str, str | None]) -> Drops:
    if names.keys().isdisjoint(drops.by_id):
        return drops
    return Drops(
        {
            _known(names, node_id): (before, dropped._replace(node_id=_known(names, node_id)))
            for node_id, (before, dropped) in drops.by_id.items()
        },
        drops.estimator,
    )
