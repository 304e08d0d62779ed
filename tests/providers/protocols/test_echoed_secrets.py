"""A server sends the key back in pieces: it stands in no text, no kept response, no header and no message in
a form in which it can be joined again; and what is read from the response stays what the response says."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.generation.provider import ProviderError
from loomapp.providers.protocols.events import Censor
from loomapp.providers.protocols.redaction import Listener, begun_at, found_in, without_echoes
from tests.kit.families import each_once, one_in
from tests.kit.servers.dialects import DIALECTS, Dialect
from tests.kit.servers.fake_server import FakeServer, chunk, fails, says
from tests.providers.outcome import KEY, outcome_of
from tests.providers.protocols.test_protocols import asking, model_at

BEFORE, AFTER = "The key is ", " and no other."


def one_by_one(text: str) -> list[str]:
    return list(text)


def at_random(text: str) -> list[str]:
    dice = random.Random(7)
    cuts = sorted(dice.sample(range(1, len(text)), 6))
    return [text[begin:end] for begin, end in pairwise([0, *cuts, len(text)])]


def in_two(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


def percent_spelt(text: str) -> list[str]:
    return list("".join(f"%{ord(character):02x}" for character in text))


WAYS: Sequence[Callable[[str], list[str]]] = (one_by_one, at_random, in_two, percent_spelt)


def escaped(event: bytes) -> bytes:
    """The same JSON with every letter of its values' texts as an escape."""
    return event.replace(b'"s"', b'"\\u0073"').replace(b'"k"', b'"\\u006B"').replace(b'"-"', b'"\\u002d"')


def strings(value: object) -> Iterator[tuple[str, str]]:
    """Every string of a JSON value with the name it stands under."""
    if isinstance(value, dict):
        for name, one in value.items():
            if isinstance(one, str):
                yield name, one
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from ([("", one)] if isinstance(one, str) else strings(one))


def joined(body: bytes) -> dict[str, str]:
    """What the events of a stream say under each name, one after the other."""
    texts: dict[str, str] = {}
    for line in body.splitlines():
        if line.startswith(b"data: {"):
            for name, text in strings(json.loads(line[6:])):
                texts[name] = texts.get(name, "") + text
    return texts


def said_in(dialect: Dialect, body: bytes) -> str:
    """The text of an answer, as its own events tell it."""
    name = {"chat": "content", "responses": "delta"}.get(dialect.api, "text")
    return joined(body)[name]


@pytest.mark.parametrize("is_escaped", one_in(2, [False, True], first=1))
@pytest.mark.parametrize(("way", "dialect"), each_once(WAYS, DIALECTS.values()))
def test_a_key_in_pieces_can_be_joined_from_no_response(
    dialect: Dialect, is_escaped: bool, way: Callable[[str], list[str]], tmp_path: Path
) -> None:
    sent = [dialect.begins, dialect.says(BEFORE), *map(dialect.says, way(KEY)), dialect.says(AFTER)]
    sent = (
        [*map(escaped, sent), dialect.ends(dialect.stopped)]
        if is_escaped
        else [*sent, dialect.ends(dialect.stopped)]
    )

    with FakeServer(says(*sent)) as server:
        outcome = outcome_of(asking(dialect.api), model_at(server.url, dialect.api, tmp_path))

    assert outcome.error is None
    assert outcome.texts == {0: BEFORE + "*" * sum(map(len, way(KEY))) + AFTER}
    assert outcome.evidence is not None
    body = outcome.evidence.body
    assert len(body) == len(b"".join(sent)), "the times of its pieces are told in places of it"
    assert said_in(dialect, body) == outcome.texts[0]
    assert not any(found_in(text, (KEY,)) for text in joined(body).values())
    assert outcome.evidence.extra["concealed"] is True


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_half_a_key_at_the_end_of_what_came_is_hidden_as_well(dialect: Dialect, tmp_path: Path) -> None:
    sent = [dialect.begins, dialect.says(BEFORE), *map(dialect.says, KEY[:-1])]

    with FakeServer(says(*sent)) as server:
        outcome = outcome_of(asking(dialect.api), model_at(server.url, dialect.api, tmp_path))

    assert outcome.error is not None
    assert outcome.evidence is not None
    assert outcome.texts == {0: BEFORE + "*" * (len(KEY) - 1)}
    assert said_in(dialect, outcome.evidence.body) == outcome.texts[0]


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_what_only_begins_like_a_key_is_kept_to_the_byte(dialect: Dialect, tmp_path: Path) -> None:
    sent = [
        dialect.begins,
        *map(dialect.says, "skip sk-planted 100 % \\u00 &#1"),
        dialect.ends(dialect.stopped),
    ]

    with FakeServer(says(*sent)) as server:
        outcome = outcome_of(asking(dialect.api), model_at(server.url, dialect.api, tmp_path))

    assert outcome.error is None
    assert outcome.texts == {0: "skip sk-planted 100 % \\u00 &#1"}
    assert outcome.evidence is not None
    assert outcome.evidence.body == b"".join(sent)
    assert "concealed" not in outcome.evidence.extra


def test_pieces_that_take_turns_with_another_choice_are_found(tmp_path: Path) -> None:
    sent = [chunk(text, index=index) for character in KEY for index, text in ((0, character), (1, "x"))]
    ends = [chunk(reason="stop", index=1), DIALECTS["chat"].ends("stop")]

    with FakeServer(says(*sent, *ends)) as server:
        outcome = outcome_of(asking("chat", n=2), model_at(server.url, "chat", tmp_path))

    assert outcome.evidence is not None
    first = b"".join(line for line in outcome.evidence.body.splitlines() if b'"index": 0' in line)
    assert all(f'"content": "{character}"'.encode() not in first for character in set(KEY) - {"*"})


def test_a_refusal_that_spells_the_key_in_a_list_tells_it_nowhere(tmp_path: Path) -> None:
    body = {"error": {"message": list(KEY), "type": "authentication_error"}}
    thirds = KEY[:9], KEY[9:18], KEY[18:]
    headers = {f"x_part_{number}": part for number, part in enumerate(thirds)}

    with FakeServer(fails(401, body, **headers)) as server:
        outcome = outcome_of(asking("chat"), model_at(server.url, "chat", tmp_path))

    assert isinstance(outcome.error, ProviderError)
    assert outcome.evidence is not None
    told = [*map(str, outcome.error.details.values()), outcome.error.message, outcome.evidence.body.decode()]
    letters = ["".join(one for one in text if one.isalnum() or one == "-") for text in told]
    assert not any(KEY in text for text in letters)
    assert not any(part in outcome.evidence.headers.values() for part in thirds)


def test_a_stream_that_is_too_large_to_look_into_keeps_its_length() -> None:
    body = b"".join(map(chunk, KEY)) + b": " + b"x" * (4 << 20)

    assert without_echoes(body, (KEY,)) == b"*" * len(body)


@given(st.lists(st.text("sk-pl%\\u07", max_size=6), max_size=12), st.sampled_from([KEY, "sk-\\%007"]))
def test_a_text_in_pieces_is_shown_as_it_is_shown_whole(pieces: list[str], secret: str) -> None:
    censor = Censor((secret,))

    shown = "".join(censor.shown((0, "text"), piece) for piece in pieces)
    shown += "".join(text for _, text in censor.rests())

    whole = Censor((secret,))
    assert shown == whole.shown((0, "text"), "".join(pieces)) + "".join(text for _, text in whole.rests())


@given(st.text("sk-plan%&#\\u07x;", max_size=40), st.integers(1, len(KEY)))
def test_every_beginning_of_a_key_is_waited_for(before: str, length: int) -> None:
    for spelt in (KEY[:length], "".join(f"\\u{ord(one):04x}" for one in KEY[:length])[:-1]):
        text = before + spelt
        found = found_in(text, (KEY,))

        assert begun_at(text, (KEY,)) <= len(before) or found


def test_a_listener_that_heard_of_too_many_texts_takes_them_for_an_echo() -> None:
    listener = Listener((KEY,))

    for number in range(3_000):
        listener.listen(json.dumps({f"name{number}": "s"}).encode())

    assert listener.is_echoed
