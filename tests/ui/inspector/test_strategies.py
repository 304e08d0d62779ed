"""What each strategy would send, beside the context: the same numbers as when it is chosen.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.economy.branch_summaries import update_summary
from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.model.entities import ContextSettings
from loomapp.ui.commands import remedies
from loomapp.ui.inspector.what_if.strategies import StrategyCard
from loomapp.ui.look import theme
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.windows import open_window

ROOM = 7_700  # of the small model's 8,192
HIGH_PX = 480


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return tmp_path / "g.loom"


def fill(window: MainWindow, qtbot: QtBot, messages: int = 6, room: int = ROOM) -> None:
    """More than there is room for, and an inspector that is high enough."""
    document = window.document
    for number in range(messages):
        text = f"{number} " + "words " * 80
        document.commit(node_edits.add_node(document.tree, document.current_id, text, document.pen()))
    loom = replace(document.tree.loom, context_settings=ContextSettings(token_buffer=room))
    document.commit(tree_edits.change_loom(document.tree, "Settings", document.pen(), loom))
    window.inspector.show_context()
    window.inspector_dock.setMinimumHeight(HIGH_PX)
    qtbot.waitUntil(lambda: cards(window)["rollingWindow"].share.count == messages)


def cards(window: MainWindow) -> dict[str, StrategyCard]:
    names = ("truncateMiddle", "rollingWindow", "stopAtLimit")
    return {name: find(window.inspector, StrategyCard, f"{name}Card") for name in names}


def own_strategy(window: MainWindow) -> str | None:
    return window.document.tree.loom.context_settings.truncation_strategy


def test_a_card_says_what_choosing_it_then_sends(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        fill(window, qtbot)
        found = cards(window)
        assert [name for name, card in found.items() if card.isChecked()] == ["truncateMiddle"]
        assert found["stopAtLimit"].share.tokens is None
        assert "tokens over" in found["stopAtLimit"].share.words
        said = found["rollingWindow"].share
        assert 0 < said.kept < said.count
        assert [bool(sent) for _, sent in said.blocks] == [False] * (6 - said.kept) + [True] * said.kept

        pointer.click(found["rollingWindow"])

        qtbot.waitUntil(lambda: own_strategy(window) == "rollingWindow")
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert window.preview.last.report.after_tokens == said.tokens
        qtbot.waitUntil(found["rollingWindow"].isChecked)
        pointer.key("ctrl+z")
        qtbot.waitUntil(lambda: own_strategy(window) is None)


def colours_of(card: StrategyCard) -> set[int]:
    image = card.grab().toImage()
    return {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}


@pytest.mark.slow
def test_the_blocks_of_a_card_change_with_the_theme(grove: Path, qtbot: QtBot, qapp: QApplication) -> None:
    worn = theme.current_name()
    with open_window(grove, qtbot) as window:
        fill(window, qtbot)
        card = cards(window)["truncateMiddle"]
        before = theme.agent_colour(None).rgba()
        assert before in colours_of(card)

        theme.apply(qapp, "light" if worn == "dark" else "dark")
        try:
            assert theme.agent_colour(None).rgba() in colours_of(card)
            assert before not in colours_of(card)
        finally:
            theme.apply(qapp, worn)


@pytest.mark.slow
def test_when_nothing_is_sent_the_others_are_one_click_away(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        fill(window, qtbot)
        pointer.click(cards(window)["stopAtLimit"])
        qtbot.waitUntil(lambda: window.preview.last is None)
        qtbot.waitUntil(cards(window)["stopAtLimit"].isChecked)
        assert cards(window)["truncateMiddle"].isVisible()
        pointer.click(cards(window)["truncateMiddle"])
        qtbot.waitUntil(lambda: window.preview.last is not None)


@pytest.mark.slow
@pytest.mark.desktop
def test_what_the_strategies_send_ends_with_the_context_it_is_of(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        fill(window, qtbot)
        document, preview = window.document, window.preview
        assert [name for name, _ in preview.by_strategy()] == list(STRATEGIES)
        outcomes = preview.by_strategy()
        next(outcomes)
        document.commit(node_marks.exclude(document.tree, document.path_ids[-1:], document.pen()))
        assert list(outcomes) == []


@pytest.mark.slow
@pytest.mark.desktop
def test_in_a_low_inspector_they_keep_out_of_the_way(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        fill(window, qtbot)
        assert cards(window)["truncateMiddle"].isVisible()
        window.inspector_dock.setMinimumHeight(0)
        window.resizeDocks([window.inspector_dock], [200], Qt.Orientation.Vertical)
        qtbot.waitUntil(lambda: not cards(window)["truncateMiddle"].isVisible())


@pytest.mark.slow
@pytest.mark.desktop
def test_what_has_no_room_gets_it_by_what_its_menu_says(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        fill(window, qtbot)
        window.preview.refresh_now()
        assert window.preview.last is not None
        gone = next(d.node_id for d in window.preview.last.report.dropped if d.reason == "truncated")
        room = window.inspector.context.rows.remedy_rect(gone)
        assert not room.isEmpty()
        menu = remedies.room_menu(window.bench, gone)
        first = menu.actions()[0]
        assert "Room for the answer: only" in first.text()
        first.trigger()
        menu.deleteLater()
        qtbot.waitUntil(lambda: window.document.tree.loom.context_settings.token_buffer != ROOM)
        window.preview.refresh_now()
        assert window.preview.last.fates[gone] == "sent"
        window.actions_set.by_name["undo"].trigger()
        assert window.document.tree.loom.context_settings.token_buffer == ROOM


@pytest.mark.desktop
def test_the_summaries_of_the_branches_are_a_fourth_way(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        fill(window, qtbot, room=ROOM - 200)  # the branch's own messages fit, the summary before them, too
        document = window.document
        fourth = find(window, StrategyCard, "summariesCard")
        assert not fourth.isVisible()
        document.commit(update_summary(document.tree, document.path_ids[3], "It began.", document.pen()))
        qtbot.waitUntil(fourth.isVisible)
        share = fourth.share
        assert (share.heads, share.kept, share.words) == (2, 3, "2 summaries + 3 of 6 messages")
        assert [bool(sent) for _, sent in share.blocks] == [False] * 3 + [True] * 3

        fourth.click()

        qtbot.waitUntil(fourth.isChecked)
        assert document.tree.loom.context_settings.economy.assembler == "summaries"
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert window.preview.last.report.after_tokens == share.tokens
        assert "## Thread:" in (window.preview.last.system or "")
        window.actions_set.by_name["undo"].trigger()
        qtbot.waitUntil(lambda: not fourth.isChecked())
        assert document.tree.loom.context_settings.economy.assembler is None
        fourth.click()
        qtbot.waitUntil(fourth.isChecked)
        cards(window)["rollingWindow"].click()
        qtbot.waitUntil(cards(window)["rollingWindow"].isChecked)
        own = document.tree.loom.context_settings
        assert (own.economy.assembler, own.truncation_strategy) == (None, "rollingWindow")
