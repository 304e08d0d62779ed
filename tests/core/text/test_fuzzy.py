"""Fuzzy matching: what a few letters mean, and what stands before what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.text.query import match


def ranked(query: str, *titles: str) -> list[str]:
    found = [(hit.score, title) for title in titles if (hit := match(query, title))]
    return [title for _, title in sorted(found, key=lambda pair: -pair[0])]


def test_words_as_they_stand_come_before_scattered_letters() -> None:
    assert ranked("sib", "Side bar", "Next sibling")[0] == "Next sibling"
    assert ranked("fit", "Profit", "Fit all")[0] == "Fit all"


def test_first_letters_of_words_find_a_title() -> None:
    assert ranked("gs", "Generate siblings", "Go to the graph")[0] == "Generate siblings"


def test_letters_scattered_from_the_middle_of_a_word_mean_nothing() -> None:
    assert match("river", "Move or hide the overview") is None
    assert match("vrvw", "Move or hide the overview") is None
    assert match("over", "Move or hide the overview") is not None
    assert match("mhov", "Move or hide the overview") is not None


def test_words_may_come_in_any_order_and_all_must_match() -> None:
    assert match("tree new", "New tree") is not None
    assert match("tree old", "New tree") is None


def test_letters_that_were_typed_are_told_in_any_case() -> None:
    hit = match("CO", "Copy text")

    assert hit is not None
    assert hit.places == (0, 1)


@given(st.text(max_size=12), st.text(max_size=40))
def test_places_are_letters_of_the_title_in_order(query: str, title: str) -> None:
    hit = match(query, title)

    if hit is not None:
        assert list(hit.places) == sorted(set(hit.places))
        assert all(0 <= place < len(title) for place in hit.places)


@given(st.text(alphabet="abcdef ", min_size=1, max_size=30))
def test_a_title_matches_itself(title: str) -> None:
    assert match(title, title) is not None
