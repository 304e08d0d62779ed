"""Prices of models: what a user says a million tokens costs, and what that makes of counted tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

MILLION = 1_000_000


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
    return FREE if found is None and model_ref.startswith("local:") else found
