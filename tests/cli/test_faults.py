"""Faults as a script meets them: proper JSON lines, the exit status, the text kept, no key anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loomapp.store.grove.open import open_grove
from tests.cli.test_planted_key import values
from tests.kit.families import one_in
from tests.kit.processes.command import loomapp, new_tree
from tests.kit.servers.dialects import DIALECTS, Dialect
from tests.kit.servers.fake_server import Conversation, FakeServer, Script
from tests.kit.servers.faults import HEAD, LARGE, ODD, TRUNCATED, Fault, once, raw, refuses, silent, upon

SILENCE_S = "25"
SHORT_SILENCE_S = "1.5"  # less than a slow start takes, which is nobody's silence
KEY = "sk-planted-key-1234567890"


def echoes(dialect: Dialect) -> Script:
    """The key in headers, in a comment, in the text of the answer, in pieces, and in the last error."""

    def script(conversation: Conversation) -> None:
        conversation.head(x_echo=KEY, x_request_id=KEY)
        told = KEY.encode()
        conversation.send(b": " + told + b"\n\n" + once(dialect))
        for piece in (KEY, KEY[:9], KEY[9:]):
            conversation.send(dialect.says(piece))
        conversation.send(dialect.fault.replace(b"Overloaded", told))

    return script


SPELT = b"".join(b"\\u%04x" % byte for byte in KEY.encode())


def spells(dialect: Dialect) -> Script:
    """The key as JSON may spell it, in the text of the answer and in an error."""

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(once(dialect) + dialect.says("X").replace(b"X", SPELT))
        conversation.send(dialect.fault.replace(b"Overloaded", SPELT))

    return script


CASES = {
    "key in everything": Fault(echoes, "serverError"),
    "cut off": Fault(TRUNCATED["chunks cut off"].make, "networkError", "Once"),
    "a bomb": Fault(LARGE["a bomb in one line"].make, "serverError", "Once"),
    "silent": Fault(silent(lambda d: once(d) + upon(d)), "timeout", "Once upon"),
    "key in a refusal": Fault(refuses(401, b'{"error": "%s"}' % KEY.encode()), "authenticationFailed"),
    "key spelt in JSON": Fault(refuses(400, b'{"error": {"message": "%s"}}' % SPELT), "invalidRequest"),
    "key spelt in the answer": Fault(spells, "serverError"),
    "filtered": Fault(raw(HEAD + b"\r\n", once, lambda d: d.ends(d.filtered)), "contentFiltered", "Once"),
    "a reason that cannot be saved": ODD["a reason that cannot be saved"],
    "no terminator": TRUNCATED["no terminator"],
    "odd": Fault(ODD["data over several lines"].make, "", "Once upon"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "api"),
    one_in(
        3, [(name, api) for i, name in enumerate(CASES) for j, api in enumerate(DIALECTS) if (i + j) % 4 < 2]
    ),
)
def test_a_fault_comes_out_as_json_lines_and_is_kept(
    name: str, api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault, grove = CASES[name], tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    monkeypatch.setenv("PLANTED_KEY", KEY)

    with FakeServer(fault.make(DIALECTS[api])) as server:
        ran = loomapp(
            *(
                "generate",
                "--grove",
                grove,
                "--tree",
                tree_id,
                "--at",
                root_id,
                "--json",
                "--silence",
                SHORT_SILENCE_S if name == "silent" else SILENCE_S,
            ),
            *("--endpoint", server.url, "--api", api, "--api-key-env", "PLANTED_KEY"),
        )

    *deltas, last = [json.loads(line) for line in ran.out.splitlines()]
    text = "".join(event["text"] for event in deltas)
    assert last["event"] == ("failed" if fault.code else "finished")
    assert ran.status == (1 if fault.code else 0)
    assert (last["error"]["code"] if fault.code else "") == fault.code
    if name not in ("key in everything", "key spelt in the answer"):
        assert text == fault.text
    with open_grove(grove) as opened:
        tree = opened.load_tree(tree_id)
    assert (last["nodeId"] is not None) == bool(text)
    if text:
        assert tree.nodes[last["nodeId"]].text == text
        assert (tree.nodes[last["nodeId"]].interrupted is not None) == bool(fault.code)
    assert KEY not in ran.out + ran.err
    kept = [path for folder in (tmp_path, Path.home()) for path in folder.rglob("*") if path.is_file()]
    said = [*(path.read_bytes() for path in kept), *values(grove)]
    assert not [value for value in said if KEY.encode() in value or SPELT in value]
    assert loomapp("verify", "--grove", grove).status == 0
