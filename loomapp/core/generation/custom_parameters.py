"""Custom parameters as a person writes them: a JSON object, and stop sequences a line each."""

from __future__ import annotations

import json
from collections.abc import Mapping

OWN = frozenset({"model", "messages", "input", "prompt", "system", "stream", "n", "store"})
"""What Loomapp sends itself: a parameter of that name would send something else than what is shown."""


def parsed_parameters(text: str) -> dict[str, object]:
    """The parameters; none for a blank text. Raises: ValueError that names the line and what is wrong there.

    Numbers that JSON has no word for, and a name that is there twice, are refused rather than guessed.
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"Line {error.lineno}: {_plain(error.msg)}") from None
    except _Refused as error:
        raise ValueError(f"Line {_line_of(text, error.word, error.time)}: {error}") from None
    if not isinstance(value, dict):
        raise ValueError('Line 1: parameters are an object, such as {"top_k": 40}')
    for name in value:
        if name in OWN:
            line = _line_of(text, json.dumps(name, ensure_ascii=False))
            raise ValueError(f"Line {line}: {name} is what Loomapp sends itself")
    return value


def written_parameters(parameters: Mapping[str, object]) -> str:
    """The parameters as a person reads them; nothing for none."""
    return json.dumps(dict(parameters), indent=2, ensure_ascii=False) if parameters else ""


def parsed_stops(text: str) -> tuple[str, ...]:
    """Stop sequences, a line each; `\\n`, `\\t` and `\\\\` stand for a line break, a tab and a backslash."""
    return tuple(_unescaped(line) for line in text.split("\n") if line)


def written_stops(stops: tuple[str, ...]) -> str:
    return "\n".join(stop.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t") for stop in stops)


def _unescaped(line: str) -> str:
    parts = line.split("\\\\")
    return "\\".join(part.replace("\\n", "\n").replace("\\t", "\t") for part in parts)


class _Refused(ValueError):
    """JSON would let it pass. `word` as it is written, and which time it is there."""

    def __init__(self, message: str, word: str, time: int) -> None:
        super().__init__(message)
        self.word, self.time = word, time


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, value in pairs:
        if name in result:
            raise _Refused(f"{name} is there twice", json.dumps(name, ensure_ascii=False), 2)
        result[name] = value
    return result


def _no_constant(word: str) -> object:
    raise _Refused(f"{word} is no number in JSON", word, 1)


def _line_of(text: str, word: str, time: int = 1) -> int:
    place = -1
    for _ in range(time):
        place = text.find(word, place + 1)
    return text.count("\n", 0, max(0, place)) + 1


def _plain(message: str) -> str:
    return message[:1].lower() + message[1:]
