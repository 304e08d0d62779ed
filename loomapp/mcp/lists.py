"""Lists that stay short: the fields that were asked for, texts cut, and of many results a preview."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from loomapp.core.json_values import Json
from loomapp.mcp.arguments import Arguments, Parameter
from loomapp.mcp.environment import Environment
from loomapp.mcp.errors import ToolError

Reply: TypeAlias = "Json | list[Json] | str"  # an object, a list, or a text that is told as it is
T = TypeVar("T")

CUT = "..."
TEXTS = {"title", "text", "summary", "reasoning", "excerpt", "line", "result"}  # keys whose values are cut
OPTIONS = (
    Parameter("brief", "only id, title and author", "boolean"),
    Parameter("fields", "only these fields, in this order", "array"),
    Parameter("max_text_length", "cut longer texts; 0: never", "integer", default=0, least=0),
    Parameter("compact", "shorten a long list to a preview", "boolean", default=True),
)


@dataclass(frozen=True, slots=True)
class Form:
    """The form in which items of a list are told: brief fields, usual ones, and all there are."""

    items: str  # in the plural, as a hint calls them
    id_name: str
    brief: tuple[str, ...]
    usual: tuple[str, ...]
    valid: tuple[str, ...]


def listed(
    found: Sequence[T],
    total: int,
    form: Form,
    row: Callable[[T, Sequence[str]], Json],
    arguments: Arguments,
    environment: Environment,
) -> Reply:
    """Tell what was found, `total` in all. More than the threshold is a preview unless that is not wanted.

    Raises: ToolError for fields that there are not.
    """
    fields = _fields(form, arguments)
    is_compacted = arguments.flag("compact") and len(found) > environment.threshold
    shown = found[: environment.preview] if is_compacted else found
    most = arguments.number("max_text_length")
    rows = [_cut(row(item, fields), most) for item in shown]
    if not is_compacted:
        return rows
    return {
        "compacted": True,
        "total_count": total,
        "preview": rows,
        "preview_count": len(rows),
        "hint": f"Showing {len(rows)} of {total} {form.items}. Use show({form.id_name}) for full details "
        "or add filters to narrow results.",
    }


def _fields(form: Form, arguments: Arguments) -> Sequence[str]:
    if arguments.flag("brief"):
        return form.brief
    asked = tuple(dict.fromkeys(arguments.texts("fields")))
    unknown = sorted(set(asked) - set(form.valid))
    if unknown:
        raise ToolError(f"Invalid field(s): {unknown}. Valid fields: {sorted(set(form.valid))}")
    return asked or form.usual


def _cut(row: Json, most: int) -> Json:
    """The row with long texts cut; 0 cuts none."""
    return {name: _cut_value(name, value, most) for name, value in row.items()} if most else row


def _cut_value(name: str, value: object, most: int) -> object:
    match value:
        case str() if name in TEXTS and len(value) > most:
            return value[:most] + CUT
        case dict():
            return {key: _cut_value(key, inner, most) for key, inner in value.items()}
        case list():
            return [_cut_value(name, inner, most) for inner in value]
    return value
