"""One setting as a row: its place in the file, its kind, its words for people, and when it applies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.settings.kinds import Kind
from loomapp.core.settings.values import DEFAULTS, Value

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
