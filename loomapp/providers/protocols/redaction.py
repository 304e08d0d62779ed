"""Concealing: secrets found in whatever spelling a server sends them back, and taken out."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator

HIDDEN = "[hidden]"
SPELLS = ("\\", "%", "&#")  # what JSON, addresses and HTML spell a character with
LONGEST_SPELLING = 12  # characters for one
HALF_SPELT = re.compile(r"\\{1,7}(?:u[0-9a-fA-F]{0,3})?|%[0-9a-fA-F]?|&(?:#(?:[xX]?[0-9a-fA-F]{0,7})?)?")


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text with a word in place of each secret."""
    is_spelt = any(mark in text for mark in SPELLS)
    for secret in filter(None, secrets):
        text = _pattern(secret).sub(HIDDEN, text) if is_spelt else text.replace(secret, HIDDEN)
    return text


def overwrite(data: bytes, secrets: Iterable[str]) -> bytes:
    """The bytes with as many asterisks in place of each secret, so that offsets stay."""
    is_spelt = any(mark.encode() in data for mark in SPELLS)
    for secret in filter(None, secrets):
        if is_spelt:
            data = _bytes_pattern(secret).sub(lambda found: b"*" * len(found[0]), data)
        else:
            data = data.replace(secret.encode(), b"*" * len(secret.encode()))
    return data


def found_in(text: str, secrets: Iterable[str]) -> list[tuple[int, int]]:
    """Return where secrets stand in a text, from which character to before which."""
    is_spelt = any(mark in text for mark in SPELLS)
    found: list[tuple[int, int]] = []
    for secret in filter(None, secrets):
        if is_spelt or secret in text:
            found += (one.span() for one in _pattern(secret).finditer(text))
    return found


def begun_at(text: str, secrets: Iterable[str]) -> int:
    """Return where the end of a text begins that may be the beginning of a secret; its length if none may."""
    return min((start for start, _ in _begun(text, secrets)), default=len(text))


def unfinished_at(text: str, secrets: Iterable[str]) -> int:
    """Return where a secret begins that has come by half at least: what is missing could be guessed."""
    return min((start for start, is_half in _begun(text, secrets) if is_half), default=len(text))


def _begun(text: str, secrets: Iterable[str]) -> Iterator[tuple[int, bool]]:
    """Ends of a text that may be beginnings of secrets, and whether half of one is there."""
    for secret in filter(None, secrets):
        for first in _first(secret).finditer(text, max(0, len(text) - LONGEST_SPELLING * len(secret))):
            count = _spelt(text, first.start(), secret)
            if count:
                yield first.start(), 2 * count >= len(secret)


def _spelt(text: str, start: int, secret: str) -> int:
    """Return how many characters of a secret a text ends with from a place on, the last perhaps spelt by
    half; 0 if it says something else.
    """
    for count, character in enumerate(secret):
        if start == len(text):
            return count
        found = _character(character).match(text, start)
        if found is None:
            return count + 1 if HALF_SPELT.fullmatch(text, start) else 0
        start = found.end()
    return 0


@functools.cache
def _first(secret: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(secret[0])}{re.escape(''.join(mark[0] for mark in SPELLS))}]")


@functools.cache
def _character(character: str) -> re.Pattern[str]:
    return re.compile(_spellings(character))


@functools.cache
def _pattern(secret: str) -> re.Pattern[str]:
    return re.compile("".join(map(_spellings, secret)))


@functools.cache
def _bytes_pattern(secret: str) -> re.Pattern[bytes]:
    return re.compile("".join(map(_spellings, secret)).encode())


def _spellings(character: str) -> str:
    """A character as itself, or as JSON (also within JSON), an address or HTML may spell it.

    Each begins with one certain character, and nothing in it repeats without end, so that what is no secret
    is passed over quickly, whatever it was made for.
    """
    code = ord(character)
    if code > 0xFF:
        return re.escape(character)
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
    ways = (
        re.escape(character),
        rf"\\\\{{0,6}}u00{digits}",
        rf"\\\\{{0,6}}{re.escape(character)}",
        f"%{digits}",
        f"&#0{{0,4}}{code};",
        f"&#[xX]0{{0,4}}{digits};",
    )
    return f"(?:{'|'.join(ways)})"
