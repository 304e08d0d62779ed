"""JSON files item by item: the rows of a long list one after the other, never all of them as JSON values."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Collection, Iterator
from typing import IO, Protocol

from loomapp.core.errors import InvalidInput
from loomapp.formats.json_text import (
    MAX_DEPTH,
    MAX_DIGITS,
    SURROGATE_ESCAPE,
    check_depth,
    holds_half_a_character,
)

PART = 1 << 20  # bytes that are read at once
_WHITE_SPACE = re.compile(r"[ \t\n\r]*")
_FEW_BRACKETS = MAX_DEPTH - 10  # an item with no more of them is not nested too deep, wherever it stands


class NotInOrder(Exception):
    """Fault that only a reading of the whole text can name by its line and place."""


def read_items(file: IO[bytes], lists: Collection[str]) -> Iterator[tuple[str, int | None, object]]:
    """The keys of the object that a JSON file holds, with their values, in the order of the file.

    Of the keys in `lists` the items of their list come one by one, with their number from 0; everything else
    comes whole, with None. Raises: NotInOrder where `json_text.parse` would refuse the text, or where one of
    `lists` is no list or is there twice; what came before it is then worth nothing.
    """
    text = JsonPart(file)
    try:
        yield from _read(text, lists)
    except (ValueError, RecursionError, InvalidInput) as error:
        raise NotInOrder from error


class Readable(Protocol):
    """A file, as far as it is read from its beginning to its end."""

    def read(self, size: int, /) -> bytes: ...


def _read(text: JsonPart, lists: Collection[str]) -> Iterator[tuple[str, int | None, object]]:
    text.pass_sign("{")
    seen: set[str] = set()
    sign = text.take_sign() if text.next_sign() == "}" else ","
    while sign == ",":
        key = text.value(MAX_DEPTH)
        if not isinstance(key, str) or key in seen:
            raise NotInOrder
        seen.add(key)
        text.pass_sign(":")
        if key not in lists:
            yield key, None, text.value(MAX_DEPTH - 1)
        else:
            yield from ((key, number, item) for number, item in enumerate(_items(text)))
        sign = text.take_sign()
    if sign != "}" or text.next_sign():
        raise NotInOrder


def _items(text: JsonPart) -> Iterator[object]:
    text.pass_sign("[")
    if text.next_sign() == "]":
        text.take_sign()
        return
    sign = ","
    while sign == ",":
        yield text.value(MAX_DEPTH - 2)
        sign = text.take_sign()
    if sign != "]":
        raise NotInOrder


class JsonPart:
    """A part of a file's text, and how far it was read: it grows at its end and forgets its beginning."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._part, self._at, self._is_last = "", 0, False
        self._parser = self._new_parser()

    def _new_parser(self) -> json.JSONDecoder:
        return json.JSONDecoder(
            object_pairs_hook=_pairs, parse_int=_whole, parse_float=_real, parse_constant=_refuse
        )

    def next_sign(self) -> str:
        """The next sign that is no white space, which stays; "" at the end."""
        while True:
            found = _WHITE_SPACE.match(self._part, self._at)
            assert found is not None, "it matches an empty text too"
            self._at = found.end()
            if self._at < len(self._part) or not self._read_on():
                return self._part[self._at : self._at + 1]

    def take_sign(self) -> str:
        """The next sign that is no white space, which is passed."""
        sign = self.next_sign()
        self._at += len(sign)
        return sign

    def pass_sign(self, sign: str) -> None:
        """Pass one sign. Raises: NotInOrder if another stands there."""
        if self.take_sign() != sign:
            raise NotInOrder

    def value(self, depth: int) -> object:
        """The next value, nested at most so deep."""
        self.next_sign()
        while True:
            try:
                value, end = self._parser.raw_decode(self._part, self._at)
            except json.JSONDecodeError:
                if not self._read_on():
                    raise
                continue
            if end < len(self._part) or not self._read_on():  # a number may go on in the next part
                break
        value = self._looked_at(value, end, depth)
        self._at = end
        return value

    def _looked_at(self, value: object, end: int, depth: int) -> object:
        part, at = self._part, self._at
        if part.count("{", at, end) + part.count("[", at, end) > _FEW_BRACKETS:
            check_depth(value, depth)
        if SURROGATE_ESCAPE.search(part, at, end) and holds_half_a_character(value):
            raise NotInOrder
        return value

    def _read_on(self) -> bool:
        """Read as much again as is left: however long a value is, it is begun anew only a few times."""
        left = self._part[self._at :]
        parts, wanted = [left], max(len(left), PART)
        while wanted > 0 and not self._is_last:
            data = self._file.read(PART)
            self._is_last = not data
            parts.append(self._decode(data, final=not data))
            wanted -= len(parts[-1])
        self._part, self._at = "".join(parts), 0
        return len(self._part) > len(left)


def _pairs(items: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(items)
    if len(value) != len(items):
        raise NotInOrder
    return value


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise NotInOrder
    return int(digits)


def _real(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotInOrder
    return number


def _refuse(_name: str) -> object:
    raise NotInOrder


def count(file: IO[bytes], word: bytes) -> int:
    """Return how often a word stands in the rest of a file, of which one part at a time is in memory."""
    found, kept = 0, b""
    while part := file.read(PART):
        part = kept + part
        found += part.count(word)
        kept = part[1 - len(word) :]
    return found
