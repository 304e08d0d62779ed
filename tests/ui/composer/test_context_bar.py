"""The context bar: its numbers are always there, in every width and in every trouble."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.context.report import Report, Threads, UsedSummary
from loomapp.core.context.request import ContextRequest
from loomapp.core.context.units import Dropped
from loomapp.core.economy.calls import Call
from loomapp.core.economy.thresholds import ContextState
from loomapp.core.errors import AssemblyError
from loomapp.core.text.token_counts import SCALED, TOKENIZER
from loomapp.ui.commands.inspector.forecast import state_of
from loomapp.ui.composer.context_bar import ContextBar, ContextStateMark
from loomapp.ui.look import theme
from loomapp.ui.widgets.budget_bar import BudgetBar
from loomapp.ui.widgets.error_strip import ErrorStrip
from tests.core.economy.trees import asked, talk
from tests.kit.desktop import Pointer, show_active
from tests.kit.families import one_in
from tests.kit.find import find

REPORT = Report(
    strategy="truncateMiddle",
    window=4096,
    available=3072,
    system_tokens=50,
    before_tokens=4200,
    after_tokens=1658,
    truncated=True,
    over_limit=False,
    minimum_recent_honoured=True,
    marker=True,
    kept=tuple("abcdefg"),
    dropped=(Dropped("x", "truncated", 2140), Dropped("y", "excluded", 402), Dropped("z", "annotation", 9)),
)


@pytest.fixture
def shelter(qtbot: QtBot) -> QWidget:
    """The window around the bar, kept until the test is over."""
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def bar(qtbot: QtBot, qapp: QApplication, shelter: QWidget) -> ContextBar:
    theme.apply(qapp, "light")
    window = shelter
    column = QVBoxLayout(window)
    column.setContentsMargins(0, 0, 0, 0)
    bar = ContextBar(window)
    column.addWidget(bar)
    column.addStretch(1)
    window.resize(400, 200)
    show_active(qtbot, window)
    bar.show_report(REPORT)
    return bar


def test_its_words_say_used_available_and_kept(bar: ContextBar) -> None:
    assert bar.numbers == "1,658 / 3,072 tokens"
    assert bar.kept == "kept 7 of 9"
    assert bar.accessibleName() == "Context: 1,658 / 3,072 tokens, kept 7 of 9"
    assert bar.accessibleDescription() == bar.toolTip(), "a tip that changes is not told of"


def test_the_tool_tip_has_every_number(bar: ContextBar) -> None:
    assert bar.toolTip().splitlines() == [
        "System: 50",
        "Messages: 1,608",
        "Free: 1,414",
        "Kept for the answer: 1,024",
        "The model's context window: 4,096",
        "Sent: 7 of 9 nodes (not counting empty ones and notes that are off)",
        "No room: 1",
        "Excluded: 1",
        "Notes not sent: 1",
        "An estimate: characters ÷ 4.",
    ]
    bar.show_report(replace(REPORT, estimator=SCALED))
    assert bar.toolTip().splitlines()[-1].startswith("An estimate, corrected by")
    bar.show_report(replace(REPORT, estimator=TOKENIZER))
    assert bar.toolTip().splitlines()[-1] == "Counted with the model’s own tokenizer."


def test_its_parts_are_as_long_as_they_are_large(bar: ContextBar) -> None:
    budget = find(bar, BudgetBar, "budgetBar")
    system, kept, reserve = budget.segments()

    assert budget.isVisible()
    assert kept.width() == pytest.approx(budget.width() * 1608 / 4096)
    assert reserve.right() == budget.width()
    assert reserve.width() == pytest.approx(budget.width() / 4)
    assert system.width() == 2.0


@pytest.mark.parametrize("width", one_in(3, [160, 200, 240, 320, 400, 900]))
def test_its_numbers_fit_in_every_width(bar: ContextBar, qtbot: QtBot, width: int) -> None:
    bar.window().resize(width, 200)
    qtbot.waitUntil(lambda: bar.width() == max(width, bar.minimumSizeHint().width()))

    words = QFontMetrics(theme.numbers("small")).horizontalAdvance(bar.numbers)
    budget = find(bar, BudgetBar, "budgetBar")
    left = budget.geometry().right() + 10 if budget.isVisible() else 26
    assert left + words <= bar.width()
    kept = QFontMetrics(theme.numbers("small")).horizontalAdvance(bar.kept)
    assert bar._wraps or left + words + kept < bar.width()


def test_an_error_stands_above_the_numbers_with_its_next_step(bar: ContextBar, pointer: Pointer) -> None:
    asked: list[int] = []
    bar.warning_asked.connect(lambda: asked.append(1))
    error = AssemblyError("SYSTEM_TOO_LARGE", "The system context is too large.", needed=5000, available=3072)

    bar.show_report(None, error)
    strip = find(bar, ErrorStrip, "contextError")
    pointer.click(find(strip, QPushButton, "errorAction"))

    assert strip.text == "The system context is too large."
    assert bar.numbers == "5,000 / 3,072 tokens"
    assert asked == [1]
    bar.show_report(REPORT)
    assert not strip.isVisible()


def test_a_message_that_is_too_long_is_said(bar: ContextBar) -> None:
    bar.show_report(replace(REPORT, after_tokens=4000, over_limit=True))

    assert find(bar, ErrorStrip, "contextError").text == "The newest message alone is 928 tokens too long."


def test_a_click_asks_for_the_details(bar: ContextBar, pointer: Pointer) -> None:
    asked: list[int] = []
    bar.details_asked.connect(lambda: asked.append(1))

    pointer.click(bar)
    bar.setFocus()
    pointer.key("space")

    assert asked == [1, 1]


def test_a_path_of_nothing_says_so(bar: ContextBar) -> None:
    bar.show_report(replace(REPORT, kept=(), dropped=(), after_tokens=50, truncated=False))
    assert bar.kept == "system only"

    bar.show_report(replace(REPORT, kept=(), dropped=(), after_tokens=0, system_tokens=0, truncated=False))
    assert bar.kept == "nothing yet"


def test_words_in_no_node_yet_are_not_told_as_nothing(bar: ContextBar) -> None:
    """The bar beside it is as full as they are many."""
    bar.show_report(replace(REPORT, kept=(), dropped=(), truncated=False))
    assert bar.kept == "only your new text"

    bar.show_report(replace(REPORT, kept=(), dropped=(), system_tokens=0, truncated=False))
    assert bar.kept == "only your new text"

    told = replace(REPORT.economy, threads=Threads(("x", "y"), 2, is_depth_capped=False))
    stood_for = (Dropped("x", "branch_summarised", 9), Dropped("y", "branch_summarised", 9))
    bar.show_report(replace(REPORT, kept=(), dropped=stood_for, truncated=False, economy=told))
    assert bar.kept == "2 summaries + 0 of 2"


def test_the_bar_and_the_card_of_a_summary_count_the_same_messages(bar: ContextBar) -> None:
    used = replace(REPORT.economy, summary_used=UsedSummary("n", "0", 1, 20))
    stood_for = (Dropped("x", "summarised", 9), Dropped("image on it", "summarised", 9))

    bar.show_report(replace(REPORT, dropped=stood_for, truncated=False, economy=used))

    assert bar.kept == "kept 7 · 1 summarised"
    assert "In the summary: 1" in bar.toolTip()


def test_a_path_of_which_no_node_has_room_is_counted(bar: ContextBar) -> None:
    bar.show_report(replace(REPORT, kept=()))

    assert bar.kept == "kept 0 of 2"
    assert "Sent: 0 of 2 nodes" in bar.toolTip()


def test_the_tip_and_the_bar_have_one_count_and_one_word_for_how_it_is_known(bar: ContextBar) -> None:
    calls = {"n2": Call("x", "m:1", input_tokens=1_000, output_tokens=20)}
    context = asked(talk(5), "n5", request=ContextRequest("n5", calls=calls, model="m:1"))
    assert context.economy is not None
    assert context.economy.state.size == 1_023

    bar.show_report(context.report, state=state_of(context))

    assert bar.numbers.startswith("5 / ")
    first, second, *_, last = bar.toolTip().splitlines()
    assert first == "Context: 5 / 128.0k tokens (0%)"
    assert second == "Roomy, estimated"
    assert last.startswith("An estimate")


@pytest.mark.parametrize(
    ("size", "report", "level", "word", "alarm"),
    [
        (1_600, REPORT, 1, "roomy", ""),
        (4_400, REPORT, 2, "half full", ""),
        (5_900, REPORT, 3, "nearly full", "nearly full"),
        (7_200, REPORT, 4, "full", "full"),
        (
            7_300,
            replace(REPORT, truncated=False, after_tokens=2_900),
            4,
            "full",
            "full",
        ),  # and all of it fits
        (7_000, replace(REPORT, truncated=False, after_tokens=2_250), 4, "nearly full", "nearly full"),
        (7_300, REPORT, 4, "cut to fit", "cut to fit"),
        (7_300, replace(REPORT, over_limit=True), 4, "too long", "too long"),
    ],
)
def test_the_mark_says_by_shape_and_word_how_full_the_context_is(
    bar: ContextBar, size: int, report: Report, level: int, word: str, alarm: str
) -> None:
    state = ContextState(size, False, 7_200, size / 7_200, 0.75, 0.9, 12_000, 3_000)

    bar.show_report(report, state=state)

    mark = find(bar, ContextStateMark, "contextState")
    assert (mark.isVisible(), mark.filled, mark.accessibleName()) == (True, level, word)
    assert abs(mark.geometry().center().y() - find(bar, BudgetBar, "budgetBar").geometry().center().y()) <= 1
    assert bar.alarm == alarm
    assert bar.accessibleName().endswith(f", {word}")
    first, second, third, *_ = bar.toolTip().splitlines()
    assert first == f"Context: {size / 1000:.1f}k / 7.2k tokens ({min(100, round(size / 72))}%)"
    assert second.lower() == f"{word}, estimated"
    assert third == "All calls of this path: 12,000 tokens in, 3,000 out"
    bar.show_report(report, state=replace(state, max_tokens=9_216))
    third = bar.toolTip().splitlines()[2]
    assert (
        third
        == "The percentage is of 7,200 tokens, fewer than fit: it tells in time that a summary would help"
    )
    bar.show_report(REPORT)
    assert not mark.isVisible()
    assert bar.alarm == ""
