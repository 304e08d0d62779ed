"""A grove keeps what is committed, and takes it back and brings it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from loomapp.core.edits import branches, node_edits, node_marks, tree_edits
from loomapp.core.errors import GroveError, InvalidInput, StaleChange
from loomapp.core.model.agent import Agent, Configuration, Permissions
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Text
from loomapp.core.model.entities import (
    BranchSummary,
    ContextSummary,
    Edge,
    EdgeSource,
    IncludedAnnotations,
    Link,
    Metadata,
    Node,
    Tag,
)
from loomapp.core.model.tree import Tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.rows.change_rows import MANY
from loomapp.store.statements import Statement
from tests.kit.groves import (
    MODEL,
    agree,
    everything,
    generated,
    planted,
    renamed,
    response,
    tree_with_everything,
)
from tests.kit.trees import Hand, counted_id


def commit(grove: Grove, tree: Tree, change: Change | None) -> None:
    assert change is not None
    grove.commit(tree, change)


def test_a_new_grove_belongs_to_one_human_and_is_one_file(path: Path) -> None:
    with create_grove(path) as grove:
        owner = grove.owner

    assert (owner.type, owner.name, owner.loom_aware) == ("human", "You", True)
    assert [file.name for file in path.parent.iterdir()] == ["grove.loom"]


def test_what_was_committed_is_there_after_opening_again(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        grove.commit(tree, generated(tree, ids[-1], ["one", "two", "three"], hand))
        owner = grove.owner

    with open_grove(path) as grove:
        assert agree(grove, tree)
        assert grove.owner == owner
        assert [row.node_count for row in grove.trees()] == [7]


def test_a_tree_with_everything_in_it_comes_back_as_it_was(grove: Grove) -> None:
    tree = tree_with_everything()

    grove.add_tree(tree, [MODEL])

    loaded = grove.load_tree(tree.loom.id)
    assert everything(loaded) == everything(tree)
    assert loaded.loom.updated_at == tree.loom.updated_at


def test_a_commit_that_is_refused_leaves_memory_and_file_as_they_were(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    stale = node_marks.bookmark(tree, ids[0], "first", Hand().pen())
    grove.commit(tree, taken(node_marks.bookmark(tree, ids[0], "other", Hand().pen())))
    before = everything(tree)

    with pytest.raises(StaleChange, match="Nothing was changed"):
        grove.commit(tree, taken(stale))

    assert everything(tree) == before
    assert agree(grove, tree)


def test_an_edge_to_a_node_that_is_not_there_is_refused(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    edge = Edge("e", (EdgeSource("nobody"),), ids[0])

    with pytest.raises(InvalidInput, match="edge e: node nobody is not in its tree"):
        grove.commit(tree, Change(tree.loom.id, "Broken", 1, (RowChange(None, edge),)))

    assert agree(grove, tree)


def test_undo_goes_back_to_the_start_and_redo_forward_again_also_after_reopening(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        grove.commit(tree, generated(tree, ids[-1], ["one", "two", "three"], hand))
        grove.commit(tree, taken(node_edits.edit_as_sibling(tree, ids[1], "other", hand.pen())))
        full = everything(tree)
        while grove.undo(tree):
            assert agree(grove, tree)
        assert list(tree.nodes) == [tree.root_id]
        assert tree.path.leaf_id == tree.root_id

    with open_grove(path) as grove:
        tree = grove.load_tree(tree.loom.id)
        assert grove.undo_label(tree.loom.id) is None
        while grove.redo(tree):
            assert agree(grove, tree)

        assert everything(tree) == full


def test_what_many_nodes_become_together_is_written_in_one_go(
    grove: Grove, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand, length=MANY + 5)
    commit(grove, tree, node_marks.bookmark(tree, ids[3], "kept", hand.pen()))
    written: list[int] = []
    run_each = Statement.run_each

    def counted(statement: Statement, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> int:
        rows = list(rows)
        written.append(len(rows))
        return run_each(statement, connection, rows)

    monkeypatch.setattr(Statement, "run_each", counted)

    commit(grove, tree, branches.exclude_all(tree, ids, hand.pen()))
    assert sum(written) < 5  # the one that is otherwise
    assert agree(grove, tree)

    for _ in range(2):
        assert grove.undo(tree) is not None
        assert not any(tree.nodes[i].metadata.excluded for i in ids)
        assert agree(grove, tree)
        assert grove.redo(tree) is not None
        assert agree(grove, tree)
    assert sum(written) < 25
    assert tree.nodes[ids[3]].metadata == Metadata(True, "kept", excluded=True)


@pytest.mark.parametrize("odd", ["\0", "a\0b", '"', "\\", "é", "\U0001f40d", "\x7f", "\u2028"])
def test_of_many_nodes_each_is_found_whatever_its_id(grove: Grove, odd: str) -> None:
    hand = Hand()
    hand.new_id = lambda: f"{odd}{counted_id()}{odd}"
    tree = tree_edits.new_tree("dialogue", "A tree", hand.pen())
    grove.add_tree(tree, [grove.owner])
    for _ in range(MANY + 1):
        grove.commit(tree, node_edits.add_node(tree, tree.root_id, "said", hand.pen()))

    commit(grove, tree, branches.exclude_all(tree, list(tree.nodes), hand.pen()))

    assert agree(grove, tree)
    grove.undo(tree)
    assert agree(grove, tree)


def test_redo_brings_back_the_same_bytes_and_the_response(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    change = generated(tree, ids[-1], ["one", "two"], hand)
    grove.commit(tree, change)
    node_id = change.added_nodes()[1].id
    kept = grove.evidence(tree.loom.id, node_id)

    grove.undo(tree)
    assert grove.all_evidence(tree.loom.id) == []
    grove.redo(tree)

    assert kept == change.evidence[0]
    assert grove.all_evidence(tree.loom.id) == [kept]
    assert grove.digests(tree.loom.id)[node_id] == change.evidence[0].digest(node_id)


def test_a_new_step_abandons_what_was_undone(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    grove.undo(tree)

    grove.commit(tree, taken(node_marks.bookmark(tree, ids[0], None, hand.pen())))

    assert grove.redo_label(tree.loom.id) is None
    assert grove.redo(tree) is None
    assert grove.undo_label(tree.loom.id) == "Bookmark"
    grove.undo(tree)
    redone = [grove.redo(tree), grove.redo(tree)]
    assert [change and change.label for change in redone] == ["Redo Bookmark", None]
    assert agree(grove, tree)


def test_the_id_of_an_undone_node_is_not_given_to_another(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    step = node_edits.add_node(tree, ids[-1], "first", hand.pen())
    grove.commit(tree, step)
    grove.undo(tree)
    other = replace(step.added_nodes()[0], content=Text("second"))

    with pytest.raises(StaleChange, match="under an id that another one has"):
        grove.commit(tree, Change(tree.loom.id, "Write", 9, (RowChange(None, other),)))

    assert agree(grove, tree)
    grove.redo(tree)
    assert tree.nodes[other.id].text == "first"


def test_choosing_a_path_is_saved_but_is_no_step(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    grove.undo(tree)

    grove.commit(tree, taken(node_edits.choose_path(tree, ids[0], hand.pen())))

    assert agree(grove, tree)
    assert grove.undo_label(tree.loom.id) == grove.redo_label(tree.loom.id) == "Write"
    redone = grove.redo(tree)
    assert redone is not None
    assert tree.path.leaf_id == ids[2]


def test_undo_is_not_stopped_by_a_path_chosen_since_and_leaves_one_that_is_there(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand, length=1)
    for _ in range(2):  # two answers to the same message; the second does not carry the path along
        grove.commit(tree, generated(tree, ids[0], ["answer"], hand))
    second = tree.children(ids[0])[1]
    grove.commit(tree, taken(node_edits.choose_path(tree, second, hand.pen())))

    grove.undo(tree)

    assert second not in tree.nodes
    assert tree.path.leaf_id == ids[0]
    assert agree(grove, tree)


def test_choices_that_an_undo_takes_the_ground_from_leave_the_path(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand, length=2)
    edge = tree.incoming(ids[1])[0]
    version, way_in = second_version(tree, ids[0])
    more = replace(edge, sources=(*edge.sources, EdgeSource(version.id)))
    rows = (RowChange(None, version), RowChange(None, way_in), RowChange(edge, more))
    grove.commit(tree, Change(tree.loom.id, "Edit", 5, rows))
    grove.commit(tree, taken(node_edits.choose_path(tree, ids[1], hand.pen(), {ids[1]: version.id})))

    grove.undo(tree)

    assert tree.path.selections == {}
    assert agree(grove, tree)
    grove.redo(tree)
    assert agree(grove, tree)


def test_labels_say_who_made_a_step_if_it_was_not_you(grove: Grove) -> None:
    tree, ids = planted(grove, Hand())
    change = taken(node_marks.bookmark(tree, ids[0], None, Hand().pen()))
    grove.commit(tree, replace(change, by="command line"))

    assert grove.undo_label(tree.loom.id) == "Bookmark (command line)"


def test_undo_of_a_row_that_was_changed_since_is_refused(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    grove.commit(tree, taken(node_marks.bookmark(tree, ids[0], None, hand.pen())))
    node = tree.nodes[ids[0]]
    hidden = replace(node, metadata=replace(node.metadata, pruned=True))
    grove.commit(tree, Change(tree.loom.id, "Prune", 9, (RowChange(node, hidden),), undoable=False))
    before = everything(tree)

    with pytest.raises(StaleChange):
        grove.undo(tree)

    assert everything(tree) == before
    assert agree(grove, tree)


def test_siblings_come_back_in_their_order_when_a_move_is_undone(path: Path) -> None:
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand, length=1)
        grove.commit(tree, generated(tree, ids[0], ["one", "two", "three"], hand))
        order = tree.children(ids[0])
        edge = tree.incoming(order[0])[0]
        moved = replace(edge, sources=(EdgeSource(order[2]),))
        grove.commit(tree, Change(tree.loom.id, "Move", 7, (RowChange(edge, moved),)))
        dropped = tree.incoming(order[1])[0]
        apart = Edge("another", (EdgeSource(order[2]),), order[1])
        rows = (RowChange(dropped, None), RowChange(None, apart))
        grove.commit(tree, Change(tree.loom.id, "Move", 8, rows))
        assert tree.children(ids[0]) == (order[2],)

    with open_grove(path) as grove:
        tree = grove.load_tree(tree.loom.id)
        grove.undo(tree)
        grove.undo(tree)

        assert tree.children(ids[0]) == order
        assert agree(grove, tree)


def test_the_time_of_the_newest_change_is_kept_with_the_tree(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    change = taken(node_marks.exclude(tree, ids[:1], hand.pen()))

    grove.commit(tree, change)

    assert tree.loom.updated_at == change.at
    assert grove.trees()[0].updated_at == change.at


def test_tree_settings_and_marks_are_committed_and_undone(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    full = tree_with_everything()
    settings = replace(full.loom, id=tree.loom.id, root_id=tree.root_id, mode=tree.loom.mode)
    marks = (
        RowChange(tree.loom, settings),
        RowChange(tree.included_annotations, IncludedAnnotations(tuple(ids))),
        RowChange(None, Tag("tag", "#fff", tuple(ids), {"kept": 1})),
        RowChange(None, Link(ids[0], "elsewhere", "n9", "see", {"kept": 1})),
        RowChange(None, BranchSummary(ids[0], {"title": "…"})),
        RowChange(None, ContextSummary(ids[1], "hash", {"text": "…"})),
    )
    grove.commit(tree, Change(tree.loom.id, "Marks", 5, marks))
    assert agree(grove, tree)
    tag = tree.tags["tag"]
    changed = (
        RowChange(tag, replace(tag, node_ids=(ids[1],), colour=None)),
        RowChange(tree.included_annotations, IncludedAnnotations((ids[2],))),
        RowChange(tree.links[Link(ids[0], "elsewhere", "n9").key], None),
    )
    grove.commit(tree, Change(tree.loom.id, "More marks", 6, changed))

    for _ in range(2):
        assert agree(grove, tree)
        grove.undo(tree)

    assert agree(grove, tree)
    assert (tree.tags, tree.links, tree.branch_summaries, tree.context_summaries) == ({}, {}, {}, {})


def test_agents_and_settings_are_kept_and_a_type_never_changes(grove: Grove) -> None:
    agent = Agent(
        "a1",
        "Claude",
        "model",
        "anthropic:x",
        Configuration("Be brief.", 0.5, 100, ("###",), {"top_k": 3}, {"kept": 1}),
        Permissions(doc_write=False, extra={"kept": 2}),
        loom_aware=True,
        colour="a3",
        archived_at=5,
        extra={"kept": 3},
    )
    grove.put_agent(agent)
    assert grove.agent("a1") == agent
    grove.put_agent(renamed(agent, "Claudia"))
    grove.put_agent(renamed(grove.owner, "Ada"))

    with pytest.raises(InvalidInput, match="is a model and stays one"):
        grove.put_agent(replace(agent, type="human"))

    assert [a.name for a in grove.agents()] == ["Ada", "Claudia"]
    assert grove.owner.name == "Ada"
    assert grove.setting("last") is None
    grove.put_setting("last", {"tree": [1, None]})
    grove.put_setting("last", {"tree": [2, None]})
    assert grove.setting("last") == {"tree": [2, None]}


def test_a_tree_names_its_agents_in_the_order_of_its_file_then_its_authors(grove: Grove) -> None:
    hand = Hand()
    listed = [Agent(f"a{i}", f"Agent {i}", "model", "local:x") for i in (3, 1, 2)]
    tree = tree_edits.new_tree("dialogue", "A tree", hand.pen("a2"))
    grove.add_tree(tree, listed)
    grove.commit(tree, node_edits.add_node(tree, tree.root_id, "hi", hand.pen(grove.owner.id)))

    assert grove.tree_agents(tree.loom.id) == [*listed, grove.owner]


def test_what_other_programs_write_elsewhere_is_told_without_imports_and_own_commits(grove: Grove) -> None:
    hand = Hand()
    here, _ = planted(grove, hand, length=0)
    there, _ = planted(grove, hand, length=0)
    seen = grove.sequence()

    def written(tree: Tree, text: str, by: str) -> Change:
        return node_edits.add_aside(tree, tree.root_id, text, replace(hand.pen(), by=by))

    grove.commit(there, written(there, "from this window", "Claude"))
    with open_grove(grove.path) as other:
        for tree, by in ((here, "Claude"), (there, "you"), (there, "Claude")):
            theirs = other.load_tree(tree.loom.id)
            other.commit(theirs, written(theirs, f"by {by}", by))
        planted(other, hand, length=1)

    (write,) = grove.written_elsewhere(seen, here)

    nodes = grove.load_tree(there.loom.id).nodes
    assert (write.tree_id, write.by, write.removed) == (there.loom.id, "Claude", ())
    assert [nodes[node_id].text for node_id in write.added] == ["by Claude"]
    assert grove.written_elsewhere(grove.sequence(), here) == []


def test_an_unknown_tree_is_named(grove: Grove) -> None:
    with pytest.raises(GroveError, match="no tree nowhere") as error:
        grove.load_tree("nowhere")

    assert error.value.code == "unknownTree"


def test_changes_since_a_number_are_those_of_every_tree(grove: Grove) -> None:
    hand = Hand()
    first, _ = planted(grove, hand, length=0)
    seen = grove.sequence()
    second, _ = planted(grove, hand, length=1)
    change = generated(first, first.root_id, ["one"], hand)
    grove.commit(first, change)
    grove.undo(first)

    heard = [logged for _, logged in grove.changes_since(seen)]

    assert [(c.tree_id == first.loom.id, c.label) for c in heard] == [
        (False, "New tree"),
        (False, "Write"),
        (True, "Generate"),
        (True, "Undo Generate"),
    ]
    assert heard[2] == replace(change, evidence=())
    assert heard[3].removed_nodes() == change.added_nodes()
    assert second.loom.id == heard[0].tree_id


def test_a_response_for_a_node_that_is_not_there_is_refused(grove: Grove) -> None:
    tree, _ = planted(grove, Hand())
    stray = replace(response("text"), choices={"nobody": 0})

    with pytest.raises(InvalidInput, match="node nobody"):
        grove.commit(tree, Change(tree.loom.id, "Broken", 1, (), evidence=(stray,)))


def taken(change: Change | None) -> Change:
    assert change is not None
    return change


def second_version(tree: Tree, node_id: str) -> tuple[Node, Edge]:
    original = tree.nodes[node_id]
    version = replace(original, id="version", local_id="VERSION", edited_from=node_id)
    return version, replace(tree.incoming(node_id)[0], id="version's edge", target_id="version")


def test_a_closed_grove_is_not_opened_again(path: Path) -> None:
    with create_grove(path) as grove:
        tree, ids = planted(grove, Hand())

    with pytest.raises(GroveError) as read:
        grove.evidence(tree.loom.id, ids[-1])
    with pytest.raises(GroveError) as written:
        grove.put_agent(Agent("sea", "Sea", "model"))

    assert (read.value.code, written.value.code) == ("closed", "closed")
    assert [file.name for file in path.parent.glob(f"{path.name}*")] == [path.name]
