"""Summaries in a context: those that stand for the beginning of a path, and what they leave out."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from loomapp.core.context.passages import ContextPassages
from loomapp.core.context.report import Threads, UsedSummary, Warned
from loomapp.core.context.system import SystemContext, SystemPart
from loomapp.core.context.units import Covered, CoveredReason, PathStretch, Placed, Placing
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import Chain
from loomapp.core.economy.calls import NO_SUMMARY, SummaryKey
from loomapp.core.economy.coverage import AnchoredSummary, valid_on
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path

SUMMARY_HEADER = (
    "[Previous conversation summary]\nThe following is a summary of the conversation history that has been "
    "compacted to save context space:\n\n"
)


@dataclass(frozen=True, slots=True)
class SummarisedContext:
    """System context and parts of a request once summaries stand for what they cover."""

    system: SystemContext
    passages: ContextPassages
    placed: Placed
    key: SummaryKey = NO_SUMMARY
    text: str | None = None  # of the context summary in use
    used: UsedSummary | None = None
    threads: Threads | None = None
    warnings: tuple[Warned, ...] = ()

    @property
    def skipped(self) -> int:
        """The number of parts that are covered."""
        return 0 if self.placed.covered is None else len(self.placed.covered.node_ids)


def whole(system: SystemContext, placing: Placing) -> SummarisedContext:
    """The context without any summary."""
    return SummarisedContext(system, placing.passages, placing.placed)


def by_chain(system: SystemContext, placing: Placing, chain: Chain) -> SummarisedContext:
    """The context after the last head of a chain, whose text is among the system context already. The head's
    own node is sent where its summary is blank or nothing follows.
    """
    last = chain.heads[-1]
    after = placing.part_at(last.place + 1)
    is_covered = bool(last.summary) and units_from(placing.passages, after) > 0
    place = last.place + 1 if is_covered else last.place
    passages, placed = without_beginning(placing, place, "branch_summarised")
    heads = tuple(head.node_id for head in chain.heads)
    return SummarisedContext(
        system,
        passages,
        placed,
        SummaryKey(chain=replace(chain, system_context="").text),
        threads=Threads(heads, chain.depth, chain.is_capped),
        warnings=tuple(_unsaid(placing, chain, place)),
    )


def _unsaid(placing: Placing, chain: Chain, place: int) -> list[Warned]:
    """Warn of heads without a summary that stand for something that is left out."""
    ends = [*(head.place for head in chain.heads[1:]), place]
    return [
        Warned("branch_without_summary", head.node_id)
        for head, end in zip(chain.heads, ends, strict=True)
        if not head.summary and placing.part_at(head.place) < placing.part_at(end)
    ]


def by_summary(
    system: SystemContext, placing: Placing, summary: AnchoredSummary, available: int
) -> SummarisedContext:
    """The context after a summary's anchor, with its text as the last part of the system context; without it
    if that is too large.
    """
    said = SystemPart("summary", SUMMARY_HEADER + summary.text)
    larger = replace(system, parts=(*system.parts, said))
    if larger.tokens > available:
        warned = Warned("summary_too_large", summary.row.anchor_node_id)
        return replace(whole(system, placing), warnings=(warned,))
    passages, placed = without_beginning(placing, summary.place + 1, "summarised")
    anchor, covered_hash = summary.row.anchor_node_id, summary.row.covered_hash
    counted = summary.row.body.get("messagesSummarized")
    boundary = placing.part_at(summary.place + 1)
    units = counted if type(counted) is int else units_before(placing.passages, boundary)
    added = placing.passages.estimator.of(said.text if not system.parts else f"\n\n{said.text}")
    return SummarisedContext(
        larger,
        passages,
        placed,
        SummaryKey(anchor, covered_hash),
        summary.text,
        UsedSummary(anchor, covered_hash, units, added),
    )


def usable_summary(tree: Tree, path: Path, placing: Placing, min_recent: int) -> AnchoredSummary | None:
    """The deepest valid summary of a path with at least so many units after its anchor."""
    for summary in reversed(valid_on(tree, path)):
        if units_from(placing.passages, placing.part_at(summary.place + 1)) >= min_recent:
            return summary
    return None


def units_before(passages: ContextPassages, part: int) -> int:
    return part - bisect_left(passages.joined, part)


def units_from(passages: ContextPassages, part: int) -> int:
    return passages.units - units_before(passages, part)


def without_beginning(placing: Placing, place: int, reason: CoveredReason) -> tuple[ContextPassages, Placed]:
    """The parts without the units before a place of the path, and where the others stand then."""
    path, passages, cut = placing.path, placing.passages, placing.part_at(place)
    stretches = [
        PathStretch(max(one.begin, place), one.end, one.part + max(0, place - one.begin) - cut)
        for one in placing.stretches
        if one.end > place
    ]
    parts, beside = dict[str, range](), list[str]()
    for node_id, indexes in placing.parts.items():
        if indexes.stop > cut:
            parts[node_id] = range(indexes.start - cut, indexes.stop - cut)
        elif node_id not in path:
            beside.append(node_id)
    covered = Covered(reason, place, beside, passages.node_ids[:cut], passages.tokens[:cut])
    drops = placing.drops.moved(cut)
    return _passages_from(passages, cut), Placed(path, drops, stretches, parts, covered)


def _passages_from(passages: ContextPassages, cut: int) -> ContextPassages:
    return ContextPassages(
        passages.node_ids[cut:],
        passages.roles[cut:],
        passages.texts[cut:],
        passages.tokens[cut:],
        [part - cut for part in passages.joined[bisect_left(passages.joined, cut + 1) :]],
        {part - cut: image for part, image in passages.images.items() if part >= cut},
        {part - cut: why for part, why in passages.described.items() if part >= cut},
        {part - cut: kind for part, kind in passages.kinds.items() if part >= cut},
        passages.unit_begins,
        {part - cut: header for part, header in passages.headers.items() if part >= cut},
        passages.before_newest,
        passages.after,
        passages.estimator,
    )
