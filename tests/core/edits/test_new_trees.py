"""Titles that are made of a text: its first words, however long it is."""

from __future__ import annotations

import tracemalloc

from loomapp.core.edits.tree_edits import title_from


def test_a_long_text_is_not_taken_apart_for_its_title() -> None:
    text = "word " * 1_000_000
    tracemalloc.start()
    try:
        title = title_from(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert title.startswith("word word")
    assert title.endswith("…")
    assert peak < 100_000


def test_a_word_without_an_end_is_cut() -> None:
    assert title_from("a" * 1_000_000) == title_from("a" * 1_000)


def test_a_text_without_a_word_gives_no_title() -> None:
    assert title_from(" \t\n\u00a0") == ""


def test_a_title_on_a_line_of_its_own_is_the_title() -> None:
    for line_end in ("\n", "\r\n", "\n\n"):
        assert title_from(f"\n The Widow's Plate{line_end}On the last day of March") == "The Widow's Plate"
