"""A run of a loom-aware agent that ends from outside: what was carried out and said stays, marked."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from loomapp.core.model.tree import Tree
from loomapp.store.grove.open import open_grove
from tests.kit.collaborators import TREE, answer, asks, grove_of
from tests.kit.processes import warm
from tests.kit.processes.command import loomapp
from tests.kit.servers.fake_server import Conversation, FakeServer, chunk

FIRST = "I look.\n→ bookmark A7X2KQ\n→ annotate A7X2KQ: Here."


class Breaking:
    """An answer that says some words and goes on for ever."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.said = threading.Event()

    def __call__(self, client: Conversation) -> None:
        client.head()
        client.send(chunk(self._text))
        self.said.set()
        client.wait_until_left()


def ended_by(number: int, folder: Path, text: str, first: str = FIRST) -> tuple[Path, int]:
    """A grove whose run got that signal in its second step, and the exit status."""
    grove, second = grove_of(folder), Breaking(text)
    with (
        FakeServer(answer(first), second) as server,
        warm.program("asking", *asks(grove, server)) as process,
    ):
        assert second.said.wait(150)
        wait_for_words(grove, "She")
        os.kill(process.pid, number)
        status = process.wait()
    return grove, status


def wait_for_words(grove: Path, words: str) -> None:
    """Wait until the journal beside the grove holds some words."""
    tick = threading.Event()
    for _ in range(600):
        for file in list(grove.parent.glob("g.loom.drafts/**/*")):
            with suppress(OSError):  # it is written anew all the time
                if file.is_file() and words in file.read_text("utf-8", "replace"):
                    return
        tick.wait(0.1)
    raise AssertionError("the words never reached the journal")


def saved(grove: Path) -> Tree:
    ran = loomapp("verify", "--grove", grove)
    assert ran.status == 0, ran.out + ran.err
    with open_grove(grove) as opened:
        return opened.load_tree(TREE)


@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGKILL, "crash"), (signal.SIGINT, "cancelled")], ids=["kill", "stop"]
)
def test_what_was_done_and_said_stays(number: int, reason: str, tmp_path: Path) -> None:
    grove, status = ended_by(number, tmp_path, "She\n→ prune A7X2KQ\nhides it")

    assert status == (-number if number == signal.SIGKILL else 130)
    parent = ("--grove", grove, "--tree", TREE, "--parent", "Q1AAAA", "--text", "Mine.")
    assert loomapp("node", "add", *parent).status == 0
    tree = saved(grove)
    assert tree.nodes["a7x2kq"].metadata.bookmarked
    assert not tree.nodes["a7x2kq"].metadata.pruned
    assert [tree.nodes[i].text for i in tree.notes("a7x2kq")] == ["Here."]
    [node] = [tree.nodes[i] for i in tree.children("b3k9mm")]
    trace = node.extra["trace"]
    assert isinstance(trace, list)
    assert node.text == "She\nhides it"
    assert node.interrupted is not None
    assert node.interrupted.reason == reason
    assert [entry["line"] for entry in trace] == [
        "I look.",
        "→ bookmark A7X2KQ",
        "→ annotate A7X2KQ: Here.",
    ]


def test_what_another_model_was_writing_for_it_stays_where_it_was_asked_for(tmp_path: Path) -> None:
    ask = "→ continue from A7X2KQ using agent: Marie"
    grove, _ = ended_by(signal.SIGKILL, tmp_path, "She kept a lamp", ask)

    parent = ("--grove", grove, "--tree", TREE, "--parent", "Q1AAAA", "--text", "Mine.")
    assert loomapp("node", "add", *parent).status == 0
    tree = saved(grove)
    [node] = [tree.nodes[i] for i in tree.children("a7x2kq") if i != "b3k9mm"]
    assert (node.text, node.author_agent_id) == ("She kept a lamp", "marie")
    assert node.interrupted is not None
    assert node.interrupted.reason == "crash"
    assert "trace" not in node.extra
