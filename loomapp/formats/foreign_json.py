"""JSON of other programs: whole values however deep, lines, and samples to recognise a file by."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from io import BytesIO
from typing import NamedTuple, TypeAlias

from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import Sentence, worded
from loomapp.files import MOST_TREE_BYTES
from loomapp.formats.json_text import Readable
from loomapp.formats.lenient_json import read_value, read_whole
from loomapp.formats.sources import Source

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LINE_BYTES = 1 << 20  # that are read at once
MOST_LINE_BYTES = 1 << 28
Container: TypeAlias = "dict[str, object] | list[object]"


def read_object(source: Source, name: str) -> dict[str, object]:
    """The one object of a member, nested as deep as it likes.

    Raises: OSError; InvalidInput, one line, where the text is no JSON or no object.
    """
    if source.member_size(name) > MOST_TREE_BYTES:
        most = MOST_TREE_BYTES >> 20
        raise InvalidInput(worded("“{name}” is larger than {most} MiB", name=name, most=most), place=name)
    with source.open(name) as file:
        value = read_whole(file)
    if not isinstance(value, dict):
        raise InvalidInput("it is no object of JSON")
    return value


class JsonLine(NamedTuple):
    """A line of JSON Lines, from 1: its value, or why it has none. `end` is how many bytes were read."""

    number: int
    end: int
    value: object
    fault: Sentence | None = None


def read_lines(file: Readable) -> Iterator[JsonLine]:
    """The values of JSON Lines, one a line; blank lines are passed over. Raises: InvalidInput, OSError."""
    done = 0
    for number, data in enumerate(byte_lines(file), 1):
        done += len(data)
        text = data.removeprefix(BYTE_ORDER_MARK).strip() if number == 1 else data.strip()
        if not text:
            continue
        try:
            value = _read_line(text)
        except InvalidInput as error:
            yield JsonLine(
                number, done, None, worded("line {number}: {why}", number=number, why=error.message)
            )
            continue
        yield JsonLine(number, done, value)


def byte_lines(file: Readable) -> Iterator[bytes]:
    """Yield the lines of a file with their ends. Raises: InvalidInput for one that is too long, OSError."""
    left: list[bytes] = []
    size = 0
    while data := file.read(LINE_BYTES):
        *whole, last = data.split(b"\n")
        for line in whole:
            yield b"".join([*left, line, b"\n"])
            left, size = [], 0
        left.append(last)
        size += len(last)
        if size > MOST_LINE_BYTES:
            raise InvalidInput(worded("it has a line of more than {most} MiB", most=MOST_LINE_BYTES >> 20))
    if size:
        yield b"".join(left)


def _read_line(text: bytes) -> object:
    try:
        return read_value(text)
    except RecursionError:  # nested deeper than Python's reader goes
        return read_whole(BytesIO(text))


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        number = float(value)
        return number if math.isfinite(number) else None
    return value


class _Unmarked:
    """A file without the byte order mark that it may begin with."""

    def __init__(self, file: Readable) -> None:
        self._file, self._is_first = file, True

    def read(self, size: int, /) -> bytes:
        data = self._file.read(size)
        if self._is_first and size:
            self._is_first = False
            return data.removeprefix(BYTE_ORDER_MARK) or self._file.read(size)
        return data


MOST_SAMPLES = 400
MOST_SAMPLE_BYTES = 1 << 24
MOST_SAMPLE_DEPTH = 5
MOST_SAMPLE_ITEMS = 12  # of each object and list below the first level
LONGEST_SAMPLE_TEXT = 200


def samples(source: Source, name: str) -> tuple[object, ...]:
    """The first values of a member, cut short: the items of a list, the object, or the lines of JSON Lines.

    By these a format is recognised, also in a file that is cut off. Raises: OSError, InvalidInput.
    """
    head = source.head(name)
    text = head.text.removeprefix(BYTE_ORDER_MARK).lstrip()
    is_list = text.startswith(b"[")
    if is_list and head.items:
        return tuple(head.items)
    if not (is_list or text.startswith(b"{")):
        return ()
    found = source.remembered(f"samples of {name}", lambda: _read_samples(source, name))
    if not is_list:
        return found
    begun = found[0] if found else None  # its first item is a long one
    return tuple(begun) if isinstance(begun, list) else ()


def _read_samples(source: Source, name: str) -> tuple[object, ...]:
    import ijson

    with source.open(name) as file:
        sampler = _Sampler()
        try:
            for event, value in ijson.basic_parse(_Short(_Unmarked(file)), multiple_values=True):
                if sampler.below:
                    sampler.below += _LEVELS.get(event, 0)
                    continue
                sampler.take(event, value)
                if len(sampler.found) > MOST_SAMPLES:
                    break
        except (ijson.JSONError, UnicodeDecodeError, ValueError):
            sampler.begin_of_long(source.head(name).text)  # whoever reads it on will name the place
    return tuple(sampler.found)


_LEVELS = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}


class _Short:
    """The first bytes of a file, as a file."""

    def __init__(self, file: Readable) -> None:
        self._file, self._left = file, MOST_SAMPLE_BYTES

    def read(self, size: int, /) -> bytes:
        data = self._file.read(min(size, self._left))
        self._left -= len(data)
        return data


class _Sampler:
    """Makes values of events, without what lies too deep or too far behind. `found` grows at once.

    While `below` is more than 0, so many levels of what is passed over are open: nearly all events of a large
    file are of such, and not for `take`.
    """

    def __init__(self) -> None:
        self.found: list[object] = []
        self._stack: list[Container] = [self.found]
        self._keys: list[str] = []
        self.below = 0

    def take(self, event: str, value: object) -> None:
        match event:
            case "map_key":
                self._keys.append(str(value))
            case "end_map" | "end_array":
                self._stack.pop()
            case "start_map" | "start_array":
                self._begin({} if event == "start_map" else [])
            case _:
                self._put(value[:LONGEST_SAMPLE_TEXT] if isinstance(value, str) else _plain(value))

    def begin_of_long(self, head: bytes) -> None:
        """Put the beginning of the text in which a file is cut short, if that is the first object's own."""
        if len(self._stack) != 2 or len(self._keys) != 1 or self.below:
            return
        key = re.escape(json.dumps(self._keys[0]).encode())
        begun = re.search(key + rb'\s*:\s*"((?:[^"\\]|\\[^u]){1,%d})' % LONGEST_SAMPLE_TEXT, head)
        if begun is not None:
            with suppress(ValueError):
                self.take("string", json.loads(b'"' + begun[1] + b'"', strict=False))

    def _begin(self, made: Container) -> None:
        if len(self._stack) > MOST_SAMPLE_DEPTH:
            self._put(made)
            self.below = 1
        elif self._put(made):
            self._stack.append(made)
        else:
            self.below = 1

    def _put(self, value: object) -> bool:
        container = self._stack[-1]
        has_room = len(self._stack) <= 2 or len(container) < MOST_SAMPLE_ITEMS
        if isinstance(container, dict):
            key = self._keys.pop()
            if has_room:
                container[key] = value
        elif has_room:
            container.append(value)
        return has_room


def is_lines(source: Source, name: str) -> bool:
    """Tell whether a member begins with an object that ends on its first line."""
    first, newline, _ = source.head(name).text.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")
    if not newline:
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False
