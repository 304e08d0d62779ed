"""Small windows: the buttons of edits and notes are whole, and every key of the keys page is in sight."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QTreeWidget
from pytestqt.qtbot import QtBot

from loomapp.ui.commands.help.keys_page import KEYS
from loomapp.ui.dialogue.message.editor import MessageEditor
from loomapp.ui.look import theme
from loomapp.ui.widgets.budget_bar import BudgetBar
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import open_window

EDIT_BUTTONS = ("discardEditButton", "closeEditButton", "saveEditButton")


@pytest.mark.parametrize("width", one_in(4, range(240, 460, 20)))
def test_the_buttons_of_an_edit_are_whole_or_say_no_keys(qtbot: QtBot, width: int) -> None:
    editor = MessageEditor("Save")
    qtbot.addWidget(editor)
    editor.open("Wren.")

    editor.resize(width, editor.fit(width))

    buttons = [find(editor, QPushButton, name) for name in EDIT_BUTTONS]
    needed = sum(button.sizeHint().width() for button in buttons) + 2 * theme.px("space.s")
    assert needed <= width or not any(button.accessibleDescription() for button in buttons)


def test_in_a_low_window_no_part_of_an_open_note_covers_another(tmp_path: Path, qtbot: QtBot) -> None:
    with open_window(written(tmp_path / "g.loom", ("Wren.", "")), qtbot) as window:
        window.resize(640, 440)
        qtbot.waitUntil(lambda: window.height() == 440)
        window.actions_set.by_name["annotate"].trigger()
        editor = window.text_pane.note_box.editor
        qtbot.waitUntil(editor.field.hasFocus)

        def stand_apart() -> bool:
            field = editor.field.geometry()
            return not any(
                find(editor, QPushButton, name).geometry().intersects(field) for name in EDIT_BUTTONS
            )

        qtbot.waitUntil(stand_apart)
        generate = find(window, QPushButton, "generateButton")
        assert generate.accessibleDescription() == "", "its key saves the note"

        window.composer.field.setFocus()
        assert generate.accessibleDescription()


def test_the_numbers_of_a_context_lie_apart_after_the_window_was_small(tmp_path: Path, qtbot: QtBot) -> None:
    with open_window(written(tmp_path / "g.loom", ("Wren.", "")), qtbot) as window:
        window.bring_inspector()
        box = find(window, QLabel, "contextTotal").parentWidget()
        assert box is not None
        for width, height in ((1600, 1000), (1000, 640), (1600, 1000), (800, 560), (1600, 1000)):
            window.resize(width, height)
            for _ in range(20):
                QApplication.processEvents()

        parts = [
            find(box, QPushButton, "whatIfButton"),
            find(box, BudgetBar, "budgetBar"),
            find(box, QLabel, "contextMeasured"),
        ]

        def lie_apart() -> bool:
            places = [QRect(part.mapTo(box, QPoint(0, 0)), part.size()) for part in parts]
            return all(above.bottom() < below.top() for above, below in pairwise(places))

        qtbot.waitUntil(lie_apart)


def test_in_a_narrow_window_every_key_of_the_keys_page_is_in_sight(tmp_path: Path, qtbot: QtBot) -> None:
    with open_window(written(tmp_path / "g.loom", ("Wren.", "")), qtbot) as window:
        window.resize(910, 600)
        qtbot.waitUntil(lambda: window.width() == 910)
        window.actions_set.by_name["showKeys"].trigger()
        find(window, QAbstractButton, "helpSections_keys").click()
        rows = find(window, QTreeWidget, "keysList")
        qtbot.waitUntil(rows.isVisible)
        row = next(iter(rows.findItems("Ctrl+Shift+T", Qt.MatchFlag.MatchRecursive, KEYS)))

        def is_in_sight() -> bool:
            words = rows.fontMetrics().horizontalAdvance(row.text(KEYS))
            left = rows.columnViewportPosition(KEYS)
            return left > 0 and left + words <= rows.viewport().width()

        qtbot.waitUntil(is_in_sight)
        assert not rows.horizontalScrollBar().isVisible()
