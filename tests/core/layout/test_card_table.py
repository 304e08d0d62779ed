"""The roster follows changes as if the tree were looked at anew."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loomapp.core.edits import branches, documents, edit_context, node_edits
from loomapp.core.errors import InvalidInput
from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.card_table_build import enrol
from loomapp.core.layout.cards import Ints, arrange, breadth_first
from loomapp.core.layout.layout import DepthFirst, lay_out, old_branches
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.content import AttachedDocument, Mixed
from loomapp.core.model.entities import ActivePath, EdgeSource, Metadata, Node, Row
from loomapp.core.model.tree import Tree
from loomapp.core.paths import resolve
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import begun
from loomapp.core.prose.passage_edits import merge, revise, split
from tests.core.prose.test_buffer_text import story
from tests.kit.graph_trees import Grower, added, buffer_tree, grown_tree, marked, noted, rich_tree
from tests.kit.trees import Hand, do

PRUNED = Metadata(pruned=True)


def drawn(roster: CardTable, *, show_pruned: bool = False) -> list[tuple[str, str | None]]:
    """The cards as a layout has them, each with its parent."""
    roster.heights[:] = 52
    layout = lay_out(roster.shape(show_pruned=show_pruned), 16)
    keys = [roster.keys[number] for number in layout.numbers.tolist()]
    return [
        (key, keys[parent] if parent >= 0 else None) for key, parent in zip(keys, layout.parents, strict=True)
    ]


def expected(tree: Tree, *, show_pruned: bool = False) -> list[tuple[str, str | None]]:
    families = arrange(tree, show_pruned=show_pruned).families
    above = {member: parent for parent, members in families.items() for member in members}
    return [(card, above[card]) for card in breadth_first(families)]


@pytest.mark.parametrize("show_pruned", [True, False])
@pytest.mark.parametrize(
    "tree", [rich_tree(), buffer_tree(), grown_tree(60)], ids=["rich", "buffer", "plain"]
)
def test_the_cards_are_those_of_the_arrangement(tree: Tree, show_pruned: bool) -> None:
    assert drawn(enrol(tree), show_pruned=show_pruned) == expected(tree, show_pruned=show_pruned)


def test_a_plain_tree_is_enrolled_without_arranging() -> None:
    """With loose nodes, in the first level as ever."""
    g = Grower()
    g.node("root")
    g.under("root", "a")
    g.node("loose")
    g.under("loose", "b")
    g.under("root", "c")

    roster = enrol(g.tree)

    assert roster.keys == ["root", "loose", "a", "b", "c"]
    assert drawn(roster) == expected(g.tree)


def test_a_plain_tree_is_enrolled_likewise_when_nodes_left_and_came_to_hang_elsewhere() -> None:
    tree = grown_tree(40)
    first, *_, last = (node_id for node_id in tree.nodes if not tree.children(node_id))
    do(tree, branches.reparent(tree, first, last, Hand().pen()))
    leaving = added(tree, "n5", "late")
    do(tree, leaving)
    do(tree, leaving.inverse())

    roster = enrol(tree)

    assert len(tree.node_places) > len(tree.nodes), "one left"
    assert_as_enrolled(roster, tree)


def test_damage_is_left_to_the_arrangement() -> None:
    g = Grower()
    g.node("root")
    g.node("x")
    g.under("x", "y")
    g.edge([("y", "primary")], "x")

    assert {card for card, _ in drawn(enrol(g.tree))} == {"root", "x", "y"}


def rehung(tree: Tree, node_id: str, parent: str) -> Change:
    edge = tree.incoming(node_id)[0]
    moved = replace(edge, sources=(EdgeSource(parent),))
    return Change(tree.loom.id, "Move", 0, (RowChange(edge, moved),))


@pytest.mark.parametrize("parent", ["weather", "once", "logbook", "tides", "image", "colder", "root"])
@pytest.mark.parametrize("show_pruned", [True, False])
def test_a_leaf_comes_and_goes(parent: str, show_pruned: bool) -> None:
    tree = rich_tree()
    roster = enrol(tree)
    change = added(tree, parent, "leaf")

    for step in (change, change.inverse(), change):
        apply(tree, step)
        moves = roster.patch(tree, step)
        if moves is None:
            roster = enrol(tree)
        assert drawn(roster, show_pruned=show_pruned) == expected(tree, show_pruned=show_pruned)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["add", "note", "note", "undo", "redo", "prune", "restore", "move"]),
            st.integers(0, 10**6),
        ),
        max_size=16,
    )
)
def test_whatever_happens_it_is_as_if_enrolled_anew(acts: list[tuple[str, int]]) -> None:
    tree = grown_tree(30)
    roster = enrol(tree)
    done: list[Change] = []
    undone: list[Change] = []
    for number, (act, which) in enumerate(acts):
        nodes = list(tree.nodes)
        node_id = nodes[which % len(nodes)]
        match act:
            case "add":
                change = added(tree, node_id, f"new{number}")
            case "note":
                change = noted(tree, node_id, f"note{number}")
            case "undo" if done:
                undone.append(done.pop())
                change = undone[-1].inverse()
            case "redo" if undone:
                change = undone.pop()
            case "move" if tree.incoming(node_id):
                others = [n for n in nodes if n not in tree.descendants(node_id)]
                change = rehung(tree, node_id, others[which % len(others)])
            case "prune" | "restore" if node_id != "n0":
                change = marked(tree, tree.descendants(node_id), PRUNED if act == "prune" else Metadata())
            case _:
                continue
        if act != "undo":
            done.append(change)
        if act not in {"undo", "redo"}:
            undone.clear()
        apply(tree, change)
        if roster.patch(tree, change) is None:
            roster = enrol(tree)

        assert drawn(roster) == expected(tree)


@pytest.mark.parametrize("host", ["pasted", "style", "logbook", "tides", "father2", "root"])
def test_a_note_comes_between_siblings_and_goes_without_a_look_at_the_whole_tree(host: str) -> None:
    """After what stands there already: a note, a source that hangs nowhere."""
    tree = rich_tree()
    roster = enrol(tree)
    notes = [
        noted(tree, host, "first"),
        noted(tree, host, "second"),
        noted(tree, "first", "beside the first"),
    ]

    for step in (*notes, notes[2].inverse(), notes[1].inverse(), *notes[1:]):
        apply(tree, step)

        assert any(roster.patch(tree, step) or ())
        assert drawn(roster) == expected(tree)


@pytest.mark.parametrize("come", [added, noted])
def test_what_comes_pruned_has_a_card_where_such_are_shown(come: Callable[[Tree, str, str], Change]) -> None:
    tree = grown_tree(9)
    apply(tree, marked(tree, ["n8"], PRUNED))
    roster = enrol(tree)
    change = come(tree, "n8", "late")
    rows = (replace(row, after=pruned(row.after)) for row in change.rows)
    change = replace(change, rows=tuple(rows))

    for step in (change, change.inverse(), change):
        apply(tree, step)

        assert roster.patch(tree, step) is not None
        assert_as_enrolled(roster, tree)


def pruned(row: Row | None) -> Row | None:
    return row.with_metadata(PRUNED) if isinstance(row, Node) else row


def written_over(tree: Tree, hand: Hand, places: list[int]) -> Change | None:
    """The first letters of some passages of the path are others."""
    way = resolve.resolve(tree, tree.path.leaf_id).node_ids
    texts = {
        way[place]: begun(tree, way[place]).replaced(0, 0, "x", Author("human", "you")) for place in places
    }
    return revise(tree, way, texts, hand.pen())


def assert_as_enrolled(roster: CardTable, tree: Tree) -> None:
    anew = arrange(tree, show_pruned=True)
    assert drawn(roster, show_pruned=True) == expected(tree, show_pruned=True)
    assert drawn(roster) == expected(tree)
    assert (roster.versions, roster.cards) == (anew.versions, anew.cards)
    assert set(roster.references) == set(anew.references)


def test_a_version_comes_and_goes_without_a_look_at_the_whole_tree() -> None:
    tree, _, hand = story("Once ", "upon ", "a ", "time")
    roster = enrol(tree)
    done: list[Change] = []
    for places in ([1], [2, 3], [0], [1], [1, 2]):
        change = written_over(tree, hand, places)
        assert change is not None
        done.append(change)
        apply(tree, change)

        assert roster.patch(tree, change) is not None
        assert_as_enrolled(roster, tree)
    for change in [*(change.inverse() for change in reversed(done)), *done]:
        apply(tree, change)

        assert roster.patch(tree, change) is not None
        assert_as_enrolled(roster, tree)


def test_what_is_hung_on_another_version_stands_among_what_continues_its_card_in_order_of_creation() -> None:
    tree, ids, hand = story("Once ", "upon ", "a ")
    version = do(tree, node_edits.edit_as_version(tree, ids[2], "over ", hand.pen())).added_nodes()[0].id
    other = do(tree, node_edits.add_node(tree, ids[1], "elsewhere ", hand.pen())).added_nodes()[0].id
    roster = enrol(tree)

    change = do(tree, branches.reparent(tree, other, version, hand.pen()))

    assert roster.patch(tree, change) is not None
    assert_as_enrolled(roster, tree)
    assert [card for card, parent in drawn(roster) if parent == ids[2]] == [ids[3], other]


def test_an_edge_that_comes_back_in_the_place_of_another_puts_its_card_back_among_those_of_the_versions() -> (
    None
):
    tree, ids, hand = story("Once ", "upon ", "a ")
    do(tree, node_edits.edit_as_version(tree, ids[2], "over ", hand.pen()))
    version = tree.children(ids[1])[-1]
    do(tree, node_edits.add_node(tree, version, "the sea ", hand.pen()))
    behind = tree.incoming(ids[3])[0]
    sooner = node_edits.add_node(tree, ids[2], "the hill ", hand.pen())
    again = RowChange(behind, None), RowChange(None, replace(behind, id="again"))
    change = do(tree, replace(sooner, rows=(*sooner.rows, *again)))
    roster = enrol(tree)

    apply(tree, change.inverse())

    assert roster.patch(tree, change.inverse()) is not None
    assert_as_enrolled(roster, tree)


def test_a_passage_that_comes_back_has_its_version_that_came_back_before_on_its_card() -> None:
    tree, ids, hand = story("Once ", "upon ")
    written = do(tree, node_edits.add_node(tree, ids[2], "a hill ", hand.pen()))
    edited = do(tree, node_edits.edit_as_version(tree, written.added_nodes()[0].id, "a sea ", hand.pen()))
    do(tree, edited.inverse())
    do(tree, written.inverse())
    do(tree, replace(edited, rows=tuple(row for row in edited.rows if not isinstance(row.row, ActivePath))))
    roster = enrol(tree)
    back = replace(written, rows=tuple(row for row in written.rows if not isinstance(row.row, ActivePath)))

    apply(tree, back)

    assert roster.patch(tree, back) is None
    assert_as_enrolled(enrol(tree), tree)


def test_what_is_hung_on_a_card_comes_after_the_notes_of_its_siblings() -> None:
    tree = rich_tree()
    roster = enrol(tree)
    for change in (noted(tree, "boat", "a"), noted(tree, "weather", "b"), rehung(tree, "keeper", "father")):
        apply(tree, change)

        assert roster.patch(tree, change) is not None
        assert_as_enrolled(roster, tree)


def test_a_note_is_edited_on_its_card_and_follows_versions_without_a_look_at_the_whole_tree() -> None:
    tree, ids, hand = story("Once ", "upon ", "a ", "time")
    note = do(tree, node_edits.annotate(tree, ids[2], "Why?", hand.pen())).added_nodes()[0].id
    roster = enrol(tree)
    makers: tuple[Callable[[], Change | None], ...] = (
        lambda: node_edits.edit_as_version(tree, note, "Why not?", hand.pen()),
        lambda: node_edits.edit_as_version(tree, ids[2], "on ", hand.pen()),
    )
    done: list[Change] = []
    for make in makers:
        done.append(do(tree, make()))

        assert roster.patch(tree, done[-1]) is not None
        assert_as_enrolled(roster, tree)
    for change in [*(change.inverse() for change in reversed(done)), *done]:
        apply(tree, change)

        assert roster.patch(tree, change) is not None
        assert_as_enrolled(roster, tree)


def passage_act(tree: Tree, hand: Hand, act: str, which: int) -> Change | None:
    """Something that is done to a passage of the path, or to any node."""
    way = resolve.resolve(tree, tree.path.leaf_id).node_ids
    place, node_id = which % len(way), list(tree.nodes)[which % len(tree.nodes)]
    match act:
        case "edit":
            return written_over(tree, hand, [place])
        case "edit two" if place:
            return written_over(tree, hand, [place - 1, place])
        case "split":
            return split(tree, way, way[place], 1 + which % 3, hand.pen())
        case "merge" if place:
            with suppress(InvalidInput):
                return merge(tree, way, range(place - 1, place + 1), hand.pen())
        case "add":
            return node_edits.add_node(tree, node_id, "more ", hand.pen())
        case "note":
            return node_edits.annotate(tree, node_id, "why? ", hand.pen())
        case "edit any":
            return node_edits.edit_as_version(tree, node_id, f"{which} ", hand.pen())
        case "prune" | "restore":
            return marked(tree, [node_id], PRUNED if act == "prune" else Metadata())
    return None


PASSAGE_ACTS = (
    *("edit", "edit two", "edit any", "split", "merge", "add", "note"),
    *("prune", "restore", "undo", "redo"),
)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PASSAGE_ACTS), st.integers(0, 10**6)), max_size=14))
@example(
    [("edit", 0), ("edit", 0), ("split", 3406), ("add", 4), ("edit any", 751625)]
)  # children of two versions of one card
def test_whatever_is_done_to_passages_it_is_as_if_enrolled_anew(acts: list[tuple[str, int]]) -> None:
    tree, _, hand = story("Once ", "upon ", "a ", "time ", "there ", "was")
    roster = enrol(tree)
    done: list[Change] = []
    undone: list[Change] = []
    for act, which in acts:
        if act == "undo" and done:
            undone.append(done.pop())
            change = undone[-1].inverse()
        elif act == "redo" and undone:
            done.append(change := undone.pop())
        elif (made := passage_act(tree, hand, act, which)) is not None:
            done.append(change := made)
            undone.clear()
        else:
            continue
        apply(tree, change)
        if roster.patch(tree, change) is None:
            roster = enrol(tree)

        assert_as_enrolled(roster, tree)


def test_marks_move_no_cards_and_what_is_loose_is_arranged_anew() -> None:
    tree = rich_tree()
    roster = enrol(tree)
    bookmarked = marked(tree, ["once"], Metadata(bookmarked=True))
    leaf = added(tree, "once", "leaf")
    loose = replace(leaf, rows=leaf.rows[:1])

    assert not any(roster.patch(tree, bookmarked) or (1,))
    assert roster.patch(tree, loose) is None
    buffer = buffer_tree()
    elsewhere = replace(leaf.added_nodes()[0], edited_from="two")
    step = replace(leaf, rows=(RowChange(None, elsewhere), leaf.rows[1]))
    apply(buffer, replace(step, tree_id=buffer.loom.id))
    assert enrol(buffer_tree()).patch(buffer, step) is None


# Folding.


def test_below_a_folded_card_nothing_is_shown_and_it_is_told_how_much() -> None:
    roster = enrol(rich_tree())
    roster.heights[:] = 52

    layout = lay_out(roster.shape(folded=(roster.numbers["pasted"],)), 16)

    shown = {roster.keys[number] for number in layout.numbers.tolist()}
    hidden = {"keeper", "once", "style", "boat", "logbook", "father2", "edited", "image", "tone", "tides"}
    assert shown == {"root", "father", "weather", "pasted"}
    assert layout.folded == {roster.numbers["pasted"]: len(hidden)}


def test_a_hoisted_card_stands_alone_with_what_is_below_it() -> None:
    roster = enrol(rich_tree())
    roster.heights[:] = 52

    layout = lay_out(roster.shape(hoisted=roster.numbers["father"]), 16)

    assert {roster.keys[number] for number in layout.numbers.tolist()} == {"father", "weather"}


def folds(roster: CardTable, path: list[int], kept: Ints, ages: Ints) -> list[int]:
    shape = roster.shape()
    return old_branches(shape, DepthFirst(shape.parents, shape.there), np.array(path), kept, ages)


@settings(deadline=None)
@given(st.integers(300, 900), st.integers(0, 40), st.sets(st.integers(0, 2000), max_size=8))
def test_old_branches_are_folded_but_never_what_is_read_kept_or_new(
    size: int, seed: int, marks: set[int]
) -> None:
    tree = grown_tree(size, seed)
    roster = enrol(tree)
    roster.heights[:] = 52
    path, at = [], size - 1 - seed
    while at >= 0:
        path.append(at)
        at = int(roster.parents[at])
    kept = np.array(sorted(mark % size for mark in marks), np.int64)
    ages = np.arange(size)

    folded = folds(roster, path, kept, ages)
    layout = lay_out(roster.shape(folded=tuple(folded)), 16)

    assert folded == folds(roster, path, kept, ages)
    for number in (*path, *kept.tolist(), *range(size - 200, size)):
        assert layout.rows[number] >= 0
    assert not set(folded) & set(path)
    assert set(layout.folded) == set(folded), "none is folded inside another"
    assert all(count > 3 for count in layout.folded.values())


def test_a_small_tree_needs_no_folding() -> None:
    roster = enrol(grown_tree(250))

    assert folds(roster, [0], np.array([], np.int64), np.arange(250)) == []


def test_versions_of_a_document_come_and_go_on_its_card_without_a_look_at_the_whole_tree() -> None:
    tree, hand = grown_tree(20), Hand()
    do(tree, documents.new_document(tree, "Notes", hand.pen()))
    do(tree, documents.new_document(tree, "Plan", hand.pen(), "walk"))
    roster = enrol(tree)
    done: list[Change] = []
    for name, text in (("Notes", "an oak"), ("Plan", "run"), ("Notes", "two oaks"), ("notes", "a beech")):
        change = documents.write_document(tree, name, text, hand.pen())
        assert change is not None
        done.append(change)
        apply(tree, change)

        assert roster.patch(tree, change) is not None
        assert_as_enrolled(roster, tree)
    for change in [*(change.inverse() for change in reversed(done)), *done]:
        apply(tree, change)

        assert roster.patch(tree, change) is not None
        assert_as_enrolled(roster, tree)

    assert sorted(map(len, roster.versions.values())) == [2, 4]
    attached = Mixed((AttachedDocument("Notes", "text/plain", "an elm"),))
    message, edge = edit_context.continuation(tree, attached, (EdgeSource("n0"),), hand.pen())
    do(tree, Change(tree.loom.id, "Write", 0, (RowChange(None, message), RowChange(None, edge))))
    edited = node_edits.edit_as_sibling(tree, message.id, "said otherwise", hand.pen())
    do(tree, edited)
    assert_as_enrolled(enrol(tree), tree)
    assert message.id not in enrol(tree).cards
