"""The manuscript says what its path says, whatever is written in it, and finds every place again.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.edits import node_edits, tree_edits
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import BufferText, PendingText, TextChange, begun, difference, fresh
from tests.kit.trees import Hand, do

PERSON = Author("human", "you")


def story(*texts: str) -> tuple[Tree, list[str], Hand]:
    """A buffer whose path says these texts, an empty root before them."""
    hand = Hand()
    tree = tree_edits.new_tree("buffer", "t", hand.pen())
    ids = [tree.root_id]
    for text in texts:
        ids.append(do(tree, node_edits.add_node(tree, ids[-1], text, hand.pen())).added_nodes()[0].id)
    return tree, ids, hand


def manuscript_of(tree: Tree) -> BufferText:
    return BufferText(tree, resolve.resolve(tree, tree.path.leaf_id))


def assert_sound(buffer_text: BufferText) -> None:
    """Passages without gaps, and each found from its characters."""
    text, at = buffer_text.text, 0
    passages = [buffer_text.passage(place) for place in range(len(buffer_text))]
    for passage in passages:
        assert passage.start == at
        at = passage.end
        spans = buffer_text.spans(passage.place)
        assert (spans[-1].end if spans else 0) == passage.end - passage.start
        for offset in range(passage.start, passage.end):
            assert buffer_text.passage_at(offset) == next(p for p in passages if p.end > offset)
    assert at == len(text) == buffer_text.length
    assert list(buffer_text.passages()) == passages
    assert passages[-1].node_id is None


def test_it_is_the_path_and_the_working_buffer() -> None:
    tree, ids, _ = story("Once ", "upon ", "a time")
    buffer_text = manuscript_of(tree)

    buffer_text.write(4, fresh(" there", PERSON))

    assert buffer_text.text == "Once upon a time there"
    assert buffer_text.node_ids == tuple(ids)
    assert [p.node_id for p in buffer_text.passages(4, 12)] == ids[1:]
    assert_sound(buffer_text)


def test_a_caret_between_two_passages_belongs_to_the_right_one() -> None:
    tree, ids, _ = story("Once ", "", "upon")
    buffer_text = manuscript_of(tree)

    assert buffer_text.passage_at(0).node_id == ids[1]
    assert buffer_text.passage_at(5).node_id == ids[3]
    assert buffer_text.passage_at(9).node_id is None


def test_but_who_types_on_at_the_end_of_what_he_corrects_stays_in_it() -> None:
    tree, ids, _ = story("Once ", "upon")
    buffer_text = manuscript_of(tree)

    buffer_text.write(1, begun(tree, ids[1]).replaced(4, 5, "", PERSON))

    assert buffer_text.text == "Onceupon"
    assert buffer_text.passage_at(4).node_id == ids[2]
    buffer_text.pen_at = 4
    assert buffer_text.passage_at(4).node_id == ids[1]
    assert buffer_text.passage_at(5).node_id == ids[2]


def test_a_version_that_says_what_stands_under_the_pen_changes_nothing() -> None:
    tree, ids, hand = story("Once ", "upon ", "a time")
    buffer_text = manuscript_of(tree)
    buffer_text.write(2, begun(tree, ids[2]).replaced(0, 4, "below", PERSON))

    do(tree, node_edits.edit_as_version(tree, ids[2], "below ", hand.pen()))
    splice = buffer_text.follow(resolve.resolve(tree, tree.path.leaf_id))

    assert splice is None
    assert buffer_text.text == "Once below a time"
    assert not buffer_text.penned
    assert_sound(buffer_text)


def test_words_that_become_a_node_change_nothing() -> None:
    tree, ids, hand = story("Once ")
    buffer_text = manuscript_of(tree)
    buffer_text.write(2, fresh("upon", PERSON))

    do(tree, node_edits.add_node(tree, ids[-1], "upon", hand.pen()))
    splice = buffer_text.follow(resolve.resolve(tree, tree.path.leaf_id), PendingText())

    assert splice is None
    assert buffer_text.text == "Once upon"
    assert_sound(buffer_text)


def test_another_way_on_changes_what_comes_after_it_alone() -> None:
    tree, ids, hand = story("Once ", "upon ", "a time")
    do(tree, node_edits.choose_path(tree, ids[1], hand.pen()))
    do(tree, node_edits.add_node(tree, ids[1], "uplifted", hand.pen()))
    do(tree, node_edits.choose_path(tree, ids[-1], hand.pen()))
    buffer_text = manuscript_of(tree)

    other = tree.children(ids[1])[1]
    splice = buffer_text.follow(resolve.resolve(tree, other))

    assert splice == TextChange(7, 16, "lifted")
    assert buffer_text.siblings(2).index == 1
    assert buffer_text.siblings(2).node_ids == (ids[2], other)
    assert_sound(buffer_text)


def test_versions_and_ways_on_are_told_apart() -> None:
    tree, ids, hand = story("Once ", "upon ", "a time")
    version = do(tree, node_edits.edit_as_version(tree, ids[2], "below ", hand.pen())).added_nodes()[0].id
    leaf = tree.path.leaf_id
    do(tree, node_edits.add_node(tree, ids[1], "more", hand.pen()))
    do(tree, node_edits.choose_path(tree, leaf, hand.pen()))
    buffer_text = manuscript_of(tree)

    assert buffer_text.versions(2) == (ids[2], version)
    assert buffer_text.siblings(2).count == 2
    assert buffer_text.siblings(2).node_ids[0] == version
    assert buffer_text.versions(3) == (ids[3],)


@pytest.mark.slow
def test_a_path_of_a_hundred_thousand_nodes() -> None:
    root = Node("n0", "N0", Text(""), "human")
    nodes = [root, *(Node(f"n{i}", f"N{i}", Text("word "), "human") for i in range(1, 100_001))]
    edges = [Edge(f"e{i}", (EdgeSource(f"n{i - 1}"),), f"n{i}") for i in range(1, 100_001)]
    tree = Tree(LoomTree("t", "t", "buffer", "n0"), nodes=nodes, edges=edges)
    buffer_text = BufferText(tree, resolve.resolve(tree, "n100000"))

    middle = buffer_text.passage_at(250_002)
    assert middle.node_id is not None
    for _ in range(1000):
        buffer_text.write(middle.place, begun(tree, middle.node_id).replaced(2, 2, "x", PERSON))

    assert buffer_text.length == 500_001
    assert buffer_text.passage_at(250_007).place == middle.place + 1
    assert buffer_text.versions(middle.place) == (middle.node_id,)


@given(
    st.lists(st.text(max_size=5), max_size=6),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 5), st.text(max_size=3)), max_size=8),
)
def test_whatever_is_written_it_stays_sound(texts: list[str], strokes: list[tuple[int, int, str]]) -> None:
    tree, ids, _ = story(*texts)
    buffer_text = manuscript_of(tree)
    naive = ["", *texts, ""]

    for which, where, text in strokes:
        place = min(which, len(naive) - 1)
        at = min(where, len(naive[place]))
        typed = buffer_text.working if place == len(ids) else buffer_text.penned.get(ids[place])
        typed = begun(tree, ids[place]) if typed is None else typed
        buffer_text.write(place, typed.replaced(at, at + 1 if at < len(typed.text) else at, text, PERSON))
        naive[place] = naive[place][:at] + text + naive[place][at + 1 :]
        assert buffer_text.text == "".join(naive)
    assert_sound(buffer_text)

    buffer_text.put_down()
    assert buffer_text.text == "".join([*texts, naive[-1]])


@given(st.text(max_size=9), st.text(max_size=9))
def test_a_difference_makes_one_of_the_other(before: str, after: str) -> None:
    splice = difference(before, after)

    if splice is None:
        assert before == after
    else:
        assert before[: splice.start] + splice.text + before[splice.end :] == after


def test_ten_thousand_versions_of_one_passage_are_counted_at_once() -> None:
    root = Node("r", "R", Text(""), "human")
    versions = [
        Node(f"v{i}", f"V{i}", Text(f"{i}"), "human", created_at=i, edited_from=f"v{i - 1}" if i else None)
        for i in range(10_000)
    ]
    edges = [Edge(f"e{i}", (EdgeSource("r"),), f"v{i}") for i in range(10_000)]
    tree = Tree(LoomTree("t", "t", "buffer", "r"), nodes=[root, *versions], edges=edges)
    buffer_text = BufferText(tree, resolve.resolve(tree, "v9999"))

    assert len(buffer_text.versions(1)) == 10_000
    assert buffer_text.siblings(1).count == 1
    assert buffer_text.spans(1)[0].author_type == "human"
