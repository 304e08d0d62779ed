"""Foreign text on a terminal: it commands nothing there, and a pipe gets it as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.terminal import on_terminal
from tests.kit.families import one_in
from tests.kit.loom_files import chain
from tests.kit.processes.command import loomapp, sha256
from tests.kit.servers.fake_server import FakeServer, answers

TITLE = "\x1b]0;owned\x07 T\x9b31m \u202egnp.exe"
TEXT = "one\ttwo\n\x1b[2J\x1b[31mred\x7f \x9b1m \u202etxet\u2066 \r end \u200f\U0001f469\u200d\U0001f680"
TEXT += "\u061cal\u2028l\u2029"
PLAIN = "\u200f\U0001f469\u200d\U0001f680"  # a mark and a joined emoji, which are no commands
SHOWN = "one\ttwo\n\\x1b[2J\\x1b[31mred\\x7f \\x9b1m \\u202etxet\\u2066 \\r end " + PLAIN
SHOWN += "\\u061cal\\u2028l\\u2029"
FORBIDDEN = {*map(chr, range(32)), *map(chr, range(0x7F, 0xA0)), *"\u202a\u202b\u202c\u202d\u202e"}
FORBIDDEN |= {*"\u2066\u2067\u2068\u2069\u061c", "\u2028", "\u2029"}
FORBIDDEN -= {"\n", "\t"}


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove with a foreign tree, its id `foreign`."""
    value = chain(TEXT, "Answer " + TEXT)
    value["tree"] |= {"id": "foreign", "title": TITLE, "systemContext": TEXT}
    value["nodes"][0]["metadata"] = {"bookmarked": True, "bookmarkLabel": TITLE}
    value["agents"] = [{"id": "a1", "name": TITLE, "type": "model"}]
    value["nodes"][1]["authorAgentId"] = "a1"
    value["nodes"][1]["contentHash"] = "0" * 64
    file = tmp_path / "foreign.loom.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    path = tmp_path / "g.loom"
    assert loomapp("import", file, "--grove", path).status == 0
    return path


def assert_harmless(text: str) -> None:
    assert FORBIDDEN.isdisjoint(text), repr(text)


@pytest.mark.parametrize(
    "words",
    one_in(
        3,
        map(
            pytest.param,
            [
                ("trees",),
                ("show", "n1"),
                ("show", "n2"),
                ("context", "--tree", "foreign"),
                ("export", "--tree", "foreign", "--format", "text"),
                ("export", "--tree", "foreign", "--format", "markdown"),
                ("export", "--tree", "foreign"),
                ("export", "--tree", "foreign", "--evidence"),
                ("verify",),
                ("check",),
                ("doctor",),
                ("trees", "--json"),
                ("show", "n1", "--json"),
                ("assemble", "--tree", "foreign", "--at", "n2"),
                ("show", "\x1b[31mnowhere"),
                ("show", "\x1b[31mnowhere", "--json"),
                ("\x1b[31m",),
                ("model", "\x1b[31m"),
                ("model", "fetch", "\x1b[31m"),
            ],
        ),
    ),
    ids=" ".join,
)
def test_no_command_lets_foreign_text_command_the_terminal(grove: Path, words: tuple[str, ...]) -> None:
    shown = on_terminal(*words, "--grove", grove)

    assert shown.text
    assert_harmless(shown.text)


def test_texts_are_read_on_a_terminal_with_escapes_and_on_a_pipe_as_they_are(grove: Path) -> None:
    exported = ("export", "--tree", "foreign", "--format", "text", "--grove", grove)

    assert SHOWN in on_terminal(*exported).text
    assert TEXT in loomapp(*exported).out
    assert TEXT in loomapp("show", "n1", "--grove", grove).out


def test_json_on_a_terminal_is_json_of_the_same_value(grove: Path) -> None:
    for words in (("show", "n1", "--json"), ("export", "--tree", "foreign")):
        on_screen, piped = on_terminal(*words, "--grove", grove), loomapp(*words, "--grove", grove)

        assert json.loads(on_screen.text) == piped.json


def test_an_import_tells_of_foreign_titles_harmlessly(grove: Path, tmp_path: Path) -> None:
    shown = on_terminal("import", tmp_path / "foreign.loom.json", "--grove", tmp_path / "other.loom")

    assert shown.status == 0
    assert r"\x1b]0;owned\x07 T\x9b31m \u202egnp.exe" in shown.text
    assert_harmless(shown.text.replace("\r", ""))  # by which a slow import's own progress is drawn


def test_an_answer_that_streams_commands_no_terminal_either(grove: Path) -> None:
    with FakeServer(answers(TEXT)) as server:
        asked = ("--endpoint", server.url, "--at", "n2", "--tree", "foreign")
        shown = on_terminal("generate", "--grove", grove, *asked)

    assert shown.status == 0
    assert SHOWN in shown.text
    assert_harmless(shown.text.replace("\r", ""))


@pytest.mark.parametrize(
    ("place", "where"),
    [
        ("tree.id", ("tree", "id")),
        ("nodes[1].id", ("nodes", 1, "id")),
        ("nodes[0].localId", ("nodes", 0, "localId")),
        ("nodes[1].authorAgentId", ("nodes", 1, "authorAgentId")),
        ("edges[0].id", ("edges", 0, "id")),
        ("agents[0].id", ("agents", 0, "id")),
    ],
)
@pytest.mark.parametrize("bad", one_in(3, ["a\x1b[31m", "a\nb", "a\x9bb", "a\u202eb", "\x7f", "a\u2028b"]))
def test_an_id_with_a_control_character_is_refused_and_nothing_comes_in(
    tmp_path: Path, place: str, where: tuple[str | int, ...], bad: str
) -> None:
    value = chain("Why?", "Because.")
    value["agents"] = [{"name": "A", "type": "model"}]
    if place != "agents[0].id":
        value["agents"][0]["id"] = "a"
    inner = value
    for key in where[:-1]:
        inner = inner[key]  # type: ignore[index]
    inner[where[-1]] = bad  # type: ignore[index]
    if place == "nodes[1].id":
        value["edges"][0]["targetNodeId"] = bad
    file, path = tmp_path / "bad.loom.json", tmp_path / "g.loom"
    file.write_text(json.dumps(value), encoding="utf-8")
    loomapp("tree", "new", "--grove", path, "--mode", "dialogue", "--title", "T")
    before = sha256(path)

    ran = loomapp("import", file, "--grove", path)

    assert ran.status == 2
    assert f"{place}: " in ran.complaint
    assert "control character" in ran.complaint
    assert sha256(path) == before
