"""`loomapp summarise` killed while a summary streams: no half of one is kept, and the next is whole."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from loomapp.store.checks.check import check
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.condition_wait import PATIENCE_MS
from tests.kit.groves import planted
from tests.kit.processes import warm
from tests.kit.processes.command import loomapp
from tests.kit.servers.fake_server import Conversation, FakeServer, answers, chunk
from tests.kit.trees import Hand

KILLS = [1, pytest.param(20, marks=pytest.mark.slow)]


@pytest.mark.parametrize("kills", KILLS)
def test_a_kill_while_summarising_leaves_no_half_summary(tmp_path: Path, kills: int) -> None:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        tree, ids = planted(grove, Hand(), length=8)
    named = ("summarise", "--grove", str(path), "--tree", tree.loom.id, "--at", ids[3], "--json")

    for kill in range(kills):
        half = threading.Event()

        def half_said(conversation: Conversation, half: threading.Event = half, kill: int = kill) -> None:
            conversation.head()
            conversation.send(chunk("All " * (1 + kill)))
            half.set()
            conversation.wait_until_left()

        with FakeServer(half_said) as server:
            asked = (*named, "--model", "own:m", "--endpoint", server.url)
            with warm.program("asking", *asked) as process:
                assert half.wait(PATIENCE_MS / 1e3)
                os.kill(process.pid, signal.SIGKILL)
                assert process.wait() == -signal.SIGKILL

        with open_grove(path) as grove:
            assert grove.load_tree(tree.loom.id).context_summaries == {}
            assert not verify_grove(grove).failed
        assert check(path).problems == ()

    with FakeServer(answers("All so far.")) as server:
        ran = loomapp(*named, "--model", "own:m", "--endpoint", server.url)

    assert (ran.status, ran.json["text"]) == (0, "All so far.")
    with open_grove(path) as grove:
        [row] = grove.load_tree(tree.loom.id).context_summaries.values()
        assert row.anchor_node_id == ids[3]
