"""The opening page: each thing that can be wrong with a file is a calm state with its remedies."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.errors import GroveError
from loomapp.store import schema
from loomapp.store.connections import connect
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.ui.groves.states import STATES, Remedy, opening_state
from loomapp.ui.groves.window import OpeningPage
from loomapp.ui.look import theme
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find


@pytest.fixture
def page(qtbot: QtBot) -> OpeningPage:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, "light")
    page = OpeningPage()
    qtbot.addWidget(page)
    page.resize(900, 600)
    show_active(qtbot, page)
    return page


def a_grove(path: Path) -> None:
    create_grove(path).close()


def nothing(path: Path) -> None:
    path.unlink(missing_ok=True)


def an_empty_file(path: Path) -> None:
    path.write_bytes(b"")


def a_letter(path: Path) -> None:
    path.write_text("Dear Marie", encoding="utf-8")


def a_newer_grove(path: Path) -> None:
    a_grove(path)
    connection = connect(path)
    connection.execute(f"PRAGMA user_version={schema.VERSION + 1}")
    connection.close()


def half_a_grove(path: Path) -> None:
    a_grove(path)
    os.truncate(path, path.stat().st_size // 2)


def a_protected_grove(path: Path) -> None:
    a_grove(path)
    path.chmod(0o444)


def refusal(path: Path) -> GroveError:
    """What opening says."""
    with pytest.raises(GroveError) as caught:
        open_grove(path).close()
    return caught.value


def texts(page: OpeningPage) -> tuple[str, str]:
    return tuple(find(page, QLabel, name).text() for name in ("openingTitle", "openingSentence"))  # type: ignore[return-value]


def offered(page: OpeningPage) -> list[str]:
    return [button.objectName() for button in page.findChildren(QPushButton)]


@pytest.mark.parametrize(
    ("make", "title", "remedies"),
    [
        (nothing, "There is no file here", ["openAnother", "newGrove", "tryAgain"]),
        (an_empty_file, "This file is empty", ["restoreBackup", "openAnother", "showFolder"]),
        (a_letter, "This is not a grove", ["openAnother", "showFolder"]),
        (a_newer_grove, "This grove is newer than this program", ["openAnother", "showFolder"]),
        (
            half_a_grove,
            "This grove is damaged",
            ["openReadOnly", "restoreBackup", "openAnother", "showFolder"],
        ),
        (
            a_protected_grove,
            "This grove can only be read",
            ["openReadOnly", "tryAgain", "showFolder", "openAnother"],
        ),
    ],
)
def test_what_is_wrong_with_a_real_file_is_said_with_its_remedies(
    page: OpeningPage, tmp_path: Path, make: Callable[[Path], None], title: str, remedies: list[str]
) -> None:
    path = tmp_path / "{odd} name.loom"
    make(path)

    page.show_error(refusal(path))

    shown, sentence = texts(page)
    assert shown == title
    assert sentence.startswith(("{odd} name.loom", "There is no room"))
    assert page.accessibleName() == title
    assert find(page, QLabel, "openingPath").toolTip().count("{odd} name.loom") == 1
    assert offered(page) == remedies


def test_every_code_has_a_state_whose_sentence_names_the_file() -> None:
    for code in STATES:
        error = GroveError(code, "…", path="/somewhere/a.loom", pid=4711, host="harbour")

        state = opening_state(error)

        assert "a.loom" in state.sentence, code
        assert "{" not in state.sentence
        assert state.remedies


def test_who_has_it_open_is_named() -> None:
    here = opening_state(GroveError("openElsewhere", "…", path="a.loom", pid=4711, host=""))
    there = opening_state(GroveError("openElsewhere", "…", path="a.loom", pid=4711, host="harbour"))

    assert "process 4711, which" in here.sentence
    assert "process 4711 on harbour" in there.sentence


def test_what_nobody_foresaw_is_told_in_the_words_of_the_store(page: OpeningPage) -> None:
    page.show_error(GroveError("somethingNew", "A comet fell on it."))

    assert texts(page) == ("This grove could not be opened", "A comet fell on it.")
    assert not find(page, QLabel, "openingPath").isVisible()


@pytest.mark.parametrize("remedy", ["openReadOnly", "tryAgain", "openAnother"])
def test_a_click_and_a_key_say_which_remedy(
    page: OpeningPage, qtbot: QtBot, pointer: Pointer, remedy: Remedy
) -> None:
    page.show_error(GroveError("locked", "…", path="/a/b.loom"))
    clicked: list[str] = []
    page.remedy_clicked.connect(clicked.append)
    button = page.button(remedy)
    assert button is not None

    pointer.click(button)
    qtbot.waitUntil(lambda: clicked == [remedy])
    button.setFocus()
    pointer.key("space")
    qtbot.waitUntil(lambda: clicked == [remedy, remedy])


def test_the_first_remedy_has_the_keyboard_and_tab_goes_on(
    page: OpeningPage, qtbot: QtBot, pointer: Pointer
) -> None:
    page.show_error(GroveError("locked", "…", path="/a/b.loom"))
    first, second = page.button("tryAgain"), page.button("openReadOnly")
    assert first is not None
    assert second is not None

    qtbot.waitUntil(first.hasFocus)
    pointer.key("Tab")
    qtbot.waitUntil(second.hasFocus)


def test_trying_again_in_vain_says_so_and_keeps_the_keyboard(
    page: OpeningPage, qtbot: QtBot, pointer: Pointer
) -> None:
    error = GroveError("locked", "…", path="/a/b.loom")
    page.show_error(error)
    page.remedy_clicked.connect(lambda _: page.show_error(error))
    again = find(page, QLabel, "openingAgain")
    button = page.button("tryAgain")
    assert button is not None
    assert again.text() == ""

    pointer.click(button)

    qtbot.waitUntil(lambda: again.text().startswith("Tried again at "))
    assert button.hasFocus()
    page.show_error(GroveError("damaged", "…", path="/a/b.loom"))
    assert again.text() == ""


def test_what_leads_nowhere_is_not_offered(page: OpeningPage) -> None:
    page.show_error(GroveError("damaged", "…", path="/a/b.loom"), without=("restoreBackup",))

    assert offered(page) == ["openReadOnly", "openAnother", "showFolder"]


def test_in_a_small_window_nothing_is_cut_off(page: OpeningPage, qtbot: QtBot) -> None:
    page.resize(340, 320)
    page.show_error(GroveError("damaged", "…", path="/a/" + "very" * 40 + "/b.loom"))
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() > 0)

    assert find(page, QWidget, "openingGround").width() <= page.viewport().width()
    last = page.button("showFolder")
    assert last is not None
    page.ensureWidgetVisible(last)
    corner = last.mapTo(page.viewport(), last.rect().bottomRight())
    assert page.viewport().rect().contains(corner)


def test_a_protected_grove_can_be_read_as_the_button_promises(tmp_path: Path) -> None:
    path = tmp_path / "a.loom"
    a_protected_grove(path)
    assert "openReadOnly" in opening_state(refusal(path)).remedies

    with read_grove(path) as grove:
        assert grove.read_only
