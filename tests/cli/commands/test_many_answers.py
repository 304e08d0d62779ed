"""`loomapp verify` on answers in all four protocols, many to a request: any changed value is named."""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from loomapp.cli import entry
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.open import read_grove
from tests.kit.processes.command import loomapp, new_tree
from tests.kit.processes.sealed_home import FOLDERS
from tests.kit.servers.dialects import DIALECTS, Dialect
from tests.kit.servers.fake_server import Conversation, FakeServer, Script

HOLDERS = {
    "nodes": "SELECT node_id FROM nodes WHERE id = ?",
    "edges": "SELECT node_id FROM edges JOIN nodes ON target = nodes.id WHERE edges.id = ?",
    "edge_sources": "SELECT node_id FROM edges JOIN nodes ON target = nodes.id WHERE edges.id = ?",
    "responses": "SELECT node_id FROM node_responses JOIN nodes ON node = nodes.id WHERE response = ?",
    "node_responses": "SELECT node_id FROM nodes WHERE id = ?",
}
"""Which nodes rest on a row, by the first column of its table."""

COLUMNS = [
    (table, column)
    for table, columns in {
        "nodes": "node_id local_id text author_type author_agent_id created_at content_hash parent_hashes "
        "bookmarked pruned excluded present",
        "edges": "edge_id present type created_at",
        "edge_sources": "role",
        "responses": "response_id provider request_gzip body_gzip request_id model headers started_at "
        "ended_at latency_ms usage finish_reason",
        "node_responses": "choice_index",
    }.items()
    for column in columns.split()
]


def answers(dialect: Dialect, numbers: Iterator[int]) -> Script:
    """As many answers as the request asks for, no two alike; their pieces take turns."""

    def script(conversation: Conversation) -> None:
        count = json.loads(conversation.request.body).get("n", 1)
        own = [next(numbers) for _ in range(count)]
        conversation.head()
        conversation.send(dialect.begins)
        for part, (index, number) in itertools.product("ab", enumerate(own)):
            conversation.send(of_choice(index, dialect.says(f"{number}{part} “ä🎉”. ")))
        end = dialect.ends(dialect.stopped)
        reason = end[: end.index(b"\n\n") + 2]
        for index in range(1, count):
            conversation.send(of_choice(index, reason))
        conversation.send(end)

    return script


def of_choice(index: int, event: bytes) -> bytes:
    return event.replace(b'"index": 0', b'"index": %d' % index) if index else event


def generated(grove: Path, count: int, n: int, capsys: pytest.CaptureFixture[str]) -> str:
    """A tree with `count` answers, `n` to each request, the protocols in turns; its id."""
    tree_id, at = new_tree(grove, text="Tell me")
    numbers = itertools.count(1)
    for _, api in zip(range(count // n), itertools.cycle(DIALECTS), strict=False):
        with FakeServer(answers(DIALECTS[api], numbers)) as server:
            asked = ["generate", "--grove", str(grove), "--tree", tree_id, "--at", at, "--n", str(n)]
            status = entry.run([*asked, "--json", "--endpoint", server.url, "--api", api])
        told = capsys.readouterr()
        assert status == 0, (told.out, told.err)
        at = json.loads(told.out.splitlines()[-1])["nodeId"]
    return tree_id


def changed(grove: Path, table: str, column: str, chance: random.Random) -> set[str]:
    """Changes one byte of one value of an answer, and gives the nodes that rest on it."""
    with closing(sqlite3.connect(grove)) as connection, connection:
        first = next(name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})"))
        found = connection.execute(
            f"SELECT {first}, {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {first}"
        ).fetchall()
        number, value = chance.choice(found[1:])
        nodes = {node_id for (node_id,) in connection.execute(HOLDERS[table], (number,))}
        connection.execute(
            f"UPDATE {table} SET {column} = ? WHERE {first} = ?", (with_another_byte(value, chance), number)
        )
    return nodes


def with_another_byte(value: bytes | str | int, chance: random.Random) -> bytes | str | int:
    """One byte differs; of what is gzipped one after its head, which says nothing of the content."""
    if isinstance(value, int):
        return value ^ 1
    if isinstance(value, bytes):
        at = chance.randrange(10, len(value))
        return value[:at] + bytes([value[at] ^ 1 << chance.randrange(8)]) + value[at + 1 :]
    at = chance.choice(
        [i for i, character in enumerate(value) if character.isascii() and character.isalnum()]
    )
    return value[:at] + ("7" if value[at] != "7" else "8") + value[at + 1 :]


def failing(grove: Path, tree_id: str) -> set[str]:
    with read_grove(grove) as opened:
        return {f.node_id for f in verify_tree(opened, tree_id) if f.verdict == "failed"}


@pytest.mark.parametrize(
    ("count", "n"),
    [(8, 2), pytest.param(1_000, 8, marks=[pytest.mark.slow, pytest.mark.timeout(900)])],
)
def test_answers_in_four_protocols_verify_and_any_changed_byte_is_named(
    count: int, n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    grove = tmp_path / "g.loom"
    tree_id = generated(grove, count, n, capsys)
    whole = {"ok": count + 1, "no evidence": 0, "moved": 0, "failed": 0}

    verified = loomapp("verify", "--grove", grove, "--json").json
    assert (verified["summary"], verified["findings"], verified["faults"]) == (whole, [], [])

    chance, sound = random.Random(count), grove.read_bytes()
    for table, column in COLUMNS:
        nodes = changed(grove, table, column, chance)
        assert nodes, (table, column)
        assert nodes <= failing(grove, tree_id), (table, column)
        grove.write_bytes(sound)

    file = tmp_path / "evidence.loom.json"
    exported = loomapp("export", "--grove", grove, "--tree", tree_id, "--evidence")
    file.write_text(exported.out, encoding="utf-8")
    grove.unlink()
    for name, folder in FOLDERS.items():
        (tmp_path / folder).mkdir(parents=True, exist_ok=True, mode=0o700)
        monkeypatch.setenv(name, str(tmp_path / folder))
    ran = loomapp("verify", file, "--json")
    assert (ran.status, ran.json["sealed"], ran.json["summary"]) == (0, True, whole)
