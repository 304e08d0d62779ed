"""Programs that called are remembered for each grove: when, what for, how much, and what was refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.mcp import last_heard as module
from loomapp.mcp.last_heard import PAUSE_MS, LastHeard, last_heard
from loomapp.mcp.served_grove import Environment
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import now
from tests.kit.groves import planted
from tests.kit.mcp_clients import Tools, talk
from tests.kit.trees import Hand


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_calls_of_each_program_are_counted_and_refusals_say_why(tmp_path: Path) -> None:
    path, other = tmp_path / "a.loom", tmp_path / "b.loom"
    for grove in (path, other):
        with create_grove(grove) as made:
            planted(made, Hand())
    began = now()

    async def write(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        await tools.client.read_resource("loom://tree")
        await tools.call("annotate", node_id=at, text="a note")
        await tools.call("summary_update", content="so far")

    async def only_read(tools: Tools) -> None:
        await tools.refused("nonsense")
        await tools.refused("annotate", node_id="x", text="a note")

    assert last_heard(path) == []
    talk(path, write, name="Claude Desktop")
    talk(path, only_read, environment=Environment(is_read_only=True), name="notes-sync")
    talk(path, write, name="Claude Desktop")

    desktop, notes = last_heard(path)
    assert (desktop.client, desktop.tool) == ("Claude Desktop", "summary_update")
    assert (desktop.reads, desktop.nodes, desktop.changes, desktop.refused) == (4, 2, 2, 0)
    assert desktop.at >= notes.at >= began
    assert desktop.tokens > 0
    assert (notes.client, notes.reads, notes.nodes, notes.refused) == ("notes-sync", 0, 0, 2)
    assert notes.refusal == "This server only reads (LOOM_MCP_READ_ONLY is set): nothing was changed"
    assert last_heard(other) == []


def test_sums_begin_anew_after_a_long_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grove = tmp_path / "a.loom"
    LastHeard(grove).note_reply("one", "show", "a reply", writes=False)
    LastHeard(grove).note_refusal("one", "prune", "no")
    (heard,) = last_heard(grove)
    assert (heard.reads, heard.refused, heard.tool) == (1, 1, "prune")

    monkeypatch.setattr(module, "now", lambda: heard.at + PAUSE_MS + 1)
    LastHeard(grove).note_reply("one", "annotate", "a reply", writes=True)
    (later,) = last_heard(grove)
    assert (later.reads, later.changes, later.refused, later.refusal) == (0, 1, 0, "")


def test_a_note_that_cannot_be_read_or_written_is_passed_over(tmp_path: Path) -> None:
    grove = tmp_path / "a.loom"
    heard = LastHeard(grove)
    heard.note_reply("one", "show", "a reply", writes=False)
    (file,) = (tmp_path / "state").rglob("*.json")
    for damaged in (b"", b"[]", b'{"client": 1}', b"\xff"):
        file.write_bytes(damaged)
        assert last_heard(grove) == []
    file.unlink()
    file.parent.rmdir()
    file.parent.write_text("in the way")
    heard.note_reply("one", "show", "a reply", writes=False)
    assert last_heard(grove) == []
