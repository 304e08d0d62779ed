"""Concealing: secrets found, in whatever spelling and pieces a server sends them back, and taken out."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from loomapp.core.dataclass import dataclass

HIDDEN = "[hidden]"
SPELLS = ("\\", "%", "&#")  # what JSON, addresses and HTML spell a character with
LONGEST_SPELLING = 12  # characters for one
HALF_SPELT = re.compile(r"\\{1,7}(?:u[0-9a-fA-F]{0,3})?|%[0-9a-fA-F]?|&(?:#(?:[xX]?[0-9a-fA-F]{0,7})?)?")


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text with a word in place of each secret."""
    is_spelt = any(mark in text for mark in SPELLS)
    for secret in filter(None, secrets):
        text = _pattern(secret).sub(HIDDEN, text) if is_spelt else text.replace(secret, HIDDEN)
    return text


def overwrite(data: bytes, secrets: Iterable[str]) -> bytes:
    """The bytes with as many asterisks in place of each secret, so that offsets stay."""
    is_spelt = any(mark.encode() in data for mark in SPELLS)
    for secret in filter(None, secrets):
        if is_spelt:
            data = _bytes_pattern(secret).sub(lambda found: b"*" * len(found[0]), data)
        else:
            data = data.replace(secret.encode(), b"*" * len(secret.encode()))
    return data


def found_in(text: str, secrets: Iterable[str]) -> list[tuple[int, int]]:
    """Return where secrets stand in a text, from which character to before which."""
    is_spelt = any(mark in text for mark in SPELLS)
    found: list[tuple[int, int]] = []
    for secret in filter(None, secrets):
        if is_spelt or secret in text:
            found += (one.span() for one in _pattern(secret).finditer(text))
    return found


def begun_at(text: str, secrets: Iterable[str]) -> int:
    """Return where the end of a text begins that may be the beginning of a secret; its length if none may."""
    return min((start for start, _ in _begun(text, secrets)), default=len(text))


def unfinished_at(text: str, secrets: Iterable[str]) -> int:
    """Return where a secret begins that has come by half at least: what is missing could be guessed."""
    return min((start for start, is_half in _begun(text, secrets) if is_half), default=len(text))


def _begun(text: str, secrets: Iterable[str]) -> Iterator[tuple[int, bool]]:
    """Ends of a text that may be beginnings of secrets, and whether half of one is there."""
    for secret in filter(None, secrets):
        for first in _first(secret).finditer(text, max(0, len(text) - LONGEST_SPELLING * len(secret))):
            count = _spelt(text, first.start(), secret)
            if count:
                yield first.start(), 2 * count >= len(secret)


def _spelt(text: str, start: int, secret: str) -> int:
    """Return how many characters of a secret a text ends with from a place on, the last perhaps spelt by
    half; 0 if it says something else.
    """
    for count, character in enumerate(secret):
        if start == len(text):
            return count
        found = _character(character).match(text, start)
        if found is None:
            return count + 1 if HALF_SPELT.fullmatch(text, start) else 0
        start = found.end()
    return 0


@functools.cache
def _first(secret: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(secret[0])}{re.escape(''.join(mark[0] for mark in SPELLS))}]")


@functools.cache
def _character(character: str) -> re.Pattern[str]:
    return re.compile(_spellings(character))


@functools.cache
def _pattern(secret: str) -> re.Pattern[str]:
    return re.compile("".join(map(_spellings, secret)))


@functools.cache
def _bytes_pattern(secret: str) -> re.Pattern[bytes]:
    return re.compile("".join(map(_spellings, secret)).encode())


def _spellings(character: str) -> str:
    """A character as itself, or as JSON (also within JSON), an address or HTML may spell it.

    Each begins with one certain character, and nothing in it repeats without end, so that what is no secret
    is passed over quickly, whatever it was made for.
    """
    code = ord(character)
    if code > 0xFF:
        return re.escape(character)
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
    ways = (
        re.escape(character),
        rf"\\\\{{0,6}}u00{digits}",
        rf"\\\\{{0,6}}{re.escape(character)}",
        f"%{digits}",
        f"&#0{{0,4}}{code};",
        f"&#[xX]0{{0,4}}{digits};",
    )
    return f"(?:{'|'.join(ways)})"


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
        if not is_json(data) and data.strip() != b"[DONE]":
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


def is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
