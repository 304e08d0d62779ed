"""Two thresholds: the state of a context, its indicator, and when a summary is due."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.context.request import ContextRequest
from loomapp.core.economy.calls import Call
from loomapp.core.economy.thresholds import ContextState, budget_of, due_summary, short_number
from loomapp.core.errors import AssemblyError
from loomapp.core.model.economy_settings import Economy
from loomapp.core.text.token_counts import Scaled, as_one_message, by_chars_35, chat_tokens, estimate
from tests.core.economy.trees import HEADER, asked, document, mixed, talk, with_summary, words
from tests.kit.written_trees import chain, edge, node, tree

MAKING = Economy(make_summaries="thresholds")


def state(ratio: float, size: int = 100, most: int = 1_000) -> ContextState:
    return ContextState(size, False, most, ratio, 0.75, 0.90)


@pytest.mark.parametrize(
    ("ratio", "level", "soft", "hard"),
    [
        (0.4999, "green", False, False),
        (0.5, "yellow", False, False),
        (0.75, "yellow", False, False),
        (0.7501, "orange", True, False),
        (0.9, "orange", True, False),
        (0.9001, "red", True, True),
    ],
)
def test_exactly_at_a_threshold_the_lower_state_holds(
    ratio: float, level: str, soft: bool, hard: bool
) -> None:
    found = state(ratio)

    assert (found.level, found.is_soft_exceeded, found.is_hard_exceeded) == (level, soft, hard)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0"),
        (999, "999"), (1_000, "1.0k"), (1_049, "1.0k"), (1_050, "1.1k"), (12_345, "12.3k"),
        (128_000, "128.0k"), (999_949, "999.9k"), (999_950, "1000.0k"),
        (1_000_000, "1.0M"), (1_250_000, "1.3M"),
    ],
)  # fmt: skip
def test_numbers_are_shortened_halves_up(number: int, said: str) -> None:
    assert short_number(number) == said


def test_the_indicator_tells_size_window_and_percent() -> None:
    found = state(12_345 / 123_904, 12_345, 128_000)

    assert found.indicator == "Context: 12.3k / 128.0k tokens (10%)"
    assert (state(0.005).percent, state(0.0049).percent, state(1.7).percent) == (1, 0, 100)
    assert (state(29 / 200).percent, state(28.9 / 200).percent) == (15, 14)
    assert state(1.7).to_json()["usageRatio"] == 1


@pytest.mark.parametrize(
    ("window", "reserve"), [(128_000, 4_096), (16_384, 4_096), (16_383, 4_095), (1_000, 250)]
)
def test_the_reserve_is_a_quarter_of_the_window_at_most(window: int, reserve: int) -> None:
    assert Economy().reserve(window) == reserve
    assert Economy(response_reserve=0).reserve(window) == 0


def test_the_budget_is_never_more_than_is_sent_before_anything_is_cut() -> None:
    assert budget_of(128_000, 126_976, Economy()) == 123_904
    assert budget_of(128_000, 100_000, Economy()) == 100_000
    assert budget_of(1_000, 600, Economy(response_reserve=999)) == 1
    with pytest.raises(AssemblyError) as caught:
        budget_of(1_000, 600, Economy(response_reserve=1_000))
    assert caught.value.code == "INVALID_BUDGET"


@pytest.mark.parametrize(
    ("ratio", "new", "has_valid", "due"),
    [
        (0.75, 9, False, "none"),
        (0.76, 0, False, "background"),
        (0.76, 3, True, "none"),
        (0.76, 4, True, "background"),
        (0.9, 4, True, "background"),
        (0.91, 0, True, "blocking"),
    ],
)
def test_a_summary_is_due_in_the_background_above_soft_and_blocking_above_hard(
    ratio: float, new: int, has_valid: bool, due: str
) -> None:
    assert due_summary(state(ratio), MAKING, new, has_valid=has_valid) == due
    assert due_summary(state(ratio), Economy(), new, has_valid=has_valid) == "none"
    assert due_summary(state(ratio), Economy(make_summaries="compact"), new, has_valid=has_valid) == "none"


# Sizes


def test_a_message_costs_sixteen_characters_and_all_three_tokens() -> None:
    assert chat_tokens([]) == 3
    assert chat_tokens([0]) == 7
    assert chat_tokens([1, 1]) == 12
    assert as_one_message("xxxx") == 8
    assert (estimate("x" * 8), by_chars_35("x" * 8), as_one_message("x" * 8)) == (2, 3, 9)


def test_a_message_is_a_node_as_it_is_sent_and_the_system_context_one_more() -> None:
    rows = [
        mixed("a", words("12345"), document("123")),
        node("b", "B", "model"),
        node("s", "abc"),
        node("c", "C"),
    ]
    subject = tree(rows, [edge("b", "a"), edge("c", "b", "s context")], system="Tree.")

    found = asked(subject, "c", request=ContextRequest("c", composer_text="12"))

    assert found.economy is not None
    assert found.economy.state.size == chat_tokens([8, 1, 3, 1, 2, 5])
    assert found.economy.state.to_json() == {
        "totalInputTokens": 0,
        "totalOutputTokens": 0,
        "estimatedContextSize": chat_tokens([8, 1, 3, 1, 2, 5]),
        "maxTokens": 128_000,
        "usageRatio": chat_tokens([8, 1, 3, 1, 2, 5]) / 123_904,
        "softThresholdExceeded": False,
        "hardThresholdExceeded": False,
        "summaryCount": 0,
        "measured": False,
    }


def test_the_size_is_that_after_summaries_and_compression_and_before_a_strategy() -> None:
    subject = chain(*(mixed(f"n{i}", document("x" * 20_000)) for i in range(1, 8)))
    with_summary(subject, "n3")
    with_summary(subject, "n6")
    short = 2 * 7_460 + len("\n\n[... budgeted: 5080 chars truncated ...]\n\n")

    found = asked(subject, "n7", use_summaries=True, compression=True, utilization=0.72, window=9_000)

    assert found.report.truncated
    assert found.economy is not None
    assert found.economy.state.size == chat_tokens([short, short, short, 20_000, len(f"{HEADER}S")])
    assert found.economy.state.summary_count == 2
    assert found.economy.state.ratio > 1


def test_where_more_than_characters_is_known_what_is_cut_is_past_the_thresholds() -> None:
    subject = chain(*(node(f"n{i}", "07:15 " * 200) for i in range(1, 6)))  # figures: a token each
    whole = ContextRequest("n5", window=20_000, estimator=Scaled())

    found = asked(subject, "n5", request=whole)
    cut = asked(subject, "n5", request=replace(whole, window=5_000))

    assert found.economy is not None
    assert cut.economy is not None
    assert found.economy.state.size == found.report.after_tokens > 2 * found.economy.chat_size
    assert (cut.report.truncated, cut.economy.state.is_hard_exceeded) == (True, True)


def test_what_was_counted_is_the_size_where_it_is_known() -> None:
    calls = {"n2": Call("x", input_tokens=1_000, output_tokens=20), "n4": Call("y", output_tokens=7)}

    found = asked(talk(5), "n5", request=ContextRequest("n5", calls=calls))

    assert found.economy is not None
    told = found.economy.state
    assert (told.size, told.measured) == (1_023, True)
    assert (told.total_input_tokens, told.total_output_tokens) == (1_000, 27)


def test_tree_settings_move_the_thresholds() -> None:
    found = asked(talk(5), "n5", soft_threshold=0.0, hard_threshold=0.5, response_reserve=1_000, window=2_000)

    assert found.economy is not None
    assert (found.economy.state.is_soft_exceeded, found.economy.state.is_hard_exceeded) == (True, False)
    assert found.economy.state.ratio == found.economy.state.size / 976
