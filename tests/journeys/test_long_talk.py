"""A long talk in a small window of the real model: carried on for many turns, with summaries made unasked."""

from __future__ import annotations

import random
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.economy_settings import THRESHOLDS, EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.core.sent.record import record_in
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.model_fetch import SMOLLM2
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.protocols.learned import learned
from loomapp.store.grove.model_agents import CHOSEN
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.window.main_window import MainWindow
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import unseen_window

PATIENCE_S = 900  # a machine with other work reads two thousand tokens in minutes
TIMEOUT_MS = 1_000 * PATIENCE_S
ANSWER_TOKENS, SUMMARY_TOKENS = 24, 64
WORDS = ("ship", "harbour", "dawn", "captain", "wrote", "storms", "islands", "letters", "and", "the")


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.close()


@contextmanager
def relayed(socket_path: str) -> Iterator[int]:
    """A port on loopback that leads to a socket of the file system."""

    class Relay(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.socket(socket.AF_UNIX) as inner, suppress(OSError):
                inner.connect(socket_path)
                back = threading.Thread(target=pump, args=(inner, self.request))
                back.start()
                pump(self.request, inner)
                back.join()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Relay) as server:
        server.daemon_threads = True
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            serving.join()


def pump(source: socket.socket, target: socket.socket) -> None:
    """Pass bytes on until one end is closed."""
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@pytest.fixture
def port(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of the real model, whose key is in the environment."""
    endpoint = engine.ready(SMOLLM2.name, Call())
    monkeypatch.setenv("ENGINE_KEY", endpoint.api_key)
    with relayed(endpoint.socket_path) as port:
        yield port


def ask_engine(port: int, window_tokens: int) -> Agent:
    """The real model behind an endpoint of one's own, with as small a window as one says that it has."""
    url = f"http://127.0.0.1:{port}/v1"
    add_endpoint("behind", url, "chat", key_name="ENGINE_KEY", silence_s=PATIENCE_S)
    learned().tell_window(url, SMOLLM2.name, window_tokens)
    configuration = Configuration(max_tokens=ANSWER_TOKENS, temperature=0.2)
    return Agent("behind", "Smol", "model", f"behind:{SMOLLM2.name}", configuration)


@pytest.mark.slow
@pytest.mark.timeout(6_000)
@pytest.mark.parametrize(("messages", "window_tokens", "turns"), [(16, 640, 2), (60, 2_048, 30)])
def test_a_long_talk_goes_on_in_a_small_window(
    tmp_path: Path,
    qtbot: QtBot,
    port: int,
    messages: int,
    window_tokens: int,
    turns: int,
) -> None:
    dice, path = random.Random(8), tmp_path / "g.loom"
    agent = ask_engine(port, window_tokens)
    with create_grove(path) as grove:
        grove.put_agent(agent)
        grove.put_setting(CHOSEN, agent.id)
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        tree = tree_edits.new_tree("dialogue", "T", pen)
        economy = EconomySettings(make_summaries=THRESHOLDS, response_reserve=SUMMARY_TOKENS)
        settings = ContextSettings(token_buffer=100, economy=economy)
        tree.loom = replace(tree.loom, context_settings=settings)
        grove.add_tree(tree, [grove.owner, agent])
        tree = grove.load_tree(tree.loom.id)
        for _ in range(messages):
            text = " ".join(dice.choices(WORDS, k=dice.randrange(20, 45)))
            grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, text, pen))

    with unseen_window(path) as window:
        document = window.document
        window.composer.set_count(1)
        for turn in range(turns):
            text = f"Turn {turn}: " + " ".join(dice.choices(WORDS, k=12))
            document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))
            asked = document.current_id
            window.actions_set.by_name["generate"].trigger()
            qtbot.waitUntil(partial(is_answered, window, asked), timeout=TIMEOUT_MS)
            check_answer(window, document.tree.children(asked)[0], window_tokens)
        summaries = document.tree.context_summaries.values()
        assert {row.body["origin"] for row in summaries} & {"blocking", "background"}


def is_answered(window: MainWindow, node_id: str) -> bool:
    return bool(window.document.tree.children(node_id)) and not window.generator.is_streaming()


def check_answer(window: MainWindow, node_id: str, window_tokens: int) -> None:
    """It was sent within its window; nothing was cut before a summary was tried; all of it is explained."""
    document = window.document
    evidence = document.grove.evidence(document.tree.loom.id, node_id)
    assert evidence is not None
    record = record_in(evidence, document.tree)
    assert record is not None
    counted = evidence.usage["inputTokens"]
    assert isinstance(counted, int)
    assert counted + ANSWER_TOKENS <= window_tokens
    told = record.report
    failures = window.generator.summaries.failures(document.tree.loom.id, document.path)
    assert not told["overLimit"]
    assert not told["truncated"] or told["summaryUsed"] is not None or failures
