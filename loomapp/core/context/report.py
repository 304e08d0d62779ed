"""The report of an assembly: what is sent, what is left out and why, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from operator import itemgetter
from typing import Final, Literal, NamedTuple, TypeAlias, cast, overload

from loomapp.core.context.fit import FittedPassages
from loomapp.core.context.outcomes import Fates
from loomapp.core.context.passages import Described
from loomapp.core.context.provider_rules import IMAGES_DESCRIBED, Adjustment
from loomapp.core.context.units import Covered, Dropped, Drops, Placed
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.compression import RowName, Why
from loomapp.core.text.token_counts import CHARS_4

WarningCode: TypeAlias = Literal[
    "pending_source_truncated",
    "pending_source_without_primary",
    "image_missing",
    "image_format",
    "image_too_large",
    "summaries_need_system",
    "summary_too_large",
    "branch_without_summary",
]
StageName: TypeAlias = Literal["summaries", "compression"]
PENDING_SOURCE_TRUNCATED: Final = "pending_source_truncated"
PENDING_SOURCE_WITHOUT_PRIMARY: Final = (
    "pending_source_without_primary"  # it went with the node it stood before
)
SUMMARY_WARNINGS: tuple[WarningCode, ...] = (
    "summaries_need_system",
    "summary_too_large",
    "branch_without_summary",
)
LEFT_OUT = ("truncated", "excluded", "pruned")
IMAGE_WARNINGS: Mapping[str, WarningCode] = {
    "missing": "image_missing",
    "format": "image_format",
    "size": "image_too_large",
}


@dataclass(frozen=True, slots=True)
class Partial:
    """The one part that was cut from the front (Buffer), in characters. No node: the working buffer."""

    node_id: str | None
    kept_chars: int
    dropped_chars: int


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the user should know before sending, and the node it is about; of images how many."""

    code: WarningCode
    node_id: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class CompressedPart:
    """One part that was shortened: block `part` of a node, 0 for plain text, and the last row that did it.
    Sizes as it is sent without and with compression, in code points and, for people, in bytes of UTF-8.
    """

    node_id: str
    part: int
    row: RowName
    before_chars: int
    after_chars: int
    why: Why
    before_bytes: int
    after_bytes: int


@dataclass(frozen=True, slots=True)
class UsedSummary:
    """The context summary that stands for the beginning of a path; `tokens` of all that it adds."""

    anchor_node_id: str
    covered_hash: str
    messages_summarized: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Threads:
    """The chain of branch summaries that stands for the beginning of a path."""

    heads: tuple[str, ...]
    depth: int
    is_depth_capped: bool


@dataclass(frozen=True, slots=True)
class ReportedLoad:
    """The load that compression went by: tokens used, and whether a provider counted them."""

    used: int
    is_measured: bool
    utilization: float
    idle: float | None


@dataclass(frozen=True, slots=True)
class EconomyReport:
    """Account of what economy did; nothing where all of it is off. `stages` are tokens of system and units
    after each stage that is on. `freed_tokens` is what compression newly freed.
    """

    compressed: tuple[CompressedPart, ...] = ()
    summary_used: UsedSummary | None = None
    threads: Threads | None = None
    stages: tuple[tuple[StageName, int], ...] = ()
    load: ReportedLoad | None = None
    freed_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """Account of an assembly. Every node of the path is in one of `kept` and `dropped`, no node in both.

    `kept` are path nodes, context sources and included annotations in the order sent; `dropped` in the order
    in which they would have stood, instructions last. Numbers are tokens by the `estimator` of that name.
    `truncated`: something was left out for space. `over_limit`: the rest is still too much.
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
    dropped: Sequence[Dropped]
    partial: Partial | None = None
    alternate_primaries: tuple[str, ...] = ()
    provider_adjustments: tuple[Adjustment, ...] = ()
    warnings: tuple[Warned, ...] = ()
    economy: EconomyReport = EconomyReport()
    estimator: str = CHARS_4


def kept_nodes(fitted: FittedPassages) -> tuple[str, ...]:
    """The nodes of which something is sent, each once, in the order sent."""
    passages = fitted.passages
    kept = passages.node_ids[: fitted.head.stop] + passages.node_ids[fitted.tail.start :]
    if passages.joined:
        kept = list(dict.fromkeys(kept))
    if passages.kinds:
        kept = [node_id for node_id in kept if node_id is not None]
    return cast("tuple[str, ...]", tuple(kept))


class DroppedNodes(Sequence[Dropped]):
    """Nodes left out by the filter or for lack of room, each at its place; none that is kept.

    Many may be left out, and often only how many is asked: the list is made when it is read.
    """

    def __init__(self, placed: Placed, fitted: FittedPassages, kept: Sequence[str], fates: Fates) -> None:
        self._placed, self._fitted, self._kept, self._fates = placed, fitted, kept, fates

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter({fate: count for fate, count in self._fates.counts.items() if fate != "sent"})

    @cached_property
    def _all(self) -> tuple[Dropped, ...]:
        return _dropped_nodes(self._placed, self._fitted, self._kept)

    @overload
    def __getitem__(self, index: int) -> Dropped: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Dropped, ...]: ...

    def __getitem__(self, index: int | slice) -> Dropped | tuple[Dropped, ...]:
        return self._all[index]

    def __iter__(self) -> Iterator[Dropped]:
        return iter(self._all)

    def __len__(self) -> int:
        return self.counts.total()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all)


class NodeCount(NamedTuple):
    """Number of nodes that say something, and of those that are sent: path, context sources and included
    notes.
    """

    kept: int
    whole: int


def counted(report: Report) -> NodeCount:
    """Count the nodes that are sent, of these and those that have no room, are excluded or pruned. Empty
    nodes, notes that are not switched on, and words that are no node yet count on neither side.
    """
    reasons = counts_of(report.dropped)
    kept = len(report.kept)
    return NodeCount(kept, kept + sum(reasons[reason] for reason in LEFT_OUT))


def counts_of(dropped: Sequence[Dropped]) -> Counter[str]:
    return dropped.counts if isinstance(dropped, DroppedNodes) else Counter(one.reason for one in dropped)


def _dropped_nodes(placed: Placed, fitted: FittedPassages, kept: Iterable[str]) -> tuple[Dropped, ...]:
    passages, drops, covered = fitted.passages, placed.drops, placed.covered
    no_room = passages.tokens_by_node(fitted.gap)
    sent = frozenset(kept) if passages.joined or drops.by_id else frozenset()
    for node_id in sent.intersection(no_room):
        del no_room[node_id]
    truncated = tuple(map(Dropped._make, zip(no_room, repeat("truncated"), no_room.values(), strict=False)))
    left_out = drops.by_id.keys() - sent - no_room.keys()
    if not left_out and covered is None:
        return truncated
    places = {passages.node_ids[index]: index for index in fitted.gap}
    found = [noted for node_id, noted in drops.by_id.items() if node_id in left_out]
    if covered is not None:
        found += _covered_nodes(covered, drops)
    found += [(places[entry.node_id], entry) for entry in truncated]
    return tuple(entry for _, entry in sorted(found, key=itemgetter(0)))


def _covered_nodes(covered: Covered, drops: Drops) -> Iterator[tuple[int, Dropped]]:
    """The nodes that a summary stands for, each with the index of its last part: they stood before 0."""
    places = dict(zip(covered.node_ids, range(-len(covered.node_ids), 0), strict=True))
    for node_id, cost in covered.tokens_by_node().items():
        if node_id not in drops.by_id:
            yield places[node_id], Dropped(node_id, covered.reason, cost)


def partial_node(fitted: FittedPassages) -> Partial | None:
    """The part that was cut, if one was."""
    if fitted.front is None:
        return None
    node_id = fitted.passages.node_ids[fitted.tail.start]
    return Partial(node_id, fitted.front.kept_chars, fitted.front.dropped_chars)


def warnings(
    pending_ids: Iterable[str], kept: Iterable[str], dropped: Iterable[Dropped]
) -> tuple[Warned, ...]:
    """Warn of pending context sources that are not sent for a reason that the user would not expect."""
    pending = dict.fromkeys(pending_ids)
    if not pending:
        return ()
    sent = frozenset(kept)
    reasons = {entry.node_id: entry.reason for entry in dropped if entry.node_id in pending}
    found: list[Warned] = []
    for node_id in pending:
        if reasons.get(node_id) == "truncated":
            found.append(Warned(PENDING_SOURCE_TRUNCATED, node_id))
        elif node_id not in sent and node_id not in reasons:
            found.append(Warned(PENDING_SOURCE_WITHOUT_PRIMARY, node_id))
    return tuple(found)


def image_adjustments(fitted: FittedPassages) -> tuple[Adjustment, ...]:
    """Report images that are sent as their placeholders because the model takes none."""
    return (IMAGES_DESCRIBED,) if "model" in _described(fitted).values() else ()


def image_warnings(fitted: FittedPassages) -> tuple[Warned, ...]:
    """The images that a model would take and that cannot be sent; no id for what is not committed yet."""
    node_ids = fitted.passages.node_ids
    found = Counter(
        (IMAGE_WARNINGS[why], node_ids[index] or "")
        for index, why in _described(fitted).items()
        if why in IMAGE_WARNINGS
    )
    return tuple(Warned(code, node_id, count) for (code, node_id), count in found.items())


def _described(fitted: FittedPassages) -> dict[int, Described]:
    return {i: why for i, why in fitted.passages.described.items() if i not in fitted.gap}


def to_json(report: Report) -> dict[str, object]:
    """The report as `loomapp assemble` prints it."""
    partial, economy = report.partial, report.economy
    value: dict[str, object] = {
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
        "dropped": [
            {"nodeId": node_id, "reason": reason, "tokens": cost} for node_id, reason, cost in report.dropped
        ],
        "partial": None if partial is None else _partial_to_json(partial),
        "compressed": [_compressed_to_json(part) for part in economy.compressed],
        "alternatePrimaries": list(report.alternate_primaries),
        "summaryUsed": None if economy.summary_used is None else _used_to_json(economy.summary_used),
        "providerAdjustments": list(report.provider_adjustments),
        "warnings": list(dict.fromkeys(warned.code for warned in report.warnings)),
    }
    if economy.threads is not None:
        value["threads"] = _threads_to_json(economy.threads)
    if economy.stages:
        value["stages"] = [{"stage": name, "tokens": tokens} for name, tokens in economy.stages]
    if economy.load is not None:
        value["load"] = _load_to_json(economy.load)
    if report.estimator != CHARS_4:
        value["estimator"] = report.estimator
    return value


def _partial_to_json(partial: Partial) -> dict[str, object]:
    counts = {"keptChars": partial.kept_chars, "droppedChars": partial.dropped_chars}
    return {"nodeId": partial.node_id, **counts}


def _compressed_to_json(part: CompressedPart) -> dict[str, object]:
    sizes = {"beforeChars": part.before_chars, "afterChars": part.after_chars}
    return {"nodeId": part.node_id, "part": part.part, "row": part.row, **sizes, "why": part.why}


def _used_to_json(used: UsedSummary) -> dict[str, object]:
    return {
        "anchorNodeId": used.anchor_node_id,
        "coveredHash": used.covered_hash,
        "messagesSummarized": used.messages_summarized,
        "tokens": used.tokens,
    }


def _threads_to_json(threads: Threads) -> dict[str, object]:
    return {"heads": list(threads.heads), "depth": threads.depth, "depthCapped": threads.is_depth_capped}


def _load_to_json(load: ReportedLoad) -> dict[str, object]:
    return {
        "used": load.used,
        "measured": load.is_measured,
        "utilization": load.utilization,
        "idle": load.idle,
    }
