"""Fitting: which parts are sent, after a strategy has left out what there is no room for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from heapq import nlargest

from loomapp.core.context.passages import ContextPassages
from loomapp.core.context.settings import EffectiveSettings
from loomapp.core.context.truncation import STRATEGIES, Squeeze, marker_for
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError
from loomapp.core.model.entities import Mode
from loomapp.core.sentences import worded
from loomapp.core.text.token_counts import BY_CHARACTERS, characters_within

LARGEST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class FrontCut:
    """The part with which the tail now begins: its last characters stay (Buffer)."""

    kept_chars: int
    dropped_chars: int


@dataclass(frozen=True, slots=True)
class Beginning:
    """A node of which only the end is sent, None for the working buffer, and how many of all its characters
    stand before that.
    """

    node_id: str | None
    dropped_chars: int


@dataclass(frozen=True, slots=True)
class FittedPassages:
    """The parts that are sent: `head`, the marker that stands for the gap if there is one, `tail`.

    `front` cuts the first part of the tail. `recent_units` counts the units that are whole in the tail; in a
    document the end of another may stand before them.
    """

    passages: ContextPassages
    head: range
    tail: range
    recent_units: int
    all_tokens: int  # of the parts that are sent and of those that are not
    marker: str | None = None
    front: FrontCut | None = None
    over_limit: bool = False

    @property
    def gap(self) -> range:
        """The parts that are left out for space."""
        return range(self.head.stop, self.tail.start)

    @property
    def beginning(self) -> Beginning | None:
        """Cut at which the tail begins within a node; None if that node is sent whole."""
        parts, first = self.passages, self.tail.start
        if first == len(parts):
            return None
        node_id, begin = parts.node_ids[first], first
        while node_id is not None and begin > self.head.stop and parts.node_ids[begin - 1] == node_id:
            begin -= 1
        dropped = sum(map(len, parts.texts[begin:first])) + (self.front.dropped_chars if self.front else 0)
        return Beginning(node_id, dropped) if dropped else None

    def texts(self) -> tuple[list[str], list[str]]:
        """Texts of the head and of the tail that are sent, part by part."""
        texts = self.passages.texts
        head, tail = texts[: self.head.stop], texts[self.tail.start :]
        if self.front is not None:
            tail[0] = tail[0][-self.front.kept_chars :]
        return head, tail

    @property
    def tokens(self) -> int:
        """The estimate of what is sent, without the system context."""
        costs = self.passages.tokens
        total = self.all_tokens
        if self.gap:
            total = sum(costs[: self.head.stop]) + sum(costs[self.tail.start :])
        if self.front is not None:
            total -= costs[self.tail.start] - self.front_tokens
        return total + (0 if self.marker is None else self.passages.estimator.of(self.marker))

    @property
    def front_tokens(self) -> int:
        """The tokens of the first part of the tail, as it is cut: of the whole its share."""
        cost, front = self.passages.tokens[self.tail.start], self.front
        if front is None:
            return cost
        if self.passages.estimator is BY_CHARACTERS:
            return (front.kept_chars + 3) // 4
        return -(-cost * front.kept_chars // (front.kept_chars + front.dropped_chars))


def fit(
    passages: ContextPassages, mode: Mode, settings: EffectiveSettings, room: int, available: int
) -> FittedPassages:
    """Choose the passages to send when the units may cost `room` tokens; `available` includes the system
    context.

    Raises: AssemblyError CONTEXT_TOO_LONG if they cost more and the strategy leaves nothing out.
    """
    costs = passages.unit_costs()
    total = sum(costs)
    everything = range(len(passages))
    if total <= room:
        return FittedPassages(passages, range(0), everything, len(costs), total)
    strategy = STRATEGIES[settings.truncation_strategy]
    if strategy.cut is None:
        raise _too_long(passages, total + available - room, available)
    reserved = passages.estimator.of(marker_text(mode, settings, len(costs)))
    cut = strategy.cut(Squeeze(costs, room, settings.minimum_recent_nodes, reserved))
    starts = passages.unit_starts()
    newest = len(costs) - cut.tail  # the first unit of the tail
    if cut.tail == 1 and costs[-1] > room:
        return _newest_alone(passages, everything[starts[newest] :], room if mode == "buffer" else 0, total)
    head, tail = everything[: starts[cut.head]], everything[starts[newest] :]
    marker = marker_text(mode, settings, newest - cut.head) if cut.marker else None
    fitted = FittedPassages(passages, head, tail, cut.tail, total, marker)
    return _filled(fitted, starts, room) if mode == "buffer" else fitted


def marker_text(mode: Mode, settings: EffectiveSettings, omitted: int) -> str:
    """Return the marker for so many units left out. The room reserved for it is its cost for all units, so
    the real one never needs more.
    """
    return settings.buffer_marker if mode == "buffer" else marker_for(settings.dialogue_marker, omitted)


def _newest_alone(passages: ContextPassages, tail: range, room: int, total: int) -> FittedPassages:
    """The newest unit, which is too big: cut from the front to fit `room`, or whole if that is 0."""
    if room == 0:
        return FittedPassages(passages, range(0), tail, 1, total, over_limit=True)
    first, front = _cut(passages, tail, room)
    if first == tail.stop:  # not even one character of it
        return FittedPassages(passages, range(0), tail, 1, total, over_limit=True)
    return FittedPassages(passages, range(0), range(first, tail.stop), 1, total, front=front)


def _filled(fitted: FittedPassages, starts: Sequence[int], room: int) -> FittedPassages:
    """Lengthen the tail by the end of the text before it, as far as there is room: in a document no passage
    falls out whole before that. That is the end of one unit, and more where no marker had room.
    """
    first, front = _cut(fitted.passages, fitted.gap, room - fitted.tokens)
    whole = first if front is None else first + 1
    recent_units = len(starts) - bisect_left(starts, whole)
    return replace(fitted, tail=range(first, fitted.tail.stop), recent_units=recent_units, front=front)


def _cut(passages: ContextPassages, parts: range, room: int) -> tuple[int, FrontCut | None]:
    """The end of parts that are too big together: the first that stays, and what is cut off its front."""
    first = parts.stop
    while passages.tokens[first - 1] <= room:
        first -= 1
        room -= passages.tokens[first]
    if room == 0:
        return first, None
    text, tokens = passages.texts[first - 1], passages.tokens[first - 1]
    kept = characters_within(room, text, tokens, passages.estimator)
    if kept == 0:
        return first, None
    return first - 1, FrontCut(kept, len(text) - kept)


def _largest(passages: ContextPassages) -> list[tuple[str, int]]:
    """The nodes that cost most, and what; of a hundred thousand only different costs are sorted."""
    node_ids, tokens = passages.node_ids, passages.tokens
    if passages.joined:  # else each part is a node of its own, or none
        costs = passages.tokens_by_node(range(len(passages)))
        node_ids, tokens = list(costs), list(costs.values())
    least = min(nlargest(LARGEST_SHOWN + node_ids.count(None), set(tokens)), default=0)
    found = [
        (node_id, cost)
        for place, cost in enumerate(tokens)
        if cost >= least and (node_id := node_ids[place]) is not None
    ]
    return sorted(found, key=lambda pair: -pair[1])[:LARGEST_SHOWN]


def _too_long(passages: ContextPassages, needed: int, available: int) -> AssemblyError:
    return AssemblyError(
        "CONTEXT_TOO_LONG",
        worded(
            "The context needs {needed:,} tokens, {available:,} are available: leave out at least {over:,}, "
            "by excluding messages, or by a way to cut it (settings, When it gets too long).",
            needed=needed,
            available=available,
            over=needed - available,
        ),
        needed=needed,
        available=available,
        over_by=needed - available,
        largest=[{"nodeId": node_id, "tokens": cost} for node_id, cost in _largest(passages)],
    )
