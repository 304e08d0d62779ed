"""The server over HTTP: on loopback, with a key, Host and Origin checked, where the settings allow it."""

from __future__ import annotations

import signal
import socket
import sqlite3
import stat
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.transport_security import TransportSecuritySettings

from loomapp.core.model.agent import Agent
from loomapp.mcp import http_server
from loomapp.mcp.http_server import KEY_LOOK_S
from loomapp.mcp.permissions import KEY_NAME, HttpRefused, http_key, key_of_now
from loomapp.providers.keys import key_file, read_key, read_keys
from loomapp.store.files.settings_file import write_setting
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.groves import planted
from tests.kit.keychains import Keychain, using
from tests.kit.mcp_clients import REVISIONS, Tools, text_of
from tests.kit.processes import warm
from tests.kit.processes.command import loomapp
from tests.kit.servers.fake_server import Conversation, FakeServer, chunk
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.trees import Hand

KEY = "a key of this test"
SHOWN = {"authorization": f"Bearer {KEY}"}
HALF = "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nContent-Length: 9\r\n\r\n{{"
PATIENCE_S = 60
BUSY_S = 1.0


@pytest.fixture
def grove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A grove with a tree of an empty root and three messages, and settings of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        planted(made, Hand())
    return path


@contextmanager
def serving(grove: Path) -> Iterator[tuple[str, warm.Started]]:
    """The URL of a server in a process of its own, and the process, which a signal ends."""
    arguments = ("mcp", "--grove", str(grove), "--http", "0")
    with warm.heard_program("mcp", *arguments, LOOMAPP_MCP_KEY=KEY) as (server, complaints):
        line = complaints.readline()
        try:
            assert line.startswith("loomapp mcp: http://127.0.0.1:"), line
            yield line.split()[-1], server
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait() == 130


@pytest.mark.parametrize(
    ("mode", "half_requests"),
    [*((mode, 0) for mode in REVISIONS), pytest.param(REVISIONS[1], 1, marks=pytest.mark.slow)],
)
def test_who_shows_the_key_is_served_till_a_signal_which_keeps_what_a_model_wrote(
    grove: Path, mode: str, half_requests: int
) -> None:
    write_setting("mcp_http", "file")
    with open_grove(grove) as opened:
        opened.put_agent(Agent("writer", "Writer", "model", "mine:fake"))

    def endless(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk("The beginning"))
        conversation.wait_until_left()

    with FakeServer(endless) as model, ExitStack() as held:
        add_endpoint("mine", model.url, "chat")
        with serving(grove) as (url, server):
            anyio.run(write, url, mode)
            refuse_strangers(url)
            host = urlsplit(url).netloc
            for _ in range(half_requests):
                half = held.enter_context(socket.create_connection(("127.0.0.1", int(host.split(":")[1]))))
                half.sendall(HALF.format(host=host, key=KEY).encode())
            with closing(sqlite3.connect(grove, isolation_level=None, check_same_thread=False)) as other:

                def end() -> None:
                    """End it while another program writes, so that its answer comes late."""
                    other.execute("BEGIN IMMEDIATE")
                    server.send_signal(signal.SIGTERM)
                    threading.Timer(BUSY_S, other.execute, ("ROLLBACK",)).start()

                said = anyio.run(ask, url, mode, end)
            assert said.startswith("The server was ended")
    with open_grove(grove) as opened:
        nodes = opened.load_tree(opened.trees()[0].id).nodes.values()
    assert [node.text for node in nodes if node.interrupted] == ["The beginning"]


@asynccontextmanager
async def tools_at(url: str, mode: str) -> AsyncIterator[Tools]:
    async with (
        httpx2.AsyncClient(headers=SHOWN, trust_env=False, timeout=PATIENCE_S) as http,
        Client(streamable_http_client(url, http_client=http, terminate_on_close=False), mode=mode) as client,
    ):
        yield Tools(client)


async def write(url: str, mode: str) -> None:
    async with tools_at(url, mode) as tools:
        at = str((await tools.call("context"))["at"])
        made = await tools.call("node_create", parent=at, text=mode)
        assert (await tools.call("show", node_id=str(made["id"])))["content"]


async def ask(url: str, mode: str, end: Callable[[], None]) -> str:
    """Ask a model, and end the server once it began to write; what the client is told."""

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        end()

    async with tools_at(url, mode) as tools:
        asked = {"name": "generate", "arguments": {"agent": "Writer"}}
        return text_of(await tools.client.call_tool("call_tool", asked, progress_callback=on_progress))


def refuse_strangers(url: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    right = {**SHOWN, "accept": "application/json, text/event-stream"}
    elsewhere = {**right, "origin": "http://evil.example"}
    with httpx2.Client(trust_env=False) as http:
        assert http.post(url, json=body).status_code == 401
        assert http.post(url, json=body, headers={"authorization": "Bearer x"}).status_code == 401
        assert http.post(url, json=body, headers={"authorization": f"Basic {KEY}"}).status_code == 401
        assert http.post(url, json=body, headers={**right, "host": "evil.example"}).status_code == 421
        assert http.post(f"{url}/", headers={**right, "host": "evil.example"}).status_code == 421
        assert http.post(url, json=body, headers=elsewhere).status_code == 403
        loud = {"host": f"LOCALHOST:{urlsplit(url).port}", "origin": f"HTTP://localhost:{urlsplit(url).port}"}
        assert http.post(url, json=body, headers={**SHOWN, **loud}).status_code != 421
        assert http.post(url, json=body, headers=loud).status_code == 401
        for name, value in (*SHOWN.items(), ("origin", url.removesuffix("/mcp"))):
            doubled = [*(one for one in right.items() if one[0] != name), (name, value), (name, "x")]
            assert http.post(url, json=body, headers=doubled).status_code == 400


def test_where_it_is_not_switched_on_it_refuses(grove: Path) -> None:
    ran = loomapp("mcp", "--grove", grove, "--http")

    assert (ran.status, ran.out) == (1, "")
    assert ran.err == ("loomapp: MCP over HTTP is not switched on: Loomapp, Settings, Other programs (MCP)\n")


def test_a_key_in_a_file_is_made_once_and_anew_on_request(grove: Path) -> None:
    write_setting("mcp_http", "file")

    first, again, other = (loomapp("mcp", *words) for words in (("--key",), ("--key",), ("--new-key",)))

    assert first.out == again.out
    assert first.out not in ("\n", other.out)
    assert loomapp("mcp", "--key").out == other.out
    assert stat.S_IMODE(key_file().stat().st_mode) == 0o600


@pytest.mark.parametrize(("before", "after"), [("keychain", "file"), ("file", "keychain")])
def test_a_new_key_is_the_only_one_wherever_the_old_one_was_kept(
    grove: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    with using(Keychain()):
        write_setting("mcp_http", before)
        old = http_key()
        write_setting("mcp_http", after)
        assert http_key() == old
        new = http_key(new=True)
        assert new != old
        assert (http_key(), key_of_now(old)) == (new, new)
        held = {*read_keys(key_file()).values(), read_key(KEY_NAME)}
        assert held - {None} == {new}

        monkeypatch.setenv(KEY_NAME, "mine")
        with pytest.raises(HttpRefused, match="environment variable LOOMAPP_MCP_KEY"):
            http_key(new=True)
        assert http_key() == "mine"


def test_a_new_key_ends_the_old_one_while_it_serves_and_switched_off_it_ends(grove: Path) -> None:
    write_setting("mcp_http", "file")
    old = loomapp("mcp", "--key").out.strip()
    with warm.heard_program("mcp", "mcp", "--grove", str(grove), "--http", "0") as (server, complaints):
        url = complaints.readline().split()[-1]
        try:
            assert status(url, old) != 401
            new = loomapp("mcp", "--new-key").out.strip()
            time.sleep(KEY_LOOK_S)
            assert status(url, old) == 401
            assert status(url, new) != 401
            write_setting("mcp_http", "off")
            assert server.wait() == 1
            assert "loomapp: MCP over HTTP is not switched on: " in complaints.read()
        finally:
            server.send_signal(signal.SIGTERM)


def test_however_many_ask_the_key_is_looked_up_once_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, found = [0], threading.Event()

    def look(known: str) -> str:
        looks[0] += 1
        found.wait(BUSY_S)
        return known

    async def pass_on(*_: object) -> None:
        found.set()

    async def nothing(*_: object) -> Any:
        raise AssertionError("nobody reads or writes")

    async def ask_all() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(locked, scope, nothing, nothing)

    monkeypatch.setattr(http_server, "key_of_now", look)
    rules = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    locked = http_server.Locked(pass_on, "key", rules)
    headers = [(b"authorization", b"Bearer key"), (b"host", b"127.0.0.1")]
    scope = {"type": "http", "method": "GET", "path": "/mcp", "headers": headers}
    anyio.run(ask_all)

    assert looks == [1]


def status(url: str, key: str) -> int:
    with httpx2.Client(trust_env=False, timeout=PATIENCE_S) as http:
        return http.post(url, headers={"authorization": f"Bearer {key}"}, json={}).status_code


def test_a_port_is_a_number_that_there_is(grove: Path) -> None:
    assert loomapp("mcp", "--http", "70000").status == 2
    assert loomapp("mcp", "--http", "x").status == 2
