"""JSON text read strictly, every fault named by its place, and files of it item by item."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Collection, Iterator
from typing import IO, Protocol

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import sentence, worded

MAX_DEPTH = 100  # levels; far from where Python's own reader and writer give up
MAX_DIGITS = 300  # of one whole number
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
SURROGATE = re.compile("[\ud800-\udfff]")
PLAIN_KEY = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class _Fault:
    """Stands in a parsed value where something is wrong, until its place is known."""

    message: str


def parse(source: bytes | str) -> object:
    """The value of a JSON text. A byte order mark is skipped.

    Refused, though Python would read them: a key that appears twice in one object (one of the two would be
    lost), NaN and Infinity, numbers no other program could hold, lone surrogates, nesting past MAX_DEPTH.

    Raises: InvalidInput with the line and column, or the place: `nodes[3].content.text: …`.
    """
    text = _decoded(source) if isinstance(source, bytes) else source
    faults: list[_Fault] = []

    def fault(message: str) -> _Fault:
        faults.append(_Fault(message))
        return faults[-1]

    def pairs(items: list[tuple[str, object]]) -> object:
        value = dict(items)
        return value if len(value) == len(items) else fault(f"the key {_twice(items)} appears twice")

    def whole(digits: str) -> object:
        return int(digits) if len(digits) <= MAX_DIGITS else fault("the number has too many digits")

    def real(digits: str) -> object:
        number = float(digits)
        return number if math.isfinite(number) else fault(f"{_short(digits)} is too large a number")

    try:
        value: object = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_int=whole,
            parse_float=real,
            parse_constant=lambda name: fault(f"{name} is not a number in JSON"),
        )
    except json.JSONDecodeError as error:
        raise _syntax(text, error) from None
    except RecursionError:
        raise _too_deep() from None
    check_depth(value)
    if faults or SURROGATE_ESCAPE.search(text) or isinstance(source, str):
        _raise_first_fault(value)
    return value


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = error.start
        raise InvalidInput(
            worded("byte {place} (0x{byte:02x}) is not UTF-8 text", place=at + 1, byte=data[at]), byte=at + 1
        ) from None


def _syntax(text: str, error: json.JSONDecodeError) -> InvalidInput:
    where = {"line": error.lineno, "column": error.colno}
    place = f"line {error.lineno}, column {error.colno}"
    if not text.strip():
        return InvalidInput("the file is empty", **where)
    if error.msg.startswith("Unterminated string"):
        return InvalidInput(
            worded("{place}: a text begins here and never ends; is the file cut off?", place=place), **where
        )
    if error.pos >= len(text.rstrip()):
        return InvalidInput(
            worded("{place}: the file ends in the middle; it seems cut off", place=place), **where
        )
    return InvalidInput(worded("{place}: not JSON: {msg}", place=place, msg=error.msg), **where)


def _too_deep() -> InvalidInput:
    return InvalidInput(
        worded("its values are nested more than {max_depth} levels deep", max_depth=MAX_DEPTH)
    )


def check_depth(value: object, depth: int = MAX_DEPTH) -> None:
    """Raises: InvalidInput if lists and objects are nested deeper."""
    level = [value]
    for _ in range(depth + 1):
        level = [
            item
            for outer in level
            for item in (
                outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ()
            )
            if isinstance(item, dict | list)
        ]
        if not level:
            return
    raise _too_deep()


def _raise_first_fault(value: object) -> None:
    for place, item in _places(value):
        message = None
        if isinstance(item, _Fault):
            message = item.message
        elif isinstance(item, str) and SURROGATE.search(item):
            message = "holds half a character (a lone surrogate)"
        if message is not None:
            raise InvalidInput(
                worded("{place}: {what}", place=place, what=sentence(message)) if place else message,
                place=place,
            )


def holds_half_a_character(value: object) -> bool:
    """Tell whether a text in a value, or a key, holds a lone surrogate."""
    return any(isinstance(item, str) and SURROGATE.search(item) is not None for _, item in _places(value))


def _places(value: object) -> Iterator[tuple[str, object]]:
    """Yield every value and key with its place, in the order of the text."""
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        place, item = stack.pop()
        yield place, item
        if isinstance(item, dict):
            for key in item:
                yield f"{place}: a key" if place else "a key", key
            stack += reversed([(f"{place}{_step(key, place)}", inner) for key, inner in item.items()])
        elif isinstance(item, list):
            stack += reversed([(f"{place}[{i}]", inner) for i, inner in enumerate(item)])


def _step(key: str, place: str) -> str:
    if PLAIN_KEY.fullmatch(key):
        return f".{key}" if place else key
    return f"[{json.dumps(key)}]"


def _twice(items: list[tuple[str, object]]) -> str:
    seen: set[str] = set()
    for key, _ in items:
        if key in seen:
            return json.dumps(key, ensure_ascii=not PLAIN_KEY.fullmatch(key))
        seen.add(key)
    raise AssertionError("called only when a key is there twice")


def _short(digits: str) -> str:
    return digits if len(digits) <= 30 else digits[:29] + "…"


PART = 1 << 20  # bytes that are read at once
_WHITE = " \t\n\r"
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
        sign = self._part[self._at : self._at + 1]
        if sign and sign not in _WHITE:  # nearly always
            return sign
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
