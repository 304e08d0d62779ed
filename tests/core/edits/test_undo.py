"""Which step undo and redo take next, and where the path ends after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.undo import (
    UndoEntry,
    next_redo,
    next_undo,
    redoing,
    step_name,
    surviving_path,
    undoing,
)
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.entities import ActivePath, EdgeSource
from loomapp.core.model.tree import Tree
from tests.kit.trees import Hand, chain, do, snapshot


def entry(sequence: int, *, done: bool = True, abandoned: bool = False, undoable: bool = True) -> UndoEntry:
    return UndoEntry(sequence, f"step {sequence}", "you", undoable, done, abandoned)


def test_nothing_is_undone_or_redone_in_an_empty_log() -> None:
    assert next_undo([]) is None
    assert next_redo([]) is None


def test_undo_takes_the_newest_step_that_is_done() -> None:
    log = [entry(5, undoable=False), entry(4, done=False), entry(3), entry(2), entry(1)]

    assert next_undo(log) == log[2]


def test_redo_takes_the_oldest_of_the_undone_for_it_was_undone_last() -> None:
    log = [entry(5, done=False), entry(4, undoable=False), entry(3, done=False), entry(2), entry(1)]

    assert next_redo(log) == log[2]


def test_abandoned_steps_are_never_redone() -> None:
    log = [entry(4), entry(3, done=False, abandoned=True), entry(2, done=False, abandoned=True), entry(1)]

    assert next_redo(log) is None
    assert next_undo(log) == log[0]


def test_only_as_much_of_the_log_is_read_as_needed() -> None:
    def endless() -> Iterator[UndoEntry]:
        yield entry(3, done=False)
        yield entry(2)
        raise AssertionError("read too far")

    assert next_redo(endless()) == entry(3, done=False)
    assert next_undo(endless()) == entry(2)


def test_a_step_is_named_with_its_maker_unless_that_is_you() -> None:
    assert step_name(entry(1)) == "step 1"
    assert step_name(replace(entry(1), by="command line")) == "step 1 (command line)"


class Log:
    """A log kept as the store keeps it, beside the two stacks that everybody knows."""

    def __init__(self) -> None:
        self.entries: list[UndoEntry] = []
        self.done: list[int] = []
        self.undone: list[int] = []

    def act(self, action: str) -> None:
        newest_first = list(reversed(self.entries))
        found = {"undo": next_undo, "redo": next_redo}.get(action, lambda _: None)(newest_first)
        if action == "undo":
            assert (found.sequence if found else None) == (self.done[-1] if self.done else None)
            self.move(found, self.done, self.undone, done=False)
        elif action == "redo":
            assert (found.sequence if found else None) == (self.undone[-1] if self.undone else None)
            self.move(found, self.undone, self.done, done=True)
        else:
            is_step = action == "step"
            if is_step:
                self.entries = [
                    e if e.done or not e.undoable else replace(e, abandoned=True) for e in self.entries
                ]
                self.undone.clear()
                self.done.append(len(self.entries))
            self.entries.append(entry(len(self.entries), undoable=is_step))

    def move(self, found: UndoEntry | None, source: list[int], target: list[int], *, done: bool) -> None:
        if found is None:
            return
        target.append(source.pop())
        self.entries[found.sequence] = replace(found, done=done)
        self.entries.append(entry(len(self.entries), undoable=False))


@given(st.lists(st.sampled_from(["step", "look", "undo", "redo"]), max_size=40))
def test_undo_and_redo_walk_as_two_stacks_do(actions: list[str]) -> None:
    log = Log()

    for action in actions:
        log.act(action)


def test_undoing_and_redoing_go_back_and_forth_and_are_no_steps_themselves() -> None:
    hand = Hand()
    tree, ids = chain(2, hand=hand)
    before = snapshot(tree)
    step = do(tree, node_edits.add_node(tree, ids[-1], "more", hand.pen()))
    after, read = snapshot(tree), tree.path

    undo = undoing(tree, [step], at=hand.pen().now, by="command line")
    apply(tree, undo)
    assert snapshot(tree) == before
    redo = redoing(tree, [step], at=hand.pen().now, by="you", read=read)
    apply(tree, redo)

    assert snapshot(tree) == after
    assert [(c.label, c.by, c.undoable) for c in (undo, redo)] == [
        ("Undo Write", "command line", False),
        ("Redo Write", "you", False),
    ]


def choose(tree: Tree, leaf_id: str, selections: Mapping[str, str], hand: Hand) -> None:
    """Read another path, as a person does or another program."""
    change = node_edits.choose_path(tree, leaf_id, hand.pen(), selections)
    assert change is not None
    apply(tree, change)


def test_what_was_chosen_since_a_step_stays_when_that_is_undone_and_done_again() -> None:
    hand = Hand()
    tree, (one, two, three) = chain(3, mode="buffer", hand=hand)
    first = do(tree, node_edits.edit_as_version(tree, one, "better", hand.pen())).added_nodes()[0]
    step = do(tree, node_edits.edit_as_version(tree, two, "best", hand.pen()))
    second = step.added_nodes()[0]
    assert tree.path == ActivePath(three, {two: first.id, three: second.id})

    choose(tree, three, {two: one, three: second.id}, hand)
    read = tree.path
    apply(tree, undoing(tree, [step], at=9, by="you"))
    assert tree.path == ActivePath(three, {two: one})
    apply(tree, redoing(tree, [step], at=9, by="you", read=read))
    assert tree.path == read
    choose(tree, second.id, {**read.selections, second.id: one}, hand)
    apply(tree, undoing(tree, [step], at=9, by="you"))
    assert tree.path == ActivePath(three, {two: one})


def test_a_step_that_is_undone_while_another_branch_is_read_leads_nowhere_and_neither_does_its_redo() -> None:
    hand = Hand()
    tree, (one, two) = chain(2, hand=hand)
    step = do(tree, node_marks.prune(tree, two, hand.pen()))
    assert tree.path.leaf_id == one
    aside = do(tree, node_edits.add_aside(tree, tree.root_id, "elsewhere", hand.pen())).added_nodes()[0]
    choose(tree, aside.id, {}, hand)

    apply(tree, undoing(tree, [step], at=9, by="you"))
    assert tree.path.leaf_id == aside.id
    apply(tree, redoing(tree, [step], at=9, by="you"))
    assert tree.path.leaf_id == aside.id
    choose(tree, one, {}, hand)
    apply(tree, undoing(tree, [step], at=9, by="you"))
    assert tree.path.leaf_id == two


def removal(tree: Tree, *node_ids: str) -> Change:
    """A change that takes nodes out with the edges that lead to them."""
    rows = [RowChange(edge, None) for node_id in node_ids for edge in tree.incoming(node_id)]
    rows += [RowChange(tree.nodes[node_id], None) for node_id in node_ids]
    return Change(tree.loom.id, "Remove", 1, tuple(rows))


def test_a_path_whose_end_goes_ends_at_the_nearest_node_above_that_stays() -> None:
    tree, ids = chain(4)

    path = surviving_path(tree, removal(tree, ids[3], ids[2]), tree.path)

    assert path.leaf_id == ids[1]


def test_a_path_to_a_node_that_was_never_there_ends_where_the_reader_is() -> None:
    tree, ids = chain(2)

    path = surviving_path(tree, removal(tree, ids[1]), ActivePath("long gone"))

    assert path.leaf_id == ids[0]


def test_a_path_with_nothing_left_ends_at_the_root() -> None:
    tree, _ = chain(1)
    tree.path = ActivePath("long gone")

    assert surviving_path(tree, removal(tree), tree.path).leaf_id == tree.root_id


def test_the_way_up_follows_the_choice_at_an_edge_of_several_sources() -> None:
    hand = Hand()
    tree, ids = chain(2, mode="buffer", hand=hand)
    version = do(tree, node_edits.edit_as_sibling(tree, ids[0], "better", hand.pen())).added_nodes()[0]
    edge = tree.incoming(ids[1])[0]
    tree.put_edge(replace(edge, sources=(*edge.sources, EdgeSource(version.id))))
    tree.path = ActivePath(ids[1], {ids[1]: version.id})

    path = surviving_path(tree, removal(tree, ids[1]), tree.path)

    assert path == ActivePath(version.id, {})


def test_a_choice_stays_as_long_as_its_edge_offers_it() -> None:
    tree, ids = chain(3)
    chosen = ActivePath(ids[2], {ids[1]: ids[0]})
    edge = tree.incoming(ids[1])[0]
    gone = Change(
        tree.loom.id, "Move", 1, (RowChange(edge, replace(edge, sources=(EdgeSource(tree.root_id),))),)
    )

    assert surviving_path(tree, removal(tree), chosen) == chosen
    assert surviving_path(tree, gone, chosen).selections == {}


def test_a_ring_of_lost_nodes_ends_at_the_root() -> None:
    tree, ids = chain(2)
    edge = tree.incoming(ids[0])[0]
    tree.put_edge(replace(edge, sources=(EdgeSource(ids[1]),)))

    path = surviving_path(tree, removal(tree, *ids), tree.path)

    assert path.leaf_id == tree.root_id
