"""Writes over the server: by an agent named as the client, without evidence, moving no window, undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.mcp.served_grove import Environment
from loomapp.store.checks.check import check
from loomapp.store.grove.open import open_grove
from tests.kit.groves import planted
from tests.kit.mcp_clients import NAME, REVISIONS, Tools, talk, tools_of
from tests.kit.processes.command import loomapp
from tests.kit.trees import Hand


@pytest.mark.parametrize("mode", REVISIONS)
def test_nodes_are_by_an_agent_named_as_the_client(grove: Path, mode: str) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        made = await tools.call("node_create", parent=at, text="The light went out.")
        assert made == {"id": made["id"], "action": "created", "message": None}
        noted = await tools.call("annotate", node_id=str(made["id"]), text="so it did")
        assert noted["action"] == "annotated"
        (row,) = await tools.list("children", node_id=at)
        assert (row["id"], row["author"], row["annotation_count"]) == (made["id"], NAME, 1)
        mine = await tools.call("node_create", parent=at, text="In your name", author="human")
        assert [r["author"] for r in await tools.list("children", node_id=at)] == [NAME, "human"]
        assert (await tools.call("context"))["at"] == at
        assert mine["id"] != made["id"]

    talk(grove, speak, mode)
    with open_grove(grove) as opened:
        (row,) = opened.trees()
        tree = opened.load_tree(row.id)
        (agent,) = [agent for agent in opened.agents() if agent.name == NAME]
        written = [node for node in tree.nodes.values() if node.author_agent_id == agent.id]
        assert (agent.type, agent.model_ref) == ("model", None)
        assert [node.text for node in written] == ["The light went out.", "so it did"]
        assert tree.nodes[tree.path.leaf_id].text == "message 2"
        assert all(opened.evidence(row.id, node.id) is None for node in written)
        undone = opened.undo(tree)
        assert undone is not None
        assert [node.text for node in undone.removed_nodes()] == ["In your name"]


def test_a_blank_note_is_refused_and_a_blank_node_told_of(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        for text in ("", " \n\t"):
            assert await tools.refused("annotate", node_id=at, text=text) == "'text' must not be blank"
            made = await tools.call("node_create", parent=at, text=text)
            assert made["message"] == "The node is blank: it is in no context"
        assert [row["annotation_count"] for row in await tools.list("path", node_id=at)][-1] == 0

    talk(grove, speak)


def test_the_same_client_is_the_same_agent_next_time(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        await tools.call("node_create", parent=at, text="x")

    for name in ("Claude Desktop", "Claude Desktop", "  An\neditor ", "", "\x1b\u202eMCP\x00client"):
        talk(grove, speak, name=name)

    with open_grove(grove) as opened:
        names = [agent.name for agent in opened.agents() if agent.type == "model"][1:]
    assert names == ["Claude Desktop", "An editor", "MCP client"]


def test_marks_are_set_and_taken_back(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        (row,) = await tools.list("list_nodes", query="message 1")
        node_id = str(row["id"])
        for tool, on, off in (("exclude", "excluded", "included"), ("prune", "pruned", "restored")):
            assert await tools.call(tool, node_id=node_id) == {"id": node_id, "action": on, "message": None}
            again = await tools.call(tool, node_id=node_id)
            assert again["message"] == f"It was {on} already"
            assert on in str((await tools.list("list_nodes", flags=[on]))[0]["flags"])
            back = await tools.call(tool, node_id=node_id, on=False)
            assert back == {"id": node_id, "action": off, "message": None}
            assert (await tools.call(tool, node_id=node_id, on=False))["message"] is not None
        root = str((await tools.list("list_nodes"))[0]["id"])
        assert await tools.refused("prune", node_id=root) == "Cannot prune the root of a tree"

    talk(grove, speak)


def test_the_position_leaves_what_is_pruned(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        rows = await tools.list("list_nodes")
        await tools.call("context", action="set", at=str(rows[3]["id"]))
        await tools.call("prune", node_id=str(rows[2]["id"]))
        assert (await tools.call("context"))["at"] == rows[1]["id"]

    talk(grove, speak)


def test_nothing_is_written_below_what_is_pruned(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        (row,) = await tools.list("list_nodes", query="message 1")
        pruned = str(row["id"])
        await tools.call("prune", node_id=pruned)
        why = "is pruned: bring it back first, by prune with on=false"
        assert why in await tools.refused("node_create", parent=pruned, text="unseen")
        assert why in await tools.refused("generate", at=pruned)

    talk(grove, speak)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("node_create", {"parent": "x", "text": "y"}),
        ("annotate", {"node_id": "x", "text": "y"}),
        ("exclude", {"node_id": "x"}),
        ("prune", {"node_id": "x"}),
        ("summary_update", {"content": "x"}),
        ("thread_create", {"title": "x"}),
        ("thread_delete", {"thread": "x"}),
        ("thread_rebase", {"thread": "x", "parent": "main"}),
    ],
)
def test_a_server_that_only_reads_refuses_every_write(
    grove: Path, name: str, arguments: dict[str, object]
) -> None:
    before = grove.read_bytes()

    async def speak(tools: Tools) -> None:
        assert await tools.refused(name, **arguments) == (
            "This server only reads (LOOM_MCP_READ_ONLY is set): nothing was changed"
        )
        assert len(await tools.list("list_nodes")) == 4
        assert (await tools.call("thread_switch", thread="main"))["thread"] == "main"

    talk(grove, speak, environment=Environment(is_read_only=True))
    assert grove.read_bytes() == before


def test_a_server_that_only_reads_sees_what_others_write(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        assert len(await tools.list("list_nodes")) == 4
        with open_grove(grove) as opened:
            planted(opened, Hand(), length=1)
        assert len(await tools.list("list_trees")) == 2

    talk(grove, speak, environment=Environment(is_read_only=True))


def test_what_others_write_meanwhile_is_there_at_the_next_call(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        async with tools_of(grove, name="Another") as beside:
            await beside.call("node_create", parent=at, text="by another")
            (row,) = await tools.list("children", node_id=at)
            assert row["author"] == "Another"
            await tools.call("node_create", parent=at, text="by the first")
            assert len(await beside.list("children", node_id=at)) == 2

    talk(grove, speak)


def test_nothing_is_lost_where_two_clients_and_the_command_line_write_in_turns(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        tree_id = str((await tools.call("context"))["tree_id"])
        wanted = set()
        async with tools_of(grove, REVISIONS[0], name="Another") as beside:
            for number in range(30):
                for client, by in ((tools, "one"), (beside, "another")):
                    await client.call("node_create", parent=at, text=f"{by} {number}")
                    wanted.add(f"{by} {number}")
                if number % 15 == 0:
                    text = f"the command line {number}"
                    command = (
                        "node",
                        "add",
                        "--grove",
                        grove,
                        "--tree",
                        tree_id,
                        "--parent",
                        at,
                        "--text",
                        text,
                    )
                    assert loomapp(*command).status == 0
                    wanted.add(text)
            for client in (tools, beside):
                rows = await client.list("children", node_id=at, compact=False)
                assert {row["title"] for row in rows} == wanted
                assert len(rows) == len(wanted)

    talk(grove, speak)
    assert check(grove).problems == ()


def test_a_call_that_changes_nothing_leaves_no_agent_behind(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        assert (await tools.call("exclude", node_id=at, on=False))["message"] == "It was included already"
        assert (await tools.call("prune", node_id=at, on=False))["message"] == "It was not pruned"
        await tools.refused("node_create", parent="none", text="x")

    talk(grove, speak)

    with open_grove(grove) as opened:
        assert NAME not in [agent.name for agent in opened.agents()]


@pytest.mark.parametrize("name", [" Human\n", "you", "You ", "ｙｏｕ", "Command line"])
def test_no_client_passes_for_a_person(grove: Path, name: str) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        await tools.call("node_create", parent=at, text="x")
        assert [row["author"] for row in await tools.list("children", node_id=at)] == ["MCP client"]

    talk(grove, speak, name=name)

    with open_grove(grove) as opened:
        assert [write.by for write in opened.written_since(0)][-1] == "MCP client"
