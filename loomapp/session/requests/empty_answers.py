"""Answers that ended well without a word: nothing is added for them, and what to do next is said."""

from __future__ import annotations

from loomapp.core.sentences import Sentence, worded
from loomapp.session.requests.running_request import RunningRequest


def wordless_answers(flight: RunningRequest) -> Sentence | None:
    """Return what to say of the answers of an ended flight that have no text; None if all have some."""
    empty = [draft for draft in flight.drafts.values() if not draft.text and draft.error is None]
    empty = [draft for draft in empty if draft.interrupted is None]
    if not empty:
        return None
    name, total = flight.agent.name, len(flight.drafts)
    if any(draft.reason == "length" for draft in empty):
        return worded(
            "{name} used all of its tokens without a word of an answer: nothing was added. Give its longest "
            "answer more tokens on the Agents page, then Generate again.",
            name=name,
        )
    if total == 1:
        return worded(
            "{name} ended its answer without a word: nothing was added. Generate again, or change what it "
            "answers.",
            name=name,
        )
    return worded(
        "{name} left {count} of {total} answers without a word: nothing was added for them. Generate again "
        "if you want more.",
        name=name,
        count=len(empty),
        total=total,
    )
