"""The word space: stands between an answer that is not done and a word that is typed right behind it."""

from __future__ import annotations

from dataclasses import replace
from unicodedata import category, name

from loomapp.core.prose.authorship import Author
from loomapp.core.prose.pending_text import PendingText

WORD_SPACE = " "
BEGINNING_CATEGORIES = ("L", "N", "Pi", "Ps")  # letters, numbers, opening quotes and brackets
SCRIPTS_WITHOUT_SPACES = (
    *("BOPOMOFO", "CJK", "FULLWIDTH", "HALFWIDTH", "HIRAGANA", "KATAKANA"),
    *("KHMER", "LAO", "MYANMAR", "THAI", "TIBETAN"),
)  # the first word of the names of their letters
NOBODY = Author("human", "")  # where nothing is written


def begins_word(text: str) -> bool:
    """True if a text begins with a word that a space is written before: not with white space, a sign that
    belongs to the word before it, or in a script that has no spaces.
    """
    first = text[:1]
    if not first or not category(first).startswith(BEGINNING_CATEGORIES):
        return False
    return name(first, "").partition(" ")[0] not in SCRIPTS_WITHOUT_SPACES


def with_word_space(typed: PendingText) -> PendingText:
    return replace(typed, has_word_space=True)


def parts_words(typed: PendingText) -> bool:
    """True while a space that was put there for the writer stands before a word."""
    return typed.has_word_space and begins_word(typed.text[1:])


def joined(before: str, typed: PendingText) -> PendingText:
    """A text once it is known what stands before it for good. A space that was put there for the writer is
    his from now on; it goes if white space or nothing is before it, or no word behind it. All else stays.
    """
    if not typed.has_word_space:
        return typed
    is_wanted = bool(before) and not before[-1].isspace() and parts_words(typed)
    kept = typed if is_wanted else typed.replaced(0, len(WORD_SPACE), "", NOBODY)
    return replace(kept, has_word_space=False)
