"""New summaries of a path: where one is anchored, what it covers, and the transcript that it is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from loomapp.core.context.economy import message_lengths
from loomapp.core.context.messages import MessageRole, render_blocks
from loomapp.core.context.passages import ContextPassages
from loomapp.core.context.request import ContextRequest, placing_of
from loomapp.core.context.summaries import units_before, units_from
from loomapp.core.context.units import Placing
from loomapp.core.economy.calls import SummaryKey
from loomapp.core.economy.coverage import AnchoredSummary, covered_hash, summaries_on, valid_on
from loomapp.core.economy.estimators import chat_tokens
from loomapp.core.economy.summariser import NotEnoughMessages, shortened, tool_line
from loomapp.core.economy.summary_rows import CoveredUnits, SummaryReading, read_summary
from loomapp.core.model.content import AttachedDocument, Block, Mixed, ToolResult, ToolUse
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve

SPEAKERS: Mapping[MessageRole, str] = {"user": "USER", "assistant": "ASSISTANT"}
Standing: TypeAlias = Literal["in use", "valid", "waiting", "stale"]


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """A summary that is to be made: its anchor and the hash of what it covers, the last valid summary that it
    goes on from, and the messages after that, oldest first, each with its speaker.
    """

    anchor: SummaryKey
    covered: CoveredUnits
    based_on: SummaryKey | None
    previous: str | None
    messages: tuple[str, ...]
    new_units: int


def plan_summary(
    tree: Tree,
    request: ContextRequest,
    min_recent: int,
    anchor_node_id: str | None = None,
    *,
    again: bool = False,
) -> SummaryPlan:
    """Plan a summary of a request's path: anchored so that just `min_recent` units remain after it, earlier
    where a tool use would lose its result; or at the node that a person picks. `again` replaces a valid one.

    Raises: NotEnoughMessages; AssemblyError for a path that cannot be walked.
    """
    path = resolve(tree, request.at, request.selections)
    placing = placing_of(tree, request, path)
    if placing.passages.units <= min_recent:
        raise NotEnoughMessages
    picked = None if anchor_node_id is None else path.place_of(anchor_node_id)
    place = _anchor_place(placing, min_recent) if picked is None else picked
    if place is None:
        raise NotEnoughMessages
    last = _last_valid(tree, path, place, again=again)
    begin, end = 0 if last is None else last.place + 1, place + 1
    messages = tuple(_Transcript(tree, placing, begin, end).messages())
    if not messages:
        raise NotEnoughMessages
    return SummaryPlan(
        SummaryKey(path.node_ids[place], covered_hash(path, place)),
        covered_units(placing, begin, place),
        None if last is None else SummaryKey(last.row.anchor_node_id, last.row.covered_hash),
        None if last is None else last.text,
        messages,
        units_before(placing.passages, placing.part_at(end))
        - units_before(placing.passages, placing.part_at(begin)),
    )


def _last_valid(tree: Tree, path: Path, place: int, *, again: bool) -> AnchoredSummary | None:
    """The deepest valid summary above an anchor. Raises: NotEnoughMessages for a valid one at it, unless
    `again`.
    """
    valid = [summary for summary in valid_on(tree, path) if summary.place <= place]
    if any(summary.place == place for summary in valid) and not again:
        raise NotEnoughMessages
    return next((summary for summary in reversed(valid) if summary.place < place), None)


def covered_units(placing: Placing, begin: int, place: int) -> CoveredUnits:
    """All units up to an anchor's place, and the nodes of the path from `begin` to it."""
    end = placing.part_at(place + 1)
    lengths = message_lengths(placing.passages, 0, end)
    node_ids = placing.path.node_ids[begin : place + 1]
    return CoveredUnits(node_ids, units_before(placing.passages, end), chat_tokens(lengths))


# The anchor


def _anchor_place(placing: Placing, min_recent: int) -> int | None:
    """The place of the last unit but those that remain, or before a tool use whose result remains; None if
    nothing would be covered.
    """
    starts = placing.passages.unit_starts()
    place: int | None = place_of_part(placing, starts[len(starts) - min_recent - 1])
    calls = list(_calls(placing.path))
    while place is not None:
        split = [use for use, result in calls if use <= place < result]
        if not split:
            return place
        part = placing.part_at(min(split))
        place = place_of_part(placing, part - 1) if part else None
    return None


def place_of_part(placing: Placing, part: int) -> int:
    """The place on the path of the unit that a part belongs to."""
    low, high = 0, len(placing.path.node_ids) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if placing.part_at(middle) <= part:
            low = middle
        else:
            high = middle - 1
    return low


def _calls(path: Path) -> Iterator[tuple[int, int]]:
    """The places of tool uses on a path, each with that of its result."""
    uses: dict[str, int] = {}
    for place, node in enumerate(path.nodes):
        for block in node.content.blocks if isinstance(node.content, Mixed) else ():
            if isinstance(block, ToolUse):
                uses[block.id] = place
            elif isinstance(block, ToolResult) and block.tool_use_id in uses:
                yield uses[block.tool_use_id], place


# The transcript


@dataclass(frozen=True, slots=True)
class _Transcript:
    """Messages of the units between two places of a path, each node one."""

    tree: Tree
    placing: Placing
    begin: int
    end: int

    def messages(self) -> Iterator[str]:
        passages = self.placing.passages
        parts = range(self.placing.part_at(self.begin), self.placing.part_at(self.end))
        blocks = dict(self._blocks(parts))
        outputs = {
            block.tool_use_id: block.text for block in blocks.values() if isinstance(block, ToolResult)
        }
        used = {block.id for block in blocks.values() if isinstance(block, ToolUse)}
        for _, group in groupby(parts, key=passages.node_ids.__getitem__):
            numbers = list(group)
            lines = [_line(passages, part, blocks.get(part), outputs, used) for part in numbers]
            said = "\n\n".join(line for line in lines if line)
            if said:
                yield f"{SPEAKERS[passages.roles[numbers[0]]]}: {said}"

    def _blocks(self, parts: range) -> Iterator[tuple[int, Block]]:
        """The blocks of nodes that are more than a text, by their parts."""
        mode = self.placing.mode
        for node_id, indexes in self.placing.parts.items():
            node = self.tree.nodes[node_id]
            if (
                indexes.stop <= parts.start
                or indexes.start >= parts.stop
                or not isinstance(node.content, Mixed)
            ):
                continue
            sent = [b for b in node.content.blocks if render_blocks((b,), mode, node.local_id)]
            yield from zip(indexes, sent, strict=True)


def _line(
    passages: ContextPassages, part: int, block: Block | None, outputs: Mapping[str, str], used: set[str]
) -> str:
    """A part as a transcript has it; empty for a result that stands with its use."""
    match block:
        case ToolUse():
            return tool_line(block.name, outputs.get(block.id))
        case ToolResult():
            return "" if block.tool_use_id in used else tool_line(block.name, block.text)
        case AttachedDocument():
            return shortened(passages.texts[part])
        case _:
            return passages.texts[part].strip()


# Cards


@dataclass(frozen=True, slots=True)
class SummaryOnPath:
    """A summary whose anchor is on a path, as its card tells it."""

    place: int
    reading: SummaryReading
    standing: Standing


def summaries_of(tree: Tree, request: ContextRequest, min_recent: int) -> list[SummaryOnPath]:
    """The summaries on a request's path, those nearest to the root first. The deepest valid one with at least
    so many units after it is in use; valid ones that are deeper wait until there are.
    """
    path = resolve(tree, request.at, request.selections)
    if not tree.context_summaries:
        return []
    placing = placing_of(tree, request, path)
    found: list[SummaryOnPath] = []
    is_used = False
    for summary in reversed(summaries_on(tree, path)):
        base = _place_of_base(path, summary)
        reading = read_summary(summary.row, covered_units(placing, base + 1, summary.place))
        standing: Standing = "stale"
        if summary.is_valid and summary.text:
            after = units_from(placing.passages, placing.part_at(summary.place + 1))
            standing = "waiting" if after < min_recent else "valid" if is_used else "in use"
            is_used = is_used or standing == "in use"
        found.append(SummaryOnPath(summary.place, reading, standing))
    return found[::-1]


def _place_of_base(path: Path, summary: AnchoredSummary) -> int:
    """The place of the anchor that a summary is based on; before the first node if there is none."""
    value = summary.row.body.get("basedOn")
    match value:
        case {"anchorNodeId": str(anchor)}:
            place = path.place_of(anchor)
            return -1 if place is None else place
    return -1
