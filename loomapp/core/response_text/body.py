"""Bodies of responses: from the bytes that were kept, by server-sent events, to the text of each choice."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from loomapp.core.json_values import Json
from loomapp.core.model.content import well_formed
from loomapp.core.model.raw_response import UNREADABLE, Evidence, TooLarge, Unpacker, pieces_of
from loomapp.core.response_text.chunks import (
    RESPONSE_ENDS,
    ChunkWords,
    Told,
    anthropic_block,
    openai_choice,
    openai_message,
    responses_event,
)

TERMINATOR = b"[DONE]"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLOCKS: Mapping[str, str] = {"content_block_start": "content_block", "content_block_delta": "delta"}
ENDS = RESPONSE_ENDS | {"message_stop"}
ANY_HEADER = 47
BEGINNING_BYTES = 1 << 20  # by which a body is known; in no protocol, all of it that is read
# No answer has as much. JSON takes many times its length once it is parsed.
MOST_CHOICES = 1000
MOST_SAID_BYTES = 16 << 20  # of all choices: some four million tokens
MOST_VALUES = 250_000  # in one event


class ChoiceText(NamedTuple):
    """All that a response says for one choice."""

    text: str = ""
    reasoning: str = ""


class ReadResponse(NamedTuple):
    """A response as it was read: the SHA-256 of its body, what it says, by choice index, and what it tells
    beside that.
    """

    sha256: bytes
    choices: Mapping[int, ChoiceText]
    told: Told


def read_response(evidence: Evidence) -> ReadResponse | None:
    """Read a whole response, on any thread; None if its body cannot be unpacked any more."""
    with suppress(*UNREADABLE):
        return read_in_pieces(evidence)
    return None


def read_in_pieces(evidence: Evidence) -> ReadResponse:
    """Read a whole response in one pass: a piece of its body and what it says are all that is in memory.

    Raises: TooLarge where it says more than any answer, or unpacks to more; others of UNREADABLE.
    """
    sha256 = hashlib.sha256()
    pieces = _hashed(pieces_of(evidence.body_gzip), sha256)
    told = Told()
    choices = choices_in(pieces, evidence.headers, told)
    deque(pieces, maxlen=0)  # what follows its last word counts for the hash
    return ReadResponse(sha256.digest(), choices, told)


def _hashed(pieces: Iterable[bytes], sha256: hashlib._Hash) -> Iterator[bytes]:
    for piece in pieces:
        sha256.update(piece)
        yield piece


class _Choice:
    """Text of one choice as it is read, in UTF-8: short texts one by one would take many times as much."""

    __slots__ = "has_ended", "reasoning", "text"

    def __init__(self) -> None:
        self.text, self.reasoning = bytearray(), bytearray()
        self.has_ended = False

    def take(self, said: ChunkWords) -> int:
        """Take words in; how many bytes they are."""
        if self.has_ended:
            return 0
        before = len(self.text) + len(self.reasoning)
        if said.text:
            self.text += said.text.encode("utf-8", "surrogatepass")
        if said.reasoning:
            self.reasoning += said.reasoning.encode("utf-8", "surrogatepass")
        self.has_ended = said.reason is not None
        return len(self.text) + len(self.reasoning) - before

    @property
    def said(self) -> ChoiceText:
        return ChoiceText(_joined(self.text), _joined(self.reasoning))


def _joined(text: bytearray) -> str:
    return well_formed(text.decode("utf-8", "surrogatepass"))


class _Choices:
    """Choices by their index, each there once something is said of it."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self._by_index: dict[int, _Choice] = {}
        self._size = 0

    def take(self, index: int, said: ChunkWords) -> None:
        """Take words of a choice in. Raises: TooLarge; TypeError for an index that is none."""
        choice = self._by_index.get(index)
        if choice is None:
            if len(self._by_index) == MOST_CHOICES:
                return
            choice = self._by_index[index] = _Choice()
        self._size += choice.take(said)
        if said.reason is not None or said.is_refusal:
            self.told.hear_choice(index, said)
        if self._size > MOST_SAID_BYTES:
            raise TooLarge(f"it says more than {MOST_SAID_BYTES >> 20} MiB")

    @property
    def said(self) -> Mapping[int, ChoiceText]:
        return {index: choice.said for index, choice in self._by_index.items()}


def choices_in(
    pieces: Iterable[bytes], headers: Mapping[str, str], told: Told | None = None
) -> Mapping[int, ChoiceText]:
    """Read what the pieces of a body say, by choice index: in any of the protocols, streamed or not. What
    they tell beside that goes into `told`.

    The protocol is known by what is in the body, for that is what the hashes cover. What follows its last
    word, or cannot be read, was no part of the answer. A body in no protocol has a line for each choice, as
    those had that were made by hand. Raises: TooLarge; other errors of unpacking.
    """
    told = Told() if told is None else told
    pieces = _decoded(iter(pieces), headers)
    begun = _beginning(pieces)
    whole = chain((begun.removeprefix(BYTE_ORDER_MARK),), pieces)
    if begun.lstrip()[:1] == b"{":
        return _in_one_piece(whole, told)
    choices = _Choices(told)
    for name, data in server_events(whole):
        told.is_stream = True
        if data.startswith(TERMINATOR):
            told.is_whole = True
            break
        if name != b"ping" and (event := _parsed(data)) is not None and _take(event, choices):
            break
    if not told.is_stream:
        lines = begun[:BEGINNING_BYTES].decode("utf-8", "replace").split("\n", MOST_CHOICES)
        return {index: ChoiceText(line) for index, line in enumerate(lines[:MOST_CHOICES])}
    return choices.said


def _beginning(pieces: Iterator[bytes]) -> bytes:
    """The first pieces of a body, which tell what it is."""
    begun = bytearray()
    for piece in pieces:
        begun += piece
        if len(begun) >= BEGINNING_BYTES:
            break
    return bytes(begun)


def _take(event: Json, choices: _Choices) -> bool:
    """Take in what an event says; True if nothing after it is part of the answer."""
    try:
        if isinstance(said := event.get("choices"), list):
            for choice in said:
                if isinstance(choice, dict):
                    choices.take(choice.get("index") or 0, openai_choice(choice))
            if not choices.told.has_begun or event.get("usage") is not None:
                choices.told.hear_openai(event)
            return False
        kind = event.get("type")
        if not isinstance(kind, str):
            choices.told.hear_openai(event)
        elif kind in BLOCKS:
            choices.take(0, anthropic_block(event.get(BLOCKS[kind])))
        else:
            choices.take(0, responses_event(event))
            choices.told.hear_event(kind, event)
            return kind in ENDS
    except TypeError:  # a text that is none, or a choice that has no number: whoever streamed it stopped here
        return False
    return False


def _in_one_piece(pieces: Iterable[bytes], told: Told) -> Mapping[int, ChoiceText]:
    """An answer that was not streamed."""
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > MOST_EVENT_BYTES:
            return {}
    answer = _parsed(bytes(body))
    if answer is None:
        return {}
    choices = _Choices(told)
    told.hear_answer(answer)
    try:
        for place, choice in enumerate(_list(answer.get("choices"))):
            index = choice.get("index", place) if isinstance(choice, dict) else place
            choices.take(index, openai_message(choice))
        for part in (*_list(answer.get("content")), *_parts(_list(answer.get("output")))):
            choices.take(0, anthropic_block(part))
    except TypeError:
        pass
    return choices.said


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
    if not data.lstrip().startswith(b"{"):
        return None
    if len(data) > MOST_VALUES and sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        return None
    try:
        value: Json = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value


def _decoded(pieces: Iterator[bytes], headers: Mapping[str, str]) -> Iterator[bytes]:
    """The body without the server's own packing: as far as it goes, if the answer broke off, and as far as
    the limit. It may be unpacked already, because a secret in it was overwritten.
    """
    encoding = next((text for name, text in headers.items() if name.lower() == "content-encoding"), "")
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        return pieces
    return _unpacked(pieces)


def _unpacked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    unpacker = Unpacker(ANY_HEADER)
    for piece in pieces:
        try:
            yield from unpacker.feed(piece)
        except UNREADABLE:
            if not unpacker.size:
                yield piece
                yield from pieces
            return


MOST_EVENT_BYTES = 8 << 20  # more was never taken from a server
MOST_EVENTS = 300_000  # eight answers of 32,000 tokens; a few bytes unpack to millions
MOST_LINES = 4 * MOST_EVENTS  # a name, its data, a blank line, and a comment now and then


def server_events(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Give the name and the data of each event, in order; the name is empty for one that has none.

    Comments, events without data and everything that is no event are passed over. Where an event is too long,
    or there are too many, is the end, as while it streamed.
    """
    name, size, line_count, event_count = b"", 0, 0, 0
    data: list[bytes] = []
    for lines in _whole_lines(pieces):
        line_count += len(lines)
        for line in lines:
            if not line:
                if data:
                    yield name, data[0] if len(data) == 1 else b" ".join(data)
                    event_count += 1
                name, data, size = b"", [], 0
            elif line.startswith(b"data:"):
                data.append(line[6:] if line.startswith(b"data: ") else line[5:])
                size += len(line)
                if size > MOST_EVENT_BYTES:
                    return
            elif line.startswith(b"event:"):
                name = line[6:].strip()
        if line_count > MOST_LINES or event_count >= MOST_EVENTS:
            return
    if data:
        yield name, b" ".join(data)


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines that end in each piece, without their ends; last, one that does not end. One that is longer
    than any event is the end.
    """
    begun: list[bytes] = []  # pieces of the line that has not ended yet
    size = 0
    for piece in _with_one_end(pieces):
        if b"\n" in piece:
            *lines, rest = b"".join((*begun, piece)).split(b"\n")
            yield lines
            begun, size = [rest], len(rest)
        else:
            begun.append(piece)
            size += len(piece)
        if size > MOST_EVENT_BYTES:
            return
    yield [b"".join(begun)]


def _with_one_end(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Give the pieces with line feeds at the ends of all lines."""
    is_after_return = False
    for piece in pieces:
        plain = piece.removeprefix(b"\n") if is_after_return else piece
        is_after_return = piece.endswith(b"\r")
        yield plain.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in plain else plain
