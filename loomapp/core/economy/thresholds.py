"""Two thresholds: how full a context is, whether a summary is due, and the words of the indicator."""

from __future__ import annotations

from typing import Literal, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError
from loomapp.core.json_values import Json
from loomapp.core.model.economy_settings import THRESHOLDS, Economy
from loomapp.core.sentences import Sentence, worded

Level: TypeAlias = Literal["green", "yellow", "orange", "red"]
Due: TypeAlias = Literal["none", "background", "blocking"]
HALF_FULL = 0.5
EXACT_DIGITS = 9  # of a percentage: beyond them is what floats are wrong by


@dataclass(frozen=True, slots=True)
class ContextState:
    """The state of a context. `size` is in tokens, measured or estimated, and all else follows from it.

    `ratio` is of the size to the budget and may be above 1. At a threshold exactly the lower state holds.
    """

    size: int
    measured: bool
    max_tokens: int
    ratio: float
    soft_threshold: float
    hard_threshold: float
    total_input_tokens: int = 0
    total_output_tokens: int = 0
    summary_count: int = 0

    @property
    def is_soft_exceeded(self) -> bool:
        return self.ratio > self.soft_threshold

    @property
    def is_hard_exceeded(self) -> bool:
        return self.ratio > self.hard_threshold

    @property
    def percent(self) -> int:
        """The ratio in percent, at most 100, halves up."""
        share = round(min(self.ratio, 1) * 100, EXACT_DIGITS)  # 29 of 200 are 14.5, not a little less
        return int(share + 0.5)

    @property
    def level(self) -> Level:
        if self.is_hard_exceeded:
            return "red"
        if self.is_soft_exceeded:
            return "orange"
        return "green" if self.ratio < HALF_FULL else "yellow"

    @property
    def indicator(self) -> Sentence:
        """The indicator's line: `Context: 12.3k / 128.0k tokens (10%)`."""
        return worded(
            "Context: {size} / {most} tokens ({percent}%)",
            size=short_number(self.size),
            most=short_number(self.max_tokens),
            percent=self.percent,
        )

    def to_json(self) -> Json:
        """The nine values of `loomapp assemble --state`."""
        return {
            "totalInputTokens": self.total_input_tokens,
            "totalOutputTokens": self.total_output_tokens,
            "estimatedContextSize": self.size,
            "maxTokens": self.max_tokens,
            "usageRatio": min(self.ratio, 1),
            "softThresholdExceeded": self.is_soft_exceeded,
            "hardThresholdExceeded": self.is_hard_exceeded,
            "summaryCount": self.summary_count,
            "measured": self.measured,
        }


def budget_of(window: int, available: int, economy: Economy) -> int:
    """The tokens that a context may have before a summary is due: never more than is sent before anything is
    cut. Raises: AssemblyError INVALID_BUDGET if nothing is left.
    """
    reserve = economy.reserve(window)
    budget = min(window - reserve, available)
    if budget <= 0:
        raise AssemblyError(
            "INVALID_BUDGET",
            worded(
                "The reserve for the answer ({reserve:,}) leaves nothing of the model's window ({window:,}): "
                "lower responseReserve.",
                reserve=reserve,
                window=window,
            ),
            window=window,
            reserved=reserve,
            available=budget,
        )
    return budget


def due_summary(state: ContextState, economy: Economy, new_units: int, *, has_valid: bool) -> Due:
    """Tell if a summary is to be made unasked, and how: in the background once an answer has landed, or
    before anything is sent. `new_units` would be covered anew.
    """
    if economy.make_summaries != THRESHOLDS or not state.is_soft_exceeded:
        return "none"
    if state.is_hard_exceeded:
        return "blocking"
    return "background" if not has_valid or new_units >= economy.min_recent_messages else "none"


def short_number(number: int) -> str:
    """A number of tokens in a few signs, halves up: `999`, `1.0k` from 1,000, `1.0M` from 1,000,000."""
    if number < 1_000:
        return str(number)
    unit, sign = (1_000, "k") if number < 1_000_000 else (1_000_000, "M")
    tenths = (number * 10 + unit // 2) // unit
    return f"{tenths // 10}.{tenths % 10}{sign}"
