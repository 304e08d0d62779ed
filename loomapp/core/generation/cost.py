"""Estimate of the cost of asking, told before it is asked: calls, tokens, and money if prices are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loomapp.core.generation.prices import Price, price_of


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
