"""Comparing texts: every word is told once, equal ones are not marked, and long texts are bounded."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.paths.navigation import common_ancestor
from loomapp.core.text.diff import MOST_WORDS, compare
from tests.kit.graph_trees import ancestors, grown_tree, rich_tree

texts = st.lists(
    st.sampled_from(["Sea", "sea", "the", "lamp", ",", ".", "\n\n", "  ", "Ölzeug", "灯台", "don't"]),
    max_size=30,
).map(" ".join)


def marked(*compared: str) -> list[list[str]]:
    return [[run.text for run in told.runs if run.differs] for told in compare(compared)]


@given(st.lists(st.one_of(texts, st.text(max_size=60)), min_size=1, max_size=4))
def test_the_runs_of_a_text_are_the_text(several: list[str]) -> None:
    compared = compare(several)

    assert [told.text for told in compared] == several
    assert all(told.is_whole for told in compared)
    for told in compared:
        for one, other in zip(told.runs, told.runs[1:], strict=False):
            assert one.differs != other.differs


@given(texts, texts)
def test_what_is_not_marked_is_the_same_in_both(one: str, other: str) -> None:
    plain = ["".join(r.text for r in told.runs if not r.differs).split() for told in compare([one, other])]

    assert "".join(plain[0]) == "".join(plain[1])


@given(texts)
def test_equal_texts_differ_in_nothing(text: str) -> None:
    assert marked(text, text, text) == [[], [], []]


def test_a_changed_word_is_marked_on_both_sides_with_what_stands_between_changed_words() -> None:
    assert marked("The lamp is lit.", "The old stove is lit.") == [["lamp"], ["old stove"]]
    assert marked("One.", "") == [["One."], []]


def test_of_the_first_only_what_no_other_says_is_marked() -> None:
    assert marked("a b c", "a x c", "a b y") == [[], ["x"], ["y"]]
    assert marked("alone") == [[]]


def test_single_words_changed_all_over_a_long_text_are_found_one_by_one() -> None:
    chance = random.Random(1)
    words = [f"w{chance.randrange(2_000)}" for _ in range(3_000)]
    edited = ["X" if i % 7 == 0 else word for i, word in enumerate(words)]

    found = marked(" ".join(words), " ".join(edited))[1]

    assert found == ["X"] * len(range(0, 3_000, 7))


def test_a_very_long_text_is_compared_up_to_a_limit_and_that_is_told() -> None:
    long = "word " * (MOST_WORDS + 10)

    one, other = compare([long, "word"])

    assert not one.is_whole
    assert other.is_whole
    assert len(one.text.split()) == MOST_WORDS


def test_the_common_ancestor_is_the_nearest_node_that_all_hang_below() -> None:
    tree = rich_tree()

    assert common_ancestor(tree, ["father2", "edited"]) == "logbook"
    assert common_ancestor(tree, ["keeper", "logbook", "boat"]) == "pasted"
    assert common_ancestor(tree, ["pasted", "father2"]) == "pasted", "one of them stands above the other"
    assert common_ancestor(tree, ["tides", "keeper"]) == "pasted", "a note hangs below its message"
    assert common_ancestor(tree, ["image", "keeper"]) is None, "a loose source hangs below nothing"


@given(st.lists(st.integers(0, 119), min_size=2, max_size=5))
def test_the_common_ancestor_is_where_the_ways_from_the_root_part(numbers: list[int]) -> None:
    tree = grown_tree(120)
    ways = [ancestors(tree, f"n{number}") for number in numbers]
    last = None
    for step in zip(*ways, strict=False):
        if len(set(step)) == 1:
            last = step[0]

    assert common_ancestor(tree, [f"n{number}" for number in numbers]) == last
