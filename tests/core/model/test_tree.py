"""Trees that are filled at once are as those whose rows are put one by one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource, LoomTree, Node
from loomapp.core.model.tree import Tree

NAMES = [f"n{number}" for number in range(6)]
LOOM = LoomTree("t", "A tree", "dialogue", "n0")

names = st.sampled_from(NAMES)
nodes = st.builds(
    Node,
    id=names,
    local_id=st.sampled_from(["A", "B", "b", "C"]),
    content=st.just(Text("")),
    author_type=st.just("human"),
    edited_from=st.none() | names,
)
sources = st.builds(EdgeSource, names, st.sampled_from(["primary", "primary", "context", "instruction"]))
edges = st.builds(
    Edge,
    id=st.sampled_from([f"e{number}" for number in range(8)]),
    sources=st.lists(sources, max_size=3).map(tuple),
    target_id=names,
    type=st.sampled_from(["continuation", "continuation", "annotation"]),
)


ROWS = st.lists(nodes, max_size=8), st.lists(edges, max_size=12)


@given(*ROWS, *ROWS)
def test_a_tree_that_is_filled_at_once_is_as_one_whose_rows_are_put_one_by_one(
    some_nodes: list[Node], some_edges: list[Edge], more_nodes: list[Node], more_edges: list[Edge]
) -> None:
    one_by_one = Tree(LOOM)
    put(one_by_one, some_nodes, some_edges)

    assert told(Tree(LOOM, nodes=some_nodes, edges=some_edges)) == told(one_by_one)

    at_once = Tree(LOOM, nodes=some_nodes, edges=some_edges)
    short = {node.id: node.local_id for node in reversed(some_nodes)}  # which never changes
    more_nodes = [replace(node, local_id=short.setdefault(node.id, node.local_id)) for node in more_nodes]
    put(one_by_one, more_nodes, more_edges)
    put(at_once, more_nodes, more_edges)

    assert told(at_once) == told(one_by_one)


def put(tree: Tree, some_nodes: list[Node], some_edges: list[Edge]) -> None:
    for node in some_nodes:
        tree.put_node(node)
    for edge in some_edges:
        tree.put_edge(edge)


def told(tree: Tree) -> object:
    """All that can be asked of a tree, in its order."""
    everyone = {name: place(tree, name) for name in NAMES}
    edge_places = {edge_id: tree.edge_place(edge_id) for edge_id in tree.edges}
    rows = list(tree.nodes.items()), list(tree.edges.items()), dict(tree.node_places), edge_places
    touched = tree.touches.since(0)
    kinds = tree.plain_parents, set(tree.leading_on), set(tree.noted), set(tree.note_ids), set(tree.goes_on)
    return rows, touched, kinds, set(tree.edited), everyone, [tree.find(name) for name in ("a", "b", "c")]


def place(tree: Tree, name: str) -> object:
    """Where a node stands among the others."""
    around = tree.incoming(name), tree.annotation_edges_into(name), tree.edges_out(name)
    return (*around, tree.children(name), tree.notes(name), tree.edits_of(name))


def test_a_row_that_goes_first_of_all_comes_back_where_it_was() -> None:
    rows = [Node(name, name.upper(), Text(""), "human") for name in "abc"]
    ways = [Edge(f"e{name}", (EdgeSource("a"),), name) for name in "bc"]
    tree = Tree(LOOM, nodes=rows, edges=ways)

    tree.drop_edge("eb")
    tree.drop_node("b")
    assert tree.was_here("b")
    assert tree.find("B") is None
    tree.put_node(rows[1])
    tree.put_edge(ways[0])
    tree.restore_order()

    assert told(tree) == told(Tree(LOOM, nodes=rows, edges=ways))


def test_short_ids_are_known_also_of_what_comes_after_a_row_came_back() -> None:
    first, back, last, new = (Node(name, name.upper() * 6, Text(""), "human") for name in "abcd")
    tree = Tree(LOOM, nodes=[first, last], edges=[])
    tree.keep_places([first.id, back.id, last.id], [])  # as it is read where one is undone

    for node in (back, new):  # another program redoes that, and goes on
        tree.put_node(node)
        tree.restore_order()

    assert list(tree.nodes) == ["a", "b", "c", "d"]
    assert [tree.find(node.local_id) for node in tree.nodes.values()] == list(tree.nodes)
