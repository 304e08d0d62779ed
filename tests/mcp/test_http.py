"""The server over HTTP: on loopback, with a key, Host and Origin checked, where the settings allow it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from loomapp.providers.keys import key_file
from loomapp.store.files.settings_file import write_setting
from loomapp.store.grove.open import create_grove
from tests.kit.groves import planted
from tests.kit.mcp_clients import REVISIONS, Tools
from tests.kit.processes.command import loomapp
from tests.kit.trees import Hand

KEY = "a key of this test"


@pytest.fixture
def grove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A grove with a tree of an empty root and three messages, and settings of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        planted(made, Hand())
    return path


@contextmanager
def serving(grove: Path) -> Iterator[str]:
    """The URL of a server in a process of its own, which a signal ends."""
    command = [sys.executable, "-m", "loomapp", "mcp", "--grove", str(grove), "--http", "0"]
    environment = {**os.environ, "LOOMAPP_MCP_KEY": KEY}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True) as server:
        assert server.stderr is not None
        line = server.stderr.readline()
        try:
            assert line.startswith("loomapp mcp: http://127.0.0.1:"), line
            yield line.split()[-1]
        finally:
            server.terminate()
            assert server.wait() == 130


def test_clients_of_both_revisions_are_served_who_show_the_key(grove: Path) -> None:
    write_setting("mcp_http", "file")

    async def speak(url: str, mode: str) -> None:
        headers = {"authorization": f"Bearer {KEY}"}
        async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode) as client:
                tools = Tools(client)
                at = str((await tools.call("context"))["at"])
                made = await tools.call("node_create", parent=at, text=mode)
                assert (await tools.call("show", node_id=str(made["id"])))["content"]

    with serving(grove) as url:
        for mode in REVISIONS:
            anyio.run(speak, url, mode)

        with httpx2.Client(trust_env=False) as http:
            body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            right = {"authorization": f"Bearer {KEY}", "accept": "application/json, text/event-stream"}
            assert http.post(url, json=body).status_code == 401
            assert http.post(url, json=body, headers={"authorization": "Bearer x"}).status_code == 401
            assert http.post(url, json=body, headers={"authorization": f"Basic {KEY}"}).status_code == 401
            assert http.post(url, json=body, headers={**right, "host": "evil.example"}).status_code == 421
            elsewhere = {**right, "origin": "http://evil.example"}
            assert http.post(url, json=body, headers=elsewhere).status_code == 403


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


def test_a_port_is_a_number_that_there_is(grove: Path) -> None:
    assert loomapp("mcp", "--http", "70000").status == 2
    assert loomapp("mcp", "--http", "x").status == 2
