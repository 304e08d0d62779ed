"""Thumbnails are made beside the window, one after the other, and what is missing is looked for again."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from loomapp.ui.media import pictures as module
from loomapp.ui.media.pictures import SIDE_PX, Thumbnails
from tests.ui.media.test_media_reading import bomb, image_bytes


class Shelf:
    """Media in memory that tells on which threads it was asked."""

    def __init__(self, *images: bytes) -> None:
        self.images = {hashlib.sha256(data).hexdigest(): data for data in images}
        self.threads: set[threading.Thread] = set()

    def size(self, ref: str) -> int | None:
        data = self.images.get(ref)
        return None if data is None else len(data)

    def read(self, ref: str) -> bytes | None:
        self.threads.add(threading.current_thread())
        return self.images.get(ref)


LARGE, SMALL = image_bytes("PNG", 1600, 800), image_bytes("JPEG", 40, 30)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(LARGE, SMALL, bomb(50_000, 50_000))


@pytest.fixture
def thumbnails(shelf: Shelf, qtbot: QtBot) -> Iterator[Thumbnails]:
    thumbnails = Thumbnails(shelf)
    yield thumbnails
    thumbnails.close()


def ref_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def shown(thumbnails: Thumbnails, ref: str, qtbot: QtBot) -> QImage | None:
    if thumbnails.image(ref) is None and not thumbnails.is_missing(ref):
        with qtbot.waitSignal(thumbnails.came, check_params_cb=lambda came: came == ref):
            pass
    return thumbnails.image(ref)


def test_images_are_made_small_on_another_thread(thumbnails: Thumbnails, shelf: Shelf, qtbot: QtBot) -> None:
    large, small = shown(thumbnails, ref_of(LARGE), qtbot), shown(thumbnails, ref_of(SMALL), qtbot)

    assert large is not None
    assert (large.width(), large.height()) == (SIDE_PX, SIDE_PX // 2)
    assert small is not None
    assert (small.width(), small.height()) == (40, 30)
    assert threading.main_thread() not in shelf.threads


def test_what_would_be_too_large_is_never_decoded(thumbnails: Thumbnails, qtbot: QtBot) -> None:
    ref = ref_of(bomb(50_000, 50_000))

    assert shown(thumbnails, ref, qtbot) is None
    assert thumbnails.is_missing(ref)


def test_what_was_missing_is_shown_when_somebody_put_it_back(
    thumbnails: Thumbnails, shelf: Shelf, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = shelf.images.pop(ref_of(SMALL))
    assert shown(thumbnails, ref_of(SMALL), qtbot) is None
    assert thumbnails.is_missing(ref_of(SMALL))

    shelf.images[ref_of(SMALL)] = data
    monkeypatch.setattr(module, "LOOK_AGAIN_S", 0)
    with qtbot.waitSignal(thumbnails.came):
        thumbnails.image(ref_of(SMALL))
    assert thumbnails.image(ref_of(SMALL)) is not None
    assert not thumbnails.is_missing(ref_of(SMALL))


def test_only_so_many_are_kept(thumbnails: Thumbnails, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 10_000)
    assert shown(thumbnails, ref_of(LARGE), qtbot) is not None
    assert shown(thumbnails, ref_of(SMALL), qtbot) is not None

    assert list(thumbnails._known) == [ref_of(SMALL)]
