"""Token counts of the call behind a node, and whether it missed a cache that the one before had, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.economy.calls import Call, Calls, TokenTotals, calls_on, totals_of
from loomapp.core.paths.path import Path

CacheChange: TypeAlias = Literal["system", "summary", "exclusion", "shortened"]
LEAST_SHARE = (95, 100)  # of the cached tokens of the call before; with fewer the cache was missed
CACHE_SECONDS = 300  # after the call before; what comes later finds no cache to miss


@dataclass(frozen=True, slots=True)
class NodeUsage:
    """Tokens of the call behind one node, the totals of the path up to it, and whether it missed a cache.

    `changed` is what was sent otherwise than with the call before, where it missed the cache. `totals` are
    None where only the last calls of the path are known.
    """

    node_id: str
    call: Call
    totals: TokenTotals | None
    is_cache_missed: bool = False
    changed: tuple[CacheChange, ...] = ()

    def window_share(self, window: int) -> float | None:
        """The share of a window that the call's input took; None if that was not counted."""
        return None if self.call.input_tokens is None else self.call.input_tokens / window


def usage_at_end(path: Path, calls: Calls) -> NodeUsage | None:
    """The usage of the last node of a path, if it came from a call."""
    placed = list(calls_on(path, calls))
    if not placed or placed[0].node_id != path.node_ids[-1]:
        return None
    call = placed[0].call
    earlier = (one.call for one in placed if one.call.exchange != call.exchange)
    before = next((one for one in earlier if one.is_same_model(call)), None)
    missed = before is not None and is_cache_missed(before, call)
    changed = changes_between(before, call) if missed and before is not None else ()
    return NodeUsage(path.node_ids[-1], call, totals_of(one.call for one in placed), missed, changed)


def is_cache_missed(before: Call, call: Call) -> bool:
    """True if a call soon after another read less than 95 % of its cached tokens from the cache."""
    if before.cached_tokens is None or call.cached_tokens is None:
        return False
    share, whole = LEAST_SHARE
    is_soon = call.began_at - before.ended_at < CACHE_SECONDS * 1000
    return is_soon and call.cached_tokens * whole < before.cached_tokens * share


def changes_between(before: Call, call: Call) -> tuple[CacheChange, ...]:
    """Return the differences between two calls, of all that comes before the newest message."""
    then, now = before.sent, call.sent
    found: tuple[tuple[CacheChange, bool], ...] = (
        ("system", then.system != now.system),
        ("summary", then.summary != now.summary),
        ("exclusion", then.excluded != now.excluded),
        ("shortened", then.shortened != now.shortened),
    )
    return tuple(name for name, is_other in found if is_other)
