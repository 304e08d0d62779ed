"""The status bar: when the grove was saved."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QDateTime
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.generation.drafts import Awaited
from loomapp.core.model.statistics import TreeStatistics
from loomapp.providers.engine.state import Absent
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import now
from loomapp.ui import figures
from loomapp.ui.frame.status import Status
from tests.kit.conversations import letter
from tests.kit.find import find
from tests.kit.refused_groves import sample

LEAST_PX = 600  # the least width of a window


def test_what_was_saved_on_another_day_has_its_date(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    status = Status(window)
    saved = find(status, QLabel, "statusSaved")
    today = QDateTime.currentDateTime()
    yesterday = today.addDays(-1)

    status.show_saved(yesterday.toMSecsSinceEpoch())

    assert figures.locale().toString(yesterday.date(), "d MMM") in saved.text()
    assert ":" not in saved.text()

    status.show_saved(today.toMSecsSinceEpoch())

    assert ":" in saved.text()
    heard = QAccessible.queryAccessibleInterface(saved).text(QAccessible.Text.Name)
    assert heard == f"When the grove was saved: {saved.text()}"


def test_what_was_saved_is_this_file_however_old_its_trees_are(tmp_path: Path) -> None:
    path = sample(tmp_path / "g.loom")
    last_year = QDateTime.currentDateTime().addYears(-1).toSecsSinceEpoch()

    with open_grove(path) as grove:
        assert abs(grove.saved_at() - now()) < 60_000
        os.utime(path, (last_year, last_year))
        assert grove.saved_at() == last_year * 1000


def test_answers_that_wait_for_their_first_word_are_not_called_streaming(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    status = Status(window)
    says = find(status, QLabel, "statusStreams")

    for count, waiting, words in (
        (3, 3, "3 waiting"),
        (3, 1, "2 streaming, 1 waiting"),
        (3, 0, "3 streaming"),
    ):
        status.show_streams(count, waiting=waiting)
        assert says.text() == words
    status.show_streams(3, waiting=3, awaited=Awaited(53, 2448, 7419))
    assert says.text() == "Reading 7,419 tokens (33\u00a0%) · 53\u00a0s"
    status.show_streams(0, waiting=0)
    assert says.text() == ""


def test_a_long_note_and_all_other_facts_together_ask_for_no_width(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    status = Status(window)

    status.show_saved(now())
    status.show_size(TreeStatistics(letter()))
    status.show_words(1_234_567)
    status.show_note("Tagged 12 messages with a name that somebody has made longer than anybody would")
    status.show_engine(Absent("The local model is not here yet"), is_asked=True)
    status.show_streams(8, waiting=8, awaited=Awaited(123, 100_000, 123_456))

    note = find(status, QLabel, "statusNote")
    assert sum(label.minimumSizeHint().width() for label in status.findChildren(QLabel)) < LEAST_PX
    assert note.text().endswith("anybody would")
