"""Edits of branches: a head's summary and its title, each as one Change."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loomapp.core.economy.branch_rows import GENERATED, read_branch, with_title, with_update
from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.edits.node_edits import add_aside
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import BranchSummary
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.version_groups import VersionGroups
from loomapp.core.times import iso_time


@dataclass(frozen=True, slots=True)
class ProposedSummary:
    """A text that a model wrote for the summary of a branch, and the response that it was taken from."""

    text: str
    model: str | None
    response: Evidence


def head_row(tree: Tree, node_id: str) -> BranchSummary | None:
    """The row of the head at a node, None if no branch begins there. In a Buffer a row stands for all
    versions of its node: of several it is the node's own, else the first that was made, as in a chain.
    """
    rows = tree.branch_summaries
    if node_id in rows or tree.loom.mode != "buffer" or not rows:
        return rows.get(node_id)
    families = VersionGroups(tree)
    family = families.of(node_id)
    same = (row for row in rows.values() if row.node_id in tree.nodes and families.of(row.node_id) == family)
    return next(same, None)


def update_summary(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change | None:
    """Write the summary of the branch at a node by hand: one update, with its counters. None if it says so
    already. A node that was no head becomes one.
    """
    row = head_row(tree, node_id)
    if text == ((row and read_branch(row).text) or ""):
        return None
    return submit_summary(tree, node_id, text, pen)


def submit_summary(tree: Tree, node_id: str, text: str, pen: EditContext) -> Change:
    """Write the summary of the branch at a node: one update, also where it says so already."""
    row = head_row(tree, node_id)
    after = with_update(row or BranchSummary(node_id), text, iso_time(pen.now))
    return change_of(tree, "Branch summary", pen, (RowChange(row, after),))


def accept_summary(tree: Tree, node_id: str, proposed: ProposedSummary, pen: EditContext) -> Change | None:
    """Take a proposed text, as the model wrote it, for the summary of the branch at a node: one update, which
    keeps its response. None if the summary says so already.
    """
    row = head_row(tree, node_id) or BranchSummary(node_id)
    if proposed.text == read_branch(row).text:
        return None
    after = with_update(
        row,
        proposed.text,
        iso_time(pen.now),
        origin=GENERATED,
        model=proposed.model,
        response_id=proposed.response.id,
    )
    change = change_of(
        tree, "Branch summary", pen, (RowChange(tree.branch_summaries.get(row.node_id), after),)
    )
    return replace(change, evidence=(proposed.response,))


def begin_branch(tree: Tree, parent_id: str, title: str, pen: EditContext) -> Change:
    """Begin a branch of this title with a new empty node after `parent_id`; the active path stays."""
    node = add_aside(tree, parent_id, "", pen)
    row = with_title(BranchSummary(node.added_nodes()[0].id), " ".join(title.split()) or None)
    return change_of(tree, "Name branch", pen, (*node.rows, RowChange(None, row)))


def name_branch(tree: Tree, node_id: str, title: str, pen: EditContext) -> Change | None:
    """Name the branch at a node; a blank title takes the first words of the node. A node that was no head
    becomes one. A head that loses its title and has no summary is none any more.
    """
    row, said = head_row(tree, node_id), " ".join(title.split()) or None
    if row is None:
        after: BranchSummary | None = with_title(BranchSummary(node_id), said)
    else:
        before = read_branch(row)
        if said == before.title:
            return None
        is_left = said is None and not before.text and not before.update_count
        after = None if is_left else with_title(row, said)
    return change_of(tree, "Name branch", pen, (RowChange(row, after),))
