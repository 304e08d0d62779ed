"""Changes of context summaries: one is made, edited, deleted, or used as it is for a path that changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from loomapp.core.economy.coverage import covered_hash
from loomapp.core.edits.edit_context import EditContext, change_of
from loomapp.core.json_values import Json
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import well_formed
from loomapp.core.model.entities import ContextSummary
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.summarisers.plan import SummaryPlan
from loomapp.core.text.token_counts import as_one_message
from loomapp.core.times import iso_time

SummaryOrigin: TypeAlias = Literal["manual", "background", "blocking"]
MAKE, EDIT, DELETE, USE = "Summarise", "Edit summary", "Delete summary", "Use summary as it is"


def summary_row(
    plan: SummaryPlan, text: str, *, origin: SummaryOrigin, model: str | None, at: int
) -> ContextSummary:
    """The row that a plan and its text become; `model` is the one that was asked, `at` the time."""
    based_on = plan.based_on
    body: Json = {
        "text": well_formed(text),
        "coveredIds": list(plan.covered_ids),
        "basedOn": None
        if based_on is None
        else {"anchorNodeId": based_on.anchor_node_id, "coveredHash": based_on.covered_hash},
        "messagesSummarized": plan.covered_messages,
        "originalTokens": plan.original_tokens,
        "summaryTokens": as_one_message(text),
        "origin": origin,
        "model": model,
        "createdAt": iso_time(at),
    }
    return ContextSummary(plan.anchor_node_id, plan.covered_hash, body)


def make(tree: Tree, row: ContextSummary, pen: EditContext) -> Change:
    """Save a summary; one of the same anchor and hash is replaced."""
    return change_of(tree, MAKE, pen, (RowChange(tree.context_summaries.get(row.key), row),))


def edit(tree: Tree, key: str, text: str, pen: EditContext) -> Change | None:
    """Give a summary another text by hand; None if it is the same, or blank. It rests on no response then."""
    row = tree.context_summaries[key]
    text = well_formed(text.strip())
    if not text or text == text_in(row.body).strip():
        return None
    body = {**row.body, "text": text, "summaryTokens": as_one_message(text), "origin": "manual"}
    return change_of(tree, EDIT, pen, (RowChange(row, _by_hand(row, body)),))


def text_in(body: Mapping[str, object]) -> str:
    """The text of a summary as it is saved."""
    text = body.get("text")
    return text if isinstance(text, str) else ""


def _by_hand(row: ContextSummary, body: Json) -> ContextSummary:
    return ContextSummary(row.anchor_node_id, row.covered_hash, body)


def delete(tree: Tree, key: str, pen: EditContext) -> Change:
    """Take a summary away: what it covers is sent again."""
    return change_of(tree, DELETE, pen, (RowChange(tree.context_summaries[key], None),))


def use_as_it_is(tree: Tree, path: Path, key: str, pen: EditContext) -> Change | None:
    """Let a stale summary stand for its path as it is now; None if it does, or its anchor is not on it."""
    row = tree.context_summaries[key]
    place = path.place_of(row.anchor_node_id)
    if place is None:
        return None
    body = {**row.body, "coveredIds": list(path.node_ids[: place + 1]), "basedOn": None}
    taken = replace(row, covered_hash=covered_hash(path, place), body=body)
    if taken.key == row.key:
        return None
    rows = (RowChange(row, None), RowChange(tree.context_summaries.get(taken.key), taken))
    return change_of(tree, USE, pen, rows)
