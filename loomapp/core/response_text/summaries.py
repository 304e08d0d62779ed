"""Comparison of summaries with the responses they were taken from: which are otherwise, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loomapp.core.model.entities import BranchSummary, Summary
from loomapp.core.model.raw_response import UNREADABLE, Evidence, TooLarge
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.body import read_in_pieces
from loomapp.core.response_text.comparison import (
    NO_CHOICE,
    OTHER_TEXT,
    STATUS,
    TOO_MUCH,
    UNREADABLE_RESPONSE,
    misnoted,
)
from loomapp.core.response_text.rules import is_summary_of

TEXT = "text"  # of a summary's body: what its response must say
LOST_RESPONSE = "the response that it was taken from is not kept"


def name_of(summary: Summary) -> str:
    """Return what a person is told a summary is."""
    if isinstance(summary, BranchSummary):
        return f"the summary of the branch at {summary.node_id}"
    return f"the summary at {summary.node_id}"


def resting(tree: Tree) -> Iterator[Summary]:
    """The summaries of a tree that are said to be taken from a response, also such as sleep."""
    for rows in (tree.branch_summaries, tree.context_summaries):
        yield from (row for row in rows.values() if row.response_id is not None)


def summary_faults(tree: Tree, evidence: Iterable[Evidence]) -> Iterator[str]:
    """Yield a line for each summary that is not what its response says, among the responses of a file."""
    kept = {item.id: item for item in evidence}
    for row in resting(tree):
        item = kept.get(row.response_id or "")
        reasons = [LOST_RESPONSE] if item is None else contradictions(row, item)
        yield from (f"{name_of(row)}: {reason}" for reason in reasons)


def contradictions(summary: Summary, item: Evidence, *, is_own: bool = False) -> Iterator[str]:
    """Why a summary is not what its response says, or what was noted with that is not; nothing if all is so.

    `is_own`: the response is known to have been recorded by Loomapp, whatever it says of itself.
    """
    try:
        read = read_in_pieces(item)
    except UNREADABLE as error:
        yield UNREADABLE_RESPONSE + (f": {error}, {TOO_MUCH}" if isinstance(error, TooLarge) else "")
        return
    said, text = read.choices.get(0), summary.body.get(TEXT)
    if said is None:
        yield NO_CHOICE
    elif not isinstance(text, str) or not is_summary_of(text, said.text):
        yield OTHER_TEXT
    yield from misnoted(item, read.told, must_say=is_own or STATUS in item.extra)
