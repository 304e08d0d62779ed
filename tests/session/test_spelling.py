"""Looking words up: in the dictionary that comes along, beside the window, with words of one's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from loomapp.session import spelling
from loomapp.session.spelling import Spelling, words_file

TEXT = ("The", "lihgt", "is", "wrnog")


@pytest.fixture
def checker(qtbot: QtBot) -> Iterator[Spelling]:
    checker = Spelling()
    yield checker
    checker.close()


def wrong(checker: Spelling, qtbot: QtBot) -> frozenset[str]:
    checker.wrong(TEXT)
    qtbot.waitUntil(lambda: not checker._timer.isActive())
    return checker.wrong(TEXT)


def test_wrong_words_are_told_with_what_could_be_meant(checker: Spelling, qtbot: QtBot) -> None:
    assert checker.wrong(TEXT) == frozenset()  # it is off
    assert checker.use("en_US")

    assert wrong(checker, qtbot) == {"lihgt", "wrnog"}
    assert "light" in (checker.suggestions("lihgt") or ())
    checker.use("")
    assert checker.wrong(TEXT) == frozenset()


def test_own_words_are_right_also_at_the_next_start(checker: Spelling, qtbot: QtBot) -> None:
    checker.use("en_US")
    checker.add("lihgt")
    checker.ignore("wrnog")

    assert wrong(checker, qtbot) == frozenset()
    assert words_file().read_text(encoding="utf-8") == "lihgt\n"
    again = Spelling()
    again.use("en_US")
    assert wrong(again, qtbot) == {"wrnog"}
    again.close()


def test_letters_with_combining_marks_are_the_letters_they_make(checker: Spelling, qtbot: QtBot) -> None:
    checker.use("en_US")
    checker.add("caf\u00e9x")
    asked = ["cafe\u0301", "cafe\u0301x", "cafe\u0301y"]
    checker.wrong(asked)
    qtbot.waitUntil(lambda: not checker._timer.isActive())

    assert checker.wrong(asked) == {"cafe\u0301y"}


def test_without_a_dictionary_or_anything_to_read_it_it_is_off(
    checker: Spelling, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not checker.use("xx_YY")
    assert not checker.is_on
    monkeypatch.setattr(spelling, "is_installed", lambda: False)
    assert not checker.use("en_US")
    assert not checker.is_on
