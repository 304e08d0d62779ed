"""`loomapp search`: what the window's search finds, a line a hit, and as JSON."""

from __future__ import annotations

from pathlib import Path

from tests.kit.processes.command import loomapp, new_tree


def add(grove: Path, tree_id: str, parent: str, text: str) -> str:
    return loomapp(
        *("node", "add", "--grove", grove, "--tree", tree_id, "--parent", parent, "--text", text)
    ).out.strip()


def test_hits_are_printed_with_where_they_are_and_counted(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    node_id = add(grove, tree_id, root_id, "The lamp is lit.")
    other_id = add(grove, tree_id, node_id, "Who lit the LAMP?")

    text = loomapp("search", "lamp lit", "--grove", grove)
    value = loomapp("search", "lamp lit", "--grove", grove, "--json")

    assert (text.status, value.status) == (0, 0)
    assert [line.split("  ")[-1] for line in text.out.splitlines()] == [
        "Who lit the LAMP?",
        "The lamp is lit.",
    ]
    assert value.json["total"] == 2
    assert [hit["nodeId"] for hit in value.json["hits"]] == [other_id, node_id]
    assert value.json["hits"][1] == {
        "treeId": tree_id,
        "nodeId": node_id,
        "localId": text.out.splitlines()[1].split("  ")[0],
        "text": "The lamp is lit.",
    }


def test_one_tree_alone_can_be_searched_and_none_found_is_no_failure(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    other_tree, _ = new_tree(grove)
    add(grove, tree_id, root_id, "The lamp is lit.")

    elsewhere = loomapp("search", "lamp", "--tree", other_tree, "--grove", grove, "--json")
    nothing = loomapp("search", "hay", "--grove", grove)
    no_tree = loomapp("search", "lamp", "--tree", "nowhere", "--grove", grove)

    assert (elsewhere.status, elsewhere.json) == (0, {"hits": [], "total": 0})
    assert (nothing.status, nothing.out) == (0, "")
    assert no_tree.status != 0
