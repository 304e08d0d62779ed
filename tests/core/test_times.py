"""Times as text: those of the calendar, to the millisecond, and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loomapp.core.times import EPOCH, iso_time, parse_time

FIRST = (datetime(1, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1)
LAST = (datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1)


@given(st.integers(FIRST, LAST))
@example(FIRST)
@example(LAST)
@example(-1)
@example(0)
def test_a_time_is_written_as_the_calendar_has_it(at: int) -> None:
    moment = EPOCH + timedelta(milliseconds=at)

    assert iso_time(at) == moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    assert parse_time(iso_time(at)) == at


@pytest.mark.parametrize("at", [FIRST - 1, LAST + 1])
def test_a_time_past_the_calendar_is_refused(at: int) -> None:
    with pytest.raises(OverflowError):
        iso_time(at)
