"""Words of prose in a text, to be looked up in a dictionary: no code, addresses, file names or initials."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

LONGEST_WORD = 60  # characters: what is longer is no word
WORD = re.compile(r"[^\W\d_]++(?:['’][^\W\d_]++)*+")
PIECE = re.compile(r"`[^`\n]*`|[^\s`]+")  # code, or what stands between spaces
NO_PROSE = re.compile(r"[\\/_\d]|(?<!^)@(?!$)")  # addresses, mail, paths, names of programs, digits
NAMES = re.compile(r"(?<!\w)(?:(?:www\.|mailto:).*|\w++(?:\.\w++)+)")  # file.txt, example.org
FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
FENCE_REACH = 20_000  # characters before a stretch in which a fence is looked for


def words(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a text that are words of prose, from the first character to before the last. Takes
    time in proportion to the text, whatever it is made of.
    """
    letters = _marks_as_letters(text)
    for piece in PIECE.finditer(letters):
        said = piece.group()
        if said[0] == "`" or NO_PROSE.search(said):
            continue
        if not said.isalpha():  # a name leaves nothing to look up in its place
            said = NAMES.sub(lambda match: " " * len(match.group()), said)
        for match in WORD.finditer(said):
            start, end = match.span()
            if 1 < end - start <= LONGEST_WORD and not any(map(str.isupper, said[start + 1 : end])):
                yield piece.start() + start, piece.start() + end


def is_within_word(text: str, at: int) -> bool:
    """True if what stands on both sides of a place belongs to one word."""
    return 0 < at < len(text) and _is_of_word(text[at - 1]) and _is_of_word(text[at])


def is_word_at(text: str, start: int, word: str) -> bool:
    """True if this word, and not a part of a longer one, begins at a place of a text."""
    end = start + len(word)
    whole = not is_within_word(text, start) and not is_within_word(text, end)
    return bool(word) and start >= 0 and text[start:end] == word and whole


def is_code(text: str, at: int) -> bool:
    """True if a place of a text is within fenced code; the fence may stand so many characters before it."""
    before = text[max(0, at - FENCE_REACH) : at]
    return ("```" in before or "~~~" in before) and len(FENCE.findall(before)) % 2 == 1


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_" or category(character)[0] == "M"


def _marks_as_letters(text: str) -> str:
    """The text, as long as it was, with a letter in the place of each mark that is combined with one."""
    if text.isascii():
        return text
    marks = "".join(one for one in set(text) if category(one)[0] == "M")
    if not marks:
        return text
    combined = re.compile(rf"(?<=[^\W\d_])[{re.escape(marks)}]+")
    return combined.sub(lambda match: "x" * len(match.group()), text)
