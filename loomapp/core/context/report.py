"""The report of an assembly: what was kept, what was left out and why, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Reason: TypeAlias = Literal[
    "pruned", "excluded", "annotation", "empty", "instruction_without_system", "truncated"
]
Fate: TypeAlias = Literal["sent"] | Reason

# A node can play several parts (context here, instruction there); of its reasons the first of these is told.
REASONS: tuple[Reason, ...] = (
    "pruned", "excluded", "annotation", "empty", "instruction_without_system",
)  # fmt: skip

PENDING_SOURCE_TRUNCATED = "pending_source_truncated"
PENDING_SOURCE_WITHOUT_PRIMARY = "pending_source_without_primary"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A node that is not sent; `tokens` is what it would have cost by itself."""

    node_id: str
    reason: Reason
    tokens: int


@dataclass(frozen=True, slots=True)
class Partial:
    """The one part that was cut from the front (Buffer): characters kept and dropped; None: working buffer."""

    node_id: str | None
    kept_chars: int
    dropped_chars: int


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the user should know before sending, and the node it is about."""

    code: str
    node_id: str


@dataclass(frozen=True, slots=True)
class Report:
    """What an assembly did. Every node of the path is in exactly one of `kept` and `dropped`.

    `kept` are path nodes, context sources and included annotations in the order sent; `dropped` in the order
    in which they would have been sent. Numbers are tokens by the estimator chars/4. `truncated` means that
    something was left out for space, `over_limit` that the rest is still too much.
    """

    strategy: str
    window: int
    available: int
    system_tokens: int
    before_tokens: int
    after_tokens: int
    truncated: bool
    over_limit: bool
    minimum_recent_honoured: bool
    marker: bool
    kept: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    partial: Partial | None = None
    alternate_primaries: tuple[str, ...] = ()
    provider_adjustments: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    instructions: tuple[str, ...] = ()  # nodes whose text went into the system context; not in the JSON


def fates(report: Report) -> dict[str, Fate]:
    """For every node the report knows: `sent`, or the reason why it is not."""
    found: dict[str, Fate] = dict.fromkeys(report.kept, "sent")
    for node_id in report.instructions:
        found.setdefault(node_id, "sent")
    for dropped in report.dropped:
        found[dropped.node_id] = dropped.reason
    return found


def to_json(report: Report) -> dict[str, object]:
    """The report as `loomapp assemble` prints it."""
    partial = report.partial
    return {
        "strategy": report.strategy,
        "window": report.window,
        "available": report.available,
        "systemTokens": report.system_tokens,
        "beforeTokens": report.before_tokens,
        "afterTokens": report.after_tokens,
        "truncated": report.truncated,
        "overLimit": report.over_limit,
        "minimumRecentHonoured": report.minimum_recent_honoured,
        "marker": report.marker,
        "kept": list(report.kept),
        "dropped": [{"nodeId": d.node_id, "reason": d.reason, "tokens": d.tokens} for d in report.dropped],
        "partial": None
        if partial is None
        else {
            "nodeId": partial.node_id,
            "keptChars": partial.kept_chars,
            "droppedChars": partial.dropped_chars,
        },
        "compressed": [],
        "alternatePrimaries": list(report.alternate_primaries),
        "summaryUsed": None,
        "providerAdjustments": list(report.provider_adjustments),
        "warnings": list(dict.fromkeys(warned.code for warned in report.warnings)),
    }
