"""Editing, splitting, merging and choosing in a buffer: the text stays the same but where it was changed."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loomapp.core.edits import branches, node_edits, node_marks, tree_edits
from loomapp.core.errors import InvalidInput
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.change import Change, apply
from loomapp.core.model.hashes import ResponseDigest, verify
from loomapp.core.model.raw_response import Evidence, compress
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation, resolve
from loomapp.core.paths.siblings import followed_too, siblings, versions, ways_on
from loomapp.core.paths.version_groups import MANY, Kinship
from loomapp.core.prose.authorship import Author, spans_of
from loomapp.core.prose.buffer_text import BufferText, PendingText, begun
from loomapp.core.prose.passage_edits import chain_at, keep_path, merge, revise, split
from loomapp.core.prose.path_choice import choose_sibling, choose_version
from tests.bench.groves import grown
from tests.core.prose.test_buffer_text import story
from tests.kit.trees import Hand, do, snapshot

PERSON = Author("human", "you")


def way(tree: Tree) -> tuple[str, ...]:
    return resolve.resolve(tree, tree.path.leaf_id).node_ids


def text(tree: Tree) -> str:
    return "".join(tree.nodes[i].text for i in way(tree))


def answered(tree: Tree, hand: Hand, parent: str, *texts: str) -> tuple[list[str], Evidence]:
    """Continuations by a model, all from one response; their ids."""
    choices = [
        {"index": i, "message": {"role": "assistant", "content": said}} for i, said in enumerate(texts)
    ]
    body = compress(json.dumps({"choices": choices}).encode())
    evidence = Evidence(hand.new_id(), "p", "{}", body, choices={str(i): i for i in range(len(texts))})
    drafts = [Draft(i, said) for i, said in enumerate(texts)]
    now = hand.pen().now
    change = nodes_from_drafts(
        tree, drafts, sources=Sources(parent), agent_id="m", evidence=[evidence], now=now, new_id=hand.new_id
    )
    nodes = do(tree, change).added_nodes()
    assert change is not None
    return [node.id for node in nodes], change.evidence[0]


def assert_all_verify(tree: Tree, *evidence: Evidence) -> None:
    digests: dict[str, ResponseDigest] = {}
    for one in evidence:
        digests.update(one.digests())
    assert {finding.verdict for finding in verify(tree, digests)} == {"ok"}


def assert_undone(tree: Tree, change: Change, before: object) -> None:
    apply(tree, change.inverse())
    assert snapshot(tree) == before
    apply(tree, change)


def test_a_deletion_over_three_passages_is_one_change_of_three_versions() -> None:
    tree, ids, hand = story("Once ", "upon ", "a time ", "there was")
    other = do(tree, node_edits.add_node(tree, ids[2], "no time", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, ids[4], hand.pen()))
    before, hashes = snapshot(tree), {i: node.content_hash for i, node in tree.nodes.items()}
    typed = {
        ids[1]: begun(tree, ids[1]).replaced(2, 5, "X", PERSON),
        ids[2]: begun(tree, ids[2]).replaced(0, 5, "", PERSON),
        ids[3]: begun(tree, ids[3]).replaced(0, 2, "", PERSON),
    }

    change = do(tree, revise(tree, way(tree), typed, hand.pen()))

    assert change.label == "Edit 3 passages"
    assert text(tree) == "OnXtime there was"
    assert way(tree)[-1] == ids[4]
    assert [tree.nodes[i].edited_from for i in way(tree)] == [None, ids[1], ids[2], ids[3], None]
    assert "".join(tree.nodes[i].text for i in resolve.resolve(tree, other).node_ids) == "OnXno time"
    assert {i: tree.nodes[i].content_hash for i in hashes} == hashes
    assert len(change.added_nodes()) == 3
    assert_all_verify(tree)
    assert_undone(tree, change, before)


def test_a_passage_as_it_was_is_no_version() -> None:
    tree, ids, hand = story("Once ")

    assert revise(tree, way(tree), {ids[1]: begun(tree, ids[1])}, hand.pen()) is None


def test_an_excluded_passage_stays_excluded_when_a_word_of_it_is_corrected() -> None:
    tree, ids, hand = story("Once ", "upon")
    do(tree, node_marks.exclude(tree, [ids[1]], hand.pen()))

    do(tree, revise(tree, way(tree), {ids[1]: PendingText("Twice ")}, hand.pen()))

    assert tree.nodes[way(tree)[1]].metadata.excluded


def test_a_note_on_a_passage_is_one_on_its_versions_parts_and_what_it_is_merged_into() -> None:
    tree, ids, hand = story("Once ", "upon a time", " there was")
    note = do(tree, node_edits.annotate(tree, ids[2], "Mind the time.", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.include_annotation(tree, note, True, hand.pen()))
    before, hashes = snapshot(tree), {i: node.content_hash for i, node in tree.nodes.items()}

    def is_sent() -> bool:
        return note in (i for i in way(tree) for i in tree.notes(i))

    change = do(tree, revise(tree, way(tree), {ids[2]: PendingText("upon no time")}, hand.pen()))
    assert is_sent()
    assert_undone(tree, change, before)
    do(tree, split(tree, way(tree), way(tree)[2], 5, hand.pen()))
    assert is_sent()
    do(tree, merge(tree, way(tree), range(2, 5), hand.pen()))
    assert is_sent()
    do(tree, merge(tree, way(tree), range(1, 3), hand.pen()))
    assert len(way(tree)) == 2
    assert is_sent()
    assert {i: tree.nodes[i].content_hash for i in hashes} == hashes
    assert_all_verify(tree)


def test_a_note_that_is_read_stays_a_note_when_it_is_corrected_and_split() -> None:
    tree, ids, hand = story("Once ", "upon ")
    note = do(tree, node_edits.annotate(tree, ids[1], "Mind the time.", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.include_annotation(tree, note, True, hand.pen()))
    do(tree, node_edits.choose_path(tree, note, hand.pen()))
    before = snapshot(tree)

    change = do(tree, revise(tree, way(tree), {note: PendingText("Mind the hour.")}, hand.pen()))
    assert text(tree) == "Once Mind the hour."
    (version,) = change.added_nodes()
    assert version.id in tree.notes(ids[1])
    assert tree.included_annotations.node_ids == (version.id,)
    assert_undone(tree, change, before)
    do(tree, split(tree, way(tree), version.id, 5, hand.pen()))
    assert [tree.nodes[i].text for i in way(tree)] == ["", "Once ", "Mind ", "the hour."]
    do(tree, revise(tree, way(tree), {ids[1]: PendingText("Twice ")}, hand.pen()))
    assert text(tree) == "Twice Mind the hour."
    assert_all_verify(tree)


def test_a_split_says_the_same_in_two_nodes_and_what_follows_follows_the_second() -> None:
    tree, ids, hand = story("Once ")
    (first, other), evidence = answered(tree, hand, ids[1], "upon a time", "on")
    after = do(tree, node_edits.add_node(tree, first, " there", hand.pen())).added_nodes()[0].id
    branch = do(tree, node_edits.add_node(tree, first, " here", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, after, hand.pen()))
    before, hashes = snapshot(tree), {i: node.content_hash for i, node in tree.nodes.items()}

    change = do(tree, split(tree, way(tree), first, 4, hand.pen(), evidence))

    head, tail = change.added_nodes()
    assert (head.text, tail.text) == ("upon", " a time")
    assert way(tree) == (tree.root_id, ids[1], head.id, tail.id, after)
    assert resolve.resolve(tree, branch).node_ids[-2] == tail.id
    assert {head.author_type, tail.author_type} == {"model"}
    assert [span.author for span in spans_of(tree, tail.id)] == [Author("model", "m")]
    assert {i: tree.nodes[i].content_hash for i in hashes} == hashes
    assert_all_verify(tree, evidence, *change.evidence)
    assert other in tree.children(ids[1])
    assert_undone(tree, change, before)


def test_a_split_keeps_mixed_authorship_where_it_is() -> None:
    tree, ids, hand = story("Once ")
    (answer,), _ = answered(tree, hand, ids[1], "aaaaaa")
    typed = begun(tree, answer).replaced(3, 4, "aa", PERSON)
    version = do(tree, revise(tree, way(tree), {answer: typed}, hand.pen())).added_nodes()[0]

    head, tail = do(tree, split(tree, way(tree), version.id, 4, hand.pen())).added_nodes()

    assert [(s.start, s.end, s.author_type) for s in spans_of(tree, version.id)] == [
        (0, 3, "model"),
        (3, 5, "human"),
        (5, 7, "model"),
    ]
    assert [(s.end, s.author_type) for s in spans_of(tree, head.id)] == [(3, "model"), (4, "human")]
    assert [(s.end, s.author_type) for s in spans_of(tree, tail.id)] == [(1, "human"), (3, "model")]


@pytest.mark.parametrize("at", [0, 6, 9])
def test_there_is_nothing_to_split_at_the_ends_of_a_passage(at: int) -> None:
    tree, ids, hand = story("abcde\u0301")

    assert split(tree, way(tree), ids[1], at, hand.pen()) is None


def test_a_character_is_not_split() -> None:
    tree, ids, hand = story("abe\u0301c")

    change = do(tree, split(tree, way(tree), ids[1], 3, hand.pen()))

    assert [node.text for node in change.added_nodes()] == ["ab", "e\u0301c"]


def test_the_root_can_be_split() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("buffer", "t", hand.pen(), text="Once upon")
    below = do(tree, node_edits.add_node(tree, tree.root_id, " a time", hand.pen())).added_nodes()[0].id

    do(tree, split(tree, way(tree), tree.root_id, 4, hand.pen()))

    assert text(tree) == "Once upon a time"
    assert len(way(tree)) == 3
    assert way(tree)[-1] == below
    assert_all_verify(tree)


def test_a_merge_says_the_same_in_one_node_and_nothing_is_lost() -> None:
    tree, ids, hand = story("Once ")
    (answer,), evidence = answered(tree, hand, ids[1], "upon ")
    after = do(tree, node_edits.add_node(tree, answer, "a time", hand.pen())).added_nodes()[0].id
    last = do(tree, node_edits.add_node(tree, after, " there", hand.pen())).added_nodes()[0].id
    other = do(tree, node_edits.add_node(tree, after, " here", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, last, hand.pen()))
    before = snapshot(tree)

    assert chain_at(tree, way(tree), 2) == range(1, 4)
    change = do(tree, merge(tree, way(tree), range(1, 4), hand.pen(), {answer: evidence}))

    (merged,) = change.added_nodes()
    assert merged.text == "Once upon a time"
    assert way(tree) == (tree.root_id, merged.id, last)
    assert not navigation.is_fork(tree, tree.root_id)
    assert resolve.resolve(tree, other).node_ids == (tree.root_id, merged.id, other)
    assert merged.author_type == "human"
    assert [(s.end, s.author_type) for s in spans_of(tree, merged.id)] == [
        (5, "human"),
        (10, "model"),
        (16, "human"),
    ]
    assert_all_verify(tree, evidence)
    assert_undone(tree, change, before)


def test_what_was_split_and_is_merged_again_is_the_models_again() -> None:
    tree, ids, hand = story("Once ")
    (answer,), evidence = answered(tree, hand, ids[1], "upon a time")
    halves = do(tree, split(tree, way(tree), answer, 4, hand.pen(), evidence))

    responses = {node.id: halves.evidence[0] for node in halves.added_nodes()}
    change = do(tree, merge(tree, way(tree), range(2, 4), hand.pen(), responses))

    assert change.added_nodes()[0].author_type == "model"
    assert_all_verify(tree, evidence, *halves.evidence, *change.evidence)


def test_stretches_of_an_answer_with_a_gap_between_them_are_by_the_person_who_merges_them() -> None:
    tree, ids, hand = story("Once ")
    (answer,), evidence = answered(tree, hand, ids[1], "you should not lie")
    halves = do(tree, split(tree, way(tree), answer, 11, hand.pen(), evidence))
    first, second = (node.id for node in halves.added_nodes())
    responses = dict.fromkeys((first, second), halves.evidence[0])
    again = do(tree, split(tree, way(tree), second, 4, hand.pen(), halves.evidence[0]))
    end = again.added_nodes()[-1].id
    responses |= dict.fromkeys((node.id for node in again.added_nodes()), again.evidence[0])
    do(tree, branches.reparent(tree, end, first, hand.pen()))
    assert text(tree) == "Once you should lie"

    change = do(tree, merge(tree, way(tree), range(2, 4), hand.pen(), responses))

    [merged] = change.added_nodes()
    assert merged.text == "you should lie"
    assert (merged.author_type, change.evidence) == ("human", ())


def test_a_fork_is_not_merged_away() -> None:
    tree, ids, hand = story("Once ", "upon ")
    do(tree, node_edits.add_node(tree, ids[1], "more", hand.pen()))
    do(tree, node_edits.choose_path(tree, ids[2], hand.pen()))

    assert chain_at(tree, way(tree), 2) == range(2, 3)
    with pytest.raises(InvalidInput):
        merge(tree, way(tree), range(1, 3), hand.pen())


def test_keeping_a_path_prunes_what_leaves_it_and_no_version() -> None:
    tree, ids, hand = story("Once ", "upon ", "a time")
    away = do(tree, node_edits.add_node(tree, ids[1], "more", hand.pen())).added_nodes()[0].id
    below = do(tree, node_edits.add_node(tree, away, " yet", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, ids[3], hand.pen()))
    version = (
        do(tree, revise(tree, way(tree), {ids[2]: PendingText("below ")}, hand.pen())).added_nodes()[0].id
    )
    elsewhere = do(tree, node_edits.add_node(tree, ids[2], "of old", hand.pen())).added_nodes()[0].id
    do(tree, split(tree, way(tree), away, 2, hand.pen()))
    do(tree, node_edits.choose_path(tree, ids[3], hand.pen(), {ids[3]: version}))
    before = snapshot(tree)

    change = do(tree, keep_path(tree, way(tree), hand.pen()))

    pruned = {i for i, node in tree.nodes.items() if node.metadata.pruned}
    assert {away, below, elsewhere} <= pruned
    assert not pruned & {*ids, version}
    assert text(tree) == "Once below a time"
    assert keep_path(tree, way(tree), hand.pen()) is None
    assert_undone(tree, change, before)


# Choosing


def test_another_version_changes_one_place() -> None:
    tree, ids, hand = story("Once ", "upon ", "a time")
    do(tree, revise(tree, way(tree), {ids[2]: PendingText("below ")}, hand.pen()))

    change = do(tree, choose_version(tree, way(tree), 2, ids[2], hand.pen()))

    assert text(tree) == "Once upon a time"
    assert not change.undoable


def test_what_was_written_after_one_version_can_follow_the_other() -> None:
    tree, ids, hand = story("Once ", "upon ")
    do(tree, revise(tree, way(tree), {ids[2]: PendingText("below ")}, hand.pen()))
    do(tree, node_edits.add_node(tree, way(tree)[-1], "a roof", hand.pen()))
    hashes = {i: node.content_hash for i, node in tree.nodes.items()}
    before = snapshot(tree)

    change = do(tree, choose_version(tree, way(tree), 2, ids[2], hand.pen()))

    assert text(tree) == "Once upon a roof"
    assert change.undoable
    assert {i: tree.nodes[i].content_hash for i in hashes} == hashes
    assert_all_verify(tree)
    assert_undone(tree, change, before)


def test_the_whole_of_a_split_passage_is_a_version_of_its_first_half() -> None:
    tree, ids, hand = story("Once ", "upon a time", " there")
    head, tail = do(tree, split(tree, way(tree), ids[2], 4, hand.pen())).added_nodes()
    buffer_text = BufferText(tree, resolve.resolve(tree, ids[3]))
    assert buffer_text.versions(2) == (ids[2], head.id)
    assert buffer_text.siblings(2).count == 1

    do(tree, choose_version(tree, way(tree), 2, ids[2], hand.pen()))
    assert way(tree) == (tree.root_id, *ids[1:])
    do(tree, choose_version(tree, way(tree), 2, head.id, hand.pen()))

    assert way(tree) == (tree.root_id, ids[1], head.id, tail.id, ids[3])


def test_the_whole_brings_what_follows_the_halves_along() -> None:
    tree, ids, hand = story("Once ", "upon a time")
    _, tail = do(tree, split(tree, way(tree), ids[2], 4, hand.pen())).added_nodes()
    after = do(tree, node_edits.add_node(tree, tail.id, " there", hand.pen())).added_nodes()[0].id

    do(tree, choose_version(tree, way(tree), 2, ids[2], hand.pen()))

    assert way(tree) == (tree.root_id, ids[1], ids[2], after)
    assert text(tree) == "Once upon a time there"
    assert_all_verify(tree)


def test_from_the_middle_the_whole_goes_on_as_it_did() -> None:
    tree, ids, hand = story("Once ", "upon a time", " there")
    head, _ = do(tree, split(tree, way(tree), ids[2], 4, hand.pen())).added_nodes()
    do(tree, node_edits.add_node(tree, head.id, " us", hand.pen()))
    assert text(tree) == "Once upon us"

    do(tree, choose_version(tree, way(tree), 2, ids[2], hand.pen()))

    assert text(tree) == "Once upon a time there"


def test_a_merged_chain_and_its_parts_are_versions() -> None:
    tree, ids, hand = story("Once ", "upon ", "a time")
    (merged,) = do(tree, merge(tree, way(tree), range(1, 3), hand.pen())).added_nodes()
    assert BufferText(tree, resolve.resolve(tree, ids[3])).versions(1) == (ids[1], merged.id)

    do(tree, choose_version(tree, way(tree), 1, ids[1], hand.pen()))
    assert way(tree) == (tree.root_id, *ids[1:])
    do(tree, choose_version(tree, way(tree), 1, merged.id, hand.pen()))

    assert way(tree) == (tree.root_id, merged.id, ids[3])


def test_a_sibling_keeps_the_version_that_is_shown_above_it() -> None:
    tree, ids, hand = story("Once ", "upon ", "a time")
    sibling = do(tree, node_edits.add_node(tree, ids[2], "the sea", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, ids[3], hand.pen()))
    do(tree, revise(tree, way(tree), {ids[2]: PendingText("below ")}, hand.pen()))
    do(tree, choose_version(tree, way(tree), 2, ids[2], hand.pen()))

    do(tree, choose_sibling(tree, way(tree), 3, [sibling], hand.pen()))

    assert text(tree) == "Once upon the sea"


def test_what_follows_a_passage_follows_just_the_versions_that_answers_to_it_will_follow() -> None:
    tree, ids, hand = story("Once upon ", "a time ", "there was ", "a lamp")

    def check() -> None:
        for passage, child in pairwise(ids[1:]):
            follows = tree.incoming(child)[0].with_role("primary")
            assert follows == (passage, *followed_too(tree, passage))

    do(tree, split(tree, way(tree), ids[2], 2, hand.pen()))
    check()
    second = way(tree)[3]
    do(tree, revise(tree, way(tree), {second: begun(tree, second).replaced(0, 1, "X", PERSON)}, hand.pen()))
    check()
    do(tree, merge(tree, way(tree), range(2, 4), hand.pen()))
    check()
    do(tree, split(tree, way(tree), ids[1], 4, hand.pen(), gap=True))
    check()
    assert len(followed_too(tree, ids[2])) == 3


def test_versions_and_parts_of_a_passage_are_one_way_on() -> None:
    tree, ids, hand = story("Once ", "upon a time ", "there was")
    other = do(tree, node_edits.add_node(tree, ids[1], "no more", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, ids[3], hand.pen()))
    typed = {ids[2]: begun(tree, ids[2]).replaced(0, 4, "on", PERSON)}
    do(tree, revise(tree, way(tree), typed, hand.pen()))
    first = do(tree, split(tree, way(tree), way(tree)[2], 3, hand.pen())).added_nodes()[0].id

    assert len(tree.living_children(ids[1])) == 4
    assert ways_on(tree, ids[1]) == (first, other)
    assert len(ways_on(tree, first)) == 1


def test_versions_among_very_many_ways_on_are_one_way_and_none_once_they_are_gone() -> None:
    tree, hand = grown("wide", MANY + 100), Hand()
    shown = list(tree.nodes)[5]
    read = (tree.root_id, shown)
    before = siblings(tree, read, 1)
    assert before.count == MANY + 99

    typed = begun(tree, shown).replaced(0, 0, "Well. ", PERSON)
    change = do(tree, revise(tree, read, {shown: typed}, hand.pen()))

    version = change.added_nodes()[0].id
    assert versions(tree, read, 1) == versions(tree, (tree.root_id, version), 1) == (shown, version)
    assert siblings(tree, (tree.root_id, version), 1).count == before.count
    every = tree.children(tree.root_id)
    assert Kinship(tree).of_each(every) == [Kinship(tree).of(node_id) for node_id in every]
    apply(tree, change.inverse())
    assert siblings(tree, read, 1) == before
    assert versions(tree, read, 1) == (shown,)


STRETCHES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.text("xyz", max_size=3)), max_size=6)


@given(STRETCHES)
def test_many_stretches_replaced_at_once_are_as_one_after_the_other(
    steps: list[tuple[int, int, str]],
) -> None:
    tree, ids, _ = story("The lamp was lit, and the oil was cold.")
    text = begun(tree, ids[-1])
    stretches: list[tuple[int, int, str]] = []
    at = 0
    for gap, length, new in steps:
        stretches.append((at + gap, at + gap + length, new))
        at += gap + length
    assume(at <= len(text.text))
    expected = text
    for start, end, new in reversed(stretches):
        expected = expected.replaced(start, end, new, PERSON)

    found = text.replaced_each(stretches, PERSON)

    assert (found.text, found.pieces) == (expected.text, expected.pieces)
    assert found.spans == expected.spans
