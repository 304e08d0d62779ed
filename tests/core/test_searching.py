"""Searching texts: where words stand, in any case, and in letters that change their number."""

from __future__ import annotations

from loomapp.core.searching import marks, place, terms


def test_words_are_marked_in_any_case_and_never_twice() -> None:
    assert marks("The WREN, the wrens", terms("wren Wrens the")) == [(0, 3), (4, 8), (10, 13), (14, 19)]
    assert marks("nothing here", terms("wren")) == []


def test_letters_that_become_two_move_nothing() -> None:
    assert place("Straße: STRASSE", terms(": straße")) == 6
    assert marks("Maß und Maße", terms("mass")) == [(0, 3), (8, 11)]
