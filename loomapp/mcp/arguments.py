"""Arguments of tools as JSON Schema, checked before a call, and errors that a client's model acts on."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.json_values import Json

LONGEST = 60  # characters of what an error repeats

log = logging.getLogger(__name__)


class ToolError(LoomError):
    """A call that cannot be carried out as it was made."""

    code = "toolError"


def shown(value: object) -> str:
    """A value as an error repeats it, at most a short line of it."""
    text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}..."


def quoted(name: str) -> str:
    """A name in quotes, as messages have it; of a long one the beginning."""
    return f'"{short(name)}"'


def in_one_line(text: str) -> str:
    """A message without line breaks, and without what no JSON can carry."""
    return sound(" ".join(text.split()))


def in_sentences(said: Iterable[str]) -> str:
    """Messages one after the other, each as a sentence but for the last one's full stop."""
    return ". ".join(f"{one[:1].upper()}{one[1:]}".rstrip(".") for one in said)


@contextmanager
def told_with_errors() -> Iterator[list[str]]:
    """Messages about what goes on in the block; they go to the log, and are told with an error of it."""
    told: list[str] = []
    try:
        yield told
    except LoomError as error:
        sentences = in_sentences([error.message, *told])
        if isinstance(error, GroveError):  # the file is opened anew after one
            raise GroveError(error.code, sentences, **error.details) from error
        raise ToolError(sentences) from error
    finally:
        for message in told:
            log.info("%s", message)


def sound(text: str) -> str:
    """A text that can be sent: lone surrogates, which UTF-8 has not, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


Kind: TypeAlias = Literal["string", "integer", "boolean", "array", "object"]
NAMES: Mapping[Kind, str] = {
    "string": "a string",
    "integer": "an integer",
    "boolean": "true or false",
    "array": "a list of strings",
    "object": "an object",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument that a tool takes. Without a default and not required it may be left out."""

    name: str
    text: str
    kind: Kind = "string"
    required: bool = False
    default: str | int | bool | None = None
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def schema(self) -> Json:
        """It as a JSON Schema; its name and whether it is required stand beside it."""
        made: Json = {"type": self.kind, "description": self.text}
        if self.kind == "array":
            made["items"] = {"type": "string"}
        if self.choices:
            made["enum"] = list(self.choices)
        for key, value in (("default", self.default), ("minimum", self.least), ("maximum", self.most)):
            if value is not None:
                made[key] = value
        return made


def input_schema(parameters: Sequence[Parameter]) -> Json:
    required = [one.name for one in parameters if one.required]
    return {
        "type": "object",
        "properties": {one.name: one.schema() for one in parameters},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


class Arguments:
    """The arguments of one call, each of its kind; what was left out has its default, else None."""

    def __init__(self, parameters: Sequence[Parameter], given: Mapping[str, object]) -> None:
        """Raises: ToolError, naming the argument that is missing, unknown or of another kind."""
        known = {one.name: one for one in parameters}
        for name in given:
            if name not in known:
                valid = f"Valid arguments: {sorted(known)}" if known else "It takes none"
                raise ToolError(f"Unknown argument {shown(name)}. {valid}")
        self._values = {name: _checked(one, given.get(name)) for name, one in known.items()}

    def text(self, name: str) -> str:
        value = self._values[name]
        assert isinstance(value, str), name
        return value

    def optional_text(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int:
        value = self._values[name]
        assert isinstance(value, int), name
        return value

    def flag(self, name: str) -> bool:
        """A boolean; one that was left out is false."""
        return self._values.get(name) is True

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings, empty if it was left out."""
        value = self._values.get(name)
        return tuple(map(str, value)) if isinstance(value, list) else ()

    def mapping(self, name: str) -> Mapping[str, object]:
        """An object, empty if it was left out."""
        value = self._values.get(name)
        return value if isinstance(value, dict) else {}


def _checked(parameter: Parameter, value: object) -> object:
    name = parameter.name
    if value is None:
        if parameter.required:
            raise ToolError(f"Missing argument {name!r}")
        return parameter.default
    if isinstance(value, float) and parameter.kind == "integer" and value.is_integer():
        value = int(value)
    if not _is_of(parameter.kind, value):
        raise ToolError(f"{name!r} must be {NAMES[parameter.kind]} (is {shown(value)})")
    if parameter.choices and value not in parameter.choices:
        raise ToolError(f"{name!r} must be one of {list(parameter.choices)} (is {shown(value)})")
    if isinstance(value, str):
        _check_text(name, value)
    if parameter.kind == "integer" and isinstance(value, int):
        if parameter.least is not None and value < parameter.least:
            raise ToolError(f"{name!r} must be >= {parameter.least} (is {shown(value)})")
        if parameter.most is not None and value > parameter.most:
            raise ToolError(f"{name!r} must be <= {parameter.most} (is {shown(value)})")
    return value


def _is_of(kind: Kind, value: object) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        case "object":
            return isinstance(value, dict)


def _check_text(name: str, value: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ToolError(f"{name!r} is not sound Unicode text") from None
