"""A response's text is read out of its bytes as it was while it streamed, and each rule means one thing."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import replace

import pytest

from loomapp.core.model.content import AttachedDocument, Mixed, Text
from loomapp.core.model.entities import Interrupted, Node
from loomapp.core.model.raw_response import MOST_BYTES, TooLarge, compress, unpacked
from loomapp.core.paths.piece_table import PART, PIECES
from loomapp.core.response_text.body import ChoiceText, choices_in
from loomapp.core.response_text.rules import RULES, rule_for, rule_that_explains
from tests.kit.groves import chat_body
from tests.kit.servers.dialects import DIALECTS, named
from tests.kit.servers.fake_server import DONE, chunk, event


def text_in(body: bytes, index: int = 0, **headers: str) -> str:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return choices_in([body], names).get(index, ChoiceText("nothing")).text


@pytest.mark.parametrize("api", DIALECTS)
def test_each_protocol_is_known_by_its_body(api: str) -> None:
    dialect = DIALECTS[api]
    body = dialect.begins + dialect.says("Once") + dialect.says(" upon") + dialect.ends(dialect.stopped)

    assert text_in(body) == "Once upon"
    assert text_in(body + dialect.says(" a time")) == "Once upon"  # after the last word
    assert text_in(body.replace(b"\n", b"\r\n")) == "Once upon"
    assert text_in(b"\xef\xbb\xbf: comment\n\n" + body.replace(b"\n", b"\r")) == "Once upon"
    assert (
        text_in(dialect.begins + dialect.says("Once") + b"data: {broken\n\n" + dialect.says("!")) == "Once!"
    )


@pytest.mark.parametrize("api", DIALECTS)
@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_body_that_the_server_packed_is_read_as_far_as_it_goes(
    api: str, encoding: str, pack: object
) -> None:
    dialect = DIALECTS[api]
    body = dialect.begins + dialect.says("Once") + dialect.ends(dialect.stopped)
    packed: bytes = pack(body)  # type: ignore[operator]

    assert text_in(packed, content_encoding=encoding) == "Once"
    assert text_in(body, Content_Encoding=encoding) == "Once"  # unpacked already, for a key was in it
    assert "Once".startswith(text_in(packed[:-20], content_encoding=encoding).replace("nothing", ""))


def test_choices_that_come_mixed_are_told_apart_and_end_one_by_one() -> None:
    parts = [chunk("a", index=1), chunk("b"), chunk("c", index=1), chunk(reason="stop"), chunk("late"), DONE]

    body = b"".join(parts)

    assert (text_in(body), text_in(body, 1), text_in(body, 2)) == ("b", "ac", "nothing")


def test_halves_of_a_character_that_came_apart_are_one() -> None:
    assert text_in(chunk("\ud83d") + chunk("\ude00 ") + chunk("\ud83d") + DONE) == "😀 \ufffd"


def test_parts_refusals_and_thoughts_are_told_as_they_were() -> None:
    parts = {"delta": {"content": [{"text": "a"}, "b", {"n": 1}], "reasoning": "hm"}, "index": 0}
    refused = {"delta": {"refusal": "No."}, "index": 0}

    said = choices_in([event({"choices": [parts]}), event({"choices": [refused]}), DONE], {})

    assert said[0] == ChoiceText("abNo.", "hm")


@pytest.mark.parametrize(
    "body",
    [
        chat_body("Hello!", "Hi."),
        json.dumps({"choices": [{"text": "Hello!"}, {"text": "Hi."}]}).encode(),
    ],
)
def test_an_answer_that_was_not_streamed_is_read_in_its_protocol(body: bytes) -> None:
    assert (text_in(body), text_in(body, 1)) == ("Hello!", "Hi.")


def test_blocks_and_outputs_of_one_answer_are_one_text() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Hel"},
        {"type": "text", "text": "lo!"},
    ]
    message = {
        "type": "message",
        "content": [{"type": "output_text", "text": "Hi"}, {"type": "refusal", "refusal": "!"}],
    }

    assert choices_in([json.dumps({"content": blocks}).encode()], {}) == {0: ChoiceText("Hello!", "hm")}
    assert text_in(json.dumps({"output": [{"type": "reasoning"}, message]}).encode()) == "Hi!"


def test_a_ping_is_no_text_and_an_event_that_is_too_long_is_the_end() -> None:
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}
    ping = b"event: ping\ndata: " + json.dumps(delta).encode() + b"\n\n"

    assert text_in(ping + named(delta) + b"data: " + b"y" * (9 << 20) + b"\n\n" + named(delta)) == "x"


def test_a_bomb_is_unpacked_no_further_than_the_limit() -> None:
    bomb = compress(bytes(MOST_BYTES)) + compress(b"and more")

    with pytest.raises(TooLarge, match="more than 64 MiB"):
        unpacked(bomb)

    assert unpacked(compress(b"a") + compress(b"b") + bytes(8)) == b"ab"


def node(text: str, *, interrupted: bool = False, pieces: tuple[int, ...] = ()) -> Node:
    """A model's node that says this, and is made of so many pieces of another."""
    made = Node("n1", "N1", Text(text), "model", "m", 1)
    if pieces:
        made = replace(made, extra={PIECES: [["n0", 0, length] for length in pieces], PART: "split"})
    return replace(made, interrupted=Interrupted("cancelled") if interrupted else None)


SAID = ChoiceText("one two three")
EXPLAINED = {
    "whole": (node("one two three"), node("one two"), node("one two three", interrupted=True), node("")),
    "stopped": (node("one tw", interrupted=True), node("one tw"), node("two", interrupted=True)),
    "part": (node("two", pieces=(3,)), node("two"), node("twenty", pieces=(6,))),
    "parts": (
        node("one two", pieces=(3, 4)),
        node("one two"),
        node("onetwenty", pieces=(3, 6)),
        node("onethree", pieces=(3, 5)),  # with a gap
        node("twoone", pieces=(3, 3)),
    ),
    "concealed": (node("one ********"), node("one two threes"), node("one *******e"), node("two ********")),
    "answer": (node("one\ntwo"), node("one"), node("→ view A"), node("two"), node("hm", interrupted=True)),
    "command": (node("say it"), node("one"), node("say"), node("hm"), node("say it\ntwo"), node("")),
}
SAID_BY_RULE = {
    "concealed": ChoiceText("one sk-12345"),
    "answer": ChoiceText("one\n→ view A\n→ think hm ←\ntwo\n→ think so"),
    "command": ChoiceText("one\n→ respond: say it\ntwo\n```\n→ respond: hm\n```"),
}


def test_a_document_that_a_command_wrote_has_the_name_and_the_kind_that_it_was_given() -> None:
    said = ChoiceText("→ write doc: Plan: go on")

    def document(name: str, kind: str = "text/plain", edited_from: str | None = None) -> Node:
        content = Mixed((AttachedDocument(name, kind, "go on"),))
        return replace(node(""), content=content, edited_from=edited_from)

    assert rule_that_explains(said, document("plan")) == "command"
    assert rule_that_explains(said, document("plan", "text/markdown", "n0")) == "command"
    assert rule_that_explains(said, document("Retreat")) is None
    assert rule_that_explains(said, document("")) is None
    assert rule_that_explains(said, document("Plan", "text/html")) is None


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_takes_one_text_and_no_other(rule: str) -> None:
    follows, *others = EXPLAINED[rule]
    said = SAID_BY_RULE.get(rule, SAID)

    assert RULES[rule](said, follows)
    assert rule_that_explains(said, follows) == rule
    assert [other.text for other in others if RULES[rule](said, other)] == []


def test_what_came_last_is_recorded_by_the_rule_that_it_followed() -> None:
    assert rule_for("one", interrupted=False) == "whole"
    assert rule_for("one", interrupted=True) == "stopped"
    assert rule_for("key ********", interrupted=True) == "concealed"
