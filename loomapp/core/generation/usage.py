"""Usage: what exchanges counted, summed, with what it cost and what caches saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loomapp.core.generation.drafts import Draft
from loomapp.core.generation.prices import Price, price_of
from loomapp.core.model.raw_response import Evidence
from loomapp.core.times import Milliseconds

REFUSED = 400  # and above: the server did nothing, and takes nothing for it


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


def exchange_name(model_ref: str, request_id: str | None, began: Milliseconds, ended: Milliseconds) -> str:
    """Return a name by which the same exchange is known in every tree; "" where nobody knows when it was.

    Not its id: what comes in from a file has one of its own in each tree.
    """
    return f"{model_ref} {request_id} {began} {ended}" if began else ""


def counts_of(usage: Mapping[str, object]) -> dict[str, int]:
    """Return those of the counts of a response that are numbers."""
    return {name: value for name, value in usage.items() if type(value) is int}


def wordless_calls(
    tree_id: str, model_ref: str, drafts: Iterable[Draft], evidence: Iterable[Evidence]
) -> tuple[Spent, ...]:
    """Return what the answered calls of a request took of which no draft has a word: no node keeps them."""
    written = {str(draft.index) for draft in drafts if draft.text}
    return tuple(
        _of_call(tree_id, model_ref, one)
        for one in evidence
        if written.isdisjoint(one.choices) and not _is_refusal(one)
    )


def silent_calls(tree_id: str, model_ref: str, at: Milliseconds, count: int) -> tuple[Spent, ...]:
    """Return the calls of a request that nobody answered: each is one, without numbers."""
    return (Spent(tree_id, model_ref, at, {}),) * count


def _of_call(tree_id: str, model_ref: str, one: Evidence) -> Spent:
    returned = f"{one.provider}:{one.model}" if one.model else model_ref
    name = exchange_name(returned, one.request_id, one.started_at, one.ended_at)
    return Spent(tree_id, returned, one.started_at, counts_of(one.usage), exchange=name)


def _is_refusal(one: Evidence) -> bool:
    status = one.extra.get("status")
    return isinstance(status, int) and status >= REFUSED


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
