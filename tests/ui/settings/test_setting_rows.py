"""Rows of the settings page by themselves: how a value is shown, told when it is another, and taken back."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.settings.registry import FIELDS
from loomapp.core.settings.setting import Value
from loomapp.core.summarisers.prompts import story_prompt
from loomapp.ui.settings.rows import SettingRow
from loomapp.ui.widgets.form import LongText
from tests.kit.find import find


def row_of(field: str, value: Value, ground: QWidget) -> tuple[SettingRow, list[object]]:
    row, said = SettingRow(FIELDS[field], ground), list[object]()
    row.changed.connect(lambda _, value: said.append(value))
    row.show_value(value)
    return row, said


def test_a_prompt_shows_the_usual_one_and_only_another_is_told(qtbot: QtBot) -> None:
    ground = QWidget()
    qtbot.addWidget(ground)
    row, said = row_of("summary_prompts.story", "", ground)
    field = find(row, LongText, "setting_summary_prompts.story")
    back = find(row, QPushButton, "setting_summary_prompts.story_back")

    assert (field.text(), back.isHidden()) == (story_prompt(), True)
    field.typing_ended.emit()
    assert said == []
    field.selectAll()
    QTest.keyClicks(field, "Keep the dragons.")
    field.typing_ended.emit()
    assert said == ["Keep the dragons."]
    row.show_value("Keep the dragons.")
    assert not back.isHidden()
    assert back.text().endswith("the usual one")
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == story_prompt()
    field.typing_ended.emit()
    assert said == ["Keep the dragons.", None]


def test_shares_switches_and_empty_lines_are_told_as_the_file_has_them(qtbot: QtBot) -> None:
    ground = QWidget()
    qtbot.addWidget(ground)
    share, told_share = row_of("soft_threshold", 0.75, ground)
    model, told_model = row_of("summary_model", "own:m", ground)
    switch, told_switch = row_of("compression", False, ground)

    find(share, QDoubleSpinBox, "setting_soft_threshold").stepBy(1)
    line = find(model, QLineEdit, "setting_summary_model")
    QTest.keyClicks(line, " ", Qt.KeyboardModifier.NoModifier)
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClick(line, Qt.Key.Key_Return)
    box = find(switch, QCheckBox, "setting_compression")
    words = [box.text()]
    box.click()
    switch.show_value(True)

    assert told_share == [0.8]
    assert told_model == [None]
    assert line.placeholderText() == "the model that is asked"
    assert (told_switch, [*words, box.text()]) == ([True], ["Not shortened", "Shorten when full"])


def test_words_have_the_room_that_the_widest_field_leaves(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    row = SettingRow(FIELDS["prose_size_px"], page)
    words = row.title.parentWidget()
    assert words is not None

    widths = []
    for page_px in (500, 610, 700):
        row.fit(page_px)
        widths.append(words.maximumWidth())
    assert widths == [148, 190, 256]
