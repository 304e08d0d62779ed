"""What cannot be opened: a window says why, its remedies work, not a byte of it changes.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from loomapp import places
from loomapp.store import schema
from loomapp.store.backups.backup import back_up
from loomapp.store.connections import connect
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.ui.actions.registry import ACTIONS
from loomapp.ui.trees.tree_loader import TreeArrival
from loomapp.ui.window.main_window import MainWindow
from tests.kit.damage import leaves_of, state, wreck
from tests.kit.desktop import Pointer
from tests.kit.drag import drop_files
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.foreign_tables import STRANGERS, let_in
from tests.kit.refused_groves import choose_file, damaged, opened, refused, sample, windows_of
from tests.session.programs import program


def a_letter(path: Path) -> None:
    path.write_text("Dear Marie", encoding="utf-8")


def nothing_in_it(path: Path) -> None:
    path.touch()


def a_newer_one(path: Path) -> None:
    sample(path)
    with closing(connect(path)) as connection:
        connection.execute(f"PRAGMA user_version={schema.VERSION + 1}")


def a_damaged_one(path: Path) -> None:
    damaged(path)


def no_file(path: Path) -> None:
    assert not path.exists()


def a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("make", "code"),
    one_in(
        3,
        [
            (a_letter, "notAGrove"),
            (a_folder, "notAGrove"),
            (nothing_in_it, "empty"),
            (a_newer_one, "newerSchema"),
            (a_damaged_one, "damaged"),
            (no_file, "missing"),
        ],
    ),
)
def test_it_is_said_and_another_grove_can_be_opened_instead(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer, make: Callable[[Path], None], code: str
) -> None:
    path, other = tmp_path / "a.loom", sample(tmp_path / "other" / "b.loom")
    make(path)
    before = state(tmp_path)

    with windows_of(qtbot) as windows:
        _, window = refused(windows, qtbot, path)
        assert window.page.state is not None
        assert window.page.state.code == code
        assert state(tmp_path) == before
        button = window.page.button("openAnother")
        assert button is not None
        qtbot.waitUntil(window.isActiveWindow)

        pointer.click(button)
        choose_file(qtbot, window, other)

        assert opened(windows, qtbot).document.grove.path == other
        assert not isValid(window)
        assert places.last_grove() == other
    assert {name: digest for name, digest in state(tmp_path).items() if name in before} == before


@pytest.mark.slow
def test_a_pipe_beside_a_grove_is_named_and_once_it_is_gone_the_grove_opens(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    path = sample(tmp_path / "a.loom")
    pipe = tmp_path / "a.loom-journal"
    os.mkfifo(pipe)

    with windows_of(qtbot) as windows:
        _, window = refused(windows, qtbot, path)
        assert window.page.state is not None
        assert window.page.state.code == "notAFileBeside"
        assert pipe.name in window.page.state.sentence
        pipe.unlink()
        button = window.page.button("tryAgain")
        assert button is not None
        qtbot.waitUntil(window.isActiveWindow)
        pointer.click(button)

        assert opened(windows, qtbot).document.grove.path == path


def test_a_name_that_no_file_can_have_is_said_too(tmp_path: Path, qtbot: QtBot) -> None:
    with windows_of(qtbot) as windows:
        _, window = refused(windows, qtbot, tmp_path / ("x" * 300 + ".loom"), make=create_grove)

        assert window.page.state is not None
        assert window.page.state.code == "cannotOpen"


def test_what_can_be_read_of_a_damaged_grove_is_shown_and_the_file_left_alone(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    path = damaged(tmp_path / "a.loom")
    before = state(tmp_path)

    with windows_of(qtbot) as windows:
        _, window = refused(windows, qtbot, path)
        button = window.page.button("openReadOnly")
        assert button is not None
        qtbot.waitUntil(window.isActiveWindow)
        pointer.click(button)

        main = opened(windows, qtbot)
        assert main.document.grove.read_only
        assert "damaged" in main.banner.notice.text
        assert main.banner.isVisible()
        assert len(main.document.tree.nodes) > 1
        assert not main.actions_set.by_name["generate"].isEnabled()
        for row in ACTIONS:  # nothing that the window offers may be a way to write to it
            assert row.is_enabled(main.bench) in (True, False)
    assert state(tmp_path) == before


@pytest.mark.slow
def test_reading_what_is_damaged_can_be_cancelled(tmp_path: Path, qtbot: QtBot) -> None:
    path = damaged(tmp_path / "a.loom")
    before = state(tmp_path)

    with windows_of(qtbot) as windows:
        opening, window = refused(windows, qtbot, path)
        opening.on_remedy("openReadOnly")
        assert not window.is_showing_error
        assert window.progress.isVisible()

        window.progress.cancel_clicked.emit()

        assert window.is_showing_error
        assert windows.windows == ()
        qtbot.waitUntil(lambda: state(tmp_path) == before)  # its thread ends a little later


def test_of_a_grove_of_which_nothing_can_be_read_that_is_said(tmp_path: Path, qtbot: QtBot) -> None:
    path = sample(tmp_path / "a.loom")
    pages = path.stat().st_size // 4096
    wreck(path, range(2, pages + 1))
    os.truncate(path, path.stat().st_size - 4096)
    before = state(tmp_path)

    with windows_of(qtbot) as windows:
        opening, window = refused(windows, qtbot, path)
        opening.on_remedy("openReadOnly")

        qtbot.waitUntil(
            lambda: window.page.state is not None and "Nothing in" in window.page.state.sentence,
            timeout=20_000,
        )
        assert window.page.button("openReadOnly") is None
    assert state(tmp_path) == before


def test_a_backup_of_a_damaged_grove_becomes_a_new_file_and_is_opened(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    path = sample(tmp_path / "a.loom")
    back_up(path)
    os.truncate(path, path.stat().st_size - 4096)
    before = state(tmp_path)
    to = tmp_path / "restored.loom"

    with windows_of(qtbot) as windows:
        _, window = refused(windows, qtbot, path)
        button = window.page.button("restoreBackup")
        assert button is not None
        qtbot.waitUntil(window.isActiveWindow)
        pointer.click(button)
        page = window.backups
        qtbot.waitUntil(page.isVisible)
        pointer.click(find(page, QWidget, "restoreButton"))
        choose_file(qtbot, window, to)
        qtbot.waitUntil(page.outcome.isVisible, timeout=10_000)
        pointer.click(find(page.outcome, QWidget, "errorAction"))

        main = opened(windows, qtbot)
        assert main.document.grove.path == to
        assert not main.document.grove.read_only
        assert not isValid(window)
    assert {name: digest for name, digest in state(tmp_path).items() if name in before} == before


@pytest.mark.slow
def test_trying_again_opens_what_can_be_opened_by_now(tmp_path: Path, qtbot: QtBot, pointer: Pointer) -> None:
    path = tmp_path / "a.loom"

    with windows_of(qtbot) as windows:
        _, window = refused(windows, qtbot, path)
        sample(path)
        button = window.page.button("tryAgain")
        assert button is not None
        qtbot.waitUntil(window.isActiveWindow)
        pointer.click(button)

        assert opened(windows, qtbot).document.grove.path == path


def test_a_new_grove_is_made_where_none_is(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "a.loom"

    with windows_of(qtbot) as windows:
        opening, _ = refused(windows, qtbot, path)
        opening.on_remedy("newGrove")

        assert opened(windows, qtbot).document.grove.path == path
    with open_grove(path) as grove:
        assert len(grove.trees()) == 1


@pytest.mark.slow
def test_where_none_can_be_made_another_place_is_asked_for(tmp_path: Path, qtbot: QtBot) -> None:
    house = tmp_path / "house"
    house.mkdir()
    house.chmod(0o555)

    try:
        with windows_of(qtbot) as windows:
            opening, window = refused(windows, qtbot, house / "a.loom", make=create_grove)
            assert window.page.state is not None
            assert window.page.state.title == "No grove can be made here"
            opening.on_remedy("newElsewhere")
            choose_file(qtbot, window, tmp_path / "b.loom")

            assert opened(windows, qtbot).document.grove.path == tmp_path / "b.loom"
        assert list(house.iterdir()) == []
    finally:
        house.chmod(0o755)


@pytest.mark.slow
def test_one_that_another_window_has_and_does_not_answer_can_be_read_beside_it(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loomapp.session.lifetime.grove_lock.ANSWER_S", 0.1)
    path = sample(tmp_path / "a.loom")
    with program("hold", str(path)) as holder, windows_of(qtbot) as windows:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.send_signal(19)  # it stands still
        opening, window = refused(windows, qtbot, path)
        assert window.page.state is not None
        assert window.page.state.code == "openElsewhere"
        assert str(holder.pid) in window.page.state.sentence
        before = path.read_bytes()

        opening.on_remedy("openReadOnly")

        main = opened(windows, qtbot)
        assert main.document.grove.read_only
        assert "reading only" in main.banner.notice.text
    assert path.read_bytes() == before


def test_a_protected_grove_opens_for_reading_and_says_so(tmp_path: Path, qtbot: QtBot) -> None:
    path = sample(tmp_path / "a.loom")
    path.chmod(0o444)
    before = state(tmp_path)

    with windows_of(qtbot) as windows:
        windows.open(path)
        main = opened(windows, qtbot)
        assert main.document.grove.read_only
        assert "protected against writing" in main.banner.notice.text
    assert state(tmp_path) == before


@pytest.mark.slow
@pytest.mark.parametrize("is_damaged", [True, False])
def test_a_window_that_cannot_be_built_is_blamed_on_the_file_only_if_that_is_damaged(
    tmp_path: Path, qtbot: QtBot, is_damaged: bool
) -> None:
    path = sample(tmp_path / "a.loom")
    if is_damaged:
        with closing(connect(path)) as connection:
            connection.execute("UPDATE nodes SET created_at = 'yesterday'")
    before = path.read_bytes()

    def stumbling(_: Grove, __: TreeArrival | None) -> MainWindow:
        raise ValueError("yesterday")

    with capture_exceptions() as raised, windows_of(qtbot, stumbling) as windows:
        _, window = refused(windows, qtbot, path)
        assert window.page.state is not None
        assert window.page.state.code == ("damaged" if is_damaged else "error")
        qtbot.waitUntil(lambda: [str(found[1]) for found in raised] == ([] if is_damaged else ["yesterday"]))
    assert path.read_bytes() == before


def test_a_window_that_is_closed_is_forgotten(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "a.loom"
    a_letter(path)

    with windows_of(qtbot) as windows:
        _, window = refused(windows, qtbot, path)
        with qtbot.waitSignal(windows.emptied):
            window.close()

        assert windows.openings == ()
        assert {file.name for file in tmp_path.iterdir()} == {"a.loom"}


# Several windows


def test_every_grove_has_a_window_and_the_same_one_comes_forward(tmp_path: Path, qtbot: QtBot) -> None:
    one, two = sample(tmp_path / "a.loom"), sample(tmp_path / "b.loom")
    link = tmp_path / "link.loom"
    link.symlink_to(one)

    with windows_of(qtbot) as windows:
        windows.open(one)
        first = opened(windows, qtbot)
        first.grove_wanted.emit(two)
        second = opened(windows, qtbot, 2)
        qtbot.waitUntil(second.isActiveWindow)
        assert {f.name for f in tmp_path.glob("*.lock")} == {"a.loom.lock", "b.loom.lock"}
        assert " — a.loom — " in first.windowTitle()
        assert " — b.loom — " in second.windowTitle()

        second.grove_wanted.emit(link)
        qtbot.waitUntil(first.isActiveWindow)
        assert len(windows.windows) == 2

        first.close()
        assert list(windows.windows) == [second]
        assert "b.loom" not in second.windowTitle()  # there is but one again
        assert {f.name for f in tmp_path.glob("*.lock")} == {"b.loom.lock"}
        second.document.commit(None)
        with qtbot.waitSignal(windows.emptied):
            second.close()


def test_the_file_menu_opens_makes_and_lists_groves(tmp_path: Path, qtbot: QtBot) -> None:
    one, two, gone = sample(tmp_path / "a.loom"), sample(tmp_path / "b & c.loom"), tmp_path / "gone.loom"
    places.remember_grove(gone)

    with windows_of(qtbot) as windows:
        windows.open(one)
        first = opened(windows, qtbot)
        actions = first.actions_set.by_name
        actions["openGrove"].trigger()
        choose_file(qtbot, first, two)
        opened(windows, qtbot, 2)
        actions["newGrove"].trigger()
        choose_file(qtbot, first, tmp_path / "new")
        assert opened(windows, qtbot, 3).document.grove.path == tmp_path / "new.loom"

        menu = actions["openRecent"].menu()
        assert menu is not None
        menu.aboutToShow.emit()  # type: ignore[attr-defined]
        rows = menu.actions()  # type: ignore[attr-defined]
        named = [(row.text().partition(" —")[0], row.isEnabled(), row.isChecked()) for row in rows]
        assert named == [
            ("new.loom", True, False),
            ("b && c.loom", True, False),
            ("a.loom", True, True),
            ("gone.loom", False, False),
        ]

        def second_is_in_front() -> bool:
            rows[1].trigger()  # again: a window manager still busy with the third one forgets the wish
            return windows.windows[1].isActiveWindow()

        qtbot.waitUntil(second_is_in_front)
        assert len(windows.windows) == 3


def test_no_more_than_eight_groves_are_remembered_the_last_one_first(tmp_path: Path) -> None:
    for number in [*range(10), 5]:
        places.remember_grove(tmp_path / f"{number}.loom")

    assert [path.stem for path in places.recent_groves()] == ["5", "9", "8", "7", "6", "4", "3", "2"]
    assert places.last_grove() == tmp_path / "5.loom"


@pytest.mark.slow
def test_a_grove_that_is_dropped_onto_the_window_is_opened(tmp_path: Path, qtbot: QtBot) -> None:
    one, two = sample(tmp_path / "a.loom"), sample(tmp_path / "b.loom")

    with windows_of(qtbot) as windows:
        windows.open(one)
        first = opened(windows, qtbot)
        field = first.composer.field.viewport()
        assert drop_files(field, tmp_path / "picture.png")
        assert windows.openings == ()
        first.composer.start_over()

        assert drop_files(field, two)

        assert opened(windows, qtbot, 2).document.grove.path == two
        assert first.composer.text == ""


@pytest.mark.slow
def test_wrecked_pages_in_the_middle_are_found_by_whoever_reads_them(tmp_path: Path, qtbot: QtBot) -> None:
    path = sample(tmp_path / "a.loom")
    wreck(path, leaves_of(path, "nodes")[:1])
    before = path.read_bytes()

    with windows_of(qtbot) as windows:
        opening, window = refused(windows, qtbot, path)
        assert window.page.state is not None
        assert window.page.state.code == "damaged"
        opening.on_remedy("openReadOnly")
        qtbot.waitUntil(lambda: bool(windows.windows) or window.is_showing_error, timeout=20_000)
    assert path.read_bytes() == before


def test_quit_closes_every_window_and_the_next_start_opens_the_one_in_front(
    tmp_path: Path, qtbot: QtBot
) -> None:
    with windows_of(qtbot) as windows:
        windows.open(sample(tmp_path / "a.loom"))
        first = opened(windows, qtbot)
        windows.open(sample(tmp_path / "b.loom"))
        opened(windows, qtbot, 2)

        with qtbot.waitSignal(windows.emptied):
            first.actions_set.by_name["quit"].trigger()

        assert windows.windows == ()
        assert places.last_grove() == tmp_path / "a.loom"


def test_the_next_start_opens_the_window_that_stayed_when_another_was_closed(
    tmp_path: Path, qtbot: QtBot
) -> None:
    with windows_of(qtbot) as windows:
        windows.open(sample(tmp_path / "a.loom"))
        opened(windows, qtbot)
        windows.open(sample(tmp_path / "b.loom"))
        second = opened(windows, qtbot, 2)

        with qtbot.waitSignal(second.closed):
            second.close()

        assert places.last_grove() == tmp_path / "a.loom"


def test_a_grove_with_a_foreign_trigger_is_copied_clean_and_the_copy_opened(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    path = sample(tmp_path / "a.loom")
    let_in(path, STRANGERS["the trigger “t” on “nodes” AFTER INSERT"])
    before = state(tmp_path)

    with windows_of(qtbot) as windows:
        _, window = refused(windows, qtbot, path)
        assert window.page.state is not None
        assert "the trigger “t” on “nodes”" in window.page.state.sentence
        button = window.page.button("cleanCopy")
        assert button is not None
        qtbot.waitUntil(window.isActiveWindow)
        assert state(tmp_path) == before

        pointer.click(button)

        main = opened(windows, qtbot)
        assert main.document.grove.path == tmp_path / "a-recovered.loom"
        assert not main.document.grove.read_only
        assert len(main.document.tree.nodes) > 1
    after = state(tmp_path)
    assert {name: after[name] for name in before} == before


@pytest.mark.slow
def test_a_grove_with_a_foreign_trigger_can_be_read_and_says_why_no_more(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    path = sample(tmp_path / "a.loom")
    let_in(path, STRANGERS["the trigger “t” on “nodes” AFTER INSERT"])
    before = state(tmp_path)

    with windows_of(qtbot) as windows:
        _, window = refused(windows, qtbot, path)
        button = window.page.button("openReadOnly")
        assert button is not None
        qtbot.waitUntil(window.isActiveWindow)
        pointer.click(button)

        main = opened(windows, qtbot)
        assert main.document.grove.read_only
        assert "the trigger “t” on “nodes”" in main.banner.notice.text
        assert main.banner.isVisible()
        assert not main.actions_set.by_name["generate"].isEnabled()
    assert state(tmp_path) == before
