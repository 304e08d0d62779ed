"""Branch summaries as rows: what one says, its counters, and the rows that updates, titles and edits make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from loomapp.core.json_values import Json
from loomapp.core.model.entities import BranchSummary

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
    text = _text(body, "text")
    length = len(text or "")
    return Branch(
        row.node_id,
        _text(body, "title"),
        text,
        _text(body, "origin") or MANUAL,
        _text(body, "model"),
        _count(body, "updateCount", 1 if text else 0),
        _count(body, "firstContentLength", length),
        _count(body, "currentContentLength", length),
        _count(body, "cumulativeInputLength", length),
        _text(body, "lastUpdatedAt"),
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


def _text(body: Mapping[str, object], key: str) -> str | None:
    value = body.get(key)
    return value if isinstance(value, str) else None


def _count(body: Mapping[str, object], key: str, missing: int) -> int:
    value = body.get(key)
    return value if type(value) is int and value >= 0 else missing
