"""Which words are looked up: prose, and nothing that is no word."""

from __future__ import annotations

import pytest

from loomapp.session.spelling import is_code, is_word_at, words


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in words(text)]


@pytest.mark.parametrize(
    ("text", "looked_up"),
    [
        ("Teh lamp, isn't it? – yes", ["Teh", "lamp", "isn't", "it", "yes"]),
        ("call `prinft(x)` now", ["call", "now"]),
        ("see https://exmaple.org/a?b=c, www.exmaple.org or me@exmaple.org", ["see", "or"]),
        ("NASA and iPhone and h2o and my_name and a/b", ["and", "and", "and", "and"]),
        ("read notes.txt first", ["read", "first"]),
        ("naïve Füße 海の", ["naïve", "Füße", "海の"]),
        ("cafe\u0301s e\u0301te\u0301 ❤\ufe0fteh", ["cafe\u0301s", "e\u0301te\u0301", "teh"]),
        ("see " + 61 * "x" + " and " + 60 * "x", ["see", "and", 60 * "x"]),
        (100_000 * "x" + ".", []),  # and in no more time than other text
        ("", []),
    ],
)
def test_only_words_of_prose_are_looked_up(text: str, looked_up: list[str]) -> None:
    assert found(text) == looked_up


def test_a_word_is_found_where_it_stands_whole() -> None:
    assert is_word_at("a raan b", 2, "raan")
    assert not is_word_at("a raan b", 1, "raan")
    assert not is_word_at("a raanx b", 2, "raan")
    assert not is_word_at("cafe\u0301", 0, "cafe")


def test_fenced_code_is_code_until_the_fence_ends() -> None:
    text = "a\n```\nprinft\n```\nb"

    assert is_code(text, text.index("prinft"))
    assert not is_code(text, text.index("b"))
    assert not is_code(text, 0)
