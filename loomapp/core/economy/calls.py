"""Calls of models on a path: what was used and carried on, how long nothing was asked, and cache misses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from operator import attrgetter
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.economy.compression import CarriedOn
from loomapp.core.paths.path import Path
from loomapp.core.times import Milliseconds


@dataclass(frozen=True, slots=True)
class SummaryKey:
    """The summary that stood for the beginning of a path: a context summary by its anchor and hash, or the
    chain of branch summaries by its text. Neither: none was in use.
    """

    anchor_node_id: str | None = None
    covered_hash: str | None = None
    chain: str | None = None


NO_SUMMARY = SummaryKey()


@dataclass(frozen=True, slots=True)
class SentFacts:
    """Facts about the request of a call, to tell why the next one found less in a cache."""

    summary: SummaryKey = NO_SUMMARY
    system: tuple[str | None, ...] = ()  # the texts its system context was made of
    excluded: frozenset[str] = frozenset()
    shortened: frozenset[tuple[str, int, str]] = frozenset()  # node, part, row


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model: the answer of a node came from it. Core knows no database: callers hand it in.

    `exchange` is the same for all answers of one call, and `choices` is how many it had. `model` is the one
    asked, as `provider:model` ("" if that is not known), and `returned` as the provider named it.
    `continued` are the nodes that it went on from. Tokens are None where they were not counted; cached ones
    are among the input, reasoning among the output. `carried` is what it had budgeted, snipped or cleared.
    """

    exchange: str
    model: str = ""
    returned: str = ""
    continued: tuple[str, ...] = ()
    began_at: Milliseconds = 0
    ended_at: Milliseconds = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    cache_written_tokens: int | None = None
    choices: int = 1
    carried: tuple[CarriedOn, ...] = ()
    sent: SentFacts = field(default_factory=SentFacts)
    limit_tokens: int | None = None  # that each answer might have had at most
    cut: frozenset[str] = frozenset()  # nodes whose answers ended there, and not by themselves

    def is_by(self, model: str | None) -> bool:
        """True for a call of this model; None asks for any."""
        if model is None:
            return True
        if self.model:
            return model == self.model
        return bool(self.returned) and f":{model}".endswith(f":{self.returned}")

    def is_same_model(self, other: Call) -> bool:
        return (self.model or self.returned) == (other.model or other.returned)

    @property
    def answer_tokens(self) -> int | None:
        """Tokens of the answer, if the call gave only this one and counted it."""
        if self.choices != 1 or self.output_tokens is None:
            return None
        return self.output_tokens - (self.reasoning_tokens or 0)

    @property
    def cut_at(self) -> int | None:
        """Tokens at which its answers were cut: those that were counted, where they are of one answer:
        there may have been room for fewer than were allowed.
        """
        return self.limit_tokens if self.choices != 1 or self.output_tokens is None else self.output_tokens


Calls = Mapping[str, Call]
"""The call behind each node that came from one."""
NO_CALLS: Calls = {}


def cut_answers(calls: Calls) -> dict[str, int]:
    """Return the nodes whose answers were cut by a limit, each with its tokens, 0 if they are not known."""
    return {node_id: call.cut_at or 0 for node_id, call in calls.items() if node_id in call.cut}


@dataclass(frozen=True, slots=True)
class PlacedCall:
    """A call whose answer stands at a place of a path."""

    place: int
    node_id: str
    call: Call


def calls_on(path: Path, calls: Calls) -> Iterator[PlacedCall]:
    """The calls of a path, the nearest to its end first."""
    if not calls:
        return
    place = len(path.node_ids)
    for node_id in reversed(path.node_ids):
        place -= 1
        if node_id in calls:
            yield PlacedCall(place, node_id, calls[node_id])


def counted_call(path: Path, calls: Calls, model: str | None, summary: SummaryKey) -> PlacedCall | None:
    """The nearest call of a path that was counted, by the same model and with the same summary in use."""
    if not calls:
        return None
    anchor, place = summary.anchor_node_id, len(path.node_ids)
    for node_id in reversed(path.node_ids):
        place -= 1
        call = calls.get(node_id)
        if call is None or call.input_tokens is None or call.sent.summary.anchor_node_id != anchor:
            continue
        if call.sent.summary == summary and call.is_by(model):
            return PlacedCall(place, node_id, call)
    return None


def carried_on(path: Path, calls: Calls, model: str | None) -> tuple[CarriedOn, ...]:
    """Return what the nearest call of a path by the same model had budgeted, snipped or cleared."""
    nearest = next((placed.call for placed in calls_on(path, calls) if placed.call.is_by(model)), None)
    return () if nearest is None else nearest.carried


def idle_seconds(path: Path, calls: Calls, model: str | None, now: Milliseconds) -> int | None:
    """Return the whole seconds since the end of the last call by the same model that continued a node of the
    path; None if there was none.
    """
    by_end = sorted(calls.values(), key=attrgetter("ended_at"), reverse=True)
    last = next((call for call in by_end if call.is_by(model) and _continued(path, call)), None)
    return None if last is None else max(0, now - last.ended_at) // 1000


def _continued(path: Path, call: Call) -> bool:
    return any(node_id in path for node_id in call.continued)


# Totals


@dataclass(frozen=True, slots=True)
class TokenTotals:
    """Tokens of several calls, each counted once; those that were not counted are left out."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_written_tokens: int = 0
    calls: int = 0


def totals_of(calls: Iterable[Call]) -> TokenTotals:
    """Add up calls; answers of one call count once."""
    each = {call.exchange: call for call in calls}.values()
    return TokenTotals(
        sum(call.input_tokens or 0 for call in each),
        sum(call.output_tokens or 0 for call in each),
        sum(call.cached_tokens or 0 for call in each),
        sum(call.cache_written_tokens or 0 for call in each),
        len(each),
    )


def totals_on(path: Path, calls: Calls) -> TokenTotals:
    """The totals of a path: each call that an answer on it came from."""
    return totals_of(placed.call for placed in calls_on(path, calls))


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
