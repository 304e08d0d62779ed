"""`loomapp mcp` as clients start it: a child process on its standard streams, in both revisions."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from loomapp.mcp.stdio import MOST_CHARACTERS
from tests.kit.families import one_in
from tests.kit.mcp_clients import REVISIONS, Tools, child, text_of
from tests.kit.processes import warm

BEGIN = tuple(
    json.dumps(message).encode()
    for message in (
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "x", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    )
)


@pytest.mark.parametrize("mode", REVISIONS)
def test_a_client_lists_reads_and_writes(grove: Path, mode: str) -> None:
    async def speak() -> None:
        async with Client(child(grove, dict(os.environ)), mode=mode) as client:
            tools = Tools(client)
            assert [tool.name for tool in (await client.list_tools()).tools][2:] == ["read_tool", "call_tool"]
            version = "2025-11-25" if mode == "legacy" else mode
            assert client.session.protocol_version == version
            at = str((await tools.call("context"))["at"])
            made = await tools.call("node_create", parent=at, text="över ✓ \u2028 the wire")
            assert (await tools.call("show", node_id=str(made["id"])))["content"] == {
                "type": "text",
                "text": "över ✓ \u2028 the wire",
            }
            assert await tools.refused("show") == "Missing argument 'node_id'"

    anyio.run(speak)


@contextlib.contextmanager
def serving(grove: Path, *said: bytes, **variables: str) -> Iterator[tuple[warm.Started, TextIOWrapper]]:
    """A server that was sent these lines, and what it says on stderr."""
    with warm.heard_program("mcp", "mcp", "--grove", str(grove), **variables) as (server, complaints):
        server.stdin.buffer.write(b"\n".join([*said, b""]))
        server.stdin.buffer.flush()
        yield server, complaints


def served(grove: Path, said: bytes, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """What a server that is started from nothing says to these bytes, till its input ends."""
    command = [sys.executable, "-m", "loomapp", "mcp", "--grove", str(grove)]
    return subprocess.run(command, input=said, capture_output=True, env={**os.environ, **variables})


def test_nonsense_ends_no_server(grove: Path) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_trees"}}
    wrong = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": 7, "arguments": []}}
    nonsense = [b"not json", b"[]", b"\xff\xfe", b'{"jsonrpc":"2.0"}', b"{" * 10_000, b""]
    lines = [*nonsense, *BEGIN, *nonsense]
    lines += [json.dumps(wrong).encode(), json.dumps(call).encode()]

    with serving(grove, *lines) as (server, _):
        answers: dict[int | None, dict[str, Any]] = {}
        while not {2, 3} <= answers.keys():
            answer = json.loads(server.stdout.readline())
            answers[answer.get("id")] = answer
        server.stdin.close()
        assert server.wait() == 0

    assert json.loads(answers[2]["result"]["content"][0]["text"])[0]["title"] == "A tree"
    assert "error" in answers[3]


def test_a_message_that_cannot_be_read_is_answered_by_its_id(grove: Path) -> None:
    lines = [
        codecs.BOM_UTF8 + BEGIN[0],
        *BEGIN[1:],
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\\ud800"}}',
        b'{"method":"tools/call","params":{"name":"\\ud800","id":4},"jsonrpc":"2.0","id":"last"}',
        b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":[]}',
        b'{"jsonrpc":"2.0","method":"x","params":{"id":5,"text":"\\ud800"}}',
        b"[" * 10_000,
        b"  ",
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":9,"method":"ping"}',
    ]

    with serving(grove, *lines) as (server, complaints):
        answers: list[dict[str, Any]] = []
        while not any(one.get("id") == 9 for one in answers):  # what is asked last may be left with the input
            answers.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        rest, faults, status = server.stdout.read(), complaints.read(), server.wait()

    answers += [json.loads(line) for line in rest.splitlines()]
    assert (status, faults) == (0, "")
    refused = [(one["id"], one["error"]["code"]) for one in answers if "error" in one]
    assert refused == [
        *((7, -32700), ("last", -32700), (8, -32600), (None, -32700), (None, -32700)),
        *((None, -32600), (None, -32600)),
    ]
    assert any(one.get("id") == 1 and "result" in one for one in answers)
    assert {"jsonrpc": "2.0", "id": 9, "result": {}} in answers


def test_a_line_without_measure_is_refused_and_the_next_one_served(grove: Path) -> None:
    text = b"x" * (MOST_CHARACTERS + 1)
    lines = [
        *BEGIN,
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"' + text + b'"}}',
        b'{"method":"tools/call","params":{"name":"' + text + b'","id":4},"jsonrpc":"2.0","id":"last"}',
        b'{"jsonrpc":"2.0","id":9,"method":"ping"}',
    ]

    with serving(grove, *lines) as (server, complaints):
        server.stdin.buffer.write(text)  # and no end of it
        server.stdin.close()
        answers = [json.loads(line) for line in server.stdout.read().splitlines()]
        ended = server.wait(), complaints.read()

    assert ended == (0, "")
    refused = [(one["id"], one["error"]["code"]) for one in answers if "error" in one]
    assert refused == [(7, -32600), ("last", -32600), (None, -32600)]
    assert {"jsonrpc": "2.0", "id": 9, "result": {}} in answers


def test_a_client_that_is_gone_before_its_answers_is_no_fault(grove: Path) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    with serving(grove, *BEGIN) as (server, complaints):
        assert json.loads(server.stdout.readline())["id"] == 1
        server.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            server.stdin.buffer.write((json.dumps(call).encode() + b"\n") * 20)
            server.stdin.buffer.flush()

        # Its input is still open.
        assert (server.wait(), complaints.read()) == (0, "")


def test_a_bad_number_is_status_two_before_anything_is_served(grove: Path) -> None:
    ended = served(grove, b"", LOOM_MCP_PREVIEW_COUNT="30")

    assert (ended.returncode, ended.stdout) == (2, b"")
    assert ended.stderr == (
        b"loomapp: LOOM_MCP_PREVIEW_COUNT must be <= LOOM_MCP_COMPACTION_THRESHOLD (is 30)\n"
    )


def test_without_the_extra_there_is_one_line_and_status_one(grove: Path, tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('no mcp', name='mcp')", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])

    ended = served(grove, b"", PYTHONPATH=path)

    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr == (
        b"loomapp: the MCP server needs the package mcp; install it: pip install 'loomapp[mcp]'\n"
    )


def test_a_grove_that_is_not_there_is_told_by_each_call(tmp_path: Path) -> None:
    async def speak() -> None:
        async with Client(child(tmp_path / "none.loom", dict(os.environ))) as client:
            result = await client.call_tool("list_trees", {})
            assert result.is_error
            assert "none.loom" in text_of(result)

    anyio.run(speak)
    assert not (tmp_path / "none.loom").exists()


@pytest.mark.parametrize("number", one_in(2, [signal.SIGTERM, signal.SIGINT]))
def test_a_signal_ends_a_server_whose_client_stays(grove: Path, number: signal.Signals) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with serving(grove, json.dumps(ping).encode()) as (server, complaints):
        assert server.stdout.readline()
        server.send_signal(number)
        assert server.wait() == 130
        assert complaints.read() == "loomapp: interrupted\n"
