"""Trees from Loom JSON values, read as leniently as `assemble` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from loomapp.core.encoding import Json, edge_from_json, loom_from_json, node_from_json, string_map
from loomapp.core.tree import ActivePath, IncludedAnnotations, Node, Tree


def tree_from(value: Mapping[str, object]) -> Tree:
    """The tree of a Loom JSON value; damage stays in it."""
    nodes = [node_from_json(node, "nodes") for node in cast("list[object]", value["nodes"])]
    edges = [edge_from_json(edge, "edges") for edge in cast("list[object]", value.get("edges", []))]
    loom = loom_from_json(value["tree"], "tree")
    tree = Tree(replace(loom, id=loom.id or "t", root_id=loom.root_id or nodes[0].id))
    for node in nodes:
        tree.put_node(_named(tree, node))
    for number, edge in enumerate(edges):
        tree.put_edge(replace(edge, id=edge.id or f"edge {number}"))
    tree.path = _path(tree, cast(Json, value.get("activePath") or {}))
    included = cast("list[str]", value.get("includedAnnotations") or [])
    tree.included_annotations = IncludedAnnotations(tuple(included))
    return tree


def _named(tree: Tree, node: Node) -> Node:
    return node if node.local_id else replace(node, local_id=tree.new_local_id(node.id))


def _path(tree: Tree, value: Json) -> ActivePath:
    pairs = cast("list[dict[str, object]]", value.get("selections") or [])
    chosen = {str(pair["targetNodeId"]): pair["sourceNodeId"] for pair in pairs}
    leaf = value.get("leafNodeId") or tree.root_id
    return ActivePath(str(leaf), string_map(chosen, "activePath"))
