"""The first start after a bad end: everything that it left can be reached, one after the other.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from loomapp import logs
from loomapp.session.lifetime.crashes import CrashReport
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands.log import LogPage
from loomapp.ui.commands.save.journal import tell_of_crash
from loomapp.ui.unsaved.unsaved import Offer
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find
from tests.kit.windows import open_window

KEY = "sk-planted-0123456789-abcdefghij"
REPORT = CrashReport(1_790_000_000_000, "1.2", "Fatal Python error: Aborted", f"the last line, {KEY}")


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    path = tmp_path / "g.loom"
    create_grove(path).close()
    with open_window(path, qtbot) as window:
        yield window


def press_offer(window: MainWindow) -> None:
    find(window.banner.offered, QPushButton, "errorAction").click()


def page_text(window: MainWindow) -> str:
    page = window.pages.currentWidget()
    assert isinstance(page, LogPage)
    return find(page, QPlainTextEdit, "logText").toPlainText()


def test_the_crash_and_what_was_left_are_offered_one_after_the_other(window: MainWindow) -> None:
    taken: list[str] = []
    window.offers.add(Offer("answer", "An answer was left.", "Copy it", lambda: taken.append("answer")))

    tell_of_crash(window.bench, REPORT)
    window.text_pane.errors.say("Another message in another place.")

    assert "An answer was left." in window.banner.offered.text
    press_offer(window)
    assert taken == ["answer"]
    assert "ended unexpectedly" in window.banner.offered.text
    press_offer(window)
    assert window.banner.offered.isHidden()
    assert "Fatal Python error: Aborted" in page_text(window)


@pytest.mark.slow
def test_the_log_is_shown_without_keys_can_be_copied_and_is_left_with_escape(window: MainWindow) -> None:
    tell_of_crash(window.bench, REPORT)
    press_offer(window)

    text = page_text(window)
    assert "the last line" in text
    assert KEY not in text
    page = window.pages.currentWidget()
    assert page is not None
    find(page, QPushButton, "copyReportButton").click()
    assert QGuiApplication.clipboard().text() == text
    field = find(page, QPlainTextEdit, "logText")
    assert field.isReadOnly()
    assert field.hasFocus()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert window.pages.currentWidget() is window.graph


@pytest.mark.slow
def test_the_log_of_this_session_can_be_shown_at_any_time(window: MainWindow) -> None:
    handler = logs.open_log()
    try:
        logging.getLogger("loomapp.test").info("A key %s is not for the log", KEY)
        window.actions_set.by_name["showLog"].trigger()
    finally:
        logs.close_log(handler)

    assert "is not for the log" in page_text(window)
    assert KEY not in page_text(window)
