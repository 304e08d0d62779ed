"""Cost of models: prices that a user gives, what asking will cost, and what exchanges have cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase

from loomapp.core.dataclass import dataclass
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.raw_response import Evidence
from loomapp.core.times import Milliseconds

MILLION = 1_000_000
REFUSED = 400  # and above: the server did nothing, and takes nothing for it


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens, in whatever currency the user thinks in. `cached` is for input that the
    provider read from its cache, `cache_write` for input it kept there; None is as much as other input."""

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None
    cache_write: float | None = None

    def cost(self, input_tokens: int, output_tokens: int, cached: int = 0, written: int = 0) -> float:
        """Return the price of an exchange. `input_tokens` is all input, what came from the cache or went
        there too.
        """
        plain = max(0, input_tokens - cached - written)
        read = self.input if self.cached is None else self.cached
        write = self.input if self.cache_write is None else self.cache_write
        return (plain * self.input + cached * read + written * write + output_tokens * self.output) / MILLION

    def saved(self, cached: int, written: int = 0) -> float:
        """Return the money the cache saved; less than nothing if keeping cost more than reading brought."""
        read = self.input if self.cached is None else self.cached
        write = self.input if self.cache_write is None else self.cache_write
        return (cached * (self.input - read) + written * (self.input - write)) / MILLION


FREE = Price()
FREE_PROVIDERS = frozenset({"local"})  # those that answer on this computer, without a server


def price_of(model_ref: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of `provider:model`: its own, that of the first pattern that fits, or of the name that it
    begins with (`openai:gpt-x` for `openai:gpt-x-2026-01-31`); None if unknown.

    A local model is free unless a price says otherwise.
    """
    found = prices.get(model_ref)
    if found is None:
        found = next((price for pattern, price in prices.items() if fnmatchcase(model_ref, pattern)), None)
    if found is None:
        begun = [name for name in prices if model_ref.startswith(f"{name}-")]
        found = prices[max(begun, key=len)] if begun else None
    return FREE if found is None and model_ref.partition(":")[0] in FREE_PROVIDERS else found


@dataclass(frozen=True, slots=True)
class AgentShare:
    """One agent's part: `answers` in `calls`, each sending `input_tokens`; an answer has `room_tokens`."""

    agent_name: str
    model_ref: str
    answers: int
    calls: int
    input_tokens: int
    room_tokens: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """Cost of all agents that are asked, taken together."""

    shares: tuple[AgentShare, ...]

    @property
    def answers(self) -> int:
        return sum(share.answers for share in self.shares)

    @property
    def calls(self) -> int:
        return sum(share.calls for share in self.shares)

    @property
    def sent_tokens(self) -> int:
        """Tokens of all requests, by the estimator chars/4."""
        return sum(share.calls * share.input_tokens for share in self.shares)

    @property
    def most_tokens(self) -> int:
        """Tokens of all requests, and of answers as long as they may become."""
        return self.sent_tokens + sum(share.answers * share.room_tokens for share in self.shares)

    def most_cost(self, prices: Mapping[str, Price]) -> float | None:
        """Return the most that it may cost; None if a price is not known. Models on this computer cost
        nothing.
        """
        total = 0.0
        for share in self.shares:
            price = price_of(share.model_ref, prices)
            if price is None:
                return None
            total += price.cost(share.calls * share.input_tokens, share.answers * share.room_tokens)
        return total


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
