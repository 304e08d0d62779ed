"""Places of a text are found again once somebody else has changed it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.prose.buffer_text import TextChange
from loomapp.core.prose.passage_change import place_after, splices_between, stretches_after

RUNS = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(("", "x ", "one two ", "one three"))))


def put(text: str, splices: tuple[TextChange, ...]) -> str:
    for splice in splices:
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def said(run: list[tuple[str, str]]) -> str:
    return "".join(text for _, text in run)


@given(RUNS.map(dict), RUNS.map(dict))
def test_the_splices_make_one_run_the_other_from_the_last_to_the_first(
    before: dict[str, str], after: dict[str, str]
) -> None:
    splices = splices_between([*before.items()], [*after.items()])

    assert put(said([*before.items()]), splices) == said([*after.items()])
    assert [splice.start for splice in splices] == sorted((s.start for s in splices), reverse=True)


@pytest.mark.parametrize(
    ("says", "place", "stays", "found"),
    [
        ("alpha and more ", 8, False, 17),  # be|ta
        ("alpha and more ", 6, False, 15),  # before beta
        ("alpha and more ", 6, True, 6),  # behind alpha
        ("alpha and more ", 3, False, 3),
        ("", 8, False, 2),
        ("", 3, False, 0),
        ("omega ", 3, False, 5),  # its word is gone
        ("omega ", 0, False, 0),
    ],
)
def test_a_place_stays_where_its_words_are(says: str, place: int, stays: bool, found: int) -> None:
    splices = splices_between([("a", "alpha "), ("b", "beta ")], [("c", says), ("b", "beta ")])

    assert place_after(place, splices, stays=stays) == found


def test_what_came_into_a_stretch_is_no_part_of_it() -> None:
    before, after = [("a", "one "), ("b", "two ")], [("a", "one "), ("new", "and "), ("b", "two ")]

    left = stretches_after(1, 6, splices_between(before, after))

    assert left == [(1, 4), (8, 10)]


def test_a_stretch_that_is_gone_is_gone() -> None:
    splices = splices_between([("a", "one "), ("b", "two ")], [("a", "one ")])

    assert stretches_after(5, 7, splices) == []
