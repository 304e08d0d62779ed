"""What exchanges cost, and what a cache saved."""

from __future__ import annotations

import pytest

from loomapp.core.generation.cost import FREE, AgentShare, Estimate, Price, Spent, price_of, total

PRICE = Price(input=3.0, output=15.0, cached=0.3, cache_write=3.75)


def test_input_from_the_cache_costs_less_and_into_it_more() -> None:
    counted = {
        "inputTokens": 1_000_000,
        "outputTokens": 100_000,
        "cachedTokens": 600_000,
        "cacheWrittenTokens": 100_000,
    }

    whole = total((Spent("t", "anthropic:claude-x", 0, counted),), {"anthropic:claude-*": PRICE})

    # 300,000 plain at 3, 600,000 read at 0.3, 100,000 written at 3.75, 100,000 answered at 15
    assert whole.cost == pytest.approx(0.9 + 0.18 + 0.375 + 1.5)
    assert whole.saved == pytest.approx(0.6 * 2.7 - 0.1 * 0.75)
    assert (whole.calls, whole.sent, whole.received, whole.cached) == (1, 1_000_000, 100_000, 600_000)


def test_an_exchange_that_is_kept_in_two_trees_was_paid_once() -> None:
    spent = [Spent(tree, "a:m", 5, {"inputTokens": 10}, exchange="a:m r1 5 9") for tree in "tu"]
    unnamed = [Spent("t", "a:m", 0, {"inputTokens": 1})] * 2

    whole = total([*spent, *unnamed], {})

    assert (whole.calls, whole.sent) == (3, 12)


def test_what_has_no_price_is_counted_and_named() -> None:
    spent = (Spent("t", "openai:gpt-x", 0, {"inputTokens": 5}), Spent("t", "own:y", 0, {}))

    whole = total(spent, {"openai:gpt-x": PRICE})

    assert (whole.unpriced, whole.uncounted, whole.unknown_models) == (1, 1, frozenset({"own:y"}))


@pytest.mark.parametrize(
    ("model_ref", "price"),
    [
        ("openai:gpt-x", PRICE),
        ("openai:gpt-x-2026-01-31", PRICE),
        ("openai:gpt-xl", None),
        ("local:small", FREE),
    ],
)
def test_a_price_is_found_by_the_name_a_model_begins_with(model_ref: str, price: Price | None) -> None:
    assert price_of(model_ref, {"openai:gpt-x": PRICE}) == price


def test_an_estimate_sums_calls_and_tokens_of_all_agents() -> None:
    estimate = Estimate((AgentShare("A", "a:m", 3, 3, 1_000, 100), AgentShare("B", "b:m", 3, 1, 2_000, 500)))

    assert (estimate.answers, estimate.calls) == (6, 4)
    assert estimate.sent_tokens == 3 * 1_000 + 2_000
    assert estimate.most_tokens == 5_000 + 3 * 100 + 3 * 500
    assert estimate.most_cost({"a:m": PRICE}) is None
    assert estimate.most_cost({"*": Price(1.0, 2.0)}) == pytest.approx((5_000 + 2 * 1_800) / 1_000_000)
