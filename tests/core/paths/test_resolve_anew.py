"""A path that is found from the one before it is the very one that is walked from its end."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.edits.branches import reparent
from loomapp.core.edits.node_edits import add_node, choose_path, edit_as_version
from loomapp.core.edits.node_marks import prune
from loomapp.core.model.change import Change, apply
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path, common_length, shared_length
from loomapp.core.paths.resolve import KnownPaths, resolve
from loomapp.core.paths.siblings import versions
from loomapp.core.prose.passage_edits import split
from loomapp.core.prose.path_choice import choose_version
from tests.kit.chance import examples
from tests.kit.trees import Hand, chain


@given(st.randoms(use_true_random=False))
@settings(max_examples=examples(40))
def test_paths_share_what_they_know_and_each_knows_its_own(chance: random.Random) -> None:
    hand = Hand()
    tree, _ = chain(12, mode="dialogue", hand=hand)
    before: list[Path] = []
    for _ in range(14):
        change = branch(tree, hand, chance)
        if change is not None:
            apply(tree, change)
        asked = chance.choice((tree.path.leaf_id, *tree.nodes))
        before.append(resolve(tree, asked))
        tree.caches.of(KnownPaths).spines, spines = (), tree.caches.of(KnownPaths).spines
        assert before[-1] == resolve(tree, asked)
        tree.caches.of(KnownPaths).spines = spines

        for path in before:
            same = common_length(path.node_ids, before[-1].node_ids)
            assert shared_length(path, before[-1]) == same == shared_length(before[-1], path)
            assert all(path.place_of(i) == place for place, i in enumerate(path.node_ids))
            assert all(path.place_of(i) is None for i in tree.nodes.keys() - {*path.node_ids})


def branch(tree: Tree, hand: Hand, chance: random.Random) -> Change | None:
    """Some change of a dialogue: a node more, a branch elsewhere, or another path."""
    node_id, other_id, pen = *chance.choices(list(tree.nodes), k=2), hand.pen()
    if chance.random() < 0.2:
        return choose_path(tree, node_id, pen)
    if chance.random() < 0.5 or node_id == tree.root_id or other_id in {node_id, *tree.descendants(node_id)}:
        return add_node(tree, node_id, "a text", pen)
    return reparent(tree, node_id, other_id, pen)


@given(st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_a_path_found_from_the_one_before_is_the_one_that_is_walked(chance: random.Random) -> None:
    hand = Hand()
    tree, _ = chain(12, mode="buffer", hand=hand)
    done: list[Change] = []
    earlier = resolve(tree, tree.path.leaf_id)
    for step in range(14):
        change = anything(tree, f"text {step}", hand, chance)
        if chance.random() < 0.2 and done:
            apply(tree, done.pop().inverse())
        elif change is not None and not tree.nodes[tree.root_id].metadata.pruned:
            apply(tree, change)
            done = [*done, change] if change.undoable else []

        for asked in (tree.path.leaf_id, chance.choice(list(tree.nodes))):
            found = resolve(tree, asked)
            spines, tree.caches.of(KnownPaths).spines = tree.caches.of(KnownPaths).spines, ()
            walked = resolve(tree, asked)
            tree.caches.of(KnownPaths).spines = spines
            assert found == walked
            assert shared_length(earlier, found) == common_length(earlier.node_ids, found.node_ids)
            earlier = found
            assert all(found.place_of(i) == place for place, i in enumerate(walked.node_ids))
            assert all(tree.nodes[i] is node for i, node in zip(found.node_ids, found.nodes, strict=True))


def anything(tree: Tree, text: str, hand: Hand, chance: random.Random) -> Change | None:
    """Some change of a buffer around its active path."""
    way, pen = resolve(tree, tree.path.leaf_id).node_ids, hand.pen()
    node_id, place = chance.choice(way), chance.randrange(len(way))
    match chance.randrange(6):
        case 0:
            return edit_as_version(tree, node_id, text, pen)
        case 1:
            return split(tree, way, node_id, 3, pen)
        case 2:
            return prune(tree, chance.choice([i for i in tree.nodes if i != tree.root_id]), pen)
        case 3:
            return choose_version(tree, way, place, chance.choice(versions(tree, way, place)), pen)
        case 4:
            return add_node(tree, node_id, text, pen)
        case _:
            return choose_path(tree, chance.choice(list(tree.nodes)), pen)
