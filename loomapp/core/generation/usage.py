"""Usage: what exchanges counted, summed, with what it cost and what caches saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loomapp.core.generation.prices import Price, price_of
from loomapp.core.times import Milliseconds


@dataclass(frozen=True, slots=True)
class Spent:
    """Counts of one exchange, under the names of `generation.Usage.to_json`, and the nodes it made.

    `exchange` is the same wherever the exchange is kept: a copy of a tree brings its own, and was paid once.
    """

    tree_id: str
    model_ref: str  # the model as it was returned, at the endpoint that was asked
    at: Milliseconds
    counted: Mapping[str, int]
    node_ids: frozenset[str] = frozenset()
    exchange: str = ""


@dataclass(frozen=True, slots=True)
class Total:
    """A sum. `cost` and `saved` are of the exchanges whose price is known; `unpriced` counts the others."""

    calls: int = 0
    sent: int = 0
    received: int = 0
    cached: int = 0
    cost: float = 0.0
    saved: float = 0.0
    unpriced: int = 0
    uncounted: int = 0  # exchanges whose endpoint told no numbers
    unknown_models: frozenset[str] = field(default_factory=frozenset)


def total(spent: Iterable[Spent], prices: Mapping[str, Price]) -> Total:
    """The sum of some exchanges, each once, however many nodes it made and however often it is kept."""
    calls = sent = received = cached = unpriced = uncounted = 0
    cost = saved = 0.0
    unknown: set[str] = set()
    seen: set[str] = set()
    for one in spent:
        if one.exchange in seen:
            continue
        seen |= {one.exchange} - {""}
        counted = one.counted
        read, written = counted.get("cachedTokens", 0), counted.get("cacheWrittenTokens", 0)
        calls += 1
        uncounted += "inputTokens" not in counted
        sent += counted.get("inputTokens", 0)
        received += counted.get("outputTokens", 0)
        cached += read
        price = price_of(one.model_ref, prices)
        if price is None:
            unpriced += 1
            unknown.add(one.model_ref)
            continue
        cost += price.cost(counted.get("inputTokens", 0), counted.get("outputTokens", 0), read, written)
        saved += price.saved(read, written)
    return Total(calls, sent, received, cached, cost, saved, unpriced, uncounted, frozenset(unknown))
