"""Who wrote which characters: known exactly or found by comparing, never a character in halves."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.model.content import Text
from loomapp.core.model.tree import Tree
from loomapp.core.paths.piece_table import (
    PIECES,
    New,
    Pieces,
    Taken,
    from_json,
    pieces_of,
    replaced,
    to_json,
    whole,
)
from loomapp.core.prose.authorship import (
    Author,
    Spans,
    author_of,
    by_one,
    main_author,
    mended,
    spans_of,
    spliced,
)
from loomapp.core.prose.buffer_text import PendingText, begun, fresh, taken_up
from loomapp.core.text.diff import kept
from loomapp.core.text.graphemes import end_of, is_inside, start_of
from tests.kit.trees import Hand, do

MODEL, PERSON = Author("model", "claude"), Author("human", "you")
HEARTS = "❤️", "👩‍👩‍👧", "🇨🇭", "e\u0301", "각", "\r\n", "👍🏽", "ש\u05c1"
TEXTS = st.lists(
    st.one_of(st.sampled_from((*HEARTS, " ", "a", "b", "aa", "the lamp ", "\n")), st.text(max_size=4)),
    max_size=12,
).map("".join)


def buffer(text: str, *, by: Author = MODEL) -> tuple[Tree, str, Hand]:
    """A tree with one passage below its root, by a model."""
    hand = Hand()
    tree = tree_edits.new_tree("buffer", "t", hand.pen())
    pen = replace(hand.pen(by.agent_id or ""), author_type=by.author_type)
    return tree, do(tree, node_edits.add_node(tree, tree.root_id, text, pen)).added_nodes()[0].id, hand


def edited(tree: Tree, node_id: str, text: str, hand: Hand, pieces: Pieces | None = None) -> str:
    """A version of a passage, by a person."""
    change = node_edits.edit_as_version(tree, node_id, text, hand.pen())
    (version,) = do(tree, change).added_nodes()
    if pieces is not None:
        tree.put_node(replace(version, extra={PIECES: to_json(pieces)}))
    return version.id


def marked(text: str, spans: Spans) -> str:
    """A text with the words of people in brackets."""
    assert_covers(spans, text)
    parts = ((text[span.start : span.end], span.author_type) for span in spans)
    return "".join(f"[{part}]" if by == "human" else part for part, by in parts)


def assert_covers(spans: Spans, text: str) -> None:
    assert [span.start for span in spans] == [0, *(span.end for span in spans)][: len(spans)]
    assert (spans[-1].end if spans else 0) == len(text)
    assert all(a.author != b.author for a, b in pairwise(spans))
    assert not any(is_inside(text, span.start) for span in spans)


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a lamp was lit", "a lamp was lit", "a lamp was lit"),
        ("a lamp was lit", "a lamps was lit", "a lamp[s] was lit"),
        ("a lamp was lit", "a red boat was lit", "a [red boat] was lit"),
        ("the cat sat", "the dog ran", "the [dog ran]"),
        ("the cat sat", "", ""),
        ("", "new", "[new]"),
        ("one two three", "three one two", "[three ]one two"),
        ("caf\u00e9", "cafe\u0301", "caf[e\u0301]"),
        ("I 👩‍👩‍👧 you", "I 👩‍👧 you", "I [👩‍👧] you"),
        ("🇨🇭🇨🇦", "🇨🇦🇨🇭", "[🇨🇦]🇨🇭"),
        ("line\nend", "line\r\nend", "line[\r\n]end"),
        ("שלום עולם", "שלום חדש", "שלום [חדש]"),
    ],
)
def test_the_changed_words_are_the_persons(before: str, after: str, shown: str) -> None:
    tree, passage, hand = buffer(before)
    if before == after:
        return

    version = edited(tree, passage, after, hand)

    assert marked(after, spans_of(tree, version)) == shown


def test_what_a_person_wrote_stays_theirs_through_many_edits() -> None:
    tree, passage, hand = buffer("The lamp burned low.")
    first = edited(tree, passage, "The old lamp burned low.", hand)

    second = edited(tree, first, "The old lamp burned very low.", hand)

    assert marked("The old lamp burned very low.", spans_of(tree, second)) == (
        "The [old ]lamp burned [very ]low."
    )


def test_pieces_say_which_of_two_equal_characters_stayed() -> None:
    tree, passage, hand = buffer("aaaa")
    exact: Pieces = (New(1), Taken(passage, 2, 4))

    version = edited(tree, passage, "aaa", hand, exact)

    assert marked("aaa", spans_of(tree, version)) == "[a]aa"


@pytest.mark.parametrize(
    "said",
    ["x", [["nobody", 0, 3]], [3, 3], [["PASSAGE", 0, 2], 1, 1], [["PASSAGE", 1, 3], 1], [True, 2], [-1, 4]],
)
def test_pieces_that_cannot_be_so_are_not_believed(said: object) -> None:
    tree, passage, hand = buffer("lamp")
    version = edited(tree, passage, "lam", hand)
    if isinstance(said, list):
        said = [[passage, *p[1:]] if isinstance(p, list) and p[0] == "PASSAGE" else p for p in said]
    tree.put_node(replace(tree.nodes[version], extra={PIECES: said}))

    assert pieces_of(tree, tree.nodes[version], "lam") is None
    assert marked("lam", spans_of(tree, version)) == "lam"


def test_damage_that_leads_in_a_circle_ends() -> None:
    tree, passage, hand = buffer("lamp")
    version = edited(tree, passage, "lamps", hand)
    tree.put_node(replace(tree.nodes[passage], edited_from=version))

    assert_covers(spans_of(tree, version), "lamps")
    assert_covers(spans_of(tree, passage), "lamp")


def test_ten_thousand_edits_of_one_passage_need_no_recursion() -> None:
    tree, passage, _ = buffer("x")
    node = tree.nodes[passage]
    for number in range(10_000):
        text = "x" + "y" * (number % 3)
        node = replace(
            node, id=f"v{number}", content=Text(text), edited_from=node.id, author_type="human",
            author_agent_id="you",
        )  # fmt: skip
        tree.put_node(node)

    assert_covers(spans_of(tree, node.id), node.text)


@given(TEXTS, TEXTS, TEXTS)
def test_spans_cover_whatever_is_written(one: str, two: str, three: str) -> None:
    tree, passage, hand = buffer(one)
    for text in (two, three):
        change = node_edits.edit_as_version(tree, passage, text, hand.pen())
        if change is not None:
            passage = do(tree, change).added_nodes()[0].id

    assert_covers(spans_of(tree, passage), tree.nodes[passage].text)


@given(TEXTS, TEXTS)
def test_what_is_kept_stands_in_both_in_order_and_in_whole_characters(before: str, after: str) -> None:
    end = at_end = 0
    for start, at, length in kept(before, after):
        assert length > 0
        assert start >= end
        assert at >= at_end
        assert before[start : start + length] == after[at : at + length]
        end, at_end = start + length, at + length
    if before == after:
        assert sum(one.length for one in kept(before, after)) == len(before)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8), TEXTS), max_size=6))
def test_typing_keeps_spans_and_pieces_exact(text: str, strokes: Sequence[tuple[int, int, str]]) -> None:
    tree, passage, hand = buffer(text)
    typed = begun(tree, passage)
    for place, length, written in strokes:
        start = min(place, len(typed.text))
        end = min(start + length, len(typed.text))
        naive = typed.text[:start] + written + typed.text[end:]
        typed = typed.replaced(start, end, written, PERSON)
        assert typed.text == naive
        assert_covers(typed.spans, typed.text)

    if typed.text == text:
        return
    version = edited(tree, passage, typed.text, hand, typed.pieces)
    assert pieces_of(tree, tree.nodes[version], typed.text) == typed.pieces
    assert_covers(spans_of(tree, version), typed.text)
    made_of = from_json(json.loads(json.dumps(to_json(typed.pieces))))
    assert made_of is not None
    again = taken_up(tree, passage, typed.text, made_of, PERSON)
    assert again.pieces == typed.pieces
    assert again.spans == spans_of(tree, version)


def test_a_passage_in_which_a_word_was_changed_is_still_mostly_the_models() -> None:
    tree, node_id, hand = buffer("The lamp burns all night.")
    corrected = edited(tree, node_id, "The lamp burned all night.", hand)
    rewritten = edited(tree, corrected, "Nobody came.", hand, pieces=(New(12),))
    emptied = edited(tree, corrected, "", hand)

    found = [main_author(tree, tree.nodes[i]) for i in (node_id, corrected, rewritten, emptied)]

    assert found == [MODEL, MODEL, author_of(tree.nodes[rewritten]), author_of(tree.nodes[emptied])]
    tree.loom = replace(tree.loom, mode="dialogue")
    assert main_author(tree, tree.nodes[corrected]).author_type == "human"


@given(TEXTS, st.integers(0, 40))
def test_characters_have_a_beginning_and_an_end(text: str, place: int) -> None:
    place = min(place, len(text))
    assert start_of(text, place) <= place <= end_of(text, place)
    assert not is_inside(text, start_of(text, place))


@pytest.mark.parametrize("heart", HEARTS)
def test_a_character_is_not_cut(heart: str) -> None:
    assert [is_inside(heart, place) for place in range(1, len(heart))] == [True] * (len(heart) - 1)
    assert not is_inside(heart + heart, len(heart))


def test_an_accent_typed_behind_a_models_letter_makes_it_the_persons() -> None:
    spans = mended(spliced(by_one(3, MODEL), 1, 1, "\u0301", PERSON), "a\u0301bc")

    assert marked("a\u0301bc", spans) == "[a\u0301]bc"


def test_what_is_written_from_nothing_is_one_span() -> None:
    assert fresh("lamp", PERSON) == PendingText("lamp", by_one(4, PERSON), (New(4),))
    assert replaced(whole("n", 4), 4, 4, 2) == (Taken("n", 0, 4), New(2))


def test_a_megabyte_is_compared_in_about_the_time_of_its_length() -> None:
    words = [f"word{number % 5000} and" for number in range(90_000)]
    text = " ".join(words)
    other = " ".join(word if number % 7 else f"{word} x{number}" for number, word in enumerate(words))

    before = time.perf_counter()
    found = kept(text, other)
    once_s = time.perf_counter() - before
    before = time.perf_counter()
    kept(text[: len(text) // 4], other[: len(other) // 4])
    quarter_s = time.perf_counter() - before

    assert found
    assert once_s < 12 * quarter_s + 0.5
