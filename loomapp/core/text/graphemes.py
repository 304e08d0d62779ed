"""Graphemes: what a reader takes for one character, and where none may be cut."""

from __future__ import annotations

import unicodedata

JOINER = "\u200d"
VOWELS_BEHIND = "\u0e33\u0eb3"  # of Thai and Lao: letters by their category, but part of the one before
EXTENDING = frozenset({"Mn", "Me", "Mc"})
FIRST_EXTENDING = "\u0300"  # nothing before it joins another, but CR LF
LONGEST = 64  # code points looked back over: longer heaps of marks are cut somewhere, which is no harm


def is_inside(text: str, place: int) -> bool:
    """True if a cut at a place, in code points, would part what is one character to a reader.

    Marks stay with their letter, modifiers and joiners with their emoji, flags in one piece, syllables of
    Hangul whole, CR with LF. Source: the rules of Unicode annex 29 that texts meet in practice.
    """
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if after < FIRST_EXTENDING and before < FIRST_EXTENDING:
        return before == "\r" and after == "\n"
    if before in "\r\n" or after in "\r\n":
        return False
    if _extends(after) or before == JOINER:
        return True
    if _is_regional(before) and _is_regional(after):
        return _regional_run(text, place) % 2 == 1
    return _joins_syllable(before, after)


def start_of(text: str, place: int) -> int:
    """Return the beginning of the character that a place is in; the place itself if it is between two."""
    least = max(0, place - LONGEST)
    while place > least and is_inside(text, place):
        place -= 1
    return place


def end_of(text: str, place: int) -> int:
    """Return the end of the character that a place is in; the place itself if it is between two."""
    most = min(len(text), place + LONGEST)
    while place < most and is_inside(text, place):
        place += 1
    return place


def _extends(char: str) -> bool:
    if char < FIRST_EXTENDING:
        return False
    return (
        char in (JOINER, "\u200c")
        or char in VOWELS_BEHIND
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or unicodedata.category(char) in EXTENDING
    )


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _regional_run(text: str, place: int) -> int:
    """Count the letters of flags right before a place."""
    run = 0
    while run < min(place, LONGEST) and _is_regional(text[place - 1 - run]):
        run += 1
    return run


def _joins_syllable(before: str, after: str) -> bool:
    """True for two parts of one syllable of Hangul: lead, vowel, tail."""
    if "\u1100" <= before <= "\u115f":
        return "\u1100" <= after <= "\u11a7" or "\uac00" <= after <= "\ud7a3"
    if "\u1160" <= before <= "\u11a7":
        return "\u1160" <= after <= "\u11ff"
    if "\u11a8" <= before <= "\u11ff":
        return "\u11a8" <= after <= "\u11ff"
    if "\uac00" <= before <= "\ud7a3":
        is_open = (ord(before) - 0xAC00) % 28 == 0
        return "\u11a8" <= after <= "\u11ff" or (is_open and "\u1160" <= after <= "\u11a7")
    return False
