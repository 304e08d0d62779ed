"""Tool tips: never read as markup, and said by a screen reader without tags."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAccessible, Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from loomapp.ui.widgets.labels import plain_tip, set_tip


@pytest.mark.parametrize("words", ["New tree: a dialogue (Ctrl+N)", "Fish & chips", "one\ntwo", ""])
def test_a_tip_is_heard_as_it_is_read(words: str, qtbot: QtBot) -> None:
    button = QToolButton()
    qtbot.addWidget(button)
    set_tip(button, "what was said <b>before</b>")
    set_tip(button, words)

    heard = QAccessible.queryAccessibleInterface(button).text(QAccessible.Text.Description)
    assert heard == words
    assert not Qt.mightBeRichText(heard)


@pytest.mark.parametrize("words", ["<img src='http://a.example'>", "one\ntwo", "long " * 40])
def test_what_looks_like_markup_or_is_long_is_set_as_words(words: str) -> None:
    tip = plain_tip(words)

    assert Qt.mightBeRichText(tip)
    assert "<img" not in tip
