"""Bodies of responses: from the bytes that were kept to the text of each choice."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from loomapp.core.content import well_formed
from loomapp.core.evidence import Evidence
from loomapp.core.json_values import Json
from loomapp.core.response_text.chunks import (
    RESPONSE_ENDS,
    Said,
    anthropic_block,
    openai_choice,
    openai_message,
    responses_event,
)
from loomapp.core.response_text.server_events import MOST_EVENT_BYTES, server_events
from loomapp.core.unpacking import MOST_BYTES, UNREADABLE

TERMINATOR = b"[DONE]"
BLOCKS: Mapping[str, str] = {"content_block_start": "content_block", "content_block_delta": "delta"}
ENDS = RESPONSE_ENDS | {"message_stop"}
ANY_HEADER = 47
MOST_PLAIN_BYTES = 1 << 20


class ChoiceText(NamedTuple):
    """All that a response says for one choice."""

    text: str = ""
    reasoning: str = ""


class ReadResponse(NamedTuple):
    """A response as it was read: the SHA-256 of its body, and what it says, by choice index."""

    sha256: bytes
    choices: Mapping[int, ChoiceText]


def read_response(evidence: Evidence) -> ReadResponse | None:
    """Read a whole response, on any thread; None if its body cannot be unpacked any more."""
    try:
        body = evidence.body
    except UNREADABLE:
        return None
    return ReadResponse(hashlib.sha256(body).digest(), choices_in(body, evidence.headers))


@dataclass(slots=True)
class _Choice:
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    has_ended: bool = False

    def take(self, said: Said) -> None:
        if self.has_ended:
            return
        if said.text:
            self.text.append(said.text)
        if said.reasoning:
            self.reasoning.append(said.reasoning)
        self.has_ended = said.reason is not None

    @property
    def said(self) -> ChoiceText:
        return ChoiceText(well_formed("".join(self.text)), well_formed("".join(self.reasoning)))


class _Choices(dict[int, _Choice]):
    """Choices by their index, each there once something is said of it."""

    def __missing__(self, index: int) -> _Choice:
        choice = self[index] = _Choice()
        return choice


def choices_in(body: bytes, headers: Mapping[str, str]) -> Mapping[int, ChoiceText]:
    """Read what a response says, by choice index: in any of the protocols, streamed or not.

    The protocol is known by what is in the body, for that is what the hashes cover. What follows its last
    word, or cannot be read, was no part of the answer. A body in no protocol has a line for each choice, as
    those had that were made by hand.
    """
    body = _decoded(body, headers)
    if body.lstrip()[:1] == b"{":
        return _in_one_piece(body)
    choices = _Choices()
    is_stream = False
    for name, data in server_events(body):
        is_stream = True
        if data.startswith(TERMINATOR):
            break
        if name != b"ping" and (event := _parsed(data)) is not None and _take(event, choices):
            break
    if not is_stream:
        lines = body[:MOST_PLAIN_BYTES].decode("utf-8", "replace").split("\n")
        return {index: ChoiceText(line) for index, line in enumerate(lines)}
    return {index: choice.said for index, choice in choices.items()}


def _take(event: Json, choices: _Choices) -> bool:
    """Take in what an event says; True if nothing after it is part of the answer."""
    try:
        if isinstance(said := event.get("choices"), list):
            for choice in said:
                if isinstance(choice, dict):
                    choices[choice.get("index") or 0].take(openai_choice(choice))
            return False
        kind = event.get("type")
        if isinstance(kind, str) and kind in BLOCKS:
            choices[0].take(anthropic_block(event.get(BLOCKS[kind])))
        elif kind in ENDS:
            return True
        else:
            choices[0].take(responses_event(event))
    except TypeError:  # a text that is none, or a choice that has no number: whoever streamed it stopped here
        return False
    return False


def _in_one_piece(body: bytes) -> Mapping[int, ChoiceText]:
    """An answer that was not streamed."""
    answer = _parsed(body)
    if answer is None:
        return {}
    choices = _Choices()
    try:
        for place, choice in enumerate(_list(answer.get("choices"))):
            index = choice.get("index", place) if isinstance(choice, dict) else place
            choices[index].take(openai_message(choice))
        for part in (*_list(answer.get("content")), *_parts(_list(answer.get("output")))):
            choices[0].take(anthropic_block(part))
    except TypeError:
        pass
    return {index: choice.said for index, choice in choices.items()}


def _parts(output: Sequence[object]) -> Iterable[object]:
    """The parts of the messages of an answer of Responses; a refusal is said in a field of its own."""
    for item in output:
        for part in _list(item.get("content")) if isinstance(item, dict) else ():
            if isinstance(part, dict) and part.get("type") == "refusal":
                yield {"text": part.get("refusal")}
            else:
                yield part


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _parsed(data: bytes) -> Json | None:
    if len(data) > MOST_EVENT_BYTES:
        return None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _decoded(body: bytes, headers: Mapping[str, str]) -> bytes:
    """The body without the server's own packing; as far as it goes, if the answer broke off."""
    encoding = next((text for name, text in headers.items() if name.lower() == "content-encoding"), "")
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        return body
    found: list[bytes] = []
    size, rest = 0, body
    try:
        while rest:
            member = zlib.decompressobj(ANY_HEADER)
            found.append(member.decompress(rest, MOST_BYTES - size))
            size += len(found[-1])
            rest = member.unused_data if size < MOST_BYTES else b""
    except zlib.error:  # unpacked already, because a secret in it was overwritten, or broken off
        return b"".join(found) or body
    return b"".join(found)
