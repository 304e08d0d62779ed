"""Branch summaries: what a row says, its counters, and the edits of a head's summary and title."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.edits.node_edits import add_aside
from loomapp.core.json_values import Json, count_at, text_at
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import BranchSummary
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.version_groups import VersionGroups
from loomapp.core.times import iso_time

BranchOrigin: TypeAlias = Literal["manual", "generated"]
MANUAL: Final = "manual"
GENERATED: Final = "generated"


@dataclass(frozen=True, slots=True)
class Branch:
    """A head's row as it is read. Lengths are code points of the texts as they were submitted, unstripped;
    `text` is None where there is none yet.
    """

    node_id: str
    title: str | None = None
    text: str | None = None
    origin: str = MANUAL
    model: str | None = None
    update_count: int = 0
    first_length: int = 0
    current_length: int = 0
    cumulative_length: int = 0
    last_updated_at: str | None = None

    @property
    def summary(self) -> str:
        """The summary as it is sent, stripped; empty if it is blank."""
        return (self.text or "").strip()


KEYS: Mapping[str, str] = {  # of Loom JSON, in the order in which they are written
    "title": "title",
    "text": "text",
    "origin": "origin",
    "model": "model",
    "update_count": "updateCount",
    "first_length": "firstContentLength",
    "current_length": "currentContentLength",
    "cumulative_length": "cumulativeInputLength",
    "last_updated_at": "lastUpdatedAt",
}


def read_branch(row: BranchSummary) -> Branch:
    """Read a row. Counters that are missing count a text as one update of its length; a value that is not of
    its kind counts as missing.
    """
    body = row.body
    text = text_at(body, "text")
    length = len(text or "")
    return Branch(
        row.node_id,
        text_at(body, "title"),
        text,
        text_at(body, "origin") or MANUAL,
        text_at(body, "model"),
        count_at(body, "updateCount", 1 if text else 0),
        count_at(body, "firstContentLength", length),
        count_at(body, "currentContentLength", length),
        count_at(body, "cumulativeInputLength", length),
        text_at(body, "lastUpdatedAt"),
    )


def with_update(
    row: BranchSummary,
    text: str,
    at: str,
    *,
    origin: BranchOrigin = "manual",
    model: str | None = None,
    response_id: str | None = None,
) -> BranchSummary:
    """Return the row after one update: its text as submitted, and the counters that follow. `at` is its time
    in ISO 8601, `response_id` names the response that the text was taken from, if a model wrote it.
    """
    before, length = read_branch(row), len(text)
    after = replace(
        before,
        text=text,
        origin=origin,
        model=model,
        update_count=before.update_count + 1,
        first_length=before.first_length if before.update_count else length,
        current_length=length,
        cumulative_length=before.cumulative_length + length,
        last_updated_at=at,
    )
    return replace(_written(row, after, tuple(KEYS)), response_id=response_id)


def with_title(row: BranchSummary, title: str | None) -> BranchSummary:
    """Return the row under another title; None takes the first words of its node. It is no update."""
    return _written(row, replace(read_branch(row), title=title), ("title",))


def _written(row: BranchSummary, branch: Branch, names: tuple[str, ...]) -> BranchSummary:
    """Write these fields into a row; all other keys stay as they are."""
    values: Json = {KEYS[name]: getattr(branch, name) for name in names}
    return replace(row, body={**row.body, **values})


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
