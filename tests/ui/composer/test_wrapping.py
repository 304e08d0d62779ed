"""A word of a hundred thousand characters can be written and edited like any other text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QTextOption
from pytestqt.qtbot import QtBot

from loomapp.ui.composer.composer import Composer
from loomapp.ui.dialogue.message.editor import MessageEditor
from loomapp.ui.widgets.fields import WrappingField

MODES = QTextOption.WrapMode
LONG = "x" * 100_000


@pytest.fixture(params=["composer", "editor"])
def field(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[WrappingField]:
    widget = Composer() if request.param == "composer" else MessageEditor("Save")
    qtbot.addWidget(widget)
    widget.resize(400, 300)
    widget.show()
    field = widget.field
    assert isinstance(field, WrappingField)
    yield field
    widget.close()


def test_a_long_word_breaks_anywhere_however_it_comes_and_stays_exact(field: WrappingField) -> None:
    assert field.wordWrapMode() == MODES.WrapAtWordBoundaryOrAnywhere

    field.setPlainText(f"a\u00a0b {LONG}")
    assert field.wordWrapMode() == MODES.WrapAnywhere
    assert field.exact_text == f"a\u00a0b {LONG}"

    field.setPlainText("some words " * 10_000)
    assert field.wordWrapMode() == MODES.WrapAtWordBoundaryOrAnywhere

    pasted = QMimeData()
    pasted.setText(LONG)
    field.selectAll()
    field.insertFromMimeData(pasted)
    assert field.wordWrapMode() == MODES.WrapAnywhere
    assert field.exact_text == LONG

    field.selectAll()
    field.insertPlainText("short")
    assert field.wordWrapMode() == MODES.WrapAtWordBoundaryOrAnywhere
    field.insertPlainText(LONG)
    assert field.wordWrapMode() == MODES.WrapAnywhere


def test_a_text_that_was_there_before_the_field_had_its_width_is_not_moved_aside(qtbot: QtBot) -> None:
    """Qt takes such a text for wider than its lines are: at some widths its first letters were cut."""
    composer = Composer()
    qtbot.addWidget(composer)
    composer.field.setPlainText(
        "A long line of a draft that goes on until it wraps into one row after another. " * 3
    )
    composer.show()

    for width in range(300, 400, 4):
        composer.resize(width, 200)
        bar = composer.field.horizontalScrollBar()
        assert (bar.maximum(), bar.value()) == (0, 0), width
