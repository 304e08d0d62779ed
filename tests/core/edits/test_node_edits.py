"""Every edit moves the tree as it says, and its inverse moves it back."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.context.assembly import assemble
from loomapp.core.context.request import ContextRequest
from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.errors import InvalidInput, StaleChange
from loomapp.core.model.change import Change, apply
from loomapp.core.model.entities import Edge, EdgeSource
from loomapp.core.model.hashes import verify
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve
from loomapp.core.paths.navigation import lives
from tests.kit.chance import examples
from tests.kit.trees import Hand, chain, do, snapshot


def test_a_new_node_continues_its_parent_and_becomes_the_leaf() -> None:
    tree, ids = chain(2)
    hand = Hand(1_800_000_000_000)

    change = do(tree, node_edits.add_node(tree, ids[-1], "more", hand.pen()))

    node = change.added_nodes()[0]
    assert tree.children(ids[-1]) == (node.id,)
    assert tree.path.leaf_id == node.id
    assert node.parent_hashes == (tree.nodes[ids[-1]].content_hash,)


def test_an_edit_in_a_dialogue_is_a_sibling_and_copies_nothing_below() -> None:
    tree, ids = chain(3)

    change = do(tree, node_edits.edit_as_sibling(tree, ids[1], "instead", Hand(1_800_000_000_000).pen()))

    (node,) = change.added_nodes()
    assert tree.children(ids[0]) == (ids[1], node.id)
    assert tree.children(node.id) == ()
    assert node.edited_from == ids[1]
    assert tree.path.leaf_id == node.id
    assert tree.nodes[ids[1]].text == "message 1"


def test_an_answer_that_a_person_edits_twice_is_sent_as_an_answer() -> None:
    tree, ids = chain(1)
    hand = Hand(1_800_000_000_000)
    writer = replace(hand.pen("scribe"), author_type="model")
    (answer,) = do(tree, node_edits.add_node(tree, ids[0], "Wide.", writer)).added_nodes()

    (once,) = do(tree, node_edits.edit_as_sibling(tree, answer.id, "Grey.", hand.pen())).added_nodes()
    (twice,) = do(tree, node_edits.edit_as_sibling(tree, once.id, "Green.", hand.pen())).added_nodes()

    assert twice.author_type == "human"
    said = assemble(tree, ContextRequest(twice.id)).messages
    assert [(one.role, one.text) for one in said[:2]] == [("user", "message 0"), ("assistant", "Green.")]

    note = do(tree, node_edits.annotate(tree, twice.id, "Lighter", writer)).added_nodes()[0]
    (darker,) = do(tree, node_edits.edit_note(tree, note.id, "Darker", hand.pen())).added_nodes()
    assert darker.role == "assistant"
    greeted = tree_edits.new_tree("dialogue", "", writer, text="Good day.")
    fresh = tree_edits.tree_from_edited_root(greeted, "Good evening.", hand.pen())
    assert [one.role for one in assemble(fresh, ContextRequest(fresh.root_id)).messages][-1] == "assistant"


def test_an_edit_of_a_note_is_a_note_and_goes_along_in_its_stead() -> None:
    tree, ids = chain(2)
    hand = Hand(1_800_000_000_000)
    note = do(tree, node_edits.annotate(tree, ids[0], "A note.", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.include_annotation(tree, note, True, hand.pen()))
    do(tree, node_edits.choose_path(tree, note, hand.pen()))

    change = do(tree, node_edits.edit_as_sibling(tree, note, "Another.", hand.pen()))

    (node,) = change.added_nodes()
    assert tree.notes(ids[0]) == (note, node.id)
    assert tree.included_annotations.node_ids == (node.id,)
    assert resolve.resolve(tree, tree.path.leaf_id).node_ids[-2:] == (ids[0], node.id)

    (third,) = do(tree, node_edits.edit_note(tree, node.id, "A third.", hand.pen())).added_nodes()

    assert [tree.nodes[i].metadata.pruned for i in tree.notes(ids[0])] == [False, True, False]
    assert (third.text, third.edited_from) == ("A third.", node.id)
    assert tree.included_annotations.node_ids == (third.id,)
    assert resolve.resolve(tree, tree.path.leaf_id).node_ids[-2:] == (ids[0], third.id)
    assert node_edits.edit_note(tree, third.id, "A third.", hand.pen()) is None
    do(tree, node_edits.add_node(tree, third.id, "On the third.", hand.pen()))
    (fourth,) = do(tree, node_edits.edit_note(tree, third.id, "A fourth.", hand.pen())).added_nodes()
    assert lives(tree, third.id), "what hangs on it is read with what it said"
    do(tree, node_marks.prune(tree, fourth.id, hand.pen()))
    (fifth,) = do(tree, node_edits.edit_note(tree, fourth.id, "A fifth.", hand.pen())).added_nodes()
    assert lives(tree, fifth.id), "nobody would see the words"
    assert {finding.verdict for finding in verify(tree, {})} == {"ok"}


def test_an_edit_in_a_buffer_is_a_version_that_everything_below_follows() -> None:
    hand = Hand()
    tree, ids = chain(4, mode="buffer", hand=hand)
    other = do(tree, node_edits.add_node(tree, ids[1], "another way on", hand.pen())).added_nodes()[0]
    do(tree, node_edits.choose_path(tree, ids[3], hand.pen()))
    hashes = {i: node.content_hash for i, node in tree.nodes.items()}

    change = do(tree, node_edits.edit_as_version(tree, ids[1], "corrected", hand.pen()))

    (version,) = change.added_nodes()
    path = resolve.resolve(tree, tree.path.leaf_id).node_ids
    assert path == (tree.root_id, ids[0], version.id, ids[2], ids[3])
    assert resolve.resolve(tree, other.id).node_ids[-2] == version.id
    assert {i: tree.nodes[i].content_hash for i in hashes} == hashes
    assert {finding.verdict for finding in verify(tree, {})} == {"ok"}
    apply(tree, change.inverse())
    assert resolve.resolve(tree, tree.path.leaf_id).node_ids == (tree.root_id, *ids)


def test_the_root_of_a_buffer_has_versions_too() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("buffer", "t", hand.pen(), text="Once ")
    below = do(tree, node_edits.add_node(tree, tree.root_id, "upon", hand.pen())).added_nodes()[0]

    version = do(tree, node_edits.edit_as_version(tree, tree.root_id, "Twice ", hand.pen())).added_nodes()[0]

    assert resolve.resolve(tree, below.id).node_ids == (version.id, below.id)
    assert tree.incoming(version.id) == ()


def test_an_edit_that_changes_nothing_is_no_change() -> None:
    tree, ids = chain(2)

    assert node_edits.edit_as_sibling(tree, ids[1], "message 1", Hand().pen()) is None
    assert node_marks.include(tree, ids, Hand().pen()) is None


def test_the_root_of_a_dialogue_is_edited_by_a_tree_of_its_own() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "", hand.pen(), text="Hello there", system_context="Be kind.")

    with pytest.raises(InvalidInput):
        node_edits.edit_as_sibling(tree, tree.root_id, "Good day", hand.pen())
    fresh = tree_edits.tree_from_edited_root(tree, "Good day", hand.pen())

    assert fresh.nodes[fresh.root_id].text == "Good day"
    assert fresh.loom.system_context == "Be kind."
    assert fresh.loom.id != tree.loom.id


def test_prune_takes_everything_below_and_moves_the_path_out() -> None:
    tree, ids = chain(4)
    note = do(tree, node_edits.annotate(tree, ids[3], "a note", Hand(1_800_000_000_000).pen())).added_nodes()[
        0
    ]

    do(tree, node_marks.prune(tree, ids[1], Hand().pen()))

    pruned = {i for i, node in tree.nodes.items() if node.metadata.pruned}
    assert pruned == {ids[1], ids[2], ids[3], note.id}
    assert tree.path.leaf_id == ids[0]


def test_prune_spares_what_another_version_still_carries() -> None:
    hand = Hand()
    tree, ids = chain(3, mode="buffer", hand=hand)
    version = do(tree, node_edits.edit_as_sibling(tree, ids[1], "a version", hand.pen())).added_nodes()[0]
    edge = tree.incoming(ids[2])[0]
    tree.put_edge(replace(edge, sources=(*edge.sources, EdgeSource(version.id))))

    do(tree, node_marks.prune(tree, ids[1], hand.pen()))

    assert tree.nodes[ids[1]].metadata.pruned
    assert not tree.nodes[ids[2]].metadata.pruned


def test_prune_leaves_the_version_above_that_is_read() -> None:
    hand = Hand()
    tree, ids = chain(3, mode="buffer", hand=hand)
    version = do(tree, node_edits.edit_as_version(tree, ids[1], "corrected", hand.pen())).added_nodes()[0].id

    do(tree, node_marks.prune(tree, ids[2], hand.pen()))

    assert resolve.resolve(tree, tree.path.leaf_id).node_ids == (tree.root_id, ids[0], version)


def test_of_a_pruned_version_that_is_read_the_newest_living_one_takes_the_place() -> None:
    hand = Hand()
    tree, ids = chain(3, mode="buffer", hand=hand)
    older = do(tree, node_edits.edit_as_version(tree, ids[0], "corrected", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, ids[2], hand.pen(), {ids[1]: ids[0]}))
    version = do(tree, node_edits.edit_as_version(tree, ids[1], "better", hand.pen())).added_nodes()[0].id
    do(tree, node_edits.choose_path(tree, ids[2], hand.pen(), {**tree.path.selections, version: ids[0]}))

    do(tree, node_marks.prune(tree, version, hand.pen()))

    assert resolve.resolve(tree, ids[2]).node_ids == (tree.root_id, ids[0], ids[1], ids[2])
    assert tree.path.leaf_id == ids[2]
    do(tree, node_marks.prune(tree, ids[0], hand.pen()))
    assert resolve.resolve(tree, ids[2]).node_ids == (tree.root_id, older, ids[1], ids[2])


def test_restore_brings_back_the_branch() -> None:
    tree, ids = chain(3)
    do(tree, node_marks.prune(tree, ids[0], Hand().pen()))

    change = do(tree, node_marks.restore(tree, ids[0], Hand().pen()))

    assert change.label == "Restore 3 nodes"
    assert not any(node.metadata.pruned for node in tree.nodes.values())


def test_a_change_that_no_longer_fits_is_refused_and_changes_nothing() -> None:
    tree, ids = chain(2)
    stale = node_marks.exclude(tree, ids, Hand().pen())
    assert stale is not None
    do(tree, node_marks.bookmark(tree, ids[1], "here", Hand().pen()))
    before = snapshot(tree)

    with pytest.raises(StaleChange):
        apply(tree, stale)

    assert snapshot(tree) == before


def test_moving_the_path_never_makes_an_undo_stale() -> None:
    tree, ids = chain(3)
    change = do(tree, node_edits.edit_as_sibling(tree, ids[2], "instead", Hand().pen()))
    do(tree, node_edits.choose_path(tree, ids[0], Hand().pen()))

    apply(tree, change.inverse())

    assert tree.path.leaf_id == ids[2]


def test_the_mode_is_fixed_by_the_first_node() -> None:
    hand = Hand()
    empty = tree_edits.new_tree("dialogue", "t", hand.pen())
    full, _ = chain(1)

    assert tree_edits.change_loom(empty, "Mode", hand.pen(), replace(empty.loom, mode="buffer")) is not None
    with pytest.raises(InvalidInput):
        tree_edits.change_loom(full, "Mode", hand.pen(), replace(full.loom, mode="buffer"))


@pytest.mark.parametrize("depth", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_very_deep_tree_is_pruned_and_restored(depth: int) -> None:
    tree, _ = chain(depth)

    do(tree, node_marks.prune(tree, tree.root_id, Hand().pen()))
    do(tree, node_marks.restore(tree, tree.root_id, Hand().pen()))

    assert len(tree.descendants(tree.root_id)) == depth + 1


def test_titles_are_the_first_words() -> None:
    assert (
        tree_edits.title_from("  What did  the lighthouse keeper write? ")
        == "What did the lighthouse keeper write?"
    )
    assert tree_edits.title_from("one two three four five six seven") == "one two three four five six…"
    assert tree_edits.title_from("x" * 100) == "x" * 47 + "…"
    assert tree_edits.title_from(" \n") == ""
    chapter = "\n# Chapter Seven: The Customs House of Salt #\r\n\nNobody in the village slept."
    assert tree_edits.title_from(chapter) == "Chapter Seven: The Customs House of Salt"
    assert tree_edits.title_from("## " + "x" * 100) == "x" * 47 + "…"
    assert tree_edits.title_from("#tag and more, and # one") == "#tag and more, and # one"


def random_edit(tree: Tree, chance: random.Random, hand: Hand) -> Change | None:
    """Any edit at a random place."""
    node_id = chance.choice(list(tree.nodes))
    pen = hand.pen()
    text = chance.choice(["a", "b", "", "für — 🌙"])
    pick = chance.randrange(12)
    if pick <= 2:
        return node_edits.add_node(tree, node_id, text, pen)
    if pick == 3 and tree.annotation_edges_into(node_id):
        return node_edits.edit_note(tree, node_id, text, pen)
    if pick == 3 and tree.incoming(node_id):
        return node_edits.edit_as_sibling(tree, node_id, text, pen)
    if pick == 3:
        return node_edits.edit_as_version(tree, node_id, text, pen)
    if pick == 4:
        return node_edits.annotate(tree, node_id, text, pen)
    if pick == 5:
        return node_marks.exclude(tree, chance.sample(list(tree.nodes), k=min(2, len(tree.nodes))), pen)
    if pick == 6:
        return node_marks.include(tree, tree.nodes, pen)
    if pick == 7:
        return node_marks.prune(tree, node_id, pen)
    if pick == 8:
        return node_marks.restore(tree, node_id, pen)
    if pick == 9:
        return node_marks.bookmark(tree, node_id, text, pen)
    if pick == 10:
        return node_edits.include_annotation(tree, node_id, chance.random() < 0.5, pen)
    return node_edits.choose_path(tree, node_id, pen)


@settings(max_examples=examples(60), deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 25))
def test_every_change_is_taken_back_by_its_inverse(chance: random.Random, steps: int) -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "t", hand.pen())
    trail: list[tuple[object, Change]] = []
    for _ in range(steps):
        change = random_edit(tree, chance, hand)
        if change is not None:
            trail.append((snapshot(tree), change))
            apply(tree, change)

    after = snapshot(tree)
    for before, change in reversed(trail):
        apply(tree, change.inverse())
        assert snapshot(tree) == before
    for _, change in trail:
        apply(tree, change)

    assert snapshot(tree) == after
    assert {finding.verdict for finding in verify(tree, {})} == {"ok"}


def test_a_re_hung_node_does_not_verify() -> None:
    tree, ids = chain(3)
    edge = tree.incoming(ids[2])[0]
    tree.put_edge(Edge(edge.id, (EdgeSource(ids[0]),), ids[2], created_at=edge.created_at))

    failed = [finding.node_id for finding in verify(tree, {}) if finding.verdict == "failed"]

    assert failed == [ids[2]]


def test_a_version_of_what_is_only_reference_material_leaves_the_path_alone() -> None:
    hand = Hand()
    tree, ids = chain(2, mode="buffer", hand=hand)
    sources = (EdgeSource(ids[1]), EdgeSource(ids[0], "context"))
    leaf = do(tree, node_edits.add_node(tree, ids[1], "on", hand.pen(), sources=sources)).added_nodes()[0].id

    version = do(tree, node_edits.edit_as_version(tree, ids[0], "other", hand.pen())).added_nodes()[0].id

    assert resolve.resolve(tree, leaf).node_ids == (tree.root_id, version, ids[1], leaf)
