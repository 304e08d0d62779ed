"""The length of an answer: past which it is taken for one that never ends."""

from __future__ import annotations

from collections import Counter

from loomapp.core.generation.events import ReasoningDelta, StreamEvent, TextDelta
from loomapp.core.generation.request import ProviderError, Request
from loomapp.core.sentences import worded
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.errors import failure
from loomapp.providers.protocols.model_rules import ModelRules

CHARACTERS_A_TOKEN = 8  # prose has four; a text of long words and white space hardly has more than this
BY_FAR = 4  # times as much: what a model may write by chance is never cut, what has no end is soon
LEAST_CHARACTERS = 16_384  # servers that pass over a small limit write a page or two, which is an answer
LIMIT_NAMES = ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict", "n_predict")


_KEPT = (
    "{name} went on and on: {characters:,} characters, where {tokens:,} tokens were the most. It was "
    "stopped, what came is kept. Retry, or choose another model."
)
_NOTHING_KEPT = (
    "{name} went on and on thinking: {characters:,} characters, where {tokens:,} tokens were the most. It "
    "was stopped before it wrote an answer, so nothing was added. Retry, or choose another model."
)


class Length:
    """Counts what each choice says, its text and its reasoning apart, for one attempt."""

    def __init__(self, request: Request, rules: ModelRules, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.tokens = longest_answer(request, rules)
        self.most_characters = max(LEAST_CHARACTERS, self.tokens * CHARACTERS_A_TOKEN * BY_FAR)
        self._counted: Counter[tuple[int, type]] = Counter()

    def count(self, event: StreamEvent) -> None:
        """Take in what came. Raises: ProviderError if that is more than any answer of this length has."""
        if not isinstance(event, TextDelta | ReasoningDelta):
            return
        key = event.index, type(event)
        self._counted[key] += len(event.text)
        if self._counted[key] > self.most_characters:
            has_text = any(kind is TextDelta for _, kind in self._counted)
            raise self._endless(self._counted[key], _KEPT if has_text else _NOTHING_KEPT)

    def _endless(self, characters: int, words: str) -> ProviderError:
        what = worded(
            words,
            name=self._endpoint.name,
            characters=characters,
            tokens=self.tokens,
        )
        return failure("serverError", self._endpoint, what)


def longest_answer(request: Request, rules: ModelRules) -> int:
    """The most tokens of one answer: as asked for, else what the model can write, or takes in all."""
    asked = [request.max_tokens, *(request.custom_parameters.get(name) for name in LIMIT_NAMES)]
    known = [number for number in asked if isinstance(number, int) and number > 0]
    return max(known, default=rules.max_output or rules.context_window)
