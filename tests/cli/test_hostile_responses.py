"""What is packed in a file and grows a thousandfold is never all in memory, and all else is read."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

from loomapp.core.model.raw_response import MOST_BYTES, PIECE_BYTES
from loomapp.core.response_text.body import MOST_EVENTS, server_events
from tests.kit.families import one_in
from tests.kit.loom_files import everything
from tests.kit.processes import warm
from tests.kit.processes.command import Ran, loomapp
from tests.kit.servers.fake_server import chunk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="resource is of POSIX")

MOST_MORE_BYTES = 100_000_000  # than the same command has for the same file with an ordinary response
KIB = 1024 if sys.platform == "linux" else 1


MANY_BYTES = 20_000_000  # far more than is allowed once every piece of it has become a value
MORE_BYTES = 150_000_000  # more than is allowed as it is


def filled(piece: bytes, size: int = MANY_BYTES) -> bytes:
    return piece * (size // len(piece))


def packed(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=1)


def many_choices() -> bytes:
    before, _, after = chunk("a", index=0).partition(b'"index": 0')
    return b"".join(b'%b"index": %d%b' % (before, index, after) for index in range(200_000))


# Made when they are used: all of them would be half a gigabyte of every worker.
BODIES: Mapping[str, Callable[[], bytes]] = {
    "lines": lambda: filled(b"\n"),
    "events without data": lambda: filled(b"data:\n\n"),
    "events that say nothing": lambda: filled(b"data: {}\n\n"),
    "choices without end": many_choices,
    "a small answer of many values": lambda: b'{"a":[' + filled(b'{"a":1},', 8_000_000) + b"0]}",
    "an event of many values": lambda: b'data: {"a":[' + filled(b"[],", 8_000_000) + b"0]}\n\n",
    "an answer in one piece": lambda: b'{"a":[' + filled(b"[],") + b"0]}",
    "a text in no protocol": lambda: filled(b"x", 60_000_000),
    "a megabyte of lines": lambda: filled("😀\n".encode()),
    "an answer longer than any": lambda: filled(chunk("😀" * 100_000), 60_000_000),
    "more than any answer": lambda: bytes(MOST_BYTES + 1),
}


class Spent(NamedTuple):
    """What a command came to, and the most memory that it had."""

    ran: Ran
    most_bytes: int


def spent(*words: str | Path) -> Spent:
    called, most = warm.run_and_spent(list(map(str, words)))
    return Spent(Ran(called.returncode, called.stdout, called.stderr), most * KIB)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grove of seven nodes, of which n2 and n3 rest on one response."""
    folder = tmp_path_factory.mktemp("sound")
    file = folder / "t.loom.json"
    file.write_text(json.dumps(everything()), encoding="utf-8")
    assert loomapp("import", file, "--grove", folder / "g.loom").status == 0
    return folder / "g.loom"


@pytest.fixture(scope="module")
def usual_bytes(sound: Path) -> int:
    return spent("verify", "--grove", sound).most_bytes


def put(sound: Path, grove: Path, column: str, body: bytes, headers: str = "{}") -> Path:
    grove.write_bytes(sound.read_bytes())
    with closing(sqlite3.connect(grove)) as database, database:
        database.execute(f"UPDATE responses SET {column} = ?, headers = ?", (packed(body), headers))
    return grove


@pytest.mark.parametrize("name", one_in(4, BODIES))
def test_a_response_that_grows_is_named_and_never_all_in_memory(
    name: str, sound: Path, usual_bytes: int, tmp_path: Path
) -> None:
    grove = put(sound, tmp_path / "g.loom", "body_gzip", BODIES[name]())

    ran, most_bytes = spent("verify", "--grove", grove, "--json")

    assert ran.err == ""
    assert {one["nodeId"] for one in ran.json["findings"]} == {"n2", "n3"}
    assert ran.json["summary"]["ok"] == 5
    assert most_bytes < usual_bytes + MOST_MORE_BYTES


@pytest.mark.parametrize("tail", ["", "😀"], ids=["plain", "wide"])
def test_a_request_that_grows_is_named_and_never_all_in_memory(
    tail: str, sound: Path, usual_bytes: int, tmp_path: Path
) -> None:
    grove = put(sound, tmp_path / "g.loom", "request_gzip", filled(b" ", MORE_BYTES) + tail.encode())

    ran, most_bytes = spent("verify", "--grove", grove, "--json")

    assert {one["nodeId"] for one in ran.json["findings"]} == {"n2", "n3"}
    assert "unpacks to more than 16 MiB, more than any model" in ran.json["findings"][0]["reason"]
    assert ran.json["summary"]["ok"] == 5
    assert most_bytes < usual_bytes + MOST_MORE_BYTES


def test_what_a_server_packed_again_is_read_no_further(sound: Path, usual_bytes: int, tmp_path: Path) -> None:
    twice = packed(bytes(MORE_BYTES))
    grove = put(sound, tmp_path / "g.loom", "body_gzip", twice, '{"content-encoding": "gzip"}')

    ran, most_bytes = spent("verify", "--grove", grove, "--json")

    assert {one["nodeId"] for one in ran.json["findings"]} == {"n2", "n3"}
    assert most_bytes < usual_bytes + MOST_MORE_BYTES


def file_with(body: bytes, path: Path) -> Path:
    value = everything()
    value["responses"][0]["bodyGzipBase64"] = base64.b64encode(packed(body)).decode()
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_of_a_file_with_too_much_in_it_all_else_is_verified(usual_bytes: int, tmp_path: Path) -> None:
    file = file_with(BODIES["more than any answer"](), tmp_path / "t.loom.json")

    ran, most_bytes = spent("verify", file, "--json")

    reasons = {one["nodeId"]: one["reason"] for one in ran.json["findings"] if one["verdict"] == "failed"}
    assert "unpacks to more than 64 MiB" in reasons["n3"]
    assert "restore a backup, or take the node as unproven" in reasons["n3"]
    assert sum(ran.json["summary"].values()) == 7
    assert most_bytes < usual_bytes + MOST_MORE_BYTES


def test_a_file_with_too_much_in_it_is_not_imported_and_the_node_is_named(
    usual_bytes: int, tmp_path: Path
) -> None:
    file = file_with(BODIES["more than any answer"](), tmp_path / "t.loom.json")

    ran, most_bytes = spent("import", file, "--grove", tmp_path / "new.loom")

    assert ran.status == 2
    assert "responses[0].bodyGzipBase64: unpacks to more than 64 MiB" in ran.complaint
    assert "response of node n3 out of the file: all else can be imported" in ran.complaint
    assert not (tmp_path / "new.loom").exists()
    assert most_bytes < usual_bytes + MOST_MORE_BYTES


@pytest.mark.parametrize(
    "name", [pytest.param("choices without end", marks=pytest.mark.slow), "a small answer of many values"]
)
def test_importing_what_grows_takes_little_memory(name: str, usual_bytes: int, tmp_path: Path) -> None:
    file = file_with(BODIES[name](), tmp_path / "t.loom.json")

    ran, most_bytes = spent("import", file, "--grove", tmp_path / "new.loom")

    assert ran.status == 0, ran.err
    assert most_bytes < usual_bytes + MOST_MORE_BYTES


def test_of_events_without_end_a_bounded_number_is_read() -> None:
    piece = b"data: {}\n\n" * (PIECE_BYTES // 10)
    taken = 0

    def pieces() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield piece

    count = len(list(server_events(pieces())))

    assert MOST_EVENTS <= count < MOST_EVENTS + PIECE_BYTES
    assert taken <= MOST_EVENTS // (PIECE_BYTES // 10) + 2


def test_of_lines_without_end_a_bounded_number_is_read() -> None:
    endless = chain.from_iterable([b"\n" * PIECE_BYTES] for _ in iter(int, 1))

    assert list(server_events(endless)) == []
