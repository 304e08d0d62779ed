"""Eight streams at once in a large grove that is panned meanwhile, and the window closed in the middle."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from loomapp.app import keep_what_is_loaded
from loomapp.core.model.entities import Node
from loomapp.providers import registry
from loomapp.store.grove.open import open_grove
from loomapp.ui.window.main_window import MainWindow
from tests.bench.groves import groves
from tests.journeys.watchdog import Absence, Watchdog, table
from tests.kit.desktop import Pointer
from tests.kit.servers.fake_server import Conversation, FakeServer, chunk
from tests.kit.windows import open_window, turns_as_in_the_program, wait_for_backup
from tests.session.programs import ask_server

STREAMS = 8
WORD_S = 0.02
BACK_AND_FORTH = QPoint(260, 140)
FEW, MANY = 4_000, 100_000
# The server's eight threads take turns with the window's, and that is in what is measured: it cannot tell
# 50 ms. What it notices is work that grows with the tree, which would take seconds.
STUCK_MS = 1_000.0
CLOSED_S = 1.0
TIMES = 3  # at most: what keeps the window once may be another program's doing


class Speaker:
    """A model that never ends; each of its answers begins with a number of its own."""

    def __init__(self) -> None:
        self._numbers = itertools.count()

    def __call__(self, conversation: Conversation) -> None:
        conversation.head()
        for word in words(f"a{next(self._numbers)}"):
            conversation.send(chunk(word))
            time.sleep(WORD_S)


def words(name: str) -> Iterator[str]:
    """What the answer of this name says."""
    yield f"{name} "
    yield from (f"word{number} " for number in itertools.count())


def is_said(text: str) -> bool:
    """Whether a text is the beginning of an answer with nothing left out."""
    said = words(text.split()[0])
    whole = ""
    while len(whole) < len(text):
        whole += next(said)
    return whole.startswith(text)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """The speaker on loopback."""
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(Speaker()) as server:
        yield server


@pytest.fixture(autouse=True)
def _as_the_program_runs() -> Iterator[None]:
    with turns_as_in_the_program():
        yield


@dataclass(frozen=True, slots=True)
class Lived:
    """What was seen of eight streams: their texts when the window was closed, and what that cost."""

    parent_id: str
    texts: dict[str, str]  # by the answer's name
    away: list[Absence]
    closing_s: float
    closing_cpu_s: float  # of the window's thread; a backup that goes on elsewhere is not in it

    def __str__(self) -> str:
        took = f"closed in {self.closing_s:.2f} s, of which {self.closing_cpu_s:.2f} s of its thread"
        return f"{table(self.away)}\n{took}"


def streamed(path: Path, server: FakeServer, qtbot: QtBot, *, pans: int) -> Lived:
    """Asks eight times by key, pans with the pointer while they answer, closes the window on them."""
    with open_grove(path) as grove:
        ask_server(grove, server.url)
    with ExitStack() as stack:
        window = stack.enter_context(open_window(path, qtbot))
        keep_what_is_loaded()  # as the program does once a window stands
        window.preferences.put("ask_above_tokens", 10**9)  # a long path may fill the model's window
        pointer = Pointer(qtbot, waits=False)
        ask_eight_times(window, qtbot, pointer)
        with Watchdog(quiet_ms=0) as dog:  # it is never quiet while they stream
            for _ in range(pans):
                pan(window, pointer, dog, qtbot)
        assert dog.ticks > pans
        parent_id, texts = window.document.current_id, texts_of(window)
        began, began_cpu = time.monotonic(), time.thread_time()
        stack.close()
        took, took_cpu = time.monotonic() - began, time.thread_time() - began_cpu
    lived = Lived(parent_id, texts, dog.worst(), took, took_cpu)
    print(f"\n{path.stem}\n{lived}")
    return lived


def ask_eight_times(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    """Eight requests of one answer each, all of which have begun to be answered."""
    window.composer.set_count(1)
    pointer.key("ctrl+1", "ctrl+9", *["g"] * STREAMS)
    qtbot.waitUntil(lambda: len(texts_of(window)) == STREAMS)


def pan(window: MainWindow, pointer: Pointer, dog: Watchdog, qtbot: QtBot) -> None:
    """There and back; each way the view moves, and each of the eight has grown in the end."""
    port, graph = window.graph.viewport(), window.graph
    middle, before = port.rect().center(), texts_of(window)
    for way in (BACK_AND_FORTH, -BACK_AND_FORTH):
        camera = graph.camera
        with dog.during("pan while eight stream"):
            pointer.drag((port, middle), (port, middle + way), button=2)
            qtbot.waitUntil(lambda camera=camera: graph.camera != camera)  # type: ignore[misc]
    qtbot.waitUntil(lambda: all(len(texts_of(window)[name]) > len(text) for name, text in before.items()))
    assert window.generator.answers.stream_count() == STREAMS


def texts_of(window: MainWindow) -> dict[str, str]:
    """What there is of each answer that has begun, by its name."""
    drafts = window.generator.drafts(window.document.tree.loom.id)
    return {live.draft.text.split()[0]: live.draft.text for live in drafts if " " in live.draft.text}


def saved_answers(path: Path, parent_id: str) -> dict[str, Node]:
    """The interrupted answers below a node, as the file has them, by their names."""
    with open_grove(path) as grove:
        tree = grove.load_tree(grove.trees()[0].id)
    below = [tree.nodes[node_id] for node_id in tree.children(parent_id)]
    return {node.text.split()[0]: node for node in below if node.interrupted is not None}


def check_that_nothing_is_lost(path: Path, lived: Lived) -> None:
    """All eight are in the file with all that was on the screen, as what was stopped."""
    saved = saved_answers(path, lived.parent_id)
    assert len(lived.texts) == STREAMS
    assert saved.keys() == lived.texts.keys()
    for name, node in saved.items():
        assert node.text.startswith(lived.texts[name].rstrip())
        assert is_said(node.text)
        assert node.interrupted is not None
        assert node.interrupted.reason == "cancelled"


@pytest.mark.timeout(200)
def test_eight_streams_grow_while_the_graph_is_panned_and_outlast_the_window(
    server: FakeServer, qtbot: QtBot
) -> None:
    with groves() as made:
        path = made.fresh("bushy", FEW)
        lived = streamed(path, server, qtbot, pans=1)
        check_that_nothing_is_lost(path, lived)


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_neither_eight_streams_nor_leaving_them_holds_a_large_grove_up(
    server: FakeServer, qtbot: QtBot
) -> None:
    with groves() as made:
        for _ in range(TIMES):
            path = made.fresh("bushy", MANY)
            lived = streamed(path, server, qtbot, pans=3)
            check_that_nothing_is_lost(path, lived)
            wait_for_backup(qtbot)
            late = [step for step in lived.away if step.quiet_ms > STUCK_MS]
            if not late and lived.closing_cpu_s < CLOSED_S:
                return
    pytest.fail(str(lived))
