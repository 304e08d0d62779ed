"""Bytes that a session costs: few tools and short rows, beside every tool and whole nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.core.edits import tree_edits
from loomapp.core.edits.edit_context import EditContext, new_node
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Edge, EdgeSource
from loomapp.core.model.tree import Tree
from loomapp.mcp.lists import FULL
from loomapp.mcp.served_grove import Environment
from loomapp.store.grove.open import create_grove
from tests.kit.mcp_clients import Tools, talk, text_of
from tests.kit.trees import Hand

PARAGRAPH = "The keeper wrote down what the sea had brought, and what it had taken again. " * 6
WHOLE = {"fields": list(FULL), "compact": False}  # what a plain server would tell of every node
SESSION: tuple[tuple[str, dict[str, object]], ...] = (
    ("list_trees", {}),
    ("context", {}),
    ("list_nodes", {"limit": 100}),
    ("search", {"query": "keeper", "limit": 100}),
    ("leaves", {}),
    ("path", {"node_id": "@last"}),
    ("children", {"node_id": "@fork"}),
    ("show", {"node_id": "@last"}),
    ("context_get", {}),
    ("annotate", {"node_id": "@last", "text": "the turning point"}),
)
LISTS = {"list_nodes", "search", "leaves", "path", "children"}


def wide_tree(count: int, pen: EditContext, hand: Hand) -> tuple[Tree, str, str]:
    """A tree in chains of fifty nodes below one; the last node, and the one that they fork from."""
    tree = tree_edits.new_tree("dialogue", "A long story", pen)
    fork = last = tree.root_id
    for number in range(count - 1):
        parent = fork if number % 50 == 0 else last
        node = new_node(tree, hand.new_id(), Text(f"{number}: {PARAGRAPH}"), pen)
        tree.put_node(node)
        tree.put_edge(Edge(hand.new_id(), (EdgeSource(parent),), node.id, created_at=pen.now))
        last = node.id
    return tree, last, fork


@pytest.mark.parametrize("count", [1_500, pytest.param(5_000, marks=pytest.mark.slow)])
def test_a_session_costs_a_fifth_of_what_whole_nodes_and_every_tool_cost(tmp_path: Path, count: int) -> None:
    path, hand = tmp_path / "a.loom", Hand()
    with create_grove(path) as grove:
        tree, last, fork = wide_tree(count, hand.pen(grove.owner.id), hand)
        grove.add_tree(tree, [grove.owner])
    names = {"@last": last, "@fork": fork}

    async def speak(tools: Tools) -> list[tuple[str, int]]:
        listed = await tools.client.list_tools()
        sizes = [("tools/list", len(listed.model_dump_json(by_alias=True, exclude_none=True).encode()))]
        is_whole = len(listed.tools) > 4
        if not is_whole:
            sizes.append(("discover_tools", len(text_of(await tools.raw("discover_tools", {})).encode())))
        for name, given in SESSION:
            arguments = {key: names.get(str(value), value) for key, value in given.items()}
            if is_whole and name in LISTS:
                arguments |= WHOLE
            result = await (tools.raw(name, arguments) if is_whole else tools.result(name, **arguments))
            assert not result.is_error
            sizes.append((name, len(text_of(result).encode())))
        return sizes

    lean = dict(talk(path, speak))
    whole = dict(talk(path, speak, environment=Environment(lists_every_tool=True)))

    lines = [f"{'':<16}{'lean':>10}{'whole':>12}"]
    lines += [f"{name:<16}{size:>10,}{whole.get(name, 0):>12,}" for name, size in lean.items()]
    total, most = sum(lean.values()), sum(whole.values())
    lines.append(f"{'all':<16}{total:>10,}{most:>12,}  1/{most / total:.1f}")
    print("\n".join(lines))
    assert lean["tools/list"] < 2_500
    assert total * 5 <= most
