"""Token counts of a text, by named estimators, and of a context's parts, by providers and tokenizers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, pairwise
from math import ceil
from typing import NamedTuple, Protocol

from loomapp.core.dataclass import dataclass

CHARS_4 = "chars/4"  # the name of the default, as it is shown beside its numbers
REMEMBERED = 4_096  # texts of which the careful estimate is known
LONG = 4_000  # characters of a text that is not kept for that

COMMON_WORDS = frozenset(
    "the of and to a in is it that for you with as was on are be this not have or by at he she we they i "  # noqa: SIM905 - as prose
    "from an his her but".split()
)
COMMON_SHARE = 0.12  # of the words of English prose, at least
MARKS_SHARE = 0.02  # of the characters of code, at least: brackets and the like
PIECES = re.compile(r"[A-Za-z]+|[0-9]|[^\S\n]{2,}|\n+|[!-/:-@\[-`{-~]|[^\x00-\x7f]+| (?=[^\x00-\x7f]|[0-9])")


class LettersPerToken(NamedTuple):
    """Letters that a word may have as one token, and tokens for each one more."""

    whole: float
    more: float


PROSE, CODE, OTHER = LettersPerToken(8, 0.12), LettersPerToken(5, 0.16), LettersPerToken(2.1, 1 / 2.1)
# Tokens of one character beyond ASCII, by the end of its range. Source: measured with the embedded engine.
BEYOND_ASCII: tuple[tuple[int, float], ...] = (
    (0x250, 1.0),  # accented Latin: the word around it falls apart too
    (0x530, 0.85),  # Greek, Cyrillic
    (0x800, 1.1),  # Hebrew, Arabic
    (0x1100, 1.2),  # scripts of India and their neighbours
    (0xAC00, 2.0),  # marks and symbols, kana, Chinese
    (0xD7B0, 2.6),  # Hangul
    (0x10000, 2.0),
    (0x110000, 3.0),  # emoji
)


def estimate(text: str) -> int:
    """A quarter of the characters (code points), rounded up: the default estimator `chars/4`.

    Good for English prose (6 % too high), far too low for Chinese and emoji. Source: measured against real
    tokenizers for the project's provider notes.
    """
    return (len(text) + 3) // 4


def careful_estimate(text: str) -> int:
    """Tokens by what kind of character is how often, for a look at a limit: rather too many than too few.

    Against the embedded model's tokenizer it is at most 5 % too low and mostly 0 to 30 % too high. Never more
    than the text has bytes in UTF-8, which is the most that any tokenizer makes of it. Takes about 0.3 µs a
    character; what was asked for before is known.
    """
    return _of_short(text) if len(text) <= LONG else _of_long(_Long(text))


class _Long:
    """A long text by its digest: what was found of it is remembered, and it is not."""

    def __init__(self, text: str) -> None:
        self._digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        self._text = text

    def __hash__(self) -> int:
        return hash(self._digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Long) and self._digest == other._digest

    def taken(self) -> str:
        text, self._text = self._text, ""
        return text


@lru_cache(maxsize=REMEMBERED)
def _of_long(long: _Long) -> int:
    return _careful(long.taken())


@lru_cache(maxsize=REMEMBERED)
def _of_short(text: str) -> int:
    return _careful(text)


def _careful(text: str) -> int:
    pieces = PIECES.findall(text)
    letters = _letters_a_token(text, pieces)
    total = sum(_tokens_of(piece, letters) for piece in pieces)
    return min(ceil(total), len(text.encode("utf-8", "surrogatepass")))


def _letters_a_token(text: str, pieces: list[str]) -> LettersPerToken:
    """Choose how many letters make a token: English and code fall into fewer, larger ones than other text."""
    words = [piece for piece in pieces if piece[0].isascii() and piece[0].isalpha()]
    common = sum(word.lower() in COMMON_WORDS for word in words)
    if common >= COMMON_SHARE * len(words):
        return PROSE
    marks = sum(piece in "()[]{}<>=_/\\|&^%$#@*+~`" for piece in pieces)
    return CODE if marks >= MARKS_SHARE * len(text) else OTHER


def _tokens_of(piece: str, letters: LettersPerToken) -> float:
    first = piece[0]
    if not first.isascii():
        return sum(next(cost for end, cost in BEYOND_ASCII if ord(one) < end) for one in piece)
    if first.isalpha():
        return _tokens_of_word(piece, letters)
    return 1.0 if first.isalnum() or first.isspace() else 0.9


def _tokens_of_word(word: str, letters: LettersPerToken) -> float:
    length = len(word)
    turns = sum(a.islower() != b.islower() for a, b in pairwise(word))
    if length > 18 or (length > 3 and 2 * turns >= length - 1):  # no word, but letters
        return length / 1.1
    if length > 1 and word.isupper():
        return max(1.0, length / 1.8)
    return 1.0 + max(0.0, length - letters.whole) * letters.more


SAFE, SCALED, TOKENIZER = "safe", "scaled", "tokenizer"
LOOKED_AT = 500  # texts at either end of a very long path that are looked at, character by character
LEAST_FACTOR, MOST_FACTOR = 0.25, 6.0
MOST_BESIDE = 64  # tokens of a model's own template, which are no part of a text that is sent
LEAST_SAMPLE = 400  # characters; of fewer a count says little of other texts
JOINER_TOKENS = 1  # of the blank line between two parts of a message
KEY_BYTES = 8


class PartsToCount(Protocol):
    """Parts in sending order: each said in a role, by a node or by none yet."""

    @property
    def texts(self) -> Sequence[str]: ...

    @property
    def roles(self) -> Sequence[str]: ...

    @property
    def node_ids(self) -> Sequence[str | None]: ...


class TokenEstimator(Protocol):
    """An estimator of tokens, named in the report of a context that was measured by it. The same texts always
    have the same counts.
    """

    @property
    def name(self) -> str: ...

    @property
    def total(self) -> int | None:
        """The tokens of all that is sent, if they were counted as a whole."""

    def of(self, text: str) -> int:
        """The tokens of a text by itself."""

    def of_system(self, text: str | None) -> int:
        """The tokens of the system context, and of what every request has; of None without one."""

    def of_parts(self, parts: PartsToCount) -> list[int]:
        """The tokens of parts in sending order."""


@dataclass(frozen=True, slots=True)
class ByCharacters:
    """A quarter of the characters: the default, which every count in a file is by."""

    name: str = CHARS_4
    total: int | None = None

    def of(self, text: str) -> int:
        return estimate(text)

    def of_system(self, text: str | None) -> int:
        return estimate(text or "")

    def of_parts(self, parts: PartsToCount) -> list[int]:
        return [(len(text) + 3) // 4 for text in parts.texts]


BY_CHARACTERS: TokenEstimator = ByCharacters()


def characters_within(room: int, text: str, tokens: int, estimator: TokenEstimator) -> int:
    """Return how many characters of a text of so many tokens `room` holds, which is less than they are."""
    return 4 * room if estimator is BY_CHARACTERS else len(text) * room // tokens


@dataclass(frozen=True, slots=True)
class Scaled:
    """A quarter of the characters, scaled by what a provider counted for the last request on a path; what
    came after that one's answer, the node `until`, and the system context are never counted lower than by the
    safe estimate, which the same count corrects where it was too high. Without such a count nothing is
    scaled. `beside_tokens` are those that every request has beside its texts.
    """

    factor: float = 1.0
    safe_factor: float = 1.0
    until: str | None = None
    total: int | None = None
    beside_tokens: int = 0

    @property
    def name(self) -> str:
        return SAFE if self.until is None else SCALED

    def of(self, text: str) -> int:
        return max(self._scaled(text), _rounded(self.safe_factor * careful_estimate(text)))

    def _scaled(self, text: str) -> int:
        return (len(text) + 3) // 4 if self.until is None else _rounded(self.factor / 4 * len(text))

    def of_system(self, text: str | None) -> int:
        return (self.of(text) if text else 0) + self.beside_tokens

    def of_parts(self, parts: PartsToCount) -> list[int]:
        texts, node_ids, first = parts.texts, parts.node_ids, 0
        if self.until is None:
            found = [(len(text) + 3) // 4 for text in texts]
        else:
            first = node_ids.index(self.until) if self.until in node_ids else 0  # it is not sent now
            a_character = self.factor / 4
            found = [int(a_character * len(text) + 0.5) for text in texts]
        for place in _ends(range(first, len(texts))):
            found[place] = self.of(texts[place])
        return found


def scaled_by(measured: int, characters: int, safe_tokens: int, node_id: str) -> Scaled:
    """The estimator after a provider counted a request of so many characters, which the safe estimate held
    for `safe_tokens`; `node_id` is its answer. What is beyond the safe estimate came of no text, as far as a
    template may be the reason, and of a few words all that is beyond a quarter of their characters.
    """
    beside = min(MOST_BESIDE, max(0, measured - safe_tokens))
    safe_factor = min(1.0, max(LEAST_FACTOR, (measured - beside) / max(1, safe_tokens)))
    if characters < LEAST_SAMPLE:
        beside = max(0, measured - -(-characters // 4))
    factor = min(MOST_FACTOR, max(LEAST_FACTOR, 4 * (measured - beside) / max(1, characters)))
    return Scaled(factor, safe_factor, node_id, beside_tokens=beside)


def _ends(places: range) -> Iterable[int]:
    """The places that are looked at: all, of very many those at either end."""
    if len(places) <= 2 * LOOKED_AT:
        return places
    return chain(places[:LOOKED_AT], places[-LOOKED_AT:])


def _rounded(tokens: float) -> int:
    return int(tokens + 0.5)


@dataclass(frozen=True, slots=True)
class Tokenized:
    """Counts of a model's own tokenizer, by the keys of texts (see `key_of`). A text that was not counted yet
    has its safe estimate. A message costs `message_tokens` beside its text, and every request
    `request_tokens` beside its messages, without a system context `bare_tokens`.
    """

    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    request_tokens: int = 0
    message_tokens: int = 0
    bare_tokens: int = 0
    total: int | None = None

    @property
    def name(self) -> str:
        return TOKENIZER

    def bare(self, text: str) -> int:
        """The tokens of a text without those of a message around it."""
        counted = self.counts.get(key_of(text)) if text else 0
        return careful_estimate(text) if counted is None else counted

    def of(self, text: str) -> int:
        return self.bare(text) + self.message_tokens if text else 0

    def of_system(self, text: str | None) -> int:
        return self.bare_tokens if not text else self.of(text) + self.request_tokens

    def of_parts(self, parts: PartsToCount) -> list[int]:
        texts, roles, beside = parts.texts, parts.roles, self.message_tokens
        joined = min(JOINER_TOKENS, beside)
        found = [(len(text) + 3) // 4 + beside for text in texts]
        for place in _ends(range(len(texts))):
            is_joined = place > 0 and roles[place] == roles[place - 1]
            found[place] = self.bare(texts[place]) + (joined if is_joined else beside)
        return found


def key_of(text: str) -> str:
    """A short key of a text, to remember its count by."""
    return _key(text) if len(text) <= LOOKED_AT else _digest(text)


@lru_cache(maxsize=4_096)
def _key(text: str) -> str:
    return _digest(text)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).hexdigest()


CHARS_35, CHAT_4 = "chars/3.5", "chat-4"
MESSAGE_OVERHEAD = 16  # characters that a message costs beside its own
CHAT_OVERHEAD = 3  # tokens of a whole conversation


def tokens_of_chars(characters: int) -> int:
    """Tokens of so many code points at 3.5 each, rounded up: the estimator of branch summaries."""
    return -(-2 * characters // 7)


def by_chars_35(text: str) -> int:
    """Tokens of a text at 3.5 code points each, rounded up."""
    return tokens_of_chars(len(text))


def chat_tokens(lengths: Sequence[int]) -> int:
    """Tokens of messages of these lengths in code points: each costs 16 characters more, all together 3
    tokens.
    """
    characters = sum(lengths) + MESSAGE_OVERHEAD * len(lengths)
    return -(-characters // 4) + CHAT_OVERHEAD


def as_one_message(text: str) -> int:
    """Tokens of a text as the only message of a conversation."""
    return chat_tokens((len(text),))
