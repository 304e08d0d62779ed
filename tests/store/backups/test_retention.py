"""Which backups stay: laws over any history of backups, clocks that jump included."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from loomapp.store.backups.backup import (
    NEWEST,
    OF_DAYS,
    OF_MONTHS,
    OF_TAKEN_AWAY,
    OF_TODAY,
    OF_WEEKS,
    Backup,
    expired,
)

DAY_MS = 86_400_000
START = 1_790_000_000_000
MOST = OF_TODAY + OF_DAYS + OF_WEEKS + OF_MONTHS + OF_TAKEN_AWAY + NEWEST + 2


def backup(number: int, made_at: int, *, reason: str = "", size: int = 1, damaged: int = 0) -> Backup:
    return Backup(Path(f"{number}.loom"), number, made_at, reason, size, damaged)


def kept(backups: list[Backup], now: int, size_cap: int = 1 << 60) -> list[Backup]:
    gone = expired(backups, now, zone=UTC, size_cap=size_cap)
    return [item for item in backups if item not in gone]


def day_of(item: Backup) -> object:
    return datetime.fromtimestamp(item.made_at / 1000, UTC).date()


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


# A history: time moves by these steps between backups; some go back, as clocks do.
steps = st.lists(st.integers(-40 * DAY_MS, 40 * DAY_MS), max_size=80)
facts = st.tuples(
    st.sampled_from(["", "closing", "before-version-2", "taken-away"]), st.integers(0, 50), st.integers(0, 2)
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Backup], int]:
    now, made = START, []
    for number, step in enumerate(draw(steps), 1):
        now = max(0, now + step)
        reason, size, damaged = draw(facts)
        made.append(backup(number, now, reason=reason, size=size, damaged=damaged))
    return made, max(0, now + draw(st.integers(-10 * DAY_MS, 10 * DAY_MS)))


@given(histories(), st.integers(0, 200))
def test_the_newest_the_soundest_and_the_last_before_an_update_stay_whatever_the_clock_and_size(
    history: tuple[list[Backup], int], size_cap: int
) -> None:
    made, now = history

    left = kept(made, now, size_cap)

    assert left[-NEWEST:] == made[-NEWEST:]
    if made:
        least = min(item.damaged for item in made)
        assert [item for item in made if item.damaged == least][-1] in left
    assert set([item for item in made if item.reason.startswith("before-version")][-1:]) <= set(left)
    assert set([item for item in made if item.reason == "taken-away"][-OF_TAKEN_AWAY:]) <= set(left)


@given(histories())
def test_there_are_never_more_than_the_policy_says_and_thinning_out_again_takes_nothing(
    history: tuple[list[Backup], int],
) -> None:
    made, now = history

    left = kept(made, now)

    assert len(left) <= MOST
    assert kept(left, now) == left


@given(histories())
def test_each_of_the_last_seven_days_keeps_its_newest(history: tuple[list[Backup], int]) -> None:
    made, now = history
    newest: dict[object, Backup] = {}
    for item in reversed(made):
        newest.setdefault(day_of(item), item)

    left = kept(made, now)

    assert set(list(newest.values())[:OF_DAYS]) <= set(left)


@given(histories(), st.integers(0, 200))
def test_the_oldest_go_first_when_there_is_too_little_room(
    history: tuple[list[Backup], int], size_cap: int
) -> None:
    made, now = history
    roomy = kept(made, now)

    tight = kept(made, now, size_cap)

    assert set(tight) <= set(roomy)
    gone = [item for item in roomy if item not in tight]
    precious = {*kept(made, now, 0)}
    assert all(item.number > max(g.number for g in gone) for item in tight if item not in precious and gone)
    assert not gone or sum(item.size for item in tight) <= max(size_cap, sum(item.size for item in precious))


def test_of_today_twelve_stay() -> None:
    now = at("2026-11-21T20:00")
    made = [backup(i, now - (30 - i) * 600_000) for i in range(1, 31)]

    assert [item.number for item in kept(made, now)] == list(range(19, 31))


def test_what_claims_to_be_from_tomorrow_counts_as_of_today() -> None:
    now = at("2026-11-21T20:00")
    made = [backup(i, now + DAY_MS + i * 600_000) for i in range(1, 31)]

    assert [item.number for item in kept(made, now)] == list(range(19, 31))


def test_a_backup_a_day_for_two_years_thins_out_to_days_weeks_and_months() -> None:
    files: list[Backup] = []
    noon = datetime(2024, 11, 21, 12, tzinfo=UTC)
    for number in range(1, 731):
        now = round((noon + timedelta(days=number)).timestamp() * 1000)
        files = kept([*files, backup(number, now)], now)

    days = sorted({str(day_of(item)) for item in files})

    assert days[-OF_DAYS:] == [f"2026-11-{day}" for day in range(15, 22)]
    assert days[0] == "2025-12-31"
    assert {day[:7] for day in days} == {"2025-12", *(f"2026-{month:02d}" for month in range(1, 12))}
    sundays = {"2026-11-01", "2026-11-08", "2026-11-15"}
    assert sundays <= set(days)
    assert len(days) == OF_DAYS + 2 + OF_MONTHS - 1


def test_days_are_those_of_the_place() -> None:
    from zoneinfo import ZoneInfo

    now = at("2026-11-21T03:00")
    made = [backup(i, at("2026-11-20T17:00") + i * 60_000) for i in range(1, 31)]

    in_tokyo = expired(made, now, zone=ZoneInfo("Asia/Tokyo"))
    in_london = expired(made, now, zone=ZoneInfo("Europe/London"))

    assert (len(in_tokyo), len(in_london)) == (30 - OF_TODAY, 30 - NEWEST)


def test_backups_of_a_clock_that_was_ahead_make_way_for_new_ones() -> None:
    ahead = [backup(i, START + 3650 * DAY_MS + i * DAY_MS) for i in range(1, 30)]
    files = ahead
    for number in range(30, 130):
        now = START + number * DAY_MS
        files = kept([*files, backup(number, now)], now)

    days = [item for item in files if item.number >= 30]

    assert [item.number for item in days[-OF_DAYS:]] == list(range(123, 130))
    assert len(files) <= MOST


def test_the_last_sound_backup_stays_however_many_damaged_ones_follow() -> None:
    made = [backup(1, START), *(backup(i, START + i * DAY_MS, damaged=3) for i in range(2, 1000))]

    left = kept(made, START + 1000 * DAY_MS)

    assert left[0].number == 1
    assert replace(left[0], damaged=3) not in left
