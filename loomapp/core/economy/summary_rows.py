"""Context summaries as they are read: everything that a row leaves out is made, and what one saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loomapp.core.economy.calls import Call, SummaryKey
from loomapp.core.economy.coverage import text_of
from loomapp.core.economy.estimators import as_one_message
from loomapp.core.model.entities import ContextSummary

MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class CoveredUnits:
    """The beginning of a path that a summary covers: its nodes beyond the summary that it is based on, and
    all its units with their tokens by the estimator `chat-4`.
    """

    node_ids: tuple[str, ...]
    units: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SummaryReading:
    """A context summary as it is read, with everything that its row leaves out."""

    anchor_node_id: str
    covered_hash: str
    text: str
    covered_ids: tuple[str, ...]
    based_on: SummaryKey | None
    messages_summarized: int
    original_tokens: int
    summary_tokens: int
    origin: str
    model: str | None
    created_at: str | None

    @property
    def saved_tokens(self) -> int:
        """Tokens that each call with it in use saves."""
        return self.original_tokens - self.summary_tokens


def read_summary(row: ContextSummary, covered: CoveredUnits) -> SummaryReading:
    """Read a row; `covered` is what it covers on a path, for what the row leaves out."""
    body, text = row.body, text_of(row)
    ids = body.get("coveredIds")
    is_listed = isinstance(ids, list) and all(isinstance(one, str) for one in ids)
    return SummaryReading(
        row.anchor_node_id,
        row.covered_hash,
        text,
        tuple(map(str, ids)) if is_listed and isinstance(ids, list) else covered.node_ids,
        _based_on(body.get("basedOn")),
        _count(body, "messagesSummarized", covered.units),
        _count(body, "originalTokens", covered.tokens),
        _count(body, "summaryTokens", as_one_message(text)),
        _text(body, "origin") or MANUAL,
        _text(body, "model"),
        _text(body, "createdAt"),
    )


@dataclass(frozen=True, slots=True)
class Earned:
    """Earnings of a summary: the calls it was used in, the tokens these saved, and what making it cost."""

    calls: int
    saved: int
    cost: int

    @property
    def net(self) -> int:
        """Tokens saved, less what making it cost."""
        return self.saved - self.cost


def earned_by(reading: SummaryReading, calls: Iterable[Call], cost: int = 0) -> Earned:
    """Add up what the calls with a summary in use saved, each call once."""
    key = SummaryKey(reading.anchor_node_id, reading.covered_hash)
    used = {call.exchange for call in calls if call.sent.summary == key}
    return Earned(len(used), len(used) * reading.saved_tokens, cost)


def _based_on(value: object) -> SummaryKey | None:
    match value:
        case {"anchorNodeId": str(anchor), "coveredHash": str(covered)}:
            return SummaryKey(anchor, covered)
    return None


def _text(body: Mapping[str, object], key: str) -> str | None:
    value = body.get(key)
    return value if isinstance(value, str) else None


def _count(body: Mapping[str, object], key: str, missing: int) -> int:
    value = body.get(key)
    return value if type(value) is int and value >= 0 else missing
