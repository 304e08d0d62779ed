"""Numbers as they are shown: thousands are set apart wherever a count may be large."""

from __future__ import annotations

import re
from pathlib import Path

from pytestqt.qtbot import QtBot

import loomapp.ui
from loomapp.ui.graph.painting.overlay import fold_text
from loomapp.ui.strings import step_words
from loomapp.ui.widgets.buttons import SiblingPager


def test_large_counts_of_siblings_folded_cards_and_steps_are_grouped(qtbot: QtBot) -> None:
    pager = SiblingPager()
    qtbot.addWidget(pager)

    pager.show_place(1_234, 20_000)

    assert pager.text == "1,234/20,000"
    assert pager.accessibleName() == "Sibling 1,234 of 20,000"
    assert fold_text(4_321) == "+4,321"
    assert step_words("Prune 1234 messages") == "Delete 1,234 messages"
    assert step_words("Undo Prune 1234 messages") == "Undone: Delete 1,234 messages"


def test_every_number_of_the_window_is_written_as_the_readers_country_does() -> None:
    folder = Path(str(loomapp.ui.__file__)).parent
    by_hand = [
        f"{file.relative_to(folder)}: {found}"
        for file in folder.rglob("*.py")
        for found in re.findall(r"\{[^{}\n]+:,\}", file.read_text(encoding="utf-8"))
    ]
    assert by_hand == []
