"""Environment of the server: the variables that it heeds, read once as it starts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput

THRESHOLD, PREVIEW = 20, 5  # results; of more than the first only as many as the second are shown
PREFIXES = ("LOOM_MCP_", "BEADS_MCP_")  # of those that set the numbers, the first that is set counts
_WHOLE = re.compile(r"[+-]?[0-9]{1,1000}")  # more are no number to Python
_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Environment:
    """The values that count for one server."""

    threshold: int = THRESHOLD
    preview: int = PREVIEW
    lists_every_tool: bool = False
    is_read_only: bool = False


def read_environment(variables: Mapping[str, str]) -> Environment:
    """Read the variables. Raises: InvalidInput, in one line that names the variable."""
    threshold = _number(variables, "COMPACTION_THRESHOLD")
    preview = _number(variables, "PREVIEW_COUNT")
    most = THRESHOLD if threshold is None else threshold
    if preview is not None and preview > most:
        name = _name(variables, "PREVIEW_COUNT")
        raise InvalidInput(f"{name} must be <= LOOM_MCP_COMPACTION_THRESHOLD (is {preview})")
    return Environment(
        threshold=most,
        preview=min(PREVIEW, most) if preview is None else preview,
        lists_every_tool=_choice(variables, "LOOM_MCP_TOOLS", yes=("full",), no=("", "lazy")),
        is_read_only=_choice(variables, "LOOM_MCP_READ_ONLY", yes=_YES, no=_NO),
    )


def _name(variables: Mapping[str, str], ending: str) -> str:
    names = [prefix + ending for prefix in PREFIXES]
    return next((name for name in names if variables.get(name, "").strip()), names[0])


def _number(variables: Mapping[str, str], ending: str) -> int | None:
    name = _name(variables, ending)
    text = variables.get(name, "").strip()
    if not text:
        return None
    if not _WHOLE.fullmatch(text):
        raise InvalidInput(f"{name} must be >= 1 (is {text!r})")
    if int(text) < 1:
        raise InvalidInput(f"{name} must be >= 1 (is {int(text)})")
    return int(text)


def _choice(variables: Mapping[str, str], name: str, *, yes: tuple[str, ...], no: tuple[str, ...]) -> bool:
    word = variables.get(name, "").strip().lower()
    if word not in (*yes, *no):
        raise InvalidInput(f"{name} must be {yes[0]!r} or {no[1]!r} (is {word!r})")
    return word in yes
