"""Summarisers: the requests for a new summary, in portions that fit, and the summary in an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from loomapp.core.economy.estimators import chat_tokens
from loomapp.core.errors import LoomError
from loomapp.core.model.economy_settings import Economy

LONGEST_SUMMARY = 2_048  # tokens
LONGEST_PART = 2_000  # characters of a result or document in a transcript
CUT = "... (truncated)"
PENDING = "(pending)"
PREVIOUS = "[Previous conversation summary]\n"
BLANK_LINE = "\n\n"
DEFAULT_PROMPT = (
    "Summarise the conversation below so that it can go on from your summary alone. Keep the topics and the "
    "decisions made, finished work with its names and values, open questions, and work in progress. Answer "
    "with the summary only."
)
_ANALYSIS = re.compile(r"\s*<analysis>.*?</analysis>", re.DOTALL)


class NotEnoughMessages(LoomError):
    """Error where there is too little, or nothing new, for a summary to stand for."""

    code = "notEnoughMessages"

    def __init__(self) -> None:
        super().__init__("Not enough messages to compact")


class BlankSummary(LoomError):
    """Error for an answer without a summary in it."""

    code = "blankSummary"

    def __init__(self) -> None:
        super().__init__("The model's answer holds no summary. Try again, or ask another model.")


def summary_in(answer: str) -> str:
    """The summary in a model's answer: without an analysis at its beginning. Raises: BlankSummary."""
    found = _ANALYSIS.match(answer)
    text = answer[found.end() :].strip() if found else answer.strip()
    if not text:
        raise BlankSummary
    return text


def longest_summary(window: int, economy: Economy) -> int:
    """The tokens that a summary may have."""
    return min(LONGEST_SUMMARY, economy.reserve(window))


def shortened(text: str) -> str:
    """A result or a document as a transcript has it."""
    return text if len(text) <= LONGEST_PART else text[:LONGEST_PART] + CUT


def tool_line(name: str, output: str | None) -> str:
    """A call of a tool as a transcript has it, with its result; None: there is none yet."""
    return f"[Tool: {name} → {PENDING if output is None else shortened(output)}]"


def transcript(messages: Iterable[str]) -> str:
    """Messages, each with its speaker, as one text."""
    return BLANK_LINE.join(messages)


@dataclass(frozen=True, slots=True)
class SummaryQuestion:
    """One request to a summariser: its system context, and the text that is to be summarised."""

    system: str
    text: str

    @property
    def tokens(self) -> int:
        """Its size by the estimator `chat-4`."""
        return chat_tokens((len(self.system), len(self.text)))


Summariser: TypeAlias = Callable[[str, str | None, Sequence[str]], SummaryQuestion]
"""From a prompt, the summary so far, and messages to the request."""


def of_transcript(prompt: str, previous: str | None, messages: Sequence[str]) -> SummaryQuestion:
    """Ask with the summary so far and a transcript of the messages after it."""
    before = [] if previous is None else [PREVIOUS + previous]
    return SummaryQuestion(prompt, transcript((*before, *messages)))


TRANSCRIPT = "transcript"
SUMMARISERS: Mapping[str, Summariser] = {TRANSCRIPT: of_transcript}


def portions(
    messages: Sequence[str], prompt: str, previous: str | None, room: int, longest: int
) -> Iterator[tuple[str, ...]]:
    """Divide messages, oldest first, so that each request fits into `room` tokens, with the summary so far or
    one of `longest` tokens. A message that does not fit alone is cut.
    """
    before = max(len(PREVIOUS) + 4 * longest, 0 if previous is None else len(PREVIOUS) + len(previous))
    free = 4 * room - len(prompt) - before - 2 * len(BLANK_LINE) - 64  # what messages cost beside their text
    free = max(free, LONGEST_PART)
    found: list[str] = []
    used = 0
    longest_message = free - len(BLANK_LINE)
    for whole in messages:
        message = whole
        if len(whole) > longest_message:
            message = whole[: longest_message - len(CUT)] + CUT
        size = len(message) + len(BLANK_LINE)
        if found and used + size > free:
            yield tuple(found)
            found, used = [], 0
        found.append(message)
        used += size
    if found:
        yield tuple(found)
