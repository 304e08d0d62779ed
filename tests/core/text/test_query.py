"""Searching texts: where words stand, in any case, and in letters that change their number."""

from __future__ import annotations

from loomapp.core.text.query import MatchQuality, marks, phrase, place, standing, terms


def test_words_are_marked_in_any_case_and_never_twice() -> None:
    assert marks("The WREN, the wrens", terms("wren Wrens the")) == [(0, 3), (4, 8), (10, 13), (14, 19)]
    assert marks("nothing here", terms("wren")) == []


def test_letters_that_become_two_move_nothing() -> None:
    assert place("Maße: STRASSE", terms("strasse")) == 6
    assert marks("Maß und Maße", terms("mass")) == [(0, 3), (8, 11)]


def test_a_text_stands_by_how_far_the_words_are_there_as_they_were_typed() -> None:
    def stands(text: str, query: str) -> tuple[MatchQuality, int] | None:
        return standing(text, terms(query), phrase(query))

    assert stands("\n The\nlamp is lit", "the LAMP") == (MatchQuality.BEGINS, 2)
    assert stands("Maß: is the  lamp lit?", "the lamp") == (MatchQuality.PHRASE, 8)
    assert stands("A lamp, the best", "the lamp") == (MatchQuality.WORDS, 2)
    assert stands("A lamp", "the lamp") is None
    assert stands("A lamp", " ") is None


def test_words_are_shown_where_they_stand_together_else_where_the_rarest_does() -> None:
    far = "The lamp burns. " + "Rain falls. " * 30
    assert place(far + "The old keeper trims the lamp.", terms("lamp keeper")) == len(far + "The old ")
    assert place(far + "Rain. The lamp. " + far + "A keeper.", terms("rain lamp keeper")) == len(
        far + "Rain. The lamp. " + far + "A "
    )
