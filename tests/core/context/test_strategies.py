"""Every row of the strategies keeps the contract of a strategy, one that is added too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.context.truncation import DEFAULT_STRATEGY, STRATEGIES, Squeeze
from loomapp.core.settings.registry import FIELDS
from loomapp.core.settings.setting import Choice
from loomapp.ui.dialogue.message.foot import reason_of
from loomapp.ui.dialogue.script.entries import Cut

COSTS = st.lists(st.integers(1, 30), min_size=2, max_size=25)


def test_each_is_found_by_its_name_and_has_words_of_its_own() -> None:
    rows = list(STRATEGIES.values())

    assert [row.name for row in rows] == list(STRATEGIES)
    assert all(row.title and row.tip and row.reason for row in rows)
    assert len({row.title for row in rows}) == len({row.tip for row in rows}) == len(rows)
    assert DEFAULT_STRATEGY in STRATEGIES


def test_settings_and_cut_marks_list_every_row() -> None:
    kind = FIELDS["truncation_strategy"].kind

    assert isinstance(kind, Choice)
    assert kind.options == tuple((row.name, row.title) for row in STRATEGIES.values())
    assert all(row.title in reason_of(Cut("start", 2, row.name)) for row in STRATEGIES.values())
    assert reason_of(Cut("start", 2, "of a later version")) == ""


@pytest.mark.parametrize("name", [row.name for row in STRATEGIES.values() if row.cut is not None])
@given(costs=COSTS, share=st.floats(0, 1), recent=st.integers(1, 9), marker=st.integers(0, 9))
def test_what_stays_fits_and_holds_the_newest(
    name: str, costs: list[int], share: float, recent: int, marker: int
) -> None:
    room = int(share * (sum(costs) - 1))
    cut = STRATEGIES[name].cut
    assert cut is not None

    kept = cut(Squeeze(costs, room, recent, marker))

    assert kept.tail >= 1
    assert kept.head >= 0
    assert kept.head + kept.tail < len(costs), "not all of them fit"
    assert not kept.head or kept.marker, "a gap is marked"
    needed = sum(costs[: kept.head]) + sum(costs[len(costs) - kept.tail :]) + marker * kept.marker
    assert needed <= room or (kept.head, kept.tail) == (0, 1), "what stays fits, or is the newest alone"
