"""Echoes: secrets that a server sends back in pieces, over the borders of events, found and taken out."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

from loomapp.providers.protocols.redaction import begun_at, found_in, unfinished_at

LARGEST_STREAM = 4 << 20  # bytes: of one that is larger and echoes nothing is kept but its length
LARGEST_VALUE = 1 << 20  # likewise of an answer that is no stream; refusals are read no further
MOST_GROUPS = 2_000  # texts that one answer may consist of
LITERAL = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
CHARACTER = re.compile(  # as JSON spells it
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\."
    rb"|[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*"
)
LINE = re.compile(rb"[^\r\n]+")
NUMBERS = ("index", "output_index", "content_index")  # tell pieces of one text from those of another

Group: TypeAlias = tuple[object, ...]


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it is written, a name that comes twice too."""


class _Name(str):
    """A name in an object, which is a string as well."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A string value: which of the strings around it, names included, what it says, and to which texts it may
    belong.
    """

    number: int
    text: str
    groups: tuple[Group, ...]


class Listener:
    """Listens to the events of an answer for a secret in pieces. One thread writes, any may ask."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(secrets)
        self._begun: dict[Group, str] = {}  # ends of texts that may be beginnings of secrets
        self._is_echoed = False
        self.heard = False  # an event

    @property
    def is_echoed(self) -> bool:
        """Tell whether a secret was sent back in pieces, or half of one at the very end."""
        ends = self._begun.copy().values()
        return self._is_echoed or any(unfinished_at(end, self._secrets) < len(end) for end in ends)

    def listen(self, data: bytes) -> None:
        self.heard = True
        if not self._secrets or self._is_echoed:
            return
        for piece in pieces(data):
            alone = _begun_alone(piece.text, self._secrets)
            if alone == len(piece.text) and not self._begun:
                continue  # as nearly always
            for group in piece.groups:
                before = self._begun.pop(group, "")
                text = before + piece.text
                begun = begun_at(text, self._secrets) if before else alone
                if begun < len(text):
                    self._begun[group] = text[begun:]
                if before and found_in(text, self._secrets):
                    self._is_echoed = True
        if len(self._begun) > MOST_GROUPS:
            self._is_echoed = True  # there is no knowing any more


@functools.lru_cache(maxsize=256)
def _begun_alone(text: str, secrets: tuple[str, ...]) -> int:
    """Return what `begun_at` finds in a text alone: each event repeats names and numbers of its answer."""
    return begun_at(text, secrets)


def pieces(data: bytes) -> Iterator[Piece]:
    """The string values of a JSON value, in the order in which they are written; none if it is not JSON."""
    try:
        value = json.loads(data, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return
    number = 0
    waiting: list[tuple[Any, tuple[str, ...], Group]] = [(value, (), ())]
    while waiting:
        value, names, numbers = waiting.pop()
        if isinstance(value, _Pairs):
            numbers += tuple(one for name, one in value if name in NUMBERS and isinstance(one, int))
            for name, one in reversed(value):
                waiting += ((one, (*names, name), numbers), (_Name(name), (), ()))
        elif isinstance(value, list):
            waiting += [(one, names, numbers) for one in reversed(value)]
        elif isinstance(value, str):
            if not isinstance(value, _Name):
                last = names[-1:]
                yield Piece(number, value, ((names, numbers), (names,), (last, numbers), last))
            number += 1


def without_echoes(body: bytes, secrets: Sequence[str]) -> bytes:
    """A stream of the same length in which no secret can be joined from the strings of its events. What is no
    JSON in one line goes, since it cannot be looked into.
    """
    if len(body) > LARGEST_STREAM:
        return b"*" * len(body)
    lines = [line for line in LINE.finditer(body) if line[0].startswith(b"data:")]
    spots = [(line.start() + len("data:"), line.end()) for line in lines]
    shown = bytearray(_without(body, spots, secrets))
    for begin, end in spots:
        data = body[begin:end]
        if not _is_json(data) and data.strip() != b"[DONE]":
            shown[begin:end] = b"*" * (end - begin)
    return bytes(shown)


def without_pieces(value: bytes, secrets: Sequence[str]) -> bytes:
    """A JSON value of the same length in which no secret can be joined from strings; else as it is."""
    return (
        _without(value[:LARGEST_VALUE], [(0, min(len(value), LARGEST_VALUE))], secrets)
        + value[LARGEST_VALUE:]
    )


def _without(body: bytes, spots: Sequence[tuple[int, int]], secrets: Sequence[str]) -> bytes:
    """A character of a secret becomes an asterisk, as in the text that is read from it; a string that is
    shorter for that has spaces behind it.
    """
    texts: dict[Group, list[tuple[int, Piece]]] = {}
    for spot, (begin, end) in enumerate(spots):
        for piece in pieces(body[begin:end]):
            for group in piece.groups:
                texts.setdefault(group, []).append((spot, piece))
    hidden: dict[int, dict[int, set[int]]] = {}  # by event and string: the characters
    for said in texts.values():
        for spot, number, place in _found(said, secrets):
            hidden.setdefault(spot, {}).setdefault(number, set()).add(place)
    shown = bytearray(body)
    for spot, strings in hidden.items():
        begin, end = spots[spot]
        shown[begin:end] = _rewritten(body[begin:end], strings)
    return bytes(shown)


def _found(said: Sequence[tuple[int, Piece]], secrets: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The characters of secrets in a text that comes in pieces: which event, which string, which place."""
    text = "".join(piece.text for _, piece in said)
    ranges = [*found_in(text, secrets), (unfinished_at(text, secrets), len(text))]
    starts = accumulate((len(piece.text) for _, piece in said), initial=0)
    for (spot, piece), start in zip(said, starts, strict=False):
        for begin, end in ranges:
            for place in range(max(begin, start), min(end, start + len(piece.text))):
                yield spot, piece.number, place - start


def _rewritten(data: bytes, strings: dict[int, set[int]]) -> bytes:
    """JSON of the same length with asterisks in place of some characters of some of its strings."""
    number = -1

    def written(literal: re.Match[bytes]) -> bytes:
        nonlocal number
        number += 1
        places = strings.get(number)
        if places is None:
            return literal[0]
        characters = CHARACTER.findall(literal[0][1:-1])
        shown = b"".join(b"*" if place in places else one for place, one in enumerate(characters))
        return (b'"' + shown + b'"').ljust(len(literal[0]))

    return LITERAL.sub(written, data)


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
