"""Plan of a new summary: the node it is anchored to, what it covers, and the summary that it goes on from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from loomapp.core.context.economy import message_lengths
from loomapp.core.context.messages import MessageRole, render_blocks
from loomapp.core.context.passages import ContextPassages
from loomapp.core.context.request import ContextRequest, placing_of
from loomapp.core.context.summaries import units_before
from loomapp.core.context.units import Placing
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import rows_on
from loomapp.core.economy.coverage import AnchoredSummary, covered_hash, valid_on
from loomapp.core.errors import AssemblyError
from loomapp.core.model.content import Block, ToolResult, ToolUse, blocks_of
from loomapp.core.model.entities import ContextSummary, Mode, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import node_not_found, resolve
from loomapp.core.text.token_counts import chat_tokens

NOT_ENOUGH = "NOT_ENOUGH_MESSAGES"
NOT_ENOUGH_WORDS = "Not enough messages to compact"


@dataclass(frozen=True, slots=True)
class SaidPart:
    """A block as it is sent, and its text."""

    block: Block
    text: str


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """A node as it is sent: its role and its parts, none of them empty."""

    node_id: str
    role: MessageRole
    parts: tuple[SaidPart, ...]


@dataclass(frozen=True, slots=True)
class SaidParts:
    """Parts of a context as they are sent, in columns, each with the node that says it, None of what is no
    node yet: values that any thread may read.
    """

    mode: Mode
    nodes: Sequence[Node | None]
    roles: Sequence[MessageRole]
    texts: Sequence[str]
    blank_results: frozenset[str] = frozenset()  # ids of the calls whose results say nothing: not sent

    def messages(self) -> list[SaidMessage]:
        """The nodes with what each says, in order. What is no node yet is left out."""
        found, index, end = list[SaidMessage](), 0, len(self.texts)
        while index < end:
            node, first = self.nodes[index], index
            while index < end and self.nodes[index] is node:
                index += 1
            if node is not None:
                parts = tuple(map(SaidPart, self._blocks_sent(node), self.texts[first:index]))
                found.append(SaidMessage(node.id, self.roles[first], parts))
        return found

    def _blocks_sent(self, node: Node) -> Sequence[Block]:
        """The blocks of a node of which something is sent."""
        blocks = blocks_of(node.content)
        if len(blocks) == 1:
            return blocks
        return [block for block in blocks if render_blocks((block,), self.mode, node.local_id)]


@dataclass(frozen=True)
class CoveredStretch:
    """A stretch of a path as it was when a summary of it was planned, up to a place, and its parts from one
    index to before another; `flagged` are the places of all nodes that may have flags.

    Its hash and its tokens take their time on a very long path: each is found when first asked for, by any
    thread.
    """

    path: Path
    place: int
    flagged: Sequence[int]
    passages: ContextPassages
    begin: int
    end: int

    @cached_property
    def hash(self) -> str:
        """The hash of what a summary at the place covers; see `coverage`."""
        return covered_hash(self.path, self.place, self.flagged)

    @cached_property
    def tokens(self) -> int:
        """Tokens of the parts, by `chat-4`."""
        return chat_tokens(message_lengths(self.passages, self.begin, self.end))


def stretch_of(placing: Placing, place: int, begin: int, end: int) -> CoveredStretch:
    """The stretch up to a place of a path, with some of the parts that were placed."""
    flagged = [special for special, _ in placing.specials[:-1]]
    return CoveredStretch(placing.path, place, flagged, placing.passages, begin, end)


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """A summary that is to be made: anchored at a node, it covers the path from the root to it.

    `based_on` is the last valid summary before, whose text it takes; `said` is what the new one covers
    beyond it. `covered_messages` are all units covered.
    """

    tree_id: str
    anchor_node_id: str
    covered_ids: tuple[str, ...]
    based_on: ContextSummary | None
    said: SaidParts
    covered_messages: int
    covered: CoveredStretch

    @property
    def covered_hash(self) -> str:
        return self.covered.hash

    @property
    def original_tokens(self) -> int:
        return self.covered.tokens

    def measure(self) -> None:
        """Find what takes its time, so that nobody waits for it later; on a worker's thread."""
        _ = self.covered.hash, self.covered.tokens


def plan_at(
    tree: Tree, node_id: str, min_recent: int, *, again: bool = False, leaf_id: str | None = None
) -> SummaryPlan:
    """Plan a summary at a node that a person picked. The path is the active one if the node is on it, else
    the node's own; `leaf_id` names the end of another. `again` makes one anew where a valid one stands.

    Raises: AssemblyError NOT_ENOUGH_MESSAGES if the path has `min_recent` units or fewer, or there is nothing
    new to cover; the codes of `paths.resolve`.
    """
    path, place = _path_through(tree, node_id, leaf_id)
    placing = placed(tree, path)
    valid = valid_on(tree, path)
    if placing.passages.units <= min_recent or (not again and any(one.place == place for one in valid)):
        raise not_enough()
    return _planned(tree, placing, place, valid)


def plan_for(tree: Tree, path: Path, min_recent: int) -> SummaryPlan:
    """Plan the summary of a path after which just `min_recent` units remain, or more where a tool use would
    lose its result.

    Raises: AssemblyError NOT_ENOUGH_MESSAGES if there are no more units than that, or nothing new to cover.
    """
    placing = placed(tree, path)
    valid = valid_on(tree, path)
    place = new_anchor(placing, min_recent)
    if place is None or (valid and place <= valid[-1].place):
        raise not_enough()
    return _planned(tree, placing, place, valid)


def newly_covered(tree: Tree, path: Path, min_recent: int) -> int:
    """Count the units that a summary made now would cover beyond the last valid one."""
    placing = placed(tree, path)
    place = new_anchor(placing, min_recent)
    if place is None:
        return 0
    valid = valid_on(tree, path)
    before = placing.part_at(valid[-1].place + 1) if valid else 0
    covered = units_before(placing.passages, placing.part_at(place + 1))
    return max(0, covered - units_before(placing.passages, before))


def not_enough() -> AssemblyError:
    return AssemblyError(NOT_ENOUGH, NOT_ENOUGH_WORDS)


def _path_through(tree: Tree, node_id: str, leaf_id: str | None) -> tuple[Path, int]:
    if node_id not in tree.nodes:
        raise node_not_found(node_id)
    for end in (leaf_id or tree.path.leaf_id, node_id):
        if end in tree.nodes:
            path = resolve(tree, end)
            place = path.place_of(node_id)
            if place is not None:
                return path, place
    raise node_not_found(node_id)


def placed(tree: Tree, path: Path) -> Placing:
    """The units of a path as they are sent, without anything that is no node yet."""
    return placing_of(tree, ContextRequest(path.node_ids[-1]), path)


def new_anchor(placing: Placing, min_recent: int) -> int | None:
    """Find the place on a path to anchor a new summary at, so that just so many units remain after it; an
    earlier one where a tool use would lose its result. None: there are not enough units.
    """
    remaining = 0
    for place in range(len(placing.path.node_ids) - 1, -1, -1):
        if placing.part_at(place) == placing.part_at(place + 1):  # a node that says nothing is no unit
            continue
        if remaining >= min_recent and not _loses_result(placing, place + 1):
            return place
        remaining += 1
    return None


def _loses_result(placing: Placing, boundary: int) -> bool:
    """True if a tool use before a place has its result only after it."""
    if not placing.parts:
        return False
    middle, end = placing.part_at(boundary), len(placing.passages)
    before, after = _special_blocks(placing, 0, middle), _special_blocks(placing, middle, end)
    answered = {block.tool_use_id for block in before if isinstance(block, ToolResult)}
    calls = {block.id for block in before if isinstance(block, ToolUse)} - answered
    return any(isinstance(block, ToolResult) and block.tool_use_id in calls for block in after)


def _special_blocks(placing: Placing, begin: int, end: int) -> list[Block]:
    """The blocks that are sent between two parts, of the nodes that are more than a plain text."""
    found = list[Block]()
    for node_id, parts in placing.parts.items():
        if begin <= parts.start < parts.stop <= end:
            said = _said(placing, parts.start, parts.stop, [placing.tree.nodes[node_id]] * len(parts))
            found += (part.block for one in said.messages() for part in one.parts)
    return found


def _planned(tree: Tree, placing: Placing, place: int, valid: list[AnchoredSummary]) -> SummaryPlan:
    path, end = placing.path, placing.part_at(place + 1)
    before = next((one for one in reversed(valid) if one.place < place), None)
    begin = 0 if before is None else placing.part_at(before.place + 1)
    if end <= begin:
        raise not_enough()
    return SummaryPlan(
        tree.loom.id,
        path.node_ids[place],
        path.node_ids[0 if before is None else before.place + 1 : place + 1],
        None if before is None else before.row,
        said_parts(placing, begin, end),
        units_before(placing.passages, end),
        stretch_of(placing, place, 0, end),
    )


def said_parts(placing: Placing, begin: int, end: int) -> SaidParts:
    """The parts from one index to before another, with their nodes."""
    nodes: list[Node | None] = [None] * len(placing.passages)
    for one in placing.stretches:  # as a whole: of a long path no node is looked up
        nodes[one.part : one.part + one.end - one.begin] = placing.path.nodes[one.begin : one.end]
    for node_id, parts in placing.parts.items():
        nodes[parts.start : parts.stop] = [placing.tree.nodes[node_id]] * len(parts)
    said = _said(placing, begin, end, nodes[begin:end])
    return replace(said, blank_results=frozenset(_blank_results(placing)))


def _said(placing: Placing, begin: int, end: int, nodes: Sequence[Node | None]) -> SaidParts:
    passages = placing.passages
    return SaidParts(placing.mode, nodes, passages.roles[begin:end], passages.texts[begin:end])


def _blank_results(placing: Placing) -> Iterator[str]:
    """The ids of the calls on a path whose results are blank."""
    for node_id in (*placing.parts, *placing.drops.by_id):
        for block in blocks_of(placing.tree.nodes[node_id].content):
            if isinstance(block, ToolResult) and not block.text.strip():
                yield block.tool_use_id


def branch_plan(tree: Tree, path: Path, node_id: str) -> SummaryPlan:
    """Plan the summary of the branch whose head is a node of the path. It stands for nothing by itself: its
    text is proposed for the head.

    Raises: AssemblyError if the node is not on the path, or NOT_ENOUGH_MESSAGES if the branch says nothing.
    """
    place = path.place_of(node_id)
    if place is None:
        raise node_not_found(node_id)
    following = [one for one in rows_on(tree, path) if one > place]
    last = min(following, default=len(path.node_ids))
    placing = placed(tree, path)
    begin, end = placing.part_at(place), placing.part_at(last)
    if end <= begin:
        raise not_enough()
    units = units_before(placing.passages, end) - units_before(placing.passages, begin)
    return SummaryPlan(
        tree.loom.id,
        node_id,
        path.node_ids[place:last],
        None,
        said_parts(placing, begin, end),
        units,
        stretch_of(placing, last - 1, begin, end),
    )
