"""JSON files item by item: the rows of a long list one after the other, never all of them as JSON values."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import field
from sys import intern
from typing import IO, Protocol

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.model.content import well_formed
from loomapp.core.sentences import Sentence, worded
from loomapp.formats.json_text import (
    MAX_DEPTH,
    MAX_DIGITS,
    SURROGATE_ESCAPE,
    check_depth,
    holds_half_a_character,
)
from loomapp.formats.own_ids import with_own_ids

PART = 1 << 20  # bytes that are read at once
SHORT = 1 << 16  # characters, of which no number has more
_OPENING = frozenset("{[")
_WHITE_SPACE = re.compile(r"[ \t\n\r]*")
# One half of a pair without the other. What is written after a backslash of its own is found in vain.
_HALF_ESCAPE = re.compile(
    r"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|[c-fC-F](?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]))"
)
_FEW_BRACKETS = MAX_DEPTH - 10  # an item with no more of them is not nested too deep, wherever it stands


class NotInOrder(Exception):
    """Fault that only a reading of the whole text can name by its line and place."""


def read_items(file: IO[bytes], lists: Collection[str]) -> Iterator[tuple[str, int | None, object]]:
    """The keys of the object that a JSON file holds, with their values, in the order of the file.

    Of the keys in `lists` the items of their list come one by one, with their number from 0; everything else
    comes whole, with None. Raises: NotInOrder where `json_text.parse` would refuse the text, or where one of
    `lists` is no list or is there twice; what came before it is then worth nothing.
    """
    text = _Text(file)
    try:
        yield from _read(text, lists)
    except (ValueError, RecursionError, InvalidInput) as error:
        raise NotInOrder from error


class Readable(Protocol):
    """A file, as far as it is read from its beginning to its end."""

    def read(self, size: int, /) -> bytes: ...


def read_list(file: Readable) -> Iterator[object]:
    """The items of the list that a JSON file of another program holds, one by one.

    It is read as `json.load` reads it, but that a number no other program could hold is None, and half of a
    character is U+FFFD: one of them is no reason to refuse what somebody wrote in years.

    Raises: InvalidInput, one line that names the item where the text ends or is no JSON.
    """
    number, text = 0, _LenientText(file)
    try:
        text.pass_sign("[")
        sign = text.take_sign() if text.next_sign() == "]" else ","
        while sign == ",":
            yield text.value(MAX_DEPTH)
            number += 1
            sign = text.take_sign()
        if sign != "]":
            raise NotInOrder
    except (NotInOrder, ValueError) as error:
        raise InvalidInput(_fault(number, text, error), place=f"[{number}]") from error


def read_whole(file: Readable) -> object:
    """The one value that a JSON file of another program holds, read as `read_list` reads an item.

    Raises: InvalidInput, one line.
    """
    text = _LenientText(file)
    try:
        value = text.value(MAX_DEPTH)
        follows = text.next_sign()
    except UnicodeDecodeError as error:
        raise InvalidInput("it is not UTF-8 text") from error
    except (NotInOrder, ValueError) as error:
        if text.ends_at(error):
            raise InvalidInput("it ends in the middle; it seems cut off") from error
        raise InvalidInput(worded("not JSON: {why}", why=_why(error))) from error
    if follows:
        raise InvalidInput("not JSON: something follows where it should end")
    return value


def read_value(data: bytes) -> object:
    """The one value that a JSON text of another program holds, likewise, where it is all there.

    Raises: InvalidInput, one line; RecursionError where it is nested deeper than Python's reader goes.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("it is not UTF-8 text") from error
    try:
        value: object = _LENIENT.decode(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise InvalidInput("not JSON: something follows where it should end") from error
        if _is_cut_off(text, error):
            raise InvalidInput("it ends in the middle; it seems cut off") from error
        raise InvalidInput(worded("not JSON: {why}", why=error.msg)) from error
    return _whole_characters(value) if _HALF_ESCAPE.search(text) else value


def _is_cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Tell whether what could not be read is the end of the text."""
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")


def _fault(number: int, text: _LenientText, error: Exception) -> Sentence:
    place = f"[{number}]"
    if isinstance(error, UnicodeDecodeError):
        return worded("{place}: it is not UTF-8 text", place=place)
    if text.ends_at(error):
        return worded("{place}: the file ends in the middle; it seems cut off", place=place)
    return worded("{place}: not JSON: {why}", place=place, why=_why(error))


def _why(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else "a comma or a bracket is missing"


def _read(text: _Text, lists: Collection[str]) -> Iterator[tuple[str, int | None, object]]:
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


def _items(text: _Text) -> Iterator[object]:
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


class _Text:
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


class _LenientText(_Text):
    """The text of another program: its values are taken as they are, and put right where they must be.

    A value that is longer than the part in memory, or nested deeper than Python's reader goes, is put
    together from those in it.
    """

    def __init__(self, file: Readable) -> None:
        super().__init__(file)
        self._is_deep = False  # so deep that no list or object is read at once any more

    def _new_parser(self) -> json.JSONDecoder:
        return _LENIENT

    def ends_at(self, error: Exception) -> bool:
        """Tell whether what could not be read is the end of the file."""
        if isinstance(error, json.JSONDecodeError) and self._is_last:
            return _is_cut_off(self._part, error)
        return isinstance(error, NotInOrder) and not self.next_sign()

    def value(self, depth: int) -> object:
        """The next value, however deep."""
        del depth  # where that matters is for the importer to say
        opened: list[_Opened] = []
        while True:
            value = self._value_or_opened()
            while not isinstance(value, _Opened) or self._is_closed(value):
                done = value.made() if isinstance(value, _Opened) else value
                if not opened:
                    return done
                value = opened.pop()
                value.values.append(done)
            if value.values:
                self.pass_sign(",")
            if value.keys is not None:
                value.keys.append(self._key())
            opened.append(value)

    def pass_sign(self, sign: str) -> None:
        """Pass one sign. Raises: NotInOrder if another stands there, before it."""
        if self.next_sign() != sign:
            raise NotInOrder
        self._at += 1

    def _is_closed(self, opened: _Opened) -> bool:
        """Pass the bracket that closes a list or an object, if it is next."""
        is_closed = self.next_sign() == ("]" if opened.keys is None else "}")
        self._at += is_closed
        return is_closed

    def _key(self) -> str:
        key = self._value_or_opened()
        if not isinstance(key, str):
            raise NotInOrder
        self.pass_sign(":")
        return key

    def _value_or_opened(self) -> object:
        """The next value; of a list or an object that is not all there, or too deep, its first bracket."""
        sign = self.next_sign()
        if len(self._part) - self._at < SHORT:
            self._read_on()
        while sign not in _OPENING or not self._is_deep:
            try:
                value, end = self._parser.raw_decode(self._part, self._at)
                value = self._looked_at(value, end, 0)
            except RecursionError:
                self._is_deep = True
            except json.JSONDecodeError:
                if sign in _OPENING:
                    break
                if sign != '"' or not self._read_on():
                    raise
            else:
                self._at = end
                return value
        self._at += 1
        return _Opened([] if sign == "{" else None)

    def _looked_at(self, value: object, end: int, depth: int) -> object:
        del depth
        return _whole_characters(value) if _HALF_ESCAPE.search(self._part, self._at, end) else value


@dataclass(slots=True)
class _Opened:
    """A list, or an object with the keys of its values, that is read value by value."""

    keys: list[str] | None
    values: list[object] = field(default_factory=list)

    def made(self) -> object:
        return (
            self.values if self.keys is None else _every_pair(list(zip(self.keys, self.values, strict=True)))
        )


def _whole_characters(value: object) -> object:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [_whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return value


def _real_or_none(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _whole_or_none(digits: str) -> int | None:
    try:
        return int(digits)
    except ValueError:  # more digits than Python takes
        return None


def _no_number(_name: str) -> None:
    return None


def _every_pair(items: list[tuple[str, object]]) -> dict[str, object]:
    """An object; what has the key of another value gets one of its own."""
    value = {intern(key): item for key, item in items}  # each item has the same keys again
    return value if len(value) == len(items) else with_own_ids(items)[0]


_LENIENT = json.JSONDecoder(
    object_pairs_hook=_every_pair,
    parse_float=_real_or_none,
    parse_int=_whole_or_none,
    parse_constant=_no_number,
    strict=False,
)


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
