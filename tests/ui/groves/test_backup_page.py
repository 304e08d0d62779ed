"""The backups in the window: when, why, how large; one becomes a new file, and nothing is written over.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.store.backups.backup import Backup, back_up, backups_of
from loomapp.store.grove.open import open_grove
from loomapp.ui.commands.log import LogPage
from loomapp.ui.groves.backup_page import BackupPage, why
from loomapp.ui.widgets.layouts import side_px
from tests.kit.damage import state, wreck
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.kit.refused_groves import choose_file, sample
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = sample(tmp_path / "a.loom")
    back_up(path, reason="before-version-2")
    back_up(path)
    return path


@pytest.fixture
def page(grove: Path, qtbot: QtBot) -> Iterator[BackupPage]:
    page = BackupPage()
    qtbot.addWidget(page)
    page.resize(800, 600)
    show_active(qtbot, page)
    page.show_backups_of(grove)
    yield page
    page.end()


def restored(page: BackupPage, qtbot: QtBot, backup: Backup, to: Path) -> None:
    page.restore_to(backup.path, to)
    qtbot.waitUntil(lambda: not page._is_busy(), timeout=20_000)


def test_each_says_when_why_and_how_large(page: BackupPage, grove: Path) -> None:
    rows = [page.list.topLevelItem(number) for number in range(page.list.topLevelItemCount())]
    said = [[row.text(column) for column in range(3)] for row in rows if row is not None]

    assert [row[1] for row in said] == ["Made automatically", "Before the file was brought up to date"]
    assert all(row[0].startswith("Today, ") and row[2].endswith(" kB") for row in said)
    assert page.list.chosen == backups_of(grove)[0]
    assert why(Backup(grove, 1, 0, "", 1, 2)) == "Made automatically; 2 nodes in it are damaged"


def test_what_is_restored_is_a_grove_of_its_own_and_can_be_opened(
    page: BackupPage, grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    before, to = state(grove.parent), grove.with_name("b.loom")
    asked: list[object] = []
    page.open_asked.connect(asked.append)

    restored(page, qtbot, backups_of(grove)[0], to)
    pointer.click(find(page.outcome, QPushButton, "errorAction"))

    qtbot.waitUntil(lambda: asked == [to])
    with open_grove(to) as copy:
        assert len(copy.load_tree(copy.trees()[0].id).nodes) > 1
    after = state(grove.parent)
    assert {name: digest for name, digest in after.items() if name in before} == before


def test_a_file_that_is_there_is_not_written_over(page: BackupPage, grove: Path, qtbot: QtBot) -> None:
    to = grove.with_name("b.loom")
    to.write_text("mine")
    before = state(grove.parent)

    restored(page, qtbot, backups_of(grove)[0], to)

    assert "exists already" in page.fault.text
    assert page.fault.isVisible()
    assert page.outcome.isHidden()
    assert state(grove.parent) == before


def test_a_damaged_backup_is_refused_and_leaves_nothing(page: BackupPage, grove: Path, qtbot: QtBot) -> None:
    backup = backups_of(grove)[0]
    wreck(backup.path, range(3, backup.size // 4096 + 1))
    before = state(grove.parent)

    restored(page, qtbot, backup, grove.with_name("b.loom"))

    assert "damaged" in page.fault.text
    assert state(grove.parent) == before


def test_where_nothing_may_be_written_that_is_said(page: BackupPage, grove: Path, qtbot: QtBot) -> None:
    house = grove.parent / "house"
    house.mkdir()
    house.chmod(0o555)

    try:
        restored(page, qtbot, backups_of(grove)[0], house / "b.loom")
    finally:
        house.chmod(0o755)

    assert "read-only" in page.fault.text
    assert list(house.iterdir()) == []


def test_it_can_be_cancelled_and_leaves_nothing(page: BackupPage, grove: Path, qtbot: QtBot) -> None:
    before, to = state(grove.parent), grove.with_name("b.loom")
    page.restore_to(backups_of(grove)[0].path, to)
    assert page.progress.isVisible()

    page.on_cancel_clicked()

    task = page._task
    assert task is not None
    qtbot.waitUntil(lambda: not task._job.is_alive(), timeout=20_000)
    assert page.progress.isHidden()
    assert page.outcome.isHidden()
    assert state(grove.parent) == before


def test_where_no_backup_is_that_is_said_and_nothing_offered(page: BackupPage, grove: Path) -> None:
    shutil.rmtree(grove.with_name("a.loom.backups"))

    page.show_backups_of(grove)

    assert not find(page, QPushButton, "restoreButton").isEnabled()
    assert "no backup" in page._sentence.text()


def test_from_the_menu_to_a_new_file_and_back_with_escape(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    to = grove.with_name("b.loom")

    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["restoreBackup"].trigger()
        page = find(window, BackupPage, "backupPage")
        qtbot.waitUntil(page.list.hasFocus)
        pointer.click(find(page, QPushButton, "restoreButton"))
        choose_file(qtbot, window, to)
        qtbot.waitUntil(page.outcome.isVisible, timeout=20_000)
        page.list.setFocus()
        pointer.key("Escape")
        qtbot.waitUntil(window.graph.isVisible)
    assert to.exists()


@pytest.mark.slow
def test_it_is_laid_out_as_the_other_pages_and_its_buttons_follow_the_rows(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["showLog"].trigger()
        cross = find(window, QToolButton, "closeLogButton")
        log = find(window, LogPage, "logPage")
        title = log._title
        qtbot.waitUntil(lambda: title.mapTo(log, QPoint()).x() == side_px(log.width()))  # laid out
        places = [part.mapTo(window, QPoint()) for part in (title, cross)]
        window.actions_set.by_name["restoreBackup"].trigger()
        page = find(window, BackupPage, "backupPage")
        qtbot.waitUntil(page.list.hasFocus)

        assert page.property("surface") == "panel"
        own = find(page, QToolButton, "backupCross")
        titles = [words for words in page.findChildren(QLabel) if words.text() == "Restore a backup"]
        assert titles[0].mapTo(window, QPoint()) == places[0]
        assert own.mapTo(window, QPoint()) == places[1]
        assert 0 < find(page, QPushButton, "restoreButton").mapTo(page, QPoint()).y() - _bottom(page) <= 24
        second = page.list.topLevelItem(1)
        assert second is not None
        last = page.list.visualItemRect(second)
        assert last.bottom() <= page.list.viewport().height() < last.bottom() + last.height()
        pointer.click(own)
        qtbot.waitUntil(window.graph.isVisible)


def _bottom(page: BackupPage) -> int:
    return page.list.mapTo(page, page.list.rect().bottomLeft()).y()


def test_escape_ends_what_is_under_way_before_it_leaves(page: BackupPage, grove: Path, qtbot: QtBot) -> None:
    left: list[bool] = []
    page.close_asked.connect(lambda: left.append(True))
    page.restore_to(backups_of(grove)[0].path, grove.with_name("b.loom"))

    QTest.keyClick(page.list, Qt.Key.Key_Escape)
    assert (page.progress.isHidden(), left) == (True, [])
    task = page._task
    assert task is not None
    qtbot.waitUntil(lambda: not page._is_busy())
    QTest.keyClick(page.list, Qt.Key.Key_Escape)
    assert left == [True]
    qtbot.waitUntil(lambda: not task._job.is_alive())
