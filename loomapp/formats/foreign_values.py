"""Values of other programs' files, read leniently: texts, times, objects, and what is kept of the rest."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache

from loomapp.core.json_values import Json
from loomapp.core.model.content import well_formed
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.core.times import EPOCH, Milliseconds, parse_time
from loomapp.formats.json_text import MAX_DEPTH, MAX_DIGITS

LAST_MOMENT_MS = 253_402_300_799_000  # the calendar ends with the year 9999
FIRST_IN_MS = 100_000_000_000  # a larger number of seconds would lie past the year 5000
NOTHING: tuple[object, ...] = (None, "", [], {})
MOST_KEPT_DEPTH = MAX_DEPTH - 20  # levels of a value among the keys of a node, so that Loom JSON holds it
TOO_DEEP = "(nested too deep to be kept)"
MOST_TITLE = 500
RENAMED = (
    "1 message had the id of another one and got its own",
    "{count} messages had the id of another one and got their own",
)
_PARTS = json.JSONEncoder(default=str)
_CONTROL = re.compile(r"[\0-\x1f\x7f-\x9f]")
_BEGINS_JSON = frozenset('{["-0123456789tfn')
_LARGEST = 10**MAX_DIGITS
_SECRET = re.compile(r"(?i)(api_?key|[_-]key|secret|password|bearer|access_?token|auth_?token)$")
_KEY = re.compile(r"(?i)[_-]key$")
_COPY = re.compile(r"-\d+$")  # of a key that is there several times
_OF_ACCESS = re.compile(r"\S{8,}")  # a key of access; that of a keyboard, as in `toggle_key`, is shorter


def text_of(value: object, other: str = "") -> str:
    """A text, or the other one for what is none."""
    return value if isinstance(value, str) and value else other


def object_of(value: object) -> Json:
    """A JSON object; empty for what is none."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[object]:
    """A JSON list; empty for what is none."""
    return value if isinstance(value, list) else []


def objects_in(value: object) -> Iterator[Json]:
    """Yield the objects of a list, passing over what else stands there."""
    return (item for item in list_of(value) if isinstance(item, dict))


def id_of(value: object) -> str:
    """An id that is a text or a whole number; empty for what is none."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return str(value)
    return value if isinstance(value, str) else ""


def title_of(value: object) -> str:
    if not isinstance(value, str):
        return ""
    return " ".join(_CONTROL.sub(" ", well_formed(value[:MOST_TITLE])).split())


def parsed(value: object) -> object:
    """The value of a text of JSON, which may hold such a text again; what is none stays as it is."""
    for _ in range(2):
        if not isinstance(value, str) or value.lstrip()[:1] not in _BEGINS_JSON:
            return value
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def made_id(prefix: str, *parts: object) -> str:
    try:
        text = _PARTS.encode(parts)
    except RecursionError:  # nobody's id or time is nested so deep
        text = _PARTS.encode([None if isinstance(part, dict | list) else part for part in parts])
    return f"{prefix}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def kept(value: Mapping[str, object], placed: Iterable[str] = ()) -> Json:
    """The keys that have no other place and say something, such that Loom JSON can hold them.

    Keys of access that a program wrote into its file are left out.
    """
    passed = placed if isinstance(placed, frozenset) else frozenset(placed)
    found: Json = {}
    for name, item in value.items():
        if name in passed:
            continue
        if isinstance(item, str):
            if item and not is_secret(name, item):
                found[_key(name)] = well_formed(item) if len(item) > _SHORT else _key(item)
        elif item not in NOTHING:
            found[_key(name)] = _sound(item)
    return found


def is_secret(name: str, value: object) -> bool:
    """Tell by its name whether a value is somebody's key or password."""
    if not isinstance(value, str) or (secret := _secret_named(name)) is None:
        return False
    return secret or _OF_ACCESS.fullmatch(value.strip()) is not None


@lru_cache(4096)  # a file has few names, each of them many times
def _secret_named(name: str) -> bool | None:
    """True for the name of a secret, None for any other; False where the value has to tell."""
    name = _COPY.sub("", name)
    if _SECRET.search(name) is None:
        return None
    return _KEY.search(name) is None or name.lower().endswith("api_key")


_SHORT = 64  # characters of a text that many messages may have


@lru_cache(4096)  # so that the same name is one text in memory, however many values have it
def _key(name: str) -> str:
    return well_formed(name)


class _TooDeep(Exception):
    """A value is nested deeper than Loom JSON could hold it."""


def _sound(value: object) -> object:
    try:
        return _rewritten(value, MOST_KEPT_DEPTH)
    except _TooDeep:
        return TOO_DEEP


def _rewritten(value: object, depth: int) -> object:
    """The value, with at most so many levels below it."""
    match value:
        case str():
            return well_formed(value) if len(value) > _SHORT else _key(value)
        case bool() | None:
            return value
        case int():
            return value if abs(value) < _LARGEST else TOO_DEEP
        case float():
            return value if math.isfinite(value) else None
        case list() | dict() if depth < 0:
            raise _TooDeep
        case list():
            return [_rewritten(item, depth - 1) for item in value]
        case dict():
            return {
                _key(str(name)): _rewritten(item, depth - 1)
                for name, item in value.items()
                if not is_secret(str(name), item)
            }
        case _:
            return str(value)


# Times

_FORMS = (
    # September 28, 2024 10:11am
    (re.compile(r"([A-Za-z]+) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2})\s?([ap]m)?", re.IGNORECASE), "month"),
    # 2024-9-28@10h11m12s, 2023-4-21 @20h 02m 47s 124ms
    (
        re.compile(
            r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s?\s*(?:(\d{1,3})ms)?"
        ),
        "numbers",
    ),
    # 2021-09-15-14.02.11
    (re.compile(r"(\d{4})-(\d{2})-(\d{2})-(\d{2})\.(\d{2})\.(\d{2})"), "numbers"),
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def moment(value: object) -> Milliseconds | None:
    """Milliseconds of a time in any form that the programs write; None for what is none.

    Without a zone it is UTC.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _of_number(value)
    if not isinstance(value, str) or not value or len(value) > 80:
        return None
    text = value.strip()
    if text.isdecimal() and len(text) >= 9:
        return _of_number(int(text))
    try:
        return _within(parse_time(text))
    except (ValueError, OverflowError):
        return _of_form(text)


def _of_number(value: float) -> Milliseconds | None:
    if not 0 < value < LAST_MOMENT_MS:  # nor is what is no number
        return None
    return _within(round(value if value >= FIRST_IN_MS else value * 1000))


def _within(at: Milliseconds) -> Milliseconds | None:
    return at if 0 <= at <= LAST_MOMENT_MS else None


def _of_form(text: str) -> Milliseconds | None:
    for form, kind in _FORMS:
        found = form.match(text)
        if found is None:
            continue
        try:
            at = _of_month(found) if kind == "month" else _of_numbers(found)
        except (ValueError, OverflowError):
            return None
        return _within(round((at - EPOCH).total_seconds() * 1000))
    return None


def _of_month(found: re.Match[str]) -> datetime:
    month, day, year, hour, minute, half = found.groups()
    number = _MONTHS.index(month[:3].lower()) + 1
    hours = int(hour)
    if half is not None:
        hours = hours % 12 + (12 if half.lower() == "pm" else 0)
    return datetime(int(year), number, int(day), hours, int(minute), tzinfo=UTC)


def _of_numbers(found: re.Match[str]) -> datetime:
    year, month, day, hour, minute, second, *more = found.groups()
    thousandths = int(more[0]) if more and more[0] else 0
    return datetime(
        int(year), int(month), int(day), int(hour), int(minute), int(second), thousandths * 1000, tzinfo=UTC
    )


def counted(count: int, one: str, several: str) -> Sentence | None:
    """A sentence about how many there are; None for none. `several` has a `{count}`."""
    if not count:
        return None
    return sentence(one) if count == 1 else worded(several, count=count)


def told(*sentences: Sentence | None) -> tuple[Sentence, ...]:
    """Return those that say something."""
    return tuple(one for one in sentences if one is not None)
