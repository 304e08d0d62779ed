"""Heights of rows: offsets are the sums of what is above, however and whenever they are asked for."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.ui.dialogue.script.heights import RowHeights

heights = st.lists(st.sampled_from([24.0, 61.5, 700.25]), min_size=1, max_size=30)
measures = st.lists(st.tuples(st.integers(0, 29), st.sampled_from([24.0, 300.0])), max_size=8)


@given(heights, measures, st.booleans())
def test_an_offset_is_the_sum_of_the_heights_above(
    estimates: list[float], measured: list[tuple[int, float]], is_sought: bool
) -> None:
    rows, known = RowHeights(estimates), list(estimates)
    for row, height in measured:
        if is_sought:
            rows.row_at(100.0)
        rows.measure(row % len(known), height)
        known[row % len(known)] = height

    tops = [0.0, *accumulate(known)]

    assert [rows.top(row) for row in range(len(known) + 1)] == pytest.approx(tops)
    assert rows.total == pytest.approx(tops[-1])
    assert all(rows.row_at(top) == row for row, top in enumerate(tops[:-1]))
