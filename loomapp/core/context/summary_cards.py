"""Summaries on a path as their cards tell them: which is in use, which waits, and which is stale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.context.economy import message_lengths
from loomapp.core.context.request import ContextRequest, placing_of
from loomapp.core.context.summaries import units_before, units_from
from loomapp.core.context.units import Placing
from loomapp.core.economy.coverage import AnchoredSummary, summaries_on
from loomapp.core.economy.estimators import chat_tokens
from loomapp.core.economy.summary_rows import CoveredUnits, SummaryReading, read_summary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve

Standing: TypeAlias = Literal["in use", "valid", "waiting", "stale"]


@dataclass(frozen=True, slots=True)
class SummaryOnPath:
    """A summary whose anchor is on a path, as its card tells it."""

    place: int
    reading: SummaryReading
    standing: Standing


def summaries_of(tree: Tree, request: ContextRequest, min_recent: int) -> list[SummaryOnPath]:
    """The summaries on a request's path, those nearest to the root first. The deepest valid one with at least
    so many units after it is in use; valid ones that are deeper wait until there are.
    """
    path = resolve(tree, request.at, request.selections)
    if not tree.context_summaries:
        return []
    placing = placing_of(tree, request, path)
    found: list[SummaryOnPath] = []
    is_used = False
    for summary in reversed(summaries_on(tree, path)):
        base = _place_of_base(path, summary)
        reading = read_summary(summary.row, covered_units(placing, base + 1, summary.place))
        standing: Standing = "stale"
        if summary.is_valid and summary.text:
            after = units_from(placing.passages, placing.part_at(summary.place + 1))
            standing = "waiting" if after < min_recent else "valid" if is_used else "in use"
            is_used = is_used or standing == "in use"
        found.append(SummaryOnPath(summary.place, reading, standing))
    return found[::-1]


def _place_of_base(path: Path, summary: AnchoredSummary) -> int:
    """The place of the anchor that a summary is based on; before the first node if there is none."""
    value = summary.row.body.get("basedOn")
    match value:
        case {"anchorNodeId": str(anchor)}:
            place = path.place_of(anchor)
            return -1 if place is None else place
    return -1


def covered_units(placing: Placing, begin: int, place: int) -> CoveredUnits:
    """All units up to an anchor's place, and the nodes of the path from `begin` to it."""
    end = placing.part_at(place + 1)
    lengths = message_lengths(placing.passages, 0, end)
    node_ids = placing.path.node_ids[begin : place + 1]
    return CoveredUnits(node_ids, units_before(placing.passages, end), chat_tokens(lengths))
