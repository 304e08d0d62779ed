"""Two clients, the command line and the window write at once: nothing is lost, and each sees the others'."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import anyio
import anyio.to_thread
import pytest
from mcp import Client
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.store.checks.check import check
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.ui.workbench import Workbench
from tests.kit.groves import planted
from tests.kit.mcp_clients import Tools, child, tools_of
from tests.kit.processes import warm
from tests.kit.trees import Hand
from tests.kit.windows import open_window

PATIENCE_MS = 120_000
FEW, MANY = 2, 50  # rounds of four writes


class ClientsBeside:
    """Two clients, each with a server of its own, on a thread beside that of the window; or, which takes
    seconds to start, in a process of its own.
    """

    def __init__(self, path: Path, *, in_processes: bool) -> None:
        self._path, self._in_processes = path, in_processes
        self._asked: queue.SimpleQueue[tuple[int, str, dict[str, object], Future[object]] | None] = (
            queue.SimpleQueue()
        )
        self._thread = threading.Thread(target=anyio.run, args=(self._serve,))
        self._thread.start()

    def call(self, client: int, name: str, **arguments: object) -> Future[object]:
        """What a tool of one of them replies; both work at once."""
        future: Future[object] = Future()
        self._asked.put((client, name, arguments, future))
        return future

    def close(self) -> None:
        self._asked.put(None)
        self._thread.join()

    async def _serve(self) -> None:
        async with (
            self._tools() as one,
            self._tools() as other,
            anyio.create_task_group() as tasks,
        ):
            while (asked := await anyio.to_thread.run_sync(self._asked.get)) is not None:
                client, name, arguments, future = asked
                tasks.start_soon(self._answer, (one, other)[client], name, arguments, future)

    @asynccontextmanager
    async def _tools(self) -> AsyncIterator[Tools]:
        if self._in_processes:
            async with Client(child(self._path, dict(os.environ))) as client:
                yield Tools(client)
        else:
            async with tools_of(self._path) as tools:
                yield tools

    @staticmethod
    async def _answer(tools: Tools, name: str, arguments: dict[str, object], future: Future[object]) -> None:
        try:
            future.set_result(await tools.call(name, **arguments))
        except BaseException as error:
            future.set_exception(error)


def are_done(futures: list[Future[object]]) -> bool:
    return all(one.done() for one in futures)


def write_aside(parent_id: str, text: str, bench: Workbench) -> None:
    document = bench.work.document
    document.commit(node_edits.add_aside(document.tree, parent_id, text, document.pen()))


@contextmanager
def clients_beside(path: Path, *, in_processes: bool) -> Iterator[ClientsBeside]:
    clients = ClientsBeside(path, in_processes=in_processes)
    try:
        yield clients
    finally:
        clients.close()


@pytest.mark.parametrize(
    "rounds", [FEW, pytest.param(MANY, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])]
)
def test_nothing_is_lost_and_each_sees_what_the_others_wrote(
    tmp_path: Path, qtbot: QtBot, rounds: int
) -> None:
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        tree, ids = planted(made, Hand())
    command = ("node", "add", "--grove", str(path), "--tree", tree.loom.id, "--parent", ids[-1], "--text")
    waits_s: list[float] = []
    texts: list[str] = []

    with (
        open_window(path, qtbot) as window,
        clients_beside(path, in_processes=rounds == MANY) as clients,
    ):
        document = window.document

        def there() -> dict[str, str]:
            return {node.text: node.id for node in document.tree.nodes.values()}

        def are_there(texts: list[str]) -> bool:
            return there().keys() >= set(texts)

        for number in range(rounds):
            new = [f"{who} {number}" for who in ("one", "other", "command", "window")]
            made_by = [
                clients.call(0, "node_create", parent=ids[-1], text=new[0]),
                clients.call(1, "node_create", parent=ids[-1], text=new[1]),
            ]
            with warm.program("command", *command, new[2]) as process:
                window.run_command(partial(write_aside, ids[-1], new[3]))  # again where the others are at it
                assert process.wait() == 0
            qtbot.waitUntil(partial(are_done, made_by), timeout=PATIENCE_MS)
            assert [one.exception() for one in made_by] == [None, None]
            began = time.monotonic()
            qtbot.waitUntil(partial(are_there, new), timeout=PATIENCE_MS)
            waits_s.append(time.monotonic() - began)
            texts += new
            seen = [clients.call(which, "show", node_id=there()[text]) for which in (0, 1) for text in new]
            qtbot.waitUntil(partial(are_done, seen), timeout=PATIENCE_MS)
            assert [one.exception() for one in seen] == [None] * len(seen)

    with open_grove(path) as opened:
        nodes = opened.load_tree(tree.loom.id).nodes
    assert sorted(node.text for node in nodes.values() if node.id not in ids)[-len(texts) :] == sorted(texts)
    assert check(path).problems == ()
    print(
        f"{len(texts)} writes, seen in the window after {median(waits_s):.2f} s, at most {max(waits_s):.2f}"
    )
    if rounds == MANY:
        assert median(waits_s) < 1
