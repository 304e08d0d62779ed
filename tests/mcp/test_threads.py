"""Threads over the server: made, switched, listed, deleted and rebased, in ThreadMind's words."""

from __future__ import annotations

from pathlib import Path

from tests.kit.mcp_clients import Tools, talk


async def auth_threads(tools: Tools) -> None:
    """main, auth and auth-ui below each other, dashboard beside auth; the position at auth-ui."""
    for title, parent in (("Dashboard", "main"), ("Auth", "main"), ("Auth UI", "auth")):
        await tools.call("thread_create", title=title, parent=parent)


def test_threads_are_made_below_each_other_and_gone_to(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        first = await tools.call("context")
        assert first["thread"] == "main"
        made = await tools.call("thread_create", title="Auth")
        assert made == {
            "id": made["id"],
            "action": "created",
            "message": 'Thread "main", in which it begins, has no summary: its context says nothing of it',
        }
        where = await tools.call("context")
        assert (where["at"], where["thread"]) == (made["id"], "auth")
        await tools.call("summary_update", content="JWT auth", thread="main")
        again = await tools.call("thread_create", title="Auth", parent="main")
        assert again["message"] == 'The thread is called "auth-2"'
        assert (await tools.call("context"))["thread"] == "auth-2"
        assert (await tools.call("thread_switch", thread="auth"))["at"] == made["id"]
        local = (await tools.call("show", node_id=str(made["id"])))["localId"]
        for name in (str(made["id"]), str(local), str(local).lower()):
            await tools.call("thread_switch", thread="main")
            assert (await tools.call("thread_switch", thread=name))["thread"] == "auth"

    talk(grove, speak)


def test_a_node_that_is_there_heads_a_thread_once(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        (row,) = await tools.list("list_nodes", query="message 1")
        node_id = str(row["id"])
        made = await tools.call("thread_create", title="  From   here ", node=node_id)
        assert made["id"] == node_id
        local_id = (await tools.call("show", node_id=node_id))["localId"]
        assert await tools.refused("thread_create", title="Again", node=node_id) == (
            f'Node {local_id} heads thread "from-here" already'
        )
        both = await tools.refused("thread_create", title="x", node=node_id, parent="main")
        assert both == "Give 'parent' or 'node', not both"
        assert await tools.refused("thread_create", title=" \n") == "'title' must not be blank"

    talk(grove, speak)


def test_the_list_tells_who_is_above_whom(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        await auth_threads(tools)
        rows = await tools.list("thread_list", fields=["name", "title", "parent", "active"])
        assert [tuple(row.values()) for row in rows] == [
            ("main", "A tree", None, False),
            ("dashboard", "Dashboard", "main", False),
            ("auth", "Auth", "main", False),
            ("auth-ui", "Auth UI", "auth", True),
        ]

    talk(grove, speak)


def test_what_is_not_there_is_named_as_what_it_should_be(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        assert await tools.refused("thread_switch", thread="x") == 'Thread "x" not found'
        assert await tools.refused("thread_delete", thread="x") == 'Thread "x" not found'
        assert await tools.refused("summary_update", content="", thread="x") == 'Thread "x" not found'
        assert await tools.refused("thread_create", title="t", parent="x") == 'Parent thread "x" not found'
        await tools.call("thread_create", title="Auth")
        assert await tools.refused("thread_rebase", thread="x", parent="main") == 'Thread "x" not found'
        wrong = await tools.refused("thread_rebase", thread="auth", parent="x")
        assert wrong == 'Target parent thread "x" not found'
        long = await tools.refused("thread_switch", thread="x" * 99)
        assert long == f'Thread "{"x" * 57}..." not found'
        (row,) = await tools.list("list_nodes", query="message 1")
        assert (
            await tools.refused("thread_switch", thread=str(row["id"])) == f'Thread "{row["id"]}" not found'
        )

    talk(grove, speak)


def test_main_stays_and_no_thread_hangs_below_itself(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        await auth_threads(tools)

        async def rebased(thread: str, parent: str) -> str:
            return await tools.refused("thread_rebase", thread=thread, parent=parent)

        assert await tools.refused("thread_delete", thread="main") == "Cannot delete the main thread"
        assert await rebased("main", "auth") == "Cannot rebase the main thread"
        assert await rebased("auth", "auth") == 'Cannot rebase "auth" onto itself'
        assert await rebased("auth", "auth-ui") == (
            'Cannot rebase "auth" onto "auth-ui": "auth-ui" is a descendant of "auth"'
        )
        assert await rebased("auth-ui", "auth") == 'Thread "auth-ui" is already under "auth"'
        moved = await tools.call("thread_rebase", thread="auth-ui", parent="dashboard")
        assert moved["action"] == "rebased"
        names = {row["name"]: row["parent"] for row in await tools.list("thread_list")}
        assert names == {"main": None, "dashboard": "main", "auth": "main", "auth-ui": "dashboard"}

    talk(grove, speak)


def test_a_deleted_thread_is_pruned_and_left(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        await auth_threads(tools)
        gone = await tools.call("thread_delete", thread="auth")
        assert gone["action"] == "deleted"
        assert [row["name"] for row in await tools.list("thread_list")] == ["main", "dashboard"]
        assert (await tools.call("context"))["thread"] == "main"
        assert await tools.refused("thread_switch", thread="auth") == 'Thread "auth" not found'
        await tools.call("prune", node_id=str(gone["id"]), on=False)
        assert (await tools.call("thread_switch", thread="auth"))["at"] == gone["id"]

    talk(grove, speak)


def test_a_name_that_cannot_be_guessed_is_told(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        await tools.call("summary_update", content="All of it")
        for title, name in (("Auth", None), ("AUTH!", "auth-2"), ("Маяк", "thread"), ("auth", "auth-3")):
            made = await tools.call("thread_create", title=title, parent="main")
            assert made["message"] == (f'The thread is called "{name}"' if name else None)
        gone = await tools.call("thread_delete", thread="auth")
        assert gone["message"] == (
            'Threads have other names: "auth-2" is "auth" now, "auth-3" is "auth-2" now'
        )
        assert (await tools.call("thread_delete", thread="thread"))["message"] is None

    talk(grove, speak)


def test_each_summary_update_counts_also_one_that_says_the_same(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        for _ in range(2):
            assert (await tools.call("summary_update", content="The whole project"))["message"] is None
        await tools.call("thread_create", title="Auth")
        await tools.call("summary_update", content="JWT auth with refresh tokens")
        assert await tools.text("context_get") == (
            "## Thread: A tree\n\nThe whole project\n\n---\n\n"
            "## Thread: Auth (active)\n\nJWT auth with refresh tokens\n\n---\n"
            "_ThreadMind context: ~28 tokens | depth: 2 threads_\n"
            "_Estimated raw history: ~18 tokens (~0% reduction from 3 summary updates)_"
        )
        assert "  Summary updates: 3\n" in await tools.text("stats_show")
        blank = await tools.call("summary_update", content=" ", thread="auth")
        assert blank["message"] == 'Thread "auth" has a blank summary now'

    talk(grove, speak)
