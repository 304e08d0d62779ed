"""Truncation: which units stay when not all of them fit, and the texts that stand for the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, takewhile
from typing import TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.sentences import sentence, worded


@dataclass(frozen=True, slots=True)
class UnitCut:
    """Units that stay: `head` from the start, a gap, and `tail` from the end; at least one in the tail."""

    head: int
    tail: int
    marker: bool  # a marker stands for the gap between them


@dataclass(frozen=True, slots=True)
class Squeeze:
    """Units that do not fit: their tokens, oldest first, and the `room` for all of them together."""

    costs: Sequence[int]
    room: int
    minimum_recent: int
    marker_cost: int  # of the longest marker that can be needed


Cutter: TypeAlias = Callable[[Squeeze], UnitCut]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A truncation strategy: its name in files and on the command line, its words, and its function.

    `title` names it to people, `tip` is a sentence on what it does, and `reason` goes on after the title
    where a text was cut. `cut` is asked where not all units fit; what stays by it fits, or is the newest
    alone. It is None if nothing may be left out: too long a text is refused.
    """

    name: str
    title: str
    tip: str
    reason: str
    cut: Cutter | None


def rolling_window(squeeze: Squeeze) -> UnitCut:
    """The longest run of newest units that fits, reaching over none that does not; at least the newest."""
    return UnitCut(head=0, tail=max(1, _run(reversed(squeeze.costs), squeeze.room)), marker=False)


def truncate_middle(squeeze: Squeeze) -> UnitCut:
    """The newest units and the first ones, with one gap and one marker between them.

    The newest come first, then the very first unit, then one more at either side in turn until both sides
    have met one that does not fit. Fewer of the newest than wished for stay where they are too big.
    """
    costs, room = squeeze.costs, squeeze.room - squeeze.marker_cost
    tail = max(1, _run(islice(reversed(costs), squeeze.minimum_recent), room))
    room -= sum(costs[-tail:])
    if room < 0:
        return UnitCut(head=0, tail=1, marker=False)
    if costs[0] > room:
        return UnitCut(head=0, tail=tail + _run(_newest(costs, tail), room), marker=True)
    head, tail = _grow(costs, tail, room - costs[0])
    return UnitCut(head, tail, marker=True)


def _grow(costs: Sequence[int], tail: int, room: int) -> tuple[int, int]:
    """Units at the head and tail after both have grown in turn from 1 and `tail`, the tail first."""
    taken = _run(_in_turn(costs, tail), room)
    room -= sum(islice(_in_turn(costs, tail), taken))
    head, tail = 1 + taken // 2, tail + (taken + 1) // 2
    if taken % 2 == 0:  # the tail met one that does not fit
        return head + _run(islice(costs, head, None), room), tail
    return head, tail + _run(_newest(costs, tail), room)


def _in_turn(costs: Sequence[int], tail: int) -> Iterator[int]:
    """Yield a cost of the tail, one of the head, and so on."""
    return chain.from_iterable(zip(_newest(costs, tail), islice(costs, 1, None), strict=False))


def _newest(costs: Sequence[int], skipped: int) -> Iterator[int]:
    """The costs from the newest upwards, after some of them."""
    return islice(reversed(costs), skipped, None)


def _run(costs: Iterable[int], room: int) -> int:
    """Count the first costs that fit together."""
    return len(list(takewhile(room.__ge__, accumulate(costs))))


STRATEGIES: Mapping[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy(
            "truncateMiddle",
            "Keep start and newest",
            "The middle is left out, with a mark where it was.",
            "leaves out the middle of a path",
            truncate_middle,
        ),
        Strategy(
            "rollingWindow",
            "Keep the newest",
            "The start is left out, without a mark.",
            "leaves out the beginning of a path",
            rolling_window,
        ),
        Strategy(
            "stopAtLimit",
            "Stop when full",
            "Nothing is left out: if it is too long, nothing is sent and you are told.",
            "leaves out nothing",
            None,
        ),
    )
}
DEFAULT_STRATEGY = "truncateMiddle"


COUNT, PLURAL = "{n}", "{s}"
DIALOGUE_MARKER = "[... {n} message{s} omitted ...]"
BUFFER_MARKER = "\n\n[...]\n\n"
CONTINUE = "Continue."


def marker_for(template: str, omitted: int) -> str:
    """A dialogue's marker for so many units: `{n}` is the number, `{s}` an s unless it is one. Never shorter
    for more of them.
    """
    return template.replace(COUNT, str(omitted)).replace(PLURAL, "" if omitted == 1 else "s")


def _without_count(text: str) -> str | None:
    if COUNT in text:
        return None
    return worded("must hold {place}, which stands for the number of messages left out", place=COUNT)


def _blank(text: str) -> str | None:
    return None if text.strip() else sentence("must not be blank: no message may be")


def _empty(text: str) -> str | None:
    return None if text else sentence("must not be empty: what is left out is never hidden")


# What is wrong with each of these texts, by the name of its setting; None if nothing is.
FAULTS: Mapping[str, Callable[[str], str | None]] = {
    "dialogue_marker": _without_count,
    "buffer_marker": _empty,
    "continue_text": _blank,
}
