"""Token counts: a count scales what it counted, and what came after it is not taken for too little."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.text.token_counts import (
    BY_CHARACTERS,
    LOOKED_AT,
    MOST_BESIDE,
    Scaled,
    Tokenized,
    careful_estimate,
    characters_within,
    estimate,
    key_of,
    scaled_by,
)

TEXTS = st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=12)


@dataclass(frozen=True)
class Parts:
    texts: list[str]
    roles: list[str]
    node_ids: list[str | None]


def parts(*texts: str) -> Parts:
    roles = ["user", "assistant"] * len(texts)
    return Parts(list(texts), roles[: len(texts)], [f"n{number}" for number in range(len(texts))])


@given(TEXTS)
def test_without_a_count_nothing_is_below_a_quarter_of_its_characters_or_the_safe_estimate(
    texts: list[str],
) -> None:
    found = Scaled().of_parts(parts(*texts))

    assert found == [max(estimate(text), careful_estimate(text)) for text in texts]
    assert Scaled().name == "safe"


def test_what_was_counted_comes_to_the_count_again() -> None:
    texts = [f"Word {number} follows word {number - 1}." for number in range(40)]
    characters, safe = sum(map(len, texts)), sum(map(careful_estimate, texts))
    measured = 7 * characters // 20

    estimator = scaled_by(measured, characters, safe, "n40")
    found = estimator.of_parts(parts(*texts, "The answer.", "And a question?"))

    assert estimator.name == "scaled"
    assert abs(sum(found[:40]) - measured) <= 20  # a half for each
    assert estimator.of_system(None) == 0


def test_what_a_template_takes_beside_a_few_words_is_counted_once_and_scales_no_text() -> None:
    words, long = "Hello there.", "The harbour was quiet, and the captain told of the storm. " * 12
    safe = careful_estimate(words)

    estimator = scaled_by(safe + 40, len(words), safe, "n1")
    found = estimator.of_parts(parts(words, "Good day.", long))

    assert estimator.of_system(None) + found[0] == safe + 40
    assert safe + 40 <= estimator.of_system(words) <= 2 * safe + 40
    assert found[2] == max(estimate(long), careful_estimate(long)), "it was six times as much"
    dense = "海は広い。" * 20
    [_, after] = scaled_by(90, 100, 180, "n1").of_parts(parts("海" * 100, dense))
    assert after == round(careful_estimate(dense) / 2), "the count corrects the safe estimate"
    few, later = scaled_by(300, 200, 400, "n1"), "海は広い。" * 800
    least = round(few.safe_factor * careful_estimate(later))
    assert few.of_system(later) >= least, "it may have been set after the count"
    assert few.of_parts(Parts([later], ["user"], ["n7"])) == [least], (
        "the counted answer is not sent any more"
    )
    much = scaled_by(5_000, 8_000, 2_000, "n1")
    assert much.of_system(None) + much.of_parts(parts("x" * 8_000, "y"))[0] == 5_000
    assert much.of_system(None) == MOST_BESIDE, "more than that no template has: the texts are as large"


def test_what_came_after_the_count_is_never_below_the_safe_estimate_as_the_count_corrects_it() -> None:
    chinese = "海は広い。" * 20

    higher = scaled_by(200, 400, 100, "n1").of_parts(parts("x" * 400, "y", chinese))
    lower = scaled_by(90, 400, 100, "n1").of_parts(parts("x" * 400, "y", chinese))

    assert higher[2] >= careful_estimate(chinese)
    assert lower[2] == round(0.9 * careful_estimate(chinese))
    assert lower[0] == 90


def test_a_tokenizer_tells_what_it_counted_and_a_message_costs_more_than_its_text() -> None:
    known = Tokenized({key_of("one"): 3, key_of("two"): 4}, 2, 5, 20)

    found = known.of_parts(Parts(["one", "two", "two"], ["user", "user", "assistant"], [None, None, None]))

    assert found == [8, 5, 9]
    assert known.of("three") == careful_estimate("three") + 5
    assert known.of_system(None) == 20
    assert known.of_system("one") == 3 + 5 + 2
    assert known.of("") == 0


def test_of_a_very_long_path_the_ends_are_looked_at() -> None:
    texts = ["海"] * (2 * LOOKED_AT + 5)
    long = parts(*texts)

    for estimator in (Scaled(), Tokenized({key_of("海"): 2})):
        found = estimator.of_parts(long)

        assert found[0] == found[-1] == found[LOOKED_AT - 1] == 2
        assert found[LOOKED_AT] == 1


@given(st.text(min_size=2, max_size=50), st.data())
def test_the_part_of_a_text_that_has_room_is_less_than_all_of_it(text: str, data: st.DataObject) -> None:
    for estimator in (BY_CHARACTERS, Scaled(), Scaled(2.0, 1.0, "n1")):
        tokens = estimator.of(text)
        room = data.draw(st.integers(0, tokens - 1)) if tokens else 0
        if tokens:
            assert 0 <= characters_within(room, text, tokens, estimator) < len(text)
