"""Concealing: secrets found in whatever spelling a server sends them back, and taken out."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

HIDDEN = "[hidden]"
SPELLS = ("\\", "%", "&#")  # what JSON, addresses and HTML spell a character with


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
