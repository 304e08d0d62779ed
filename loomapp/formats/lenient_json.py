"""JSON of other programs, taken as it is: however deep, in parts, and with ids that several things share."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from sys import intern
from typing import TypeVar

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.model.content import well_formed
from loomapp.core.sentences import Sentence, worded
from loomapp.formats.json_text import JsonPart, NotInOrder, Readable

SHORT = 1 << 16  # characters, of which no number has more
Item = TypeVar("Item")
_OPENING = frozenset("{[")
_CLOSING = frozenset("}]")
# A text in one go, or a bracket.
_SIGN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
# One half of a pair without the other. What is written after a backslash of its own is found in vain.
_HALF_ESCAPE = re.compile(
    r"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|[c-fC-F](?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]))"
)


def read_list(file: Readable, *, is_all: bool = True) -> Iterator[object]:
    """The items of the list that a JSON file of another program holds, one by one; it `is_all` of the file,
    unless other text stands behind it.

    It is read as `json.load` reads it, but that a number no other program could hold is None, and half of a
    character is U+FFFD: one of them is no reason to refuse what somebody wrote in years.

    Raises: InvalidInput, one line that names the item where the text ends or is no JSON, or what follows.
    """
    number, text = 0, _LenientText(file)
    try:
        text.pass_sign("[")
        sign = text.take_sign() if text.next_sign() == "]" else ","
        while sign == ",":
            yield text.value()
            number += 1
            sign = text.take_sign()
        if sign != "]":
            raise NotInOrder
        follows = text.next_sign() if is_all else ""
    except (NotInOrder, ValueError) as error:
        raise InvalidInput(_fault(number, text, error), place=f"[{number}]") from error
    if follows:
        told = "{place}: something follows where the list should end"
        raise InvalidInput(worded(told, place=f"[{number}]"), place=f"[{number}]")


def read_whole(file: Readable) -> object:
    """The one value that a JSON file of another program holds, read as `read_list` reads an item.

    Raises: InvalidInput, one line.
    """
    text = _LenientText(file)
    try:
        value = text.value()
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
        value: object = LENIENT.decode(text)
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


class _LenientText(JsonPart):
    """The text of another program: its values are taken as they are, and put right where they must be.

    A value that is longer than the part in memory, or nested deeper than Python's reader goes, is put
    together from those in it. None is begun twice in vain: files of trees are nested by the hundred.
    """

    def __init__(self, file: Readable) -> None:
        super().__init__(file)
        self._is_deep = False  # so deep that no list or object is read at once any more
        self._passed = 0  # characters that were forgotten
        self._open = set[int]()  # places in the file of brackets that do not close where reading stopped

    def _new_parser(self) -> json.JSONDecoder:
        return LENIENT

    def ends_at(self, error: Exception) -> bool:
        """Tell whether what could not be read is the end of the file."""
        if isinstance(error, json.JSONDecodeError) and self._is_last:
            return _is_cut_off(self._part, error)
        return isinstance(error, NotInOrder) and not self.next_sign()

    def value(self, depth: int = 0) -> object:
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
        while sign not in _OPENING or not (self._is_deep or self._passed + self._at in self._open):
            try:
                value, end = self._parser.raw_decode(self._part, self._at)
                value = self._looked_at(value, end, 0)
            except RecursionError:
                self._is_deep = True
            except json.JSONDecodeError as error:
                if sign in _OPENING:
                    self._note_open(error.pos)
                    break
                if sign != '"' or not self._read_on():
                    raise
            else:
                self._at = end
                return value
        self._open.discard(self._passed + self._at)
        self._at += 1
        return _Opened([] if sign == "{" else None)

    def _note_open(self, end: int) -> None:
        """Note the brackets open where reading stopped: what begins there is not read at once either."""
        opened: list[int] = []
        for found in _SIGN.finditer(self._part, self._at, end):
            if found[0] in _OPENING:
                opened.append(found.start())
            elif found[0] in _CLOSING and opened:
                opened.pop()
        self._open.update(self._passed + place for place in opened)

    def _read_on(self) -> bool:
        self._passed += self._at
        return super()._read_on()

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


def with_own_ids(items: Iterable[tuple[str, Item]]) -> tuple[dict[str, Item], int]:
    """Items by their ids. One that has the id of another gets one of its own, and is counted; the same item
    once more is passed over.
    """
    found: dict[str, Item] = {}
    several: dict[str, _Several] = {}
    renamed = 0
    for key, item in items:
        if key not in found:
            found[key] = item
            continue
        others = several.get(key)
        if others is None:
            others = several[key] = _Several(found[key])
        if not others.has(item):
            found[others.name(key, found)] = item
            renamed += 1
    return found, renamed


class _Several:
    """Items of one id. They are known again by how they print: to compare each with each takes too long."""

    def __init__(self, first: object) -> None:
        self._prints: set[int] = set()
        self._number = 1
        self.has(first)

    def has(self, item: object) -> bool:
        """Tell whether such an item was here before; from now on it was."""
        try:
            printed = hash(repr(item))
        except RecursionError:  # too deep to be compared: kept, rather than lost
            return False
        is_here = printed in self._prints
        self._prints.add(printed)
        return is_here

    def name(self, key: str, taken: dict[str, Item]) -> str:
        """The next id that no item has."""
        while (own := f"{key}-{self._number + 1}") in taken:
            self._number += 1
        return own


LENIENT = json.JSONDecoder(
    object_pairs_hook=_every_pair,
    parse_float=_real_or_none,
    parse_int=_whole_or_none,
    parse_constant=_no_number,
    strict=False,
)
