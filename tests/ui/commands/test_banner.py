"""Banners: what could not be saved stays until it is; a notice can be put away.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.errors import GroveError
from loomapp.ui.frame.notices import Banner
from loomapp.ui.look import theme
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find

FULL = GroveError("full", "a.loom could not be saved: the disk is full; make room and try again.")


@pytest.fixture
def banner(qtbot: QtBot) -> Banner:
    banner = Banner()
    qtbot.addWidget(banner)
    banner.resize(800, 160)
    return banner


def test_what_could_not_be_saved_is_said_until_it_is(banner: Banner, qtbot: QtBot, pointer: Pointer) -> None:
    tried: list[bool] = []
    banner.retry_clicked.connect(lambda: tried.append(True))
    assert banner.isHidden()

    banner.show_unsaved(FULL)
    show_active(qtbot, banner)
    assert "the disk is full" in banner.unsaved.text
    assert "kept here" in banner.unsaved.text
    banner.show_unsaved(FULL, "a note and an edit", has_words=False)
    assert banner.unsaved.text.startswith("Not saved: a note and an edit. ")
    assert "kept here" not in banner.unsaved.text
    assert not find(banner.unsaved, QToolButton, "errorClose").isVisible()
    pointer.click(find(banner.unsaved, QPushButton, "errorAction"))
    qtbot.waitUntil(lambda: tried == [True])

    banner.show_unsaved(FULL, was_tried=True)
    assert "Tried again at" in banner.unsaved.text
    banner.show_saved()
    assert banner.isHidden()
    banner.show_unsaved(FULL)
    assert "Tried again at" not in banner.unsaved.text


def test_a_notice_can_be_put_away_and_leaves_what_is_unsaved(
    banner: Banner, qtbot: QtBot, pointer: Pointer
) -> None:
    banner.show_notice("a.loom is in a network folder: only one program can have it open.")
    banner.show_unsaved(FULL)
    show_active(qtbot, banner)

    pointer.click(find(banner.notice, QToolButton, "errorClose"))

    qtbot.waitUntil(banner.notice.isHidden)
    assert banner.isVisible()
    banner.show_saved()
    assert banner.isHidden()


@pytest.mark.slow
def test_the_last_notice_takes_the_banner_with_it(banner: Banner, qtbot: QtBot, pointer: Pointer) -> None:
    banner.show_notice("a.loom was brought up to date.")
    show_active(qtbot, banner)

    pointer.click(find(banner.notice, QToolButton, "errorClose"))

    qtbot.waitUntil(banner.isHidden)
    banner.show_notice("")
    assert banner.isHidden()


@pytest.mark.slow
def test_strips_of_one_line_are_equally_high(banner: Banner, qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "dark")

    banner.show_unsaved(GroveError("full", "No room."), has_words=False)
    banner.show_notice("A network folder.")
    banner.show_offer("Something is left.", "Take it")
    show_active(qtbot, banner)

    strips = (banner.unsaved, banner.notice, banner.offered)
    assert {max(strip.sizeHint().height(), strip.minimumHeight()) for strip in strips} == {36}
