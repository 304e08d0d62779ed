"""Errors a person can act on: what happened, and the next step.

LoomError
├── InvalidInput        a file or argument is not what it should be; names the place
├── AssemblyError       a context cannot be assembled; carries a code and numbers
├── OverLimit           what is left of a context is still too much; the user may send it anyway
├── StaleChange         a change no longer fits the tree it was made for
├── GroveError          the grove file cannot be opened or written
├── BlankSummary        a model was asked for a summary and gave none
├── ModelMissing        no local model, and none can be fetched
└── ProviderError       a model did not answer (loomapp.core.generation.provider)

Everything else that is raised is a bug.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self


class LoomError(Exception):
    """Error that the user can act on. `code` is stable, `details` are JSON values for `--json`."""

    code = "error"

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, object] = details

    def reworded(self, message: str) -> Self:
        other = type(self).__new__(type(self), message)
        other.__dict__.update(self.__dict__, message=message)
        return other


class InvalidInput(LoomError):
    """Input that is not what it should be; the message names the place: `nodes[3].authorType: …`."""

    code = "invalidInput"


class AssemblyError(LoomError):
    """A context that cannot be assembled; `code` is one of spec'd codes such as `EMPTY_CONTEXT`."""

    def __init__(self, code: str, message: str, **details: object) -> None:
        super().__init__(message, **details)
        self.code = code


class OverLimit(LoomError):
    """The newest message alone is more than fits; sending it is the user's to decide."""

    code = "overLimit"


class LargeAsk(LoomError):
    """Request of more tokens than the user wants to spend unasked; sending them is the user's to decide."""

    code = "largeAsk"


class StaleChange(LoomError):
    """A change whose *before* no longer matches the tree; it is refused, never forced."""

    code = "staleChange"


class GroveError(LoomError):
    """The grove cannot be opened, read or written; `code` tells which: notAGrove, newerSchema, readOnly, …"""

    def __init__(self, code: str, message: str, **details: object) -> None:
        super().__init__(message, **details)
        self.code = code


class BlankSummary(LoomError):
    """Answer of a model that was asked for a summary and wrote none."""

    code = "blankSummary"


class ModelMissing(LoomError):
    """Error for a local model that is not on this computer and could not be fetched."""

    code = "modelMissing"


LONGEST_SAID = 240  # characters of a server's sentence; a whole page in place of one helps nobody


def server_words(error: LoomError) -> str:
    """Return what a server said when it refused a request: `400 · “n is out of range” · req_17`; empty where
    none said anything.
    """
    status, request_id = (error.details.get(name) for name in ("status", "requestId"))
    told = error.details.get("said") or error.details.get("excerpt") or ""
    said = " ".join(str(told)[: 2 * LONGEST_SAID].split())
    said = said if len(said) <= LONGEST_SAID else f"{said[:LONGEST_SAID]}…"
    parts = (status, f"“{said}”" if said else "", request_id)
    return " · ".join(str(part) for part in parts if part)
