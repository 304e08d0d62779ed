"""Random trees of the economy: together they meet every outcome that the rules know."""

from __future__ import annotations

from collections import Counter

from tests.core.context.naive_loom import Json, NaiveError
from tests.core.economy.economy_trees import economy_case
from tests.core.economy.naive_economy import naive_economy

DETAILS = ("needed", "available", "over_by")


def theirs(file: Json, asked: Json) -> Json:
    """What the naive economy says."""
    try:
        return naive_economy(file, asked)
    except NaiveError as error:
        shared = {name: error.details[name] for name in DETAILS if name in error.details}
        return {"error": {"code": error.code, **shared}}


def test_the_random_trees_meet_every_outcome_that_the_rules_know() -> None:
    met: Counter[str] = Counter()

    for seed in range(220):
        met.update(outcomes(theirs(*economy_case(seed))))

    wanted = {
        "INVALID_BUDGET", "CONTEXT_TOO_LONG", "EMPTY_CONTEXT", "summarised", "branch_summarised", "truncated",
        "store size", "truncate size", "budget load", "budget carried", "snip again", "snip older",
        "snip carried", "clear idle", "clear carried", "summaryUsed", "summaries_need_system",
        "branch_without_summary", "measured", "estimated", "soft", "hard", "below",
    }  # fmt: skip
    assert wanted <= met.keys()


def outcomes(printed: Json) -> set[str]:
    """What happened in an assembly, in the rules' words."""
    if "error" in printed:
        return {printed["error"]["code"]}
    report, state = printed["report"], printed.get("state")
    met = {one["reason"] for one in report["dropped"]} | set(report["warnings"])
    met |= {f"{one['row']} {one['why']}" for one in report["compressed"]}
    met |= {"summaryUsed"} if report["summaryUsed"] else set()
    if "load" in report:
        met.add("measured" if report["load"]["measured"] else "estimated")
    if state is not None:
        met.add("soft" if state["softThresholdExceeded"] else "below")
        met |= {"hard"} if state["hardThresholdExceeded"] else set()
    return met
