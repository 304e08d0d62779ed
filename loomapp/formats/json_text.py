"""JSON text read strictly: every fault is one line that names its place, and nothing is guessed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

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
