"""Results of commands: what a command came to, the errors it can end with, and how both are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.model.change import Change
from loomapp.core.text.token_counts import estimate

ErrorCode: TypeAlias = Literal[
    "NOT_FOUND",
    "PERMISSION_DENIED",
    "INVALID_SYNTAX",
    "LIMIT_EXCEEDED",
    "CROSS_TREE",
    "CONFLICT",
    "MODEL_ERROR",
]
MOST_TOKENS = 1_000  # of one result; more is shortened
SHOWN_ITEMS = 5
NOTICE_CHARS = 200  # of a shortened text that tell how much is left out, and of whom it is


class CommandError(Exception):
    """A command that is not carried out. `hint` says how it would be; a question where it is not clear what
    is meant.
    """

    def __init__(self, code: ErrorCode, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message, self.hint = message, hint

    @property
    def text(self) -> str:
        said = f"✗ {self.code}: {self.message}"
        return f"{said}\n  hint: {self.hint}" if self.hint else said


@dataclass(frozen=True, slots=True)
class Viewed:
    """Something was looked at. `node_ids` are the nodes that are told of."""

    text: str
    node_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """Something is to be changed; None where it is so already. `at` is where the agent stands then, if it is
    elsewhere.
    """

    change: Change | None
    text: str
    node_ids: tuple[str, ...] = ()
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Switched:
    """The agent stands elsewhere."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class AskModel:
    """Continuations are to be asked for."""

    at: str
    count: int = 1
    tokens: int | None = None
    agent_id: str | None = None


Outcome: TypeAlias = Viewed | Edited | Switched | AskModel


def shortened_text(text: str, hint: str, *, share: int = 1) -> str:
    """A text as a result: both ends of a long one, and how to see all. `share` texts make one result."""
    if estimate(text) <= MOST_TOKENS // share:
        return text
    end_chars = (4 * MOST_TOKENS // share - NOTICE_CHARS) // 2
    left_out = len(text) - 2 * end_chars
    return (
        f"{text[:end_chars]}\n[... {left_out} characters left out; {hint} shows all ...]\n{text[-end_chars:]}"
    )


def shortened_list(items: Sequence[str], hint: str) -> str:
    """A list as a result, a line an item: of a long one the first few, and how many there are."""
    text = "\n".join(items)
    if estimate(text) <= MOST_TOKENS:
        return text
    few = [
        item if estimate(item) <= MOST_TOKENS // SHOWN_ITEMS else _cut(item) for item in items[:SHOWN_ITEMS]
    ]
    return "\n".join((*few, f"... {len(items)} in all; {hint} shows all"))


def _cut(item: str) -> str:
    return item[: 4 * (MOST_TOKENS // SHOWN_ITEMS) - 4] + "…"
