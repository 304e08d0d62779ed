"""One setting as a row, its place, words and effect, and the kinds of values that it can have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.sentences import worded
from loomapp.core.settings.values import DEFAULTS, Value


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words; each with what it is called."""

    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number in a range."""

    lowest: int
    highest: int
    step: int = 1
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Switch:
    """Yes or no, and what each is called."""

    on: str = "On"
    off: str = "Off"


@dataclass(frozen=True, slots=True)
class WindowShare:
    """A share of a model's window, 0.5 for a half."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder by its whole path, or nothing for the usual one."""

    usual: str


@dataclass(frozen=True, slots=True)
class TextSetting:
    """A text that is sent as it stands. `fault` says what is wrong with one; None if nothing is."""

    fault: Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class FreeText:
    """A few words, or none: `usual` says what holds then. A field of several lines shows `example`."""

    usual: str
    lines: int = 1
    example: str = ""


@dataclass(frozen=True, slots=True)
class SummaryPrompt:
    """The prompt of a kind of summaries; none: the usual one."""

    summary_kind: str


Kind: TypeAlias = Choice | Number | Switch | WindowShare | Folder | TextSetting | FreeText | SummaryPrompt


def checked(kind: Kind, value: object) -> Value:
    """Return the value if it is of its kind. Raises: ValueError whose argument says what it must be."""
    match kind:
        case Choice(options) if value not in [name for name, _ in options]:
            names = ", ".join(f'"{name}"' for name, _ in options)
            raise ValueError(worded("must be one of {names}", names=names))
        case Number(lowest, highest) if (
            not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest
        ):
            raise ValueError(
                worded("must be a whole number from {lowest} to {highest}", lowest=lowest, highest=highest)
            )
        case Switch() if not isinstance(value, bool):
            raise ValueError("must be true or false")
        case WindowShare() if (
            not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < float("inf")
        ):
            raise ValueError("must be a number from 0 on")
        case Folder() if not isinstance(value, str) or "\0" in value:
            raise ValueError("must be a folder's path in quotes")
        case TextSetting() | FreeText() | SummaryPrompt() if not isinstance(value, str):
            raise ValueError("must be a text in quotes")
        case TextSetting(fault) if isinstance(value, str) and (wrong := fault(value)) is not None:
            raise ValueError(wrong)
    assert isinstance(value, Value), "checked above"
    return value


Section: TypeAlias = Literal["appearance", "writing", "context", "economy", "backups", "mcp", "keys"]
AT_NEXT_START = "from the next start"
AT_NEXT_CALL = "at their next call"
WHERE_INHERITED = "unless a tree has its own"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row: its place in the file (`section.key`), its field of `values.Settings`, words and values."""

    section: Section
    key: str
    field: str
    kind: Kind
    title: str
    help: str
    applies: str = "at once"

    @property
    def default(self) -> Value:
        """The value until somebody changes it."""
        return DEFAULTS.value(self.field)
