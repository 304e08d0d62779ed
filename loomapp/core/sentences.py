"""Sentences for people that know what they were put together from, so that a window can translate them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self


class Sentence(str):
    """A sentence in English, its values filled in; with the words it was made of, and the values.

    Wherever a text is wanted it is that text. A value may be a sentence itself.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, values: Mapping[str, object]) -> Self:
        """Fill the values into the template, by `{name}` or a format as `{count:,}`."""
        made = super().__new__(cls, template.format(**values))
        made.template, made.values = template, values
        return made


def sentence(words: str) -> Sentence:
    """Words of the program as a sentence: those of a table, or one that is one already."""
    if isinstance(words, Sentence):
        return words
    return Sentence(words.replace("{", "{{").replace("}", "}}"), {})


def first_sentence(words: str) -> str:
    """Return the first of several sentences: of an error what happened, without the next step."""
    whole = sentence(words)
    first, end, _ = whole.template.partition(". ")
    return Sentence(f"{first}.", whole.values) if end else words


def worded(template: str, /, **values: object) -> Sentence:
    """A sentence for a person: its words, which can be translated, and what is filled in."""
    return Sentence(template, values)
