"""One window a grove: a second start wakes the first, and a dead window holds nothing.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.errors import GroveError
from loomapp.session.lifetime import grove_lock as single_module
from loomapp.session.lifetime.grove_lock import GroveLock, hand_over
from loomapp.store.backups.backup import back_up
from loomapp.store.grove.open import create_grove, open_grove, read_grove
from loomapp.store.opening.file_names import name_lock
from tests.kit.families import one_in
from tests.session.programs import forked


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    path.touch()
    return path


def test_a_second_start_hands_its_tree_to_the_window_that_has_the_grove(path: Path, qtbot: QtBot) -> None:
    link = path.with_name("link.loom")
    link.symlink_to(path)
    with forked("hold", str(path)) as first:
        assert first.stdout.readline() == "mine\n"
        second = GroveLock(link)

        holder = second.take()

        assert holder is not None
        assert holder.pid == first.pid
        assert hand_over(link, "a tree")
        assert first.stdout.readline() == "again a tree\n"
        assert GroveLock(path.with_name("other.loom")).take() is None


def test_a_second_name_of_one_file_leads_to_the_window_that_has_it(path: Path, qtbot: QtBot) -> None:
    second_name = path.with_name("second.loom")
    second_name.hardlink_to(path)
    with forked("hold", str(path)) as first:
        assert first.stdout.readline() == "mine\n"
        second = GroveLock(second_name)

        holder = second.take()

        assert holder is not None
        assert holder.pid == first.pid
        assert not name_lock(second_name).exists()
        assert hand_over(second_name, "a tree")
        assert first.stdout.readline() == "again a tree\n"


@pytest.mark.parametrize(
    "use", one_in(3, [open_grove, read_grove, back_up]), ids=["write", "read", "back up"]
)
def test_nothing_is_written_or_read_under_a_second_name_while_a_window_has_it_open(
    path: Path, qtbot: QtBot, use: Callable[[Path], object]
) -> None:
    path.unlink()
    create_grove(path).close()
    second_name = path.with_name("second.loom")
    second_name.hardlink_to(path)
    with forked("hold", str(path)) as first:
        assert first.stdout.readline() == "mine\n"

        with pytest.raises(GroveError) as refused:
            use(second_name)

        assert refused.value.code == "openElsewhere"
        open_grove(path).close()  # by its own name it is anybody's
        first.kill()
    open_grove(second_name).close()


@pytest.mark.slow
def test_a_window_that_does_not_answer_is_named(path: Path, qtbot: QtBot) -> None:
    with forked("hold", str(path)) as first:
        first.stdout.readline()
        first.send_signal(signal.SIGSTOP)

        assert not hand_over(path)

        holder = GroveLock(path).take()
        assert holder is not None
        error = holder.error(path)
        assert error.code == "openElsewhere"
        assert str(first.pid) in error.message
        assert str(name_lock(path)) in error.message


def test_what_a_killed_window_held_is_free_and_old_messages_open_nothing(path: Path, qtbot: QtBot) -> None:
    with forked("hold", str(path)) as first:
        first.stdout.readline()
        first.send_signal(signal.SIGKILL)
        first.wait()
    message = single_module._post_box(path) / "0.json"
    message.parent.mkdir(parents=True)
    message.write_text("{}")
    single = GroveLock(path)
    woken: list[str] = []
    single.opened_again.connect(woken.append)

    assert single.take() is None

    single.look()
    single.release()
    assert woken == []
    assert not name_lock(path).exists()


def test_a_grove_that_was_moved_and_written_again_can_be_opened_where_it_is_now(
    path: Path, qtbot: QtBot
) -> None:
    moved = path.with_name("moved.loom")
    first, second, third = GroveLock(path), GroveLock(moved), GroveLock(path)
    assert first.take() is None
    path.rename(moved)
    assert second.take() is not None  # nothing was written again yet: it is the one that is open
    path.touch()

    first.look()

    assert second.take() is None
    assert third.take() is not None
    for single in (first, second):
        single.release()
