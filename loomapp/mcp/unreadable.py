"""Answers to messages that cannot be read: an error by the message's own id, where it is found."""

from __future__ import annotations

import json
import re

from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from loomapp.mcp.standard_input import MOST_CHARACTERS, ends_of

# Programs write the id before the parameters or last of all: only there is it sure to be the message's own.
_FIRST = re.compile(r'\s*\{[^{}\[\]]*?"id"\s*:\s*(?P<id>\d{1,18}|"[^"\\]{1,200}")\s*[,}]')
_LAST = re.compile(r'[}\]"]\s*,\s*"id"\s*:\s*(?P<id>\d{1,18}|"[^"\\]{1,200}")\s*\}\s*\Z')


def answer_to_unreadable(error: Exception) -> JSONRPCError | None:
    """The answer to a message that the protocol's types refuse; None for a blank line, which asks nothing."""
    if not isinstance(error, ValidationError):
        return _refusal(None, INVALID_REQUEST, "The message cannot be read")
    for one in error.errors(include_url=False, include_context=False):
        match one:
            case {"type": "json_invalid", "input": str(line), "msg": why}:
                if (ends := ends_of(line)) is not None:
                    return _refusal(_id_in(*ends), INVALID_REQUEST, _TOO_LONG)
                return _refusal(_id_in(line, line[-400:]), PARSE_ERROR, why) if line.strip() else None
            case {"input": {"id": int() | str() as number}}:
                return _refusal(number, INVALID_REQUEST, "The message is no request of this protocol")
    return _refusal(None, INVALID_REQUEST, "The message is no request of this protocol")


_TOO_LONG = f"The message is longer than {MOST_CHARACTERS >> 20} million characters; send less at once"


def _id_in(beginning: str, end: str) -> int | str | None:
    found = _FIRST.match(beginning) or _LAST.search(end)
    if found is None:
        return None
    number: int | str = json.loads(found["id"])
    return number


def _refusal(number: int | str | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=message))
