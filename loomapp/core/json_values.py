"""JSON values: times as text, and objects read field by field, every complaint with its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar, cast

from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import sentence, worded
from loomapp.core.times import Milliseconds, parse_time

Json: TypeAlias = dict[str, object]
LARGEST_NUMBER = 2**53  # every JSON reader holds whole numbers up to it exactly
_NOTHING: Json = {}  # the same for all rows: a dictionary that was emptied keeps its room
T = TypeVar("T")


class JsonReader:
    """A JSON object being read: hands out typed fields, keeps what nobody asked for, knows its place."""

    __slots__ = ("place", "rest")

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise InvalidInput(
                worded("{place}: {shown} is not an object", place=place, shown=_shown(value)), place=place
            )
        self.rest: Json = dict(value)
        self.place = place

    @property
    def unknown(self) -> Json:
        """The fields that nobody asked for, to be kept and not to be changed."""
        return self.rest or _NOTHING

    def place_of(self, name: str) -> str:
        """The place of a field: `nodes[3].authorType`."""
        return f"{self.place}.{name}" if self.place else name

    def wrong(self, name: str, value: object, wanted: str) -> InvalidInput:
        """The error for a field: `nodes[3].authorType: "robot" is neither human nor model`."""
        place = self.place_of(name)
        return InvalidInput(
            worded("{place}: {shown} {wanted}", place=place, shown=_shown(value), wanted=sentence(wanted)),
            place=place,
        )

    def take(self, name: str, default: object = None) -> object:
        """A field's bare value, or the default if it is missing."""
        return self.rest.pop(name, default)

    def text(self, name: str) -> str:
        value = self.rest.get(name)
        if not isinstance(value, str):
            if name in self.rest:
                raise self.wrong(name, value, "is not a text")
            place = self.place_of(name)
            raise InvalidInput(worded("{place}: is missing", place=place), place=place)
        del self.rest[name]
        return value

    def name(self, name: str) -> str:
        """A required string that is not empty."""
        value = self.text(name)
        if not value:
            raise self.wrong(name, value, "is empty")
        return value

    def optional_text(self, name: str) -> str | None:
        value = self.rest.pop(name, None)
        if value is not None and not isinstance(value, str):
            raise self.wrong(name, value, "is neither a text nor null")
        return value

    def integer(self, name: str) -> int | None:
        value = self.take(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise self.wrong(name, value, "is neither a whole number nor null")
        if value is not None and abs(value) > LARGEST_NUMBER:
            raise self.wrong(name, value, "is too large a number")
        return value

    def number(self, name: str) -> float | None:
        value = self.take(name)
        if value is not None and (not isinstance(value, int | float) or isinstance(value, bool)):
            raise self.wrong(name, value, "is neither a number nor null")
        if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            raise self.wrong(name, value, "is too large a number")
        return cast("float | None", value)

    def flag(self, name: str, default: bool) -> bool:
        """A truth value; null and missing give the default."""
        value = self.take(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.wrong(name, value, "is neither true nor false")
        return value

    def one_of(self, name: str, choices: tuple[str, ...], default: str | None = None) -> str:
        value = self.rest.pop(name, None) if default is not None or name in self.rest else self.text(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or value not in choices:
            wanted = (
                f"is neither {choices[0]} nor {choices[1]}"
                if len(choices) == 2
                else "is none of " + ", ".join(choices)
            )
            raise self.wrong(name, value, wanted)
        return choices[choices.index(value)]  # of a large file not each its own text

    def time(self, name: str) -> Milliseconds | None:
        value = self.optional_text(name)
        if value is None:
            return None
        try:
            return parse_time(value)
        except (ValueError, OverflowError) as error:
            raise self.wrong(name, value, "is not an ISO 8601 time") from error

    def items(self, name: str) -> list[object]:
        """A list; null and missing give an empty one."""
        value = self.take(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(name, value, "is not a list")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        values = self.items(name)
        for i, value in enumerate(values):
            if not isinstance(value, str):
                raise self.wrong(f"{name}[{i}]", value, "is not a text")
        return tuple(cast("list[str]", values))

    def mapping(self, name: str) -> Json:
        """An object's bare value; null and missing give an empty one."""
        value = self.take(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.wrong(name, value, "is not an object")
        return value

    def inner(self, name: str) -> JsonReader:
        """A reader of an object in a field; null and missing read as an empty one."""
        place = self.place_of(name)
        value = self.take(name)
        return JsonReader({} if value is None else value, place)

    def each(self, name: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
        """Read each item of a list by `read(value, place)`."""
        place = self.place_of(name)
        return tuple(read(value, f"{place}[{i}]") for i, value in enumerate(self.items(name)))


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)  # of a damaged file it may be bytes
    return text if len(text) <= 60 else text[:57] + "…"


def string_map(value: Mapping[str, object], place: str) -> dict[str, str]:
    """An object whose values are all strings. Raises: InvalidInput with the place."""
    for key, item in value.items():
        if not isinstance(item, str):
            raise InvalidInput(
                worded("{place}.{key}: {shown} is not a text", place=place, key=key, shown=_shown(item)),
                place=f"{place}.{key}",
            )
    return cast("dict[str, str]", dict(value))


def text_at(values: Mapping[str, object], key: str) -> str | None:
    """Return the text under a key; None where there is none, or something else."""
    value = values.get(key)
    return value if isinstance(value, str) else None


def count_at(values: Mapping[str, object], key: str, missing: int) -> int:
    """Return the whole number from 0 under a key, else the number for what is `missing`."""
    value = values.get(key)
    return value if type(value) is int and value >= 0 else missing
