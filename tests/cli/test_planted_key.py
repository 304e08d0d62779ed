"""A planted key: it is sent to the server that it is for, and is in nothing that is ever written or said."""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.kit.families import one_in
from tests.kit.processes.command import loomapp, new_tree
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, usage

KEY = "sk-planted-key-1234567890"


def echo(conversation: Conversation) -> None:
    """A server that says the key wherever it can say something: in a header, and in why it refuses."""
    content = json.dumps({"error": {"message": f"no: {conversation.request.headers}"}}).encode()
    conversation.head(401, "application/json", x_seen=f"Bearer {KEY}", content_length=str(len(content)))
    conversation.send(content)


def answer(conversation: Conversation) -> None:
    """An answer under a header that has the key in it."""
    conversation.head(x_seen=f"Bearer {KEY}")
    conversation.send(chunk("Waves.") + chunk(reason="stop") + usage(7, 3) + DONE)


def breaks_off(conversation: Conversation) -> None:
    """Half an answer under the same header."""
    conversation.head(x_seen=f"Bearer {KEY}")
    conversation.send(chunk("Half a w"))
    conversation.reset()


def values(grove: Path) -> Iterator[bytes]:
    """Every value in a grove, unpacked."""
    with closing(sqlite3.connect(f"file:{grove}?mode=ro", uri=True)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in database.execute(f"SELECT * FROM {table}"):
                yield from (unpacked(value) for value in row)


def unpacked(value: Any) -> bytes:
    data = value if isinstance(value, bytes) else str(value).encode()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def packed_in(value: Any) -> Iterator[bytes]:
    """Every text in a JSON value, unpacked where it is base64 of something packed."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case dict() as fields:
                waiting += [*fields, *fields.values()]
            case list() as items:
                waiting += items
            case str() as text:
                yield text.encode()
                if text.startswith("H4sI"):  # how base64 of a gzip begins
                    yield unpacked(base64.b64decode(text))
            case _:
                pass


def test_a_planted_key_is_in_no_grove_backup_export_log_or_word_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="What do you hear?")
    monkeypatch.setenv("PLANTED_KEY", KEY)
    asked = ("--grove", grove, "--tree", tree_id, "--at", root_id, "--model", "fake:fake-1")
    said: list[str] = []

    with FakeServer(answer, breaks_off, echo) as server:
        for number in range(3):
            how = ("--endpoint", server.url, "--api", "chat", "--api-key-env", "PLANTED_KEY")
            ran = loomapp("generate", *asked, *how)
            said += [ran.out, ran.err]
            assert (ran.status == 0) == (number == 0)
        assert all(KEY in str(request.headers) for request in server.received)
    for command in ("verify", "check", "backup"):
        ran = loomapp(command, "--grove", grove)
        assert ran.status == 0, ran.err
        said += [ran.out, ran.err]
    exported = loomapp("export", "--tree", tree_id, "--grove", grove)
    said += [exported.out, exported.err, loomapp("doctor").out]

    groves = sorted(tmp_path.rglob("*.loom"))
    assert len(groves) == 2  # it and its backup
    for one in groves:
        found = list(values(one))
        assert any(b"Waves." in value for value in found)
        assert any(b"Half a w" in value for value in found)
        assert [value for value in found if KEY.encode() in value] == []
    texts = list(packed_in(json.loads(exported.out)))
    assert any(b"data: {" in text for text in texts), "the responses are in it"
    assert [text for text in texts if KEY.encode() in text] == []
    assert not any(KEY in words for words in said)
    home = Path.home()
    files = [file for folder in (tmp_path, home) for file in folder.rglob("*") if file.is_file()]
    assert [file for file in files if KEY.encode() in file.read_bytes()] == []


@pytest.mark.parametrize(
    "arguments",
    one_in(
        3,
        map(
            pytest.param,
            [
                ("--endpoint", f"http://127.0.0.1:9/?key={KEY}"),
                ("--endpoint", f"http://127.0.0.1:9/v1#{KEY}"),
                ("--endpoint", f"http://127.0.0.1:9/{KEY}"),
                (
                    "--endpoint",
                    f"http://127.0.0.1:9/v1/{KEY}/chat/completions",
                    "--api-key-env",
                    "PLANTED_KEY",
                ),
                ("--endpoint", f"http://user:{KEY}@127.0.0.1:9"),
                ("--endpoint", f"http://user:{KEY}"),
                ("--endpoint", KEY),
                ("--endpoint", "http://127.0.0.1:9", "--api-key-env", KEY),
                ("--endpoint", "http://127.0.0.1:9", "--api-key-env", "AIzaSy1234567890"),
                ("--endpoint", "http://127.0.0.1:9", "--model", f"fake:{KEY}"),
                ("--model", KEY),
            ],
        ),
    ),
    ids=str,
)
def test_a_key_in_a_wrong_place_is_refused_by_its_place_and_not_repeated(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove, text="What do you hear?")
    before = sorted(value for value in values(grove))
    monkeypatch.setenv("PLANTED_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    ran = loomapp("generate", "--grove", grove, "--tree", tree_id, "--at", root_id, *arguments)

    assert (ran.status, ran.out) == (2, "")
    wrong = next(name for name in ("--api-key-env", "--model", "--endpoint") if name in arguments)
    if "PLANTED_KEY" in arguments:
        wrong = "--endpoint"
    assert ran.complaint.startswith(f"loomapp: {wrong}: ")
    assert "environment variable" in ran.complaint
    assert "1234567890" not in ran.err
    assert sorted(value for value in values(grove)) == before
