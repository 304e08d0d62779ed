"""Filling in: the answer stands between what was before and after the caret, as a version of a gap there."""

from __future__ import annotations

import pytest

from loomapp.core.context.assembly import assemble
from loomapp.core.context.request import ContextRequest
from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.edits.undo import redoing, undoing
from loomapp.core.errors import InvalidInput
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.change import Change, apply, is_known
from loomapp.core.model.raw_response import Evidence, compress
from loomapp.core.model.tree import Tree
from loomapp.core.paths.siblings import siblings, versions
from loomapp.core.prose.authorship import Author, spans_of
from loomapp.core.prose.fill_in import AnswerAnchor, Gap, anchor_at, open_gap, suffix_of
from loomapp.core.prose.path_choice import choose_version
from tests.core.prose.test_buffer_text import story
from tests.core.prose.test_passage_edits import assert_all_verify, text, way
from tests.kit.trees import Hand, do, snapshot


def gap_in(tree: Tree, hand: Hand, place: int, at: int) -> Gap:
    gap = open_gap(tree, way(tree), place, at, hand.pen())
    assert gap is not None
    if gap.change is not None:
        apply(tree, gap.change)
    return gap


def fill(
    tree: Tree, hand: Hand, gap: Gap, *texts: str, agent: str = "m", standing: AnswerAnchor | None = None
) -> tuple[Change, Evidence]:
    """Answers of a model that fill a gap, all from one response."""
    evidence = Evidence(
        hand.new_id(), "p", "{}", compress(b"it"), choices={str(i): i for i in range(len(texts))}
    )
    change = nodes_from_drafts(
        tree,
        [Draft(i, said) for i, said in enumerate(texts)],
        sources=Sources(gap.above_id, gap_id=gap.gap_id),
        agent_id=agent,
        evidence=[evidence],
        now=hand.pen().now,
        new_id=hand.new_id,
        standing=standing,
    )
    assert change is not None
    do(tree, change)
    return change, change.evidence[0]


def test_what_is_filled_in_stands_between_and_all_that_follows_follows_it() -> None:
    tree, _, hand = story("One ", "two four ", "five.")
    gap = gap_in(tree, hand, 2, 4)
    assert text(tree) == "One two four five."
    assert suffix_of(tree, gap.gap_id) == "four five."

    _, evidence = fill(tree, hand, gap, "three ", "and a half ")

    first, second = evidence.choices
    assert text(tree) == "One two three four five."
    place = way(tree).index(first)
    assert versions(tree, way(tree), place) == (gap.gap_id, first, second)
    assert siblings(tree, way(tree), place).count == 1
    do(tree, choose_version(tree, way(tree), place, second, hand.pen()))
    assert text(tree) == "One two and a half four five."
    do(tree, choose_version(tree, way(tree), place, gap.gap_id, hand.pen()))
    assert text(tree) == "One two four five."
    assert len([n for n in tree.nodes.values() if n.text == "five."]) == 1
    assert_all_verify(tree, evidence)
    assert spans_of(tree, first)[0].author == Author("model", "m")


def test_what_fills_it_instead_is_followed_by_what_the_text_went_on_with_from_there() -> None:
    tree, _, hand = story("One ", "two four ", "five.")
    gap = gap_in(tree, hand, 2, 4)
    _, evidence = fill(tree, hand, gap, "three ")
    [first] = evidence.choices
    do(tree, node_edits.add_node(tree, first, "seven.", hand.pen()))
    assert (text(tree), suffix_of(tree, gap.gap_id)) == ("One two three seven.", "seven.")
    before = snapshot(tree)

    change, again = fill(tree, hand, gap, "three or ", standing=anchor_at(tree, gap.above_id, gap.gap_id))

    assert text(tree) == "One two three or seven."
    [second] = again.choices
    place = way(tree).index(second)
    assert versions(tree, way(tree), place) == (gap.gap_id, first, second)
    do(tree, choose_version(tree, way(tree), place, first, hand.pen()))
    assert text(tree) == "One two three seven."
    assert len([n for n in tree.nodes.values() if n.text == "seven."]) == 1
    assert_all_verify(tree, evidence, again)
    do(tree, choose_version(tree, way(tree), place, second, hand.pen()))
    apply(tree, change.inverse())
    assert snapshot(tree) == before


def test_the_passage_that_was_parted_can_still_be_chosen() -> None:
    tree, _, hand = story("One ", "two four ", "five.")
    whole = way(tree)[2]
    fill(tree, hand, gap_in(tree, hand, 2, 4), "three ")

    do(tree, choose_version(tree, way(tree), 2, whole, hand.pen()))

    assert text(tree) == "One two four five."


def test_between_two_passages_nothing_is_parted_and_nothing_below_is_copied() -> None:
    tree, _, hand = story("One ", "three ", "four.")
    gap = gap_in(tree, hand, 2, 0)

    fill(tree, hand, gap, "two ")

    assert text(tree) == "One two three four."
    assert sorted(n.text for n in tree.nodes.values() if n.text) == [
        "One ",
        "four.",
        "three ",
        "three ",
        "two ",
    ]


def test_a_gap_that_is_there_is_filled_again() -> None:
    tree, _, hand = story("One ", "three.")
    gap = gap_in(tree, hand, 2, 0)

    again = open_gap(tree, way(tree), 3, 0, hand.pen())

    assert again == Gap(gap.gap_id, gap.above_id, None)


def test_before_the_first_words_there_is_nothing_to_go_on_from() -> None:
    tree, _, hand = story("One.")

    assert open_gap(tree, way(tree), 0, 0, hand.pen()) is None


def test_an_image_is_not_parted() -> None:
    from loomapp.core.model.content import Image

    tree, _, hand = story("One ")
    do(tree, node_edits.add_content(tree, way(tree)[-1], Image("ref", "image/png", 1, 1), hand.pen()))

    with pytest.raises(InvalidInput):
        open_gap(tree, way(tree), 2, 3, hand.pen())


def test_what_is_excluded_is_no_part_of_what_follows() -> None:
    tree, _, hand = story("One ", "three ", "four ", "five.")
    gap = gap_in(tree, hand, 2, 0)
    do(tree, node_marks.exclude(tree, [way(tree)[4]], hand.pen()))

    assert suffix_of(tree, gap.gap_id) == "three five."


def test_who_reads_elsewhere_by_now_stays_there_and_the_suffix_is_the_same() -> None:
    tree, _, hand = story("One ", "three.")
    gap = gap_in(tree, hand, 2, 0)
    do(tree, node_edits.add_node(tree, way(tree)[1], "else.", hand.pen()))

    assert suffix_of(tree, gap.gap_id) == "three."
    fill(tree, hand, gap, "two ")

    assert text(tree) == "One else."


def test_the_gap_and_what_two_models_filled_in_are_taken_back_and_done_again_as_one() -> None:
    tree, _, hand = story("One ", "two four ", "five.")
    before = snapshot(tree)
    gap = gap_in(tree, hand, 2, 4)
    one, _ = fill(tree, hand, gap, "three ", "3 ")
    assert is_known(one.label)
    other, _ = fill(tree, hand, gap, "tres ", agent="n")
    assert gap.change is not None
    after, read = snapshot(tree), tree.path
    steps = [gap.change, one, other]

    apply(tree, undoing(tree, steps[::-1], at=9, by="you"))
    assert snapshot(tree) == before

    apply(tree, redoing(tree, steps, at=9, by="you", read=read))
    assert snapshot(tree) == after
    assert text(tree) == "One two three four five."


def test_what_is_generated_later_is_sent_the_text_with_what_was_filled_in() -> None:
    tree, _, hand = story("One ", "two four.")
    fill(tree, hand, gap_in(tree, hand, 2, 4), "three ")

    assembled = assemble(tree, ContextRequest(way(tree)[-1]))

    assert assembled.document == "One two three four."
    assert assembled.report.alternate_primaries == ()


def test_the_root_can_be_parted_for_it() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("buffer", "t", hand.pen(), text="One three.")

    fill(tree, hand, gap_in(tree, hand, 0, 4), "two ")

    assert text(tree) == "One two three."
    assert open_gap(tree, way(tree), 0, 0, hand.pen()) is None
