"""Candidates of a summary as drafts: kept until one of them is taken, or all are put away."""

from __future__ import annotations

from loomapp.core.summarisers.candidates import Candidate, Candidates
from loomapp.core.times import Milliseconds
from loomapp.formats.run_drafts import evidence_from_json, evidence_to_json
from loomapp.store.files.drafts import DraftRow, Slot


def candidates_slot(candidates: Candidates) -> Slot:
    return Slot(candidates.tree_id, "candidates", candidates.key)


def candidates_row(candidates: Candidates, at: Milliseconds) -> DraftRow:
    """Candidates as they are kept."""
    drafts = [
        {
            "text": one.text,
            "written": one.written,
            "model": one.model,
            "response": None if one.response is None else evidence_to_json(one.response),
        }
        for one in candidates.items
    ]
    return DraftRow(candidates_slot(candidates), at, {"drafts": drafts, "shown": candidates.shown})


def candidates_of(row: DraftRow) -> Candidates | None:
    """Candidates as they were kept; None if the draft is of something else, or makes no sense."""
    tree_id, kind, key = row.slot
    anchor, _, covered_hash = key.partition("\0")
    entries, shown = row.body.get("drafts"), row.body.get("shown")
    if kind != "candidates" or not isinstance(entries, list) or type(shown) is not int:
        return None
    items = tuple(_candidate(entry) for entry in entries if isinstance(entry, dict))
    return Candidates(tree_id, anchor, covered_hash, items, max(0, min(shown, len(items) - 1)))


def _candidate(entry: dict[str, object]) -> Candidate:
    text, model = str(entry.get("text", "")), entry.get("model")
    kept = entry.get("response")
    response = None if kept is None else evidence_from_json(kept)
    written = str(entry.get("written", text))
    return Candidate(written, model if isinstance(model, str) else None, response, text)
