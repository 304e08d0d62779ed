"""Calls on a path: what is used, how long nothing was asked, totals, and caches that were missed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.context.request import ContextRequest, GivenLoad
from loomapp.core.economy.calls import (
    Call,
    SentFacts,
    SummaryKey,
    idle_seconds,
    is_cache_missed,
    totals_on,
    usage_at_end,
)
from loomapp.core.economy.compression import CarriedOn
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from tests.core.economy.trees import asked, document, mixed, talk, with_heads, with_summary
from tests.kit.written_trees import chain, edge, node

CALL = Call("x", "m:1", input_tokens=1_000, output_tokens=50, reasoning_tokens=10)


def loaded(
    tree: Tree,
    at: str,
    calls: dict[str, Call],
    *,
    model: str | None = "m:1",
    composer: str | None = None,
    **economy: bool | str,
) -> tuple[int, bool]:
    """Tokens used, and whether a provider counted them."""
    request = ContextRequest(at, calls=calls, model=model, composer_text=composer, now=10_000_000)
    found = asked(tree, at, compression=True, request=request, others=economy).report.economy.load
    assert found is not None
    return found.used, found.is_measured


# Used


def test_without_a_counted_call_a_quarter_of_the_characters_is_used() -> None:
    assert loaded(talk(5, system="x" * 40), "n5", {}) == (15, False)


def test_from_a_counted_call_its_input_its_answer_and_what_came_after_are_used() -> None:
    subject = chain(node("a", "A"), node("b", "B", "model"), node("c", "x" * 9), node("d", "x" * 4, "model"))

    assert loaded(subject, "d", {"b": CALL}) == (1_000 + 40 + 3 + 1, True)
    assert loaded(subject, "b", {"b": CALL}) == (1_040, True)
    assert loaded(subject, "b", {"b": CALL}, composer="x" * 5) == (1_042, True)


@pytest.mark.parametrize(
    "call", [replace(CALL, choices=2), replace(CALL, output_tokens=None), replace(CALL, choices=3)]
)
def test_of_a_call_with_several_answers_the_text_counts(call: Call) -> None:
    subject = chain(node("a", "A"), node("b", "x" * 41, "model"))

    assert loaded(subject, "b", {"b": call}) == (1_011, True)


def test_the_nearest_counted_call_of_the_same_model_and_summary_counts() -> None:
    subject = talk(8)
    uncounted, other = replace(CALL, input_tokens=None), replace(CALL, model="m:2")
    later = replace(CALL, input_tokens=2_000)

    assert loaded(subject, "n8", {"n2": CALL, "n4": later, "n6": uncounted, "n8": other}) == (2_044, True)
    assert loaded(subject, "n8", {"n2": other}) == (8, False)
    assert loaded(subject, "n8", {"n2": other}, model=None) == (1_046, True)
    summarised = replace(CALL, sent=SentFacts(SummaryKey("n3", "hash")))
    assert loaded(subject, "n8", {"n2": CALL, "n6": summarised}) == (1_046, True)


def test_a_call_with_the_summary_in_use_counts_while_it_is() -> None:
    subject = talk(8)
    row = with_summary(subject, "n3")
    with_it = replace(CALL, sent=SentFacts(SummaryKey("n3", row.covered_hash)))

    used, is_measured = loaded(subject, "n8", {"n2": CALL}, use_summaries=True)
    assert (is_measured, used) == (False, asked(subject, "n8", use_summaries=True).report.after_tokens)
    assert loaded(subject, "n8", {"n2": CALL, "n6": with_it}, use_summaries=True) == (1_042, True)


def test_a_call_with_the_chain_in_use_counts_while_it_is() -> None:
    subject = with_heads(talk(6, system="Tree."), n2="Some.")
    with_it = replace(CALL, sent=SentFacts(SummaryKey(chain="## Thread: N2 (active)\n\nSome.")))

    assert loaded(subject, "n6", {"n4": with_it}, assembler="summaries") == (1_042, True)
    assert loaded(subject, "n6", {"n4": CALL}, assembler="summaries")[1] is False


def test_base_texts_count_and_a_strategy_does_not() -> None:
    subject = chain(mixed("a", document("x\n" * 40_000)), node("b", "B", "model"), node("c", "C"))
    preview = asked(subject, "c", compression=True, idle=0, utilization=0.0)

    used, _ = loaded(subject, "c", {})

    assert preview.report.economy.compressed[0].row == "store"
    assert used == -(-preview.report.economy.compressed[0].after_chars // 4) + 2


def test_a_model_is_known_by_the_name_it_returned_where_no_record_says_more() -> None:
    returned = Call("x", returned="claude")

    assert returned.is_by("anthropic:claude")
    assert returned.is_by("claude")
    assert not returned.is_by("anthropic:xclaude")
    assert not replace(CALL, returned="claude").is_by("anthropic:claude")


# Idle


def test_idle_is_counted_from_the_last_call_that_continued_the_path() -> None:
    subject = talk(4)
    subject.put_node(node("s", "S", "model"))
    subject.put_edge(edge("s", "n3"))
    path = resolve(subject, "n3")
    calls = {
        "n2": replace(CALL, continued=("n1",), ended_at=1_000),
        "s": replace(CALL, continued=("n3",), ended_at=5_000),
        "n4": replace(CALL, model="m:2", continued=("n3",), ended_at=9_000),
        "far": replace(CALL, continued=("elsewhere",), ended_at=9_500),
    }

    assert idle_seconds(path, calls, "m:1", 304_999) == 299
    assert idle_seconds(path, calls, "m:1", 305_000) == 300
    assert idle_seconds(path, calls, "m:1", 4_000) == 0
    assert idle_seconds(path, calls, None, 10_000) == 1
    assert idle_seconds(path, calls, "m:3", 10_000) is None


# Carried on


def test_what_the_nearest_call_by_the_model_had_shortened_is_carried_on_unless_a_load_is_given() -> None:
    subject = chain(
        mixed("a", document("old")), node("b", "B", "model"), node("c", "C"), node("d", "D", "model")
    )
    call = replace(CALL, carried=(CarriedOn("a", 0, "clear"),))
    far = replace(CALL, carried=(CarriedOn("a", 0, "snip"),))

    def rows(calls: dict[str, Call], load: GivenLoad) -> list[tuple[str, str]]:
        request = ContextRequest("d", calls=calls, model="m:1", now=0, load=load)
        found = asked(subject, "d", compression=True, request=request).report.economy.compressed
        return [(one.row, one.why) for one in found]

    assert rows({"b": far, "d": call}, GivenLoad()) == [("clear", "carried")]
    assert rows({"b": call, "d": replace(CALL, model="m:2")}, GivenLoad()) == [("clear", "carried")]
    assert rows({"b": call, "d": CALL}, GivenLoad()) == []
    assert rows({"b": far, "d": call}, GivenLoad(utilization=0.0)) == []


def test_utilisation_is_told_with_three_digits_unless_it_is_given() -> None:
    subject = talk(2)
    calls = {"n2": replace(CALL, input_tokens=8_400, output_tokens=0, reasoning_tokens=0)}

    found = asked(
        subject, "n2", compression=True, request=ContextRequest("n2", calls=calls)
    ).report.economy.load
    given = asked(subject, "n2", compression=True, utilization=0.12345, idle=None).report.economy.load

    assert found is not None
    assert given is not None
    assert (found.used, found.utilization) == (8_400, 0.078)
    assert (given.utilization, given.idle) == (0.12345, None)


# Totals and caches


def test_each_call_counts_once_in_the_totals() -> None:
    subject = talk(6)
    calls = {"n2": CALL, "n4": replace(CALL, exchange="y"), "n6": CALL, "off": replace(CALL, exchange="z")}

    totals = totals_on(resolve(subject, "n6"), calls)

    assert (totals.calls, totals.input_tokens, totals.output_tokens) == (2, 2_000, 100)


@pytest.mark.parametrize(
    ("cached", "began", "missed"),
    [(950, 0, False), (949, 0, True), (949, 299_999, True), (949, 300_000, False)],
)
def test_less_than_ninety_five_percent_within_five_minutes_is_a_missed_cache(
    cached: int, began: int, missed: bool
) -> None:
    before = replace(CALL, cached_tokens=1_000, ended_at=0)

    assert is_cache_missed(before, replace(CALL, cached_tokens=cached, began_at=began)) is missed


def test_a_missed_cache_is_told_with_what_changed_since() -> None:
    subject = talk(6)
    first = replace(CALL, exchange="1", cached_tokens=1_000, sent=SentFacts(system=("a",)))
    other = replace(CALL, exchange="2", model="m:2", cached_tokens=0)
    last = replace(
        CALL,
        exchange="3",
        cached_tokens=10,
        sent=SentFacts(SummaryKey("a", "b"), ("b",), frozenset("x"), frozenset({("n", 0, "snip")})),
    )

    calls = {"n2": first, "n4": other, "n6": last}
    at_two, at_four, at_six = (usage_at_end(resolve(subject, at), calls) for at in ("n2", "n4", "n6"))

    assert at_two is not None
    assert not at_two.is_cache_missed
    assert at_four is not None
    assert not at_four.is_cache_missed
    assert usage_at_end(resolve(subject, "n5"), calls) is None
    assert at_six is not None
    assert at_six.is_cache_missed
    assert at_six.changed == ("system", "summary", "exclusion", "shortened")
    assert at_four.totals is not None
    assert at_six.totals is not None
    assert (at_four.totals.input_tokens, at_six.totals.input_tokens) == (2_000, 3_000)
    assert at_six.window_share(10_000) == 0.1
