"""Compression of long parts: each row, its boundaries, and what is carried on."""

from __future__ import annotations

import pytest

from loomapp.core.economy.compression import (
    BEGINNING_ONLY,
    CLEARED,
    READ_IT,
    SNIPPED,
    CarriedOn,
    CompressiblePart,
    PartKind,
    Shortened,
    WindowLoad,
    base_of,
    budget_at,
    compressed,
    is_compaction_due,
    shortest_shortened,
)
from loomapp.core.model.economy_settings import Economy

ECONOMY = Economy(compression=True)
IDLE = 300
BUSY = WindowLoad(0.0, 0)


def part(
    text: str = "x",
    kind: PartKind = "tool_result",
    *,
    node_id: str = "n",
    name: str = "read_file",
    source: str | None = None,
    newest: bool = False,
    full: bool = False,
) -> CompressiblePart:
    return CompressiblePart(node_id, 0, text, kind, "LOCAL", name, source, newest, full)


def base(text: str, *, can_read: bool = False) -> Shortened:
    return base_of(part(text), ECONOMY, can_read=can_read)


def sent(
    parts: list[CompressiblePart], load: WindowLoad, *carried: CarriedOn, economy: Economy = ECONOMY
) -> list[tuple[str | None, str | None]]:
    """The row and reason of each part."""
    bases = [base_of(one, economy, can_read=False) for one in parts]
    return [(one.row, one.why) for one in compressed(parts, bases, economy, load, carried).parts]


def results(count: int, kind: PartKind = "tool_result", name: str = "read_file") -> list[CompressiblePart]:
    return [part(f"result {i}", kind, node_id=f"n{i}", name=name, source=f"{i}") for i in range(count)]


# Store and truncate


@pytest.mark.parametrize(
    ("text", "row"), [("x" * 30_720, None), ("x" * 30_721, "store"), ("é" * 15_360, None)]
)
def test_what_is_more_than_thirty_kilobytes_is_stored(text: str, row: str | None) -> None:
    assert base(text).row == row


def test_bytes_are_counted_and_not_characters() -> None:
    assert base("é" * 15_361).row == "store"
    assert base("😀" * 7_681).row == "store"
    assert base("😀" * 7_680).row is None


def test_a_preview_tells_size_lines_and_where_the_rest_is() -> None:
    text = "\n".join(f"line {i:>200}" for i in range(300))

    found = base(text)

    assert found.text == (
        f"[Result too large ({len(text) / 1024:.1f} KB, 300 lines). Full output saved to node LOCAL. "
        f"{BEGINNING_ONLY}]\n\nPreview (first 200 lines):\n" + "\n".join(text.split("\n")[:200])
    )
    assert (found.row, found.why) == ("store", "size")
    assert READ_IT in base(text, can_read=True).text


def test_size_has_one_digit_as_python_rounds_it() -> None:
    assert "(30.0 KB, 1 lines)" in base("x" * 30_721).text
    assert "(58.6 KB, 2 lines)" in base("x" * 60_000 + "\n").text


@pytest.mark.parametrize(("length", "row"), [(50_000, None), (50_001, "truncate")])
def test_a_text_of_more_than_fifty_thousand_characters_keeps_both_ends(length: int, row: str | None) -> None:
    economy = Economy(store_bytes=10_000_000)
    text = "a" * 24_970 + "b" * (length - 49_940) + "c" * 24_970

    found = base_of(part(text), economy, can_read=False)

    assert found.row == row
    if row:
        assert (
            found.text == f"{'a' * 24_970}\n\n[... truncated {length - 49_940} chars ...]\n\n{'c' * 24_970}"
        )


def test_a_preview_that_is_long_itself_is_truncated() -> None:
    found = base("x" * 60_000)

    assert found.row == "truncate"
    assert found.text.startswith("[Result too large (58.6 KB, 1 lines).")
    assert "\n\n[... truncated " in found.text
    assert len(found.text) < 50_000


# Budget


@pytest.mark.parametrize(
    ("utilization", "budget"), [(0.4999, None), (0.5, 30_000), (0.7, 30_000), (0.7001, 15_000)]
)
def test_the_budget_follows_from_how_full_the_window_is(utilization: float, budget: int | None) -> None:
    assert budget_at(utilization, ECONOMY) == budget


@pytest.mark.parametrize(("utilization", "budget", "keep"), [(0.5, 30_000, 14_960), (0.71, 15_000, 7_460)])
def test_a_base_longer_than_its_budget_keeps_both_ends(utilization: float, budget: int, keep: int) -> None:
    exact, longer = part("x" * budget), part("a" * (budget + 1))

    found = compressed(
        [exact, longer], [Shortened(exact.text), Shortened(longer.text)], ECONOMY, WindowLoad(utilization, 0)
    )

    assert found.parts[0].row is None
    cut = budget + 1 - 2 * keep
    assert found.parts[1].text == f"{'a' * keep}\n\n[... budgeted: {cut} chars truncated ...]\n\n{'a' * keep}"
    assert (found.parts[1].row, found.parts[1].why) == ("budget", "load")


def test_budget_works_on_the_base_and_not_on_the_original() -> None:
    text = "x" * 40_000
    stored = base(text)

    found = compressed([part(text)], [stored], ECONOMY, WindowLoad(0.5, 0)).parts[0]

    assert found.row == "budget"
    assert found.text.startswith("[Result too large (39.1 KB, 1 lines).")
    assert f"[... budgeted: {len(stored.text) - 29_920} chars truncated ...]" in found.text


# Snip


@pytest.mark.parametrize(
    ("utilization", "idle", "snipped"),
    [
        (0.5999, 300, False),
        (0.6, 300, True),
        (0.6, 299, False),
        (0.6, None, True),
        (0.7499, 299, False),
        (0.75, 0, True),
        (0.5999, None, False),
    ],
)
def test_old_results_are_snipped_when_it_is_full_and_cold(
    utilization: float, idle: float | None, snipped: bool
) -> None:
    found = sent(results(4, "document"), WindowLoad(utilization, idle))

    assert (found[0] == ("snip", "older")) is snipped
    assert [row for row, _ in found[1:]] == [None] * 3


def test_only_results_that_can_be_read_again_are_snipped_and_counted() -> None:
    others = results(5, name="fetch_page")
    parts = [*results(1), *others, *results(2, "document"), part(name="run_shell"), part("text", "text")]

    found = sent(parts, WindowLoad(0.75, 0))

    assert [row for row, _ in found] == ["snip", *[None] * 9]


@pytest.mark.parametrize("name", ["read_file", "grep_search", "list_files", "run_shell"])
def test_results_of_these_tools_are_snipped(name: str) -> None:
    assert sent(results(4, name=name), WindowLoad(0.75, 0))[0] == ("snip", "older")


def test_a_result_that_comes_again_later_is_told_so() -> None:
    parts = [part(source="a"), part(source="b"), part(source=None), part(source="a"), *results(2)]

    found = sent(parts, WindowLoad(0.75, 0))

    assert found[:3] == [("snip", "again"), ("snip", "older"), ("snip", "older")]
    text = (
        compressed(parts, [Shortened(one.text) for one in parts], ECONOMY, WindowLoad(0.75, 0)).parts[0].text
    )
    assert text == SNIPPED == "[Content snipped - re-read if needed]"


# Clear


@pytest.mark.parametrize(("idle", "cleared"), [(299, False), (300, True), (None, False)])
def test_old_results_are_cleared_when_nothing_was_asked_for_five_minutes(
    idle: float | None, cleared: bool
) -> None:
    found = sent(results(4, name="fetch_page"), WindowLoad(0.0, idle))

    assert (found[0] == ("clear", "idle")) is cleared
    assert [row for row, _ in found[1:]] == [None] * 3


@pytest.mark.parametrize(("utilization", "cleared"), [(0.4999, False), (0.5, True)])
def test_documents_are_cleared_only_when_the_window_is_half_full_but_count_before(
    utilization: float, cleared: bool
) -> None:
    parts = [*results(1, name="fetch"), *results(1, "document"), *results(3, "document")]

    found = sent(parts, WindowLoad(utilization, IDLE))

    assert found[0] == ("clear", "idle")
    assert (found[1] == ("clear", "idle")) is cleared


def test_placeholders_are_final_and_do_not_count_among_the_newest() -> None:
    parts = [*results(2, name="fetch"), *results(5), *results(1, name="fetch")]

    found = sent(parts, WindowLoad(0.75, IDLE))

    rows = [row for row, _ in found]
    assert rows == ["clear", "clear", "snip", "snip", "clear", None, None, None]


def test_the_text_of_what_is_cleared() -> None:
    parts = results(4)

    found = compressed(parts, [Shortened(one.text) for one in parts], ECONOMY, WindowLoad(0, IDLE))

    assert found.parts[0].text == CLEARED == "[Old result cleared]"


# What is never shortened


@pytest.mark.parametrize("flag", ["newest", "full"])
def test_the_newest_unit_and_what_is_to_go_in_full_are_never_shortened_but_count(flag: str) -> None:
    long = "x" * 60_000
    kept = [part(long, newest=flag == "newest", full=flag == "full", node_id=f"k{i}") for i in range(3)]
    parts = [part("old"), *kept]

    found = sent(parts, WindowLoad(0.9, IDLE), CarriedOn("k0", 0, "clear"))

    assert found == [("snip", "older"), (None, None), (None, None), (None, None)]


def test_plain_text_is_never_snipped_or_cleared() -> None:
    texts = [part("x" * 16_000, "text", node_id=f"t{i}") for i in range(5)]

    found = sent(texts, WindowLoad(0.9, IDLE), economy=Economy(compression=True, compress_text=True))

    assert found == [("budget", "load")] * 5


def test_no_shorter_text_than_this_is_ever_shortened() -> None:
    assert shortest_shortened(ECONOMY) == 7_680
    assert base("😀" * 7_680).row is None


# Carried on


def test_what_was_cleared_or_snipped_stays_so_when_the_window_is_empty_again() -> None:
    carried = (CarriedOn("a", 0, "snip"), CarriedOn("b", 0, "clear"), CarriedOn("c", 1, "clear"))

    found = sent([part(node_id="a"), part(node_id="b"), part(node_id="c")], BUSY, *carried)

    assert found == [("snip", "carried"), ("clear", "carried"), (None, None)]


def test_what_was_budgeted_stays_at_least_as_short() -> None:
    text = part("x" * 20_000)
    tight, loose = CarriedOn("n", 0, "budget", 15_000), CarriedOn("n", 0, "budget", 30_000)

    assert sent([text], BUSY, tight) == [("budget", "carried")]
    assert sent([text], BUSY, loose) == [(None, None)]
    assert sent([text], WindowLoad(0.5, 0), tight) == [("budget", "carried")]
    assert sent([part("x" * 30_500)], WindowLoad(0.71, 0), loose) == [("budget", "load")]
    found = compressed([text], [Shortened(text.text)], ECONOMY, BUSY, [tight]).parts[0]
    assert len(found.text) == 2 * 7_460 + len("\n\n[... budgeted: 5080 chars truncated ...]\n\n")


def test_newly_freed_is_only_what_was_not_carried_on() -> None:
    parts = [part("x" * 400, node_id=f"n{i}") for i in range(5)]
    bases = [Shortened(one.text) for one in parts]

    alone = compressed(parts, bases, ECONOMY, WindowLoad(0, IDLE))
    carried = compressed(parts, bases, ECONOMY, WindowLoad(0, IDLE), [CarriedOn("n0", 0, "clear")])

    assert alone.freed_tokens == 2 * (100 - 5)
    assert carried.freed_tokens == 100 - 5


# Compaction


@pytest.mark.parametrize(("used", "freed", "due"), [(850, 0, False), (851, 0, True), (951, 101, False)])
def test_a_summary_is_due_above_eighty_five_percent(used: int, freed: int, due: bool) -> None:
    assert is_compaction_due(used, freed, 1_000, ECONOMY) is due


@pytest.mark.parametrize(
    ("window", "effective"), [(128_000, 108_000), (80_000, 60_000), (79_999, 60_000), (1_000, 750)]
)
def test_the_effective_window_leaves_out_a_quarter_or_twenty_thousand(window: int, effective: int) -> None:
    assert ECONOMY.effective_window(window) == effective
