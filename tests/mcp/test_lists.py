"""Lists of nodes: minimal rows, fields, cut texts, previews with true totals, filters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.edits.edit_context import continuation
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Text
from loomapp.core.model.entities import EdgeSource
from loomapp.mcp.lists import FULL, MINIMAL
from loomapp.mcp.served_grove import Environment
from loomapp.store.grove.open import create_grove
from tests.kit.groves import planted
from tests.kit.mcp_clients import Tools, talk
from tests.kit.trees import Hand


def grove_of(path: Path, count: int) -> list[str]:
    """A grove with one tree of an empty root and so many messages below each other; the ids of all nodes."""
    with create_grove(path) as grove:
        tree, _ = planted(grove, Hand(), length=count)
        return list(tree.nodes)


def test_rows_are_minimal_unless_more_is_asked(tmp_path: Path) -> None:
    ids = grove_of(path := tmp_path / "a.loom", 3)

    async def speak(tools: Tools) -> None:
        rows = await tools.list("list_nodes")
        assert [row["id"] for row in rows] == ids
        assert all(tuple(row) == MINIMAL for row in rows)
        assert [row["depth"] for row in rows] == [0, 1, 2, 3]
        assert [row["child_count"] for row in rows] == [1, 1, 1, 0]
        assert [row["flags"] for row in rows] == [["head"], [], [], []]
        assert {str(row["author"]) for row in rows} == {"human"}

        brief = await tools.list("list_nodes", brief=True, fields=["nonsense"])
        assert all(list(row) == ["id", "title", "author"] for row in brief)
        chosen = await tools.list("list_nodes", fields=["content", "id", "depth"])
        assert all(list(row) == ["content", "id", "depth"] for row in chosen)
        assert await tools.list("list_nodes", fields=[]) == rows

    talk(path, speak)


def test_unknown_fields_are_named_beside_all_that_there_are(tmp_path: Path) -> None:
    grove_of(path := tmp_path / "a.loom", 1)

    async def speak(tools: Tools) -> None:
        message = await tools.refused("list_nodes", fields=["zzz", "id", "aaa"])
        valid = sorted({*MINIMAL, *FULL})
        assert message == f"Invalid field(s): ['aaa', 'zzz']. Valid fields: {valid}"
        many = await tools.refused("list_nodes", fields=[f"{number:02d}" for number in range(21)])
        assert "'19'] and 1 more. Valid fields: " in many
        long = await tools.refused("list_nodes", fields=["x" * 61])
        assert long == f"Invalid field(s): ['{'x' * 57}...']. Valid fields: {valid}"
        whole = await tools.list("list_nodes", fields=list(valid))
        shown = await tools.call("show", node_id=str(whole[1]["id"]))
        assert set(shown) <= set(valid)
        assert {key: whole[1][key] for key in shown} == shown

    talk(path, speak)


@pytest.mark.parametrize(
    ("below", "limit", "is_compacted"), [(19, 100, False), (20, 100, True), (20, 20, False), (40, 21, True)]
)
def test_more_than_twenty_results_are_a_preview(
    tmp_path: Path, below: int, limit: int, is_compacted: bool
) -> None:
    ids = grove_of(path := tmp_path / "a.loom", below)

    async def speak(tools: Tools) -> None:
        whole = await tools.list("list_nodes", limit=limit, compact=False)
        assert [row["id"] for row in whole] == ids[:limit]
        if not is_compacted:
            assert await tools.list("list_nodes", limit=limit) == whole
            return
        assert await tools.call("list_nodes", limit=limit) == {
            "compacted": True,
            "total_count": below + 1,
            "preview": whole[:5],
            "preview_count": 5,
            "hint": f"Showing 5 of {below + 1} nodes. Use show(node_id) for full details "
            "or add filters to narrow results.",
        }
        brief = await tools.call("list_nodes", limit=limit, brief=True)
        assert brief["preview"] == [{k: row[k] for k in ("id", "title", "author")} for row in whole[:5]]

    talk(path, speak)


def test_the_numbers_of_the_environment_count(tmp_path: Path) -> None:
    ids = grove_of(path := tmp_path / "a.loom", 3)

    async def speak(tools: Tools) -> None:
        compacted = await tools.call("path", node_id=ids[-1])
        assert (compacted["total_count"], compacted["preview_count"]) == (4, 2)
        trees = await tools.list("list_trees")
        assert len(trees) == 1

    talk(path, speak, environment=Environment(threshold=3, preview=2))


def test_trees_are_compacted_under_their_own_name(tmp_path: Path) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as grove:
        for _ in range(3):
            planted(grove, Hand(), length=1)

    async def speak(tools: Tools) -> None:
        compacted = await tools.call("list_trees")
        assert compacted["hint"] == (
            "Showing 1 of 3 trees. Use show(tree_id) for full details or add filters to narrow results."
        )
        tree_id = str((await tools.list("list_trees", compact=False, fields=["id"]))[2]["id"])
        assert (await tools.call("show", node_id=tree_id))["title"] == "A tree"

    talk(path, speak, environment=Environment(threshold=2, preview=1))


def test_long_texts_are_cut(tmp_path: Path) -> None:
    ids = grove_of(path := tmp_path / "a.loom", 1)

    async def speak(tools: Tools) -> None:
        fields = ["id", "content", "title"]
        for most, text in ((0, "message 0"), (9, "message 0"), (8, "message ..."), (1, "m...")):
            (row,) = await tools.list("list_nodes", query="message", fields=fields, max_text_length=most)
            assert row == {"id": ids[1], "content": {"type": "text", "text": text}, "title": text}

    talk(path, speak)


def test_a_title_is_the_branch_then_the_summary_then_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as grove:
        hand = Hand()
        tree, ids = planted(grove, hand, length=1)
        change = node_edits.add_node(
            tree, ids[-1], f"\n  \n  {'word ' * 30}\nsecond", hand.pen(grove.owner.id)
        )
        grove.commit(tree, change)
        node_id = change.added_nodes()[0].id

    async def speak(tools: Tools) -> None:
        (row,) = await tools.list("list_nodes", query="second")
        assert row["title"] == ("word " * 12)
        assert len(str(row["title"])) == 60
        await tools.call("thread_create", title="Its own name", node=node_id)
        (row,) = await tools.list("list_nodes", query="second")
        assert (row["title"], row["flags"]) == ("Its own name", ["head"])

    talk(path, speak)


def test_filters_narrow_and_pruned_nodes_are_asked_for_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as grove:
        hand = Hand()
        tree, ids = planted(grove, hand, length=4)
        pen = hand.pen(grove.owner.id)
        for change in (
            node_marks.exclude(tree, [ids[0]], pen),
            node_marks.bookmark(tree, ids[1], None, pen),
            node_marks.prune(tree, ids[3], pen),
            node_marks.put_tag(tree, [ids[0], ids[2]], "plot", pen),
        ):
            assert change is not None
            grove.commit(tree, change)
        note = node_edits.annotate(tree, ids[0], "a note", pen)
        grove.commit(tree, note)
        note_id = note.added_nodes()[0].id

    async def speak(tools: Tools) -> None:
        async def found(**filters: object) -> list[object]:
            return [row["id"] for row in await tools.list("list_nodes", **filters)]

        assert await found(flags=["excluded"]) == [ids[0]]
        assert await found(flags=["bookmarked"]) == [ids[1]]
        assert await found(flags=["pruned"]) == [ids[3]]
        assert await found(flags=["excluded", "bookmarked"]) == []
        assert await found(tag="plot") == [ids[0], ids[2]]
        assert await found(tag="plot", under=ids[0]) == [ids[2]]
        assert await found(tag="none") == []
        assert await found(under=ids[0]) == [ids[1], ids[2], note_id]
        assert await found(author="nobody") == []
        assert len(await found(author="HUMAN")) == 5
        assert await found(query="MESSAGE 1") == [ids[1]]
        assert [row["id"] for row in await tools.list("children", node_id=ids[2])] == []
        assert [row["id"] for row in await tools.list("leaves")] == [ids[2]]
        assert [row["id"] for row in await tools.list("search", query="note")] == [note_id]
        assert len(await tools.list("search", query="message", limit=2)) == 2
        assert await tools.list("search", query=" ") == []
        (first,) = await tools.list("list_nodes", flags=["excluded"])
        assert first["annotation_count"] == 1

    talk(path, speak)


def test_a_node_of_another_tree_is_found_by_its_id_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as grove:
        first, ids = planted(grove, Hand(), length=1)
        second, others = planted(grove, Hand(), length=1)

    async def speak(tools: Tools) -> None:
        for tree, node_id in ((first, ids[0]), (second, others[0])):
            local_id = tree.nodes[node_id].local_id
            for name in (node_id, local_id, local_id.lower()):
                shown = await tools.call("show", node_id=name)
                assert shown["id"] == node_id
        where = await tools.call("context", action="set", at=ids[0])
        assert (where["tree_id"], where["at"]) == (first.loom.id, ids[0])
        assert await tools.call("context") == where
        there = await tools.call("context", tree=second.loom.id)
        assert (there["tree_id"], there["at"]) == (second.loom.id, others[0])
        assert await tools.call("context") == where

    talk(path, speak)


def test_a_search_counts_all_that_it_finds(tmp_path: Path) -> None:
    grove_of(path := tmp_path / "a.loom", 30)

    async def speak(tools: Tools) -> None:
        for limit in (21, 29, 30, 31):
            found = await tools.call("search", query="message", limit=limit)
            assert (found["total_count"], found["preview_count"]) == (30, 5)
        with_title = await tools.call("search", query="e", limit=21)
        everything = await tools.list("search", query="e", compact=False)
        assert with_title["total_count"] == len(everything) == 31

    talk(path, speak)


def test_long_lines_of_a_trace_are_cut_too(tmp_path: Path) -> None:
    path = tmp_path / "a.loom"
    entry = {"at": "", "line": "→ view A", "ok": True, "code": None, "result": "An answer", "nodeIds": []}
    with create_grove(path) as grove:
        hand = Hand()
        tree, ids = planted(grove, hand, length=1)
        node, edge = continuation(tree, Text("Done"), (EdgeSource(ids[-1]),), hand.pen(grove.owner.id))
        rows = (RowChange(None, replace(node, extra={"trace": [entry]})), RowChange(None, edge))
        grove.commit(tree, Change(tree.loom.id, "Write", node.created_at, rows))

    async def speak(tools: Tools) -> None:
        (row,) = await tools.list("list_nodes", query="Done", fields=["trace"], max_text_length=4)
        assert row == {"trace": [{**entry, "line": "→ vi...", "result": "An a..."}]}

    talk(path, speak)
