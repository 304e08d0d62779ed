"""Results of commands: what a command came to, the errors it can end with, and how both are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.model.change import Change
from loomapp.core.text.token_estimates import estimate

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
END_CHARS = 1_900  # of a long text, at either end: with the words between them no more than MOST_TOKENS


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
        """The error as it is told."""
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


def shortened_text(text: str, hint: str) -> str:
    """A text as a result: both ends of a long one, and how to see all of it."""
    if estimate(text) <= MOST_TOKENS:
        return text
    left_out = len(text) - 2 * END_CHARS
    return (
        f"{text[:END_CHARS]}\n[... {left_out} characters left out; {hint} shows all ...]\n{text[-END_CHARS:]}"
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
