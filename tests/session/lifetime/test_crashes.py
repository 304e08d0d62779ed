"""A session that ended badly is noticed by the next one, which has something to show without any secret."""

from __future__ import annotations

import logging
import os
import signal
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp import logs, places
from loomapp.cli import entry
from loomapp.session.document import Document
from loomapp.session.lifetime.crashes import Fault, Session, ended_by_signals
from loomapp.store.grove.open import create_grove
from tests.session.programs import TIMEOUT_S, program

PLANTED = ["JSONDecodeError", "KeyError", "UnicodeEncodeError", "ValueError", "RuntimeError"]
KEY = "sk-planted-0123456789-abcdefghij"
ODD_KEY = "correct-horse-battery"  # nothing gives it away but its variable
WORDS = "In a hole in the ground there lived a 'thing' nobody had heard of\nand it wrote"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        Document(grove)
    return path


def test_after_an_abort_the_next_start_has_the_log_and_where_it_was(
    path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", ODD_KEY)
    with program("end_badly", str(path), KEY, WORDS, stderr=-3) as worker:
        said = worker.communicate(timeout=TIMEOUT_S)[0].split()
    assert worker.returncode == -signal.SIGABRT
    assert said == [*PLANTED, "JSONDecodeError"]  # the last on a thread

    session = Session()
    session.close()

    assert session.last is not None
    report = session.last.text
    assert "Fatal Python error: Aborted" in report
    assert "in end_badly" in report
    assert "json.decoder.JSONDecodeError" in report
    assert "RuntimeError: no key [hidden]" in report
    assert "QSomething" in report
    assert "Python 3" in report
    assert str(Path.home()) not in report
    again = Session()
    again.close()
    assert again.last is None


def test_no_key_and_no_word_of_a_tree_is_in_any_file_but_the_grove(
    path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", ODD_KEY)
    for key in (KEY, ODD_KEY):
        with program("end_badly", str(path), key, WORDS, stderr=-3) as worker:
            worker.communicate(timeout=TIMEOUT_S)
    session = Session()
    session.close()

    assert session.last is not None
    logged = [file.read_bytes() for file in places.state_folder().rglob("*") if file.is_file()]
    assert any(b"Bearer" in data or b"[hidden]" in data for data in logged)
    for data in (*logged, session.last.text.encode()):
        for secret in (KEY, ODD_KEY, "hole in the ground", "and it wrote"):
            assert secret.encode() not in data
    for file in path.parent.iterdir():
        assert KEY.encode() not in file.read_bytes()
        assert ODD_KEY.encode() not in file.read_bytes()


def test_a_session_that_was_killed_ended_badly_and_one_that_lives_did_not(qtbot: QtBot) -> None:
    with program("live") as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "fresh\n"
        with program("live") as beside:
            assert beside.communicate("", timeout=TIMEOUT_S)[0] == "fresh\n"
        first.send_signal(signal.SIGKILL)
        first.wait(TIMEOUT_S)

    for said in ("again\n", "fresh\n"):
        with program("live") as later:
            assert later.communicate("", timeout=TIMEOUT_S)[0] == said


def test_a_fault_in_a_slot_is_told_and_what_was_there_before_comes_back(
    qtbot: QtBot, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    before = sys.excepthook
    session = Session()
    told: list[Fault] = []
    session.fault_found.connect(told.append)
    error = AttributeError("'NoneType' object has no attribute 'leaf'")

    sys.excepthook(AttributeError, error, None)
    session.close()

    assert [fault.kind for fault in told] == ["AttributeError"]
    assert "has no attribute 'leaf'" in told[0].text
    assert "a fault in Loomapp itself: AttributeError" in capsys.readouterr().err
    assert "AttributeError" in logs.log_file().read_text()
    assert sys.excepthook is before
    caplog.clear()


def test_the_log_is_kept_small(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MAX_BYTES", 10_000)
    session = Session()
    log = logging.getLogger("loomapp.test")

    for i in range(1000):
        log.info("line %d of a log that grows and grows while nobody looks at it", i)
    session.close()

    files = list(places.state_folder().glob(f"{logs.NAME}*"))
    assert len(files) == logs.KEPT + 1
    assert all(file.stat().st_size <= logs.MAX_BYTES for file in files)
    assert "line 999 " in logs.excerpt()
    assert logs.log_file().stat().st_mode & 0o077 == 0


def test_what_the_command_line_notes_of_a_fault_holds_no_words_either() -> None:
    try:
        int(WORDS)
    except ValueError as error:
        entry._reported(error)

    log = places.state_folder() / "command-line.log"
    noted = log.read_text()
    assert log.stat().st_mode & 0o077 == 0
    assert "test_crashes.py" in noted
    assert "ValueError" in noted
    assert "hole in the ground" not in noted


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_stops_nothing(qtbot: QtBot) -> None:
    places.state_folder().mkdir(parents=True, exist_ok=True)
    places.state_folder().chmod(0o500)

    session = Session()
    session.close()

    places.state_folder().chmod(0o700)
    assert session.last is None


def test_a_signal_ends_nothing_in_the_middle_of_something_else(qtbot: QtBot) -> None:
    ended: list[str] = []

    with ended_by_signals(lambda: ended.append("ended")):
        os.kill(os.getpid(), signal.SIGTERM)
        in_the_middle = list(ended)
        qtbot.waitUntil(lambda: bool(ended), timeout=TIMEOUT_S * 1000)

    assert (in_the_middle, ended) == ([], ["ended"])


def test_the_folder_of_logs_is_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "state_folder", lambda: tmp_path / "state" / "loomapp")

    logs.close_log(logs.open_log())

    assert (tmp_path / "state" / "loomapp").stat().st_mode & 0o077 == 0
