"""Plan of the summary of a branch: its nodes on a path, from its head up to the next one."""

from __future__ import annotations

from loomapp.core.context.summaries import units_before
from loomapp.core.economy.threads import rows_on
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import node_not_found
from loomapp.core.summarisers.plan import SummaryPlan, not_enough, placed, said_parts, stretch_of


def branch_plan(tree: Tree, path: Path, node_id: str) -> SummaryPlan:
    """Plan the summary of the branch whose head is a node of the path. It stands for nothing by itself: its
    text is proposed for the head.

    Raises: AssemblyError if the node is not on the path, or NOT_ENOUGH_MESSAGES if the branch says nothing.
    """
    place = path.place_of(node_id)
    if place is None:
        raise node_not_found(node_id)
    following = [one for one in rows_on(tree, path) if one > place]
    last = min(following, default=len(path.node_ids))
    placing = placed(tree, path)
    begin, end = placing.part_at(place), placing.part_at(last)
    if end <= begin:
        raise not_enough()
    units = units_before(placing.passages, end) - units_before(placing.passages, begin)
    return SummaryPlan(
        tree.loom.id,
        node_id,
        path.node_ids[place:last],
        None,
        said_parts(placing, begin, end),
        units,
        stretch_of(placing, last - 1, begin, end),
    )
