"""Trees that come in: new, again with more, or as a copy because they contradict what is here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.errors import InvalidInput
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, Link, LoomTree, Node, Tag
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.new_tree import FirstRows
from loomapp.core.model.tree import Tree
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from loomapp.store.rows.new_trees import NewTree
from tests.kit.groves import agree, everything, generated, planted
from tests.kit.trees import Hand, chain, do


def by_hand(texts: dict[str, str], *, tree_id: str = "t", at: int = 5) -> Tree:
    """A chain as a file written by hand gives it: short ids, and the time of reading."""
    tree = Tree(LoomTree(tree_id, f"Tree {tree_id}", "dialogue", next(iter(texts)), created_at=at))
    above: Node | None = None
    for node_id, text in texts.items():
        hashes = () if above is None else (above.content_hash,)
        local_id = tree.new_local_id(node_id)
        node = Node(node_id, local_id, Text(text), "human", "a0", created_at=at, parent_hashes=hashes)
        node = replace(node, content_hash=content_hash(node))
        tree.put_node(node)
        if above is not None:
            tree.put_edge(Edge(f"edge to {node_id} at {at}", (EdgeSource(above.id),), node_id))
        above = node
    tree.path = replace(tree.path, leaf_id=next(reversed(texts)))
    return tree


def copy_of(tree: Tree) -> Tree:
    """The tree as it would come from a file."""
    copy = Tree(tree.loom, nodes=tree.nodes.values(), edges=tree.edges.values())
    copy.path, copy.tags, copy.links = tree.path, dict(tree.tags), dict(tree.links)
    return copy


def test_two_files_whose_nodes_have_the_same_ids_go_into_one_grove(grove: Grove) -> None:
    first, second = by_hand({"n1": "one"}), by_hand({"n1": "uno"}, tree_id="u")

    for tree in (first, second):
        assert grove.add_tree(tree).outcome == "new"

    assert [grove.load_tree(t.loom.id).nodes["n1"].text for t in (first, second)] == ["one", "uno"]


def test_a_large_tree_is_told_with_its_thousands_set_apart(grove: Grove) -> None:
    added = grove.add_tree(by_hand({f"n{i}": "x" for i in range(1_200)}))

    assert added.message == "“Tree t” was added with 1,200 nodes."


def test_the_same_tree_again_changes_nothing(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    grove.commit(tree, generated(tree, ids[-1], ["one", "two"], hand))
    again = copy_of(tree)

    added = grove.add_tree(again, evidence=grove.all_evidence(tree.loom.id))

    assert (added.outcome, added.tree_id, added.node_count) == ("unchanged", tree.loom.id, 0)
    assert agree(grove, tree)
    assert grove.undo_label(tree.loom.id) == "Generate 2 continuations"


def test_who_adds_to_a_tree_that_was_put_away_is_told_where_it_is(grove: Grove) -> None:
    archived = by_hand({"n1": "one"})
    archived.loom = replace(archived.loom, archived_at=5)

    told = [grove.add_tree(one).message for one in (archived, archived, by_hand({"n1": "one", "n2": "two"}))]

    assert told == [
        "“Tree t” was added with 1 node. It is in the archive.",
        "“Tree t” is here already; it holds nothing new. It is in the archive.",
        "“Tree t” was here already; 1 node came new. It is in the archive.",
    ]
    assert grove.add_tree(by_hand({"n1": "x"}, tree_id="u")).message == "“Tree u” was added with 1 node."


def test_a_tree_that_is_here_gains_the_new_nodes_as_one_step(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    more = copy_of(tree)
    change = generated(more, ids[0], ["one", "two"], hand)
    do(more, change)
    do(more, node_edits.add_node(more, ids[1], "three", hand.pen()))
    more.tags["new"] = Tag("new", node_ids=(ids[0],))
    before = everything(tree)

    added = grove.add_tree(more, evidence=change.evidence)

    assert (added.outcome, added.node_count) == ("merged", 3)
    assert "3 nodes came new" in added.message
    heard = grove.catch_up(tree)
    assert [c.label for c in heard] == ["Import 3 nodes"]
    assert list(tree.nodes) == list(more.nodes)
    assert tree.tags == more.tags
    assert agree(grove, tree)
    assert {f.verdict for f in verify_tree(grove, tree.loom.id)} == {"ok"}
    assert grove.all_evidence(tree.loom.id) == list(change.evidence)
    grove.undo(tree)
    assert everything(tree) == before


def test_rows_that_are_made_only_once_come_in_with_their_responses_too(grove: Grove) -> None:
    hand = Hand()
    whole = by_hand({"n1": "one"})
    change = generated(whole, "n1", ["two", "three"], hand)
    do(whole, change)
    head = Tree(whole.loom)
    head.path = whole.path
    rows = FirstRows(
        head, 3, iter([*whole.nodes.values()]), iter([*whole.edges.values()]), begins_empty=False
    )

    [added] = grove.add_trees([NewTree(rows, (), change.evidence)])

    assert added.message == "“Tree t” was added with 3 nodes."
    assert [node.text for node in grove.load_tree("t").nodes.values()] == ["one", "two", "three"]
    assert grove.all_evidence("t") == list(change.evidence)


def test_a_node_that_was_missing_joins_the_response_that_is_here(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    change = generated(tree, ids[0], ["one", "two"], hand)
    first, second = change.added_nodes()
    evidence = change.evidence[0]
    only_first = replace(evidence, choices={first.id: 0})
    rows = tuple(
        r for r in change.rows if r.row.key != second.id and getattr(r.row, "target_id", "") != second.id
    )
    grove.commit(tree, replace(change, rows=rows, evidence=(only_first,)))
    full = copy_of(tree)
    do(full, replace(change, rows=tuple(r for r in change.rows if r not in rows)))

    assert grove.add_tree(full, evidence=[evidence]).outcome == "merged"

    assert grove.all_evidence(tree.loom.id) == [evidence]
    assert {f.verdict for f in verify_tree(grove, tree.loom.id)} == {"ok"}


def test_what_was_changed_here_stays_when_the_tree_comes_again(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    old = copy_of(tree)
    for change in (
        node_marks.bookmark(tree, ids[0], "mine", hand.pen()),
        tree_edits.change_loom(tree, "Title", hand.pen(), replace(tree.loom, title="Mine")),
    ):
        assert change is not None
        grove.commit(tree, change)

    assert grove.add_tree(old).outcome == "unchanged"
    assert agree(grove, tree)


def test_a_node_with_other_content_makes_the_whole_a_copy_and_says_so(grove: Grove) -> None:
    grove.add_tree(by_hand({"n1": "one", "n2": "two"}))
    other = by_hand({"n1": "one", "n2": "zwei"})
    link = Link("n1", "t", "n2")
    other.links[link.key] = link

    added = grove.add_tree(other, [Agent("a0", "Ada", "human")])

    assert added.outcome == "copied"
    short = other.nodes["n2"].local_id
    assert f"as a copy, because node {short} has other content here" in added.message
    copy = grove.load_tree(added.tree_id)
    assert added.tree_id != "t"
    assert copy.loom.title == other.loom.title
    assert [node.text for node in copy.nodes.values()] == ["one", "zwei"]
    assert [row.to_tree_id for row in copy.links.values()] == [added.tree_id]
    assert [agent.id for agent in grove.tree_agents(added.tree_id)] == ["a0"]
    assert grove.load_tree("t").nodes["n2"].text == "two"


@pytest.mark.parametrize(
    "contradiction",
    [
        lambda tree: setattr(tree, "loom", replace(tree.loom, mode="buffer")),
        lambda tree: setattr(tree, "loom", replace(tree.loom, root_id="n2")),
        lambda tree: tree.put_edge(Edge("edge to n2 at 5", (EdgeSource("n2"),), "n1")),
    ],
    ids=["mode", "root", "edge"],
)
def test_other_contradictions_make_a_copy_too(grove: Grove, contradiction: object) -> None:
    grove.add_tree(by_hand({"n1": "one", "n2": "two"}))
    other = by_hand({"n1": "one", "n2": "two"})
    assert callable(contradiction)
    contradiction(other)

    assert grove.add_tree(other).outcome == "copied"


def test_a_file_without_times_adds_what_is_new_and_it_verifies(grove: Grove) -> None:
    grove.add_tree(by_hand({"n1": "one", "n2": "two"}, at=5))

    added = grove.add_tree(by_hand({"n1": "one", "n2": "two", "n3": "three", "n4": "four"}, at=6))

    assert (added.outcome, added.node_count) == ("merged", 2)
    assert [f.verdict for f in verify_tree(grove, "t")] == ["ok"] * 4


def test_what_was_undone_here_comes_back_with_an_import(grove: Grove) -> None:
    hand = Hand()
    tree, _ = planted(grove, hand)
    full = copy_of(tree)
    grove.undo(tree)

    assert grove.add_tree(full).outcome == "merged"

    grove.catch_up(tree)
    assert list(tree.nodes) == list(full.nodes)
    assert tree.nodes == full.nodes
    assert grove.redo_label(tree.loom.id) is None
    assert agree(grove, tree)


def test_what_was_undone_here_and_comes_with_other_content_makes_a_copy(grove: Grove) -> None:
    grove.add_tree(by_hand({"n1": "one"}))
    tree = grove.load_tree("t")
    pen = Hand().pen()
    first = node_edits.add_node(tree, "n1", "two", pen)
    grove.commit(tree, first)
    grove.undo(tree)
    node_id = first.added_nodes()[0].id

    assert grove.add_tree(by_hand({"n1": "one", node_id: "zwei"})).outcome == "copied"


def test_a_new_version_joins_the_edges_that_are_here(grove: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand, mode="buffer")
    more = copy_of(tree)
    version = do(more, node_edits.edit_as_sibling(more, ids[0], "better", hand.pen())).added_nodes()[0]
    edge = more.incoming(ids[1])[0]
    more.put_edge(replace(edge, sources=(*edge.sources, EdgeSource(version.id))))

    grove.add_tree(more)

    grove.catch_up(tree)
    assert tree.incoming(ids[1])[0].with_role("primary") == (ids[0], version.id)
    assert agree(grove, tree)


def test_short_ids_stay_unique_when_trees_grow_together(grove: Grove) -> None:
    grove.add_tree(by_hand({"n1": "one"}))
    more = by_hand({"n1": "one", "n2": "two"})
    clash = replace(more.nodes["n2"], local_id=more.nodes["n1"].local_id)
    tree = Tree(more.loom, nodes=[more.nodes["n1"], clash], edges=more.edges.values())

    grove.add_tree(tree)

    names = [node.local_id for node in grove.load_tree("t").nodes.values()]
    assert len(set(names)) == 2


def test_agents_that_are_here_stay_as_they_are(grove: Grove) -> None:
    ours, theirs = Agent("a0", "Ada", "human"), Agent("a0", "Someone else", "human")
    grove.put_agent(ours)

    grove.add_tree(by_hand({"n1": "one"}), [theirs, Agent("a1", "New", "model", "local:x")])

    assert [agent.name for agent in grove.tree_agents("t")] == ["Ada", "New"]


def test_an_import_with_an_edge_to_nowhere_brings_nothing(grove: Grove) -> None:
    tree, _ = chain(2)
    tree.put_edge(Edge("e", (EdgeSource("nobody"),), tree.root_id))

    with pytest.raises(InvalidInput, match="node nobody"):
        grove.add_tree(tree, [Agent("a0", "Ada", "human")])

    assert grove.trees() == []
    assert grove.agents() == [grove.owner]


def test_a_tree_is_told_with_as_many_nodes_as_the_list_of_trees_counts(grove: Grove) -> None:
    tree, ids = chain(12)
    added = grove.add_tree(tree, [Agent("you", "You", "human")])

    assert added.message == "“A tree” was added with 12 nodes."
    assert (added.node_count, len(ids)) == (13, 12), "for programs every node counts"


def test_a_model_that_is_here_under_another_id_is_offered_once(grove: Grove) -> None:
    ours = Agent("ours", "SmolLM2 135M", "model", "local:small", colour="a2")
    theirs, other = replace(ours, id="theirs"), replace(ours, id="other", colour="a3")
    grove.put_agent(ours)

    grove.add_tree(by_hand({"n1": "one"}), [Agent("a0", "A", "human"), theirs, other])

    archived = {agent.id: agent.archived_at is not None for agent in grove.agents() if agent.type == "model"}
    assert archived == {"ours": False, "theirs": True, "other": False}
