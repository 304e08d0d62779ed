"""Arguments of tools: what each takes, as JSON Schema, and what was given, checked before a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.mcp.errors import ToolError, shown

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
    """All arguments of a tool as one JSON Schema."""
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
        """A string that is there."""
        value = self._values[name]
        assert isinstance(value, str), name
        return value

    def optional_text(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int:
        """A whole number that is there."""
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
