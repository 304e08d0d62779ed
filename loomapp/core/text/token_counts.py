"""Token counts of the parts of a context: by characters, by what a provider counted, or by a tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Protocol

from loomapp.core.text.token_estimates import CHARS_4, careful_estimate, estimate

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
    came after that one's answer, the node `until`, is never counted lower than by the safe estimate, which
    the same count corrects where it was too high. Without such a count nothing is scaled. `beside_tokens` are
    those that every request has beside its texts.
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
        if not text:
            return self.beside_tokens
        return self.of(text) if self.until is None else self._scaled(text) + self.beside_tokens

    def of_parts(self, parts: PartsToCount) -> list[int]:
        texts, node_ids, first = parts.texts, parts.node_ids, 0
        if self.until is None:
            found = [(len(text) + 3) // 4 for text in texts]
        else:
            first = node_ids.index(self.until) if self.until in node_ids else len(texts)
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
